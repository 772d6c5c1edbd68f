"""The keys that this process itself holds: taken out of whatever leaves it, by their very characters.

The rules of redaction go by form and place; these values are known, so no form is needed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from kubectl_berth.safety.keys import sensitive
from kubectl_berth.safety.values import placeholder

OWN_KEY = "[REDACTED:own-key]"
_SHORTEST = 8
"""Shorter values are words that stand in any text."""


def own_keys(variables: Mapping[str, str]) -> tuple[str, ...]:
    """Values of the variables whose names call for a secret, also as URLs and JSON spell them; the longest first."""
    found: set[str] = set()
    for name, value in variables.items():
        value = value.strip()
        if len(value) >= _SHORTEST and _for_a_key(name) and not (placeholder(value) or value.isdigit()):
            found |= {value, quote(value, safe=""), json.dumps(value)[1:-1]}
    return tuple(sorted(found, key=len, reverse=True))


def _for_a_key(name: str) -> bool:
    """True where the name, or what it begins with, calls for a secret: AWS_BEARER_TOKEN_BEDROCK too."""
    words = name.split("_")
    return any(sensitive("_".join(words[:end])) for end in range(1, len(words) + 1))


def without_own_keys(text: str, keys: Sequence[str]) -> str:
    """The text with every key in it replaced."""
    for key in keys:
        if key in text:
            text = text.replace(key, OWN_KEY)
    return text
