"""Questions whether a failover took place, told from those whether the next one would go well."""

from __future__ import annotations

import re

_WORD = (
    r"(?:(?:fail(?:s|ed|ing)?|switch(?:es|ed|ing)?)[- ]?over|fail-?overs?|switch-?overs?|promot(?:ed|ion)|"
    r"(?:new|other|different|changed?) (?:primary|leader|master)|"
    r"(?:primary|leader|master) (?:changed?|moved?|switch\w*))"
)
_BEFORE = (
    r"(?:\b(?:did|was|were|has|have|had)\b[^.?!,;]{0,40}|"
    r"\b(?:after|since|during|despite) (?:the|a|an|that|last)\s+(?:\w+ )?)"
)
_AFTER = (
    r"(?:[^.?!,;]{0,20}\b(?:happen\w*|occurr?ed|took place|tonight|last night|yesterday|today|earlier|overnight|"
    r"this (?:morning|night|afternoon)|ago)\b|\s*\?\?)"
)
_PAST = re.compile(rf"{_BEFORE}\b{_WORD}\b|\b{_WORD}\b{_AFTER}", re.IGNORECASE)


def asks_of_a_failover(text: str) -> bool:
    """True where the question is whether a failover happened, or takes one for granted."""
    return _PAST.search(text) is not None
