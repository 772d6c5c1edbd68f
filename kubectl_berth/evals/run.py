"""A run as the checks read it: the result document, its answer taken apart, the facts of the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kubectl_berth.evals.facts import Facts
from kubectl_berth.evals.phrases import Phrase, names
from kubectl_berth.evals.scope import Stance, stance
from kubectl_berth.evals.text import Sentence, sentences


@dataclass(frozen=True)
class Said:
    """A phrase found in the answer, and what the answer does with it."""

    phrase: Phrase
    sentence: Sentence
    stance: Stance

    def __str__(self) -> str:
        text = self.sentence.text
        return f'"{text[:157]}..."' if len(text) > 160 else f'"{text}"'


@dataclass(frozen=True)
class Run:
    """`document` is a result document (`-o json`), read leniently: a stored one may lack what came later."""

    document: Mapping[str, Any]
    facts: Facts

    @property
    def answer(self) -> str:
        """The answer as written, "" where there is none."""
        return str(self.document.get("answer") or "")

    @property
    def by_rules(self) -> bool:
        """True where no model was asked, so that berth's findings are the engine's own."""
        return self.document.get("engine") == "rules"

    @cached_property
    def sentences(self) -> list[Sentence]:
        """The answer's sentences."""
        return sentences(self.answer)

    @cached_property
    def blocks(self) -> dict[int, str]:
        """The text of each block, with what stands above it."""
        texts: dict[int, list[str]] = {}
        for sentence in self.sentences:
            texts.setdefault(sentence.block, list(sentence.headings)).append(sentence.text)
        return {block: "\n".join(lines) for block, lines in texts.items()}

    @property
    def trace(self) -> Sequence[Mapping[str, Any]]:
        """The tool calls."""
        return list(self.document.get("trace") or [])

    @property
    def findings(self) -> list[Mapping[str, Any]]:
        """The findings that count: a model's own on a model's run, all on the rules engine's."""
        found = self.document.get("findings") or []
        return [finding for finding in found if self.by_rules or finding.get("source") == "model"]

    @property
    def actions(self) -> list[Mapping[str, Any]]:
        """The proposals that count: on a model's run those that it made itself."""
        made = self.by_rules or any(entry.get("tool") == "propose_remediation" for entry in self.trace)
        return list(self.document.get("actions") or []) if made else []

    def said(self, phrases: Sequence[Phrase], *, quoted: bool = False) -> Iterator[Said]:
        """Every place where one of the phrases stands. `quoted` looks into quotations and code as well."""
        for sentence in self.sentences:
            text = sentence.text if quoted else sentence.plain
            for wanted in phrases:
                for spans in wanted.spans(text):
                    found = stance(sentence, spans, wanted.written)
                    if quoted and found == "quoted":
                        found = "asserted"
                    yield Said(wanted, sentence, found)

    def near(self, sentence: Sentence, wanted: Sequence[str]) -> bool:
        """Whether one of the objects is named in the sentence's block, above it, or in the block before."""
        place = "\n".join(self.blocks.get(block, "") for block in (sentence.block - 1, sentence.block))
        return any(names(name).search(place) for name in wanted)

    def named(self, name: str) -> bool:
        """Whether the answer names the object, whole."""
        return any(names(name).search(sentence.text) for sentence in self.sentences if not sentence.question)
