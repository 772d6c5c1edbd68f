"""The one sentence on what is wrong with a custom resource."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from kubectl_berth.cluster.views import CustomResource
from kubectl_berth.diagnosis.health import Signal, phases, ready_pairs
from kubectl_berth.diagnosis.members import bad_members
from kubectl_berth.diagnosis.plights import Reason, expired
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.diagnosis.wording import decisive, telling
from kubectl_berth.records import Severity

LONGEST = 240
_COUNTED = ("ReadyBelowDesired", "PhaseBad", "MemberBad", "Expired")


def summary(
    view: CustomResource, signals: Sequence[Signal], told: Sequence[Reason], lacking: Sequence[str], now: datetime
) -> str:
    """What is wrong: figures first, then what a condition says, then the text that says why where no condition does.

    `told` are the reasons that stand elsewhere in the status and in events; `lacking` what the spec names in vain.
    """
    status: dict[str, Any] = view.status if isinstance(view.status, dict) else {}
    spec = view.spec if isinstance(view.spec, dict) else {}
    short = [pair for pair in ready_pairs(spec, status) if pair.ready < pair.desired]
    parts = [f"{short[0].ready} of {short[0].desired} ready"] if short else []
    over = expired(view, now)
    parts += [over] if over else []
    phase = _phase(status, signals)
    parts += [phase] if phase else []
    first = _first(signals, over)
    if first is not None and len(parts) < 3 and not (phase and _reason(phase) and _reason(phase) in first.words):
        parts.append(_without_field(first, LONGEST))
    parts = parts or [decisive(signals[0].words, LONGEST)]
    parts += _why(parts, signals, told, lacking)
    unwell = [name for name in dict.fromkeys(name for name, _ in bad_members(status)) if name not in " ".join(parts)]
    return ", ".join([*parts, *([f"not well: {listed(unwell, 3)}"] if unwell else [])])


def _phase(status: dict[str, Any], signals: Sequence[Signal]) -> str:
    """What the status calls its phase, with why where that is a bad one; "" where a signal says it already."""
    if any(one.reason == "StateStuck" for one in signals):
        return ""
    bad = next(
        (one for one in signals if one.reason == "PhaseBad" and one.words.partition(": ")[0].count(".") == 1), None
    )
    if bad is not None:
        return _without_field(bad, LONGEST)
    return next((decisive(text, 120) for where, text in phases(status) if where.count(".") == 1), "")


def _first(signals: Sequence[Signal], over: str) -> Signal | None:
    """The signal that says most: of the worst ones that with a reason in it."""
    worst: Severity = signals[0].severity
    rest = [one for one in signals if one.reason not in _COUNTED and not (over and "xpired" in one.words)]
    return max(rest, key=lambda one: (one.severity == worst, telling(one.words), len(one.words) > 120), default=None)


def _reason(words: str) -> str:
    """What stands in brackets behind a phase."""
    return words.partition(" (")[2].removesuffix(")")


def _without_field(signal: Signal, limit: int) -> str:
    """The signal's words without the field that holds them, unless they say nothing without it ("ready: false")."""
    field, colon, words = signal.words.partition(": ")
    if words in ("true", "false"):
        return f"{field.rpartition('.')[2]} {words}"
    return decisive(words if colon and " " not in field else signal.words, limit)


def _why(parts: Sequence[str], signals: Sequence[Signal], told: Sequence[Reason], lacking: Sequence[str]) -> list[str]:
    """The text that says why, where the parts so far do not."""
    if telling(" ".join(parts)):
        return []
    if lacking:
        return [lacking[0]]
    best = max(told, key=lambda one: telling(one.text), default=None)
    if best is not None and telling(best.text):
        inner = best.where.startswith("status.") and best.where.count(".") > 1
        where = f"{best.where.rpartition('.')[0].removeprefix('status.')}: " if inner else ""
        return [f"{where}{decisive(best.text, LONGEST)}"]
    more = [one for one in signals if telling(one.words)]
    return [_without_field(more[0], LONGEST)] if more else []
