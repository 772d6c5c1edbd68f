"""StatefulSets whose pods are missing, or whose update waits for a pod that never gets ready."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_berth.cluster.views import Pod, PodSpec, Workload
from kubectl_berth.diagnosis.checks.replicas import behind, scaled_to_zero, severity_of, starting
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.records import Finding


def stateful_set(inventory: Inventory, workload: Workload) -> Iterator[Finding]:
    """What holds a StatefulSet up."""
    if workload.desired == 0:
        yield from scaled_to_zero(inventory, workload)
        return
    update = workload.spec.update_strategy
    partition = update.rolling_update.partition if update and update.rolling_update else None
    status = workload.status
    differs = bool(status.update_revision) and status.update_revision != status.current_revision
    ordered = workload.spec.pod_management_policy in ("", "OrderedReady")
    pods = [pod for pod in inventory.pods_of(workload.ref) if not pod.terminating]
    unready = sorted((pod for pod in pods if not pod.ready), key=_ordinal)
    if differs and ordered and not partition and (update is None or update.type != "OnDelete"):
        stale = [
            pod for pod in unready if pod.metadata.labels.get("controller-revision-hash") != status.update_revision
        ]
        if stale and not starting(inventory, stale[0]):
            yield _trapped(inventory, workload, stale[0])
            return
    elif differs and status.updated_replicas < workload.desired and workload.ready >= workload.desired:
        yield _held_back(workload, partition)
    yield from behind(inventory, workload, _not_made(workload, pods, unready) if ordered and unready else "")


def _not_made(workload: Workload, pods: list[Pod], unready: list[Pod]) -> str:
    """The pods that are not made because one before them is not ready: each waits for those of lower numbers."""
    first, there = _ordinal(unready[0]), {_ordinal(pod) for pod in pods}
    names = [f"{workload.name}-{number}" for number in range(first + 1, workload.desired) if number not in there]
    if not names:
        return ""
    verb = "is" if len(names) == 1 else "are"
    return f"{listed(names, 3)} {verb} not made before {unready[0].name} is ready (podManagementPolicy OrderedReady)"


def _trapped(inventory: Inventory, workload: Workload, pod: Pod) -> Finding:
    """A mended template that never reaches the broken pod: the controller waits for that very pod."""
    return Finding(
        severity_of(workload),
        workload.ref,
        "OldRevisionBlocksUpdate",
        f"its template was changed, but pod {pod.name} still has the old one and never gets ready, so the controller "
        "waits for it and replaces nothing",
        (
            _revision_line(workload),
            f"{pod.ref}: label controller-revision-hash {_revision_of(pod)}, not ready",
            "spec.podManagementPolicy: OrderedReady",
        ),
        effects=(pod.ref,) if _mended(workload, pod) else (),
        remedy=f"delete pod {pod.name} once, so that it is made anew from the new template; its claim stays",
        disproof="a pod whose controller-revision-hash is the update revision",
    )


def _mended(workload: Workload, pod: Pod) -> bool:
    """True where the new template differs from the pod in what may make it fail."""

    def telling(spec: PodSpec) -> list[object]:
        return [
            spec.node_selector,
            [(one.name, one.image, one.command, one.args, one.env, one.env_from) for one in spec.all_containers],
            [(one.resources, one.readiness_probe, one.liveness_probe) for one in spec.all_containers],
        ]

    return telling(workload.spec.template.spec) != telling(pod.spec)


def _held_back(workload: Workload, partition: int | None) -> Finding:
    why = f"partition {partition}" if partition else "the strategy OnDelete" if _on_delete(workload) else "its strategy"
    return Finding(
        "info",
        workload.ref,
        "UpdateHeldBack",
        f"{workload.updated} of {workload.desired} pods have the new template: {why} holds the rest back",
        (
            _revision_line(workload),
            f"spec.updateStrategy: {why}",
        ),
        remedy="lower the partition, or delete the pods one by one, if the update is meant for all",
        disproof="the same revision on every pod",
    )


def _revision_line(workload: Workload) -> str:
    return f"status: updateRevision {workload.status.update_revision}, current {workload.status.current_revision}"


def _revision_of(pod: Pod) -> str:
    return pod.metadata.labels.get("controller-revision-hash", "none")


def _on_delete(workload: Workload) -> bool:
    return workload.spec.update_strategy is not None and workload.spec.update_strategy.type == "OnDelete"


def _ordinal(pod: Pod) -> int:
    tail = pod.name.rsplit("-", 1)[-1]
    return int(tail) if tail.isdigit() else 0
