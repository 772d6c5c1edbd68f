"""Words about where a tool looked: namespaces that do not exist, reads that failed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kubectl_berth.cluster.cluster import BUILTIN_GROUPS
from kubectl_berth.cluster.names import near_names, ref_of
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.records import Gap
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import clip, listed
from kubectl_berth.tools.tool import ToolError


def known_namespace(context: Context, namespace: str | None) -> None:
    """Raises ToolError with the nearest names where the namespace certainly does not exist."""
    if not namespace:
        return
    found, gaps = context.objects("Namespace")
    names = sorted(ref_of(each).name for each in found)
    # a snapshot of a few objects may hold no Namespace at all; then the names prove nothing
    if not names or gaps or namespace in names:
        return
    close = near_names(namespace, names)
    if close:
        raise ToolError(f"There is no namespace {namespace}. Nearest: {listed(close)}.")
    raise ToolError(f"There is no namespace {namespace}. Namespaces: {listed(names, 30)}.")


def nothing_read(what: str, gaps: Sequence[Gap]) -> ToolError:
    """The error where nothing at all could be read."""
    gap = gaps[0]
    return ToolError(
        f"{what} could not be read ({gap.why}): {clip(gap.detail, 300)}. Say that this was not checked; it proves "
        "neither health nor absence.",
        gaps,
    )


def unread(gaps: Sequence[Gap]) -> str:
    """A last line that names what could not be read, or ""."""
    if not gaps:
        return ""
    return "\nNot read: " + listed([f"{gap.what} ({gap.why})" for gap in gaps], 12)


def narrowed(context: Context, what: str) -> list[str]:
    """A line that says what a run in one namespace does not see; [] where all were read."""
    if context.scope is None:
        return []
    return [f"Only namespace {context.scope} was read (-n): {what}"]


def gaps_about(inventory: Inventory, resources: Collection[str], *, custom: bool = False) -> list[Gap]:
    """The gaps of these resources ("pods", "deployments.apps"), and with `custom` those of custom kinds."""
    found = []
    for gap in inventory.gaps:
        resource = gap.what.split(" ", 1)[0].split("/", 1)[0]
        group = resource.partition(".")[2]
        other = "custom kinds" in gap.what or ("." in group and group not in BUILTIN_GROUPS)
        if resource in resources or (custom and other):
            found.append(gap)
    return found
