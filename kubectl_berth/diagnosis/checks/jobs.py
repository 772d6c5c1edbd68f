"""Jobs that fail or hang. A finished Job's failed pods are history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import Condition, Job, Pod, age, condition, parse_time
from kubectl_berth.diagnosis.objects import EPOCH, HOUR, Inventory
from kubectl_berth.diagnosis.say import clip, count, held, listed, older, younger
from kubectl_berth.records import Finding
from kubectl_berth.safety.shell import kubectl

DAY = 24 * HOUR
SIDECAR = 600.0  # seconds a helper may outlive the work


def check_jobs(inventory: Inventory) -> Iterable[Finding]:
    """Jobs that failed lately, keep failing, are held up or suspended."""
    for job in inventory.jobs:
        if job.metadata.deletion_timestamp:
            continue
        outcome = job.outcome()
        if outcome is not None and outcome.type == "Failed":
            if not _superseded(inventory, job):
                yield _failed(inventory, job, outcome)
        elif outcome is None and job.spec.suspend:
            yield _suspended(inventory, job)
        elif outcome is None:
            yield from _running(inventory, job)


def _superseded(inventory: Inventory, job: Job) -> bool:
    """True where a later run of the same schedule went well, or the failure is older than a day."""
    ended = job.outcome()
    owner = inventory.owner(job)
    siblings = [one for one in inventory.children(owner) if isinstance(one, Job)] if owner else []
    started = parse_time(job.status.start_time or job.metadata.creation_timestamp) or EPOCH
    for other in siblings:
        done = other.outcome()
        begun = parse_time(other.status.start_time or other.metadata.creation_timestamp) or EPOCH
        if begun > started and done is not None:
            return True
    return not siblings and ended is not None and older(inventory.now, ended.last_transition_time, DAY)


def _failed(inventory: Inventory, job: Job, outcome: Condition) -> Finding:
    deadline = outcome.reason == "DeadlineExceeded"
    since = age(inventory.now, outcome.last_transition_time)
    evidence = [held(outcome, inventory.now), f"status: {job.status.failed} failed, {job.status.succeeded} succeeded"]
    if deadline:
        evidence.append(f"spec.activeDeadlineSeconds: {job.spec.active_deadline_seconds}")
    elif job.spec.backoff_limit is not None:
        evidence.append(f"spec.backoffLimit: {job.spec.backoff_limit}")
    evidence += _endings(inventory, job)
    starved = not deadline and any("OOMKilled" in line for line in _endings(inventory, job))
    return Finding(
        "warning",
        job.ref,
        "JobDeadlineExceeded" if deadline else "JobFailed",
        f"it ran longer than its deadline of {job.spec.active_deadline_seconds}s and was stopped"
        if deadline
        else f"it failed {since} ago: {clip(outcome.message, 160) or outcome.reason}"
        + ("; its last pod was killed for using more memory than its limit allows (OOMKilled)" if starved else ""),
        tuple(evidence),
        remedy="find out why it takes so long before raising the deadline"
        if deadline
        else "raise the memory limit in its template, or find out why it uses so much, then run the Job again"
        if starved
        else f"{_read(inventory, job)}, then run the Job again",
        disproof="a later run that succeeded",
    )


def _endings(inventory: Inventory, job: Job) -> list[str]:
    """How the Job's last failed pod ended."""
    pods = _failed_pods(inventory, job)
    lines: list[str] = []
    for pod in pods[:1]:
        for status in pod.status.container_statuses:
            ended = status.state.terminated
            if ended and ended.exit_code:
                message = f": {clip(ended.message)}" if ended.message else ""
                lines.append(f"{pod.ref}: container {status.name} ended with {ended.reason} {ended.exit_code}{message}")
        if not lines and pod.status.reason:
            lines.append(f"{pod.ref}: {pod.status.reason} {clip(pod.status.message)}")
    if not pods:
        lines.append("no failed pod of it is left")
    return lines


def _failed_pods(inventory: Inventory, job: Job) -> list[Pod]:
    """The Job's failed pods that are left, the newest first."""
    failed = [pod for pod in inventory.pods_of(job.ref) if pod.status.phase == "Failed"]
    return sorted(failed, key=lambda pod: pod.metadata.creation_timestamp or "", reverse=True)


def _read(inventory: Inventory, job: Job) -> str:
    """How to learn why the Job's last pod failed, while one is left."""
    pods = _failed_pods(inventory, job)
    if not pods:
        return "its failed pods are gone, and their logs with them: look where logs are kept, or watch the next run"
    last = pods[0]
    dead = [
        one.name for one in last.status.container_statuses if one.state.terminated and one.state.terminated.exit_code
    ]
    which = ["-c", dead[0]] if dead and len(last.spec.containers) > 1 else []
    command = kubectl("logs", last.name, "-n", last.namespace, *which)
    return f"read the log of its last failed pod ({command}) and mend what it names"


def _running(inventory: Inventory, job: Job) -> Iterator[Finding]:
    failed = _failed_pods(inventory, job)
    lately = [pod for pod in failed if younger(inventory.now, pod.metadata.creation_timestamp, HOUR)]
    if lately and not job.status.succeeded:
        again = len(failed) == 1 and any(pod.status.phase == "Running" for pod in inventory.pods_of(job.ref))
        yield Finding(
            "info" if again else "warning",  # one failed try is what retries are for
            job.ref,
            "JobFailing",
            f"{count(len(failed), 'pod')} of it failed, it tries again",
            (f"status: {job.status.failed} failed, {job.status.active} active", *_endings(inventory, job)),
            remedy=_read(inventory, job),
            disproof="a pod of it that succeeded",
        )
    for pod in inventory.pods_of(job.ref):
        yield from _held_by_sidecar(inventory, job, pod)


def _held_by_sidecar(inventory: Inventory, job: Job, pod: Pod) -> Iterator[Finding]:
    done = [
        one for one in pod.status.container_statuses if one.state.terminated and one.state.terminated.exit_code == 0
    ]
    still = [one for one in pod.status.container_statuses if one.state.running]
    if not done or not still or pod.finished:
        return
    ended = done[0].state.terminated
    if ended is None or not older(inventory.now, ended.finished_at, SIDECAR):
        return
    yield Finding(
        "warning",
        job.ref,
        "JobHeldBySidecar",
        f"its work is done, but container {listed([one.name for one in still])} keeps its pod up, so it never ends",
        (
            f"{pod.ref}: container {done[0].name} ended with exit code 0 {age(inventory.now, ended.finished_at)} ago",
            f"{pod.ref}: container {listed([one.name for one in still])} still runs",
        ),
        remedy="make the helper a sidecar (an init container with restartPolicy Always), or let it end with the work",
        disproof="a helper that has ended",
    )


def _suspended(inventory: Inventory, job: Job) -> Finding:
    found = condition(job.status.conditions, "Suspended")
    evidence = ["spec.suspend: true"] + ([held(found, inventory.now)] if found else [])
    return Finding(
        "info",
        job.ref,
        "JobSuspended",
        "it is suspended, so it has no pods; it has not failed",
        tuple(evidence),
        remedy="set spec.suspend to false, if it should run",
        disproof="spec.suspend is not set",
    )
