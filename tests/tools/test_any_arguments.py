"""Whatever a model makes up as arguments: only reads arrive at the server, no crash, a framed result, no Secret."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.records import Object
from kubectl_berth.tools.registry import ALL
from kubectl_berth.tools.toolbox import Toolbox
from tests.fakes.recorded_cluster import RecordedCluster, recorded
from tests.tools.objects import shop, write

CANARY = "canary" + "-in-a-secret"
HIDDEN: list[Object] = [
    {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": "db", "namespace": "shop"},
        field: {"password": CANARY},
    }
    for kind, field in (("Secret", "stringData"), ("ConfigMap", "data"))
]
WORDS = st.sampled_from(
    "Pod Secret secrets ConfigMap Deployment Cluster Node Event api db web ledger-db shop data node-1 v1 apps/v1 "
    "postgresql.cnpg.io/v1 app=api * true 3 ../db all .. %2e%2e ../../api/v1 web/exec pods/exec proxy --server=https: "
    "x?watch=1 x#y sec\u200bret 0 -1 metadata.name=db password".split(" ")
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=40) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = sorted({parameter.name for tool in ALL for parameter in tool.parameters})
ARGUMENTS = st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), WORDS | ANYTHING, max_size=6) | ANYTHING
TOOLS = st.sampled_from([tool.name for tool in ALL])


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordedCluster]:
    directory: Path = tmp_path_factory.mktemp("any")
    logs = {"shop/api-6b8f7c9d44-q7zkd/app.previous.log": "FATAL\n"}
    snapshot = open_snapshot([write(directory / "snapshot", [*shop(), *HIDDEN], logs)])
    with recorded(snapshot, directory) as found:
        yield found


@pytest.fixture(scope="module")
def shared(cluster: RecordedCluster) -> Toolbox:
    return cluster.toolbox()


def check(cluster: RecordedCluster, shared: Toolbox, name: str, arguments: Any) -> None:
    """One call of a run that shares its whole lists with all others."""
    cluster.server.requests.clear()
    box = Toolbox(shared.context)
    result = box.call(name, arguments)
    assert cluster.wrong() == []
    assert result.text.startswith("<<<cluster-data\n") and result.text.endswith("\ncluster-data>>>")
    assert result.fate in ("ok", "empty", "error", "refused", "tripwire")
    assert CANARY not in result.text
    assert not any(gap.why == "failed" and "Error:" in gap.detail for gap in result.gaps), result.gaps
    assert box.trace[0].fate == result.fate


QUICK = settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True, database=None
)
THOROUGH = settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)


@QUICK
@given(name=TOOLS, arguments=ARGUMENTS)
def test_a01_any_arguments(cluster: RecordedCluster, shared: Toolbox, name: str, arguments: Any) -> None:
    check(cluster, shared, name, arguments)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@THOROUGH
@given(name=TOOLS, arguments=ARGUMENTS)
def test_a01_very_many_arguments(cluster: RecordedCluster, shared: Toolbox, name: str, arguments: Any) -> None:
    check(cluster, shared, name, arguments)
