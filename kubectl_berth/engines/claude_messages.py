"""What the loop over Claude sends and reads: tools as the runner wants them, results, cache marks, stop reasons."""

from __future__ import annotations

from typing import Any

from kubectl_berth.records import StopReason, ToolResult

CACHED = {"type": "ephemeral"}
"""A mark: the provider keeps everything up to here for five minutes."""

MARKED_ROUNDS = 2
"""Rounds of results that bear a mark. With the one of the system prompt three of the four that a request may have."""

UNFINISHED = ("pause_turn", "compaction")
"""Stop reasons after which the runner sends the turn back for the model to go on."""


def goes_on(message: Any) -> bool:
    """True where the runner makes another request after this reply."""
    asks = message.stop_reason == "tool_use" and any(block.type == "tool_use" for block in message.content)
    return asks or message.stop_reason in UNFINISHED


def reason(message: Any, said: str, calls: bool) -> tuple[StopReason, str]:
    """Why a reply ended, and the provider's own words for it. Stop reasons that nobody knows are natural ends."""
    stop = message.stop_reason or ""
    if stop == "refusal":
        details = message.stop_details
        category = getattr(details, "category", None) or "no category"
        explanation = getattr(details, "explanation", None)
        return "refused", f"{category}: {explanation}" if explanation else category
    if stop in ("max_tokens", "model_context_window_exceeded", *UNFINISHED):
        return "cut-off", stop
    if calls:
        return "tool-calls", stop
    return ("end", stop) if said.strip() else ("empty", stop)


def without_tool_choice(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the last call: the tools stay, the cache and the model's check of its thoughts need them."""
    # a mark on messages would pay for a cache entry that nobody reads
    kept = {name: value for name, value in parameters.items() if name != "cache_control"}
    return {**kept, "tool_choice": {"type": "none"}}


def put_results(response: Any, results: list[ToolResult], ending: str) -> None:
    """Replaces what the runner made of the calls. Text in a block of its own would provoke an empty reply."""
    blocks = response["content"]
    for block, result in zip(blocks, results, strict=True):
        block["content"] = result.text
        block["is_error"] = result.fate in ("error", "refused")
    if ending:
        blocks[-1]["content"] += "\n\n" + ending


class Marks:
    """The cache marks on tool results. They roll: those left behind would add up to more than a request may have."""

    def __init__(self) -> None:
        self._blocks: list[Any] = []

    def roll(self, response: Any) -> None:
        """Marks the end of these results, and takes the mark from older ones."""
        block = response["content"][-1]
        block["cache_control"] = dict(CACHED)
        self._blocks.append(block)
        for old in self._blocks[:-MARKED_ROUNDS]:
            old.pop("cache_control", None)
        del self._blocks[:-MARKED_ROUNDS]

    def lift(self) -> None:
        """Takes all of them off, for the last call."""
        for block in self._blocks:
            block.pop("cache_control", None)
        self._blocks.clear()


def adapters(definitions: list[dict[str, Any]]) -> list[Any]:
    """The tools as the runner wants them. It never needs their results: `put_results` brings those."""
    from anthropic.lib.tools import BetaBuiltinFunctionTool

    class Adapter(BetaBuiltinFunctionTool):
        def __init__(self, definition: dict[str, Any]) -> None:
            self._definition = definition

        def to_dict(self) -> Any:
            return {
                "name": self._definition["name"],
                "description": self._definition["description"],
                "input_schema": self._definition["parameters"],
            }

        def call(self, input: object) -> str:
            return ""

    return [Adapter(definition) for definition in definitions]
