"""What a scenario's cluster holds, as the checks need it: every name in it, and who owns whom."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.cluster.snapshot_files import read_layer
from kubectl_berth.errors import ReadError
from kubectl_berth.records import Object, Ref
from kubectl_berth.scenarios.reader import Scenario

_WORD = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")
_LOG = 2_000_000
_KEPT = 6
_kept: dict[tuple[tuple[Path, ...], str | None], Facts] = {}


@dataclass(frozen=True)
class Facts:
    """`words` are all words of the snapshot's objects and logs and of the conversation, in small letters, names with
    every part they begin with ("db-primary" of "db-primary.tools.svc"). `owners` leads from an object to its owners."""

    words: frozenset[str] = frozenset()
    refs: frozenset[Ref] = frozenset()
    owners: Mapping[Ref, tuple[Ref, ...]] = field(default_factory=dict)
    conversation: str = ""

    @cached_property
    def namespaces(self) -> frozenset[str]:
        """The namespaces that hold something."""
        return frozenset(ref.namespace for ref in self.refs if ref.namespace)

    def family(self, ref: Ref) -> frozenset[Ref]:
        """The object, its owners up and its children down. Fields of `ref` that are "" match anything."""
        start = {found for found in self.refs if matches(ref, found)} or {ref}
        up = set(start)
        waiting = list(start)
        while waiting:
            for owner in self.owners.get(waiting.pop(), ()):
                if owner not in up:
                    up.add(owner)
                    waiting.append(owner)
        down = set(start)
        grown = True
        while grown:
            children = {child for child, owners in self.owners.items() if down.intersection(owners)} - down
            grown = bool(children)
            down |= children
        return frozenset(up | down)

    def exists(self, name: str) -> bool:
        """Whether a word like an object's name stands anywhere in the snapshot or the conversation."""
        return name in self.words


def matches(pattern: Ref, ref: Ref) -> bool:
    """Whether `ref` is what `pattern` means; "" in the pattern is anything."""
    return all(
        not wanted or wanted.lower() == found.lower()
        for wanted, found in (
            (pattern.kind, ref.kind),
            (pattern.namespace, ref.namespace),
            (pattern.name, ref.name),
        )
    )


def facts_of(scenario: Scenario) -> Facts:
    """The facts of a scenario's cluster. Read once for each set of layers; the last few are kept."""
    found = _kept.get((scenario.layers, scenario.version))
    if found is None:
        found = _facts(scenario.open(), scenario.layers)
        if len(_kept) >= _KEPT:
            _kept.pop(next(iter(_kept)))
        _kept[scenario.layers, scenario.version] = found
    conversation = "\n".join([*(turn.content for turn in scenario.turns), scenario.question]).lower()
    return Facts(found.words | frozenset(_words(conversation)), found.refs, found.owners, conversation)


def _facts(cluster: Cluster, layers: tuple[Path, ...]) -> Facts:
    words: set[str] = set()
    by_uid: dict[str, Ref] = {}
    owned: list[tuple[Ref, list[str]]] = []
    for obj in _objects(cluster):
        metadata = obj["metadata"]
        ref = Ref(obj["kind"], metadata.get("namespace") or "", metadata["name"])
        by_uid.setdefault(metadata.get("uid") or str(ref), ref)
        owned.append((ref, [entry.get("uid", "") for entry in metadata.get("ownerReferences") or []]))
        words.update(_words(json.dumps(obj).lower()))
    words.update(kind.kind.lower() for kind in cluster.kinds().kinds)
    for layer in layers:
        for path in layer.glob("logs/**/*.log"):
            words.update(_words(path.read_text(encoding="utf-8", errors="replace")[:_LOG].lower()))
        # withheld objects are never served, but their names are spoken of
        for obj in read_layer(layer).objects:
            words.update(_words(str(obj.get("metadata", {}).get("name", "")).lower()))
    owners = {
        ref: tuple(by_uid[uid] for uid in uids if uid in by_uid)
        for ref, uids in owned
        if any(uid in by_uid for uid in uids)
    }
    return Facts(frozenset(words), frozenset(ref for ref, _ in owned), owners)


def _objects(cluster: Cluster) -> Iterator[Object]:
    for kind in cluster.kinds().kinds:
        if not kind.preferred or "list" not in kind.verbs or kind.kind in ("Secret", "ConfigMap"):
            continue
        try:
            yield from cluster.list(kind)
        except ReadError:
            continue


def _words(text: str) -> Iterator[str]:
    """Words, and what they begin with before each dot and hyphen."""
    for match in set(_WORD.findall(text)):
        yield match
        for mark in ".-":
            parts = match.split(mark)
            yield from (mark.join(parts[:end]) for end in range(1, len(parts)))
