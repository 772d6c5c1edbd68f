"""From a request's method, target and Accept header to the answer a Kubernetes API server would give."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from kubectl_berth.cluster import failures
from kubectl_berth.cluster.cluster import Kind
from kubectl_berth.cluster.failures import ApiFailure
from kubectl_berth.cluster.kinds import minor, subresources
from kubectl_berth.cluster.logs import LogOptions
from kubectl_berth.cluster.paging import list_options, number
from kubectl_berth.cluster.store import Store
from kubectl_berth.records import Object
from kubectl_berth.safety.refuse import refused_kind
from kubectl_berth.simulator import discovery, reviews
from kubectl_berth.simulator.media import JSON, offered
from kubectl_berth.simulator.tables import table

PLAIN = "text/plain; charset=utf-8"
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


@dataclass(frozen=True)
class Response:
    """One answer: status, content type, body, and headers beyond the usual ones."""

    status: int
    content_type: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


def _json(document: Any, content_type: str = JSON, headers: dict[str, str] | None = None) -> Response:
    body = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
    return Response(200, content_type, body, headers or {})


def failed(failure: ApiFailure) -> Response:
    """The failure as it goes over the wire."""
    if failure.plain:
        return Response(failure.status, PLAIN, failure.message.encode(), {"X-Content-Type-Options": "nosniff"})
    return Response(failure.status, JSON, _json(failure.body()).body)


def respond(
    store: Store, method: str, target: str, accept: str = "", address: str = "127.0.0.1", body: bytes = b""
) -> Response:
    """The answer to one request; `target` is path and query as sent, `address` the server's own host:port.

    `body` is read for the reviews of one's own rights alone.
    """
    try:
        path = urlsplit(target).path
        if reviews.answers(method, path):
            return replace(_json(reviews.review(store, path, body)), status=201)
        return _respond(store, method, target, accept, address)
    except ApiFailure as failure:
        return failed(failure)


def _respond(store: Store, method: str, target: str, accept: str, address: str) -> Response:
    split = urlsplit(target)
    query = {key: values[0] for key, values in parse_qs(split.query, keep_blank_values=True).items()}
    segments = [unquote(segment) for segment in split.path.strip("/").split("/")]
    fixed = _fixed(store, split.path, accept, address)
    if fixed is not None:
        if method != "GET":
            raise failures.method_not_allowed()
        return fixed
    if segments[0] == "api" and len(segments) > 1:
        group, version, rest = "", segments[1], segments[2:]
    elif segments[0] == "apis" and len(segments) > 1:
        group, version, rest = segments[1], segments[2] if len(segments) > 2 else "", segments[3:]
    else:
        raise failures.no_such_path()
    if not rest:
        if method != "GET":
            raise failures.method_not_allowed()
        known = discovery.resource_list(store, group, version) if version else discovery.group_document(store, group)
        return _json(known)
    return _resource(store, method, _place(store, group, version, rest), query, accept)


def _fixed(store: Store, path: str, accept: str, address: str) -> Response | None:
    """The paths that are not about objects."""
    if path in ("/healthz", "/livez", "/readyz"):
        return Response(200, PLAIN, b"ok", {"X-Content-Type-Options": "nosniff"})
    if path == "/version":
        return _json(discovery.version_document(store.version))
    if path == "/":
        return _json(discovery.root_paths(store))
    if path.rstrip("/") in ("/api", "/apis"):
        core = path.rstrip("/") == "/api"
        known = ("APIGroupDiscoveryList",) if minor(store.version) >= 27 else ()
        version = "v2" if minor(store.version) >= 30 else "v2beta1"
        form = offered(accept, "apidiscovery.k8s.io", version, known)
        if form:
            kind = f"{JSON};g=apidiscovery.k8s.io;v={version};as={form}"
            return _json(discovery.aggregated(store, version, core=core), kind, {"Vary": "Accept"})
        return _json(discovery.core_versions(address) if core else discovery.group_list(store))
    return None


@dataclass(frozen=True)
class Place:
    """What a resource path names. `namespace` None is the cluster scope; `name` "" is the collection."""

    kind: Kind
    namespace: str | None = None
    name: str = ""
    subresource: str = ""


def _place(store: Store, group: str, version: str, rest: list[str]) -> Place:
    namespace: str | None = None
    # /namespaces/x/status is a subresource of the namespace, /namespaces/x/pods a resource in it
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    kind = store.find(group, version, rest[0])
    name, subresource = [*rest[1:], "", ""][:2]
    misplaced = kind.namespaced is (namespace is None) if name or namespace is not None else False
    unknown = subresource and not _has_subresource(store, kind, subresource)
    if len(rest) > 3 or misplaced or unknown or "" in rest:
        raise failures.no_such_resource()
    return Place(kind, namespace, name, subresource)


def _has_subresource(store: Store, kind: Kind, name: str) -> bool:
    return name in (subresources(kind) if kind.builtin else ("status", "scale"))


def _resource(store: Store, method: str, place: Place, query: Mapping[str, str], accept: str) -> Response:
    kind = place.kind
    reads = "get" if place.name else "list"
    if refused_kind((kind.kind, kind.plural)):
        verb = reads if method == "GET" else _VERBS.get(method, method.lower())
        raise failures.forbidden(kind, verb, place.namespace, place.name, place.subresource)
    if method != "GET":
        raise failures.method_not_allowed()
    if query.get("watch", "false").lower() not in ("false", "0", ""):
        raise failures.not_supported(kind, "watch")
    if place.subresource == "log":
        return _log(store, place, query)
    if place.subresource not in ("", "status"):
        raise failures.forbidden(kind, "get", place.namespace, place.name, place.subresource)
    if place.name:
        return _object(store, place, query, accept)
    return _collection(store, place, query, accept)


def _object(store: Store, place: Place, query: Mapping[str, str], accept: str) -> Response:
    form = offered(accept, "meta.k8s.io", "v1", ("Table", "PartialObjectMetadata"))
    found = store.get(place.kind, place.name, place.namespace)
    if form == "Table":
        return _json(table(store, place.kind, [found], {}, query.get("includeObject", "")))
    return _json(_partial(found) if form else found, headers=_warning(store, place.kind))


def _collection(store: Store, place: Place, query: Mapping[str, str], accept: str) -> Response:
    kind = place.kind
    form = offered(accept, "meta.k8s.io", "v1", ("Table", "PartialObjectMetadataList"))
    options = list_options(
        store.resource_version,
        query.get("labelSelector", ""),
        query.get("fieldSelector", ""),
        query.get("limit", ""),
        query.get("continue", ""),
        query.get("resourceVersion", ""),
        query.get("resourceVersionMatch", ""),
    )
    answer = store.list(kind, place.namespace, options)
    warning = _warning(store, kind)
    if form == "Table":
        return _json(table(store, kind, answer.items, answer.metadata, query.get("includeObject", "")), headers=warning)
    if form:
        items = [_partial(item) for item in answer.items]
        document = {"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": answer.metadata}
        return _json({**document, "items": items}, headers=warning)
    named = {"kind": f"{kind.kind}List", "apiVersion": kind.api_version}
    if kind.builtin:
        return _json({**named, "metadata": answer.metadata, "items": answer.items}, headers=warning)
    # items of custom resources carry their own apiVersion and kind
    items = [{"apiVersion": kind.api_version, "kind": kind.kind, **item} for item in answer.items]
    return _json({"apiVersion": kind.api_version, "items": items, "kind": named["kind"], "metadata": answer.metadata})


def _partial(obj: Object) -> Object:
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": obj.get("metadata") or {},
    }


def _warning(store: Store, kind: Kind) -> dict[str, str]:
    words = {
        "componentstatuses": "v1 ComponentStatus is deprecated in v1.19+",
        "endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    }.get("" if kind.group else kind.plural)
    if not words or (kind.plural == "endpoints" and minor(store.version) < 33):
        return {}
    return {"Warning": f'299 - "{words}"'}


def _log(store: Store, place: Place, query: Mapping[str, str]) -> Response:
    if query.get("follow", "false").lower() in ("true", "1"):
        raise failures.not_supported(place.kind, "watch")

    def bound(key: str) -> int | None:
        return number(query[key]) if query.get(key) else None

    options = LogOptions(
        query.get("container", ""),
        query.get("previous", "false").lower() in ("true", "1"),
        bound("tailLines"),
        bound("sinceSeconds"),
        bound("limitBytes"),
    )
    text = store.log(place.name, place.namespace or "", options)
    return Response(204, "", b"") if text is None else Response(200, "text/plain", text)
