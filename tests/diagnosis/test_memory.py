"""Nodes without memory: the pod that takes it, and containers that are only victims of it."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.cluster.cluster import UsageFigures
from kubectl_berth.diagnosis.diagnose import diagnose
from kubectl_berth.diagnosis.inventory import inventory_of
from kubectl_berth.diagnosis.sizing import size
from kubectl_berth.records import Finding, Ref
from tests.diagnosis.objects import NOW, Obj, ago, condition, ended, event, merged, node, one, pod, running

SIZE = {"capacity": {"memory": "16Gi"}, "allocatable": {"memory": "15Gi"}}
KILL = "System OOM encountered, victim process: ruby, pid: 9123"


def machine(*conditions: Obj) -> Obj:
    return merged(node("w-1", *conditions), {"status": SIZE})


def taking(name: str, memory: str, *, resources: Obj | None = None, status: Obj | None = None) -> tuple[Obj, Obj]:
    """A pod on w-1 and what it uses."""
    made = pod(name, status or running(), node="w-1", container={"resources": resources or {}})
    used = {"metadata": {"name": name, "namespace": "shop"}}
    return made, {**used, "containers": [{"name": "app", "usage": {"memory": memory, "cpu": "1m"}}]}


def looked(*objects: Obj, usage: list[Obj] | None = None, used: str = "15Gi") -> list[Finding]:
    figures = UsageFigures(pods=usage or [], nodes=[{"metadata": {"name": "w-1"}, "usage": {"memory": used}}])
    return diagnose(inventory_of(objects, NOW, usage=figures if usage else None))


def killed(at: float, **rest: Any) -> Obj:
    return running(restarts=1) | {"lastState": ended(137, "OOMKilled", minutes=at)} | rest


LIMITED = {"requests": {"memory": "1Gi"}, "limits": {"memory": "4Gi"}}


def test_a_machine_that_ran_out_of_memory_names_the_pod_that_takes_it_and_its_victims() -> None:
    hog, hogs = taking("miner", "12Gi")
    victim, victims = taking("quotes", "600Mi", resources=LIMITED, status=killed(10))
    there = machine()
    findings = looked(there, hog, victim, event(there, "SystemOOM", KILL, minutes=10), usage=[hogs, victims])
    cause = one(findings, "NodeOutOfMemory")
    assert cause.cause and cause.subject == Ref("Node", "", "w-1") and cause.severity == "warning"
    assert "killed ruby" in cause.summary and "Pod shop/miner uses 12Gi of its 16Gi" in cause.summary
    assert "no memory limit" in cause.summary and "Pod shop/miner" in cause.remedy
    suffers = one(findings, "OOMKilledByNode")
    assert suffers.subject == Ref("Pod", "shop", "quotes") and suffers.caused_by == cause.subject
    assert "not at a limit of its own" in suffers.summary and "higher limit" in suffers.remedy


def test_the_words_of_a_problem_detector_count_too_and_no_figures_are_no_guess() -> None:
    there = machine()
    text = "Out of memory: Killed process 4711 (postgres) total-vm:9kB, anon-rss:8kB"
    cause = one(looked(there, pod("db-0", node="w-1"), event(there, "OOMKilling", text, minutes=20)), "NodeOutOfMemory")
    assert "killed postgres" in cause.summary and "uses" not in cause.summary and "kubectl top" in cause.remedy


@pytest.mark.parametrize(
    ("reason", "text", "minutes"),
    [
        ("OOMKilling", "Memory cgroup out of memory: Killed process 81 (java) total-vm:9kB", 10),
        ("SystemOOM", KILL, 90),
    ],
)
def test_a_kill_at_a_containers_own_limit_and_one_of_hours_ago_say_nothing_of_the_node(
    reason: str, text: str, minutes: float
) -> None:
    there = machine()
    assert looked(there, event(there, reason, text, minutes=minutes)) == []


@pytest.mark.parametrize(
    ("memory", "died", "resources"),
    [("3900Mi", 10, LIMITED), ("600Mi", 40, LIMITED)],
    ids=["at its own limit", "at another time"],
)
def test_a_container_at_its_own_limit_is_no_victim(memory: str, died: float, resources: Obj) -> None:
    mine, figures = taking("quotes", memory, resources=resources, status=killed(died))
    there = machine()
    findings = looked(there, mine, event(there, "SystemOOM", KILL, minutes=10), usage=[figures])
    assert one(findings, "OOMKilled").cause


def test_memory_pressure_names_the_pod_that_takes_it_and_whose_pods_were_put_out() -> None:
    pressed = machine(condition("MemoryPressure", "True", "KubeletHasInsufficientMemory", "too little memory", 9))
    hog, hogs = taking("jupyter-7", "11Gi", resources={"requests": {"memory": "1Gi"}})
    out = pod("front-1", phase="Failed", node="w-1", status={"reason": "Evicted", "message": "low on memory"})
    finding = one(looked(pressed, hog, out, usage=[hogs]), "NodeMemoryPressure")
    assert "it evicted Pod shop/front-1" in finding.summary and "Pod shop/jupyter-7 uses 11Gi" in finding.summary
    assert "requests 1Gi and has no memory limit" in finding.summary and "Pod shop/jupyter-7" in finding.remedy


def test_a_pod_within_its_request_is_not_to_blame() -> None:
    pressed = machine(condition("MemoryPressure", "True", "KubeletHasInsufficientMemory", "too little memory", 9))
    fine, figures = taking("cache-0", "11Gi", resources={"requests": {"memory": "11Gi"}, "limits": {"memory": "12Gi"}})
    assert "cache-0 uses" not in one(looked(pressed, fine, usage=[figures]), "NodeMemoryPressure").summary


@pytest.mark.parametrize(("kill", "verdict"), [(True, "fits"), (False, "oom-killed")])
def test_the_limit_of_a_victim_is_not_called_too_low(kill: bool, verdict: str) -> None:
    mine, figures = taking("quotes", "600Mi", resources=LIMITED, status=killed(10))
    there = machine()
    events = [event(there, "SystemOOM", KILL, minutes=10)] if kill else []
    inventory = inventory_of([there, mine, *events], NOW, usage=UsageFigures(pods=[figures], nodes=[]))
    sized = size(inventory, inventory.pods[0])
    assert [one.code for one in sized.verdicts if (one.resource, one.field) == ("memory", "limit")] == [verdict]


def test_a_node_that_still_reports_is_not_disproved_by_its_lease() -> None:
    broken = node("w-2", condition("Ready", "False", "KubeletNotReady", "PLEG is not healthy", 20))
    assert "lease" not in one(looked(broken), "NodeNotReady").disproof


def test_evictions_of_a_pressure_that_has_passed_still_lead_to_the_node_and_its_heaviest_pod() -> None:
    hog, hogs = taking("etl-big", "9Gi")
    words = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi."
    out = pod("cart-1", phase="Failed", node="w-1", metadata={"creationTimestamp": ago(20)})
    out["status"] |= {"reason": "Evicted", "message": words, "startTime": ago(20), "conditions": []}
    findings = looked(machine(), hog, out, usage=[hogs])
    cause = one(findings, "NodeOutOfMemory")
    assert "evicted 1 pod (Pod shop/cart-1)" in cause.summary and "Pod shop/etl-big uses 9Gi" in cause.summary
    assert one(findings, "Evicted").caused_by == cause.subject
    out["status"] |= {"message": words.replace("memory", "ephemeral-storage")}
    assert "NodeOutOfMemory" not in {finding.reason for finding in looked(machine(), hog, out, usage=[hogs])}


@pytest.mark.parametrize(("resources", "words"), [({}, "has no memory limit"), (LIMITED, "its limit allows")])
def test_a_container_without_a_limit_was_not_killed_at_one(resources: Obj, words: str) -> None:
    mine, _ = taking("quotes", "1Mi", resources=resources, status=killed(10))
    finding = one(looked(machine(), mine), "OOMKilled")
    assert words in finding.summary and ("raise the memory limit" in finding.remedy) is bool(resources)
