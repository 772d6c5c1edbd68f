"""Evidence in sentences: which field or event says what, and since when."""

from __future__ import annotations

from datetime import datetime

from kubectl_berth.cluster.views import Condition, Event, Pod, age, seconds_since
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.records import Severity
from kubectl_berth.safety.shorten import shortened

LONGEST = 420


def clip(text: str, limit: int = LONGEST) -> str:
    """The text on one line of at most `limit` characters, its last clause kept where it is longer."""
    return shortened(text, limit)


def said(event: Event, now: datetime) -> str:
    """An event as evidence: reason, how often, when last, words."""
    times = f"{event.times} times, last " if event.times > 1 else ""
    return f"event {event.reason} ({times}{age(now, event.last_seen)} ago): {clip(event.text)}"


def held(condition: Condition, now: datetime) -> str:
    """A condition as evidence: type, status, since when, reason, words."""
    since = f" for {age(now, condition.last_transition_time)}" if condition.last_transition_time else ""
    if condition.last_update_time and condition.last_update_time != condition.last_transition_time:
        since += f", updated {age(now, condition.last_update_time)} ago"
    value = f"={condition.status}" if condition.status else ""
    tail = ": ".join(part for part in (condition.reason, clip(condition.message)) if part)
    return f"condition {condition.type}{value}{since}" + (f" ({tail})" if tail else "")


def listed(names: list[str], most: int = 5) -> str:
    """Names in a row, the rest as a count."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def count(number: int, thing: str) -> str:
    """ "1 pod", "3 pods"."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def older(now: datetime, timestamp: str | None, seconds: float) -> bool:
    """True where the time is more than so many seconds before now; False where it is not known."""
    passed = seconds_since(now, timestamp)
    return passed is not None and passed > seconds


def aged(now: datetime, created: str | None, seconds: float) -> bool:
    """True where an object is past its first so many seconds; an age that is not known is no youth."""
    passed = seconds_since(now, created)
    return passed is None or passed > seconds


def younger(now: datetime, timestamp: str | None, seconds: float) -> bool:
    """True where the time is at most so many seconds before now; False where it is not known."""
    passed = seconds_since(now, timestamp)
    return passed is not None and passed <= seconds


def weight(inventory: Inventory, pod: Pod) -> Severity:
    """How much a broken pod matters: critical where no other pod of its workload or operator serves."""
    workload = inventory.workload(pod)
    if workload.kind in ("Job", "CronJob"):
        return "warning"
    above = workload if workload != pod.ref else inventory.owner(pod) or pod.ref
    others = (one for one in inventory.pods_of(above) if one.ready and not one.terminating and not one.finished)
    return "warning" if next(others, None) else "critical"
