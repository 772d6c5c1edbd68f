"""The same scenario told otherwise: what is right to say about it must not change.

A variant is written to a directory of its own and read like any other scenario. `renamed` calls namespaces and
workloads by other names, `shuffled` lists objects and conditions in another order, `noisy` puts two hundred healthy
pods beside, `shifted` moves every time by thirteen weeks (so that weekdays and hours stay). The wording of another
version, and the twin, are read with scenarios.reader.load itself.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from kubectl_berth.cluster.snapshot_files import ABOUT, documents, read_layer
from kubectl_berth.evals.concepts import concepts
from kubectl_berth.evals.noise import healthy
from kubectl_berth.evals.plan import definitions
from kubectl_berth.investigation.prompt import SYSTEM_PROMPT
from kubectl_berth.records import Object
from kubectl_berth.scenarios import reader

SHIFT = timedelta(weeks=13)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_PUBLIC = re.compile(r"^(?:docker\.io|quay\.io|ghcr\.io|gcr\.io|registry\.k8s\.io|public\.ecr\.aws)/|^[^./]+(?:[:/]|$)")
_NEW = (
    "harbor kestrel lantern meadow orchid pebble quartz russet saffron thistle umber velvet willow yarrow zephyr "
    "bramble cobalt dapple ember fennel"
).split()
_NAMED = ("Namespace", "Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job", "Service")


@dataclass
class Layer:
    """One snapshot directory. `logs` are texts by their path below logs/."""

    about: dict[str, Any]
    objects: list[Object]
    logs: dict[str, str] = field(default_factory=dict)


@dataclass
class Parts:
    """A scenario taken apart: its own file, and its layers by directory, the base first."""

    document: dict[str, Any]
    layers: dict[str, Layer]


def write(name_or_path: str, vary: Callable[[Parts], None], directory: Path) -> str:
    """Writes a variant of a scenario, its twin included, into `directory`; the path by which it is read."""
    scenario = reader.load(name_or_path)
    home = scenario.layers[-1].parent
    parts = _taken_apart(home, scenario.layers[:-1])
    vary(parts)
    target = directory / home.name
    for name, layer in parts.layers.items():
        _write(layer, target / name if name in ("cluster", "twin") else directory / name)
    (target / reader.FILE).write_text(json.dumps(parts.document), encoding="utf-8")
    return str(target)


def _taken_apart(home: Path, below: tuple[Path, ...]) -> Parts:
    document = next(content for _, content in documents(home / reader.FILE))
    found = {path.name: _layer(path) for path in (*below, home / "cluster")}
    if (home / "twin").is_dir():
        found["twin"] = _layer(home / "twin")
    return Parts(json.loads(json.dumps(document, default=str)), found)


def _layer(directory: Path) -> Layer:
    read = read_layer(directory)
    about: dict[str, Any] = {}
    if (directory / ABOUT).exists():
        about = next((content for _, content in documents(directory / ABOUT)), {})
    logs = {
        str(path.relative_to(directory / "logs")): path.read_text(encoding="utf-8", errors="replace")
        for path in sorted((directory / "logs").glob("*/*/*.log"))
    }
    return Layer(about, [json.loads(json.dumps(obj, default=str)) for obj in read.objects], logs)


def _write(layer: Layer, directory: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    (directory / "objects").mkdir(parents=True)
    if layer.about:
        (directory / ABOUT).write_text(json.dumps(layer.about), encoding="utf-8")
    listed = {"apiVersion": "v1", "kind": "List", "items": layer.objects}
    (directory / "objects" / "all.json").write_text(json.dumps(listed), encoding="utf-8")
    for place, text in layer.logs.items():
        path = directory / "logs" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def renamed(parts: Parts) -> None:
    """Namespaces and workloads of the scenario's own are called otherwise, everywhere."""
    names = _new_names(parts)
    if not names:
        return
    words = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, names))})(?![A-Za-z0-9])", re.IGNORECASE)

    def other(text: str) -> str:
        def replace(found: re.Match[str]) -> str:
            new = names[found[0].lower()]
            return new.capitalize() if found[0][0].isupper() else new

        return text if text.startswith("@") else words.sub(replace, text)

    # names of checks are keys, and wrong answers refer to them
    parts.document = _everywhere(parts.document, other)
    checks = parts.document.get("checks") or {}
    parts.document["checks"] = {other(name): check for name, check in checks.items()}
    for layer in parts.layers.values():
        layer.about = _everywhere(layer.about, other)
        layer.objects = [_renamed_object(obj, other) for obj in layer.objects]
        layer.logs = {other(place): other(text) for place, text in layer.logs.items()}


def _renamed_object(obj: Object, other: Callable[[str], str]) -> Object:
    return {**_everywhere(obj, other), "kind": obj["kind"], "apiVersion": obj["apiVersion"]}


def _new_names(parts: Parts) -> dict[str, str]:
    """Stems ("ledger" of ledger-db-3) of the scenario's own names, and what they become.

    Words that mean something to Kubernetes, to a check or to whoever knows the software stay.
    """
    own = [obj for name in ("cluster", "twin") if name in parts.layers for obj in parts.layers[name].objects]
    everything = [obj for layer in parts.layers.values() for obj in layer.objects]
    kept = _vocabulary() | {word for obj in everything for text in _fixed(obj) for word in _words(text)}
    named = [str(obj["metadata"].get("namespace") or "") for obj in own]
    named += [obj["metadata"]["name"] for obj in own if obj["kind"] in _NAMED]
    stems = dict.fromkeys(match[0] for name in named if (match := re.match(r"[a-z]{3,}", name)))
    new = (word for word in _NEW)
    return {stem: next(new) for stem in list(stems)[: len(_NEW)] if stem not in kept and stem != "default"}


def _fixed(obj: Object) -> Iterator[str]:
    """What in an object is no name that somebody chose: keys, kinds, enumerations, public images, what CRDs define."""
    yield f"{obj['kind']} {obj['apiVersion']}"
    text = json.dumps(obj)
    yield from re.findall(r'"([A-Za-z]+)":', text)
    yield from re.findall(r'"([A-Z][A-Za-z]+)"', text)
    yield from (image for image in re.findall(r'"image": "([^"]+)"', text) if _PUBLIC.match(image))
    if obj["kind"] == "CustomResourceDefinition":
        yield text


def _vocabulary() -> set[str]:
    told = [SYSTEM_PROMPT, definitions().decode()]
    told += [phrase.written for concept in concepts().values() for phrase in concept.phrases]
    return {word for text in told for word in _words(text)} | {"kube", "system"}


def _words(text: str) -> set[str]:
    return {part for word in re.findall(r"[A-Za-z]+", text) for part in (word.lower(), f"{word.lower()}s")}


def _everywhere(value: Any, change: Callable[[str], str]) -> Any:
    """The value with every text in it changed; keys stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _everywhere(each, change) for key, each in value.items()}
    if isinstance(value, list):
        return [_everywhere(each, change) for each in value]
    return value


def shuffled(parts: Parts) -> None:
    """Objects are listed in another order, and so are their conditions."""
    order = random.Random(parts.document.get("title", ""))
    for layer in parts.layers.values():
        order.shuffle(layer.objects)
        for obj in layer.objects:
            conditions = (obj.get("status") or {}).get("conditions")
            if isinstance(conditions, list):
                order.shuffle(conditions)


def noisy(parts: Parts) -> None:
    """Two hundred healthy pods beside, with their owners, on the nodes that are there."""
    everything = [obj for layer in parts.layers.values() for obj in layer.objects]
    time = next(layer.about["time"] for layer in reversed(parts.layers.values()) if layer.about.get("time"))
    parts.layers["cluster"].objects += healthy(everything, str(time))


def shifted(parts: Parts) -> None:
    """Everything happened thirteen weeks later."""

    def later(text: str) -> str:
        return _TIME.sub(lambda found: (datetime.fromisoformat(found[0]) + SHIFT).isoformat(), text)

    parts.document = _everywhere(parts.document, later)
    for layer in parts.layers.values():
        layer.about = _everywhere(layer.about, later)
        layer.objects = [_everywhere(obj, later) for obj in layer.objects]
        layer.logs = {place: later(text) for place, text in layer.logs.items()}


VARIANTS: Mapping[str, Callable[[Parts], None]] = {
    "renamed": renamed,
    "shuffled": shuffled,
    "noisy": noisy,
    "shifted": shifted,
}
"""By name. None of them changes what is right to say."""
