"""Messages that Kubernetes worded differently between 1.30 and 1.36, in every direction that keeps what they tell."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kubectl_berth.errors import UsageError
from kubectl_berth.records import Object
from kubectl_berth.scenarios.wording import reworded


def event(reason: str, message: str, container: str = "app") -> Object:
    about: dict[str, Any] = {"kind": "Pod", "name": "web"}
    if container:
        about["fieldPath"] = f"spec.containers{{{container}}}"
    return {"apiVersion": "v1", "kind": "Event", "reason": reason, "message": message, "involvedObject": about}


ACROSS = [
    ("Created", {"v1.30.3": "Created container app", "v1.31.4": "Created container app"}),
    ("Created", {"v1.31.4": "Created container app", "v1.32.6": "Created container: app"}),
    ("Created", {"v1.34.2": "Created container: app", "v1.35.3": "Container created"}),
    (
        "Started",
        {"v1.31.4": "Started container app", "v1.34.2": "Started container app", "v1.36.2": "Container started"},
    ),
    (
        "ScalingReplicaSet",
        {
            "v1.31.4": "Scaled up replica set web-7d9f to 3",
            "v1.32.6": "Scaled up replica set web-7d9f from 0 to 3",
        },
    ),
    (
        "ScalingReplicaSet",
        {
            "v1.30.3": "Scaled down replica set web-7d9f to 0 from 3",
            "v1.36.2": "Scaled down replica set web-7d9f from 3 to 0",
        },
    ),
    (
        "Unhealthy",
        {
            "v1.32.6": "Liveness probe errored: rpc error",
            "v1.33.5": "Liveness probe errored and resulted in unknown state: rpc error",
        },
    ),
    ("Unhealthy", {"v1.31.4": "Readiness probe failed: x", "v1.36.2": "Readiness probe failed: x"}),
    (
        "FailedScheduling",
        {
            "v1.32.6": "0/2 nodes are available: 2 node(s) had volume node affinity conflict. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
            "v1.33.5": "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
            "v1.34.2": "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity. "
            "no new claims to deallocate, "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
        },
    ),
]


@pytest.mark.parametrize(
    ("reason", "source", "target", "written", "read"),
    [
        (reason, source, target, written, read)
        for reason, words in ACROSS
        for source, written in words.items()
        for target, read in words.items()
    ],
)
def test_events_read_in_either_wording(reason: str, source: str, target: str, written: str, read: str) -> None:
    assert reworded(event(reason, written), source, target)["message"] == read


CONTROL_PLANE = "{node-role.kubernetes.io/control-plane: }"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"0/6 nodes are available: 3 Insufficient cpu, 3 node(s) had untolerated taint {CONTROL_PLANE}. "
            "preemption: 0/6 nodes are available: 3 No preemption victims found for incoming pod, 3 Preemption is not "
            "helpful for scheduling.",
            "0/6 nodes are available: 3 Insufficient cpu, 3 node(s) had untolerated taint(s). no new claims to "
            "deallocate, preemption: 0/6 nodes are available: 3 No preemption victims found for incoming pod, 3 "
            "Preemption is not helpful for scheduling.",
        ),
        (
            # two taints become one entry, and the list is sorted as strings: 10 before 9
            f"0/19 nodes are available: 3 node(s) had untolerated taint {CONTROL_PLANE}, 7 node(s) had untolerated "
            "taint {dedicated: gpu}, 9 Insufficient cpu.",
            "0/19 nodes are available: 10 node(s) had untolerated taint(s), 9 Insufficient cpu.",
        ),
        ("pod has unbound immediate PersistentVolumeClaims", "pod has unbound immediate PersistentVolumeClaims"),
    ],
)
def test_taints_are_counted_together_from_1_34_on(before: str, after: str) -> None:
    pod = {
        "kind": "Pod",
        "status": {"conditions": [{"type": "PodScheduled", "reason": "Unschedulable", "message": before}]},
    }
    assert reworded(event("FailedScheduling", before, ""), "v1.33.5", "v1.34.2")["message"] == after
    assert reworded(pod, "v1.31.4", "v1.36.2")["status"]["conditions"][0]["message"] == after


def waiting(message: str) -> Object:
    entry = {"name": "app", "state": {"waiting": {"reason": "ImagePullBackOff", "message": message}}}
    return {"kind": "Pod", "status": {"containerStatuses": [entry]}}


def test_the_cause_of_a_failed_pull_is_told_from_1_32_on() -> None:
    long = 'Back-off pulling image "a/b:1": ErrImagePull: rpc error: code = NotFound desc = not found'
    assert reworded(waiting(long), "v1.33.5", "v1.32.6") == waiting(long)
    assert reworded(waiting(long), "v1.33.5", "v1.31.4") == waiting('Back-off pulling image "a/b:1"')


def test_the_nodes_and_the_proxy_move_along() -> None:
    node = {"kind": "Node", "status": {"nodeInfo": {"kubeletVersion": "v1.31.4", "kubeProxyVersion": "v1.31.4"}}}
    assert reworded(node, "v1.31.4", "v1.32.6")["status"]["nodeInfo"] == {
        "kubeletVersion": "v1.32.6",
        "kubeProxyVersion": "v1.32.6",
    }
    assert reworded(node, "v1.31.4", "v1.36.2")["status"]["nodeInfo"]["kubeProxyVersion"] == ""
    images = ["registry.k8s.io/kube-proxy:v1.31.4", "quay.io/jetstack/cert-manager-controller:v1.15.3"]
    pod = {"kind": "Pod", "spec": {"containers": [{"image": image} for image in images]}}
    moved = reworded(pod, "v1.31.4", "v1.36.2")["spec"]["containers"]
    assert [entry["image"] for entry in moved] == ["registry.k8s.io/kube-proxy:v1.36.2", images[1]]


def test_the_object_that_goes_in_is_left_alone() -> None:
    given = waiting('Back-off pulling image "a/b:1": ErrImagePull: not found')
    kept = copy.deepcopy(given)
    assert reworded(given, "v1.33.5", "v1.31.4") != kept
    assert given == kept


@pytest.mark.parametrize("kind", ["Pod", "Event", "Node", "DaemonSet", None])
@pytest.mark.parametrize("more", [{}, {"status": None, "involvedObject": None, "reason": "Created", "message": "x"}])
def test_objects_without_what_is_reworded_pass(kind: str | None, more: Object) -> None:
    assert reworded({"kind": kind, **more}, "v1.31.4", "v1.36.2")["kind"] == kind


def test_a_version_that_is_none_is_an_error() -> None:
    with pytest.raises(UsageError, match=r'"1\.36" is not a Kubernetes version: write it like v1\.33\.4'):
        reworded({"kind": "Pod"}, "v1.31.4", "1.36")
