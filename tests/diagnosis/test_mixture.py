"""Services over two applications at once, and Services that take in many pods and mean it."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.records import Finding
from tests.diagnosis.objects import Obj, deployment, found, merged, obj, one, owned, pod, replica_set, running


def application(name: str, image: str, *, ready: bool = True, beside: Obj | None = None, **labels: str) -> list[Obj]:
    """A Deployment with one pod that carries the label app=tariff and listens on 8080."""
    every = {"app": "tariff", **labels}
    made = deployment(name, labels=every)
    rs = replica_set(made, f"{name}-1")
    mine = pod(f"{name}-1-x", running(ready=ready), metadata={"labels": every})
    container = {"name": "app", "image": image, "ports": [{"containerPort": 8080}]}
    mine["spec"]["containers"] = [*([beside] if beside else []), container]
    return [made, rs, owned(mine, rs)]


def behind(*objects: Obj, **spec: Any) -> list[Finding]:
    base = {"selector": {"app": "tariff"}, "clusterIP": "10.0.0.9", "ports": [{"port": 80, "targetPort": 8080}]}
    there = obj("v1", "Service", "tariff", spec=merged(base, spec))
    return [finding for finding in found(there, *objects) if finding.reason == "ServiceMixesWorkloads"]


OLD = application("tariff", "registry.example/power/tariff:7.2", line="main")
NEW = application("tariff-sandbox", "registry.example/labs/price-engine:0.3", line="sandbox")


def test_two_applications_behind_one_service_are_named_with_what_tells_them_apart() -> None:
    finding = one(behind(*OLD, *NEW), "ServiceMixesWorkloads")
    assert finding.severity == "warning" and "app=tariff" in finding.summary
    assert "Deployment shop/tariff, Deployment shop/tariff-sandbox" in finding.summary
    assert "line=main of Deployment shop/tariff" in finding.remedy and "price-engine:0.3" in " ".join(finding.evidence)


def test_a_proxy_that_both_have_does_not_hide_it() -> None:
    proxy = {"name": "mesh", "image": "mesh/proxy:1", "ports": [{"containerPort": 15090}]}
    one_side = application("tariff", "registry.example/power/tariff:7.2", beside=proxy)
    assert len(behind(*one_side, *application("sandbox", "labs/price-engine:0.3", beside=proxy))) == 1


@pytest.mark.parametrize(
    "other",
    [
        application("tariff-canary", "mirror.example/power/tariff:8.0", track="canary"),
        application("tariff-sandbox", "labs/price-engine:0.3", ready=False),
        [pod("debug", metadata={"labels": {"app": "tariff"}})],
    ],
    ids=["a canary", "not ready", "a pod of nobody's"],
)
def test_two_versions_of_one_application_and_what_does_not_serve_are_fine(other: list[Obj]) -> None:
    assert behind(*OLD, *other) == []


@pytest.mark.parametrize(
    "spec",
    [
        {"clusterIP": "None"},
        {"ports": [{"name": "http-metrics", "port": 9100, "targetPort": 8080}]},
        {"selector": {"line": "main"}},
    ],
    ids=["headless", "for figures", "selects one"],
)
def test_services_that_list_pods_on_purpose_are_fine(spec: Obj) -> None:
    assert behind(*OLD, *NEW, **spec) == []
