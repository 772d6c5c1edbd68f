"""Lists of a kind with what a person looks for in them: sizes, types, addresses, bounds, what is used of a quota."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kubectl_berth.cluster.quantities import quantity
from kubectl_berth.cluster.views import (
    HorizontalPodAutoscaler,
    Ingress,
    LimitRange,
    PersistentVolume,
    PersistentVolumeClaim,
    PodDisruptionBudget,
    ResourceQuota,
    Service,
    StorageClass,
    Workload,
)
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.asked import ASKS, bare, capped, half, in_place, only, place
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.lookups import Answer

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


# --- lines ----------------------------------------------------------------------------------------------------------


def _service(inventory: Inventory, one: object) -> str:
    if not isinstance(one, Service):
        return ""
    outside = [each.ip or each.hostname for each in one.status.load_balancer.ingress]
    ports = ", ".join(
        f"{port.port}{f' (node port {port.node_port})' if port.node_port else ''}" for port in one.spec.ports[:6]
    )
    address = f", outside at {', '.join(outside)}" if outside else ""
    waits = ", no outside address yet" if one.spec.type == "LoadBalancer" and not outside else ""
    return f"{one.spec.type}, port {ports or 'none'}{address}{waits}"


def _ingress(inventory: Inventory, one: object) -> str:
    if not isinstance(one, Ingress):
        return ""
    hosts = list(dict.fromkeys(rule.host or "any host" for rule in one.spec.rules))
    behind = dict.fromkeys(
        path.backend.service.name
        for rule in one.spec.rules
        for path in (rule.http.paths if rule.http else [])
        if path.backend.service is not None
    )
    to = f" to Service {', '.join(behind)}" if behind else ""
    return f"{listed(hosts, 6) or 'any host'}{to}{', TLS' if one.spec.tls else ''}"


def _claim(inventory: Inventory, one: object) -> str:
    if not isinstance(one, PersistentVolumeClaim):
        return ""
    size = one.status.capacity.get("storage") or one.spec.resources.requests.get("storage") or "no size"
    users = _users(inventory, one)
    using = f"used by {listed(users, 3)}" if users else "used by no pod"
    return f"{size}, {one.status.phase or 'no phase'}, class {one.spec.storage_class_name or 'none named'}, {using}"


def _users(inventory: Inventory, one: PersistentVolumeClaim) -> list[str]:
    return [pod.name for pod in inventory.pods if pod.namespace == one.namespace and one.name in pod.claims]


def _volume(inventory: Inventory, one: object) -> str:
    if not isinstance(one, PersistentVolume):
        return ""
    claim = one.spec.claim_ref
    whose = f", claim {claim.namespace}/{claim.name}" if claim is not None else ""
    keeps = f", {one.spec.persistent_volume_reclaim_policy}" if one.spec.persistent_volume_reclaim_policy else ""
    return f"{one.spec.capacity.get('storage', 'no size')}, {one.status.phase or 'no phase'}{whose}{keeps}"


def _class(inventory: Inventory, one: object) -> str:
    if not isinstance(one, StorageClass):
        return ""
    grows = "can be expanded" if one.allow_volume_expansion else "cannot be expanded"
    return f"{one.provisioner}, {grows}{', the default' if one.default else ''}"


def _scaler(inventory: Inventory, one: object) -> str:
    if not isinstance(one, HorizontalPodAutoscaler):
        return ""
    low = 1 if one.spec.min_replicas is None else one.spec.min_replicas
    by = metrics_of(one)
    return (
        f"{low} to {one.spec.max_replicas} of {one.target}, {one.status.current_replicas} run, "
        f"{one.status.desired_replicas} wanted{f', by {by}' if by else ''}"
    )


def metrics_of(one: HorizontalPodAutoscaler) -> str:
    """ "cpu at 70% utilization"; what each metric of an autoscaler aims at."""
    told = []
    for metric in one.spec.metrics[:4]:
        part = metric.get(_field(str(metric.get("type", ""))))
        if not isinstance(part, Mapping):
            continue
        target = part.get("target")
        inner = part.get("metric")
        name = part.get("name") or (inner.get("name") if isinstance(inner, Mapping) else "") or "a metric"
        aim = ""
        if isinstance(target, Mapping):
            share = target.get("averageUtilization")
            aim = (
                f" at {share}% of the requests" if share else f" at {target.get('averageValue') or target.get('value')}"
            )
        told.append(f"{name}{aim}")
    return ", ".join(told)


def _field(kind: str) -> str:
    return kind[:1].lower() + kind[1:]


def _budget(inventory: Inventory, one: object) -> str:
    if not isinstance(one, PodDisruptionBudget):
        return ""
    low = one.spec.min_available
    rule = f"minAvailable {low}" if low is not None else f"maxUnavailable {one.spec.max_unavailable}"
    return f"{rule}, {one.status.disruptions_allowed} may go now"


def _quota(inventory: Inventory, one: object) -> str:
    if not isinstance(one, ResourceQuota):
        return ""
    told = [
        f"{name} {one.status.used.get(name, 0)} of {much}{_share(one, name)}" for name, much in one.status.hard.items()
    ]
    return listed(told, 8) or "nothing limited"


def _share(one: ResourceQuota, name: str) -> str:
    try:
        used, hard = quantity(one.status.used.get(name, 0)), quantity(one.status.hard[name])
    except ValueError:
        return ""
    return f" ({round(used * 100 / hard)}%)" if hard else ""


def _range(inventory: Inventory, one: object) -> str:
    if not isinstance(one, LimitRange):
        return ""
    told = []
    for item in one.spec.limits[:4]:
        parts = [
            f"{label} {', '.join(f'{name} {much}' for name, much in amounts.items())}"
            for label, amounts in (("max", item.max), ("min", item.min), ("default", item.default))
            if amounts
        ]
        told.append(f"{item.type}: {'; '.join(parts) or 'no bound'}")
    return " | ".join(told)


def _workload(inventory: Inventory, one: object) -> str:
    if not isinstance(one, Workload):
        return ""
    return f"{one.ready} of {one.desired} ready{', paused' if one.spec.paused else ''}"


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
    return isinstance(one, PersistentVolumeClaim) and not _users(inventory, one)


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
        _class,
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
        _claim,
        _VOLUME_STATES,
    ),
    Table(
        "PersistentVolume",
        r"pvs?|persistent ?volumes?",
        ("volumes",),
        _SIZES + "|reclaim polic(?:y|ies)",
        _volume,
        _VOLUME_STATES,
    ),
    Table(
        "HorizontalPodAutoscaler",
        r"hpas?|(?:horizontal )?(?:pod ?)?auto-?scalers?",
        ("autoscalers",),
        r"min(?:imum)?|max(?:imum)?|bounds?|limits?|targets?|metrics?|replicas?",
        _scaler,
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
        "PodDisruptionBudget", r"pdbs?|(?:pod )?disruption ?budgets?", ("budgets",), r"allow\w*|min\w*|max\w*", _budget
    ),
    Table(
        "ResourceQuota",
        r"(?:resource ?)?quotas?",
        ("quotas",),
        r"how full|full|used|usage|left|hard|limits?|they",
        _quota,
    ),
    Table("LimitRange", r"limit ?ranges?", ("limit_ranges",), r"limits?|max\w*|min\w*|defaults?|say|set", _range),
    Table(
        "Ingress",
        r"ingress(?:es)?",
        ("ingresses",),
        r"hosts?|hostnames?|urls?|domains?|paths?|serve[sd]?|routes?|tls|backends?",
        _ingress,
    ),
    Table(
        "Service",
        r"services?|svcs?|load ?balancers?|node ?ports?",
        ("services",),
        r"types?|ports?|(?:external|outside|public)?[ -]?(?:ips?|address(?:es)?)|their|exposed",
        _service,
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
        _workload,
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
    whole = count(len(every), thing) if len(every) == 1 or not thing.endswith("s") else f"{len(every)} {thing}es"
    where = "" if each.thing in ("StorageClass", "PersistentVolume") else place(case)
    if found is not None:
        head = f"{len(hit) or 'None'} of the {whole}{where} {'is' if len(hit) == 1 else 'are'} {found.label}"
    else:
        head = f"There {'is' if len(every) == 1 else 'are'} {whole}{where}" if every else f"There is no {thing}{where}"
    lines = [f"{one.ref}: {each.row(inventory, one)}" for one in hit]
    return _told(head, tail, lines)


def _told(head: str, tail: str, lines: Sequence[str]) -> Answer:
    if not lines:
        return f"{head}{tail}.", []
    if len(lines) <= FEW and sum(map(len, lines)) < 500:
        return f"{head}{tail}: {'; '.join(lines)}.", []
    names = [line.partition(": ")[0] for line in lines]
    return f"{head}{tail}: {listed(names, 6)}.", capped(list(lines), MOST)
