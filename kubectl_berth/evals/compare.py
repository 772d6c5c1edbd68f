"""Two evaluations side by side: the same scenarios, run by run, and whether chance explains the difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kubectl_berth.errors import UsageError
from kubectl_berth.evals.measures import mean, totals
from kubectl_berth.evals.plan import Plan
from kubectl_berth.evals.report import ends
from kubectl_berth.evals.results import Key, Results, Row, difference
from kubectl_berth.evals.statistics import EXACT, FLIPS, bootstrap, fisher, mcnemar, need, sign_flip, wilson
from kubectl_berth.evals.summary import measured

SCHEMA = "berth.dev/v1/eval-comparison"


@dataclass(frozen=True)
class Side:
    """One of the two: where it lies, its plan, and its runs with the verdicts that are compared."""

    name: str
    plan: Plan
    rows: Mapping[Key, Row]


def side(results: Results, rescored: Sequence[Row] | None) -> Side:
    """One evaluation, with its first verdicts or with those of `rescored`."""
    rows = results.rows() if rescored is None else {row.key: row for row in rescored}
    return Side(str(results.directory), results.plan, rows)


def compare(before: Side, after: Side) -> dict[str, Any]:
    """The comparison, plain data only.

    UsageError where runs that should be paired were judged by different checks, or nothing can be paired.
    """
    need()
    keys, left_out = _paired(before, after)
    old, new = [before.rows[key] for key in keys], [after.rows[key] for key in keys]
    gained = [row for row, other in zip(new, old, strict=True) if row.passed and not other.passed]
    lost = [row for row, other in zip(new, old, strict=True) if other.passed and not row.passed]
    differences = _differences(before.plan, old, new)
    passed = sum(row.passed for row in new), sum(row.passed for row in old)
    majority = _majority(old, new)
    return {
        "schema": SCHEMA,
        "before": _about(before, old),
        "after": _about(after, new),
        "differ": difference(before.plan, after.plan),
        "pairs": len(keys),
        "scenarios": len(differences),
        "leftOut": left_out,
        "effect": mean(list(differences.values())),
        "interval": ends(bootstrap(list(differences.values()))),
        "signFlip": {
            "p": sign_flip(list(differences.values())),
            "exact": sum(bool(each) for each in differences.values()) <= EXACT,
        },
        "fisher": fisher(passed[0], len(keys), passed[1], len(keys)),
        "mcnemar": {"p": mcnemar(*majority), "better": majority[0], "worse": majority[1]},
        "gained": [_name(row) for row in gained],
        "lost": [_name(row) for row in lost],
        "byScenario": [{"name": name, "difference": each} for name, each in differences.items() if each],
    }


def _paired(before: Side, after: Side) -> tuple[list[Key], list[str]]:
    """The runs that both have, and what had to be left out, in words."""
    then = {asked.label: asked for asked in before.plan.asked}
    now = {asked.label: asked for asked in after.plan.asked}
    left_out = [f"{label}: only in {before.name}" for label in then if label not in now]
    left_out += [f"{label}: only in {after.name}" for label in now if label not in then]
    both = [label for label in then if label in now]
    for label in both:
        if then[label].scenario_hash != now[label].scenario_hash:
            left_out.append(f"{label}: what is asked or its cluster was changed in between")
    same = {label for label in both if then[label].scenario_hash == now[label].scenario_hash}
    keys = [key for key in before.rows if key in after.rows and key[0] in same]
    single = sum(key[0] in same for key in (*before.rows, *after.rows)) - 2 * len(keys)
    if single:
        left_out.append(f"{single} runs that only one of them has")
    if not keys:
        raise UsageError(f"{before.name} and {after.name} have no run in common that can be compared")
    other = sorted({key[0] for key in keys if before.rows[key].check_hash != after.rows[key].check_hash})
    if other:
        raise UsageError(
            f"{before.name} and {after.name} were judged by different checks ({len(other)} scenarios, "
            f"{other[0]} among them): add --rescore to judge both by today's"
        )
    return sorted(keys), left_out


def _differences(plan: Plan, old: Sequence[Row], new: Sequence[Row]) -> dict[str, float]:
    """For each scenario, its twin included, how much more of its runs passed after than before."""
    names = {asked.label: asked.name for asked in plan.asked}
    found: dict[str, list[int]] = {}
    for then, now in zip(old, new, strict=True):
        found.setdefault(names[then.label], []).append(int(now.passed) - int(then.passed))
    return {name: mean(each) for name, each in found.items()}


def _majority(old: Sequence[Row], new: Sequence[Row]) -> tuple[int, int]:
    """Scenarios, and twins, that most runs pass after and not before, and the other way round."""
    runs: dict[str, list[tuple[int, int]]] = {}
    for then, now in zip(old, new, strict=True):
        runs.setdefault(then.label, []).append((then.passed, now.passed))
    votes = [
        (2 * sum(then for then, _ in pairs) > len(pairs), 2 * sum(now for _, now in pairs) > len(pairs))
        for pairs in runs.values()
    ]
    return sum(now and not then for then, now in votes), sum(then and not now for then, now in votes)


def _about(one: Side, rows: Sequence[Row]) -> dict[str, Any]:
    plan = one.plan.document()
    passed = sum(row.passed for row in rows)
    return {
        "results": one.name,
        "engine": plan["engine"],
        "model": plan["model"],
        "berth": plan["berth"],
        "promptBytes": plan["prompt"]["bytes"],
        "toolBytes": plan["tools"]["bytes"],
        "passed": passed,
        "runs": len(rows),
        "interval": ends(wilson(passed, len(rows))),
        "took": totals(measured(one.plan, rows)),
    }


def _name(row: Row) -> str:
    return f"{row.label} #{row.repeat}"


def drawn(exact: bool) -> str:
    """How the sign flips were made, in words."""
    return "every flip" if exact else f"{FLIPS:,} flips"
