"""The small language in which checks write what an answer may say.

memory limit            these words in a row; case, hyphens, underscores and light punctuation between do not matter
rais*                   a word that begins so
rais*|increas*          either
the?                    there or not
raise .. limit          up to 4 words between;  ...  up to 12
rais* & limit           both in the same sentence, in any order
ledger-db               a word with a hyphen is a name: whole, never part of ledger-db-3
2/3   82%   256Mi       figures as they are, a space before the unit or not
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kubectl_berth.evals.text import normal

_BETWEEN = r"[\W_]{0,3}"
_GAPS = {"..": 4, "...": 12}


@dataclass(frozen=True)
class Phrase:
    """One way to say something. `parts` all stand in one sentence, in any order."""

    written: str
    parts: tuple[re.Pattern[str], ...]

    def spans(self, sentence: str) -> Iterator[tuple[tuple[int, int], ...]]:
        """Each place where the phrase stands in a normalised sentence: one (start, end) for each part."""
        if len(self.parts) == 1:
            for match in self.parts[0].finditer(sentence):
                yield (match.span(),)
            return
        found = [[match.span() for match in part.finditer(sentence)] for part in self.parts]
        if all(found):
            # each place of the first part, with the nearest place of every other
            for first in found[0]:
                others = (min(spans, key=lambda span: abs(span[0] - first[0])) for spans in found[1:])
                yield (first, *others)


@lru_cache(maxsize=4096)
def phrase(written: str) -> Phrase:
    """Reads a phrase. One without a word raises ValueError."""
    parts = tuple(_part(part.split()) for part in normal(written).split(" & "))
    return Phrase(written, parts)


def _part(words: list[str]) -> re.Pattern[str]:
    if not words or all(word in _GAPS or word.endswith("?") for word in words):
        raise ValueError("is not a phrase: it has no word")
    pattern, glue = "", ""
    for number, word in enumerate(words):
        ends = all(later in _GAPS or later.endswith("?") for later in words[number + 1 : number + 2])
        if word in _GAPS:
            glue = rf"(?:[\W_]+[\w./:%-]+){{0,{_GAPS[word]}}}?[\W_]{{1,4}}"
        elif word.endswith("?"):
            pattern += f"(?:{glue}{_word(word[:-1], True)})?"
            glue = _BETWEEN if pattern else ""
        else:
            pattern += glue + _word(word, ends)
            glue = _BETWEEN
    return re.compile(rf"(?<!\w)(?:{pattern})")


def _word(word: str, ends: bool) -> str:
    return "(?:" + "|".join(_one(option, ends) for option in word.split("|") if option) + ")"


def _one(option: str, ends: bool) -> str:
    """One word as a pattern. Where nothing follows it `ends` whole; "crash loop" stands in "crashloop" too."""
    if option.endswith("*"):
        return re.escape(option[:-1]).replace("/", r"\s?/\s?") + r"\w*"
    if name_like(option):
        return name_pattern(option)
    figure = re.fullmatch(r"(\d+(?:\.\d+)?)(%|[a-z]+)", option)
    if figure:
        return rf"{re.escape(figure[1])}\s?{re.escape(figure[2])}(?!\w)"
    ending = r"(?!\d|\.\d)" if option[-1].isdigit() else ""
    if ends and option[-1].isalnum():
        ending += r"(?!\w)"
    return re.escape(option).replace("/", r"\s?/\s?") + ending


def name_like(word: str) -> bool:
    """True for a word that is written like an object's name: a hyphen between letters or digits."""
    return re.fullmatch(r"[a-z0-9.]+(?:-[a-z0-9.]+)+", word) is not None


def name_pattern(name: str) -> str:
    """Matches the name whole: no part of a longer one, but before a DNS suffix, in quotes, after its namespace."""
    return rf"(?<![\w-])(?<!\w\.){re.escape(name)}(?![\w-]|\*)"


@lru_cache(maxsize=4096)
def names(name: str) -> re.Pattern[str]:
    """A compiled pattern of an object's name, as "name" or "namespace/name"; the namespace may be missing in text."""
    _, _, short = name.lower().rpartition("/")
    return re.compile(name_pattern(short))
