"""Aggregated APIs, leases, webhooks and definitions."""

from __future__ import annotations

from typing import Any

from kubectl_berth.records import Ref
from tests.diagnosis.objects import ago, condition, deployment, found, obj, one, pod, reasons


def api(status: str, reason: str) -> dict:
    return obj(
        "apiregistration.k8s.io/v1", "APIService", "v1beta1.metrics.k8s.io", "",
        spec={"group": "metrics.k8s.io", "version": "v1beta1", "service": {"namespace": "kube-system", "name": "m"}},
        status={"conditions": [condition("Available", status, reason, "no addresses with port name https")]},
    )  # fmt: skip


def test_a_dead_api_is_traced_to_its_workload() -> None:
    service = obj("v1", "Service", "m", "kube-system", spec={"selector": {"app": "m"}, "ports": [{"port": 443}]})
    backend = deployment("m", ready=0, metadata={"namespace": "kube-system", "uid": "m"})
    findings = found(api("False", "MissingEndpoints"), service, backend)
    assert one(findings, "APIServiceUnavailable").caused_by == Ref("Deployment", "kube-system", "m")
    assert reasons(api("True", "Passed")) == set()


def lease(name: str, minutes: float, namespace: str = "kube-system") -> dict:
    return obj(
        "coordination.k8s.io/v1", "Lease", name, namespace, spec={"renewTime": ago(minutes), "holderIdentity": "cp"}
    )


def test_a_stale_lease_of_the_scheduler() -> None:
    findings = found(lease("kube-scheduler", 20), lease("kube-controller-manager", 0.1))
    assert "no new pod gets a node" in one(findings, "ControlPlaneLeaseStale").summary


def test_leases_that_are_all_old_tell_of_the_snapshot_not_of_the_cluster() -> None:
    assert reasons(lease("kube-scheduler", 20), lease("kube-controller-manager", 25)) == set()


def test_a_stale_lease_of_something_unknown_is_nobodys_business() -> None:
    assert reasons(lease("some-leader", 9000, "apps"), lease("kube-scheduler", 0.1)) == set()


def hook(policy: str = "Fail", **rest: Any) -> dict:
    one_hook = {
        "name": "v.example.com",
        "failurePolicy": policy,
        "clientConfig": {"service": {"namespace": "sec", "name": "guard"}},
        "rules": [{"resources": ["pods"], "apiGroups": [""], "operations": ["CREATE"]}],
        **rest,
    }
    return obj("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "guard", "", webhooks=[one_hook])


def test_a_webhook_without_anybody_behind_it() -> None:
    finding = one(found(hook()), "WebhookBackendDown")
    assert finding.severity == "critical" and "Service sec/guard does not exist" in finding.summary
    assert one(found(hook("Ignore")), "WebhookBackendDown").severity == "info"


def test_a_webhook_with_a_ready_pod_or_a_url_is_fine() -> None:
    service = obj("v1", "Service", "guard", "sec", spec={"selector": {"app": "g"}, "ports": [{"port": 443}]})
    ready = pod("guard-1", metadata={"namespace": "sec", "labels": {"app": "g"}})
    assert reasons(hook(), service, ready) == set()
    assert reasons(hook(clientConfig={"url": "https://x.example.com"})) == set()


def test_a_definition_whose_names_clash() -> None:
    names = condition("NamesAccepted", "False", "ListKindConflict", "already in use")
    made = obj(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", "a.b.c", "",
        spec={"group": "b.c", "names": {"kind": "A", "plural": "a"}}, status={"conditions": [names]},
    )  # fmt: skip
    assert reasons(made) == {"DefinitionNotEstablished"}
