"""The line of a log that matters: the last fatal, error or exception before the end, and what it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kubectl_berth.engines.rules.logs.families import (
    CASED,
    DECISIVE,
    family_of_line,
    says_the_end,
    speaks_of_a_connection,
)
from kubectl_berth.engines.rules.orders import gives_orders, without_orders

CHARACTERS = 800
"""Of a line that is longer, no more is looked at."""
LAST = 10
"""Lines at the end of a log that tell how things stand now."""


@dataclass(frozen=True)
class Telling:
    """One telling line.

    `family` is what it is about ("refused", "missing setting", …, "error"), `names` the settings or files it names,
    `targets` the hosts it could not use, with their ports where said ("db.shop:5432"). `level` is the severity where it
    stands beside the line's text and not in it. `times` counts the lines that say the same, `late` is True where one
    of them is among the last of the log."""

    line: str
    family: str
    score: float
    names: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    level: str = ""
    times: int = 1
    late: bool = False

    @property
    def severe(self) -> bool:
        """True where the line itself says that it is an error or worse."""
        return bool(_SEVERE.fullmatch(self.level.upper()) or _SEVERE.search(_STAMP.sub("", self.line)[:HEAD]))


HEAD = 48
"""Characters after its time in which a line says how severe it is."""
_SEVERE = re.compile(
    r"\b(?:ERR|ERROR|FATAL|PANIC|CRITICAL|CRIT|EMERG(?:ENCY)?|ALERT|SEVERE|50|60)\b|\b(?:error|panic|fatal|critical)\b(?=:|\]|$)|"
    r"\blevel=(?:error|err|fatal|panic|critical)\b|^[EF]\d{4} "
)


@dataclass(frozen=True)
class Reading:
    """What a log tells: the telling lines, best first, and how many of its lines gave orders."""

    lines: tuple[Telling, ...] = ()
    orders: int = 0
    last: str = ""


_LEVELS: tuple[tuple[float, re.Pattern[str]], ...] = (
    (5, re.compile(r"\b(?:FATAL|PANIC|CRITICAL|EMERG(?:ENCY)?|ALERT|SEVERE|CRIT)\b|^panic:|\bfatal(?: error)?:|"
                   r"\blevel=(?:fatal|panic|critical)\b|^F\d{4} ")),
    (4, re.compile(r"^(?:[\w.$]+\.)?[A-Z]\w*(?:Error|Exception|Exit)\b(?::|$)|"
                   r"\((?:[\w:]+::)?[A-Z]\w*(?:Error|Exception)\)$|^Caused by:|^Exception in thread|"
                   r"\bUncaught\b|\bUnhandled\b")),
    (3, re.compile(r"\bERR(?:OR)?\b|\bERROR\b|^error:|\berror:|\blevel=(?:error|err)\b|^E\d{4} |\[error\]|"
                   r"\bException\b|\bTraceback\b|\bfailed\b|\bfailure\b", re.IGNORECASE)),
    (1, re.compile(r"\bWARN(?:ING)?\b|\blevel=warn|^W\d{4} |\[warn", re.IGNORECASE)),
)  # fmt: skip
_CAUSE = re.compile(r"Caused by:|The root cause\b|root cause:|Reason:", re.IGNORECASE)
_CHAINED = re.compile(r"above exception was the direct cause of the following exception", re.IGNORECASE)
_BARE_NAME = re.compile(r"(?:\S+ )?[\w.$:]*(?:Error|Exception):?\s*")
_QUIET = re.compile(r"\b(?:DEBUG|TRACE)\b|\blevel\W{1,4}(?:debug|trace)\b|^\S+ (?:debug|trace)\b")
_BENIGN = re.compile(
    r"\b(?:0|no) (?:errors?|failures?|warnings?)\b|\berrors?[=:] ?0\b|\bfailed[=:] ?0\b|"
    r"\bretry(?:ing)? succeeded\b|\bignor(?:ed|ing)\b|"
    r"\brecovered\b|deprecat|\bexiting with\b|\bexit(?:ed)? (?:with )?(?:code|status)\b|npm err! (?:errno|code) ?",
    re.IGNORECASE,
)

_HOST = r"(?:\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.?)"
_TARGETS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bdial (?:tcp|udp)[46]? (?:lookup )?(?P<host>{_HOST}):(?P<port>\d{{1,5}})",
        rf"\blookup (?P<host>{_HOST}):",
        rf"\bunknownhostexception: (?P<host>{_HOST})",
        rf"->(?P<host>{_HOST}):(?P<port>\d{{1,5}})",
        rf"\b(?:enotfound|eai_again|getaddrinfo(?: \w+)?) (?P<host>{_HOST})\b(?::(?P<port>\d{{1,5}}))?",
        rf"\beconnrefused (?P<host>{_HOST}):(?P<port>\d{{1,5}})",
        rf"\b[a-z][a-z0-9+.-]*://(?:[^\s/@]*@)?(?P<host>{_HOST})(?::(?P<port>\d{{1,5}}))?(?=[/\s\"',;)?]|$)",
        rf"\bhost[=: ]+[\"']?(?P<host>{_HOST})[\"']?(?:.{{0,40}}?\bport[=: ]+[\"']?(?P<port>\d{{1,5}}))?",
        rf"\b(?:server )?at [\"'](?P<host>{_HOST})[\"'](?: \([^)]*\))?, port (?P<port>\d{{1,5}})",
        rf"\b(?:to|for|from|on|with|reach|reaching|connect|connecting|server|backend|upstream|broker|"
        rf"address)[: ]+[\"'\[(]?(?P<host>{_HOST}):(?P<port>\d{{1,5}})\b",
        rf"\b(?P<host>{_HOST}):(?P<port>\d{{2,5}})\b",
        rf"\bbad address [\"'](?P<host>{_HOST})(?::(?P<port>\d{{1,5}}))?[\"']",
        rf"(?:could not (?:resolve|translate)|resolve) host(?: ?name)?[: ]+[\"']?(?P<host>{_HOST})",
    )
)
_NO_HOST = frozenset("localhost pid 127.0.0.1 0.0.0.0 the a it this error failed host server from to".split())
_STAMP = re.compile(
    r"^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s*(?:UTC\s*)?(?:\[\d+\]\s*)?"
)
_FOLDED = re.compile(r" x (\d+)(?: \(these \d+ lines\))?$")
_FOLD = re.compile(r" \.\.\. x \d+(?: \(these \d+ lines\))?$")


def read_log(lines: Sequence[str]) -> Reading:
    """What the log tells. `lines` are a log's own lines, oldest first."""
    orders = 0
    told: list[Telling] = []
    last = ""
    for place, raw in enumerate(lines):
        line = raw.strip()[:CHARACTERS]
        if not line:
            continue
        if gives_orders(line):
            orders += 1
            line, _ = without_orders(line)
            if not re.search(r"\w", line):
                continue
        last = line
        if _CHAINED.search(line) and told:
            # Python tells the first error of a chain first
            told[-1] = replace(told[-1], score=told[-1].score + 2.0)
        found = _telling(line, place / max(len(lines), 1))
        if found is not None:
            late = place >= len(lines) - LAST
            told.append(replace(found, times=_times(raw), late=late))
    if not told and last and _repeated(lines, last):
        # said over and over and nothing else: what it says is why it does not get on
        told.append(Telling(_FOLD.sub("", last), "error", 0.0, _names(last), targets_of(last)))
    told.sort(key=lambda one: -one.score)
    return Reading(tuple(_counted(one, told) for one in _distinct(told)), orders, last)


def _times(line: str) -> int:
    fold = _FOLDED.search(line)
    return int(fold[1]) if fold else 1


def _counted(one: Telling, told: Sequence[Telling]) -> Telling:
    """The line with how often the log says it."""
    same = [other for other in told if _gist(other.line) == _gist(one.line)]
    return replace(one, times=sum(other.times for other in same), late=any(other.late for other in same))


def _gist(line: str) -> str:
    """What two lines that say the same have in common: no figures and no times."""
    return re.sub(r"[\d:.,TZ-]+", "", line)


def same_gist(raw: str, line: str) -> bool:
    """True where a line of a log says what a telling line says, but for figures and times."""
    return _gist(line)[:GIST] in _gist(raw)


GIST = 120
"""Characters by which two lines are taken for the same."""


def _repeated(lines: Sequence[str], last: str) -> bool:
    """True where the log is one line said over and over, at least three times."""
    same = [line for line in lines if line.strip() and _STAMP.sub("", line.strip()) == _STAMP.sub("", last)]
    spoken = [line for line in lines if line.strip()]
    return len(same) == len(spoken) and (len(same) >= 3 or _times(last) >= 3)


def _telling(line: str, place: float) -> Telling | None:
    message, level, word = _structured(line)
    if level is None:
        level = next((value for value, pattern in _LEVELS if pattern.search(_STAMP.sub("", message))), 0.0)
    family = family_of_line(message)
    if family in ("heap", "killed"):
        level = max(level, 4.0)
    if _QUIET.search(line) or (_BENIGN.search(message) and level < 5 and family is None):
        return None
    targets = targets_of(message)
    if (level < 1 and family is None) or (level <= 1 and family in (None, "limit")):
        return None
    if family == "timeout" and (level < 1 or (level == 1 and not targets)):
        return None
    # a later line wins among equals: what came last before the end is what ended it
    score = level + _weight(message, family, targets) + place
    return Telling(_FOLD.sub("", message), family or "error", score, _names(message), targets, word)


def _weight(message: str, family: str | None, targets: tuple[str, ...]) -> float:
    """How much more, or less, a line tells than its severity says."""
    vague = family == "timeout" and not targets
    weight = 2.0 if family and not vague else -2.0 if vague else 0.0
    if _BARE_NAME.fullmatch(_STAMP.sub("", message)):
        weight -= 2.0  # what it is about stands in the lines below
    if family in DECISIVE:
        weight += 2.0
    elif _CAUSE.match(message):
        weight += 1.0
    elif says_the_end(message):
        weight -= 2.0
    return weight + (2.0 if targets else 0.0)


# bunyan and pino write numbers
_WORDS = {
    **dict.fromkeys(("fatal", "panic", "critical", "60"), 5.0),
    **dict.fromkeys(("error", "err", "50"), 3.0),
    **dict.fromkeys(("warning", "warn", "40"), 1.0),
}


def _structured(line: str) -> tuple[str, float | None, str]:
    """Message, level and the word for it of a line of JSON or of key=value pairs; the line, None, "" for any other.

    Read by pattern: the fields may lie one inside another, and a long line comes without its end.
    """
    words = [hit[1] or hit[2] for hit in _SEVERITY.finditer(line)]
    said = [_unescaped(hit[1] or hit[2] or hit[3]) for hit in _MESSAGE.finditer(line)]
    if not words and said and (brace := line.find(' {"')) > 0:
        return ": ".join(dict.fromkeys((line[:brace].rstrip(), *said))), None, ""
    if not words and not (line.startswith("{") and said):
        return line, None, ""
    level, word = max(((_WORDS.get(word.lower(), 0.0), word) for word in words), default=(None, ""))
    head = "" if line.startswith("{") else _PAIR.split(_STAMP.sub("", line), maxsplit=1)[0].strip()
    if head and head.split()[0].lower() in ("info", "debug", "trace", "warn", "warning", "error", "fatal", "panic"):
        head = head.partition(" ")[2]
    parts = dict.fromkeys(one for one in (head, *said) if one and one != "record")
    return ": ".join(parts) or line, level, word


_FIELD = r"(?:msg|message|error|err|exception|cause|detail)"
_MESSAGE = re.compile(
    rf'"{_FIELD}"\s*:\s*"((?:[^"\\]|\\.){{1,500}})"|(?:^|[\s.]){_FIELD}=(?:"((?:[^"\\]|\\.){{1,500}})"|([^\s"]+))'
)
_LEVEL = r"(?:level|severity|lvl|log\.level|error_severity|levelname)"
_SEVERITY = re.compile(rf'"{_LEVEL}"\s*:\s*"?(\w{{2,10}})"?|(?:^|[\s.]){_LEVEL}="?(\w{{2,10}})"?')
_PAIR = re.compile(r"(?:^|\s)[\w.-]+=")


def _unescaped(text: str) -> str:
    return re.sub(r"\\[nrt]", " ", text).replace('\\"', '"').replace("\\\\", "\\")


def _names(message: str) -> tuple[str, ...]:
    """Settings in capitals and quoted paths that the message names."""
    names = [name for name in CASED.findall(message) if name not in ("ERROR_CODE",)]
    names += re.findall(r"(?:^|[\s\"'=:(])(/[\w.@-]+(?:/[\w.@-]+)+)", message)
    return tuple(dict.fromkeys(names))[:6]


def targets_of(message: str) -> tuple[str, ...]:
    """Hosts that a message about a connection names, with their ports: ("redis.cache:6379",)."""
    if not speaks_of_a_connection(message):
        return ()
    found: dict[str, None] = {}
    # the name server that was asked is not what could not be reached
    message = message.replace("`", "")
    message = re.sub(rf" on {_HOST}:53\b", "", message, flags=re.IGNORECASE)
    message = re.sub(r"\b[\d.]+:\d+(?=->)", "", message)
    for pattern in _TARGETS:
        for hit in pattern.finditer(message):
            host = hit.group("host").rstrip(".").lower()
            port = hit.groupdict().get("port")
            if host in _NO_HOST or _NO_NAME.fullmatch(host):
                continue
            if any(known.partition(":")[0] == host for known in found):
                continue
            found[f"{host}:{port}" if port else host] = None
    return tuple(found)[:3]


_NO_NAME = re.compile(
    r"\d+(?:\.\d+){0,2}|\d{4}-\d\d-\d\d.*|[a-z]?\d{1,4}|[\w-]+\.(?:go|py|js|ts|java|rb|rs|c|cc|cpp|php|cs|kt)"
)


def _distinct(told: Iterable[Telling]) -> list[Telling]:
    """At most three lines, each of another family or clearly another text."""
    kept: list[Telling] = []
    for one in told:
        if any(_gist(other.line) == _gist(one.line) for other in kept):
            continue
        if kept and one.score < kept[0].score - 2.5:
            break
        kept.append(one)
        if len(kept) == 3:
            break
    return kept


def waiting_for(lines: Sequence[str]) -> Telling | None:
    """The last line that says what a container waits for ("waiting for redis.cache:6379"), or None."""
    for raw in reversed(lines):
        line = raw.strip()[:CHARACTERS]
        if re.search(
            r"\bwait(?:ing|s)? (?:for|on|until)\b|\bnot (?:yet )?(?:ready|available)\b.*\bretry", line, re.IGNORECASE
        ):
            clean, _ = without_orders(line)
            if clean:
                return Telling(clean, "waiting", 1.0, _names(clean), targets_of(clean))
    return None


_TAKES = re.compile(
    r"\b(?:start|warm|load|boot|initiali[sz]|migrat|replay|recover|build|index|expect|takes?|took|need|ready)\w*\b"
    r"[^\n]{0,80}?\b\d+(?:\.\d+)?\s?(?:s|sec|secs|seconds|m|min|minutes)\b",
    re.IGNORECASE,
)


def start_time(lines: Sequence[str]) -> str:
    """The last line that says how long a start takes ("warming caches, about 95s"), "" where none does."""
    for raw in reversed(lines):
        line = raw.strip()[:CHARACTERS]
        if _TAKES.search(_STAMP.sub("", line)):
            return without_orders(line)[0]
    return ""
