"""Whether a workload is sized right, what to change, and whether that fits: from its figures, with their caution."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from kubectl_berth.diagnosis.capacity import free, takes_pods
from kubectl_berth.diagnosis.fit import ZERO, show
from kubectl_berth.diagnosis.sizing import Sizing, Use, Verdict, share, size
from kubectl_berth.engines.engine import ToolCall
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.attributes import resources_said
from kubectl_berth.engines.rules.sizing_effects import asked_of, crowded, in_bounds, node_victim, shifted
from kubectl_berth.engines.rules.topic import Said, Topic, bullets, findings_of
from kubectl_berth.records import Action, Ref, ToolResult
from kubectl_berth.safety.shell import kubectl
from kubectl_berth.tools.sizing_lines import container_lines, totals

MOST_SIZED = 3
"""Workloads that are sized for one question."""

_TOO_LOW = ("oom-killed", "near-limit", "request-below-use")
_WASTE = re.compile(r"over-?\s?provision|oversiz|too (?:big|large|much|high)|wast|sav(?:e|ing)|pay", re.IGNORECASE)
_ENOUGH = re.compile(r"\b(?:enough|sufficient|plenty)\b", re.IGNORECASE)
_RIGHT = re.compile(
    r"\b(?:sized (?:right|well|correctly|properly)|right(?:ly)?[- ]sized?|ok|okay|fine|right(?: size)?|enough|"
    r"sufficient|adequate|correct|reasonable|sane|sensible|appropriate)\b",
    re.I,
)
FITS = re.compile(r"\b(?:fits?|room|space|enough|nodes? (?:have|hold|take))\b", re.IGNORECASE)

HISTORY = (
    "Usage over time: the figures are one snapshot, and one snapshot is no history. Before anything is lowered, look "
    "at 1-2 weeks of it for each container: p95 and p99 of CPU, the peak of memory, nightly and month-end jobs."
)
TOO_MUCH = (
    "Make room first (a node more, or less reserved elsewhere), or raise it in steps that fit on the nodes; more than "
    "they have leaves pods Pending."
)
THROTTLING = "CPU throttling and the application's own latency: the Kubernetes API has neither."


_NO_SIZE = frozenset({"Node", "Namespace", "Service", "PodDisruptionBudget", "NetworkPolicy"})
"""Kinds that only select pods, or hold them."""


def sized(case: Case) -> list[Ref]:
    """The subjects that have containers of their own, the one asked about first."""
    found = [ref for ref in case.subjects if ref.kind not in _NO_SIZE and _view(case, ref)]
    return found[:MOST_SIZED]


def _view(case: Case, ref: Ref) -> bool:
    view = case.inventory.find(ref)
    return view is not None and bool(size(case.inventory, view).containers)


def sizing_calls(case: Case) -> list[ToolCall]:
    """One call for each workload; the nodes too where the question asks whether something fits."""
    asked = sized(case)
    fits = bool(FITS.search(case.understanding.text))
    calls = [
        ToolCall("analyze_workload_resources", {"kind": ref.kind, "name": ref.name, "namespace": ref.namespace})
        for ref in asked[: MOST_SIZED - fits]
    ]
    return [*calls, ToolCall("analyze_capacity", {})] if fits and calls else calls


def say_sizing(case: Case, results: Sequence[ToolResult]) -> Said | None:
    """The answer for the workloads named; None where none of them has containers."""
    refs = sized(case)
    every = {ref: size(case.inventory, view) for ref in refs if (view := case.inventory.find(ref)) is not None}
    if not every:
        return None
    resources = resources_said(case.understanding.text)
    sizings = {ref: asked_of(sizing, case.understanding.text) for ref, sizing in every.items()}
    first = next(iter(sizings))
    if (victim := node_victim(case, first, sizings[first])) is not None:
        return victim
    parts = [_figures(ref, sizing, resources) for ref, sizing in sizings.items()]
    remedies: list[str] = []
    actions: list[Action] = []
    for ref, sizing in sizings.items():
        told, changes = _changes(ref, sizing) if not crowded(case, ref, sizing) else ([TOO_MUCH], [])
        remedies += told
        actions += changes
    if FITS.search(case.understanding.text):
        parts.append(_fit(case, sizings))
    verdict = _lead(case, sizings[first]) + " ".join(_verdict(ref, sizing) for ref, sizing in sizings.items())
    if fit := _fit_verdict(case, sizings):
        verdict += f" {fit}"
    for ref, sizing in sizings.items():
        verdict += "".join(f" {words}" for words in (crowded(case, ref, sizing), shifted(case, ref, sizing)) if words)
    unknown = [ref for ref, sizing in sizings.items() if not sizing.measured]
    unchecked = [HISTORY, THROTTLING] if not unknown else [_no_usage(case), THROTTLING]
    return Said(verdict, [part for part in parts if part], remedies, unchecked, actions, findings_of(results),
                alone=not unknown)  # fmt: skip


def _lead(case: Case, sizing: Sizing) -> str:
    """Yes or no, where the question can be answered so."""
    text = case.understanding.text
    codes = {one.code for one in sizing.verdicts}
    far, low = "request-far-above-use" in codes, bool(codes & set(_TOO_LOW))
    if not sizing.measured or not re.match(r"\s*(?:is|are|do|does|can|could|did|will|should)\b", text, re.IGNORECASE):
        return ""
    if _WASTE.search(text):
        return "Yes, by what it uses now: " if far else "No sign of it: "
    if _ENOUGH.search(text):
        return "No: " if low else "Yes: "
    return ("No: " if far or low else "Yes: ") if _RIGHT.search(text) else ""


def _verdict(ref: Ref, sizing: Sizing) -> str:
    if not sizing.measured:
        return f"{ref} cannot be sized: what its containers use is not known, so no figure can be proposed."
    words = [told for use in sizing.containers if (told := _of_container(sizing, use))]
    over = any(one.code == "request-far-above-use" for one in sizing.verdicts)
    low = any(one.code in _TOO_LOW for one in sizing.verdicts)
    state = "is over-provisioned" if over and not low else "is not sized right" if over or low else "is about right"
    if not words:
        return f"{ref} {state}: {in_bounds(sizing)}."
    return f"{ref} {state}: {'; '.join(words)}.{_raise(sizing)}"


def _raise(sizing: Sizing) -> str:
    """The new figures, where one is too low or missing: what was asked for first of all."""
    low = [one for one in sizing.verdicts if one.code in (*_TOO_LOW, "no-request") and one.provisional is not None]
    moves = [
        f"{one.resource} {one.field} of container {one.container} "
        + (f"from {show(one.resource, one.figure)} to " if one.figure is not None else "to ")
        + show(one.resource, one.provisional or ZERO)
        for one in low
    ]
    verb = "Raise" if any(one.figure is not None for one in low) else "Set"
    return f" {verb} the {' and the '.join(moves)} to start with." if moves else ""


def _of_container(sizing: Sizing, use: Use) -> str:
    """What is wrong with one container's requests and limits, in figures."""
    far, low, none = [], [], []
    for one in sizing.verdicts:
        if one.container != use.name or (one.figure is None and one.code != "no-request"):
            continue
        seen = f"{show(one.resource, one.highest)}" if one.highest is not None else ""
        if one.code == "request-far-above-use" and one.figure and one.highest is not None:
            far.append(f"{show(one.resource, one.figure)} {one.resource} and uses {seen} "
                       f"({share(one.highest, one.figure)}%)")  # fmt: skip
        elif one.code == "oom-killed" and one.figure is not None:
            low.append(
                f"has a memory limit of {show('memory', one.figure)} that is too low (OOMKilled, {seen} in use now)"
            )
        elif one.code == "near-limit" and one.figure:
            low.append(f"uses {seen} {one.resource}, {share(one.highest or ZERO, one.figure)}% of its limit of "
                       f"{show(one.resource, one.figure)}")  # fmt: skip
        elif one.code == "request-below-use" and one.figure:
            low.append(f"uses {seen} {one.resource}, more than the {show(one.resource, one.figure)} it requests")
        elif one.code == "no-request" and use.role != "init container":
            none.append(one.resource)
    words = []
    if far:
        words.append(f"requests {', '.join(far)} at most a pod")
    words += low
    if none:
        words.append(f"has no {' and no '.join(none)} request" + ("s" if len(none) > 1 else ""))
    return f"{use.role} {use.name} {', '.join(words)}" if words else ""


def _figures(ref: Ref, sizing: Sizing, resources: Sequence[str]) -> str:
    """The figures of every container, one line for each resource asked about."""
    lines: list[str] = []
    for use in sizing.containers:
        name, *rest = container_lines(sizing, use)
        head = name.rstrip(":")
        for line in _of_resources(rest, resources):
            if line.startswith("    "):
                lines[-1] += f"; {line.strip()}"
            else:
                lines.append(f"{head}: {line.strip()}")
    lines += totals(sizing) if sizing.pods else []
    pods = f"{len(sizing.measured)} of {len(sizing.pods)} pods with figures" if sizing.pods else "no pods run"
    return bullets(f"**Figures** ({ref}, {pods}; one snapshot)", lines)


def _of_resources(lines: Sequence[str], resources: Sequence[str]) -> list[str]:
    """The lines of these resources, each with those that belong to it."""
    kept: list[str] = []
    taken = False
    for line in lines:
        if not line.startswith("    "):
            taken = line.strip().startswith(tuple(f"{name}:" for name in resources))
        kept += [line] if taken else []
    return kept


# --- what to change -------------------------------------------------------------------------------------------------


def _changes(ref: Ref, sizing: Sizing) -> tuple[list[str], list[Action]]:
    """Sentences and actions: what is too low is raised now, what is too high is lowered after its history is known."""
    if not sizing.measured:
        return [_measure_first(ref)], []
    told: list[str] = []
    actions: list[Action] = []
    for use in sizing.containers:
        mine = [one for one in sizing.verdicts if one.container == use.name and one.provisional is not None]
        low = [one for one in mine if one.code in (*_TOO_LOW, "no-request")]
        high = [one for one in mine if one.code == "request-far-above-use"]
        if low:
            told.append(f"{_moves(use, low)}: {_command(ref, use.name, low)}. Then watch the peak: if the use grows "
                        "without end it is a leak, and more memory only delays the next kill.")  # fmt: skip
        if high:
            told.append(
                f"Once 1-2 weeks of usage with its peaks confirm it, lower in steps: {_moves(use, high)}: "
                f"{_command(ref, use.name, high)}. That keeps headroom over the highest use seen; keep the memory "
                "limit above the peak."
            )
        actions += [_action(ref, one) for one in (*low, *high)]
    if not told:
        told.append("Nothing to change by these figures; look again with 1-2 weeks of usage.")
    return told, actions


def _measure_first(ref: Ref) -> str:
    return (
        f"Make usage known first: a metrics server for the moment (`{kubectl('top', 'pod', '-n', ref.namespace)}`), "
        "and a metrics store such as Prometheus for 1-2 weeks of history. Change no request before that."
    )


def _moves(use: Use, verdicts: Sequence[Verdict]) -> str:
    moves = [
        f"{one.resource} {one.field} {show(one.resource, one.figure) if one.figure is not None else 'none'} -> "
        f"{show(one.resource, one.provisional)}"
        for one in verdicts
        if one.provisional is not None
    ]
    return f"container {use.name}: {', '.join(moves)}"


def _command(ref: Ref, container: str, verdicts: Sequence[Verdict]) -> str:
    if ref.kind not in ("Deployment", "StatefulSet", "DaemonSet"):
        return f"in what makes {ref}"
    flags = []
    for field in ("request", "limit"):
        values = [
            f"{one.resource}={show(one.resource, one.provisional)}"
            for one in verdicts
            if one.field == field and one.provisional is not None
        ]
        flags += [f"--{field}s={','.join(values)}"] if values else []
    target = (f"{ref.kind.lower()}/{ref.name}", "-n", ref.namespace, "-c", container)
    return f"`{kubectl('set', 'resources', *target, *flags)}`"


def _action(ref: Ref, verdict: Verdict) -> Action:
    field = f"spec.template.spec.containers[{verdict.container}].resources.{verdict.field}s.{verdict.resource}"
    before = show(verdict.resource, verdict.figure) if verdict.figure is not None else None
    after = show(verdict.resource, verdict.provisional) if verdict.provisional is not None else None
    return Action("set", ref.kind, ref.namespace, ref.name, field, before, after)


def _no_usage(case: Case) -> str:
    gap = next((gap for gap in case.inventory.gaps if "metrics" in gap.what or gap.what.startswith("usage")), None)
    why = f" ({gap.what}: {gap.why})" if gap is not None else ""
    return f"What the containers use, now and over time: no usage figures could be read{why}."


# --- whether it fits ------------------------------------------------------------------------------------------------


def _needed(sizings: dict[Ref, Sizing]) -> Decimal:
    """Memory that a pod would reserve in the worst case more than now: its request raised to its new limit."""
    more = ZERO
    for sizing in sizings.values():
        for one in sizing.verdicts:
            if one.resource != "memory" or one.provisional is None:
                continue
            use = next(use for use in sizing.containers if use.name == one.container)
            more = max(more, one.provisional - use.requests.get("memory", ZERO))
    return more


def _rooms(case: Case) -> list[tuple[str, Decimal]]:
    nodes = [node for node in case.inventory.nodes if takes_pods(node)]
    rooms = [(node.name, free(case.inventory, node).get("memory", ZERO)) for node in nodes]
    return sorted(rooms, key=lambda room: -room[1])


def _blind(case: Case) -> bool:
    return case.inventory.namespace is not None or bool({"pods", "nodes"} & case.inventory.unread)


def _fit_verdict(case: Case, sizings: dict[Ref, Sizing]) -> str:
    if not FITS.search(case.understanding.text):
        return ""
    more, rooms = _needed(sizings), _rooms(case)
    if not rooms or _blind(case):
        return "Whether it fits on the nodes cannot be told: not all nodes and pods could be read."
    if more <= 0:
        return ""
    where = [name for name, room in rooms if room >= more]
    if not where:
        return f"It does not fit: no node has {show('memory', more)} of memory free by requests."
    return (
        f"It fits on the nodes: {len(where)} of {len(rooms)} have room for it by requests ({rooms[0][0]}: "
        f"{show('memory', rooms[0][1])} of memory free)."
    )


def _fit(case: Case, sizings: dict[Ref, Sizing]) -> str:
    rooms = _rooms(case)
    if not rooms or _blind(case):
        return ""
    lines = ["The scheduler counts requests, not limits: a higher limit alone reserves nothing more."]
    if (more := _needed(sizings)) > 0:
        lines.append(f"With the request raised to the new limit too, a pod needs {show('memory', more)} more memory.")
    lines.append("Memory free by requests: " + ", ".join(f"{name} {show('memory', room)}" for name, room in rooms[:8]))
    return bullets("**Whether it fits**", lines)


SIZING = Topic(sizing_calls, say_sizing)
