"""Results directories for tests, without anything having run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kubectl_berth.evals.plan import Plan, Thinker, chosen
from kubectl_berth.evals.results import Results, Row

NAMES = ("oomkilled", "failing-rollout", "pdb-blocks-drain", "secret-denied")
AT = "2026-11-30T10:00:00Z"


def document(passed: bool, **fields: Any) -> dict[str, Any]:
    """A result document of a model's run."""
    return {
        "question": "Why?",
        "engine": "ollama",
        "model": "qwen3.5:9b",
        "outcome": "answered" if passed else "fragment",
        "forced": False,
        "answer": "Because." if passed else "",
        "error": None if passed else "it only said what it would do next",
        "trace": [call(1)],
        "usage": {"model_calls": 2, "input_tokens": 900, "cache_read_tokens": 100, "output_tokens": 50, "retries": 0},
        "cost": None,
        "seconds": 2.0,
        **fields,
    }


def call(n: int, fate: str = "ok") -> dict[str, Any]:
    """One entry of a trace."""
    return {"n": n, "model_call": 1, "tool": "list_pods", "arguments": {}, "fate": fate, "bytes": 10, "error": None}


def verdict(passed: bool, check_hash: str) -> dict[str, Any]:
    """A verdict of one gating check and one that is only reported."""
    checks = [
        {"name": "cause", "kind": "finding", "critical": True, "passed": passed, "why": "not named as a fault"},
        {"name": "budget", "kind": "budget", "critical": False, "passed": True, "why": "1 call"},
    ]
    return {"passed": passed, "checkHash": check_hash, "checks": checks}


def made(
    directory: Path,
    passes: Mapping[str, Sequence[bool]],
    *,
    model: str | None = "qwen3.5:9b",
    hashes: Mapping[str, str] | None = None,
    documents: Mapping[tuple[str, int], Mapping[str, Any]] | None = None,
) -> Results:
    """Results in which the runs of each shipped scenario passed so. `hashes` are check hashes other than today's."""
    _, asked = chosen(list(passes), None, twins=False)
    asked = [replace(each, check_hash=(hashes or {}).get(each.name, each.check_hash)) for each in asked]
    repeats = max(map(len, passes.values()))
    thinker = Thinker("ollama" if model else "rules", model, "", 8 if model else None, {})
    results = Results.create(directory, Plan(thinker, "some", repeats, tuple(asked)), AT)
    for each in asked:
        for repeat, passed in enumerate(passes[each.name], 1):
            said = (documents or {}).get((each.label, repeat)) or document(passed)
            results.add(Row(each.label, repeat, AT, said, verdict(passed, each.check_hash)), None)
    return results
