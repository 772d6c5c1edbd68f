"""The events about what was named, for a question that asks to see them."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import Event, age
from kubectl_berth.diagnosis.say import clip, count
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import ASKS, bare, capped, half, in_place, only
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.engines.rules.orders import gives_orders, quoted
from kubectl_berth.records import Ref

MOST = 15
_EVENTS = r"(?:kubernetes |k8s )?events?"
_MORE = r"last|latest|recent|newest|warnings?|normal|all|current|show|see|tail|about|there|tell|say"


def events_shown(case: Case) -> Answer | None:
    """The events of the subjects, of the namespaces named or of all, newest first; None for another question."""
    text = bare(case)
    if not re.search(rf"\b{_EVENTS}\b", text, re.IGNORECASE) or not ASKS.search(text):
        return None
    if not only(case, _EVENTS, _MORE, text=text):
        return None
    inventory = case.inventory
    warnings = bool(re.search(r"\bwarnings?\b", text, re.IGNORECASE))
    main = case.main
    own: set[Ref] = set()
    if main is not None:
        own = {main, *(pod.ref for pod in inventory.pods_of(main)), *(one.ref for one in inventory.descendants(main))}
    found = [
        one
        for one in inventory.events
        if (one.about_ref in own if main is not None else in_place(case, one.about_ref.namespace))
        and (not warnings or one.type == "Warning")
    ]
    found.sort(key=lambda one: (one.last_seen or inventory.now, one.name), reverse=True)
    kind = "warning event" if warnings else "event"
    spaces = case.understanding.namespaces
    where = f" about {main} and what belongs to it" if main is not None else (
        f" in namespace {', '.join(spaces)}" if spaces else " in the cluster"
    )  # fmt: skip
    tail = half(case, "events")
    if not found:
        return f"There is no {kind}{where} on record{tail}: events are kept for about an hour.", []
    newest = _line(case, found[0])
    head = f"{count(len(found), kind)}{where}, the newest: {newest}{tail}."
    return head, capped([_line(case, one) for one in found], MOST) if len(found) > 1 else []


def _line(case: Case, one: Event) -> str:
    words = "its words are left out, since they give orders" if gives_orders(one.text) else quoted(clip(one.text, 200))
    times = f", {one.times} times" if one.times > 1 else ""
    return f"{age(case.inventory.now, one.last_seen)} ago{times}: {one.type} {one.reason}, {one.about_ref}: {words}"
