"""Settings that explain an odd picture: remarks, or faults where they do harm."""

from __future__ import annotations

from kubectl_berth.records import Ref
from tests.diagnosis.objects import (
    Obj,
    condition,
    deployment,
    event,
    found,
    merged,
    node,
    obj,
    one,
    owned,
    pod,
    reasons,
)

GPU = {"spec": {"taints": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]}}
MASTER = {"spec": {"taints": [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]}}


def daemons(*tolerations: Obj) -> list[Obj]:
    spec = {"template": {"metadata": {"labels": {"app": "logs"}}, "spec": {"tolerations": list(tolerations)}}}
    status = {"desiredNumberScheduled": 1, "currentNumberScheduled": 1, "numberReady": 1, "numberAvailable": 1}
    made = obj("apps/v1", "DaemonSet", "logs", spec=spec, status=status)
    return [made, owned(pod("logs-a", node="node-a"), made)]


def test_nodes_that_a_daemon_set_leaves_out_are_named_with_their_taint() -> None:
    lost = node("node-l", {"type": "Ready", "status": "Unknown"}, **GPU)
    objects = [node("node-a"), node("node-g", **GPU), node("node-m", **MASTER)]
    assert "node-l" not in one(found(*daemons(), *objects, lost), "DaemonSetLeavesNodesOut").summary
    told = one(found(*daemons(), *objects), "DaemonSetLeavesNodesOut")
    assert told.severity == "info" and "node-g" in told.summary and "node-m" not in told.summary
    assert "dedicated=gpu:NoSchedule" in " ".join(told.evidence)
    assert reasons(*daemons({"operator": "Exists"}), *objects) == set()


def local(**spec: str) -> list[Obj]:
    web = pod("web-1", node="node-a", metadata={"labels": {"app": "web"}})
    there = obj("v1", "Service", "web", spec={"selector": {"app": "web"}, "ports": [{"port": 80}], **spec})
    return [there, web, pod("other", node="node-b"), node("node-a"), node("node-b"), node("node-empty")]


def test_traffic_that_stays_on_a_node_without_a_pod() -> None:
    told = one(found(*local(internalTrafficPolicy="Local")), "TrafficStaysOnNode")
    assert told.severity == "warning" and "node-b" in told.summary and "node-empty" not in told.summary
    outside = one(found(*local(externalTrafficPolicy="Local", type="NodePort")), "TrafficStaysOnNode")
    assert outside.severity == "info"
    assert reasons(*local(internalTrafficPolicy="Cluster"), *local(externalTrafficPolicy="Local")) == set()


def test_a_variable_set_twice_is_told_once_for_its_workload() -> None:
    env = [{"name": "LEVEL", "value": "a"}, {"name": "LEVEL", "value": "b"}, {"name": "OTHER", "value": "c"}]
    web = deployment("web", replicas=2)
    pods = [owned(pod(f"web-{n}", container={"env": env}), web) for n in (1, 2)]
    told = one(found(web, *pods), "VariableSetTwice")
    assert told.subject == Ref("Deployment", "shop", "web") and "LEVEL" in told.summary and "OTHER" not in told.summary


def test_selectors_that_match_each_other() -> None:
    labels = {"app": "web"}
    told = one(found(deployment("blue", labels=labels), deployment("green", labels=labels)), "SelectorsOverlap")
    assert told.severity == "info" and told.effects == (Ref("Deployment", "shop", "green"),)
    wide = deployment("blue", labels=labels)
    narrow = deployment("green", labels={**labels, "track": "x"})
    assert reasons(wide, narrow) == set()


def scaled(times: int, **fields: object) -> list[Obj]:
    managed = [{"manager": "gitops", "operation": "Apply", "fieldsV1": {"f:spec": {"f:replicas": {}}}, **fields}]
    web = deployment("web", metadata={"managedFields": managed})
    reference = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
    spec = {"scaleTargetRef": reference, "maxReplicas": 5}
    scaler = obj("autoscaling/v2", "HorizontalPodAutoscaler", "web", spec=spec, status={"currentReplicas": 1})
    words = "New size: 4; reason: cpu resource utilization (percentage of request) above target"
    return [web, scaler, event(scaler, "SuccessfulRescale", words, times=times, kind="Normal")]


def test_somebody_who_sets_the_replicas_back_is_named() -> None:
    told = one(found(*scaled(5)), "ReplicasFoughtOver")
    assert "gitops" in told.summary and told.subject.name == "web"
    assert reasons(*scaled(1)) == set() and reasons(*scaled(5, subresource="scale")) == set()
    assert reasons(*scaled(5, fieldsV1={"f:spec": {}})) == set()


def crowd(used: str, **resources: object) -> tuple[list[Obj], list[Obj], list[Obj]]:
    greedy = pod("batch", container={"resources": resources})
    figures = {
        "metadata": {"name": "batch", "namespace": "shop"},
        "containers": [{"name": "app", "usage": {"cpu": used}}],
    }
    return [greedy, pod("other"), node()], [figures], [{"metadata": {"name": "node-a"}, "usage": {"cpu": "3900m"}}]


def told_of(objects: list[Obj], pods: list[Obj], nodes: list[Obj]) -> set[str]:
    from kubectl_berth.cluster.cluster import UsageFigures
    from kubectl_berth.diagnosis.diagnose import diagnose
    from kubectl_berth.diagnosis.inventory import inventory_of
    from tests.diagnosis.objects import NOW

    return {one.reason for one in diagnose(inventory_of(objects, NOW, usage=UsageFigures(pods, nodes)))}


def test_one_pod_that_takes_the_node() -> None:
    assert told_of(*crowd("3500m")) == {"NodeCrowded"}
    assert told_of(*crowd("1500m")) == set()
    assert told_of(*crowd("3500m", limits={"cpu": "4"})) == set()
    assert told_of(*crowd("3500m", requests={"cpu": "3"})) == set()


def test_a_certificate_nobody_signed_stands_beside_its_node() -> None:
    lost = node("node-a", {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"})
    spec = {"signerName": "kubernetes.io/kube-apiserver-client-kubelet", "username": "system:node:node-a"}
    request = obj("certificates.k8s.io/v1", "CertificateSigningRequest", "csr-1", "", spec=spec)
    told = one(found(lost, request), "NodeUnreachable")
    assert "csr-1" in " ".join(told.evidence) and "approved" in told.remedy
    approved = merged(request, {"status": {"conditions": [{"type": "Approved", "status": "True"}]}})
    assert "csr-1" not in " ".join(one(found(lost, approved), "NodeUnreachable").evidence)
    assert reasons(node(), request) == set()


def test_a_taint_that_clears_a_node() -> None:
    clearing = node("node-a", spec={"taints": [{"key": "maintenance", "effect": "NoExecute"}]})
    gone = pod("gone")
    put_out = event(gone, "TaintManagerEviction", "Marking for deletion Pod shop/gone", kind="Normal")
    assert one(found(clearing, put_out), "NodeTaintedNoExecute").severity == "info"
    assert reasons(clearing) == set()


def test_who_took_the_place_is_gone() -> None:
    victim = pod("web-1")
    text = "Preempted by pod 0a1b2c3d-0000-0000-0000-000000000000 on node node-a"
    told = one(found(event(victim, "Preempted", text)), "Preempted")
    assert told.subject == Ref("Pod", "shop", "web-1") and told.severity == "info"
    assert "0a1b2c3d" not in " ".join(told.evidence)
    assert reasons(event(victim, "Preempted", text, minutes=300)) == set()


def test_who_took_the_place_is_named_with_its_class() -> None:
    loser = deployment("booking", replicas=2, ready=1)
    winner = pod("render-1", spec={"priority": 900, "priorityClassName": "render-first"})
    text = f"Preempted by pod {(uid := 'aaaaaaaa-1111-4111-8111-111111111111')} on node node-a"
    winner["metadata"]["uid"] = uid
    told = one(found(loser, owned(gone := pod("booking-1"), loser), winner, event(gone, "Preempted", text)), "Preempts")
    words = " ".join(told.evidence)
    assert "Preempted by Pod shop/render-1" in words and "PriorityClass render-first" in words and uid not in words
    assert "preemptionPolicy Never" in told.remedy and "Pod shop/render-1" in told.remedy


def test_a_resize_in_place_that_no_node_can_carry_out() -> None:
    words = "Node didn't have enough capacity: memory, requested: 68719476736, capacity: 17179869184"
    pending = [condition("Ready", "True"), condition("PodResizePending", "True", "Infeasible", words, 12)]
    finding = one(found(pod("big-1", status={"conditions": pending})), "PodResizeInfeasible")
    assert finding.severity == "warning" and "68719476736" in finding.summary
    for minutes, severity in ((2, "info"), (30, "warning")):
        put_off = [condition("Ready", "True"), condition("PodResizePending", "True", "Deferred", "no room", minutes)]
        assert one(found(pod("big-1", status={"conditions": put_off})), "PodResizeDeferred").severity == severity
    done = [condition("Ready", "True"), condition("PodResizePending", "False")]
    assert not found(pod("big-1", status={"conditions": done}))
