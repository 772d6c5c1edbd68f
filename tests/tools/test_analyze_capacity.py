"""analyze_capacity: the figures of pools and nodes, what binds, and what cannot be told."""

from __future__ import annotations

from pathlib import Path

from tests.tools.objects import Object, meta, namespace, node, pod, toolbox


def _usage(name: str, cpu: str, memory: str) -> Object:
    return {
        "apiVersion": "metrics.k8s.io/v1beta1",
        "kind": "NodeMetrics",
        "metadata": {"name": name},
        "usage": {"cpu": cpu, "memory": memory},
    }


SET: Object = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": meta("StatefulSet", "db", "data")}


def _db(number: int, on: str, memory: str) -> Object:
    requests = {"resources": {"requests": {"cpu": "500m", "memory": memory}}}
    return pod(f"db-{number}", "data", owner=SET, on=on, spec=requests)


def _cluster(memory: str) -> list[Object]:
    """Three nodes of 4 cores and 16Gi, a pod on each; usage of 1 core and 4Gi on each."""
    names = ("node-1", "node-2", "node-3")
    return [
        *(namespace("data"), namespace("shop"), SET),
        *(node(name) for name in names),
        *(_db(number, name, memory) for number, name in enumerate(names)),
        *(_usage(name, "1", "4Gi") for name in names),
    ]


def test_figures_and_the_loss_of_a_node(tmp_path: Path) -> None:
    result = toolbox(tmp_path, _cluster("12Gi")).call("analyze_capacity", {})
    text = result.text
    # 1.5 of 12 cores (13%), 36 of 48Gi (75%), 3 of 330 pods; used 3 cores (25%), 12Gi (25%)
    assert "3 nodes in 1 pool." in text
    assert "  cpu: allocatable 12, reserved 1500m (13%), used 3 (25%)\n" in text
    assert "  memory: allocatable 48Gi, reserved 36Gi (75%), used 12Gi (25%)\n" in text
    assert "  pods: 3 of at most 330 (1%)\n" in text
    assert "binding constraint: memory, 75% reserved, 25% used: requests, not load, fill it" in text
    assert "largest reservations of memory: StatefulSet data/db 36Gi\n" in text
    # 36Gi on 32Gi: 113%
    assert "NOT COVERED (not enough memory) for node-1, node-2, node-3." in text
    assert "NOT ENOUGH memory: 32Gi left (67% of now) for 36Gi reserved, short by 4Gi" in text
    assert "Reserved of what is left: cpu 19%, memory 113%, pods 1%" in text
    assert "places 0 of the 1 pods that would move, not StatefulSet data/db (cpu 500m, memory 12Gi)" in text
    assert "node-1: cpu reserved 13%, used 25%, free 3500m; memory reserved 75%, used 25%, free 4Gi; 1/110 pods" in text
    assert "Unscheduled pods: none." in text and "percentiles" in text and "bin packing" in text
    assert [finding.reason for finding in result.findings] == ["NodeLossNotCovered"]


def test_a_node_that_can_be_spared(tmp_path: Path) -> None:
    result = toolbox(tmp_path, _cluster("4Gi")).call("analyze_capacity", {})
    assert "by requests its pods fit on the others, for node-1, node-2, node-3." in result.text
    assert "NOT ENOUGH" not in result.text and not result.findings


def test_unscheduled_pods_and_why(tmp_path: Path) -> None:
    waiting = _db(3, "", "6Gi")
    waiting["status"] = {
        "phase": "Pending",
        "conditions": [
            {
                "type": "PodScheduled",
                "status": "False",
                "reason": "Unschedulable",
                "message": "0/3 nodes are available: 3 Insufficient memory.",
            }
        ],
    }
    result = toolbox(tmp_path, [*_cluster("12Gi"), waiting]).call("analyze_capacity", {})
    assert "data/db-3 asks cpu 500m, memory 6Gi, for 120m: InsufficientResources" in result.text
    assert "node node-1: memory: 12Gi of 16Gi reserved by requests, the pod asks for 6Gi" in result.text
    assert "InsufficientResources" in {finding.reason for finding in result.findings}


def test_without_metrics_used_is_not_known(tmp_path: Path) -> None:
    rule = {"resource": "metrics.k8s.io", "status": 404}
    result = toolbox(tmp_path, _cluster("12Gi"), unavailable=[rule]).call("analyze_capacity", {})
    assert "reserved 36Gi (75%), used not known\n" in result.text
    assert "used 0" not in result.text and result.gaps
    assert "Not read: usage" in result.text


def test_what_was_not_all_read_proves_nothing(tmp_path: Path) -> None:
    narrow = toolbox(tmp_path, _cluster("12Gi"), namespace="shop", narrowed=True).call("analyze_capacity", {})
    assert "only the pods of namespace shop were read. Whether a node can go cannot be told." in narrow.text
    assert "fit on the others" not in narrow.text and "without node" not in narrow.text


def test_pods_that_could_not_be_read(tmp_path: Path) -> None:
    rule = {"resource": "pods", "status": 403}
    result = toolbox(tmp_path, _cluster("12Gi"), unavailable=[rule]).call("analyze_capacity", {})
    assert "not all pods could be read" in result.text and "Not read: pods" in result.text


def test_without_nodes_it_is_an_error_or_empty(tmp_path: Path) -> None:
    rule = {"resource": "nodes", "status": 403}
    refused = toolbox(tmp_path / "a", _cluster("1Gi"), unavailable=[rule]).call("analyze_capacity", {})
    assert refused.fate == "error" and "forbidden" in refused.text
    assert toolbox(tmp_path / "b", [namespace("shop")]).call("analyze_capacity", {}).fate == "empty"


def test_big_clusters_stay_short(tmp_path: Path) -> None:
    nodes = [node(f"node-{n:03}") for n in range(60)]
    pods = [_db(n, f"node-{n % 60:03}", "2Gi") for n in range(240)]
    result = toolbox(tmp_path, [SET, *nodes, *pods]).call("analyze_capacity", {})
    assert "most room on one node: cpu 2 (node-000), memory 8Gi (node-000)" in result.text
    assert result.bytes < 4096
