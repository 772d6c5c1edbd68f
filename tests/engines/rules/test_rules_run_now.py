"""Whether a run of a CronJob is under way or failed: yes or no, before a fault's diagnosis where there is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.rules_answers import ask, first
from tests.fakes.small_clusters import SmallCluster, Thing


@pytest.fixture
def empty(tmp_path: Path) -> SmallCluster:
    small = SmallCluster(tmp_path / "snapshot")
    small.namespaces("granary")
    return small


def cron(small: SmallCluster, name: str, **spec: Any) -> Thing:
    return small.add(
        "batch/v1", "CronJob", name, "granary",
        spec={"schedule": "0 4 * * *", "jobTemplate": {"spec": {"template": {"spec": {"containers": []}}}}, **spec},
        status={"lastScheduleTime": "2026-10-05T04:00:00Z", "lastSuccessfulTime": "2026-10-05T04:06:00Z"},
    )  # fmt: skip


def job(small: SmallCluster, owner: Thing, name: str, status: dict[str, Any]) -> Thing:
    return small.add("batch/v1", "Job", name, "granary", owner=owner, spec={"template": {"spec": {"containers": []}}},
                     status={"startTime": "2026-10-05T04:00:00Z", **status})  # fmt: skip


def ended(kind: str, moment: str) -> list[dict[str, str]]:
    reason = "BackoffLimitExceeded" if kind == "Failed" else ""
    return [{"type": kind, "status": "True", "reason": reason, "lastTransitionTime": moment}]


def test_a_suspended_cron_job_does_not_run(empty: SmallCluster) -> None:
    cron(empty, "grain-tally", suspend=True)
    answer = first(ask(empty, "is grain-tally running?"))
    assert answer.startswith("**No: no run of CronJob granary/grain-tally is under way")
    assert "it is suspended" in answer


def test_a_run_under_way_is_a_yes(empty: SmallCluster) -> None:
    owner = cron(empty, "grain-tally")
    job(empty, owner, "grain-tally-1", {"active": 1})
    owner["status"]["active"] = [{"kind": "Job", "name": "grain-tally-1", "namespace": "granary"}]
    yes = "Job granary/grain-tally-1 has run for 5h30m (since 2026-10-05T04:00:00Z)"
    assert first(ask(empty, "is grain-tally running right now")) == f"**Yes: {yes}.**"
    assert first(ask(empty, "how long has the tally been running?")) == f"**{yes}.**"


def test_a_run_that_blocks_the_next_keeps_its_diagnosis(empty: SmallCluster) -> None:
    owner = cron(empty, "grain-tally", schedule="*/10 * * * *", concurrencyPolicy="Forbid")
    job(empty, owner, "grain-tally-1", {"active": 1})
    owner["status"]["active"] = [{"kind": "Job", "name": "grain-tally-1", "namespace": "granary"}]
    empty.event(owner, "JobAlreadyActive", "Not starting job because prior execution is running")
    answer = ask(empty, "is grain-tally running?")
    assert first(answer).startswith("**Yes: Job granary/grain-tally-1 has run for 5h30m")
    assert "**Evidence**" in answer
    assert "\n**No," not in answer


def test_a_try_that_failed_before_a_success_is_told(empty: SmallCluster) -> None:
    owner = cron(empty, "grain-tally")
    done = ended("Complete", "2026-10-05T04:06:00Z")
    job(empty, owner, "grain-tally-2", {"succeeded": 1, "failed": 1, "conditions": done})
    assert first(ask(empty, "did grain-tally fail last night?")) == (
        "**No: Job granary/grain-tally-2 succeeded 5h24m ago, after 1 try that failed.**"
    )
    answer = ask(empty, "did the grain-tally job fail?")
    assert "takes for granted" not in answer


def test_a_failed_run_before_a_good_one_is_a_yes(empty: SmallCluster) -> None:
    owner = cron(empty, "grain-tally")
    job(empty, owner, "grain-tally-1", {"failed": 3, "conditions": ended("Failed", "2026-10-05T01:06:00Z")})
    job(empty, owner, "grain-tally-2", {"succeeded": 1, "conditions": ended("Complete", "2026-10-05T04:06:00Z")})
    answer = first(ask(empty, "did grain-tally fail last night?"))
    assert "failed" in answer
    assert not answer.startswith("**No")
