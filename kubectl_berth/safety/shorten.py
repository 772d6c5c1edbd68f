"""Makes a long line short and keeps its last clause: there a chain of errors names its cause."""

from __future__ import annotations

import re

from kubectl_berth.safety.redact import head

GAP = " … "
SEEN = 4000
"""Characters of a line of which the end is still looked for."""
_CLAUSE = re.compile(r"(?<=[:;])\s+(?=\S)")
_BRACKET = re.compile(r"\s+(?=\()")


def shortened(text: str, limit: int) -> str:
    """The text on one line of at most `limit` characters, redacted before it is cut, and cut between words."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    line = head(line, SEEN)
    if len(line) <= limit:
        return line
    end = _last_clause(line, int(limit * 0.7))
    return (
        f"{_whole_words(line, limit - len(end) - len(GAP))}{GAP}{end}" if end else f"{_whole_words(line, limit - 1)}…"
    )


def _last_clause(line: str, most: int) -> str:
    """The last clauses that fit, "" where the last one is too long or says nothing."""
    starts = [hit.end() for hit in _CLAUSE.finditer(line)]
    starts = [start for start in starts if len(line) - start <= most]
    # a remark in brackets alone ("(retried 5 times)") is not what it ended with
    telling = [start for start in starts if re.search(r"[A-Za-z]{3,}.*[A-Za-z]{3,}", _BRACKET.split(line[start:])[0])]
    near = next((start for start in telling if len(line) - start <= most * 0.6), telling[-1] if telling else None)
    return line[near:] if near is not None else ""


def _whole_words(line: str, room: int) -> str:
    """The beginning of the line that ends with a whole word, unless that word alone is half of it."""
    cut = line[:room]
    if line[room : room + 1].strip():
        whole = cut.rpartition(" ")[0]
        cut = whole if len(whole) > room // 2 else cut
    return cut.rstrip(" ,:;([{-")
