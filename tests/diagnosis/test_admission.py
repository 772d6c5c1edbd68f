"""Pods the API server would not create: the cause is what the refusal names."""

from __future__ import annotations

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.objects import condition, deployment, event, found, obj, one, reasons, replica_set

QUOTA = (
    'pods "web-1-" is forbidden: exceeded quota: team-a, requested: limits.cpu=1, used: limits.cpu=6, '
    "limited: limits.cpu=6"
)
WEBHOOK = (
    'Internal error occurred: failed calling webhook "pods.example.com": failed to call webhook: Post '
    '"https://guard.sec.svc:443/mutate?timeout=10s": no endpoints available for service "guard"'
)


def refused(message: str, *more: dict, by_event: bool = False) -> list:
    """The findings about a Deployment whose ReplicaSet cannot create its pod."""
    web = deployment(replicas=1, ready=0, status={"replicas": 0, "updatedReplicas": 0})
    rs = replica_set(web, "web-1", replicas=1, ready=0)
    rs["status"] = {"observedGeneration": 1, "replicas": 0}
    if by_event:
        return found(web, rs, event(rs, "FailedCreate", f"Error creating: {message}", times=9), *more)
    rs["status"]["conditions"] = [condition("ReplicaFailure", "True", "FailedCreate", message)]
    return found(web, rs, *more)


@pytest.mark.parametrize("by_event", [True, False])
def test_a_full_quota_is_the_cause(by_event: bool) -> None:
    findings = refused(QUOTA, by_event=by_event)
    cause = one(findings, "QuotaExceeded")
    assert cause.cause and cause.subject == Ref("ResourceQuota", "shop", "team-a")
    assert "limits.cpu=1" in cause.summary and "limits.cpu: 6 of 6 in use" in cause.summary
    assert Ref("Deployment", "shop", "web") in cause.effects
    assert [finding for finding in findings if finding.cause] == [cause]


@pytest.mark.parametrize(
    ("message", "reason", "words"),
    [
        ("failed quota: mem: must specify requests.memory for: app", "QuotaNeedsRequests", "requests.memory"),
        ("is forbidden: maximum memory usage per Container is 2Gi, but limit is 4Gi", "LimitRangeViolated", "2Gi"),
        ('is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "app" '
         "must set securityContext.allowPrivilegeEscalation=false)", "PodSecurityViolation", "restricted:latest"),
        ('admission webhook "v.example" denied the request: no latest tags', "AdmissionDenied", "no latest tags"),
        ('pods "x" is forbidden: words nobody knows', "PodCreationRefused", "words nobody knows"),
    ],
)  # fmt: skip
def test_what_the_refusal_names(message: str, reason: str, words: str) -> None:
    findings = refused(message)
    finding = one(findings, reason)
    assert words in finding.summary and finding.subject == Ref("Deployment", "shop", "web")
    assert [one.reason for one in findings if one.cause] == [reason]


def test_a_missing_account_is_the_cause() -> None:
    text = 'pods "x-" is forbidden: error looking up service account shop/api: serviceaccount "api" not found'
    assert one(refused(text), "ServiceAccountMissing").subject == Ref("ServiceAccount", "shop", "api")


def test_a_webhook_without_pods_is_traced_to_its_service() -> None:
    hook = {
        "name": "pods.example.com",
        "failurePolicy": "Fail",
        "clientConfig": {"service": {"namespace": "sec", "name": "guard"}},
        "rules": [{"resources": ["pods"], "apiGroups": [""], "operations": ["CREATE"]}],
    }
    configuration = obj("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "guard", "", webhooks=[hook])
    service = obj("v1", "Service", "guard", "sec", spec={"selector": {"app": "guard"}, "ports": [{"port": 443}]})
    backend = deployment("guard", replicas=1, ready=0, metadata={"namespace": "sec", "uid": "g"})
    findings = refused(WEBHOOK, configuration, service, backend)
    blocked = one(findings, "WebhookFails")
    assert blocked.subject == Ref("MutatingWebhookConfiguration", "", "guard")
    assert blocked.caused_by == Ref("Deployment", "sec", "guard")
    assert "failurePolicy Fail" in " ".join(blocked.evidence)


def test_a_refusal_before_a_success_is_past() -> None:
    web = deployment()
    rs = replica_set(web, "web-1", replicas=2)
    rs["status"]["replicas"] = 1
    old = event(rs, "FailedCreate", f"Error creating: {QUOTA}", minutes=30)
    since = event(rs, "SuccessfulCreate", "Created pod: web-1-x", minutes=5, kind="Normal")
    assert "QuotaExceeded" in reasons(web, rs, old) and "QuotaExceeded" not in reasons(web, rs, old, since)


def test_a_workload_with_all_its_pods_is_not_blamed_for_an_old_refusal() -> None:
    web = deployment()
    rs = replica_set(web, "web-1")
    assert reasons(web, rs, event(rs, "FailedCreate", f"Error creating: {QUOTA}")) == set()


def test_pods_of_a_new_version_are_told_from_more_pods_of_the_same() -> None:
    for updated, words in ((0, "the pods of its new version are not created"), (2, "its pods are not created")):
        web = deployment("web", replicas=3, ready=2, status={"updatedReplicas": updated, "replicas": 2})
        rs = replica_set(web, "web-2", replicas=1, ready=0)
        rs["status"] = {"replicas": 0, "conditions": [condition("ReplicaFailure", "True", "FailedCreate", QUOTA)]}
        assert words in one(found(web, rs), "PodsNotCreated").summary
