"""A cluster read from directories: the same answers as a live API gives, without one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from kubectl_berth.cluster import paging
from kubectl_berth.cluster.allow_list import LOG_BYTES, LOG_LINES, permit
from kubectl_berth.cluster.cluster import Discovery, Kind, UsageFigures
from kubectl_berth.cluster.events import to_core
from kubectl_berth.cluster.failures import ApiFailure, Untaken
from kubectl_berth.cluster.kinds import METRICS_KINDS, NEWEST, minor
from kubectl_berth.cluster.logs import LogFiles, LogOptions
from kubectl_berth.cluster.read_errors import read_error
from kubectl_berth.cluster.shape import mapping
from kubectl_berth.cluster.snapshot_files import Layer, instant, read_layer
from kubectl_berth.cluster.snapshot_kinds import group_of, selectable_fields, served_kinds, stale_groups
from kubectl_berth.cluster.store import Resource, Store, listed_with_kind
from kubectl_berth.cluster.targets import log_target, target
from kubectl_berth.errors import NotServed, ReadError, Refused, UsageError
from kubectl_berth.records import ClusterName, Gap, Object
from kubectl_berth.safety.refuse import WORDS, refused_kind

Source = Literal["context", "snapshot", "scenario"]

_NAMESPACES = ("", "namespaces")

_TIME_KEYS = frozenset(
    "creationTimestamp lastTransitionTime lastUpdateTime lastHeartbeatTime lastProbeTime firstTimestamp lastTimestamp "
    "eventTime lastObservedTime startedAt finishedAt startTime completionTime time timestamp renewTime "
    "lastScheduleTime lastSuccessfulTime".split()
)


def open_snapshot(
    layers: Sequence[Path],
    *,
    source: Source = "snapshot",
    name: str = "",
    namespace: str | None = None,
    prepare: Callable[[Sequence[Layer]], Sequence[Layer]] | None = None,
) -> SnapshotCluster:
    """The cluster that one or more directories stand for.

    Objects of a later layer take the place of those with the same group, kind, namespace and name; its snapshot.yaml
    may remove others and overrides the earlier ones key by key. `namespace` is the default one; None leaves it to
    snapshot.yaml, then "default"; where one namespace alone was taken, it is that one. `prepare` may rewrite the
    layers as read, before they are merged. Raises UsageError, naming file and line, for what is missing or cannot be
    read.
    """
    if not layers:
        raise UsageError("a snapshot needs a directory: pass one")
    read: Sequence[Layer] = [read_layer(Path(layer)) for layer in layers]
    read = prepare(read) if prepare else read
    store = _store(read)
    own = next((layer.about.namespace for layer in reversed(read) if layer.about.namespace), "default")
    shown = name or Path(layers[-1]).resolve().name
    ignored = sum(refused_kind((obj["kind"],)) for layer in read for obj in layer.objects)
    return SnapshotCluster(
        store, ClusterName(source, shown, store.version, store.only or namespace or own, store.only), ignored
    )


class SnapshotCluster:
    """The Cluster of a store. Objects are shared between reads: whoever gets one must not change it."""

    def __init__(self, store: Store, name: ClusterName, ignored: int = 0) -> None:
        self.store = store
        self.ignored = ignored
        """Secrets and ConfigMaps that lay in the files and were left there."""
        self._name = name

    def name(self) -> ClusterName:
        """Source, name, version and default namespace."""
        return self._name

    @property
    def empty(self) -> bool:
        """True where there is no object at all, and nothing that says why."""
        return not (any(self.store.objects.values()) or self.store.unavailable)

    def now(self) -> datetime:
        """The snapshot's moment, UTC, in whole seconds."""
        return self.store.now

    def kinds(self) -> Discovery:
        """Built-in kinds of the server's version, custom ones, and the groups whose backend is down."""
        # only aggregated discovery, the default since 1.27, knows the word
        words = "stale" if minor(self.store.version) >= 27 else "service unavailable"
        gaps = tuple(Gap(f"{stale.group}/{stale.version}", "unavailable", words) for stale in self.store.stale)
        return Discovery(tuple(self.store.kinds), gaps)

    def list(self, kind: Kind, namespace: str | None = None, *, labels: str = "", fields: str = "") -> Iterator[Object]:
        """Objects, each with apiVersion and kind. `namespace` None means all."""
        _refuse(kind)
        permit("GET", target(kind, namespace))
        try:
            answer = self.store.list(kind, namespace, paging.ListOptions(labels, fields))
        except ApiFailure as failure:
            raise read_error(failure) from None
        things = listed_with_kind(kind, answer.items)
        return self._with_others(things) if self.store.only and (kind.group, kind.plural) == _NAMESPACES else things

    def _with_others(self, namespaces: Iterator[Object]) -> Iterator[Object]:
        """The namespace that was taken; then, that there may be others."""
        yield from namespaces
        raise read_error(Untaken(self.store.only))

    def get(self, kind: Kind, name: str, namespace: str | None = None) -> Object:
        """One object."""
        _refuse(kind)
        if kind.namespaced and namespace is None:
            namespace = self._name.namespace
        permit("GET", target(kind, namespace, name))
        try:
            return self.store.get(kind, name, namespace)
        except ApiFailure as failure:
            raise read_error(failure) from None

    def log(
        self,
        pod: str,
        namespace: str,
        container: str,
        *,
        previous: bool = False,
        tail: int | None = None,
        since: int | None = None,
        timestamps: bool = False,
    ) -> str:
        """Log text; "" where the pod was never scheduled. The files carry no times of their own to add."""
        permit("GET", log_target(namespace, pod))
        lines = min(tail or LOG_LINES, LOG_LINES)
        options = LogOptions(container, previous, lines, since or None, LOG_BYTES)
        try:
            text = self.store.log(pod, namespace, options) or b""
            # as over the wire: where the newest lines do not fit, fewer of them are read
            while len(text) >= LOG_BYTES and lines > 1:
                lines = max(lines // 8, 1)
                text = self.store.log(pod, namespace, replace(options, tail=lines)) or b""
        except ApiFailure as failure:
            raise read_error(failure, log=True) from None
        return text.decode("utf-8", "replace")

    def usage(self, namespace: str | None = None) -> UsageFigures | None:
        """PodMetrics and NodeMetrics; None where the snapshot has none of them."""
        nodes, pods = METRICS_KINDS
        gaps = []
        figures: dict[str, tuple[Object, ...]] = {"pods": (), "nodes": ()}
        for kind, where in ((pods, namespace), (nodes, None)):
            try:
                figures[kind.plural] = tuple(self.list(kind, where))
            except NotServed:
                return None
            except ReadError as error:
                gaps.append(Gap(f"{kind.plural}.{kind.group}", error.why, str(error)))
        return UsageFigures(figures["pods"], figures["nodes"], tuple(gaps))

    def close(self) -> None:
        """Nothing is held open."""


def _refuse(kind: Kind) -> None:
    if refused_kind((kind.kind, kind.plural, kind.singular, *kind.short_names)):
        raise Refused(WORDS)


# --- building the store ---------------------------------------------------------------------------------------------


def _store(layers: Sequence[Layer]) -> Store:
    objects = _merged(layers)
    rules = next((layer.about.unavailable for layer in reversed(layers) if layer.about.unavailable is not None), ())
    version = _last(layer.about.version for layer in layers) or _kubelet_version(objects) or NEWEST
    kinds = served_kinds(version, objects, rules)
    paths = {key: path for layer in layers for key, path in layer.logs.paths.items()}
    return Store(
        version,
        _moment(_last(layer.about.time for layer in layers), objects),
        kinds,
        _by_resource(objects, kinds),
        rules,
        stale_groups(objects, rules),
        LogFiles(
            paths,
            any(layer.logs.recorded for layer in layers) and not any(layer.about.partial_logs for layer in layers),
        ),
        selectable_fields(objects),
        _last(layer.about.only for layer in layers) or "",
    )


def _last(values: Any) -> str | None:
    return next((value for value in reversed(list(values)) if value), None)


def _merged(layers: Sequence[Layer]) -> list[Object]:
    """The objects of all layers, later ones in place of earlier; Secrets and ConfigMaps are left behind here."""
    merged: dict[tuple[str, str, str, str], Object] = {}
    for layer in layers:
        for removed in layer.about.removed:
            merged = {key: obj for key, obj in merged.items() if not removed.means(obj)}
        for obj in layer.objects:
            if refused_kind((obj["kind"],)):
                continue
            if (group_of(obj["apiVersion"]), obj["kind"]) == ("events.k8s.io", "Event"):
                obj = to_core(obj)
            metadata = obj["metadata"]
            identity = (group_of(obj["apiVersion"]), obj["kind"], metadata.get("namespace") or "", metadata["name"])
            merged[identity] = obj
    return list(merged.values())


def _by_resource(objects: Sequence[Object], kinds: Sequence[Kind]) -> dict[Resource, dict[str, Object]]:
    served = {(kind.group, kind.kind): kind for kind in reversed(kinds)}
    kept: dict[Resource, dict[str, Object]] = {}
    namespaces: set[str] = set()
    for obj in objects:
        kind = served.get((group_of(obj["apiVersion"]), obj["kind"]))
        if kind is None:
            continue
        metadata = obj["metadata"]
        key = metadata["name"]
        if kind.namespaced:
            namespace = metadata.get("namespace") or "default"
            namespaces.add(namespace)
            key = f"{namespace}/{key}"
            if not metadata.get("namespace"):
                obj = {**obj, "metadata": {**metadata, "namespace": namespace}}
        kept.setdefault((kind.group, kind.plural), {})[key] = obj
    known = kept.setdefault(("", "namespaces"), {})
    for namespace in namespaces - set(known):
        known[namespace] = _namespace(namespace)
    return {resource: dict(sorted(found.items())) for resource, found in kept.items()}


def _namespace(name: str) -> Object:
    """The Namespace that objects in it imply where the snapshot holds none."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }


def _kubelet_version(objects: Sequence[Object]) -> str | None:
    versions = [
        str(mapping(obj, "status", "nodeInfo").get("kubeletVersion") or "") for obj in objects if obj["kind"] == "Node"
    ]
    return max((version for version in versions if version), key=_numbers, default=None)


def _numbers(version: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", version)[:3]]


def _moment(time: str | None, objects: Sequence[Object]) -> datetime:
    """The snapshot's "now": its own, or the newest time at which anything in it happened, or this second."""
    given = instant(time) if time else None
    if given:
        return given
    newest = max((moment for obj in objects for moment in _moments(obj)), default=None)
    return newest or datetime.now(UTC).replace(microsecond=0)


def _moments(value: Any) -> Iterator[datetime]:
    if isinstance(value, list):
        for entry in value:
            yield from _moments(entry)
    elif isinstance(value, dict):
        for key, entry in value.items():
            if key in _TIME_KEYS and isinstance(entry, str):
                moment = instant(entry)
                if moment:
                    yield moment
            elif isinstance(entry, (dict, list)):
                yield from _moments(entry)
