"""What a column of a Table is, and the cells that many kinds share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kubectl_berth.cluster.shape import mappings
from kubectl_berth.cluster.views.base import age
from kubectl_berth.records import Object

Cell = Callable[[Object, datetime], Any]

NONE = "<none>"


@dataclass(frozen=True)
class Column:
    """One column. `wide` 1 shows only with -o wide."""

    name: str
    cell: Cell
    wide: int = 0
    type: str = "string"
    format: str = ""


def at(obj: Any, path: str, default: Any = None) -> Any:
    """The value at a dotted path of fields; `default` where it is missing or null."""
    for field in path.split("."):
        obj = obj.get(field) if isinstance(obj, dict) else None
    return default if obj is None else obj


def field(path: str, default: Any = "") -> Cell:
    """A cell that shows one field."""
    return lambda obj, now: at(obj, path, default)


def name(obj: Object, now: datetime) -> str:
    """metadata.name"""
    return str(at(obj, "metadata.name", ""))


def created(obj: Object, now: datetime) -> str:
    """The object's age."""
    return age(now, at(obj, "metadata.creationTimestamp"))


def comma(values: Iterable[Any], empty: str = NONE) -> str:
    """Values with commas between them."""
    return ",".join(str(value) for value in values) or empty


def containers(path: str, of: str) -> Cell:
    """Names or images of the containers in the pod spec at `path`."""
    return lambda obj, now: comma((entry.get(of, "") for entry in at(obj, f"{path}.containers", [])), "")


def selector(path: str) -> Cell:
    """A label selector, as a plain mapping or with matchLabels and matchExpressions."""
    return lambda obj, now: selector_text(at(obj, path, {}))


def selector_text(given: dict[str, Any]) -> str:
    """ "app=web,tier in (a,b)"; <none> for the empty one."""
    labels = given if not {"matchLabels", "matchExpressions"} & set(given) else given.get("matchLabels") or {}
    parts = [f"{key}={value}" for key, value in sorted(labels.items())]
    for entry in given.get("matchExpressions") or []:
        operator, values = entry.get("operator"), ",".join(sorted(entry.get("values") or []))
        key = entry.get("key", "")
        words = {"In": f"{key} in ({values})", "NotIn": f"{key} notin ({values})", "Exists": key}
        parts.append(words.get(operator, f"!{key}"))
    return comma(parts)


def condition(obj: Object, kind: str) -> dict[str, Any]:
    """The object's condition of that type; {} where it has none."""
    found = [entry for entry in mappings(obj, "status", "conditions") if entry.get("type") == kind]
    return found[0] if found else {}


def columns(*given: Column) -> tuple[Column, ...]:
    """The columns after the name, with it before them."""
    return (Column("Name", name, format="name"), *given)
