"""Pods that no node takes: who stands in the way, by name, and what lets them in."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diagnosis.objects import Obj, ago, condition, deployment, found, node, obj, one, owned, pod, replica_set

PORTS = "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports."


def unplaced(name: str, message: str, *, labels: Obj | None = None, **spec: Any) -> Obj:
    held = pod(name, phase="Pending", node="", metadata={"creationTimestamp": ago(40), "labels": labels or {}})
    held["spec"] |= {"nodeName": "", **spec}
    held["status"] = {
        "phase": "Pending",
        "conditions": [condition("PodScheduled", "False", "Unschedulable", message, 40)],
    }
    return held


def zoned(name: str, zone: str, **spec: Any) -> Obj:
    labels = {"topology.kubernetes.io/zone": zone, "kubernetes.io/hostname": name}
    return node(name, metadata={"labels": labels}, spec=spec)


def in_zone(zone: str) -> list[Obj]:
    terms = [{"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}]}]
    required = {"required": {"nodeSelectorTerms": terms}}
    volume = obj("v1", "PersistentVolume", "pv-ledger", "", spec={"nodeAffinity": required})
    claim = obj("v1", "PersistentVolumeClaim", "data-ledger-1", spec={"volumeName": "pv-ledger"}, status={"phase": "Bound"})  # fmt: skip # noqa: E501
    return [volume, claim]


CLAIMED = [{"name": "d", "persistentVolumeClaim": {"claimName": "data-ledger-1"}}]
TEXT = "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had volume node affinity conflict."


def test_a_cordoned_node_that_alone_reaches_the_volume_is_named() -> None:
    nodes = [zoned("n-1", "north"), zoned("n-2", "north"), zoned("s-1", "south", unschedulable=True)]
    finding = one(found(*in_zone("south"), *nodes, unplaced("ledger-1", TEXT, volumes=CLAIMED)), "VolumeElsewhere")
    assert "only from s-1, which is cordoned" in finding.summary and "kubectl uncordon s-1" in finding.remedy
    assert "do not delete the claim" in finding.remedy


def test_a_cordoned_node_that_would_not_do_either_is_not_offered() -> None:
    nodes = [zoned("n-1", "north", unschedulable=True), zoned("n-2", "north")]
    finding = one(found(*in_zone("south"), *nodes, unplaced("ledger-1", TEXT, volumes=CLAIMED)), "VolumeElsewhere")
    assert "uncordon" not in finding.remedy and "there is no such node" in finding.summary
    taint = {"key": "team", "value": "ml", "effect": "NoSchedule"}
    closed = [zoned("n-1", "north"), zoned("s-1", "south", unschedulable=True, taints=[taint])]
    finding = one(found(*in_zone("south"), *closed, unplaced("ledger-1", TEXT, volumes=CLAIMED)), "VolumeElsewhere")
    assert "uncordon" not in finding.remedy and "which is cordoned" not in finding.summary


def test_a_cordoned_node_that_alone_has_the_labels() -> None:
    text = "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable."
    gpu = node("g-1", metadata={"labels": {"accelerator": "l4"}}, spec={"unschedulable": True})
    finding = one(found(node("c-1"), gpu, unplaced("train-0", text, nodeSelector={"accelerator": "l4"})), "NodesCordoned")  # fmt: skip # noqa: E501
    assert "g-1" in finding.summary and "kubectl uncordon g-1" in finding.remedy


def ports(*numbers: int) -> Obj:
    return {"ports": [{"containerPort": number, "hostPort": number} for number in numbers]}


def test_the_holder_of_a_host_port_is_named_with_its_node() -> None:
    web = deployment("turn", replicas=2, ready=1)
    rs = replica_set(web, "turn-5f", replicas=2, ready=1)
    mine = owned(pod("turn-5f-a", node="m-1", container=ports(3478)), rs)
    other = pod("sip-0", node="m-2", container=ports(3478), metadata={"namespace": "legacy"})
    late = owned(unplaced("turn-5f-b", PORTS, containers=[{"name": "app", **ports(3478)}]), rs)
    finding = one(found(web, rs, mine, other, late, node("m-1"), node("m-2")), "HostPortTaken")
    assert "on m-2 by Pod legacy/sip-0" in finding.summary and "m-1 by its own pods" in finding.summary
    assert "maxSurge" not in finding.remedy and "Pod legacy/sip-0" in finding.remedy


@pytest.mark.parametrize("update", [True, False])
def test_pods_that_hold_the_port_against_their_own_kind(update: bool) -> None:
    web = deployment("relay", replicas=2, ready=1)
    old, new = (replica_set(web, f"relay-{n}", replicas=1, ready=2 - n, revision=n) for n in (1, 2))
    holders = [owned(pod(f"relay-x{n}", node=f"m-{n}", container=ports(853)), old if update else new) for n in (1, 2)]
    late = owned(unplaced("relay-late", PORTS, containers=[{"name": "app", **ports(853)}]), new)
    finding = one(found(web, old, new, *holders, late, node("m-1"), node("m-2")), "HostPortTaken")
    assert ("maxSurge 0" in finding.remedy) is update
    assert ("no more replicas than nodes (2)" in finding.remedy) is not update


def test_other_protocols_and_other_ports_are_free() -> None:
    text = "0/1 nodes are available: 1 Insufficient cpu."
    dns = {"ports": [{"containerPort": 53, "hostPort": 53, "protocol": "UDP"}]}
    there = pod("dns-a", node="m-1", container=dns)
    late = unplaced("dns-b", text, containers=[{"name": "app", **ports(53), "resources": {"requests": {"cpu": "9"}}}])
    finding = one(found(there, late, node("m-1", status={"allocatable": {"cpu": "4"}})), "RequestExceedsNodes")
    assert "host port" not in " ".join(finding.evidence)


@pytest.mark.parametrize(("address", "taken"), [("10.0.0.1", False), ("", True), ("10.0.0.2", True)])
def test_a_port_of_another_address_of_the_node_is_free(address: str, taken: bool) -> None:
    port = {"containerPort": 53, "hostPort": 53, "protocol": "UDP"}
    there = pod("dns-a", node="m-1", container={"ports": [{**port, "hostIP": address}]})
    late = unplaced("dns-b", PORTS, containers=[{"name": "app", "ports": [{**port, "hostIP": "10.0.0.2"}]}])
    summary = one(found(there, late, node("m-1")), "HostPortTaken").summary
    assert ("by Pod shop/dns-a" in summary) is taken


def test_a_pod_of_a_daemon_set_is_for_one_node_and_told_what_that_one_lacks() -> None:
    text = "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["m-2"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    parts = [{"name": "app", "resources": {"requests": {"cpu": "2"}}}]
    late = unplaced("agent-x", text, containers=parts, affinity={"nodeAffinity": required})
    full = pod("batch-0", node="m-2", container={"resources": {"requests": {"cpu": "3"}}})
    finding = one(found(late, full, *(node(f"m-{n}") for n in (1, 2, 3))), "InsufficientResources")
    assert "node m-2: cpu: 3 of 4" in " ".join(finding.evidence) and "node m-1" not in " ".join(finding.evidence)


def apart(of: Obj) -> Obj:
    term = {"labelSelector": of["spec"]["selector"], "topologyKey": "kubernetes.io/hostname"}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


@pytest.mark.parametrize("update", [True, False])
def test_pods_that_must_keep_apart_are_named_and_an_update_lets_one_go_first(update: bool) -> None:
    text = "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules."
    vote = deployment("vote", replicas=2, ready=1)
    old, new = (replica_set(vote, f"vote-{n}", replicas=1, ready=2 - n, revision=n) for n in (1, 2))
    labels: Obj = {"metadata": {"labels": {"app": "vote"}}}
    there = [owned(pod(f"vote-x{n}", node=f"m-{n}", **labels), old if update else new) for n in (1, 2)]
    late = owned(unplaced("vote-late", text, labels={"app": "vote"}, affinity=apart(vote)), new)
    finding = one(found(vote, old, new, *there, late, node("m-1"), node("m-2")), "PodAntiAffinity")
    assert "vote-x1 on m-1" in finding.summary and "vote-x2 on m-2" in finding.summary
    assert ("maxUnavailable 1" in finding.remedy) is update and "fewer replicas than nodes" in finding.remedy


def test_the_zone_that_a_spread_rule_asks_for_is_named_with_what_closes_it() -> None:
    text = "0/3 nodes are available: 1 node(s) had untolerated taint {team: ml}, 2 node(s) didn't match pod topology spread constraints."  # noqa: E501
    rule = {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "feed"}}}  # fmt: skip
    taint = {"key": "team", "value": "ml", "effect": "NoSchedule"}
    nodes = [zoned("a-1", "za"), zoned("b-1", "zb"), zoned("c-1", "zc", taints=[taint])]
    there = [pod(f"feed-{at}", node=at, metadata={"labels": {"app": "feed"}}) for at in ("a-1", "b-1")]
    late = unplaced("feed-late", text, labels={"app": "feed"}, topologySpreadConstraints=[rule])
    finding = one(found(*nodes, *there, late), "TopologySpread")
    assert "wants the next pod in zc" in finding.summary and "c-1 (taint team=ml:NoSchedule)" in finding.summary
    assert "nodeTaintsPolicy Honor" in finding.remedy and "za 1, zb 1, zc 0" in " ".join(finding.evidence)
