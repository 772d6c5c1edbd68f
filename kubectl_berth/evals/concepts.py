"""Ways to say one thing, kept in one file beside this module: concepts.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kubectl_berth.evals.phrases import Phrase, phrase

FILE = Path(__file__).with_name("concepts.yaml")


@dataclass(frozen=True)
class Concept:
    """One thing that answers say. `reasons` are the codes of findings that mean it; `fault` where it is one."""

    name: str
    phrases: tuple[Phrase, ...]
    reasons: tuple[str, ...] = ()
    fault: bool = False


@lru_cache(maxsize=1)
def concepts() -> Mapping[str, Concept]:
    """Every concept by name. A concept may take over another's phrases ("@name")."""
    import yaml

    written = yaml.load(FILE.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    found: dict[str, Concept] = {}
    for name, entry in written.items():
        phrases: list[Phrase] = []
        for words in entry["says"]:
            phrases.extend(found[words[1:]].phrases if words.startswith("@") else (phrase(str(words)),))
        reasons = tuple(entry.get("reasons", ()))
        found[name] = Concept(name, tuple(phrases), reasons, bool(entry.get("fault", bool(reasons))))
    return found


@lru_cache(maxsize=256)
def of_reason(reason: str) -> tuple[Concept, ...]:
    """The concepts that a finding's reason stands for."""
    return tuple(concept for concept in concepts().values() if reason in concept.reasons)
