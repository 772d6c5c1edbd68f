"""Faults of scheduling, admission and nodes, planted in the healthy cluster."""

from __future__ import annotations

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.planted import VERSIONS, Obj, Plants, World, assert_the_cause, loud, ref

plant = Plants()
CATALOG = ("Deployment", "shop", "catalog")
SEARCH = ("Deployment", "shop", "search")
CACHE = ("StatefulSet", "shop", "session-cache")
TAIL = " preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."


def nodes(reasons: str) -> str:
    return f"0/3 nodes are available: {reasons}. no new claims to deallocate,{TAIL}"


# --- no node ----------------------------------------------------------------------------------------------------------


@plant("cpu", "InsufficientResources", ["cpu: .* of 1930m", "the pod asks for 1900m", "not usage"], ["taint"])
def _(w: World) -> Obj:
    pod = w.pods(*SEARCH)[0]
    pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1900m"
    w.pends(pod, nodes("3 Insufficient cpu"))
    return pod


@plant("typo in a request", "RequestExceedsNodes", ["64Gi", "more nodes of this size change nothing"], ["taint"])
def _(w: World) -> Obj:
    pod = w.pods(*SEARCH)[0]
    pod["spec"]["containers"][0]["resources"] = {"requests": {"memory": "64Gi"}}
    w.pends(pod, nodes("3 Insufficient memory"))
    return pod


@plant("taint", "UntoleratedTaint", ["dedicated=gpu:NoSchedule", "node-a", "toleration"], ["capacity"])
def _(w: World) -> Obj:
    for node in w.all("Node"):
        node["spec"]["taints"] = [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]
    pod = w.pods(*SEARCH)[0]
    w.pends(pod, nodes("3 node(s) had untolerated taint {dedicated: gpu}"))
    return pod


@plant("selector", "NodeSelectorMismatch", ["pool=batch"], ["capacity", "requests"])
def _(w: World) -> Obj:
    pod = w.pods(*SEARCH)[0]
    pod["spec"]["nodeSelector"] = {"pool": "batch"}
    w.pends(pod, nodes("3 node(s) didn't match Pod's node affinity/selector"))
    return pod


@plant(
    "anti-affinity", "PodAntiAffinity", ["kubernetes.io/hostname", "fewer replicas than nodes"], ["capacity", "taint"]
)
def _(w: World) -> Obj:
    pod = w.pods(*SEARCH)[0]
    term = {"labelSelector": {"matchLabels": {"app": "search"}}, "topologyKey": "kubernetes.io/hostname"}
    pod["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    w.pends(pod, nodes("3 node(s) didn't match pod anti-affinity rules"))
    return pod


@plant("spread", "TopologySpread", ["maxSkew 1", "topology.kubernetes.io/zone"], ["anti-affinity"])
def _(w: World) -> Obj:
    pod = w.pods(*SEARCH)[0]
    spread = {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}
    pod["spec"]["topologySpreadConstraints"] = [spread]
    w.pends(pod, nodes("3 node(s) didn't match pod topology spread constraints"))
    return pod


@plant("host port", "HostPortTaken", ["host port 8080"], ["NetworkPolicy"])
def _(w: World) -> Obj:
    pod = w.pods(*SEARCH)[0]
    pod["spec"]["containers"][0]["ports"][0] |= {"hostPort": 8080}
    w.pends(pod, nodes("3 node(s) didn't have free ports for the requested pod ports"))
    return pod


@plant("zone of a volume", "VolumeElsewhere", ["zone-b", "do not delete the claim"], ["insufficient"])
def _(w: World) -> Obj:
    pod = w.pods(*CACHE)[0]
    claim = w.get("PersistentVolumeClaim", "shop", "data-session-cache-0")
    term = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-b"]}
    required = {"nodeSelectorTerms": [{"matchExpressions": [term]}]}
    w.get("PersistentVolume", "", claim["spec"]["volumeName"])["spec"]["nodeAffinity"] = {"required": required}
    w.pends(pod, nodes("3 node(s) had volume node affinity conflict"))
    return pod


@plant("cordoned", "NodesCordoned", ["uncordon"], ["capacity"])
def _(w: World) -> Obj:
    for node in w.all("Node"):
        node["spec"]["unschedulable"] = True
    pod = w.pods(*SEARCH)[0]
    w.pends(pod, nodes("3 node(s) were unschedulable"))
    return pod


@plant("gate", "SchedulingGated", ["example.com/quota-gate"], ["capacity"])
def _(w: World) -> Obj:
    pod = w.pods(*SEARCH)[0]
    w.pends(pod, "Scheduling is blocked due to non-empty scheduling gates")
    pod["status"]["conditions"][0]["reason"] = "SchedulingGated"
    pod["spec"]["schedulingGates"] = [{"name": "example.com/quota-gate"}]
    return pod


@plant("scheduler down", "ControlPlaneLeaseStale", ["kube-scheduler", "renewed"], ["capacity"])
def _(w: World) -> Obj:
    for pod in (w.pods(*SEARCH)[0], w.pods(*CATALOG)[0]):
        w.pends(pod, "")
        pod["status"] = {"phase": "Pending"}
        w.planted = [one for one in w.planted if one["reason"] != "FailedScheduling"]
    lease = w.get("Lease", "kube-system", "kube-scheduler")
    lease["spec"]["renewTime"] = w.ago(20)
    return lease


@plant("device plugin", "CrashLoop", ["device-plugin"], ["hardware"])
def _(w: World) -> Obj:
    daemons = w.get("DaemonSet", "monitoring", "fluent-bit")
    daemons["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example.com/nvidia/k8s-device-plugin:1"
    for pod in w.pods("DaemonSet", "monitoring", "fluent-bit"):
        for one in (pod["spec"]["containers"][0], pod["status"]["containerStatuses"][0]):
            one["name"] = "device-plugin"
        w.crashes(pod)
    pod = w.pods(*SEARCH)[0]
    pod["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "1"}}
    w.pends(pod, nodes("3 Insufficient nvidia.com/gpu"))
    return w.pods("DaemonSet", "monitoring", "fluent-bit")[0]


# --- not made ---------------------------------------------------------------------------------------------------------

QUOTA = 'pods "search-x" is forbidden: exceeded quota: team-a, requested: limits.cpu=1, used: limits.cpu=6, limited: limits.cpu=6'  # noqa: E501


@plant("quota", "QuotaExceeded", ["team-a", "limits.cpu=6"], ["scheduler", "node"])
def _(w: World) -> Ref:
    quota = w.add({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team-a", "namespace": "shop"}, "spec": {"hard": {"limits.cpu": "6"}}})  # fmt: skip # noqa: E501
    w.gone(*SEARCH, QUOTA)
    w.gone(*CATALOG, QUOTA)
    return ref(quota)


@plant("quota wants requests", "QuotaNeedsRequests", ["requests.memory", "mem"], ["used up"])
def _(w: World) -> Obj:
    w.gone(*SEARCH, 'pods "search-x" is forbidden: failed quota: mem: must specify requests.memory for: search')
    return w.get(*SEARCH)


@plant("bounds", "LimitRangeViolated", ["bounds", "2Gi", "4Gi"], ["quota"])
def _(w: World) -> Obj:
    spec = {"limits": [{"type": "Container", "max": {"memory": "2Gi"}}]}
    w.add({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "bounds", "namespace": "shop"}, "spec": spec})
    w.gone(*SEARCH, 'pods "x" is forbidden: maximum memory usage per Container is 2Gi, but limit is 4Gi')
    return w.get(*SEARCH)


@plant("pod security", "PodSecurityViolation", ["restricted:latest", "allowPrivilegeEscalation"], ["webhook"])
def _(w: World) -> Obj:
    w.gone(*SEARCH, 'pods "x" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "search" must set securityContext.allowPrivilegeEscalation=false)')  # fmt: skip # noqa: E501
    return w.get(*SEARCH)


@plant("account", "ServiceAccountMissing", ["search-bot"], ["denied"])
def _(w: World) -> Ref:
    w.gone(*SEARCH, 'pods "x" is forbidden: error looking up service account shop/search-bot: serviceaccount "search-bot" not found')  # fmt: skip # noqa: E501
    return Ref("ServiceAccount", "shop", "search-bot")


@plant("policy says no", "AdmissionDenied", ["validate.kyverno.svc-fail", "latest tag"], ["does not answer"])
def _(w: World) -> Obj:
    w.gone(*SEARCH, 'admission webhook "validate.kyverno.svc-fail" denied the request: no latest tag')
    return w.get(*SEARCH)


def guard(w: World, namespace: str = "cert-manager", service: str = "cert-manager-webhook") -> Obj:
    client = {"service": {"name": service, "namespace": namespace, "port": 443}}
    rules = [{"apiGroups": [""], "resources": ["pods"], "operations": ["CREATE"], "apiVersions": ["v1"]}]
    hook = {"name": "pods.example.com", "clientConfig": client, "failurePolicy": "Fail", "rules": rules}
    return w.add(
        {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
         "metadata": {"name": "guard"}, "webhooks": [hook]}
    )  # fmt: skip


def failed_call(tail: str) -> str:
    return f'Internal error occurred: failed calling webhook "pods.example.com": failed to call webhook: Post "https://x.y.svc:443/mutate?timeout=10s": {tail}'  # noqa: E501


@plant(
    "webhook times out",
    "WebhookFails",
    ["does not answer in time", "failurePolicy Fail", "pods.example.com"],
    ["quota"],
)
def _(w: World) -> Obj:
    for workload in (SEARCH, CATALOG, CACHE):
        w.gone(*workload, failed_call("context deadline exceeded"))
    return guard(w)


@plant("webhook's certificate", "WebhookFails", ["caBundle"], ["in time"])
def _(w: World) -> Obj:
    w.gone(*SEARCH, failed_call("tls: failed to verify certificate: x509: certificate signed by unknown authority"))
    return guard(w)


@plant("webhook guards itself", "WebhookFails", ["cannot start while it is down"], [])
def _(w: World) -> Obj:
    service = w.get("Service", "shop", "search")["metadata"]["name"]
    text = failed_call(f'no endpoints available for service "{service}"')
    w.gone(*SEARCH, text)
    w.gone(*CATALOG, text)
    return guard(w, "shop", "search")


@plant("webhook's pod crashes", "CrashLoop", ["cert-manager-webhook"], ["caBundle"])
def _(w: World) -> Obj:
    pod = w.pods("Deployment", "cert-manager", "cert-manager-webhook")[0]
    w.crashes(pod)
    guard(w)
    w.gone(*SEARCH, failed_call('no endpoints available for service "cert-manager-webhook"'))
    return pod


@plant("webhook on bindings", "WebhookFails", ["pods.example.com"], ["taint", "requests"])
def _(w: World) -> Obj:
    text = f'running Bind plugin "DefaultBinder": {failed_call("context deadline exceeded")}'
    w.pends(w.pods(*SEARCH)[0], text)
    return guard(w)


# --- nodes ------------------------------------------------------------------------------------------------------------


@plant("kubelet stopped", "NodeUnreachable", ["20m", "node-c", "last renewed"], ["has disk pressure"])
def _(w: World) -> Obj:
    return w.loses("node-c")


@plant("runtime down", "NodeNotReady", ["container runtime is down"], ["has not reported"])
def _(w: World) -> Obj:
    node = w.loses("node-c")
    w.condition(node, "Ready", "False", "KubeletNotReady", "container runtime is down", minutes=20)
    for kind in ("MemoryPressure", "DiskPressure", "PIDPressure"):
        w.condition(node, kind, "False", "KubeletHasNoPressure")
    return node


@plant("network plugin", "CrashLoop", ["kube-flannel"], ["certificate"])
def _(w: World) -> Obj:
    node = w.loses("node-c")
    for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"):
        w.condition(node, kind, "False", "KubeletHasNoPressure")
    text = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"  # noqa: E501
    w.condition(node, "Ready", "False", "KubeletNotReady", text, minutes=20)
    pod = next(one for one in w.on("node-c") if one["metadata"]["namespace"] == "kube-flannel")
    w.crashes(pod)
    return pod


@plant("full disk", "NodeDiskPressure", ["ephemeral-storage", "node-b", "shipper was using 40Gi"], ["NetworkPolicy"])
def _(w: World) -> Obj:
    node = w.get("Node", "", "node-b")
    w.condition(node, "DiskPressure", "True", "KubeletHasDiskPressure", "kubelet has disk pressure", minutes=15)
    node["spec"]["taints"] = [{"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}]
    w.event(node, "EvictionThresholdMet", "Attempting to reclaim ephemeral-storage")
    text = "The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 7Gi. Container shipper was using 40Gi, request is 0, has larger consumption of ephemeral-storage. "  # noqa: E501
    for pod in w.on("node-b"):
        if pod["metadata"]["namespace"] in ("shop", "payments"):
            w.unready(pod, 12)
            pod["status"] |= {"phase": "Failed", "reason": "Evicted", "message": text, "containerStatuses": []}
            w.event(pod, "Evicted", text, minutes=12)
    return node


@plant("own limit", "EvictedOwnLimit", ["500Mi", "scratch"], ["DiskPressure"])
def _(w: World) -> Obj:
    pod = w.pods(*SEARCH)[0]
    w.unready(pod, 12)
    text = 'Usage of EmptyDir volume "scratch" exceeds the limit "500Mi". '
    pod["status"] |= {"phase": "Failed", "reason": "Evicted", "message": text, "containerStatuses": []}
    return pod


@plant("a greedy neighbour", "NodeCrowded", ["1800m", "no cpu limit", "image-resizer"], ["regression"])
def _(w: World) -> Obj:
    pod = w.pods("Deployment", "shop", "image-resizer")[0]
    w.measure("node-c", pod, "1800m", "1920m")
    return w.get("Node", "", pod["spec"]["nodeName"])


@plant("addresses", "NodeAddressesExhausted", ["used up", "node-c"], ["image"])
def _(w: World) -> Obj:
    text = 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "x": plugin type="aws-cni" failed to assign an IP address to container'  # noqa: E501
    for pod in (w.pods(*SEARCH)[0], w.pods("Deployment", "analytics", "exporter")[0]):
        w.creating(pod)
        w.event(pod, "FailedCreatePodSandBox", text)
    return w.get("Node", "", "node-c")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", plant)
def test_the_planted_fault_is_the_cause(name: str, version: str) -> None:
    assert_the_cause(plant[name], version)


@pytest.mark.parametrize("version", VERSIONS)
def test_two_faults_that_have_nothing_to_do_with_each_other_stay_two(version: str) -> None:
    world = World()
    node, claim = plant["full disk"].breaks(world), Ref("ConfigMap", "data", "schema-conf")
    pod = world.pods("Deployment", "data", "schema-registry")[0]
    world.creating(pod)
    world.event(pod, "FailedMount", 'MountVolume.SetUp failed for volume "conf" : configmap "schema-conf" not found')
    roots = {one.subject for one in loud(world.findings(version)) if one.cause}
    assert roots == {ref(node) if not isinstance(node, Ref) else node, claim}
