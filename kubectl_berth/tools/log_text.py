"""Log text made short: JSON lines written plainly, repeats folded, lines filtered and clipped, the newest part kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kubectl_berth.safety.redact import head

LINE = 600
"""Characters of one line that are shown."""
SIZE = 10_000
"""Characters of log in one result."""
CYCLE = 12
"""Lines of a repeated passage that are still seen as one."""

LONGEST_JSON = 20_000
"""Characters up to which a line is read as JSON."""

# what comes first of a JSON line, under the names that loggers use
_HEAD = (
    ("time", "ts", "timestamp", "@timestamp", "t", "date"),
    ("level", "severity", "lvl", "log.level", "levelname"),
    ("msg", "message", "event", "body"),
)
_BOOKKEEPING = frozenset(
    "logger caller logging_pod pid process_id session_id session_line_num session_start_time log_time query_id "
    "transaction_id backend_type thread thread_name hostname host v trace_id span_id controllerkind controllergroup "
    "reconcileid file line function source sql_state_code".split()
)
_STACKS = frozenset({"stack", "stacktrace", "stack_trace", "exception"})

_STAMP = re.compile(
    r"(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    r"|(?<![\d.])1[5-9]\d{8}(?:\.\d{1,9}|\d{3})?(?![\d.])|[IWEF]\d{4}(?= )"
)
_LEADING = re.compile(r"\W{0,3}((?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)")


@dataclass(frozen=True)
class Shown:
    """What is shown of a log. `lines` of it were read, `matched` pass the filter, `cut` of those are not shown."""

    text: str
    lines: int
    matched: int
    cut: int
    first: str
    last: str


def shorten(log: str, pattern: str = "") -> Shown:
    """The log with repeats folded and long lines clipped; the newest lines that fit."""
    lines = [line.rstrip() for line in log.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    kept = [line for line in lines if matches(line, pattern)] if pattern else lines
    kept = [plain(line) for line in kept]
    folded = fold(kept)
    shown: list[str] = []
    size = 0
    cut = 0
    for index in range(len(folded) - 1, -1, -1):
        line = _clip(folded[index][0])
        if size + len(line) > SIZE and shown:
            cut = sum(count for _, count in folded[: index + 1])
            break
        size += len(line) + 1
        shown.append(line)
    stamps = [match[1] for match in map(_LEADING.match, kept) if match]
    first, last = (stamps[0], stamps[-1]) if stamps else ("", "")
    return Shown("\n".join(reversed(shown)), len(lines), len(kept), cut, first, last)


def plain(line: str) -> str:
    """A JSON line as "time level message key=value ..."; any other line as it is. Bookkeeping fields are left out."""
    if not line.startswith("{") or len(line) > LONGEST_JSON:
        return line
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return line
    fields = dict(_flat(entry)) if isinstance(entry, dict) else {}
    head = [fields.pop(key, "") for key in (_first(fields, names) for names in _HEAD) if key]
    rest = [
        f"{key}={_quoted(value)}" for key, value in fields.items() if key.rpartition(".")[2].lower() not in _BOOKKEEPING
    ]
    return " ".join(part for part in (*head, *rest) if part) or line


def _quoted(value: str) -> str:
    """A value of several words in quotes, so that its end is seen: by a reader and by what redacts it."""
    return json.dumps(value, ensure_ascii=False) if re.search(r"[\s\"'=]", value) else value


def _first(fields: Mapping[str, str], names: Sequence[str]) -> str:
    return next((name for name in names if name in fields), "")


def _flat(entry: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    for key, value in entry.items():
        if isinstance(value, dict) and depth < 3:
            yield from _flat(value, f"{prefix}{key}.", depth + 1)
        elif value not in (None, "", [], {}):
            words = value if isinstance(value, str) else json.dumps(value)
            yield f"{prefix}{key}", " ".join(words.split()) if key not in _STACKS else words.replace("\n", " | ")


def matches(line: str, pattern: str) -> bool:
    """True where the line holds one of the alternatives (a|b); `.*` stands for anything; case does not matter.

    No regular expression of a model's making is ever run: it could take for ever.
    """
    folded = line.casefold()
    for alternative in pattern.casefold().split("|"):
        at = 0
        for part in re.split(r"\.\*|\.\+", alternative.strip().strip("^$()")):
            at = folded.find(part.replace("\\", ""), at)
            if at < 0:
                break
            at += len(part)
        if at >= 0:
            return True
    return False


def fold(lines: Sequence[str]) -> list[tuple[str, int]]:
    """Lines with passages that follow each other several times said once: the line, and how many it stands for.

    Times do not count as a difference. A passage has at most 12 lines; "... x 214" stands behind its last one.
    """
    plain = [_STAMP.sub("#", line) for line in lines]
    folded: list[tuple[str, int]] = []
    at = 0
    while at < len(lines):
        length, times = _cycle(plain, at)
        passage = list(lines[at : at + length])
        if times > 1:
            what = "" if length == 1 else f" (these {length} lines)"
            folded += [(line, times) for line in passage[:-1]]
            folded.append((f"{_clip(passage[-1])} ... x {times}{what}", times))
        else:
            folded += [(line, 1) for line in passage]
        at += length * times
    return folded


def _cycle(plain: Sequence[str], at: int) -> tuple[int, int]:
    """Length and number of times of the passage that repeats from here on; (1, 1) for none."""
    best = (1, 1)
    for length in range(1, CYCLE + 1):
        if at + 2 * length > len(plain):
            break
        if plain[at] != plain[at + length]:
            continue
        passage = plain[at : at + length]
        times = 1
        while plain[at + times * length : at + (times + 1) * length] == passage:
            times += 1
        if times > 1 and length * times > best[0] * best[1]:
            best = (length, times)
    return best


def _clip(line: str) -> str:
    return line if len(line) <= LINE else f"{head(line, LINE)}... (+{len(line) - LINE} characters)"
