"""What an evaluation found, with intervals: the data behind every form of the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kubectl_berth.errors import UsageError
from kubectl_berth.evals.measures import mean, totals
from kubectl_berth.evals.plan import Asked, Plan, asked_of
from kubectl_berth.evals.results import Results, Row
from kubectl_berth.evals.revisions import since
from kubectl_berth.evals.statistics import Interval, bootstrap, lacking, wilson
from kubectl_berth.evals.summary import failure, measured

SCHEMA = "berth.dev/v1/eval-report"


def report(results: Results) -> dict[str, Any]:
    """The report, plain data only. UsageError where nothing has run.

    Without scipy no group has an interval, and `noIntervals` says what is missing.
    """
    plan = results.plan
    rows = _ordered(plan, results.rows().values())
    if not rows:
        raise UsageError(f"nothing has run yet in {results.directory}")
    categories = sorted({asked.category for asked in plan.asked})
    return {
        "schema": SCHEMA,
        "plan": plan.document(),
        "started": results.started,
        "ended": max(row.at for row in rows),
        "missing": len(plan.runs()) - len(rows),
        "overall": _group(plan, rows),
        "parts": [
            {"name": name, **_group(plan, [row for row in rows if row.label in labels])}
            for name, labels in (
                ("with a fault", {asked.label for asked in plan.asked if not asked.twin}),
                ("healthy twins", {asked.label for asked in plan.asked if asked.twin}),
            )
            if any(row.label in labels for row in rows)
        ],
        "categories": [{"name": name, **_group(plan, _of(plan, rows, name))} for name in categories],
        "scenarios": [
            {
                "name": asked.label,
                "category": asked.category,
                "budget": asked.budget,
                **_group(plan, [row for row in rows if row.label == asked.label]),
            }
            for asked in plan.asked
        ],
        "failed": [failure(row) for row in rows if not row.passed],
        "failedChecks": _counted(check["name"] for row in rows for check in row.failed),
        "reported": _reported(rows),
        "revised": _revised(results, rows),
        "noIntervals": lacking(),
    }


def rate(plan: Plan, rows: Sequence[Row]) -> dict[str, Any]:
    """pass@1 and pass^R of some runs.

    `interval` takes runs for independent (Wilson); `clustered` draws scenarios, and is what counts where each was
    run more than once.
    """
    passed = sum(row.passed for row in rows)
    shares = by_name(plan, rows)
    whole = _whole(plan, rows)
    known = lacking() is None
    return {
        "passed": passed,
        "runs": len(rows),
        "rate": passed / len(rows) if rows else None,
        "interval": ends(wilson(passed, len(rows))) if known else None,
        "clustered": ends(bootstrap(list(shares.values()))) if known and plan.repeats > 1 else None,
        "everyTime": [sum(whole), len(whole)],
        "everyTimeInterval": ends(wilson(sum(whole), len(whole))) if known else None,
    }


def by_name(plan: Plan, rows: Sequence[Row]) -> dict[str, float]:
    """The share of passed runs of each scenario, its twin's among them."""
    names = {asked.label: asked.name for asked in plan.asked}
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(names[row.label], []).append(float(row.passed))
    return {name: mean(passed) for name, passed in found.items()}


def _whole(plan: Plan, rows: Sequence[Row]) -> list[bool]:
    """For each scenario whose runs all ended: whether all passed."""
    counted = Counter(row.label for row in rows)
    passed = Counter(row.label for row in rows if row.passed)
    return [passed[label] == plan.repeats for label, runs in counted.items() if runs == plan.repeats]


def ends(interval: Interval | None) -> list[float] | None:
    """An interval as plain data."""
    return None if interval is None else [interval.low, interval.high]


def _group(plan: Plan, rows: Sequence[Row]) -> dict[str, Any]:
    return {**rate(plan, rows), "took": totals(measured(plan, rows))}


def _ordered(plan: Plan, rows: Iterable[Row]) -> list[Row]:
    place = {asked.label: number for number, asked in enumerate(plan.asked)}
    return sorted(rows, key=lambda row: (place[row.label], row.repeat))


def _of(plan: Plan, rows: Sequence[Row], category: str) -> list[Row]:
    labels = {asked.label for asked in plan.asked if asked.category == category}
    return [row for row in rows if row.label in labels]


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def _reported(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The checks that do not gate: how often they passed, worst first."""
    runs: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for row in rows:
        for check in row.verdict["checks"]:
            if not check["critical"]:
                runs[check["name"]] += 1
                passed[check["name"]] += bool(check["passed"])
    found = [{"name": name, "passed": passed[name], "runs": count} for name, count in runs.items()]
    return sorted(found, key=lambda each: (each["passed"] / each["runs"], each["name"]))


def _revised(results: Results, rows: Sequence[Row]) -> dict[str, Any]:
    """What was corrected since these runs were first scored, and the verdicts by today's checks where there are any."""
    later = results.rescored()
    again = [Row(row.label, row.repeat, *_again(row, later)) for row in rows]
    changed = [
        {
            "scenario": row.label,
            "repeat": row.repeat,
            "original": row.passed,
            "revised": new.passed,
            "failed": failure(new)["checks"],
        }
        for row, new in zip(rows, again, strict=True)
        if row.passed is not new.passed
    ]
    corrections = [found for asked in results.plan.asked for found in _corrections(asked, results.started)]
    return {
        "corrections": corrections,
        "rescored": max((at for at, _ in later.values()), default=None),
        "overall": rate(results.plan, again) if later else None,
        "changed": changed,
    }


def _again(row: Row, later: Mapping[Any, tuple[str, Mapping[str, Any]]]) -> tuple[str, Any, Any]:
    at, verdict = later.get(row.key, (row.at, row.verdict))
    return at, row.document, verdict


def _corrections(asked: Asked, started: str) -> list[dict[str, Any]]:
    """How the scenario of today differs from the one that was asked. All of it came after results had been seen."""
    try:
        scenario = asked.load()
        now = asked_of(scenario, asked.source)
    except UsageError as error:
        return [{"scenario": asked.label, "what": "gone", "date": None, "note": str(error)}]
    found: list[dict[str, Any]] = []
    if now.check_hash != asked.check_hash:
        noted = since(scenario, asked.check_hash)
        if noted is None:
            words = "the scorer or its concepts changed, or the checks without a note"
            found.append({"scenario": asked.label, "what": "checks", "date": None, "note": words})
        for revision in noted or ():
            found.append({"scenario": asked.label, "what": "checks", "date": revision.date, "note": revision.note})
    if now.scenario_hash != asked.scenario_hash:
        words = "what is asked or its cluster changed: runs from before and after are not of the same scenario"
        found.append({"scenario": asked.label, "what": "scenario", "date": None, "note": words})
    return found
