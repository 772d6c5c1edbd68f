"""The `unavailable:` rules of a snapshot: what the API refused, did not serve or failed to answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_berth.cluster import failures
from kubectl_berth.cluster.cluster import Kind
from kubectl_berth.cluster.failures import ApiFailure


@dataclass(frozen=True)
class Rule:
    """One rule. `resource` is a plural ("pods"), a plural with its group, a subresource ("pods/log") or a group.

    `namespace` "" means everywhere. `message` "" means the server's usual words.
    """

    resource: str
    status: int
    namespace: str = ""
    message: str = ""

    def covers(self, kind: Kind, subresource: str = "") -> bool:
        """Whether the rule speaks of this resource, or of this subresource where one is given."""
        wanted, _, part = self.resource.partition("/")
        if subresource or part:
            return part == subresource and wanted in (kind.plural, failures.qualified(kind))
        # metrics.k8s.io serves "pods" and "nodes" too: the bare word means the objects, not their usage
        if kind.group == "metrics.k8s.io" and wanted == kind.plural:
            return False
        return wanted in (kind.plural, failures.qualified(kind)) or self.is_group(kind.group)

    def is_group(self, group: str) -> bool:
        """Whether the rule speaks of this whole API group (never the core one)."""
        return bool(group) and self.resource == group


def check(
    rules: Sequence[Rule], kind: Kind, verb: str, namespace: str | None, name: str = "", subresource: str = ""
) -> None:
    """Raises the ApiFailure of the first rule that covers this request.

    A list over all namespaces is refused where one namespace is: RBAC only ever adds.
    """
    for rule in rules:
        # a whole resource that is refused takes its subresources along when its group or server is down
        covered = rule.covers(kind, subresource) or (subresource and rule.status == 503 and rule.covers(kind))
        if not covered:
            continue
        if rule.namespace and namespace is not None and rule.namespace != namespace:
            continue
        if rule.namespace and not kind.namespaced:
            continue
        raise _failure(rule, kind, verb, namespace, name, subresource)


def _failure(rule: Rule, kind: Kind, verb: str, namespace: str | None, name: str, subresource: str) -> ApiFailure:
    if rule.status == 403:
        user = re.search(r'User "([^"]+)"', rule.message)
        usual = failures.forbidden(kind, verb, namespace, name, subresource, user.group(1) if user else failures.VIEWER)
        # the rule's words name its own namespace; a list over all of them is refused in other words
        fits = rule.message and (not rule.namespace or namespace == rule.namespace)
        return ApiFailure(403, rule.message if fits else usual.message, "Forbidden", usual.details)
    if rule.status == 503:
        if rule.is_group(kind.group) and not rule.message:
            return failures.backend_down()
        return failures.service_unavailable(rule.message)
    if rule.status == 404:
        return failures.no_such_path() if rule.is_group(kind.group) else failures.no_such_resource()
    return ApiFailure(rule.status, rule.message or "the server failed", "InternalError" if rule.status == 500 else "")
