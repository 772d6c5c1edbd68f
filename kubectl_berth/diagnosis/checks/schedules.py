"""Schedules that do not fire: CronJobs that are refused, late, blocked, suspended or cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import CronJob, Event, Job, age, duration, parse_time
from kubectl_berth.diagnosis.objects import HOUR, Inventory
from kubectl_berth.diagnosis.say import clip, count, listed, older, said
from kubectl_berth.records import Finding

DAY = 24 * HOUR
HANGS = 2 * HOUR


def check_cron_jobs(inventory: Inventory) -> Iterable[Finding]:
    """CronJobs that cannot fire, are suspended, or wait for a run that does not end."""
    for cron in inventory.cron_jobs:
        if cron.metadata.deletion_timestamp:
            continue
        if cron.spec.suspend:
            yield _cron_suspended(inventory, cron)
            continue
        held_up = [*_unreadable(inventory, cron), *_blocked(inventory, cron)]
        yield from held_up
        if not held_up and create_failure(inventory, cron) is None:
            yield from _late(inventory, cron)
        yield from _missed(inventory, cron)
        yield from _vanished(inventory, cron)


def create_failure(inventory: Inventory, cron: CronJob) -> Event | None:
    """The event that a Job of the schedule was refused, unless a Job was started since or the schedule is suspended."""
    event = inventory.newest(cron, "FailedCreate", within=DAY)
    if event is None or event.last_seen is None or cron.spec.suspend:
        return None
    started = [parse_time(cron.status.last_schedule_time)]
    started += [parse_time(job.metadata.creation_timestamp) for job in inventory.children(cron.ref)]
    made = inventory.newest(cron, "SuccessfulCreate", within=DAY)
    started += [made.last_seen] if made is not None else []
    return None if any(one is not None and one > event.last_seen for one in started) else event


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


def _late(inventory: Inventory, cron: CronJob) -> Iterator[Finding]:
    """A schedule that let more than two of its starts pass, although nothing of its own runs."""
    step, last = longest_step(cron.spec.schedule), cron.status.last_schedule_time
    if step is None or cron.status.active or not older(inventory.now, last, 2 * step + HOUR):
        return
    # a schedule that was resumed or rewritten lately has missed nothing
    edits = [one.time for one in cron.metadata.managed_fields if one.subresource != "status" and one.time]
    if any(not older(inventory.now, time, 2 * step + HOUR) for time in edits):
        return
    yield Finding(
        "warning" if edits else "info",
        cron.ref,
        "CronJobLate",
        f"it started nothing for {age(inventory.now, last)}, although its schedule {cron.spec.schedule!r} asks for a "
        f"start at least every {duration(step)}",
        (
            f"status.lastScheduleTime: {last}",
            f"spec: schedule {cron.spec.schedule!r}, suspend false",
            "status.active: none; no event says why",
        ),
        remedy="look at what refuses its Jobs (quotas of the namespace, webhooks) and at kube-controller-manager",
        disproof="it was suspended, or had another schedule, until lately",
    )


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
