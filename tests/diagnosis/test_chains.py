"""From a custom resource down to what is really wrong, whatever its operator is called."""

from __future__ import annotations

from typing import Any

from kubectl_berth.records import Finding, Ref
from tests.diagnosis.objects import Obj, condition, deployment, ended, event, found, merged, obj, owned, pod, waiting

API = "ops.example.org/v1"


def resource(kind: str, name: str, *conditions: Obj, spec: Any = None, **rest: Any) -> Obj:
    return obj(API, kind, name, spec=spec or {}, status={"conditions": list(conditions)}, **rest)


def roots(*objects: Obj) -> list[str]:
    findings: list[Finding] = found(*objects)
    return [f"{one.subject} {one.reason}" for one in findings if one.cause and one.severity != "info"]


def not_ready(reason: str = "Waiting", minutes: float = 60) -> Obj:
    return condition("Ready", "False", reason, "not yet", minutes=minutes)


def test_an_application_that_lists_a_workload_whose_pods_a_quota_refuses() -> None:
    web = deployment("web", replicas=2, ready=0)
    web["status"]["replicas"] = 0
    full = "pods is forbidden: exceeded quota: team, requested: cpu=1, used: cpu=4, limited: cpu=4"
    maker = owned(obj("apps/v1", "ReplicaSet", "web-1", spec={"replicas": 2}, status={"replicas": 0}), web)
    app = resource("Application", "shop-app", not_ready())
    app["status"]["resources"] = [{"kind": "Deployment", "name": "web", "namespace": "shop"}]
    quota = obj("v1", "ResourceQuota", "team")
    assert roots(app, web, maker, quota, event(maker, "FailedCreate", f"Error creating: {full}")) == [
        "ResourceQuota shop/team QuotaExceeded"
    ]


def test_a_resource_that_waits_for_an_address_of_a_service_it_owns() -> None:
    queue = resource("Queue", "main", condition("NotReady", "True", "TimeoutException", "to be addressable"))
    front = owned(obj("v1", "Service", "main-external", spec={"type": "LoadBalancer", "ports": [{"port": 9}]}), queue)
    assert roots(queue, front) == ["Service shop/main-external LoadBalancerPending"]


def test_a_chain_of_requests_ends_at_the_last_of_them() -> None:
    wish = resource("Certificate", "tls", not_ready("DoesNotExist"))
    order = owned(resource("Order", "tls-1", not_ready("OrderPending", 50)), wish)
    challenge = owned(obj(API, "Challenge", "tls-1-0", spec={}, status={"state": "invalid", "reason": "wrong status code '404'"}), order)  # fmt: skip # noqa: E501
    assert roots(wish, order, challenge) == ["Challenge shop/tls-1-0 CustomResourceDegraded"]


def operator(*statuses: Obj) -> list[Obj]:
    made = deployment("fleet-operator", ready=0, metadata={"namespace": "ops"})
    lease = obj(
        "coordination.k8s.io/v1", "Lease", "x.ops.example.org", "ops", spec={"holderIdentity": "fleet-operator-a_1"}
    )
    worker = owned(pod("fleet-operator-a", *statuses, metadata={"namespace": "ops"}), made)
    return [made, lease, worker]


CRASH = waiting("CrashLoopBackOff", restarts=9, lastState=ended(1))


def test_what_no_operator_takes_up_is_the_operators_trouble() -> None:
    old = resource("Fleet", "old", condition("Ready", "True"))
    new = obj(API, "Fleet", "new", spec={"size": 1}, age=60)
    assert roots(old, new, *operator(CRASH)) == ["Pod ops/fleet-operator-a CrashLoop"]


def test_a_finalizer_whose_controller_is_down_waits_for_it() -> None:
    leaving = resource("Fleet", "main", condition("Ready", "True"))
    metadata = {"deletionTimestamp": "2026-10-05T08:00:00Z", "finalizers": ["ops.example.org/cleanup"]}
    assert roots(merged(leaving, {"metadata": metadata}), *operator(CRASH)) == ["Pod ops/fleet-operator-a CrashLoop"]


def test_one_of_a_kind_that_says_it_is_sick_needs_no_other_cause() -> None:
    sick = resource("Fleet", "main", not_ready("ReconcileError"))
    assert roots(sick) == [f"{Ref('Fleet', 'shop', 'main')} CustomResourceDegraded"]
