"""Schedules whose Jobs are refused, and schedules that let their starts pass: what says so, and what is no fault."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.objects import ago, condition, event, found, merged, obj, one, owned, reasons

FULL = (
    'Error creating job: jobs.batch "stocktake-28" is forbidden: exceeded quota: small-team, requested: '
    "count/jobs.batch=1, used: count/jobs.batch=3, limited: count/jobs.batch=3"
)
DENIED = (
    'Error creating job: admission webhook "labels.corp.example" denied the request: every Job needs the label '
    "cost-centre"
)


def cron(name: str = "stocktake", schedule: str = "10 * * * *", *, last: float = 900, **rest: Any) -> dict[str, Any]:
    """A CronJob whose last start was so many minutes ago."""
    made = obj("batch/v1", "CronJob", name, age=90000, spec={"schedule": schedule})
    return merged(merged(made, {"status": {"lastScheduleTime": ago(last)}}), rest)


def run(of: dict[str, Any], number: int, minutes: float) -> dict[str, Any]:
    done = condition("Complete", "True", minutes=minutes)
    name = f"{of['metadata']['name']}-{number}"
    return owned(obj("batch/v1", "Job", name, age=minutes, status={"conditions": [done]}), of)


def test_a_quota_of_jobs_that_is_used_up_is_the_cause_of_a_schedule_that_stands_still() -> None:
    stocktake = cron()
    runs = [run(stocktake, number, 1000 + 60 * number) for number in range(3)]
    findings = found(stocktake, *runs, event(stocktake, "FailedCreate", FULL, times=300))
    cause = one(findings, "QuotaExceeded")
    assert cause.cause and cause.subject == Ref("ResourceQuota", "shop", "small-team") and cause.severity == "warning"
    assert "Jobs of CronJob shop/stocktake" in cause.summary and "ttlSecondsAfterFinished" in cause.remedy
    assert "3 Jobs in namespace shop, 3 of them ended" in cause.evidence
    stopped = one(findings, "JobsNotCreated")
    assert stopped.caused_by == cause.subject and "15h ago" in stopped.summary


def test_a_policy_that_denies_the_jobs_of_a_schedule() -> None:
    daily = cron("invoices", "0 4 * * *", last=4000)
    finding = one(found(daily, event(daily, "FailedCreate", DENIED, minutes=300)), "AdmissionDenied")
    assert "its Jobs are not created" in finding.summary and "cost-centre" in finding.summary and finding.cause


def test_a_refusal_is_over_once_a_job_was_started() -> None:
    since = cron(last=2)
    assert reasons(since, event(since, "FailedCreate", FULL, minutes=40)) == set()
    made = cron(last=100)
    assert reasons(made, run(made, 7, 2), event(made, "FailedCreate", FULL, minutes=40)) == set()
    resting = cron(spec={"suspend": True})
    assert reasons(resting, event(resting, "FailedCreate", FULL)) == {"CronJobSuspended"}


def edited(minutes: float) -> dict[str, Any]:
    own = {"manager": "deployer", "operation": "Update", "time": ago(minutes)}
    return {"metadata": {"managedFields": [own, {"manager": "kcm", "subresource": "status", "time": ago(5)}]}}


@pytest.mark.parametrize(
    ("schedule", "last", "late"),
    [
        ("*/5 * * * *", 400, True),
        ("*/5 * * * *", 170, False),
        ("@hourly", 400, True),
        ("30 2 * * *", 60 * 60, True),
        ("30 2 * * *", 40 * 60, False),
        ("0 6 * * 1-5", 64 * 60, False),
        ("0 6 1 * *", 60 * 24 * 20, False),
        ("0 0 29 2 *", 60 * 24 * 300, False),
    ],
)
def test_a_schedule_that_lets_its_starts_pass(schedule: str, last: float, late: bool) -> None:
    loud = [one for one in found(cron("sweep", schedule, last=last, **edited(90000))) if one.severity != "info"]
    assert [one.reason for one in loud] == (["CronJobLate"] if late else [])


def test_a_schedule_resumed_or_rewritten_lately_has_missed_nothing() -> None:
    assert reasons(cron("sweep", "@hourly", last=90000, **edited(30))) == set()
    unknown = one(found(cron("sweep", "@hourly", last=90000)), "CronJobLate")
    assert unknown.severity == "info"
    busy = cron("sweep", "@hourly", last=900, status={"active": [{"name": "sweep-1"}]}, **edited(90000))
    assert reasons(busy) == set()


def test_a_late_schedule_follows_from_a_controller_that_stopped() -> None:
    leases = [
        obj("coordination.k8s.io/v1", "Lease", f"kube-{name}", "kube-system", spec={"renewTime": ago(minutes)})
        for name, minutes in (("controller-manager", 900), ("scheduler", 0.1))
    ]
    late = cron("sweep", "@hourly", last=905, **edited(90000))
    assert one(found(late, *leases), "CronJobLate").caused_by == Ref("Lease", "kube-system", "kube-controller-manager")
