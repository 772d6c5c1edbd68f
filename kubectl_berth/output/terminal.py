"""What a person reads: the answer on stdout, everything else on stderr.

On a terminal the text of a turn streams to stdout as it comes, rendered block by block, and gives way when the turn
ends in a tool call. In a pipe or a file it is held until it is known to be the answer, and written as it is. No escape
byte goes where nobody obeys it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kubectl_berth.environment import Environment
from kubectl_berth.output import screen, words
from kubectl_berth.output.progress import Progress
from kubectl_berth.output.turn import Turn
from kubectl_berth.records import (
    Event,
    ModelCallStarting,
    Notice,
    Result,
    Retry,
    RunStarted,
    Text,
    Thinking,
    ToolCalled,
    ToolReturned,
    Waiting,
)
from kubectl_berth.safety.gate import shown, shown_line
from kubectl_berth.safety.sanitise import one_line, sanitise

Trace = Literal["none", "brief", "full"]


@dataclass
class Terminal:
    """Shows one run. `answer` False keeps stdout for another writer (json, jsonl)."""

    environment: Environment
    trace: Trace = "brief"
    quiet: bool = False
    answer: bool = True
    host: str = ""
    _turn: Turn = field(init=False)
    _held: list[str] = field(default_factory=list, init=False)
    _status_shown: bool = field(default=False, init=False)
    _progress: Progress = field(default_factory=Progress, init=False)

    def __post_init__(self) -> None:
        stdout = self.environment.stdout
        self._turn = Turn(stdout, renders=screen.shows_unicode(stdout, self.environment))

    def event(self, event: Event) -> None:
        """Shows one event as it happens."""
        match event:
            case RunStarted():
                self.host = event.host
                # where data goes is said even where silence was asked for
                self.line(words.destination(event), always=bool(event.host))
            case ModelCallStarting():
                self._give_way()
                self._progress = Progress()
                self._status(f"model call {event.number}")
            case Text():
                self._stream(event.text)
            case Thinking():
                self._progress.notes(event.text)
                self._show_progress()
            case Waiting():
                self._progress.waits(event)
                self._show_progress()
            case ToolCalled():
                self._give_way()
                self._status(f"{one_line(event.tool, 60)} ...")
            case ToolReturned():
                self._show_call(event)
            case Retry():
                self._give_way()
                self.line(f"asking again: {shown_line(event.reason, 200)}")
            case Notice():
                self.line(shown_line(event.text, 2000))

    def result(self, result: Result) -> None:
        """Shows how the run ended: the answer on stdout, or an error line; then gaps, sum and cost."""
        self._clear_status()
        if result.answer:
            self._finish(shown(result.answer).strip())
        else:
            self._give_way()
        self._release()
        if result.error is not None:
            self.error(result.error)
            for finding in [each for each in result.findings if each.cause][:5]:
                self.line(f"found before the end: {words.finding(finding)}")
        for gap in result.gaps:
            self.line(words.gap(gap))
        if result.not_in_evidence:
            self.line(words.unseen(result.not_in_evidence))
        for remark in result.remarks:
            self.line(f"note: {shown_line(remark, 800)}")
        self.line(words.closing(result, self.host))

    def error(self, text: str) -> None:
        """An error's line on stderr, also where silence was asked for."""
        self._write(f"error: {shown_line(text, 2000)}\n")

    def line(self, text: str, *, always: bool = False) -> None:
        """One line on stderr; under text that still streams it waits, so that the text can be taken back."""
        if self.quiet and not always:
            return
        if self._turn.visible:
            self._held.append(text)
        else:
            self._write(self._dim(text) + "\n")

    # --- the text of a turn ---------------------------------------------------------------------------------------

    def _stream(self, text: str) -> None:
        if not self._streams():
            return
        self._clear_status()
        self.environment.stderr.flush()
        self._turn.add(text)

    def _streams(self) -> bool:
        return self.answer and screen.takes_escapes(self.environment.stdout, self.environment)

    def _give_way(self) -> None:
        """Takes back the text of this turn: it was narration, or it is asked for again."""
        self._clear_status()
        visible = self._turn.visible
        if not self._turn.take_back() and visible:
            self._write(self._dim("the text above was not the answer") + "\n")
        self._release()

    def _release(self) -> None:
        held, self._held = self._held, []
        for text in held:
            self._write(self._dim(text) + "\n")

    def _finish(self, answer: str) -> None:
        if not self.answer:
            return
        if self._streams():
            self._turn.finish(answer)
            return
        self.environment.stdout.write(answer + "\n")
        self.environment.stdout.flush()

    # --- stderr ---------------------------------------------------------------------------------------------------

    def _show_call(self, event: ToolReturned) -> None:
        self._give_way()
        if self.trace == "none" or self.quiet:
            return
        line = words.call(event.entry)
        if screen.takes_escapes(self.environment.stderr, self.environment):
            line = screen.cut(line, screen.size(self.environment.stderr)[0] - 1)
        self.line(line)
        if self.trace == "full":
            for text in sanitise(event.result.text).splitlines():
                self.line(f"    | {text}")

    def _show_progress(self) -> None:
        if screen.takes_escapes(self.environment.stderr, self.environment):
            columns, _ = screen.size(self.environment.stderr)
            self._status(self._progress.line(columns - 1))
        elif self._progress.is_due():
            self.line(self._progress.line(screen.NO_LIMIT))

    def _status(self, text: str) -> None:
        """One line on a terminal that the next thing written replaces."""
        stderr = self.environment.stderr
        if self.quiet or self._turn.visible or not screen.takes_escapes(stderr, self.environment):
            return
        self._clear_status()
        columns, _ = screen.size(stderr)
        stderr.write(self._dim(screen.cut(text, columns - 1)))
        stderr.flush()
        self._status_shown = True

    def _clear_status(self) -> None:
        if self._status_shown:
            self.environment.stderr.write("\r\x1b[K")
            self.environment.stderr.flush()
            self._status_shown = False

    def _write(self, text: str) -> None:
        self._clear_status()
        self.environment.stdout.flush()
        self.environment.stderr.write(text)
        self.environment.stderr.flush()

    def _dim(self, text: str) -> str:
        if not screen.takes_escapes(self.environment.stderr, self.environment):
            return text
        return f"\x1b[2m{text}\x1b[0m"
