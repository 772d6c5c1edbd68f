"""Tool calls that a small model wrote as text.

They count as calls only where the whole message is one and every name is known: prose that explains a call, or an
answer that happens to be JSON, stays what it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from typing import Any

from kubectl_berth.engines.engine import ToolCall

_FENCE = re.compile(r"\A```[\w-]*\s*\n(?P<inside>.*?)\n?\s*```\Z", re.DOTALL)
_TAG = re.compile(r"<tool_call>\s*(?P<inside>.*?)\s*</tool_call>", re.DOTALL)
_FUNCTION = re.compile(r"<function=(?P<name>[\w.-]+)>\s*(?P<inside>.*?)\s*</function>", re.DOTALL)
_INVOKE = re.compile(r"<invoke name=\"(?P<name>[\w.-]+)\">\s*(?P<inside>.*?)\s*</invoke>", re.DOTALL)
_NAMED = re.compile(r"<parameter name=\"(?P<name>[\w.-]+)\">(?P<value>.*?)</parameter>", re.DOTALL)
_AROUND_INVOKES = re.compile(r"</?function_calls>")
_PARAMETER = re.compile(r"<parameter=(?P<name>[\w.-]+)>\s*(?P<value>.*?)\s*</parameter>", re.DOTALL)
_OPENINGS = (
    "<tool_call>",
    "<function=",
    "<function_calls>",
    "<invokename=",
    '{"name"',
    '[{"name"',
    '{"tool"',
    '{"function"',
)


def calls_in(text: str, known: Collection[str] | None = None) -> list[ToolCall]:
    """The calls that this whole message is, in order; none where it is anything else or a name is not `known`."""
    calls = _calls(text.strip())
    return calls if known is None or all(call.name in known for call in calls) else []


def begins_a_call(text: str) -> bool:
    """True where the message, cut off or not, starts like a call."""
    start = re.sub(r"\A```[\w-]*\s*", "", text.strip())
    return re.sub(r"\s+", "", start[:40]).startswith(_OPENINGS)


def _calls(text: str) -> list[ToolCall]:
    fence = _FENCE.match(text)
    if fence:
        return _calls(fence["inside"].strip())
    text = _AROUND_INVOKES.sub("", text).strip()
    for pattern, read in _READERS:
        found = list(pattern.finditer(text))
        if found and not pattern.sub("", text).strip():
            return [call for match in found for call in read(match)]
    return _from_json(text)


def _from_tags(match: re.Match[str], parameter: re.Pattern[str]) -> ToolCall:
    return ToolCall(match["name"], {part["name"]: part["value"] for part in parameter.finditer(match["inside"])})


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], list[ToolCall]]], ...] = (
    (_TAG, lambda match: _calls(match["inside"])),
    (_FUNCTION, lambda match: [_from_tags(match, _PARAMETER)]),
    (_INVOKE, lambda match: [_from_tags(match, _NAMED)]),
)


def _from_json(text: str) -> list[ToolCall]:
    """Calls as one JSON value, as a list of them, or one after the other."""
    entries: list[Any] = []
    decoder = json.JSONDecoder()
    while text:
        if not text.startswith(("{", "[")):
            return []
        try:
            written, end = decoder.raw_decode(text)
        except ValueError:
            return []
        entries += written if isinstance(written, list) else [written]
        text = text[end:].lstrip(" \r\n\t;,")
    calls = [_from_entry(entry) for entry in entries]
    return [call for call in calls if call is not None] if calls and None not in calls else []


def _from_entry(entry: Any) -> ToolCall | None:
    if not isinstance(entry, dict):
        return None
    inner = entry.get("function")
    if isinstance(inner, dict):
        return _from_entry(inner)
    name = next((entry[key] for key in ("name", "tool", "function") if isinstance(entry.get(key), str)), None)
    given = next((entry[key] for key in ("arguments", "parameters", "args", "input") if key in entry), None)
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return None
    if name is None or not isinstance(given, dict):
        return None
    return ToolCall(name, given)
