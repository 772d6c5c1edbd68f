"""Faults of volumes and of what pods are configured with, planted in the healthy cluster."""

from __future__ import annotations

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.planted import VERSIONS, Obj, Plants, World, assert_the_cause

plant = Plants()
CATALOG = ("Deployment", "shop", "catalog")
SEARCH = ("Deployment", "shop", "search")
CACHE = ("StatefulSet", "shop", "session-cache")


def unbound(w: World) -> Obj:
    claim = w.get("PersistentVolumeClaim", "shop", "data-session-cache-0")
    claim["metadata"]["creationTimestamp"] = w.ago(30)
    claim["spec"].pop("volumeName")
    claim["status"] = {"phase": "Pending"}
    w.pends(w.pods(*CACHE)[0], "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.")
    return claim


@plant("no such class", "StorageClassMissing", ["fast-ssd", "gp3"], ["disk full"])
def _(w: World) -> Ref:
    claim = unbound(w)
    claim["spec"]["storageClassName"] = "fast-ssd"
    w.event(claim, "ProvisioningFailed", 'storageclass.storage.k8s.io "fast-ssd" not found')
    return Ref("StorageClass", "", "fast-ssd")


@plant("backend says no", "ProvisioningFailed", ["ResourceExhausted", "gp3"], ["not installed"])
def _(w: World) -> Obj:
    claim = unbound(w)
    w.event(claim, "ProvisioningFailed", 'failed to provision volume with StorageClass "gp3": rpc error: code = ResourceExhausted desc = volume limit exceeded')  # fmt: skip # noqa: E501
    return claim


@plant("provisioner down", "CrashLoop", ["ebs-csi-controller"], ["storage class .* does not exist"])
def _(w: World) -> Obj:
    claim = unbound(w)
    for pod in w.pods("Deployment", "kube-system", "ebs-csi-controller"):
        w.crashes(pod)
    text = "Waiting for a volume to be created either by the external provisioner 'ebs.csi.aws.com' or manually by the system administrator."  # noqa: E501
    w.event(claim, "ExternalProvisioning", text, kind="Normal")
    return w.pods("Deployment", "kube-system", "ebs-csi-controller")[0]


@plant("attached to a dead node", "NodeUnreachable", ["node-b"], ["delete"])
def _(w: World) -> Obj:
    old = w.pods(*CACHE)[0]
    node = w.loses("node-b")
    volume = w.get("PersistentVolumeClaim", "shop", "data-session-cache-0")["spec"]["volumeName"]
    metadata = {**old["metadata"], "name": "session-cache-0b", "uid": "u-new", "creationTimestamp": w.ago(12)}
    waiting = {"phase": "Pending", "conditions": []}
    new = w.add({**old, "metadata": metadata, "spec": {**old["spec"], "nodeName": "node-a"}, "status": waiting})
    new["metadata"].pop("deletionTimestamp")
    w.event(new, "FailedAttachVolume", f'Multi-Attach error for volume "{volume}" Volume is already exclusively attached to one node and can\'t be attached to another')  # fmt: skip # noqa: E501
    return node


@plant("volume on a node with a full disk", "NodeDiskPressure", ["node-b"], ["delete"])
def _(w: World) -> Obj:
    pod = w.pods(*CACHE)[0]
    claim = w.get("PersistentVolumeClaim", "shop", "data-session-cache-0")
    term = {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-b"]}
    required = {"nodeSelectorTerms": [{"matchExpressions": [term]}]}
    w.get("PersistentVolume", "", claim["spec"]["volumeName"])["spec"]["nodeAffinity"] = {"required": required}
    node = w.get("Node", "", "node-b")
    w.condition(node, "DiskPressure", "True", "KubeletHasDiskPressure", "kubelet has disk pressure", minutes=15)
    node["spec"]["taints"] = [{"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}]
    w.pends(pod, "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }, 2 node(s) had volume node affinity conflict.")  # fmt: skip # noqa: E501
    return node


@plant("mount", "VolumeMountFails", ["exit status 32"], ["image"])
def _(w: World) -> Obj:
    pod = w.pods(*CACHE)[0]
    w.creating(pod)
    w.event(pod, "FailedMount", 'MountVolume.SetUp failed for volume "data" : mount failed: exit status 32 server gone')
    return pod


@plant("driver's pod on the node", "CrashLoop", ["ebs-csi-node"], ["volume bad"])
def _(w: World) -> Obj:
    pod = w.pods(*CACHE)[0]
    w.creating(pod)
    driver = next(one for one in w.on("node-b") if one["metadata"]["name"].startswith("ebs-csi-node"))
    w.crashes(driver)
    w.event(pod, "FailedMount", 'MountVolume.MountDevice failed for volume "x" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name ebs.csi.aws.com not found in the list of registered CSI drivers')  # fmt: skip # noqa: E501
    return driver


@plant("settings volume", "ConfigMapMissing", ["app-conf", "namespace shop|shop/app-conf"], ["CSI", "storage"])
def _(w: World) -> Ref:
    for workload in (SEARCH, CATALOG):
        for pod in w.pods(*workload):
            w.creating(pod)
            w.event(pod, "FailedMount", 'MountVolume.SetUp failed for volume "conf" : configmap "app-conf" not found')
    return Ref("ConfigMap", "shop", "app-conf")


@plant("key of a secret", "SecretKeyMissing", ["DB_PASSWORD", "orders-db"], ["does not exist"])
def _(w: World) -> Ref:
    text = "couldn't find key DB_PASSWORD in Secret shop/orders-db"
    for pod in w.pods(*CATALOG):
        name = w.waits(w.young(pod), "CreateContainerConfigError", text)
        w.event(pod, "Failed", f"Error: {text}", container=name)
    return Ref("Secret", "shop", "orders-db")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", plant)
def test_the_planted_fault_is_the_cause(name: str, version: str) -> None:
    assert_the_cause(plant[name], version)
