"""Software that is called by the name of its product: what bears that name here, and what is only of its kind."""

from __future__ import annotations

import re

from kubectl_berth.question.catalogue import Catalogue, Entry
from kubectl_berth.question.mentions import Words
from kubectl_berth.question.words import WORKLOAD_KINDS, concept_of, kinds_of, says_little
from kubectl_berth.records import Ref

_SPELLINGS = (
    ("postgres", "postgresql", "pg", r"\bpostgres|\bpgsql|\bpg\b"),
    ("mysql", "mysql", r"mysql"),
    ("mariadb", "mariadb", r"mariadb"),
    ("mongo", "mongodb", r"mongo"),
    ("redis", "redis", r"redis"),
    ("kafka", "kafka", r"kafka"),
    ("rabbitmq", "rabbitmq", r"rabbit"),
    ("memcached", "memcached", r"memcache"),
    ("prometheus", "prometheus", r"prometheus"),
)
"""How one product is spelt, never another of its kind: who asks for one is not helped by the state of another."""

PRODUCTS: dict[str, re.Pattern[str]] = {
    word: re.compile(pattern) for *words, pattern in _SPELLINGS for word in dict.fromkeys(words)
}
"""Singular word -> how objects of that product are called."""

_ANY = frozenset("main primary central shared whole entire only same internal external local managed big own".split())
"""Words that say of software only that it is one."""

KINDRED = ("database", "queue", "cache")
"""Kinds of software that a product's name stands for alone: "the redis cache" is no other cache."""


def fits(entry: Entry, word: str) -> bool:
    """True where an entry is the software that the word means: of that product, or for a general word of that kind."""
    product = PRODUCTS.get(word)
    if product is not None:
        return product.search(entry.called) is not None
    concept = concept_of(word)
    return concept is not None and entry.fits(concept)


def controller(name: str) -> bool:
    """True for the name of an operator's own workload."""
    return bool({"operator", "controller", "manager"} & set(name.split("-")))


def bookkeeping(entry: Entry, concept: str) -> bool:
    """True for an operator's lesser kinds (a backup of a database is no database)."""
    return concept != "backup" and any(word in entry.ref.kind.lower() for word in ("backup", "restore", "snapshot"))


def sought(words: Words) -> tuple[str, ...]:
    """The words for software that decide what is meant; a general one gives way to a product's name."""
    if not any(word in PRODUCTS for word in words.software):
        return words.software
    return tuple(word for word in words.software if word in PRODUCTS or concept_of(word) not in KINDRED)


def absent(text: str, words: Words, names: Catalogue) -> tuple[str, ...]:
    """The products named that nothing here, or nothing in the namespaces named, is of."""
    strange = qualified(text, words, names)
    spaces = {"", *words.namespaces}
    there = [one for one in names.entries if not words.namespaces or one.ref.namespace in spaces]
    products = [word for word in words.software if word in PRODUCTS and not any(fits(one, word) for one in there)]
    return (*products, *strange)


def qualified(text: str, words: Words, names: Catalogue) -> tuple[str, ...]:
    """Words that say which software is meant ("the cassandra database") where nothing here is called so."""
    found = []
    for mention in words.mentions:
        word = mention.word
        if mention.plain or mention.pasted or mention.concept not in KINDRED or word in _ANY:
            continue
        if concept_of(word) or kinds_of(word) or says_little(word) or not re.fullmatch(r"[a-z0-9]{2,30}", word):
            continue
        beside = re.search(rf"\b(?:the|our|my|a|is|are)\s+{word}\s+([a-z]+)", text, re.IGNORECASE)
        if beside is None or concept_of(beside[1].lower()) is None:
            continue
        if not any(re.search(rf"\b{word}", entry.called) for entry in names.entries):
            found.append(word)
    return tuple(dict.fromkeys(found))


def kindred(word: str, words: Words, names: Catalogue) -> tuple[Ref, ...]:
    """The product itself wherever it is; else the workloads that are of its kind."""
    concept = concept_of(word) or next(iter(words.concepts), "")
    running = [
        one
        for one in names.entries
        if (one.custom or one.ref.kind in WORKLOAD_KINDS)
        and not (controller(names.root(one.ref).name) or (one.custom and bookkeeping(one, concept)))
    ]
    own = [names.root(one.ref) for one in running if fits(one, word)]
    return tuple(dict.fromkeys(own or [names.root(one.ref) for one in running if concept and one.fits(concept)]))[:4]


def by_image(words: Words, names: Catalogue) -> tuple[Ref, ...]:
    """Without a name: the workloads whose image or application label is called exactly like a word said."""
    spaces = {"", *words.namespaces}
    said = {
        mention.word
        for mention in words.mentions
        if not (mention.plain or kinds_of(mention.word) or concept_of(mention.word) or says_little(mention.word))
        and len(mention.word) > 3
    }
    found = [
        names.root(entry.ref)
        for entry in names.entries
        if entry.ref.kind in WORKLOAD_KINDS
        and said & set(entry.software)
        and (not words.namespaces or entry.ref.namespace in spaces)
    ]
    unique = tuple(dict.fromkeys(found))
    return unique if len(unique) <= 4 else ()


# capitals that name no software
_CAPITALS = frozenset(
    "asap fyi prod dev uat eta sre sla slo vpc aws gcp gke eks aks url uri http https tcp udp ssl api json yaml sql "
    "yml npd jvm gpu ssd nfs dns tls oom ram cpu mem crd crds rbac csi cni cri utc pdb hpa vpa pvc sts svc job net "
    "app".split()
)


def strangers(text: str, names: Catalogue) -> list[str]:
    """Software named in capitals that nothing here bears the name of ("KEDA"); only beside what was found."""
    found = []
    for word in dict.fromkeys(re.findall(r"(?<![\w./-])[A-Z]{3,12}(?![\w./-])", text)):
        low = word.lower()
        if low in _CAPITALS or says_little(low) or kinds_of(low) or concept_of(low):
            continue
        if not any(low in f"{entry.group} {entry.ref.kind} {entry.ref.name}".lower() for entry in names.entries):
            found.append(word)
    return found
