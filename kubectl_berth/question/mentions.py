"""What in a question may be a name: tokens with the kind and namespace that the words around them give."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Collection
from dataclasses import dataclass, replace

from kubectl_berth.question.words import FUNCTION_WORDS, concept_of, kinds_of, meant_word, says_little

_TOKEN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?(?:['’][A-Za-z]+)?")
_NO_NAME = re.compile(
    r"\d+([.:,/-]\d+)*(?:[a-zA-Z%]{0,2})|v\d+[\w.-]*|\d+(?:\.\d+)?(?:[kmgt]i?b?|m|s|h|d|ms|min|cores?|x)|\d+(?:st|nd|rd|th)|"
    r"[a-z]+n't|https?|"
    r"\d{4}-\d\d-\d\d(?:t[\d.+-]*z?)?|(?=[a-f]*\d)[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    re.IGNORECASE,
)
_PASTED = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d\d:\d\d:\d\d\b|\b(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|PANIC|TRACE)\b|"
    r"^\s+at\s+[\w$.]+\(|\b[\w.-]+=\S"
)
"""What a line of output has, and no sentence."""
_QUOTES = "\"'`“”‘’"
_NAMED = frozenset({"called", "named", "name"})
_BETWEEN = frozenset({"the", "my", "our", "your", "this", "that", "a", "an", "called", "named", "of", "for"})
_INSIDE = frozenset({"in", "inside", "within", "from", "of", "across", "under"})
_NAMESPACE_WORDS = frozenset({"namespace", "namespaces", "ns", "project"})
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


@dataclass(frozen=True)
class _Token:
    text: str
    lower: str
    position: int
    quoted: bool
    starts: bool


def words_of(text: str, namespaces: Collection[str]) -> Words:
    """Takes a question apart, knowing which namespaces exist."""
    tokens = _tokens(text)
    spaces, unknown, used = _namespaces(tokens, namespaces)
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


def _tokens(text: str) -> list[_Token]:
    found = []
    for hit in _TOKEN.finditer(text):
        word = re.sub(r"['’]s$", "", hit.group(0)).strip(".-/")
        before, after = text[max(0, hit.start() - 40) : hit.start()], text[hit.end() : hit.end() + 1]
        quoted = before[-1:] in tuple(_QUOTES) and after in tuple(_QUOTES)
        starts = not before.strip() or bool(re.search(r"[.!?]\s*$", before))
        if word:
            found.append(_Token(word, word.lower(), hit.start(), quoted, starts))
    return found


def _namespaces(tokens: list[_Token], existing: Collection[str]) -> tuple[list[str], list[str], set[int]]:
    """Namespaces named, namespaces named that do not exist, and the places of the tokens spent on them."""
    found: list[str] = []
    unknown: list[str] = []
    used: set[int] = set()

    def take(index: int, *, sure: bool) -> bool:
        if not 0 <= index < len(tokens):
            return False
        word = tokens[index].lower
        if word in existing:
            found.append(word)
        elif sure and _name_like(tokens[index]) and "/" not in word and not kinds_of(word):
            unknown.append(word)
        else:
            return False
        used.add(index)
        return True

    for i, token in enumerate(tokens):
        following = tokens[i + 1].lower if i + 1 < len(tokens) else ""
        if token.lower in _NAMESPACE_WORDS:
            used.add(i)
            ahead = i + 2 if following in _NAMED else i + 1
            if i - 1 not in used and not take(i - 1, sure=True):
                take(ahead, sure=True)
        elif token.lower == "n" or token.lower == "namespace":
            take(i + 1, sure=True)
        elif token.lower in _INSIDE:
            place = i + 2 if following in _BETWEEN else i + 1
            sure = token.lower == "in" and place < len(tokens) and _looks_generated(tokens[place].lower)
            beside = tokens[place + 1].lower if place + 1 < len(tokens) else ""
            if not kinds_of(beside) or beside in _NAMESPACE_WORDS:
                took = take(place, sure=sure)
                while took and place + 2 < len(tokens) and tokens[place + 1].lower in ("and", "or"):
                    place += 2
                    took = take(place, sure=False)
    return list(dict.fromkeys(found)), list(dict.fromkeys(unknown)), used


def _mentions_at(tokens: list[_Token], i: int, used: set[int], namespaces: Collection[str]) -> list[Mention]:
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
            if j in used or not re.fullmatch(r"[a-z0-9]+", tokens[j].lower) or tokens[j].lower in _BETWEEN:
                break
            joined += f"-{tokens[j].lower}"
            found.append(replace(mention, word=joined, strong=False))
    dotted = re.fullmatch(r"([a-z0-9-]+)\.([a-z0-9-]+)(?:\.svc(?:\.[a-z0-9.-]+)?)?", token.lower)
    if dotted and dotted.group(2) in namespaces:
        found.append(Mention(dotted.group(1), token.position, ("Service",), None, dotted.group(2), True))
    return found


def _single(tokens: list[_Token], i: int, used: set[int]) -> Mention | None:
    token = tokens[i]
    if _NO_NAME.fullmatch(token.lower):
        return None
    if re.search(r"[a-z][A-Z]", token.text) and not token.quoted:
        return Mention(token.lower, token.position, plain=True)
    before = _neighbour(tokens, i, -1, used)
    after = _neighbour(tokens, i, +1, used)
    kinds = (kinds_of(after) if after else ()) or (kinds_of(before) if before else ())
    concept = (concept_of(after) if after else None) or (concept_of(before) if before else None)
    called = i > 0 and tokens[i - 1].lower in _NAMED and token.lower not in FUNCTION_WORDS
    if says_little(token.lower) and not (token.quoted or called):
        if token.lower in FUNCTION_WORDS or len(token.lower) < 3:
            return None
        return Mention(token.lower, token.position, kinds, concept, plain=True)
    looks = _looks_generated(token.lower) and not _HYPHENATED_ENGLISH.fullmatch(token.lower)
    plain = not (concept_of(token.lower) or kinds_of(token.lower) or _HYPHENATED_ENGLISH.fullmatch(token.lower))
    beside = bool(after and kinds_of(after)) and plain
    return Mention(token.lower, token.position, kinds, concept, None, token.quoted or called or looks or beside)


def _neighbour(tokens: list[_Token], i: int, step: int, used: set[int]) -> str | None:
    """The word beside a token that may say its kind, past an article or "called"."""
    j = i + step
    while 0 <= j < len(tokens) and step < 0 and tokens[j].lower in _BETWEEN:
        j += step
    if not 0 <= j < len(tokens) or (j in used and tokens[j].lower not in _NAMESPACE_WORDS):
        return None
    return tokens[j].lower


def _path(token: _Token, namespaces: Collection[str]) -> list[Mention]:
    """ "shop/api", "deploy/api", "deployment.apps/api", "shop/deploy/api"."""
    parts = [part for part in token.lower.split("/") if part]
    if len(parts) == 3 and parts[0] in namespaces:
        return [Mention(parts[2], token.position, kinds_of(parts[1].partition(".")[0]), None, parts[0], True)]
    if len(parts) != 2:
        return []
    kinds = kinds_of(parts[0].partition(".")[0])
    if parts[0] in namespaces:
        return [Mention(parts[1], token.position, (), None, parts[0], True)]
    if kinds:
        return [Mention(parts[1], token.position, kinds, None, None, True)]
    return [Mention(part, token.position) for part in parts if not says_little(part)]


def _name_like(token: _Token) -> bool:
    return bool(re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", token.lower)) and (
        token.quoted or not says_little(token.lower)
    )


def _looks_generated(word: str) -> bool:
    """True for words with a dash or a digit between letters: hardly English."""
    return bool(re.fullmatch(r"[a-z0-9]+(?:[-.][a-z0-9]+)+|[a-z]+\d+[a-z0-9]*", word)) and not _NO_NAME.fullmatch(word)
