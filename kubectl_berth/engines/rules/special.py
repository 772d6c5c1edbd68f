"""Answers to what is no question about a fault: how many there are, which operators run, what is only suspended."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.cluster.views import Identified
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.serving import operator_of
from kubectl_berth.records import Finding

MOST_OPERATORS = 12
MOST_NAMES = 40


def own_note(case: Case) -> Finding | None:
    """What is no fault but says why the main subject does not do what is expected of it (suspended, scaled to 0)."""
    return next((note for note in case.notes if note.subject == case.main), None)


_LISTED = re.compile(r"^\W*(?:please\s+)?(?:list|which|what|show)\b", re.IGNORECASE)


def _names(things: Sequence[Identified]) -> str:
    """The names, with their namespaces where they have one."""
    names = sorted(f"{one.namespace}/{one.name}" if one.namespace else one.name for one in things)
    return ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def figures(case: Case) -> str:
    """How many objects of the kinds spoken of there are, in the namespaces named; "" where no number is asked for."""
    said = case.understanding
    if said.intent != "how-many" or not said.kinds or case.subjects:
        return ""
    spaces = set(said.namespaces)
    told = []
    for kind in said.kinds:
        things = [
            view
            for view in case.inventory.everything
            if view.kind == kind and (kind == "Namespace" or not spaces or view.namespace in spaces)
        ]
        ready = [pod for pod in case.inventory.pods if pod in things and pod.ready] if kind == "Pod" else []
        counted = f"{kind}: {len(things)}" + (f", {len(ready)} of them ready" if kind == "Pod" else "")
        told.append(counted + (f" ({_names(things)})" if things and _LISTED.search(said.text) else ""))
    place = f"namespace {', '.join(said.namespaces)}" if spaces else "the cluster"
    return f"In {place}: {'; '.join(told)}."


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
