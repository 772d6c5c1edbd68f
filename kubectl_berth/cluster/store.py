"""Objects at one moment, answered as an API server answers: shared by the snapshot and the simulator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from kubectl_berth.cluster import failures, logs, paging, rules
from kubectl_berth.cluster.cluster import Kind
from kubectl_berth.cluster.events import to_events_api
from kubectl_berth.cluster.failures import ApiFailure
from kubectl_berth.cluster.kinds import METRICS_KINDS
from kubectl_berth.cluster.logs import LogFiles, LogOptions
from kubectl_berth.cluster.rules import Rule
from kubectl_berth.cluster.selectors import field_test, label_test
from kubectl_berth.cluster.shape import mapping
from kubectl_berth.records import Object

Resource = tuple[str, str]
"""Group and plural: what objects are kept under."""


@dataclass(frozen=True)
class StaleGroup:
    """A group version whose backend does not answer: it stands in discovery, without resources."""

    group: str
    version: str


@dataclass
class ListAnswer:
    """One page of a list: objects as the API gives them, and the list's own metadata."""

    items: list[Object]
    metadata: dict[str, Any]


@dataclass(frozen=True)
class Store:
    """A cluster's objects, its discovery, its logs, and what it refuses. Immutable once built; safe for threads.

    `objects` hold each resource's objects by key ("namespace/name", or the name), sorted. No object of a refused kind
    (Secret, ConfigMap) is ever in it. `only` is the one namespace that is in it, "" for all. Every read raises
    ApiFailure.
    """

    version: str
    now: datetime
    kinds: Sequence[Kind]
    objects: dict[Resource, dict[str, Object]]
    unavailable: Sequence[Rule] = ()
    stale: Sequence[StaleGroup] = ()
    log_files: LogFiles = field(default_factory=LogFiles)
    selectable: dict[Resource, tuple[str, ...]] = field(default_factory=dict)
    only: str = ""

    @cached_property
    def resource_version(self) -> int:
        """The newest resourceVersion among the objects, at least 1."""
        return max(self._versions(), default=1)

    def _versions(self) -> Iterator[int]:
        for kept in self.objects.values():
            for obj in kept.values():
                version = str(mapping(obj, "metadata").get("resourceVersion") or "")
                if version.isdigit():
                    yield int(version)

    def definition(self, kind: Kind) -> Object | None:
        """The CustomResourceDefinition behind a custom kind."""
        kept = self.objects.get(("apiextensions.k8s.io", "customresourcedefinitions"), {})
        return kept.get(f"{kind.plural}.{kind.group}")

    def find(self, group: str, version: str, plural: str) -> Kind:
        """The kind served at this place; ApiFailure 404 in the form the server gives for what is missing, or 503."""
        for kind in self.kinds:
            if (kind.group, kind.version, kind.plural) == (group, version, plural):
                return kind
        if any((kind.group, kind.version) == (group, version) for kind in self.kinds):
            raise failures.no_such_resource()
        raise self.missing_version(group, version)

    def missing_version(self, group: str, version: str) -> ApiFailure:
        """Why nothing is served under a group version: its backend is down, or there is no such thing."""
        if any((stale.group, stale.version) == (group, version) for stale in self.stale):
            return self._down(group)
        # the server itself answers for its own groups, whatever the version
        own = any(kind.group == group and kind.builtin and group != METRICS_KINDS[0].group for kind in self.kinds)
        return failures.no_such_resource() if own and group else failures.no_such_path()

    def _down(self, group: str) -> ApiFailure:
        for rule in self.unavailable:
            if rule.is_group(group) and rule.status == 503 and rule.message:
                return failures.service_unavailable(rule.message)
        return failures.backend_down()

    def list(self, kind: Kind, namespace: str | None, options: paging.ListOptions) -> ListAnswer:
        """Objects of a kind; `namespace` None means all. A namespace that does not exist gives an empty list."""
        self._require(kind, "list")
        rules.check(self.unavailable, kind, "list", namespace)
        if kind.namespaced:
            self._taken(namespace)
        kept = self.objects.get(_stored_as(kind), {})
        keeps_labels = label_test(options.labels)
        keeps_fields = field_test(options.fields, kind, self.selectable.get((kind.group, kind.plural), ()))
        prefix = f"{namespace}/" if namespace is not None and kind.namespaced else ""
        chosen = {}
        for key, obj in kept.items():
            if key.startswith(prefix):
                served = _served(kind, obj)
                if keeps_labels(served) and keeps_fields(served):
                    chosen[key] = served
        page = paging.page(chosen, options, self.resource_version)
        metadata: dict[str, Any] = {"resourceVersion": str(self.resource_version)}
        if page.token:
            metadata["continue"] = page.token
        if page.remaining is not None:
            metadata["remainingItemCount"] = page.remaining
        return ListAnswer([chosen[key] for key in page.keys], metadata)

    def get(self, kind: Kind, name: str, namespace: str | None) -> Object:
        """One object with apiVersion and kind."""
        self._require(kind, "get")
        scope = self._scope(kind, name, namespace)
        rules.check(self.unavailable, kind, "get", scope, name)
        if kind.namespaced or _is_namespace(kind):
            self._taken(scope)
        return _named(kind, _served(kind, self._object(kind, name, namespace)))

    def log(self, pod: str, namespace: str, options: LogOptions) -> bytes | None:
        """A container's log; None where the pod was never scheduled (the server's 204)."""
        kind = self.find("", "v1", "pods")
        rules.check(self.unavailable, kind, "get", namespace, pod, "log")
        self._taken(namespace)
        return logs.read(self._object(kind, pod, namespace), options, self.log_files, self.now)

    def _object(self, kind: Kind, name: str, namespace: str | None) -> Object:
        key = f"{namespace}/{name}" if kind.namespaced else name
        found = self.objects.get(_stored_as(kind), {}).get(key)
        if found is None:
            raise failures.not_found(kind, name)
        return found

    def _scope(self, kind: Kind, name: str, namespace: str | None) -> str | None:
        # the server authorises a read of a namespace inside that namespace
        return name if _is_namespace(kind) else namespace

    def _taken(self, namespace: str | None) -> None:
        """That what is in this namespace, None for all, can be known: absence outside of `only` proves nothing."""
        if self.only and namespace != self.only:
            raise failures.Untaken(self.only)

    def _require(self, kind: Kind, verb: str) -> None:
        """That the kind is served as given, and with this verb."""
        found = self.find(kind.group, kind.version, kind.plural)
        if verb not in found.verbs:
            raise failures.method_not_allowed()


def listed_with_kind(kind: Kind, items: Iterable[Object]) -> Iterator[Object]:
    """List items with apiVersion and kind filled in."""
    return (_named(kind, item) for item in items)


def _named(kind: Kind, obj: Object) -> Object:
    return {"apiVersion": kind.api_version, "kind": kind.kind, **obj}


def _is_namespace(kind: Kind) -> bool:
    return (kind.group, kind.plural) == ("", "namespaces")


def _stored_as(kind: Kind) -> Resource:
    return ("", "events") if kind.group == "events.k8s.io" else (kind.group, kind.plural)


def _served(kind: Kind, obj: Object) -> Object:
    """The object as this group version serves it, without apiVersion and kind."""
    if kind.group == "events.k8s.io":
        return to_events_api(obj)
    return {key: value for key, value in obj.items() if key not in ("apiVersion", "kind")}
