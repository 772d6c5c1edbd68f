"""What changed lately, as far as the objects themselves tell: new revisions, scaling, nodes, new workloads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from kubectl_berth.cluster.views import Workload, age, parse_time, seconds_since
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.orders import quoted
from kubectl_berth.records import Ref

MOST = 8
NOBODY = "Who did it is not known from here: that stands in the API server's audit log, which berth does not read."

_ASKED = re.compile(
    r"\bwhat(?:['’]?s| is| has| have)?\s+(?:(?:been|recently|just|last|all)\s+)*(?:chang(?:ed?|es|ing)|new)\b"
    r"(?! (?:pods?|version))|\b(?:who|anyone|anybody|someone|somebody|anything)\b[^.?!]{0,24}\bchang(?:ed?|es)\b|"
    r"\b(?:recent|latest|last) (?:changes|deploy\w*|rollouts?)\b|\bwhat was (?:changed|deployed|rolled out)\b",
    re.IGNORECASE,
)
_SPAN = re.compile(r"\b(?:last|past) (?:(\d{1,3}) )?(minute|hour|day|week)s?\b", re.IGNORECASE)
_SECONDS = {"minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_EVENTS = frozenset(
    "ScalingReplicaSet SuccessfulRescale NodeNotReady NodeReady Rebooted NodeNotSchedulable NodeSchedulable "
    "RemovingNode RegisteredNode Evicted Preempted".split()
)


def asks_for_changes(text: str) -> bool:
    """True where the question is what changed."""
    return bool(_ASKED.search(text))


def span(text: str) -> float | None:
    """The seconds back that the question names ("in the last hour"), None where it names none."""
    found = _SPAN.search(text)
    return float(found[1] or 1) * _SECONDS[found[2].lower()] if found else None


def changes(case: Case) -> list[str]:
    """Lines, the newest first, each with its age; within the span that the question names."""
    inventory = case.inventory
    limit = span(case.understanding.text)
    seen: dict[str, datetime] = {}
    for when, words in (*_revisions(case), *_events(case), *_nodes(case)):
        passed = seconds_since(inventory.now, when)
        if when is not None and passed is not None and (limit is None or passed <= limit):
            seen.setdefault(words, when)
    newest = sorted(seen.items(), key=lambda one: one[1], reverse=True)[:MOST]
    return [f"{age(inventory.now, when)} ago: {words}" for words, when in newest]


def _concerned(case: Case, ref: Ref) -> bool:
    spaces = case.understanding.namespaces
    if case.subjects:
        return ref in case.family
    return not spaces or ref.namespace in spaces


def _revisions(case: Case) -> Iterator[tuple[datetime | None, str]]:
    """New workloads, and the newest ReplicaSet of each Deployment where it is not its first."""
    inventory = case.inventory
    for one in inventory.workloads:
        if not _concerned(case, one.ref):
            continue
        yield parse_time(one.metadata.creation_timestamp), f"{one.ref} was created"
        sets = [below for below in inventory.children(one.ref) if isinstance(below, Workload)]
        newest = max(sets, key=lambda each: (each.revision, each.metadata.creation_timestamp or ""), default=None)
        if newest is not None and newest.revision > 1:
            images = ", ".join(container.image for container in newest.spec.template.spec.containers[:3])
            words = f"{one.ref} got revision {newest.revision} (ReplicaSet {newest.name}, image {images})"
            yield parse_time(newest.metadata.creation_timestamp), words


def _events(case: Case) -> Iterator[tuple[datetime | None, str]]:
    for event in case.inventory.events:
        about = event.about_ref
        if event.reason in _EVENTS and (about.kind == "Node" or _concerned(case, about)):
            yield event.last_seen, f"{event.reason} on {about}: {quoted(event.message, 140)}"


def _nodes(case: Case) -> Iterator[tuple[datetime | None, str]]:
    if case.subjects or case.understanding.namespaces:
        return
    for node in case.inventory.nodes:
        yield parse_time(node.metadata.creation_timestamp), f"{node.ref} joined"
        for one in node.status.conditions:
            if (one.type == "Ready") == (one.status != "True"):
                yield parse_time(one.last_transition_time), f"{node.ref}: {one.type} became {one.status}"
