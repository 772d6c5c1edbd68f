"""A remedy that says "mend what the event names", with what the event names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.engines.rules.orders import quoted, without_orders

_POINTS = re.compile(r"\bwhat the [\w' ]{1,40} (?:names?|says?)\b")
_EVENT = re.compile(r"^event \w+ \([^)]*\): (.+)$", re.DOTALL)
_CONDITION = re.compile(r"^(?:status\.conditions: |condition )?[\w.]+=?\w* ?[^(]*\((?:\w+: )?(.+)\)$", re.DOTALL)


def with_the_thing(remedy: str, evidence: Sequence[str]) -> str:
    """The remedy, and behind it the words that it points at where the evidence has them."""
    if not _POINTS.search(remedy):
        return remedy
    for text in evidence:
        hit = _EVENT.match(text) or _CONDITION.match(text)
        words = without_orders(hit[1])[0] if hit is not None else ""
        if len(words.split()) > 2:
            return f"{remedy}: {quoted(words, 200)}"
    return remedy
