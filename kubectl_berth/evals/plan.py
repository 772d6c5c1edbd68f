"""What an evaluation is going to run: scenarios and their twins, so many times each, under one engine.

A plan has a hash; runs are only ever added to results of the same plan.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kubectl_berth import __version__
from kubectl_berth.errors import UsageError
from kubectl_berth.evals.schema import check_set
from kubectl_berth.evals.score import check_hash
from kubectl_berth.investigation.prompt import SYSTEM_PROMPT
from kubectl_berth.scenarios import reader
from kubectl_berth.scenarios.reader import Scenario
from kubectl_berth.tools.registry import ALL

TWIN = " (twin)"


@dataclass(frozen=True)
class Asked:
    """One scenario, or its twin, as it was when the plan was made. `source` is what finds it again: name or path."""

    source: str
    name: str
    twin: bool
    category: str
    question: str
    budget: int | None
    scenario_hash: str
    check_hash: str

    @property
    def label(self) -> str:
        """The name in reports: a twin says that it is one."""
        return f"{self.name}{TWIN}" if self.twin else self.name

    def load(self) -> Scenario:
        """The scenario as it is now. UsageError where it is gone."""
        return reader.load(self.source, twin=self.twin)


@dataclass(frozen=True)
class Thinker:
    """Which engine, under which settings. `cap` is the number of model calls, None for the rules engine."""

    engine: str
    model: str | None
    host: str
    cap: int | None
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Plan:
    """All runs of an evaluation: each of `asked`, `repeats` times. `of` is the set in words."""

    thinker: Thinker
    of: str
    repeats: int
    asked: tuple[Asked, ...]

    def runs(self) -> list[tuple[str, int]]:
        """Label and repeat (from 1) of every run; all scenarios once before any is run again."""
        return [(asked.label, repeat) for repeat in range(1, self.repeats + 1) for asked in self.asked]

    @cached_property
    def hash(self) -> str:
        """12 hex digits of all that two runs of the plan have in common."""
        return _digest(json.dumps(self.document(), sort_keys=True).encode())

    def document(self) -> dict[str, Any]:
        """Plain data, as it stands in the results."""
        tools = definitions()
        return {
            "berth": __version__,
            "of": self.of,
            "engine": self.thinker.engine,
            "model": self.thinker.model,
            "host": self.thinker.host,
            "cap": self.thinker.cap,
            "settings": dict(self.thinker.settings),
            "repeats": self.repeats,
            "prompt": {"bytes": len(SYSTEM_PROMPT.encode()), "hash": _digest(SYSTEM_PROMPT.encode())},
            "tools": {"bytes": len(tools), "hash": _digest(tools)},
            "scenarios": [
                {
                    "source": asked.source,
                    "name": asked.name,
                    "twin": asked.twin,
                    "category": asked.category,
                    "question": asked.question,
                    "budget": asked.budget,
                    "scenarioHash": asked.scenario_hash,
                    "checkHash": asked.check_hash,
                }
                for asked in self.asked
            ],
        }


def plan_of(document: Mapping[str, Any]) -> Plan:
    """The plan that a results directory holds."""
    thinker = Thinker(
        document["engine"], document["model"], document["host"], document["cap"], dict(document["settings"])
    )
    asked = tuple(
        Asked(
            each["source"],
            each["name"],
            each["twin"],
            each["category"],
            each["question"],
            each["budget"],
            each["scenarioHash"],
            each["checkHash"],
        )
        for each in document["scenarios"]
    )
    return Plan(thinker, document["of"], document["repeats"], asked)


def chosen(names: Sequence[str], of: str | None, *, twins: bool) -> tuple[str, list[Asked]]:
    """The scenarios that were asked for, in words and read: those of `names`, those of a set, else all.

    `of` is "all", a category, or a directory of scenario directories. UsageError for what is not there, for two of
    one name, and for checks that cannot be read.
    """
    sources = list(dict.fromkeys(names))
    words = ", ".join(sources)
    if of is not None or not sources:
        words = ", ".join(filter(None, (of or "all", words)))
        sources = list(dict.fromkeys((*_set(of or "all"), *sources)))
    asked = [found for source in sources for found in _asked(source, twins)]
    labels = [each.label for each in asked]
    if twice := {label for label in labels if labels.count(label) > 1}:
        raise UsageError(f"two scenarios are called {sorted(twice)[0]}: rename the directory of one of them")
    return words + ("" if twins else ", without twins"), asked


def _set(of: str) -> list[str]:
    if of == "all":
        return reader.names()
    directory = Path(of).expanduser()
    if "/" in of or of.startswith((".", "~")) or directory.is_dir():
        return _directory(directory)
    categories = {name: reader.load(name).category for name in reader.names()}
    if found := [name for name, category in categories.items() if category == of]:
        return found
    known = ", ".join(["all", *sorted(set(categories.values()) - {""})])
    raise UsageError(f"there is no set {of!r}: name one of {known}, or a directory of scenarios")


def _directory(directory: Path) -> list[str]:
    if not directory.is_dir():
        raise UsageError(f"there is no directory {directory}")
    if (directory / reader.FILE).is_file():
        return [str(directory)]
    found = sorted(path.parent for path in directory.glob(f"*/{reader.FILE}") if not path.parent.name.startswith("_"))
    if not found:
        raise UsageError(
            f"no directory in {directory} holds a {reader.FILE}: start one with kubectl berth scenario new"
        )
    return [str(path) for path in found]


def _asked(source: str, twins: bool) -> Iterable[Asked]:
    scenario = reader.load(source)
    kept = source if source in reader.names() else str(scenario.layers[-1].parent)
    yield asked_of(scenario, kept)
    if twins and (scenario.layers[-1].parent / "twin").is_dir():
        yield asked_of(reader.load(source, twin=True), kept)


def asked_of(scenario: Scenario, source: str) -> Asked:
    """A scenario as it is now."""
    return Asked(
        source,
        scenario.name,
        scenario.twin,
        scenario.category or "other",
        scenario.question,
        scenario.budget,
        scenario_hash(scenario),
        check_hash(check_set(scenario)),
    )


def scenario_hash(scenario: Scenario) -> str:
    """12 hex digits of what is asked and of the cluster it is asked about; checks and answers are no part of it."""
    said = [
        scenario.question,
        [(turn.role, turn.content) for turn in scenario.turns],
        scenario.namespace,
        dict(scenario.settings),
        list(scenario.incidents),
        list(scenario.runbooks),
        scenario.version,
    ]
    digest = hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode())
    for layer in scenario.layers:
        for path in sorted(path for path in layer.rglob("*") if path.is_file()):
            digest.update(f"{path.relative_to(layer).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def definitions() -> bytes:
    """The tools as a model is told of them."""
    return json.dumps([tool.definition() for tool in ALL], sort_keys=True).encode()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
