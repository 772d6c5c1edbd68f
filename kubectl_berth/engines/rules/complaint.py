"""A workload that looks well and does not do its work, by its own log: an error that it repeats to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.forbidden import forbidden_in
from kubectl_berth.engines.rules.material import LOG_REPEATS, LogSeen, bare, spoken
from kubectl_berth.engines.rules.words import BAD_NEWS
from kubectl_berth.records import Finding

REPEATED = 3
"""Times that a healthy container says an error before it counts."""
REFUSED = 2
"""Times where the API server refuses it."""
STATES = frozenset({"crash", "memory", "pending", "image", "scaling", "node"})
"""What a question takes for granted that a healthy pod's state refutes, whatever its log says."""
ERROR = 3.0
"""Score from which a line is an error."""


def told_by_log(case: Case, logs: Sequence[LogSeen]) -> Finding | None:
    """What a healthy subject's log says against it; None where nobody complained, or it says nothing of the kind."""
    said = case.understanding
    if not case.healthy or not case.subjects or "logs" in said.intents or not BAD_NEWS.search(said.text):
        return None
    if STATES & {one.claim for one in said.premises if not one.negated}:
        return None
    for log in logs:
        best = log.reading.lines[0] if log.reading.lines else None
        if best is None or log.wanted.why != "running" or best.family == "error" or best.score < ERROR:
            continue
        if not best.late or best.times < (REFUSED if best.family == "rbac" else REPEATED):
            continue
        access = forbidden_in(best.line)
        words = str(access) if access is not None else spoken(replace(best, line=bare(best.line)), 200)
        return Finding(
            "warning",
            log.workload,
            LOG_REPEATS,
            f"the log of container {log.wanted.container} says {best.times} times, to its end: {words}",
            disproof="a log without that line since",
        )
    return None
