"""Whether two things have the same fault: their root causes held side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.diagnosis.family import concerning, family_of
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.material import LogSeen
from kubectl_berth.engines.rules.orders import quoted, without_orders
from kubectl_berth.engines.rules.words import asks_whether_alike
from kubectl_berth.records import Finding, Ref

VAGUE = frozenset({"CrashLoop", "ReadinessProbeFails", "Restarting", "ContainerFailed", "JobFailed", "JobFailing"})
"""Reasons that only a log tells apart."""


def alike(case: Case, logs: Sequence[LogSeen]) -> str:
    """Yes or no with the two causes; "" where that is not the question or fewer than two things are meant."""
    if not asks_whether_alike(case.understanding.text):
        return ""
    pair = _pair(case)
    if pair is None:
        return ""
    (one, first), (other, second) = pair
    if first is None or second is None:
        well = other if second is None else one
        return f"No: nothing wrong is found with {well}." if (first or second) else ""
    if first.subject == second.subject:
        return f"Yes: {one} and {other} have the same cause, {first.subject}."
    told = f"{one}: {_words(first, logs)}; {other}: {_words(second, logs)}"
    if first.reason != second.reason:
        return f"No, not the same: {told}."
    if first.reason not in VAGUE:
        return f"The same kind of fault ({first.reason}), each of its own: {told}. A common cause is not seen."
    lines = [_log(finding, logs) for finding in (first, second)]
    mine, yours = lines
    if mine is None or yours is None or mine.best is None or yours.best is None:
        return f"That cannot be told without both logs: {told}."
    shared = set(mine.best.targets) & set(yours.best.targets)
    if shared:
        return f"Yes, by their logs: both cannot use {', '.join(sorted(shared))}."
    if mine.best.family == yours.best.family and _plain(mine.best.line) == _plain(yours.best.line):
        return f"Yes, by their logs: both say {quoted(mine.best.line, 160)}."
    return f"No, not by their logs: {told}."


def _pair(case: Case) -> tuple[tuple[Ref, Finding | None], tuple[Ref, Finding | None]] | None:
    """The two things meant with their root causes; where one is named, the only other fault of the cluster."""
    heads = list(dict.fromkeys(_head(case, ref) for ref in case.subjects))
    if len(heads) >= 2:
        return (heads[0], _root(case, heads[0])), (heads[1], _root(case, heads[1]))
    roots = [one for one in (*case.causes, *case.others) if one.severity != "info" and one.cause]
    if len(heads) == 1:
        mine = _root(case, heads[0])
        rest = [one for one in roots if mine is None or one.subject != mine.subject]
        return ((heads[0], mine), (rest[0].subject, rest[0])) if mine is not None and len(rest) == 1 else None
    if len(roots) == 2:
        return (roots[0].subject, roots[0]), (roots[1].subject, roots[1])
    return None


def _head(case: Case, ref: Ref) -> Ref:
    """The workload of a pod, so that a pod and its Deployment are one thing; a Service by its pods' workload."""
    pods = case.inventory.pods_of(ref) if ref.kind in ("Pod", "Service", "ReplicaSet") else []
    return case.inventory.workload(pods[0]) if pods else ref


def _root(case: Case, ref: Ref) -> Finding | None:
    """What explains the faults of a thing, in the end."""
    every = [one for one in (*case.findings, *case.others) if one.severity != "info"]
    close = concerning(every, family_of(ref, case.inventory))
    own = [one for one in close if ref in (one.subject, *one.effects) or _head(case, one.subject) == ref]
    for one in own or close:
        if one.caused_by is not None:
            above = next((cause for cause in every if cause.subject == one.caused_by and cause is not one), None)
            if above is not None:
                return above
    return next(iter(own or close), None)


def _log(finding: Finding, logs: Sequence[LogSeen]) -> LogSeen | None:
    family = {finding.subject, *finding.effects}
    return next((log for log in logs if log.wanted.pod in family), None)


def _words(finding: Finding, logs: Sequence[LogSeen]) -> str:
    log = _log(finding, logs)
    said = f" (its log: {quoted(log.best.line, 160)})" if log is not None and log.best is not None else ""
    return f"{without_orders(finding.summary)[0]}{said}"


def _plain(line: str) -> str:
    return re.sub(r"[\d:.,TZ-]+", "", line)
