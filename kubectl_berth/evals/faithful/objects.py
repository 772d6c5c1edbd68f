"""What belongs together: layers, uids, owners, namespaces, names, fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_berth.cluster.snapshot_files import read_layer
from kubectl_berth.evals.faithful.world import Rule, World, each, ident, owners
from kubectl_berth.records import Object

_TELLING = re.compile(r"broken|\bbad\b|faulty|oom|crash|wrong|unhealthy|missing|victim|\bfault|\boops\b")


def served(world: World) -> Iterator[str]:
    """Every object in the directories is served."""
    found = {(obj["apiVersion"], ident(obj)) for obj in world.all()}
    abouts = [read_layer(layer).about for layer in world.layers]
    removed = [rule for about in abouts for rule in about.removed]
    refused = next((about.unavailable for about in reversed(abouts) if about.unavailable is not None), ())
    absent = {rule.resource for rule in refused if rule.status == 404 and not rule.namespace}
    for layer in world.layers:
        for obj in read_layer(layer).objects:
            if obj["kind"] in ("Secret", "ConfigMap") or any(rule.means(obj) for rule in removed):
                continue
            hidden = (obj["kind"], obj["metadata"].get("namespace", "")) in world.hidden
            if hidden or obj["apiVersion"].rpartition("/")[0] in absent:
                continue
            if (obj["apiVersion"], ident(obj)) not in found:
                yield f"{ident(obj)}: is in a file and not served; is its CustomResourceDefinition there?"


def removals(world: World) -> Iterator[str]:
    """What a layer takes away was there."""
    below: list[Object] = []
    for layer in map(read_layer, world.layers):
        for rule in layer.about.removed:
            if not any(rule.means(obj) for obj in below):
                yield f"{rule}: is removed, and nothing below is called so"
        below.extend(layer.objects)


def uids(world: World) -> Iterator[str]:
    """Every object has a uid of its own."""
    counted = [obj for obj in world.all() if "Metrics" not in obj["kind"]]
    found = Counter(obj["metadata"].get("uid") for obj in counted)

    def judge(obj: Object) -> Iterator[str]:
        uid = obj["metadata"].get("uid")
        if not uid:
            yield "has no uid"
        elif found[uid] > 1:
            yield f"shares its uid {uid}"

    yield from each(counted, judge)


def owned(world: World) -> Iterator[str]:
    """Owners exist, with the uid, kind and name that their children say."""
    by_uid = world.by_uid()

    def judge(obj: Object) -> Iterator[str]:
        for ref in owners(obj):
            owner = by_uid.get(ref["uid"])
            if owner is None:
                yield f"its owner {ref['kind']} {ref['name']} with uid {ref['uid']} is not there"
                continue
            said = ref["kind"], ref["apiVersion"], ref["name"]
            if (owner["kind"], owner["apiVersion"], owner["metadata"]["name"]) != said:
                yield f"calls its owner {' '.join(said)}, and that uid is {ident(owner)}"
            if owner["metadata"].get("namespace") not in (None, obj["metadata"].get("namespace")):
                yield f"its owner {ident(owner)} is in another namespace"

    yield from each(world.all(), judge)


def homes(world: World) -> Iterator[str]:
    """Namespaces and service accounts exist."""
    namespaces = {obj["metadata"]["name"] for obj in world.kind("Namespace") if obj["metadata"].get("uid")}
    accounts = {(obj["metadata"]["namespace"], obj["metadata"]["name"]) for obj in world.kind("ServiceAccount")}

    def judge(obj: Object) -> Iterator[str]:
        namespace = obj["metadata"].get("namespace")
        if namespace not in (None, *namespaces):
            yield f"there is no namespace {namespace}"
        if obj["kind"] == "Pod":
            account = obj["spec"]["serviceAccountName"]
            if account != "default" and (namespace, account) not in accounts:
                yield f"there is no service account {account}"

    yield from each(world.all(), judge)


def names(world: World) -> Iterator[str]:
    """No name, label or annotation gives the answer away."""

    def judge(obj: Object) -> Iterator[str]:
        metadata = obj["metadata"]
        words = [metadata["name"], *(metadata.get("labels") or {}).values(), *(metadata.get("annotations") or {})]
        for word in words:
            if found := _TELLING.search(str(word).lower()):
                yield f'"{word}" gives the answer away ({found[0]})'

    yield from each(world.all(), judge)


def fields(world: World) -> Iterator[str]:
    """Every field is one that the Kubernetes API has."""

    def judge(obj: Object) -> Iterator[str]:
        if model := _model(obj):
            yield from (f"has no field {field}" for field in _unknown(obj, model, ""))

    yield from each(world.all(), judge)


def _unknown(value: Any, kind: str, where: str) -> Iterator[str]:
    """The fields that the API of this type does not have, by the Kubernetes client's models."""
    import kubernetes.client.models as models

    if value is None:
        return
    if match := re.fullmatch(r"List\[(.+)\]|Dict\[str, (.+)\]", kind):
        inner = match[1] or match[2]
        entries = enumerate(value) if isinstance(value, list) else value.items()
        for key, entry in entries:
            yield from _unknown(entry, inner, f"{where}.{key}")
        return
    model = getattr(models, kind, None)
    if model is None or not isinstance(value, dict):
        return
    attributes = {field: attribute for attribute, field in model.attribute_map.items()}
    for field, entry in value.items():
        if field not in attributes:
            yield f"{where}.{field}".lstrip(".")
        else:
            yield from _unknown(entry, model.openapi_types[attributes[field]], f"{where}.{field}")


def _model(obj: Object) -> str | None:
    """The client's model of a built-in kind."""
    import kubernetes.client.models as models

    group, _, version = obj["apiVersion"].rpartition("/")
    if obj["apiVersion"] == "v1" and obj["kind"] == "Event":
        return "CoreV1Event"
    name = f"{version[0].upper()}{version[1:]}{obj['kind']}"
    return name if hasattr(models, name) and ("." not in group or group.endswith(".k8s.io")) else None


RULES: Mapping[str, Rule] = {
    "served": served,
    "removals": removals,
    "uids": uids,
    "owners": owned,
    "homes": homes,
    "names": names,
    "fields": fields,
}
