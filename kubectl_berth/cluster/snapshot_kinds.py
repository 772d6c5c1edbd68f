"""What a snapshot's API serves: built-in kinds, CustomResourceDefinitions, APIServices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from kubectl_berth.cluster.cluster import Kind
from kubectl_berth.cluster.kinds import METRICS_KINDS, builtin_kinds
from kubectl_berth.cluster.rules import Rule
from kubectl_berth.cluster.shape import mapping, mappings
from kubectl_berth.cluster.store import Resource, StaleGroup
from kubectl_berth.records import Object

_CRD_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")


def group_of(api_version: str) -> str:
    """ "apps" of "apps/v1", "" of "v1"."""
    return api_version.rpartition("/")[0]


def served_kinds(version: str, objects: Sequence[Object], rules: Sequence[Rule]) -> list[Kind]:
    """Discovery in the server's order: built-in kinds, custom groups by name, metrics; without what is not served.

    A kind that has objects but no definition is served all the same, under the plural it most likely has, so that a
    directory of plain manifests can be read whole.
    """
    builtin, custom = builtin_kinds(version), custom_kinds(objects)
    known = {(kind.group, kind.kind) for kind in (*builtin, *custom, *METRICS_KINDS)}
    kinds = [*builtin, *sorted((*custom, *_guessed_kinds(objects, known)), key=_order)]
    if _has_metrics(objects, rules):
        kinds.extend(METRICS_KINDS)
    down = {(stale.group, stale.version) for stale in stale_groups(objects, rules)}
    absent = [rule for rule in rules if rule.status == 404 and not rule.namespace]
    return [
        kind
        for kind in kinds
        if (kind.group, kind.version) not in down and not any(rule.covers(kind) for rule in absent)
    ]


def _has_metrics(objects: Iterable[Object], rules: Iterable[Rule]) -> bool:
    group = METRICS_KINDS[0].group
    forbidden = any(rule.is_group(group) and rule.status == 403 for rule in rules)
    return forbidden or any(group_of(obj["apiVersion"]) == group for obj in objects)


def stale_groups(objects: Iterable[Object], rules: Iterable[Rule]) -> list[StaleGroup]:
    """Group versions whose backend is down: by their APIService, or by a rule of the snapshot."""
    found: dict[StaleGroup, None] = {}
    versions: dict[str, list[str]] = {}
    for obj in objects:
        if obj["kind"] == "APIService":
            spec = mapping(obj, "spec")
            stale = StaleGroup(str(spec.get("group") or ""), str(spec.get("version") or ""))
            if stale.group and spec.get("service"):
                versions.setdefault(stale.group, []).append(stale.version)
                if _condition(obj, "Available") == "False":
                    found[stale] = None
        elif "/" in obj["apiVersion"]:
            group, _, version = obj["apiVersion"].rpartition("/")
            versions.setdefault(group, []).append(version)
    for rule in rules:
        if rule.status == 503 and not rule.namespace and "." in rule.resource and "/" not in rule.resource:
            usual = "v1beta1" if rule.resource == METRICS_KINDS[0].group else "v1"
            if rule.resource in versions or rule.resource.endswith(".k8s.io"):
                found.update(dict.fromkeys(StaleGroup(rule.resource, v) for v in versions.get(rule.resource, [usual])))
    return list(found)


def _condition(obj: Object, condition: str) -> str:
    for entry in mappings(obj, "status", "conditions"):
        if entry.get("type") == condition:
            return str(entry.get("status"))
    return ""


def custom_kinds(objects: Iterable[Object]) -> list[Kind]:
    """The kinds of the CustomResourceDefinitions among the objects: groups by name, preferred versions first."""
    kinds = [kind for obj in objects if obj["kind"] == "CustomResourceDefinition" for kind in _defined_kinds(obj)]
    seen: set[Resource] = set()
    ordered = []
    for kind in sorted(kinds, key=_order):
        ordered.append(replace(kind, preferred=(kind.group, kind.plural) not in seen))
        seen.add((kind.group, kind.plural))
    return ordered


def _order(kind: Kind) -> tuple[str, tuple[int, int, int], str]:
    return kind.group, version_rank(kind.version), kind.plural


def version_rank(version: str) -> tuple[int, int, int]:
    """Sorts versions as the server prefers them: stable before beta before alpha, newer before older."""
    found = re.fullmatch(r"v(\d+)(?:(alpha|beta)(\d+))?", version)
    if not found:
        return 3, 0, 0
    stage = {None: 0, "beta": 1, "alpha": 2}[found.group(2)]
    return stage, -int(found.group(1)), -int(found.group(3) or 0)


def _defined_kinds(definition: Object) -> list[Kind]:
    spec, names = mapping(definition, "spec"), mapping(definition, "spec", "names")
    if not names.get("kind") or not names.get("plural") or _condition(definition, "Established") == "False":
        return []
    return [
        Kind(
            str(spec.get("group") or ""),
            str(version.get("name")),
            str(names["kind"]),
            str(names["plural"]),
            spec.get("scope") != "Cluster",
            str(names.get("singular") or names["kind"].lower()),
            _words(names.get("shortNames")),
            _words(names.get("categories")),
            _CRD_VERBS,
        )
        for version in mappings(definition, "spec", "versions")
        if version.get("served", True)
    ]


def _words(given: object) -> tuple[str, ...]:
    return tuple(word for word in given if isinstance(word, str)) if isinstance(given, list) else ()


def selectable_fields(objects: Iterable[Object]) -> dict[Resource, tuple[str, ...]]:
    """The fields that CustomResourceDefinitions let a fieldSelector name."""
    found: dict[Resource, tuple[str, ...]] = {}
    for obj in objects:
        if obj["kind"] != "CustomResourceDefinition":
            continue
        paths = {
            str(entry.get("jsonPath") or "").lstrip(".")
            for version in mappings(obj, "spec", "versions")
            for entry in mappings(version, "selectableFields")
        }
        if paths:
            resource = str(mapping(obj, "spec").get("group")), str(mapping(obj, "spec", "names").get("plural"))
            found[resource] = tuple(sorted(paths))
    return found


def _guessed_kinds(objects: Iterable[Object], known: set[tuple[str, str]]) -> list[Kind]:
    """Kinds of objects that nothing defines, each under the first apiVersion seen."""
    found: dict[tuple[str, str], Kind] = {}
    for obj in objects:
        group, _, version = obj["apiVersion"].rpartition("/")
        identity = (group, obj["kind"])
        if identity in known or obj["kind"] == "Event":
            continue
        namespaced = bool(obj["metadata"].get("namespace"))
        kind = found.get(identity)
        if kind is None or (namespaced and not kind.namespaced):
            word = obj["kind"].lower()
            found[identity] = Kind(group, version, obj["kind"], plural(word), namespaced, word, verbs=_CRD_VERBS)
    return list(found.values())


def plural(singular: str) -> str:
    """The plural that Kubernetes guesses for a kind in lower case."""
    if singular.endswith("s"):
        return singular + "es"
    return singular[:-1] + "ies" if singular.endswith("y") else singular + "s"
