"""What the tools of one run share: the cluster with its reads remembered, scope, policy, time, the inventory."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from kubectl_berth.cluster.cluster import Cluster, Discovery, Kind, UsageFigures
from kubectl_berth.cluster.names import read_list, resolve_kind
from kubectl_berth.diagnosis.diagnose import diagnose
from kubectl_berth.diagnosis.inventory import INSTANCES, Inventory, take
from kubectl_berth.errors import ReadError, Unavailable
from kubectl_berth.knowledge.incidents import Memory
from kubectl_berth.knowledge.runbooks import Library
from kubectl_berth.knowledge.store import Store
from kubectl_berth.records import ClusterName, Finding, Gap, Object, Ref
from kubectl_berth.safety.log_copies import without_log_copies

T = TypeVar("T")


class Remembered:
    """A Cluster whose whole lists and objects are read once a run, whichever tool or thread asks first.

    Failures are remembered too: what was forbidden a second ago still is, and a dead backend is waited for once.
    """

    def __init__(self, cluster: Cluster, *, withhold_logs: bool = False) -> None:
        self._cluster = cluster
        self._withhold_logs = withhold_logs
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
            yield from map(self._shown, self._cluster.list(kind, namespace, labels=labels, fields=fields))
            return
        key = ("list", kind.api_version, kind.plural, namespace)
        things, error = self._once(key, lambda: self._pages(kind, namespace))
        yield from things
        if error is not None:
            raise error

    def _shown(self, thing: Object) -> Object:
        thing = _slim(thing)
        return without_log_copies(thing) if self._withhold_logs else thing

    def _pages(self, kind: Kind, namespace: str | None) -> tuple[Sequence[Object], ReadError | None]:
        """The objects of a list and what ended it early; the pages before a failure count."""
        things: list[Object] = []
        try:
            for thing in self._cluster.list(kind, namespace):
                if len(things) == INSTANCES and not kind.builtin:
                    # some operators keep one object per pod or per report: what is remembered must end
                    return things, Unavailable(f"only the first {INSTANCES} were read")
                things.append(self._shown(thing))
        except ReadError as error:
            return things, error
        return things, None

    def get(self, kind: Kind, name: str, namespace: str | None = None) -> Object:
        """One object, read once."""
        key = ("get", kind.api_version, kind.plural, namespace, name)
        return self._once(key, lambda: self._shown(self._cluster.get(kind, name, namespace)))

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
    False withholds logs and descriptions of built-in kinds from the engine; `ask_raw` is then asked once, when they are
    first needed. `memory` and `library` hold past incidents and runbooks, `keys` what this process
    itself must not tell. What the toolbox keeps of the run: `tripped`
    once the model tried to change the cluster, `told` every text that the engine was given. `noted` once the run has
    written its one note, `found` the objects that calls named.
    """

    cluster: Cluster
    namespace: str = "default"
    narrowed: bool = False
    raw_allowed: bool = True
    ask_raw: Callable[[], bool] | None = None
    memory: Memory = field(default_factory=lambda: Memory(Store(), ""))
    library: Library = field(default_factory=Library)
    keys: tuple[str, ...] = field(default=(), repr=False)
    tripped: bool = False
    noted: bool = False
    told: list[str] = field(default_factory=list, repr=False)
    found: list[Ref] = field(default_factory=list, repr=False)
    _inventories: dict[str | None, Inventory] = field(default_factory=dict, repr=False)
    _findings: dict[str | None, list[Finding]] = field(default_factory=dict, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _asking: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.cluster, Remembered):
            self.cluster = Remembered(self.cluster, withhold_logs=not self.raw_allowed)

    @property
    def now(self) -> datetime:
        """The cluster's time, UTC."""
        return self.cluster.now()

    @property
    def scope(self) -> str | None:
        """The namespace that confines the whole run, or None."""
        return self.namespace if self.narrowed else None

    def permits_raw(self) -> bool:
        """Whether the engine may have logs and descriptions; the person is asked at most once."""
        with self._asking:
            if not self.raw_allowed and self.ask_raw is not None:
                ask, self.ask_raw = self.ask_raw, None
                self.raw_allowed = ask()
            return self.raw_allowed

    def take_note(self) -> bool:
        """True for the one call that may write this run's note."""
        with self._lock:
            first, self.noted = not self.noted, True
            return first

    def subjects(self) -> list[str]:
        """The objects that this run's calls named, the first five."""
        return [str(ref) for ref in dict.fromkeys(self.found)][:5]

    def was_told(self, name: str) -> bool:
        """Whether the engine was given a text that holds this name as a whole word."""
        whole = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.[\w])")
        return any(whole.search(text) for text in list(self.told))

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
