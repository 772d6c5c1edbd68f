"""What a model is sent, word for word, for a person who wants to see it."""

from __future__ import annotations

from kubectl_berth.output.words import size
from kubectl_berth.records import Event, RunStarted, Sent, ToolReturned
from kubectl_berth.safety.sanitise import one_line, sanitise


def sent_lines(event: Event) -> list[str]:
    """The lines for an event; none for one with which nothing is sent."""
    match event:
        case RunStarted(model=None):
            return ["sent: nothing, for no model is asked"]
        case Sent():
            return [line for name, text in event.parts for line in _part(name, text)]
        case ToolReturned() if event.entry.model_call:
            return _part(f"result {event.entry.n}, {one_line(event.entry.tool, 60)}", event.result.text)
    return []


def _part(name: str, text: str) -> list[str]:
    return [f"sent: {name}, {size(len(text.encode()))}", *(f"  | {line}" for line in sanitise(text).splitlines())]
