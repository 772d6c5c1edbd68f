"""Reading objects whose shape nobody vouches for: what is not the expected mapping or list reads as an empty one."""

from __future__ import annotations

from typing import Any


def mapping(obj: Any, *path: str) -> dict[str, Any]:
    """The mapping at the end of a path of fields, {} where something else or nothing is there."""
    for field in path:
        obj = obj.get(field) if isinstance(obj, dict) else None
    return obj if isinstance(obj, dict) else {}


def mappings(obj: Any, *path: str) -> list[dict[str, Any]]:
    """The mappings in the list at the end of a path of fields; [] where there is no list."""
    found = mapping(obj, *path[:-1]).get(path[-1]) if path else obj
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
