"""Questions that are not about a fault: what a topic's own answer is made of, and which topic a question has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kubectl_berth.engines.engine import ToolCall
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.records import Action, Finding, ToolResult


@dataclass(frozen=True)
class Said:
    """A topic's answer: its first sentence, blocks of Markdown, what to do, what was not checked, what it found.

    `alone` where what the question takes for granted is moot.
    """

    verdict: str
    parts: Sequence[str] = ()
    remedies: Sequence[str] = ()
    unchecked: Sequence[str] = ()
    actions: Sequence[Action] = ()
    findings: tuple[Finding, ...] = ()
    alone: bool = False


@dataclass(frozen=True)
class Topic:
    """`calls` says which tools to ask for a case, `say` writes the answer from the case and what they gave.

    `say` gives None where the topic has nothing to say after all; the answer is then one about faults.
    """

    calls: Callable[[Case], list[ToolCall]]
    say: Callable[[Case, Sequence[ToolResult]], Said | None]


def findings_of(results: Sequence[ToolResult]) -> tuple[Finding, ...]:
    """What the tools themselves found, each once."""
    return tuple(dict.fromkeys(finding for result in results for finding in result.findings))


def bullets(title: str, lines: Sequence[str]) -> str:
    """A titled list; "" where it is empty."""
    return "\n".join([title, *(f"- {line}" for line in lines)]) if lines else ""
