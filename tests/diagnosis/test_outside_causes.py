"""Causes that lie outside of what is broken (DNS, provisioners, operators), and rest that only looks like a fault."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kubectl_berth.diagnosis.diagnose import diagnose
from kubectl_berth.records import Ref
from tests.diagnosis.objects import (
    Obj,
    ago,
    condition,
    deployment,
    ended,
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
    taken,
    waiting,
)

PROBE = {"readinessProbe": {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 10, "failureThreshold": 3}}


def resolver(*statuses: Obj, since: float = 40) -> list[Obj]:
    """The cluster's DNS with one pod, unready for that many minutes."""
    made = merged(
        pod("dns-1", *statuses, metadata={"namespace": "kube-system", "labels": {"k8s-app": "kube-dns"}}),
        {"status": {"conditions": [condition("Ready", "False", minutes=since)]}},
    )
    ports = [{"name": "dns", "port": 53, "protocol": "UDP"}]
    service = obj("v1", "Service", "kube-dns", "kube-system", spec={"selector": {"k8s-app": "kube-dns"}, "ports": ports})  # fmt: skip # noqa: E501
    return [made, service]


def sufferer(since: float = 38, **spec: Any) -> Obj:
    made = pod("web-1", running(ready=False), container=PROBE, spec=spec)
    return merged(made, {"status": {"conditions": [condition("Ready", "False", minutes=since)]}})


BROKEN = waiting("CrashLoopBackOff", restarts=9, lastState=ended(1))


def test_a_dead_resolver_is_the_cause_of_what_lost_its_readiness_after_it() -> None:
    findings = found(sufferer(), *resolver(BROKEN))
    assert one(findings, "ReadinessProbeFails").caused_by == Ref("Pod", "kube-system", "dns-1")


def test_a_dead_resolver_is_not_blamed_for_what_came_before_or_does_not_use_it() -> None:
    assert one(found(sufferer(90), *resolver(BROKEN)), "ReadinessProbeFails").cause
    assert one(found(sufferer(dnsPolicy="Default"), *resolver(BROKEN)), "ReadinessProbeFails").cause
    second = resolver(running())[0]
    second["metadata"]["name"], second["metadata"]["uid"] = "dns-2", "uid-2"
    second["status"]["conditions"] = [condition("Ready", "True")]
    assert one(found(sufferer(), *resolver(BROKEN), second), "ReadinessProbeFails").cause


def waiting_claim(provisioner: str) -> list[Obj]:
    claim = obj("v1", "PersistentVolumeClaim", "data", spec={"storageClassName": "std"}, status={"phase": "Pending"})
    words = f"Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually"
    kind = obj("storage.k8s.io/v1", "StorageClass", "std", "", provisioner=provisioner)
    return [claim, kind, event(claim, "ExternalProvisioning", words, kind="Normal")]


def test_a_silent_provisioner_is_traced_to_the_workload_that_bears_its_name() -> None:
    controller = deployment("blobs-csi-controller", ready=0, metadata={"namespace": "kube-system"})
    other = deployment("files-csi-controller", ready=0, metadata={"namespace": "kube-system"})
    finding = one(found(*waiting_claim("blobs.csi.example.com"), other, controller), "ProvisionerSilent")
    assert finding.caused_by == Ref("Deployment", "kube-system", "blobs-csi-controller")
    well = deployment("blobs-csi-controller", metadata={"namespace": "kube-system"})
    assert one(found(*waiting_claim("blobs.csi.example.com"), well), "ProvisionerSilent").cause


def test_a_silent_provisioner_is_traced_by_its_lease() -> None:
    controller = deployment("storage-brain", ready=0, metadata={"namespace": "kube-system"})
    lease = obj("coordination.k8s.io/v1", "Lease", "blobs-csi-example-com", "kube-system",
                spec={"holderIdentity": "storage-brain-6d4-x2x"})  # fmt: skip
    finding = one(found(*waiting_claim("blobs.csi.example.com"), controller, lease), "ProvisionerSilent")
    assert finding.caused_by == Ref("Deployment", "kube-system", "storage-brain")


def daemons(*nodes: str, image: str = "csi-node:1") -> list[Obj]:
    made = obj("apps/v1", "DaemonSet", "blobs-node", "kube-system",
               spec={"template": {"spec": {"containers": [{"name": "d", "image": image}]}}},
               status={"desiredNumberScheduled": len(nodes), "numberReady": len(nodes)})  # fmt: skip
    pods = [owned(pod(f"blobs-{name}", node=name, metadata={"namespace": "kube-system"}), made) for name in nodes]
    drivers = [obj("storage.k8s.io/v1", "CSINode", name, "", spec={"drivers": [{"name": "blobs.example.com"}]}) for name in nodes]  # fmt: skip # noqa: E501
    return [made, *pods, *drivers, *(node(name) for name in nodes)]


def test_a_driver_missing_on_a_tainted_node_names_the_daemon_set_and_the_taint() -> None:
    stuck = pod("db-0", waiting("ContainerCreating"), phase="Pending", node="node-z")
    words = "driver name blobs.example.com not found in the list of registered CSI drivers"
    tainted = node("node-z", spec={"taints": [{"key": "pool", "value": "batch", "effect": "NoSchedule"}]})
    finding = one(found(*daemons("node-a"), tainted, stuck, event(stuck, "FailedMount", words)), "CsiDriverMissingOnNode")  # fmt: skip # noqa: E501
    assert "kube-system/blobs-node" in finding.summary and "pool=batch:NoSchedule" in finding.summary
    assert "toleration" in finding.remedy
    free = one(found(*daemons("node-a"), node("node-z"), stuck, event(stuck, "FailedMount", words)), "CsiDriverMissingOnNode")  # fmt: skip # noqa: E501
    assert "taint" not in free.summary + free.remedy


def lingering() -> list[Obj]:
    space = obj("v1", "Namespace", "old", "", metadata={"deletionTimestamp": ago(900)}, status={
        "phase": "Terminating", "conditions": [condition("NamespaceContentRemaining", "True", "SomeResourcesRemain")]
    })  # fmt: skip
    left = obj("mq.example.org/v1", "Queue", "orders", "old", spec={}, status={"phase": "Ready"},
               metadata={"deletionTimestamp": ago(900), "finalizers": ["mq.example.org/cleanup"]})  # fmt: skip
    return [space, left]


def test_a_namespace_that_waits_for_a_finalizer_is_one_cause() -> None:
    findings = found(*lingering())
    assert one(findings, "NamespaceStuck").caused_by == Ref("Queue", "old", "orders")
    assert one(findings, "DeletionStuck").cause


def test_a_finalizer_whose_operator_is_scaled_to_zero_leads_to_the_operator() -> None:
    operator = deployment("queue-operator", replicas=0, metadata={"namespace": "mq-system"})
    findings = found(*lingering(), operator)
    assert one(findings, "OperatorDown").cause and "scaled to zero" in one(findings, "OperatorDown").summary
    assert {one(findings, "NamespaceStuck").caused_by, one(findings, "DeletionStuck").caused_by} == {
        Ref("Deployment", "mq-system", "queue-operator")
    }


def test_an_operator_at_zero_is_no_fault_while_nothing_waits_for_it() -> None:
    operator = deployment("queue-operator", replicas=0, metadata={"namespace": "mq-system"})
    resting = obj("mq.example.org/v1", "Queue", "orders", spec={}, status={"phase": "Ready"})
    assert reasons(operator, resting) == set()


def test_a_finished_pod_that_a_finalizer_holds_says_so_first() -> None:
    held = pod("job-1", {"name": "app", "ready": False, "state": ended(0, "Completed")}, phase="Succeeded",
               metadata={"deletionTimestamp": ago(90), "finalizers": ["example.org/drain"]})  # fmt: skip
    finding = one(found(node(), held), "DeletionStuck")
    assert "example.org/drain" in finding.summary and "controller" in finding.remedy
    assert "preStop" not in finding.remedy


# --- rest that looks like a fault -------------------------------------------------------------------------------------


def idle(**service: Any) -> list[Obj]:
    made = obj("v1", "Service", "web", spec={"selector": {"app": "web"}, "ports": [{"port": 80}], **service})
    return [deployment(replicas=0), made]


def severe(*objects: Obj) -> set[str]:
    return {one.reason for one in found(*objects) if one.severity != "info"}


def test_a_workload_at_rest_for_long_is_no_fault_with_a_service_before_it() -> None:
    assert severe(*idle()) == set()


def test_a_workload_at_zero_is_missed_where_something_leads_to_it() -> None:
    missed = {"ScaledToZero", "ServiceWithoutEndpoints"}
    path = {"path": "/", "backend": {"service": {"name": "web", "port": {"number": 80}}}}
    ingress = obj("networking.k8s.io/v1", "Ingress", "web", spec={"rules": [{"http": {"paths": [path]}}]})
    assert missed <= severe(*idle(), ingress)
    route = obj("gateway.networking.k8s.io/v1", "HTTPRoute", "web", spec={"rules": [{"backendRefs": [{"name": "web"}]}]}, status={"parents": []})  # fmt: skip # noqa: E501
    assert missed <= severe(*idle(), route)
    assert missed <= severe(*idle(type="LoadBalancer"))
    client = pod("api-1", container={"env": [{"name": "WEB_URL", "value": "http://web"}]})
    assert missed <= severe(*idle(), client)
    scaled = event(deployment(replicas=0), "ScalingReplicaSet", "Scaled down replica set web-1 from 3 to 0")
    assert missed <= severe(*idle(), scaled)


@pytest.mark.parametrize("unread", ["ingresses", "custom", "pods", "events"])
def test_a_workload_at_rest_may_be_missed_where_it_cannot_be_read_who_asks_for_it(unread: str) -> None:
    findings = diagnose(replace(taken(*idle()), unread=frozenset({unread})))
    assert "ScaledToZero" in {one.reason for one in findings if one.severity != "info"}


def test_one_failed_try_of_a_job_that_runs_again_is_no_fault() -> None:
    trying = obj("batch/v1", "Job", "load", spec={"backoffLimit": 6}, status={"startTime": ago(9), "failed": 1, "active": 1})  # fmt: skip # noqa: E501
    first = owned(pod("load-a", {"name": "app", "ready": False, "state": ended(1)}, phase="Failed"), trying)
    first["metadata"]["creationTimestamp"] = ago(9)
    second = owned(pod("load-b"), trying)
    assert severe(trying, first, second) == set()
    again = merged(first, {"metadata": {"name": "load-c", "uid": "uid-c"}})
    assert severe(trying, first, again, second) == {"JobFailing"}


def test_a_step_that_waits_for_a_person_is_no_fault() -> None:
    status = {
        "phase": "Paused",
        "conditions": [
            condition("Available", "True"),
            condition("Healthy", "False", "RolloutHealthy", "Rollout is not healthy", minutes=30),
        ],
    }
    canary = obj("ship.example.org/v1", "Canary", "web", spec={}, status=status)
    assert severe(canary) == set()
    failed = merged(canary, {"status": {"phase": "Degraded"}})
    assert severe(failed) == {"CustomResourceDegraded"}


# --- what the first line names ----------------------------------------------------------------------------------------


def test_an_eviction_for_its_own_limit_is_told_with_the_limit_and_by_its_event() -> None:
    gone = pod("web-1", phase="Failed", status={"reason": "Evicted", "message": "Pod ephemeral local storage usage exceeds the total limit of containers 2Gi. ", "containerStatuses": [], "conditions": []})  # fmt: skip # noqa: E501
    gone["metadata"]["creationTimestamp"] = ago(300)
    assert reasons(gone) == set()  # of hours ago, and nothing is missing
    lately = event(gone, "Evicted", "Pod ephemeral local storage usage exceeds ...", minutes=10)
    assert "containers 2Gi" in one(found(gone, lately), "EvictedOwnLimit").summary


def test_a_crash_on_a_node_of_another_architecture_says_so() -> None:
    web = deployment(replicas=2, ready=1)
    sets = replica_set(web, "web-1", replicas=2, ready=1)
    well = owned(pod("web-1-a", node="node-a"), sets)
    bad = owned(pod("web-1-b", waiting("CrashLoopBackOff", restarts=9, lastState=ended(255)), node="node-z"), sets)
    nodes = [node(n, status={"nodeInfo": {"architecture": a}}) for n, a in (("node-a", "amd64"), ("node-z", "arm64"))]
    text = " ".join(one(found(web, sets, well, bad, *nodes), "CrashLoop").evidence)
    assert "node node-z is arm64" in text and "run on amd64" in text
    assert "arm64" not in " ".join(one(found(web, sets, well, bad, nodes[0], node("node-z")), "CrashLoop").evidence)


def test_a_released_volume_is_told_first() -> None:
    claim = obj("v1", "PersistentVolumeClaim", "data", spec={"storageClassName": ""}, status={"phase": "Pending"})
    reference = {"kind": "PersistentVolumeClaim", "namespace": "shop", "name": "data", "uid": "gone"}
    volume = obj("v1", "PersistentVolume", "nas", "", spec={"claimRef": reference}, status={"phase": "Released"})
    said = event(claim, "FailedBinding", "no persistent volumes available for this claim and no storage class is set")
    assert "nas is Released" in one(found(claim, volume, said), "NoVolumeForClaim").summary


def test_a_job_whose_last_pod_ran_out_of_memory_says_so_first() -> None:
    done = condition("Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit", 30)
    broken = obj("batch/v1", "Job", "load", spec={"backoffLimit": 1}, status={"conditions": [done], "failed": 2})
    last = owned(pod("load-a", {"name": "app", "ready": False, "state": ended(137, "OOMKilled")}, phase="Failed"), broken)  # fmt: skip # noqa: E501
    finding = one(found(broken, last), "JobFailed")
    assert "OOMKilled" in finding.summary and "memory limit" in finding.remedy


# --- which of several words tells -------------------------------------------------------------------------------------


def test_a_volume_held_elsewhere_tells_although_the_kubelet_gave_up_later() -> None:
    stuck = pod("web-1", waiting("ContainerCreating"), phase="Pending")
    held = event(stuck, "FailedAttachVolume", 'Multi-Attach error for volume "v" Volume is already used by pod(s) web-0', minutes=20)  # fmt: skip # noqa: E501
    late = event(stuck, "FailedMount", "Unable to attach or mount volumes: unmounted volumes=[d]: timed out waiting for the condition", minutes=1)  # fmt: skip # noqa: E501
    assert "still attached elsewhere" in one(found(node(), stuck, held, late), "VolumeAttachFails").summary
    named = event(stuck, "FailedMount", 'MountVolume.SetUp failed for volume "d" : mount.nfs: Connection timed out', minutes=20)  # fmt: skip # noqa: E501
    assert "mount.nfs" in one(found(node(), stuck, named, late), "VolumeMountFails").summary


def unpulled(words: str, **rest: Any) -> str:
    failing = pod("web-1", waiting("ImagePullBackOff", f'Back-off pulling image "r.example.com/a:1": ErrImagePull: {words}'), phase="Pending", **rest)  # fmt: skip # noqa: E501
    (finding,) = [one for one in found(node(status={"nodeInfo": {"architecture": "arm64"}}), failing) if one.cause]
    return finding.summary + finding.remedy


def test_why_a_registry_is_not_reached_is_told() -> None:
    assert "certificate (x509)" in unpulled("tls: failed to verify certificate: x509: signed by unknown authority")
    assert "resolve the registry's name" in unpulled("dial tcp: lookup r.example.com on 10.0.0.2:53: no such host")
    assert "error of its own" in unpulled("unexpected status: 503 Service Unavailable")
    assert "(arm64)" in unpulled("no match for platform in manifest: not found")


def test_a_webhook_whose_certificate_does_not_fit_did_answer() -> None:
    hook = {"name": "w.example.com", "clientConfig": {"service": {"namespace": "shop", "name": "hook"}}, "failurePolicy": "Fail"}  # fmt: skip # noqa: E501
    configuration = obj("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "hook", "", webhooks=[hook])
    service = obj("v1", "Service", "hook", spec={"selector": {"app": "hook"}, "ports": [{"port": 443, "targetPort": 8443}]})  # fmt: skip # noqa: E501
    server = pod("hook-1", metadata={"labels": {"app": "hook"}}, container={"ports": [{"containerPort": 8080}]})
    web = deployment(ready=0, status={"replicas": 0})
    maker = merged(replica_set(web, "web-1", ready=0), {"status": {"replicas": 0}})
    words = 'Error creating: Internal error occurred: failed calling webhook "w.example.com": failed to call webhook: Post "https://hook.shop.svc:443/": tls: failed to verify certificate: x509: certificate signed by unknown authority'  # fmt: skip # noqa: E501
    findings = found(configuration, service, server, web, maker, event(maker, "FailedCreate", words))
    assert one(findings, "WebhookFails").cause


def test_an_operators_words_lead_to_the_job_they_name() -> None:
    done = condition("Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit", 30)
    job = obj("batch/v1", "Job", "web-migrate", status={"conditions": [done], "failed": 1})
    stalled = condition("Stalled", "True", "RetriesExceeded", "Failed to install after 1 attempt(s)")
    ready = condition("Ready", "False", "InstallFailed", "Helm install failed for release shop/web with chart web@1.2.0: failed pre-install: 1 error occurred: * job web-migrate failed: BackoffLimitExceeded")  # fmt: skip # noqa: E501
    release = obj("helm.example.io/v2", "Release", "web", spec={}, status={"conditions": [stalled, ready]})
    finding = one(found(job, release), "CustomResourceDegraded")
    assert finding.caused_by == Ref("Job", "shop", "web-migrate") and "web-migrate" in finding.summary


def test_an_autoscaler_that_another_object_runs_may_rest_at_zero() -> None:
    resting = condition("ScalingActive", "False", "ScalingDisabled", "scaling is disabled since the replica count is zero")  # fmt: skip # noqa: E501
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "minReplicas": 1, "maxReplicas": 9}
    scaler = obj("autoscaling/v2", "HorizontalPodAutoscaler", "web", spec=spec, status={"conditions": [resting]})
    above = obj("scale.example.io/v1", "ScaledThing", "web", spec={}, status={"phase": "Ready"})
    assert severe(*idle(), above, owned(scaler, above)) == set()
    assert "AutoscalerDisabled" in severe(*idle(), scaler)


def test_a_container_that_never_started_ran_for_no_time() -> None:
    dead = ended(128, "StartError", message='exec: "serv": executable file not found in $PATH')
    dead["terminated"]["startedAt"] = "1970-01-01T00:00:00Z"
    stuck = pod("web-1", waiting("CrashLoopBackOff", restarts=6, lastState=dead))
    assert "had run" not in " ".join(one(found(stuck), "ContainerCannotStart").evidence)


def test_a_stuck_pods_hook_is_named() -> None:
    hook = {"lifecycle": {"preStop": {"exec": {"command": ["sleep", "36000"]}}}}
    stuck = pod("web-1", container=hook, metadata={"deletionTimestamp": ago(30)})
    assert "preStop hook" in " ".join(one(found(node(), stuck), "DeletionStuck").evidence)


def refused(words: str) -> list[Any]:
    web = deployment(ready=0, status={"replicas": 0})
    maker = merged(replica_set(web, "web-1", ready=0), {"status": {"replicas": 0}})
    maker["status"]["conditions"] = [condition("ReplicaFailure", "True", "FailedCreate", words)]
    return found(web, maker, event(maker, "FailedCreate", f"Error creating: {words}"))


def test_a_policy_that_speaks_in_several_lines_is_quoted_whole() -> None:
    words = 'admission webhook "v.example.com" denied the request: \n\nresource Pod/shop/web- was blocked due to the following policies \n\nneeds-team:\n  label team is required\n'  # fmt: skip # noqa: E501
    assert "needs-team: label team is required" in one(refused(words), "AdmissionDenied").summary


def test_a_webhook_that_outlived_its_service_is_called_left_over() -> None:
    words = 'Internal error occurred: failed calling webhook "w.example.com": failed to call webhook: Post "https://hook.shop.svc:443/?timeout=10s": service "hook" not found'  # fmt: skip # noqa: E501
    finding = one(refused(words), "WebhookFails")
    assert "left over" in finding.summary and "delete the configuration" in finding.remedy


def test_a_taint_is_named_whatever_the_version_says() -> None:
    stuck = pod("web-1", phase="Pending", node="", spec={"nodeName": ""})
    stuck["status"]["containerStatuses"] = []
    words = "0/1 nodes are available: 1 node(s) had untolerated taint(s). preemption: 0/1 nodes are available"
    stuck["status"]["conditions"] = [condition("PodScheduled", "False", "Unschedulable", words)]
    tainted = node(spec={"taints": [{"key": "pool", "value": "gpu", "effect": "NoSchedule"}]})
    assert "(pool=gpu:NoSchedule)" in one(found(stuck, tainted), "UntoleratedTaint").summary
