"""analyze_workload_resources: figures, verdicts, and what is said where usage is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.objects import Object, definition, deployment, meta, namespace, node, pod, replica_set, toolbox

CALL = {"kind": "Deployment", "name": "reports", "namespace": "shop"}
SIZED: Object = {"resources": {"requests": {"cpu": "2", "memory": "4Gi"}, "limits": {"cpu": "4", "memory": "8Gi"}}}


def _metrics(name: str, *containers: tuple[str, str, str]) -> Object:
    return {
        "apiVersion": "metrics.k8s.io/v1beta1",
        "kind": "PodMetrics",
        "metadata": {"name": name, "namespace": "shop"},
        "timestamp": "2026-10-05T09:29:40Z",
        "window": "15s",
        "containers": [{"name": one, "usage": {"cpu": cpu, "memory": memory}} for one, cpu, memory in containers],
    }


def _reports(replicas: int = 2) -> list[Object]:
    above = deployment("reports", "shop", replicas, replicas)
    owner = replica_set(above, "6d9f7c8b5", replicas, replicas)
    pods = [pod(f"reports-6d9f7c8b5-{end}", "shop", owner=owner, spec=SIZED) for end in ("k2x9d", "m4tqz")[:replicas]]
    for one in pods:
        one["spec"]["containers"].append({"name": "shipper", "image": "shipper:1"})
        one["status"]["qosClass"] = "Burstable"
    return [namespace("shop"), node("node-1"), above, owner, *pods]


FIGURES = [
    _metrics("reports-6d9f7c8b5-k2x9d", ("app", "140m", "610Mi"), ("shipper", "12m", "48Mi")),
    _metrics("reports-6d9f7c8b5-m4tqz", ("app", "155m", "640Mi"), ("shipper", "12m", "48Mi")),
]


def test_figures_and_verdicts(tmp_path: Path) -> None:
    result = toolbox(tmp_path, [*_reports(), *FIGURES]).call("analyze_workload_resources", CALL)
    text = result.text
    assert result.fate == "ok"
    assert "Deployment shop/reports: 2 pods running or pending, 2 ready, 2 desired, QoS Burstable." in text
    assert "one snapshot (window 15s, 2026-10-05T09:29:40Z), of 2 of 2 pods." in text
    # used: 140+155+12+12 = 319m of 4 cores; 610+640+48+48 = 1346Mi of 8Gi
    assert "cpu reserved 4, used 319m (8%); memory reserved 8Gi, used 1.3Gi (16%)" in text
    # api: 310m and 960Mi; shipper: 2 x 12 = 24 -> 30m, 1.5 x 48 = 72 -> 80Mi; two pods of each
    assert "With the provisional requests that would be cpu 4 -> 680m, memory 8Gi -> 2Gi." in text
    assert (
        "cpu: request 2, limit 4, used 140m to 155m a pod (8% of the request, 4% of the limit), 295m together" in text
    )
    assert "cpu request FAR TOO HIGH (over-provisioned: 155m used is under 40% of 2); provisional 310m" in text
    assert "memory request FAR TOO HIGH (over-provisioned: 640Mi used is under 40% of 4Gi); provisional 960Mi" in text
    assert "container shipper:\n  cpu: no request, no limit, used 12m a pod, 24m together" in text
    assert "memory limit missing: a leak can take the node's memory" in text
    assert "One snapshot is no history." in text and "1-2 weeks" in text
    assert {finding.reason for finding in result.findings} == {"RequestFarAboveUse", "RequestMissing"}
    assert all(str(finding.subject) == "Deployment shop/reports" for finding in result.findings)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (404, "no metrics server answers"),
        (503, "pods.metrics.k8s.io: unavailable"),
        (403, "pods.metrics.k8s.io: forbidden"),
    ],
)
def test_without_usage_there_is_no_figure_and_no_proposal(tmp_path: Path, status: int, words: str) -> None:
    rule = {"resource": "metrics.k8s.io", "status": status}
    result = toolbox(tmp_path, [*_reports(), *FIGURES], unavailable=[rule]).call("analyze_workload_resources", CALL)
    assert "Usage not known:" in result.text and words in result.text
    assert "nothing can be sized" in result.text
    assert "provisional" not in result.text and "140m" not in result.text and "fits" not in result.text
    assert "cpu request MISSING: the scheduler keeps no room for it; no figure can be proposed" in result.text
    assert result.gaps


def test_a_pod_that_the_metrics_do_not_know_is_named(tmp_path: Path) -> None:
    text = toolbox(tmp_path, [*_reports(), FIGURES[0]]).call("analyze_workload_resources", CALL).text
    assert "of 1 of 2 pods." in text
    assert "No usage figures for reports-6d9f7c8b5-m4tqz (Running): their usage is not known, not 0." in text
    assert "cpu reserved 4;" in text


def test_one_pod_and_what_it_belongs_to(tmp_path: Path) -> None:
    box = toolbox(tmp_path, [*_reports(), *FIGURES])
    text = box.call("analyze_workload_resources", {**CALL, "kind": "pod", "name": "reports-6d9f7c8b5-k2x9d"}).text
    assert "Pod shop/reports-6d9f7c8b5-k2x9d: ready, QoS Burstable. Belongs to Deployment shop/reports." in text
    assert "used 140m (7% of the request, 4% of the limit)" in text


def test_an_operators_resource_is_sized_by_its_pods_and_recommendations_are_told(tmp_path: Path) -> None:
    owner = {"apiVersion": "db.example.com/v1", "kind": "Store", "metadata": meta("Store", "orders", "shop")}
    advice = {
        "apiVersion": "db.example.com/v1",
        "kind": "Advice",
        "metadata": meta("Advice", "orders", "shop"),
        "spec": {"targetRef": {"kind": "Store", "name": "orders"}},
        "status": {
            "recommendation": {
                "containerRecommendations": [
                    {"containerName": "app", "target": {"cpu": "300m"}, "upperBound": {"cpu": "900m"}}
                ]
            }
        },
    }
    kinds = [definition("db.example.com", "Store", "stores"), definition("db.example.com", "Advice", "advices")]
    objects = [namespace("shop"), *kinds, owner, advice, pod("orders-1", "shop", owner=owner)]
    call = {"kind": "Store", "name": "orders", "namespace": "shop"}
    text = toolbox(tmp_path, objects).call("analyze_workload_resources", call).text
    assert "Store shop/orders: 1 pod running or pending, 1 ready" in text
    assert "Advice shop/orders (has history) recommends for app: cpu 300m (upper bound cpu 900m)." in text


def test_an_autoscaler_on_utilization_is_told(tmp_path: Path) -> None:
    scaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": meta("HorizontalPodAutoscaler", "reports", "shop"),
        "spec": {
            "scaleTargetRef": {"kind": "Deployment", "name": "reports", "apiVersion": "apps/v1"},
            "minReplicas": 2,
            "maxReplicas": 6,
            "metrics": [
                {
                    "type": "Resource",
                    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}},
                }
            ],
        },
    }
    text = toolbox(tmp_path, [*_reports(), scaler]).call("analyze_workload_resources", CALL).text
    assert "scales it by utilization of requests (cpu 70%, 2 to 6 replicas)" in text


def test_what_has_no_containers_says_what_has(tmp_path: Path) -> None:
    box = toolbox(tmp_path, _reports())
    missing = box.call("analyze_workload_resources", {**CALL, "name": "report"})
    assert missing.fate == "error" and "reports" in missing.text
    assert "analyze_capacity" in box.call("analyze_workload_resources", {**CALL, "kind": "Node", "name": "node-1"}).text
    space = box.call("analyze_workload_resources", {"kind": "Namespace", "name": "shop", "namespace": "shop"})
    assert space.fate == "error" and "Name a Deployment" in space.text
    assert box.call("analyze_workload_resources", {**CALL, "kind": "Secret"}).fate == "refused"
