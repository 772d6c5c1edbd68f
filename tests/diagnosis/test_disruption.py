"""Disruption budgets as the eviction API reads them."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.cluster.views import PodDisruptionBudget, decode
from kubectl_berth.diagnosis.disruption import State, drains, enough, needed, shared, states, unmanaged
from kubectl_berth.diagnosis.inventory import Inventory
from tests.diagnosis.objects import NOW, Obj, condition, merged, obj, owned, pod, running, taken

OWNER = obj("apps/v1", "ReplicaSet", "web-1")
SICK = running(ready=False)


def budget(name: str = "web", *, spec: Obj, generation: int = 1, **status: Any) -> Obj:
    """A budget on app=web, its status computed."""
    filled = {"observedGeneration": 1, "disruptionsAllowed": 0, **status}
    whole = {"selector": {"matchLabels": {"app": "web"}}, **spec}
    return obj("policy/v1", "PodDisruptionBudget", name, metadata={"generation": generation}, spec=whole, status=filled)


def web(name: str, on: str, *statuses: Obj, **rest: Any) -> Obj:
    return owned(pod(name, *statuses, node=on, metadata={"labels": {"app": "web"}}, **rest), OWNER)


def only(*objects: Obj) -> State:
    (one,) = states(taken(OWNER, *objects))
    return one


TWO = [web("web-a", "n1"), web("web-b", "n2")]


def counts(healthy: int, desired: int, expected: int, allowed: int = 0) -> Obj:
    return {
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "expectedPods": expected,
        "disruptionsAllowed": allowed,
    }


def test_min_available_as_many_as_there_are() -> None:
    one = only(*TWO, budget(spec={"minAvailable": 2}, **counts(2, 2, 2)))
    assert (one.code, [each.name for each in one.held], one.enough) == ("needs-all", ["web-a", "web-b"], 3)


def test_one_to_spare_is_open() -> None:
    one = only(*TWO, budget(spec={"minAvailable": 1}, **counts(2, 1, 2, allowed=1)))
    assert (one.code, one.blocks) == ("open", False)


def test_max_unavailable_0_never_lets_a_pod_go() -> None:
    for spec in ({"maxUnavailable": 0}, {"maxUnavailable": "0%"}, {"minAvailable": "100%"}):
        one = only(*TWO, budget(spec=spec, **counts(2, 2, 2)))
        assert (one.code, one.enough, len(one.held)) == ("never", None, 2)


def test_a_single_replica() -> None:
    one = only(TWO[0], budget(spec={"minAvailable": 1}, **counts(1, 1, 1)))
    assert one.single and one.code == "needs-all" and one.enough == 2


def test_not_enough_healthy_and_what_becomes_of_the_unhealthy_ones() -> None:
    pods = [web("web-a", "n1"), web("web-b", "n2", SICK)]
    spec: Obj = {"minAvailable": 2}
    # healthy 1 of 2 needed: neither may go
    one = only(*pods, budget(spec=spec, **counts(1, 2, 2)))
    assert (one.code, [each.name for each in one.held]) == ("unhealthy", ["web-a", "web-b"])
    # AlwaysAllow: the broken one may
    one = only(*pods, budget(spec={**spec, "unhealthyPodEvictionPolicy": "AlwaysAllow"}, **counts(1, 2, 2)))
    assert [each.name for each in one.held] == ["web-a"]
    # as many healthy as needed: the broken one may go without AlwaysAllow
    one = only(*pods, web("web-c", "n3"), budget(spec=spec, **counts(2, 2, 3)))
    assert (one.code, [each.name for each in one.held]) == ("unhealthy", ["web-a", "web-c"])


def test_pods_that_the_eviction_api_lets_go_anyway() -> None:
    going = merged(web("web-c", "n1"), {"metadata": {"deletionTimestamp": "2026-10-05T09:31:00Z"}})
    waiting = web("web-d", "n1", SICK, phase="Pending")
    one = only(*TWO, going, waiting, budget(spec={"minAvailable": 4}, **counts(2, 4, 4)))
    assert [each.name for each in one.held] == ["web-a", "web-b"]


def test_a_status_of_an_older_spec_refuses_every_eviction() -> None:
    one = only(*TWO, budget(spec={"minAvailable": 1}, generation=2, **counts(2, 1, 2, allowed=1)))
    assert (one.code, len(one.held)) == ("old-status", 2)
    fresh = merged(budget(spec={"minAvailable": 1}), {"status": {"observedGeneration": None}})
    assert only(*TWO, fresh).code == "old-status"
    bare = obj("policy/v1", "PodDisruptionBudget", "web", spec={"selector": {"matchLabels": {"app": "web"}}})
    assert only(*TWO, bare).code == "old-status"


def test_a_budget_that_cannot_be_worked_out() -> None:
    failed = condition("DisruptionAllowed", "False", "SyncFailed", "found no controllers for pod web-a")
    one = only(*TWO, budget(spec={"maxUnavailable": 1}, conditions=[failed], **counts(0, 0, 2)))
    assert (one.code, len(one.held)) == ("not-computed", 2)


def test_an_eviction_under_way_and_a_selector_that_matches_nothing() -> None:
    moving = budget(spec={"minAvailable": 1}, disruptedPods={"web-b": "2026-10-05T09:29:50Z"}, **counts(2, 1, 2))
    assert only(*TWO, moving).code == "under-way"
    assert only(budget(spec={"minAvailable": 1})).code == "empty"


@pytest.mark.parametrize(
    ("spec", "replicas", "asked", "fewest"),
    [
        ({"minAvailable": 2}, 2, 2, 3),
        ({"minAvailable": "50%"}, 1, 1, 2),  # half of 1 is rounded up to 1; of 2 it is 1
        ({"minAvailable": "90%"}, 3, 3, 10),  # 2.7 -> 3; up to 9 all are needed, of 10 one may go
        ({"maxUnavailable": "10%"}, 3, 2, 3),  # 0.3 is rounded up to 1 that may go
        ({"maxUnavailable": 1}, 1, 0, 1),
        ({"maxUnavailable": 0}, 5, 5, None),
        ({"minAvailable": "100%"}, 5, 5, None),
    ],
)
def test_per_cents_are_rounded_up(spec: Obj, replicas: int, asked: int, fewest: int | None) -> None:
    view = decode(budget(spec=spec), PodDisruptionBudget)
    assert (needed(view, replicas), enough(view, replicas)) == (asked, fewest)


def test_the_drains_that_stop() -> None:
    inventory = taken(OWNER, *TWO, web("web-c", "n2"), budget(spec={"minAvailable": 3}, **counts(3, 3, 3)))
    stopped = drains(inventory, states(inventory), shared(inventory))
    told = {node: [(one.name, name) for one, name in held] for node, held in stopped.items()}
    assert told == {"n1": [("web-a", "web")], "n2": [("web-b", "web"), ("web-c", "web")]}


def test_two_budgets_on_one_pod_block_it_even_when_both_are_open() -> None:
    open_ones = [budget(name, spec={"minAvailable": 1}, **counts(2, 1, 2, allowed=1)) for name in ("a", "b")]
    inventory = taken(OWNER, *TWO, *open_ones)
    overlaps = shared(inventory)
    assert {names: [one.name for one in pods] for names, pods in overlaps.items()} == {
        ("shop", "a", "b"): ["web-a", "web-b"]
    }
    assert drains(inventory, states(inventory), overlaps)["n1"][0][1] == "a and b"


def test_pods_of_daemon_sets_do_not_stop_a_drain_and_those_of_nobody_do() -> None:
    daemon = obj("apps/v1", "DaemonSet", "agent")
    agent = owned(pod("agent-1", node="n1", metadata={"labels": {"app": "web"}}), daemon)
    static = pod("proxy-n1", node="n1", metadata={"annotations": {"kubernetes.io/config.mirror": "x"}})
    objects = [daemon, agent, static, pod("debug", node="n1"), budget(spec={"minAvailable": 1}, **counts(1, 1, 1))]
    inventory: Inventory = taken(*objects)
    assert drains(inventory, states(inventory), {}) == {}
    assert [one.name for one in unmanaged(inventory)] == ["debug"]
    assert inventory.now == NOW
