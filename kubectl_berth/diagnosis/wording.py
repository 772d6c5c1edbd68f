"""Long error texts made short without losing the words that decide: the end of the chain, the last cause of a trace."""

from __future__ import annotations

import re

from kubectl_berth.diagnosis.say import clip

LONG_JSON = 40
"""Characters of JSON that are told as they are; what is longer says only that there is some."""
_DUMP = re.compile(r"/?&?(?:[A-Za-z_]\w*\.)?[A-Z]\w*\{|map\[[\w.]+\]\w+\{|/?&\w*\{")
_FRAME = re.compile(r"^\s*(?:at\s+[\w$.<>/]+\(|\.{3} \d+ more|File \"[^\"]+\", line \d+|goroutine \d+|\S+\.go:\d+)")
_CAUSE = re.compile(r"^\s*Caused by:\s*", re.IGNORECASE)
_PYTHON = re.compile(r"^Traceback \(most recent call last\)")
_TAIL = re.compile(r"[\s\[\]{}]{2,}$")

_TELLING = re.compile(
    r"not found|no such|no access|does ?n[o']t exist|forbidden|denied|refused|unauthori[sz]ed|not authori[sz]ed"
    r"|immutable|mismatch|expired|timed out|timeout (?:exceeded|waiting|while|after)"
    r"|(?:i/o|connect\w*|handshake) timeout"
    r"|exceeded|no space|(?:already|are|all [\w ]{1,40}) in use|unreachable|reset by peer|x509"
    r"|(?:invalid|wrong|bad|incorrect|unknown|unexpected|missing|unsupported)\s+\S"
    r"|not (?:allowed|permitted|valid|match|supported)|no key|too small|below the minimum"
    r"|(?:required|missing) (?:value|field|key|parameter)|(?:field|value|parameter|key) [\w .\"']{0,40}is required"
    r"|exhausted|quota|limit ?(?:exceeded|reached)|maximum number|did not match|exited with code|exit status"
    r"|conflict|already exists|too (?:many|large|long)|rate ?limit|throttl"
    r"|(?:code|status|http|error|response|exception)\W{0,4}[45]\d\d\b|(?:^|: )[45]\d\d(?:: |$)"
    r"|\b[45]\d\d (?:unauthor|forbidden|not found|bad|internal|service|gateway|too many|conflict|client|server)"
    r"|cannot |can't |could ?n[o']t |unable to|should not|must (?:be|not)",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"(?:issuer|store|source|dependency|dependencies|parent|referenced \w+)\b.{0,60}?\b(?:not ready|not have a ready)"
    r"|waiting (?:for|on)\b|is not (?:yet )?ready\W*$|unready resources?|approv|by hand|manual",
    re.IGNORECASE,
)
_SAYS_ERROR = re.compile(r"error|fail|wrong|refused|denied|(?:code|status)\W{0,4}[45]\d\d\b|not found", re.IGNORECASE)


def telling(text: str) -> int:
    """How much a text says of why something failed: 0 where it only says that it did, or that something else did."""
    if _OF_OTHERS.search(text) and not _SAYS_ERROR.search(text):
        return 0
    return len({found.lower() for found in _TELLING.findall(text)})


def plain(text: str) -> str:
    """The text on one line, without stack frames, dumps of structs and long JSON; of a trace what it began and ended
    with."""
    line = " ".join(_untraced(text).split())
    told = _undumped(line)
    tail = _TAIL.search(told)
    if tail is not None and sum(map(tail[0].count, "]}")) > sum(map(tail[0].count, "[{")):
        told = told[: tail.start()]
    return told.strip().removesuffix(".")


def decisive(text: str, limit: int) -> str:
    """The plain text within `limit` characters: of a chain of causes ("a: b: c") its head and its end are kept."""
    line = plain(text)
    if len(line) <= limit:
        return line
    parts = re.split(r"(?<=[^\s:]): (?=\S)", line)
    end = len(parts) - 1
    while end > 1 and not telling(": ".join(parts[end:])):
        end -= 1
    room = limit - 6
    head = parts[0] if len(parts[0]) <= limit // 3 else ""
    start = end
    while start > 1 and len(head) + len(": ".join(parts[start - 1 :])) <= room:
        start -= 1
    tail = ": ".join(parts[start:])
    if start == 0 or not tail:
        return clip(line, limit)
    return clip(f"{head}: ... {tail}" if head else f"... {tail}", limit)


def _untraced(text: str) -> str:
    """The first line and the last cause of a trace; any other text as it is."""
    lines = [line for line in text.splitlines() if line.strip()]
    frames = sum(bool(_FRAME.match(line)) for line in lines)
    if not frames:
        return text
    kept = [line for line in lines if not _FRAME.match(line)]
    if _PYTHON.match(lines[0]):
        return kept[-1]
    causes = [_CAUSE.sub("", line) for line in kept if _CAUSE.match(line)]
    first = kept[0] if kept else ""
    return f"{first.rstrip('.')}: {causes[-1]}" if causes and causes[-1] not in first else first


def _undumped(line: str) -> str:
    """The text without dumps of structs ("&Selector{...}"); long JSON becomes "{...}"."""
    found = _DUMP.search(line)
    while found is not None:
        end = _closed(line, found.end() - 1)
        line = line[: found.start()] + line[end:]
        found = _DUMP.search(line)
    place = line.find("{")
    while place >= 0:
        end = _closed(line, place)
        if end - place > LONG_JSON and line[place + 1 : place + 2] in ('"', "\\", "'"):
            line = f"{line[:place]}{{...}}{line[end:]}"
            end = place + len("{...}")
        place = line.find("{", end)
    return line


def _closed(line: str, place: int) -> int:
    """Where the brace that opens at `place` is closed; the end of the line where it never is."""
    depth = 0
    for index in range(place, len(line)):
        depth += {"{": 1, "}": -1}.get(line[index], 0)
        if depth == 0:
            return index + 1
    return len(line)
