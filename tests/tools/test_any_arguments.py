"""Whatever a model makes up as arguments: no crash, a framed result, nothing of a Secret."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.records import Object
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.registry import ALL
from kubectl_berth.tools.toolbox import Toolbox
from tests.tools.objects import shop, write

CANARY = "canary" + "-in-a-secret"
SECRET: Object = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "db", "namespace": "shop"},
    "stringData": {"password": CANARY},
}
WORDS = st.sampled_from(
    "Pod Secret secrets ConfigMap Deployment Cluster Node Event api db web ledger-db shop data node-1 v1 apps/v1 "
    "postgresql.cnpg.io/v1 app=api * true 3 ../db all".split(" ")
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=40) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = sorted({parameter.name for tool in ALL for parameter in tool.parameters})
ARGUMENTS = st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), WORDS | ANYTHING, max_size=6) | ANYTHING


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    directory: Path = tmp_path_factory.mktemp("any") / "snapshot"
    logs = {"shop/api-6b8f7c9d44-q7zkd/app.previous.log": "FATAL\n"}
    return Context(open_snapshot([write(directory, [*shop(), SECRET], logs)]))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(name=st.sampled_from([tool.name for tool in ALL]), arguments=ARGUMENTS)
def test_any_arguments(context: Context, name: str, arguments: Any) -> None:
    # what the cluster was read for is shared, what a run leaves behind is not
    box = Toolbox(replace(context, tripped=False, noted=False))
    result = box.call(name, arguments)
    assert result.text.startswith("<<<cluster-data\n") and result.text.endswith("\ncluster-data>>>")
    assert (result.fate == "tripwire") == (name == "apply_remediation")
    assert result.fate in ("ok", "empty", "error", "refused", "tripwire")
    assert CANARY not in result.text
    assert not any(gap.why == "failed" and "Error:" in gap.detail for gap in result.gaps), result.gaps
    assert box.trace[0].fate == result.fate
