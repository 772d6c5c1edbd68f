"""What doctor found: lines for a person, fields for a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kubectl_berth.records import Point
from kubectl_berth.safety.gate import shown_line

SCHEMA = "berth.dev/v1/doctor"
MARKS = {"ok": "ok", "note": "note", "missing": "MISSING", "failed": "FAILED"}
LINE = 2000


def point_text(point: Point) -> str:
    """The point with its mark, and what more there is to say under it."""
    lines = [f"{MARKS[point.state]:<8}{point.name}: {shown_line(point.words, LINE)}"]
    lines += [f"{'':<10}{shown_line(line, LINE)}" for line in point.lines]
    return "\n".join(lines) + "\n"


def doctor_document(points: Sequence[Point], status: int) -> dict[str, Any]:
    """All points, and the exit status that they come to."""
    found = [
        {
            "name": point.name,
            "state": point.state,
            "summary": shown_line(point.words, LINE),
            "lines": [shown_line(line, LINE) for line in point.lines],
            "details": _shown(point.details),
        }
        for point in points
    ]
    return {"schema": SCHEMA, "ok": status == 0, "exit_status": status, "points": found}


def _shown(details: Any) -> Any:
    """The details with every text in them cleaned and redacted."""
    if isinstance(details, Mapping):
        return {name: _shown(value) for name, value in details.items()}
    if isinstance(details, list):
        return [_shown(value) for value in details]
    return shown_line(details, LINE) if isinstance(details, str) else details
