"""What uses most, and where most is free: by the figures of metrics.k8s.io, with what is reserved beside them."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from kubectl_berth.cluster.views import Node, Pod
from kubectl_berth.diagnosis.capacity import takes_pods
from kubectl_berth.diagnosis.fit import ZERO, amount, asked, reserved_on, show
from kubectl_berth.diagnosis.say import count
from kubectl_berth.diagnosis.sizing import share
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import ASKS, bare, capped, half, in_place, narrowed, only
from kubectl_berth.engines.rules.facts.lookups import Answer

MOST = 10
_RESOURCE = r"cpus?|memory|mem|ram|cores?|resources?"
_MOST = (
    r"biggest|largest|highest|heaviest|greediest|hungriest|top(?: \d{1,2})?|most|worst|main|hogs?|hogging|heavy|"
    r"(?:memory|cpu|resource)[ -]?hogs?"
)
_USES = (
    r"consum\w+|us(?:es|e|ing|ed|age|er|ers)|eat(?:s|ing|er|ers|en)?|tak(?:es?|ing)(?: up)?|hogs?|hogging|"
    r"burn(?:s|ing)?|"
    r"occup(?:y|ies|ying)|hold(?:s|ing)?|gobbl\w+|request(?:s|ed|ing)?|reserv\w+|demand(?:s|ing)?|all|so much|by"
)
_PER = {
    "namespace": r"namespaces?|ns|projects?|teams?",
    "workload": r"deployments?|workloads?|apps?|applications?|services?|stateful ?sets?|daemon ?sets?",
    "container": r"containers?",
}
_FREE = r"free|available|unused|left|spare|headroom|idle|room"
_BUSY = r"used|in use|usage|utili[sz]\w+|loaded|busy|full|consumed|taken|load|using|uses?"
_HELD = r"requested|reserved|allocated|committed|requests?|reservations?|allocation"
_ORDER_UP = r"most|highest|largest|biggest|more|greatest|maximum|max|busiest|fullest|top"
_ORDER_DOWN = r"least|lowest|smallest|fewest|emptiest|idlest|minimum|min|less"
_SHARES = {"half": 50, "a half": 50, "a third": 33, "a quarter": 25, "two thirds": 67, "three quarters": 75}
_BOUND = re.compile(
    r"\b(?P<way>less than|under|below|fewer than|at most|more than|over|above|at least|exceed\w*)\s+"
    r"(?P<share>\d{1,3}(?:\.\d+)?\s?(?:%|percent\b)|" + "|".join(_SHARES) + r")(?: of)?",
    re.IGNORECASE,
)


_PAST = re.compile(
    r"\b(?:(?:more|above|over|exceed\w*|beyond|past)\b[^.?!]{0,25}\b(?P<request>request\w*|reserv\w*)|"
    r"(?:close to|near(?:ing|ly at)?|at|above|over|hitting|reaching|approaching)\b[^.?!]{0,20}\b(?P<limit>limits?))\b",
    re.IGNORECASE,
)
_NEAR = Decimal("0.8")


def past_bounds(case: Case) -> Answer | None:
    """The pods that use more than they request, or nearly as much as their limit; None for another question."""
    text = bare(case)
    found = _PAST.search(text)
    if (
        found is None
        or case.subjects
        or not re.search(r"\b(?:which|what|any|list|show|how many|are there)\b", text, re.I)
    ):
        return None
    words = "they|their|its|it|pods?|workloads?|containers?|than|what"
    if not only(case, _RESOURCE, _USES, words, text=_PAST.sub(" ", text)):
        return None
    name = "cpu" if re.search(r"\b(?:cpus?|cores?)\b", text, re.I) else "memory"
    side = "requests" if found["request"] else "limits"
    share_of = Decimal(1) if found["request"] else _NEAR
    rows, known = [], 0
    for pod in sorted(_pods(case), key=lambda one: one.ref):
        figures = case.inventory.pod_usage(pod)
        known += bool(figures)
        for box in pod.spec.containers:
            bound = amount(getattr(box.resources, side).get(name)) if name in getattr(box.resources, side) else None
            used = figures.get(box.name, {}).get(name)
            if bound and used is not None and used > bound * share_of:
                told = f"{show(name, used)} of {show(name, bound)} ({share(used, bound)}%)"
                rows.append((used / bound, f"{pod.ref}, container {box.name}: {told}"))
    if not known:
        return f"Which pods do cannot be told: there are no usage figures (metrics.k8s.io){half(case, 'pods')}.", []
    rows.sort(key=lambda row: (-row[0], row[1]))
    what = f"more {name} than requested" if found["request"] else f"more than 80% of the {name} limit"
    many = f"{len(rows)} containers" if len(rows) > 1 else "1 container" if rows else "No container"
    head = f"{many}{_place(case)} use{'' if len(rows) > 1 else 's'} {what}"
    first = f", most of all {rows[0][1]}" if rows else ""
    return f"{head}{half(case, 'pods')}{first}.", capped([row for _, row in rows], MOST) if len(rows) > 1 else []


def consumers(case: Case) -> Answer | None:
    """What uses most cpu or memory, in the cluster, on a node or in a namespace; None for another question."""
    text = bare(case)
    if not (re.search(rf"\b(?:{_RESOURCE})\b", text, re.I) and re.search(rf"\b(?:{_MOST}|{_USES})\b", text, re.I)):
        return None
    who = re.search(r"^\W*(?:\w+ ){0,3}?(?:who|what(?:'?s)?|which|list|show|top|sort)\b", text, re.IGNORECASE)
    ranked = re.search(
        rf"\b(?:{_MOST})\b|\b(?:usage|use)\b[^.?!]*\bpods\b|\bpods?\b[^.?!]*\busage\b|"
        r"\b(?:eat|hog|all the|so much|burn|gobbl)\w*",
        text,
        re.IGNORECASE,
    )
    if not who or not ranked or re.search(r"\bwhich nodes?\b", text, re.I):
        return None
    kinds = [ref.kind for ref in case.subjects]
    if any(kind not in ("Node", "Namespace") for kind in kinds):
        return None
    rows = "|".join(_PER.values())
    if not only(case, _RESOURCE, _MOST, _USES, rows, "pods?|right now|now|process(?:es)?", text=text):
        return None
    name = "cpu" if re.search(r"\b(?:cpus?|cores?)\b", text, re.I) else "memory"
    per = next((one for one, words in _PER.items() if re.search(rf"\b(?:{words})\b", text, re.I)), "pod")
    return _ranked(case, name, per)


def _pods(case: Case) -> list[Pod]:
    nodes = {ref.name for ref in case.subjects if ref.kind == "Node"}
    spaces = {ref.name for ref in case.subjects if ref.kind == "Namespace"}
    return [
        pod
        for pod in case.inventory.pods
        if not pod.finished
        and (not nodes or pod.spec.node_name in nodes)
        and (not spaces or pod.namespace in spaces)
        and in_place(case, pod.namespace)
    ]


def _place(case: Case) -> str:
    if case.subjects:
        return f" {'on' if case.subjects[0].kind == 'Node' else 'in'} {case.subjects[0]}"
    spaces = case.understanding.namespaces
    return f" in namespace {', '.join(spaces)}" if spaces else " in the cluster"


def _ranked(case: Case, name: str, per: str) -> Answer | None:
    pods = _pods(case)
    if not pods:
        return None
    inventory = case.inventory
    groups: dict[str, list[Pod]] = {}
    for pod in pods:
        key = {"namespace": f"namespace {pod.namespace}", "workload": str(inventory.workload(pod))}.get(
            per, str(pod.ref)
        )
        groups.setdefault(key, []).append(pod)
    used = {key: sum((_used(case, pod, name) or ZERO for pod in each), ZERO) for key, each in groups.items()}
    held = {key: sum((_held(pod, name) for pod in each), ZERO) for key, each in groups.items()}
    known = any(_used(case, pod, name) is not None for pod in pods)
    order = sorted(groups, key=lambda key: (-(used if known else held)[key], key))
    lines = [_row(case, name, key, groups[key], used[key] if known else None, held[key]) for key in order]
    tail = half(case, "pods")
    first = order[0][:1].upper() + order[0][1:]
    if not known:
        head = f"What uses most {name}{_place(case)} cannot be told: there are no usage figures (metrics.k8s.io). "
        top = f"{first} reserves the most, {show(name, held[order[0]])}" if held[order[0]] else "No pod reserves any"
        return f"{head}{top}{tail}.", capped(lines, MOST) if held[order[0]] else []
    blank = sum(_used(case, pod, name) is None for pod in pods)
    note = [f"{count(blank, 'pod')} without figures left out"] if blank else []
    most = f"{show(name, used[order[0]])}{_beside(case, name, groups[order[0]])}"
    head = f"{first} uses the most {name}{_place(case)}: {most}"
    return f"{head}{tail}.", [*capped(lines, MOST), *note, "figures of this moment, not of a span of time"]


def _used(case: Case, pod: Pod, name: str) -> Decimal | None:
    figures = case.inventory.pod_usage(pod)
    return sum((one.get(name, ZERO) for one in figures.values()), ZERO) if figures else None


def _held(pod: Pod, name: str) -> Decimal:
    return sum((asked(one).get(name, ZERO) for one in pod.spec.containers), ZERO)


def _bound(pods: list[Pod], name: str) -> str:
    """The sum of the limits; "no limit" where a container has none."""
    limits = [one.resources.limits.get(name) for pod in pods for one in pod.spec.containers]
    if not all(limits):
        return "no limit" if not any(limits) else "not every container limited"
    return f"limit {show(name, sum((amount(one) for one in limits), ZERO))}"


def _beside(case: Case, name: str, pods: list[Pod]) -> str:
    held = sum((_held(pod, name) for pod in pods), ZERO)
    whole = f" in {len(pods)} pods" if len(pods) > 1 else ""
    return f"{whole} ({show(name, held) if held else 'nothing'} requested, {_bound(pods, name)})"


def _row(case: Case, name: str, key: str, pods: list[Pod], used: Decimal | None, held: Decimal) -> str:
    use = f"{show(name, used)} used, " if used is not None else ""
    nodes = sorted({pod.spec.node_name for pod in pods if pod.spec.node_name})
    where = f", on {nodes[0]}" if len(nodes) == 1 and len(pods) == 1 else ""
    many = f", {count(len(pods), 'pod')}" if len(pods) > 1 else ""
    return f"{key}: {use}{show(name, held) if held else 'nothing'} requested, {_bound(pods, name)}{many}{where}"


# --- nodes ----------------------------------------------------------------------------------------------------------


_EACH = re.compile(r"\b(?:each|every|all|per)\b[^.?!]{0,10}\b(?:nodes?|machines?|hosts?)\b", re.IGNORECASE)


def loads(case: Case) -> Answer | None:
    """Nodes by how much is free, used or reserved: the first of them, or those past a bound; None for the rest."""
    text = bare(case)
    about = "Node" in case.understanding.kinds or bool(case.subjects)
    if not about or any(ref.kind != "Node" for ref in case.subjects):
        return None
    bound = _BOUND.search(text)
    asks = re.search(rf"\b(?:{_FREE}|{_BUSY}|{_HELD})\b|\bbusiest\b|\bfullest\b|\bemptiest\b", text, re.I)
    ordered = re.search(rf"\b(?:{_ORDER_UP}|{_ORDER_DOWN})\b", text, re.I)
    named = bool(case.subjects) and re.search(rf"\b(?:{_RESOURCE})\b", text, re.I) is not None
    if not asks or not ASKS.search(text):
        return None
    words = (
        _FREE,
        _BUSY,
        _HELD,
        _ORDER_UP,
        _ORDER_DOWN,
        _RESOURCE,
        "its|their|capacity|percent(?:age)?|share|each|every|all|per|now|than|node|much|is|right now",
    )
    if not only(case, *words, text=_BOUND.sub(" ", text)):
        return None
    nodes = [one for one in case.inventory.nodes if not case.subjects or one.ref in case.subjects]
    name = "cpu" if re.search(r"\b(?:cpus?|cores?)\b", text, re.I) else "memory"
    if not nodes:
        return None
    named = named or bool(_EACH.search(text) and re.search(rf"\b(?:{_RESOURCE})\b", text, re.I))
    if not (bound or ordered or named):
        return None
    if named and not bound and not ordered:
        rows = [_load(case, one, name) for one in nodes]
        return f"{'; '.join(rows[:3])}{half(case, 'nodes', 'pods')}.", capped(rows[3:], MOST)
    what = "free" if re.search(rf"\b(?:{_FREE})\b", text, re.I) else "used"
    if re.search(rf"\b(?:{_HELD})\b", text, re.I):
        what = "reserved"
    least = bool(re.search(rf"\b(?:{_ORDER_DOWN})\b", _BOUND.sub(" ", text), re.I))
    both = _free(case, nodes, name, least) if what == "free" and bound is None else None
    return both or _nodes(case, nodes, name, what, least, bound)


def _free(case: Case, nodes: list[Node], name: str, least: bool) -> Answer | None:
    """The nodes with most free by what is requested and by what is used; None where either is not known."""
    if case.inventory.namespace is not None:
        return None
    told = []
    for measured in (False, True):
        measure = _measure(case, name, "free", measured=measured)
        able = [one for one in nodes if measure(one) is not None]
        if len(able) < len(nodes):
            return None
        order = sorted(able, key=lambda one: (measure(one) or ZERO, one.name), reverse=not least)
        best = [one for one in order if measure(one) == measure(order[0])]
        whole = show(name, amount(best[0].status.allocatable.get(name)))
        much = f"{show(name, measure(best[0]) or ZERO)} of {whole} ({round(_part(best[0], measure, name))}%)"
        told.append((" and ".join(str(one.ref) for one in best[:3]), len(best), much, order))
    which, many, much, order = told[0]
    most = f"{'has' if many == 1 else 'have'} the {'least' if least else 'most'} {name} free"
    head = f"By requests, which the scheduler counts, {which} {most}: {much}; by use {told[1][0]}: {told[1][2]}"
    return f"{head}{half(case, 'nodes', 'pods')}.", capped([_load(case, one, name) for one in order], MOST)


def _nodes(case: Case, nodes: list[Node], name: str, what: str, least: bool, bound: re.Match[str] | None) -> Answer:
    known = all(name in case.inventory.node_usage(node.name) for node in nodes) and what != "reserved"
    partly = any(name in case.inventory.node_usage(node.name) for node in nodes) and what != "reserved"
    measure = _measure(case, name, what, measured=partly)
    able = [one for one in nodes if measure(one) is not None]
    order = sorted(able, key=lambda one: (measure(one) or ZERO, one.name), reverse=not least)
    lines = [_load(case, one, name) for one in [*order, *(one for one in nodes if one not in able)]]
    how = "" if known or what == "reserved" else " by requests (there are no usage figures)"
    how = " (nodes without figures left out)" if partly and not known else how
    tail = half(case, "nodes", "pods")
    if not partly and case.inventory.namespace is not None:
        return (
            f"Which node has how much {name} {what} cannot be told{narrowed(case)}: requests of others count too.",
            [],
        )
    if not order:
        return f"Which node has how much {name} {what} cannot be told: their sizes are not on record{tail}.", lines
    if bound is not None:
        edge = _edge(bound["share"])
        low = bool(re.match(r"less|under|below|fewer|at most", bound["way"], re.IGNORECASE))
        hit = [one for one in order if (_part(one, measure, name) < edge) == low]
        names = ", ".join(f"{one.name} ({round(_part(one, measure, name))}%)" for one in hit[:8])
        more = f" and {len(hit) - 8} more" if len(hit) > 8 else ""
        words = f"{'less' if low else 'more'} than {round(edge)}% of their {name} {what}{how}"
        head = f"{len(hit) or 'None'} of {count(len(nodes), 'node')} {'has' if len(hit) == 1 else 'have'} {words}"
        return f"{head}{f': {names}{more}' if hit else ''}{tail}.", capped(lines, MOST)
    best = order[0]
    head = f"{best.ref} has the {'least' if least else 'most'} {name} {what}{how}: {show(name, measure(best) or ZERO)}"
    head += f" of {show(name, amount(best.status.allocatable.get(name)))} ({round(_part(best, measure, name))}%)"
    return f"{head}{tail}.", capped(lines, MOST)


def _measure(case: Case, name: str, what: str, *, measured: bool) -> Callable[[Node], Decimal | None]:
    """How much of a node is used, free or reserved; None where it is not known."""

    def of(node: Node) -> Decimal | None:
        whole = node.status.allocatable.get(name)
        if whole is None:
            return None
        taken = case.inventory.node_usage(node.name).get(name)
        if not measured:
            taken = reserved_on(case.inventory, node.name).get(name, ZERO)
        if taken is None:
            return None
        return amount(whole) - taken if what == "free" else taken

    return of


def _part(node: Node, measure: Callable[[Node], Decimal | None], name: str) -> Decimal:
    whole = amount(node.status.allocatable.get(name))
    return (measure(node) or ZERO) * 100 / whole if whole else ZERO


def _edge(words: str) -> Decimal:
    found = re.match(r"\d+(?:\.\d+)?", words)
    return Decimal(found[0]) if found else Decimal(_SHARES.get(words.lower(), 50))


def _load(case: Case, node: Node, name: str) -> str:
    whole = amount(node.status.allocatable.get(name))
    whole_read = case.inventory.namespace is None
    held = reserved_on(case.inventory, node.name).get(name, ZERO)
    used = case.inventory.node_usage(node.name).get(name)
    use = f"{show(name, used)} used ({share(used, whole)}%)" if used is not None and whole else "use not known"
    state = "" if takes_pods(node) and node.ready else "; it takes no pods now"
    asks = f", {show(name, held)} requested ({share(held, whole)}%)" if whole_read else ""
    return f"{node.name}: {show(name, whole)} to give, {use}{asks}{state}"
