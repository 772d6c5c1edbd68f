"""A report as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kubectl_berth.evals.report_words import LIMITS, between, how, number, percent, share, took, who
from kubectl_berth.evals.summary import why


def markdown(found: Mapping[str, Any]) -> str:
    """The report, ready to be committed or pasted."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    plan, overall = found["plan"], found["overall"]
    yield f"# Evaluation of {who(plan)}"
    yield ""
    yield f"{found['started']} to {found['ended']}: {how(plan)}."
    if found["missing"]:
        runs = "1 run is" if found["missing"] == 1 else f"{found['missing']} runs are"
        yield f"**Not finished: {runs} missing.**"
    if found["noIntervals"]:
        yield ""
        yield f"Without intervals: {found['noIntervals']}."
    yield ""
    repeats = plan["repeats"]
    yield from _table(
        ("", "pass@1", "passed", "95 % of runs", "95 % of scenarios", f"pass^{repeats}"),
        (_rate_row(name, group) for name, group in (("**all**", overall), *_named(found["parts"]))),
    )
    yield ""
    yield "## What the runs took"
    yield ""
    yield from _table(("", ""), took(overall["took"]))
    yield ""
    yield "## By category"
    yield ""
    yield from _table(
        ("category", "pass@1", "passed", "95 % of runs", "95 % of scenarios", f"pass^{repeats}"),
        (_rate_row(name, group) for name, group in _named(found["categories"])),
    )
    yield ""
    yield "## By scenario"
    yield ""
    yield from _scenarios(found)
    yield ""
    yield "## What failed"
    yield ""
    yield from _failed(found)
    yield from _reported(found["reported"])
    yield from _revised(found["revised"], overall)
    yield ""
    yield "## What these figures cannot say"
    yield ""
    yield from (f"- {words}" for words in LIMITS)


def _named(groups: Iterable[Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(group["name"], group) for group in groups]


def _rate_row(name: str, group: Mapping[str, Any]) -> list[str]:
    return [
        name,
        percent(group["rate"]),
        f"{group['passed']}/{group['runs']}",
        between(group["interval"]),
        between(group["clustered"]),
        share(*group["everyTime"]),
    ]


def _scenarios(found: Mapping[str, Any]) -> Iterator[str]:
    tokens = any(each["took"]["inputTokens"] for each in found["scenarios"])
    header = ["scenario", "passed", "95 % (Wilson)", "tool calls", "budget", "seconds"]
    rows = []
    for each in found["scenarios"]:
        total = each["took"]
        row = [
            each["name"],
            f"{each['passed']}/{each['runs']}",
            between(each["interval"]),
            number(total["toolCalls"]),
            str(each["budget"] or "-"),
            f"{total['secondsP50']:.1f}",
        ]
        if tokens:
            row += [number(total["modelCalls"]), number(total["inputTokens"]), number(total["outputTokens"])]
        rows.append(row)
    yield from _table([*header, *(["model calls", "tokens in", "out"] if tokens else [])], rows)


def _failed(found: Mapping[str, Any]) -> Iterator[str]:
    if not found["failed"]:
        yield "Nothing."
        return
    yield from _table(
        ("run", "why"), ((f"{each['scenario']} #{each['repeat']}", why(each, 300)) for each in found["failed"])
    )
    yield ""
    yield "By check: " + ", ".join(f"{name} {count}" for name, count in found["failedChecks"].items()) + "."


def _reported(reported: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    missed = [each for each in reported if each["passed"] < each["runs"]]
    if missed:
        yield ""
        yield (
            "Checks that do not gate and did not always pass: "
            + ", ".join(f"{each['name']} {each['passed']}/{each['runs']}" for each in missed)
            + "."
        )


def _revised(revised: Mapping[str, Any], overall: Mapping[str, Any]) -> Iterator[str]:
    if not (revised["corrections"] or revised["overall"]):
        return
    yield ""
    yield "## Corrected after these results had been seen"
    yield ""
    if revised["corrections"]:
        yield from _table(
            ("scenario", "what", "date", "note"),
            ((each["scenario"], each["what"], each["date"] or "-", each["note"]) for each in revised["corrections"]),
        )
    if revised["overall"]:
        yield ""
        yield from _table(
            ("verdicts", "pass@1", "passed", "95 % of runs", "95 % of scenarios", "every time"),
            (
                _rate_row("original", overall),
                _rate_row(f"by the checks of {revised['rescored']}", revised["overall"]),
            ),
        )
        for each in revised["changed"]:
            then, now = ("passed" if each[when] else "failed" for when in ("original", "revised"))
            yield f"\n{each['scenario']} #{each['repeat']}: {then}, now {now}."
    elif any(each["what"] == "checks" for each in revised["corrections"]):
        yield ""
        yield "The figures above are those of the checks as they were; `--rescore` shows today's beside them."


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(header) + " |"
    yield "| " + " | ".join("---" for _ in header) + " |"
    for row in rows:
        yield "| " + " | ".join(_cell(each) for each in row) + " |"


def _cell(text: str) -> str:
    return " ".join(str(text).replace("|", "\\|").replace("<", "&lt;").split())
