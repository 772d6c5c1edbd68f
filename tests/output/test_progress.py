"""One line of what a model call does before its answer."""

from __future__ import annotations

import pytest

from kubectl_berth.output.progress import Progress
from kubectl_berth.output.screen import NO_LIMIT, width
from kubectl_berth.records import Waiting


def progress(notes: str = "", *waits: tuple[str, float]) -> Progress:
    made = Progress()
    made.notes(notes)
    for doing, seconds in waits:
        made.waits(Waiting(doing, seconds))
    return made


def test_what_it_does_and_for_how_long() -> None:
    assert progress("", ("m is loading", 1.0), ("m is loading", 2.0)).line(80) == "m is loading: 2 s"


def test_the_latest_note_is_shown_without_its_marks() -> None:
    made = progress("**First**\n\n## Now the events\n", ("m is thinking", 3.0))
    assert made.line(80) == "m is thinking: 3 s; Now the events"
    assert progress("First.\nThen the pods").line(80) == "Then the pods"


@pytest.mark.parametrize("columns", [36, 40, 80])
def test_it_fits_on_one_line_and_shows_the_end_of_a_long_note(columns: int) -> None:
    line = progress("one two three 漢字漢字 four five six seven eight nine ten", ("m thinks", 3.0)).line(columns)
    assert sum(map(width, line)) <= columns
    assert line.endswith("nine ten")
    assert progress("one two three", ("m thinks", 3.0)).line(30) == "m thinks: 3 s"


def test_no_control_character_of_a_note_reaches_the_line() -> None:
    line = progress("go \x1b]0;title\x07 on \x1b[31mred", ("m", 1.0)).line(80)
    assert line.isprintable()


def test_where_lines_stay_they_come_after_ten_twenty_forty_seconds() -> None:
    made = Progress()
    due = []
    for second in range(1, 101):
        made.waits(Waiting("m is loading", float(second)))
        if made.is_due():
            due.append((second, made.line(NO_LIMIT)))
    assert due == [
        (10, "m is loading: 10 s"),
        (20, "m is loading: 20 s"),
        (40, "m is loading: 40 s"),
        (80, "m is loading: 80 s"),
    ]
