"""One event in its two shapes: core/v1, as snapshots keep it, and events.k8s.io/v1."""

from __future__ import annotations

from kubectl_berth.records import Object

_SAME = ("metadata", "eventTime", "series", "action", "reason", "related", "type", "reportingInstance")
_NAMES = {
    "involvedObject": "regarding",
    "message": "note",
    "reportingComponent": "reportingController",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
}
_BACK = {new: old for old, new in _NAMES.items()}


def to_events_api(event: Object) -> Object:
    """A core/v1 Event as events.k8s.io/v1 serves it, without apiVersion and kind."""
    return _renamed(event, _NAMES)


def to_core(event: Object) -> Object:
    """An events.k8s.io/v1 Event as core/v1 serves it."""
    return {"apiVersion": "v1", "kind": "Event", **_renamed(event, _BACK)}


def _renamed(event: Object, names: dict[str, str]) -> Object:
    renamed: Object = {}
    for key, value in event.items():
        if key in _SAME:
            renamed[key] = value
        elif key in names:
            renamed[names[key]] = value
    return renamed
