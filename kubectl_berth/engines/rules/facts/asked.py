"""What a question says beside the words that a lookup knows: nothing, where the lookup alone may answer it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.engines.rules.case import Case
from kubectl_berth.question.words import FUNCTION_WORDS, kinds_of
from kubectl_berth.records import Ref

ASKS = re.compile(
    r"^\W*(?:(?:please|pls|hey|hi|ok|and|so|can you|could you|do you know|i need to know|i want to know|tell me|"
    r"show me|quick question|just)\b[\s,:]*)*"
    r"(?:what(?:'?s)?|which|how (?:many|much|old|long|big|large|full|often|far)|does|do|did|has|have|had|is|are|"
    r"was|were|where|whose|who(?:'?s)?|when(?:'?s)?|can|may|could|(?:since|until|till) when|show|list|print|"
    r"display|give|get|count|tell|number of|any|top|sort)\b",
    re.IGNORECASE,
)
"""How a question for a fact begins."""
YES_NO = re.compile(r"^\W*(?:(?:so|and|ok|hey|please)\W+)*(?:is|are|does|do|has|have)\b", re.IGNORECASE)
"""Begins a question that yes or no answers."""
_MORE = re.compile(
    r"\b(?:why|but|stop\w*|no|not|never|cannot|can'?t|won'?t|wrong|bad|ok|okay|fine|good|happen\w*|should|would|could|"
    r"enough|help\w*|need\w*|fail\w*|broken?|instead|too|if|because)\b|n't\b",
    re.IGNORECASE,
)
"""Common words that make a question one about a fault, or ask for more than a fact."""
NEUTRAL = frozenset(
    """
    configured defined declared specified assigned attached listen listens listening expose exposes use uses using run
    runs running mount mounts mounted current currently default value values configuration config spec definition list
    print display count number name names thing things node nodes deployed created old long many big large cpu cpus
    memory mem ram resource resources kubernetes k8s update rollout cluster whats whos whens sort sorted ordered order
    please pls just kubectl object objects max maximum min minimum bounds per environment environments env total
    exist exists overview table together date dates time times exactly workload workloads app apps application
    applications
    """.split()
)
"""Words that change nothing about what is asked."""


def said_of(word: str) -> str:
    """A pattern for a name as people write it: blanks for its dashes, an "s" at its end."""
    loose = re.escape(word).replace(r"\-", "[- ]")
    return rf"(?<![\w-]){loose}(?:['’]?s)?(?![\w-])"


def bare(case: Case) -> str:
    """The question without the names in it: a Deployment called "ports" asks for none."""
    said = case.understanding
    text = said.text
    names = {ref.name for ref in case.subjects} | {*said.namespaces}
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(said_of(name), "thing", text, flags=re.IGNORECASE)
    if case.subjects and "thing" not in text:
        # found by a part of its name: "the backup" for "ledger-backup"
        parts = {part for ref in case.subjects for part in ref.name.split("-") if len(part) > 3 and not kinds_of(part)}
        for part in parts:
            text = re.sub(said_of(part), "thing", text, flags=re.IGNORECASE)
    return text


def only(case: Case, *patterns: str, text: str | None = None) -> bool:
    """True where a question holds nothing beside these words, the names, the kinds and words that say little."""
    text = bare(case) if text is None else text
    for pattern in patterns:
        text = re.sub(rf"(?<![\w-])(?:{pattern})(?![\w-])", " ", text, flags=re.IGNORECASE)
    text = ASKS.sub(" ", text)
    if _MORE.search(text):
        return False
    left = re.findall(r"[a-z][a-z'-]*", text.lower())
    return all(word in FUNCTION_WORDS or word in NEUTRAL or kinds_of(word) for word in left)


def in_place(case: Case, namespace: str) -> bool:
    """True for what lies in a namespace that was named, or anywhere where none was."""
    spaces = case.understanding.namespaces
    return not spaces or namespace in spaces or not namespace


def place(case: Case) -> str:
    """Where was looked, for the end of a clause."""
    spaces = case.understanding.namespaces
    return f" in namespace {', '.join(spaces)}" if spaces else " that can be read"


def half(case: Case, *fields: str) -> str:
    """That not everything was read, where it was not."""
    gone = case.inventory.unread & {*fields}
    return f" (not all could be read: {', '.join(sorted(gone)).replace('_', ' ')})" if gone else ""


def narrowed(case: Case) -> str:
    """That one namespace alone was read, where what lies elsewhere would count too; "" where all were."""
    own = case.inventory.namespace
    return f" (only namespace {own} was read)" if own is not None else ""


def capped(lines: list[str], most: int) -> list[str]:
    """The first lines, and how many more there are."""
    return lines if len(lines) <= most else [*lines[:most], f"and {len(lines) - most} more"]


SEVERAL = 5
"""Bearers of one name that still go into the first paragraph."""
_WORKLOADS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job"})


def bearers(case: Case, main: Ref) -> list[Ref]:
    """The workloads of one kind and name in all namespaces, the given one first, where more than one was meant."""
    same = [ref for ref in case.subjects if (ref.kind, ref.name) == (main.kind, main.name)]
    if len(same) < 2 or main.kind not in _WORKLOADS:
        return [main]
    every = [one.ref for one in case.inventory.workloads if (one.kind, one.name) == (main.kind, main.name)]
    return list(dict.fromkeys((main, *same, *(ref for ref in sorted(every) if in_place(case, ref.namespace)))))


def together(answers: Sequence[tuple[str, list[str]]]) -> tuple[str, list[str]]:
    """One answer out of those for several bearers of a name: a sentence for each."""
    if len(answers) == 1:
        return answers[0]
    heads = [head for head, _ in answers]
    return " ".join(heads[:SEVERAL]), capped(heads[SEVERAL:], 20)
