"""The pods that ended and are kept: evicted or failed ones, listed in a healthy cluster too."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import Pod, age
from kubectl_berth.diagnosis.say import count
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import ASKS, bare, capped, half, in_place, only, place
from kubectl_berth.engines.rules.facts.lookups import Answer

MOST = 20
_EVICTED = r"evict(?:ed|ions?)|preempted"
_WHETHER = re.compile(r"^\W*(?:(?:so|and|ok|hey|please)\W+)*(?:is|are|was|were|did|have|has|do)\b", re.IGNORECASE)
_FAILED = r"failed|failing|fail|failures?"


def ended_pods(case: Case) -> Answer | None:
    """The pods that were evicted, or whose phase is Failed; None for another question, or where a fault is asked."""
    text = bare(case)
    evicted = re.search(rf"\b(?:{_EVICTED})\b", text, re.IGNORECASE)
    failed = re.search(rf"\b(?:{_FAILED})\b", text, re.IGNORECASE)
    if case.subjects or not (evicted or failed) or not re.search(r"\bpods?\b|\beviction", text, re.IGNORECASE):
        return None
    if not evicted and (case.causes or case.symptoms):
        return None  # what fails is diagnosed
    spoken = re.sub(rf"\b(?:{_EVICTED}|{_FAILED})\b", " ", text, flags=re.IGNORECASE)
    if not ASKS.search(text) or not only(
        case, "recent(?:ly)?|ever|lately|got|get|gotten|been|phase|state", text=spoken
    ):
        return None
    kept = [one for one in case.inventory.pods if in_place(case, one.namespace) and one.status.phase == "Failed"]
    hit = sorted((one for one in kept if not evicted or _is_evicted(one)), key=lambda one: one.ref)
    state = "was evicted" if evicted else "failed"
    if not hit:
        word = "No: no" if _WHETHER.search(text) else "No"
        return f"{word} pod{place(case)} {state}{half(case, 'pods')}.", ["pods that were deleted since are not seen"]
    verb = state if len(hit) == 1 else state.replace("was", "were")
    word = "Yes: " if _WHETHER.search(text) else ""
    head = f"{word}{count(len(hit), 'pod')}{place(case)} {verb}{half(case, 'pods')}"
    rows = [_row(case, one) for one in hit]
    return (f"{head}: {'; '.join(rows)}.", []) if len(rows) <= 3 else (f"{head}.", capped(rows, MOST))


def _is_evicted(pod: Pod) -> bool:
    return pod.status.reason in ("Evicted", "Preempting", "Preempted", "TerminationByKubelet")


def _row(case: Case, pod: Pod) -> str:
    since = f"made {age(case.inventory.now, pod.metadata.creation_timestamp)} ago"
    where = f", on {pod.spec.node_name}" if pod.spec.node_name else ""
    return f"{pod.ref} ({pod.status.reason or 'Failed'}, {since}{where})"
