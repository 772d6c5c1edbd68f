"""Custom resources of operators that nobody here knows, judged by what any status says."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.diagnosis.polarity import polarity
from kubectl_berth.records import Ref
from tests.diagnosis.objects import (
    ago,
    condition,
    deployment,
    ended,
    found,
    merged,
    obj,
    one,
    owned,
    pod,
    reasons,
    waiting,
)

API = "db.example.com/v1"


def resource(status: Any, spec: Any = None, *, name: str = "main", kind: str = "Cluster", **rest: Any) -> dict:
    return obj(API, kind, name, spec=spec or {}, status=status, **rest)


SICK = [
    ({"conditions": [condition("Ready", "False", "ClusterIsNotReady", "Cluster Is Not Ready")]}, {}, "Ready=False"),
    ({"conditions": [condition("Degraded", "True", "X")]}, {}, "Degraded=True"),
    ({"conditions": [condition("NotReady", "True", "TimeoutException", "too long")]}, {}, "NotReady=True"),
    ({"conditions": [condition("Stalled", "True"), condition("Ready", "True")]}, {}, "Stalled=True"),
    ({"conditions": [condition("Ready", "True"), condition("Synced", "False", "ReconcileError")]}, {}, "Synced=False"),
    ({"conditions": [condition("BackupSucceeded", "False", "LastBackupFailed")]}, {}, "BackupSucceeded=False"),
    ({"conditions": [{"type": "ComparisonError", "message": "path does not exist"}]}, {}, "ComparisonError"),
    ({"parents": [{"conditions": [condition("ResolvedRefs", "False", "RefNotPermitted")]}]}, {}, "ResolvedRefs=False"),
    ({"phase": "Failed", "message": "no space"}, {}, "no space"),
    ({"state": "ERROR"}, {}, "ERROR"),
    ({"health": {"status": "Degraded"}}, {}, "Degraded"),
    ({"readyReplicas": 1}, {"replicas": 3}, "1 of spec.replicas 3"),
    ({"readyInstances": 2, "instances": 3}, {}, "2 of status.instances 3"),
    ({"ready": "1/2"}, {}, "status.ready: 1 of 2"),
    ({"availableReplicas": 0, "desiredReplicas": 2}, {}, "0 of status.desiredReplicas 2"),
    ({"error": "cannot reach the provider"}, {}, "cannot reach the provider"),
    ({"observedGeneration": 3}, {}, "status.observedGeneration 3"),
    ({"state": 2, "reason": "the route was rejected"}, {}, "status.state: 2 (the route was rejected)"),
    ({"statuses": {"main": {"state": 3, "reason": "warnings were found"}}}, {}, "warnings were found"),
    ({"degraded": True}, {}, "status.degraded: true"),
    ({"health": {"overall": "RED", "detail": "4 shards have no copy"}}, {}, "RED (4 shards have no copy)"),
    ({"members": [{"name": "db-1", "state": "Leader"}, {"name": "db-2", "state": "Unreachable"}]}, {}, "db-2"),
    ({"instances": [{"pod": "db-1", "ready": False, "lastError": "wrong version"}]}, {}, "db-1: ready false, wrong"),
    ({"nodes": {"a": {"healthy": True}, "b": {"healthy": False}}}, {}, "status.nodes: b: healthy false"),
    ({"conditions": [condition("Ready", "Unknown", "PartialTriggerError", "some fail")]}, {}, "Ready=Unknown"),
    ({"conditions": [condition("Complete", "True", "JobFailed", "Failed")]}, {}, "Complete=True"),
    (
        {"conditions": [condition("Healthy", "True"), condition("Installed", "False", "Unpacking")]},
        {},
        "Installed=False",
    ),
]


@pytest.mark.parametrize(("status", "spec", "words"), SICK)
def test_what_any_operator_says_of_trouble_is_heard(status: Any, spec: Any, words: str) -> None:
    findings = found(resource(status, spec, metadata={"generation": 4}))
    assert len(findings) == 1 and findings[0].subject == Ref("Cluster", "shop", "main")
    assert words in " ".join([findings[0].summary, *findings[0].evidence])


WELL = [
    {"conditions": [condition("Ready", "True"), condition("Degraded", "False"), condition("Progressing", "False")]},
    {"conditions": [condition("Ready", "Unknown")]},
    {"conditions": [condition("Upgradeable", "False", "SomeReason"), condition("Paused", "False")]},
    {"conditions": [condition("Ready", "False", "Creating", minutes=3)]},
    {"conditions": [condition("SomethingElse", "False", "NotUsed")]},
    {"conditions": [condition("Installed", "True"), condition("NodeHealthy", "True"), condition("NoWarnings", "True")]},
    {"phase": "Cluster in healthy state", "readyInstances": 3, "instances": 3},
    {"phase": "Running", "message": "0 errors"},
    {"health": {"overall": "green"}, "members": [{"name": "db-1", "ready": True, "state": "Follower"}]},
    {"conditions": [condition("Ready", "True")], "instances": [{"name": "db-3", "ready": False}]},
    {"phase": "Upgrading", "instances": [{"name": "db-3", "ready": False}]},
    {"state": "No failures"},
    {"readyReplicas": 3, "replicas": 3},
    {"readyReplicas": 4, "replicas": 3},
    {"state": 1, "reason": ""},
    {"degraded": False, "failed": False},
    {"conditions": [condition("Complete", "True", "Finished", "0 errors")]},
    {"conditions": [condition("Ready", "Unknown", "Pending")]},
    {"phase": "Scaling", "readyReplicas": 2, "conditions": [condition("Ready", "True")]},
    {3: "Failed", "phase": "Running", "nested": {True: {"conditions": [condition("Ready", "True")]}}},
    {"lastBackup": {"state": "x"}, "phase": "Bound"},
    {"conditions": "odd", "phase": 3, "readyReplicas": "many"},
    {"conditions": [None, 3, {"status": "False"}]},
    "a text where a status should be",
    None,
]


@pytest.mark.parametrize("status", WELL)
def test_what_is_well_or_unknown_or_odd_makes_no_finding(status: Any) -> None:
    assert [one.reason for one in found(resource(status, {"replicas": 3})) if one.severity != "info"] == []


def test_a_condition_of_an_older_spec_is_not_held_against_the_new_one() -> None:
    old = {**condition("Ready", "False", "Broken", minutes=1), "observedGeneration": 1}
    assert reasons(resource({"conditions": [old]}, metadata={"generation": 2})) == set()


@pytest.mark.parametrize(
    "spec",
    [
        {"suspend": True},
        {"paused": True},
        {"job": {"state": "suspended"}},
        {"running": False},
        {"runStrategy": "Halted"},
    ],
)
def test_what_was_told_to_rest_is_not_judged(spec: Any) -> None:
    assert reasons(resource({"conditions": [condition("Ready", "False")]}, spec)) == set()


def test_a_history_of_conditions_counts_its_last_entry() -> None:
    states = [condition("Ready", "False", "Broken", minutes=90), condition("Ready", "True", minutes=10)]
    assert reasons(resource({"conditions": states})) == set()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Ready", "good"), ("NotReady", "bad"), ("Unhealthy", "bad"), ("NodeHealthy", "good"), ("Available", "good"),
        ("DependenciesInstalled", "good"), ("Failover", "neutral"), ("ReconcileError", "bad"), ("Paused", "neutral"),
        ("Suspended", "neutral"), ("DiskPressure", "bad"), ("ContinuousArchiving", "good"), ("Whatever", "neutral"),
        ("Unknown", "neutral"), ("CertificateExpired", "bad"), ("SecretSynced", "good"), ("NoWarnings", "good"),
    ],
)  # fmt: skip
def test_polarity_is_read_from_the_type(kind: str, expected: str) -> None:
    assert polarity(kind) == expected


def cluster_with_a_broken_member(**status: Any) -> list[dict]:
    base = {"instances": 3, "readyInstances": 2, "phase": "Waiting for the instances", "currentPrimary": "main-1"}
    cluster = resource({**base, "instancesStatus": {"failed": ["main-3"]}, **status}, {"instances": 3})
    crash = waiting("CrashLoopBackOff", "back-off", restarts=12, lastState=ended(1))
    return [cluster, *(owned(pod(f"main-{n}"), cluster) for n in (1, 2)), owned(pod("main-3", crash), cluster)]


def test_a_member_that_crashes_is_the_cause_and_the_primary_still_serves() -> None:
    findings = found(*cluster_with_a_broken_member())
    sick = one(findings, "CustomResourceDegraded")
    assert sick.caused_by == Ref("Pod", "shop", "main-3") and "2 of 3 ready" in sick.summary
    text = " ".join(sick.evidence)
    assert "main-1, a pod that is ready: it still serves" in text and "failed: main-3" in text
    assert "Cluster" not in sick.summary  # the subject says that


def test_a_status_that_claims_health_over_a_broken_pod_is_not_believed() -> None:
    objects = cluster_with_a_broken_member(readyInstances=3, phase="Cluster in healthy state", instancesStatus={})
    findings = found(*objects)
    assert one(findings, "StatusContradicted").caused_by == Ref("Pod", "shop", "main-3")


def test_an_operator_without_pods_makes_its_statuses_old() -> None:
    operator = deployment("db-operator", replicas=1, ready=0, metadata={"namespace": "ops"})
    healthy = resource({"phase": "Ready"})
    lease = obj(
        "coordination.k8s.io/v1", "Lease", "x.db.example.com", "ops", spec={"holderIdentity": "db-operator-abc_1"}
    )
    findings = found(operator, healthy, lease)
    down = one(findings, "OperatorDown")
    assert down.subject == Ref("Deployment", "ops", "db-operator") and Ref("Cluster", "shop", "main") in down.effects
    assert "out of date" in down.summary


def test_an_object_its_operator_never_took_up() -> None:
    taken_up = resource({"phase": "Ready"})
    ignored = resource(None, {"instances": 1}, name="new", age=40)
    assert one(found(taken_up, ignored), "CustomResourceIgnored").subject.name == "new"
    young = merged(ignored, {"metadata": {"creationTimestamp": ago(2)}})
    assert reasons(taken_up, young) == set() and reasons(ignored) == set()


def test_a_reference_to_what_does_not_exist_is_named() -> None:
    definition = obj(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", "sources.db.example.com", "",
        spec={"group": "db.example.com", "names": {"kind": "Source", "plural": "sources"}},
    )  # fmt: skip
    sick = resource(
        {"conditions": [condition("Ready", "False", "ArtifactFailed")]},
        {"sourceRef": {"kind": "Source", "name": "gone"}},
    )
    text = " ".join(one(found(definition, sick), "CustomResourceDegraded").evidence)
    assert "spec names Source gone, which does not exist" in text


def test_a_reference_that_is_sick_itself_is_the_cause() -> None:
    issuer = resource({"conditions": [condition("Ready", "False", "ErrRegister")]}, name="ca", kind="Issuer")
    sick = resource(
        {"conditions": [condition("Ready", "False", "DoesNotExist")]},
        {"issuerRef": {"kind": "Issuer", "name": "ca"}},
        kind="Certificate",
    )
    findings = found(issuer, sick)
    assert [str(finding.subject) for finding in findings if finding.cause] == ["Issuer shop/ca"]
