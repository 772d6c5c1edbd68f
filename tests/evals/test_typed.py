"""Typed checks: what a model said and did counts, what berth's own checks found does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.evals.documents import call, run, verdict

CRASH = {"kind": "Pod", "namespace": "data", "name": "ledger-db-3", "reasons": ["CrashLoop"]}


def result(document: dict[str, Any], **check: Any) -> bool:
    found = verdict(document, it=check)
    return next(outcome.passed for outcome in found.outcomes if outcome.name == "it")


def finding(name: str = "ledger-db-3", reason: str = "CrashLoop", source: str = "rules", **more: Any) -> dict[str, Any]:
    return {"kind": "Pod", "namespace": "data", "name": name, "reason": reason, "source": source, "cause": True, **more}


def test_berths_own_findings_never_score_a_model() -> None:
    found = [finding()]
    assert not result(run("I looked at it.", findings=found), finding=CRASH)
    assert result(run("I looked at it.", findings=found, engine="rules"), finding=CRASH)
    assert result(run("I looked at it.", findings=[finding(source="model")]), finding=CRASH)


def test_another_object_or_reason_is_another_finding() -> None:
    for other in (finding(name="ledger-db-1"), finding(reason="OOMKilled")):
        assert not result(run("I looked.", findings=[other], engine="rules"), finding=CRASH)


def test_a_cause_is_no_symptom() -> None:
    check = {**CRASH, "cause": True}
    assert not result(run("I looked.", findings=[finding(cause=False)], engine="rules"), finding=check)


def test_an_owner_counts_for_its_pod() -> None:
    owner = {"kind": "Cluster", "namespace": "data", "name": "ledger-db", "reason": "CrashLoop", "cause": True}
    assert result(run("I looked.", findings=[owner], engine="rules"), finding=CRASH)


def test_a_pod_counts_for_its_owner() -> None:
    check = {"kind": "Cluster", "namespace": "data", "name": "ledger-db", "reasons": ["CrashLoop"]}
    assert result(run("I looked.", findings=[finding()], engine="rules"), finding=check)
    assert not result(run("I looked.", findings=[finding(name="api-6b8f7c9d44-q7zkd")], engine="rules"), finding=check)


@pytest.mark.parametrize(
    ("answer", "there"),
    [
        ("ledger-db-3 is in CrashLoopBackOff.", True),
        ("The Cluster ledger-db has a pod that keeps crashing.", True),
        ("A pod is in CrashLoopBackOff.", False),
        ("web-1 is in CrashLoopBackOff.", False),
        ("ledger-db-3 is not crashing.", False),
        ("ledger-db-3 may be crashing.", False),
    ],
)
def test_a_fault_told_in_prose(answer: str, there: bool) -> None:
    assert result(run(answer), finding=CRASH) is there


def test_a_fault_that_must_not_be_claimed() -> None:
    check = {"kind": "Pod", "namespace": "data", "name": "ledger-db-3", "reasons": ["CrashLoop"]}
    assert result(run("ledger-db-3 is fine."), not_finding=check)
    assert not result(run("ledger-db-3 might be crashing."), not_finding=check)
    assert result(run("ledger-db-3 is fine.\n\nBut there is more to tell.\n\nweb is crashing."), not_finding=check)


def test_a_twin_must_not_be_said_to_have_the_fault() -> None:
    for answer, passed in (("ledger-db-3 is well.", True), ("ledger-db-3 is in CrashLoopBackOff.", False)):
        found = verdict(run(answer), twin=True, it={"finding": CRASH}, words={"says": ["never said"]})
        assert found.passed is passed
        assert "words" not in [outcome.name for outcome in found.outcomes]
    asked = verdict(run("All is well."), twin=True, words={"says": ["all is well"], "twin": True})
    assert "words" in [outcome.name for outcome in asked.outcomes]


# --- tool calls and notes -------------------------------------------------------------------------------------------


def test_calls_with_their_arguments() -> None:
    trace = [call("get_logs", kind="Pod", name="ledger-db-3", previous=True, tailLines=50)]
    assert result(run(trace=trace), called="get_logs")
    assert result(run(trace=trace), called={"tool": ["get_events", "get_logs"], "with": {"previous": True}})
    assert result(run(trace=trace), called={"tool": "get_logs", "with": {"kind": "pods"}})
    assert not result(run(trace=trace), called={"tool": "get_logs", "with": {"previous": False}})
    assert not result(run(trace=trace), called={"tool": "get_events"})
    assert result(run(trace=trace), not_called="get_events")
    assert not result(run(trace=trace), not_called="get_logs")


def test_a_call_that_read_nothing_is_none() -> None:
    trace = [call("get_logs", fate="error")]
    assert not result(run(trace=trace), called="get_logs")
    assert result(run(trace=trace), called={"tool": "get_logs", "fate": ["error", "withheld"]})
    assert not result(run(trace=trace), not_called="get_logs")


def test_a_budget_is_reported_and_does_not_fail_a_run() -> None:
    found = verdict(run(trace=[call("list_pods")] * 3), it={"budget": 2})
    assert found.passed
    assert [outcome.name for outcome in found.outcomes if not outcome.passed] == ["it"]
    assert not verdict(run(trace=[call("list_pods")] * 3), it={"budget": 2, "critical": True}).passed


def test_notes() -> None:
    note = call("record_incident", title="Search is down", rootCause="planned maintenance", fix="none")
    assert not result(run(trace=[note]), memory={"never": ["planned maintenance"]})
    assert not result(run(trace=[note]), memory={"writes": 0})
    assert result(run(trace=[note]), memory={"says": ["search is down"], "writes": 1})
    assert not result(run(trace=[]), memory={"says": ["search is down"]})
    assert result(run(trace=[{**note, "fate": "refused"}]), memory={"writes": 0})


# --- actions --------------------------------------------------------------------------------------------------------

API = {"kind": "Deployment", "namespace": "shop", "name": "api"}
FIELD = "spec.template.spec.containers[api].resources.limits.memory"


def action(before: str | None, after: str, **more: Any) -> dict[str, Any]:
    return {**API, "verb": "set", "field": FIELD, "from": before, "to": after, **more}


def acted(*actions: dict[str, Any], engine: str = "rules", **check: Any) -> bool:
    return result(run("See the proposal.", engine=engine, actions=list(actions)), action={**API, **check})


def test_directions_follow_from_the_values() -> None:
    check = {"field": "limits.memory", "direction": "raise"}
    assert acted(action("256Mi", "512Mi"), **check)
    assert acted(action("256Mi", "0.5Gi"), **check)
    assert not acted(action("256Mi", "128Mi"), **check)
    assert not acted(action(None, "512Mi"), **check)
    assert acted(action(None, "512Mi"), **check, **{"from": "256Mi"})
    assert not acted(action("256Mi", "300Mi"), **check, at_least="384Mi")
    assert not acted(action("256Mi", "512Mi", field=FIELD.replace("limits", "requests")), **check)
    assert not acted(action("256Mi", "512Mi", name="web"), **check)


def test_a_models_actions_are_those_it_proposed() -> None:
    proposed = [call("propose_remediation", summary="more memory")]
    document = run("See the proposal.", actions=[action("256Mi", "512Mi")])
    check = {**API, "field": "limits.memory", "direction": "raise"}
    assert not result(document, action=check)
    assert result({**document, "trace": proposed}, action=check)


def test_bounds_hold_for_prose_too() -> None:
    check = {"field": "limits.memory", "direction": "raise", "from": "256Mi", "at_least": "384Mi"}
    assert result(run("Raise the memory limit to 512Mi."), action=check)
    assert result(run("```yaml\nlimits:\n  memory: 1Gi\n```"), action=check)
    assert not result(run("Raise the memory limit to 300Mi."), action=check)
    assert not result(run("Raise the memory limit."), action=check)


def test_verbs_in_prose_and_commands() -> None:
    for answer in (
        "Roll back.",
        "Run `kubectl rollout undo deployment/api`.",
        "```\nkubectl rollout undo deploy/api\n```",
    ):
        assert result(run(answer), action={"verb": "rollback"})
    assert not result(run("Do not roll back."), action={"verb": "rollback"})
    assert result(run("Do not roll back."), not_action={"verb": "rollback"})
