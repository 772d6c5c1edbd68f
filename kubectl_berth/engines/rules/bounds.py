"""How much one container or pod of a namespace may ask for: what LimitRanges and quotas allow."""

from __future__ import annotations

import re

from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import bare, half, in_place, only, place
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.engines.rules.facts.table_rows import quota_row

_EACH = r"(?:an?|one|each|any|every|single|per)\s+(?:single\s+|new\s+)?(?P<what>containers?|pods?)"
_MOST = (
    r"at (?:the )?most|max(?:imum|imal(?:ly)?)?|up to|allowed|limit(?:ed)?|largest|biggest|highest|least|minimum|min"
)
_NAME = {"cpu": "cpu", "cores": "cpu", "memory": "memory", "mem": "memory", "ram": "memory"}


def bounds(case: Case) -> Answer | None:
    """The largest and smallest amounts that a container or pod may ask for; None for another question."""
    text = bare(case)
    each = re.search(rf"\b{_EACH}\b", text, re.IGNORECASE)
    thing = re.search(r"\b(?:cpu|cores|memory|mem|ram)\b", text, re.IGNORECASE)
    if case.subjects or each is None or thing is None or not re.search(rf"\b(?:{_MOST})\b", text, re.IGNORECASE):
        return None
    if not only(case, _EACH, _MOST, "request|get|take|ask for|have|much|claim|it|single", text=text):
        return None
    kind, name = each["what"].rstrip("s").title(), _NAME[thing[0].lower()]
    told = [
        f"{one.ref} allows a {kind.lower()} {', '.join(parts)}"
        for one in case.inventory.limit_ranges
        if in_place(case, one.namespace)
        for item in one.spec.limits
        if item.type == kind and (parts := [f"{label} {amounts[name]} of {name}" for label, amounts in
                                            (("at most", item.max), ("at least", item.min)) if name in amounts])
    ]  # fmt: skip
    quotas = [one for one in case.inventory.quotas if in_place(case, one.namespace)]
    lines = [f"{one.ref}, for all pods together: {quota_row(case.inventory, one)}" for one in quotas]
    tail = half(case, "limit_ranges", "quotas")
    if told:
        return f"{'; '.join(told[:4])}{tail}.", [*told[4:], *lines]
    return f"No LimitRange{place(case)} bounds the {name} of a single {kind.lower()}{tail}.", lines
