"""Figures of a report as words, the same in Markdown and on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

LIMITS = (
    "A figure says how often this engine passed these checks on these clusters. It says nothing of clusters that are "
    "unlike them, and a scenario that was looked at while prompts or checks were written flatters.",
    "The interval around a share of runs (Wilson) takes runs for independent. Runs of one scenario are not, so where "
    "there are several the interval that draws scenarios is the one to go by; it is wider.",
    "A check reads words. It can fail a right answer and pass a wrong one; read the transcripts of what failed, and "
    "some of what passed.",
    "Nothing failed in n runs still leaves up to about 3/n: 60 clean runs do not show that fewer than 5 % fail.",
    "Cost is an estimate from a table of prices. Latency is that of this machine, network and hour.",
)
"""What the figures cannot say."""


def percent(share: float | None) -> str:
    """A share as a whole percentage, "-" for none."""
    return "-" if share is None else f"{share:.0%}"


def between(interval: Sequence[float] | None) -> str:
    """An interval as "89-100 %", "-" for none."""
    return "-" if interval is None else f"{interval[0] * 100:.0f}-{interval[1] * 100:.0f} %"


def share(passed: int, of: int) -> str:
    """A count of a count, with its percentage."""
    return f"{passed} of {of}" + (f" ({passed / of:.0%})" if of else "")


def number(value: float) -> str:
    """A mean as people write it: 3.4, 812, 12,300."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def usd(value: float | None) -> str:
    """Dollars, "-" where no price is known or nothing is paid."""
    return "-" if value is None else f"${value:.4f}"


def who(plan: Mapping[str, Any]) -> str:
    """Engine and model."""
    return f"{plan['engine']} {plan['model']}" if plan["model"] else str(plan["engine"])


def how(plan: Mapping[str, Any]) -> str:
    """Under what all runs were made."""
    repeats = "once" if plan["repeats"] == 1 else f"{plan['repeats']} times"
    cap = f", at most {plan['cap']} model calls" if plan["cap"] else ""
    sizes = f"; prompt {plan['prompt']['bytes']:,} bytes, tools {plan['tools']['bytes']:,} bytes"
    return f"set {plan['of']}, each {repeats}{cap}; berth {plan['berth']}{sizes if plan['model'] else ''}"


def took(total: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the runs took, label and value. What only models have is left out where no model was asked."""
    runs = total["runs"]
    within, budgeted = total["withinBudget"]
    wasted = sum(total["wasted"].values())
    kinds = ", ".join(f"{count} {fate}" for fate, count in total["wasted"].items())
    found = [
        ("tool calls a run", number(total["toolCalls"])),
        ("within the scenario's tool calls", share(within, budgeted)),
        ("tool calls that brought nothing", share(wasted, total["toolCallsInAll"]) + (f": {kinds}" if kinds else "")),
        ("latency, median and 95 %", f"{total['secondsP50']:.1f} s, {total['secondsP95']:.1f} s"),
    ]
    if total["modelCalls"]:
        found += [
            ("model calls a run", number(total["modelCalls"])),
            ("tokens a run, in and out", f"{number(total['inputTokens'])}, {number(total['outputTokens'])}"),
            ("retries", str(total["retries"])),
            ("runs that reached the cap", share(total["atCap"], runs)),
            ("forced last calls that answered", share(total["forcedAnswered"], total["forced"])),
            ("fragments", str(total["fragments"])),
            ("ended by a provider's 5xx", str(total["endedBy5xx"])),
            ("cost in all, estimated", usd(total["usd"])),
        ]
    errors = ", ".join(f"{count} {name}" for name, count in total["errors"].items())
    found.append(("ended without an answer", errors or "none"))
    return found
