"""What a question means on this cluster: which objects, which namespaces, what is wanted, what it takes for granted."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.cluster.names import stems
from kubectl_berth.question.catalogue import LAST_RANK, Catalogue, Entry, read_catalogue
from kubectl_berth.question.intents import Answerable, Intent, Premise, intents_of, premises_of, yes_no
from kubectl_berth.question.mentions import Mention, Words, words_of
from kubectl_berth.question.missing import ASKED_ABOUT, likely, longer, misspelt, names_a_kind, nearest
from kubectl_berth.question.places import spelt_as
from kubectl_berth.question.software import absent, bookkeeping, by_image, fits, kindred, qualified, sought, strangers
from kubectl_berth.question.spelling import usual
from kubectl_berth.question.unnamed import MOST_SUBJECTS, KindSaid, by_concept, by_custom_kind, by_last_word, kinds_said
from kubectl_berth.question.words import concept_of, kinds_of, says_little, singular, stem
from kubectl_berth.records import Gap, Ref

LOOKED_AT = (5000, 1500)
"""Characters at the beginning and at the end of a text that are looked at."""
_EXACT, _MEANT, _PART = 3.0, 2.0, 1.0
_KIND_SAID, _CONCEPT_SAID = 0.6, 2.5


@dataclass(frozen=True)
class Understanding:
    """What a question names and wants.

    `subjects` are the objects found, the one asked about first. `elsewhere` bear a name asked for, but in another
    namespace than the one named. `missing` are names that nothing bears, `near` the nearest that exist, `likely` those
    that a slip of the pen explains, `longer` those that it goes on from ("api-canary" where
    there is "api"). `kinds` are kinds spoken of in general. `apis` gives the apiVersion of subjects of
    an operator's kind. `unrecognised` are words that may have been meant as names, where none was. `guessed` is True
    where the subjects only contain the words said, `by_kind` where they are all of a kind of software, none named.
    `absent` are products named that nothing there is of, `kindred` what there is of the first one's kind. `doubtful`
    are words that nothing bears and that may be names or not ("training job"), `mentioned` namespaces of which only the
    name was said, not that anything is in them. `of_kinds` are the operators' kinds whose objects all are the subjects.
    """

    text: str
    intents: tuple[Intent, ...] = ("diagnose",)
    subjects: tuple[Ref, ...] = ()
    elsewhere: tuple[Ref, ...] = ()
    missing: tuple[str, ...] = ()
    near: tuple[Ref, ...] = ()
    likely: tuple[Ref, ...] = ()
    longer: tuple[Ref, ...] = ()
    kinds: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    unknown_namespaces: tuple[str, ...] = ()
    premises: tuple[Premise, ...] = ()
    yes_no: Answerable | None = None
    apis: dict[Ref, str] = field(default_factory=dict)
    unrecognised: tuple[str, ...] = ()
    guessed: bool = False
    by_kind: bool = False
    gaps: tuple[Gap, ...] = ()
    absent: tuple[str, ...] = ()
    kindred: tuple[Ref, ...] = ()
    doubtful: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()
    of_kinds: tuple[str, ...] = ()

    @property
    def intent(self) -> Intent:
        """What is wanted first of all."""
        return self.intents[0]


@dataclass(frozen=True)
class _Hit:
    entry: Entry
    score: float


def understand(
    text: str,
    cluster: Cluster,
    *,
    namespace: str | None,
    narrowed: bool,
) -> Understanding:
    """What the question means on this cluster.

    `namespace` is the context's own, or the only one where `narrowed`. Reads that fail become gaps.
    """
    text = usual(_shortened(text))
    names = read_catalogue(cluster, namespace if narrowed else None)
    words = words_of(text, names.namespaces | ({namespace} if narrowed and namespace else set()))
    if narrowed and namespace:
        # "jobs/worker" lies in a namespace that was not read
        written = [mention.namespace for mention in words.mentions if mention.namespace]
        words = replace(words, namespaces=tuple(dict.fromkeys((*words.namespaces, *written, namespace))))
    return _resolve(text, words, names, namespace)


def _shortened(text: str) -> str:
    """A long text without its middle: a question stands before or after what was pasted."""
    if len(text) <= sum(LOOKED_AT):
        return text
    head, tail = text[: LOOKED_AT[0]], text[-LOOKED_AT[1] :]
    # no half of a word is looked up, and no half of a line of output
    return f"{head.rpartition(' ')[0] or head}\n{tail.partition(chr(10))[2] or tail.partition(' ')[2] or tail}"


@dataclass
class _Sorted:
    """The mentions by what became of them, and the words with the namespaces that were only mentioned."""

    words: Words
    groups: list[tuple[Mention, list[_Hit]]] = field(default_factory=list)
    missing: list[Mention] = field(default_factory=list)
    doubtful: list[Mention] = field(default_factory=list)
    mentioned: list[str] = field(default_factory=list)


def _sort(words: Words, names: Catalogue, kinds: Sequence[KindSaid]) -> _Sorted:
    told = _Sorted(words)
    for mention in words.mentions:
        named = mention.strong and "-" in mention.word
        if not named and any(said.start <= mention.position < said.end for said in kinds):
            continue
        hits = _hits(mention, names)
        # "which jobs failed" asks for a kind, whatever namespaces are called
        kind_word = mention.plain and bool(kinds_of(mention.word))
        of_nodes = "Node" in mention.kinds and "Namespace" not in mention.kinds
        if (
            mention.word in names.namespaces
            and not (kind_word or of_nodes)
            and not any(_bears(mention.word, hit) for hit in hits)
        ):
            told.mentioned.append(mention.word)
        elif hits:
            told.groups.append((mention, hits))
        elif mention.pasted or names_a_kind(mention.word, names):
            continue
        elif mention.doubtful and not misspelt(mention, names):
            told.doubtful.append(mention)
        elif mention.strong or misspelt(mention, names):
            told.missing.append(mention)
    told.words = _within(words, told.mentioned)
    return told


def _within(words: Words, spaces: Iterable[str]) -> Words:
    return replace(words, namespaces=tuple(dict.fromkeys((*words.namespaces, *spaces))))


def _resolve(text: str, placed: Words, names: Catalogue, own: str | None) -> Understanding:
    said = kinds_said(text, names)
    told = _sort(placed, names, [one for one in said if " " in text[one.start : one.end]])
    words, groups = told.words, told.groups
    inside, outside = _by_namespace(groups, words)
    subjects, guessed = _subjects(inside, names, own)
    elsewhere: tuple[Ref, ...] = ()
    if outside and not any(mention.strong for mention, _ in inside if _ not in ([],)):
        elsewhere, _ = _subjects(outside, names, own)
    of_kind = by_custom_kind(said, words, names)
    if guessed and of_kind and not words.kinds:
        subjects, guessed = (), False
    if subjects and all(ref.kind == "Namespace" for ref in subjects):
        # "the batch": what lies in such a namespace is meant, not the namespace itself
        spaces = [ref.name for ref in subjects]
        told.mentioned += spaces
        words, subjects, guessed = _within(words, spaces), (), False
    wrong_place = _unknown_place(text, subjects, names)
    if wrong_place:
        subjects, elsewhere = (), subjects
        words = replace(words, unknown_namespaces=(*words.unknown_namespaces, wrong_place))
    unnamed = () if subjects or elsewhere else of_kind or _of_software(text, placed, words, names)
    subjects = subjects or unnamed
    gone = [m.word for m in told.missing if not _covered(m, groups)]
    chosen = (*subjects, *elsewhere)
    doubtful = () if chosen or gone else tuple(m.word for m in told.doubtful if not _covered(m, groups))
    if chosen:
        gone += strangers(text, names)
    gone_products = () if chosen else absent(text, placed, names)
    # a Deployment called "pay" asks for no saving
    meaning = _without_names(text, chosen)
    return Understanding(
        text,
        intents_of(meaning),
        subjects,
        elsewhere,
        tuple(dict.fromkeys(gone)),
        nearest((gone or doubtful)[:6], names),
        () if chosen else likely(gone[:6], names, words),
        () if chosen else longer(gone[:6], names, words),
        tuple(dict.fromkeys((*_kinds(words, names), *(one.kind for one in said)))),
        words.concepts,
        words.namespaces,
        words.unknown_namespaces,
        premises_of(meaning),
        yes_no(meaning),
        {ref: api for ref in chosen if (api := names.custom_api(ref))},
        () if chosen or gone else _unrecognised(words, groups),
        guessed,
        bool(unnamed),
        names.gaps,
        gone_products,
        kindred(gone_products[0], words, names) if gone_products else (),
        tuple(dict.fromkeys(doubtful)),
        tuple(space for space in dict.fromkeys(told.mentioned) if space not in placed.namespaces),
        tuple(dict.fromkeys(one.kind for one in said)) if of_kind and of_kind == unnamed else (),
    )


def _of_software(text: str, placed: Words, words: Words, names: Catalogue) -> tuple[Ref, ...]:
    """Without a name: what is of the kind of software spoken of, in the namespaces named or else anywhere."""
    if not qualified(text, words, names):
        # "orders are late, is kafka ok": the namespace orders is only a word
        found = by_concept(words, names) or by_concept(placed, names)
        if found:
            return found
    return by_image(words, names) or by_last_word(words, names)


def _unknown_place(text: str, subjects: Collection[Ref], names: Catalogue) -> str:
    """The namespace that a subject is written with ("prod/api"), where there is none of that name; "" elsewhere."""
    for name in {ref.name for ref in subjects if ref.namespace and ref.kind != "Pod"}:
        found = re.search(rf"(?<![\w./-])([a-z0-9][-a-z0-9]*)/{re.escape(name)}(?![\w./-])", text, re.IGNORECASE)
        word = found[1].lower() if found else ""
        known = word in names.namespaces or word in names.by_name or spelt_as(word, names.namespaces)
        if word and not known and not kinds_of(word):
            return word
    return ""


def _unrecognised(words: Words, groups: Sequence[tuple[Mention, list[_Hit]]]) -> tuple[str, ...]:
    """Words that are neither of the trade nor common, and fit nothing."""
    fitting = {mention.word for mention, _ in groups}
    found = [
        mention.word
        for mention in words.mentions
        if not (mention.plain or mention.pasted)
        and re.fullmatch(r"[a-z][a-z0-9]{2,30}", mention.word)
        and mention.word not in fitting
        and not (kinds_of(mention.word) or concept_of(mention.word) or says_little(mention.word))
    ]
    return tuple(dict.fromkeys(found))[:4]


def _without_names(text: str, subjects: Collection[Ref]) -> str:
    """The question with the names of its subjects replaced by a word that means nothing else."""
    for ref in sorted(subjects, key=lambda ref: len(ref.name), reverse=True):
        word = "node" if ref.kind == "Node" else "thing"
        text = re.sub(rf"(?<![\w-]){re.escape(ref.name)}(?![\w-])", word, text, flags=re.IGNORECASE)
    return text


# --- which objects a mention may mean -------------------------------------------------------------------------------


def _hits(mention: Mention, names: Catalogue) -> list[_Hit]:
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
        found.append(_Hit(entry, score))
    return found


def _bears(word: str, hit: _Hit) -> bool:
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


def _surest(mention: Mention, hits: Sequence[_Hit]) -> tuple[float, int]:
    """Names before parts of names; of two names the one said first, whatever kind was said beside either."""
    top = max(hit.score for hit in hits)
    return (-min(top, _EXACT - 0.2), mention.position) if top >= _EXACT - 0.2 else (-top, 0)


def _derived(word: str, part: str) -> bool:
    """True where a part of a name and the word come of one verb: "build" and "builder", "training" and "trainer"."""
    return part != word and len(part) > 4 and not says_little(part) and stem(part) == stem(word)


def _by_namespace(
    groups: Sequence[tuple[Mention, list[_Hit]]], words: Words
) -> tuple[list[tuple[Mention, list[_Hit]]], list[tuple[Mention, list[_Hit]]]]:
    """The hits inside the namespaces named (cluster-scoped ones too), and those of mentions that have none there."""
    if not words.namespaces and not words.unknown_namespaces:
        return list(groups), []
    spaces = {"", *words.namespaces}
    inside, outside = [], []
    for mention, hits in groups:
        here = [hit for hit in hits if mention.namespace or hit.entry.ref.namespace in spaces]
        there = [hit for hit in hits if hit not in here and hit.score >= _MEANT]
        if here:
            inside.append((mention, here))
        elif there and mention.clause not in words.clauses and not mention.strong:
            # "nothing in shop resolves, is CoreDNS down": the namespace is said of something else
            inside.append((mention, there))
        elif there:
            outside.append((mention, there))
    return inside, outside


def _subjects(
    groups: Sequence[tuple[Mention, list[_Hit]]], names: Catalogue, own: str | None
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


def _refs(hits: Sequence[_Hit], names: Catalogue, own: str | None) -> list[Ref]:
    """The objects hit: pods meant by a workload's name give way to their workload; own namespace, best score first."""
    found: dict[Ref, tuple[float, int]] = {}
    for hit in hits:
        ref = hit.entry.ref
        if ref.kind == "Pod" and hit.entry.owner is not None and len(hits) > 1:
            ref = names.root(ref)
        found.setdefault(ref, (-hit.score, hit.entry.rank))
    return sorted(found, key=lambda ref: (ref.namespace != own, found[ref], ref))


def _covered(mention: Mention, groups: Sequence[tuple[Mention, list[_Hit]]]) -> bool:
    """True where a mention at the same place (joined words, a service's DNS name) was found."""
    return any(other.position <= mention.position <= other.position + len(other.word) for other, _ in groups) or any(
        other.position == mention.position for other, _ in groups
    )


def _kinds(words: Words, names: Catalogue) -> tuple[str, ...]:
    custom = {
        entry.ref.kind
        for word in sought(words)
        for entry in names.entries
        if entry.custom and fits(entry, word) and not bookkeeping(entry, concept_of(word) or "")
    }
    return (*words.kinds, *sorted(custom))
