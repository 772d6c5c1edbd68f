"""What hangs on a custom resource, and which custom resource a generated object and its values come from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import replace
from datetime import datetime
from typing import Any

from kubectl_berth.cluster.views import CustomResource, Identified, Workload, age, parse_time
from kubectl_berth.diagnosis.health import PRIMARY, conditions, named, text_is_bad
from kubectl_berth.diagnosis.naming import DEEPEST, WIDEST, is_field, managers, meant, named_in, referred
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.polarity import good_condition
from kubectl_berth.diagnosis.say import clip, listed
from kubectl_berth.records import Finding, Ref

MOST = 50
"""Objects that are told to hang on one custom resource."""


def hanging_on(inventory: Inventory, view: CustomResource) -> list[Ref]:
    """The custom resources that name this one, what they and it manage by label, the workloads that its status lists.

    None where pods of its own run: then it is no source of others but a service, and its pods say how that is.
    """
    if inventory.pods_of(view.ref):
        return []
    found: dict[Ref, None] = {}
    layer = [view.ref]
    for _ in range(3):
        nearer = [one for above in layer for one in inventory.once(_hanging).get(above, []) if one not in found]
        found.update(dict.fromkeys(one for one in nearer if one != view.ref))
        layer = nearer
    found.update(dict.fromkeys(one.ref for one in _delivered(inventory, view)))
    return list(found)[:MOST]


def _hanging(inventory: Inventory) -> dict[Ref, list[Ref]]:
    """For each custom resource those that name it or bear its label."""
    above: dict[Ref, dict[Ref, None]] = {}
    names = {one.name for one in inventory.custom}
    for one in inventory.custom:
        for place in named_in(one.spec, "spec", one.kind) if _mentions(one.spec, names) else ():
            there = meant(inventory, one, place)
            if isinstance(there, CustomResource):
                above.setdefault(there.ref, {})[one.ref] = None
    for view in (*inventory.custom, *inventory.workloads, *inventory.cron_jobs):
        for manager in managers(inventory, view):
            above.setdefault(manager.ref, {})[view.ref] = None
    return {ref: list(refs) for ref, refs in above.items()}


def _mentions(value: Any, names: Set[str], depth: int = 0) -> bool:
    """True where some text of a spec is one of the names: a quick look before the close one."""
    if isinstance(value, str):
        return value in names
    inner = value.values() if isinstance(value, dict) else value[:WIDEST] if isinstance(value, list) else ()
    return depth <= DEEPEST and any(_mentions(one, names, depth + 1) for one in inner)


def _delivered(inventory: Inventory, view: CustomResource) -> list[Workload]:
    """The workloads that a status lists as what the object puts into the cluster, but those it calls up to date."""
    entries = [one for _, listed_there in named(view.status) if isinstance(listed_there, list) for one in listed_there]
    behind = [one for one in entries if not (isinstance(one, dict) and _is_fine(one.get("status")))]
    places = (place for place in named_in(behind, "status") if place.kind)
    there = (meant(inventory, view, place) for place in places)
    return [one for one in there if isinstance(one, Workload) and not one.metadata.owner_references]


def _is_fine(text: object) -> bool:
    return isinstance(text, str) and bool(text) and not text_is_bad(text)


def held_back(inventory: Inventory, refs: list[Ref]) -> str:
    """That what hangs on an object and is well itself gets nothing new: it looks healthy and is old; "" without any."""
    well = [ref for ref in refs if _well(inventory.find(ref))]
    first = sorted(well, key=lambda ref: not isinstance(inventory.find(ref), Workload))
    return (
        f"so {listed(list(map(str, first)), 2)} {'gets' if len(well) == 1 else 'get'} nothing new from it"
        if well
        else ""
    )


def _well(view: Identified | None) -> bool:
    if isinstance(view, Workload):
        return view.ready > 0
    said = conditions(view.status) if isinstance(view, CustomResource) else []
    return any(PRIMARY.search(one.type) and good_condition(one.type, one.status) for one in said)


def runs_on(inventory: Inventory, refs: list[Ref]) -> str:
    """That the workloads among what hangs on an object run on as they are; "" where none does."""
    workloads = [one for ref in refs if isinstance(one := inventory.find(ref), Workload)]
    well = [f"{one.ref} ({one.ready} of {one.desired} ready)" for one in workloads if one.desired and one.ready]
    return f"what it delivers runs on in the version it has: {listed(well, 4)}" if well else ""


def last_good(value: Any, now: datetime, where: str = "status", depth: int = 0) -> str:
    """When a status says that its object last succeeded, with the revision it holds; "" where it does not say."""
    for key, inner in named(value):
        time = inner if isinstance(inner, str) and parse_time(inner) is not None else ""
        fetched = key == "lastUpdateTime" and any(beside == "revision" for beside, _ in named(value))
        if time and (fetched or _SUCCESS.match(key)):
            revision = next(
                (text for beside, text in named(value) if beside == "revision" and isinstance(text, str)), ""
            )
            return f"{where}.{key}: {age(now, time)} ago" + (f", revision {clip(revision, 80)}" if revision else "")
    for key, inner in named(value) if depth < 2 else ():
        if isinstance(inner, dict) and (told := last_good(inner, now, f"{where}.{key}", depth + 1)):
            return told
    return ""


_SUCCESS = re.compile(r"^last(?:Success\w*|Synced?\w*|Applied\w*)(?:Time|Timestamp|At)$|^(?:refreshTime|syncedAt)$")


# --- where a value comes from -----------------------------------------------------------------------------------------


def told_maker(finding: Finding, inventory: Inventory) -> Finding:
    """The finding, where a custom resource made its subject, with that and with where to change the value at fault."""
    view = inventory.find(finding.subject)
    if view is None or finding.subject.kind == "Pod" or isinstance(view, CustomResource) or not finding.cause:
        return finding
    made = next((ref for ref in inventory.owners(view) if isinstance(inventory.find(ref), CustomResource)), None)
    if made is None:
        return finding
    evidence = (*finding.evidence, f"made by {made}: what is changed on it by hand is set back")
    fields = (_FIELD.fullmatch(line) for line in finding.evidence)
    where = next((told for one in fields if one and (told := _origin(inventory, view, one[1], one[2]))), "")
    if where and finding.remedy:
        return replace(finding, evidence=evidence, remedy=f"{finding.remedy}: {where}, which {made} takes it from")
    return replace(finding, evidence=evidence)


_FIELD = re.compile(r"spec\.(?:[\w\[\]]+\.)*(\w+): (\S+)")


def _origin(inventory: Inventory, view: Identified, field: str, value: str) -> str:
    """The field of what the makers of an object name, else of a maker, that holds a value of it; "" without one."""
    made = [one for ref in inventory.owners(view) if isinstance(one := inventory.find(ref), CustomResource)]
    layers = [*(there for one in made for there in referred(inventory, one)), *made]
    for layer in layers:
        where = next(_holding(layer.spec, field, value, "spec"), None) if isinstance(layer, CustomResource) else None
        if where is not None:
            return f"{where} of {layer.ref}"
    return ""


def _holding(value: Any, field: str, text: str, where: str, depth: int = 0) -> Iterator[str]:
    """The paths of a field of that name with that text."""
    if depth > DEEPEST + 2:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if not is_field(key):
                continue
            if key == field and inner == text:
                yield f"{where}.{key}"
            yield from _holding(inner, field, text, f"{where}.{key}", depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value[:WIDEST]):
            yield from _holding(inner, field, text, f"{where}[{index}]", depth + 1)
