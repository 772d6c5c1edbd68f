"""What the tools of one run share: the cluster with its reads remembered, scope, policy, time, the inventory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from kubectl_berth.cluster.cluster import Cluster, Discovery, Kind, UsageFigures
from kubectl_berth.cluster.names import read_list, resolve_kind
from kubectl_berth.diagnosis.diagnose import diagnose
from kubectl_berth.diagnosis.inventory import Inventory, take
from kubectl_berth.errors import ReadError
from kubectl_berth.records import ClusterName, Finding, Gap, Object

T = TypeVar("T")


class Remembered:
    """A Cluster whose whole lists and objects are read once a run, whichever tool or thread asks first.

    Failures are remembered too: what was forbidden a second ago still is, and a dead backend is waited for once.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._lock = threading.Lock()
        self._reads: dict[Any, Future[Any]] = {}

    def _once(self, key: Any, read: Callable[[], T]) -> T:
        with self._lock:
            first = key not in self._reads
            if first:
                self._reads[key] = Future()
            future = self._reads[key]
        if first:
            try:
                future.set_result(read())
            except BaseException as error:
                future.set_exception(error)
                raise
        result: T = future.result()
        return result

    def name(self) -> ClusterName:
        """Source, name, version and default namespace."""
        return self._cluster.name()

    def now(self) -> datetime:
        """The cluster's own time."""
        return self._cluster.now()

    def kinds(self) -> Discovery:
        """Discovery."""
        return self._cluster.kinds()

    def list(self, kind: Kind, namespace: str | None = None, *, labels: str = "", fields: str = "") -> Iterator[Object]:
        """Objects of a whole list from memory; lists with selectors are asked for each time."""
        if labels or fields:
            yield from self._cluster.list(kind, namespace, labels=labels, fields=fields)
            return
        key = ("list", kind.api_version, kind.plural, namespace)
        things, error = self._once(key, lambda: self._pages(kind, namespace))
        yield from things
        if error is not None:
            raise error

    def _pages(self, kind: Kind, namespace: str | None) -> tuple[Sequence[Object], ReadError | None]:
        """The objects of a list and what ended it early; the pages before a failure count."""
        things: list[Object] = []
        try:
            for thing in self._cluster.list(kind, namespace):
                things.append(_slim(thing))
        except ReadError as error:
            return things, error
        return things, None

    def get(self, kind: Kind, name: str, namespace: str | None = None) -> Object:
        """One object, read once."""
        key = ("get", kind.api_version, kind.plural, namespace, name)
        return self._once(key, lambda: _slim(self._cluster.get(kind, name, namespace)))

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
        """Log text, asked for each time."""
        return self._cluster.log(
            pod, namespace, container, previous=previous, tail=tail, since=since, timestamps=timestamps
        )

    def usage(self, namespace: str | None = None) -> UsageFigures | None:
        """Usage of pods and nodes, read once."""
        return self._once(("usage", namespace), lambda: self._cluster.usage(namespace))

    def close(self) -> None:
        """Lets go of connections."""
        self._cluster.close()


def _slim(thing: Object) -> Object:
    """The object without managedFields: a third of a pod's bytes, and nobody reads them."""
    metadata = thing.get("metadata")
    if not isinstance(metadata, dict) or "managedFields" not in metadata:
        return thing
    return {**thing, "metadata": {key: value for key, value in metadata.items() if key != "managedFields"}}


@dataclass
class Context:
    """What a tool may know of its run.

    `namespace` is the context's own (or -n's) one, `narrowed` True where -n confines the run to it. `raw_allowed`
    False withholds logs and descriptions of built-in kinds from the engine.
    """

    cluster: Cluster
    namespace: str = "default"
    narrowed: bool = False
    raw_allowed: bool = True
    _inventories: dict[str | None, Inventory] = field(default_factory=dict, repr=False)
    _findings: dict[str | None, list[Finding]] = field(default_factory=dict, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.cluster, Remembered):
            self.cluster = Remembered(self.cluster)

    @property
    def now(self) -> datetime:
        """The cluster's time, UTC."""
        return self.cluster.now()

    @property
    def scope(self) -> str | None:
        """The namespace that confines the whole run, or None."""
        return self.namespace if self.narrowed else None

    def kind(self, word: str, api_version: str | None = None) -> Kind | None:
        """The kind that a word means here, or None where it is not served."""
        return resolve_kind(word, self.cluster.kinds(), api_version)

    def objects(self, word: str, namespace: str | None = None) -> tuple[list[Object], list[Gap]]:
        """A whole list and what could not be read of it.

        Where all namespaces are forbidden, the run's own namespace is read instead and the gap stays.
        """
        kind = self.kind(word)
        if kind is None:
            return [], [Gap(word, "not served", f"the API server does not serve {word}")]
        scope = namespace or self.scope
        found, gaps = read_list(self.cluster, kind, scope)
        if kind.namespaced and scope is None and not found and any(gap.why == "forbidden" for gap in gaps):
            found, own = read_list(self.cluster, kind, self.namespace)
            gaps = [*gaps, *own]
        return found, gaps

    def inventory(self) -> Inventory:
        """All that the checks look at, read once a run."""
        with self._lock:
            if self.scope not in self._inventories:
                self._inventories[self.scope] = take(self.cluster, self.scope)
            return self._inventories[self.scope]

    def findings(self) -> list[Finding]:
        """Everything that the checks found, causes first."""
        with self._lock:
            if self.scope not in self._findings:
                self._findings[self.scope] = diagnose(self.inventory())
            return self._findings[self.scope]
