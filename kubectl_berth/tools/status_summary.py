"""The state of any object on one line, from the status fields that controllers usually write.

No kind is known by name here: counts are found by their names (readyReplicas beside replicas, readyInstances beside
instances, ready beside size), phases and conditions by theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from kubectl_berth.cluster.names import metadata
from kubectl_berth.cluster.views import age
from kubectl_berth.records import Object
from kubectl_berth.tools.fields import clip, mapping, mappings, number, text

_READY = re.compile(r"(?:ready|available|healthy|running)(.*)|(?:number|current)(?:Ready|Healthy)")
_WANTED = ("replicas", "instances", "size", "members", "nodes", "desired", "desiredReplicas", "desiredNumberScheduled",
           "desiredHealthy", "count", "total")  # fmt: skip
_WORDS = ("phase", "state", "status", "health", "sync", "clusterState", "currentState", "lifecycle", "error", "reason")
_BAD_WHEN_TRUE = re.compile(
    r"Degraded|Fail|Stalled|Error|Pressure|Unavailable|Unhealthy|Disrupt|Evict|Block|Invalid|Conflict|Problem|Missing"
    r"|Paused|Suspended|OutOf|Deadlock|Exhausted|Exceeded|Lost"
)
_PROGRESS = re.compile(r"Progress|Reconciling|Pending|Updating|Scaling|Deleting|Terminating|Initializing|Creating")


def counts(thing: Object) -> list[tuple[str, int, int]]:
    """Ready of desired as the status tells: (what, ready, desired), such as ("instances", 2, 3)."""
    spec, status = mapping(thing, "spec"), mapping(thing, "status")
    found = list(_pairs(status, spec))
    for name, part in status.items():
        if isinstance(part, dict) and name not in ("loadBalancer", "capacity", "allocatable"):
            own = mapping(spec, name)
            found += [(str(name), ready, wanted) for _, ready, wanted in _pairs(part, own)]
    return list({what: (what, ready, wanted) for what, ready, wanted in reversed(found)}.values())[::-1]


def _pairs(status: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    for key in status:
        match = _READY.fullmatch(str(key))
        ready = number(status, key)
        if match is None or ready is None:
            continue
        noun = match[1] or ""
        noun = noun[:1].lower() + noun[1:]
        wanted = _wanted(noun, status, spec)
        if wanted is not None:
            yield noun or "ready", ready, wanted
            return
    # a controller that never counted a ready one leaves the count out altogether
    if "replicas" in status and number(spec, "replicas"):
        yield "replicas", 0, number(spec, "replicas") or 0


def _wanted(noun: str, status: Mapping[str, Any], spec: Mapping[str, Any]) -> int | None:
    """The number that goes with a count of ready ones; what the spec wants outranks what there is."""
    capital = noun[:1].upper() + noun[1:]
    named = (noun, f"desired{capital}", f"total{capital}") if noun else ()
    for holder in (spec, status):
        for key in (*named, *_WANTED):
            wanted = number(holder, key)
            if wanted is not None:
                return wanted
    return None


def phase(thing: Object) -> str:
    """The words that the status has for its state, "" where it has none."""
    status = mapping(thing, "status")
    said = []
    for key in _WORDS:
        value = status.get(key)
        if isinstance(value, dict):
            value = value.get("status") or value.get("state")
        if isinstance(value, str) and value and value not in said:
            said.append(value if key == "phase" else f"{key} {value}")
    return ", ".join(clip(words, 160) for words in said[:3])


def condition_lines(thing: Object, now: datetime, *, only_bad: bool = False) -> list[str]:
    """Conditions, each on a line: type=status, reason, since when, message."""
    lines = []
    for condition in mappings(thing, "status", "conditions"):
        kind, status = text(condition, "type"), text(condition, "status")
        if not kind or (only_bad and not bad(kind, status)):
            continue
        since = age(now, text(condition, "lastTransitionTime") or None)
        when = "" if since == "<unknown>" else f" for {since}"
        reason = text(condition, "reason")
        message = clip(text(condition, "message"), 400)
        lines.append(f"{kind}={status}{f' {reason}' if reason else ''}{when}{f': {message}' if message else ''}")
    return lines


def bad(kind: str, status: str) -> bool:
    """True where a condition of that type and status tells of trouble."""
    if _BAD_WHEN_TRUE.search(kind):
        return status in ("True", "Unknown")
    if _PROGRESS.search(kind):
        return False
    return status in ("False", "Unknown")


def summary(thing: Object, now: datetime) -> str:
    """The state on one line: counts, phase, conditions that tell of trouble, age."""
    parts = [f"{ready}/{wanted} {what}{'' if what == 'ready' else ' ready'}" for what, ready, wanted in counts(thing)]
    status = mapping(thing, "status")
    if not parts and re.fullmatch(r"\d+/\d+", text(status, "ready")):
        parts.append(f"{text(status, 'ready')} ready")
    if words := phase(thing):
        parts.append(words)
    troubled = condition_lines(thing, now, only_bad=True)
    parts += [clip(line, 200) for line in troubled[:3]]
    if not troubled:
        parts += [
            f"{kind}=True"
            for kind in (text(c, "type") for c in mappings(status, "conditions") if text(c, "status") == "True")
            if kind in ("Ready", "Available", "Healthy", "Synced", "Complete", "Established", "Reconciled")
        ]
    for flag in ("suspend", "suspended", "paused", "hibernated"):
        if mapping(thing, "spec").get(flag) is True:
            parts.append(flag)
    if deleted := metadata(thing).get("deletionTimestamp"):
        parts.append(f"being deleted for {age(now, str(deleted))}")
    if not status:
        parts.append("no status")
    parts.append(f"age {age(now, text(metadata(thing), 'creationTimestamp') or None)}")
    return ", ".join(parts)
