"""Text that is shown while it comes, without what redaction would take out of the whole of it.

What may still turn out to be a secret is held back: the word that is being written, the few words before it in its
line, lines that may belong to an object or to encoded data that goes on. Nothing that was given is taken back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

HELD = 48
"""Characters at the end of an unfinished line that wait: `hunter2 is the password of root` names its secret late."""

_NEAR = 4000
"""Characters before the newest that are cleaned with it; what stands before those is done with."""

_RATE, _FIRST = 32, 64_000
"""Characters that are cleaned for each that comes, on top of the first ones: short texts stream word by word."""

_KEY = "[REDACTED:private-key]"
_ENDED = re.compile(r"END [A-Z0-9 ]{0,40}KEY ?----")

_GOES_ON = re.compile(
    r"(?m)^[^\w\n]{0,20}(?:data|stringData)[\"']?:[ \t]*(?:[{|>].*)?\n(?:(?![ \t]*(?:```|~~~)?[ \t]*$).*\n)*\Z"
    r"|(?:^(?:[^\n]{0,200}[ \t])?[A-Za-z0-9+/_=-]{32,200}[ \t]*\n){1,200}(?:[^\n]{0,120}\n)?\Z"
)


@dataclass
class Streamed:
    """One text. `clean` is what the whole of it would pass."""

    clean: Callable[[str], str]
    _window: str = field(default="", init=False)  # what still matters of the text as it came
    _given: str = field(default="", init=False)  # what was given of the cleaned window
    _pieces: list[str] = field(default_factory=list, init=False)
    _waiting: int = field(default=0, init=False)
    _credit: int = field(default=_FIRST, init=False)
    _full: int = field(default=2 * _NEAR, init=False)

    def add(self, text: str) -> str:
        """What can be shown of the text now that this has come. Over all calls linear in the text's length."""
        self._pieces.append(text)
        self._waiting += len(text)
        self._credit += _RATE * len(text)
        if len(self._window) + self._waiting > self._credit or not (" " in text or "\n" in text or "\t" in text):
            return ""
        return self._more(whole=False)

    def rest(self) -> str:
        """What was held back: the text has ended."""
        return self._more(whole=True)

    def _more(self, *, whole: bool) -> str:
        self._window += "".join(self._pieces)
        self._pieces, self._waiting = [], 0
        self._credit -= len(self._window)
        cleaned = self.clean(self._window)
        end = len(cleaned) if whole else _settled(cleaned)
        if not whole and _KEY in cleaned and _in_key(self._window):
            # how much of what follows belongs to the key shows at its end
            end = min(end, cleaned.rfind(_KEY))
        ready = cleaned[:end]
        if ready.startswith(self._given):
            more = ready[len(self._given) :]
            self._given = ready
        else:
            more = self._other(ready, whole=whole)
        if len(self._window) > self._full:
            self._forget(cleaned)
        return more

    def _other(self, ready: str, *, whole: bool) -> str:
        """What was given is not how the text begins: it goes on with the next whole line that is."""
        if self._given.startswith(ready):
            return ""
        pairs = enumerate(zip(ready, self._given, strict=False))
        same = next((place for place, (one, other) in pairs if one != other), 0)
        end = len(ready) if whole else ready.rfind("\n") + 1
        if end <= max(same, len(self._given)) and not whole:
            return ""
        self._given = ready[:end]
        return ready[same:end]

    def _forget(self, cleaned: str) -> None:
        """Lets go of what lies far behind, where that changes nothing of what is near."""
        cut = self._window.rfind("\n", 0, len(self._window) - _NEAR) + 1
        head, tail = self._window[:cut], self._window[cut:]
        self._credit -= len(self._window)
        before = self.clean(head)
        if cut and self._given.startswith(before) and before + self.clean(tail) == cleaned:
            self._window, self._given = tail, self._given[len(before) :]
            self._full = 2 * _NEAR
        else:
            self._full = 2 * len(self._window)


def _in_key(text: str) -> bool:
    """True where a private key has begun and not ended."""
    begun = text.rfind("BEGIN ")
    return begun >= 0 and not _ENDED.search(text, begun)


def _settled(text: str) -> int:
    """How much of a cleaned text nothing that may still come is likely to change."""
    line = text.rfind("\n") + 1
    blank = max(text.rfind(" ", line, max(line, len(text) - HELD)), text.rfind("\t", line, max(line, len(text) - HELD)))
    goes_on = _GOES_ON.search(text, max(0, line - 2 * _NEAR), line)
    return goes_on.start() if goes_on else max(line, blank + 1)
