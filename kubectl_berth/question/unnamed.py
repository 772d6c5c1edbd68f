"""Objects that a question means without a name: all of a kind, or of a kind of software."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from kubectl_berth.question.catalogue import Catalogue
from kubectl_berth.question.mentions import Words
from kubectl_berth.question.software import bookkeeping, controller, fits, sought
from kubectl_berth.question.words import WORKLOAD_KINDS, concept_of, kinds_of, says_little, singular
from kubectl_berth.records import Ref

MOST_SUBJECTS = 12
"""More objects than this are not looked at one by one."""
_JOINS = ("-", "/")


@dataclass(frozen=True)
class KindSaid:
    """A kind of an operator spoken of in words, and where they begin and end."""

    kind: str
    start: int
    end: int


def kinds_said(text: str, names: Catalogue) -> list[KindSaid]:
    """The operators' kinds whose own words are said: "kafka topics", "the externalsecret", of two words or one."""
    known = {entry.ref.kind.lower(): entry.ref.kind for entry in names.entries if entry.custom}
    words = list(re.finditer(r"[A-Za-z0-9]+", text)) if known else []
    found: list[KindSaid] = []
    for i, word in enumerate(words):
        if found and word.start() < found[-1].end:
            continue
        for length in (3, 2, 1):
            run = words[i : i + length]
            spaced = all(text[a.end() : b.start()] == " " for a, b in pairwise(run))
            kind = known.get(singular("".join(one[0] for one in run).lower()))
            around = (text[max(0, run[0].start() - 1) : run[0].start()], text[run[-1].end() : run[-1].end() + 1])
            alone = not set(around) & set(_JOINS)
            if kind is None or not spaced or not alone or (len(run) == 1 and says_little(run[0][0])):
                continue
            found.append(KindSaid(kind, run[0].start(), run[-1].end()))
            break
    return found


def by_custom_kind(said: Collection[KindSaid], words: Words, names: Catalogue) -> tuple[Ref, ...]:
    """Without a name: every object of the operators' kinds spoken of."""
    return _objects({one.kind for one in said}, words, names)


def by_last_word(words: Words, names: Catalogue) -> tuple[Ref, ...]:
    """Without a name: every object of an operator's kind of which only the last word is said ("the connector")."""
    said = {
        singular(mention.word)
        for mention in words.mentions
        if not (mention.plain or concept_of(mention.word) or kinds_of(mention.word))
    }
    kinds = {entry.ref.kind for entry in names.entries if entry.custom}
    return _objects({kind for kind in kinds if last_word(kind) in said}, words, names)


def last_word(kind: str) -> str:
    """The last word of a kind of several, in lower case: "connector" of KafkaConnector; "" for a kind of one."""
    parts = re.findall(r"[A-Z][a-z0-9]+", kind)
    return parts[-1].lower() if len(parts) > 1 else ""


def _objects(kinds: Collection[str], words: Words, names: Catalogue) -> tuple[Ref, ...]:
    spaces = {"", *words.namespaces}
    found = [
        entry.ref
        for entry in names.entries
        if entry.custom and entry.ref.kind in kinds and (not words.namespaces or entry.ref.namespace in spaces)
    ]
    return tuple(found) if len(found) <= MOST_SUBJECTS else ()


def by_concept(words: Words, names: Catalogue) -> tuple[Ref, ...]:
    """Without a name: every object that is the kind of software spoken of, by its owner at the top.

    What an operator runs comes before what it makes, and the operators themselves do not count.
    """
    spaces = set(words.namespaces)
    found: dict[Ref, int] = {}
    running = {names.root(entry.ref) for entry in names.entries if entry.ref.kind == "Pod"} if words.concepts else set()
    for word in sought(words):
        concept = concept_of(word) or ""
        for entry in names.entries:
            if spaces and entry.ref.namespace not in spaces:
                continue
            if not (entry.custom or entry.ref.kind in WORKLOAD_KINDS) or not fits(entry, word):
                continue
            root = names.root(entry.ref)
            if controller(root.name) or (entry.custom and bookkeeping(entry, concept)):
                continue
            found.setdefault(root, 0 if root in running else 1)
    return tuple(sorted(found, key=lambda ref: found[ref])) if len(found) <= MOST_SUBJECTS else ()
