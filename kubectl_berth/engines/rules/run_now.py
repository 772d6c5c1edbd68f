"""Whether a CronJob has a run under way, and whether a run of it failed lately: yes or no, with what there is."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import CronJob, Job, age, seconds_since
from kubectl_berth.diagnosis.say import count
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import bare
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.engines.rules.facts.runs import DAY, JOB, LAST, WHEN_PAST, meant, says_only

_NOW = r"right now|now|currently|at the moment|still|at present|at all|already|in progress|under ?way|active|been"
_IS = re.compile(r"^\W*(?:(?:so|and|ok|hey|please)\W+)*(?:is|are)\b[^.?!]*\b(?:running|active|in progress)\b", re.I)
_LONG = re.compile(r"\b(?:how long|since when)\b[^.?!]*\b(?:been running|running|run already)\b", re.IGNORECASE)
_FAILED = re.compile(r"^\W*(?:(?:so|and|ok|hey|please)\W+)*(?:did|has|have|does)\b[^.?!]*\bfail(?:s|ed|ing)?\b", re.I)


def run_now(case: Case) -> Answer | None:
    """The answer where nothing is wrong with it; a fault keeps its diagnosis, which this is said before."""
    return None if case.causes else under_way(case) or failed_lately(case)


def under_way(case: Case) -> Answer | None:
    """Whether a run of the CronJob goes on, and since when; None for another question."""
    text, cron = bare(case), _only_one(case)
    asks_long = _LONG.search(text) is not None
    if cron is None or not (asks_long or _IS.search(text)):
        return None
    if not says_only(case, [cron], _NOW, JOB, LAST, "running|run|how long|since when"):
        return None
    now = case.inventory.now
    jobs = [one for one in case.inventory.children(cron.ref) if isinstance(one, Job)]
    going = [one for one in jobs if one.outcome() is None and one.status.active]
    if going:
        told = [
            f"{one.ref} has run for {age(now, one.status.start_time)} (since {one.status.start_time})" for one in going
        ]
        return f"{'' if asks_long else 'Yes: '}{'; '.join(told[:3])}.", []
    if asks_long or cron.status.active or "jobs" in case.inventory.unread:
        return None
    last = cron.status.last_schedule_time
    ran = f"it last started {age(now, last)} ago ({last})" if last else "it has not started a run on record"
    held = ", and it is suspended: it starts nothing" if cron.spec.suspend else ""
    return f"No: no run of {cron.ref} is under way; {ran}{held}.", [f"schedule `{cron.spec.schedule}`"]


def failed_lately(case: Case) -> Answer | None:
    """Whether a run of the CronJob failed; a try that failed before one that succeeded is told."""
    text, cron = bare(case), _only_one(case)
    if cron is None or not _FAILED.search(text):
        return None
    if not says_only(
        case, [cron], WHEN_PAST, JOB, LAST, "fail(?:s|ed|ing)?|runs?|once|times?|at", text=_no_failing(text)
    ):
        return None
    inventory = case.inventory
    ended = [(one, end) for one in inventory.children(cron.ref)
             if isinstance(one, Job) and (end := one.outcome()) is not None]  # fmt: skip
    if re.search(rf"\b(?:{WHEN_PAST})\b", text, re.IGNORECASE):
        passed = [(seconds_since(inventory.now, end.last_transition_time), one, end) for one, end in ended]
        ended = [(one, end) for since, one, end in passed if since is not None and since <= DAY]
    if not ended:
        return None
    rows = [
        f"{one.ref} {'succeeded' if end.type == 'Complete' else f'failed ({end.reason})'} "
        f"{age(inventory.now, end.last_transition_time)} ago"
        + (f", after {count(one.status.failed, 'try')} that failed" if one.status.failed == 1 else "")
        + (f", after {one.status.failed} tries that failed" if one.status.failed > 1 else "")
        for one, end in sorted(ended, key=lambda pair: pair[1].last_transition_time or "", reverse=True)
    ]
    bad = any(end.type != "Complete" for _, end in ended)
    if bad:
        rows.sort(key=lambda row: " failed (" not in row)
    return f"{'Yes' if bad else 'No'}: {rows[0]}.", rows[1:5]


def _no_failing(text: str) -> str:
    return re.sub(r"\bfail(?:s|ed|ing)?\b", " ", text, flags=re.IGNORECASE)


def _only_one(case: Case) -> CronJob | None:
    found = meant(case)
    return found[0] if len(found) == 1 and isinstance(found[0], CronJob) else None
