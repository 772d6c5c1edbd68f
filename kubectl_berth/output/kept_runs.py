"""Runs that were kept: a line each in a list, one of them whole, fields for a script."""

from __future__ import annotations

from typing import Any

from kubectl_berth.output import words
from kubectl_berth.output.json_document import plain
from kubectl_berth.records import Result
from kubectl_berth.safety.gate import shown
from kubectl_berth.safety.sanitise import one_line


def run_line(id: str, result: Result) -> str:
    """One run of the list."""
    where = one_line(result.cluster.name, 24) if result.cluster else "-"
    return f"{id}  {result.outcome:<12}  {result.engine:<7}  {where:<24}  {one_line(result.question, 80)}"


def run_text(result: Result, host: str) -> str:
    """What was asked, looked up and answered, and what it cost; `host` is where it went, "" for this machine."""
    lines = []
    if result.cluster:
        where = result.cluster
        lines.append(f"cluster: {one_line(where.name)} ({where.source}), {where.version}, namespace {where.namespace}")
    lines += [f"engine: {result.engine}" + (f", {result.model}" if result.model else ""), f"outcome: {result.outcome}"]
    lines += [f"question: {one_line(result.question, 2000)}", *(words.call(entry) for entry in result.trace)]
    lines += ["", shown(result.answer) or f"error: {one_line(result.error or '', 2000)}", ""]
    lines += [words.gap(gap) for gap in result.gaps]
    return "\n".join([*lines, words.closing(result, host)]) + "\n"


def run_document(id: str, time: str, result: Result) -> dict[str, Any]:
    """One run of the list as fields; `time` is when it began."""
    head = {
        "id": id,
        "time": time,
        "cluster": result.cluster and result.cluster.name,
        "engine": result.engine,
        "model": result.model,
        "outcome": result.outcome,
        "question": result.question,
        "tool_calls": len(result.trace),
        "seconds": round(result.seconds, 3),
        "usd": result.cost and result.cost.usd,
    }
    content: dict[str, Any] = plain(head)
    return content
