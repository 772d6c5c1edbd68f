"""Whether the last release broke it: the newest revision's age and pods held against the fault's."""

from __future__ import annotations

import re
from datetime import datetime

from kubectl_berth.cluster.views import Pod, Workload, age, condition, parse_time
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.records import Finding, Ref

SOON = 1800.0
"""Seconds after a release within which a fault may have come with it."""

_ASKED = re.compile(
    r"\b(?:did|was|is|has|have|could|can|may|might)\b[^.?!]{0,40}\b(?:releases?|deploy(?:ment|s)?|roll-?out|update|"
    r"upgrade|version|revision|change)\b[^.?!]{0,50}\b(?:br[eo]ak\w*|broke\w*|caus\w+|fault|blame|kill\w*|ruin\w*|"
    r"responsible|guilty|bad|behind (?:it|this|that))\b|"
    r"\b(?:because of|due to|from|since|by)\s+(?:the |our |my )?(?:last |latest |new |recent )+(?:release|deploy\w*|"
    r"roll-?out|update|version)\b[^.?!]*\?|"
    r"\b(?:was|is) (?:it|that|this) (?:because of |due to |from )?(?:the|our|my) (?:\w+ )?"
    r"(?:release|deploy\w*|roll-?out|update|upgrade|version)\b|"
    r"\bshould (?:we|i|one)\b[^.?!]{0,20}\broll(?: \w+)? ?back\b|,\s*roll ?back\?",
    re.IGNORECASE,
)


def release(case: Case) -> str:
    """Yes, no or why it cannot be told; "" where that is not the question or nothing with revisions is meant."""
    if not _ASKED.search(case.understanding.text) or re.match(r"\W*(?:why|how)\b", case.understanding.text, re.I):
        return ""
    root = next(iter((*case.causes, *case.symptoms)), None)
    ref = _released(case, root)
    sets = _sets(case, ref) if ref is not None else []
    if ref is None or not sets:
        return ""
    newest = sets[-1]
    since = f"revision {newest.revision} of {ref} is {age(case.inventory.now, newest.metadata.creation_timestamp)} old"
    if root is None:
        return f"No: nothing is broken that it could have caused; {since}."
    if root.subject not in _own(case, ref):
        return f"No, by what is seen the cause lies elsewhere: {root.subject}; {since}."
    if len(sets) < 2:
        return f"That cannot be told: no earlier revision is left to compare with; {since}."
    return _compared(case, ref, sets, since)


def _compared(case: Case, ref: Ref, sets: list[Workload], since: str) -> str:
    """The pods of the newest revision against those of the others, then the times."""
    newest = sets[-1]
    pods = [pod for pod in case.inventory.pods_of(ref) if not pod.finished and not pod.terminating]
    fresh = [pod for pod in pods if case.inventory.owner(pod) == newest.ref]
    before = [pod for pod in pods if pod not in fresh]
    if fresh and not any(pod.ready for pod in fresh) and before and all(pod.ready for pod in before):
        return f"Yes, by what is seen: {since}, none of its pods is ready, and those of the revision before it are."
    began = _began(fresh or pods)
    made = parse_time(newest.metadata.creation_timestamp)
    if began is None or made is None:
        return f"That cannot be told: when the fault began is not on record; {since}."
    gap = (began - made).total_seconds()
    if gap > SOON:
        return f"No, not by the times: {since}, and the fault began {age(case.inventory.now, began.isoformat())} ago."
    return f"It may have: {since}, and the fault began with it; no ready pod of an earlier revision is left to compare."


def _released(case: Case, root: Finding | None) -> Ref | None:
    """The Deployment meant: the one asked about, else the one that the fault lies in."""
    main = case.main
    if main is not None:
        return main if main.kind == "Deployment" else None
    if root is None:
        return None
    pod = case.inventory.pod(root.subject.namespace, root.subject.name) if root.subject.kind == "Pod" else None
    owner = case.inventory.workload(pod) if pod is not None else root.subject
    return owner if owner.kind == "Deployment" else None


def _sets(case: Case, ref: Ref) -> list[Workload]:
    """Its ReplicaSets, the oldest revision first."""
    below = [one for one in case.inventory.children(ref) if isinstance(one, Workload) and one.kind == "ReplicaSet"]
    return sorted(below, key=lambda one: (one.revision, one.metadata.creation_timestamp or ""))


def _own(case: Case, ref: Ref) -> set[Ref]:
    """The workload, what it owns, its pods, and the configuration objects that only it can be at fault for naming."""
    below = {view.ref for view in case.inventory.descendants(ref)}
    pods = {pod.ref for pod in case.inventory.pods_of(ref)}
    named = {one.subject for one in case.causes if one.subject.kind in ("ConfigMap", "Secret", "ServiceAccount")}
    return {ref, *below, *pods, *named} - case.explained


def _began(pods: list[Pod]) -> datetime | None:
    """When the first of these pods stopped being ready, or was made without becoming so."""
    times = []
    for pod in pods:
        ready = condition(pod.status.conditions, "Ready")
        if pod.ready:
            continue
        when = ready.last_transition_time if ready is not None else pod.metadata.creation_timestamp
        if (at := parse_time(when)) is not None:
            times.append(at)
    return min(times, default=None)
