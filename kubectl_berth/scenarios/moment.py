"""Carries the layers of a scenario to one moment: the time and the Kubernetes version of the last one.

What beats in a living cluster has beaten on by then (leases, heartbeats, usage samples); history stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from kubectl_berth.cluster.snapshot_files import Layer
from kubectl_berth.errors import UsageError
from kubectl_berth.records import Object
from kubectl_berth.scenarios.wording import reworded


def carried(layers: Sequence[Layer], version: str | None) -> list[Layer]:
    """The layers, lowest first, at the last one's moment; `version` takes the place of its own where given.

    A layer that says nothing of its time or version has those of the layer below.
    """
    moments: list[tuple[datetime | None, str | None]] = []
    time, written = None, None
    for layer in layers:
        time = _instant(layer.about.time) if layer.about.time else time
        written = layer.about.version or written
        moments.append((time, written))
    target = version or written
    carried = []
    for layer, (taken, source) in zip(layers, moments, strict=True):
        by = time - taken if time and taken else timedelta()
        objects = [moved(obj, by) for obj in layer.objects]
        if source and target:
            objects = [reworded(obj, source, target) for obj in objects]
        carried.append(replace(layer, objects=objects, about=replace(layer.about, version=target)))
    return carried


def _instant(time: str) -> datetime:
    try:
        return datetime.fromisoformat(time).astimezone(UTC)
    except ValueError as error:
        raise UsageError(
            f"snapshot.yaml: time {time!r} is no RFC 3339 time: write it like 2026-10-05T09:30:00Z"
        ) from error


def moved(obj: Object, by: timedelta) -> Object:
    """`obj` as it stands `by` later: lease renewals, node heartbeats and usage samples move, history does not."""
    if not by:
        return obj
    match obj.get("kind"):
        case "Lease":
            return {**obj, "spec": _with(obj.get("spec"), "renewTime", by)}
        case "Node":
            status = obj.get("status") or {}
            conditions = [_with(entry, "lastHeartbeatTime", by) for entry in status.get("conditions") or []]
            return {**obj, "status": {**status, "conditions": conditions}}
        case "PodMetrics" | "NodeMetrics":
            metadata = _with(obj.get("metadata"), "creationTimestamp", by)
            return {**obj, "metadata": metadata, "timestamp": _later(obj.get("timestamp"), by)}
        case _:
            return obj


def _with(fields: Any, key: str, by: timedelta) -> Any:
    return {**fields, key: _later(fields[key], by)} if isinstance(fields, dict) and key in fields else fields


def _later(stamp: Any, by: timedelta) -> Any:
    try:
        then = datetime.fromisoformat(str(stamp)).astimezone(UTC) + by
    except ValueError:
        return stamp
    # MicroTime keeps its six digits, Time has none
    text = then.isoformat(timespec="microseconds" if "." in str(stamp) else "seconds")
    return text.replace("+00:00", "Z")
