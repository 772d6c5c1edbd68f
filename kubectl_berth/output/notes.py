"""Notes about past incidents: lines for a person, fields for a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubectl_berth.records import Incident


def notes_list(found: Sequence[Incident]) -> str:
    """A line for each note."""
    wide = max((len(note.cluster) for note in found), default=0)
    return "".join(f"{note.number:>4}  {note.time:%Y-%m-%d}  {note.cluster:<{wide}}  {note.title}\n" for note in found)


def note_text(note: Incident) -> str:
    """One note, a line for each part that it has."""
    noted = f"{note.time:%Y-%m-%d %H:%M} UTC"
    parts = [("title", note.title), ("cluster", note.cluster), ("noted", noted), ("about", note.about)]
    parts += [("root cause", note.root_cause), ("fix", note.fix)]
    return "".join(f"{label + ':':<12}{value}\n" for label, value in parts if value)


def note_document(note: Incident) -> dict[str, Any]:
    """One note as fields."""
    return {
        "number": note.number,
        "cluster": note.cluster,
        "time": note.time.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "title": note.title,
        "rootCause": note.root_cause,
        "fix": note.fix,
        "about": note.about,
    }
