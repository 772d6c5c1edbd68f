"""What an evaluation found: counted by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.errors import UsageError
from kubectl_berth.evals.report import report
from kubectl_berth.evals.report_markdown import markdown
from kubectl_berth.evals.results import Results, Row
from kubectl_berth.evals.running import rescore
from tests.evals.made import AT, NAMES, call, document, made
from tests.process import berth, surroundings

PASSES = {
    "oomkilled": [True, True, True],
    "failing-rollout": [True, False, True],
    "pdb-blocks-drain": [True, True, True],
    "secret-denied": [False, False, False],
}


@pytest.fixture
def found(tmp_path: Path) -> dict[str, Any]:
    """The report on twelve runs of four scenarios."""
    return report(made(tmp_path, PASSES))


def named(groups: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(group for group in groups if group["name"] == name)


def test_one_run_and_every_run(found: dict[str, Any]) -> None:
    overall = found["overall"]
    assert (overall["passed"], overall["runs"], overall["rate"]) == (8, 12, pytest.approx(8 / 12))
    # Wilson for 8 of 12
    assert [round(end, 2) for end in overall["interval"]] == [0.39, 0.86]
    # two of four scenarios passed three times of three
    assert overall["everyTime"] == [2, 4]
    low, high = overall["clustered"]
    assert low <= 0.25 and high == 1.0
    assert named(found["scenarios"], "failing-rollout")["everyTime"] == [0, 1]
    safety = named(found["categories"], "safety")
    assert (safety["passed"], safety["runs"]) == (0, 3)


def test_failed_runs_are_named_with_their_error(found: dict[str, Any]) -> None:
    assert [(each["scenario"], each["repeat"]) for each in found["failed"]] == [
        ("failing-rollout", 2),
        ("secret-denied", 1),
        ("secret-denied", 2),
        ("secret-denied", 3),
    ]
    text = markdown(found)
    assert "| failing-rollout #2 | fragment: it only said what it would do next |" in text
    assert "| **all** | 67% | 8/12 | 39-86 % |" in text
    assert "4 fragment" in text and "pass^3" in text


def test_what_runs_took(tmp_path: Path) -> None:
    usage = {"model_calls": 8, "input_tokens": 1000, "output_tokens": 100, "retries": 1}
    results = made(
        tmp_path,
        {"oomkilled": [True, True, False, False], "secret-denied": [True, True, True, True]},
        documents={
            ("oomkilled", 1): document(True, forced=True, usage=usage, trace=[call(n) for n in range(1, 8)]),
            ("oomkilled", 2): document(True, trace=[call(1, "error"), call(2, "repeated"), call(3)], seconds=9.0),
            ("oomkilled", 3): document(False, forced=True, usage=usage),
            ("oomkilled", 4): document(
                False, outcome="engine-error", error="Ollama at http://x failed with 500, twice: no; ask again"
            ),
            ("secret-denied", 1): document(True, cost={"usd": 0.25, "estimate": True}),
        },
    )
    took = report(results)["overall"]["took"]
    assert took["atCap"] == took["forced"] == 2
    assert took["forcedAnswered"] == 1
    assert took["fragments"] == 1
    assert took["endedBy5xx"] == 1
    assert took["retries"] == 2
    assert took["wasted"] == {"error": 1, "repeated": 1}
    assert took["errors"] == {"engine-error": 1, "fragment": 1}
    # oomkilled allows six calls and seven were made once; all others keep to theirs
    assert took["withinBudget"] == [7, 8]
    assert took["toolCallsInAll"] == 7 + 3 + 6
    # 1000 twice, 900 and 100 from the cache six times
    assert took["inputTokens"] == 1000
    assert (took["secondsP50"], took["secondsP95"]) == (2.0, 9.0)
    assert (took["usd"], took["runsWithPrice"]) == (0.25, 1)


def test_an_unfinished_evaluation_says_so(tmp_path: Path) -> None:
    found = report(made(tmp_path, {"oomkilled": [True, True], "secret-denied": [True]}))
    assert found["missing"] == 1
    # whether it passes every time is not known yet
    assert found["overall"]["everyTime"] == [1, 1]
    assert "**Not finished: 1 run is missing.**" in markdown(found)


def test_nothing_has_run(tmp_path: Path) -> None:
    results = made(tmp_path, {"oomkilled": [True]})
    (tmp_path / "runs.jsonl").unlink()
    with pytest.raises(UsageError, match="nothing has run yet"):
        report(results)


# --- checks that were corrected -------------------------------------------------------------------------------------


def test_original_and_revised_verdicts_stand_side_by_side(tmp_path: Path) -> None:
    results = made(tmp_path, {"oomkilled": [True, False]}, hashes={"oomkilled": "0123456789ab"})
    before = report(results)
    assert [each["what"] for each in before["revised"]["corrections"]] == ["checks"]
    assert before["revised"]["overall"] is None
    assert "`--rescore` shows today's beside them" in markdown(before)
    rows = rescore(results, lambda: 1796000000.0)
    # by today's checks "Because." names nothing
    assert [row.passed for row in rows] == [False, False]
    after = report(results)
    assert (after["overall"]["passed"], after["revised"]["overall"]["passed"]) == (1, 0)
    assert [(each["original"], each["revised"]) for each in after["revised"]["changed"]] == [(True, False)]
    text = markdown(after)
    assert "## Corrected after these results had been seen" in text
    assert "| original | 50% |" in text and "oomkilled #1: passed, now failed." in text
    # scoring once more adds nothing
    rescore(results, lambda: 1796000000.0)
    assert len((tmp_path / "rescored.jsonl").read_text().splitlines()) == 2


def test_a_cut_line_is_no_run_and_swallows_none(tmp_path: Path) -> None:
    results = made(tmp_path, {"oomkilled": [True]})
    with (tmp_path / "runs.jsonl").open("a") as file:
        file.write('{"label": "oomkilled", "rep')
    row = next(iter(results.rows().values()))
    results.add(Row("oomkilled", 2, AT, row.document, row.verdict), b"{}")
    results.add(replace(row, verdict={**row.verdict, "passed": False}), None)
    again = Results(tmp_path)
    # the plan has one repeat: a second run is none of it, and the first verdict stays
    assert [(each.key, each.passed) for each in again.rows().values()] == [(("oomkilled", 1), True)]
    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == 4
    assert again.record(("oomkilled", 2)) == b"{}"


def test_front_door(tmp_path: Path) -> None:
    made(tmp_path / "here", {name: [True] for name in NAMES})
    env = surroundings(tmp_path)
    ended = berth("eval", "report", str(tmp_path / "here"), "-o", "json", env=env)
    assert ended.status == 0, ended.err
    assert json.loads(ended.out)["overall"]["passed"] == 4
    nothing = berth("eval", "report", str(tmp_path), env=env)
    assert nothing.status == 2 and "holds no results of kubectl berth eval run" in nothing.err
    shadowed = f"{_without_scipy(tmp_path)}:{env['PYTHONPATH']}"
    without = berth("eval", "report", str(tmp_path / "here"), env=env | {"PYTHONPATH": shadowed})
    lacking = "intervals and tests need scipy, which is not installed: pip install 'kubectl-berth[eval]'"
    assert (without.status, without.err) == (0, "")
    assert f"\nWithout intervals: {lacking}.\n" in without.out
    assert "| **all** | 100% | 4/4 | - | - | 4 of 4 (100%) |" in without.out
    compared = berth("eval", "compare", *[str(tmp_path / "here")] * 2, env=env | {"PYTHONPATH": shadowed})
    assert (compared.status, compared.out, compared.err) == (2, "", f"error: {lacking}\n")


def _without_scipy(directory: Path) -> Path:
    """A place that comes first on the path and where scipy cannot be imported."""
    (directory / "shadow" / "scipy").mkdir(parents=True)
    (directory / "shadow" / "scipy" / "__init__.py").write_text("raise ImportError('no scipy here')\n")
    return directory / "shadow"
