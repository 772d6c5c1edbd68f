"""The last lines of a log, for a question that asks to see it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.material import LogSeen
from kubectl_berth.engines.rules.opening import Opening
from kubectl_berth.engines.rules.orders import gives_orders, quoted

MOST = 20
_SHOW = re.compile(
    r"\b(?:show|print|give|get|tail|fetch|display|see|cat|read|dump|paste|list|want|need)\b[^.?!]{0,40}\blogs?\b|"
    r"^\W*(?:the )?logs? (?:of|from|for)\b|\blast \d{1,4} (?:log )?lines\b",
    re.IGNORECASE,
)


def shown(case: Case, logs: Sequence[LogSeen]) -> Opening | None:
    """The log's end, without what gives orders; None where no log is asked for."""
    if not case.subjects or not _SHOW.search(case.understanding.text):
        return None
    if not logs:
        return Opening(f"There is no log of {case.subjects[0]} to show: no container of it that has one was found.")
    log = logs[0]
    which = "previous log" if log.wanted.previous else "log"
    where = f"{which} of container {log.wanted.container} in {log.wanted.pod}"
    if log.failure:
        return Opening(f"The {where} could not be read: {log.failure}.")
    kept = [line for line in log.tail if line.strip() and not gives_orders(line)][-MOST:]
    if not kept:
        return Opening(f"The {where} is empty.")
    lines = "\n".join(f"- {quoted(line, 240)}" for line in kept)
    return Opening(
        f"The last {len(kept)} lines of the {where}, masked where something looks like a credential:", [lines]
    )
