"""What berth says about a model's answer: what it rests on, leaves out, and would destroy."""

from __future__ import annotations

import pytest

from kubectl_berth.investigation.remarks import remarks
from kubectl_berth.records import Finding, Ref, TraceEntry

POD = Ref("Pod", "jobs", "worker-5f4c8d7b9-vt2xr")
KILLED = Finding("critical", POD, "OOMKilled", "container worker was killed for lack of memory", (), (POD,))
READ = [TraceEntry(1, 1, "list_pods", {}, "ok", 812, 0.01)]
REFUSED = [TraceEntry(1, 1, "list_pods", {}, "error", 80, 0.01, "no such kind")]


def test_an_answer_that_nothing_was_read_for_says_so() -> None:
    for trace in ([], REFUSED):
        (remark,) = remarks("All is well.", trace, [])
        assert remark.startswith("the model read nothing of the cluster")
    assert remarks("All is well.", READ, []) == []


@pytest.mark.parametrize(
    "answer",
    [
        "Deployment worker is out of memory.",
        "The pod worker-5f4c8d7b9-vt2xr restarts.",
        "A container was OOMKilled.",
    ],
)
def test_what_the_answer_names_in_any_form_is_not_held_against_it(answer: str) -> None:
    assert remarks(answer, READ, [KILLED]) == []


def test_a_critical_cause_that_is_passed_over_is_told() -> None:
    (remark,) = remarks("Everything is healthy. No problems at all.", READ, [KILLED])
    assert "does not name: Pod jobs/worker-5f4c8d7b9-vt2xr: container worker was killed for lack of memory" in remark
    symptom = Finding("critical", POD, "NotReady", "not ready", caused_by=Ref("Node", "", "a"))
    minor = Finding("warning", POD, "Slow", "slow")
    assert remarks("Everything is healthy.", READ, [symptom, minor]) == []


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("Run `kubectl delete namespace data` and wait.", "deletes more than a pod"),
        ("Then:\n```\nkubectl delete pod worker-0 -n jobs --force --grace-period=0\n```\n", "forces"),
        ("$ kubectl delete pvc data-db-0 -n shop", "deletes more than a pod"),
        ("`kubectl create clusterrolebinding x --clusterrole=cluster-admin`", "changes who may do what"),
        ("`rm -rf /var/lib/data` frees the disk", "deletes files"),
    ],
)
def test_commands_that_destroy_are_named(answer: str, why: str) -> None:
    (remark,) = remarks(answer, READ, [])
    assert "may destroy something" in remark and why in remark


@pytest.mark.parametrize(
    "answer",
    [
        "`kubectl get clusterrolebindings` shows who may.",
        "Do not run `kubectl delete namespace data`.",
        "`kubectl rollout undo deployment/worker -n jobs`",
        "Never use `kubectl delete pod x --force` here.",
        "The namespace data was deleted with kubectl.",
        "`kubectl logs worker-0 | grep error`",
    ],
)
def test_commands_that_read_or_are_advised_against_are_not(answer: str) -> None:
    assert remarks(answer, READ, []) == []
