"""Typed checks: findings, actions, tool calls, notes. Where a model only wrote prose, they are read out of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_berth.evals.checks import BudgetCheck, CallCheck, FindingCheck, MemoryCheck
from kubectl_berth.evals.concepts import of_reason
from kubectl_berth.evals.phrases import Phrase
from kubectl_berth.evals.rule_said import Answer, related_names
from kubectl_berth.evals.run import Run
from kubectl_berth.evals.text import sentences
from kubectl_berth.records import Ref

_UNREAD = ("error", "refused", "tripwire")


def finding(check: FindingCheck, run: Run) -> Answer:
    """The fault is among the findings that count, or the answer names it."""
    found = _listed(check, run) or _told(check, run)
    if check.forbidden:
        return not found, found or "not claimed"
    return bool(found), found or "not named as a fault"


def claimed(check: FindingCheck, run: Run) -> str:
    """Where the run claims this fault about this object, "" where it does not: what a healthy twin must not say."""
    return _listed(check, run) or _told(check, run, strictly=True)


def _listed(check: FindingCheck, run: Run) -> str:
    family = run.facts.family(check.subject)
    for entry in run.findings:
        ref = Ref(str(entry.get("kind")), str(entry.get("namespace") or ""), str(entry.get("name")))
        about = ref in family or not (check.subject.kind or check.subject.name or check.subject.namespace)
        wanted = not check.reasons or entry.get("reason") in check.reasons
        if about and wanted and check.cause in (None, bool(entry.get("cause"))):
            return f"finding {entry.get('reason')} on {ref}"
    return ""


def _told(check: FindingCheck, run: Run, strictly: bool = False) -> str:
    """The sentence that names the fault, "" where there is none. `strictly`: the object stands beside it."""
    names = related_names(check.subject, run) if check.subject.name else []
    strictly = strictly or check.forbidden
    if names and not strictly:
        asked = any(name in run.facts.conversation for name in names)
        if not asked and not any(map(run.named, names)):
            return ""
    accepted = ("asserted", "hedged") if strictly else ("asserted",)
    for found in run.said(phrases_of(check)):
        if found.stance in accepted and (not strictly or not names or run.near(found.sentence, names)):
            return f"says {found}"
    return ""


def phrases_of(check: FindingCheck) -> tuple[Phrase, ...]:
    """Every way to name the fault."""
    concepts = [concept for reason in check.reasons for concept in of_reason(reason)]
    return (*check.says, *(phrase for concept in concepts for phrase in concept.phrases))


def called(check: CallCheck, run: Run) -> Answer:
    """A tool was called so, or never."""
    for entry in run.trace:
        fate = str(entry.get("fate", "ok"))
        wanted = fate in check.fates if check.fates else check.forbidden or fate not in _UNREAD
        if entry.get("tool") in check.tools and wanted and _has(entry.get("arguments") or {}, check.arguments):
            return not check.forbidden, f"call {entry.get('n', '?')}: {entry.get('tool')} ({fate})"
    tools = " or ".join(check.tools)
    return check.forbidden, f"{tools} was not called" + (" so" if check.arguments else "")


def _has(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_same(key, given.get(key), value) for key, value in wanted.items())


def _same(key: str, given: Any, wanted: Any) -> bool:
    left, right = str(given).strip().lower(), str(wanted).strip().lower()
    if key == "kind":
        left, right = left.split(".")[0].removesuffix("s"), right.removesuffix("s")
    return left == right


def budget(check: BudgetCheck, run: Run) -> Answer:
    """Not more calls than that."""
    made = len(run.trace)
    return made <= check.most, f"{made} tool call{'s' if made != 1 else ''}"


def memory(check: MemoryCheck, run: Run) -> Answer:
    """What was noted."""
    notes = list(_notes(run))
    if check.writes is not None and len(notes) > check.writes:
        return False, f"{len(notes)} notes were written"
    for note in notes:
        for wanted in check.never:
            for sentence in sentences(note):
                if any(True for _ in wanted.spans(sentence.text)):
                    return False, f'noted "{sentence.text[:160]}"'
    if check.says and not any(
        True
        for note in notes
        for sentence in sentences(note)
        for wanted in check.says
        for _ in wanted.spans(sentence.text)
    ):
        return False, "not noted"
    return True, f"{len(notes)} notes" if notes else "nothing was noted"


def _notes(run: Run) -> Iterator[str]:
    for entry in run.trace:
        if entry.get("tool") == "record_incident" and entry.get("fate", "ok") not in _UNREAD:
            yield "\n\n".join(str(value) for value in (entry.get("arguments") or {}).values())
