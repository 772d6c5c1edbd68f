"""Jobs and schedules: what failed, what hangs, what is only suspended, what is history."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.objects import (
    ago,
    condition,
    ended,
    event,
    found,
    merged,
    obj,
    one,
    owned,
    pod,
    reasons,
    running,
    waiting,
)

BACKOFF = condition("Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit", 30)
DONE = condition("Complete", "True", minutes=30)


def job(name: str = "export", *conditions: dict, **rest: Any) -> dict:
    status = {"conditions": list(conditions), "startTime": ago(60), "failed": 0}
    return merged(obj("batch/v1", "Job", name, status=status, spec={"backoffLimit": 4}), rest)


def failed_pod(of: dict, code: int = 2, minutes: float = 35) -> dict:
    made = owned(
        pod(f"{of['metadata']['name']}-x", {"name": "app", "ready": False, "state": ended(code)}, phase="Failed"), of
    )
    made["metadata"]["creationTimestamp"] = ago(minutes)
    return made


def test_a_failed_job_tells_how_its_last_pod_ended() -> None:
    broken = job("export", BACKOFF)
    finding = one(found(broken, failed_pod(broken)), "JobFailed")
    text = " ".join(finding.evidence)
    assert "BackoffLimitExceeded" in text and "spec.backoffLimit: 4" in text and "ended with Error 2" in text


def test_a_deadline_is_no_crash() -> None:
    late = condition("Failed", "True", "DeadlineExceeded", "Job was active longer than specified deadline", 5)
    finding = one(found(job("export", late, spec={"activeDeadlineSeconds": 600})), "JobDeadlineExceeded")
    assert "600s" in finding.summary


def test_failed_pods_of_a_job_that_completed_are_history() -> None:
    good = job("export", DONE)
    assert reasons(good, failed_pod(good)) == set()


def test_a_failure_of_days_ago_or_before_a_later_success_is_history() -> None:
    old = condition("Failed", "True", "BackoffLimitExceeded", minutes=4000)
    assert reasons(job("export", old)) == set()
    cron = obj("batch/v1", "CronJob", "nightly", spec={"schedule": "0 1 * * *"})
    bad = owned(job("nightly-1", BACKOFF), cron)
    bad["status"]["startTime"] = ago(1500)
    later = owned(job("nightly-2", DONE), cron)
    assert reasons(cron, bad, later) == set()
    assert reasons(cron, bad) == {"JobFailed"}


def test_a_job_that_fails_and_tries_again() -> None:
    trying = job("export")
    assert reasons(trying, failed_pod(trying, minutes=5)) == {"JobFailing"}


def test_suspended_ones_have_not_failed() -> None:
    finding = one(
        found(job("export", condition("Suspended", "True", "JobSuspended"), spec={"suspend": True})), "JobSuspended"
    )
    assert finding.severity == "info"
    cron = obj(
        "batch/v1",
        "CronJob",
        "backup",
        spec={"suspend": True, "schedule": "0 1 * * *"},
        status={"lastScheduleTime": ago(4000)},
    )
    finding = one(found(cron, owned(job("backup-1", DONE), cron)), "CronJobSuspended")
    assert (
        finding.severity == "info"
        and "it does not fail" in finding.summary
        and "1 Job of it left, 0 failed" in finding.evidence
    )


def test_a_helper_that_outlives_the_work() -> None:
    running_job = job("export")
    both = [{"name": "app", "ready": False, "state": ended(0, "Completed", minutes=40)}, running("proxy")]
    finding = one(found(running_job, owned(pod("export-x", *both), running_job)), "JobHeldBySidecar")
    assert "proxy" in finding.summary


def test_a_schedule_nobody_can_read() -> None:
    cron = obj("batch/v1", "CronJob", "report", spec={"schedule": "0 25 * * *"})
    said = event(cron, "UnparseableSchedule", 'unparseable schedule: "0 25 * * *" : end of range', minutes=600)
    assert "0 25 * * *" in one(found(cron, said), "CronJobScheduleInvalid").summary


def test_a_run_that_hangs_blocks_the_next() -> None:
    cron = obj("batch/v1", "CronJob", "report", spec={"schedule": "0 * * * *", "concurrencyPolicy": "Forbid"})
    hung = owned(job("report-1"), cron)
    hung["status"]["startTime"] = ago(1560)
    cron["status"] = {"active": [{"name": "report-1"}]}
    said = event(cron, "JobAlreadyActive", "Not starting job because prior execution is running", kind="Normal")
    finding = one(found(cron, hung, said), "CronJobBlocked")
    assert "Job shop/report-1" in finding.summary and finding.subject == Ref("CronJob", "shop", "report")


def test_a_schedule_that_runs_is_fine() -> None:
    cron = obj("batch/v1", "CronJob", "report", spec={"schedule": "0 * * * *"}, status={"lastScheduleTime": ago(20)})
    assert reasons(cron, owned(job("report-1", DONE), cron)) == set()


def quiet_cron(**status: str) -> dict:
    return obj("batch/v1", "CronJob", "report", spec={"schedule": "0 1 * * *"}, status=status)


def test_a_last_run_that_did_not_succeed_and_left_nothing() -> None:
    lost = quiet_cron(lastScheduleTime=ago(500), lastSuccessfulTime=ago(2000))
    assert reasons(lost) == {"CronJobLastRunFailed"}
    assert reasons(quiet_cron(lastScheduleTime=ago(500), lastSuccessfulTime=ago(490))) == set()
    assert reasons(quiet_cron(lastScheduleTime=ago(20), lastSuccessfulTime=ago(1500))) == set()
    left = owned(obj("batch/v1", "Job", "report-1", status={"active": 1, "startTime": ago(500)}), lost)
    assert reasons(lost, left) == set()


def schedule(text: str, started: float) -> list[dict]:
    """A CronJob that forbids two runs at once, and its run that began so many minutes ago; no events are left."""
    cron = obj("batch/v1", "CronJob", "nightly", spec={"schedule": text, "concurrencyPolicy": "Forbid"})
    cron["status"] = {"active": [{"kind": "Job", "name": "nightly-1"}], "lastScheduleTime": ago(started)}
    run = owned(job("nightly-1"), cron)
    run["status"] = {"active": 1, "startTime": ago(started)}
    return [cron, run]


@pytest.mark.parametrize(
    ("text", "started", "blocked"),
    [
        ("0 3 * * *", 31 * 60, True),
        ("0 3 * * *", 10 * 60, False),
        ("15 * * * *", 3 * 60, True),
        ("0 3 * * 1", 31 * 60, False),
        ("@daily", 31 * 60, True),
        ("0 3 1 * *", 31 * 60, False),
    ],
)
def test_a_run_that_outlasts_its_schedule_keeps_the_next_from_starting(
    text: str, started: float, blocked: bool
) -> None:
    findings = [one for one in found(*schedule(text, started)) if one.severity == "warning"]
    assert [one.reason for one in findings] == (["CronJobBlocked"] if blocked else [])


@pytest.mark.parametrize(
    "command",
    [
        {"command": ["sh", "-c", "kubectl wait --for=condition=complete jobs/seed-tax --timeout=60s"]},
        {"args": ["job", "seed-tax", "-n", "shop"]},
    ],
)
def test_an_init_container_that_waits_for_a_failed_job_follows_from_it(command: dict) -> None:
    broken = job("seed-tax", BACKOFF)
    held = pod("tax-1", waiting("PodInitializing"), phase="Pending")
    held["spec"]["initContainers"] = [{"name": "wait", "image": "kubectl:1", **command}]
    held["status"]["initContainerStatuses"] = [running("wait", ready=False, since=50)]
    findings = found(broken, failed_pod(broken), held)
    stuck = one(findings, "InitContainerWaits")
    assert stuck.caused_by == Ref("Job", "shop", "seed-tax") and "waits for Job shop/seed-tax" in stuck.summary
    assert "kubectl logs seed-tax-x -n shop" in one(findings, "JobFailed").remedy
    assert one(found(held), "InitContainerWaits").cause
    assert "their logs with them" in one(found(broken), "JobFailed").remedy
