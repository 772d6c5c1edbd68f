"""Every question of the families asked where nothing is wrong: no fault is claimed, what was not checked is said."""

from __future__ import annotations

import re

import pytest

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.engines.rules import families_more
from tests.engines.rules.families import CASES
from tests.fakes.small_clusters import SmallCluster

assert families_more
CLAIMS = re.compile(
    r"\bis not healthy\b|\bhas a fault\b|\bis degraded\b|\b\d+ faults? in\b|\bone fault in\b|\bCause 1\b", re.IGNORECASE
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallCluster:
    """A cluster in which the usual names are there and well."""
    cluster = SmallCluster(tmp_path_factory.mktemp("healthy") / "snapshot")
    cluster.namespaces("shop", "data", "jobs", "cache", "ops", "kube-system", "old-team")
    for name in (
        "web",
        "api",
        "cart",
        "orders",
        "front",
        "checkout",
        "pricing",
        "catalog",
        "payments",
        "search",
        "pay",
    ):
        cluster.healthy(name, "shop", replicas=2)
    for name in ("worker", "importer", "batch", "trainer", "encoder", "nightly-export", "etl"):
        cluster.healthy(name, "jobs")
    for name in ("agent", "reports", "backup", "analytics", "policy"):
        cluster.healthy(name, "ops")
    for name in ("ledger", "mysql", "db"):
        cluster.healthy(name, "data", image="registry.example.com/postgres:16")
    cluster.healthy("redis", "cache")
    cluster.healthy("coredns", "kube-system", replicas=2)
    return cluster


@pytest.mark.parametrize("question", [case.question for case in CASES])
def test_no_fault_is_claimed_where_there_is_none(question: str, small: SmallCluster) -> None:
    toolbox = Toolbox(Context(small.open()))
    finished = list(make_rules().run(Conversation("", "", question), toolbox, 8))[-1]
    assert isinstance(finished, Finished)
    assert [one for one in finished.findings if one.severity != "info"] == []
    assert not CLAIMS.search(finished.text), finished.text
    assert "**Not checked**" in finished.text
