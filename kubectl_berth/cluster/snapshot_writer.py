"""Writes a cluster as a snapshot directory: objects pruned and redacted, logs of what is in trouble, what was refused.

Secrets and ConfigMaps are never asked for. Everything written has passed the same redaction as what a model gets.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from kubectl_berth.cluster.cluster import Cluster, Kind
from kubectl_berth.cluster.env_addresses import with_addresses
from kubectl_berth.cluster.names import near_names
from kubectl_berth.cluster.shape import mapping, mappings
from kubectl_berth.cluster.snapshot_files import ABOUT
from kubectl_berth.errors import (
    ClusterUnreachable,
    Forbidden,
    Interrupted,
    NotFound,
    NotServed,
    ReadError,
    Unauthorized,
    UsageError,
)
from kubectl_berth.records import Gap, Object
from kubectl_berth.safety.objects import prune
from kubectl_berth.safety.redact import redact
from kubectl_berth.safety.redaction.spans import VALUE
from kubectl_berth.safety.refuse import check_name, check_namespace, refused_kind
from kubectl_berth.safety.sanitise import sanitise

AT_ONCE = 8
MOST_LOGS = 500
"""Containers whose logs are read, at most."""

NAMESPACES = 50
"""Namespaces that are tried one by one, at most, where reading all at once is forbidden."""

NEAR = 5
"""Namespaces that are named where the wanted one is not there."""

Container = tuple[str, str, str, bool]
"""Namespace, pod, container; True for its log before the last start."""

SHORT = 300
"""Characters of a text that is worth remembering."""

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
    """A snapshot on its way: `unavailable` are the entries of snapshot.yaml, `containers` those whose logs are wanted.

    `stopped` says whether nobody waits for it any more.
    """

    cluster: Cluster
    directory: Path
    namespace: str | None
    logs: str
    stopped: Callable[[], bool]
    unavailable: list[dict[str, Any]] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    containers: list[Container] = field(default_factory=list)

    def lacks(self, resource: str, error: ReadError, namespace: str = "") -> None:
        """The snapshot will refuse the resource, as the cluster did."""
        status = error.status if error.status in _STATUSES else 500
        entry = {"resource": resource, "namespace": namespace, "status": status, "message": _clean(str(error))}
        self.unavailable.append({key: value for key, value in entry.items() if value})

    def refused(self, resource: str, error: ReadError, namespace: str = "") -> None:
        """The same, and the person is told."""
        self.lacks(resource, error, namespace)
        where = f" in {namespace}" if namespace else ""
        self.gaps.append(Gap(f"{resource}{where}", error.why, str(error)))

    def go_on(self) -> None:
        """Raises Interrupted where the snapshot is to be given up."""
        if self.stopped():
            raise Interrupted("interrupted: nothing was written")


def write_snapshot(
    cluster: Cluster,
    directory: Path,
    kinds: Sequence[Kind],
    *,
    namespace: str | None = None,
    logs: str = "unhealthy",
    stopped: Callable[[], bool] = lambda: False,
) -> Written:
    """Writes the objects of these kinds, of one namespace or all, into a directory that is new or empty.

    `logs` is none, unhealthy or all. Raises UsageError where the directory cannot be written or the namespace is not
    there, Interrupted once `stopped` says so; the snapshot is whole or not there.
    """
    directory = directory.absolute()
    partial = _partial(directory)
    try:
        taking = _Taking(cluster, partial, namespace, logs, stopped)
        written = _write(taking, kinds)
        taking.go_on()
        if partial.parent == directory:
            _move_up(partial)
        else:
            partial.rename(directory)
    except OSError as error:
        raise UsageError(f"{directory} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return written


def _partial(directory: Path) -> Path:
    """A private directory: beside the one that is wanted or, where that is there already (a mount, say), in it."""
    try:
        there = directory.exists()
        if there and (not directory.is_dir() or any(directory.iterdir())):
            raise UsageError(f"{directory} is not empty; name a new directory")
        if not there:
            directory.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory if there else directory.parent))
    except OSError as error:
        raise UsageError(f"{directory} cannot be written: {error.strerror or error}") from error


def _move_up(partial: Path) -> None:
    """What was written, into the directory above; all of it or nothing."""
    moved: list[Path] = []
    try:
        # without its snapshot.yaml it would be taken for a directory of manifests: that comes last
        for path in sorted(partial.iterdir(), key=lambda path: path.name == ABOUT):
            moved.append(path.rename(partial.parent / path.name))
    except BaseException:
        for path in moved:
            shutil.rmtree(path, ignore_errors=True)
        raise


def _write(taking: _Taking, kinds: Sequence[Kind]) -> Written:
    cluster = taking.cluster
    for gap in cluster.kinds().gaps:
        group = gap.what.partition("/")[0]
        if "." in group:
            taking.unavailable.append({"resource": group, "status": 503})
            taking.gaps.append(gap)
    others = _namespaces(taking, kinds)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        counts = list(pool.map(lambda kind: _write_kind(taking, kind, others), kinds))
        containers = sorted(taking.containers)
        if len(containers) > MOST_LOGS:
            words = f"the logs of {len(containers) - MOST_LOGS} containers were left out"
            taking.gaps.append(Gap("logs", "too many", words))
        taken = sum(pool.map(lambda container: _write_log(taking, container), containers[:MOST_LOGS]))
    _write_about(taking, partial=taking.logs != "all" or len(containers) > MOST_LOGS)
    # what is refused for one container's log is refused for the next one's too
    gaps = {(gap.what, gap.why): gap for gap in reversed(taking.gaps)}
    return Written(sum(counts), sum(map(bool, counts)), taken, tuple(reversed(gaps.values())))


def _write_about(taking: _Taking, *, partial: bool) -> None:
    import yaml

    name = taking.cluster.name()
    about: dict[str, Any] = {"apiVersion": "berth.dev/v1", "kind": "Snapshot"}
    if name.version:
        about["serverVersion"] = name.version
    about["time"] = taking.cluster.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    about["namespace"] = taking.namespace or name.namespace
    if taking.namespace:
        about["onlyNamespace"] = taking.namespace
    if partial:
        about["logs"] = "partial"
    # one pod's refusal is that of its whole namespace
    unavailable = {(each["resource"], each.get("namespace")): each for each in taking.unavailable}
    about["unavailable"] = [unavailable[key] for key in sorted(unavailable, key=str)]
    (taking.directory / ABOUT).write_text(yaml.safe_dump(about, sort_keys=False, allow_unicode=True), encoding="utf-8")


# --- objects --------------------------------------------------------------------------------------------------------


def _namespaces(taking: _Taking, kinds: Sequence[Kind]) -> list[str]:
    """The cluster's own namespace, then those that are known. Raises UsageError where the wanted one is not there."""
    cluster = taking.cluster
    kind = next((kind for kind in kinds if kind.kind == "Namespace" and not kind.group), None)
    try:
        known = [str(mapping(each, "metadata").get("name")) for each in cluster.list(kind)] if kind else []
    except ReadError:
        known = []
    if taking.namespace and known and taking.namespace not in known:
        near = near_names(taking.namespace, known) or sorted(known)[:NEAR]
        more = f" and {len(known) - len(near)} more" if len(known) > len(near) else ""
        raise UsageError(f"there is no namespace {taking.namespace}; there are: {', '.join(near)}{more}")
    return list(dict.fromkeys([cluster.name().namespace, *known]))


def _write_kind(taking: _Taking, kind: Kind, namespaces: Sequence[str]) -> int:
    """How many objects of the kind were written; each as it comes, for there may be very many."""
    resource = f"{kind.plural}.{kind.group}" if kind.group else kind.plural
    scope = taking.namespace if kind.namespaced else None
    path = taking.directory / "objects" / (kind.group or "core") / f"{kind.plural}.json"
    try:
        if taking.namespace and (kind.group, kind.kind) == ("", "Namespace"):
            return _write_objects(taking, path, kind, [taking.cluster.get(kind, taking.namespace)])
        return _write_objects(taking, path, kind, taking.cluster.list(kind, scope))
    except NotFound:
        return 0
    except Unauthorized as error:
        raise ClusterUnreachable(str(error)) from error
    except Forbidden as error:
        if scope or not kind.namespaced:
            path.unlink(missing_ok=True)
            taking.refused(resource, error)
            return 0
        return _write_objects(taking, path, kind, _one_by_one(taking, kind, resource, namespaces, error))
    except NotServed:
        return 0
    except ReadError as error:
        # half a list would be taken for the whole
        path.unlink(missing_ok=True)
        taking.refused(resource, error)
        return 0


def _one_by_one(
    taking: _Taking, kind: Kind, resource: str, namespaces: Sequence[str], error: ReadError
) -> list[Object]:
    """The objects of the namespaces in which they may be read, where all at once were refused."""
    objects: list[Object] = []
    refused: dict[str, ReadError] = {}
    tried = namespaces[:NAMESPACES]
    for name in tried:
        taking.go_on()
        try:
            objects.extend(taking.cluster.list(kind, name))
        except ReadError as failure:
            refused[name] = failure
    if len(refused) == len(tried):
        taking.refused(resource, error)
        return []
    for name, other in refused.items():
        taking.refused(resource, other, name)
    if others := namespaces[len(tried) :]:
        words = f"of {len(namespaces)} namespaces the first {len(tried)} were tried"
        taking.gaps.append(Gap(f"{resource} in the other namespaces", "too many", words))
        for name in others:
            taking.lacks(resource, error, name)
    elif not refused:
        # no namespace is known in which they may not be read, but there is one
        taking.refused(resource, error, "namespaces-not-read")
    return objects


def _belongs(thing: Object) -> bool:
    """False for what no snapshot may hold."""
    return not refused_kind((str(thing.get("kind")),))


def _write_objects(taking: _Taking, path: Path, kind: Kind, objects: Iterable[Object]) -> int:
    """One List of what belongs into the snapshot; no file where nothing does."""
    import msgspec

    pods = (kind.group, kind.kind) == ("", "Pod")
    count = 0
    with ExitStack() as stack:
        for thing in objects:
            taking.go_on()
            if not _belongs(thing):
                continue
            if not count:
                path.parent.mkdir(parents=True, exist_ok=True)
                file = stack.enter_context(path.open("wb"))
                head = msgspec.json.encode({"apiVersion": kind.api_version, "kind": f"{kind.kind}List"})
                file.write(head[:-1] + b',"items":[\n')
            written = _shown(thing)
            file.write((b",\n" if count else b"") + msgspec.json.format(msgspec.json.encode(written), indent=1))
            if pods:
                taking.containers += wanted_logs(written, taking.logs)
            count += 1
        if count:
            file.write(b"\n]}\n")
    return count


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
    return _clean(value, key) if isinstance(value, str) and key not in _KEPT else value


def _clean(text: str, key: str = "") -> str:
    """The text without what is secret in it, judged with the key above it, as where an object is shown as text."""
    # short texts come again and again; long ones do not, and would be kept for nothing
    return _short(text, key) if len(text) <= SHORT else _cleaned(text, key)


@lru_cache(maxsize=16384)
def _short(text: str, key: str) -> str:
    return _cleaned(text, key)


def _cleaned(text: str, key: str) -> str:
    before = f"{sanitise(key)}: " if key else ""
    cleaned = redact(before + sanitise(text))
    return cleaned.removeprefix(before) if cleaned.startswith(before) else VALUE


# --- logs -----------------------------------------------------------------------------------------------------------


def wanted_logs(pod: Object, logs: str) -> Iterator[Container]:
    """The containers of a pod whose logs are wanted, and whether that of the time before the last start is meant."""
    if logs == "none":
        return
    namespace, name = (str(mapping(pod, "metadata").get(key)) for key in ("namespace", "name"))
    for field_name in ("initContainerStatuses", "containerStatuses"):
        for status in mappings(pod, "status", field_name):
            if logs == "all" or unhealthy(status):
                container = str(status.get("name"))
                yield namespace, name, container, False
                if mapping(status, "lastState").get("terminated"):
                    yield namespace, name, container, True


def unhealthy(status: Mapping[str, Any]) -> bool:
    """True for the status of a container that is not ready, was started again, or failed."""
    ended = mapping(status, "state", "terminated")
    if ended:
        return ended.get("exitCode") != 0
    return not status.get("ready") or bool(status.get("restartCount")) or bool(mapping(status, "lastState"))


def _write_log(taking: _Taking, wanted: Container) -> int:
    namespace, name, container, previous = wanted
    taking.go_on()
    try:
        # they become parts of a path: what is no name must not lead out of the directory
        where = Path(check_namespace(namespace), check_name(name), check_name(container))
        text = taking.cluster.log(name, namespace, container, previous=previous)
    except Forbidden as error:
        taking.refused("pods/log", error, namespace)
        return 0
    except ReadError as error:
        if error.status not in (400, 404):
            taking.gaps.append(Gap(f"log of {namespace}/{name} {container}", error.why, str(error)))
        return 0
    path = taking.directory / "logs" / f"{where}{'.previous' if previous else ''}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(redact(sanitise(text)), encoding="utf-8")
    return 1
