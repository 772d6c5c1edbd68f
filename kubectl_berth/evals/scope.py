"""What a sentence does with the words in it: asserts them, denies them, doubts, asks, passes on what others said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from kubectl_berth.evals import markers
from kubectl_berth.evals.text import Sentence

Stance = Literal["asserted", "hedged", "negated", "conditional", "inquiry", "attributed", "question", "quoted"]

_CONTEXTS: tuple[tuple[Stance, re.Pattern[str]], ...] = (
    ("inquiry", markers.UNKNOWN_BELOW),
    ("hedged", markers.OPEN_BELOW),
    ("negated", markers.DENIED_BELOW),
    ("attributed", markers.ATTRIBUTED),
)


def stance(sentence: Sentence, spans: Sequence[tuple[int, int]], literal: str = "") -> Stance:
    """What `sentence` does with the words at `spans` of its plain text.

    `literal` are the words that were looked for: a negator that is one of them denies nothing.
    """
    if sentence.question:
        return "question"
    if sentence.kind in ("code", "quote"):
        return "quoted"
    found = [_stance(sentence.plain, start, end, literal) for start, end in spans]
    for weaker in ("negated", "attributed", "conditional", "inquiry", "hedged"):
        if weaker in found:
            return weaker
    return context(sentence)


def clause(text: str, start: int, end: int) -> str:
    """The clause of a sentence that `start`..`end` stand in."""
    begin, finish = _bounds(text, start, end)
    return text[begin:finish]


def context(sentence: Sentence) -> Stance:
    """What the headings and lead-ins above a sentence make of it."""
    for heading in reversed(sentence.headings):
        for kind, pattern in _CONTEXTS:
            if (heading.endswith(":") or heading == sentence.headings[0]) and pattern.search(heading):
                return kind
    return "asserted"


def _bounds(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the clause around `start`..`end` begins and ends."""
    begin = 0
    for found in _breaks(text):
        if found.end() > start:
            break
        # "not because of memory": the denial reaches over the word that would end it
        if not (found[0] in ("because", "since", "so") and re.search(r"\bnot\s*$", text[: found.start()])):
            begin = found.end()
    after = markers.BREAK.search(text, end)
    return begin, after.start() if after else len(text)


def _breaks(text: str) -> list[re.Match[str]]:
    found = list(markers.BREAK.finditer(text))
    if markers.SUBORDINATE.match(text) and (comma := re.search(r",\s+", text)):
        found.append(comma)
    return sorted(found, key=lambda match: match.end())


def _stance(text: str, start: int, end: int, literal: str) -> Stance:
    if particle := markers.YES_OR_NO.match(text[:start]):
        text = " " * particle.end() + text[particle.end() :]
    text = markers.ASIDE.sub(lambda aside: " " * len(aside[0]), text)
    begin, finish = _bounds(text, start, end)
    if re.search(r",\s*not\W*$", text[:begin]) or _untrue(text, start, end):
        return "negated"
    turns = [match.end() for match in markers.TURN.finditer(text) if match.end() <= start]
    wide = text[turns[-1] if turns else 0 : start]
    return _judged(text[begin:start], text[start:end], text[end:finish], wide, literal)


def _untrue(text: str, start: int, end: int) -> bool:
    """Denials that reach over the end of a clause."""
    claimed = markers.CLAIM.search(text[:start]) and markers.UNTRUE.match(text[end:])
    return bool(claimed or markers.DENIED_FAR_AFTER.match(text[end:]))


def _judged(left: str, inside: str, right: str, wide: str, literal: str) -> Stance:
    """`left` and `right` within the clause, `wide` what stands before since the last turn."""
    if markers.NOT_RULED_OUT.search(left) or markers.DOUBTED_AFTER.match(right):
        return "hedged"
    deed = markers.GERUND.search(inside) or markers.GERUND.search(left)
    if _negated(left, inside, literal) or markers.DENIED_AFTER.match(right):
        return "negated"
    if deed and markers.UNWISE_AFTER.match(right):
        return "negated"
    if markers.ATTRIBUTED.search(wide):
        return "attributed"
    if _reaches(markers.CONDITION, wide):
        return "conditional"
    if _reaches(markers.INQUIRY, wide):
        return "inquiry"
    if markers.QUALIFIED.match(right) or markers.UNREAL_AFTER.match(right):
        return "conditional"
    if any(match.start() < len(left) for match in markers.DOUBT.finditer(left + inside)):
        return "hedged"
    return "hedged" if markers.DOUBT.search(inside) and not markers.DOUBT.search(literal) else "asserted"


def _negated(left: str, inside: str, literal: str) -> bool:
    for match in markers.NEGATOR.finditer(left + inside):
        if match.end() > len(left):
            break
        if _within_reach(match[0], left[match.end() :]):
            return True
    return bool(markers.NEGATOR.search(inside)) and not markers.NEGATOR.search(literal)


def _within_reach(negator: str, rest: str) -> bool:
    """Whether a negator reaches over `rest`."""
    words = len(rest.split())
    if negator in ("0", "zero"):
        # it counts what follows: a noun, or a list of them
        return words <= 8 and not re.search(rf"\b{markers.FINITE}\b|\d", rest)
    if negator == "without":
        return words <= 4 and not re.search(rf",|\b{markers.FINITE}\b", rest)
    if markers.TO_THE_COMMA.match(negator):
        return "," not in rest and words <= 12
    return words <= 14


def _reaches(pattern: re.Pattern[str], left: str) -> bool:
    """True where the last match is not closed by a comma or a "then" before the words in question."""
    found = list(pattern.finditer(left))
    return bool(found) and not re.search(r",|\bthen\b", left[found[-1].end() :])
