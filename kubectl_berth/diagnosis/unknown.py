"""Objects of which no status says how they are: neither broken nor healthy."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_berth.cluster.views import Node, Pod, Workload, condition
from kubectl_berth.cluster.views.workloads import WorkloadStatus
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import listed, younger
from kubectl_berth.records import Gap, Ref

WHY = "unknown"
"""The reason of the gaps made here."""
FRESH = 120.0  # seconds in which a new object may not have a status yet


def unknown_states(inventory: Inventory) -> list[Ref]:
    """Nodes, pods and workloads whose status is missing or does not say whether they are ready."""
    things: tuple[Node | Pod | Workload, ...] = (*inventory.nodes, *inventory.pods, *inventory.workloads)
    return [
        one.ref for one in things if _untold(one) and not younger(inventory.now, one.metadata.creation_timestamp, FRESH)
    ]


def _untold(one: Node | Pod | Workload) -> bool:
    if isinstance(one, Workload):
        return blank(one)
    if isinstance(one, Pod) and one.status.phase not in ("", "Running", "Unknown"):
        return False
    return condition(one.status.conditions, "Ready") is None


def blank(workload: Workload) -> bool:
    """True for a workload without a status that should have pods."""
    wanted = workload.kind == "DaemonSet" or workload.desired > 0
    return wanted and workload.status == WorkloadStatus()


def state_gaps(inventory: Inventory) -> Iterator[Gap]:
    """A gap for each kind of which the state of some objects is not known."""
    kinds: dict[str, list[str]] = {}
    for ref in unknown_states(inventory):
        kinds.setdefault(ref.kind, []).append(str(ref).partition(" ")[2])
    for kind, names in kinds.items():
        yield Gap(f"{kind} {listed(names, 3)}", WHY, "no status says whether it is ready; state not judged")
