"""The answer held against the evidence: what in it was nowhere in what berth read.

It is a help for the reader, no verdict: what is not found may be a proposal, worked out, or said in other words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.investigation.amounts import Figures
from kubectl_berth.investigation.claims import Claim, claims
from kubectl_berth.records import Finding

MOST = 20
"""Things that are listed at most."""
LONGEST_NAME = 253
_QUOTE_HELD = 0.7
"""Share of a quote's words that one line of the evidence has to hold."""
_TOKEN = re.compile(r"[a-z0-9](?:[a-z0-9._:/@-]*[a-z0-9])?")
_WORD = re.compile(r"[a-z0-9_]+")
_EXIT = re.compile(
    r"\bexit(?:ed|ing|s)?[ _-]?(?:with )?(?:code|status)?\W{0,4}(\d{1,3})\b|\b(?:status|code)\W{1,3}(\d{1,3})\b"
)
_OF_SIGNAL = {"137": "oomkilled", "143": "sigterm"}
"""Exit codes that follow from a reason the evidence may give instead."""


class Material:
    """The evidence, ready to be looked up in."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = "\n".join(texts).lower()
        self.lines = [set(_WORD.findall(line)) for line in self.text.splitlines()]
        self.figures = Figures(texts)
        self.exits = {code for match in _EXIT.findall(self.text) for code in match if code}
        self.names: set[str] = set()
        for token in set(_TOKEN.findall(self.text)):
            for part in (token, *re.split(r"[/:@=,]", token)):
                self._learn(part)

    def _learn(self, name: str) -> None:
        """The name, and what its owner would be called: every part of it that ends before a hyphen or a dot."""
        self.names.add(name)
        if len(name) > LONGEST_NAME:
            return
        for border in re.finditer(r"[-.]", name):
            self.names.add(name[: border.start()])

    def holds(self, claim: Claim) -> bool:
        """Whether the evidence has it."""
        text = claim.text.lower()
        match claim.kind:
            case "name" | "namespace":
                return text in self.names
            case "pair":
                return text in self.names or all(part in self.names for part in text.split("/"))
            case "image" | "variable":
                return text in self.text
            case "version":
                return text in self.text or text.removeprefix("v") in self.text
            case "address":
                return text.rstrip("/") in self.text
            case "exit":
                return text in self.exits or _OF_SIGNAL.get(text, "\0") in self.text
            case "quote":
                return self._quoted(text)
            case "amount":
                return claim.amount is None or self.figures.holds(claim.amount, about=claim.about)

    def _quoted(self, text: str) -> bool:
        pieces = [piece for piece in re.split(r"\.\.\.|…|\[\.+\]", text) if _WORD.search(piece)]
        return all(self._said(_WORD.findall(piece)) for piece in pieces)

    def _said(self, words: list[str]) -> bool:
        return any(sum(word in line for word in words) >= _QUOTE_HELD * len(words) for line in self.lines)


def not_in_evidence(answer: str, evidence: Sequence[str], findings: Sequence[Finding] = ()) -> list[str]:
    """The names, figures, images, addresses, exit codes and quotes of `answer` that the evidence does not hold.

    Each once, in the answer's order, at most 20. What `findings` say was read too.
    """
    said = [line for finding in findings for line in (str(finding.subject), finding.summary, *finding.evidence)]
    _, unseen = looked_up(answer, [*evidence, *said])
    return list(dict.fromkeys(claim.text for claim in unseen))[:MOST]


def looked_up(answer: str, evidence: Sequence[str]) -> tuple[list[Claim], list[Claim]]:
    """Everything the answer claims, and what of it the evidence neither holds nor lets be worked out."""
    material = Material(evidence)
    claimed = list(claims(answer))
    missing = [claim for claim in claimed if not material.holds(claim)]
    absent = {id(claim) for claim in missing}
    held = [claim.amount for claim in claimed if claim.amount is not None and id(claim) not in absent]
    return claimed, [
        claim
        for claim in missing
        if claim.amount is None or not claim.derived or not material.figures.derives(claim.amount, claim.beside, held)
    ]
