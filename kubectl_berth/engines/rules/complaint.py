"""A workload that looks well and does not do its work, by its own log: an error that it repeats to the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.logs.forbidden import forbidden_in
from kubectl_berth.engines.rules.logs.full_store import STORE_FULL, full_words
from kubectl_berth.engines.rules.logs.operator_log import tends
from kubectl_berth.engines.rules.logs.reading import Telling, same_gist
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


_OVER = re.compile(
    r"\b(?:recover(?:ed|y)|re-?connected|re-?established|resumed|caught up|succeeded|healthy again|"
    r"back (?:up|online|to normal)|connected(?: again)?)\b",
    re.IGNORECASE,
)


def complained(case: Case) -> bool:
    """True where the question is a complaint: one of errors, or a sentence with a word for what goes wrong."""
    said = case.understanding
    claims = {one.claim for one in said.premises if not one.negated}
    return bool(BAD_NEWS.search(said.text)) or "failing" in claims


def over(log: LogSeen, line: Telling) -> bool:
    """True where the log says after the last of these lines that it is well again."""
    last = max((place for place, one in enumerate(log.tail) if same_gist(one, line.line)), default=-1)
    return last >= 0 and any(_OVER.search(one) for one in log.tail[last + 1 :])


def told_by_log(case: Case, logs: Sequence[LogSeen]) -> Finding | None:
    """What a healthy subject's log says against it; None where nobody complained, or it says nothing of the kind."""
    said = case.understanding
    about = case.subjects or said.namespaces
    blames = complained(case)
    if not case.healthy or not about or "logs" in said.intents or not (blames or tends(case)):
        return None
    if STATES & {one.claim for one in said.premises if not one.negated}:
        return None
    for log in logs:
        best = log.reading.lines[0] if log.reading.lines else None
        if best is None or log.wanted.why != "running" or best.score < ERROR or over(log, best):
            continue
        if (best.family == "error" and not best.severe) or (best.family != "rbac" and not blames):
            continue
        if not best.late or best.times < (REFUSED if best.family == "rbac" else REPEATED):
            continue
        return _finding(case, log, best)
    return None


def _finding(case: Case, log: LogSeen, best: Telling) -> Finding:
    access = forbidden_in(best.line)
    words = str(access) if access is not None else spoken(replace(best, line=bare(best.line)), 200)
    said = f"the log of container {log.wanted.container} says {best.times} times, to its end: {words}"
    pod = case.inventory.pod(log.wanted.pod.namespace, log.wanted.pod.name)
    if best.family == STORE_FULL and pod is not None:
        said = f"{full_words(case.inventory, pod, best.line)}; {said}"
    return Finding("warning", log.workload, LOG_REPEATS, said, disproof="a log without that line since")
