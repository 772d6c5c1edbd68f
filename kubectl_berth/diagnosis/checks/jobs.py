"""Jobs that fail or hang and schedules that do not fire. A finished Job's failed pods are history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import Condition, CronJob, Job, Pod, age, condition, parse_time
from kubectl_berth.diagnosis.objects import EPOCH, HOUR, Inventory
from kubectl_berth.diagnosis.say import clip, count, held, listed, older, said, younger
from kubectl_berth.records import Finding

DAY = 24 * HOUR
SIDECAR = 600.0  # seconds a helper may outlive the work
HANGS = 2 * HOUR


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
        else "read the log of its last failed pod and mend what it names, then run the Job again",
        disproof="a later run that succeeded",
    )


def _endings(inventory: Inventory, job: Job) -> list[str]:
    """How the Job's last failed pod ended."""
    pods = sorted(_failed_pods(inventory, job), key=lambda pod: pod.metadata.creation_timestamp or "", reverse=True)
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
    return [pod for pod in inventory.pods_of(job.ref) if pod.status.phase == "Failed"]


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
            remedy="read the log of the last failed pod",
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


# --- schedules --------------------------------------------------------------------------------------------------------


def check_cron_jobs(inventory: Inventory) -> Iterable[Finding]:
    """CronJobs that cannot fire, are suspended, or wait for a run that does not end."""
    for cron in inventory.cron_jobs:
        if cron.metadata.deletion_timestamp:
            continue
        if cron.spec.suspend:
            yield _cron_suspended(inventory, cron)
            continue
        yield from _unreadable(inventory, cron)
        yield from _blocked(inventory, cron)
        yield from _missed(inventory, cron)
        yield from _vanished(inventory, cron)


def _cron_suspended(inventory: Inventory, cron: CronJob) -> Finding:
    last = cron.status.last_schedule_time
    good = cron.status.last_successful_time
    evidence = ["spec.suspend: true", f"status.lastScheduleTime: {last or 'never'}"]
    evidence += [f"status.lastSuccessfulTime: {good}"] if good else []
    runs = [one for one in inventory.children(cron.ref) if isinstance(one, Job)]
    bad = [one for one in runs if (done := one.outcome()) and done.type == "Failed"]
    evidence.append(f"{count(len(runs), 'Job')} of it left, {len(bad)} failed")
    return Finding(
        "info",
        cron.ref,
        "CronJobSuspended",
        "it is suspended: it starts nothing"
        + (f" since {age(inventory.now, last)} ago" if last else "")
        + ", it does not fail",
        tuple(evidence),
        remedy="set spec.suspend to false, if it should run",
        disproof="spec.suspend is not set",
    )


def _unreadable(inventory: Inventory, cron: CronJob) -> Iterator[Finding]:
    event = inventory.newest(cron, "UnparseableSchedule", "UnknownTimeZone", "UnsupportedSchedule", within=DAY)
    if event is None:
        return
    yield Finding(
        "warning",
        cron.ref,
        "CronJobScheduleInvalid",
        f"it never fires: {clip(event.text, 200)}",
        (said(event, inventory.now), f"spec: schedule {cron.spec.schedule!r}, timeZone {cron.spec.time_zone!r}"),
        remedy="correct that field",
        disproof="an event SuccessfulCreate since",
    )


def _blocked(inventory: Inventory, cron: CronJob) -> Iterator[Finding]:
    event = inventory.newest(cron, "JobAlreadyActive")
    active = [one.name for one in cron.status.active]
    jobs = [one for one in inventory.jobs if one.namespace == cron.namespace and one.name in active]
    hung = [one for one in jobs if older(inventory.now, one.status.start_time, HANGS)]
    if cron.spec.concurrency_policy != "Forbid" or not jobs:
        return
    oldest = min(jobs, key=lambda one: one.status.start_time or "")
    step = longest_step(cron.spec.schedule)
    # events are gone after an hour; a run that outlasted a whole step has kept one from starting all the same
    outlasted = bool(hung) and step is not None and older(inventory.now, oldest.status.start_time, step)
    if event is None and not outlasted:
        return
    seen = (
        said(event, inventory.now)
        if event is not None
        else f"status.lastScheduleTime: {cron.status.last_schedule_time}"
    )
    yield Finding(
        "warning",
        cron.ref,
        "CronJobBlocked",
        f"it starts no new run while {oldest.ref} is active, for {age(inventory.now, oldest.status.start_time)} by now "
        "(concurrencyPolicy Forbid)",
        (seen, f"status.active: {listed(active)}", f"spec.schedule: {cron.spec.schedule}"),
        effects=(oldest.ref,),
        remedy=f"find out why {oldest.ref} does not end; a deadline (activeDeadlineSeconds) keeps that from lasting",
        disproof="an active run younger than the schedule's step",
    )


_NAMED_STEPS = {"@hourly": HOUR, "@daily": DAY, "@midnight": DAY, "@weekly": 7 * DAY}


def longest_step(schedule: str) -> float | None:
    """Seconds that lie at most between two starts of a schedule that names no day of the month; None for others."""
    fields = schedule.split()
    if len(fields) == 1:
        return _NAMED_STEPS.get(fields[0])
    if len(fields) != 5 or not all(one in ("*", "?") for one in fields[2:4]):
        return None
    if fields[4] not in ("*", "?"):
        return 7 * DAY
    return HOUR if fields[1] == "*" else DAY


def _missed(inventory: Inventory, cron: CronJob) -> Iterator[Finding]:
    """Starts that were skipped: the controller says so and goes on."""
    event = inventory.newest(cron, "TooManyMissedTimes", "MissSchedule", within=DAY)
    if event is None:
        return
    yield Finding(
        "info",
        cron.ref,
        "CronJobMissedStarts",
        "it missed starts; that is a warning only: the controller goes on with the next start",
        (
            said(event, inventory.now),
            f"status.lastScheduleTime: {cron.status.last_schedule_time or 'never'}",
            f"spec: schedule {cron.spec.schedule!r}, startingDeadlineSeconds {cron.spec.starting_deadline_seconds}",
        ),
        remedy="look at what kept it from starting (suspended, controller down, clock); no need to make it anew",
        disproof="starts at every step of the schedule",
    )


def _vanished(inventory: Inventory, cron: CronJob) -> Iterator[Finding]:
    """A last run that did not succeed and of which nothing is left to look at."""
    last, good = parse_time(cron.status.last_schedule_time), parse_time(cron.status.last_successful_time)
    if last is None or good is None or good >= last or cron.status.active or "jobs" in inventory.unread:
        return
    if (inventory.now - last).total_seconds() < HANGS or any(isinstance(x, Job) for x in inventory.children(cron.ref)):
        return
    yield Finding(
        "warning",
        cron.ref,
        "CronJobLastRunFailed",
        f"its last run, {age(inventory.now, last)} ago, did not succeed, and its Job is gone: why cannot be seen now",
        (
            f"status.lastScheduleTime: {cron.status.last_schedule_time}",
            f"status.lastSuccessfulTime: {cron.status.last_successful_time}",
            "no Job of it is left (failedJobsHistoryLimit, or ttlSecondsAfterFinished, took it away)",
        ),
        remedy="keep failed Jobs longer (failedJobsHistoryLimit, ttlSecondsAfterFinished) and look at the next run",
        disproof="a Job of that run",
    )
