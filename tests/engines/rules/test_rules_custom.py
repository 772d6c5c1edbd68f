"""Questions whose answer lies in a custom resource: who should have made it, what it waits for, what it holds back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.fakes.small_clusters import SmallCluster, Thing, waiting

GROUP = "stock.example.org"
KINDS = ("Grant", "Engine", "Elastic", "SourceLogin", "Source", "Release", "Certificate", "Signer", "Record")
SINCE = "2026-10-05T07:30:00Z"


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("shop", "ops")
    cluster.healthy("web", "shop", replicas=2)
    for kind in KINDS:
        cluster.definition(GROUP, "v1", kind, f"{kind.lower()}s")
    return cluster


def ask(small: SmallCluster, question: str) -> str:
    finished = list(make_rules().run(Conversation("", "", question), Toolbox(Context(small.open())), 8))[-1]
    assert isinstance(finished, Finished)
    return finished.text


def custom(small: SmallCluster, kind: str, name: str, namespace: str = "shop", *, spec: Any = None, reason: str = "",
           message: str = "", status: Any = None, **rest: Any) -> Thing:  # fmt: skip
    """A custom resource that is ready, or not ready for that reason."""
    ready = {"type": "Ready", "status": "False" if reason else "True", "reason": reason or "Ok", "message": message,
             "lastTransitionTime": SINCE}  # fmt: skip
    return small.add(f"{GROUP}/v1", kind, name, namespace, spec=spec or {},
                     status={"conditions": [ready]} if status is None else status, **rest)  # fmt: skip


def without_secret(small: SmallCluster, name: str, secret: str) -> None:
    """A Deployment whose only pod waits for a Secret."""
    owner = small.replica_set(small.deployment(name, "shop", ready=0), "7c9d", ready=0)
    state = waiting("CreateContainerConfigError", f'secret "{secret}" not found')
    small.pod(f"{name}-7c9d-x1", "shop", owner=owner, app=name, ready=False, phase="Pending", state=state)


def first(text: str) -> str:
    return text.splitlines()[0]


def to_do(text: str) -> str:
    return text.partition("**What to do**")[2].partition("**What would show")[0]


@pytest.mark.parametrize("question", ["why does till not start?", "till pods CreateContainerConfigError, why"])
def test_a_missing_secret_is_answered_with_what_keeps_its_maker_from_writing_it(
    small: SmallCluster, question: str
) -> None:
    without_secret(small, "till", "till-login")
    custom(small, "Grant", "till", spec={"outputSecret": {"name": "till-login"}, "engineRef": {"name": "north"}},
           reason="NotIssued", message="engine north is not ready")  # fmt: skip
    custom(small, "Engine", "north", reason="Sealed", message="login failed: 403 permission denied",
           spec={"auth": {"tokenSecretRef": {"name": "north-token"}}})  # fmt: skip
    answer = ask(small, question)
    assert "Secret shop/till-login does not exist" in first(answer)
    assert "Engine shop/north" in first(answer) and "permission denied" in first(answer)
    assert "north-token" in to_do(answer) and "reate" not in to_do(answer)


def test_a_missing_secret_that_nothing_makes_is_still_to_be_created(small: SmallCluster) -> None:
    without_secret(small, "till", "till-login")
    custom(small, "Source", "feed", spec={"secretRef": {"name": "till-login"}}, reason="Fetch", message="502")
    assert "Create Secret shop/till-login" in to_do(ask(small, "why does till not start?"))


def test_what_does_not_scale_is_answered_with_the_name_in_vain(small: SmallCluster) -> None:
    elastic = custom(small, "Elastic", "web", reason="CheckFailed", message="triggers do not work",
                     spec={"sources": [{"type": "queue", "loginRef": {"name": "queue-logn"}}]})  # fmt: skip
    custom(small, "SourceLogin", "queue-login")
    active = {"type": "ScalingActive", "status": "False", "reason": "FailedGetExternalMetric", "lastTransitionTime": SINCE,  # noqa: E501
              "message": "unable to get external metric shop/s0/&LabelSelector{MatchLabels:map[string]string{},}: none"}  # fmt: skip  # noqa: E501
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    small.add("autoscaling/v2", "HorizontalPodAutoscaler", "made-web", "shop", owner=elastic,
              spec={"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 9}, status={"conditions": [active]})  # fmt: skip  # noqa: E501
    answer = ask(small, "web does not scale up although the queue is long")
    assert "SourceLogin queue-logn, which does not exist; there is queue-login" in first(answer)
    assert "LabelSelector" not in answer and "queue-login" in to_do(answer)


def test_an_old_version_is_answered_with_the_source_that_fails(small: SmallCluster) -> None:
    custom(small, "Source", "fleet", "ops", spec={"secretRef": {"name": "fleet-key"}}, reason="Fetch",
           message="ssh: handshake failed: knownhosts: key mismatch")  # fmt: skip
    custom(small, "Release", "till", spec={"sourceRef": {"kind": "Source", "name": "fleet", "namespace": "ops"}})
    small.healthy("till", "shop")["metadata"]["labels"][f"{GROUP}/name"] = "till"
    answer = ask(small, "why does till still run the old version, I merged the change hours ago")
    assert "Source ops/fleet" in first(answer) and "key mismatch" in first(answer)
    assert "fleet-key" in to_do(answer) and "known_hosts" in to_do(answer)


def test_an_answer_on_what_is_delivered_and_well_stays_calm_where_the_source_is_well(small: SmallCluster) -> None:
    custom(small, "Source", "fleet", "ops")
    custom(small, "Release", "till", spec={"sourceRef": {"kind": "Source", "name": "fleet", "namespace": "ops"}})
    small.healthy("till", "shop")["metadata"]["labels"][f"{GROUP}/name"] = "till"
    assert "no fault found" in first(ask(small, "is till ok?"))


def test_a_host_with_an_expired_certificate_is_answered_with_what_keeps_it_from_being_renewed(
    small: SmallCluster,
) -> None:
    over = {"notAfter": "2026-10-05T04:30:00Z"}
    certificate = custom(small, "Certificate", "shop-tls", spec={"secretName": "shop-tls"}, status=over)
    pending = {"state": "pending", "reason": "zone lookup: 9103: unknown access key"}
    custom(small, "Record", "shop-tls-1", status=pending, owner=certificate)
    small.add("networking.k8s.io/v1", "Ingress", "front", "shop",
              spec={"tls": [{"hosts": ["far.blau.example"], "secretName": "shop-tls"}],
                    "rules": [{"host": "far.blau.example"}]},
              status={"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}})  # fmt: skip
    answer = ask(small, "the browser warns about the certificate of far.blau.example")
    assert "expired 5h ago" in first(answer) and "unknown access key" in answer


def test_an_operator_without_a_right_is_told_which(small: SmallCluster) -> None:
    message = ('statefulsets.apps "x" is forbidden: User "system:serviceaccount:ops:keeper" cannot patch resource '
               '"statefulsets" in API group "apps" in the namespace "shop"')  # fmt: skip
    custom(small, "Engine", "north", reason="ApplyFailed", message=message)
    answer = ask(small, "engine north was changed yesterday and nothing happens")
    assert "ServiceAccount ops/keeper the verb patch on statefulsets" in to_do(answer)
    assert "Engine shop/north: stock" not in answer and "Engine: " not in first(answer)


def test_a_login_that_could_not_be_renewed_belongs_to_who_uses_it(small: SmallCluster) -> None:
    owner = small.replica_set(small.deployment("till", "shop"), "7c9d")
    env = [{"name": "DB_LOGIN", "valueFrom": {"secretKeyRef": {"name": "till-login", "key": "password"}}}]
    image = "registry.example.com/till:1.0.0"
    small.pod("till-7c9d-x1", "shop", owner=owner, app="till",
              spec={"containers": [{"name": "till", "image": image, "env": env}]})  # fmt: skip
    custom(small, "Grant", "till", spec={"outputSecret": {"name": "till-login"}}, reason="Renew",
           message="GET https://kv.blau.example/till: code 403: lease has ended")  # fmt: skip
    assert "Grant shop/till" in first(ask(small, "till cannot log in to its database since the rotation"))
    assert "no fault found" in first(ask(small, "is web ok?"))


def test_an_ingress_that_an_operator_made_for_a_proof_is_not_what_a_host_is_asked_for(small: SmallCluster) -> None:
    certificate = custom(small, "Certificate", "shop-tls", status={"notAfter": "2026-10-05T04:30:00Z"},
                         spec={"secretName": "shop-tls"})  # fmt: skip
    proof = custom(small, "Record", "a-proof", owner=certificate, spec={"solver": {"ingressClassName": "edge"}},
                   status={"state": "pending", "reason": "wrong status code '404', expected '200'"})  # fmt: skip
    small.add("networking.k8s.io/v1", "IngressClass", "nginx")
    hosts: Thing = {"rules": [{"host": "far.blau.example"}]}
    small.add(
        "networking.k8s.io/v1", "Ingress", "a-proof-x", "shop", owner=proof, spec={**hosts, "ingressClassName": "edge"}
    )
    small.add("networking.k8s.io/v1", "Ingress", "front", "shop",
              spec={**hosts, "ingressClassName": "nginx", "tls": [{"hosts": ["far.blau.example"], "secretName": "shop-tls"}]},  # noqa: E501
              status={"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}})  # fmt: skip
    answer = ask(small, "far.blau.example is not secure, says the browser")
    assert first(answer).startswith("**Ingress shop/front has a fault. Certificate shop/shop-tls: it expired 5h ago")
    assert "spec.solver.ingressClassName of Record shop/a-proof" in to_do(answer)


def test_the_words_of_a_condition_are_not_torn_apart_by_the_cause(small: SmallCluster) -> None:
    custom(small, "Grant", "till", spec={"engineRef": {"name": "north"}}, reason="SyncError",
           message="engine north is not ready")  # fmt: skip
    custom(small, "Engine", "north", reason="Sealed", message="login failed: code 403")
    assert "(SyncError: engine north is not ready); the cause is Engine shop/north" in first(
        ask(small, "why is Grant till failing")
    )
