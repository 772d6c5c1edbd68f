"""The state of any object on one line, from the status fields that controllers usually write.

No operator is known by name here: counts, phases and conditions are read as the checks read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from kubectl_berth.cluster.names import metadata
from kubectl_berth.cluster.views import age
from kubectl_berth.diagnosis.health import phases, ready_pairs, stopped
from kubectl_berth.diagnosis.polarity import bad_condition, polarity
from kubectl_berth.records import Object
from kubectl_berth.tools.fields import clip, mapping, mappings, number, text

# pairs of built-in kinds whose names follow no pattern
_BUILT_IN = (("numberReady", "desiredNumberScheduled"), ("currentHealthy", "desiredHealthy"))
_NOT_COUNTED = ("loadBalancer", "capacity", "allocatable")
_NOUNS = frozenset({"replicas", "instances", "members", "nodes", "pods", "brokers", "shards", "servers"})
_TOLD_WHEN_GOOD = frozenset({"Ready", "Available", "Healthy", "Synced", "Complete", "Established", "Reconciled"})


def counts(thing: Object) -> list[tuple[str, int, int]]:
    """Ready of desired as the status tells: (what, ready, desired), such as ("instances", 2, 3); what may be ""."""
    spec, status = mapping(thing, "spec"), mapping(thing, "status")
    found = list(_pairs(spec, status, ""))
    for name, part in status.items():
        if isinstance(part, dict) and name not in _NOT_COUNTED:
            found += _pairs(mapping(spec, name), part, str(name))
    return list({what: (what, ready, wanted) for what, ready, wanted in reversed(found)}.values())[::-1]


def _pairs(spec: Mapping[str, Any], status: Mapping[str, Any], part: str) -> Iterator[tuple[str, int, int]]:
    for ready, wanted in _BUILT_IN:
        if (have := number(status, ready)) is not None and (want := number(status, wanted)) is not None:
            yield part, have, want
            return
    pair = next(ready_pairs(spec, status), None)
    if pair is not None:
        noun = pair.desired_field.rpartition(".")[2]
        yield part or (noun if noun in _NOUNS else ""), pair.ready, pair.desired
    elif "replicas" in status and (want := number(spec, "replicas")):
        # a controller that never counted a ready one leaves the count out altogether
        yield part or "replicas", 0, want


def phase(thing: Object) -> str:
    """The words that the status has for its state, "" where it has none."""
    said: list[str] = []
    for where, words in phases(mapping(thing, "status")):
        path = where.removeprefix("status.").removesuffix(".status")
        told = clip(words if path == "phase" else f"{path} {words}", 160)
        if told not in said:
            said.append(told)
    return ", ".join(said[:3])


def condition_lines(thing: Object, now: datetime, *, only_bad: bool = False) -> list[str]:
    """Conditions, each on a line: type=status, reason, since when, message."""
    return [
        condition_line(condition, now)
        for condition in mappings(thing, "status", "conditions")
        if not only_bad or bad(text(condition, "type"), text(condition, "status"))
    ]


def condition_line(condition: Object, now: datetime) -> str:
    """One condition: "Ready=False ContainersNotReady for 45m: containers with unready status: [app]"."""
    since = age(now, text(condition, "lastTransitionTime") or None)
    when = "" if since == "<unknown>" else f" for {since}"
    reason, message = text(condition, "reason"), clip(text(condition, "message"), 400)
    words = f"{text(condition, 'type')}={text(condition, 'status')}{f' {reason}' if reason else ''}{when}"
    return f"{words}: {message}" if message else words


def bad(kind: str, status: str) -> bool:
    """True where a condition of that type and status tells of trouble; one that nobody can judge does not."""
    return bad_condition(kind, status) or (status == "Unknown" and polarity(kind) != "neutral")


def summary(thing: Object, now: datetime) -> str:
    """The state on one line: counts, phase, conditions that tell of trouble, age."""
    spec, status = mapping(thing, "spec"), mapping(thing, "status")
    parts = [f"{ready}/{wanted} {what} ready".replace("  ", " ") for what, ready, wanted in counts(thing)]
    if words := phase(thing):
        parts.append(words)
    troubled = condition_lines(thing, now, only_bad=True)
    parts += [clip(line, 200) for line in troubled[:3]]
    if not troubled:
        holding = [text(c, "type") for c in mappings(status, "conditions") if text(c, "status") == "True"]
        parts += [f"{kind}=True" for kind in holding if kind in _TOLD_WHEN_GOOD]
    if stopped(spec):
        parts.append("suspended or paused")
    if deleted := metadata(thing).get("deletionTimestamp"):
        parts.append(f"being deleted for {age(now, str(deleted))}")
    if spec and not status:
        parts.append("no status")
    parts.append(f"age {age(now, text(metadata(thing), 'creationTimestamp') or None)}")
    return ", ".join(parts)
