"""What the two output streams can show, and text on a terminal that can be taken back."""

from __future__ import annotations

import os
import unicodedata
from typing import TextIO

from kubectl_berth.environment import Environment

NO_LIMIT = 1000
"""Columns of a line that goes to no terminal."""


def takes_escapes(stream: TextIO, environment: Environment) -> bool:
    """True where the stream is a terminal that obeys escape sequences and nobody asked for plain output."""
    if not _is_terminal(stream) or environment.variable("NO_COLOR") or environment.variable("CI"):
        return False
    return environment.variable("TERM") not in ("", "dumb", "unknown")


def shows_unicode(stream: TextIO, environment: Environment) -> bool:
    """True where the person's locale and the stream have more than ASCII: bullets and lines can be drawn."""
    locale = next(filter(None, map(environment.variable, ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    encoding = (getattr(stream, "encoding", "") or "").lower().replace("-", "")
    return locale not in ("C", "POSIX") and encoding in ("utf8", "utf8sig")


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def size(stream: TextIO) -> tuple[int, int]:
    """Columns and lines of the terminal; 80 and 24 where they are unknown."""
    try:
        columns, lines = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return 80, 24
    return columns or 80, lines or 24


def rows(text: str, columns: int) -> int:
    """How many rows the text takes on a terminal of that width, from column 0 to where the cursor stays."""
    count, column = 1, 0
    for character in text:
        if character == "\n":
            count, column = count + 1, 0
        elif character == "\t":
            column = min(column // 8 * 8 + 8, columns - 1)
        else:
            cells = width(character)
            if column + cells > columns:
                count, column = count + 1, 0
            column += cells
    return count


def width(character: str) -> int:
    """Cells of one printable character: 0, 1 or 2."""
    if character.isascii():
        return 1
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def cut(line: str, columns: int) -> str:
    """The line, or its head and "..." where it is wider than that."""
    if sum(map(width, line)) <= columns:
        return line
    kept = ""
    cells = 0
    for character in line:
        cells += width(character)
        if cells > columns - 3:
            break
        kept += character
    return kept + "..."


def tail(line: str, columns: int) -> str:
    """The line, or "..." and its end where it is wider than that."""
    if sum(map(width, line)) <= columns:
        return line
    return "..." + cut(line[::-1], columns)[:-3][::-1] if columns > 3 else ""


def erase(text: str, stream: TextIO) -> bool:
    """Takes back text that was written from column 0 on; False where its head has scrolled out of reach."""
    if not text:
        return True
    columns, lines = size(stream)
    taken = rows(text, columns)
    up = min(taken, lines) - 1
    stream.write("\r" + (f"\x1b[{up}A" if up else "") + "\x1b[J")
    stream.flush()
    return taken <= lines
