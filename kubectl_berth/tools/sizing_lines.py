"""A workload's requests and limits against usage as lines: the figures, then what is to be said of each."""

from __future__ import annotations

from decimal import Decimal

from kubectl_berth.cluster.views import duration
from kubectl_berth.diagnosis.fit import show
from kubectl_berth.diagnosis.sizing import HEADROOM, RESOURCES, Sizing, Use, Verdict, amounts, share
from kubectl_berth.tools.fields import counted

YOUNG = 1800.0
"""Seconds after its start in which what a container uses says little of what it will use."""

HISTORY = (
    "One snapshot is no history. Before lowering anything: 1-2 weeks of usage per container (p95 and p99 of cpu, the "
    "peak of memory), with nightly, weekly and month-end peaks; cpu throttling. The Kubernetes API has none of it; a "
    "metrics store (such as Prometheus) has."
)


def container_lines(sizing: Sizing, use: Use) -> list[str]:
    """A container: for each resource the figures and the verdicts."""
    lines = [f"{use.role} {use.name}:{_state(use)}"]
    for resource in RESOURCES:
        lines.append(f"  {resource}: {_figures(use, resource)}")
        lines += [f"    {words}" for one in sizing.of(use.name, resource) if (words := verdict_words(one, use))]
    return lines


def _state(use: Use) -> str:
    words = []
    if use.differ:
        words.append(f"pods differ in {' and '.join(use.differ)}, the largest counts here")
    if use.running_for is not None and use.running_for < YOUNG:
        words.append(f"the youngest runs for {duration(use.running_for)} only: its usage may still grow")
    return f" ({'; '.join(words)})" if words else ""


def _figures(use: Use, resource: str) -> str:
    request, limit, used = use.requests.get(resource), use.limits.get(resource), use.used.get(resource, ())
    parts = [f"request {show(resource, request)}" if request else "no request"]
    parts.append(f"limit {show(resource, limit)}" if limit else "no limit")
    if not used:
        return ", ".join([*parts, "usage not known"])
    highest = max(used)
    bounds = (("request", request), ("limit", limit))
    shares = [f"{share(highest, whole)}% of the {name}" for name, whole in bounds if whole]
    words = f"used {amounts(resource, used)}" + (" a pod" if len(used) > 1 else "")
    words += f" ({', '.join(shares)})" if shares else ""
    together = f", {show(resource, sum(used, Decimal(0)))} together" if len(used) > 1 else ""
    return ", ".join(parts) + f", {words}{together}"


def verdict_words(verdict: Verdict, use: Use) -> str:
    """A verdict with its rule and the provisional figure; "" where there is nothing to say."""
    resource, highest, figure = verdict.resource, verdict.highest, verdict.figure
    seen = show(resource, highest) if highest is not None else ""
    now = show(resource, figure) if figure is not None else ""
    name = f"{resource} {verdict.field}"
    if verdict.code == "no-request":
        less = "" if use.role == "init container" else ": the scheduler keeps no room for it"
        return f"{name} MISSING{less}" + _provisional(verdict)
    if verdict.code == "request-far-above-use":
        return f"{name} FAR TOO HIGH (over-provisioned: {seen} used is under 40% of {now})" + _provisional(verdict)
    if verdict.code == "request-below-use":
        risk = "evicted early when the node runs short" if resource == "memory" else "slowed down when the node is busy"
        return f"{name} TOO LOW ({seen} used is above {now}: {risk})" + _provisional(verdict)
    if verdict.code == "oom-killed":
        return (
            f"{name} TOO LOW (killed for reaching {now}: OOMKilled in {counted(use.oom_killed, 'pod')}; what it needs "
            f"is not known, the limit cut it off)" + _provisional(verdict, "raise or find the leak")
        )
    if verdict.code == "near-limit":
        risk = "OOM kill is near" if resource == "memory" else "throttling is likely"
        return f"{name} NEARLY REACHED ({seen} used is 90% of {now} or more: {risk})" + _provisional(verdict)
    if verdict.code == "no-limit" and resource == "memory" and use.role != "init container":
        return "memory limit missing: a leak can take the node's memory"
    if verdict.code == "fits" and verdict.field == "request":
        return f"{name} fits (used is between 40% and 100% of it)" if highest is not None else ""
    return ""


def _provisional(verdict: Verdict, word: str = "provisional") -> str:
    if verdict.provisional is None or verdict.highest is None:
        return "; no figure can be proposed without usage" if verdict.highest is None else ""
    resource = verdict.resource
    if verdict.code == "oom-killed":
        return f"; {word}: first step {show(resource, verdict.provisional)}, then watch"
    factor = verdict.provisional / verdict.highest if verdict.highest else HEADROOM[resource]
    whole = factor >= HEADROOM[resource]
    rule = f"{HEADROOM[resource]}x the highest use seen, rounded up" if whole else "held by the limit"
    return f"; {word} {show(resource, verdict.provisional)} ({rule})"


def totals(sizing: Sizing) -> list[str]:
    """What all pods together reserve and use, and what they would reserve."""
    words = []
    for resource in RESOURCES:
        held, used = sizing.reserved.get(resource, Decimal(0)), sizing.used.get(resource)
        part = f"{resource} reserved {show(resource, held)}"
        if used is not None and not sizing.unmeasured:
            part += f", used {show(resource, used)}" + (f" ({share(used, held)}%)" if held else "")
        words.append(part)
    who = "It" if len(sizing.pods) == 1 else f"All {len(sizing.pods)} pods together"
    lines = [f"{who}: {'; '.join(words)}."]
    told = []
    for resource in RESOURCES:
        old, new = sizing.reserved.get(resource, Decimal(0)), sizing.proposed(resource)
        if new is not None and new != old:
            told.append(f"{resource} {show(resource, old)} -> {show(resource, new)}")
    return [*lines, f"With the provisional requests that would be {', '.join(told)}."] if told else lines


def qos(sizing: Sizing) -> str:
    """The QoS class of the pods, "" where none is known."""
    counts: dict[str, int] = {}
    for pod in sizing.pods:
        if pod.status.qos_class:
            counts[pod.status.qos_class] = counts.get(pod.status.qos_class, 0) + 1
    words = [name if len(counts) == 1 else f"{count} {name}" for name, count in sorted(counts.items())]
    note = " (no requests and limits at all: evicted first)" if "BestEffort" in counts else ""
    return f"QoS {', '.join(words)}{note}" if words else ""
