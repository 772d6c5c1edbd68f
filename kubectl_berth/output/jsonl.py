"""Every event of a run as one JSON object on its own line, as it happens; the result last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TextIO

from kubectl_berth.output.json_document import document, encode, entry_document, told
from kubectl_berth.records import (
    Event,
    ModelCallStarting,
    Notice,
    Result,
    Retry,
    RunStarted,
    Text,
    Thinking,
    ToolCalled,
    ToolReturned,
)
from kubectl_berth.safety.gate import shown
from kubectl_berth.safety.sanitise import sanitise


def writer(stdout: TextIO) -> Callable[[Event], None]:
    """What to hand every event to; each line is flushed."""

    def write(event: Event) -> None:
        line = event_document(event)
        if line is not None:
            stdout.write(encode(line) + "\n")
            stdout.flush()

    return write


def event_document(event: Event) -> dict[str, Any] | None:
    """The line for an event; None for Finished, whose content the result holds."""
    match event:
        case RunStarted():
            return {
                "type": "run",
                "engine": event.engine,
                "model": event.model,
                "host": event.host,
                "cap": event.cap,
            }
        case ModelCallStarting():
            return {"type": "model_call", "number": event.number, "estimate": event.estimate}
        case Text():
            return {"type": "text", "text": sanitise(event.text)}
        case Thinking():
            return {"type": "thinking", "text": sanitise(event.text)}
        case ToolCalled():
            return {
                "type": "tool_call",
                "n": event.n,
                "model_call": event.model_call,
                "tool": sanitise(event.tool),
                "arguments": told(event.arguments),
            }
        case ToolReturned():
            return {"type": "tool_result", **entry_document(event.entry), "text": sanitise(event.result.text)}
        case Retry():
            return {"type": "retry", "reason": shown(event.reason)}
        case Notice():
            return {"type": "notice", "text": shown(event.text)}
        case _:
            return None


def result_line(result: Result) -> str:
    """The last line, without its newline."""
    return encode({"type": "result", **document(result)})
