"""Nodes that are lost or under pressure, what they bring down, and conditions that are fine as they are."""

from __future__ import annotations

import pytest

from kubectl_berth.diagnosis.polarity import bad_condition
from kubectl_berth.records import Ref
from tests.diagnosis.objects import (  # fmt: skip
    ago,
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
    replica_set,
    running,
    waiting,
)

LOST = condition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", 12)
PRESSURE = condition("DiskPressure", "True", "KubeletHasDiskPressure", "kubelet has disk pressure", 30)
READY = condition("Ready", "True", "KubeletReady", "kubelet is posting ready status")


def test_a_lost_node_is_one_cause_and_its_unknown_pressures_say_nothing() -> None:
    unknown = [condition(kind, "Unknown", "NodeStatusUnknown") for kind in ("DiskPressure", "MemoryPressure")]
    lease = obj("coordination.k8s.io/v1", "Lease", "node-b", "kube-node-lease", spec={"renewTime": ago(12)})
    findings = found(node("node-b", LOST, *unknown), lease)
    finding = one(findings, "NodeUnreachable")
    assert len(findings) == 1 and finding.severity == "critical" and "12m" in finding.summary
    assert "last renewed 12m ago" in " ".join(finding.evidence)


def test_pods_of_a_lost_node_are_its_effects() -> None:
    web = deployment(replicas=1, ready=0)
    rs = replica_set(web, "web-1", ready=0)
    gone = merged(
        owned(pod("web-1-x", running(ready=False), node="node-b"), rs),
        {"metadata": {"deletionTimestamp": ago(10), "deletionGracePeriodSeconds": 30}},
    )
    findings = found(node("node-b", LOST), web, rs, gone)
    cause = one(findings, "NodeUnreachable")
    assert [finding for finding in findings if finding.cause] == [cause]
    assert {Ref("Pod", "shop", "web-1-x"), Ref("Deployment", "shop", "web")} <= set(cause.effects)
    assert "second copy" in one(findings, "DeletionStuck").remedy


def test_twelve_evicted_pods_of_a_full_disk_are_one_cause() -> None:
    evicted = [
        pod(
            f"p-{n}",
            phase="Failed",
            status={"reason": "Evicted", "message": "The node was low on resource: ephemeral-storage."},
        )
        for n in range(12)
    ]
    for one_pod in evicted:
        one_pod["status"]["conditions"] = [condition("DisruptionTarget", "True", minutes=20)]
    findings = found(node("node-a", READY, PRESSURE), *evicted)
    causes = [finding for finding in findings if finding.cause]
    assert [cause.reason for cause in causes] == ["NodeDiskPressure"] and len(causes[0].effects) == 12


def test_a_pod_evicted_for_its_own_limit_is_not_the_nodes_fault() -> None:
    text = 'Usage of EmptyDir volume "scratch" exceeds the limit "500Mi". '
    gone = pod("p", phase="Failed", status={"reason": "Evicted", "message": text})
    gone["status"]["conditions"] = [condition("DisruptionTarget", "True", minutes=20)]
    assert one(found(node("node-a", READY), gone), "EvictedOwnLimit").cause


def test_an_eviction_of_last_week_is_history() -> None:
    gone = pod("p", phase="Failed", status={"reason": "Evicted", "message": "The node was low on resource: memory."})
    gone["status"]["conditions"] = [condition("DisruptionTarget", "True", minutes=9000)]
    assert reasons(node("node-a", READY), gone) == set()


def test_a_runtime_that_is_down_is_told_in_its_words() -> None:
    down = condition("Ready", "False", "KubeletNotReady", "container runtime is down", 5)
    assert "container runtime is down" in one(found(node("node-b", down)), "NodeNotReady").summary


def test_a_node_without_network_points_to_its_plugins_pod() -> None:
    message = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady"
    down = node("node-b", condition("Ready", "False", "KubeletNotReady", message, 5))
    agent = obj("apps/v1", "DaemonSet", "net", "kube-system", status={"desiredNumberScheduled": 1, "numberReady": 0})
    broken = owned(
        pod("net-x", waiting("ImagePullBackOff", "not found"), node="node-b", spec={"hostNetwork": True}), agent
    )
    broken["metadata"]["namespace"] = "kube-system"
    findings = found(down, agent, broken)
    assert one(findings, "NodeNotReady").caused_by == Ref("Pod", "kube-system", "net-x")


def test_a_cordoned_node_is_not_broken() -> None:
    assert one(found(node(spec={"unschedulable": True})), "NodeCordoned").severity == "info"


def test_a_reboot_is_told_as_past() -> None:
    rebooted = node("node-b")
    said = event(rebooted, "Rebooted", "Node node-b has been rebooted, boot id: x", minutes=30)
    assert one(found(rebooted, said), "NodeRebooted").severity == "info"


@pytest.mark.parametrize(
    ("kind", "status", "bad"),
    [
        ("KernelDeadlock", "True", True),
        ("KernelDeadlock", "False", False),
        ("KernelReady", "True", False),
        ("ContainerRuntimeReady", "False", True),
        ("ReadonlyFilesystem", "True", True),
        ("FrequentKubeletRestart", "False", False),
        ("NetworkUnavailable", "False", False),
        ("NetworkUnavailable", "True", True),
        ("EtcdIsVoter", "True", False),
        ("EtcdIsVoter", "False", False),
        ("CorruptDockerOverlay2", "Unknown", False),
        ("SomethingNew", "True", False),
        ("SomethingNew", "False", False),
    ],
)
def test_node_conditions_of_any_source_count_by_their_polarity(kind: str, status: str, bad: bool) -> None:
    assert bad_condition(kind, status) is bad
    assert bool(reasons(node("node-a", READY, condition(kind, status)))) is bad


def test_addresses_used_up_on_one_node() -> None:
    text = 'Failed to create pod sandbox: plugin type="x" failed: failed to assign an IP address to container'
    pods = [pod(f"p-{n}", waiting("ContainerCreating"), phase="Pending", node="node-b") for n in range(3)]
    findings = found(
        node("node-a"), node("node-b"), *pods, *[event(one_pod, "FailedCreatePodSandBox", text) for one_pod in pods]
    )
    cause = one(findings, "NodeAddressesExhausted")
    assert cause.cause and len(cause.effects) == 3 and sum(finding.cause for finding in findings) == 1
