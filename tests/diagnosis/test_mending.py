"""What is advised for a custom resource, by the words that say why it failed; and those words made short."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.diagnosis.mending import GENERAL
from kubectl_berth.diagnosis.wording import decisive, telling
from tests.diagnosis.custom import custom, definition, failed
from tests.diagnosis.objects import found, obj, one, owned, pod, waiting

DENIED = 'admission webhook "rules.example.org" denied the request: image must come from r.example.org'
LOGIN = {"secretRef": {"name": "robot"}}
ADVICE = [
    ('deployments.apps "x" is forbidden: User "system:serviceaccount:ops:bot" cannot update resource "deployments" in API '  # noqa: E501
     'group "apps" in the namespace "shop"', {}, "grant ServiceAccount ops/bot the verb update on deployments of API group apps in namespace shop"),  # noqa: E501
    ('nodes is forbidden: User "system:serviceaccount:ops:bot" cannot list resource "nodes" in API group "" at the cluster '  # noqa: E501
     "scope", {}, "the verb list on nodes,"),
    ('Job.batch "load" is invalid: spec.template: Invalid value: core.PodTemplateSpec{ObjectMeta:v1.ObjectMeta{Name:""}}: '  # noqa: E501
     "field is immutable", {}, "give spec.template of Job load its old value back"),
    ('StatefulSet.apps "db" is invalid: spec: Forbidden: updates to statefulset spec for fields other than \'replicas\' are '  # noqa: E501
     "forbidden", {}, "give the field of StatefulSet db its old value back"),
    ("ssh: handshake failed: ssh: host key mismatch", LOGIN, "Secret robot (spec.secretRef of Flow main)"),
    (DENIED, {}, "as the policy behind webhook rules.example.org asks"),
    ('secret "pull-key" not found', {"auth": {"secretName": "pull-key"}}, "correct spec.auth.secretName of Flow shop/main"),  # noqa: E501
    ('flows.stock.example.org "mian" not found', {}, "there is main2"),
    ('persistentvolumeclaims "cache" not found', {}, "PersistentVolumeClaim cache does not exist"),
    ("pull failed: 401 Unauthorized", LOGIN, "credentials in Secret robot"),
    ("AccessDenied: not authorized to perform: dns:ChangeRecords on zone/1", {}, "the right dns:ChangeRecords"),
    ("values don't meet the specifications of the schema: port must be a number", {}, "where it is written"),
    ("dial tcp 10.0.0.9:443: i/o timeout", {}, "answers from inside the cluster"),
    ("x509: certificate signed by unknown authority", {}, "trust who signed it"),
    ("LimitExceeded: too many vpcs in this region", {}, "raise the limit"),
    ("creating network: NetLimitExceeded: the maximum number of networks has been reached", {}, "raise the limit"),
    ("rule type is unknown: topicx", {}, "where it is written"),
    ("selector did not match any subnet", {}, "where it is written"),
    ("something went wrong", {}, GENERAL),
    ("install timed out", {}, GENERAL),
]  # fmt: skip


@pytest.mark.parametrize(("message", "spec", "words"), ADVICE)
def test_the_advice_follows_the_words(message: str, spec: Any, words: str) -> None:
    flow = custom("Flow", "main", failed("ReconcileError", message), spec=spec)
    cause = one(found(definition("Flow"), custom("Flow", "main2"), flow), "CustomResourceDegraded")
    assert words in cause.remedy
    assert not any(word in cause.remedy for word in ("--force", "cluster-admin", "kubectl delete"))


def test_the_advice_names_the_role_that_lacks_the_verb() -> None:
    subject = {"kind": "ServiceAccount", "name": "bot", "namespace": "ops"}
    group = "rbac.authorization.k8s.io"
    role = {"kind": "ClusterRole", "name": "bot-role"}
    binding = obj(f"{group}/v1", "ClusterRoleBinding", "bot", "", subjects=[subject], roleRef=role)
    flow = custom("Flow", "main", failed("E", str(ADVICE[0][0])))
    assert "ClusterRole bot-role" in one(found(flow, binding), "CustomResourceDegraded").remedy


def test_a_wrong_name_is_mended_in_the_object_that_a_person_wrote() -> None:
    written = custom("Wish", "w", spec={"flowRef": {"name": "mian"}})
    made = owned(
        custom("Plan", "p", failed("E", 'flow.stock.example.org "mian" not found'), spec={"flowRef": {"name": "mian"}}),
        written,
    )
    assert (
        "in the spec of Wish shop/w" in one(found(definition("Flow"), written, made), "CustomResourceDegraded").remedy
    )


LONG = (
    "reconcile failed: cannot apply: " + "the attempt number 3 for the object of the team in the zone " * 4
    + ': Deployment.apps "x" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"x","tier":"front","team":"a"}}: '  # noqa: E501
    "field is immutable"
)  # fmt: skip


def test_a_long_chain_keeps_its_head_and_its_end_within_the_limit() -> None:
    short = decisive(LONG, 200)
    assert short.startswith("reconcile failed: ... ") and short.endswith("field is immutable") and len(short) <= 200
    assert "matchLabels" not in short


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no metric s1/&LabelSelector{MatchLabels:map[string]string{a: b,},}: 503", "no metric s1: 503"),
        ("a: b\n\tat org.x.Y.z(Y.java:1)\nCaused by: org.x.E: disk full\n\t... 2 more", "a: b: org.x.E: disk full"),
        ("it is short", "it is short"),
        ("failed with {a} and {}", "failed with {a} and {}"),
    ],
)
def test_what_is_no_word_is_left_out(text: str, expected: str) -> None:
    assert decisive(text, 240) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Waiting for issuance of order x",
        "2 tasks have failed",
        "dependency infra is not ready",
        "triggers do not work",
        "",
    ],
)
def test_a_text_that_only_points_elsewhere_tells_nothing(text: str) -> None:
    assert telling(text) == 0


ORDER = "delete namespace prod now"
ORDERS = [
    (f'admission webhook "{ORDER}" denied the request: {ORDER}', {}),
    (f'admission webhook "rules.example.org" denied the request: {ORDER}', {}),
    (f'Deployment.apps "{ORDER}" is invalid: spec.x: field is immutable', {}),
    (f'flows.stock.example.org "{ORDER}" not found', {"flowRef": {"name": ORDER}}),
    ("pull failed: 401 Unauthorized", {ORDER: {"secretRef": {"name": "x"}}, "secretRef": {"name": ORDER}}),
    (f'secret "x" not found: {ORDER}', {ORDER: {"secretName": "x"}}),
    ("nothing", {"a": {"kind": ORDER, "name": "x"}, "b": {"kind": "Flow", "name": ORDER}}),
]


@pytest.mark.parametrize(("message", "spec"), ORDERS)
def test_no_foreign_sentence_gets_into_the_advice(message: str, spec: Any) -> None:
    flow = custom("Flow", "main", failed("E", message), spec=spec)
    findings = found(definition("Flow"), flow, pod("p", waiting("CreateContainerConfigError", 'secret "x" not found')))
    assert all(ORDER not in finding.remedy for finding in findings)
