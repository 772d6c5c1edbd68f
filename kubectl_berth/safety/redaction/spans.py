"""Where secrets stand in a text, and the text without them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

Span = tuple[int, int, str]
"""Start, end and the marker that takes the place."""

Rule = Callable[[str, str], Iterator[Span]]
"""From a text, and the same in lower case, to where its secrets stand, in order."""

VALUE = "[REDACTED:value]"


def replaced(text: str, spans: Iterable[Span]) -> str:
    """The text with each span's marker in its place; spans in order, one that begins inside another is left out."""
    out: list[str] = []
    done = 0
    for start, end, marker in spans:
        if start >= done:
            out += [text[done:start], marker]
            done = end
    return "".join([*out, text[done:]]) if out else text


def lower(text: str) -> str:
    """The text in lower case, every letter in its place."""
    low = text.lower()
    # a few letters have lower case forms of another length
    return low if len(low) == len(text) else re.sub("[A-Z]+", lambda m: m.group().lower(), text)
