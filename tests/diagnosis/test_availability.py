"""What runs once, what nothing keeps apart, and what a lost node takes down."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.cluster.views import Pod, decode
from kubectl_berth.diagnosis.availability import (
    Unit,
    count_fields,
    holds,
    keeps_apart,
    stays,
    takes_down,
    unguarded,
    units,
    without_pods,
    zones,
)
from tests.diagnosis.objects import Obj, deployment, merged, node, obj, owned, pod, replica_set, running, taken

LABELS: Obj = {"metadata": {"labels": {"app": "web"}}}
OWN = {"matchLabels": {"app": "web"}}
OTHER = {"matchLabels": {"app": "else"}}


def web(*nodes: str, replicas: int | None = None, ready: bool = True, **rest: Any) -> list[Obj]:
    """A Deployment web with a pod on each of the nodes."""
    above = deployment("web", replicas=len(nodes) if replicas is None else replicas)
    owner = replica_set(above, "web-1", replicas=len(nodes))
    pods = [
        owned(merged(pod(f"web-1-{n}", running(ready=ready), node=on, **LABELS), rest), owner)
        for n, on in enumerate(nodes)
    ]
    return [above, owner, *pods]


def one(*objects: Obj, name: str = "web") -> Unit:
    found = [unit for unit in units(taken(*objects)) if unit.ref.name == name]
    assert len(found) == 1, [str(unit.ref) for unit in found]
    return found[0]


def custom(spec: Obj, name: str = "ledger", kind: str = "Store") -> Obj:
    return obj("db.example.com/v1", kind, name, spec=spec)


def test_a_deployment_of_one_is_single_even_while_it_is_updated() -> None:
    assert one(*web("n1")).single
    updating = one(*web("n1", "n2", replicas=1))
    assert updating.single and not updating.several
    assert one(*web("n1", "n2")).several


def test_what_is_no_unit() -> None:
    job, daemon = obj("batch/v1", "Job", "report"), obj("apps/v1", "DaemonSet", "agent")
    static = pod("proxy-n1", metadata={"annotations": {"kubernetes.io/config.mirror": "x"}})
    idle = deployment("idle", replicas=0)
    ended = pod("old", phase="Succeeded")
    found = units(taken(job, daemon, owned(pod("report-1"), job), owned(pod("agent-1"), daemon), static, idle, ended))
    assert found == []
    assert [str(unit.ref) for unit in units(taken(pod("lone")))] == ["Pod shop/lone"]


def test_an_operators_resource_of_one_instance() -> None:
    owner = custom({"instances": 1, "storage": {"size": "10Gi"}})
    unit = one(owner, owned(pod("ledger-1"), owner), name="ledger")
    assert unit.single and unit.counts == (("spec.instances", 1),)
    assert unit.top is not None and unit.top.name == "ledger"


def test_a_count_of_1_beside_several_pods_counts_something_else() -> None:
    owner = custom({"replicas": 1})
    unit = one(owner, *(owned(pod(f"ledger-{n}"), owner) for n in range(2)), name="ledger")
    assert not unit.single and unit.several


def test_a_stateful_set_under_an_operators_resource() -> None:
    owner = custom({"replicas": 1})
    inner = owned(obj("apps/v1", "StatefulSet", "ledger-set", spec={"replicas": 1}), owner)
    unit = one(owner, inner, owned(pod("ledger-set-0"), inner), name="ledger-set")
    assert unit.single and unit.top is not None and unit.top.name == "ledger" and unit.counts == (("spec.replicas", 1),)


def test_an_instance_field_that_nobody_knows_still_leaves_one_pod() -> None:
    owner = custom({"howMany": 1})
    unit = one(owner, owned(pod("ledger-1"), owner), name="ledger")
    assert unit.single and unit.counts == ()


def test_one_ready_of_several() -> None:
    objects = web("n1", "n2", "n3", ready=False)
    objects[2] = owned(merged(pod("web-1-0", node="n1", **LABELS), {}), objects[1])
    unit = one(*objects)
    assert unit.reduced and [each.name for each in unit.ready] == ["web-1-0"]
    assert not one(*web("n1", "n2")).reduced and not one(*web("n1")).reduced


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        ({"instances": 1}, [("spec.instances", 1)]),
        (
            {"kafka": {"replicas": 3}, "zookeeper": {"replicas": 1}},
            [("spec.kafka.replicas", 3), ("spec.zookeeper.replicas", 1)],
        ),
        ({"nodeSets": [{"name": "a", "count": 2}]}, [("spec.nodeSets[0].count", 2)]),
        ({"numberOfInstances": 2, "volume": {"size": 1}}, [("spec.numberOfInstances", 2)]),
        ({"size": "1Gi", "replicas": True, "maxSyncReplicas": 1, "minReplicas": 1, "replicasPerShard": 1}, []),
        ({"template": {"replicas": 1}, "backup": {"replicas": 1}, "autoscaling": {"replicas": 1}}, []),
        ({"a": {"b": {"c": {"replicas": 1}}}}, []),
        (None, []),
    ],
)
def test_fields_that_count_instances(spec: Any, fields: list[tuple[str, int]]) -> None:
    assert list(count_fields(spec)) == fields


def test_a_count_without_pods_is_told_apart() -> None:
    topic = custom({"partitions": 12, "replicas": 1}, "orders", "Topic")
    store = custom({"instances": 1})
    inventory = taken(topic, store, owned(pod("ledger-1"), store), custom({"replicas": 1, "suspend": True}, "resting"))
    found = without_pods(inventory, units(inventory))
    assert [(view.name, path) for view, path in found] == [("orders", "spec.replicas")]


def term(selector: Obj, key: str = "kubernetes.io/hostname") -> Obj:
    return {"labelSelector": selector, "topologyKey": key}


def anti(required: list[Obj], preferred: list[Obj] | None = None) -> Obj:
    rules = {
        "requiredDuringSchedulingIgnoredDuringExecution": required,
        "preferredDuringSchedulingIgnoredDuringExecution": preferred or [],
    }
    return {"affinity": {"podAntiAffinity": rules}}


def spread(when: str, selector: Obj) -> Obj:
    constraint = {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": when}
    return {"topologySpreadConstraints": [{**constraint, "labelSelector": selector}]}


@pytest.mark.parametrize(
    ("spec", "apart"),
    [
        ({}, "nothing"),
        (anti([term(OWN)]), "required"),
        (anti([term(OTHER)]), "nothing"),
        (anti([], [{"weight": 1, "podAffinityTerm": term(OWN)}]), "preferred"),
        (spread("DoNotSchedule", OWN), "required"),
        (spread("DoNotSchedule", OTHER), "nothing"),
        (spread("ScheduleAnyway", OWN), "preferred"),
    ],
)
def test_what_keeps_pods_apart(spec: Obj, apart: str) -> None:
    assert keeps_apart(decode(merged(pod(**LABELS), {"spec": spec}), Pod)) == apart
    assert one(*web("n1", "n2", spec=spec)).apart == apart


def test_what_a_node_takes_down() -> None:
    inventory = taken(*web("n1", "n1"), pod("lone", node="n2"))
    down = {name: [unit.ref.name for unit in lost] for name, lost in takes_down(units(inventory)).items()}
    assert down == {"n1": ["web"], "n2": ["lone"]}
    assert takes_down(units(taken(*web("n1", "n2")))) == {}
    # the other pod is not ready: the one on n2 carries all
    objects = web("n1", "n2")
    objects[2] = merged(objects[2], {"status": {"conditions": [{"type": "Ready", "status": "False"}]}})
    assert list(takes_down(units(taken(*objects)))) == ["n2"]


def test_volumes_and_where_they_hold_a_pod() -> None:
    def volume(name: str, key: str, *values: str) -> Obj:
        rule = {"key": key, "operator": "In", "values": list(values)}
        terms = {"required": {"nodeSelectorTerms": [{"matchExpressions": [rule]}]}}
        return obj("v1", "PersistentVolume", name, "", spec={"nodeAffinity": terms})

    def claim(name: str, mode: str, of: str) -> Obj:
        return obj("v1", "PersistentVolumeClaim", name, spec={"accessModes": [mode], "volumeName": of})

    mounts = [{"name": n, "persistentVolumeClaim": {"claimName": n}} for n in ("disk", "zonal", "shared", "gone")]
    db = pod("db-0", spec={"volumes": mounts})
    inventory = taken(
        *(claim("disk", "ReadWriteOnce", "pv-1"), volume("pv-1", "kubernetes.io/hostname", "n1")),
        *(claim("zonal", "ReadWriteOncePod", "pv-2"), volume("pv-2", "topology.kubernetes.io/zone", "a")),
        *(claim("shared", "ReadWriteMany", ""), db),
    )
    told = [(hold.claim, hold.modes, hold.where, hold.one_node) for hold in holds(inventory, inventory.pods[0])]
    assert told == [
        ("disk", "RWO", "only on node n1", True),
        ("zonal", "RWOP", "only in zone a", True),
        ("shared", "RWX", "", False),
        ("gone", "not read", "", False),
    ]


def test_how_long_a_pod_is_left_on_a_lost_node() -> None:
    def on(tolerations: list[Obj]) -> int | None:
        return stays(decode(pod(spec={"tolerations": tolerations}), Pod))

    lost = {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}
    assert on([]) == 300
    assert on([{**lost, "tolerationSeconds": 30}]) == 30
    assert on([lost]) is None
    assert on([{"operator": "Exists"}]) is None
    assert on([{"key": "gpu", "operator": "Exists"}]) == 300


def test_spread_is_no_node_with_more_than_half() -> None:
    assert one(*web("n1", "n2")).spread and one(*web("n1", "n2", "n1", "n2")).spread
    uneven = one(*web("n1", "n2", "n2"))
    assert not uneven.spread and uneven.fullest == ("n2", 2)
    assert not one(*web("", "")).spread


def test_zones_and_budgets() -> None:
    nodes = [node(n, metadata={"labels": {"topology.kubernetes.io/zone": z}}) for n, z in (("n1", "a"), ("n2", "b"))]
    inventory = taken(*nodes, *web("n1", "n2"))
    (unit,) = units(inventory)
    assert zones(inventory, unit) == ["a", "b"] and unit.spread
    assert unguarded(inventory, [unit]) == [unit]
    budget = obj("policy/v1", "PodDisruptionBudget", "web", spec={"minAvailable": 1, "selector": OWN})
    guarded = taken(*nodes, *web("n1", "n2"), budget)
    assert unguarded(guarded, units(guarded)) == []
