"""Workloads behind their replicas and updates that stall; and updates that are merely under way."""

from __future__ import annotations

from kubectl_berth.records import Ref
from tests.diagnosis.objects import (
    ago,
    condition,
    deployment,
    ended,
    event,
    found,
    merged,
    obj,
    one,
    owned,
    pod,
    reasons,
    replica_set,
    running,
    waiting,
)

TIMED_OUT = condition(
    "Progressing", "False", "ProgressDeadlineExceeded", 'ReplicaSet "web-new" has timed out progressing.'
)


def test_a_stalled_update_says_who_still_serves() -> None:
    web = deployment(replicas=3, ready=3, status={"updatedReplicas": 1, "replicas": 4, "conditions": [TIMED_OUT]})
    old = replica_set(web, "web-old", replicas=3, revision=3)
    new = replica_set(web, "web-new", replicas=1, ready=0, revision=4, image="app:2")
    broken = owned(pod("web-new-x", running(ready=False)), new)
    findings = found(web, old, new, broken)
    stalled = one(findings, "RolloutStalled")
    assert stalled.severity == "warning" and "3 pods of the old version still serve" in stalled.summary
    assert stalled.caused_by == Ref("Pod", "shop", "web-new-x")
    assert "new ReplicaSet web-new: 0 of 1 pods ready, image app:2" in stalled.evidence


def test_an_update_without_any_ready_pod_is_critical() -> None:
    web = deployment(replicas=1, ready=0, status={"conditions": [TIMED_OUT]})
    assert one(found(web), "RolloutStalled").severity == "critical"


def test_an_update_that_began_a_minute_ago_is_fine() -> None:
    going = {"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated", "lastUpdateTime": ago(1)}
    web = deployment(replicas=2, ready=2, status={"updatedReplicas": 1, "replicas": 3, "conditions": [going]})
    old = replica_set(web, "web-old", replicas=2, revision=1)
    new = replica_set(web, "web-new", replicas=1, ready=0, revision=2)
    fresh = owned(pod("web-new-x", waiting("ContainerCreating"), phase="Pending"), new)
    fresh["metadata"]["creationTimestamp"] = ago(1)
    assert reasons(web, old, new, fresh) == set()


def test_fewer_ready_than_desired_is_a_symptom_of_the_pod() -> None:
    web = deployment(replicas=2, ready=1)
    rs = replica_set(web, "web-1", replicas=2, ready=1)
    broken = owned(pod("web-1-b", waiting("CrashLoopBackOff", restarts=9, lastState=ended(2))), rs)
    findings = found(web, rs, owned(pod("web-1-a"), rs), broken)
    assert one(findings, "ReplicasNotReady").caused_by == Ref("Pod", "shop", "web-1-b")
    assert "it still serves" in one(findings, "ReplicasNotReady").summary


def test_a_paused_deployment_with_a_change_waiting() -> None:
    web = deployment(spec={"paused": True, "template": {"spec": {"containers": [{"name": "app", "image": "app:2"}]}}})
    finding = one(found(web, replica_set(web, "web-1")), "RolloutPaused")
    assert finding.severity == "warning" and "resume" in finding.remedy


def test_zero_replicas_matter_only_where_traffic_is_sent() -> None:
    web = deployment(replicas=0)
    assert reasons(web) == set()
    service = obj("v1", "Service", "web", spec={"selector": {"app": "web"}, "ports": [{"port": 80}]})
    scaled = event(web, "ScalingReplicaSet", "Scaled down replica set web-1 from 3 to 0", kind="Normal")
    findings = found(web, service, scaled)
    assert "from 3 to 0" in " ".join(one(findings, "ScaledToZero").evidence)
    assert one(findings, "ServiceWithoutEndpoints").caused_by == Ref("Deployment", "shop", "web")


def test_a_controller_that_has_not_seen_the_spec() -> None:
    web = deployment(replicas=5, ready=3, metadata={"generation": 4}, status={"observedGeneration": 3})
    assert reasons(web) == {"ControllerNotReconciling"}
    just_changed = merged(
        web, {"status": {"conditions": [{"type": "Progressing", "status": "True", "lastUpdateTime": ago(0.1)}]}}
    )
    assert "ControllerNotReconciling" not in reasons(just_changed)


def stateful(ready: int, **rest: object) -> dict:
    base = obj(
        "apps/v1",
        "StatefulSet",
        "db",
        metadata={"generation": 1},
        spec={"replicas": 3, "selector": {"matchLabels": {"app": "db"}}, "updateStrategy": {"type": "RollingUpdate"}},
        status={
            "observedGeneration": 1,
            "replicas": 3,
            "readyReplicas": ready,
            "currentRevision": "a",
            "updateRevision": "a",
        },
    )
    return merged(base, dict(rest))


def test_the_ordered_update_that_waits_for_its_own_broken_pod() -> None:
    db = stateful(0, status={"updateRevision": "b", "replicas": 1})
    stuck = owned(pod("db-0", waiting("ImagePullBackOff", "not found"), phase="Pending"), db)
    stuck["metadata"]["labels"] = {"controller-revision-hash": "a"}
    finding = one(found(db, stuck), "OldRevisionBlocksUpdate")
    assert "delete pod db-0 once" in finding.remedy and "controller-revision-hash a" in " ".join(finding.evidence)


def test_a_first_pod_that_holds_up_the_rest() -> None:
    db = stateful(0, status={"replicas": 1})
    stuck = owned(pod("db-0", waiting("ImagePullBackOff", "not found"), phase="Pending"), db)
    findings = found(db, stuck)
    behind = one(findings, "ReplicasNotReady")
    assert behind.caused_by == Ref("Pod", "shop", "db-0")
    assert "db-1, db-2 are not made before db-0 is ready" in behind.summary
    parallel = stateful(0, status={"replicas": 1}, spec={"podManagementPolicy": "Parallel"})
    assert "not made" not in one(found(parallel, owned(stuck, parallel)), "ReplicasNotReady").summary


def test_a_gap_in_the_row_is_the_only_pod_that_is_not_made() -> None:
    db = stateful(1, status={"replicas": 2})
    full = owned(pod("db-1", waiting("CrashLoopBackOff", restarts=9, lastState=ended(1))), db)
    behind = one(found(db, owned(pod("db-0"), db), full), "ReplicasNotReady")
    assert "1 of 3 pods are ready; db-2 is not made before db-1 is ready" in behind.summary
    assert "still serves" not in behind.summary


def stuck_at(ready: int, *sets: dict) -> str:
    """What is said of a Deployment of three whose Progressing condition gave up; `sets` change its ReplicaSets."""
    web = deployment(replicas=3, ready=ready, status={"conditions": [TIMED_OUT]})
    made = [merged(replica_set(web, f"web-{n}", revision=n), {"status": one}) for n, one in enumerate(sets, 1)]
    broken = owned(pod("web-x", running(ready=False)), made[-1])
    finding = one(found(web, *made, broken), "RolloutStalled")
    return f"{finding.summary} | {finding.remedy}"


def test_a_first_rollout_and_more_replicas_are_no_update() -> None:
    first = stuck_at(0, {"replicas": 3, "readyReplicas": 0})
    assert "it does not come up: 0 of 3" in first and "old version" not in first and "undo" not in first
    more = stuck_at(2, {"replicas": 0, "readyReplicas": 0}, {"replicas": 3, "readyReplicas": 2})
    assert "it does not get all its pods: 2 of 3 pods are ready" in more and "undo" not in more
    update = stuck_at(1, {"replicas": 1, "readyReplicas": 1}, {"replicas": 2, "readyReplicas": 0})
    assert "the 1 pod of the old version still serves" in update and "rollout undo deployment/web" in update
    nothing = stuck_at(0, {"replicas": 0, "readyReplicas": 0}, {"replicas": 3, "readyReplicas": 0})
    assert "its update does not get on; nothing of it serves" in nothing and "rollout undo" in nothing


def test_a_partition_holds_an_update_back_on_purpose() -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 3}}
    db = stateful(3, spec={"updateStrategy": strategy}, status={"updateRevision": "b"})
    pods = [owned(pod(f"db-{n}"), db) for n in range(3)]
    assert one(found(db, *pods), "UpdateHeldBack").severity == "info"


def test_a_daemon_set_counts_its_own_fields() -> None:
    agent = obj("apps/v1", "DaemonSet", "agent", status={"desiredNumberScheduled": 3, "numberReady": 3})
    assert reasons(agent) == set()
    behind = merged(agent, {"status": {"numberReady": 2}})
    assert "2 of 3" in one(found(behind), "ReplicasNotReady").summary


def test_a_healthy_deployment_with_its_old_replica_sets_is_fine() -> None:
    web = deployment(replicas=2)
    now = replica_set(web, "web-b", replicas=2, revision=2)
    before = replica_set(web, "web-a", replicas=0, revision=1)
    assert reasons(web, now, before, owned(pod("web-b-1"), now), owned(pod("web-b-2"), now)) == set()


def test_what_an_operator_scaled_to_zero_is_its_own_business() -> None:
    idle = deployment("web", replicas=0)
    service = obj("v1", "Service", "web", spec={"selector": {"app": "web"}})
    assert "ScaledToZero" in reasons(idle, service)
    operator = obj("ops.example.org/v1", "Fleet", "main", spec={}, status={"phase": "Running"})
    assert "ScaledToZero" not in reasons(operator, owned(idle, operator), service)


def test_a_pod_that_the_new_template_would_not_mend_is_the_cause_itself() -> None:
    bad = waiting("CrashLoopBackOff", restarts=9, lastState=ended(1))
    labels = {"metadata": {"labels": {"controller-revision-hash": "db-old"}}}
    template = {"spec": {"containers": [{"name": "app", "image": "registry.example.com/app:1"}]}}
    status = {"replicas": 1, "readyReplicas": 0, "currentRevision": "db-old", "updateRevision": "db-new"}
    same = obj("apps/v1", "StatefulSet", "db", spec={"replicas": 1, "template": template}, status=status)
    other = merged(same, {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:2"}]}}}})
    for owner, root in ((same, "Pod"), (other, "StatefulSet")):
        findings = found(owner, owned(pod("db-0", bad, **labels), owner))
        assert {one.subject.kind for one in findings if one.cause} == {root}
