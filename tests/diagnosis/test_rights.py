"""Bindings whose account does not exist, while the one that runs has the same name elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.diagnosis.diagnose import diagnose
from kubectl_berth.records import Finding, Ref
from kubectl_berth.tools.context import Context
from tests.fakes.small_clusters import SmallCluster

RBAC = "rbac.authorization.k8s.io/v1"
OWN = {"kind": "ServiceAccount", "name": "loom-manager", "namespace": "weaving"}
GONE = {**OWN, "namespace": "loom"}
BINDING = Ref("ClusterRoleBinding", "", "looms")


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("weaving", "hall")
    cluster.add("v1", "ServiceAccount", "loom-manager", "weaving")
    deployment = cluster.deployment("loom-manager", "weaving")
    owner = cluster.replica_set(deployment, "5d78c9869d")
    cluster.pod("loom-manager-5d78c9869d-x2k4q", "weaving", owner=owner, spec={"serviceAccountName": "loom-manager"})
    cluster.add(RBAC, "ClusterRole", "looms", rules=[rule("loom.example", "looms", "leases")])
    cluster.add(RBAC, "Role", "election", "weaving", rules=[rule("coordination.k8s.io", "leases")])
    bind(cluster, "RoleBinding", "election", "Role", "election", OWN, namespace="weaving")
    return cluster


def rule(group: str, *resources: str) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": list(resources), "verbs": ["get", "list", "watch", "update"]}


def bind(
    cluster: SmallCluster, kind: str, name: str, role: str, of: str, *subjects: Any, namespace: str | None = None
) -> None:
    cluster.add(RBAC, kind, name, namespace, roleRef={"kind": role, "name": of}, subjects=list(subjects))


def missed(cluster: SmallCluster) -> list[Finding]:
    found = diagnose(Context(cluster.open()).inventory())
    return [one for one in found if one.reason == "BindingMissesAccount"]


def test_a_binding_to_an_account_of_another_namespace_is_told(small: SmallCluster) -> None:
    bind(small, "ClusterRoleBinding", "looms", "ClusterRole", "looms", GONE)
    (told,) = missed(small)
    assert (told.severity, told.subject) == ("warning", BINDING)
    assert "ServiceAccount loom/loom-manager, which does not exist" in told.summary
    assert "runs as ServiceAccount weaving/loom-manager" in told.summary
    assert told.effects == (Ref("Deployment", "weaving", "loom-manager"),)
    assert "correct the subject of ClusterRoleBinding looms" in told.remedy


def test_what_its_operator_may_not_see_is_explained_by_it(small: SmallCluster) -> None:
    bind(small, "ClusterRoleBinding", "looms", "ClusterRole", "looms", GONE)
    small.definition("loom.example", "v1", "Loom", "looms")
    for name, status in (("north", {"phase": "Ready"}), ("south", {})):
        small.add("loom.example/v1", "Loom", name, "hall", spec={}, status=status)
    found = diagnose(Context(small.open()).inventory())
    ignored = next(one for one in found if one.reason == "CustomResourceIgnored")
    assert ignored.caused_by == BINDING


def test_an_account_that_is_there_is_no_mistake(small: SmallCluster) -> None:
    bind(small, "ClusterRoleBinding", "looms", "ClusterRole", "looms", OWN)
    assert not missed(small)


@pytest.mark.parametrize("subject", [{"name": "somebody-later"}, {"name": "default"}])
def test_an_account_that_comes_later_is_none(small: SmallCluster, subject: dict[str, str]) -> None:
    bind(small, "ClusterRoleBinding", "looms", "ClusterRole", "looms", {**GONE, **subject})
    assert not missed(small)


def test_what_an_earlier_installation_left_is_none(small: SmallCluster) -> None:
    bind(small, "ClusterRoleBinding", "looms", "ClusterRole", "looms", GONE)
    small.add(RBAC, "ClusterRole", "looms-2", rules=[rule("loom.example", "looms")])
    bind(small, "ClusterRoleBinding", "looms-2", "ClusterRole", "looms-2", OWN)
    assert not missed(small)


def test_rights_of_one_namespace_only_may_be_meant(small: SmallCluster) -> None:
    bind(small, "ClusterRoleBinding", "looms", "ClusterRole", "looms", GONE)
    bind(small, "RoleBinding", "looms-hall", "ClusterRole", "looms", OWN, namespace="hall")
    assert not missed(small)


def test_roles_of_the_system_are_none(small: SmallCluster) -> None:
    bind(small, "ClusterRoleBinding", "looms", "ClusterRole", "system:auth-delegator", GONE)
    assert not missed(small)


def test_without_the_accounts_nothing_is_said(small: SmallCluster) -> None:
    bind(small, "ClusterRoleBinding", "looms", "ClusterRole", "looms", GONE)
    small.unavailable.append({"apiVersion": "v1", "resource": "serviceaccounts", "status": 403})
    small.things = [one for one in small.things if one["kind"] != "ServiceAccount"]
    assert not missed(small)
