"""Objects that a question means without a name: all of a kind, or of a kind of software."""

from __future__ import annotations

from kubectl_berth.question.catalogue import Catalogue
from kubectl_berth.question.mentions import Words
from kubectl_berth.question.software import bookkeeping, controller, fits, sought
from kubectl_berth.question.words import WORKLOAD_KINDS, concept_of, singular
from kubectl_berth.records import Ref

MOST_SUBJECTS = 12
"""More objects than this are not looked at one by one."""


def by_custom_kind(words: Words, names: Catalogue) -> tuple[Ref, ...]:
    """Without a name: every object of an operator's kind that is spoken of by the kind's own word ("the topics")."""
    said = {singular(mention.word) for mention in words.mentions if not mention.plain}
    spaces = {"", *words.namespaces}
    found = [
        entry.ref
        for entry in names.entries
        if entry.custom and entry.ref.kind.lower() in said and (not words.namespaces or entry.ref.namespace in spaces)
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
