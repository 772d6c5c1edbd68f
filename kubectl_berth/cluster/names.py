"""Finds the kind that a word means and the objects that a name means: exact, meant, near, elsewhere."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from kubectl_berth.cluster.cluster import Cluster, Discovery, Kind
from kubectl_berth.errors import NotFound, ReadError
from kubectl_berth.records import Gap, Object, Ref
from kubectl_berth.safety.refuse import refused_kind

WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "ReplicationController")
"""Built-in kinds that own pods, directly or through another of them."""

# kinds of the control plane's own bookkeeping: nobody asks for them by name, and there are thousands of them
_NOT_SEARCHED = frozenset(
    "APIService ComponentStatus ControllerRevision CustomResourceDefinition EndpointSlice Endpoints Event Lease "
    "NodeMetrics PodMetrics".split()
)
SEARCHED_KINDS = 200
"""At most so many kinds are listed for one search by name."""

# the alphabet of generated suffixes has neither vowels nor 0, 1, 3; a timestamp is what a CronJob appends
_HASH = re.compile(r"-(?:[bcdfghjklmnpqrstvwxz2456789]{5,10}|[0-9]{8,10})$")
_ORDINAL = re.compile(r"-[0-9]{1,3}$")


@dataclass(frozen=True)
class Located:
    """What a name stands for.

    `exact` bear the name in the wanted namespace (all of them where none was wanted). `meant` are those that it clearly
    stands for (another case, no hash, the pods of a workload), `how` says in words why. `near` are similar names,
    `elsewhere` the exact name in other namespaces, `gaps` what could not be searched.
    """

    exact: tuple[Ref, ...] = ()
    meant: tuple[Ref, ...] = ()
    how: str = ""
    near: tuple[Ref, ...] = ()
    elsewhere: tuple[Ref, ...] = ()
    gaps: tuple[Gap, ...] = ()


# --- kinds ----------------------------------------------------------------------------------------------------------


def kind_names(kind: Kind) -> tuple[str, ...]:
    """Every name that discovery gives the kind."""
    return tuple(name for name in (kind.kind, kind.plural, kind.singular, *kind.short_names) if name)


def kinds_named(word: str, discovery: Discovery, api_version: str | None = None) -> list[Kind]:
    """Kinds that the word names, in any case, plural, short or with its group behind a dot; built-in ones first.

    Only the preferred version of each, unless `api_version` asks for one.
    """
    plain, _, group = word.strip().casefold().partition(".")
    plain = plain.removesuffix("list") if plain.endswith("list") and plain != "list" else plain
    hits = [
        kind
        for kind in discovery.kinds
        if plain in (name.casefold() for name in kind_names(kind))
        and (not group or group in (kind.group, f"{kind.version}.{kind.group}"))
        and (kind.api_version == api_version if api_version else kind.preferred)
    ]
    # the kind's own name outranks a plural: PodMetrics has the plural "pods" too
    return sorted(hits, key=lambda k: (not k.builtin, k.group == "metrics.k8s.io", k.kind.casefold() != plain))


def resolve_kind(word: str, discovery: Discovery, api_version: str | None = None) -> Kind | None:
    """The kind that the word names, a built-in one where several do, or None."""
    hits = kinds_named(word, discovery, api_version)
    return hits[0] if hits else None


def matching_kinds(text: str, discovery: Discovery) -> list[Kind]:
    """Kinds of which a name, the group or a category contains the text, in any case; preferred versions only."""
    wanted = text.strip().casefold()
    words = {wanted, wanted.removesuffix("es"), wanted.removesuffix("s")} if len(wanted) > 4 else {wanted}

    def matches(kind: Kind) -> bool:
        names = (kind.kind, kind.plural, kind.group, *kind.categories)
        return wanted in kind.short_names or any(word in name.casefold() for word in words for name in names)

    return [k for k in discovery.kinds if k.preferred and not refused_kind(kind_names(k)) and matches(k)]


def near_kinds(word: str, discovery: Discovery, limit: int = 5) -> list[Kind]:
    """The kinds whose names are most like the word, best first."""
    plain = word.strip().casefold().partition(".")[0]
    scored = []
    for kind in discovery.kinds:
        if not kind.preferred or refused_kind(kind_names(kind)):
            continue
        score = max(_likeness(plain, name.casefold()) for name in kind_names(kind))
        if score >= 0.6:
            scored.append((-score, not kind.builtin, kind.kind, kind.group, kind))
    return [entry[-1] for entry in sorted(scored, key=lambda e: e[:-1])[:limit]]


# --- names ----------------------------------------------------------------------------------------------------------


def stems(name: str) -> list[str]:
    """The name without its generated ends, one end less at a time: api-6b8f7c9d44-q7zkd, then api-6b8f7c9d44, api."""
    found: list[str] = []
    rest = name
    for _ in range(2):
        cut = _HASH.sub("", rest)
        if cut == rest and not found:
            cut = _ORDINAL.sub("", rest)
        if cut in ("", rest):
            break
        found.append(cut)
        rest = cut
    return found


def near_names(name: str, candidates: Iterable[str], limit: int = 5) -> list[str]:
    """The names most like `name`, best first: same stem, prefix, part, then spelling."""
    scored = sorted((-_likeness(name, candidate), candidate) for candidate in set(candidates) if candidate != name)
    return [candidate for score, candidate in scored[:limit] if score <= -0.6]


def _likeness(name: str, other: str) -> float:
    name, other = name.casefold(), other.casefold()
    if name == other:
        return 1.0
    ours, theirs = {name, *stems(name)}, {other, *stems(other)}
    if ours & theirs:
        return 0.95 + 0.04 * difflib.SequenceMatcher(None, name, other).ratio()
    if len(name) > 2 and (other.startswith(f"{name}-") or name.startswith(f"{other}-")):
        return 0.9
    if len(name) > 3 and len(other) > 3 and (name in other or other in name):
        return 0.8
    matcher = difflib.SequenceMatcher(None, name, other)
    return matcher.ratio() if matcher.quick_ratio() >= 0.6 else 0.0


# --- objects --------------------------------------------------------------------------------------------------------


def metadata(thing: Object) -> Object:
    """The object's metadata, empty where it has none."""
    meta = thing.get("metadata")
    return meta if isinstance(meta, dict) else {}


def ref_of(thing: Object) -> Ref:
    """The object's reference."""
    meta = metadata(thing)
    return Ref(str(thing.get("kind") or ""), str(meta.get("namespace") or ""), str(meta.get("name") or ""))


def owners_of(thing: Object) -> list[Object]:
    """The object's ownerReferences, the controller first."""
    references = metadata(thing).get("ownerReferences")
    owners = [r for r in references if isinstance(r, dict)] if isinstance(references, list) else []
    return sorted(owners, key=lambda r: not r.get("controller"))


def searchable_kinds(discovery: Discovery) -> list[Kind]:
    """Kinds that a search by name lists: all that can be listed but Secrets, ConfigMaps and bookkeeping."""
    return [
        kind
        for kind in discovery.kinds
        if kind.preferred
        and "list" in kind.verbs
        and kind.kind not in _NOT_SEARCHED
        and "/" not in kind.plural
        and not refused_kind(kind_names(kind))
        and not (kind.group.endswith("k8s.io") and kind.builtin and _duplicate(kind, discovery))
    ]


def _duplicate(kind: Kind, discovery: Discovery) -> bool:
    """True where the core API serves the same kind under the same name."""
    return any(other.kind == kind.kind and not other.group for other in discovery.kinds if other is not kind)


def gap_of(error: ReadError, what: str) -> Gap:
    """The gap that a failed read leaves."""
    return Gap(what, error.why, str(error))


def listing_name(kind: Kind, namespace: str | None) -> str:
    """How a gap names a list: "pods in finance", "clusters.postgresql.cnpg.io in all namespaces", "nodes"."""
    plural = f"{kind.plural}.{kind.group}" if kind.group else kind.plural
    if not kind.namespaced:
        return plural
    return f"{plural} in {namespace}" if namespace else f"{plural} in all namespaces"


def read_list(
    cluster: Cluster, kind: Kind, namespace: str | None = None, *, labels: str = "", fields: str = ""
) -> tuple[list[Object], list[Gap]]:
    """The objects of a list and the gap that a failure leaves; pages read before it are kept."""
    scope = namespace if kind.namespaced else None
    found: list[Object] = []
    try:
        found.extend(cluster.list(kind, scope, labels=labels, fields=fields))
    except ReadError as error:
        return found, [gap_of(error, listing_name(kind, scope))]
    return found, []


def search(
    cluster: Cluster, kinds: Sequence[Kind], wanted: Callable[[str], bool], namespace: str | None = None
) -> tuple[list[tuple[Kind, Object]], list[Gap]]:
    """Objects of these kinds with a wanted name, in the order of the kinds; lists are read eight at a time."""
    gaps: list[Gap] = []
    if len(kinds) > SEARCHED_KINDS:
        gaps.append(Gap(f"{len(kinds) - SEARCHED_KINDS} kinds", "not searched", "the search by name has a limit"))
        kinds = kinds[:SEARCHED_KINDS]

    def one(kind: Kind) -> tuple[list[Object], list[Gap]]:
        things, missing = read_list(cluster, kind, namespace)
        return [thing for thing in things if wanted(str(metadata(thing).get("name") or ""))], missing

    hits: list[tuple[Kind, Object]] = []
    with ThreadPoolExecutor(max_workers=8) as pool:
        for kind, (things, missing) in zip(kinds, pool.map(one, kinds), strict=True):
            hits.extend((kind, thing) for thing in things)
            gaps.extend(missing)
    return hits, gaps


def locate(
    cluster: Cluster, name: str, kind: Kind | None = None, namespace: str | None = None, *, preferred: str = ""
) -> Located:
    """What the name stands for: of one kind, or of any but Secrets and ConfigMaps.

    `namespace` None means all; `preferred` comes first where several namespaces have the name. Failed reads are gaps.
    """
    if kind is None:
        return _locate_any(cluster, name, namespace, preferred)
    scope = namespace if kind.namespaced else None
    exact, gaps = _exact(cluster, name, kind, scope, preferred)
    if exact or any(gap.why == "refused" for gap in gaps):
        return Located(exact=exact, gaps=tuple(gaps))
    here, here_gaps = read_list(cluster, kind, scope)
    everywhere, all_gaps = (here, []) if scope is None else read_list(cluster, kind)
    gaps.extend(gap for gap in here_gaps if gap not in gaps)
    meant, how = _meant(name, kind, here)
    same = sorted(ref_of(o) for o in everywhere if metadata(o).get("name") == name and ref_of(o).namespace != scope)
    near = _near(name, here) or _near(name, everywhere)
    if all_gaps and not same:
        gaps.extend(all_gaps)
    return Located((), meant, how, near, tuple(same), tuple(gaps))


def _exact(
    cluster: Cluster, name: str, kind: Kind, namespace: str | None, preferred: str
) -> tuple[tuple[Ref, ...], list[Gap]]:
    if kind.namespaced and namespace is None:
        things, gaps = read_list(cluster, kind, fields=f"metadata.name={name}")
        refs = sorted((ref_of(thing) for thing in things), key=lambda r: (r.namespace != preferred, r))
        if refs or not gaps or not preferred:
            return tuple(refs), gaps
        namespace = preferred
    else:
        gaps = []
    try:
        return (ref_of(cluster.get(kind, name, namespace)),), gaps
    except NotFound:
        return (), gaps
    except ReadError as error:
        return (), [*gaps, gap_of(error, f"{kind.kind} {f'{namespace}/' if namespace else ''}{name}")]


def _near(name: str, things: Sequence[Object]) -> tuple[Ref, ...]:
    by_name: dict[str, list[Ref]] = {}
    for thing in things:
        by_name.setdefault(ref_of(thing).name, []).append(ref_of(thing))
    return tuple(ref for near in near_names(name, by_name) for ref in sorted(by_name[near]))[:5]


def _meant(name: str, kind: Kind, things: Sequence[Object]) -> tuple[tuple[Ref, ...], str]:
    """Objects that the name clearly stands for, and why."""
    lower = name.lower()
    if hits := [thing for thing in things if ref_of(thing).name.lower() == lower]:
        return _refs(hits), f"{name} in another case"
    if kind.kind == "Pod" and not kind.group:
        hits = [pod for pod in things if lower in pod_families(pod)]
        if hits:
            return _refs(hits), f"{name} is no pod but the name of a workload or the start of pod names"
        return (), ""
    for stem in stems(lower):
        if hits := [thing for thing in things if ref_of(thing).name == stem]:
            return _refs(hits), f"{name} without its generated end"
    if hits := [thing for thing in things if lower in stems(ref_of(thing).name)]:
        return _refs(hits), f"{name} with a generated end"
    return (), ""


def _refs(things: Sequence[Object]) -> tuple[Ref, ...]:
    return tuple(sorted(ref_of(thing) for thing in things))


def pod_families(pod: Object) -> set[str]:
    """Names of what the pod belongs to: its owners, their names without hash, its usual name labels."""
    families: set[str] = set()
    for owner in owners_of(pod):
        name = str(owner.get("name") or "")
        families.update((name, *stems(name)) if owner.get("kind") in ("ReplicaSet", "Job") else (name,))
    families.update(stems(ref_of(pod).name))
    labels = metadata(pod).get("labels")
    for label in ("app", "app.kubernetes.io/name", "app.kubernetes.io/instance", "k8s-app"):
        value = labels.get(label) if isinstance(labels, dict) else None
        if isinstance(value, str):
            families.add(value)
    families.discard("")
    return families


def _locate_any(cluster: Cluster, name: str, namespace: str | None, preferred: str) -> Located:
    kinds = searchable_kinds(cluster.kinds())
    lower = name.lower()
    hits, gaps = search(cluster, kinds, lambda candidate: _likeness(name, candidate) >= 0.6)
    things = [thing for _, thing in hits]
    inside = [thing for thing in things if namespace is None or ref_of(thing).namespace in ("", namespace)]
    exact = [thing for thing in inside if ref_of(thing).name.lower() == lower]
    pods = [thing for thing in inside if thing.get("kind") == "Pod" and lower in pod_families(thing)]
    others = [t for t in inside if ref_of(t).name in stems(lower) or lower in stems(ref_of(t).name)]
    meant = _refs([*pods, *(t for t in others if t not in pods)]) if not exact else _refs(pods)
    outside = [thing for thing in things if thing not in inside and ref_of(thing).name.lower() == lower]
    return Located(
        exact=tuple(sorted(_refs(exact), key=lambda r: (r.namespace != preferred, r))),
        meant=meant,
        how=f"{name} without or with a generated end" if meant and not exact else "",
        near=_near(name, [t for t in inside if t not in exact]),
        elsewhere=_refs(outside),
        gaps=tuple(gaps),
    )
