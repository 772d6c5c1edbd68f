"""The least toolbox an engine can be run with, and a conversation to run it on."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kubectl_berth.engines.engine import Conversation, ToolCall
from kubectl_berth.records import ToolResult, TraceEntry

TOOLS = ("list_pods", "get_logs")
CONVERSATION = Conversation("You answer questions about a cluster.", "Question: why is ledger-db unhealthy?", "why?")


@dataclass
class FakeToolbox:
    """Knows `list_pods` and `get_logs`; answers each call with what it was asked. `batches` are the calls it got."""

    batches: list[tuple[list[ToolCall], int, int | None]] = field(default_factory=list)
    entries: dict[int, TraceEntry] = field(default_factory=dict)
    answer: str = "pod ledger-db-3 is not ready"
    gate: threading.Event | None = None

    def definitions(self) -> list[dict[str, Any]]:
        schema = {"type": "object", "properties": {"namespace": {"type": "string"}}, "required": []}
        return [{"name": name, "description": f"The {name} tool.", "parameters": schema} for name in TOOLS]

    def call(self, name: str, arguments: Any, model_call: int = 0) -> ToolResult:
        number = len(self.entries) + 1
        known = name in TOOLS
        text = f"{self.answer} (result {number})" if known else f"there is no tool {name}: call list_pods"
        error = None if known else text
        fate = "ok" if known else "error"
        given = arguments if isinstance(arguments, dict) else {}
        self.entries[number] = TraceEntry(number, model_call, name, given, fate, len(text), 0.0, error)
        return ToolResult(number, text, fate, len(text), 0.0, error)

    def call_all(self, calls: Sequence[ToolCall], model_call: int, left: int | None) -> list[ToolResult]:
        self.batches.append((list(calls), model_call, left))
        return [self.call(call.name, call.arguments, model_call) for call in calls]

    def entry(self, number: int) -> TraceEntry:
        return self.entries[number]
