"""Autoscalers that cannot scale and budgets that let nobody go."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import structs

from kubectl_berth.cluster.views import Condition, HorizontalPodAutoscaler, PodDisruptionBudget, condition
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import aged, clip, count, held, listed
from kubectl_berth.diagnosis.wording import decisive, plain
from kubectl_berth.records import Finding, Ref

SETTLE = 180.0  # seconds until the first figures for new pods arrive
TARGETS = {
    "Deployment": "deployments",
    "StatefulSet": "stateful_sets",
    "ReplicaSet": "replica_sets",
}
_MISSING_REQUEST = re.compile(r"missing request for (\S+)(?: in container (\S+))?(?: of Pod (\S+))?", re.IGNORECASE)


def check_autoscalers(inventory: Inventory) -> Iterable[Finding]:
    """HorizontalPodAutoscalers without a target, without figures, or at their bound."""
    for scaler in inventory.autoscalers:
        if scaler.metadata.deletion_timestamp or not aged(inventory.now, scaler.metadata.creation_timestamp, SETTLE):
            continue
        known = TARGETS.get(scaler.spec.scale_target_ref.kind)
        if known and known not in inventory.unread and inventory.find(scaler.target) is None:
            yield Finding(
                "warning",
                scaler.ref,
                "AutoscalerTargetMissing",
                f"it scales {scaler.target}, which does not exist",
                (f"spec.scaleTargetRef: {scaler.target}",),
                remedy="correct the target's name, or delete the autoscaler",
                disproof="an object of that name",
            )
            continue
        active = condition(scaler.status.conditions, "ScalingActive")
        if active is not None and active.status == "False":
            if active.reason == "ScalingDisabled" and scaler.metadata.controller is not None:
                continue  # what made it scales to zero and back itself
            yield _inactive(inventory, scaler, active)
            continue
        able = condition(scaler.status.conditions, "AbleToScale")
        if able is not None and able.status == "False":
            words = f"it cannot scale: {clip(able.message, 200)}"
            yield _finding(inventory, scaler, able, "AutoscalerCannotScale", words, "mend what the condition names")
        yield from _at_maximum(inventory, scaler)


def _finding(
    inventory: Inventory, scaler: HorizontalPodAutoscaler, why: Condition, reason: str, summary: str, remedy: str
) -> Finding:
    status = scaler.status
    told = structs.replace(why, message=plain(why.message))  # its dumps of selectors say nothing
    return Finding(
        "warning",
        scaler.ref,
        reason,
        summary,
        (held(told, inventory.now), f"status: {status.current_replicas} replicas, {status.desired_replicas} wanted"),
        remedy=remedy,
        disproof=f"condition {why.type} of the good status",
    )


def _inactive(inventory: Inventory, scaler: HorizontalPodAutoscaler, why: Condition) -> Finding:
    missing = _MISSING_REQUEST.search(why.message)
    if missing:
        where = f" of container {missing[2]}" if missing[2] else ""
        return _finding(
            inventory, scaler, why, "AutoscalerMissingRequests",
            f"it cannot work out utilization: the {missing[1]} request{where} is missing in {scaler.target}",
            f"set a {missing[1]} request for every container of the pods, helpers included; limits do not count here",
        )  # fmt: skip
    if why.reason == "ScalingDisabled":
        return _finding(
            inventory, scaler, why, "AutoscalerDisabled",
            f"it does nothing while {scaler.target} is scaled to zero", "scale the target to 1 or more",
        )  # fmt: skip
    if why.reason == "AmbiguousSelector":
        return _finding(
            inventory, scaler, why, "AutoscalersOverlap",
            f"several autoscalers hold the same pods: {clip(why.message, 200)}", "let one autoscaler hold the target",
        )  # fmt: skip
    return _finding(
        inventory, scaler, why, "AutoscalerWithoutMetrics",
        f"it gets no figures to scale by: {decisive(why.message, 240)}",
        _find_figures(inventory, why.message),
    )  # fmt: skip


def _find_figures(inventory: Inventory, message: str) -> str:
    """Where to look for figures that do not come: at the API where that is down or absent, else at what feeds it."""
    kind = next((word for word in ("external", "custom") if f"{word} metric" in message.lower()), "resource")
    group = "metrics.k8s.io" if kind == "resource" else f"{kind}.metrics.k8s.io"
    for api in inventory.api_services:
        found = condition(api.status.conditions, "Available")
        if api.spec.group == group and found is not None and found.status == "True":
            return f"{api.ref} answers, so look at what feeds it: the source of the metric that the condition names"
    return "look at the metrics API it names: its APIService and the pods behind it"


def _at_maximum(inventory: Inventory, scaler: HorizontalPodAutoscaler) -> Iterator[Finding]:
    """Being held at the maximum is worth a word; being held at the minimum is rest."""
    limited = condition(scaler.status.conditions, "ScalingLimited")
    if limited is None or limited.status != "True" or limited.reason != "TooManyReplicas":
        return
    if scaler.status.current_replicas < scaler.spec.max_replicas:
        return
    yield _finding(
        inventory, scaler, limited, "AutoscalerAtMaximum",
        f"it wants more than its maximum of {scaler.spec.max_replicas} replicas for {scaler.target}",
        "raise maxReplicas if the nodes bear it, or find out why the load is so high",
    )  # fmt: skip


def check_budgets(inventory: Inventory) -> Iterable[Finding]:
    """PodDisruptionBudgets that block evictions, and pods that two of them claim."""
    for budget in inventory.budgets:
        if not budget.status.expected_pods or budget.status.disruptions_allowed > 0:
            continue
        allowed = condition(budget.status.conditions, "DisruptionAllowed")
        if allowed is not None and allowed.reason == "SyncFailed":
            yield _broken(inventory, budget, allowed)
        elif budget.status.current_healthy < budget.status.expected_pods:
            yield _unhealthy(budget)
        elif budget.metadata.controller is None:  # an operator's own budget over its primary is meant to be strict
            yield _strict(budget)
    yield from _overlapping(inventory)


def _figures(budget: PodDisruptionBudget) -> str:
    status = budget.status
    return (
        f"status: disruptionsAllowed {status.disruptions_allowed}, currentHealthy {status.current_healthy}, "
        f"desiredHealthy {status.desired_healthy}, expectedPods {status.expected_pods}"
    )


def _bound(budget: PodDisruptionBudget) -> str:
    if budget.spec.min_available is not None:
        return f"spec.minAvailable: {budget.spec.min_available}"
    return f"spec.maxUnavailable: {budget.spec.max_unavailable}"


def _broken(inventory: Inventory, budget: PodDisruptionBudget, why: Condition) -> Finding:
    return Finding(
        "warning",
        budget.ref,
        "BudgetNotComputed",
        f"it cannot be worked out, so no pod may be evicted: {clip(why.message, 200)}",
        (held(why, inventory.now), _figures(budget)),
        remedy="mend what the condition names; a budget over pods without a scalable owner needs minAvailable",
        disproof="a condition without SyncFailed",
    )


def _unhealthy(budget: PodDisruptionBudget) -> Finding:
    status = budget.status
    policy = budget.spec.unhealthy_pod_eviction_policy or "not set (IfHealthyBudget)"
    return Finding(
        "warning",
        budget.ref,
        "BudgetBlockedByUnhealthyPods",
        f"it lets no pod be evicted: {status.current_healthy} of {status.expected_pods} pods are healthy, it needs "
        f"{status.desired_healthy}",
        (_figures(budget), _bound(budget), f"spec.unhealthyPodEvictionPolicy: {policy}"),
        remedy="mend the unhealthy pods first; unhealthyPodEvictionPolicy AlwaysAllow lets broken pods go",
        disproof="as many healthy pods as needed",
    )


def _strict(budget: PodDisruptionBudget) -> Finding:
    return Finding(
        "info",
        budget.ref,
        "BudgetAllowsNoDisruption",
        f"it never lets a pod go: it needs all {budget.status.desired_healthy}; a drain of their nodes hangs",
        (_figures(budget), _bound(budget)),
        remedy="run one replica more than it needs, or relax it; do not force the eviction",
        disproof="disruptionsAllowed above 0",
    )


def _overlapping(inventory: Inventory) -> Iterator[Finding]:
    held_by: dict[Ref, list[PodDisruptionBudget]] = {}
    for budget in inventory.budgets:
        for pod in inventory.selected(budget.namespace, budget.spec.selector):
            held_by.setdefault(pod.ref, []).append(budget)
    told: set[tuple[str, ...]] = set()
    for ref, budgets in sorted(held_by.items()):
        names = tuple(sorted(one.name for one in budgets))
        if len(names) < 2 or names in told:
            continue
        told.add(names)
        pods = [one for one, mine in held_by.items() if tuple(sorted(b.name for b in mine)) == names]
        yield Finding(
            "warning",
            budgets[0].ref,
            "BudgetsOverlap",
            f"{count(len(pods), 'pod')} such as {ref.name} belong to several budgets ({listed(list(names))}), so none "
            "can be evicted",
            (f"spec.selector of {listed(list(names))} all match {ref}",),
            remedy="let one budget hold each pod",
            disproof="selectors that share no pod",
        )
