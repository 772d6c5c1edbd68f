"""Faults of the way traffic takes, of scaling and of rollouts, planted in the healthy cluster."""

from __future__ import annotations

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.planted import VERSIONS, Obj, Plants, World, assert_the_cause, loud, metrics_down, ref

plant = Plants()
CATALOG = ("Deployment", "shop", "catalog")
SEARCH = ("Deployment", "shop", "search")
CACHE = ("StatefulSet", "shop", "session-cache")
NO_METRICS = "the HPA was unable to compute the replica count: failed to get cpu utilization: "


def emptied(w: World, namespace: str, service: str) -> None:
    for part in w.all("EndpointSlice", namespace):
        if part["metadata"]["labels"].get("kubernetes.io/service-name") == service:
            part["endpoints"] = []


# --- the way traffic takes --------------------------------------------------------------------------------------------


@plant("selector drift", "ServiceWithoutEndpoints", ["app=catalog-v2", "app=catalog", "sends traffic nowhere"], ["DNS"])
def _(w: World) -> Obj:
    service = w.get("Service", "shop", "catalog")
    service["spec"]["selector"] = {"app": "catalog-v2"}
    emptied(w, "shop", "catalog")
    return service


@plant("target port", "ServicePortMismatch", ["8081", "8080"], ["NetworkPolicy"])
def _(w: World) -> Obj:
    service = w.get("Service", "shop", "catalog")
    service["spec"]["ports"][0]["targetPort"] = 8081
    return service


@plant("named port", "ServicePortMismatch", ["http-web", r"8080 \(http\)", "selector matches"], [])
def _(w: World) -> Obj:
    service = w.get("Service", "shop", "catalog")
    service["spec"]["ports"][0]["targetPort"] = "http-web"
    return service


@plant("none ready", "ReadinessProbeFails", ["statuscode: 500"], ["selector is wrong"])
def _(w: World) -> Obj:
    for pod in w.pods(*CATALOG):
        pod["status"]["containerStatuses"][0]["ready"] = False
        w.unready(pod)
        w.event(pod, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 500", container="catalog")
    return w.pods(*CATALOG)[0]


@plant("client kept out", "PolicyBlocksClient", ["catalog-in", "tier=backend", "app=storefront"], ["DNS"])
def _(w: World) -> Obj:
    names(w, ("Deployment", "shop", "storefront"), "http://catalog.shop.svc:80")
    return w.add(policy("catalog-in", {"app": "catalog"}, ingress=[
        {"from": [{"podSelector": {"matchLabels": {"tier": "backend"}}}]}]))  # fmt: skip


@plant("no way out but one", "PolicyBlocksClient", ["search-out", "app=pricing", "catalog"], [])
def _(w: World) -> Obj:
    names(w, SEARCH, "catalog:80")
    rules = [
        {"to": [{"podSelector": {"matchLabels": {"app": "pricing"}}}]},
        {"ports": [{"port": 53, "protocol": "UDP"}]},
    ]
    return w.add(policy("search-out", {"app": "search"}, egress=rules))


@plant("no DNS", "EgressBlocksDns", ["default-deny-egress", "port 53"], ["CoreDNS is broken"])
def _(w: World) -> Obj:
    for workload in (SEARCH, CATALOG):
        for pod in w.pods(*workload):
            w.crashes(pod)
    return w.add(policy("default-deny-egress", {}, egress=[{"to": [{"podSelector": {}}]}]))


def names(w: World, workload: tuple[str, str, str], host: str) -> None:
    for pod in w.pods(*workload):
        pod["spec"]["containers"][0].setdefault("env", []).append({"name": "UPSTREAM_URL", "value": host})


def policy(name: str, labels: Obj, **rules: object) -> Obj:
    kinds = [kind.capitalize() for kind in rules]
    return {
        "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": name, "namespace": "shop"},
        "spec": {"podSelector": {"matchLabels": labels}, "policyTypes": kinds, **rules},
    }  # fmt: skip


@plant("resolver", "OOMKilled", ["coredns", "memory limit"], ["ndots"])
def _(w: World) -> Obj:
    pod = w.pods("Deployment", "kube-system", "coredns")[0]
    w.crashes(pod, 137, "OOMKilled")
    return pod


@plant("class of an ingress", "IngressClassMissing", ["nginx", "gateway"], ["certificate"])
def _(w: World) -> Obj:
    ingress = w.get("Ingress", "shop", "storefront")
    ingress["spec"]["ingressClassName"] = "nginx"
    ingress["status"] = {"loadBalancer": {}}
    return ingress


@plant("port of an ingress", "IngressBackendMissing", ["8080", "storefront", "path /"], ["pods"])
def _(w: World) -> Obj:
    ingress = w.get("Ingress", "shop", "storefront")
    ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]["port"] = {"number": 8080}
    return ingress


@plant("load balancer", "LoadBalancerPending", ["quota"], ["selector"])
def _(w: World) -> Obj:
    service = w.get("Service", "shop", "catalog")
    service["spec"]["type"] = "LoadBalancer"
    w.event(service, "SyncLoadBalancerFailed", "Error syncing load balancer: failed to ensure load balancer: quota")
    return service


@plant("service deleted", "ServiceMissing", ["shop/catalog", "Deployment shop/storefront", "DNS itself works"], [])
def _(w: World) -> Ref:
    names(w, ("Deployment", "shop", "storefront"), "http://catalog.shop.svc.cluster.local")
    w.drop(w.get("Service", "shop", "catalog"))
    return Ref("Service", "shop", "catalog")


# --- scaling, disruption, rollouts ------------------------------------------------------------------------------------


@plant("metrics down", "CrashLoop", ["metrics-server"], ["missing"])
def _(w: World) -> Obj:
    pod = metrics_down(w)
    tail = "unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server is currently unable to handle the request (get pods.metrics.k8s.io)"  # noqa: E501
    scaler = w.get("HorizontalPodAutoscaler", "shop", "storefront")
    w.condition(scaler, "ScalingActive", "False", "FailedGetResourceMetric", NO_METRICS + tail)
    return pod


@plant("request missing", "AutoscalerMissingRequests", ["istio-proxy", "cpu request"], ["metrics API", "maxReplicas"])
def _(w: World) -> Obj:
    scaler = w.get("HorizontalPodAutoscaler", "shop", "storefront")
    tail = "missing request for cpu in container istio-proxy of Pod storefront-x"
    w.condition(scaler, "ScalingActive", "False", "FailedGetResourceMetric", NO_METRICS + tail)
    return scaler


@plant("at the maximum", "AutoscalerAtMaximum", ["maximum of 6"], ["broken"])
def _(w: World) -> Obj:
    scaler = w.get("HorizontalPodAutoscaler", "shop", "storefront")
    scaler["status"] |= {"currentReplicas": 6, "desiredReplicas": 6}
    text = "the desired replica count is more than the maximum replica count"
    w.condition(scaler, "ScalingLimited", "True", "TooManyReplicas", text)
    return scaler


def budget(w: World, name: str, app: str, **status: int) -> Obj:
    figures = {"disruptionsAllowed": 0, "currentHealthy": 2, "desiredHealthy": 2, "expectedPods": 2, **status}
    spec = {"minAvailable": figures["desiredHealthy"], "selector": {"matchLabels": {"app": app}}}
    return w.add({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": "shop"}, "spec": spec, "status": figures})  # fmt: skip # noqa: E501


@plant("budget and a crash", "CrashLoop", ["catalog"], [])
def _(w: World) -> Obj:
    pod = w.pods(*CATALOG)[0]
    w.crashes(pod)
    budget(w, "catalog-pdb", "catalog", currentHealthy=1)
    return pod


@plant("two budgets", "BudgetsOverlap", ["catalog-pdb, shop-pdb|catalog-pdb", "several budgets"], ["capacity"])
def _(w: World) -> Obj:
    one = budget(w, "catalog-pdb", "catalog", disruptionsAllowed=1, desiredHealthy=1)
    budget(w, "shop-pdb", "catalog", disruptionsAllowed=1, desiredHealthy=1)
    return one


def new_revision(w: World, image: str) -> tuple[Obj, Obj]:
    """A second ReplicaSet of catalog with one pod; the two old pods stay."""
    deployment = w.get(*CATALOG)
    old = next(one for one in w.owned(deployment, "ReplicaSet") if one["spec"]["replicas"])
    pod = w.pods(*CATALOG)[0]
    made = w.add({**old, "metadata": {**old["metadata"], "name": "catalog-new", "uid": "rs-new",
                  "creationTimestamp": w.ago(20), "annotations": {"deployment.kubernetes.io/revision": "9"}},
                  "spec": {**old["spec"], "replicas": 1}, "status": {"replicas": 1, "observedGeneration": 99}})  # fmt: skip # noqa: E501
    owner = [{**pod["metadata"]["ownerReferences"][0], "name": "catalog-new", "uid": "rs-new"}]
    status = {**pod["status"], "containerStatuses": [dict(pod["status"]["containerStatuses"][0])],
              "conditions": [dict(one) for one in pod["status"]["conditions"]]}  # fmt: skip
    container = {**pod["spec"]["containers"][0], "image": image}
    metadata = {**pod["metadata"], "name": "catalog-new-x", "uid": "pod-new", "ownerReferences": owner}
    fresh = w.add({**pod, "metadata": metadata, "spec": {**pod["spec"], "containers": [container]}, "status": status})
    w.young(fresh)
    deployment["status"] |= {"updatedReplicas": 1, "replicas": 3, "unavailableReplicas": 1}
    deployment["status"]["readyReplicas"] += 1  # what unready() takes away
    deployment["status"]["availableReplicas"] += 1
    made["status"]["readyReplicas"] = 1
    w.condition(deployment, "Progressing", "False", "ProgressDeadlineExceeded", 'ReplicaSet "catalog-new" has timed out progressing.')  # fmt: skip # noqa: E501
    return deployment, fresh


@plant("new version never ready", "ReadinessProbeFails", ["catalog-new-x", "404"], ["requests"])
def _(w: World) -> Obj:
    _, pod = new_revision(w, "catalog:9")
    pod["status"]["containerStatuses"][0]["ready"] = False
    w.unready(pod)
    w.event(pod, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 404", container="catalog")
    return pod


@plant("no room for the surge", "InsufficientResources", ["catalog-new-x"], ["image"])
def _(w: World) -> Obj:
    _, pod = new_revision(w, "catalog:9")
    pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1900m"}}
    w.pends(pod, "0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.")  # fmt: skip # noqa: E501
    return pod


@plant("scaled to nothing", "ScaledToZero", ["spec.replicas: 0", "from 2 to 0|to 0 from 2"], ["crash(?!ed)"])
def _(w: World) -> Obj:
    deployment = w.get(*CATALOG)
    deployment["spec"]["replicas"] = 0
    for one in [deployment, *w.owned(deployment, "ReplicaSet")]:
        one["spec"]["replicas"] = 0
        one["status"] = {"observedGeneration": one["metadata"]["generation"], "conditions": []}
    for pod in w.pods(*CATALOG):
        w.drop(pod)
    emptied(w, "shop", "catalog")
    w.event(deployment, "ScalingReplicaSet", "Scaled down replica set catalog-x from 2 to 0", kind="Normal", times=1)
    return deployment


@plant("ordered trap", "OldRevisionBlocksUpdate", ["OrderedReady", "session-cache-0", "claim stays"], ["still wrong"])
def _(w: World) -> Obj:
    pod = w.pods(*CACHE)[0]
    w.waits(w.young(pod), "ImagePullBackOff", "Back-off pulling image")
    pod["spec"]["containers"][0]["image"] = "redis:typo"
    pod["metadata"]["labels"]["controller-revision-hash"] = "session-cache-old"
    owner = w.get(*CACHE)
    owner["status"] |= {
        "currentRevision": "session-cache-old",
        "updateRevision": "session-cache-new",
        "updatedReplicas": 0,
    }
    return owner


@plant("daemon on a dead node", "NodeUnreachable", ["node-a"], ["image"])
def _(w: World) -> Obj:
    return w.loses("node-a", minutes=4)


@plant("what is needed is down", "VolumeMountFails", ["exit status 32", "session-cache"], ["search exits"])
def _(w: World) -> Obj:
    cache = w.pods(*CACHE)[0]
    w.creating(cache, minutes=40)
    w.unready(cache, 40)
    w.event(cache, "FailedMount", 'MountVolume.SetUp failed for volume "data" : mount failed: exit status 32')
    for workload in (SEARCH, CATALOG):
        names(w, workload, "redis://session-cache.shop.svc:6379/0")
        for pod in w.pods(*workload):
            w.crashes(pod)
    return cache


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", plant)
def test_the_planted_fault_is_the_cause(name: str, version: str) -> None:
    assert_the_cause(plant[name], version)


def test_what_went_down_later_is_not_the_cause() -> None:
    world = World()
    cache = world.pods(*CACHE)[0]
    world.creating(cache, minutes=10)
    world.unready(cache, 10)
    world.event(cache, "FailedMount", 'MountVolume.SetUp failed for volume "data" : mount failed: exit status 32')
    names(world, SEARCH, "redis://session-cache:6379")
    pod = world.pods(*SEARCH)[0]
    world.crashes(pod)
    roots = {one.subject for one in loud(world.findings(VERSIONS[0])) if one.cause}
    assert roots == {ref(cache), ref(pod)}


def test_a_policy_that_lets_the_client_in_is_no_finding() -> None:
    world = World()
    names(world, ("Deployment", "shop", "storefront"), "http://catalog.shop.svc:80")
    rule = {"from": [{"podSelector": {"matchLabels": {"app": "storefront"}}}], "ports": [{"port": "http"}]}
    world.add(policy("catalog-in", {"app": "catalog"}, ingress=[rule]))
    assert loud(world.findings(VERSIONS[0])) == []
