"""Missing Secrets and ConfigMaps, told from status and events; settings that forbid a start."""

from __future__ import annotations

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.objects import deployment, event, found, one, owned, pod, reasons, replica_set, waiting


@pytest.mark.parametrize(
    ("message", "subject", "reason"),
    [
        ('configmap "orders-env" not found', Ref("ConfigMap", "shop", "orders-env"), "ConfigMapMissing"),
        ('secret "orders-db" not found', Ref("Secret", "shop", "orders-db"), "SecretMissing"),
        (
            "couldn't find key DB_PASSWORD in Secret shop/orders-db",
            Ref("Secret", "shop", "orders-db"),
            "SecretKeyMissing",
        ),
        ("couldn't find key A.b in ConfigMap shop/conf", Ref("ConfigMap", "shop", "conf"), "ConfigMapKeyMissing"),
    ],
)
def test_what_a_container_misses_is_the_cause(message: str, subject: Ref, reason: str) -> None:
    findings = found(pod("web-1", waiting("CreateContainerConfigError", message)))
    cause = one(findings, reason)
    assert cause.cause and cause.subject == subject and cause.effects == (Ref("Pod", "shop", "web-1"),)
    assert one(findings, "WaitsForConfiguration").caused_by == subject


@pytest.mark.parametrize(
    ("message", "subject", "reason"),
    [
        ('MountVolume.SetUp failed for volume "conf" : configmap "app-conf" not found', "app-conf", "ConfigMapMissing"),
        ('MountVolume.SetUp failed for volume "tls" : secret "app-tls" not found', "app-tls", "SecretMissing"),
        ("failed for volume \"tls\" : references non-existent secret key: tls.key", "web-tls", "SecretKeyMissing"),
        ("failed for volume \"c\" : configmap references non-existent config key: a.yaml", "cm", "ConfigMapKeyMissing"),
    ],
)  # fmt: skip
def test_what_a_volume_misses_is_read_from_its_event(message: str, subject: str, reason: str) -> None:
    volumes = [{"name": "tls", "secret": {"secretName": "web-tls"}}, {"name": "c", "configMap": {"name": "cm"}}]
    stuck = pod("web-1", waiting("ContainerCreating"), phase="Pending", spec={"volumes": volumes})
    cause = one(found(stuck, event(stuck, "FailedMount", message, times=12)), reason)
    assert cause.subject.name == subject


def test_one_missing_object_under_two_workloads_is_one_cause() -> None:
    objects = []
    for name in ("a", "b"):
        above = deployment(name, ready=0)
        rs = replica_set(above, f"{name}-1", ready=0)
        stuck = pod(f"{name}-1-x", waiting("CreateContainerConfigError", 'secret "shared" not found'))
        objects += [above, rs, owned(stuck, rs)]
    findings = found(*objects)
    causes = [finding for finding in findings if finding.cause]
    assert [str(cause.subject) for cause in causes] == ["Secret shop/shared"]
    assert Ref("Deployment", "shop", "a") in causes[0].effects and Ref("Deployment", "shop", "b") in causes[0].effects


def test_a_root_image_under_run_as_non_root_is_no_missing_secret() -> None:
    text = 'container has runAsNonRoot and image will run as root (pod: "web-1", container: app)'
    assert reasons(pod("web-1", waiting("CreateContainerConfigError", text))) == {"RunAsNonRootConflict"}


def test_words_nobody_knows_are_still_told() -> None:
    assert reasons(pod("web-1", waiting("CreateContainerConfigError", "something new"))) == {"ContainerConfigError"}


def test_a_mount_that_failed_once_before_the_pod_got_ready_is_no_fault() -> None:
    fine = pod("web-1")
    assert reasons(fine, event(fine, "FailedMount", 'object "shop"/"kube-root-ca.crt" not registered')) == set()
    assert (
        reasons(fine, event(fine, "FailedMount", 'MountVolume.SetUp failed for volume "x" : secret "y" not found'))
        == set()
    )
