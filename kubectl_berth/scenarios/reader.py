"""Reads scenarios: a question beside a broken cluster, over a shared healthy base, with a twin that has no fault.

A scenario is a directory:

    scenario.yaml     what is asked, and under which settings
    cluster/          a snapshot layer: the fault and what belongs to it
    twin/             a snapshot layer on top of both: what differs where the fault never happened
    ../<base>/        a snapshot layer under both, shared between scenarios
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.errors import UsageError
from kubectl_berth.scenarios.document import Document
from kubectl_berth.scenarios.wording import check_version

SHIPPED = Path(__file__).parent
FILE = "scenario.yaml"

_FIELDS: Mapping[str, type] = {
    "title": str,
    "question": str,
    "turns": list,
    "category": str,
    "base": str,
    "namespace": str,
    "settings": dict,
    "incidents": list,
    "runbooks": list,
    "toolCalls": int,
    "checks": dict,
    "answers": dict,
    "revisions": list,
}


@dataclass(frozen=True)
class Turn:
    """One earlier message of a conversation. `role` is "user" or "assistant"."""

    role: str
    content: str


@dataclass(frozen=True)
class Scenario:
    """A cluster with a question.

    `turns` are the messages before `question`, oldest first. `namespace` is the context's own. `budget` is the
    number of tool calls a good answer needs at most, None where the scenario sets none. `layers` are snapshot
    directories, lowest first. `settings`, `incidents`, `runbooks`, `checks`, `answers` and `revisions` are as written.
    `version` is the Kubernetes version whose wording the objects are read in, None for the scenario's own.
    """

    name: str
    title: str
    question: str
    category: str
    layers: tuple[Path, ...]
    turns: tuple[Turn, ...] = ()
    namespace: str = "default"
    budget: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    incidents: Sequence[Mapping[str, Any]] = ()
    runbooks: Sequence[Any] = ()
    checks: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)
    revisions: Sequence[Any] = ()
    version: str | None = None
    twin: bool = False

    def open(self) -> Cluster:
        """The scenario's cluster at its moment. A broken file raises UsageError with file and line."""
        from kubectl_berth.cluster.snapshot import open_snapshot
        from kubectl_berth.scenarios.moment import carried

        name = f"{self.name} (twin)" if self.twin else self.name
        return open_snapshot(
            self.layers,
            source="scenario",
            name=name,
            namespace=self.namespace,
            prepare=lambda layers: carried(layers, self.version),
        )


def names() -> list[str]:
    """The shipped scenarios, sorted."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{FILE}") if not path.parent.name.startswith("_"))


def load(name_or_path: str, *, twin: bool = False, version: str | None = None) -> Scenario:
    """Reads a shipped scenario by name, or any by the path of its directory.

    `twin` takes the same cluster without the fault, `version` ("v1.36.2") reads every object in the wording of that
    Kubernetes. An unknown name, a broken file, a missing twin and an unknown version raise UsageError.
    """
    directory = find(name_or_path)
    document = Document.read(directory / FILE, kind="Scenario", fields=_FIELDS)
    turns, question = _conversation(document)
    if version is not None:
        check_version(version)
    return Scenario(
        name=directory.name,
        title=document.get("title", directory.name),
        question=question,
        category=document.get("category", ""),
        layers=_layers(directory, document, twin),
        turns=turns,
        namespace=document.get("namespace", "default"),
        budget=document.get("toolCalls", None),
        settings=document.get("settings", {}),
        incidents=document.get("incidents", []),
        runbooks=document.get("runbooks", []),
        checks=document.get("checks", {}),
        answers=document.get("answers", {}),
        revisions=document.get("revisions", []),
        version=version,
        twin=twin,
    )


def find(name_or_path: str) -> Path:
    """The scenario's directory: a path where one was typed, else a shipped one. Raises UsageError for neither."""
    shipped = SHIPPED / name_or_path
    if name_or_path in names():
        return shipped
    path = Path(name_or_path).expanduser()
    if (path / FILE).is_file():
        return path.resolve()
    if path.is_dir():
        raise UsageError(f"{path} has no {FILE}: read it with --snapshot, or add one")
    if "/" in name_or_path or name_or_path.startswith((".", "~")):
        raise UsageError(f"there is no directory {path}")
    near = difflib.get_close_matches(name_or_path, names(), n=3, cutoff=0.4)
    words = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names())}"
    raise UsageError(f'there is no scenario "{name_or_path}": {words}')


def _layers(directory: Path, document: Document, twin: bool) -> tuple[Path, ...]:
    """Base, cluster and twin directories, lowest first."""
    layers: list[Path] = []
    if name := document.get("base", ""):
        beside, shipped = directory.parent / name, SHIPPED / name
        base = beside if beside.is_dir() else shipped
        if "/" in name or not base.is_dir():
            raise document.error(f'names the base "{name}", and there is no such directory beside it', "base")
        layers.append(base)
    if not (directory / "cluster").is_dir():
        raise UsageError(f"{directory} has no cluster/ directory: a scenario needs a snapshot there")
    layers.append(directory / "cluster")
    if twin:
        if not (directory / "twin").is_dir():
            raise UsageError(f"scenario {directory.name} has no twin: ask it without --twin")
        layers.append(directory / "twin")
    return tuple(layers)


def _conversation(document: Document) -> tuple[tuple[Turn, ...], str]:
    """The messages before the question, and the question."""
    turns = tuple(_turn(document, entry) for entry in document.get("turns", []))
    question = document.get("question", "").strip()
    if question:
        return turns, question
    if not turns or turns[-1].role != "user":
        raise document.error("has no question, and no turns that end in one of the user's", "turns")
    return turns[:-1], turns[-1].content


def _turn(document: Document, entry: Any) -> Turn:
    fields = entry if isinstance(entry, dict) else {}
    role, content = fields.get("role"), fields.get("content")
    if role not in ("user", "assistant") or not isinstance(content, str) or not content.strip():
        raise document.error("wants turns with a role (user or assistant) and content", "turns")
    return Turn(role, content.strip())
