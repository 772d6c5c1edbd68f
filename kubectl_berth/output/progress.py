"""What a model call shows of itself before there is an answer: how long it takes, and the model's latest note."""

from __future__ import annotations

from dataclasses import dataclass

from kubectl_berth.output import screen
from kubectl_berth.records import Waiting
from kubectl_berth.safety.sanitise import sanitise

FIRST_LINE_SECONDS = 10.0
"""Where no line can be replaced by the next, the first comes after this long, each later one after twice as long."""

LEAST_NOTE = 20
"""Columns that a note needs; with less room for it only the time is shown."""

MOST_NOTES = 2000
"""Characters of the model's notes that are kept."""


@dataclass
class Progress:
    """One model call before its answer."""

    _doing: str = ""
    _seconds: float = 0.0
    _notes: str = ""
    _next_line: float = FIRST_LINE_SECONDS

    def notes(self, text: str) -> None:
        """The model's notes go on."""
        self._notes = (self._notes + text)[-MOST_NOTES:]

    def waits(self, event: Waiting) -> None:
        """It takes longer."""
        self._doing, self._seconds = event.doing, event.seconds

    def is_due(self) -> bool:
        """True where it is time for a line that stays."""
        if self._seconds < self._next_line:
            return False
        self._next_line *= 2
        return True

    def line(self, columns: int) -> str:
        """What it does and for how long, then as much of the end of its latest note as there is room for."""
        label = f"{self._doing}: {self._seconds:.0f} s" if self._doing else ""
        lines = [line.strip(" *#") for line in sanitise(self._notes).splitlines()]
        note = next((line for line in reversed(lines) if line), "")
        between = "; " if label else ""
        room = columns - len(label + between)
        if not note or room < LEAST_NOTE or columns >= screen.NO_LIMIT:
            return screen.cut(label, columns)
        return label + between + screen.tail(note, room)
