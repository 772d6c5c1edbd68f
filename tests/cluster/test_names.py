"""Kinds by any of their names, objects by what people call them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.cluster.cluster import Cluster, Discovery, Kind
from kubectl_berth.cluster.names import (
    kinds_named,
    locate,
    matching_kinds,
    near_kinds,
    near_names,
    resolve_kind,
    stems,
)
from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.records import Ref
from tests.tools.objects import shop, write

POD = Kind("", "v1", "Pod", "pods", True, "pod", ("po",))
POD_METRICS = Kind("metrics.k8s.io", "v1beta1", "PodMetrics", "pods", True)
DEPLOYMENT = Kind("apps", "v1", "Deployment", "deployments", True, "deployment", ("deploy",))
SECRET = Kind("", "v1", "Secret", "secrets", True, "secret")
BUDGET = Kind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", True, "poddisruptionbudget", ("pdb",))
CLUSTER = Kind("postgresql.cnpg.io", "v1", "Cluster", "clusters", True, "cluster")
OTHER_CLUSTER = Kind("cluster.x-k8s.io", "v1beta1", "Cluster", "clusters", True, "cluster")
GREEDY = Kind("example.com", "v1", "Poem", "poems", True, "poem", ("po",))
OLD = Kind("postgresql.cnpg.io", "v1alpha1", "Cluster", "clusters", True, "cluster", preferred=False)
DISCOVERY = Discovery((GREEDY, POD_METRICS, POD, DEPLOYMENT, SECRET, BUDGET, CLUSTER, OLD, OTHER_CLUSTER))


@pytest.mark.parametrize("word", ["Pod", "pod", "PODS", "po", "pods", "PodList"])
def test_any_spelling_means_the_built_in_pod(word: str) -> None:
    # a custom kind with the same short name and the metrics of pods come after it
    assert resolve_kind(word, DISCOVERY) == POD


@pytest.mark.parametrize("word", ["deployments.apps", "deployment.v1.apps", "Deployment.apps"])
def test_the_group_may_follow_the_kind(word: str) -> None:
    assert resolve_kind(word, DISCOVERY) == DEPLOYMENT


def test_the_api_version_decides_between_groups() -> None:
    assert resolve_kind("cluster", DISCOVERY, "cluster.x-k8s.io/v1beta1") == OTHER_CLUSTER
    assert resolve_kind("cluster", DISCOVERY, "postgresql.cnpg.io/v1alpha1") == OLD
    assert resolve_kind("cluster", DISCOVERY, "apps/v1") is None
    assert kinds_named("clusters", DISCOVERY) == [CLUSTER, OTHER_CLUSTER]


def test_a_filter_matches_kind_group_and_short_name_but_never_a_secret() -> None:
    assert matching_kinds("postgres", DISCOVERY) == [CLUSTER]
    assert matching_kinds("pdb", DISCOVERY) == [BUDGET]
    assert matching_kinds("secret", DISCOVERY) == []


def test_the_nearest_kind_is_offered_for_a_slip() -> None:
    assert near_kinds("Deploymnt", DISCOVERY) == [DEPLOYMENT]
    assert near_kinds("secrets", DISCOVERY) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("api-6b8f7c9d44-q7zkd", ["api-6b8f7c9d44", "api"]),
        ("ledger-writer-7d9f8b6c5-zq4xn", ["ledger-writer-7d9f8b6c5", "ledger-writer"]),
        ("etl-nightly-28774560-p8vtd", ["etl-nightly-28774560", "etl-nightly"]),
        ("ledger-db-3", ["ledger-db"]),
        ("billing-sync", []),
        ("web", []),
    ],
)
def test_generated_ends_come_off_one_at_a_time(name: str, expected: list[str]) -> None:
    assert stems(name) == expected


def test_near_names_come_best_first() -> None:
    names = ["api-6b8f7c9d44-q7zkd", "apiserver", "checkout", "api-gateway"]
    assert near_names("api-6b8f7c9d44-xxxxx", names)[0] == "api-6b8f7c9d44-q7zkd"
    assert near_names("chekout", names) == ["checkout"]
    assert near_names("zebra", names) == []


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return open_snapshot([write(tmp_path / "snapshot", shop())])


def _kind(cluster: Cluster, word: str) -> Kind:
    kind = resolve_kind(word, cluster.kinds())
    assert kind is not None
    return kind


def test_an_exact_name_is_found_in_its_namespace_and_in_all(cluster: Cluster) -> None:
    wanted = (Ref("Deployment", "shop", "api"),)
    assert locate(cluster, "api", _kind(cluster, "Deployment"), "shop").exact == wanted
    assert locate(cluster, "api", _kind(cluster, "Deployment")).exact == wanted


def test_a_workload_name_stands_for_its_pods(cluster: Cluster) -> None:
    located = locate(cluster, "web", _kind(cluster, "Pod"), "shop")
    assert located.exact == ()
    assert [ref.name for ref in located.meant] == ["web-5d9c8b7f6d-hx5kd", "web-5d9c8b7f6d-zz2tq"]


def test_an_operator_s_object_name_stands_for_its_pods(cluster: Cluster) -> None:
    located = locate(cluster, "ledger-db", _kind(cluster, "Pod"), "data")
    assert [ref.name for ref in located.meant] == ["ledger-db-1", "ledger-db-2", "ledger-db-3"]


def test_a_pod_name_stands_for_its_deployment_and_case_does_not_matter(cluster: Cluster) -> None:
    kind = _kind(cluster, "Deployment")
    assert locate(cluster, "api-6b8f7c9d44-q7zkd", kind, "shop").meant == (Ref("Deployment", "shop", "api"),)
    assert locate(cluster, "API", kind, "shop").meant == (Ref("Deployment", "shop", "api"),)


def test_a_replaced_pod_is_near_but_not_meant(cluster: Cluster) -> None:
    located = locate(cluster, "api-6b8f7c9d44-zzzzz", _kind(cluster, "Pod"), "shop")
    assert (located.exact, located.meant) == ((), ())
    assert located.near[0].name == "api-6b8f7c9d44-q7zkd"


def test_other_namespaces_are_told(cluster: Cluster) -> None:
    located = locate(cluster, "api", _kind(cluster, "Deployment"), "data")
    assert located.elsewhere == (Ref("Deployment", "shop", "api"),)


def test_any_kind_is_searched_where_none_is_given(cluster: Cluster) -> None:
    located = locate(cluster, "ledger-db", namespace="data")
    assert located.exact == (Ref("Cluster", "data", "ledger-db"),)
    assert {ref.name for ref in located.meant} == {"ledger-db-1", "ledger-db-2", "ledger-db-3"}


def test_what_may_not_be_read_is_a_gap_and_no_absence(tmp_path: Path) -> None:
    rules = [{"resource": "pods", "status": 403}]
    cluster = open_snapshot([write(tmp_path / "snapshot", shop(), unavailable=rules)])
    located = locate(cluster, "api", _kind(cluster, "Pod"), "shop")
    assert (located.exact, located.meant, located.near) == ((), (), ())
    assert {gap.why for gap in located.gaps} == {"forbidden"}
