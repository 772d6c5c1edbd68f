"""What a question asks of beyond the one namespace that a run was narrowed to: of that nothing is known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.place import wider
from kubectl_berth.diagnosis.relations import resolves
from kubectl_berth.question.understand import Understanding
from kubectl_berth.question.words import kinds_of, says_little
from kubectl_berth.records import Finding, Gap, Ref

_DNS = re.compile(r"\b(?:dns|coredns|name resolution)\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"\b(?:cluster|kubernetes|k8s|everywhere|everything|platform)\b|"
    r"\b(?:all|any|each|every|other|across) (?:of the |the |other )?namespaces?\b",
    re.IGNORECASE,
)
_NODES = re.compile(r"\bnodes?\b", re.IGNORECASE)


@dataclass(frozen=True)
class Reach:
    """What was asked about and not read. `headline` says it in a sentence or two, `gap` is the same as a gap.

    `blind` is True where all that was asked about lies there, so that nothing else may be answered.
    """

    headline: str
    gap: Gap
    blind: bool = False


def reach_of(
    said: Understanding, inventory: Inventory, subjects: Sequence[Ref], findings: Sequence[Finding]
) -> Reach | None:
    """What lies beyond the namespace read; None where all were read or the question stays inside.

    `findings` are those that concern the question: what is known of a Namespace itself is known from anywhere.
    """
    own = inventory.namespace
    if own is None:
        return None
    # where the namespaces could not be listed, or a snapshot holds one alone, one that was not seen may be there
    alone = {one.name for one in inventory.namespaces} <= {own}
    unseen = said.unknown_namespaces if alone or "namespaces" in inventory.unread else ()
    others = [
        space for space in (*said.namespaces, *unseen) if space != own and not _common(space, said.text, bool(subjects))
    ]
    if others:
        here = _named(own, said.text) or any(one.subject == Ref("Namespace", "", space) for one in findings
                                             for space in others)  # fmt: skip
        placed = any(_placed(space, said.text) for space in others)
        blind = not here and (placed or not any(ref.namespace in ("", own) for ref in subjects))
        names = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
        plural = "namespaces" if len(others) > 1 else "namespace"
        hint = f", or with `-n {others[0]}`" if len(others) == 1 else ""
        return _reach(inventory, f"of {plural} {names} nothing is known", hint, blind=blind)
    nodes = [ref.name for ref in subjects if ref.kind == "Node"]
    drain = "drain" in said.intents
    if nodes or drain or (not subjects and _NODES.search(said.text)):
        where = ", ".join(nodes[:3]) or "the nodes"
        return _reach(
            inventory, f"the pods{' and budgets' if drain else ''} of other namespaces on {where} were not seen"
        )
    if _DNS.search(said.text) and not any(resolves(one) for one in inventory.services):
        return _reach(inventory, "the cluster's DNS runs in another, and of it nothing is known")
    whole = _WHOLE.search(said.text) is not None or "operators" in said.intents
    if whole and not subjects and not said.unknown_namespaces:
        return _reach(inventory, "of the rest of the cluster nothing is known")
    return None


def _reach(inventory: Inventory, what: str, hint: str = "", *, blind: bool = False) -> Reach:
    own, more = inventory.namespace, wider(inventory)
    hint = hint if f"`-n {own}`" in more else ""
    headline = f"Only namespace {own} was read: {what}. {more[:1].upper()}{more[1:]}{hint}."
    return Reach(headline, Gap("other namespaces", "not read", f"the run was narrowed to {own}: {what}"), blind)


def _named(space: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(space)}(?![\w-])", text, re.IGNORECASE) is not None


def _common(space: str, text: str, beside: bool) -> bool:
    """True where the word is only a word: of the trade beside an object ("losing data"), or a kind ("my jobs")."""
    if _placed(space, text):
        return False
    kind = rf"\b(?:are|my|our|the|any|all|which|of)\s+(?:my\s+|our\s+|the\s+)?{re.escape(space)}\b"
    return (beside and says_little(space)) or bool(kinds_of(space) and re.search(kind, text, re.IGNORECASE))


def _placed(space: str, text: str) -> bool:
    """True where the question says that something is in the namespace, not only names it."""
    name = re.escape(space)
    inside = (
        rf"\b(?:in|inside|within|namespace|ns|project|-n)\s+(?:the\s+|my\s+|our\s+)?(?:namespace\s+)?[`\"']?{name}\b"
    )
    return re.search(rf"{inside}|(?<![\w-]){name}[`\"']?(?:/| namespace\b)|\.{name}\b", text, re.IGNORECASE) is not None
