"""Reads a cluster into an inventory: each list once, several at a time; what cannot be read becomes a gap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from kubectl_berth.cluster.cluster import Cluster, Discovery, Kind, UsageFigures
from kubectl_berth.cluster.views import Identified, OddObject, decode
from kubectl_berth.diagnosis.fields import field_of
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.unknown import state_gaps
from kubectl_berth.errors import ClusterUnreachable, Forbidden, NotServed, ReadError, Unauthorized
from kubectl_berth.records import Gap, Object, Ref
from kubectl_berth.safety.refuse import refused_kind

__all__ = ["Inventory", "inventory_of", "take"]

AT_ONCE = 8
RBAC = "rbac.authorization.k8s.io"
INSTANCES = 5000  # of one custom kind: some operators keep one object per pod or per report
NAMESPACES = 20  # read one by one where reading all at once is forbidden
FOLDED = 4  # custom kinds that failed the same way are told one by one up to this many


@dataclass
class Read:
    """What one list gave. `forbidden` is True where all namespaces at once were not allowed."""

    kind: Kind
    views: list[Identified] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    error: ReadError | None = None

    @property
    def forbidden(self) -> bool:
        """True where the list was refused to this person."""
        return isinstance(self.error, Forbidden)


def take(cluster: Cluster, namespace: str | None = None) -> Inventory:
    """The inventory of a cluster, or of one namespace and what is cluster-scoped.

    Custom resources of every kind served are read too. Raises ClusterUnreachable where nothing answers.
    """
    discovery = cluster.kinds()
    kinds = wanted(discovery)
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="inventory") as pool:
        usage = pool.submit(_usage, cluster, namespace)
        reads = list(pool.map(lambda kind: _read(cluster, kind, namespace if kind.namespaced else None), kinds))
        if namespace is None:
            reads = _narrowed(pool, cluster, reads)
        figures, usage_gaps = usage.result()
    return _inventory(cluster, namespace, reads, figures, [*discovery.gaps, *usage_gaps])


def wanted(discovery: Discovery) -> list[Kind]:
    """The kinds to list: those the checks look at, and every custom kind; each once, in its preferred version."""
    chosen: dict[tuple[str, str], Kind] = {}
    for kind in discovery.kinds:
        if "list" not in kind.verbs or "/" in kind.plural or field_of(kind.api_version, kind.kind) is None:
            continue
        if refused_kind((kind.kind, kind.plural, kind.singular, *kind.short_names)):
            continue
        held = chosen.get((kind.group, kind.plural))
        if held is None or (kind.preferred and not held.preferred):
            chosen[(kind.group, kind.plural)] = kind
    return list(chosen.values())


def _read(cluster: Cluster, kind: Kind, namespace: str | None) -> Read:
    read = Read(kind)
    known = field_of(kind.api_version, kind.kind)
    if known is None:
        return read
    limit = INSTANCES if known[0] == "custom" else None
    try:
        for obj in islice(cluster.list(kind, namespace), limit):
            try:
                read.views.append(decode(obj, known[1]))
            except OddObject as error:
                read.gaps.append(Gap(_resource(kind), "odd object", str(error)))
    except Unauthorized as error:
        raise ClusterUnreachable(str(error)) from error
    except ReadError as error:
        read.error = error
    if limit is not None and len(read.views) >= limit:
        read.gaps.append(Gap(_resource(kind), "too many", f"only the first {limit} were read"))
    return read


def _narrowed(pool: ThreadPoolExecutor, cluster: Cluster, reads: Sequence[Read]) -> list[Read]:
    """The same reads, those that were forbidden for all namespaces repeated namespace by namespace."""
    names = [
        view.name for read in reads if read.kind.kind == "Namespace" and not read.kind.group for view in read.views
    ]
    home = cluster.name().namespace
    namespaces = [home, *(name for name in names if name != home)][:NAMESPACES]
    repeated = [(read, name) for read in reads if read.forbidden and read.kind.namespaced for name in namespaces]
    parts = pool.map(lambda pair: (pair[1], _read(cluster, pair[0].kind, pair[1])), repeated)
    allowed: dict[str, list[str]] = {}
    for (read, _), (name, part) in zip(repeated, parts, strict=True):
        read.views.extend(part.views)
        read.gaps.extend(part.gaps)
        if part.error is None:
            allowed.setdefault(_resource(read.kind), []).append(name)
    for read in reads:
        only = allowed.get(_resource(read.kind))
        if only and read.error is not None:
            words = f"read in {', '.join(sorted(only))} alone: {read.error}"
            read.gaps.append(Gap(f"{_resource(read.kind)} in other namespaces", read.error.why, words))
            read.error = None
    return list(reads)


def _usage(cluster: Cluster, namespace: str | None) -> tuple[UsageFigures | None, list[Gap]]:
    try:
        figures = cluster.usage(namespace)
    except ReadError as error:
        return None, [Gap("usage (metrics.k8s.io)", error.why, str(error))]
    if figures is None:
        return None, [Gap("usage (metrics.k8s.io)", NotServed.why, "no metrics server answers; usage is not known")]
    return figures, list(figures.gaps)


def _inventory(
    cluster: Cluster, namespace: str | None, reads: Iterable[Read], usage: UsageFigures | None, gaps: list[Gap]
) -> Inventory:
    fields: dict[str, list[Identified]] = {}
    unread: set[str] = set()
    failed: list[Read] = []
    for read in reads:
        known = field_of(read.kind.api_version, read.kind.kind)
        name = known[0] if known else ""
        fields.setdefault(name, []).extend(read.views)
        gaps.extend(read.gaps)
        if read.error is not None:
            failed.append(read)
        if read.error is not None or read.gaps:
            unread.add(name)
    inventory = Inventory(
        now=cluster.now(),
        namespace=namespace,
        usage=usage,
        unread=frozenset(unread),
        **fields,  # type: ignore[arg-type]
    )
    inventory.gaps = [*gaps, *_failures(failed), *state_gaps(inventory)]
    return inventory


def _failures(failed: Sequence[Read]) -> list[Gap]:
    """A gap for each list that failed; many custom kinds that failed alike share one, and so do roles and bindings."""
    gaps: list[Gap] = []
    alike: dict[str, list[Gap]] = {}
    rights: dict[str, list[Gap]] = {}
    for read in failed:
        gap = Gap(_resource(read.kind), read.error.why if read.error else "", str(read.error))
        if read.kind.group == RBAC:
            rights.setdefault(gap.why, []).append(gap)
        elif read.kind.builtin:
            gaps.append(gap)
        else:
            alike.setdefault(gap.why, []).append(gap)
    for why, group in rights.items():
        names = ", ".join(gap.what.partition(".")[0] for gap in group)
        gaps.append(Gap(f"{names} ({RBAC})", why, group[0].detail))
    for why, group in alike.items():
        if len(group) <= FOLDED:
            gaps.extend(group)
        else:
            named = ", ".join(gap.what for gap in group[:FOLDED])
            gaps.append(Gap(f"{len(group)} custom kinds ({named} ...)", why, group[0].detail))
    return gaps


def _resource(kind: Kind) -> str:
    return f"{kind.plural}.{kind.group}" if kind.group else kind.plural


# --- from objects at hand ----------------------------------------------------------------------------------------


def inventory_of(
    objects: Iterable[Object],
    now: datetime,
    *,
    namespace: str | None = None,
    usage: UsageFigures | None = None,
    gaps: Sequence[Gap] = (),
    unread: Iterable[str] = (),
) -> Inventory:
    """The inventory of raw objects; an odd one becomes a gap, a kind nobody looks at is skipped."""
    fields: dict[str, list[Identified]] = {}
    odd: list[Gap] = []
    for name, view in _views(objects, odd):
        fields.setdefault(name, []).append(view)
    return Inventory(
        now=now,
        namespace=namespace,
        usage=usage,
        gaps=[*gaps, *odd],
        unread=frozenset(unread),
        **fields,  # type: ignore[arg-type]
    )


def _views(objects: Iterable[Object], odd: list[Gap]) -> Iterator[tuple[str, Identified]]:
    for obj in objects:
        known = field_of(str(obj.get("apiVersion", "")), str(obj.get("kind", "")))
        if known is None:
            continue
        try:
            yield known[0], decode(obj, known[1])
        except OddObject as error:
            odd.append(Gap(_name(obj), "odd object", str(error)))


def _name(obj: Object) -> str:
    metadata = obj.get("metadata")
    found = metadata if isinstance(metadata, dict) else {}
    return str(Ref(str(obj.get("kind", "")), str(found.get("namespace") or ""), str(found.get("name") or "?")))
