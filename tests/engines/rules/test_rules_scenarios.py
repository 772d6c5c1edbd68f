"""The rules engine on the shipped scenarios: the faults are found, and none is claimed where there is none."""

from __future__ import annotations

import re

import pytest

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished
from kubectl_berth.scenarios.reader import load
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox


def answer_of(name: str, question: str = "", *, twin: bool = False) -> Finished:
    scenario = load(name, twin=twin)
    cluster = scenario.open()
    toolbox = Toolbox(Context(cluster, namespace=cluster.name().namespace))
    *_, finished = make_rules().run(Conversation("", "", question or scenario.question), toolbox, 8)
    assert isinstance(finished, Finished)
    assert len(toolbox.trace) <= (scenario.budget or 8)
    return finished


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        ("crashloop-missing-config", ["DATABASE_URL", "DB_URL", "api-config", "rollout restart deployment/api"]),
        ("crd-operator-discovery", ["2 of 3", "ledger-db-3", "ledger-db-1 is ready", "(?i)cloudnative-?pg"]),
        ("failing-rollout", [r"v2\.4\.1-rc", "still run and serve", "rollout undo deployment/checkout"]),
        ("oomkilled", ["OOMKilled", "256Mi", "raise it"]),
        ("healthy-control", ["nothing is broken"]),
        ("secret-denied", ["not available", "kubectl get secret", "db-credentials"]),
    ],
)  # fmt: skip
def test_the_answer_holds_what_it_must(name: str, pieces: list[str]) -> None:
    answer = answer_of(name).text
    for piece in pieces:
        assert re.search(piece, answer), f"{piece} is not in:\n{answer}"


@pytest.mark.parametrize("name", ["crashloop-missing-config", "crd-operator-discovery", "failing-rollout", "oomkilled"])
def test_no_fault_is_claimed_on_a_twin(name: str) -> None:
    finished = answer_of(name, twin=True)
    assert "no fault found" in finished.text.splitlines()[0]
    assert not [one for one in finished.findings if one.severity != "info"]
    assert "What to do" not in finished.text


@pytest.mark.parametrize(
    ("name", "question", "first"),
    [
        ("crd-operator-discovery", "any database problems?", "Cluster data/ledger-db is degraded"),
        ("crd-operator-discovery", "is my Postgres cluster healthy?", "No, Cluster data/ledger-db"),
        ("crashloop-missing-config", "what's broken in shop?", "One fault in namespace shop"),
        ("failing-rollout", "is checkout down?", "No, Deployment shop/checkout still serves"),
        ("healthy-control", "is everything ok?", "Yes, nothing is broken"),
    ],
)
def test_other_words_for_the_same_question(name: str, question: str, first: str) -> None:
    assert first in answer_of(name, question).text.splitlines()[0]
