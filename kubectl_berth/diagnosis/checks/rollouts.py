"""Workloads that are behind their replicas, and updates that do not get on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import Workload, condition
from kubectl_berth.diagnosis.checks.replicas import behind, scaled_to_zero, settling, severity_of, starting
from kubectl_berth.diagnosis.checks.stateful_sets import stateful_set
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import aged, count, held, listed, younger
from kubectl_berth.diagnosis.unknown import blank
from kubectl_berth.records import Finding
from kubectl_berth.safety.shell import kubectl

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
            yield from stateful_set(inventory, workload)
        else:
            yield from behind(inventory, workload)


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


# --- Deployments ------------------------------------------------------------------------------------------------------


def _deployment(inventory: Inventory, deployment: Workload) -> Iterator[Finding]:
    progressing = condition(deployment.status.conditions, "Progressing")
    if deployment.desired == 0:
        yield from scaled_to_zero(inventory, deployment)
        return
    if deployment.spec.paused:
        yield from _paused(inventory, deployment)
        return
    stalled = progressing is not None and progressing.status == "False"
    unfinished = deployment.updated < deployment.desired or deployment.status.replicas > deployment.updated
    if not stalled and (not unfinished or settling(inventory, deployment)):
        yield from behind(inventory, deployment)
        return
    if not stalled and not _stuck_rollout(inventory, deployment):
        if _newest(inventory, deployment) is None:  # nothing tells of an update, only of pods that are missing
            yield from behind(inventory, deployment)
        return
    evidence = [held(progressing, inventory.now)] if progressing else []
    old, words = _revisions(inventory, deployment)
    evidence.append(f"status: {deployment.updated} updated, {deployment.ready} ready of {deployment.desired}")
    back = f" (kubectl rollout undo deployment/{deployment.name} -n {deployment.namespace})"
    yield Finding(
        severity_of(deployment),
        deployment.ref,
        "RolloutStalled",
        _standstill(inventory, deployment, old),
        (*evidence, *words, *_strategy(deployment)),
        remedy="mend what keeps the new pods from becoming ready"
        + (f", or go back{back}" if _updating(inventory, deployment) else ""),
        disproof="new pods that have become ready since",
    )


def _standstill(inventory: Inventory, deployment: Workload, old: int) -> str:
    """What does not get on: an update, a first rollout, or a change of the number of pods; and who serves."""
    few = f"{deployment.ready} of {deployment.desired} pods are ready"
    if not _updating(inventory, deployment):
        return f"it does not come up: {few}" if deployment.ready == 0 else f"it does not get all its pods: {few}"
    if deployment.ready == 0:
        return "its update does not get on; nothing of it serves"
    if not old:
        return f"its update does not get on; no pod of the old version is left, {few}"
    return f"its update does not get on; the {count(old, 'pod')} of the old version still {_serve(old)}"


def _serve(number: int) -> str:
    return "serves" if number == 1 else "serve"


def _updating(inventory: Inventory, deployment: Workload) -> bool:
    """True where a newer template is on its way: an older one still has pods, or the newest has none that is ready."""
    sets = _sets(inventory, deployment)
    return len(sets) > 1 and (sets[0].ready == 0 or any(one.status.replicas for one in sets[1:]))


def _stuck_rollout(inventory: Inventory, deployment: Workload) -> bool:
    """True where an unfinished update has a new pod that fails, or none although it is time."""
    newest = _newest(inventory, deployment)
    pods = list(inventory.pods_of(newest.ref)) if newest else []
    if any(not pod.ready and not pod.terminating and not starting(inventory, pod) for pod in pods):
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
        wanted = max(one.status.replicas, one.desired)
        lines.append(f"{which} ReplicaSet {one.name}: {one.ready} of {wanted} pods ready, image {images}")
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
    yield from behind(inventory, deployment)
