"""What an evaluation came to, in plain counts. Intervals and tests are the report's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kubectl_berth.evals.measures import Measure, measure, totals
from kubectl_berth.evals.plan import Plan
from kubectl_berth.evals.results import Row
from kubectl_berth.safety.sanitise import one_line

SCHEMA = "berth.dev/v1/eval-summary"


def measured(plan: Plan, rows: Sequence[Row]) -> list[Measure]:
    """What each run took, in the order of the rows."""
    budgets = {asked.label: asked.budget for asked in plan.asked}
    return [measure(row, plan.thinker.cap, budgets[row.label]) for row in rows]


def summary(plan: Plan, rows: Sequence[Row]) -> dict[str, Any]:
    """The counts of all runs that ended: in all, by scenario, and every failed run by name."""
    return {
        "schema": SCHEMA,
        "engine": plan.thinker.engine,
        "model": plan.thinker.model,
        "set": plan.of,
        "planned": len(plan.runs()),
        "repeats": plan.repeats,
        "passed": sum(row.passed for row in rows),
        "totals": totals(measured(plan, rows)),
        "scenarios": [by_scenario(asked.label, rows) for asked in plan.asked],
        "failed": [failure(row) for row in sorted(rows, key=lambda row: row.key) if not row.passed],
    }


def by_scenario(label: str, rows: Sequence[Row]) -> dict[str, Any]:
    """How many runs of one scenario ended, and how many passed."""
    own = [row for row in rows if row.label == label]
    return {"name": label, "runs": len(own), "passed": sum(row.passed for row in own)}


def failure(row: Row) -> dict[str, Any]:
    """One failed run: its error, where it ended in one, and the critical checks that failed."""
    return {
        "scenario": row.label,
        "repeat": row.repeat,
        "outcome": row.document["outcome"],
        "error": row.document.get("error"),
        "checks": [{"name": check["name"], "why": check["why"]} for check in row.failed],
    }


def summary_text(found: Mapping[str, Any]) -> str:
    """The counts for a person."""
    total = found["totals"]
    runs, passed = total["runs"], found["passed"]
    width = max((len(each["name"]) for each in found["scenarios"]), default=0)
    lines = [f"{each['name']:<{width}}  {each['passed']}/{each['runs']}" for each in found["scenarios"]]
    lines += [
        "",
        f"{passed} of {runs} run{'' if runs == 1 else 's'} passed ({passed / runs:.1%})" if runs else "nothing ran",
    ]
    if total["errors"]:
        ends = ", ".join(f"{count} {name}" for name, count in total["errors"].items())
        lines.append(f"{sum(total['errors'].values())} ended without an answer: {ends}")
    within, budgeted = total["withinBudget"]
    calls = f"{total['modelCalls']:.1f} model calls and " if total["modelCalls"] else ""
    lines.append(
        f"a run takes {calls}{total['toolCalls']:.1f} tool calls, {total['secondsP50']:.1f} s (median)"
        + (f"; {within} of {budgeted} within the scenario's tool calls" if budgeted else "")
    )
    if total["usd"] is not None:
        lines.append(f"about ${total['usd']:.4f} in all (an estimate)")
    if found["failed"]:
        lines += ["", "failed:"]
        lines += [f"  {each['scenario']} #{each['repeat']}: {why(each)}" for each in found["failed"]]
    return "\n".join(lines) + "\n"


def why(failed: Mapping[str, Any], most: int = 200) -> str:
    """Why a run failed, in one line: its error, else the checks."""
    if failed["error"]:
        return one_line(f"{failed['outcome']}: {failed['error']}", most)
    return one_line("; ".join(f"{check['name']} ({check['why']})" for check in failed["checks"]), most)
