"""Whether the namespace that a run was narrowed to is there at all."""

from __future__ import annotations

from collections.abc import Collection

from kubectl_berth.cluster.names import near_names
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.errors import NotTaken, UsageError
from kubectl_berth.records import Gap

MOST = 5
"""Namespaces that are named, the nearest first."""


def require_namespace(inventory: Inventory, namespace: str | None) -> None:
    """Raises UsageError, with the nearest names, for a namespace that is not among those listed."""
    if namespace is None or "namespaces" in inventory.unread:
        return
    require_among(namespace, {one.name for one in inventory.namespaces})


def require_among(namespace: str, names: Collection[str]) -> None:
    """Raises UsageError, with the nearest names, where there are namespaces and this is none of them."""
    if names and namespace not in names:
        named = near_names(namespace, names)[:MOST] or sorted(names)[:MOST]
        more = f" and {len(names) - len(named)} more" if len(names) > len(named) else ""
        raise UsageError(f"there is no namespace {namespace}; there are: {', '.join(named)}{more}")


def wider(inventory: Inventory) -> str:
    """What to do where the one namespace that was read is not all that is asked about."""
    if any(gap.why == NotTaken.why for gap in inventory.gaps):
        return "take a snapshot without `-n`"
    return f"ask again without `-n {inventory.namespace}`"


def unproven(inventory: Inventory, namespace: str | None) -> tuple[Gap, ...]:
    """A gap where namespaces may not be read and nothing was seen in this one: it may not be there at all."""
    if namespace is None or "namespaces" not in inventory.unread:
        return ()
    seen = any(view.namespace == namespace for view in (*inventory.everything, *inventory.events))
    if seen or any(one.name == namespace for one in inventory.namespaces):
        return ()
    words = "namespaces could not be read and nothing was seen in it: it may not exist"
    return (Gap(f"namespace {namespace}", "unknown", words),)
