"""What a run took, read from its result document, and the same over many runs."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kubectl_berth.errors import EngineUnreachable
from kubectl_berth.evals.results import Row

WASTED = ("error", "repeated", "empty", "refused", "withheld", "tripwire")
"""Fates of tool calls that brought nothing, most frequent first."""

_FAILING = re.compile(r"\b(?:with |is failing \(|HTTP |\()5\d\d\b|in the middle of its reply, twice")


@dataclass(frozen=True)
class Measure:
    """One run. Tokens as the provider counted them, cached ones included in `input_tokens`."""

    outcome: str
    model_calls: int
    tool_calls: int
    over_budget: bool | None
    input_tokens: int
    output_tokens: int
    retries: int
    at_cap: bool
    forced: bool
    answered: bool
    fragment: bool
    failing: bool
    seconds: float
    usd: float | None
    wasted: Mapping[str, int]


def measure(row: Row, cap: int | None, budget: int | None) -> Measure:
    """What one run took. `budget` is the scenario's own number of tool calls."""
    document = row.document
    usage: Mapping[str, Any] = document.get("usage") or {}
    trace: Sequence[Mapping[str, Any]] = document.get("trace") or []
    outcome = str(document["outcome"])
    fates = Counter(entry["fate"] for entry in trace)
    calls = int(usage.get("model_calls", 0))
    cached = int(usage.get("cache_read_tokens", 0)) + int(usage.get("cache_write_tokens", 0))
    return Measure(
        outcome=outcome,
        model_calls=calls,
        tool_calls=len(trace),
        over_budget=None if budget is None or outcome == EngineUnreachable.outcome else len(trace) > budget,
        input_tokens=int(usage.get("input_tokens", 0)) + cached,
        output_tokens=int(usage.get("output_tokens", 0)),
        retries=int(usage.get("retries", 0)),
        at_cap=cap is not None and calls >= cap,
        forced=bool(document.get("forced")),
        answered=outcome in ("answered", "cut-off"),
        fragment=outcome == "fragment",
        failing=outcome in ("engine-error", "engine-unreachable")
        and bool(_FAILING.search(str(document.get("error") or ""))),
        seconds=float(document.get("seconds") or 0.0),
        usd=(document.get("cost") or {}).get("usd"),
        wasted={fate: fates[fate] for fate in WASTED if fates[fate]},
    )


def totals(measures: Sequence[Measure]) -> dict[str, Any]:
    """Sums, means and quantiles over runs, as reports and comparisons show them."""
    runs = len(measures)
    wasted: Counter[str] = Counter()
    for each in measures:
        wasted.update(each.wasted)
    priced = [each.usd for each in measures if each.usd is not None]
    budgeted = [each for each in measures if each.over_budget is not None]
    return {
        "runs": runs,
        "modelCalls": mean([each.model_calls for each in measures]),
        "toolCalls": mean([each.tool_calls for each in measures]),
        "toolCallsInAll": sum(each.tool_calls for each in measures),
        "withinBudget": [sum(not each.over_budget for each in budgeted), len(budgeted)],
        "inputTokens": mean([each.input_tokens for each in measures]),
        "outputTokens": mean([each.output_tokens for each in measures]),
        "retries": sum(each.retries for each in measures),
        "atCap": sum(each.at_cap for each in measures),
        "forced": sum(each.forced for each in measures),
        "forcedAnswered": sum(each.forced and each.answered for each in measures),
        "fragments": sum(each.fragment for each in measures),
        "endedBy5xx": sum(each.failing for each in measures),
        "secondsP50": quantile([each.seconds for each in measures], 0.5),
        "secondsP95": quantile([each.seconds for each in measures], 0.95),
        "usd": sum(priced) if priced else None,
        "runsWithPrice": len(priced),
        "wasted": {fate: wasted[fate] for fate in WASTED if wasted[fate]},
        "errors": dict(sorted(Counter(each.outcome for each in measures if not each.answered).items())),
    }


def mean(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that so large a share of the values does not exceed, 0 of nothing."""
    ranked = sorted(values)
    return ranked[max(0, math.ceil(share * len(ranked)) - 1)] if ranked else 0.0
