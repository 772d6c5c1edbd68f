"""Workloads that are behind their replicas, and updates that do not get on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import Pod, PodSpec, Service, Workload, condition
from kubectl_berth.diagnosis.checks.surroundings import relied_on
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import aged, count, held, listed, said, younger
from kubectl_berth.diagnosis.unknown import blank
from kubectl_berth.records import Finding, Severity
from kubectl_berth.safety.shell import kubectl

SETTLE = 120.0  # seconds that pods and controllers may take before anybody should worry
UNSEEN = 300.0  # seconds after which a controller that has not seen a change is odd


def check_workloads(inventory: Inventory) -> Iterable[Finding]:
    """Deployments, StatefulSets, DaemonSets and ReplicaSets of their own."""
    alone = [
        one
        for one in inventory.replica_sets
        if (above := inventory.owner(one)) is None or inventory.find(above) is None
    ]
    for workload in [*inventory.workloads, *alone]:
        if workload.metadata.deletion_timestamp or (blank(workload) and not workload.metadata.creation_timestamp):
            continue
        unseen = _unseen(inventory, workload)
        if unseen:
            yield unseen
        elif workload.kind == "Deployment":
            yield from _deployment(inventory, workload)
        elif workload.kind == "StatefulSet":
            yield from _stateful_set(inventory, workload)
        else:
            yield from _behind(inventory, workload)


def severity_of(workload: Workload) -> Severity:
    """Critical where nothing is ready although something should be."""
    return "critical" if workload.ready == 0 and workload.desired > 0 else "warning"


def _unseen(inventory: Inventory, workload: Workload) -> Finding | None:
    if workload.observed or not aged(inventory.now, workload.metadata.creation_timestamp, UNSEEN):
        return None
    if _moving(inventory, workload):
        return None
    return Finding(
        "critical",
        workload.ref,
        "ControllerNotReconciling",
        "its controller has not seen the present spec",
        (
            f"metadata.generation {workload.metadata.generation}, status.observedGeneration "
            f"{workload.status.observed_generation}",
            f"status: {workload.ready} of {workload.desired} ready",
        ),
        remedy="look at kube-controller-manager: its pod, and its lease in kube-system",
        disproof="an observedGeneration that has caught up",
    )


def _moving(inventory: Inventory, workload: Workload) -> bool:
    """True where its conditions changed within the last minutes: the controller is at work."""
    return any(
        younger(inventory.now, time, UNSEEN)
        for one in workload.status.conditions
        for time in (one.last_update_time, one.last_transition_time)
        if time
    )


# --- behind its replicas ----------------------------------------------------------------------------------------------


def _behind(inventory: Inventory, workload: Workload, *more: str) -> Iterator[Finding]:
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
        f"{workload.ready} of {workload.desired} pods are ready"
        + ("; it still serves" if workload.ready else "; nothing of it serves"),
        (*evidence, *more),
        remedy="mend the pods that are not ready",
        disproof="as many ready pods as desired",
    )


def settling(inventory: Inventory, workload: Workload) -> bool:
    """True while a workload is only under way: all its pods exist, and those not ready are young and do not fail."""
    pods = [pod for pod in inventory.pods_of(workload.ref) if not pod.finished and not pod.terminating]
    unready = [pod for pod in pods if not pod.ready]
    if len(pods) < workload.desired:
        return _young_progress(inventory, workload) and all(_starting(inventory, pod) for pod in unready)
    return all(_starting(inventory, pod) for pod in unready)


def _young_progress(inventory: Inventory, workload: Workload) -> bool:
    progressing = condition(workload.status.conditions, "Progressing")
    if progressing and progressing.status == "True" and progressing.reason != "NewReplicaSetAvailable":
        return younger(inventory.now, progressing.last_update_time or progressing.last_transition_time, SETTLE)
    return younger(inventory.now, workload.metadata.creation_timestamp, SETTLE)


def _starting(inventory: Inventory, pod: Pod) -> bool:
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


# --- Deployments ------------------------------------------------------------------------------------------------------


def _deployment(inventory: Inventory, deployment: Workload) -> Iterator[Finding]:
    progressing = condition(deployment.status.conditions, "Progressing")
    if deployment.desired == 0:
        yield from _scaled_to_zero(inventory, deployment)
        return
    if deployment.spec.paused:
        yield from _paused(inventory, deployment)
        return
    stalled = progressing is not None and progressing.status == "False"
    unfinished = deployment.updated < deployment.desired or deployment.status.replicas > deployment.updated
    if not stalled and (not unfinished or settling(inventory, deployment)):
        yield from _behind(inventory, deployment)
        return
    if not stalled and not _stuck_rollout(inventory, deployment):
        if _newest(inventory, deployment) is None:  # nothing tells of an update, only of pods that are missing
            yield from _behind(inventory, deployment)
        return
    evidence = [held(progressing, inventory.now)] if progressing else []
    old, words = _revisions(inventory, deployment)
    evidence.append(f"status: {deployment.updated} updated, {deployment.ready} ready of {deployment.desired}")
    serving = f"the {count(old, 'pod')} of the old version still serve" if old else "no pod of the old version is left"
    if deployment.ready == 0:
        serving = "nothing of it serves"
    yield Finding(
        severity_of(deployment),
        deployment.ref,
        "RolloutStalled",
        f"its update does not get on; {serving}",
        (*evidence, *words, *_strategy(deployment)),
        remedy="mend what keeps the new pods from becoming ready, or go back (kubectl rollout undo "
        f"deployment/{deployment.name} -n {deployment.namespace})",
        disproof="new pods that have become ready since",
    )


def _stuck_rollout(inventory: Inventory, deployment: Workload) -> bool:
    """True where an unfinished update has a new pod that fails, or none although it is time."""
    newest = _newest(inventory, deployment)
    pods = list(inventory.pods_of(newest.ref)) if newest else []
    if any(not pod.ready and not pod.terminating and not _starting(inventory, pod) for pod in pods):
        return True
    failure = condition(deployment.status.conditions, "ReplicaFailure")
    if failure is not None and failure.status == "True":
        return True
    return not pods and newest is not None and aged(inventory.now, newest.metadata.creation_timestamp, UNSEEN)


def _newest(inventory: Inventory, deployment: Workload) -> Workload | None:
    sets = _sets(inventory, deployment)
    return sets[0] if sets else None


def _sets(inventory: Inventory, deployment: Workload) -> list[Workload]:
    """The ReplicaSets of a Deployment, the newest revision first."""
    mine = [one for one in inventory.children(deployment.ref) if isinstance(one, Workload)]
    return sorted(mine, key=lambda one: (one.revision, one.metadata.creation_timestamp or ""), reverse=True)


def _revisions(inventory: Inventory, deployment: Workload) -> tuple[int, list[str]]:
    """How many pods of older revisions are ready, and a line for each ReplicaSet that has pods."""
    sets = _sets(inventory, deployment)
    lines = []
    for index, one in enumerate(sets):
        if index and not one.status.replicas:
            continue
        images = listed([container.image for container in one.spec.template.spec.containers], 3)
        which = "new" if index == 0 else "old"
        lines.append(f"{which} ReplicaSet {one.name}: {one.ready} of {one.status.replicas} pods ready, image {images}")
    return sum(one.ready for one in sets[1:]), lines


def _strategy(deployment: Workload) -> list[str]:
    update = deployment.spec.strategy.rolling_update if deployment.spec.strategy else None
    if update is None:
        return []
    return [f"spec.strategy: maxSurge {update.max_surge}, maxUnavailable {update.max_unavailable}"]


def _paused(inventory: Inventory, deployment: Workload) -> Iterator[Finding]:
    newest = _newest(inventory, deployment)
    template = [one.image for one in deployment.spec.template.spec.containers]
    running = [one.image for one in newest.spec.template.spec.containers] if newest else template
    pending = template != running or deployment.updated < deployment.desired
    yield Finding(
        "warning" if pending else "info",
        deployment.ref,
        "RolloutPaused",
        "it is paused: changes to its template are not rolled out",
        (
            "spec.paused: true",
            f"status: {deployment.updated} updated, {deployment.ready} ready of {deployment.desired}",
        ),
        remedy=f"{kubectl('rollout', 'resume', f'deployment/{deployment.name}', '-n', deployment.namespace)}, unless "
        "somebody paused it on purpose",
        disproof="spec.paused is not set",
    )
    yield from _behind(inventory, deployment)


def _scaled_to_zero(inventory: Inventory, workload: Workload) -> Iterator[Finding]:
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


# --- StatefulSets -----------------------------------------------------------------------------------------------------


def _stateful_set(inventory: Inventory, workload: Workload) -> Iterator[Finding]:
    if workload.desired == 0:
        yield from _scaled_to_zero(inventory, workload)
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
        if stale and not _starting(inventory, stale[0]):
            yield _trapped(inventory, workload, stale[0])
            return
    elif differs and status.updated_replicas < workload.desired and workload.ready >= workload.desired:
        yield _held_back(workload, partition)
    waiting = workload.desired - len(pods)
    more = []
    if ordered and unready and waiting > 0:
        more.append(
            f"{unready[0].name} is not ready, so the {count(waiting, 'pod')} after it are not made (OrderedReady)"
        )
    yield from _behind(inventory, workload, *more)


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
