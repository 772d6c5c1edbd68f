"""States that are no fault and still explain what a person sees: done, scaled to zero below, an update under way."""

from __future__ import annotations

from kubectl_berth.cluster.views import CustomResource, Job, Pod, Workload, age, condition
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.records import Ref


def resting(inventory: Inventory, ref: Ref) -> str:
    """What follows the object's name in a sentence ("completed 3h ago: …"); "" where it simply runs."""
    view = inventory.find(ref)
    if isinstance(view, Pod):
        return _done(inventory, view)
    if isinstance(view, Job):
        return _completed(inventory, view)
    if isinstance(view, CustomResource):
        return _idle(inventory, view)
    return _updating(inventory, view) if isinstance(view, Workload) and ref.kind == "Deployment" else ""


def _done(inventory: Inventory, pod: Pod) -> str:
    if pod.status.phase != "Succeeded":
        return ""
    ends = [one.state.terminated for one in pod.status.container_statuses if one.state.terminated is not None]
    last = max((end.finished_at or "" for end in ends), default="")
    ago = f" {age(inventory.now, last)} ago" if last else ""
    return f"completed{ago}: its containers ended with exit code 0, so there is nothing to start again"


def _completed(inventory: Inventory, job: Job) -> str:
    outcome = job.outcome()
    if outcome is None or outcome.type == "Failed":
        return ""
    failed = f", after {job.status.failed} failed before it" if job.status.failed else ""
    ago = age(inventory.now, outcome.last_transition_time)
    return f"completed {ago} ago: {job.status.succeeded} succeeded{failed}"


def _idle(inventory: Inventory, view: CustomResource) -> str:
    """An operator's object of which all workloads want no pods, and have none."""
    below = [one for one in inventory.descendants(view.ref) if isinstance(one, Workload) and one.kind != "ReplicaSet"]
    if not below or any(one.desired for one in below) or inventory.pods_of(view.ref):
        return ""
    return f"is scaled to zero now: {below[0].ref} wants no pods, so nothing of it runs"


def _updating(inventory: Inventory, view: Workload) -> str:
    """An update that goes on: pods of the newest revision that are not ready yet beside ready ones of the old."""
    progress = condition(view.status.conditions, "Progressing")
    if progress is None or progress.reason not in ("ReplicaSetUpdated", "NewReplicaSetCreated", "FoundNewReplicaSet"):
        return ""
    sets = [one for one in inventory.children(view.ref) if isinstance(one, Workload) and one.kind == "ReplicaSet"]
    newest = max(sets, key=lambda one: (one.revision, one.metadata.creation_timestamp or ""), default=None)
    if newest is None or len(sets) < 2:
        return ""
    pods = [pod for pod in inventory.pods_of(view.ref) if not pod.finished and not pod.terminating]
    fresh = [pod for pod in pods if inventory.owner(pod) == newest.ref]
    ready = sum(pod.ready for pod in fresh)
    if len(fresh) == len(pods) and ready == view.desired:
        return ""
    return (
        f"is being updated, the update is under way ({progress.reason}): {ready} of {len(fresh)} pods of revision "
        f"{newest.revision} ready, {age(inventory.now, newest.metadata.creation_timestamp)} after it "
        f"was made; {sum(pod.ready for pod in pods if pod not in fresh)} ready ones of the revision before it"
    )
