"""A remedy that says "mend what the event names", with what the event names."""

from __future__ import annotations

import re

from kubectl_berth.engines.rules.orders import quoted, without_orders
from kubectl_berth.records import Finding

_POINTS = re.compile(r"^(?:mend|change|look at) what the [\w' ]{1,40} names?\b")
_EVENT = re.compile(r"^event \w+ \([^)]*\): (.+)$", re.DOTALL)
_CONDITION = re.compile(r"^(?:status\.conditions: |condition )?[\w.]+=?\w* ?[^(]*\((?:\w+: )?(.+)\)$", re.DOTALL)


def with_the_thing(finding: Finding) -> str:
    """The finding's remedy, and behind it the words that it points at where the evidence has them."""
    if not _POINTS.search(finding.remedy):
        return finding.remedy
    said = set(re.findall(r"\w{4,}", finding.summary.lower()))
    found = [words for text in finding.evidence if len((words := _words(text)).split()) > 2]
    # what the headline says stands in one of them
    best = max(found, key=lambda words: len(said & set(re.findall(r"\w{4,}", words.lower()))), default="")
    return f"{finding.remedy}: {quoted(best, 200)}" if best else finding.remedy


def _words(text: str) -> str:
    hit = _EVENT.match(text) or _CONDITION.match(text)
    return without_orders(hit[1])[0] if hit is not None else ""
