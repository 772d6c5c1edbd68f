"""Ends of containers that the objects explain without a log: another architecture, a full heap."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.records import Finding
from tests.diagnosis.objects import (
    Obj,
    deployment,
    ended,
    found,
    merged,
    node,
    obj,
    one,
    owned,
    pod,
    replica_set,
    waiting,
)

RAN = 0.01  # minutes: less than a second


def machine(name: str, kind: str) -> Obj:
    return merged(node(name), {"status": {"nodeInfo": {"architecture": kind}}})


def fleet(code: int, *, ran: float = RAN, message: str = "", well: bool = True, reason: str = "CrashLoop") -> Finding:
    """What is said of a pod of two that dies on s390x while the other is on ppc64le."""
    mill = deployment("mill", replicas=2, ready=1)
    rs = replica_set(mill, "mill-1", replicas=2, ready=1)
    dying = waiting("CrashLoopBackOff", restarts=9, lastState=ended(code, ran=ran, message=message))
    there = [owned(pod("mill-1-b", node="p-1"), rs)] if well else []
    broken = owned(pod("mill-1-a", dying, node="z-1"), rs)
    return one(found(mill, rs, broken, *there, machine("z-1", "s390x"), machine("p-1", "ppc64le")), reason)


def test_a_pod_that_dies_at_once_only_on_another_architecture() -> None:
    finding = fleet(255, reason="WrongArchitecture")
    assert "node z-1, which is s390x" in finding.summary and "its pods on ppc64le are ready" in finding.summary
    assert "kubernetes.io/arch: ppc64le" in finding.remedy and "Deployment shop/mill" in finding.remedy


def test_the_words_of_the_runtime_are_proof_even_without_a_pod_elsewhere() -> None:
    finding = fleet(1, message="exec /usr/bin/mill: exec format error", well=False, reason="WrongArchitecture")
    assert "another CPU architecture" in finding.summary and "s390x" in finding.summary


@pytest.mark.parametrize(("code", "ran"), [(255, 3.0), (2, RAN)], ids=["it ran for a while", "a code of its own"])
def test_other_deaths_on_another_architecture_are_not_explained_by_it(code: int, ran: float) -> None:
    finding = fleet(code, ran=ran)
    assert "not built for" not in finding.summary and "kubectl logs" in finding.remedy


def test_a_new_revision_that_dies_at_once_is_not_blamed_on_the_node_it_came_to() -> None:
    mill = deployment("mill", replicas=2, ready=1)
    old, new = (replica_set(mill, f"mill-{n}", revision=n, image=f"mill:{n}") for n in (1, 2))
    dying = waiting("CrashLoopBackOff", restarts=9, lastState=ended(1, ran=RAN))
    well = owned(pod("mill-1-b", node="p-1", container={"image": "mill:1"}), old)
    broken = owned(pod("mill-2-a", dying, node="z-1", container={"image": "mill:2"}), new)
    machines = [machine("z-1", "s390x"), machine("p-1", "ppc64le")]
    assert one(found(mill, old, new, well, broken, *machines), "CrashLoop").cause


def test_a_pod_that_dies_beside_a_ready_one_clears_the_architecture() -> None:
    mill = deployment("mill", replicas=3, ready=1)
    rs = replica_set(mill, "mill-1", replicas=3, ready=1)
    dying = waiting("CrashLoopBackOff", restarts=9, lastState=ended(1, ran=RAN))
    pods = [pod("mill-1-a", dying, node="z-1"), pod("mill-1-b", node="p-1"), pod("mill-1-c", dying, node="p-1")]
    machines = [machine("z-1", "s390x"), machine("p-1", "ppc64le")]
    findings = found(mill, rs, *(owned(each, rs) for each in pods), *machines)
    assert "WrongArchitecture" not in {finding.reason for finding in findings}


def test_a_member_with_a_newer_image_is_not_blamed_on_its_node() -> None:
    ring = obj("apps/v1", "StatefulSet", "ring", spec={"replicas": 2}, status={"replicas": 2, "readyReplicas": 1})
    dying = waiting("CrashLoopBackOff", restarts=9, lastState=ended(1, ran=RAN))
    well = owned(pod("ring-0", node="p-1", container={"image": "ring:1"}), ring)
    broken = owned(pod("ring-1", dying, node="z-1", container={"image": "ring:2"}), ring)
    assert one(found(ring, well, broken, machine("z-1", "s390x"), machine("p-1", "ppc64le")), "CrashLoop").cause


def test_a_runtime_that_cannot_start_the_image_says_so() -> None:
    words = 'failed to create containerd task: exec: "/mill": exec format error'
    broken = pod("mill-a", waiting("RunContainerError", words), node="z-1")
    finding = one(found(broken, machine("z-1", "s390x")), "WrongArchitecture")
    assert "another CPU architecture" in finding.summary and "s390x" in finding.remedy


def jvm(code: int, reason: str = "Error", *, limit: str = "3Gi", **container: Any) -> list[Finding]:
    dead = waiting("CrashLoopBackOff", restarts=9, lastState=ended(code, reason, ran=30))
    return found(pod("ledger-1", dead, container={"resources": {"limits": {"memory": limit}}, **container}))


def flags(words: str) -> Obj:
    return {"env": [{"name": "JDK_JAVA_OPTIONS", "value": words}]}


def test_the_exit_code_of_a_full_heap_is_known_by_the_flag_that_sets_it() -> None:
    finding = one(jvm(3, **flags("-Xms64m -Xmx512m -XX:+ExitOnOutOfMemoryError")), "HeapExhausted")
    assert "heap is full" in finding.summary and "-Xmx512m, memory limit 3Gi" in finding.summary
    assert "raise -Xmx512m" in finding.remedy and "leaves room" in finding.remedy
    tight = one(jvm(3, args=["-XX:+ExitOnOutOfMemoryError", "-Xmx2g", "-jar", "a.jar"]), "HeapExhausted")
    assert "heap is full" in tight.summary and "leaves room" not in tight.remedy


@pytest.mark.parametrize("words", ["-Xmx512m", "-Xmx512m -XX:-ExitOnOutOfMemoryError"])
def test_without_that_flag_the_exit_code_means_nothing(words: str) -> None:
    assert "heap" not in one(jvm(3, **flags(words)), "CrashLoop").summary


@pytest.mark.parametrize(("heap", "tight"), [("-Xmx3g", True), ("-Xmx2g", False)])
def test_a_heap_as_large_as_the_limit_is_told_of_a_container_killed_at_it(heap: str, tight: bool) -> None:
    finding = one(jvm(137, "OOMKilled", **flags(heap)), "OOMKilled")
    assert ("three quarters" in " ".join(finding.evidence)) is tight


def test_no_value_of_a_variable_is_shown_but_the_flag() -> None:
    words = "-Dapi.key=hunter2 -Xmx3g -XX:+ExitOnOutOfMemoryError"
    for finding in [*jvm(3, **flags(words)), *jvm(137, "OOMKilled", **flags(words))]:
        assert "hunter2" not in " ".join([finding.summary, finding.remedy, *finding.evidence])
