"""Lists of a kind with what a person looks for in them: sizes, types, addresses, bounds, what is used of a quota."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kubectl_berth.cluster.views import (
    HorizontalPodAutoscaler,
    PersistentVolume,
    PersistentVolumeClaim,
    Service,
    StorageClass,
    Workload,
)
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts import table_rows as rows
from kubectl_berth.engines.rules.facts.asked import ASKS, bare, capped, half, in_place, only, place
from kubectl_berth.engines.rules.facts.lookups import Answer

MOST = 25
FEW = 4


@dataclass(frozen=True)
class Filter:
    """Words for a state, how it is told, and what is in it. `bad` where a fault may be what is asked about."""

    words: str
    label: str
    holds: Callable[[Inventory, object], bool]
    bad: bool = False


@dataclass(frozen=True)
class Table:
    """A kind: its words, the inventory's fields, words for its columns, a line for each, the states asked about."""

    thing: str
    words: str
    fields: tuple[str, ...]
    columns: str
    row: Callable[[Inventory, object], str]
    filters: tuple[Filter, ...] = ()


# --- states ---------------------------------------------------------------------------------------------------------


def _of_type(kind: str) -> Callable[[Inventory, object], bool]:
    return lambda inventory, one: isinstance(one, Service) and one.spec.type == kind


def _in_phase(*phases: str) -> Callable[[Inventory, object], bool]:
    return lambda inventory, one: (
        isinstance(one, (PersistentVolumeClaim, PersistentVolume)) and one.status.phase in phases
    )


def _unbound(inventory: Inventory, one: object) -> bool:
    return not _in_phase("Bound")(inventory, one)


def _unused(inventory: Inventory, one: object) -> bool:
    return isinstance(one, PersistentVolumeClaim) and not rows.users_of_claim(inventory, one)


def _zero(inventory: Inventory, one: object) -> bool:
    return isinstance(one, Workload) and one.kind != "DaemonSet" and one.desired == 0


def _paused(inventory: Inventory, one: object) -> bool:
    return isinstance(one, Workload) and one.spec.paused


def _topped(inventory: Inventory, one: object) -> bool:
    return isinstance(one, HorizontalPodAutoscaler) and one.status.current_replicas >= one.spec.max_replicas


_VOLUME_STATES = (
    Filter(r"(?:not|un)[ -]?bound|aren'?t bound|pending", "not Bound", _unbound, True),
    Filter(r"released", "Released", _in_phase("Released")),
    Filter(r"available|free", "Available", _in_phase("Available")),
    Filter(r"lost|failed", "Lost or Failed", _in_phase("Lost", "Failed"), True),
    Filter(
        r"unused|not (?:being )?(?:used|mounted|in use)(?: by (?:any|a|no) (?:pods?|one))?|orphan\w*|unmounted|"
        r"used by (?:no|nothing)(?: pods?)?|without a pod",
        "used by no pod",
        _unused,
    ),
    Filter(r"bound", "Bound", _in_phase("Bound")),
)
_DEFAULT = (
    r"(?:which|what) (?:storage ?|volume ?)?class(?:es)? (?:is|are) (?:set as |marked as )?(?:the |our )?default|"
    r"default (?:storage ?|volume ?)class(?:es)?"
)
_SIZES = r"(?:how )?(?:big|large)|sizes?|capacity|(?:storage ?)?class(?:es)?|phases?|status|state|used|using|use|by"
TABLES: tuple[Table, ...] = (
    Table(
        "StorageClass",
        r"(?:storage|volume) ?class(?:es)?",
        ("storage_classes",),
        r"which is|default|provisioners?|expan\w+",
        rows.class_row,
        (
            Filter(
                _DEFAULT,
                "the default",
                lambda i, one: isinstance(one, StorageClass) and one.default,
            ),
        ),
    ),
    Table(
        "PersistentVolumeClaim",
        r"pvcs?|(?:persistent ?)?(?:volume |storage )?claims?",
        ("claims",),
        _SIZES,
        rows.claim_row,
        _VOLUME_STATES,
    ),
    Table(
        "PersistentVolume",
        r"pvs?|persistent ?volumes?",
        ("volumes",),
        _SIZES + "|reclaim polic(?:y|ies)",
        rows.volume_row,
        _VOLUME_STATES,
    ),
    Table(
        "HorizontalPodAutoscaler",
        r"hpas?|(?:horizontal )?(?:pod ?)?auto-?scalers?",
        ("autoscalers",),
        r"min(?:imum)?|max(?:imum)?|bounds?|limits?|targets?|metrics?|replicas?",
        rows.scaler_row,
        (
            Filter(
                r"(?:at|on|hit(?:ting)?) (?:the|its|their)? ?max(?:imum)?|maxed(?: out)?",
                "at the maximum",
                _topped,
                True,
            ),
        ),
    ),
    Table(
        "PodDisruptionBudget",
        r"pdbs?|(?:pod )?disruption ?budgets?",
        ("budgets",),
        r"allow\w*|min\w*|max\w*",
        rows.budget_row,
    ),
    Table(
        "ResourceQuota",
        r"(?:resource ?)?quotas?",
        ("quotas",),
        r"how full|full|used|usage|left|hard|limits?|they|is there|are there|do we have|exist",
        rows.quota_row,
    ),
    Table(
        "LimitRange",
        r"limit ?ranges?",
        ("limit_ranges",),
        r"limits?|max\w*|min\w*|defaults?|say|set|allow\w*|permit\w*|bounds?|is there|are there|do we have|exist",
        rows.range_row,
    ),
    Table(
        "NetworkPolicy",
        r"network ?polic(?:y|ies)|netpols?",
        ("network_policies",),
        r"exist|are there|is there|do we have|select\w*|limit\w*|allow\w*|rules?|which",
        rows.policy_row,
    ),
    Table(
        "Ingress",
        r"ingress(?:es)?",
        ("ingresses",),
        r"hosts?|hostnames?|urls?|domains?|paths?|serve[sd]?|routes?|tls|backends?",
        rows.ingress_row,
    ),
    Table(
        "Service",
        r"services?|svcs?|load ?balancers?|node ?ports?",
        ("services",),
        r"types?|ports?|(?:external|outside|public)?[ -]?(?:ips?|address(?:es)?)|their|exposed",
        rows.service_row,
        (
            Filter(r"load ?balancers?", "of type LoadBalancer", _of_type("LoadBalancer")),
            Filter(r"node ?ports?", "of type NodePort", _of_type("NodePort")),
            Filter(r"cluster ?ips?", "of type ClusterIP", _of_type("ClusterIP")),
            Filter(r"external ?names?", "of type ExternalName", _of_type("ExternalName")),
        ),
    ),
    Table(
        "workload",
        r"workloads?|deployments?|stateful ?sets?|daemon ?sets?|apps?|applications?",
        ("deployments", "stateful_sets", "daemon_sets"),
        r"scaled|down|replicas?|have|with",
        rows.workload_row,
        (
            Filter(
                r"(?:scaled |set )?(?:down )?(?:to|at|with) (?:0|zero)(?: replicas?)?|"
                r"(?:zero|0|no) replicas",
                "scaled to zero",
                _zero,
            ),
            Filter(r"paused", "paused", _paused),
        ),
    ),
)
_LISTS = re.compile(
    r"\b(?:which|what|list|show|how (?:big|large|many|full)|any|are there|do we have|is there|print|give)\b",
    re.IGNORECASE,
)


def table(case: Case) -> Answer | None:
    """The list of a kind with its columns, or those in a state; None for another question."""
    text = bare(case) if not _loose(case) else case.understanding.text
    if (case.subjects and not _loose(case)) or not ASKS.search(text) or not _LISTS.search(text):
        return None
    for each in TABLES:
        if not re.search(rf"(?<![\w-])(?:{each.words})(?![\w-])", text, re.IGNORECASE):
            continue
        found = next(
            (one for one in each.filters if re.search(rf"(?<![\w-])(?:{one.words})(?![\w-])", text, re.I)), None
        )
        asked = found is not None or re.search(rf"(?<![\w-])(?:{each.columns})(?![\w-])", text, re.IGNORECASE)
        if not asked or (found is not None and found.bad and case.causes):
            continue
        words = [one.words for one in each.filters]
        if only(case, *words, each.words, each.columns, *case.understanding.namespaces, text=text):
            return _listed(case, each, found, text)
    return None


def _loose(case: Case) -> bool:
    """True where no object was named: the kind's own word only resembles names."""
    said = case.understanding
    return bool(case.subjects) and (said.by_kind or said.guessed)


def _listed(case: Case, each: Table, found: Filter | None, text: str) -> Answer | None:
    inventory = case.inventory
    every = [one for name in each.fields for one in getattr(inventory, name) if in_place(case, one.namespace)]
    if each.thing == "workload" and found is None:
        return None
    kinds = {one.kind for one in every} & set(case.understanding.kinds) if each.thing == "workload" else set()
    every = sorted((one for one in every if not kinds or one.kind in kinds), key=lambda one: one.ref)
    hit = [one for one in every if found is None or found.holds(inventory, one)]
    tail = half(case, *each.fields)
    thing = next(iter(kinds)) if len(kinds) == 1 else each.thing
    whole = (
        count(len(every), thing) if len(every) == 1 or not thing.endswith(("s", "y")) else _plural(len(every), thing)
    )
    where = "" if each.thing in ("StorageClass", "PersistentVolume") else place(case)
    if found is not None:
        head = f"{len(hit) or 'None'} of the {whole}{where} {'is' if len(hit) == 1 else 'are'} {found.label}"
    else:
        head = f"There {'is' if len(every) == 1 else 'are'} {whole}{where}" if every else f"There is no {thing}{where}"
    lines = [f"{one.ref}: {each.row(inventory, one)}" for one in hit]
    return _told(head, tail, lines)


def _plural(number: int, thing: str) -> str:
    return f"{number} {thing}es" if thing.endswith("s") else f"{number} {thing.removesuffix('y')}ies"


def _told(head: str, tail: str, lines: Sequence[str]) -> Answer:
    if not lines:
        return f"{head}{tail}.", []
    if len(lines) <= FEW and sum(map(len, lines)) < 500:
        return f"{head}{tail}: {'; '.join(lines)}.", []
    names = [line.partition(": ")[0] for line in lines]
    return f"{head}{tail}: {listed(names, 6)}.", capped(list(lines), MOST)
