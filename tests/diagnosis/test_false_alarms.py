"""What other tools take for a fault and is none: planted in the healthy cluster, it brings no more than a remark."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.diagnosis.planted import VERSIONS, Obj, World, loud

CATALOG = ("Deployment", "shop", "catalog")
SEARCH = ("Deployment", "shop", "search")
CALM: dict[str, Callable[[World], object]] = {}


def calm(name: str) -> Callable[[Callable[[World], object]], Callable[[World], object]]:
    def keep(edit: Callable[[World], object]) -> Callable[[World], object]:
        CALM[name] = edit
        return edit

    return keep


def added(w: World, api: str, kind: str, name: str, namespace: str = "shop", **rest: object) -> Obj:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return w.add({"apiVersion": api, "kind": kind, "metadata": metadata, **rest})


# --- nodes ------------------------------------------------------------------------------------------------------------


@calm("conditions of a node's own agents that are well")
def _(w: World) -> None:
    node = w.get("Node", "", "node-a")
    for kind in ("KernelReady", "ContainerRuntimeReady", "NetworkingReady", "StorageReady"):
        w.condition(node, kind, "True", "AllGood", "is functioning properly")
    for kind in ("KernelDeadlock", "ReadonlyFilesystem", "FrequentKubeletRestart", "CorruptDockerOverlay2"):
        w.condition(node, kind, "False", "NoSuchThing", "is functioning properly")


@calm("a condition of a node that nobody knows, in any state")
def _(w: World) -> None:
    for number, status in enumerate(("True", "False", "Unknown")):
        w.condition(w.get("Node", "", "node-a"), f"Vendor{number}Thing", status, "Because")


@calm("a voter of an embedded store")
def _(w: World) -> None:
    w.condition(w.get("Node", "", "node-a"), "EtcdIsVoter", "True", "MemberNotLearner")


@calm("a cordoned node")
def _(w: World) -> None:
    w.get("Node", "", "node-a")["spec"]["unschedulable"] = True


# --- pods and their past ----------------------------------------------------------------------------------------------


@calm("a probe that failed and passes again")
def _(w: World) -> None:
    pod = w.pods(*CATALOG)[0]
    w.event(pod, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503", container="catalog")
    w.event(pod, "Unhealthy", 'Liveness probe failed: Get "http://10.1.1.1/healthz": context deadline exceeded')


@calm("a death long ago")
def _(w: World) -> None:
    status = w.pods(*CATALOG)[0]["status"]["containerStatuses"][0]
    for reason, code in (("OOMKilled", 137), ("Error", 1)):
        last = {"exitCode": code, "reason": reason, "finishedAt": w.ago(60 * 30)}
        status |= {"restartCount": 4, "lastState": {"terminated": last}}


@calm("one restart lately, with exit code 137 and no lack of memory")
def _(w: World) -> None:
    last = {"exitCode": 137, "reason": "Error", "finishedAt": w.ago(20)}
    w.pods(*CATALOG)[0]["status"]["containerStatuses"][0] |= {"restartCount": 1, "lastState": {"terminated": last}}


@calm("events about a pod of the same name that is gone")
def _(w: World) -> None:
    pod = w.pods(*CATALOG)[0]
    w.event({**pod, "metadata": {**pod["metadata"], "uid": "an-earlier-one"}}, "FailedMount", 'secret "x" not found')


@calm("events of days ago")
def _(w: World) -> None:
    for kind, name, reason in (("Pod", "", "BackOff"), ("Deployment", "catalog", "FailedCreate")):
        about = w.get(kind, "shop", name) if name else w.pods(*CATALOG)[0]
        w.event(about, reason, "Error creating: exceeded quota: x, requested: a, used: b, limited: c", minutes=4000)


@calm("an event about something else of the same name as a Service")
def _(w: World) -> None:
    w.event(w.get(*CATALOG), "FailedGetScale", "something about the Deployment")
    w.event({"kind": "Endpoints", "metadata": {"name": "catalog", "namespace": "shop", "uid": "x"}}, "FailedToUpdateEndpoint", "object has been modified")  # fmt: skip # noqa: E501


@calm("an evicted pod that was replaced")
def _(w: World) -> None:
    pod = w.pods(*CATALOG)[0]
    status = {"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory. "}
    metadata = {**pod["metadata"], "name": "catalog-old", "uid": "old", "creationTimestamp": w.ago(9000)}
    w.add({**pod, "metadata": metadata, "status": {**status, "startTime": w.ago(9000)}})


@calm("a bare pod that ran once and failed long ago in a finished Job")
def _(w: World) -> None:
    job = w.owned(w.get("CronJob", "jobs", "price-sync"), "Job")[0]
    pod = w.owned(job, "Pod")[0]
    state = {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": w.ago(200)}}
    metadata = {**pod["metadata"], "name": "price-sync-first-try", "uid": "try"}
    statuses = [{**pod["status"]["containerStatuses"][0], "state": state}]
    w.add({**pod, "metadata": metadata, "status": {"phase": "Failed", "containerStatuses": statuses}})
    job["status"]["failed"] = 1


# --- workloads --------------------------------------------------------------------------------------------------------


@calm("a rollout under way")
def _(w: World) -> None:
    deployment = w.get(*CATALOG)
    deployment["status"] |= {"updatedReplicas": 1, "readyReplicas": 1, "unavailableReplicas": 1}
    for one in deployment["status"]["conditions"]:
        if one["type"] == "Progressing":
            one |= {"reason": "ReplicaSetUpdated", "lastUpdateTime": w.ago(0.5)}
    pod = w.young(w.pods(*CATALOG)[0], 0.5)
    w.waits(pod, "ContainerCreating")
    w.young(pod, 0.5)


@calm("a workload scaled to zero that nobody calls")
def _(w: World) -> None:
    deployment = w.get("Deployment", "shop", "email-sender")
    deployment["spec"]["replicas"] = 0
    for pod in w.pods("Deployment", "shop", "email-sender"):
        w.drop(pod)
    for one in [deployment, *w.owned(deployment, "ReplicaSet")]:
        one["spec"]["replicas"] = 0
        one["status"] = {"observedGeneration": one["metadata"]["generation"]}


@calm("a StatefulSet without a serviceName, counting from another ordinal")
def _(w: World) -> None:
    spec = w.get("StatefulSet", "shop", "session-cache")["spec"]
    spec |= {"serviceName": "", "ordinals": {"start": 5}}


@calm("a pull secret, an account and settings that nobody may read")
def _(w: World) -> None:
    spec = w.pods(*CATALOG)[0]["spec"]
    spec |= {"imagePullSecrets": [{"name": "not-to-be-read"}], "serviceAccountName": "default"}
    spec["containers"][0]["envFrom"] = [{"secretRef": {"name": "x"}}, {"configMapRef": {"name": "y", "optional": True}}]


@calm("no limits, no probes, latest, root, a bare pod")
def _(w: World) -> None:
    pod = w.pods(*SEARCH)[0]
    container = pod["spec"]["containers"][0]
    for key in ("resources", "livenessProbe", "readinessProbe"):
        container.pop(key, None)
    container |= {"image": "search:latest", "securityContext": {"privileged": True}}
    w.add({**pod, "metadata": {"name": "debug", "namespace": "shop", "uid": "bare"}})


# --- jobs -------------------------------------------------------------------------------------------------------------


@calm("a Job that tried again and finished")
def _(w: World) -> None:
    w.owned(w.get("CronJob", "jobs", "price-sync"), "Job")[0]["status"]["failed"] = 2


@calm("a suspended schedule and a suspended Job")
def _(w: World) -> None:
    w.get("CronJob", "jobs", "price-sync")["spec"]["suspend"] = True
    added(w, "batch/v1", "Job", "later", "jobs", spec={"suspend": True}, status={})


@calm("a failed run that a later one made up for")
def _(w: World) -> None:
    cron = w.get("CronJob", "jobs", "price-sync")
    first = min(w.owned(cron, "Job"), key=lambda one: one["metadata"]["name"])
    first["status"] = {"startTime": first["status"]["startTime"], "failed": 3, "conditions": []}
    w.condition(first, "Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit")


@calm("missed starts, which are a warning only")
def _(w: World) -> None:
    cron = w.get("CronJob", "jobs", "price-sync")
    w.event(cron, "TooManyMissedTimes", "too many missed start times. Set or decrease .spec.startingDeadlineSeconds")


# --- scaling ----------------------------------------------------------------------------------------------------------


@calm("an autoscaler at its minimum")
def _(w: World) -> None:
    scaler = w.get("HorizontalPodAutoscaler", "shop", "storefront")
    text = "the desired replica count is less than the minimum replica count"
    w.condition(scaler, "ScalingLimited", "True", "TooFewReplicas", text)


@calm("an autoscaler at a minimum it does not state")
def _(w: World) -> None:
    CALM["an autoscaler at its minimum"](w)
    w.get("HorizontalPodAutoscaler", "shop", "storefront")["spec"].pop("minReplicas")


@calm("an autoscaler of a kind that is not Kubernetes' own")
def _(w: World) -> None:
    target = {"apiVersion": "apps.example.org/v1", "kind": "Fleet", "name": "main"}
    status = {"currentReplicas": 1, "desiredReplicas": 1}
    added(w, "autoscaling/v2", "HorizontalPodAutoscaler", "fleet", spec={"scaleTargetRef": target, "maxReplicas": 3}, status=status)  # fmt: skip # noqa: E501


@calm("an autoscaler that waits before it scales down")
def _(w: World) -> None:
    scaler = w.get("HorizontalPodAutoscaler", "shop", "storefront")
    w.condition(scaler, "AbleToScale", "True", "ScaleDownStabilized", "recent recommendations were higher")


@calm("a budget that covers every pod there is")
def _(w: World) -> None:
    status = {"disruptionsAllowed": 0, "currentHealthy": 2, "desiredHealthy": 2, "expectedPods": 2}
    spec = {"minAvailable": 2, "selector": {"matchLabels": {"app": "catalog"}}}
    added(w, "policy/v1", "PodDisruptionBudget", "strict", spec=spec, status=status)


# --- network ----------------------------------------------------------------------------------------------------------


@calm("Services without a selector, and one that points outside")
def _(w: World) -> None:
    added(w, "v1", "Service", "leader", spec={"ports": [{"port": 80}]})
    added(w, "v1", "Service", "outside", spec={"type": "ExternalName", "externalName": "example.com"})


@calm("an Ingress without a class where one is the default")
def _(w: World) -> None:
    w.get("Ingress", "shop", "storefront")["spec"].pop("ingressClassName")
    known = next(iter(w.all("IngressClass")))
    known["metadata"].setdefault("annotations", {})["ingressclass.kubernetes.io/is-default-class"] = "true"


@calm("an Ingress with the annotation of old")
def _(w: World) -> None:
    ingress = w.get("Ingress", "shop", "storefront")
    ingress["spec"].pop("ingressClassName")
    ingress["metadata"]["annotations"] = {"kubernetes.io/ingress.class": "gce"}


@calm("a policy that denies by default, and one that lets DNS out")
def _(w: World) -> None:
    deny = {"podSelector": {"matchLabels": {"app": "email-sender"}}, "policyTypes": ["Ingress"]}
    added(w, "networking.k8s.io/v1", "NetworkPolicy", "deny", spec=deny)
    ports = [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]
    rules = [{"to": [{"namespaceSelector": {}}], "ports": ports}, {"to": [{"podSelector": {}}]}]
    spec = {"podSelector": {}, "policyTypes": ["Egress"], "egress": rules}
    added(w, "networking.k8s.io/v1", "NetworkPolicy", "egress", spec=spec)


@calm("a policy that selects nobody")
def _(w: World) -> None:
    spec = {"podSelector": {"matchLabels": {"app": "gone"}}, "policyTypes": ["Egress"]}
    added(w, "networking.k8s.io/v1", "NetworkPolicy", "left-over", spec=spec)


@calm("a webhook with a finished pod beside its ready one")
def _(w: World) -> None:
    pod = w.pods("Deployment", "cert-manager", "cert-manager-webhook")[0]
    metadata = {**pod["metadata"], "name": "webhook-setup", "uid": "setup", "ownerReferences": []}
    w.add({**pod, "metadata": metadata, "status": {"phase": "Succeeded"}})


@calm("a webhook outside the cluster, and one that may fail")
def _(w: World) -> None:
    outside = {"name": "a.example.com", "clientConfig": {"url": "https://hooks.example.com"}, "failurePolicy": "Fail"}
    gone = {"service": {"name": "gone", "namespace": "shop"}}
    lax = {"name": "b.example.com", "clientConfig": gone, "failurePolicy": "Ignore"}
    added(w, "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "two", "", webhooks=[outside, lax])


# --- storage ----------------------------------------------------------------------------------------------------------


@calm("a claim that waits for its first pod, a small volume, one that was released, a class without provisioner")
def _(w: World) -> None:
    added(w, "storage.k8s.io/v1", "StorageClass", "local", "", provisioner="kubernetes.io/no-provisioner", volumeBindingMode="WaitForFirstConsumer")  # fmt: skip # noqa: E501
    asked = {"storageClassName": "local", "accessModes": ["ReadWriteOnce"]}
    claim = added(w, "v1", "PersistentVolumeClaim", "later", spec=asked, status={"phase": "Pending"})
    w.event(claim, "WaitForFirstConsumer", "waiting for first consumer to be created before binding", kind="Normal")
    spec = {"capacity": {"storage": "1Mi"}, "claimRef": {"namespace": "shop", "name": "gone", "uid": "x"}}
    added(w, "v1", "PersistentVolume", "pv-old", "", spec=spec, status={"phase": "Released"})


@calm("settings that nobody uses")
def _(w: World) -> None:
    added(w, "v1", "ConfigMap", "unused", data={})


# --- custom resources -------------------------------------------------------------------------------------------------


@calm("conditions in another order, and types nobody knows")
def _(w: World) -> None:
    resource = added(w, "ops.example.org/v1", "Fleet", "main", status={}, spec={})
    for kind, status in (("Progressing", "False"), ("Upgradeable", "False"), ("Ready", "True"), ("Whatever", "False")):
        w.condition(resource, kind, status, "Because")


@calm("a subscription that is up to date, a feature that is off")
def _(w: World) -> None:
    added(w, "operators.example.org/v1", "Subscription", "one", spec={}, status={"state": "AtLatestKnown"})
    added(w, "ops.example.org/v1", "Fleet", "main", spec={}, status={"phase": "Running", "backupState": "disabled"})


@calm("settings that name what is not a Service of this cluster")
def _(w: World) -> None:
    values = {"DB_URL": "postgres://user:" + "pw@db.example.com:5432/x", "APP_NAME": "auth", "MODE": "nats", "HOST": "0.0.0.0"}  # fmt: skip # noqa: E501
    for pod in w.pods(*CATALOG):
        pod["spec"]["containers"][0]["env"] = [{"name": name, "value": text} for name, text in values.items()]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", CALM)
def test_no_fault_is_claimed(name: str, version: str) -> None:
    world = World()
    CALM[name](world)
    told = [f"{one.severity} {one.subject} {one.reason}: {one.summary}" for one in loud(world.findings(version))]
    assert told == []
