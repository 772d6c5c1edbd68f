"""A report as one page that needs no network and no script: charts, tables, and the transcript of every run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from kubectl_berth.evals.charts import bar_row, rate_row, two_bars_row
from kubectl_berth.evals.report_style import STYLE
from kubectl_berth.evals.report_words import LIMITS, between, how, number, percent, share, took, who
from kubectl_berth.evals.transcripts import anchor, transcript

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What the page may load: nothing."""


def page(found: Mapping[str, Any], runs: Iterable[Mapping[str, Any]]) -> str:
    """The page. `runs` are what transcripts.run_of gives, in the order they are shown."""
    plan = found["plan"]
    title = escape(f"Evaluation of {who(plan)}")
    lacking = "1 run is" if found["missing"] == 1 else f"{found['missing']} runs are"
    missing = f"<p class=warn>Not finished: {lacking} missing.</p>" if found["missing"] else ""
    if found["noIntervals"]:
        missing += f"<p class=warn>Without intervals: {escape(found['noIntervals'])}.</p>"
    return (
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name=viewport content="width=device-width, initial-scale=1">\n'
        '<meta name=color-scheme content="light dark">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n<p class=quiet>{escape(found['started'])} to {escape(found['ended'])}: "
        f"{escape(how(plan))}</p>\n{missing}"
        + _tiles(found)
        + _rates(found)
        + _calls(found["scenarios"])
        + _tokens(found["scenarios"])
        + _took(found["overall"]["took"])
        + _failed(found)
        + _revised(found["revised"], found["overall"])
        + _transcripts(runs)
        + "<h2>What these figures cannot say</h2>\n<ul>"
        + "".join(f"<li>{escape(words)}</li>" for words in LIMITS)
        + "</ul>\n</main>\n</body>\n</html>\n"
    )


def _tiles(found: Mapping[str, Any]) -> str:
    overall, repeats = found["overall"], found["plan"]["repeats"]
    interval = overall["clustered"] or overall["interval"]
    tiles = [
        ("pass@1", percent(overall["rate"]), f"{overall['passed']} of {overall['runs']}; {between(interval)}"),
        (f"pass^{repeats}", _percent_of(*overall["everyTime"]), f"{share(*overall['everyTime'])} passed every time"),
    ]
    tiles += [
        (part["name"], percent(part["rate"]), f"{part['passed']} of {part['runs']}; {between(part['interval'])}")
        for part in found["parts"]
    ]
    return (
        "<div class=tiles>"
        + "".join(
            f"<div class=tile><span>{escape(name)}</span><b>{escape(value)}</b>"
            f"<span class=quiet>{escape(words)}</span></div>"
            for name, value, words in tiles
        )
        + "</div>\n"
    )


def _percent_of(passed: int, of: int) -> str:
    return percent(passed / of) if of else "-"


def _chart(title: str, words: str, rows: Iterable[tuple[str, str, str]]) -> str:
    """A chart: rows of a name (HTML), a drawing and a figure."""
    return (
        f"<h2>{escape(title)}</h2>\n<p class=quiet>{escape(words)}</p>\n<div class=chart>"
        + "".join(
            f"<div class=row><div class=name>{name}</div><div class=draw>{drawing}</div>"
            f"<div class=figure>{escape(figure)}</div></div>"
            for name, drawing, figure in rows
        )
        + "</div>\n"
    )


def _rates(found: Mapping[str, Any]) -> str:
    def row(name: str, group: Mapping[str, Any]) -> tuple[str, str, str]:
        interval = group["clustered"] or group["interval"]
        drawing = rate_row(group["passed"], group["runs"], interval)
        return name, drawing, f"{group['passed']}/{group['runs']}  {between(interval)}"

    groups = [
        ("By category", [row(escape(each["name"]), each) for each in found["categories"]]),
        ("By scenario", [row(_link(each["name"]), each) for each in found["scenarios"]]),
    ]
    words = "Share of runs that passed, from 0 to 100 %, with its 95 % interval."
    return "".join(_chart(title, words, rows) for title, rows in groups)


def _link(label: str) -> str:
    """A scenario's name that leads to its first transcript."""
    return f'<a href="#{anchor(label, 1)}">{escape(label)}</a>'


def _calls(scenarios: Sequence[Mapping[str, Any]]) -> str:
    most = max([each["took"]["toolCalls"] for each in scenarios] + [each["budget"] or 0 for each in scenarios])
    rows = []
    for each in scenarios:
        calls, budget = each["took"]["toolCalls"], each["budget"]
        figure = f"{number(calls)} of {budget}" if budget else number(calls)
        rows.append((_link(each["name"]), bar_row(calls, most, f"{figure} tool calls", budget), figure))
    return _chart("Tool calls", "Tool calls a run; the mark is what a good answer needs at most.", rows)


def _tokens(scenarios: Sequence[Mapping[str, Any]]) -> str:
    sums = [each["took"]["inputTokens"] + each["took"]["outputTokens"] for each in scenarios]
    if not any(sums):
        return "<h2>Tokens</h2>\n<p class=quiet>No model was asked, so there are none.</p>\n"
    rows = []
    for each in scenarios:
        given, got = each["took"]["inputTokens"], each["took"]["outputTokens"]
        figure = f"{number(given)} + {number(got)}"
        rows.append((_link(each["name"]), two_bars_row(given, got, max(sums), f"{figure} tokens"), figure))
    return _chart("Tokens", "Tokens a run: what the model was given, and what it wrote (the darker part).", rows)


def _took(total: Mapping[str, Any]) -> str:
    return "<h2>What the runs took</h2>\n" + _table((), took(total))


def _failed(found: Mapping[str, Any]) -> str:
    if not found["failed"]:
        return "<h2>What failed</h2>\n<p>Nothing.</p>\n"
    rows = []
    for each in found["failed"]:
        name = f"{each['scenario']} #{each['repeat']}"
        link = f'<a href="#{anchor(each["scenario"], each["repeat"])}">{escape(name)}</a>'
        reasons = [f"{each['outcome']}: {each['error']}"] if each["error"] else []
        reasons += [f"{check['name']}: {check['why']}" for check in each["checks"]]
        rows.append(f"<tr><td>{link}</td><td>{'<br>'.join(map(escape, reasons))}</td></tr>")
    return "<h2>What failed</h2>\n<div class=scroll><table>" + "".join(rows) + "</table></div>\n"


def _revised(revised: Mapping[str, Any], overall: Mapping[str, Any]) -> str:
    if not (revised["corrections"] or revised["overall"]):
        return ""
    parts = ["<h2>Corrected after these results had been seen</h2>\n"]
    parts.append(
        _table(
            ("scenario", "what", "date", "note"),
            [(each["scenario"], each["what"], each["date"] or "-", each["note"]) for each in revised["corrections"]],
        )
    )
    if revised["overall"]:
        rows = (("original", overall), (f"by the checks of {revised['rescored']}", revised["overall"]))
        parts.append(
            _table(
                ("verdicts", "passed", "interval"),
                [(name, share(group["passed"], group["runs"]), between(group["interval"])) for name, group in rows],
            )
        )
        for each in revised["changed"]:
            then, now = ("passed" if each[when] else "failed" for when in ("original", "revised"))
            parts.append(f"<p>{escape(each['scenario'])} #{each['repeat']}: {then}, now {now}.</p>\n")
    return "".join(parts)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "<tr>" + "".join(f"<th>{escape(each)}</th>" for each in header) + "</tr>" if header else ""
    body = "".join("<tr>" + "".join(f"<td>{escape(str(each))}</td>" for each in row) + "</tr>" for row in rows)
    return f"<div class=scroll><table>{head}{body}</table></div>\n"


def _transcripts(runs: Iterable[Mapping[str, Any]]) -> str:
    return "<h2>Transcripts</h2>\n" + "".join(transcript(run) for run in runs)
