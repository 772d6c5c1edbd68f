"""Disruption budgets as the eviction API reads them: which pods may not be evicted now, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kubectl_berth.cluster.views import Pod, PodDisruptionBudget, condition
from kubectl_berth.diagnosis.capacity import bound_to_node
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.records import Ref

FURTHER = 100  # replicas beyond the present ones that are looked at for one that lets a pod go

Code = Literal["open", "empty", "old-status", "not-computed", "never", "needs-all", "unhealthy", "under-way"]


@dataclass(frozen=True)
class State:
    """A budget now. `pods` are those it guards, `held` those of them that it lets nobody evict.

    `needed` is how many healthy pods it asks for, `enough` the fewest replicas with which one pod may go, None where no
    number helps.
    """

    budget: PodDisruptionBudget
    code: Code
    pods: tuple[Pod, ...]
    held: tuple[Pod, ...]
    needed: int
    enough: int | None

    @property
    def blocks(self) -> bool:
        """True where it keeps at least one pod from being evicted."""
        return bool(self.held)

    @property
    def single(self) -> bool:
        """True where it guards one pod: what no budget can save."""
        return (self.budget.status.expected_pods or len(self.pods)) == 1


def states(inventory: Inventory, namespace: str | None = None) -> list[State]:
    """The budgets of a namespace or of all, those that block first, then by name."""
    budgets = [one for one in inventory.budgets if namespace in (None, one.namespace)]
    found = [state(inventory, budget) for budget in budgets]
    return sorted(found, key=lambda one: (not one.blocks, one.budget.ref))


def state(inventory: Inventory, budget: PodDisruptionBudget) -> State:
    """One budget."""
    status = budget.status
    pods = tuple(pod for pod in inventory.pods_of(budget.ref) if not pod.finished)
    expected = status.expected_pods or len(pods)
    code = _code(budget, pods)
    held = tuple(sorted((pod for pod in pods if _held(budget, code, pod)), key=lambda pod: pod.ref))
    if not held and code not in ("open", "empty"):
        code = "open"
    return State(budget, code, pods, held, status.desired_healthy or needed(budget, expected), enough(budget, expected))


def _code(budget: PodDisruptionBudget, pods: Sequence[Pod]) -> Code:
    status = budget.status
    unfilled = bool(pods) and not status.expected_pods and not status.conditions
    if (status.observed_generation or 0) < (budget.metadata.generation or 0) or unfilled:
        return "old-status" if pods else "empty"
    allowed = condition(status.conditions, "DisruptionAllowed")
    if allowed is not None and allowed.reason == "SyncFailed":
        return "not-computed"
    if not pods and not status.expected_pods:
        return "empty"
    if status.disruptions_allowed > 0:
        return "open"
    expected = status.expected_pods or len(pods)
    if enough(budget, expected) is None:
        return "never"
    if status.disrupted_pods:
        return "under-way"
    return "unhealthy" if status.current_healthy < expected else "needs-all"


def _held(budget: PodDisruptionBudget, code: Code, pod: Pod) -> bool:
    """Whether the eviction API would refuse this pod for this budget's sake."""
    if code in ("open", "empty") or pod.terminating or pod.status.phase == "Pending":
        return False
    if pod.ready:
        return True
    if budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow":
        return False
    status = budget.status
    return code == "old-status" or not 0 < status.desired_healthy <= status.current_healthy


def needed(budget: PodDisruptionBudget, replicas: int) -> int:
    """How many healthy pods it asks for with so many replicas. Per cents are rounded up, of what may go as well."""
    if budget.spec.min_available is not None:
        return _scaled(budget.spec.min_available, replicas)
    if budget.spec.max_unavailable is not None:
        return max(0, replicas - _scaled(budget.spec.max_unavailable, replicas))
    return 0


def _scaled(bound: int | str, replicas: int) -> int:
    text = str(bound)
    if text.endswith("%") and text[:-1].isdigit():
        return -(-int(text[:-1]) * replicas // 100)
    return int(text) if text.isdigit() else 0


def enough(budget: PodDisruptionBudget, replicas: int) -> int | None:
    """The fewest replicas, at least as many as now, with which one healthy pod may go; None where no number helps."""
    for count in range(max(1, replicas), max(1, replicas) + FURTHER):
        if count - needed(budget, count) >= 1:
            return count
    return None


def shared(inventory: Inventory, namespace: str | None = None) -> dict[tuple[str, ...], list[Pod]]:
    """Names of budgets that guard the same pods, and those pods; the eviction API refuses each of these."""
    budgets: dict[Ref, list[str]] = {}
    pods: dict[Ref, Pod] = {}
    for budget in sorted(inventory.budgets, key=lambda one: one.ref):
        if namespace in (None, budget.namespace):
            for pod in inventory.pods_of(budget.ref):
                if not pod.finished and not pod.terminating and pod.status.phase != "Pending":
                    budgets.setdefault(pod.ref, []).append(budget.name)
                    pods[pod.ref] = pod
    found: dict[tuple[str, ...], list[Pod]] = {}
    for ref, names in sorted(budgets.items()):
        if len(names) > 1:
            found.setdefault((ref.namespace, *names), []).append(pods[ref])
    return found


def drains(
    inventory: Inventory, every: Sequence[State], overlaps: Mapping[tuple[str, ...], Sequence[Pod]]
) -> dict[str, list[tuple[Pod, str]]]:
    """By node: the pods at which its drain stops, each with the budget's name."""
    found: dict[str, list[tuple[Pod, str]]] = {}
    twice = {pod.ref for pods in overlaps.values() for pod in pods}
    for one in every:
        for pod in one.held:
            if pod.ref not in twice and pod.spec.node_name and not bound_to_node(inventory, pod):
                found.setdefault(pod.spec.node_name, []).append((pod, one.budget.name))
    for (_, *names), pods in overlaps.items():
        for pod in pods:
            if pod.spec.node_name:
                found.setdefault(pod.spec.node_name, []).append((pod, " and ".join(names)))
    return {node: sorted(held, key=lambda pair: pair[0].ref) for node, held in sorted(found.items())}


def unmanaged(inventory: Inventory, namespace: str | None = None) -> list[Pod]:
    """Pods that run without a controller: a drain refuses them, and forcing it deletes them for good."""
    return sorted(
        (
            pod
            for pod in inventory.pods
            if namespace in (None, pod.namespace)
            and not pod.finished
            and pod.spec.node_name
            and pod.metadata.controller is None
            and not bound_to_node(inventory, pod)
        ),
        key=lambda pod: pod.ref,
    )
