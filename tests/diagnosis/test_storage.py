"""Claims without volumes and volumes that do not reach their pod."""

from __future__ import annotations

from kubectl_berth.records import Ref
from tests.diagnosis.objects import ago, condition, event, found, node, obj, one, pod, reasons, waiting

STANDARD = obj("storage.k8s.io/v1", "StorageClass", "standard", "", provisioner="disk.csi.example.com")
LOST = condition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")


def claim(storage_class: str = "standard", phase: str = "Pending", **rest: object) -> dict:
    spec = {"storageClassName": storage_class, "resources": {"requests": {"storage": "10Gi"}}}
    return obj("v1", "PersistentVolumeClaim", "data", spec=spec, status={"phase": phase}, **rest)


def mounting(name: str = "db-0", where: str = "node-a", **rest: object) -> dict:
    volumes = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
    return pod(name, waiting("ContainerCreating"), phase="Pending", node=where, spec={"volumes": volumes}, **rest)


def test_a_missing_class_is_the_cause_and_the_others_are_named() -> None:
    cause = one(found(claim("fast-ssd"), STANDARD), "StorageClassMissing")
    assert cause.subject == Ref("StorageClass", "", "fast-ssd") and "storage classes here: standard" in cause.evidence


def test_a_missing_class_is_known_from_the_event_alone() -> None:
    pending = claim("")
    said = event(pending, "ProvisioningFailed", 'storageclass.storage.k8s.io "gone" not found')
    assert one(found(pending, said), "StorageClassMissing").subject.name == "gone"


def test_the_backends_words_are_told() -> None:
    pending = claim()
    text = 'failed to provision volume with StorageClass "standard": rpc error: code = ResourceExhausted desc = quota'
    assert (
        "ResourceExhausted"
        in one(found(pending, STANDARD, event(pending, "ProvisioningFailed", text)), "ProvisioningFailed").summary
    )


def test_a_silent_provisioner_is_told_with_what_is_installed() -> None:
    pending = claim()
    text = "Waiting for a volume to be created either by the external provisioner 'disk.csi.example.com' or manually"
    older_text = 'waiting for a volume to be created, either by external provisioner "disk.csi.example.com" or manually'
    for words in (text, older_text):
        finding = one(
            found(pending, STANDARD, event(pending, "ExternalProvisioning", words, kind="Normal")), "ProvisionerSilent"
        )
        assert "CSIDriver disk.csi.example.com: not installed" in finding.evidence


def test_a_claim_that_waits_for_its_first_pod_is_fine() -> None:
    pending = claim()
    text = "waiting for first consumer to be created before binding"
    assert reasons(pending, STANDARD, event(pending, "WaitForFirstConsumer", text, kind="Normal")) == set()


def test_a_released_volume_is_named() -> None:
    pending = claim("")
    reference = {"namespace": "shop", "name": "data", "uid": "old"}
    volume = obj("v1", "PersistentVolume", "pv-1", "", spec={"claimRef": reference}, status={"phase": "Released"})
    said = event(
        pending,
        "FailedBinding",
        "no persistent volumes available for this claim and no storage class is set",
        kind="Normal",
    )
    finding = one(found(pending, volume, said), "NoVolumeForClaim")
    assert "volume pv-1 is Released" in " ".join(finding.evidence)


def test_a_lost_claim() -> None:
    assert reasons(claim(phase="Lost")) == {"ClaimLost"}


def test_a_volume_held_by_a_dead_node_is_that_nodes_fault() -> None:
    stuck = mounting(where="node-a")
    text = (
        'Multi-Attach error for volume "pv-1" Volume is already exclusively attached to one node and can\'t be attached'
    )
    attachment = obj(
        "storage.k8s.io/v1", "VolumeAttachment", "va", "",
        spec={"nodeName": "node-b", "source": {"persistentVolumeName": "pv-1"}}, status={"attached": True},
    )  # fmt: skip
    findings = found(stuck, event(stuck, "FailedAttachVolume", text), attachment, node("node-a"), node("node-b", LOST))
    finding = one(findings, "VolumeAttachFails")
    assert (
        finding.caused_by == Ref("Node", "", "node-b")
        and "VolumeAttachment of pv-1: still on node node-b" in finding.evidence
    )
    assert "never delete claim or volume" in finding.remedy


def test_a_volume_that_another_pod_uses() -> None:
    stuck, user = mounting("db-new"), mounting("db-old", where="node-b")
    user["status"]["phase"] = "Running"
    text = 'Multi-Attach error for volume "pv-1" Volume is already used by pod(s) db-old'
    finding = one(found(stuck, user, event(stuck, "FailedAttachVolume", text)), "VolumeAttachFails")
    assert finding.cause and "Pod shop/db-old uses the same claim" in finding.evidence


def test_a_driver_that_is_missing_on_the_node() -> None:
    stuck = mounting()
    text = "MountDevice failed: driver name disk.csi.example.com not found in the list of registered CSI drivers"
    here = obj("storage.k8s.io/v1", "CSINode", "node-a", "", spec={"drivers": []})
    finding = one(found(stuck, here, event(stuck, "FailedMount", text)), "CsiDriverMissingOnNode")
    assert "CSINode node-a: drivers none" in finding.evidence


def test_a_mount_that_fails_in_its_own_words() -> None:
    stuck = mounting()
    said = event(stuck, "FailedMount", 'MountVolume.SetUp failed for volume "d" : mount failed: exit status 32')
    assert reasons(stuck, said) == {"VolumeMountFails"}


def test_a_resize_that_waits_for_a_pod() -> None:
    resizing = claim(phase="Bound")
    resizing["status"]["conditions"] = [condition("FileSystemResizePending", "True", minutes=30)]
    assert "restart the pod" in one(found(resizing), "ResizePending").remedy


def test_bound_claims_and_new_ones_are_fine() -> None:
    assert reasons(claim(phase="Bound"), STANDARD) == set()
    assert reasons(claim("fast", metadata={"creationTimestamp": ago(0.5)}), STANDARD) == set()


def test_a_volume_that_could_not_be_reclaimed() -> None:
    volume = obj("v1", "PersistentVolume", "pv-1", "", status={"phase": "Failed", "message": "no deleter"})
    assert "no deleter" in one(found(volume), "VolumeFailed").summary
    assert reasons(obj("v1", "PersistentVolume", "pv-2", "", status={"phase": "Bound"})) == set()


def test_a_provisioner_without_pods_is_the_cause() -> None:
    pending = claim()
    controller = obj(
        "apps/v1", "Deployment", "disk-controller", "kube-system", metadata={"generation": 1},
        spec={"replicas": 2, "template": {"spec": {"containers": [{"name": "p", "image": "x/csi-provisioner:v1"}]}}},
        status={"observedGeneration": 1, "replicas": 2, "readyReplicas": 0},
    )  # fmt: skip
    said = event(pending, "ExternalProvisioning", "Waiting for a volume to be created", kind="Normal")
    findings = found(pending, STANDARD, controller, said)
    assert one(findings, "ProvisionerSilent").caused_by == Ref("Deployment", "kube-system", "disk-controller")
    controller["status"]["readyReplicas"] = 2
    assert one(found(pending, STANDARD, controller, said), "ProvisionerSilent").cause
