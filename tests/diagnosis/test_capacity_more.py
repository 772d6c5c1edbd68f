"""How many more pods fit, and whether one more node helps, worked out by hand: three nodes of 4 cpu, 16Gi."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.diagnosis.capacity_more import Room, refit, room_for, sample, with_a_node
from kubectl_berth.diagnosis.inventory import take
from kubectl_berth.records import Ref
from tests.engines.rules.consequence_clusters import claim, mounted
from tests.engines.rules.families import alone, named
from tests.fakes.small_clusters import SmallCluster, Thing

LOOM = Ref("Deployment", "mill", "loom")


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("mill")
    return cluster


def loom(small: SmallCluster, *, spec: Thing | None = None, **requests: str) -> Thing:
    pod = alone(small, "loom", "mill", ready=True, spec=spec or {})
    pod["spec"]["containers"][0]["resources"] = {"requests": requests}
    return pod


def room(small: SmallCluster) -> Room:
    inventory = take(small.open())
    pod = sample(inventory, LOOM)
    assert pod is not None
    return room_for(inventory, LOOM, pod)


def test_the_scarcest_resource_bounds_each_node(small: SmallCluster) -> None:
    loom(small, cpu="500m", memory="5Gi")  # 16Gi hold three of 5Gi, two where one runs already
    assert dict(room(small).each) == {"node-a": 2, "node-b": 3, "node-c": 3}
    assert room(small).whole == 8


def test_a_host_port_is_there_once_on_each_node(small: SmallCluster) -> None:
    loom(small)["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]
    assert dict(room(small).each) == {"node-a": 0, "node-b": 1, "node-c": 1}


def test_a_claim_that_one_node_holds_keeps_them_there(small: SmallCluster) -> None:
    claim(small, "dye", "mill")
    loom(small, spec=mounted("dye"), cpu="1")
    assert dict(room(small).each) == {"node-a": 3, "node-b": 0, "node-c": 0}


def test_what_is_scaled_to_zero_is_counted_by_its_template(small: SmallCluster) -> None:
    made = small.deployment("loom", "mill", replicas=0)
    made["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "2"}}
    assert room(small).whole == 6


def test_cordoned_nodes_take_none(small: SmallCluster) -> None:
    loom(small, cpu="1")
    named(small, "Node", "node-c")["spec"]["unschedulable"] = True
    assert dict(room(small).each) == {"node-a": 3, "node-b": 4}


def test_how_many_fit_anew_counts_what_they_free(small: SmallCluster) -> None:
    pod = loom(small, cpu="3")
    inventory = take(small.open())
    mine = inventory.pods_of(LOOM)
    assert refit(inventory, mine, {"cpu": Decimal("4")}) == 1
    assert refit(inventory, mine, {"cpu": Decimal("4.5")}) == 0
    del pod


# --- one more node --------------------------------------------------------------------------------------------------


def waits(small: SmallCluster, **spec: Any) -> tuple[str, str]:
    pod = small.pod("late", "mill", app="late", ready=False, phase="Pending", spec={"nodeName": "", **spec})
    requests = spec.get("containers", [{}])[0].get("resources", {})
    pod["spec"]["containers"] = [{"name": "late", "image": "x", "resources": requests}]
    inventory = take(small.open())
    found = inventory.pod("mill", "late")
    assert found is not None
    return with_a_node(inventory, found)


def asks(**requests: str) -> Thing:
    return {"containers": [{"resources": {"requests": requests}}]}


def fill(small: SmallCluster, cpu: str) -> None:
    for number, node in enumerate(("node-a", "node-b", "node-c")):
        pod = alone(small, f"big{number}", "mill", ready=True, spec={"nodeName": node})
        pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu}}


def test_it_helps_where_every_node_is_full(small: SmallCluster) -> None:
    fill(small, "3")
    helps, why = waits(small, **asks(cpu="2"))
    assert helps == "yes" and "no node has that much left (node-a 1 cpu" in why


def test_it_does_not_where_one_has_room(small: SmallCluster) -> None:
    fill(small, "1")
    helps, why = waits(small, **asks(cpu="2"))
    assert helps == "no" and "node-a has room" in why


def test_only_a_larger_one_does_where_none_would_hold_it_empty(small: SmallCluster) -> None:
    assert waits(small, **asks(cpu="6"))[0] == "special"


def test_only_one_with_the_labels_does(small: SmallCluster) -> None:
    helps, why = waits(small, nodeSelector={"gpu": "yes"})
    assert helps == "special" and "gpu=yes" in why


def test_a_zone_of_its_own_is_wanted(small: SmallCluster) -> None:
    for node in ("node-a", "node-b", "node-c"):
        named(small, "Node", node)["metadata"]["labels"]["topology.kubernetes.io/zone"] = "west"
    alone(small, "loom", "mill", ready=True)
    term = {"labelSelector": {"matchLabels": {"app": "loom"}}, "topologyKey": "topology.kubernetes.io/zone"}
    rule = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    helps, why = waits(small, affinity=rule)
    assert helps == "special" and "only a node in another would do" in why
