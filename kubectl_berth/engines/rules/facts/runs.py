"""Jobs and what starts them: when one last ran and succeeded, which failed, which CronJobs there are and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from kubectl_berth.cluster.views import Condition, CronJob, Job, age, duration, parse_time, seconds_since
from kubectl_berth.diagnosis.say import clip, count, listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import ASKS, bare, capped, half, in_place, only, place
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.engines.rules.orders import gives_orders, quoted

MOST = 15
DAY = 86400
JOB = r"(?:cron[ -]?|batch[ -]?)?jobs?|crons?|scheduled (?:jobs?|tasks?)|tasks?"
LAST = r"last|latest|most recent|recently|newest|ever"
_RAN = (
    r"succe(?:ed|eded|ss|ssful|ssfully)|r[ua]ns?|running|execut\w*|complet(?:e|ed)|finish(?:ed)?|start(?:ed)?|done|"
    r"go through|gone through|went through|fire(?:d)?|trigger(?:ed)?|work(?:ed)?|happen(?:ed)?"
)
WHEN_PAST = (
    r"(?:last|this|to)[ -]?night(?:['’]?s)?|yesterday(?:['’]?s)?|today(?:['’]?s)?|this (?:morning|evening)(?:['’]?s)?|"
    r"overnight|already|yet|nightly|daily|hourly|weekly|in the last (?:24 hours|day)"
)
_SCHEDULE = r"schedul\w+|next|when|times?|time ?zones?|suspend\w*|due|cron expressions?|often"
_NIGHT = re.compile(rf"\b(?:{WHEN_PAST})\b", re.IGNORECASE)
_STATES = {
    "failed": r"fail(?:ed|ing|s)?|broken|unsuccessful|in error",
    "running": r"running|active|under way|in progress",
    "suspended": r"suspended",
    "succeeded": r"succeeded|successful|completed?|finished|done",
}
_JOB_LIST = re.compile(r"\b(?:how many|which|what|list|show|any|are there|count|number of)\b", re.IGNORECASE)


def last_run(case: Case) -> Answer | None:
    """When a CronJob or Job last ran or succeeded, or whether it did in the night; None for another question."""
    text = case.understanding.text
    asks = re.search(rf"\b(?:{LAST})\b", text, re.I) or _NIGHT.search(text)
    if not asks or not re.search(rf"\b(?:{_RAN})\b", text, re.I) or not ASKS.search(text):
        return None
    found = meant(case)
    if not found or len(found) > 4 or not says_only(case, found, WHEN_PAST, LAST, _RAN, JOB):
        return None
    return _told(case, found[0]) if len(found) == 1 else _several(case, found)


def meant(case: Case) -> list[CronJob | Job]:
    """The CronJobs and Jobs that are subjects; without any, the CronJobs with a word of the question in their names."""
    views = [case.inventory.find(ref) for ref in case.subjects]
    crons = [one for one in views if isinstance(one, CronJob)]
    jobs = [one for one in views if isinstance(one, Job)]
    if crons or jobs:
        return list(crons or jobs)
    return [] if case.subjects else list(_by_word(case))


def _by_word(case: Case) -> list[CronJob]:
    said = {word.removesuffix("s") for word in re.findall(r"[a-z]{4,}", case.understanding.text.lower())}
    every = [one for one in case.inventory.cron_jobs if in_place(case, one.namespace)]
    return [one for one in every if said & {part.removesuffix("s") for part in one.name.split("-")}]


def says_only(case: Case, found: Sequence[CronJob | Job], *patterns: str, text: str | None = None) -> bool:
    """True where nothing is said beside these words and parts of the names found."""
    parts = {re.escape(part) for one in found for part in one.name.lower().split("-")}
    return only(case, *patterns, rf"(?:{'|'.join(sorted(parts))})s?", text=text)


def _several(case: Case, found: Sequence[CronJob | Job]) -> Answer:
    told = [_told(case, one)[0] for one in found]
    return " ".join(told[:2]), told[2:]


def _told(case: Case, one: CronJob | Job) -> Answer:
    return _job(case, one) if isinstance(one, Job) else _cron(case, one)


def _job(case: Case, job: Job) -> Answer:
    now, end = case.inventory.now, job.outcome()
    started = f"started {age(now, job.status.start_time)} ago ({job.status.start_time})" if job.status.start_time else (
        "has not started"
    )  # fmt: skip
    if end is None:
        return f"{job.ref} {started} and has not ended yet.", []
    how = "succeeded" if end.type == "Complete" else f"failed ({end.reason or 'no reason given'})"
    word = {True: "Yes: ", False: "No: "}[end.type == "Complete"] if _whether(case) else ""
    return (
        f"{word}{job.ref} {started} and {how} {age(now, end.last_transition_time)} ago ({end.last_transition_time}).",
        [],
    )


def _whether(case: Case) -> bool:
    return bool(
        re.search(r"^\W*(?:(?:so|and|ok|hey|please)\W+)*(?:did|has|have|was|is)\b", case.understanding.text, re.I)
    )


def _cron(case: Case, cron: CronJob) -> Answer:
    now = case.inventory.now
    last, good = cron.status.last_schedule_time, cron.status.last_successful_time
    lines = [_schedule(cron, now)]
    lines += [f"last started {age(now, last)} ago ({last})"] if last else []
    lines += _ended(case, cron)
    held = " It is suspended: it starts nothing." if cron.spec.suspend else ""
    if good is None and last is None:
        return (
            f"{'No: ' if _whether(case) else ''}{cron.ref} has never started a run, as far as its status says.{held}",
            lines,
        )
    well = f"last succeeded {age(now, good)} ago ({good})" if good else "has never succeeded, as far as its status says"
    ran = f"last started {age(now, last)} ago ({last})" if last else "has not started a run that is on record"
    if not _whether(case):
        going = f"{ran}, and that run goes on; it " if cron.status.active and last else ""
        return f"{cron.ref} {going}{well}.{held}", lines
    passed = seconds_since(now, last)
    recent = passed is not None and (passed < DAY or not _NIGHT.search(case.understanding.text))
    if not recent:
        return f"No: not in the last 24 hours. {cron.ref} {ran}, and {well}.{held}", lines
    done = _not_before(good, last)
    state = f"and {well.removeprefix('last ')}" if done else f"but that run has not succeeded; it {well}"
    only_ran = not re.search(r"\bsucce|\bfinish|\bcomplet|\bwork", case.understanding.text, re.I)
    return f"{'Yes' if done or only_ran else 'No'}: {cron.ref} {ran} {state}.{held}", lines


def _not_before(one: str | None, other: str | None) -> bool:
    first, second = parse_time(one), parse_time(other)
    return first is not None and second is not None and first >= second


def _ended(case: Case, cron: CronJob) -> list[str]:
    """How the newest Jobs of it ended, and which run now."""
    jobs = [one for one in case.inventory.children(cron.ref) if isinstance(one, Job)]
    jobs.sort(
        key=lambda one: parse_time(one.status.start_time) or datetime.min.replace(tzinfo=case.inventory.now.tzinfo)
    )
    lines = []
    for job in reversed(jobs[-3:]):
        end = job.outcome()
        how = "runs still" if end is None else "succeeded" if end.type == "Complete" else f"failed ({end.reason})"
        lines.append(f"{job.ref}: {how}, started {age(case.inventory.now, job.status.start_time)} ago")
    return lines


def said_of_runs(case: Case, cron: CronJob) -> Answer:
    """When a CronJob last ran and succeeded, and by what schedule, whatever was asked."""
    now = case.inventory.now
    last, good = cron.status.last_schedule_time, cron.status.last_successful_time
    ran = (
        f"last started {age(now, last)} ago ({last})" if last else "has never started a run, as far as its status says"
    )
    well = f" and last succeeded {age(now, good)} ago ({good})" if good else " and has no success on record"
    return f"{cron.ref} {ran}{well if last or good else ''}; {_schedule(cron, now)}.", _ended(case, cron)


def timed_by_word(case: Case) -> CronJob | None:
    """The only CronJob with a word of the question in its name, where a job or a run is spoken of."""
    found = _by_word(case) if re.search(rf"\b(?:{JOB}|run|ran)\b", case.understanding.text, re.IGNORECASE) else []
    return found[0] if len(found) == 1 else None


def of_cron(case: Case) -> Answer | None:
    """How long runs take, how many failed, whether it is suspended; None for another question."""
    text = bare(case)
    found = meant(case)
    if len(found) != 1 or not isinstance(found[0], CronJob) or not ASKS.search(text):
        return None
    cron, now = found[0], case.inventory.now
    jobs = [one for one in case.inventory.children(cron.ref) if isinstance(one, Job)]
    ended = [(one, end) for one in jobs if (end := one.outcome()) is not None]
    if re.search(r"\bsuspended\b|\bpaused\b", text, re.I) and says_only(
        case, found, "suspended|paused", JOB, WHEN_PAST
    ):
        state = "Yes" if cron.spec.suspend else "No"
        return f"{state}: {cron.ref} is {'' if cron.spec.suspend else 'not '}suspended.", [_schedule(cron, now)]
    long = r"(?:how )?long|duration|take[sn]?|took|usually|normally|typically|on average"
    if re.search(r"\bhow long\b|\bduration\b", text, re.I) and says_only(case, found, long, WHEN_PAST, LAST, _RAN, JOB):
        if cron.status.active and re.search(r"\bbeen running\b", text, re.IGNORECASE):
            return None  # the one that runs is meant
        rows = [_length(one, end) for one, end in ended if end.type == "Complete"]
        rows = [row for row in reversed(rows) if row]
        return (f"The last run of {cron.ref} that is kept took {rows[0]}.", rows[1:4]) if rows else None
    if re.search(r"\blast\b[^.?!]*\bfail", text, re.I) and says_only(
        case, found, "fail(?:ed|s|ures?)?", LAST, _RAN, JOB
    ):
        bad = [one for one, end in ended if end.type == "Failed"]
        if not bad:
            return f"No failed run of {cron.ref} is kept{half(case, 'jobs')}.", _ended(case, cron)
        return f"The last failed run of {cron.ref} that is kept: {_outcome(case, bad[-1])}.", []
    failures = r"how (?:many|often)|times?|fail(?:ed|s|ures?)?|runs?|of (?:its|the) runs"
    if re.search(r"\bhow (?:many|often)\b[^.?!]*\bfail", text, re.I) and says_only(
        case, found, failures, WHEN_PAST, LAST, JOB
    ):
        bad = [one for one, end in ended if end.type == "Failed"]
        head = f"{len(bad) or 'None'} of the {count(len(ended), 'ended run')} of {cron.ref} that are kept failed"
        return f"{head}{half(case, 'jobs')}.", [_outcome(case, one) for one in bad[:MOST]]
    return None


def _length(job: Job, end: Condition) -> str:
    """ "7m (Job books/dump-1)"."""
    began, over = parse_time(job.status.start_time), parse_time(end.last_transition_time)
    return f"{duration((over - began).total_seconds())} ({job.ref})" if began and over else ""


def _schedule(cron: CronJob, now: datetime) -> str:
    zone = " (time zone of the controller, as a rule UTC)"
    if cron.spec.time_zone:
        zone = f" in time zone {cron.spec.time_zone}{_in_utc(cron, now)}"
    return f"schedule `{cron.spec.schedule}`{zone}" + (", suspended" if cron.spec.suspend else "")


def _in_utc(cron: CronJob, now: datetime) -> str:
    """What the time of day of a plain schedule is in UTC today; "" where it names none, or the zone is not known."""
    found = re.match(r"(\d{1,2}) (\d{1,2}) ", cron.spec.schedule)
    if found is None or int(found[1]) > 59 or int(found[2]) > 23:
        return ""
    try:
        there = now.astimezone(ZoneInfo(cron.spec.time_zone or ""))
    except (ZoneInfoNotFoundError, ValueError):
        return ""
    at = there.replace(hour=int(found[2]), minute=int(found[1]), second=0, microsecond=0)
    return f" ({at:%H:%M} there is {at.astimezone(UTC):%H:%M} UTC)"


# --- lists ----------------------------------------------------------------------------------------------------------


def jobs_in_state(case: Case) -> Answer | None:
    """How many Jobs failed, run or are done, by name with the reason; None for another question."""
    text = bare(case)
    if case.subjects or "CronJob" not in case.understanding.kinds or re.search(r"\bcron", text, re.I):
        return None
    state = next((label for label, words in _STATES.items() if re.search(rf"\b(?:{words})\b", text, re.I)), "")
    text = re.sub(r"[\s,]+and why\b", "", text, flags=re.IGNORECASE)  # the reason is told with the name
    if (
        not state
        or not _JOB_LIST.search(text)
        or not only(case, _STATES[state], JOB, WHEN_PAST, "recent(?:ly)?", text=text)
    ):
        return None
    jobs = [one for one in case.inventory.jobs if in_place(case, one.namespace)]
    lately = _DAYTIME.search(text) is not None
    if lately:
        jobs = [one for one in jobs if _recent(case, one)]
    when = " of the last 24 hours" if lately else ""
    hit = sorted((one for one in jobs if _is(one, state)), key=lambda one: one.ref)
    verb = "has" if len(hit) == 1 else "have"
    if state in ("running", "suspended"):
        verb = "is" if len(hit) == 1 else "are"
    head = f"{len(hit) or 'None'} of the {count(len(jobs), 'Job')}{when}{place(case)} {verb} {state}"
    names = ": " + ", ".join(str(one.ref) for one in hit) if 0 < len(hit) <= 4 else ""
    lines = capped([_outcome(case, one) for one in hit], MOST) if state != "succeeded" or len(hit) <= MOST else []
    return f"{head}{names}{half(case, 'jobs')}.", lines


_DAYTIME = re.compile(
    r"\b(?:last|this|to)[ -]?night|\byesterday|\btoday|\bthis (?:morning|evening)|\bovernight|"
    r"\blast (?:24 hours|day)\b",
    re.IGNORECASE,
)


def _recent(case: Case, job: Job) -> bool:
    """True for one that ended in the last 24 hours or runs still."""
    end = job.outcome()
    passed = seconds_since(case.inventory.now, end.last_transition_time) if end is not None else 0
    return passed is not None and passed <= DAY


def _is(job: Job, state: str) -> bool:
    end = job.outcome()
    if state == "failed":
        return end is not None and end.type == "Failed"
    if state == "succeeded":
        return end is not None and end.type == "Complete"
    return end is None and (job.spec.suspend if state == "suspended" else job.status.active > 0)


def _outcome(case: Case, job: Job) -> str:
    end, now = job.outcome(), case.inventory.now
    if end is None:
        return f"{job.ref}: started {age(now, job.status.start_time)} ago, {job.status.active} active"
    told = (
        f" ({end.reason}{f': {quoted(clip(end.message, 160))}' if _plain(end.message) else ''})" if end.reason else ""
    )
    return f"{job.ref}: {age(now, end.last_transition_time)} ago{told}"


def _plain(message: str) -> bool:
    return bool(message) and not gives_orders(message)


def schedules(case: Case) -> Answer | None:
    """The CronJobs there are, each with its schedule, time zone and last run; None for another question."""
    text = case.understanding.text
    listing = re.search(r"\b(?:which|what|list|show|when|all|how often|do we have|are there)\b", text, re.I)
    about = re.search(r"\bcron|\bscheduled\b|\bnext (?:planned )?runs?\b", text, re.I) or (
        re.search(r"\bjobs?\b|\bback-?ups?\b|\breports?\b", text, re.I)
        and re.search(r"\bnext\b|\bschedule", text, re.I)
    )
    if not listing or not about or not ASKS.search(text):
        return None
    every = [one for one in case.inventory.cron_jobs if in_place(case, one.namespace)]
    named = [one for one in every if one.ref in case.subjects]
    meant = named or ([] if case.subjects else _by_word(case))
    if (case.subjects and not named) or not says_only(
        case, meant, JOB, _SCHEDULE, _RAN, "have|has|exist|there|suspended"
    ):
        return None
    if len(meant) == 1 and (len(every) > 1 or named):
        return f"{meant[0].ref} has the {_schedule(meant[0], case.inventory.now)}.", _cron(case, meant[0])[1][1:]
    shown = sorted(meant or every, key=lambda one: one.ref)
    if re.search(r"\b(?:all|every|each|any)\b", text, re.I) and re.search(r"^\W*(?:did|have|has)\b", text, re.I):
        return _at_last(case, shown)
    if not named and re.search(r"\bsuspended\b", text, re.IGNORECASE):
        held = [one for one in shown if one.spec.suspend]
        verb = "is" if len(held) == 1 else "are"
        head = f"{len(held) or 'None'} of the {count(len(shown), 'CronJob')}{place(case)} {verb} suspended"
        names = f": {listed([str(one.ref) for one in held], 8)}" if held else ""
        return f"{head}{half(case, 'cron_jobs')}{names}.", []
    if not shown:
        return f"There is no CronJob{place(case)}{half(case, 'cron_jobs')}.", []
    names = ", ".join(f"{one.namespace}/{one.name} `{one.spec.schedule}`" for one in shown[:4])
    more = f" and {len(shown) - 4} more" if len(shown) > 4 else ""
    lines = [_row(case, one) for one in shown]
    note = (
        ["the next run is not worked out: it follows from the schedule"] if re.search(r"\bnext\b", text, re.I) else []
    )
    verb = "is" if len(shown) == 1 else "are"
    head = f"There {verb} {count(len(shown), 'CronJob')}{place(case)}{half(case, 'cron_jobs')}: {names}{more}."
    return head, [*capped(lines, MOST), *note]


def _at_last(case: Case, crons: Sequence[CronJob]) -> Answer | None:
    """Which CronJobs succeeded at their last run, and which did not."""
    begun = [one for one in crons if one.status.last_schedule_time]
    if not begun:
        return None
    bad = [one for one in begun if not _not_before(one.status.last_successful_time, one.status.last_schedule_time)]
    head = f"{len(begun) - len(bad)} of {count(len(begun), 'CronJob')}{place(case)} succeeded at the last run"
    rest = f"; not so: {listed([str(one.ref) for one in bad], 6)}" if bad else ""
    word = "No" if bad else "Yes"
    lines = capped([_row(case, one) for one in crons], MOST)
    return f"{word}: {head}{rest}{half(case, 'cron_jobs')}.", lines


def _row(case: Case, one: CronJob) -> str:
    now = case.inventory.now
    last, good = one.status.last_schedule_time, one.status.last_successful_time
    ran = f"last started {age(now, last)} ago" if last else "never started"
    well = f", last succeeded {age(now, good)} ago" if good else ""
    active = f", {len(one.status.active)} active now" if one.status.active else ""
    return f"{one.ref}: {_schedule(one, now)}; {ran}{well}{active}"
