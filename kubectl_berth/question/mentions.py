"""What in a question may be a name: tokens with the kind and namespace that the words around them give."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Collection
from dataclasses import dataclass, replace

from kubectl_berth.question.places import namespaces_in, spelt_as
from kubectl_berth.question.tokens import BETWEEN, NAMED, NAMESPACE_WORDS, NO_NAME, Token, looks_generated, tokens_of
from kubectl_berth.question.words import FUNCTION_WORDS, concept_of, kinds_of, meant_word, says_little, singular

_PASTED = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d\d:\d\d:\d\d\b|\b(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|PANIC|TRACE)\b|"
    r"^\s+at\s+[\w$.]+\(|\b[\w.-]+=\S"
)
"""What a line of output has, and no sentence."""
_HYPHENATED_ENGLISH = re.compile(
    r"(?:over|under|re|non|pre|post|anti|co|so|up|self|right|well|long|short|high|low|read|multi|single|half|full|all|mid|"
    r"near|out|off|on|in|by|crash|roll|back|fail|e|x|follow|brand|third|second|first|last|double|real|end|day|night|hard|"
    r"soft|old|new|no|zero|cold|hot|set|run|cluster|node|load|time|step|check|one|two|three|built)-[a-z-]+|"
    r"[a-z]+-(?:to|of|and|or|up|in|out|off|down|looping|loop|wide|based|side|level|only|ish|specific|related|killed|free|"
    r"ready|provisioned|available|availability|sizing|size|time|term|scale|scaling|aware|like|day|hour|minute|second|end)"
)


_CLAUSE = re.compile(r"[.?!;,:](?=\s)|\bbut\b")

MOST_MENTIONS = 300
"""Words of one question that are looked up as names."""


@dataclass(frozen=True)
class Mention:
    """One word, or several joined, that may be a name.

    `kinds` are the kinds said beside it, `concept` the kind of software said beside it, `namespace` the one it was
    written with ("shop/api"). `strong` where it can hardly be anything but a name, `plain` where it is also a common
    word or a reason code, so that only an object of exactly this name is meant. `clause` numbers the part of the
    sentence it stands in. `pasted` where it stands in a piece of output: what is not there then is not asked about.
    `doubtful` where only its place or its form makes it look like a name ("training job", "same-day orders").
    """

    word: str
    position: int
    kinds: tuple[str, ...] = ()
    concept: str | None = None
    namespace: str | None = None
    strong: bool = False
    plain: bool = False
    clause: int = 0
    pasted: bool = False
    doubtful: bool = False


@dataclass(frozen=True)
class Words:
    """The question taken apart. `namespaces` exist; `unknown_namespaces` were named as namespaces but do not.

    `clauses` are the parts of the sentence in which namespaces were named, `software` the words for software said.
    """

    mentions: tuple[Mention, ...] = ()
    namespaces: tuple[str, ...] = ()
    unknown_namespaces: tuple[str, ...] = ()
    clauses: frozenset[int] = frozenset()
    kinds: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    software: tuple[str, ...] = ()


def words_of(text: str, namespaces: Collection[str], objects: Collection[str] = ()) -> Words:
    """Takes a question apart, knowing which namespaces exist and what objects are called."""
    tokens = tokens_of(text)
    spaces, unknown, used = namespaces_in(tokens, namespaces, objects)
    breaks = [hit.start() for hit in _CLAUSE.finditer(text)]
    output = _pasted(text)
    mentions = [
        replace(mention, clause=bisect_left(breaks, mention.position), pasted=_inside(mention.position, output))
        for i in range(len(tokens))
        if i not in used
        for mention in _mentions_at(tokens, i, used, namespaces)
    ]
    # a pasted log names the same things over and over
    unique = {(m.word, m.kinds, m.concept, m.namespace, m.strong, m.plain): m for m in reversed(mentions)}
    mentions = sorted(unique.values(), key=lambda mention: mention.position)
    clauses = frozenset(bisect_left(breaks, tokens[i].position) for i in used)
    spoken = [meant_word(token.lower) for i, token in enumerate(tokens) if i not in used]
    kinds = tuple(dict.fromkeys(kind for word in spoken for kind in kinds_of(word)))
    software = tuple(dict.fromkeys(word for word in spoken if concept_of(word)))
    concepts = tuple(dict.fromkeys(c for word in software if (c := concept_of(word))))
    if len(mentions) > MOST_MENTIONS:
        # a question stands before or after what was pasted
        mentions = [*mentions[: MOST_MENTIONS * 2 // 3], *mentions[-(MOST_MENTIONS // 3) :]]
    return Words(tuple(mentions), tuple(spaces), tuple(unknown), clauses, kinds, concepts, software)


def _pasted(text: str) -> list[tuple[int, int]]:
    """Where the pieces of output in a text begin and end: from the first mark of one to the end of its line."""
    found: list[tuple[int, int]] = []
    start = 0
    for line in text.splitlines(keepends=True):
        mark = _PASTED.search(line)
        if mark is not None:
            found.append((start + mark.start(), start + len(line)))
        start += len(line)
    return found


def _inside(position: int, pieces: list[tuple[int, int]]) -> bool:
    at = bisect_right(pieces, (position, sys.maxsize)) - 1
    return at >= 0 and position < pieces[at][1]


def _mentions_at(tokens: list[Token], i: int, used: set[int], namespaces: Collection[str]) -> list[Mention]:
    """The mentions that begin at one token: the token, and it joined with the one or two that follow."""
    token = tokens[i]
    if "/" in token.text:
        return _path(token, namespaces)
    found: list[Mention] = []
    mention = _single(tokens, i, used)
    if mention is not None:
        found.append(mention)
        joined = token.lower
        for j in range(i + 1, min(i + 3, len(tokens))):
            if j in used or not re.fullmatch(r"[a-z0-9]+", tokens[j].lower) or tokens[j].lower in BETWEEN:
                break
            joined += f"-{tokens[j].lower}"
            found.append(replace(mention, word=joined, strong=False, doubtful=False))
    dotted = re.fullmatch(r"([a-z0-9-]+)\.([a-z0-9-]+)(?:\.svc(?:\.[a-z0-9.-]+)?)?", token.lower)
    if dotted and dotted.group(2) in namespaces:
        found.append(Mention(dotted.group(1), token.position, ("Service",), None, dotted.group(2), True))
    return found


def _single(tokens: list[Token], i: int, used: set[int]) -> Mention | None:
    token = tokens[i]
    if NO_NAME.fullmatch(token.lower):
        return None
    if re.search(r"[a-z][A-Z]", token.text) and not token.quoted:
        return Mention(token.lower, token.position, plain=True)
    if token.lower == "api" and i + 1 < len(tokens) and tokens[i + 1].lower in ("server", "servers"):
        return Mention("api", token.position, plain=True)
    before = _neighbour(tokens, i, -1, used)
    after = _neighbour(tokens, i, +1, used)
    kinds = (kinds_of(after) if after else ()) or (kinds_of(before) if before else ())
    concept = (concept_of(after) if after else None) or (concept_of(before) if before else None)
    called = i > 0 and tokens[i - 1].lower in NAMED and token.lower not in FUNCTION_WORDS
    if says_little(token.lower) and not (token.quoted or called):
        if token.lower in FUNCTION_WORDS or len(token.lower) < 3:
            return None
        return Mention(token.lower, token.position, kinds, concept, plain=True)
    looks = looks_generated(token.lower) and not _HYPHENATED_ENGLISH.fullmatch(token.lower)
    plain = not (concept_of(token.lower) or kinds_of(token.lower) or _HYPHENATED_ENGLISH.fullmatch(token.lower))
    sure = token.quoted or called or looks
    beside = bool(after and kinds_of(after)) and plain and (sure or not _qualifies(tokens, i))
    doubtful = beside and not _introduced(tokens, i)
    if sure:
        doubtful = looks and not (token.quoted or called) and _modifies(tokens, i)
    return Mention(token.lower, token.position, kinds, concept, None, sure or beside, doubtful=doubtful)


_QUALIFYING = re.compile(r".{3,}(?<!e)ed|.{4,}(?:ful|less|able|ible|ous)")
_INTRODUCES = frozenset(
    "the our my your is are was were does do did has have can in of for from to with on reach reaches why".split()
)
_RUN = frozenset({"Pod", "Node", "Job", "CronJob", "PersistentVolumeClaim", "PersistentVolume"})
"""Kinds that are spoken of by what they do ("the restoring job"), seldom by a name that ends in -ing."""


def _qualifies(tokens: list[Token], i: int) -> bool:
    """True where a word before a kind says what such things are like ("evicted pods", "losing jobs")."""
    word, kind = tokens[i], tokens[i + 1]
    apart = kind.position - word.position - len(word.text) not in (1, 3)  # a blank, or "'s " before it
    several = singular(kind.lower) != kind.lower
    return apart or bool(_QUALIFYING.fullmatch(word.lower)) or (several and word.lower.endswith("ing"))


def _modifies(tokens: list[Token], i: int) -> bool:
    """True for words joined by a dash before another one that says something ("credit-card payments")."""
    if i + 1 >= len(tokens) or not re.fullmatch(r"[a-z]{2,}(?:-[a-z]{2,}){1,2}", tokens[i].lower):
        return False
    after = tokens[i + 1]
    close = after.position - tokens[i].position - len(tokens[i].text) == 1
    return close and after.lower.isalpha() and not (says_little(after.lower) or kinds_of(after.lower))


def _introduced(tokens: list[Token], i: int) -> bool:
    """True where the words before a name lead up to one: "the", "why is", or nothing."""
    if tokens[i].lower.endswith("ing") and set(kinds_of(tokens[i + 1].lower)) & _RUN:
        return False
    return tokens[i].starts or tokens[i - 1].lower in _INTRODUCES


def _neighbour(tokens: list[Token], i: int, step: int, used: set[int]) -> str | None:
    """The word beside a token that may say its kind, past an article or "called"."""
    j = i + step
    while 0 <= j < len(tokens) and step < 0 and tokens[j].lower in BETWEEN:
        j += step
    if not 0 <= j < len(tokens) or (j in used and tokens[j].lower not in NAMESPACE_WORDS):
        return None
    return tokens[j].lower


def _path(token: Token, namespaces: Collection[str]) -> list[Mention]:
    """ "shop/api", "deploy/api", "deployment.apps/api", "shop/deploy/api"."""
    parts = [part for part in token.lower.split("/") if part]
    if len(parts) == 3 and parts[0] in namespaces:
        return [Mention(parts[2], token.position, kinds_of(parts[1].partition(".")[0]), None, parts[0], True)]
    if len(parts) != 2:
        return []
    kinds = kinds_of(parts[0].partition(".")[0])
    space = parts[0] if parts[0] in namespaces else None if kinds else spelt_as(parts[0], namespaces)
    if space is not None:
        return [Mention(parts[1], token.position, (), None, space, True)]
    if kinds:
        return [Mention(parts[1], token.position, kinds, None, None, True)]
    return [Mention(part, token.position) for part in parts if not says_little(part)]
