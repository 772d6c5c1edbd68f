"""The keys that this process itself holds: taken out of whatever leaves it, by their very characters.

The rules of redaction go by form and place; these values are known, so no form is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from kubectl_berth.safety.keys import sensitive
from kubectl_berth.safety.values import placeholder

OWN_KEY = "[REDACTED:own-key]"
_SHORTEST = 8
"""Shorter values are words that stand in any text."""


def own_keys(variables: Mapping[str, str]) -> tuple[str, ...]:
    """Values of the variables whose names call for a secret, also as URLs spell them; the longest first."""
    found: set[str] = set()
    for name, value in variables.items():
        value = value.strip()
        if len(value) >= _SHORTEST and sensitive(name) and not placeholder(value):
            found |= {value, quote(value, safe="")}
    return tuple(sorted(found, key=len, reverse=True))


def without_own_keys(text: str, keys: Sequence[str]) -> str:
    """The text with every key in it replaced."""
    for key in keys:
        if key in text:
            text = text.replace(key, OWN_KEY)
    return text
