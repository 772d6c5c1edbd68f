"""What a custom resource says of its trouble beside its conditions: reasons deep in the status, dates, warnings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kubectl_berth.cluster.views import CustomResource, Event, age, parse_time
from kubectl_berth.diagnosis.health import (
    FLAG,
    MOVING,
    PATIENCE,
    PRIMARY,
    Signal,
    conditions,
    named,
    stopped,
    text_is_bad,
)
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.polarity import good_condition
from kubectl_berth.diagnosis.say import aged, said
from kubectl_berth.diagnosis.wording import decisive, telling

DEEPEST = 5
WIDEST = 50
"""Entries of one list that are looked at."""
AGAIN = 3
"""How often a warning must have come for it to count by itself."""
LATELY = 900.0  # seconds since such a warning came last
LONGEST = 300

_TELLS = re.compile(
    r"^(reason|message|trace|cause|detail|details|description|diagnosis|exception|stack_?trace|\w+Errors?)$"
    r"|^(?:last_?)?(?:err|error|failure)(?:s|Msg|Message|Description|Reason|Info|Details?|_message)?$"
    r"|^(?:state|phase|status|sync)(?:Message|Reason)$",
    re.IGNORECASE,
)
_STATE = re.compile(r"^(phase|state|status|health|result)$|(State|Phase|Health)$")
_PAST = re.compile(r"histor|previous|^last(?!Error|Operation|Fail)|conditions$|^old", re.IGNORECASE)
_OF_OTHERS = re.compile(r"violat|audit|admission", re.IGNORECASE)  # a policy's warning is about what it judges
_ENDS = re.compile(r"^(?:notAfter|validUntil)$")


@dataclass(frozen=True)
class Reason:
    """A text that says why, with the field or event that holds it."""

    where: str
    text: str

    @property
    def words(self) -> str:
        """The text with where it stands, as one sentence."""
        return f"{self.where}: {decisive(self.text, LONGEST)}"


def reasons(view: CustomResource) -> list[Reason]:
    """The texts of a status that say why something failed, the most telling first; conditions are left out."""
    status = view.status if isinstance(view.status, dict) else {}
    found = [one for one in _reasons(status, "status") if telling(one.text)]
    return sorted(found, key=lambda one: -telling(one.text))


def _reasons(layer: Mapping[str, Any], where: str, depth: int = 0) -> Iterator[Reason]:
    well = any(_STATE.search(key) and isinstance(text, str) and _is_well(text) for key, text in named(layer))
    for key, value in named(layer):
        if _PAST.search(key):
            continue
        if isinstance(value, str) and value and not well and _TELLS.match(key):
            yield Reason(f"{where}.{key}", value)
        elif depth < DEEPEST:
            entries = value[:WIDEST] if isinstance(value, list) else [value]
            for index, entry in enumerate(entries):
                at = f"{where}.{key}[{index}]" if isinstance(value, list) else f"{where}.{key}"
                if isinstance(entry, dict):
                    yield from _reasons(entry, at, depth + 1)
                elif isinstance(entry, str) and isinstance(value, list) and not well and _TELLS.match(key):
                    yield Reason(at, entry)


def _is_well(text: str) -> bool:
    return not text_is_bad(text) and not MOVING.search(text)


# --- events -----------------------------------------------------------------------------------------------------------


def warnings(inventory: Inventory, view: CustomResource) -> list[Event]:
    """The warnings of the last hour about an object, the most telling first; none that something better followed."""
    events = inventory.events_of(view)
    better = [one.last_seen for one in events if one.type == "Normal" and one.last_seen]
    bad = [one for one in events if one.type == "Warning" and not _superseded(one, better)]
    return sorted(bad, key=lambda one: -telling(one.text))


def _superseded(event: Event, better: list[datetime]) -> bool:
    return any(event.last_seen is not None and moment > event.last_seen for moment in better)


def spoken(inventory: Inventory, view: CustomResource) -> list[Reason]:
    """What the warnings about an object say, the most telling first."""
    return [Reason(f"event {one.reason}", one.text) for one in warnings(inventory, view) if one.text]


# --- signals ----------------------------------------------------------------------------------------------------------


def quiet_signals(inventory: Inventory, view: CustomResource) -> list[Signal]:
    """Trouble of an object whose conditions, phases and counts tell of none; [] while it rests, goes or is well."""
    status = view.status if isinstance(view.status, dict) else {}
    spec = view.spec if isinstance(view.spec, dict) else {}
    if view.metadata.deletion_timestamp is not None or stopped(spec):
        return []
    if not aged(inventory.now, view.metadata.creation_timestamp, PATIENCE):
        return []
    if over := expired(view, inventory.now):
        return [Signal("warning", "Expired", over)]
    if any(PRIMARY.search(one.type) and good_condition(one.type, one.status) for one in conditions(status)):
        return []
    return _waiting(view, status) or _warned(inventory, view)


def _waiting(view: CustomResource, status: Mapping[str, Any]) -> list[Signal]:
    """A state that does not come to an end, where the reason beside it speaks of an error."""
    states = [(key, text) for key, text in named(status) if _STATE.search(key) and isinstance(text, str)]
    moving = next(((key, text) for key, text in states if MOVING.search(text)), None)
    if moving is None:
        return []
    beside = [one for one in _reasons(status, "status") if one.where.count(".") == 1 and telling(one.text)]
    return [
        Signal("warning", "StateStuck", f"status.{moving[0]}: {moving[1]} ({decisive(one.text, LONGEST)})")
        for one in beside[:1]
    ]


def _warned(inventory: Inventory, view: CustomResource) -> list[Signal]:
    """A warning that comes again and again, where the status says nothing either way."""
    states = [text for key, text in named(view.status) if _STATE.search(key) and isinstance(text, str)]
    if any(_is_well(text) for text in states) or any(
        FLAG.match(key) and value is True for key, value in named(view.status)
    ):
        return []
    for event in warnings(inventory, view):
        if _OF_OTHERS.search(event.reason):
            continue
        if event.times >= AGAIN and inventory.recent(event, LATELY) and telling(event.text):
            return [Signal("warning", "WarningRepeated", said(event, inventory.now))]
    return []


def expired(view: CustomResource, now: datetime) -> str:
    """ "it expired 5h ago (status.notAfter ...)" for a status whose own term is over, "" otherwise."""
    for key, value in named(view.status):
        end = parse_time(value) if isinstance(value, str) and _ENDS.match(key) else None
        if end is not None and end < now:
            return f"it expired {age(now, value)} ago (status.{key} {value})"
    return ""
