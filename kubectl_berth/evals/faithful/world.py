"""A scenario as the rules look at it: everything its cluster serves, read through the Cluster protocol."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.errors import Forbidden
from kubectl_berth.records import Object
from kubectl_berth.scenarios.reader import Scenario


@dataclass(frozen=True)
class World:
    """One scenario, opened. `objects` by kind; `layers` its directories, lowest first."""

    name: str
    cluster: Cluster
    version: str
    now: datetime
    layers: tuple[Path, ...]
    objects: dict[str, list[Object]]
    hidden: frozenset[tuple[str, str]] = frozenset()
    """Kinds that the API refuses in a namespace, as the scenario says."""

    @property
    def minor(self) -> int:
        """The server's minor version."""
        return int(self.version.split(".")[1])

    def all(self) -> Iterator[Object]:
        """Every object served."""
        for found in self.objects.values():
            yield from found

    def kind(self, kind: str) -> list[Object]:
        """Every object of one kind."""
        return self.objects.get(kind, [])

    def owned(self, owner: Object, kind: str) -> list[Object]:
        """The objects of `kind` that `owner` controls."""
        uid = owner["metadata"]["uid"]
        return [obj for obj in self.kind(kind) if any(ref["uid"] == uid for ref in owners(obj))]

    def by_uid(self) -> dict[str, Object]:
        """Every object by its uid."""
        return {obj["metadata"].get("uid", ""): obj for obj in self.all()}


Rule = Callable[[World], Iterator[str]]
"""Yields what is odd about a world, one line each; nothing where it could be."""


def world(scenario: Scenario) -> World:
    """Opens a scenario and reads everything it serves."""
    cluster = scenario.open()
    objects: dict[str, list[Object]] = defaultdict(list)
    refused = []
    for kind in cluster.kinds().kinds:
        served = kind.preferred and "list" in kind.verbs and kind.group != "events.k8s.io"
        if served and kind.kind not in ("Secret", "ConfigMap", "ComponentStatus", "Endpoints"):
            try:
                objects[kind.kind].extend(cluster.list(kind))
            except Forbidden:
                refused += [kind] if kind.namespaced else []
    hidden = set()
    for kind, space in ((kind, space["metadata"]["name"]) for kind in refused for space in objects["Namespace"]):
        try:
            objects[kind.kind].extend(cluster.list(kind, space))
        except Forbidden:
            hidden.add((kind.kind, space))
    shown = f"{scenario.name} twin" if scenario.twin else scenario.name
    return World(
        shown, cluster, cluster.name().version, cluster.now(), scenario.layers, dict(objects), frozenset(hidden)
    )


def each(objects: Iterable[Object], judge: Callable[[Object], Iterator[str]]) -> Iterator[str]:
    """Judges each object by itself; one that lacks a field every cluster fills in is odd by that."""
    for obj in objects:
        try:
            for words in judge(obj):
                yield f"{ident(obj)}: {words}"
        except KeyError as error:
            yield f"{ident(obj)}: has no {error.args[0]}"
        except (TypeError, ValueError, AttributeError, IndexError) as error:
            yield f"{ident(obj)}: cannot be read: {error}"


def owners(obj: Object) -> list[dict[str, Any]]:
    """Owner references."""
    return list(obj["metadata"].get("ownerReferences") or [])


def label(obj: Object, key: str) -> str | None:
    """One label."""
    return (obj["metadata"].get("labels") or {}).get(key)


def selected(pods: Sequence[Object], namespace: str, selector: dict[str, str]) -> list[Object]:
    """Pods of a namespace that carry all the labels, those that ended left out."""
    return [
        pod
        for pod in pods
        if pod["metadata"]["namespace"] == namespace
        and pod["status"]["phase"] in ("Running", "Pending")
        and all(label(pod, key) == value for key, value in selector.items())
    ]


def condition(obj: Object, kind: str) -> dict[str, Any]:
    """One condition, {} where there is none."""
    return next((entry for entry in obj["status"].get("conditions") or [] if entry["type"] == kind), {})


def ready(pod: Object) -> bool:
    """Whether the pod's Ready condition is True."""
    return condition(pod, "Ready").get("status") == "True"


def statuses(pod: Object) -> list[dict[str, Any]]:
    """Container statuses, init containers first."""
    return [*pod["status"].get("initContainerStatuses", []), *pod["status"].get("containerStatuses", [])]


def time(text: str) -> datetime:
    """An RFC 3339 time."""
    return datetime.fromisoformat(text).astimezone(UTC)


def ident(obj: Object) -> str:
    """Kind, namespace and name, for messages."""
    metadata = obj.get("metadata") or {}
    return f"{obj.get('kind')} {metadata.get('namespace', '')}/{metadata.get('name')}"
