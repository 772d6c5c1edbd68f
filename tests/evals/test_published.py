"""The published evaluation this project compares itself with: its verdicts by its criteria, its readings by ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.evals.facts import facts_of
from kubectl_berth.evals.schema import check_set
from kubectl_berth.evals.score import Verdict, judge
from kubectl_berth.scenarios.reader import load

PUBLISHED = Path(__file__).parents[3] / "shared" / "anchor-evals"
pytestmark = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published runs are not beside this checkout")


def lines(name: str) -> Iterator[dict[str, Any]]:
    """The runs of one file."""
    for line in (PUBLISHED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


# --- by the published criteria --------------------------------------------------------------------------------------


def published_verdicts(answer: str, criteria: dict[str, Any]) -> dict[str, bool]:
    """Check id to verdict: regular expressions, case ignored, a dot for a newline too."""

    def found(check: dict[str, Any], text: str) -> bool:
        return any(re.search(pattern, text, re.IGNORECASE | re.DOTALL) for pattern in check["any"])

    return {
        **{check["id"]: found(check, answer) for check in criteria.get("mustMatch", [])},
        **{check["id"]: not found(check, answer) for check in criteria.get("mustNotMatch", [])},
    }


def test_the_published_text_verdicts_reproduce() -> None:
    same, other = 0, []
    for run in (run for name in ("runs_q35_all17", "runs_stub_good", "runs_stub_bad") for run in lines(name)):
        file = PUBLISHED / "scenarios" / f"{run['scenario']}.json"
        criteria = json.loads(file.read_text(encoding="utf-8"))["criteria"]
        for name, passed in published_verdicts(run["answer"], criteria).items():
            if passed is (name not in run["failedChecks"]):
                same += 1
            else:
                other.append((run["scenario"], run.get("repeat"), name))
    assert (same, other) == (320, [])


# --- by our own -----------------------------------------------------------------------------------------------------


def verdict(run: dict[str, Any]) -> Verdict:
    """A published run by the checks of our scenario of the same name."""
    notes = iter(run.get("recordedIncidents") or [])
    trace = [
        {
            "n": number,
            "tool": tool,
            "arguments": {"title": next(notes, "")} if tool == "record_incident" else arguments or {},
            "fate": "error" if error else "ok",
        }
        for number, (tool, arguments, error) in enumerate(run["tools"], 1)
    ]
    scenario = load(run["scenario"])
    document = {"engine": "ollama", "outcome": "answered", "answer": run["answer"], "trace": trace}
    return judge(document, check_set(scenario), facts_of(scenario))


def test_agreement_with_the_reading_by_a_person() -> None:
    readings = json.loads((PUBLISHED / "adjudication.json").read_text(encoding="utf-8"))
    read = {(entry["scenario"], entry["repeat"]): entry["reading"] == "pass" for entry in readings}
    runs = list(lines("runs_q35_all17"))
    other = {}
    for run in runs:
        key = run["scenario"], run["repeat"]
        found = verdict(run)
        if found.passed is not read.get(key, True):
            other[key] = found.failed
    assert len(runs) == 51
    assert len(other) <= 2, other
    assert not set(other) & set(read), other


@pytest.mark.parametrize(("name", "passed"), [("runs_stub_good", True), ("runs_stub_bad", False)])
def test_scripted_answers(name: str, passed: bool) -> None:
    other = {run["scenario"]: verdict(run).failed for run in lines(name) if verdict(run).passed is not passed}
    assert other == {}
