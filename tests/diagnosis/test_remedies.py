"""Remedies that say what is to be changed, with the figure or the name that the objects give."""

from __future__ import annotations

import pytest

from tests.diagnosis.objects import (
    ago,
    condition,
    deployment,
    event,
    found,
    node,
    obj,
    one,
    owned,
    pod,
    replica_set,
    waiting,
)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("Error syncing load balancer: LimitReached: no more than 5 addresses in this region", "limit raised"),
        ("Error syncing load balancer: quota 'IN_USE_ADDRESSES' exceeded", "1 Service of type LoadBalancer"),
        ("Error syncing load balancer: AccessDenied: may not perform CreateListener", "identity the right"),
        ("Error syncing load balancer: could not find any suitable subnets", "a subnet"),
        ("Error syncing load balancer: words nobody knows", "at the provider"),
    ],
)
def test_a_load_balancer_that_the_cloud_refuses(words: str, remedy: str) -> None:
    there = obj("v1", "Service", "edge", spec={"type": "LoadBalancer", "ports": [{"port": 443}]})
    assert remedy in one(found(there, event(there, "SyncLoadBalancerFailed", words)), "LoadBalancerPending").remedy


def to_port(port: dict[str, object]) -> dict[str, object]:
    backend = {"service": {"name": "docs", "port": port}}
    rules = [{"http": {"paths": [{"path": "/", "backend": backend}]}}]
    return obj("networking.k8s.io/v1", "Ingress", "docs", spec={"ingressClassName": "x", "rules": rules})


def test_a_backend_whose_port_alone_is_wrong_gives_the_ports_there_are() -> None:
    docs = obj("v1", "Service", "docs", spec={"ports": [{"name": "public", "port": 8443}]})
    remedy = one(found(to_port({"name": "https"}), docs), "IngressBackendMissing").remedy
    assert "8443 (public)" in remedy and "create" not in remedy
    assert "create the Service" in one(found(to_port({"number": 80})), "IngressBackendMissing").remedy


def test_a_bound_that_is_overstepped_names_container_and_figure() -> None:
    text = 'pods "crunch-1" is forbidden: maximum cpu usage per Container is 2, but limit is 6'
    crunch = deployment("crunch", ready=0, status={"replicas": 0, "updatedReplicas": 0})
    crunch["spec"]["template"]["spec"]["containers"] = [
        {"name": "solver", "image": "solver:1", "resources": {"limits": {"cpu": "6"}}},
        {"name": "agent", "image": "agent:1", "resources": {"limits": {"cpu": "1"}}},
    ]
    rs = replica_set(crunch, "crunch-1", ready=0)
    rs["status"] = {"observedGeneration": 1, "replicas": 0}
    rs["status"]["conditions"] = [condition("ReplicaFailure", "True", "FailedCreate", text)]
    remedy = one(found(crunch, rs), "LimitRangeViolated").remedy
    assert "cpu limit of container solver" in remedy and "to 2 at most" in remedy


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("container runtime network not ready: cni plugin not initialized", "network plugin"),
        ("PLEG is not healthy: pleg was last seen active 9m ago", "container runtime"),
        ("container runtime is down", "container runtime"),
        ("words nobody knows", "what the condition names"),
    ],
)
def test_a_node_that_calls_itself_not_ready_is_looked_at_where_it_says(words: str, remedy: str) -> None:
    broken = node("n-9", condition("Ready", "False", "KubeletNotReady", words, 20))
    assert remedy in one(found(broken), "NodeNotReady").remedy


def test_many_evicted_at_their_own_limit_are_told_with_their_workload() -> None:
    web = deployment("frames", replicas=1, ready=0)
    rs = replica_set(web, "frames-1", ready=0)
    status = {"reason": "Evicted", "message": 'Container frames exceeded its local ephemeral storage limit "1Gi".'}
    out = [owned(pod(f"frames-1-{n}", phase="Failed", status=status), rs) for n in range(3)]
    finding = one(found(web, rs, *out), "EvictedOwnLimit")
    assert "like 2 more of Deployment shop/frames" in finding.summary and '"1Gi"' in finding.summary


@pytest.mark.parametrize(
    ("violations", "field", "elsewhere"),
    [
        ('runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)', True, False),
        ("host namespaces (hostNetwork=true, hostPID=true)", False, True),
        ('privileged (container "a" must not set securityContext.privileged=true), seccompProfile (pod or container '
         '"a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")', True, True),
    ],
)  # fmt: skip
def test_pod_security_asks_for_fields_or_for_another_namespace(violations: str, field: bool, elsewhere: bool) -> None:
    text = f'pods "scan-1" is forbidden: violates PodSecurity "restricted:v1.30": {violations}'
    scan = deployment("scan", ready=0, status={"replicas": 0, "updatedReplicas": 0})
    rs = replica_set(scan, "scan-1", ready=0)
    rs["status"] = {"replicas": 0, "conditions": [condition("ReplicaFailure", "True", "FailedCreate", text)]}
    finding = one(found(scan, rs), "PodSecurityViolation")
    assert ("in the template's securityContext" in finding.remedy) is field
    assert ("enforce=privileged" in finding.remedy) is elsewhere
    assert "must set" not in finding.summary and violations.split(" (")[0] in finding.summary


@pytest.mark.parametrize(
    ("message", "remedy"),
    [
        ('Container dump exceeded its local ephemeral storage limit "3Gi".', "limit of container dump above 3Gi"),
        (
            'Usage of EmptyDir volume "spool" exceeds the limit "500Mi".',
            "sizeLimit of emptyDir volume spool above 500Mi",
        ),
        ("Pod ephemeral local storage usage exceeds the total limit of containers 4Gi. ", "above 4Gi in all"),
    ],
)
def test_the_limit_at_which_a_pod_was_put_out_is_named(message: str, remedy: str) -> None:
    status = {"reason": "Evicted", "message": message, "conditions": []}
    out = pod("dump-1", phase="Failed", status=status, metadata={"creationTimestamp": ago(10)})
    assert remedy in one(found(out), "EvictedOwnLimit").remedy


def test_a_port_that_leads_nowhere_gives_those_that_the_pods_have() -> None:
    serving = pod(
        "ads-1", metadata={"labels": {"app": "ads"}}, container={"ports": [{"containerPort": 9443, "name": "s"}]}
    )
    there = obj(
        "v1", "Service", "ads", spec={"selector": {"app": "ads"}, "ports": [{"port": 443, "targetPort": "tls"}]}
    )
    finding = one(found(serving, there), "ServicePortMismatch")
    assert "they declare 9443 (s)" in finding.summary and "one that they have: 9443 (s)" in finding.remedy


def test_a_tag_that_does_not_exist_is_told_with_the_one_that_ran_before() -> None:
    web = deployment("ads", replicas=1, ready=0)
    old, new = (replica_set(web, f"ads-{n}", ready=0, revision=n, image=f"ads:{n}") for n in (4, 5))
    words = 'rpc error: code = NotFound desc = failed to resolve reference "ads:5": not found'
    stuck = owned(
        pod("ads-5-x", waiting("ImagePullBackOff", words), phase="Pending", container={"image": "ads:5"}), new
    )
    assert "revision 4 ran ads:4" in one(found(web, old, new, stuck), "ImageNotFound").remedy
    assert "revision" not in one(found(web, new, stuck), "ImageNotFound").remedy
