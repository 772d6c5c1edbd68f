"""Node pools and the loss of a node, worked out by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from kubectl_berth.cluster.cluster import UsageFigures
from kubectl_berth.diagnosis.capacity import Loss, holders, losses, pools, unscheduled
from kubectl_berth.diagnosis.inventory import Inventory, inventory_of
from tests.diagnosis.objects import NOW, Obj, condition, deployment, merged, obj, owned, pod, replica_set
from tests.diagnosis.objects import node as any_node

GI = 2**30


def node(name: str, *, instance: str = "m5", zone: str = "a", pods: int = 10, **rest: Any) -> Obj:
    """A ready node of 4 cores and 16Gi."""
    labels = {"node.kubernetes.io/instance-type": instance, "topology.kubernetes.io/zone": zone}
    status = {"allocatable": {"cpu": "4", "memory": "16Gi", "pods": str(pods)}}
    return merged(any_node(name, metadata={"labels": labels}, status=status), rest)


def holding(name: str, on: str, cpu: str, memory: str, owner: Obj | None = None, **rest: Any) -> Obj:
    """A pod on a node with requests; without an owner it belongs to nobody."""
    made = pod(name, node=on, container={"resources": {"requests": {"cpu": cpu, "memory": memory}}}, **rest)
    return owned(made, owner) if owner else made


OWNER = obj("apps/v1", "StatefulSet", "db")
DAEMON = obj("apps/v1", "DaemonSet", "agent")


def taken(*objects: Obj, usage: UsageFigures | None = None) -> Inventory:
    return inventory_of(objects, NOW, usage=usage)


def without(inventory: Inventory, name: str) -> Loss:
    return next(loss for pool in pools(inventory) for loss in losses(inventory, pool, tried=True) if loss.node.name == name)  # fmt: skip # noqa: E501


def test_pools_are_of_one_type_zone_and_lasting_taints() -> None:
    gpu: Obj = {"spec": {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}}
    cordoned: Obj = {
        "spec": {
            "unschedulable": True,
            "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": "x"}],
        }
    }
    down = any_node("down", condition("Ready", "Unknown"))["status"]
    found = pools(
        taken(
            node("n1"),
            node("n2", **cordoned),
            node("n3", status={"conditions": down["conditions"]}),
            node("n4", zone="b"),
            node("n5", **gpu),
            any_node("bare"),
        )
    )
    assert {pool.name: [one.name for one in pool.nodes] for pool in found} == {
        "m5, a, no taints": ["n1"],
        "m5, b, no taints": ["n4"],
        "m5, a, gpu=yes:NoSchedule": ["n5"],
        "no type (4 cpu, 16Gi), no zone, no taints": ["bare"],
    }
    first = next(pool for pool in found if pool.name == "m5, a, no taints")
    assert [one.name for one in first.idle] == ["n2", "n3"]
    assert first.allocatable == {"cpu": 4, "memory": 16 * GI, "pods": 10, "ephemeral-storage": 100 * GI}


def test_sums_and_the_binding_resource() -> None:
    usage = UsageFigures(nodes=[{"metadata": {"name": "n1"}, "usage": {"cpu": "500m", "memory": "2Gi"}}])
    inventory = taken(
        *(node("n1"), node("n2")),
        holding("db-0", "n1", "1", "8Gi", OWNER),
        holding("db-1", "n2", "1", "4Gi", OWNER),
        merged(holding("done", "n2", "4", "16Gi", OWNER), {"status": {"phase": "Succeeded"}}),
        usage=usage,
    )
    (pool,) = pools(inventory)
    # memory 12 of 32Gi (37.5%), cpu 2 of 8 (25%), pods 2 of 20 (10%)
    assert [int(pool.reserved[name]) for name in ("cpu", "memory", "pods")] == [2, 12 * GI, 2]
    assert pool.binding == "memory"
    assert pool.used == {"cpu": Decimal("0.5"), "memory": 2 * GI}
    assert pool.unmeasured == ("n2",)


def test_density_can_be_what_binds() -> None:
    (pool,) = pools(taken(node("n1", pods=4), *(holding(f"db-{n}", "n1", "100m", "1Gi", OWNER) for n in range(3))))
    assert pool.binding == "pods"


def three(memory: str) -> list[Obj]:
    """Three nodes, each with one pod of that much memory and a DaemonSet's pod of 1Gi."""
    return [
        one
        for n in range(3)
        for one in (
            node(f"n{n}"),
            holding(f"db-{n}", f"n{n}", "500m", memory, OWNER),
            holding(f"agent-{n}", f"n{n}", "100m", "1Gi", DAEMON),
        )
    ]


def test_what_is_left_must_hold_what_stays() -> None:
    loss = without(taken(*three("13Gi")), "n0")
    # 3 x 14 = 42Gi, less the 1Gi of the DaemonSet's pod that goes too; 2 x 16 = 32Gi are left: 9Gi short
    assert [int(loss.needs["memory"]), int(loss.left["memory"])] == [41 * GI, 32 * GI]
    assert loss.short == {"memory": 9 * GI}
    assert [one.name for one in loss.moving] == ["db-0"] and [one.name for one in loss.homeless or ()] == ["db-0"]
    assert not loss.covered


def test_a_sum_that_fits_may_still_leave_a_pod_without_a_place() -> None:
    loss = without(taken(*three("8Gi")), "n0")
    # 26Gi of 32Gi, but 16 - 9 = 7Gi is the largest gap and the pod asks for 8Gi
    assert loss.short == {} and [one.name for one in loss.homeless or ()] == ["db-0"]
    assert without(taken(*three("7Gi")), "n0").covered


def test_places_for_pods_count_and_so_do_pods_that_moved_before() -> None:
    full = [holding(f"db-{n}", "n1", "10m", "1Mi", OWNER) for n in range(3)]
    moving = [holding(f"db-{n}", "n0", "10m", "1Mi", OWNER) for n in range(10, 12)]
    loss = without(taken(node("n0", pods=4), node("n1", pods=4), *full, *moving), "n0")
    assert loss.short == {"pods": 1}
    assert [one.name for one in loss.homeless or ()] == ["db-11"]


def test_other_pools_take_pods_that_may_go_there() -> None:
    taint: Obj = {"spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}}
    wanted = {"spec": {"nodeSelector": {"disk": "ssd"}}}
    bears = {"spec": {"tolerations": [{"key": "gpu", "operator": "Exists"}]}}
    objects = [node("n0"), node("n1", zone="b", metadata={"labels": {"disk": "ssd"}}, **taint)]
    plain = holding("db-0", "n0", "1", "1Gi", OWNER)
    assert [one.name for one in without(taken(*objects, plain), "n0").homeless or ()] == ["db-0"]
    assert without(taken(*objects, merged(merged(plain, wanted), bears)), "n0").covered
    elsewhere = merged(plain, {"spec": {"nodeSelector": {"disk": "nvme"}}})
    assert [one.name for one in without(taken(node("n0"), node("n1"), elsewhere), "n0").homeless or ()] == ["db-0"]


def test_a_volume_holds_a_pod_to_its_zone() -> None:
    claim = obj("v1", "PersistentVolumeClaim", "data", spec={"volumeName": "pv-1"}, status={"phase": "Bound"})
    rule = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]}
    affinity = {"required": {"nodeSelectorTerms": [{"matchExpressions": [rule]}]}}
    volume = obj("v1", "PersistentVolume", "pv-1", "", spec={"nodeAffinity": affinity})
    mount = {"spec": {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}}
    db = merged(holding("db-0", "n0", "1", "1Gi", OWNER), mount)
    elsewhere = taken(node("n0"), node("n1", zone="b"), claim, volume, db)
    assert [one.name for one in without(elsewhere, "n0").homeless or ()] == ["db-0"]
    assert without(taken(node("n0"), node("n1"), claim, volume, db), "n0").covered


def test_pods_that_nobody_makes_again() -> None:
    static = holding("proxy", "n0", "1", "1Gi", metadata={"annotations": {"kubernetes.io/config.mirror": "x"}})
    loss = without(taken(node("n0"), node("n1"), holding("lone", "n0", "1", "1Gi"), static), "n0")
    assert [one.name for one in loss.orphans] == ["lone"] and [one.name for one in loss.moving] == ["lone"]


def test_who_reserves_most() -> None:
    web = deployment("web", replicas=2)
    above = replica_set(web, "web-1", replicas=2)
    inventory = taken(
        *(node("n0"), web, above),
        *(holding(f"web-1-{n}", "n0", "250m", "1Gi", above) for n in "ab"),
        holding("db-0", "n0", "400m", "1Gi", OWNER),
        usage=UsageFigures(
            pods=[
                {"metadata": {"name": f"web-1-{n}", "namespace": "shop"}, "containers": [{"name": "app", "usage": {"cpu": "30m"}}]}  # noqa: E501
                for n in "ab"
            ]
        ),
    )  # fmt: skip
    (pool,) = pools(inventory)
    told = [(one.ref.name, one.pods, one.reserved, one.used) for one in holders(inventory, pool, "cpu")]
    assert told == [("web", 2, Decimal("0.5"), Decimal("0.06")), ("db", 1, Decimal("0.4"), None)]


def test_pods_that_wait_for_a_node() -> None:
    waiting = pod("new", phase="Pending", node="")
    going = merged(pod("old", phase="Pending", node=""), {"metadata": {"deletionTimestamp": "2026-10-05T09:29:00Z"}})
    assert [one.name for one in unscheduled(taken(waiting, going, pod("web-1", phase="Pending")))] == ["new"]
