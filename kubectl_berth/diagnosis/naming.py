"""Which objects a custom resource names: by kind and name, by the field that names it, by the labels on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kubectl_berth.cluster.names import near_names
from kubectl_berth.cluster.views import CustomResource, Identified
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.records import Ref

DEEPEST = 6
WIDEST = 200
"""Entries of one list that are looked at."""

_REF = re.compile(r"^(\w*?)(?:Refs?|References?)$")
_NAME = re.compile(r"^(\w+)Name$")


@dataclass(frozen=True)
class Named:
    """One place where an object names another.

    `kind` is "" where the place gives none: then `stem` says what the field is about ("authentication" of
    authenticationRef). `namespace` is "" where none is given. A `loose` field may hold something else than a name.
    """

    where: str
    name: str
    kind: str = ""
    namespace: str = ""
    stem: str = ""
    loose: bool = False


def named_in(value: Any, where: str, own: str = "", depth: int = 0) -> Iterator[Named]:
    """Every place in a spec or status that names an object; `own` is the kind of the object itself."""
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        for index, inner in enumerate(value[:WIDEST]):
            yield from named_in(inner, f"{where}[{index}]", own, depth + 1)
    if not isinstance(value, dict):
        return
    kind, name = value.get("kind"), value.get("name")
    if isinstance(kind, str) and isinstance(name, str) and FIELD.fullmatch(kind) and _OBJECT.fullmatch(name):
        yield Named(where, name, kind, _text(value, "namespace"))
    for key, inner in value.items():
        if is_field(key):
            yield from _by_field(key, inner, f"{where}.{key}", own)
            yield from named_in(inner, f"{where}.{key}", own, depth + 1)


def _by_field(key: str, value: Any, where: str, own: str) -> Iterator[Named]:
    """What a field named for it names: "issuerRef: {name: ca}", "clusterName: main", "dependsOn: [{name: infra}]"."""
    match = _REF.match(key)
    named = _NAME.match(key)
    stem = match[1] if match else named[1] if named else own if key == "dependsOn" else key
    refers = match is not None or key == "dependsOn"
    if not stem or key in _NO_FIELDS:
        return
    entries = list(enumerate(value[:WIDEST])) if isinstance(value, list) and refers else [(-1, value)]
    for index, entry in entries:
        at = where if index < 0 else f"{where}[{index}]"
        if isinstance(entry, str) and _OBJECT.fullmatch(entry):
            yield Named(at, entry, stem=stem, loose=not refers)
        elif isinstance(entry, dict) and _OBJECT.fullmatch(_text(entry, "name")) and not _text(entry, "kind"):
            yield Named(at, _text(entry, "name"), "", _text(entry, "namespace"), stem, not refers)


_NO_FIELDS = frozenset({"name", "namespace", "kind", "apiVersion", "metadata", "type", "labels", "annotations"})
_OBJECT = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?")


FIELD = re.compile(r"[A-Za-z][\w./-]{0,62}")


def is_field(key: object) -> bool:
    """True for a key that may be a field's name: any other text in its place is not repeated."""
    return isinstance(key, str) and FIELD.fullmatch(key) is not None


def _text(value: Mapping[Any, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def domain(group: str) -> str:
    """The last two parts of an API group: what one project's groups share."""
    return ".".join(group.rpartition("/")[0].split(".")[-2:]) if "/" in group else ".".join(group.split(".")[-2:])


def with_api(inventory: Inventory, ref: Ref) -> str:
    """A reference, for a custom resource with its API version: who reads it must name that."""
    view = inventory.find(ref)
    return f"{ref} ({view.api_version})" if isinstance(view, CustomResource) else str(ref)


def meant(inventory: Inventory, view: CustomResource, place: Named) -> Identified | None:
    """The object that a place of a custom resource names, or None where there is none."""
    spaces = dict.fromkeys((place.namespace or view.namespace, ""))
    kinds = [place.kind] if place.kind else [*_kinds(inventory, view, place.stem), *_builtin(place.stem)]
    found = (inventory.find(Ref(kind, space, place.name)) for kind in kinds for space in spaces)
    return next((one for one in found if one is not None and one.ref != view.ref), None)


def _kinds(inventory: Inventory, view: CustomResource, stem: str) -> list[str]:
    """The custom kinds of the same project that a field may be about: "authentication" -> TriggerAuthentication."""
    word, project = stem.lower(), domain(view.api_version)
    known = inventory.once(_known)
    if (project, word) not in known:
        mine = inventory.once(_by_domain).get(project, []) if len(word) > 3 else []
        known[project, word] = [
            kind for kind in mine if kind.lower().endswith(word) or (len(kind) > 3 and word.endswith(kind.lower()))
        ]
    return known[project, word]


def _known(inventory: Inventory) -> dict[tuple[str, str], list[str]]:
    """What was worked out before of a project and a word: every object of a kind has the same fields."""
    return {}


def _by_domain(inventory: Inventory) -> dict[str, list[str]]:
    """The custom kinds of each project."""
    kinds: dict[str, dict[str, None]] = {}
    for one in inventory.definitions:
        kinds.setdefault(domain(one.spec.group), {})[one.spec.names.kind] = None
    for resource in inventory.custom:
        kinds.setdefault(domain(resource.api_version), {})[resource.kind] = None
    return {key: list(found) for key, found in kinds.items()}


_BUILTIN = {
    kind.lower(): kind for kind in ("Service", "Deployment", "StatefulSet", "Job", "Ingress", "PersistentVolumeClaim")
}


def _builtin(stem: str) -> list[str]:
    return [_BUILTIN[stem.lower()]] if stem.lower() in _BUILTIN else []


def referred(inventory: Inventory, view: CustomResource) -> list[Identified]:
    """The objects that a custom resource's spec, status and labels name and that exist."""
    found: dict[Ref, Identified] = {}
    for part, where in ((view.spec, "spec"), (view.status, "status")):
        for place in named_in(part, where, view.kind):
            there = meant(inventory, view, place)
            if there is not None:
                found.setdefault(there.ref, there)
    above = inventory.owners(view)
    for there in managers(inventory, view):
        if there.ref not in above:  # the label of what made it says nothing that it needs
            found.setdefault(there.ref, there)
    return list(found.values())


def managers(inventory: Inventory, view: Identified) -> list[CustomResource]:
    """The custom resources that an object's labels and annotations name as what it belongs to.

    A key counts where its domain is that of the named object's API group ("helm.example.io/name: web"); a namespace
    is taken from the key beside it, else the object's own or the only one there is.
    """
    marks = {**view.metadata.annotations, **view.metadata.labels}
    found: dict[Ref, CustomResource] = {}
    for key, value in marks.items():
        prefix, slash, _ = key.rpartition("/")
        if not slash or not value or prefix.endswith("kubernetes.io") or len(value) > 300:
            continue
        spaces = {marks.get(f"{prefix}/namespace", "")} - {""}
        for one in inventory.once(_by_name).get(value.partition(":")[0], []):
            group = one.api_version.rpartition("/")[0]
            if group != prefix and not group.endswith(f".{prefix}") and not prefix.endswith(f".{group}"):
                continue
            if one.ref != view.ref and one.namespace in (spaces or {"", view.namespace, _only(inventory, one)}):
                found[one.ref] = one
    return list(found.values())


def _by_name(inventory: Inventory) -> dict[str, list[CustomResource]]:
    names: dict[str, list[CustomResource]] = {}
    for one in inventory.custom:
        names.setdefault(one.name, []).append(one)
    return names


def _only(inventory: Inventory, one: CustomResource) -> str:
    """Its namespace where no other object of its kind bears its name; "" otherwise."""
    mates = [other for other in inventory.once(_by_name)[one.name] if other.kind == one.kind]
    return one.namespace if len(mates) == 1 else ""


def missing_references(inventory: Inventory, view: CustomResource) -> list[str]:
    """A sentence for each custom object that the spec names and that does not exist, with what there is instead."""
    if "custom" in inventory.unread:
        return []
    known = {definition.spec.names.kind for definition in inventory.definitions}
    lines: list[str] = []
    for place in named_in(view.spec, "spec", view.kind):
        if not inventory.covers(place.namespace or view.namespace) or meant(inventory, view, place) is not None:
            continue
        kinds = [place.kind] if place.kind else _referenced(inventory, view, place)
        if kinds and set(kinds) <= known and not (place.kind == view.kind and place.name == view.name):
            there = near(inventory, place.name, kinds, view)
            lines.append(f"spec names {' or '.join(kinds)} {place.name}, which does not exist{there}")
    return list(dict.fromkeys(lines))


def _referenced(inventory: Inventory, view: CustomResource, place: Named) -> list[str]:
    """The kinds of a reference that gives none; [] for a plain name, which may stand for anything."""
    if place.loose or _builtin(place.stem):
        return []
    kinds = _kinds(inventory, view, place.stem)
    return [kind for kind in kinds if kind.lower().endswith(place.stem.lower())]


def near(inventory: Inventory, name: str, kinds: Sequence[str], view: Identified) -> str:
    """What there is instead of an object that another one names in vain: "; there is rabbitmq-auth", else ""."""
    namespace = view.namespace
    within = [one for one in inventory.everything if one.kind in kinds and one.ref != view.ref]
    here = {one.name for one in within if one.namespace in ("", namespace)}
    names = near_names(name, here, limit=3) or (sorted(here) if len(here) == 1 else [])
    if names:
        return f"; there is {listed(names)}"
    spaces = sorted({one.namespace for one in within if one.name == name} - {namespace})
    return f"; there is one in namespace {listed(spaces)}" if spaces else ""
