"""The members that a status lists one by one: which of them it calls unwell, and in what words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from kubectl_berth.cluster.views import CustomResource
from kubectl_berth.diagnosis.health import (
    ERROR_KEY,
    FLAG,
    MOVING,
    PATIENCE,
    PRIMARY,
    Signal,
    conditions,
    named,
    phases,
    stopped,
    text_is_bad,
)
from kubectl_berth.diagnosis.polarity import good_condition
from kubectl_berth.diagnosis.say import aged, clip

_NAME_KEYS = ("name", "pod", "podName", "member", "instance", "node", "nodeName", "host", "hostname", "id")
_MOST = 200  # entries of one list that are looked at


def bad_members(status: Mapping[str, Any], where: str = "status", depth: int = 0) -> Iterator[tuple[str, str]]:
    """The name of each listed member that the status calls unwell, and a sentence: the list's field and what it says.

    Members are the entries of a list, or of a map by name; conditions are no members.
    """
    for key, value in named(status):
        if key.lower().endswith("conditions") or depth > 2:
            continue
        if isinstance(value, list):
            for entry in value[:_MOST]:
                yield from _judged(entry, _name_of(entry), f"{where}.{key}")
        elif isinstance(value, dict):
            inner = list(value.items())
            if len(inner) > 1 and all(isinstance(one, dict) for _, one in inner):
                for name, entry in inner[:_MOST]:
                    yield from _judged(entry, str(name), f"{where}.{key}")
            else:
                yield from bad_members(value, f"{where}.{key}", depth + 1)


def _name_of(entry: Any) -> str:
    if not isinstance(entry, dict):
        return ""
    return next((entry[key] for key in _NAME_KEYS if isinstance(entry.get(key), str) and entry[key]), "")


def _judged(entry: Any, name: str, where: str) -> Iterator[tuple[str, str]]:
    if not isinstance(entry, dict) or not name:
        return
    told = [f"{key} false" for key, value in named(entry) if value is False and FLAG.match(key)]
    told += [clip(text, 80) for _, text in phases(entry) if text_is_bad(text)]
    if not told:
        return
    words = [value for key, value in named(entry) if isinstance(value, str) and value and _explains(key)]
    yield name, f"{where}: {name}: {', '.join([*told, *(clip(one, 200) for one in words[:1])])}"


def _explains(key: str) -> bool:
    return bool(ERROR_KEY.match(key)) or key in ("reason", "message", "detail")


def member_signals(view: CustomResource, now: datetime) -> list[Signal]:
    """Members called unwell by a status that tells no other trouble; [] while it changes or calls itself ready."""
    status = view.status if isinstance(view.status, dict) else {}
    spec = view.spec if isinstance(view.spec, dict) else {}
    if view.metadata.deletion_timestamp is not None or stopped(spec):
        return []
    if not aged(now, view.metadata.creation_timestamp, PATIENCE):
        return []
    good = any(PRIMARY.search(one.type) and good_condition(one.type, one.status) for one in conditions(status))
    if good or any(MOVING.search(text) for _, text in phases(status)):
        return []
    return [Signal("warning", "MemberBad", words) for _, words in bad_members(status)]
