"""The transcript of one run: the question, what was called and returned, the answer, and every check on it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from typing import Any

from kubectl_berth.errors import UsageError
from kubectl_berth.evals.results import Results, Row
from kubectl_berth.investigation.record import decode

MOST = 6000
"""Characters of one tool result on the page; the record beside the results holds all of it."""


def run_of(results: Results, row: Row) -> dict[str, Any]:
    """What the page shows of a run: its row, and from its record what each tool returned and what was told before."""
    content = results.record(row.key)
    returned: dict[int, str] = {}
    told: tuple[str, ...] = ()
    if content is not None:
        try:
            record = decode(content, str(results.record_path(row.key)))
        except UsageError:
            record = None
        if record is not None:
            returned = {each.entry.n: each.result.text for each in record.tool_results()}
            told = record.told
    return {
        "label": row.label,
        "repeat": row.repeat,
        "passed": row.passed,
        "failed": [check["name"] for check in row.failed],
        "document": row.document,
        "checks": row.verdict["checks"],
        "returned": returned,
        "told": "\n".join(told),
    }


def anchor(label: str, repeat: int) -> str:
    """The page's own address of a run."""
    return "run-" + re.sub(r"[^A-Za-z0-9]+", "-", f"{label}-{repeat}").strip("-")


def transcript(run: Mapping[str, Any]) -> str:
    """The run as HTML, folded."""
    document = run["document"]
    word = "passed" if run["passed"] else "failed"
    failed = f" <span class=quiet>{escape(', '.join(run['failed']))}</span>" if run["failed"] else ""
    answer = document.get("answer") or document.get("error") or ""
    calls = "".join(_call(entry, run["returned"]) for entry in document.get("trace") or [])
    return (
        f"<details><summary><b class={word}>{word}</b> {escape(run['label'])} #{run['repeat']}{failed}</summary>\n"
        f'<div class=run id="{anchor(run["label"], run["repeat"])}">\n'
        f"<p><b>{escape(str(document.get('question', '')))}</b></p>\n"
        + (
            f"<details><summary>brief</summary><pre>{escape(run['told'][:MOST])}</pre></details>\n"
            if run["told"]
            else ""
        )
        + calls
        + f"<pre class=answer>{escape(str(answer))}</pre>\n"
        + "<div class=scroll><table>"
        + "".join(_check(check) for check in run["checks"])
        + "</table></div>\n</div></details>\n"
    )


def _call(entry: Mapping[str, Any], returned: Mapping[int, str]) -> str:
    arguments = json.dumps(entry.get("arguments"), ensure_ascii=False)
    head = f"{entry['n']}. {entry['tool']} {arguments} - {entry['fate']}, {entry['bytes']} bytes"
    text = returned.get(entry["n"], entry.get("error") or "")
    cut = f"\n... {len(text) - MOST} more characters are in the record" if len(text) > MOST else ""
    return f"<details><summary>{escape(head)}</summary><pre>{escape(text[:MOST] + cut)}</pre></details>\n"


def _check(check: Mapping[str, Any]) -> str:
    word = "passed" if check["passed"] else "failed"
    kind = check["kind"] + ("" if check["critical"] else ", reported only")
    cells = (word, check["name"], kind, check["why"])
    return "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"
