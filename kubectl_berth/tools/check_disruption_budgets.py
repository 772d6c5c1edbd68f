"""check_disruption_budgets: which budgets block evictions, why, what helps, and which drains stop where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubectl_berth.cluster.views import Pod, condition
from kubectl_berth.diagnosis.disruption import State, drains, shared, states, unmanaged
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.records import Finding
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import clip, counted, listed
from kubectl_berth.tools.scope import gaps_about, known_namespace, narrowed, nothing_read, unread
from kubectl_berth.tools.tool import Arguments, Parameter, Report, Tool

BLOCKING = 20
OPEN = 20
NODES = 20
READ = ("poddisruptionbudgets.policy", "pods", "nodes", "replicasets.apps")
NARROWED = "budgets and pods of other namespaces count for a drain too, so whether a node drains cannot be told."
CLOSING = (
    "A drain asks again until the budget lets the pod go. Deleting the pod or the budget to get on takes away what the "
    "budget promises; relax it for the window instead, and put it back."
)


def check_disruption_budgets(context: Context, arguments: Arguments) -> Report:
    """Budgets of a namespace or of all. Raises ToolError where they could not be read."""
    namespace = arguments.get("namespace") or context.scope
    inventory = context.inventory()
    gaps = gaps_about(inventory, READ)
    if not inventory.budgets and "budgets" in inventory.unread:
        raise nothing_read("The disruption budgets", gaps)
    every = states(inventory, namespace)
    overlaps = shared(inventory, namespace)
    where = f" in {namespace}" if namespace else ""
    if not every:
        known_namespace(context, arguments.get("namespace"))
        words = f"No PodDisruptionBudgets{where}: none blocks an eviction there, and none protects anything."
        told = [*narrowed(context, NARROWED), words, *_unmanaged(inventory, namespace)]
        text = "\n".join(told) + unread(gaps)
        return Report(text, empty=True, gaps=tuple(gaps))
    blocking = [one for one in every if one.blocks]
    lines = narrowed(context, NARROWED)
    lines += [f"{len(blocking)} of {counted(len(every), 'PodDisruptionBudget')}{where} block evictions now."]
    for one in blocking[:BLOCKING]:
        lines += _blocking(inventory, one)
    if len(blocking) > BLOCKING:
        lines.append(f"and {len(blocking) - BLOCKING} more that block")
    lines += _overlaps(overlaps)
    lines += _drains(inventory, drains(inventory, every, overlaps), where)
    lines += [*_unmanaged(inventory, namespace), *_open([one for one in every if not one.blocks])]
    if blocking or overlaps:
        lines.append(CLOSING)
    budgets = {one.budget.ref for one in every}
    findings = [one for one in context.findings() if one.subject in budgets] + _findings(every)
    return Report("\n".join(lines) + unread(gaps), gaps=tuple(gaps), findings=tuple(findings))


def _bound(one: State) -> str:
    spec = one.budget.spec
    if spec.min_available is not None:
        return f"minAvailable {spec.min_available}"
    return f"maxUnavailable {spec.max_unavailable}" if spec.max_unavailable is not None else "no bound"


def _figures(one: State) -> str:
    status = one.budget.status
    return (
        f"{_bound(one)}, healthy {status.current_healthy} of {status.expected_pods}, needs {status.desired_healthy}, "
        f"disruptionsAllowed={status.disruptions_allowed}"
    )


# --- those that block -------------------------------------------------------------------------------------------------


def _blocking(inventory: Inventory, one: State) -> list[str]:
    budget = one.budget
    lines = [f"BLOCKS {budget.namespace}/{budget.name}: {_figures(one)}. Guards {_guarded(inventory, one.pods)}."]
    lines.append(f"  why: {_why(inventory, one)}")
    lines.append(f"  way out: {_way_out(one)}")
    if one.single:
        lines.append(
            "  a budget cannot save a single replica: it only makes the drain hang; when the node dies it dies"
        )
    return lines


def _guarded(inventory: Inventory, pods: Sequence[Pod]) -> str:
    """The workloads, or the operator's resources, behind the pods."""
    tops = dict.fromkeys(str(next(reversed(inventory.owners(pod)), pod.ref)) for pod in pods)
    return listed(tops, 3) or "no pod"


def _why(inventory: Inventory, one: State) -> str:
    budget, status = one.budget, one.budget.status
    if one.code == "old-status":
        return (
            f"its status is of an older spec (observedGeneration {status.observed_generation or 0} of generation "
            f"{budget.metadata.generation}): every eviction is refused until the disruption controller caught up"
        )
    if one.code == "not-computed":
        allowed = condition(status.conditions, "DisruptionAllowed")
        return f"it cannot be worked out (SyncFailed): {clip(allowed.message, 240) if allowed else ''}"
    if one.code == "never":
        return f"{_bound(one)} lets no pod go, however many replicas there are"
    if one.code == "under-way":
        return (
            f"an eviction is under way ({listed(sorted(status.disrupted_pods), 3)}); the next waits for a healthy pod"
        )
    if one.code == "unhealthy":
        sick = [pod for pod in one.pods if not pod.ready]
        missing = f"; not ready: {listed((pod.name for pod in sick), 4)}" if sick else "; some pods do not exist"
        words = f"not enough healthy pods: needs {one.needed}, has {status.current_healthy}{missing}"
        return f"{words}. {_policy(one, sick)}".strip()
    rule = f" ({_bound(one)} of {status.expected_pods} is rounded up to {one.needed})" if _percent(one) else ""
    words = f"it needs {one.needed} healthy pods{rule} and there are {status.current_healthy}"
    return f"{words}: all are healthy, none is to spare"


def _percent(one: State) -> bool:
    return str(one.budget.spec.min_available or one.budget.spec.max_unavailable or "").endswith("%")


def _policy(one: State, sick: Sequence[Pod]) -> str:
    if one.budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow":
        return "The unhealthy ones may be evicted (AlwaysAllow), the healthy ones not"
    if not sick:
        return ""
    return "The unhealthy ones may not be evicted either (unhealthyPodEvictionPolicy is not AlwaysAllow)"


def _way_out(one: State) -> str:
    status = one.budget.status
    if one.code == "old-status":
        return "wait; if it stays, look at kube-controller-manager"
    if one.code == "not-computed":
        return "mend what the message names (selector, owner without a scale subresource)"
    if one.code == "under-way":
        return "wait until the evicted pod's replacement is ready"
    if one.code == "unhealthy":
        return "mend the unhealthy pods; unhealthyPodEvictionPolicy AlwaysAllow lets those that never become ready go"
    relax = _relaxed(one)
    if one.code == "never" or one.enough is None:
        return relax
    return f"scale up to {one.enough} replicas (from {status.expected_pods or len(one.pods)}), or {relax}"


def _relaxed(one: State) -> str:
    """The bound that lets one pod go now."""
    count = one.budget.status.expected_pods or len(one.pods)
    if count <= 1:
        return "for the window let its only pod go (maxUnavailable 1): it is down until it runs elsewhere"
    if one.budget.spec.min_available is not None:
        return f"for the window relax it to minAvailable {count - 1}"
    return "for the window relax it to maxUnavailable 1"


def _overlaps(overlaps: Mapping[tuple[str, ...], Sequence[Pod]]) -> list[str]:
    return [
        f"BLOCKS {namespace}: {listed((pod.name for pod in pods), 4)} guarded by several budgets ({', '.join(names)}): "
        "the eviction API refuses such a pod (error 500); let one budget guard each pod"
        for (namespace, *names), pods in overlaps.items()
    ]


# --- nodes ------------------------------------------------------------------------------------------------------------


def _drains(inventory: Inventory, stopped: Mapping[str, Sequence[tuple[Pod, str]]], where: str) -> list[str]:
    """Which nodes' drains stop; `where` is the one namespace whose budgets were looked at, if it was only one."""
    others = "; those of other namespaces were not looked at" if where else ""
    if not stopped:
        return [f"No node's drain is blocked by a budget{where}{others}."]
    lines = [f"Drains that stop ({counted(len(stopped), 'node')}):"]
    for node, held in list(stopped.items())[:NODES]:
        told = listed((f"{pod.namespace}/{pod.name} ({budget})" for pod, budget in held), 6)
        lines.append(f"  {node}: {told}")
    if len(stopped) > NODES:
        lines.append(f"  and {len(stopped) - NODES} more nodes")
    free = sorted(node.name for node in inventory.nodes if node.name not in stopped)
    return [*lines, f"  not blocked by a budget{where}: {listed(free)}{others}"] if free else lines


def _unmanaged(inventory: Inventory, namespace: str | None) -> list[str]:
    pods = unmanaged(inventory, namespace)
    if not pods:
        return []
    told = listed((f"{pod.namespace}/{pod.name} on {pod.spec.node_name}" for pod in pods), 6)
    return [f"Pods without a controller stop a drain too, and forcing it loses them for good: {told}."]


def _open(rest: Sequence[State]) -> list[str]:
    lines = []
    for one in rest[:OPEN]:
        name = f"{one.budget.namespace}/{one.budget.name}"
        if one.code == "empty":
            lines.append(f"open {name}: {_bound(one)}, its selector matches no pod: it protects nothing")
            continue
        note = "; its only pod may go: a budget does not protect a single replica" if one.single else ""
        lines.append(f"open {name}: {_figures(one)}{note}")
    return [*lines, f"and {len(rest) - OPEN} more that are open"] if len(rest) > OPEN else lines


def _findings(every: Sequence[State]) -> list[Finding]:
    return [
        Finding(
            "warning",
            one.budget.ref,
            "BudgetStatusOld",
            "its status is of an older spec, so every eviction of its pods is refused",
            (
                f"status.observedGeneration {one.budget.status.observed_generation or 0}, metadata.generation "
                f"{one.budget.metadata.generation}",
            ),
            remedy="look at kube-controller-manager if it stays so",
            disproof="an observedGeneration that has caught up",
        )
        for one in every
        if one.code == "old-status"
    ]


CHECK_DISRUPTION_BUDGETS = Tool(
    name="check_disruption_budgets",
    description="Which PodDisruptionBudgets block evictions and which nodes' drains, why, and the way out.",
    run=check_disruption_budgets,
    parameters=(Parameter("namespace", "string", "omit for all"),),
)
