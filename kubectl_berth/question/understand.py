"""What a question means on this cluster: which objects, which namespaces, what is wanted, what it takes for granted."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.question.catalogue import Catalogue, read_catalogue
from kubectl_berth.question.hits import Hit, bears, by_namespace, hits_of, subjects_of
from kubectl_berth.question.intents import Answerable, Intent, Premise, intents_of, premises_of, yes_no
from kubectl_berth.question.mentions import Mention, Words, words_of
from kubectl_berth.question.missing import likely, longer, misspelt, names_a_kind, nearest
from kubectl_berth.question.places import spelt_as
from kubectl_berth.question.software import absent, bookkeeping, by_image, fits, kindred, qualified, sought, strangers
from kubectl_berth.question.spelling import usual
from kubectl_berth.question.unnamed import KindSaid, by_concept, by_custom_kind, by_last_word, kinds_said
from kubectl_berth.question.words import concept_of, kinds_of, says_little
from kubectl_berth.records import Gap, Ref

LOOKED_AT = (5000, 1500)
"""Characters at the beginning and at the end of a text that are looked at."""


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
    spaces = names.namespaces | ({namespace} if narrowed and namespace else set())
    words = words_of(text, spaces, names.by_name)
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
    groups: list[tuple[Mention, list[Hit]]] = field(default_factory=list)
    missing: list[Mention] = field(default_factory=list)
    doubtful: list[Mention] = field(default_factory=list)
    mentioned: list[str] = field(default_factory=list)


def _sort(words: Words, names: Catalogue, kinds: Sequence[KindSaid]) -> _Sorted:
    told = _Sorted(words)
    for mention in words.mentions:
        named = mention.strong and "-" in mention.word
        if not named and any(said.start <= mention.position < said.end for said in kinds):
            continue
        hits = hits_of(mention, names)
        # "which jobs failed" asks for a kind, whatever namespaces are called
        kind_word = mention.plain and bool(kinds_of(mention.word))
        of_nodes = "Node" in mention.kinds and "Namespace" not in mention.kinds
        if (
            mention.word in names.namespaces
            and not (kind_word or of_nodes)
            and not any(bears(mention.word, hit) for hit in hits)
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


@dataclass
class _Meant:
    """The objects that a question means, and how they were found; `unnamed` those that no name was said for."""

    words: Words
    subjects: tuple[Ref, ...] = ()
    elsewhere: tuple[Ref, ...] = ()
    unnamed: tuple[Ref, ...] = ()
    guessed: bool = False
    of_kinds: tuple[str, ...] = ()


def _meant(
    text: str, placed: Words, told: _Sorted, said: Sequence[KindSaid], names: Catalogue, own: str | None
) -> _Meant:
    words = told.words
    inside, outside = by_namespace(told.groups, words, placed=bool(placed.namespaces or placed.unknown_namespaces))
    subjects, guessed = subjects_of(inside, names, own)
    elsewhere: tuple[Ref, ...] = ()
    if outside and not any(mention.strong for mention, _ in inside if _ not in ([],)):
        elsewhere, _ = subjects_of(outside, names, own)
    of_kind = by_custom_kind(said, words, names)
    if guessed and of_kind and not words.kinds:
        subjects, guessed = (), False
    if subjects and all(ref.kind == "Namespace" for ref in subjects):
        # "the batch": what lies in such a namespace is meant, not the namespace itself
        spaces = [ref.name for ref in subjects]
        told.mentioned += spaces
        words, subjects, guessed = _within(words, spaces), (), False
    if wrong_place := _unknown_place(text, subjects, names):
        subjects, elsewhere = (), subjects
        words = replace(words, unknown_namespaces=(*words.unknown_namespaces, wrong_place))
    if subjects or elsewhere:
        return _Meant(words, subjects, elsewhere, guessed=guessed)
    unnamed = of_kind or _of_software(text, placed, words, names)
    if unnamed:
        kinds = tuple(dict.fromkeys(one.kind for one in said)) if of_kind else ()
        return _Meant(words, unnamed, (), unnamed, guessed, kinds)
    last = by_last_word(words, names)
    return _Meant(words, last, guessed=bool(last))


def _resolve(text: str, placed: Words, names: Catalogue, own: str | None) -> Understanding:
    said = kinds_said(text, names)
    told = _sort(placed, names, [one for one in said if " " in text[one.start : one.end]])
    meant = _meant(text, placed, told, said, names, own)
    words, groups, chosen = meant.words, told.groups, (*meant.subjects, *meant.elsewhere)
    gone = [m.word for m in told.missing if not _covered(m, groups)]
    unsure = [m.word for m in told.doubtful if not _covered(m, groups)]
    doubtful = () if chosen or gone else tuple(dict.fromkeys(unsure))
    if chosen:
        gone += [*(word for word in unsure if "-" in word), *strangers(text, names)]
    gone_products = () if chosen else absent(text, placed, names)
    # a Deployment called "pay" asks for no saving
    meaning = _without_names(text, chosen)
    return Understanding(
        text,
        intents_of(meaning),
        meant.subjects,
        meant.elsewhere,
        missing=tuple(dict.fromkeys(gone)),
        near=nearest((gone or doubtful)[:6], names),
        likely=() if chosen else likely(gone[:6], names, words),
        longer=() if chosen else longer(gone[:6], names, words),
        kinds=tuple(dict.fromkeys((*_kinds(words, names), *(one.kind for one in said)))),
        concepts=words.concepts,
        namespaces=words.namespaces,
        unknown_namespaces=words.unknown_namespaces,
        premises=premises_of(meaning),
        yes_no=yes_no(meaning),
        apis={ref: api for ref in chosen if (api := names.custom_api(ref))},
        unrecognised=() if chosen or gone else _unrecognised(words, groups),
        guessed=meant.guessed,
        by_kind=bool(meant.unnamed),
        gaps=names.gaps,
        absent=gone_products,
        kindred=kindred(gone_products[0], words, names) if gone_products else (),
        doubtful=doubtful,
        mentioned=tuple(space for space in dict.fromkeys(told.mentioned) if space not in placed.namespaces),
        of_kinds=meant.of_kinds,
    )


def _of_software(text: str, placed: Words, words: Words, names: Catalogue) -> tuple[Ref, ...]:
    """Without a name: what is of the kind of software spoken of, in the namespaces named or else anywhere."""
    if not qualified(text, words, names):
        # "orders are late, is kafka ok": the namespace orders is only a word
        found = by_concept(words, names) or by_concept(placed, names)
        if found:
            return found
    return by_image(words, names)


def _unknown_place(text: str, subjects: Collection[Ref], names: Catalogue) -> str:
    """The namespace that a subject is written with ("prod/api"), where there is none of that name; "" elsewhere."""
    for name in {ref.name for ref in subjects if ref.namespace and ref.kind != "Pod"}:
        found = re.search(rf"(?<![\w./-])([a-z0-9][-a-z0-9]*)/{re.escape(name)}(?![\w./-])", text, re.IGNORECASE)
        word = found[1].lower() if found else ""
        known = word in names.namespaces or word in names.by_name or spelt_as(word, names.namespaces)
        if word and not known and not kinds_of(word):
            return word
    return ""


def _unrecognised(words: Words, groups: Sequence[tuple[Mention, list[Hit]]]) -> tuple[str, ...]:
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


def _covered(mention: Mention, groups: Sequence[tuple[Mention, list[Hit]]]) -> bool:
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
