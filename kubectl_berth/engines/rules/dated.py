"""Since when an object of any kind exists."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import age
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import bare, only
from kubectl_berth.engines.rules.facts.lookups import Answer

_PUT = r"(?:put|brought) in(?: place)?|set up|added|introduced|applied|there|in place|exist(?:s|ed)?|in force"
_MADE = r"created|made|installed|come|came|deployed"
_WHEN = re.compile(
    r"\b(?:when (?:was|were|is|did|has|have)|since when|from when|how (?:old|long))\b|"
    r"\b(?:age|creation (?:time|date)) of\b",
    re.IGNORECASE,
)
_BACK = re.compile(r"\b(?:back|up|down|off|out|away|again|over|last|gone|old(?:er|est))\b(?<!set up)", re.IGNORECASE)
"""Says that something else than its making is asked about."""
_RELEASED = ("Deployment", "StatefulSet", "DaemonSet", "Pod", "ReplicaSet")
"""Kinds of which "made" and "deployed" ask for the newest revision too."""


def dated(case: Case) -> Answer | None:
    """When what was named was created, and how long ago that is; None for another question."""
    text, main = bare(case), case.main
    if main is None or not _WHEN.search(text) or _BACK.search(text):
        return None
    words = _PUT if main.kind in _RELEASED else rf"{_PUT}|{_MADE}|old|age|creation"
    if not re.search(rf"\b(?:{words})\b", text, re.IGNORECASE):
        return None
    if not only(case, _PUT, _MADE, "old|long|age|creation|since|already|first|been", text=text):
        return None
    view = case.inventory.find(main)
    since = view.metadata.creation_timestamp if view is not None else None
    if since is None:
        return None
    return f"{main} was created {age(case.inventory.now, since)} ago ({since}).", []
