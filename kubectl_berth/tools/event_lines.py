"""Events as lines: folded by object, reason and kind of message, newest first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from kubectl_berth.cluster.views import Event, age
from kubectl_berth.records import Ref
from kubectl_berth.tools.fields import clip

# Normal events that tell of trouble: a filter for warnings would lose the back-off of an image pull
_TELLING = frozenset(
    {
        "BackOff",
        "ExternalProvisioning",
        "FailedBinding",
        "NodeNotReady",
        "NodeNotSchedulable",
        "NotTriggerScaleUp",
        "Preempted",
        "Rebooted",
        "RemovingNode",
        "SandboxChanged",
        "TaintManagerEviction",
        "WaitForFirstConsumer",
        "WaitForPodScheduled",
    }
)
_VARIABLE = re.compile(r"[0-9a-f]{8,}|\d+(?:\.\d+)?")


@dataclass
class Fold:
    """Events that say the same about the same object. `times` counts all of them."""

    newest: Event
    first_seen: datetime | None
    times: int
    events: int = 1

    def line(self, now: datetime, *, about: bool = True) -> str:
        """ "4m (x31 over 3h) Warning BackOff Pod shop/api-...: Back-off restarting ..."."""
        event = self.newest
        seen = age(now, event.last_seen)
        repeats = f" (x{self.times} over {age(now, self.first_seen)})" if self.times > 1 else ""
        subject = f" {event.about_ref}" if about else ""
        part = f" [{event.container}]" if event.container else ""
        return f"{seen} ago{repeats} {event.type or '?'} {event.reason}{subject}{part}: {clip(event.text, 500)}"


def telling(event: Event) -> bool:
    """True for a warning and for a normal event that tells of trouble."""
    if event.reason == "Killing":  # every rollout stops containers; a probe that failed is another matter
        return "failed" in event.text
    return event.type != "Normal" or event.reason in _TELLING


def fold(events: Iterable[Event]) -> list[Fold]:
    """Folds, newest first. Only figures and hashes may differ between the messages of one fold."""
    folds: dict[tuple[Ref, str, str, str], Fold] = {}
    for event in events:
        key = (event.about_ref, event.type, event.reason, _VARIABLE.sub("#", event.text))
        held = folds.get(key)
        if held is None:
            folds[key] = Fold(event, event.first_seen, event.times)
            continue
        held.times += event.times
        held.events += 1
        if (event.last_seen or _NEVER) > (held.newest.last_seen or _NEVER):
            held.newest = event
        if event.first_seen and (held.first_seen is None or event.first_seen < held.first_seen):
            held.first_seen = event.first_seen
    return sorted(folds.values(), key=lambda f: (-_stamp(f.newest), f.newest.about_ref, f.newest.reason, f.newest.text))


_NEVER = datetime.fromisoformat("0001-01-02T00:00:00+00:00")


def _stamp(event: Event) -> float:
    return (event.last_seen or _NEVER).timestamp()


def event_lines(folds: Sequence[Fold], now: datetime, limit: int, *, about: bool = True) -> list[str]:
    """At most `limit` lines, and one that sums up the rest by reason."""
    lines = [each.line(now, about=about) for each in folds[:limit]]
    if rest := folds[limit:]:
        reasons: dict[str, int] = {}
        for each in rest:
            reasons[each.newest.reason] = reasons.get(each.newest.reason, 0) + each.times
        summed = ", ".join(
            f"{reason} x{times}" for reason, times in sorted(reasons.items(), key=lambda r: (-r[1], r[0]))
        )
        lines.append(f"older: {clip(summed, 300)}")
    return lines
