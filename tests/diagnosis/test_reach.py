"""Policies between a client and the Service its settings name, peer by peer; Services that are gone; dangling roles."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.objects import Obj, deployment, found, merged, obj, one, owned, pod, reasons, replica_set

PORTS = [{"name": "web", "containerPort": 8080}]
SPACES = [obj("v1", "Namespace", name, "", metadata={"labels": {"team": name}}) for name in ("shop", "front")]


def world(*rules: Obj, side: str = "ingress", client: str = "front", **client_pod: Any) -> list[Obj]:
    server = pod("api-1", container={"ports": PORTS}, metadata={"labels": {"app": "api"}})
    service = obj(
        "v1", "Service", "api", spec={"selector": {"app": "api"}, "ports": [{"port": 80, "targetPort": "web"}]}
    )
    env = {"env": [{"name": "API_URL", "value": "http://api.shop"}]}
    labels = {"labels": {"app": "web", "tier": "edge"}, "namespace": client, "uid": "uid-web"}
    caller = pod("web-1", container=env, **merged({"metadata": labels}, client_pod))
    chosen, space = ({"app": "api"}, "shop") if side == "ingress" else ({"app": "web"}, client)
    spec = {"podSelector": {"matchLabels": chosen}, "policyTypes": [side.capitalize()], side: list(rules)}
    return [server, service, caller, obj("networking.k8s.io/v1", "NetworkPolicy", "rules", space, spec=spec), *SPACES]


def barred(*rules: Obj, **more: Any) -> bool:
    return "PolicyBlocksClient" in reasons(*world(*rules, **more))


EDGE, FRONT = {"matchLabels": {"tier": "edge"}}, {"matchLabels": {"team": "front"}}
API, SHOP = {"matchLabels": {"app": "api"}}, {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}


@pytest.mark.parametrize(
    ("peer", "expected"),
    [
        ({"namespaceSelector": FRONT}, False),
        ({"namespaceSelector": FRONT, "podSelector": EDGE}, False),
        ({"namespaceSelector": {}}, False),
        ({"ipBlock": {"cidr": "10.0.0.0/8"}}, False),
        ({"podSelector": EDGE}, True),  # without namespaceSelector: the policy's own namespace only
        ({"namespaceSelector": FRONT, "podSelector": API}, True),
        ({"namespaceSelector": SHOP}, True),
    ],
)
def test_who_is_let_in(peer: Obj, expected: bool) -> None:
    assert barred({"from": [peer]}) is expected


def test_rules_without_peers_or_ports_let_everybody_in_and_no_rule_lets_nobody() -> None:
    assert not barred({}) and not barred({"from": [{"podSelector": API}]}, {})
    assert barred()
    assert not barred({"from": [{"podSelector": EDGE}]}, client="shop")


@pytest.mark.parametrize(
    ("port", "expected"),
    [
        ({"port": "web"}, False), ({"port": 8080}, False), ({"port": 8000, "endPort": 9000}, False), ({}, False),
        ({"port": 80}, True), ({"port": 8000, "endPort": 8079}, True), ({"port": "other"}, True),
    ],
)  # fmt: skip
def test_the_port_counts_at_the_pod(port: Obj, expected: bool) -> None:
    assert barred({"ports": [port]}) is expected


@pytest.mark.parametrize(("peer", "expected"), [({"namespaceSelector": SHOP}, False), ({"podSelector": API}, True)])
def test_who_is_let_out_to(peer: Obj, expected: bool) -> None:
    open_dns = {"ports": [{"port": 53}]}
    assert barred({"to": [peer]}, open_dns, side="egress") is expected


def test_a_pod_in_the_network_of_its_host_is_not_judged() -> None:
    assert not barred(spec={"hostNetwork": True})


def test_what_is_barred_names_policy_labels_and_what_is_let_in() -> None:
    told = one(found(*world({"from": [{"podSelector": {"matchLabels": {"tier": "backend"}}}]})), "PolicyBlocksClient")
    assert told.subject == Ref("NetworkPolicy", "shop", "rules") and "pods tier=backend" in told.summary
    assert "tier=edge" in " ".join(told.evidence) and "namespace front" in told.remedy


def test_a_service_that_is_gone_is_told_where_its_workload_is_left() -> None:
    caller = pod("web-1", container={"env": [{"name": "API_URL", "value": "http://api.shop.svc:80"}]})
    left = deployment("api")
    there = owned(pod("api-1"), replica_set(left, "api-x"))
    told = one(found(caller, left, replica_set(left, "api-x"), there, *SPACES), "ServiceMissing")
    assert told.subject == Ref("Service", "shop", "api") and told.severity == "warning"
    assert reasons(caller, *SPACES) == set()


def test_a_role_that_is_gone_matters_where_pods_run_with_it() -> None:
    rbac = "rbac.authorization.k8s.io/v1"
    binding = obj(rbac, "RoleBinding", "b", roleRef={"kind": "Role", "name": "gone"},
                  subjects=[{"kind": "ServiceAccount", "name": "bot"}])  # fmt: skip
    known = obj(rbac, "ClusterRole", "view", "")
    user = pod("web-1", spec={"serviceAccountName": "bot"})
    assert one(found(binding, known, user), "RoleMissing").severity == "info"
    assert reasons(binding, known) == set() and reasons(binding, user) == set()
    shipped = merged(binding, {"roleRef": {"kind": "ClusterRole", "name": "system:node"}})
    assert reasons(shipped, known, user) == set()
    there = obj(rbac, "Role", "gone")
    assert reasons(binding, known, user, there) == set()
