"""What a person reads: the answer on stdout, everything else on stderr.

On a terminal the text of a turn streams to stdout as it comes and gives way when the turn ends in a tool call. In a
pipe or a file it is held until it is known to be the answer. No escape byte goes where nobody obeys it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from kubectl_berth.environment import Environment
from kubectl_berth.output import screen, words
from kubectl_berth.output.progress import Progress
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
from kubectl_berth.safety.answers import presentable
from kubectl_berth.safety.gate import shown_line
from kubectl_berth.safety.sanitise import one_line, sanitise

_OPENINGS = re.compile("[\x1b\x90\x98\x9b\x9d-\x9f\r\\[]")

Trace = Literal["none", "brief", "full"]


@dataclass
class Terminal:
    """Shows one run. `answer` False keeps stdout for another writer (json, jsonl)."""

    environment: Environment
    trace: Trace = "brief"
    quiet: bool = False
    answer: bool = True
    host: str = ""
    _shown: str = field(default="", init=False)
    _pending: str = field(default="", init=False)
    _line: str = field(default="", init=False)
    _stalled: bool = field(default=False, init=False)
    _held: list[str] = field(default_factory=list, init=False)
    _status_shown: bool = field(default=False, init=False)
    _progress: Progress = field(default_factory=Progress, init=False)

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
            self._finish(sanitise(result.answer).strip())
        else:
            self._give_way()
        self._release()
        if result.error is not None:
            self._write(f"error: {shown_line(result.error, 2000)}\n")
            for finding in [each for each in result.findings if each.cause][:5]:
                self.line(f"found before the end: {words.finding(finding)}")
        for gap in result.gaps:
            self.line(words.gap(gap))
        self.line(words.closing(result, self.host))

    def line(self, text: str, *, always: bool = False) -> None:
        """One line on stderr; under text that still streams it waits, so that the text can be taken back."""
        if self.quiet and not always:
            return
        if self._shown:
            self._held.append(text)
        else:
            self._write(self._dim(text) + "\n")

    # --- the text of a turn ---------------------------------------------------------------------------------------

    def _stream(self, text: str) -> None:
        """Shows as much of the text as nothing that may still come can change."""
        if not self.answer or not screen.takes_escapes(self.environment.stdout, self.environment):
            return
        *lines, self._pending = (self._pending + text).split("\n")
        for line in lines:
            self._show(presentable(sanitise(line)), "\n")
            self._line = ""
        self._show(presentable(sanitise(_settled(self._pending))), "")

    def _show(self, line: str, end: str) -> None:
        """The rest of the line that is being written; nothing more where what stands there is not how it begins."""
        if not self._shown:
            line = line.lstrip()
        if self._stalled or not line.startswith(self._line):
            self._stalled = True
            return
        rest = line[len(self._line) :] + (end if self._shown or line else "")
        if rest:
            self._clear_status()
            self.environment.stderr.flush()
            self.environment.stdout.write(rest)
            self.environment.stdout.flush()
            self._shown += rest
        self._line = line

    def _give_way(self) -> None:
        """Takes back the text of this turn: it was narration, or it is asked for again."""
        self._clear_status()
        shown = self._shown
        self._forget()
        if shown and not screen.erase(shown, self.environment.stdout):
            self._write(self._dim("the text above was not the answer") + "\n")
        self._release()

    def _release(self) -> None:
        held, self._held = self._held, []
        for text in held:
            self._write(self._dim(text) + "\n")

    def _finish(self, answer: str) -> None:
        if not self.answer:
            return
        stdout = self.environment.stdout
        # what was streamed may end in blank lines that the answer does not keep
        if self._shown and not answer.startswith(self._shown):
            screen.erase(self._shown, stdout)
            self._shown = ""
        stdout.write(answer[len(self._shown) :] + "\n")
        stdout.flush()
        self._forget()

    def _forget(self) -> None:
        self._shown, self._pending, self._line, self._stalled = "", "", "", False

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
        if self.quiet or self._shown or not screen.takes_escapes(stderr, self.environment):
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


def _settled(line: str) -> str:
    """The part of an unfinished line that can be shown by itself: whole words, no sequence and no link that goes on."""
    opening = _OPENINGS.search(line)
    line = line[: opening.start()] if opening else line
    return line[: max(line.rfind(" "), line.rfind("\t")) + 1]
