"""The last lines of a log, for a question that asks to see it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.before import before
from kubectl_berth.engines.rules.logs.reading import read_log
from kubectl_berth.engines.rules.material import LogSeen
from kubectl_berth.engines.rules.opening import Opening
from kubectl_berth.engines.rules.orders import gives_orders, quoted

MOST = 20
_SHOW = re.compile(
    r"\b(?:show|print|give|get|tail|fetch|display|see|cat|read|dump|paste|list|want|need)\b[^.?!]{0,40}\blogs?\b|"
    r"^\W*(?:the )?logs? (?:of|from|for)\b|\blast \d{1,4} (?:log )?lines\b|"
    r"^\W*[\w./-]+\s+logs?(?:\s+(?:please|pls))?\W*$",
    re.IGNORECASE,
)


_ERRORS = re.compile(
    r"\b(?:show|print|give|get|tail|fetch|display|list|what(?:'?s| is| are| were| was)?|which|any|see)\b[^.?!]{0,40}"
    r"\b(?:errors?|exceptions?|error (?:messages?|lines?)|stack ?traces?)\b(?![^.?!]*\b(?:mean|why|fix|about)\b)|"
    r"\blast \d{0,3} ?errors?\b",
    re.IGNORECASE,
)


def shown(case: Case, logs: Sequence[LogSeen]) -> Opening | None:
    """What is said before the verdict because it was asked for: lines of a log, or a fact beside a fault."""
    return _errors(case, logs) or _log(case, logs) or before(case)


def _errors(case: Case, logs: Sequence[LogSeen]) -> Opening | None:
    """The last lines of the logs that tell of an error, the newest last."""
    if not case.subjects or not _ERRORS.search(case.understanding.text):
        return None
    told = [(log, [line for line in log.tail if line.strip() and _tells(line)]) for log in logs if not log.failure]
    told = [(log, lines[-MOST:]) for log, lines in told if lines]
    if not told:
        return None
    log, lines = max(told, key=lambda pair: len(pair[1]))
    which = "previous log" if log.wanted.previous else "log"
    where = f"{which} of container {log.wanted.container} in {log.wanted.pod}"
    head = (
        f"The last line of the {where} that tells"
        if len(lines) == 1
        else f"The last {len(lines)} lines of the {where} that tell"
    )
    return Opening(
        f"{head} of an error, the newest last: {quoted(lines[-1], 200)}",
        ["\n".join(f"- {quoted(line, 240)}" for line in lines)] if len(lines) > 1 else [],
    )


def _tells(line: str) -> bool:
    return not gives_orders(line) and bool(read_log([line]).lines)


def _log(case: Case, logs: Sequence[LogSeen]) -> Opening | None:
    """The log's end, without what gives orders; None where no log is asked for."""
    if not case.subjects or not _SHOW.search(case.understanding.text):
        return None
    if not logs and "logs" not in case.understanding.intents:
        return None  # none was read
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
