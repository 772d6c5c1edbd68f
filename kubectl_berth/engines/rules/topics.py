"""Which topic a question has, where it is not one about a fault."""

from __future__ import annotations

import re

from kubectl_berth.engines.rules.acts.ask import acts_on_node
from kubectl_berth.engines.rules.acts.consequence import CONSEQUENCE, consequence
from kubectl_berth.engines.rules.availability_answer import AVAILABILITY
from kubectl_berth.engines.rules.capacity_answer import CAPACITY, WASTE
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.drain_answer import DRAIN
from kubectl_berth.engines.rules.facts.facts import FACTS, fact
from kubectl_berth.engines.rules.growth_answer import GROWTH, grows
from kubectl_berth.engines.rules.sizing_answer import SIZING, sized
from kubectl_berth.engines.rules.topic import Topic

_FAULT = frozenset(
    {"crash", "failing", "down", "pending", "image", "dns", "certificate", "permission", "probe", "quota"}
)
"""Claims that make a question one about a fault, whatever else it asks, where there is one."""


_SUSPECTED = re.compile(
    r"\b(?:no|out of|lack of|short of|not enough|because of|due to|is it|missing)\s+(?:\w+\s+)?"
    r"(?:capacity|room|space)\b|"
    r"\b(?:disks?|storage|volumes?|filesystem)\b[^.?!]{0,15}\bfull\b|"
    r"\bcapacity\s+(?:problems?|issues?|trouble)\b|"
    r"\b(?:think|guess|suppose|suspect|believe|maybe|perhaps|probably|must|seems?|looks? like|assum\w*)\b[^.?!]{0,25}"
    r"\b(?:nodes?|machines?|hosts?|clusters?|servers?)\b[^.?!]{0,15}"
    r"\b(?:full|too small|over-?loaded|exhausted|out of)\b",
    re.IGNORECASE,
)
"""Asks whether a lack of room is the fault, not how much there is."""


def topic_of(case: Case) -> Topic | None:
    """The topic; None for a question about faults."""
    said = case.understanding
    if consequence(case) is not None:
        return CONSEQUENCE
    if grows(case):
        return GROWTH
    if fact(case) is not None:
        return FACTS
    if case.lost or case.blind:
        return None
    claims = {premise.claim for premise in said.premises if not premise.negated and not premise.asked}
    for intent in said.intents:
        if intent == "drain":
            return DRAIN
        if intent in ("cost", "capacity") and claims & _FAULT and not case.healthy:
            return None
        if intent == "capacity" and case.causes and _SUSPECTED.search(said.text):
            return None
        if intent == "availability":
            return AVAILABILITY
        if intent == "cost":
            return SIZING if sized(case) else WASTE
        if intent == "capacity":
            resize = "cost" in said.intents and sized(case) and "removal" not in said.intents
            return SIZING if resize else CAPACITY
    return DRAIN if acts_on_node(case) else None
