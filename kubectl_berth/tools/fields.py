"""Reads fields of objects that may be odd: a missing or misshapen field is an empty one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubectl_berth.records import Object
from kubectl_berth.safety.redact import head


def dig(value: Any, *path: str) -> Any:
    """The value at a path of mapping keys, or None."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def mapping(value: Any, *path: str) -> Object:
    """The mapping at the path, or an empty one."""
    found = dig(value, *path)
    return found if isinstance(found, dict) else {}


def mappings(value: Any, *path: str) -> list[Object]:
    """The mappings in the list at the path, or none."""
    found = dig(value, *path)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def text(value: Any, *path: str) -> str:
    """The string at the path, or "". Numbers and truth values are written as YAML does."""
    found = dig(value, *path)
    if isinstance(found, bool):
        return "true" if found else "false"
    return str(found) if isinstance(found, (str, int, float)) else ""


def number(value: Any, *path: str) -> int | None:
    """The whole number at the path, or None."""
    found = dig(value, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def clip(words: str, limit: int = 300) -> str:
    """The words on one line, cut with the number of characters that are missing."""
    line = " ".join(words.split())
    return line if len(line) <= limit else f"{head(line, limit).rstrip()}... (+{len(line) - limit} characters)"


def counted(count: int, noun: str, plural: str = "") -> str:
    """ "1 pod", "3 pods"."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def listed(words: Iterable[str], limit: int = 8) -> str:
    """The words with commas, and how many were left out."""
    words = list(words)
    more = f" and {len(words) - limit} more" if len(words) > limit else ""
    return ", ".join(words[:limit]) + more
