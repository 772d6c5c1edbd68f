"""Every name in the cluster that a question may mean, with what is known about its bearer from one listing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kubectl_berth.cluster.cluster import BUILTIN_GROUPS, Cluster, Discovery
from kubectl_berth.cluster.names import (
    owners_of,
    pod_families,
    ref_of,
    search,
    searchable_kinds,
    stems,
)
from kubectl_berth.question.words import fits_concept
from kubectl_berth.records import Gap, Object, Ref

# who is asked about when several objects share one name; what is not here comes last
_RANK = {
    "Deployment": 1, "StatefulSet": 1, "DaemonSet": 1, "CronJob": 1, "Job": 2, "Node": 2, "Pod": 3, "Service": 4,
    "Ingress": 5, "PersistentVolumeClaim": 5, "HorizontalPodAutoscaler": 6, "PodDisruptionBudget": 6,
    "ResourceQuota": 6, "NetworkPolicy": 7, "ReplicaSet": 7, "Namespace": 7, "PersistentVolume": 7,
}  # fmt: skip
_CUSTOM_RANK = 2
LAST_RANK = 8
"""The rank of kinds that nobody asks about where another bears the name."""


@dataclass(frozen=True)
class Entry:
    """One object. `families` are the workload names a pod goes by; `owner` is its controller, "" its kind's group.

    `hosts` are those whose requests it takes, `labels` what its labels say that it is.
    """

    ref: Ref
    api_version: str
    owner: Ref | None = None
    families: frozenset[str] = frozenset()
    images: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    hosts: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """The API group, "" for core."""
        return self.api_version.rpartition("/")[0]

    @property
    def custom(self) -> bool:
        """True for objects of an operator's group."""
        return "." in self.group and self.group not in BUILTIN_GROUPS

    @property
    def rank(self) -> int:
        """Which of several bearers of a name is asked about; the lowest first."""
        return _CUSTOM_RANK if self.custom else _RANK.get(self.ref.kind, LAST_RANK)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The name without its generated ends, in lower case."""
        return frozenset(stems(self.ref.name.lower()))

    @cached_property
    def parts(self) -> frozenset[str]:
        """The pieces of the name between dashes and dots."""
        return frozenset(re.split(r"[-.]", self.ref.name))

    def answers_for(self, host: str) -> bool:
        """True where the object takes the requests to that host, by its name or by a wildcard."""
        return host in self.hosts or f"*.{host.partition('.')[2]}" in self.hosts

    def fits(self, concept: str) -> bool:
        """True where group, kind, categories, name or images are called like the concept."""
        return fits_concept(concept, " ".join((self.group, *self.categories, _spaced(self.ref.kind)))) or fits_concept(
            concept, " ".join((self.ref.name, *(_image_name(image) for image in self.images), *self.labels))
        )

    @cached_property
    def called(self) -> str:
        """Group, kind, name, images and labels in lower case, pieces apart: where a product's name is looked for."""
        images = (_image_name(image) for image in self.images)
        told = (self.group, *self.categories, _spaced(self.ref.kind), self.ref.name, *images, *self.labels)
        return re.sub(r"[-_./:@]+", " ", " ".join(told).lower())

    @cached_property
    def software(self) -> frozenset[str]:
        """The last part of each image's path, and what the labels call it, in lower case."""
        images = (_image_name(image).rpartition(" ")[2] for image in self.images)
        return frozenset(one.lower() for one in (*images, *self.labels))


@dataclass(frozen=True)
class Catalogue:
    """All entries, the namespaces and what could not be listed."""

    entries: tuple[Entry, ...]
    namespaces: frozenset[str]
    by_name: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()

    def root(self, ref: Ref) -> Ref:
        """The topmost owner that is in the catalogue; the object itself where it has none."""
        owners = {entry.ref: entry.owner for entry in self.by_name.get(ref.name, ())}
        for _ in range(8):
            owner = owners.get(ref)
            if owner is None:
                return ref
            found = {entry.ref: entry.owner for entry in self.by_name.get(owner.name, ())}
            if owner not in found:
                return ref
            ref, owners = owner, found
        return ref

    def custom_api(self, ref: Ref) -> str | None:
        """The apiVersion of an operator's object; None for built-in kinds."""
        return next((e.api_version for e in self.by_name.get(ref.name, ()) if e.ref == ref and e.custom), None)


def catalogue(objects: Iterable[Object], discovery: Discovery, gaps: Iterable[Gap] = ()) -> Catalogue:
    """A catalogue of objects that were read already."""
    categories = {(kind.group, kind.kind): kind.categories for kind in discovery.kinds}
    entries = sorted((_entry(thing, categories) for thing in objects), key=lambda e: (e.rank, e.ref))
    by_name: dict[str, list[Entry]] = {}
    for entry in entries:
        by_name.setdefault(entry.ref.name.lower(), []).append(entry)
    spaces = {entry.ref.namespace for entry in entries if entry.ref.namespace}
    spaces |= {entry.ref.name for entry in entries if entry.ref.kind == "Namespace" and not entry.group}
    return Catalogue(
        tuple(entries), frozenset(spaces), {name: tuple(found) for name, found in by_name.items()}, tuple(gaps)
    )


def read_catalogue(cluster: Cluster, namespace: str | None = None) -> Catalogue:
    """A catalogue from one listing of every kind but Secrets, ConfigMaps and bookkeeping; failures are gaps."""
    discovery = cluster.kinds()
    hits, gaps = search(cluster, searchable_kinds(discovery), lambda name: True, namespace)
    return catalogue((thing for _, thing in hits), discovery, [*discovery.gaps, *gaps])


def _entry(thing: Object, categories: Mapping[tuple[str, str], tuple[str, ...]]) -> Entry:
    ref = ref_of(thing)
    api_version = str(thing.get("apiVersion") or "")
    owners = owners_of(thing)
    owner = (
        Ref(str(owners[0].get("kind") or ""), ref.namespace, str(owners[0].get("name") or ""))
        if owners and owners[0].get("controller")
        else None
    )
    is_pod = ref.kind == "Pod" and api_version == "v1"
    return Entry(
        ref,
        api_version,
        owner,
        frozenset(pod_families(thing)) if is_pod else frozenset(),
        _images(thing),
        categories.get((api_version.rpartition("/")[0], ref.kind), ()),
        frozenset(_hosts(thing)),
        tuple(_labels(thing)),
    )


_SAYS_WHAT = ("app.kubernetes.io/name", "app", "k8s-app", "helm.sh/chart", "chart")


def _labels(thing: Object) -> Iterator[str]:
    """What the labels call the software; a chart without its version."""
    metadata = thing.get("metadata")
    labels: Any = metadata.get("labels") if isinstance(metadata, dict) else None
    for key in _SAYS_WHAT:
        value = labels.get(key) if isinstance(labels, dict) else None
        if isinstance(value, str) and value:
            yield re.sub(r"-v?\d[\w.+-]*$", "", value)


def _hosts(thing: Object) -> Iterator[str]:
    """The hosts that an Ingress or a route is for: spec.rules[].host, spec.hostnames, spec.hosts, spec.host."""
    spec = thing.get("spec")
    if not isinstance(spec, dict):
        return
    for key in ("hostnames", "hosts", "host"):
        told = spec.get(key)
        yield from (one.lower() for one in (told if isinstance(told, list) else [told]) if isinstance(one, str))
    rules = spec.get("rules")
    for rule in rules if isinstance(rules, list) else []:
        if isinstance(rule, dict) and isinstance(rule.get("host"), str):
            yield rule["host"].lower()


def _images(thing: Object) -> tuple[str, ...]:
    spec: Any = thing.get("spec")
    for step in ("jobTemplate", "spec", "template", "spec"):
        if isinstance(spec, dict) and isinstance(spec.get(step), dict):
            spec = spec[step]
    containers = spec.get("containers") if isinstance(spec, dict) else None
    if not isinstance(containers, list):
        return ()
    return tuple(str(c["image"]) for c in containers if isinstance(c, dict) and isinstance(c.get("image"), str))


def _image_name(image: str) -> str:
    """ "ghcr.io/acme/postgres:16" -> "acme postgres": the registry's host and the tag say nothing about what it is."""
    host, _, rest = image.partition("/")
    path = rest if rest and ("." in host or ":" in host or host == "localhost") else image
    return re.split(r"[:@]", path)[0].replace("/", " ")


def _spaced(kind: str) -> str:
    """ "KafkaTopic" -> "Kafka Topic", so that words are found at their borders."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind)
