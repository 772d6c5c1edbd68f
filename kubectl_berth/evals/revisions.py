"""Corrections of a scenario: what its checks said before, when they were changed, and why.

revisions:                         # oldest first
- date: 2026-11-20
  note: "limit" failed answers that give 0.25Gi
  checks:                          # those that were changed, as they were; null for one that was not there
    limit: {number: 256Mi}
  question: ...                    # where that was changed: the old one
  cluster: cluster-2026-11         # where that was changed: the directory that keeps the old one
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kubectl_berth.errors import UsageError
from kubectl_berth.evals.schema import check_set
from kubectl_berth.evals.score import check_hash
from kubectl_berth.scenarios.reader import Scenario

_FIELDS = {"date", "note", "checks", "question", "cluster"}


@dataclass(frozen=True)
class Revision:
    """One correction. `checks`, `question` and `cluster` are what stood there before it; None where it was kept."""

    date: str
    note: str
    checks: Mapping[str, Any] | None
    question: str | None
    cluster: str | None


def revisions(scenario: Scenario) -> list[Revision]:
    """The corrections of a scenario, oldest first. UsageError for one that cannot be read."""
    return [_revision(scenario, entry) for entry in scenario.revisions]


def _revision(scenario: Scenario, entry: Any) -> Revision:
    def error(words: str) -> UsageError:
        return UsageError(f"scenario {scenario.name}, revisions: {words}")

    if not isinstance(entry, Mapping) or not entry.get("date") or not entry.get("note"):
        raise error("each wants a date and a note")
    if unknown := set(entry) - _FIELDS:
        raise error(f"does not know {sorted(unknown)[0]}")
    date = entry["date"]
    try:
        day = date if isinstance(date, datetime.date) else datetime.date.fromisoformat(str(date))
    except ValueError:
        raise error(f"{date!r} is no date: write it like 2026-11-20") from None
    checks, question, cluster = entry.get("checks"), entry.get("question"), entry.get("cluster")
    if checks is None and question is None and cluster is None:
        raise error("each keeps what was changed: checks, question or cluster")
    if checks is not None and not isinstance(checks, Mapping):
        raise error("checks wants a mapping of the checks that were changed, as they were")
    if cluster is not None and not (scenario.layers[-1].parent / str(cluster)).is_dir():
        raise error(f"the old cluster is not there: no directory {cluster}")
    return Revision(day.isoformat(), str(entry["note"]), checks, question and str(question), cluster and str(cluster))


def before(scenario: Scenario, corrections: int) -> Scenario:
    """The scenario as it was before its last so many corrections; clusters stay as they are."""
    checks = dict(scenario.checks)
    question = scenario.question
    for revision in reversed(revisions(scenario)[len(scenario.revisions) - corrections :]):
        question = revision.question or question
        for name, written in (revision.checks or {}).items():
            if written is None:
                checks.pop(name, None)
            else:
                checks[name] = written
    return replace(scenario, checks=checks, question=question)


def since(scenario: Scenario, hash: str) -> list[Revision] | None:
    """The corrections after the checks of this hash, oldest first; None where no version of them has it."""
    found = revisions(scenario)
    for count in range(len(found) + 1):
        if check_hash(check_set(before(scenario, count))) == hash:
            return found[len(found) - count :]
    return None
