"""The text of one turn on a terminal, as it streams: Markdown, block by block, and all of it can be taken back.

The block that is still being written is dim and as the model writes it. When it is complete, its rendering takes its
place; where it turns out to be narration, nothing of it stays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TextIO

from kubectl_berth.output import markdown, screen
from kubectl_berth.safety.answers import presentable
from kubectl_berth.safety.sanitise import sanitise

_OPENINGS = re.compile("[\x1b\x90\x98\x9b\x9d-\x9f\r\\[]")
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"


@dataclass
class Turn:
    """One turn's text on a terminal that obeys escapes. `renders` False leaves Markdown as it is written."""

    stdout: TextIO
    renders: bool = True
    _consumed: list[str] = field(default_factory=list, init=False)  # lines whose rendering stands on the screen
    _shown: str = field(default="", init=False)  # that rendering, without its colours
    _lines: list[str] = field(default_factory=list, init=False)  # whole lines of the block that goes on
    _tail: str = field(default="", init=False)  # what of that block stands on the screen
    _line: str = field(default="", init=False)  # what of its last line does
    _pending: str = field(default="", init=False)  # the last line as it came
    _stalled: bool = field(default=False, init=False)

    @property
    def visible(self) -> bool:
        """True where some of the text stands on the screen."""
        return bool(self._shown or self._tail)

    def add(self, text: str) -> None:
        """Shows as much of the text as nothing that may still come can change."""
        *lines, self._pending = (self._pending + text).split("\n")
        for line in lines:
            self._end_line(presentable(sanitise(line)))
        self._show(presentable(sanitise(_settled(self._pending))), "")
        self.stdout.flush()

    def take_back(self) -> bool:
        """Erases the whole turn; False where its head has scrolled out of reach."""
        gone = screen.erase(self._shown + self._tail, self.stdout)
        self._forget()
        return gone

    def finish(self, answer: str) -> None:
        """Leaves exactly this answer on the screen, as far as what scrolled away allows it."""
        lines = answer.split("\n")
        if [line.rstrip() for line in lines[: len(self._consumed)]] != [line.rstrip() for line in self._consumed]:
            # another beginning than what streamed
            self.take_back()
        rest = lines[len(self._consumed) :]
        if self._tail and not self._drop_tail():
            # too tall to be taken back: it stays as it was written
            written, whole = self._tail.lstrip("\n"), "\n".join(rest)
            self.stdout.write(whole[len(written) :] if whole.startswith(written) else f"\n\n{whole}")
            self.stdout.write("\n")
        else:
            done, goes_on = markdown.blocks(rest)
            for block in (*done, "\n".join(goes_on).rstrip()):
                if block:
                    self._write_block(block)
        self.stdout.flush()
        self._forget()

    def _end_line(self, line: str) -> None:
        if not (self._lines or self._consumed):
            line = line.lstrip()
            if not line:
                return
        self._show(line, "\n")
        self._line = ""
        self._lines.append(line)
        done, rest = markdown.blocks(self._lines)
        if done:
            self._complete(done, rest)
        elif self._is_tall() and not markdown.stays_whole(self._lines):
            self._complete(["\n".join(self._lines)], [])

    def _complete(self, done: list[str], rest: list[str]) -> None:
        """Puts the rendering of complete blocks in the place of what stands there."""
        self._consumed += self._lines[: len(self._lines) - len(rest)]
        if self._drop_tail():
            for block in done:
                self._write_block(block)
        else:
            self._shown += self._tail
            self._tail = ""
        self._lines, self._stalled = [], False
        for line in rest:
            self._show(line, "\n")
            self._line = ""
            self._lines.append(line)

    def _is_tall(self) -> bool:
        columns, lines = screen.size(self.stdout)
        return screen.rows(self._tail, columns) > lines // 2

    def _drop_tail(self) -> bool:
        """Takes the unfinished block off the screen; False where it is too tall for that."""
        columns, lines = screen.size(self.stdout)
        if screen.rows(self._tail, columns) >= lines:
            return False
        screen.erase(self._tail, self.stdout)
        self._tail = ""
        return True

    def _write_block(self, block: str) -> None:
        columns, _ = screen.size(self.stdout)
        text = self._gap() + (markdown.rendered(block, columns) if self.renders else block) + "\n"
        self.stdout.write(text)
        self._shown += markdown.plain(text)

    def _gap(self) -> str:
        """The blank line before a block; none inside one that was cut because it was tall."""
        if not self._shown or self._shown.endswith("\n\n"):
            return ""
        return "\n" if not self._consumed or not self._consumed[-1].strip() else ""

    def _show(self, line: str, end: str) -> None:
        """The rest of the line that is being written; nothing more where what stands there is not how it begins."""
        if not self.visible:
            line = line.lstrip()
        if self._stalled or not line.startswith(self._line):
            self._stalled = True
            return
        rest = line[len(self._line) :] + (end if self.visible or line else "")
        if rest:
            if not self._tail:
                rest = self._gap() + rest
            dim = self.renders and not markdown.stays_whole([*self._lines, line][:1])
            self.stdout.write(f"{_DIM}{rest}{_PLAIN}" if dim else rest)
            self._tail += rest
        self._line = line

    def _forget(self) -> None:
        self._consumed, self._lines = [], []
        self._shown = self._pending = self._tail = self._line = ""
        self._stalled = False


def _settled(line: str) -> str:
    """The part of an unfinished line that can be shown by itself: whole words, no sequence and no link that goes on."""
    opening = _OPENINGS.search(line)
    line = line[: opening.start()] if opening else line
    return line[: max(line.rfind(" "), line.rfind("\t")) + 1]
