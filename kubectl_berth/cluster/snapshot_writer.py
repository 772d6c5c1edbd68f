"""Writes a cluster as a snapshot directory: objects pruned and redacted, logs of what is in trouble, what was refused.

Secrets and ConfigMaps are never asked for. Everything written has passed the same redaction as what a model gets.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from kubectl_berth.cluster.cluster import Cluster, Kind
from kubectl_berth.cluster.env_addresses import with_addresses
from kubectl_berth.cluster.shape import mapping, mappings
from kubectl_berth.cluster.snapshot_files import ABOUT
from kubectl_berth.errors import Forbidden, NotServed, ReadError, UsageError
from kubectl_berth.records import Gap, Object
from kubectl_berth.safety.objects import prune
from kubectl_berth.safety.redact import redact
from kubectl_berth.safety.refuse import refused_kind
from kubectl_berth.safety.sanitise import sanitise

AT_ONCE = 8
MOST_LOGS = 500
"""Containers whose logs are read, at most."""

NAMESPACES = 50
"""Namespaces that are tried one by one, at most, where reading all at once is forbidden."""

_STATUSES = (403, 404, 500, 503)
# what ties objects to each other
_KEPT = frozenset({"name", "namespace", "uid", "kind", "apiVersion"})


@dataclass(frozen=True)
class Written:
    """What a snapshot holds, and what could not be read."""

    objects: int
    kinds: int
    logs: int
    gaps: tuple[Gap, ...]


@dataclass
class _Taking:
    """A snapshot on its way: `unavailable` are the entries of snapshot.yaml."""

    cluster: Cluster
    directory: Path
    namespace: str | None
    unavailable: list[dict[str, Any]] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    def refused(self, resource: str, error: ReadError, namespace: str = "") -> None:
        status = error.status if error.status in _STATUSES else 500
        entry = {"resource": resource, "namespace": namespace, "status": status, "message": _clean(str(error))}
        self.unavailable.append({key: value for key, value in entry.items() if value})
        where = f" in {namespace}" if namespace else ""
        self.gaps.append(Gap(f"{resource}{where}", error.why, str(error)))


def write_snapshot(
    cluster: Cluster, directory: Path, kinds: Sequence[Kind], *, namespace: str | None = None, logs: str = "unhealthy"
) -> Written:
    """Writes the objects of these kinds, of one namespace or all, into a directory that is new or empty.

    `logs` is none, unhealthy or all. Raises UsageError where the directory cannot be written; it is whole or not there.
    """
    directory = directory.absolute()
    partial = _partial(directory)
    try:
        taking = _Taking(cluster, partial, namespace)
        written = _write(taking, kinds, logs)
        if directory.exists():
            directory.rmdir()
        partial.rename(directory)
    except OSError as error:
        raise UsageError(f"{directory} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return written


def _partial(directory: Path) -> Path:
    """A private directory beside the one that is wanted."""
    try:
        if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
            raise UsageError(f"{directory} is not empty; name a new directory")
        directory.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
    except OSError as error:
        raise UsageError(f"{directory} cannot be written: {error.strerror or error}") from error


def _write(taking: _Taking, kinds: Sequence[Kind], logs: str) -> Written:
    cluster = taking.cluster
    for gap in cluster.kinds().gaps:
        group = gap.what.partition("/")[0]
        if "." in group:
            taking.unavailable.append({"resource": group, "status": 503})
            taking.gaps.append(gap)
    others = _namespaces(cluster, kinds)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        counts = list(pool.map(lambda kind: _write_kind(taking, kind, others), kinds))
        containers = list(_containers(taking, kinds, logs))
        if len(containers) > MOST_LOGS:
            words = f"the logs of {len(containers) - MOST_LOGS} containers were left out"
            taking.gaps.append(Gap("logs", "too many", words))
        taken = sum(pool.map(lambda wanted: _write_log(taking, *wanted), containers[:MOST_LOGS]))
    _write_about(taking, logs)
    return Written(sum(counts), sum(map(bool, counts)), taken, tuple(taking.gaps))


def _write_about(taking: _Taking, logs: str) -> None:
    import yaml

    name = taking.cluster.name()
    about: dict[str, Any] = {"apiVersion": "berth.dev/v1", "kind": "Snapshot"}
    if name.version:
        about["serverVersion"] = name.version
    about["time"] = taking.cluster.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    about["namespace"] = taking.namespace or name.namespace
    if logs != "all":
        about["logs"] = "partial"
    # one pod's refusal is that of its whole namespace
    unavailable = {(each["resource"], each.get("namespace")): each for each in taking.unavailable}
    about["unavailable"] = [unavailable[key] for key in sorted(unavailable, key=str)]
    (taking.directory / ABOUT).write_text(yaml.safe_dump(about, sort_keys=False, allow_unicode=True), encoding="utf-8")


# --- objects --------------------------------------------------------------------------------------------------------


def _namespaces(cluster: Cluster, kinds: Sequence[Kind]) -> list[str]:
    """The cluster's own namespace, then those that are known."""
    own = cluster.name().namespace
    kind = next((kind for kind in kinds if kind.kind == "Namespace" and not kind.group), None)
    try:
        known = [str(mapping(each, "metadata").get("name")) for each in cluster.list(kind)] if kind else []
    except ReadError:
        known = []
    return list(dict.fromkeys([own, *known]))[:NAMESPACES]


def _write_kind(taking: _Taking, kind: Kind, namespaces: Sequence[str]) -> int:
    resource = f"{kind.plural}.{kind.group}" if kind.group else kind.plural
    scope = taking.namespace if kind.namespaced else None
    try:
        objects = list(taking.cluster.list(kind, scope))
    except Forbidden as error:
        if scope or not kind.namespaced:
            taking.refused(resource, error)
            return 0
        objects = _one_by_one(taking, kind, resource, namespaces, error)
    except NotServed:
        return 0
    except ReadError as error:
        taking.refused(resource, error)
        return 0
    shown = [_shown(each) for each in objects if _belongs(each, taking.namespace)]
    if shown:
        _write_objects(taking.directory / "objects" / (kind.group or "core") / f"{kind.plural}.json", kind, shown)
    return len(shown)


def _one_by_one(
    taking: _Taking, kind: Kind, resource: str, namespaces: Sequence[str], error: ReadError
) -> list[Object]:
    """The objects of the namespaces in which they may be read, where all at once were refused."""
    objects: list[Object] = []
    refused: dict[str, ReadError] = {}
    for name in namespaces:
        try:
            objects.extend(taking.cluster.list(kind, name))
        except ReadError as failure:
            refused[name] = failure
    if len(refused) == len(namespaces):
        taking.refused(resource, error)
        return []
    for name, other in refused.items():
        taking.refused(resource, other, name)
    if not refused:
        # no namespace is known in which they may not be read, but there is one
        taking.refused(resource, error, "namespaces-not-read")
    return objects


def _belongs(thing: Object, namespace: str | None) -> bool:
    """False for the other namespaces where one is wanted, and for what no snapshot may hold."""
    if refused_kind((str(thing.get("kind")),)):
        return False
    return not (namespace and thing.get("kind") == "Namespace" and mapping(thing, "metadata").get("name") != namespace)


def _write_objects(path: Path, kind: Kind, objects: Sequence[Object]) -> None:
    import msgspec

    path.parent.mkdir(parents=True, exist_ok=True)
    whole = {"apiVersion": kind.api_version, "kind": f"{kind.kind}List", "items": objects}
    path.write_bytes(msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n")


def _shown(thing: Object) -> Object:
    pruned = prune(thing)
    # without them a snapshot would not tell that what a container calls is down
    with_addresses(pruned, thing)
    found = _walk(pruned, "")
    return found if isinstance(found, dict) else {}


def _walk(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return {name: _walk(inner, str(name)) for name, inner in value.items()}
    if isinstance(value, list):
        return [_walk(inner, key) for inner in value]
    return _clean(value) if isinstance(value, str) and key not in _KEPT else value


@lru_cache(maxsize=16384)
def _clean(text: str) -> str:
    return redact(sanitise(text))


# --- logs -----------------------------------------------------------------------------------------------------------


def _containers(taking: _Taking, kinds: Sequence[Kind], logs: str) -> Iterator[tuple[Object, str, bool]]:
    """Pods, containers and whether the log of the time before the last start is meant."""
    kind = next((kind for kind in kinds if kind.kind == "Pod" and not kind.group), None)
    if kind is None or logs == "none":
        return
    path = taking.directory / "objects" / "core" / "pods.json"
    for pod in _read_back(path):
        for field_name in ("initContainerStatuses", "containerStatuses"):
            for status in mappings(pod, "status", field_name):
                if logs == "all" or unhealthy(status):
                    yield pod, str(status.get("name")), False
                    if mapping(status, "lastState").get("terminated"):
                        yield pod, str(status.get("name")), True


def _read_back(path: Path) -> list[Object]:
    import msgspec

    found = msgspec.json.decode(path.read_bytes()).get("items") if path.exists() else []
    return found if isinstance(found, list) else []


def unhealthy(status: Mapping[str, Any]) -> bool:
    """True for the status of a container that is not ready, was started again, or failed."""
    ended = mapping(status, "state", "terminated")
    if ended:
        return ended.get("exitCode") != 0
    return not status.get("ready") or bool(status.get("restartCount")) or bool(mapping(status, "lastState"))


def _write_log(taking: _Taking, pod: Object, container: str, previous: bool) -> int:
    metadata = mapping(pod, "metadata")
    name, namespace = str(metadata.get("name")), str(metadata.get("namespace"))
    try:
        text = taking.cluster.log(name, namespace, container, previous=previous)
    except Forbidden as error:
        taking.refused("pods/log", error, namespace)
        return 0
    except ReadError as error:
        if error.status not in (400, 404):
            taking.gaps.append(Gap(f"log of {namespace}/{name} {container}", error.why, str(error)))
        return 0
    path = taking.directory / "logs" / namespace / name / f"{container}{'.previous' if previous else ''}.log"
    if os.sep in container or not path.is_relative_to(taking.directory / "logs"):
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(redact(sanitise(text)), encoding="utf-8")
    return 1
