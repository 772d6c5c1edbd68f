"""check_disruption_budgets: who blocks, why, the way out, and where drains stop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tools.objects import Object, deployment, meta, namespace, node, pod, replica_set, toolbox


def _budget(name: str, app: str, spec: Object, generation: int = 1, **status: Any) -> Object:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": meta("PodDisruptionBudget", name, "shop", generation=generation),
        "spec": {"selector": {"matchLabels": {"app": app}}, **spec},
        "status": {"observedGeneration": 1, "disruptionsAllowed": 0, **status},
    }


def _app(name: str, replicas: int = 2, ready: bool = True) -> list[Object]:
    above = deployment(name, "shop", replicas, replicas)
    owner = replica_set(above, "7f9c6d5b8", replicas, replicas)
    pods = [
        pod(f"{name}-7f9c6d5b8-{end}", "shop", owner=owner, on=f"node-{number}", labels={"app": name}, ready=ready)
        for number, end in list(enumerate(("4xk2p", "9hq7m"), 1))[:replicas]
    ]
    return [above, owner, *pods]


NODES = [namespace("shop"), namespace("data"), *(node(f"node-{n}") for n in (1, 2, 3))]
FULL = {"currentHealthy": 2, "desiredHealthy": 2, "expectedPods": 2}


def test_what_blocks_why_the_way_out_and_the_drains(tmp_path: Path) -> None:
    result = toolbox(tmp_path, [*NODES, *_app("api"), _budget("api-pdb", "api", {"minAvailable": 2}, **FULL)]).call(
        "check_disruption_budgets", {}
    )
    text = result.text
    assert "1 of 1 PodDisruptionBudget block evictions now." in text
    assert "BLOCKS shop/api-pdb: minAvailable 2, healthy 2 of 2, needs 2, disruptionsAllowed=0. " in text
    assert "Guards Deployment shop/api." in text
    assert "why: it needs 2 healthy pods and there are 2: all are healthy, none is to spare" in text
    assert "way out: scale up to 3 replicas (from 2), or for the window relax it to minAvailable 1" in text
    assert "  node-1: shop/api-7f9c6d5b8-4xk2p (api-pdb)\n  node-2: shop/api-7f9c6d5b8-9hq7m (api-pdb)\n" in text
    assert "not blocked by a budget: node-3" in text
    assert [finding.reason for finding in result.findings] == ["BudgetAllowsNoDisruption"]
    assert "--force" not in text and "--disable-eviction" not in text


def test_a_single_replica_cannot_be_saved(tmp_path: Path) -> None:
    one = {"currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}
    objects = [*NODES, *_app("api", 1), _budget("api-pdb", "api", {"minAvailable": 1}, **one)]
    text = toolbox(tmp_path, objects).call("check_disruption_budgets", {}).text
    assert "a budget cannot save a single replica" in text
    assert "scale up to 2 replicas (from 1), or for the window let its only pod go" in text


def test_each_reason_in_words(tmp_path: Path) -> None:
    failed = {
        "type": "DisruptionAllowed",
        "status": "False",
        "reason": "SyncFailed",
        "message": "found no controllers for pod",
    }
    alone = {"currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}
    broken = {"currentHealthy": 0, "desiredHealthy": 1, "expectedPods": 2}
    objects = [
        *NODES,
        *(*_app("old"), _budget("old", "old", {"minAvailable": 1}, 2, **{**FULL, "disruptionsAllowed": 1})),
        *(*_app("never"), _budget("never", "never", {"maxUnavailable": 0}, **FULL)),
        *(*_app("half", 1), _budget("half", "half", {"minAvailable": "50%"}, **alone)),
        *(*_app("sick", ready=False), _budget("sick", "sick", {"minAvailable": 1}, **broken)),
        *(*_app("lost"), _budget("lost", "lost", {"maxUnavailable": 1}, conditions=[failed], **FULL)),
        *(_budget("nobody", "nobody", {"minAvailable": 1}),),
    ]
    result = toolbox(tmp_path, objects).call("check_disruption_budgets", {"namespace": "shop"})
    text = result.text
    assert "5 of 6 PodDisruptionBudgets in shop block evictions now." in text
    assert "observedGeneration 1 of generation 2): every eviction is refused" in text
    assert "why: maxUnavailable 0 lets no pod go, however many replicas there are" in text
    assert "way out: for the window relax it to maxUnavailable 1" in text
    assert "why: it needs 1 healthy pods (minAvailable 50% of 1 is rounded up to 1) and there are 1" in text
    assert (
        "why: not enough healthy pods: needs 1, has 0; not ready: sick-7f9c6d5b8-4xk2p, sick-7f9c6d5b8-9hq7m." in text
    )
    assert "(unhealthyPodEvictionPolicy is not AlwaysAllow)" in text
    assert "(SyncFailed): found no controllers for pod" in text
    assert "open shop/nobody: minAvailable 1, its selector matches no pod: it protects nothing" in text
    assert {"BudgetStatusOld", "BudgetNotComputed", "BudgetBlockedByUnhealthyPods"} <= {
        finding.reason for finding in result.findings
    }
    assert result.bytes < 4096


def test_overlapping_budgets_and_pods_of_nobody(tmp_path: Path) -> None:
    both = [_budget(name, "api", {"minAvailable": 1}, **{**FULL, "disruptionsAllowed": 1}) for name in ("one", "two")]
    lone = pod("debug", "shop", on="node-3")
    text = toolbox(tmp_path, [*NODES, *_app("api"), *both, lone]).call("check_disruption_budgets", {}).text
    assert "guarded by several budgets (one, two): the eviction API refuses such a pod (error 500)" in text
    assert "node-1: shop/api-7f9c6d5b8-4xk2p (one and two)" in text
    assert (
        "Pods without a controller stop a drain too, and forcing it loses them for good: shop/debug on node-3." in text
    )


def test_none_unread_and_unknown(tmp_path: Path) -> None:
    none = toolbox(tmp_path / "a", [*NODES, *_app("api")]).call("check_disruption_budgets", {"namespace": "shop"})
    assert none.fate == "empty" and "none protects anything" in none.text
    rule = {"resource": "poddisruptionbudgets", "status": 403}
    refused = toolbox(tmp_path / "b", NODES, unavailable=[rule]).call("check_disruption_budgets", {})
    assert refused.fate == "error" and "forbidden" in refused.text and refused.gaps
    wrong = toolbox(tmp_path / "c", NODES).call("check_disruption_budgets", {"namespace": "shp"})
    assert wrong.fate == "error" and "Nearest: shop" in wrong.text


def test_budgets_of_one_namespace_say_nothing_of_a_nodes_drain(tmp_path: Path) -> None:
    things = [*NODES, *_app("api"), _budget("api-pdb", "api", {"minAvailable": 2}, **FULL)]
    alone = toolbox(tmp_path, things, namespace="data", narrowed=True).call("check_disruption_budgets", {}).text
    assert "Only namespace data was read (-n)" in alone and "cannot be told" in alone
    asked = toolbox(tmp_path / "all", things).call("check_disruption_budgets", {"namespace": "shop"}).text
    assert "not blocked by a budget in shop: node-3; those of other namespaces were not looked at" in asked
