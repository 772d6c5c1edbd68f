"""What the API server answers when it does not give what was asked: the status, and a Status object or plain text.

The words are the server's own, so that a snapshot and the live cluster it was taken from fail alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_berth.cluster.cluster import Kind

VIEWER = "viewer"
"""The user a snapshot's own 403 answers speak of."""


class ApiFailure(Exception):
    """One failed request as the server words it. Stays inside cluster and simulator; others see errors.ReadError.

    `status` is the HTTP status. With `plain` the body is the bare message as text/plain, else a Status object with
    `reason`, `details` (None: no such field) and `metadata`.
    """

    def __init__(
        self,
        status: int,
        message: str,
        reason: str = "",
        details: Mapping[str, Any] | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
        plain: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.reason = reason
        self.details = details
        self.metadata = metadata or {}
        self.plain = plain

    def body(self) -> dict[str, Any]:
        """The Status object."""
        body: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": dict(self.metadata),
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            body["reason"] = self.reason
        if self.details is not None:
            body["details"] = dict(self.details)
        body["code"] = self.status
        return body


class Untaken(ApiFailure):
    """403: it lies outside of the one namespace that a snapshot was taken of."""

    def __init__(self, only: str) -> None:
        super().__init__(403, f"only namespace {only} was taken: what lies outside of it is not known", "Forbidden", {})


def qualified(kind: Kind) -> str:
    """ "pods", "clusters.postgresql.cnpg.io": how messages name a resource."""
    return f"{kind.plural}.{kind.group}" if kind.group else kind.plural


def _details(kind: Kind, name: str = "") -> dict[str, str]:
    given = {"name": name, "group": kind.group, "kind": kind.plural}
    return {key: value for key, value in given.items() if value}


def not_found(kind: Kind, name: str) -> ApiFailure:
    """404: the kind is served, the object is not there."""
    return ApiFailure(404, f'{qualified(kind)} "{name}" not found', "NotFound", _details(kind, name))


def no_such_resource() -> ApiFailure:
    """404: a known group, but no such version or resource in it."""
    return ApiFailure(404, "the server could not find the requested resource", "NotFound", {})


def no_such_path() -> ApiFailure:
    """404: nothing at all is served there; an unknown group reads like this, as text/plain."""
    return ApiFailure(404, "404 page not found\n", plain=True)


def forbidden(
    kind: Kind,
    verb: str,
    namespace: str | None,
    name: str = "",
    subresource: str = "",
    user: str = VIEWER,
) -> ApiFailure:
    """403: RBAC does not let `user` do this. `namespace` None is the cluster scope."""
    resource = f"{kind.plural}/{subresource}" if subresource else kind.plural
    subject = f'{qualified(kind)} "{name}"' if name else qualified(kind)
    where = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
    message = (
        f'{subject} is forbidden: User "{user}" cannot {verb} resource "{resource}" in API group "{kind.group}" {where}'
    )
    return ApiFailure(403, message, "Forbidden", _details(kind, name))


def method_not_allowed() -> ApiFailure:
    """405: the path exists, the method is not for it."""
    return ApiFailure(405, "the server does not allow this method on the requested resource", "MethodNotAllowed", {})


def not_supported(kind: Kind, verb: str) -> ApiFailure:
    """405: the resource is served, but not with this verb."""
    return ApiFailure(
        405, f'{verb} is not supported on resources of kind "{qualified(kind)}"', "MethodNotAllowed", _details(kind)
    )


def not_acceptable(*media_types: str) -> ApiFailure:
    """406: none of the asked representations is offered."""
    accepted = ", ".join(media_types)
    return ApiFailure(406, f"only the following media types are accepted: {accepted}", "NotAcceptable")


def bad_request(message: str) -> ApiFailure:
    """400 with the server's words."""
    return ApiFailure(400, message, "BadRequest")


def invalid(
    kind: str, name: str, field: str, words: str, group: str = "", cause: str = "FieldValueInvalid"
) -> ApiFailure:
    """422: `field` of a `kind` (PodLogOptions, ListOptions) is invalid: `words`."""
    details: dict[str, Any] = {"name": name, "group": group, "kind": kind}
    details = {key: value for key, value in details.items() if value}
    details["causes"] = [{"reason": cause, "message": words, "field": field}]
    subject = f"{kind}.{group}" if group else kind
    return ApiFailure(422, f'{subject} "{name}" is invalid: {field}: {words}', "Invalid", details)


def expired(token: str) -> ApiFailure:
    """410: the continue token is too old; `token` is the one that goes on inconsistently."""
    return ApiFailure(
        410,
        "The provided continue parameter is too old to display a consistent list result. You can start a new list "
        "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
        "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
        "modified, or deleted between the time the first chunk was returned and now may show up in the list.",
        "Expired",
        metadata={"continue": token},
    )


def too_old() -> ApiFailure:
    """410: an exact resourceVersion that is no longer kept."""
    return ApiFailure(410, "The resourceVersion for the provided list is too old.", "Expired")


def too_large(asked: int, current: int) -> ApiFailure:
    """504: a resourceVersion of the future."""
    details = {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }
    message = f"Timeout: Too large resource version: {asked}, current: {current}"
    return ApiFailure(504, message, "Timeout", details)


def backend_down() -> ApiFailure:
    """503: the service behind an aggregated API does not answer."""
    return ApiFailure(503, "service unavailable\n", plain=True)


def service_unavailable(message: str = "") -> ApiFailure:
    """503 as a Status object."""
    words = message or "the server is currently unable to handle the request"
    return ApiFailure(503, words, "ServiceUnavailable", {})
