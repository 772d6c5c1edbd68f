"""What there is: workloads of a namespace, storage, issuers, free nodes; and a plain no about what is healthy."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.fakes.small_clusters import SmallCluster


@pytest.fixture
def empty(tmp_path: Path) -> SmallCluster:
    small = SmallCluster(tmp_path / "snapshot")
    small.namespaces("orchard")
    return small


def ask(small: SmallCluster, question: str) -> str:
    toolbox = Toolbox(Context(small.open()))
    finished = list(make_rules().run(Conversation("", "", question, ()), toolbox, 8))[-1]
    assert isinstance(finished, Finished)
    return finished.text


def first(answer: str) -> str:
    return answer.splitlines()[0]


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
