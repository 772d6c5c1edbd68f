"""What the loops of the model engines share: the tally of calls and tokens, and one round of tool calls."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

from kubectl_berth.engines.engine import Conversation, Toolbox, ToolCall
from kubectl_berth.records import Event, ToolCalled, ToolResult, ToolReturned, Usage


class Tally:
    """What a run used so far, one Usage for each model call (its retries in it).

    Read from other threads while the run goes on.
    """

    def __init__(self) -> None:
        self.calls: list[Usage] = []

    def start(self) -> int:
        """A model call begins; its number, from 1."""
        self.calls.append(Usage(model_calls=1))
        return len(self.calls)

    def counted(
        self, *, input: int, output: int, cache_read: int = 0, cache_write: int = 0, cache_write_hour: int = 0
    ) -> None:
        """The tokens of the present call as the provider counts them, replacing what it said before."""
        self.calls[-1] = replace(
            self.calls[-1],
            input_tokens=input,
            output_tokens=output,
            cache_read_tokens=cache_read,
            cache_write_tokens=cache_write,
            cache_write_hour_tokens=cache_write_hour,
        )

    def retried(self) -> None:
        """The present call is sent again."""
        self.calls[-1] = replace(self.calls[-1], retries=self.calls[-1].retries + 1)

    def total(self) -> Usage:
        """All calls together."""
        return sum(list(self.calls), Usage())


def run_tools(
    toolbox: Toolbox, calls: Sequence[ToolCall], model_call: int, left: int, before: int
) -> Generator[Event, None, list[ToolResult]]:
    """Runs the calls of one reply together. Yields their events and returns the results in the order of the calls.

    `left` is how many model calls remain, `before` how many tool calls the run has made so far.
    """
    for number, call in enumerate(calls, before + 1):
        arguments = call.arguments if isinstance(call.arguments, dict) else {}
        yield ToolCalled(number, model_call, call.name, arguments)
    results = toolbox.call_all(calls, model_call, left)
    for result in results:
        yield ToolReturned(toolbox.entry(result.number), result)
    return results


def opening(conversation: Conversation) -> list[tuple[str, str]]:
    """The messages before the first reply as (role, text): earlier questions and answers, then the first message."""
    earlier = [(role, said) for turn in conversation.earlier for role, said in _spoken(turn.question, turn.answer)]
    return [*earlier, ("user", conversation.first)]


def _spoken(question: str, answer: str) -> list[tuple[str, str]]:
    return [("user", question), ("assistant", answer or "(no answer)")]
