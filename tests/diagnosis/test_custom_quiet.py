"""Custom resources that wait, rest, move or are renewed: no faults, whatever they say meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diagnosis.custom import custom, definition, failed
from tests.diagnosis.objects import Obj, ago, condition, deployment, event, found, owned

READY = condition("Ready", "True", "Ok")


def renewal() -> list[Obj]:
    """A certificate that is valid and being renewed, with a proof that has waited for half an hour."""
    certificate = custom("Certificate", "www", READY, status={"notAfter": ago(-20_000)}, spec={"secretName": "www"})
    order = owned(custom("Order", "www-2", status={"state": "pending"}, age=30), certificate)
    said = 'Waiting for DNS-01 challenge propagation: DNS record for "www.blau.example" not yet propagated'
    proof = owned(
        custom("Proof", "www-2-1", status={"state": "pending", "presented": True, "reason": said}, age=30), order
    )
    return [certificate, order, proof]


def delivery() -> list[Obj]:
    """A source, what takes its version from it, and the workload under that: all well, with an old warning."""
    source = custom("Source", "fleet", READY, status={"artifact": {"revision": "main@1", "lastUpdateTime": ago(9000)}})
    release = custom("Release", "till", READY, spec={"sourceRef": {"name": "fleet"}, "dependsOn": [{"name": "base"}]})
    base = custom("Release", "base", READY)
    web = deployment("till", metadata={"labels": {"stock.example.org/name": "till"}})
    return [definition("Release"), source, release, base, web, event(source, "Fetch", "timed out", times=9, minutes=50)]


def scaled() -> list[Obj]:
    """An autoscaler that an object made and that is scaled to zero, as its maker wants it."""
    elastic = custom("Elastic", "web", READY, condition("Active", "False", "Idle"), condition("Fallback", "Unknown"))
    off = condition("ScalingActive", "False", "ScalingDisabled", "scaling is disabled since the replica count is zero")
    target = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
    spec = {"scaleTargetRef": target, "maxReplicas": 9}
    plain: Obj = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "spec": spec,
                  "metadata": {"name": "auto-web", "namespace": "shop", "uid": "u", "creationTimestamp": ago(600)},
                  "status": {"conditions": [off]}}  # fmt: skip
    return [elastic, owned(plain, elastic), deployment("web", replicas=0)]


STATES: list[Any] = [
    {"health": {"status": "Suspended", "message": "CronJob is suspended"}, "sync": {"status": "Synced"}},
    {"health": {"status": "Progressing", "message": "Waiting for rollout to finish: 1 of 3 updated replicas are available"}},  # noqa: E501
    {"phase": "Paused", "message": "cannot go on before it is promoted by hand", "conditions": []},
    {"phase": "Waiting", "message": "approval required before step 4 of 5"},
    {"phase": "InProgress", "message": "copied: 450 of 900"},
    {"phase": "InProgress", "message": "503 of 900 items copied", "progress": {"itemsDone": 503}},
    {"phase": "Completed", "warnings": 3, "message": "backup done, 2 items were not found and left out"},
    {"phase": "Succeeded", "nodes": {"a": {"phase": "Succeeded", "message": "exit code 0"}, "b": {"phase": "Omitted", "message": "when 'x' evaluated false"}}},  # noqa: E501
    {"state": "RUNNING", "tasks": [{"id": 0, "state": "RUNNING"}], "trace": "last restart: connection refused"},
    {"state": "valid", "reason": "Successfully authorized domain"},
    {"phase": "Bound", "lastFailure": {"message": "permission denied", "time": ago(4000)}},
    {"phase": "Ready", "history": [{"status": "failed", "message": "timed out waiting"}, {"status": "deployed"}]},
    {"ready": True, "message": "policy denied 4 requests today"},
]  # fmt: skip


@pytest.mark.parametrize("status", STATES)
def test_a_state_that_moves_rests_or_has_ended_well_is_no_fault(status: Any) -> None:
    assert [str(one.summary) for one in found(custom("Thing", "main", status=status))] == []


@pytest.mark.parametrize("objects", [renewal(), delivery(), scaled()])
def test_chains_that_are_well_are_quiet(objects: list[Obj]) -> None:
    assert [(str(one.subject), one.summary) for one in found(*objects) if one.severity != "info"] == []


def test_a_name_in_vain_in_an_object_that_is_well_is_no_fault() -> None:
    well = custom("Release", "till", READY, spec={"profileRef": {"name": "gone"}})
    assert found(definition("Release"), definition("Profile"), well) == []


def test_a_plain_name_that_stands_for_something_else_is_not_called_missing() -> None:
    sick = custom(
        "Release", "till", failed("Install", "connection refused"), spec={"releaseName": "other", "profile": "gold"}
    )
    cause = found(definition("Release"), definition("Profile"), sick)[0]
    assert "does not exist" not in " ".join([cause.summary, *cause.evidence, cause.remedy])
