"""Which namespaces a question names."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from kubectl_berth.question.tokens import BETWEEN, NAMED, NAMESPACE_WORDS, Token, looks_generated, name_like
from kubectl_berth.question.words import FUNCTION_WORDS, TRADE_WORDS, kinds_of

_INSIDE = frozenset({"in", "inside", "within", "from", "of", "across", "under"})
_STAGES = {
    "production": "prod", "prod": "prod", "prd": "prod", "staging": "staging", "stage": "staging", "stg": "staging",
    "development": "dev", "develop": "dev", "dev": "dev", "testing": "test", "test": "test", "tst": "test",
}  # fmt: skip
"""Words for a stage of delivery -> the one of them that stands for all its spellings."""
_STATES = frozenset(
    "bad big broke broken clean clear critical current dead different down empty free full high huge large low main"
    " normal notready offline old poor previous quick random ready red same slow small stale strange stuck unavailable"
    " unreachable up whole wrong available reachable accessible possible responsible".split()
)
"""Words of the trade that say how something is, never what it is called."""
_LONGEST = 4
"""Words of a namespace's name said one by one."""


@dataclass
class _Taken:
    """What was found so far: namespaces that exist, some that do not, and the places of the tokens spent on them."""

    tokens: list[Token]
    existing: Collection[str]
    objects: Collection[str] = ()
    found: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)

    def take(self, index: int, *, sure: bool) -> bool:
        """True where the token is a namespace; one that does not exist counts where it is `sure` to be meant as one."""
        if not 0 <= index < len(self.tokens):
            return False
        if index in self.used:
            return True
        word = self.tokens[index].lower
        if word in self.existing:
            self.found.append(word)
        elif sure and (name_like(self.tokens[index]) or _noun(word)) and "/" not in word and not kinds_of(word):
            self.unknown.append(word)
        else:
            return False
        self.used.add(index)
        return True


def _noun(word: str) -> bool:
    """True for a word of the trade that may be what a namespace is called: "data", "platform"; no "broken", "fails"."""
    return word in TRADE_WORDS and word not in FUNCTION_WORDS | _STATES and not word.endswith(("ing", "ed", "s", "y"))


def namespaces_in(
    tokens: list[Token], existing: Collection[str], objects: Collection[str] = ()
) -> tuple[list[str], list[str], set[int]]:
    """Namespaces named, namespaces named that do not exist, and the places of the tokens spent on them.

    What only stands after "in" and is the name of one of the `objects` means that object.
    """
    taken = _Taken(tokens, existing, objects)
    for start, length, space in _said_in_words(tokens, existing):
        taken.found.append(space)
        taken.used.update(range(start, start + length))
    for i, token in enumerate(tokens):
        if token.lower in NAMESPACE_WORDS:
            taken.used.add(i)
            ahead = i + 2 if i + 1 < len(tokens) and tokens[i + 1].lower in NAMED else i + 1
            one = token.lower != "namespaces"  # "which namespaces enforce it": no name follows
            if i - 1 not in taken.used and not taken.take(i - 1, sure=one):
                taken.take(ahead, sure=one)
        elif token.lower == "n":
            taken.take(i + 1, sure=True)
        elif token.lower in _INSIDE:
            _take_inside(taken, i)
    return list(dict.fromkeys(taken.found)), list(dict.fromkeys(taken.unknown)), taken.used


def _take_inside(taken: _Taken, i: int) -> None:
    """The namespaces after a word for a place: "in shop", "in the shop and data"."""
    tokens = taken.tokens
    place = i + 2 if i + 1 < len(tokens) and tokens[i + 1].lower in BETWEEN else i + 1
    word = tokens[place].lower if place < len(tokens) else ""
    sure = tokens[i].lower == "in" and looks_generated(word) and word not in taken.objects
    beside = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    if kinds_of(beside) and beside not in NAMESPACE_WORDS:
        return
    took = taken.take(place, sure=sure)
    while took and place + 2 < len(tokens) and tokens[place + 1].lower in ("and", "or"):
        place += 2
        took = taken.take(place, sure=False)


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
