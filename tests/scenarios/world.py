"""A scenario as the tests look at it: everything that its cluster serves, read through the Cluster protocol."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.records import Object
from kubectl_berth.scenarios import reader


@dataclass(frozen=True)
class World:
    """One scenario, opened."""

    name: str
    cluster: Cluster
    version: str
    now: datetime
    layers: tuple[Path, ...]
    objects: dict[str, list[Object]]

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


def owners(obj: Object) -> list[dict[str, Any]]:
    """Owner references."""
    return list(obj["metadata"].get("ownerReferences") or [])


def label(obj: Object, key: str) -> str | None:
    """One label."""
    return (obj["metadata"].get("labels") or {}).get(key)


def selected(pods: list[Object], namespace: str, selector: dict[str, str]) -> list[Object]:
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
    return next((entry for entry in obj["status"].get("conditions", []) if entry["type"] == kind), {})


def ready(pod: Object) -> bool:
    """Whether the pod's Ready condition is True."""
    return condition(pod, "Ready").get("status") == "True"


def time(text: str) -> datetime:
    """An RFC 3339 time."""
    return datetime.fromisoformat(text).astimezone(UTC)


def ident(obj: Object) -> str:
    """Kind, namespace and name, for messages."""
    return f"{obj['kind']} {obj['metadata'].get('namespace', '')}/{obj['metadata']['name']}"


@lru_cache(maxsize=4)
def world(name: str, twin: bool = False, version: str | None = None) -> World:
    """Opens a scenario; the last few stay open."""
    scenario = reader.load(name, twin=twin, version=version)
    cluster = scenario.open()
    objects: dict[str, list[Object]] = defaultdict(list)
    for kind in cluster.kinds().kinds:
        served = kind.preferred and "list" in kind.verbs and kind.group != "events.k8s.io"
        if served and kind.kind not in ("Secret", "ConfigMap", "ComponentStatus", "Endpoints"):
            objects[kind.kind].extend(cluster.list(kind))
    shown = f"{name} twin" if twin else name
    return World(shown, cluster, cluster.name().version, cluster.now(), scenario.layers, dict(objects))


def worlds() -> list[tuple[str, bool]]:
    """Every shipped scenario, and its twin (True) where it has one."""
    found = []
    for name in reader.names():
        found.append((name, False))
        if (reader.SHIPPED / name / "twin").is_dir():
            found.append((name, True))
    return found
