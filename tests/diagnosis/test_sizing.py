"""Requests and limits against usage: the verdicts and the figures, by hand."""

from __future__ import annotations

from decimal import Decimal

from kubectl_berth.cluster.cluster import UsageFigures
from kubectl_berth.diagnosis.inventory import Inventory, inventory_of
from kubectl_berth.diagnosis.sizing import Sizing, Use, Verdict, judge, rounded, share, size
from tests.diagnosis.objects import NOW, Obj, deployment, ended, merged, owned, pod, replica_set, running

MI = 2**20


def use(requests: Obj, limits: Obj, used: dict[str, list[str]], oom: int = 0) -> Use:
    return Use(
        "app",
        "container",
        {name: Decimal(text) for name, text in requests.items()},
        {name: Decimal(text) for name, text in limits.items()},
        {name: tuple(Decimal(one) for one in many) for name, many in used.items()},
        oom_killed=oom,
    )


def codes(one: Use) -> dict[str, str]:
    return {f"{verdict.resource} {verdict.field}": verdict.code for verdict in judge(one)}


def of(one: Use, resource: str, field: str) -> Verdict:
    return next(each for each in judge(one) if (each.resource, each.field) == (resource, field))


def test_the_rule_for_a_request_is_40_per_cent_of_the_highest_use() -> None:
    # 0.155 of 2 cores is under 40%, 0.8 of 2 is exactly 40%
    far = of(use({"cpu": "2"}, {}, {"cpu": ["0.140", "0.155"]}), "cpu", "request")
    assert (far.code, far.highest, far.provisional) == (
        "request-far-above-use",
        Decimal("0.155"),
        Decimal("0.31"),
    )
    assert of(use({"cpu": "2"}, {}, {"cpu": ["0.8"]}), "cpu", "request").code == "fits"
    assert of(use({"cpu": "2"}, {}, {"cpu": ["0.8"]}), "cpu", "request").provisional is None
    below = of(use({"cpu": "0.1"}, {}, {"cpu": ["0.05", "0.2"]}), "cpu", "request")
    assert (below.code, below.provisional) == ("request-below-use", Decimal("0.4"))


def test_a_small_request_is_not_lowered_to_what_it_is() -> None:
    assert of(use({"cpu": "0.01"}, {}, {"cpu": ["0.002"]}), "cpu", "request").code == "fits"


def test_limits_near_at_and_missing() -> None:
    near = use({"memory": f"{128 * MI}"}, {"memory": f"{256 * MI}"}, {"memory": [f"{251 * MI}"]})
    assert codes(near)["memory limit"] == "near-limit"
    # 251 x 1.5 = 376.5Mi, the next multiple of 16Mi is 384Mi
    assert of(near, "memory", "limit").provisional == 384 * MI
    assert of(near, "memory", "request").provisional == 384 * MI
    assert codes(use({}, {"cpu": "1"}, {"cpu": ["0.89"]}))["cpu limit"] == "fits"
    assert codes(use({}, {"cpu": "1"}, {"cpu": ["0.9"]}))["cpu limit"] == "near-limit"
    assert codes(use({}, {}, {}))["memory limit"] == "no-limit"


def test_after_an_oom_kill_the_limit_itself_is_the_least_that_is_needed() -> None:
    # it uses little now, for it was just started: 256 x 1.5 = 384Mi, not 1.5 x 40Mi
    killed = use({"memory": f"{128 * MI}"}, {"memory": f"{256 * MI}"}, {"memory": [f"{40 * MI}"]}, oom=1)
    assert of(killed, "memory", "limit").code == "oom-killed"
    assert of(killed, "memory", "limit").provisional == 384 * MI
    assert of(use({}, {"memory": f"{256 * MI}"}, {}, oom=1), "memory", "limit").provisional is None


def test_nothing_is_proposed_below_use_or_above_the_limit() -> None:
    held = of(use({"cpu": "0.1"}, {"cpu": "0.5"}, {"cpu": ["0.4"]}), "cpu", "request")
    assert held.provisional == Decimal("0.5")
    for milli in range(1, 2000, 37):
        for limit in ({}, {"cpu": "1"}):
            one = of(use({"cpu": "0.2"}, limit, {"cpu": [f"{milli / 1000}"]}), "cpu", "request")
            assert one.provisional is None or one.provisional >= Decimal(f"{milli / 1000}")


def test_without_usage_nothing_is_proposed() -> None:
    blind = use({"cpu": "2", "memory": f"{MI}"}, {"memory": f"{MI}"}, {})
    assert codes(blind) == {
        "cpu request": "unknown",
        "cpu limit": "no-limit",
        "memory request": "unknown",
        "memory limit": "unknown",
    }
    assert all(verdict.provisional is None for verdict in judge(blind))
    assert of(use({}, {}, {}), "cpu", "request").code == "no-request"


def test_rounding_and_shares() -> None:
    assert rounded("cpu", Decimal("0.301")) == Decimal("0.31")
    assert rounded("memory", Decimal(16 * MI)) == 16 * MI
    assert rounded("memory", Decimal(16 * MI + 1)) == 32 * MI
    assert [share(Decimal(1), Decimal(8)), share(Decimal(5), Decimal(0)), share(Decimal(2), Decimal(3))] == [13, 0, 67]


def metrics(name: str, **containers: tuple[str, str]) -> Obj:
    """PodMetrics of a pod in shop."""
    used = [{"name": one, "usage": {"cpu": cpu, "memory": memory}} for one, (cpu, memory) in containers.items()]
    return {"metadata": {"name": name, "namespace": "shop"}, "containers": used}


def taken(objects: list[Obj], *figures: Obj) -> Inventory:
    return inventory_of(objects, NOW, usage=UsageFigures(pods=figures))


def web(*pods: Obj) -> list[Obj]:
    owner = deployment("web", replicas=len(pods))
    above = replica_set(owner, "web-1", replicas=len(pods))
    return [owner, above, *(owned(one, above) for one in pods)]


def sized(inventory: Inventory) -> Sizing:
    return size(inventory, inventory.deployments[0])


def test_sums_over_pods_and_a_pod_without_figures() -> None:
    resources = {"resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}
    objects = web(*(pod(f"web-1-{n}", container=resources) for n in "abc"))
    found = sized(taken(objects, metrics("web-1-a", app=("100m", "100Mi")), metrics("web-1-b", app=("50m", "200Mi"))))
    assert [one.name for one in found.unmeasured] == ["web-1-c"]
    assert found.reserved == {"cpu": Decimal("1.5"), "memory": Decimal(3 * 2**30)}
    assert found.used == {"cpu": Decimal("0.15"), "memory": Decimal(300 * MI)}
    # highest use 100m and 200Mi: 200m and 304Mi (the next 16Mi above 300), three times each
    assert found.proposed("cpu") == Decimal("0.6")
    assert found.proposed("memory") == 3 * 304 * MI


def test_pods_that_differ_are_told_and_not_summed_up_in_a_proposal() -> None:
    one = pod("web-1-a", container={"resources": {"requests": {"cpu": "1"}}})
    two = pod("web-1-b", container={"resources": {"requests": {"cpu": "2"}}})
    found = sized(taken(web(one, two), metrics("web-1-a", app=("10m", "1Mi"))))
    assert found.containers[0].differ == ("cpu request",)
    assert found.containers[0].requests["cpu"] == 2
    assert found.proposed("cpu") is None


def test_init_containers_count_where_they_ask_and_sidecars_always() -> None:
    spec = {
        "initContainers": [
            {"name": "wait"},
            {"name": "migrate", "resources": {"requests": {"cpu": "1"}}},
            {"name": "proxy", "restartPolicy": "Always"},
        ]
    }
    found = sized(taken(web(merged(pod("web-1-a"), {"spec": spec}))))
    assert [(one.name, one.role) for one in found.containers] == [
        ("app", "container"),
        ("migrate", "init container"),
        ("proxy", "sidecar"),
    ]


def test_an_oom_kill_is_read_from_the_last_ending() -> None:
    status = running(restarts=9) | {"lastState": ended(137, "OOMKilled")}
    found = sized(taken(web(pod("web-1-a", status))))
    assert found.containers[0].oom_killed == 1


def test_scaled_to_zero_the_template_is_sized() -> None:
    owner = deployment("web", replicas=0)
    owner["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"memory": "1Gi"}}
    found = sized(taken([owner]))
    assert found.from_template and not found.pods
    assert found.containers[0].requests == {"memory": Decimal(2**30)}
