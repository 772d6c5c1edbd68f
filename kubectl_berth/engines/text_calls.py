"""Tool calls that a small model wrote as text.

A message that is wholly calls is run as calls, the name of a tool that is gone or unknown included: the answer to it
teaches. An answer that happens to be JSON stays what it is, and so does a call that prose names or quotes; a call
that stands beside prose as a message of its own would (on its own lines, or last) is no part of an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from kubectl_berth.engines.engine import ToolCall

_FENCE = re.compile(r"\A```[\w-]*\s*\n(?P<inside>.*?)\n?\s*```\Z", re.DOTALL)
_TAG = re.compile(r"<tool_call>\s*(?P<inside>.*?)\s*</tool_call>", re.DOTALL)
_FUNCTION = re.compile(r"<function=(?P<name>[\w.-]+)>\s*(?P<inside>.*?)\s*</function>", re.DOTALL)
_INVOKE = re.compile(r"<invoke name=\"(?P<name>[\w.-]+)\">\s*(?P<inside>.*?)\s*</invoke>", re.DOTALL)
_NAMED = re.compile(r"<parameter name=\"(?P<name>[\w.-]+)\">(?P<value>.*?)</parameter>", re.DOTALL)
_AROUND_INVOKES = re.compile(r"</?function_calls>")
_PARAMETER = re.compile(r"<parameter=(?P<name>[\w.-]+)>\s*(?P<value>.*?)\s*</parameter>", re.DOTALL)
_TOOL = re.compile(r"[a-z]+(?:_[a-z]+)+")
_A_FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n.*?\n?[ \t]*```", re.DOTALL | re.MULTILINE)
_OPEN_MARK = r"<tool_call>|<function_calls>|<function=[\w.-]+>|<invoke name="
_CLOSING_MARK = r"</(?:tool_call|function_calls|function|invoke)>"
_STANDS_ALONE = re.compile(
    rf"^(?:{_OPEN_MARK})|(?<=\s)(?:{_OPEN_MARK})(?:(?!{_CLOSING_MARK}).)*(?:{_CLOSING_MARK}\s*)+\Z",
    re.DOTALL | re.MULTILINE,
)
_JSON_LINE = re.compile(r"^(?=[\[{])", re.MULTILINE)
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


def calls_in(text: str) -> list[ToolCall]:
    """The calls that this whole message is, in order; none where it is anything else."""
    return _calls(text.strip())


def holds_a_call(text: str) -> bool:
    """True where a call stands beside other words: marked or as JSON, on lines of its own or last, whole or cut off.

    What is quoted in a fence, in a line, or indented does not count.
    """
    if any(calls_in(fence.group()) for fence in _A_FENCE.finditer(text)):
        return True
    bare = _A_FENCE.sub("", text).strip()
    return bool(_STANDS_ALONE.search(bare)) or any(_from_json(_value_at(bare, at.start())) for at in _lines(bare))


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


def _lines(text: str) -> list[re.Match[str]]:
    return list(_JSON_LINE.finditer(text))[:50]


def _value_at(text: str, start: int) -> str:
    """The JSON value that begins there, "" for none."""
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return ""
    return text[start:end]


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
    if name is None or not _TOOL.fullmatch(name) or not isinstance(given, dict):
        return None
    return ToolCall(name, given)
