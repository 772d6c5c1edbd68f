"""What an engine is, and the words that every model is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kubectl_berth.records import Event, ToolResult, TraceEntry, Usage


@dataclass(frozen=True)
class Turn:
    """An earlier question and its answer."""

    question: str
    answer: str


@dataclass(frozen=True)
class Conversation:
    """What an engine starts from. `first` is the first user message: the brief, then the question."""

    system: str
    first: str
    question: str
    earlier: Sequence[Turn] = ()


@dataclass(frozen=True)
class ToolCall:
    """One call as a model asked for it. `arguments` is whatever the model gave, a mapping or not."""

    name: str
    arguments: Any


class Toolbox(Protocol):
    """What an engine sees of tools.toolbox."""

    def definitions(self) -> list[dict[str, Any]]:
        """Tools as name, description, parameters."""

    def call(self, name: str, arguments: Any, model_call: int = 0) -> ToolResult:
        """One call, at once."""

    def call_all(self, calls: Sequence[ToolCall], model_call: int, left: int | None) -> list[ToolResult]:
        """All calls of one reply, together; results in the order of the calls.

        `left` is the number of model calls that remain and is told to the model in the last result.
        """

    def entry(self, number: int) -> TraceEntry:
        """The trace's entry of a result that has this number."""


class Engine(Protocol):
    """Thinks. Knows nothing of terminals, budgets or deadlines."""

    @property
    def name(self) -> str:
        """claude, ollama or rules."""

    @property
    def model(self) -> str | None:
        """The model's id; None for rules."""

    @property
    def host(self) -> str:
        """Where data goes: "" where it stays on this machine."""

    @property
    def usage(self) -> Usage:
        """What the run used so far; read from other threads too."""

    @property
    def calls(self) -> Sequence[Usage]:
        """The same for each model call, which is what prices go by."""

    def run(self, conversation: Conversation, toolbox: Toolbox, cap: int) -> Iterator[Event]:
        """Events of one run. The last is Finished; failures are raised as errors.NoAnswer and its kin."""

    def cancel(self) -> None:
        """From another thread: closes the connection at once, so that run() ends."""
