"""Tool calls that a small model wrote as text.

They count as calls only where the whole message is one and every name is known: prose that explains a call, or an
answer that happens to be JSON, stays what it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from kubectl_berth.engines.engine import ToolCall

_FENCE = re.compile(r"\A```[\w-]*\s*\n(?P<inside>.*?)\n?\s*```\Z", re.DOTALL)
_TAG = re.compile(r"<tool_call>\s*(?P<inside>.*?)\s*</tool_call>", re.DOTALL)
_FUNCTION = re.compile(r"<function=(?P<name>[\w.-]+)>\s*(?P<inside>.*?)\s*</function>", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=(?P<name>[\w.-]+)>\s*(?P<value>.*?)\s*</parameter>", re.DOTALL)
_OPENINGS = ("<tool_call>", "<function=", '{"name"', '[{"name"', '{"tool"', '{"function"')


def calls_in(text: str, known: Collection[str]) -> list[ToolCall]:
    """The calls that this whole message is, in order; none where it is anything else."""
    calls = _calls(text.strip())
    return calls if all(call.name in known for call in calls) else []


def begins_a_call(text: str) -> bool:
    """True where the message, cut off or not, starts like a call."""
    start = re.sub(r"\A```[\w-]*\s*", "", text.strip())
    return re.sub(r"\s+", "", start[:40]).startswith(_OPENINGS)


def _calls(text: str) -> list[ToolCall]:
    fence = _FENCE.match(text)
    if fence:
        return _calls(fence["inside"].strip())
    for pattern, read in ((_TAG, lambda match: _calls(match["inside"])), (_FUNCTION, _from_function)):
        found = list(pattern.finditer(text))
        if found and not pattern.sub("", text).strip():
            return [call for match in found for call in read(match)]
    return _from_json(text)


def _from_function(match: re.Match[str]) -> list[ToolCall]:
    return [ToolCall(match["name"], {part["name"]: part["value"] for part in _PARAMETER.finditer(match["inside"])})]


def _from_json(text: str) -> list[ToolCall]:
    if not text.startswith(("{", "[")):
        return []
    try:
        written = json.loads(text)
    except ValueError:
        return []
    entries = written if isinstance(written, list) else [written]
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
