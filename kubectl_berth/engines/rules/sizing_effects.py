"""What a proposed request or limit brings with it: room on the nodes, an autoscaler's percentages, who was to blame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from kubectl_berth.cluster.views import HorizontalPodAutoscaler
from kubectl_berth.diagnosis.capacity import takes_pods
from kubectl_berth.diagnosis.capacity_more import refit
from kubectl_berth.diagnosis.checks.memory import heaviest, killed_by_node, relief, system_kills, usage_lines
from kubectl_berth.diagnosis.fit import ZERO, requests, show
from kubectl_berth.diagnosis.say import count, said
from kubectl_berth.diagnosis.sizing import Sizing, Use, share
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.attributes import resources_said
from kubectl_berth.engines.rules.orders import without_orders
from kubectl_berth.engines.rules.topic import Said, bullets
from kubectl_berth.records import Ref

_FIELDS = (("request", re.compile(r"\brequests?\b", re.I)), ("limit", re.compile(r"\blimits?\b", re.I)))
_KILLED = re.compile(r"\boom\w*|\bkill\w*|\blimits?\b|\bmemory\b", re.IGNORECASE)


def asked_of(sizing: Sizing, text: str) -> Sizing:
    """The sizing with only the verdicts on the resources, and on requests or limits alone, that the question names."""
    names = set(resources_said(text))
    fields = {field for field, pattern in _FIELDS if pattern.search(text)} or {"request", "limit"}
    kept = [one for one in sizing.verdicts if one.resource in names]
    # a kill at the limit matters whichever of the two was asked about
    narrowed = [one for one in kept if one.field in fields or one.code == "oom-killed"]
    return replace(sizing, verdicts=tuple(narrowed))


def in_bounds(sizing: Sizing) -> str:
    """That nothing of what was asked about is out of bounds, in figures where it was limits alone."""
    if any(one.field == "request" for one in sizing.verdicts):
        names = sorted({one.resource for one in sizing.verdicts})
        what = "what" if len(names) > 1 else f"the {names[0]} that"
        return f"what it uses now lies between 40% and 100% of {what} it requests"
    told = []
    for one in sizing.verdicts:
        if one.figure and one.highest is not None:
            told.append(
                f"container {one.container} uses {show(one.resource, one.highest)} of its {one.resource} limit of "
                f"{show(one.resource, one.figure)} ({share(one.highest, one.figure)}%)"
            )
        elif one.figure is None:
            told.append(f"container {one.container} has no {one.resource} limit")
    return "; ".join(told) or "no limit is near"


def _new_needs(sizing: Sizing) -> dict[str, Decimal]:
    """What a pod would reserve with the proposed requests, {} where none is proposed."""
    moved = [one for one in sizing.verdicts if one.field == "request" and one.provisional is not None]
    if not moved or not sizing.pods:
        return {}
    needs = dict(requests(sizing.pods[0].spec))
    for one in moved:
        needs[one.resource] = needs.get(one.resource, ZERO) + (one.provisional or ZERO) - (one.figure or ZERO)
    return needs


def crowded(case: Case, ref: Ref, sizing: Sizing) -> str:
    """That the proposed requests do not fit on the nodes for all pods; "" where they do or that cannot be told."""
    inventory = case.inventory
    needs = _new_needs(sizing)
    if not needs or inventory.namespace is not None or {"pods", "nodes"} & inventory.unread or not inventory.nodes:
        return ""
    fit = refit(inventory, sizing.pods, needs)
    if fit >= len(sizing.pods):
        return ""
    moved = {one.resource for one in sizing.verdicts if one.field == "request" and one.provisional is not None}
    each = ", ".join(f"{show(name, needs[name])} {name}" for name in sorted(moved))
    nodes = count(sum(takes_pods(node) for node in inventory.nodes), "node")
    return (
        f"But that does not fit: with {each} a pod only {fit} of the {len(sizing.pods)} pods of {ref} find room on the "
        f"{nodes} by requests, and the rest would stay Pending; raise it less, or make room first."
    )


def shifted(case: Case, ref: Ref, sizing: Sizing) -> str:
    """That a new request moves the percentages which an autoscaler goes by; "" where none does."""
    moved = {one.resource: one for one in sizing.verdicts if one.field == "request" and one.provisional is not None}
    for scaler in case.inventory.autoscalers:
        if scaler.target != ref:
            continue
        for name, target in _targets(scaler):
            verdict = moved.get(name)
            if verdict is None or verdict.provisional is None:
                continue
            use = next((one for one in sizing.containers if one.name == verdict.container), None)
            return (
                f"{scaler.ref} goes by {name} in per cent of that request (target {target}%): a new one shifts it"
                f"{_per_cent(use, name, verdict.figure, verdict.provisional)}."
            )
    return ""


def _per_cent(use: Use | None, name: str, before: Decimal | None, after: Decimal) -> str:
    many = use.used.get(name, ()) if use is not None else ()
    if not many or not before:
        return ""
    mean = sum(many, ZERO) / len(many)
    return f", from {share(mean, before)}% now to {share(mean, after)}%"


def _targets(scaler: HorizontalPodAutoscaler) -> Iterator[tuple[str, object]]:
    """The resources that it scales by in per cent of the request, with the target."""
    for metric in scaler.spec.metrics:
        for key in ("resource", "containerResource"):
            part = metric.get(key)
            target = part.get("target") if isinstance(part, dict) else None
            if isinstance(part, dict) and isinstance(target, dict) and target.get("averageUtilization") is not None:
                yield str(part.get("name")), target["averageUtilization"]


def node_victim(case: Case, ref: Ref, sizing: Sizing) -> Said | None:
    """That what was killed for lack of memory was no victim of its own limit but of its node's; None else."""
    inventory = case.inventory
    low = any(one.code in ("oom-killed", "near-limit") and one.resource == "memory" for one in sizing.verdicts)
    if low or not _KILLED.search(case.understanding.text):
        return None
    for pod in sizing.pods:
        node = inventory.node(pod.spec.node_name)
        for status in pod.status.container_statuses:
            if node is None or not killed_by_node(inventory, pod, status):
                continue
            use = next((one for one in sizing.containers if one.name == status.name), None)
            most = heaviest(inventory, node)
            who = f" {most.words}." if most is not None and most.pod.ref != pod.ref else ""
            verdict = (
                f"No: its own limit did not kill it. Container {status.name} of {ref} was OOMKilled when {node.ref} "
                f"ran out of memory as a whole; {_at_most(use)}.{who}"
            )
            lines = [without_orders(said(one, inventory.now))[0] for one in system_kills(inventory, node)[:2]]
            help_ = relief(inventory, most)
            ways = [
                f"{help_[:1].upper()}{help_[1:]}.",
                "A memory request that fits its use keeps it from being among the first that are killed.",
            ]
            unchecked = ("How memory grew before the kill: the Kubernetes API keeps no usage over time.",)
            evidence = bullets(f"**Evidence** ({node.ref})", [*lines, *usage_lines(inventory, node)])
            return Said(verdict, [evidence], ways, unchecked, alone=True)
    return None


def _at_most(use: Use | None) -> str:
    highest = use.highest("memory") if use is not None else None
    limit = use.limits.get("memory") if use is not None else None
    if highest is None or limit is None:
        return "it was not at a limit of its own"
    return f"it uses {show('memory', highest)} of its limit of {show('memory', limit)}"
