"""What was shipped and is not seen by those who use it: the rollouts that hang while an older revision serves."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.diagnosis.family import concerning, family_of
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.engines.rules.serving import rolling
from kubectl_berth.records import Finding, Ref

_SHIPPED = (
    r"(?:ship|releas|deploy|merg|push|publish|updat|upgrad|patch|fix|promot)\w*|roll(?:ed|ing)?[ -]?out|"
    r"went (?:live|out)|put (?:out|live)|"
    r"(?:the|our|my|a) (?:\w+ )?(?:fix|change|release|version|update|build)"
)
_OLD = (
    r"still\b[^.?!]{0,40}\b(?:old|previous|before|same|wrong|yesterday'?s|last)|"
    r"(?:the|an) old (?:one|version|build|code|page|behaviou?r|text|price\w*|form|screen)|"
    r"(?:not|n't|nt|never|no ?(?:body|one))\b[^.?!]{0,25}\b(?:see|sees|seen|get|gets|got|show\w*|visible|live|"
    r"there|arriv\w*|changed?|new (?:one|version|build))|"
    r"nothing (?:has )?changed"
)
_STALE = re.compile(
    rf"\b(?:{_SHIPPED})\b[^?!]*?\b(?:{_OLD})\b|\bstill\b[^.?!]{{0,40}}\bold\b[^?!]*\b(?:{_SHIPPED})\b", re.IGNORECASE
)


def shipped_in_vain(text: str, findings: Sequence[Finding], inventory: Inventory) -> list[Finding]:
    """The faults that hold rollouts up, where the question says that what was shipped is not seen; else none."""
    if not _STALE.search(text):
        return []
    held: dict[Ref, None] = dict.fromkeys(rolling(inventory, [one.ref for one in inventory.deployments]))
    behind = [*inventory.stateful_sets, *inventory.daemon_sets]
    held.update(dict.fromkeys(one.ref for one in behind if one.ready and 0 < one.updated < one.desired))
    faults = [one for one in findings if one.severity != "info"]
    found = [one for ref in held for one in concerning(faults, family_of(ref, inventory))]
    return [one for one in faults if one in found]
