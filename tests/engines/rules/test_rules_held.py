"""What there is: workloads of a namespace, storage, issuers, free nodes; and a plain no about what is healthy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.rules_answers import ask, first
from tests.fakes.small_clusters import SmallCluster


@pytest.fixture
def empty(tmp_path: Path) -> SmallCluster:
    small = SmallCluster(tmp_path / "snapshot")
    small.namespaces("orchard")
    return small


def test_what_runs_in_a_namespace(empty: SmallCluster) -> None:
    empty.healthy("press", "orchard", replicas=2)
    empty.healthy("sorter", "orchard")
    answer = first(ask(empty, "what runs in orchard?"))
    assert "2 workloads are in namespace orchard" in answer
    assert "Deployment orchard/press (2 of 2 pods ready)" in answer


def test_the_storage_of_a_workload_is_the_sum_of_its_claims(empty: SmallCluster) -> None:
    empty.healthy("press", "orchard")
    for one in empty.things:
        if one["kind"] == "Pod":
            claim = {"name": "juice", "persistentVolumeClaim": {"claimName": "juice"}}
            one["spec"]["volumes"] = [claim, {"name": "pulp", "persistentVolumeClaim": {"claimName": "pulp"}}]
    for name, size in (("juice", "6Gi"), ("pulp", "10Gi")):
        empty.add("v1", "PersistentVolumeClaim", name, "orchard", spec={"accessModes": ["ReadWriteOnce"]},
                  status={"phase": "Bound", "capacity": {"storage": size}})  # fmt: skip
    assert "Deployment orchard/press has 2 volume claims of 16Gi together" in first(
        ask(empty, "how much storage does press have?")
    )


def test_who_issues_a_certificate(empty: SmallCluster) -> None:
    empty.definition("cert-manager.io", "v1", "Certificate", "certificates")
    empty.add("cert-manager.io/v1", "Certificate", "cider-door", "orchard",
              spec={"secretName": "cider-door", "issuerRef": {"kind": "ClusterIssuer", "name": "guild-ca"}},
              status={"conditions": [{"type": "Ready", "status": "True"}]})  # fmt: skip
    assert "names ClusterIssuer guild-ca as its issuer" in first(ask(empty, "who issued cider-door?"))


def test_a_healthy_thing_gets_a_plain_no(empty: SmallCluster) -> None:
    empty.healthy("press", "orchard", replicas=2)
    for question, says in (
        ("is press pending?", "No: no pod of Deployment orchard/press is pending; 2 of 2 pods ready"),
        ("does press get killed for memory?", "No: no container of Deployment orchard/press is on record as killed"),
        ("is press restarting?", "No: no container of Deployment orchard/press has restarted"),
    ):
        answer = ask(empty, question)
        assert says in first(answer)
        assert "takes for granted" not in answer


def test_a_sick_thing_keeps_its_diagnosis(empty: SmallCluster) -> None:
    empty.crashing("press", "orchard")
    for question in ("is press restarting?", "does press get killed for memory?", "is press pending?"):
        assert "**Evidence**" in ask(empty, question)


def test_who_mounts_a_volume_by_the_name_of_its_claim(empty: SmallCluster) -> None:
    empty.healthy("press", "orchard")
    for one in empty.things:
        if one["kind"] == "Pod":
            one["spec"]["volumes"] = [{"name": "juice", "persistentVolumeClaim": {"claimName": "juice-vat"}}]
    empty.add("v1", "PersistentVolumeClaim", "juice-vat", "orchard", spec={"volumeName": "pv-1"},
              status={"phase": "Bound", "capacity": {"storage": "6Gi"}})  # fmt: skip
    empty.add("v1", "PersistentVolume", "pv-2", spec={"claimRef": {"namespace": "orchard", "name": "old-vat"}},
              status={"phase": "Released"})  # fmt: skip
    assert "juice-vat is mounted by Pod orchard/press-" in first(ask(empty, "who uses the disk juice-vat?"))
    assert "pv-2 is Released, of claim orchard/old-vat, which is gone" in first(
        ask(empty, "which pods use the volume old-vat?")
    )


def test_software_is_listed_by_kind_and_judged_where_a_fault_is_asked(empty: SmallCluster) -> None:
    empty.healthy("ledger", "orchard", image="registry.example.com/mariadb:11.4")
    empty.healthy("press", "orchard")
    answer = ask(empty, "list all databases")
    assert "1 workload that can be read is called like databases" in first(answer)
    assert "Deployment orchard/ledger" in answer
    assert "orchard/press" not in answer.partition("No model")[0]
    assert "No workload that can be read is called like one of the queues" in first(
        ask(empty, "which queues are there")
    )
    assert "called like" not in ask(empty, "which databases are down?")


def test_when_a_node_came_back_is_not_when_it_was_made(empty: SmallCluster) -> None:
    assert "was created" not in first(ask(empty, "when did node-a come back?"))


def test_a_restart_of_long_ago_is_no_restart_now(empty: SmallCluster) -> None:
    empty.healthy("press", "orchard")
    for one in empty.things:
        if one["kind"] == "Pod":
            one["status"]["containerStatuses"][0]["restartCount"] = 2
            end = {"reason": "OOMKilled", "exitCode": 137, "finishedAt": "2026-09-25T09:30:00Z"}
            one["status"]["containerStatuses"][0]["lastState"] = {"terminated": end}
    for question in ("does press keep restarting?", "is press getting killed for memory"):
        assert "No, not now: 2 restarts in all, the last 10d ago (OOMKilled, exit code 137)" in first(
            ask(empty, question)
        )
