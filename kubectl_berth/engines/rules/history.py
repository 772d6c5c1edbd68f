"""What is still on record of the past, for questions about it: events that are left, and how containers ended."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from kubectl_berth.cluster.views import Pod, age, parse_time
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.material import Material
from kubectl_berth.records import Ref

MOST = 6
AROUND = timedelta(minutes=40)
"""Before and after a time of day that the question names."""

_PAST = re.compile(
    r"\b(?:last|this) (?:night|morning|evening)\b|\byesterday\b|\bovernight\b|\breboot(?:ed)?\b|"
    r"\b(?:at|around|about) \d{1,2}[:.]\d\d\b",
    re.IGNORECASE,
)
_HAPPENED = re.compile(r"\bhapp(?:en|end|ened)\b|\bearlier\b|\bwent (?:wrong|down)\b", re.IGNORECASE)
_CLOCK = re.compile(r"\b(?:at|around|about) (\d{1,2})[:.](\d\d)\b", re.IGNORECASE)
_NOTABLE = frozenset(
    "Rebooted NodeNotReady NodeReady Killing Evicted ScalingReplicaSet Preempted TaintManagerEviction SandboxChanged "
    "Starting SuccessfulRescale NodeNotSchedulable RemovingNode Drain".split()
)


def history(material: Material) -> list[str]:
    """Lines, the newest first; () where the question is not about the past."""
    case = material.case
    text = case.understanding.text
    moment = _moment(text, case.inventory.now)
    # where something is wrong now, "this morning" and "what happened?" ask for that
    if moment is None and not (case.healthy and (_PAST.search(text) or _HAPPENED.search(text))):
        return []
    told = [*_events(material, moment), *_ends(case, moment)]
    return [line for _, line in sorted(told, key=lambda one: one[0], reverse=True)][:MOST]


def _moment(text: str, now: datetime) -> datetime | None:
    """The last time that the clock showed what the question names."""
    found = _CLOCK.search(text)
    if found is None or int(found[1]) > 23 or int(found[2]) > 59:
        return None
    at = now.replace(hour=int(found[1]), minute=int(found[2]), second=0, microsecond=0)
    return at if at <= now else at - timedelta(days=1)


def _near(when: datetime | None, moment: datetime | None) -> bool:
    return when is not None and (moment is None or abs(when - moment) <= AROUND)


def _concerned(case: Case, ref: Ref) -> bool:
    """True for nodes, and for what the question is about."""
    spaces = set(case.understanding.namespaces)
    if ref.kind == "Node" or (not case.subjects and not spaces):
        return True
    return ref in case.family if case.subjects else ref.namespace in spaces


def _events(material: Material, moment: datetime | None) -> list[tuple[datetime, str]]:
    case, found = material.case, []
    for event in case.inventory.events:
        when = event.last_seen
        if when is None or not _near(when, moment) or not _concerned(case, event.about_ref):
            continue
        if event.type != "Warning" and event.reason not in _NOTABLE:
            continue
        said = material.say(event.message, f"an event about {event.about_ref}")
        passed = age(case.inventory.now, when.isoformat())
        found.append((when, f"{_when(when)} ({passed} ago): {event.reason}, {event.about_ref}: {said}"))
    return found


def _ends(case: Case, moment: datetime | None) -> list[tuple[datetime, str]]:
    """How containers of the subjects ended last, where that is long over or at the time asked about."""
    found = []
    for pod in _pods(case.inventory, case):
        for status in pod.status.container_statuses:
            ended = status.last_state.terminated or status.state.terminated
            when = parse_time(ended.finished_at) if ended is not None else None
            if ended is None or when is None or not _near(when, moment):
                continue
            words = (
                f"{_when(when)} ({age(case.inventory.now, ended.finished_at)} ago): container {status.name} of "
                f"{pod.ref} ended: {ended.reason or 'no reason'}, exit code {ended.exit_code}"
            )
            found.append((when, words))
    return found


def _pods(inventory: Inventory, case: Case) -> list[Pod]:
    if not case.subjects:
        return [pod for pod in inventory.pods if not pod.finished and pod.status.container_statuses]
    return [pod for ref in case.subjects if ref.kind != "Node" for pod in inventory.pods_of(ref)]


def _when(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC")
