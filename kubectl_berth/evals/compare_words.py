"""A comparison for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_berth.evals.compare import drawn
from kubectl_berth.evals.report_words import between, number, share, usd, who

CHANCE = 0.05


def text(found: Mapping[str, Any]) -> str:
    """The comparison: the tests that heed scenarios first, those that do not beside them, then who flipped."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    before, after = found["before"], found["after"]
    for name, one in (("A", before), ("B", after)):
        yield (
            f"{name}  {one['results']}: {who(one)}, berth {one['berth']}: {share(one['passed'], one['runs'])} passed, "
            f"{between(one['interval'])}"
        )
    yield f"   they differ: {found['differ']}"
    yield f"   {found['pairs']} pairs of runs, {found['scenarios']} scenarios (twins counted with theirs)"
    yield from (f"   left out: {words}" for words in found["leftOut"])
    yield ""
    interval, flips = found["interval"], found["signFlip"]
    ends = f", 95 % {interval[0] * 100:+.0f} to {interval[1] * 100:+.0f} points" if interval else ""
    yield f"effect          {found['effect'] * 100:+.1f} points{ends} (drawing scenarios)"
    yield f"sign flip       p = {flips['p']:.3f} ({drawn(flips['exact'])})"
    yield f"Fisher, pooled  p = {found['fisher']:.3f} (takes all runs for independent and unpaired)"
    counts = found["mcnemar"]
    yield f"McNemar         p = {counts['p']:.3f} ({counts['better']} better, {counts['worse']} worse, by majority)"
    yield _verdict(found)
    yield ""
    yield from _flips("failed before, pass now", found["gained"])
    yield from _flips("passed before, fail now", found["lost"])
    yield ""
    yield from _sizes(before, after)


def _verdict(found: Mapping[str, Any]) -> str:
    if not (found["gained"] or found["lost"]):
        return "No run changed."
    if found["signFlip"]["p"] < CHANCE:
        return f"B is {'better' if found['effect'] > 0 else 'worse'}: chance alone seldom gives so much."
    return "Chance alone may well give such a difference; more scenarios, or more repeats, would tell."


def _flips(words: str, names: list[str]) -> Iterator[str]:
    yield f"{words}: {len(names)}"
    yield from (f"  {name}" for name in names)


def _sizes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    then, now = before["took"], after["took"]
    rows = [
        ("prompt bytes", f"{before['promptBytes']:,}", f"{after['promptBytes']:,}"),
        ("tool bytes", f"{before['toolBytes']:,}", f"{after['toolBytes']:,}"),
        *(
            (words, number(then[name]), number(now[name]))
            for words, name in (
                ("model calls a run", "modelCalls"),
                ("tool calls a run", "toolCalls"),
                ("tokens in a run", "inputTokens"),
                ("tokens out a run", "outputTokens"),
            )
        ),
        ("seconds, median", f"{then['secondsP50']:.1f}", f"{now['secondsP50']:.1f}"),
        ("retries", str(then["retries"]), str(now["retries"])),
        ("cost, estimated", usd(then["usd"]), usd(now["usd"])),
    ]
    yield f"{'':<18}{'A':>12}{'B':>12}"
    yield from (f"{name:<18}{one:>12}{other:>12}" for name, one, other in rows)
