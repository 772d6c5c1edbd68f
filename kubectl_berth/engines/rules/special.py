"""Answers to what is no question about a fault: how many there are, which operators run, what is only suspended."""

from __future__ import annotations

from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.serving import operator_of
from kubectl_berth.records import Finding

MOST_OPERATORS = 12
MOST_NAMES = 40


def own_note(case: Case) -> Finding | None:
    """What is no fault but says why the main subject does not do what is expected of it (suspended, scaled to 0)."""
    return next((note for note in case.notes if note.subject == case.main), None)


def operators(case: Case) -> list[str]:
    """The API groups that are not Kubernetes' own, each with the workload that seems to serve it."""
    if "operators" not in case.understanding.intents:
        return []
    groups = dict.fromkeys(definition.spec.group for definition in case.inventory.definitions)
    told = []
    for group in sorted(groups)[:MOST_OPERATORS]:
        found = operator_of(f"{group}/v1", case.inventory)
        if found is None:
            told.append(f"{group}: no workload found that bears its name")
        else:
            called = f" ({found.called})" if found.called else ""
            told.append(f"{group}: {found.ref}{called}, {'running' if found.up else 'not running'}")
    return told
