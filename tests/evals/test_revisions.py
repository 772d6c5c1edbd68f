"""Corrections of a scenario: the old checks are kept, dated and found again by their hash."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.errors import UsageError
from kubectl_berth.evals.plan import asked_of
from kubectl_berth.evals.report import report
from kubectl_berth.evals.report_markdown import markdown
from kubectl_berth.evals.revisions import before, revisions, since
from kubectl_berth.evals.schema import check_set
from kubectl_berth.evals.score import check_hash
from kubectl_berth.scenarios.reader import Scenario, load
from tests.evals.made import made
from tests.process import snapshot

FIRST = {"limit": {"number": "256Mi"}}
SECOND = {"limit": {"number": "512Mi"}}
THIRD = {**SECOND, "cause": {"says": ["out of memory"]}}
REVISIONS = [
    {"date": "2026-11-01", "note": "the limit had been raised", "checks": {"limit": FIRST["limit"]}},
    {"date": "2026-11-20", "note": "the cause was not asked for", "checks": {"cause": None}},
]


def scenario(directory: Path, checks: dict[str, Any] = THIRD, written: list[Any] = REVISIONS) -> Scenario:
    return Scenario("mine", "", "Why?", "", (directory / "cluster",), checks=checks, revisions=written)


def test_every_version_is_kept(tmp_path: Path) -> None:
    now = scenario(tmp_path)
    assert before(now, 0).checks == THIRD
    assert before(now, 1).checks == SECOND
    assert before(now, 2).checks == FIRST


@pytest.mark.parametrize(
    ("checks", "dates"), [(FIRST, ["2026-11-01", "2026-11-20"]), (SECOND, ["2026-11-20"]), (THIRD, [])]
)
def test_what_came_after_a_version(tmp_path: Path, checks: dict[str, Any], dates: list[str]) -> None:
    hash = check_hash(check_set(scenario(tmp_path, checks, [])))
    found = since(scenario(tmp_path), hash)
    assert found is not None and [revision.date for revision in found] == dates


def test_a_version_that_nobody_kept(tmp_path: Path) -> None:
    assert since(scenario(tmp_path), "0123456789ab") is None


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"note": "x", "checks": {}}, "each wants a date and a note"),
        ({"date": "yesterday", "note": "x", "checks": {}}, "is no date: write it like 2026-11-20"),
        ({"date": "2026-11-20", "note": "x"}, "each keeps what was changed"),
        ({"date": "2026-11-20", "note": "x", "check": {}}, "does not know check"),
        ({"date": "2026-11-20", "note": "x", "cluster": "old"}, "no directory old"),
    ],
)
def test_what_is_no_correction(tmp_path: Path, entry: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        revisions(scenario(tmp_path, written=[entry]))


def test_a_report_says_what_was_corrected_after_its_runs(tmp_path: Path) -> None:
    snapshot(tmp_path / "mine" / "cluster")
    file = tmp_path / "mine" / "scenario.yaml"
    head = "apiVersion: berth.dev/v1\nkind: Scenario\nquestion: Why?\nchecks:\n  limit: {number: "
    file.write_text(head + "256Mi}\n")
    here = str(tmp_path / "mine")
    results = made(tmp_path / "results", {"oomkilled": [True]})
    plan = replace(results.plan, asked=(replace(asked_of(load(here), here), name="oomkilled"),))
    results.plan = plan
    assert report(results)["revised"]["corrections"] == []
    file.write_text(
        head + "512Mi}\nrevisions:\n- date: 2026-12-01\n  note: the limit had been raised\n"
        "  checks: {limit: {number: 256Mi}}\n"
    )
    assert "| oomkilled | checks | 2026-12-01 | the limit had been raised |" in markdown(report(results))
