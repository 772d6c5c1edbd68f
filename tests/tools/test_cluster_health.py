"""cluster_health: the whole cluster on one screen, with what could not be read."""

from __future__ import annotations

from pathlib import Path

from tests.tools.objects import Object, ago, meta, node, shop, toolbox


def _lease(name: str, renewed: str) -> Object:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": meta("Lease", name, "kube-system"),
        "spec": {"holderIdentity": "cp-1", "renewTime": renewed, "leaseDurationSeconds": 15},
    }


def test_one_screen(tmp_path: Path) -> None:
    sick = node("node-3", "Unknown")
    sick["status"]["conditions"][0] |= {
        "reason": "NodeStatusUnknown",
        "message": "Kubelet stopped posting node status.",
    }
    objects = [
        *shop(),
        sick,
        _lease("kube-scheduler", ago(seconds=2)),
        _lease("kube-controller-manager", ago(minutes=9)),
        {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": meta("APIService", "v1beta1.metrics.k8s.io"),
            "spec": {"group": "metrics.k8s.io", "version": "v1beta1"},
            "status": {
                "conditions": [
                    {"type": "Available", "status": "False", "reason": "MissingEndpoints", "message": "no endpoints"}
                ]
            },
        },
    ]
    result = toolbox(tmp_path, objects).call("cluster_health", {})
    text = result.text
    assert text.splitlines()[1].startswith(
        "Kubernetes v1.33.4 at 2026-10-05T09:30:00Z: 2 of 3 nodes ready; 6 pods: 4 healthy, 2 unhealthy; 4 namespaces."
    )
    assert "node-3: not Ready: NodeStatusUnknown Kubelet stopped posting node status." in text
    assert "node-1: Ready, 6/110 pods, cpu requested 600m of 4 (15%)" in text
    assert "shop/api-6b8f7c9d44-q7zkd, 0/1 ready, CrashLoopBackOff, 14 restarts" in text
    assert "Deployment shop/api: 0/1 ready" in text
    assert "v1beta1.metrics.k8s.io: MissingEndpoints no endpoints" in text
    assert "kube-controller-manager renewed 9m ago (stale), kube-scheduler renewed 2s ago" in text
    assert result.bytes < 4096 + 2048


def test_beyond_twelve_nodes_only_those_with_trouble_get_a_row(tmp_path: Path) -> None:
    objects = [*shop(), *(node(f"pool-{n:02}") for n in range(20)), node("pool-99", "False")]
    text = toolbox(tmp_path, objects).call("cluster_health", {}).text
    assert "Nodes: 23, 1 with trouble; kubelets: 23 on v1.33.4. analyze_capacity has the pools." in text
    assert "pool-99: not Ready" in text and "pool-07" not in text


def test_what_could_not_be_read_is_told_and_a_gap(tmp_path: Path) -> None:
    rules: list[Object] = [
        {"resource": "nodes", "status": 403},
        {"resource": "pods", "status": 503, "message": "etcd timeout"},
    ]
    box = toolbox(tmp_path, shop(), unavailable=rules)
    text = box.call("cluster_health", {}).text
    assert "nodes not read; pods not read" in text
    assert "Problem pods: none" not in text
    assert "Not read, so not judged:" in text
    assert "nodes: forbidden" in text and "pods: unavailable" in text
    assert {("nodes", "forbidden"), ("pods", "unavailable")} <= {(gap.what, gap.why) for gap in box.gaps}


def test_a_narrowed_run_says_so(tmp_path: Path) -> None:
    text = toolbox(tmp_path, shop(), namespace="data", narrowed=True).call("cluster_health", {}).text
    assert "(namespace data only)" in text and "shop/api" not in text
    assert "Only namespace data was read (-n)" in text
