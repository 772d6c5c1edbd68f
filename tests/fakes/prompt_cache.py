"""What a provider counts as written to and read from its prompt cache, and its check of earlier thoughts.

The order is tools, system, messages; entries are written at marks only, found again up to 20 blocks before a mark; a
changed tool_choice leaves those of tools and system. Thoughts are bound to all that came before them.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

LOOK_BACK = 20
MOVED = "messages.{}: The block is bound to a different conversation"


class PromptCache:
    """The cache of one account. Tokens are a quarter of the characters."""

    def __init__(self) -> None:
        self._entries: set[str] = set()

    def usage(self, body: dict[str, Any]) -> dict[str, int]:
        """The input side of a reply's usage, and the entries that this request writes."""
        prefixes, sizes, marks = _prefixes(body)
        read = 0
        for mark in marks:
            within = range(mark, max(mark - LOOK_BACK, 0) - 1, -1)
            read = max([read, *(at for at in within if prefixes[at] in self._entries)])
        end = marks[-1] if marks else 0
        self._entries.update(prefixes[mark] for mark in marks)
        return {
            "cache_read_input_tokens": sum(sizes[:read]),
            "cache_creation_input_tokens": sum(sizes[read:end]),
            "input_tokens": sum(sizes[max(read, end) :]),
        }


def _prefixes(body: dict[str, Any]) -> tuple[list[str], list[int], list[int]]:
    """The hash of each prefix by its number of blocks, the size of each block, the numbers after which a mark is."""
    parts = [(body.get("tools", []), ""), *((block, "") for block in body["system"])]
    choice = json.dumps(body.get("tool_choice"))
    for message in body["messages"]:
        content = message["content"] if isinstance(message["content"], list) else [message["content"]]
        parts += [(block, choice) for block in content]
    prefixes, sizes, marks = ["nothing"], [], []
    for number, (part, key) in enumerate(parts, 1):
        marked = isinstance(part, dict) and "cache_control" in part
        written = json.dumps(without_marks(part)) + key
        prefixes.append(hashlib.sha256((prefixes[-1] + written).encode()).hexdigest())
        sizes.append(len(json.dumps(without_marks(part))) // 4)
        if marked or ("cache_control" in body and number == len(parts)):
            marks.append(number)
    return prefixes, sizes, marks


class Bindings:
    """Which conversation each thought was had in."""

    def __init__(self) -> None:
        self._bound: dict[str, str] = {}

    def bind(self, thought: str, body: dict[str, Any]) -> None:
        """A reply to this request holds this thought."""
        self._bound[thought] = _before(body, len(body["messages"]))

    def objection(self, body: dict[str, Any]) -> str | None:
        """What the API answers 400 to where something before a thought is not what it was."""
        for number, message in enumerate(body["messages"]):
            content = message["content"] if isinstance(message["content"], list) else []
            for block in content:
                bound = self._bound.get(block.get("thinking", ""))
                if bound is not None and bound != _before(body, number):
                    return MOVED.format(number)
        return None


def _before(body: dict[str, Any], number: int) -> str:
    return json.dumps(without_marks([body.get("tools"), body.get("system"), body["messages"][:number]]))


def without_marks(part: Any) -> Any:
    """The same without its cache marks, which neither the cache nor the check of thoughts compares."""
    if isinstance(part, dict):
        return {name: without_marks(value) for name, value in part.items() if name != "cache_control"}
    if isinstance(part, list):
        return [without_marks(each) for each in part]
    return part
