"""Services that lead nowhere, ingresses nobody serves, policies that cut off DNS."""

from __future__ import annotations

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.objects import ago, deployment, event, found, obj, one, pod, reasons, running


def service(selector: dict, *, name: str = "web", **rest: object) -> dict:
    spec = {"selector": selector, "ports": [{"port": 80, "targetPort": 8080}], "clusterIP": "10.0.0.1"}
    return obj("v1", "Service", name, spec=spec, **rest)


def labelled(labels: dict, *statuses: dict, **rest: object) -> dict:
    return pod("web-1", *statuses, metadata={"labels": labels}, **rest)


def test_a_selector_that_drifted_names_both_sides() -> None:
    web = deployment(labels={"app": "web", "version": "v1"})
    findings = found(service({"app": "web", "version": "v2"}), web, labelled({"app": "web", "version": "v1"}))
    finding = one(findings, "ServiceWithoutEndpoints")
    text = " ".join(finding.evidence)
    assert finding.cause and "app=web,version=v2" in text and "version=v1 instead" in text


def test_unready_pods_are_the_cause_not_the_selector() -> None:
    findings = found(service({"app": "web"}), labelled({"app": "web"}, running(ready=False)))
    finding = one(findings, "ServiceEndpointsNotReady")
    assert finding.caused_by == Ref("Pod", "shop", "web-1") and "selector is right" in finding.remedy


def test_one_ready_pod_is_enough() -> None:
    other = pod("web-2", metadata={"labels": {"app": "web"}})
    assert "ServiceEndpointsNotReady" not in reasons(
        service({"app": "web"}), labelled({"app": "web"}, running(ready=False)), other
    )


@pytest.mark.parametrize(("target", "severity"), [("http-web", "critical"), (8081, "warning")])
def test_a_port_that_leads_nowhere(target: object, severity: str) -> None:
    made = service({"app": "web"})
    made["spec"]["ports"] = [{"port": 80, "targetPort": target}]
    ports = {"ports": [{"name": "http", "containerPort": 8080}]}
    finding = one(found(made, labelled({"app": "web"}, container=ports)), "ServicePortMismatch")
    assert finding.severity == severity and "8080 (http)" in " ".join(finding.evidence)


def test_ports_that_are_declared_by_name_or_number_or_not_at_all_are_fine() -> None:
    named = service({"app": "web"})
    named["spec"]["ports"] = [{"port": 80, "targetPort": "http"}]
    ports = {"ports": [{"name": "http", "containerPort": 8080}]}
    assert reasons(named, labelled({"app": "web"}, container=ports)) == set()
    assert reasons(service({"app": "web"}), labelled({"app": "web"}, container=ports)) == set()
    assert reasons(service({"app": "web"}), labelled({"app": "web"})) == set()


@pytest.mark.parametrize("spec", [{"selector": None}, {"type": "ExternalName", "selector": {"a": "b"}}])
def test_services_without_pods_of_their_own_are_fine(spec: dict) -> None:
    assert reasons(obj("v1", "Service", "outside", spec=spec)) == set()


def test_an_operators_service_for_a_role_nobody_has_is_fine() -> None:
    cluster = obj("db.example.com/v1", "Cluster", "main", status={"phase": "Ready"})
    reference = {
        "kind": "Cluster",
        "name": "main",
        "uid": cluster["metadata"]["uid"],
        "apiVersion": "db.example.com/v1",
    }
    replica = service({"role": "replica"}, name="main-ro", metadata={"ownerReferences": [reference]})
    assert reasons(cluster, replica) == set()


def test_a_load_balancer_that_never_comes() -> None:
    spec = {"type": "LoadBalancer", "ports": [{"port": 80}]}
    waiting = obj("v1", "Service", "web", age=30, spec=spec, status={"loadBalancer": {}})
    assert "no event" in " ".join(one(found(waiting), "LoadBalancerPending").evidence)
    said = event(waiting, "SyncLoadBalancerFailed", "Error syncing load balancer: quota exceeded")
    assert "quota exceeded" in one(found(waiting, said), "LoadBalancerPending").summary
    given = obj("v1", "Service", "web", spec=spec, status={"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}})
    young = obj("v1", "Service", "web", spec=spec, metadata={"creationTimestamp": ago(1)})
    assert reasons(given) == reasons(young) == set()


def ingress(service_name: str, port: object, class_name: str | None = "public") -> dict:
    backend = {"service": {"name": service_name, "port": port}}
    rules = [{"host": "a.example.com", "http": {"paths": [{"path": "/api", "backend": backend}]}}]
    return obj("networking.k8s.io/v1", "Ingress", "web", spec={"ingressClassName": class_name, "rules": rules})


PUBLIC = obj("networking.k8s.io/v1", "IngressClass", "public", "")


def test_paths_that_lead_nowhere() -> None:
    target = service({"app": "web"})
    fine = labelled({"app": "web"})
    assert (
        "which does not exist" in one(found(PUBLIC, ingress("gone", {"number": 80})), "IngressBackendMissing").summary
    )
    wrong = one(found(PUBLIC, target, fine, ingress("web", {"number": 8080})), "IngressBackendMissing")
    assert "/api" in wrong.summary and "the Service's ports: 80" in wrong.evidence
    assert reasons(PUBLIC, target, fine, ingress("web", {"number": 80})) == set()


def test_a_class_that_does_not_exist() -> None:
    target, fine = service({"app": "web"}), labelled({"app": "web"})
    finding = one(found(PUBLIC, target, fine, ingress("web", {"number": 80}, "internal")), "IngressClassMissing")
    assert "internal" in finding.summary and "IngressClasses here: public" in finding.evidence


def test_no_class_named_is_fine_where_one_is_the_default() -> None:
    default = obj(
        "networking.k8s.io/v1", "IngressClass", "public", "",
        metadata={"annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}},
    )  # fmt: skip
    assert (
        reasons(default, service({"app": "web"}), labelled({"app": "web"}), ingress("web", {"number": 80}, None))
        == set()
    )


def policy(**spec: object) -> dict:
    return obj("networking.k8s.io/v1", "NetworkPolicy", "deny", spec={"podSelector": {}, **spec})


def test_egress_without_dns_is_told_and_weighs_more_where_pods_suffer() -> None:
    closed = policy(policyTypes=["Egress"])
    assert one(found(closed, pod("web-1")), "EgressBlocksDns").severity == "info"
    findings = found(closed, pod("web-1", running(ready=False)))
    assert one(findings, "EgressBlocksDns").severity != "info"


@pytest.mark.parametrize(
    "egress",
    [
        [{}],
        [{"ports": [{"protocol": "UDP", "port": 53}]}],
        [{"to": [{"namespaceSelector": {"matchLabels": {"a": "b"}}}], "ports": [{"port": 53}]}],
    ],
)  # fmt: skip
def test_egress_with_dns_is_fine(egress: list) -> None:
    assert reasons(policy(policyTypes=["Egress"], egress=egress), pod("web-1")) == set()


def test_a_policy_on_ingress_alone_says_nothing_of_dns() -> None:
    assert reasons(policy(policyTypes=["Ingress"]), pod("web-1", metadata={"labels": {"a": "b"}})) == set()
