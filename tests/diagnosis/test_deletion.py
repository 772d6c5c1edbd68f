"""What was deleted and stays, and why."""

from __future__ import annotations

from kubectl_berth.records import Ref
from tests.diagnosis.objects import ago, condition, event, found, merged, node, obj, one, pod, reasons


def deleted(thing: dict, minutes: float = 40, **metadata: object) -> dict:
    return merged(thing, {"metadata": {"deletionTimestamp": ago(minutes), **metadata}})


def test_a_pod_that_ignores_its_end() -> None:
    stuck = deleted(pod("web-1"), deletionGracePeriodSeconds=3600)
    said = event(stuck, "ExceededGracePeriod", "Container runtime did not kill the pod within specified grace period.")
    finding = one(found(node(), stuck, said), "DeletionStuck")
    assert finding.cause and "preStop" in finding.remedy and "grace 3600s" in finding.evidence[0]


def test_a_pod_within_its_grace_is_fine() -> None:
    assert reasons(node(), deleted(pod("web-1"), -1)) == set()


def test_a_finalizer_is_named_and_not_to_be_pulled() -> None:
    topic = deleted(obj("q.example.com/v1", "Topic", "t", spec={}), finalizers=["q.example.com/cleanup"])
    finding = one(found(topic), "DeletionStuck")
    assert "q.example.com/cleanup" in finding.summary and "find the controller" in finding.remedy


def test_a_claim_in_use_waits_by_design() -> None:
    claim = deleted(
        obj("v1", "PersistentVolumeClaim", "data", status={"phase": "Bound"}),
        finalizers=["kubernetes.io/pvc-protection"],
    )
    user = pod("db-0", spec={"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]})
    finding = one(found(claim, user), "ClaimStillInUse")
    assert finding.severity == "info" and "db-0" in finding.summary


def test_a_namespace_held_by_a_dead_api() -> None:
    api = obj(
        "apiregistration.k8s.io/v1", "APIService", "v1.x.example.com", "",
        spec={"group": "x.example.com", "version": "v1"},
        status={"conditions": [condition("Available", "False", "FailedDiscoveryCheck", "no route")]},
    )  # fmt: skip
    text = "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs"
    conditions = [condition("NamespaceDeletionDiscoveryFailure", "True", "DiscoveryFailed", text)]
    gone = deleted(obj("v1", "Namespace", "old", "", status={"phase": "Terminating", "conditions": conditions}), 4000)
    finding = one(found(gone, api), "NamespaceStuck")
    assert finding.caused_by == Ref("APIService", "", "v1.x.example.com") and "Discovery failed" in finding.summary


def test_a_namespace_with_content_left() -> None:
    text = "Some resources are remaining: topics.q.example.com has 3 resource instances"
    conditions = [condition("NamespaceContentRemaining", "True", "SomeResourcesRemain", text)]
    gone = deleted(obj("v1", "Namespace", "old", "", status={"phase": "Terminating", "conditions": conditions}), 60)
    finding = one(found(gone), "NamespaceStuck")
    assert "topics.q.example.com has 3" in finding.summary and "do not force" in finding.remedy
