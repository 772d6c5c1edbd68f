"""Pods that no node takes: worked out from the objects, whichever version wrote the message."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.objects import ago, condition, found, merged, node, obj, one, pod, reasons, scheduler_event, taken

TAINT_33 = "0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: gpu}. preemption: 0/1 nodes ..."
TAINT_34 = "0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: ..."
ZONE_32 = "0/1 nodes are available: 1 node(s) had volume node affinity conflict. preemption: ..."
ZONE_33 = "0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity. preemption: ..."


def pending(message: str, requests: dict | None = None, **spec: Any) -> dict:
    """A pod that the scheduler could not place."""
    base = pod("web-1", {"name": "app", "ready": False}, phase="Pending", node="")
    base = merged(base, {"spec": {"nodeName": "", **spec}})
    base["status"]["containerStatuses"] = []
    base["status"]["conditions"] = [condition("PodScheduled", "False", "Unschedulable", message)]
    base["spec"]["containers"][0]["resources"] = {"requests": requests or {}}
    return base


def filler(cpu: str, where: str = "node-a") -> dict:
    base = pod("filler", node=where)
    base["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu}}
    return base


def test_no_room_by_requests_gives_the_figures() -> None:
    full = "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: ..."
    finding = one(found(pending(full, {"cpu": "500m"}), node(), filler("3800m")), "InsufficientResources")
    assert "cpu: 3800m of 4 reserved by requests, the pod asks for 500m" in " ".join(finding.evidence)
    assert "requests count here, not usage" in finding.remedy


def test_a_request_beyond_any_node_is_told_apart() -> None:
    text = "0/1 nodes are available: 1 Insufficient memory."
    assert reasons(pending(text, {"memory": "64Gi"}), node()) == {"RequestExceedsNodes"}


@pytest.mark.parametrize("message", [TAINT_33, TAINT_34], ids=["up to 1.33", "from 1.34"])
def test_a_taint_is_read_from_the_node(message: str) -> None:
    gpu = node("node-g", spec={"taints": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]})
    finding = one(found(pending(message), gpu), "UntoleratedTaint")
    assert "node node-g: it has the taint dedicated=gpu:NoSchedule" in " ".join(finding.evidence)


def test_the_control_planes_own_taint_is_not_the_reason() -> None:
    text = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s)."
    master = node("cp", spec={"taints": [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]})
    findings = found(pending(text, {"cpu": "2"}), master, node(), filler("3"))
    assert {finding.reason for finding in findings} == {"InsufficientResources"}


@pytest.mark.parametrize("message", [ZONE_32, ZONE_33], ids=["up to 1.32", "from 1.33"])
def test_a_volume_in_another_zone(message: str) -> None:
    terms = [{"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["b"]}]}]
    volume = obj(
        "v1", "PersistentVolume", "pv-1", "", spec={"nodeAffinity": {"required": {"nodeSelectorTerms": terms}}}
    )
    claim = obj("v1", "PersistentVolumeClaim", "data", spec={"volumeName": "pv-1"}, status={"phase": "Bound"})
    held = pending(message, volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    near = node("node-a", metadata={"labels": {"topology.kubernetes.io/zone": "a"}})
    finding = one(found(held, claim, volume, near), "VolumeElsewhere")
    assert "topology.kubernetes.io/zone in (b)" in " ".join(finding.evidence) and "do not delete" in finding.remedy


def test_labels_that_match_no_node() -> None:
    text = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
    finding = one(found(pending(text, nodeSelector={"pool": "batch"}), node()), "NodeSelectorMismatch")
    assert "spec.nodeSelector: pool=batch" in finding.evidence


def test_cordoned_nodes() -> None:
    text = "0/1 nodes are available: 1 node(s) were unschedulable."
    findings = found(pending(text), node(spec={"unschedulable": True}))
    assert one(findings, "NodesCordoned").severity == "critical" and one(findings, "NodeCordoned").severity == "info"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.", "PodAntiAffinity"),
        ("0/3 nodes: 3 node(s) didn't match pod topology spread constraints.", "TopologySpread"),
        ("0/3 nodes: 3 node(s) didn't have free ports for the requested pod ports.", "HostPortTaken"),
        ("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.", "ClaimUnbound"),
        ('0/1 nodes are available: persistentvolumeclaim "data" not found.', "ClaimMissing"),
        ("0/1 nodes are available: 1 node(s) exceed max volume count.", "VolumeLimit"),
        ("0/1 nodes: 1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
         "in-use by another pod.", "ClaimInUse"),
        ('running Bind plugin "DefaultBinder": Internal error: failed calling webhook "x"', "BindWebhookFails"),
        ("words of a scheduler nobody knows", "Unschedulable"),
    ],
)  # fmt: skip
def test_what_only_the_message_tells(message: str, reason: str) -> None:
    assert reasons(pending(message), node()) - {"WebhookFails"} == {reason}


def test_a_full_node_by_number_of_pods() -> None:
    small = node(status={"allocatable": {"cpu": "4", "pods": "1"}})
    text = "0/1 nodes are available: 1 Too many pods."
    assert reasons(pending(text), small, filler("1m")) == {"TooManyPods"}


def test_a_device_that_no_node_offers() -> None:
    text = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."
    finding = one(found(pending(text, {"nvidia.com/gpu": "1"}), node()), "ResourceNotOffered")
    assert "it offers no nvidia.com/gpu" in " ".join(finding.evidence)


def test_an_unbound_claim_is_the_claims_fault() -> None:
    text = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."
    held = pending(text, volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
    claim = obj("v1", "PersistentVolumeClaim", "data", spec={"storageClassName": "fast"}, status={"phase": "Pending"})
    known = obj("storage.k8s.io/v1", "StorageClass", "standard", "", provisioner="p")
    findings = found(held, claim, known, node())
    cause = one(findings, "StorageClassMissing")
    assert cause.subject == Ref("StorageClass", "", "fast") and set(cause.effects) == {
        Ref("Pod", "shop", "web-1"),
        Ref("PersistentVolumeClaim", "shop", "data"),
    }
    assert one(findings, "ClaimUnbound").caused_by == cause.subject


def test_a_gate_is_named() -> None:
    gated = pending("", schedulingGates=[{"name": "example.com/quota"}])
    gated["status"]["conditions"] = [condition("PodScheduled", "False", "SchedulingGated", "Scheduling is blocked")]
    assert "example.com/quota" in one(found(gated, node()), "SchedulingGated").summary


def test_a_pod_that_nobody_schedules() -> None:
    lost = pending("", schedulerName="custom")
    lost["status"]["conditions"] = []
    finding = one(found(lost, node()), "NoScheduler")
    assert "custom" in finding.summary and "no events about it" in finding.evidence


def test_the_schedulers_stale_lease_is_the_cause() -> None:
    lost = pending("")
    lost["status"]["conditions"] = []
    stale = obj("coordination.k8s.io/v1", "Lease", "kube-scheduler", "kube-system", spec={"renewTime": ago(20)})
    fresh = obj("coordination.k8s.io/v1", "Lease", "node-a", "kube-node-lease", spec={"renewTime": ago(0.1)})
    findings = found(lost, node(), stale, fresh)
    assert one(findings, "NoScheduler").caused_by == one(findings, "ControlPlaneLeaseStale").subject


def test_a_pod_the_node_turned_away() -> None:
    turned = pod(
        "web-1", phase="Failed", status={"reason": "OutOfcpu", "message": "Node didn't have enough resource: cpu"}
    )
    turned["metadata"]["creationTimestamp"] = ago(5)
    assert reasons(turned) == {"RejectedByNode"}


def test_a_scheduler_event_without_timestamps_is_read() -> None:
    held = pending("0/1 nodes are available: 1 Too many pods.")
    inventory = taken(held, scheduler_event(held, "FailedScheduling", "0/1 nodes are available"))
    assert inventory.newest(inventory.pods[0], "FailedScheduling") is not None


def test_a_pod_created_seconds_ago_may_wait_for_the_scheduler() -> None:
    fresh = pending("")
    fresh["status"]["conditions"] = []
    fresh["metadata"]["creationTimestamp"] = ago(0.5)
    assert reasons(fresh, node()) == set()
