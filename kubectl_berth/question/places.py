"""Which namespaces a question names."""

from __future__ import annotations

import re
from collections.abc import Collection

from kubectl_berth.question.tokens import BETWEEN, NAMED, NAMESPACE_WORDS, Token, looks_generated, name_like
from kubectl_berth.question.words import kinds_of

_INSIDE = frozenset({"in", "inside", "within", "from", "of", "across", "under"})
_STAGES = {
    "production": "prod", "prod": "prod", "prd": "prod", "staging": "staging", "stage": "staging", "stg": "staging",
    "development": "dev", "develop": "dev", "dev": "dev", "testing": "test", "test": "test", "tst": "test",
}  # fmt: skip
"""Words for a stage of delivery -> the one of them that stands for all its spellings."""
_LONGEST = 4
"""Words of a namespace's name said one by one."""


def namespaces_in(tokens: list[Token], existing: Collection[str]) -> tuple[list[str], list[str], set[int]]:
    """Namespaces named, namespaces named that do not exist, and the places of the tokens spent on them."""
    found: list[str] = []
    unknown: list[str] = []
    used: set[int] = set()

    for start, length, space in _said_in_words(tokens, existing):
        found.append(space)
        used.update(range(start, start + length))

    def take(index: int, *, sure: bool) -> bool:
        if not 0 <= index < len(tokens):
            return False
        if index in used:
            return True
        word = tokens[index].lower
        if word in existing:
            found.append(word)
        elif sure and name_like(tokens[index]) and "/" not in word and not kinds_of(word):
            unknown.append(word)
        else:
            return False
        used.add(index)
        return True

    for i, token in enumerate(tokens):
        following = tokens[i + 1].lower if i + 1 < len(tokens) else ""
        if token.lower in NAMESPACE_WORDS:
            used.add(i)
            ahead = i + 2 if following in NAMED else i + 1
            one = token.lower != "namespaces"  # "which namespaces enforce it": no name follows
            if i - 1 not in used and not take(i - 1, sure=one):
                take(ahead, sure=one)
        elif token.lower == "n" or token.lower == "namespace":
            take(i + 1, sure=True)
        elif token.lower in _INSIDE:
            place = i + 2 if following in BETWEEN else i + 1
            sure = token.lower == "in" and place < len(tokens) and looks_generated(tokens[place].lower)
            beside = tokens[place + 1].lower if place + 1 < len(tokens) else ""
            if not kinds_of(beside) or beside in NAMESPACE_WORDS:
                took = take(place, sure=sure)
                while took and place + 2 < len(tokens) and tokens[place + 1].lower in ("and", "or"):
                    place += 2
                    took = take(place, sure=False)
    return list(dict.fromkeys(found)), list(dict.fromkeys(unknown)), used


def pieces(words: str) -> frozenset[str]:
    """The pieces of a name or of words beside each other, a stage of delivery in one spelling: "eu production"."""
    return frozenset(_STAGES.get(one, one) for one in re.split(r"[-._\s]+", words.lower()) if one)


def spelt_as(words: str, existing: Collection[str]) -> str | None:
    """The only namespace whose name has exactly these pieces, in any order; None where none or several have."""
    wanted = pieces(words)
    found = [space for space in existing if pieces(space) == wanted]
    return found[0] if len(found) == 1 else None


def _said_in_words(tokens: list[Token], existing: Collection[str]) -> list[tuple[int, int, str]]:
    """Where namespaces are given in words ("the eu production namespace"): first token, how many, the namespace."""
    found: list[tuple[int, int, str]] = []
    free = 0
    for start in range(len(tokens)):
        if start < free:
            continue
        for length in range(min(_LONGEST, len(tokens) - start), 0, -1):
            space = _in_words(tokens, start, length, existing)
            if space is not None:
                found.append((start, length, space))
                free = start + length
                break
    return found


def _in_words(tokens: list[Token], start: int, length: int, existing: Collection[str]) -> str | None:
    """The namespace that these tokens give in words.

    One alone, or several none of which is a stage of delivery, count only where the sentence speaks of a place.
    """
    run = [token.lower for token in tokens[start : start + length]]
    if any("/" in word for word in run) or (length == 1 and run[0] in existing):
        return None
    space = spelt_as(" ".join(run), existing)
    before = [token.lower for token in tokens[max(0, start - 2) : start]]
    after = tokens[start + length].lower if start + length < len(tokens) else ""
    placed = after in NAMESPACE_WORDS or any(
        word in _INSIDE and all(one in BETWEEN for one in before[i + 1 :]) for i, word in enumerate(before)
    )
    staged = any(word in _STAGES for word in run)
    if space is not None:
        return space if placed or (length > 1 and staged) else None
    if not (placed and staged and length > 1):
        return None
    wider = [one for one in existing if pieces(" ".join(run)) < pieces(one)]
    return wider[0] if len(wider) == 1 else None
