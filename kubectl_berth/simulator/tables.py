"""Tables: the rows that `kubectl get` shows."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from kubectl_berth.cluster.cluster import Kind
from kubectl_berth.cluster.shape import mapping, mappings
from kubectl_berth.cluster.store import Store
from kubectl_berth.cluster.views.base import age
from kubectl_berth.records import Object
from kubectl_berth.simulator.columns import Column, created, name
from kubectl_berth.simulator.columns_of_kinds import COLUMNS


def table(store: Store, kind: Kind, items: list[Object], metadata: dict[str, Any], include: str = "") -> dict[str, Any]:
    """The meta.k8s.io/v1 Table of the items. `include`: what stands beside a row: None, Metadata ("") or Object."""
    columns = _columns(store, kind)
    rows = []
    for item in items:
        row: dict[str, Any] = {"cells": [_shown(column, item, store.now) for column in columns]}
        row["object"] = _beside(kind, item, include)
        rows.append(row)
    definitions = [
        {"name": column.name, "type": column.type, "format": column.format, "description": "", "priority": column.wide}
        for column in columns
    ]
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": definitions,
        "rows": rows,
    }


def _shown(column: Column, item: Object, now: datetime) -> Any:
    try:
        return column.cell(item, now)
    except (AttributeError, KeyError, TypeError, ValueError):
        # a field of another shape than Kubernetes writes
        return "<invalid>"


def _beside(kind: Kind, item: Object, include: str) -> Object | None:
    if include == "None":
        return None
    if include == "Object":
        return {"apiVersion": kind.api_version, "kind": kind.kind, **item}
    partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
    return {**partial, "metadata": item.get("metadata") or {}}


def _columns(store: Store, kind: Kind) -> tuple[Column, ...]:
    known = COLUMNS.get((kind.group, kind.plural))
    if known:
        return known
    definition = None if kind.builtin else store.definition(kind)
    for version in mappings(definition, "spec", "versions"):
        if version.get("name") == kind.version:
            printed = mappings(version, "additionalPrinterColumns")
            if printed:
                return (Column("Name", name, format="name"), *map(_custom, printed))
            return (Column("Name", name, format="name"), Column("Age", created, type="date"))
    return (
        Column("Name", name, format="name"),
        Column("Created At", lambda obj, now: mapping(obj, "metadata").get("creationTimestamp"), type="date"),
    )


def _custom(column: dict[str, Any]) -> Column:
    path, kind = str(column.get("jsonPath") or ""), str(column.get("type") or "string")

    def cell(obj: Object, now: datetime) -> Any:
        found = _at(obj, path)
        if found is None:
            return None
        if kind == "date":
            return age(now, str(found))
        if kind in ("integer", "number", "boolean"):
            return found
        return str(found).lower() if isinstance(found, bool) else str(found)

    return Column(str(column.get("name")), cell, int(column.get("priority") or 0), kind)


_STEP = re.compile(r"\.((?:\\\.|[\w/-])+)|\[(\d+|\*)\]|\[\?\(@\.([\w.]+)\s*==\s*[\"']([^\"']*)[\"']\)\]")


def _at(obj: Any, path: str) -> Any:
    """What a printer column's JSON path finds first: fields, [n], [*] and [?(@.type=="Ready")]."""
    found = [obj]
    for step in _STEP.finditer(path):
        field, index, key, wanted = step.groups()
        if field:
            field = field.replace("\\.", ".")
            found = [one[field] for one in found if isinstance(one, dict) and field in one]
            continue
        entries = [entry for one in found if isinstance(one, list) for entry in one]
        if key:
            found = [one for one in entries if isinstance(one, dict) and str(one.get(key)) == wanted]
        else:
            found = entries if index == "*" else entries[int(index) : int(index) + 1]
    return found[0] if found else None
