"""Failed pulls: what the registry's words mean, whichever version wrote them."""

from __future__ import annotations

import pytest

from kubectl_berth.diagnosis.checks.images import classify
from kubectl_berth.records import Ref
from tests.diagnosis.objects import deployment, event, found, node, one, owned, pod, reasons, replica_set, waiting

IMAGE = "registry.example.com/app:2"
RESOLVE = f'failed to pull and unpack image "{IMAGE}": failed to resolve reference "{IMAGE}": '


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (f"rpc error: code = NotFound desc = {RESOLVE}{IMAGE}: not found", "ImageNotFound"),
        (f"{RESOLVE}manifest unknown", "ImageNotFound"),
        (f"{RESOLVE}pull access denied, repository does not exist or may require authorization", "ImageAccessDenied"),
        (f"{RESOLVE}unexpected status code 401 Unauthorized", "ImageAccessDenied"),
        (
            "429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit",
            "ImageRateLimited",
        ),
        ("toomanyrequests: You have reached your unauthenticated pull rate limit", "ImageRateLimited"),
        ("no match for platform in manifest: not found", "ImageWrongArchitecture"),
        ("dial tcp: lookup registry.example.com on 10.0.0.2:53: no such host", "RegistryUnreachable"),
        ("tls: failed to verify certificate: x509: certificate signed by unknown authority", "RegistryUnreachable"),
        ("write /var/lib/containerd/x: no space left on device", "ImageDiskFull"),
        ("something nobody has seen", "ImagePullFails"),
    ],
)
def test_the_registrys_words_are_understood(words: str, reason: str) -> None:
    assert classify("ImagePullBackOff", words) == reason


@pytest.mark.parametrize(
    "message",
    [f'Back-off pulling image "{IMAGE}"', f'Back-off pulling image "{IMAGE}": ErrImagePull: {RESOLVE}not found'],
    ids=["up to 1.31", "from 1.32"],
)
def test_both_wordings_of_the_waiting_message_give_the_same_cause(message: str) -> None:
    broken = pod("web-1", waiting("ImagePullBackOff", message), phase="Pending", container={"image": IMAGE})
    said = event(broken, "Failed", f'Failed to pull image "{IMAGE}": {RESOLVE}not found', container="app")
    noise = event(broken, "Failed", "Error: ErrImagePull", container="app", minutes=1)
    finding = one(found(broken, said, noise), "ImageNotFound")
    assert IMAGE in finding.summary and "not found" in " ".join(finding.evidence)


def test_a_refused_pull_names_the_secret_that_is_not_there() -> None:
    broken = pod(
        "web-1",
        waiting("ErrImagePull", f"{RESOLVE}pull access denied"),
        spec={"imagePullSecrets": [{"name": "regcred"}]},
    )
    said = event(broken, "FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets (regcred); ...")
    text = " ".join(one(found(broken, said), "ImageAccessDenied").evidence)
    assert "Unable to retrieve some image pull secrets (regcred)" in text and "namespace shop" in text


@pytest.mark.parametrize(
    ("state", "reason"),
    [("InvalidImageName", "InvalidImageName"), ("ErrImageNeverPull", "ImageNeverPulled")],
)
def test_states_that_need_no_words(state: str, reason: str) -> None:
    assert reasons(pod("web-1", waiting(state), phase="Pending")) == {reason}


def test_a_wrong_architecture_names_the_nodes() -> None:
    broken = pod("web-1", waiting("ErrImagePull", "no match for platform in manifest: not found"))
    arm = node("node-a", status={"nodeInfo": {"architecture": "arm64"}})
    assert "architecture arm64" in " ".join(one(found(broken, arm), "ImageWrongArchitecture").evidence)


def test_pulls_that_fail_on_one_node_alone_are_the_nodes_fault() -> None:
    lost = "dial tcp: lookup registry.example.com: no such host"
    pods = [pod(f"p-{n}", waiting("ErrImagePull", lost), phase="Pending", node="node-b") for n in range(2)]
    findings = found(node("node-a"), node("node-b"), *pods)
    cause = one(findings, "NodeCannotPull")
    assert cause.cause and cause.subject == Ref("Node", "", "node-b") and len(cause.effects) == 2
    assert all(f.caused_by == cause.subject for f in findings if f.reason == "RegistryUnreachable")


def test_a_new_version_that_cannot_be_pulled_leaves_the_old_one_serving() -> None:
    web = deployment(replicas=2, ready=2, status={"updatedReplicas": 1, "replicas": 3})
    old = replica_set(web, "web-old", replicas=2, revision=1)
    new = replica_set(web, "web-new", replicas=1, ready=0, revision=2, image=IMAGE)
    pods = [owned(pod("web-old-1"), old), owned(pod("web-old-2"), old)]
    stuck = owned(pod("web-new-1", waiting("ImagePullBackOff", f"x: {RESOLVE}not found"), phase="Pending"), new)
    findings = found(web, old, new, *pods, stuck)
    stalled = one(findings, "RolloutStalled")
    assert (
        stalled.caused_by == Ref("Pod", "shop", "web-new-1")
        and "2 pods of the old version still serve" in stalled.summary
    )
    assert one(findings, "ImageNotFound").severity == "warning"


def test_a_long_pull_is_no_failure() -> None:
    slow = pod("web-1", waiting("ContainerCreating"), phase="Pending")
    pulling = event(slow, "Pulling", 'Pulling image "big:1"', minutes=14, kind="Normal")
    assert one(found(slow, pulling), "ImagePullSlow").severity == "info"
    pulled = event(slow, "Pulled", "Successfully pulled image", minutes=1, kind="Normal")
    assert reasons(slow, pulling, pulled) == set()


def test_a_refused_pull_without_a_pull_secret_says_so() -> None:
    broken = pod("web-1", waiting("ErrImagePull", f"{RESOLVE}pull access denied"))
    assert "the pod names no pull secret" in one(found(broken), "ImageAccessDenied").remedy
