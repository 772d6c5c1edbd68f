"""What a question names that is not there: which words were meant as names, and what comes near them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from kubectl_berth.cluster.names import near_names
from kubectl_berth.question.catalogue import Catalogue
from kubectl_berth.question.mentions import Mention, Words
from kubectl_berth.question.unnamed import last_word
from kubectl_berth.question.words import says_little, singular
from kubectl_berth.records import Ref

ASKED_ABOUT = 4
"""The last rank of what is asked about by name: workloads, operators' objects, nodes, Services."""


def names_a_kind(word: str, names: Catalogue) -> bool:
    """True for the word of an operator's kind that has objects here ("scaledobject"), or for its last one."""
    kind = singular(word.replace("-", ""))
    return any(entry.custom and kind in (entry.ref.kind.lower(), last_word(entry.ref.kind)) for entry in names.entries)


def misspelt(mention: Mention, names: Catalogue) -> bool:
    """True for a word that is almost the name of a workload and is no word of the trade."""
    if len(mention.word) < 5 or "-" in mention.word or says_little(mention.word):
        return False
    known = {entry.ref.name for entry in names.entries if entry.rank <= 4 and entry.ref.kind != "Pod"}
    return _drawn_out(mention.word) in known or bool(difflib.get_close_matches(mention.word, known, 1, 0.85))


def _drawn_out(word: str) -> str | None:
    """The word with letters said once that stand there three times or more ("apiiii"); None where none does."""
    short = re.sub(r"(.)\1{2,}", r"\1", word)
    return short if short != word else None


def likely(missing: Sequence[str], names: Catalogue, words: Words) -> tuple[Ref, ...]:
    """The bearers of the one name that each missing one is nearly spelt like."""
    found: list[Ref] = []
    asked = [
        entry
        for entry in names.entries
        if entry.rank <= 5
        and entry.ref.kind != "Pod"
        and (not words.namespaces or entry.ref.namespace in ("", *words.namespaces))
    ]
    for word in missing:
        close = difflib.get_close_matches(_drawn_out(word) or word, {entry.ref.name for entry in asked}, 2, 0.85)
        if len(close) == 1:
            found.extend(entry.ref for entry in asked if entry.ref.name == close[0])
    return tuple(dict.fromkeys(found))


def longer(missing: Sequence[str], names: Catalogue, words: Words) -> tuple[Ref, ...]:
    """The bearers of the longest name that each missing one begins with, up to a dash."""
    found: list[Ref] = []
    for word in missing:
        begun = [
            entry.ref
            for entry in names.entries
            if entry.rank <= ASKED_ABOUT
            and entry.ref.kind not in ("Pod", "Node")
            and len(entry.ref.name) > 3
            and word.startswith(f"{entry.ref.name}-")
            and (not words.namespaces or entry.ref.namespace in words.namespaces)
        ]
        longest = max((len(ref.name) for ref in begun), default=0)
        found.extend(ref for ref in begun if len(ref.name) == longest)
    return tuple(dict.fromkeys(found))


def nearest(missing: Sequence[str], names: Catalogue) -> tuple[Ref, ...]:
    found: list[Ref] = []
    asked = [entry for entry in names.entries if entry.rank <= 6 and entry.ref.kind != "Pod"]
    candidates = {entry.ref.name for entry in asked}
    for word in missing:
        found.extend(Ref("Namespace", "", name) for name in sorted(names.namespaces) if word.startswith(f"{name}-"))
        for name in near_names(_drawn_out(word) or word, candidates, 3):
            found.extend(entry.ref for entry in asked if entry.ref.name == name)
    return tuple(dict.fromkeys(found))[:6]
