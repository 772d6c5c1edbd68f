"""Discovery of a served snapshot: the plain documents and the aggregated one."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from kubectl_berth.cluster.cluster import Kind
from kubectl_berth.cluster.failures import no_such_path
from kubectl_berth.cluster.kinds import minor, subresources
from kubectl_berth.cluster.shape import mappings
from kubectl_berth.cluster.store import Store

Document = dict[str, Any]


def version_document(version: str) -> Document:
    """What /version answers."""
    return {
        "major": "1",
        "minor": str(minor(version)),
        "gitVersion": version,
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "gc",
        "platform": "linux/amd64",
    }


def core_versions(address: str) -> Document:
    """What /api answers; `address` is host:port."""
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    }


def _versions(store: Store) -> dict[str, list[str]]:
    """Versions by group, both in order; groups whose backend is down stand among them."""
    found: dict[str, list[str]] = {}
    served = [(kind.group, kind.version) for kind in store.kinds]
    for group, version in (*served, *((stale.group, stale.version) for stale in store.stale)):
        versions = found.setdefault(group, [])
        if version not in versions:
            versions.append(version)
    found.pop("", None)
    return found


def _group(name: str, versions: list[str]) -> Document:
    entries = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": entries, "preferredVersion": entries[0]}


def group_list(store: Store) -> Document:
    """What /apis answers."""
    groups = [_group(name, versions) for name, versions in _versions(store).items()]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def group_document(store: Store, group: str) -> Document:
    """What /apis/<group> answers; ApiFailure 404 where there is no such group."""
    versions = _versions(store).get(group)
    if not versions:
        raise no_such_path()
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(group, versions)}


def resource_list(store: Store, group: str, version: str) -> Document:
    """What /api/v1 and /apis/<group>/<version> answer; ApiFailure 404 or 503 where nothing is there."""
    kinds = [kind for kind in store.kinds if (kind.group, kind.version) == (group, version)]
    if not kinds:
        raise store.missing_version(group, version)
    resources: list[Document] = []
    for kind in kinds:
        entry: Document = {
            "name": kind.plural,
            "singularName": kind.singular,
            "namespaced": kind.namespaced,
            "kind": kind.kind,
            "verbs": list(kind.verbs),
        }
        if kind.short_names:
            entry["shortNames"] = list(kind.short_names)
        if kind.categories:
            entry["categories"] = list(kind.categories)
        resources.append(entry)
        for name, verbs in _subresources(store, kind).items():
            part = {"name": f"{kind.plural}/{name}", "singularName": "", "namespaced": kind.namespaced}
            of = _subresource_kind(kind, name)
            place = {key: of[key] for key in ("group", "version") if of[key]} if of["kind"] != kind.kind else {}
            resources.append({**part, **place, "kind": of["kind"], "verbs": list(verbs)})
    document: Document = {"kind": "APIResourceList"}
    if group:
        document["apiVersion"] = "v1"
    return {**document, "groupVersion": f"{group}/{version}" if group else version, "resources": resources}


def aggregated(store: Store, version: str, *, core: bool) -> Document:
    """The APIGroupDiscoveryList of /api (`core`) or /apis, in `version` v2 or v2beta1."""
    stale = {} if core else {(entry.group, entry.version): entry for entry in store.stale}
    groups: list[Document] = []
    for name, found in groupby((kind for kind in store.kinds if (not kind.group) is core), lambda kind: kind.group):
        versions: list[Document] = [
            {"version": number, "resources": [_aggregated(store, kind) for kind in kinds], "freshness": "Current"}
            for number, kinds in groupby(found, lambda kind: kind.version)
        ]
        versions += [{"version": v, "freshness": "Stale"} for group, v in list(stale) if group == name]
        stale = {key: entry for key, entry in stale.items() if key[0] != name}
        groups.append({"metadata": {"name": name} if name else {}, "versions": versions})
    for group, number in stale:
        groups.append({"metadata": {"name": group}, "versions": [{"version": number, "freshness": "Stale"}]})
    api_version = f"apidiscovery.k8s.io/{version}"
    return {"kind": "APIGroupDiscoveryList", "apiVersion": api_version, "metadata": {}, "items": groups}


def _aggregated(store: Store, kind: Kind) -> Document:
    entry: Document = {
        "resource": kind.plural,
        "responseKind": _own_kind(kind),
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": kind.singular,
        "verbs": list(kind.verbs),
    }
    if kind.short_names:
        entry["shortNames"] = list(kind.short_names)
    if kind.categories:
        entry["categories"] = list(kind.categories)
    below = _subresources(store, kind)
    if below:
        entry["subresources"] = [
            {"subresource": name, "responseKind": _subresource_kind(kind, name), "verbs": list(verbs)}
            for name, verbs in below.items()
        ]
    return entry


_OWN_KINDS = {
    "attach": "PodAttachOptions",
    "binding": "Binding",
    "eviction": "policy/v1/Eviction",
    "exec": "PodExecOptions",
    "portforward": "PodPortForwardOptions",
    "scale": "autoscaling/v1/Scale",
    "token": "authentication.k8s.io/v1/TokenRequest",
}


def _own_kind(kind: Kind) -> Document:
    # only custom kinds name their group and version here
    named = (kind.group, kind.version) if not kind.builtin else ("", "")
    return {"group": named[0], "version": named[1], "kind": kind.kind}


def _subresource_kind(kind: Kind, name: str) -> Document:
    word = f"{kind.kind}ProxyOptions" if name == "proxy" else _OWN_KINDS.get(name, "")
    if not word:
        return _own_kind(kind)
    group, version, own = ["", "", *word.split("/")][-3:]
    return {"group": group, "version": version, "kind": own}


def _subresources(store: Store, kind: Kind) -> dict[str, tuple[str, ...]]:
    definition = None if kind.builtin else store.definition(kind)
    if not definition:
        return subresources(kind)
    for version in mappings(definition, "spec", "versions"):
        if version.get("name") == kind.version:
            return dict.fromkeys(version.get("subresources") or {}, ("get", "patch", "update"))
    return {}


def root_paths(store: Store) -> Document:
    """What / answers."""
    paths = ["/api", "/api/v1", "/apis"]
    for group, versions in sorted(_versions(store).items()):
        paths += [f"/apis/{group}", *(f"/apis/{group}/{version}" for version in versions)]
    return {"paths": [*paths, "/healthz", "/livez", "/readyz", "/version"]}
