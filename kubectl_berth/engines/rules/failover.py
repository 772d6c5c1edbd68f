"""Whether a failover took place: read off the events that are left and off the times in operators' statuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from kubectl_berth.cluster.views import age, parse_time
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.opening import Opening
from kubectl_berth.engines.rules.orders import gives_orders, quoted
from kubectl_berth.question.failovers import asks_of_a_failover
from kubectl_berth.records import Ref

MOST = 5
BOOTSTRAP = timedelta(minutes=30)
"""Within this of its making an object's first leader is chosen: that is no failover."""

_TOLD = re.compile(
    r"(?:fail(?:ed|ing)?|switch(?:ed|ing)?)[- ]?over|promot(?:ed|ing|ion)|"
    r"(?:new|became|elected) (?:\w+ )?(?:primary|master)",
    re.IGNORECASE,
)
_TIME = re.compile(r"(?:primary|leader|master|fail-?over|switch-?over)\w*?(?:timestamp|time|at)$", re.IGNORECASE)


def failover(case: Case) -> Opening | None:
    """That one is on record, with when and where, or that none is; None where that is not asked."""
    inventory = case.inventory
    if not asks_of_a_failover(case.understanding.text) or case.lost or case.blind or "events" in inventory.unread:
        return None

    def lines(found: Iterator[tuple[datetime, str]]) -> list[str]:
        newest = sorted(set(found), reverse=True)
        return [f"{age(inventory.now, when.isoformat())} ago: {words}" for when, words in newest]

    events, statuses = lines(_events(case)), lines(_statuses(case))
    if not (events or statuses):
        kept = "neither an event that is left (they are kept for about an hour) nor a status tells of one"
        return Opening(f"No failover is on record: {kept}.", joined=True)
    if not events:
        said = f"No event that is left tells of a failover; a status says when its leader last changed, {statuses[0]}."
        return Opening(said, joined=True)
    listed = "\n".join(["**On record**", *(f"- {line}" for line in (*events, *statuses)[:MOST])])
    return Opening(f"A failover is on record, {events[0]}.", [listed], joined=True)


def _concerned(case: Case, ref: Ref) -> bool:
    """True for what the question is about: everything, where it names nothing."""
    if case.subjects:
        return ref in case.family
    return not case.understanding.namespaces or ref.namespace in case.understanding.namespaces


def _events(case: Case) -> Iterator[tuple[datetime, str]]:
    for event in case.inventory.events:
        about = event.about_ref
        if event.last_seen is None or not _concerned(case, about) or gives_orders(event.text):
            continue
        if _TOLD.search(event.reason) or _TOLD.search(event.text):
            yield event.last_seen, f"{event.reason}, {about}: {quoted(event.text, 140)}"


def _statuses(case: Case) -> Iterator[tuple[datetime, str]]:
    """Times whose key speaks of who leads ("currentPrimaryTimestamp"), long after the object was made."""
    for one in case.inventory.custom:
        made = parse_time(one.metadata.creation_timestamp)
        if made is None or not _concerned(case, one.ref):
            continue
        for key, value in one.status.items():
            when = parse_time(value) if isinstance(value, str) and _TIME.search(key) else None
            if when is not None and when - made > BOOTSTRAP:
                yield when, f"{one.ref}, status.{key}"
