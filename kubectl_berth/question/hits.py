"""Which objects of a cluster a mention may mean, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_berth.cluster.names import stems
from kubectl_berth.question.catalogue import LAST_RANK, Catalogue, Entry
from kubectl_berth.question.mentions import Mention, Words
from kubectl_berth.question.missing import ASKED_ABOUT
from kubectl_berth.question.unnamed import MOST_SUBJECTS
from kubectl_berth.question.words import concept_of, kinds_of, says_little, singular, stem
from kubectl_berth.records import Ref

_EXACT, _MEANT, _PART = 3.0, 2.0, 1.0
_KIND_SAID, _CONCEPT_SAID = 0.6, 2.5


@dataclass(frozen=True)
class Hit:
    """An object that a mention may mean, and how surely."""

    entry: Entry
    score: float


def hits_of(mention: Mention, names: Catalogue) -> list[Hit]:
    """Objects that the mention may mean, scored; the kind and the software said beside it weigh in."""
    found = []
    ends = frozenset(stems(mention.word))
    for entry in names.entries:
        if mention.namespace and entry.ref.namespace != mention.namespace:
            continue
        score = _level(mention, entry, ends)
        if not score:
            continue
        if entry.ref.kind in mention.kinds:
            score += _KIND_SAID
        if mention.concept and entry.fits(mention.concept):
            score += _CONCEPT_SAID
        found.append(Hit(entry, score))
    return found


def bears(word: str, hit: Hit) -> bool:
    """True where something else than a namespace bears the word as its name."""
    return hit.entry.ref.name == word and hit.entry.ref.kind != "Namespace"


def _level(mention: Mention, entry: Entry, ends: frozenset[str]) -> float:
    """How surely an entry is meant; `ends` is the word without its generated ends."""
    name, word = entry.ref.name.lower(), mention.word
    if "." in word and entry.answers_for(word):
        return _EXACT if entry.owner is None else _EXACT - 0.1  # what another object made comes after what a person did
    if word == name:
        # "the claim reports": a common word is a name where the kind is said beside it
        named = not mention.plain or entry.rank <= ASKED_ABOUT or mention.kinds == (entry.ref.kind,)
        return _EXACT if named else 0
    if mention.plain:
        return 0
    if word.endswith("s") and word[:-1] == name:
        return _EXACT - 0.2
    if concept_of(word) and entry.ref.kind in ("Node", "Namespace"):
        return 0  # a node called db-1 is no database
    if kinds_of(word) and entry.ref.kind == "Namespace":
        return 0
    if word in entry.families or word in entry.stems or name in ends:
        return _MEANT
    wanted = set(word.split("-"))
    if len(word) < 3 or not (mention.strong or len(word) > 3):
        return 0
    if len(word) > 4 and entry.rank <= ASKED_ABOUT and any(_derived(word, part) for part in entry.parts):
        return _PART * 0.55
    if wanted <= entry.parts or {singular(one) for one in wanted} <= entry.parts:
        return _PART * (0.5 + 0.5 * len(wanted) / len(entry.parts)) + (0.3 if "-" in word else 0)
    if len(word) > 4 and "-" in word and name.startswith(f"{word}-"):
        return _PART
    return 0


def _surest(mention: Mention, hits: Sequence[Hit]) -> tuple[float, int]:
    """Names before parts of names; of two names the one said first, whatever kind was said beside either."""
    top = max(hit.score for hit in hits)
    return (-min(top, _EXACT - 0.2), mention.position) if top >= _EXACT - 0.2 else (-top, 0)


def _derived(word: str, part: str) -> bool:
    """True where a part of a name and the word come of one verb: "build" and "builder", "training" and "trainer"."""
    return part != word and len(part) > 4 and not says_little(part) and stem(part) == stem(word)


def by_namespace(
    groups: Sequence[tuple[Mention, list[Hit]]], words: Words, *, placed: bool
) -> tuple[list[tuple[Mention, list[Hit]]], list[tuple[Mention, list[Hit]]]]:
    """The hits inside the namespaces named (cluster-scoped ones too), and those of mentions that have none there.

    `placed` where it was said that something is in them, not only what they are called.
    """
    if not words.namespaces and not words.unknown_namespaces:
        return list(groups), []
    spaces = {"", *words.namespaces}
    inside, outside = [], []
    for mention, hits in groups:
        here = [hit for hit in hits if mention.namespace or hit.entry.ref.namespace in spaces]
        there = [hit for hit in hits if hit not in here and hit.score >= _MEANT]
        if here:
            inside.append((mention, here))
        elif there and (not placed or (mention.clause not in words.clauses and not mention.strong)):
            # "nothing in shop resolves, is CoreDNS down": the namespace is said of something else
            inside.append((mention, there))
        elif there:
            outside.append((mention, there))
    return inside, outside


def subjects_of(
    groups: Sequence[tuple[Mention, list[Hit]]], names: Catalogue, own: str | None
) -> tuple[tuple[Ref, ...], bool]:
    """The objects asked about, best first, and whether their names only contain what was said."""
    if not groups:
        return (), False
    best = max(hit.score for _, hits in groups for hit in hits)
    found: list[Ref] = []
    # a word that only resembles a part of some name is no subject beside one that is a name
    floor = _MEANT - 0.3 if best >= _MEANT else 0.0
    certain = any(not mention.plain and max(hit.score for hit in hits) >= _EXACT - 0.2 for mention, hits in groups)
    for mention, hits in sorted(groups, key=lambda group: _surest(*group)):
        top = max(hit.score for hit in hits)
        if top < floor or (certain and mention.plain and says_little(mention.word) and mention.position > 0):
            continue  # a common word is a name beside another one only where it opens the sentence
        chosen = [hit for hit in hits if hit.score >= top - 0.05]
        if top >= _EXACT - 0.2:
            same = {hit.entry.ref.name for hit in chosen}
            chosen += [hit for hit in hits if hit.entry.ref.name in same and hit not in chosen]
        bearers = [hit for hit in chosen if hit.entry.rank < LAST_RANK]
        found.extend(_refs(bearers or chosen, names, own))
    unique = tuple(dict.fromkeys(found))[:MOST_SUBJECTS]
    return unique, best < _MEANT - 0.3


def _refs(hits: Sequence[Hit], names: Catalogue, own: str | None) -> list[Ref]:
    """The objects hit: pods meant by a workload's name give way to their workload; own namespace, best score first."""
    found: dict[Ref, tuple[float, int]] = {}
    for hit in hits:
        ref = hit.entry.ref
        if ref.kind == "Pod" and hit.entry.owner is not None and len(hits) > 1:
            ref = names.root(ref)
        found.setdefault(ref, (-hit.score, hit.entry.rank))
    return sorted(found, key=lambda ref: (ref.namespace != own, found[ref], ref))
