"""Volume drivers that a node lacks: the DaemonSet that should register them, and what keeps it off the node."""

from __future__ import annotations

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.objects import Obj, deployment, event, found, merged, node, obj, one, owned, pod, waiting

TAINT = {"spec": {"taints": [{"key": "team", "value": "render", "effect": "NoSchedule"}]}}


def driver(*nodes: str, arguments: tuple[str, ...] = (), name: str = "tape-csi-node", **spec: object) -> list[Obj]:
    """A DaemonSet whose pods registered the driver tape.vendor.example on these nodes."""
    containers = [{"name": "d", "image": "tape:1", "args": list(arguments)}]
    made = obj("apps/v1", "DaemonSet", name, "storage", spec={"template": {"spec": {"containers": containers, **spec}}},
               status={"desiredNumberScheduled": len(nodes), "numberReady": len(nodes)})  # fmt: skip
    pods = [owned(pod(f"{name}-{at}", node=at, metadata={"namespace": "storage"}), made) for at in nodes]
    here = [
        obj("storage.k8s.io/v1", "CSINode", at, "", spec={"drivers": [{"name": "tape.vendor.example"}]}) for at in nodes
    ]
    return [made, *pods, *here, *(node(at) for at in nodes)]


def stuck(reason: str = "FailedAttachVolume") -> list[Obj]:
    waits = pod("frames-0", waiting("ContainerCreating"), phase="Pending", node="node-r")
    words = {
        "FailedAttachVolume": 'AttachVolume.Attach failed for volume "pvc-7" : CSINode node-r does not contain driver '
        "tape.vendor.example",
        "FailedMount": "MountDevice failed: driver name tape.vendor.example not found in the list of registered CSI "
        "drivers",
    }
    return [waits, event(waits, reason, words[reason], times=40)]


@pytest.mark.parametrize("reason", ["FailedAttachVolume", "FailedMount"])
def test_a_driver_kept_off_a_node_by_a_taint_is_the_cause(reason: str) -> None:
    findings = found(*driver("node-a", "node-b"), node("node-r", **TAINT), *stuck(reason))
    cause = one(findings, "DaemonSetLeavesNodesOut")
    assert cause.cause and cause.subject == Ref("DaemonSet", "storage", "tape-csi-node")
    assert cause.severity == "critical" and "node node-r" in cause.summary and "team=render" in cause.summary
    assert one(findings, "CsiDriverMissingOnNode").caused_by == cause.subject
    assert "toleration" in cause.remedy and "Recreate" not in cause.remedy
    assert not [finding for finding in findings if finding.reason == "VolumeAttachFails"]


def test_a_driver_kept_off_a_node_by_its_selector_is_found_by_the_name_of_its_socket() -> None:
    socket = "--kubelet-registration-path=/var/lib/kubelet/plugins/tape.vendor.example/s.sock"
    daemons = driver("node-a", arguments=(socket,), name="tape-agent", nodeSelector={"storage": "yes"})
    daemons[-1]["metadata"]["labels"] = {"storage": "yes"}
    cause = one(found(*daemons, node("node-r"), *stuck()), "DaemonSetLeavesNodesOut")
    assert "storage=yes" in cause.summary and "labels" in cause.remedy


def test_a_driver_that_no_daemon_set_is_known_for_is_told_of_the_pod_alone() -> None:
    findings = found(node("node-a"), node("node-r"), *stuck())
    finding = one(findings, "CsiDriverMissingOnNode")
    assert finding.cause and "tape.vendor.example" in finding.summary and "Recreate" not in finding.remedy


def test_daemons_kept_off_a_node_where_no_volume_is_missed_stay_a_remark() -> None:
    findings = found(*driver("node-a", "node-b"), node("node-r", **TAINT))
    assert one(findings, "DaemonSetLeavesNodesOut").severity == "info"


@pytest.mark.parametrize(("replicas", "words"), [(1, "Recreate"), (2, "ReadWriteMany")])
def test_a_volume_of_one_node_asks_for_one_pod_at_a_time(replicas: int, words: str) -> None:
    wiki = deployment("wiki", replicas=replicas, ready=1)
    claims: Obj = {"spec": {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "wiki-data"}}]}}
    late = pod("wiki-new", waiting("ContainerCreating"), phase="Pending", node="node-b", **claims)
    old = owned(pod("wiki-old", node="node-a", **claims), wiki)
    text = 'Multi-Attach error for volume "pv-9" Volume is already used by pod(s) wiki-old'
    findings = found(wiki, owned(late, wiki), old, event(late, "FailedAttachVolume", text))
    assert words in one(findings, "VolumeAttachFails").remedy


def test_an_attachment_that_fails_by_itself_is_no_matter_of_other_pods() -> None:
    late = merged(pod("db-0", waiting("ContainerCreating"), phase="Pending"), {})
    text = 'AttachVolume.Attach failed for volume "pv-3" : rpc error: code = ResourceExhausted desc = too many volumes'
    remedy = one(found(late, event(late, "FailedAttachVolume", text)), "VolumeAttachFails").remedy
    assert "Recreate" not in remedy and "driver's words" in remedy
