"""Workloads that are behind their replicas, or have none because somebody wished so."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_berth.cluster.views import Pod, Service, Workload, condition
from kubectl_berth.diagnosis.checks.surroundings import relied_on
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import held, said, younger
from kubectl_berth.records import Finding, Severity

SETTLE = 120.0  # seconds that pods and controllers may take before anybody should worry


def severity_of(workload: Workload) -> Severity:
    """Critical where nothing is ready although something should be."""
    return "critical" if workload.ready == 0 and workload.desired > 0 else "warning"


def behind(inventory: Inventory, workload: Workload, waits: str = "") -> Iterator[Finding]:
    """A workload with fewer ready pods than it should have; `waits` says what else that holds up."""
    missing = workload.desired - workload.ready
    if missing <= 0 or settling(inventory, workload):
        return
    available = condition(workload.status.conditions, "Available")
    evidence = [f"status: {workload.ready} of {workload.desired} ready"]
    if available and available.status == "False":
        evidence.append(held(available, inventory.now))
    yield Finding(
        severity_of(workload),
        workload.ref,
        "ReplicasNotReady",
        f"{workload.ready} of {workload.desired} pods are ready{_serving(workload)}" + (f"; {waits}" if waits else ""),
        tuple(evidence),
        remedy="mend the pods that are not ready",
        disproof="as many ready pods as desired",
    )


def _serving(workload: Workload) -> str:
    if not workload.ready:
        return "; nothing of it serves"
    # members of a StatefulSet may need a majority of each other
    few = workload.kind == "StatefulSet" and workload.ready * 2 <= workload.desired
    return "" if few else "; it still serves"


def settling(inventory: Inventory, workload: Workload) -> bool:
    """True while a workload is only under way: all its pods exist, and those not ready are young and do not fail."""
    pods = [pod for pod in inventory.pods_of(workload.ref) if not pod.finished and not pod.terminating]
    unready = [pod for pod in pods if not pod.ready]
    if len(pods) < workload.desired:
        return _young_progress(inventory, workload) and all(starting(inventory, pod) for pod in unready)
    return all(starting(inventory, pod) for pod in unready)


def _young_progress(inventory: Inventory, workload: Workload) -> bool:
    progressing = condition(workload.status.conditions, "Progressing")
    if progressing and progressing.status == "True" and progressing.reason != "NewReplicaSetAvailable":
        return younger(inventory.now, progressing.last_update_time or progressing.last_transition_time, SETTLE)
    return younger(inventory.now, workload.metadata.creation_timestamp, SETTLE)


def starting(inventory: Inventory, pod: Pod) -> bool:
    """True for a pod that may still become ready by itself."""
    statuses = [*pod.status.init_container_statuses, *pod.status.container_statuses]
    if any(one.restart_count > 0 for one in statuses):
        return False
    if any(one.state.waiting and one.state.waiting.reason not in FRESH for one in statuses):
        return False
    scheduled = condition(pod.status.conditions, "PodScheduled")
    if scheduled and scheduled.status == "False":
        return False
    probes = [one for container in pod.spec.containers for one in (container.readiness_probe, container.startup_probe)]
    patience = max([SETTLE, *(float(one.patience) for one in probes if one)])
    return younger(inventory.now, pod.metadata.creation_timestamp, patience)


FRESH = frozenset({"", "ContainerCreating", "PodInitializing"})


# --- scaled to zero ---------------------------------------------------------------------------------------------------


def scaled_to_zero(inventory: Inventory, workload: Workload) -> Iterator[Finding]:
    """Zero replicas is a wish, not a fault, unless a Service still sends traffic there."""
    labels = workload.spec.template.metadata.labels
    behind = [
        one
        for one in inventory.services
        if one.namespace == workload.namespace
        and (_named_service(one, workload) or (one.spec.selector and one.spec.selector.items() <= labels.items()))
        and not any(pod.ready for pod in inventory.pods_of(one.ref))
    ]
    if not behind or workload.metadata.controller is not None:
        return
    event = inventory.newest(workload, "ScalingReplicaSet", "SuccessfulDelete", within=None)
    yield Finding(
        "warning" if missed_at_zero(inventory, workload) else "info",
        workload.ref,
        "ScaledToZero",
        f"it is scaled to zero, and {behind[0].ref} has nothing else behind it",
        ("spec.replicas: 0", *([said(event, inventory.now)] if event else [])),
        effects=tuple(one.ref for one in behind),
        remedy="scale it up if that was not meant; nothing has crashed",
        disproof="somebody scaled it down on purpose",
    )


_MAY_RELY = frozenset({"ingresses", "custom", "pods", "events"})
"""Lists in which something can stand that relies on a Service."""


def missed_at_zero(inventory: Inventory, workload: Workload) -> bool:
    """True where a workload without replicas is missed: it was scaled down just now, or something sends traffic to it.

    One that has rested for long, and that nothing else asks for, was scaled down on purpose.
    """
    if inventory.newest(workload, "ScalingReplicaSet", "SuccessfulDelete", within=None) is not None:
        return True
    if any(one.target == workload.ref and one.metadata.controller is None for one in inventory.autoscalers):
        return True
    labels = workload.spec.template.metadata.labels
    behind = [
        one
        for one in inventory.services
        if one.namespace == workload.namespace and one.spec.selector and one.spec.selector.items() <= labels.items()
    ]
    if behind and _MAY_RELY & inventory.unread:
        return True  # who sends traffic to it could not be read
    outside = any(one.spec.type in ("LoadBalancer", "NodePort") for one in behind)
    return outside or (bool(behind) and not relied_on(inventory).isdisjoint(one.ref for one in behind))


def _named_service(service: Service, workload: Workload) -> bool:
    """True for a Service of one pod of a StatefulSet."""
    name = service.spec.selector.get("statefulset.kubernetes.io/pod-name", "")
    return workload.kind == "StatefulSet" and name.rpartition("-")[0] == workload.name
