"""Terms that are over, certificates of webhooks, and what hangs on a source or comes from a maker."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.custom import custom, failed, roots
from tests.diagnosis.objects import Obj, ago, condition, deployment, event, found, merged, obj, one, owned, pod, reasons

# --- dates and webhooks ------------------------------------------------------------------------------------------------  # noqa: E501


def test_a_term_that_is_over_is_said_first_even_where_a_condition_calls_it_ready() -> None:
    over = {"notAfter": ago(300), "conditions": [condition("Ready", "True")]}
    cause = one(found(custom("Certificate", "www", status=over)), "CustomResourceDegraded")
    assert cause.summary.startswith("it expired 5h ago")
    valid = {"notAfter": ago(-9000), "conditions": [condition("Ready", "True")]}
    assert reasons(custom("Certificate", "www", status=valid)) == set()


POST = 'Internal error occurred: failed calling webhook "stamp.example.org": failed to call webhook: Post "https://stamp.ops.svc:443/?timeout=10s": tls: failed to verify certificate: x509: '  # noqa: E501
EXPIRED = (
    POST
    + "certificate has expired or is not yet valid: current time 2026-10-05T09:20:00Z is after 2026-10-05T01:00:00Z"
)


def hook(**metadata: Any) -> Obj:
    client = {"service": {"namespace": "ops", "name": "stamp"}}
    rules = [{"apiGroups": [""], "resources": ["pods"]}]
    webhook = {"name": "stamp.example.org", "clientConfig": client, "failurePolicy": "Fail", "rules": rules}
    base = obj("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "stamp", "", webhooks=[webhook])
    return merged(base, {"metadata": metadata})


def refused(text: str) -> list[Obj]:
    service = obj("v1", "Service", "stamp", "ops", spec={"selector": {"app": "stamp"}})
    behind = pod("stamp-1", metadata={"namespace": "ops", "labels": {"app": "stamp"}})
    web = deployment("web", replicas=2, ready=1)
    maker = owned(obj("apps/v1", "ReplicaSet", "web-1", spec={"replicas": 2}, status={"replicas": 1}), web)
    return [service, behind, web, maker, event(maker, "FailedCreate", f"Error creating: {text}", times=9)]


@pytest.mark.parametrize(
    ("spec", "metadata"),
    [
        ({"dnsNames": ["stamp.ops.svc"], "issuerRef": {"name": "inner"}}, {}),
        ({"issuerRef": {"name": "inner"}}, {"annotations": {"trust.example.org/ca-from": "ops/stamp-serving"}}),
    ],
)
def test_a_webhook_whose_certificate_ran_out_leads_to_who_should_renew_it(spec: Any, metadata: Any) -> None:
    there = {"metadata": {"namespace": "ops"}}
    certificate = custom("Certificate", "stamp-serving", spec=spec, status={"notAfter": ago(510)}, **there)
    signer = custom("Issuer", "inner", failed("NoAnswer", "dial tcp: lookup vault.ops: no such host"), **there)
    findings = found(*refused(EXPIRED), hook(**metadata), certificate, signer)
    assert roots(findings) == ["Issuer ops/inner"]
    assert "has expired" in one(findings, "WebhookFails").summary
    assert "caBundle" not in one(findings, "WebhookFails").summary


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("certificate signed by unknown authority", "caBundle"),
        ("certificate is valid for old.ops.svc, not stamp.ops.svc", "made out for other names"),
        (
            "certificate has expired or is not yet valid: current time 2026-10-05T09:20:00Z is before 2026-10-06T00:00:00Z",  # noqa: E501
            "not valid yet",
        ),
    ],
)
def test_other_troubles_of_a_certificate_are_called_what_they_are(error: str, words: str) -> None:
    well = custom("Certificate", "stamp-serving", condition("Ready", "True"), spec={"dnsNames": ["stamp.ops.svc"]})
    failing = one(found(*refused(POST + error), hook(), well), "WebhookFails")
    assert failing.cause and words in failing.summary


# --- what hangs on a source --------------------------------------------------------------------------------------------  # noqa: E501


def test_what_takes_its_version_from_a_source_that_fails_is_told_with_it() -> None:
    source = custom(
        "Registry",
        "charts",
        failed("Pull", "401 Unauthorized: bad credentials"),
        spec={"url": "oci://r.example.org", "secretRef": {"name": "pull"}},
    )
    release = custom(
        "Release", "till", condition("Ready", "True"), spec={"chartRef": {"kind": "Registry", "name": "charts"}}
    )
    web = deployment("till", metadata={"labels": {"stock.example.org/name": "till"}})
    cause = one(found(source, release, web), "CustomResourceDegraded")
    assert set(cause.effects) == {Ref("Release", "shop", "till"), Ref("Deployment", "shop", "till")}
    assert "runs on in the version it has: Deployment shop/till" in " ".join(cause.evidence)
    assert "Secret pull" in cause.remedy


def test_what_a_delivery_lists_as_up_to_date_is_not_said_to_be_held_back() -> None:
    entries = [
        {"kind": "Deployment", "name": "till", "namespace": "shop", "status": "OutOfSync"},
        {"kind": "Deployment", "name": "desk", "namespace": "shop", "status": "Synced"},
    ]
    bad = [failed("SyncError", "field is immutable")]
    release = custom("Release", "all", *bad, status={"resources": entries})
    cause = one(found(release, deployment("till"), deployment("desk")), "CustomResourceDegraded")
    assert cause.effects == (Ref("Deployment", "shop", "till"),)
    assert "so Deployment shop/till gets nothing new from it" in cause.summary


def test_what_is_broken_itself_is_no_quiet_victim_of_its_source() -> None:
    source = custom("Source", "fleet", failed("Fetch", "connection refused"))
    release = custom(
        "Release", "till", failed("NoSource", "source is not ready"), spec={"sourceRef": {"name": "fleet"}}
    )
    cause = next(finding for finding in found(source, release) if finding.cause)
    assert "nothing new" not in cause.summary and Ref("Release", "shop", "till") in cause.effects


def test_when_a_source_last_worked_is_told() -> None:
    artifact = {"revision": "main@sha1:51c0", "lastUpdateTime": ago(8640)}
    source = custom("Source", "fleet", failed("Fetch", "connection refused"), status={"artifact": artifact})
    assert (
        "status.artifact.lastUpdateTime: 6d ago, revision main@sha1:51c0"
        in one(found(source), "CustomResourceDegraded").evidence
    )


def test_what_serves_by_its_own_pods_is_no_source_of_what_names_it() -> None:
    cluster = custom("Cluster", "db", failed("Degraded", "1 member is gone"))
    pooler = custom("Pooler", "db-rw", condition("Ready", "True"), spec={"clusterRef": {"name": "db"}})
    assert one(found(cluster, owned(pod("db-1"), cluster), pooler), "CustomResourceDegraded").effects == ()


def test_a_generated_object_is_mended_where_its_value_comes_from() -> None:
    issuer = custom(
        "Authority", "public", condition("Ready", "True"), spec={"solvers": [{"ingress": {"ingressClassName": "edge"}}]}
    )
    proof = custom("Proof", "www", failed("Pending", "got 404"), spec={"authorityRef": {"name": "public"}})
    ingress = owned(
        obj("networking.k8s.io/v1", "Ingress", "proof-x", spec={"ingressClassName": "edge", "rules": []}), proof
    )
    known = obj("networking.k8s.io/v1", "IngressClass", "nginx", "")
    cause = one(found(issuer, proof, ingress, known), "IngressClassMissing")
    assert cause.cause and "spec.solvers[0].ingress.ingressClassName of Authority shop/public" in cause.remedy
    assert "made by Proof shop/www" in " ".join(cause.evidence)
