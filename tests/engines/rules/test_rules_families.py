"""The rules engine on one small cluster for each family of faults: what the first line says, and what no line says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.engines.rules import families_more
from tests.engines.rules.families import CASES, Case
from tests.fakes.small_clusters import SmallCluster

assert families_more  # it adds its cases where the others are


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_person_is_told_what_is_wrong(case: Case, tmp_path: Path) -> None:
    small = SmallCluster(tmp_path / "snapshot")
    small.namespaces("shop", "data", "jobs", "cache", "ops", "kube-system")
    small.healthy("web", "shop", replicas=2)
    case.build(small)
    toolbox = Toolbox(Context(small.open()))
    finished = list(make_rules().run(Conversation("", "", case.question), toolbox, 8))[-1]
    assert isinstance(finished, Finished)
    answer = finished.text
    first = answer.splitlines()[0]
    for wanted in case.first:
        assert re.search(wanted, first, re.IGNORECASE), f"{wanted!r} is not in: {first}"
    for wanted in case.says:
        assert re.search(wanted, answer, re.IGNORECASE), f"{wanted!r} is not in: {answer}"
    for wrong in case.never:
        assert not re.search(wrong, answer, re.IGNORECASE), f"{wrong!r} is in: {answer}"
    assert 1 <= len(toolbox.trace) <= 4
    assert "**Not checked**" in answer
    assert "No model was used" in answer
    fault = any(finding.severity != "info" for finding in finished.findings)
    assert ("**What to do**" in answer) or not fault
