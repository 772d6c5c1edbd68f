"""check_availability: single points of failure, replicas that may share a node, what a lost node takes."""

from __future__ import annotations

from pathlib import Path

from tests.tools.objects import POSTGRES, Object, deployment, meta, namespace, node, pod, replica_set, shop, toolbox


def _app(name: str, space: str, *nodes: str, spec: Object | None = None, ready: int | None = None) -> list[Object]:
    above = deployment(name, space, len(nodes), len(nodes))
    owner = replica_set(above, "7f9c6d5b8", len(nodes), len(nodes))
    made = [above, owner]
    for number, on in enumerate(nodes):
        one = pod(
            f"{name}-7f9c6d5b8-{number}x",
            space,
            owner=owner,
            on=on,
            labels={"app": name},
            ready=ready is None or number < ready,
        )
        one["spec"] |= spec or {}
        made.append(one)
    return made


def _ledger(instances: int, *nodes: str) -> list[Object]:
    owner = {
        "apiVersion": "postgresql.cnpg.io/v1",
        "kind": "Cluster",
        "metadata": meta("Cluster", "ledger-db", "data"),
        "spec": {"instances": instances, "storage": {"size": "100Gi"}},
        "status": {"instances": instances, "readyInstances": instances, "phase": "Cluster in healthy state"},
    }
    pods = [pod(f"ledger-db-{n}", "data", owner=owner, on=on) for n, on in enumerate(nodes, 1)]
    for one in pods:
        claim = one["metadata"]["name"]
        one["spec"]["volumes"] = [{"name": "pgdata", "persistentVolumeClaim": {"claimName": claim}}]
    claims = [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": meta("PersistentVolumeClaim", f"ledger-db-{n}", "data"),
            "spec": {"accessModes": ["ReadWriteOnce"]},
            "status": {"phase": "Bound"},
        }
        for n in range(1, len(nodes) + 1)
    ]
    return [*POSTGRES, owner, *pods, *claims]


SPACES = [*(namespace(name) for name in ("data", "cache", "shop")), *(node(f"node-{n}") for n in (1, 2, 3))]


def test_single_instances_and_replicas_that_may_share_a_node(tmp_path: Path) -> None:
    objects = [
        *SPACES,
        *_ledger(1, "node-1"),
        *_app("redis", "cache", "node-2"),
        *_app("api", "shop", "node-1", "node-1"),
        *_app("web", "shop", "node-1", "node-2", "node-3"),
        *_app("cart", "shop", "node-2", "node-3", "node-3"),
    ]
    result = toolbox(tmp_path, objects).call("check_availability", {})
    text = result.text
    assert (
        "2 of 5 workloads run once only (single points of failure), 0 have one ready pod left of several, 3 have "
        "replicas that no rule keeps apart. Running is not highly available." in text
    )
    assert (
        "Cluster data/ledger-db (postgresql.cnpg.io/v1): spec.instances=1, single instance, no redundancy; pod "
        "ledger-db-1 (node-1); volume ledger-db-1 (RWO); down until its operator makes it again" in text
    )
    assert "made again elsewhere about 5m after their node is lost, down until then): cache: redis" in text
    assert (
        "Deployment shop/api: 2 pods, no pod anti-affinity and no topology spread; now on 1 node (node-1): ALL LOST "
        "WITH IT" in text
    )
    assert "now on 2 nodes (node-2, node-3), 2 of them on node-3\n" in text
    assert "on different nodes now, no pod anti-affinity and no topology spread to keep it so: shop: web" in text
    assert "  node-1: data/ledger-db, shop/api\n  node-2: cache/redis\n" in text
    assert "Several replicas, no disruption budget (a drain may take all at once): shop: api, cart, web." in text
    assert "A disruption budget protects no single replica." in text
    told = {(str(finding.subject), finding.reason, finding.severity) for finding in result.findings}
    assert told == {
        ("Cluster data/ledger-db", "SingleReplica", "warning"),
        ("Deployment cache/redis", "SingleReplica", "info"),
        ("Deployment shop/api", "ReplicasShareNode", "warning"),
        ("Deployment shop/cart", "ReplicasMayShareNode", "info"),
    }
    assert result.bytes < 4096


def test_a_redundant_cluster(tmp_path: Path) -> None:
    rule = {"labelSelector": {"matchLabels": {"app": "api"}}, "topologyKey": "kubernetes.io/hostname"}
    apart = {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [rule]}}}
    result = toolbox(tmp_path, [*SPACES, *_app("api", "shop", "node-1", "node-2", spec=apart)]).call(
        "check_availability", {"namespace": "shop"}
    )
    assert "0 of 1 workloads in shop run once only" in result.text
    assert "No single points of failure by number of replicas." in result.text
    assert "Kept apart by required rules (1): Deployment shop/api." in result.text
    assert "No node alone carries all of any workload." in result.text
    assert not result.findings


def test_one_ready_pod_left(tmp_path: Path) -> None:
    objects = [*SPACES, *_app("api", "shop", "node-1", "node-2", "node-3", ready=1)]
    result = toolbox(tmp_path, objects).call("check_availability", {})
    assert (
        "ONE READY POD LEFT of several, the next loss takes it down:\n  Deployment shop/api: 1 of 3 ready"
        in result.text
    )
    assert "OneReplicaLeft" in {finding.reason for finding in result.findings}


def test_a_stateful_set_and_a_pod_of_nobody(tmp_path: Path) -> None:
    owner = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": meta("StatefulSet", "queue", "data"),
        "spec": {"replicas": 1},
    }
    objects = [*SPACES, owner, pod("queue-0", "data", owner=owner, on="node-1"), pod("debug", "shop", on="node-2")]
    text = toolbox(tmp_path, objects).call("check_availability", {}).text
    assert (
        "StatefulSet data/queue: 1 replica, no redundancy; pod queue-0 (node-1); not replaced until its lost node"
        in text
    )
    assert "Pod shop/debug: a pod without a controller; pod debug (node-2): gone for good with its node" in text


def test_what_could_not_be_read_is_told(tmp_path: Path) -> None:
    kinds = {"resource": "clusters.postgresql.cnpg.io", "status": 403}
    objects = [*SPACES, *_ledger(1, "node-1"), *_app("redis", "cache", "node-2")]
    result = toolbox(tmp_path / "a", objects, unavailable=[kinds]).call("check_availability", {})
    assert "Not read: clusters.postgresql.cnpg.io (forbidden)" in result.text and result.gaps
    assert "Cluster data/ledger-db" in result.text
    pods = {"resource": "pods", "status": 403}
    refused = toolbox(tmp_path / "b", SPACES, unavailable=[pods]).call("check_availability", {})
    assert refused.fate == "error" and "forbidden" in refused.text
    empty = toolbox(tmp_path / "c", SPACES).call("check_availability", {"namespace": "shop"})
    assert empty.fate == "empty"
    wrong = toolbox(tmp_path / "d", objects).call("check_availability", {"namespace": "cach"})
    assert wrong.fate == "error" and "cache" in wrong.text


def test_a_narrowed_run_says_that_other_namespaces_were_not_read(tmp_path: Path) -> None:
    for space in ("shop", "data"):
        text = toolbox(tmp_path / space, shop(), namespace=space, narrowed=True).call("check_availability", {}).text
        assert f"Only namespace {space} was read (-n): what other namespaces run" in text
