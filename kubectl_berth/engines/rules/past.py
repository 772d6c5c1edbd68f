"""Earlier incidents and runbooks, held against what is seen now: taken up where they fit, set aside where not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kubectl_berth.cluster.views import age
from kubectl_berth.engines.engine import ToolCall
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.material import LogSeen
from kubectl_berth.engines.rules.orders import gives_orders, quoted, without_orders
from kubectl_berth.knowledge.runbooks import Runbook
from kubectl_berth.knowledge.store import StoreError
from kubectl_berth.records import Finding, Incident
from kubectl_berth.tools.context import Context

_LEANS = re.compile(
    r"\b(?:same|like|as) (?:as )?(?:last|the other|before)\b|\blast (?:time|incident)\b|"
    r"\b(?:same|like|again)\b[^.?!]{0,40}\blast (?:week|night|month)\b|\bhappened before\b|"
    r"\bpast incidents?\b|\bknown (?:issue|problem)\b|\bseen (?:this|that|it) before\b|\bprevious incidents?\b|"
    r"\bagain\b[^.?!]{0,30}\bsame\b|\bremember\b[^.?!]{0,30}\b(?:time|incident)\b",
    re.IGNORECASE,
)

_FAMILIES: tuple[tuple[str, str], ...] = (
    ("memory", r"oom|memory|\bheap\b|\bleak"),
    ("probe", r"liveness|readiness|startup ?probe|\bprobes?\b"),
    ("image", r"\bimages?\b|imagepull|registry|\btags?\b|pull secret"),
    ("settings", r"config|\benv\b|environment|setting|\bkeys?\b|\bsecrets?\b"),
    ("connection", r"refused|time(?:d )?out|\bdns\b|resolv|network ?polic|\bno such host\b|endpoint|selector"),
    ("storage", r"\bdisk|volume|\bpvc|no space|storage|mount"),
    ("quota", r"quota|limitrange"),
    ("scheduling", r"insufficient|unschedul|taint|pending|affinity|capacity"),
    ("node", r"\bnode\b|kubelet|notready"),
    ("certificate", r"certificate|\btls\b|x509|expired"),
    ("rights", r"rbac|forbidden|permission|unauthori"),
    ("admission", r"webhook|admission|podsecurity"),
    ("database", r"migration|relation|column|schema|checkpoint|corrupt"),
)


def past_calls(case: Case) -> list[ToolCall]:
    """The calls for what the question leans on: earlier incidents, a runbook."""
    calls = []
    if leans(case):
        calls.append(ToolCall("recall_incidents", {"query": _query(case)}))
    if "runbook" in case.understanding.intents:
        calls.append(ToolCall("lookup_runbook", {"query": _query(case)}))
    return calls


def leans(case: Case) -> bool:
    """True where the question compares with something that was before."""
    return bool(_LEANS.search(case.understanding.text))


def _query(case: Case) -> str:
    names = [ref.name for ref in case.subjects[:2]]
    reasons = [one.reason for one in (*case.causes, *case.symptoms)[:3]]
    return " ".join(dict.fromkeys((*names, *reasons))) or case.understanding.text[:200]


def past_words(case: Case, context: Context, logs: Sequence[LogSeen], orders: set[str]) -> str:
    """Paragraphs on the notes and the runbook that the question leans on; "" where it leans on none."""
    told = [_incidents(case, context, logs, orders)] if leans(case) else []
    if "runbook" in case.understanding.intents:
        told.append(_runbook(case, context, logs))
    return "\n\n".join(part for part in told if part)


def _now(case: Case, logs: Sequence[LogSeen]) -> set[str]:
    """The families of what is wrong now."""
    texts = [f"{one.reason} {one.summary}" for one in case.causes]
    texts += [log.best.line for log in logs if log.best is not None and not _kill(case.causes)]
    return _families(texts)


def _kill(causes: Iterable[Finding]) -> bool:
    return any(one.reason.lower().startswith("oom") for one in causes)


def _families(texts: Iterable[str]) -> set[str]:
    text = " ".join(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", one) for one in texts)
    return {name for name, pattern in _FAMILIES if re.search(pattern, text, re.IGNORECASE)}


# --- incidents ------------------------------------------------------------------------------------------------------


def _incidents(case: Case, context: Context, logs: Sequence[LogSeen], orders: set[str]) -> str:
    try:
        notes, count = context.memory.recall(_query(case), 3)
    except StoreError as error:
        return f"**Earlier incidents.** The notes could not be read ({quoted(str(error), 120)})."
    if not notes:
        some = f"none of the {count} notes about this cluster fits" if count else "there is no note about this cluster"
        return f"**Earlier incidents.** Whether it is the same cannot be told: {some}. This rests on what is seen now."
    present = _now(case, logs)
    lines = [_note(case, context, note, present, orders) for note in notes]
    return "\n".join(["**Earlier incidents**", *(f"- {line}" for line in lines)])


def _note(case: Case, context: Context, note: Incident, present: set[str], orders: set[str]) -> str:
    when = f"The note of {note.time:%Y-%m-%d} ({age(context.now, note.time.isoformat())} ago)"
    if any(gives_orders(text) for text in (note.title, note.root_cause, note.fix)):
        orders.add(f"a past incident's note of {note.time:%Y-%m-%d}")
    if not case.causes:
        return f"{when}: nothing of the kind is wrong now, so it does not apply."
    then = _families([note.root_cause])
    worst = case.causes[0]
    if then & present and not then - present:
        fix, _ = without_orders(note.fix)
        tail = f" What helped then, by the note: {quoted(fix, 200)}." if fix and not gives_orders(note.fix) else ""
        return f"{when} names the same kind of cause, and the evidence of today bears it out ({worst.reason}).{tail}"
    return (
        f"{when} does not match: it names another cause, and nothing seen now supports that one. Today it is "
        f"{worst.reason} ({worst.subject}). The note was not used."
    )


# --- runbooks -------------------------------------------------------------------------------------------------------


def _runbook(case: Case, context: Context, logs: Sequence[LogSeen]) -> str:
    found = context.library.match(_query(case)) or context.library.match(case.understanding.text)
    if not found:
        return "**Runbook.** None fits what is seen."
    book = found[0]
    present = _now(case, logs)
    title = quoted(book.title, 100)
    if not case.causes:
        return f"**Runbook.** The nearest is {title}; nothing is wrong now that it would be needed for."
    worst = case.causes[0]
    if _fits(book, case, present):
        return f"**Runbook.** {title} is about what is seen ({worst.reason}): its steps apply."
    restart = (
        " Restarting, which it asks for, does not change this cause." if re.search(r"restart", book.text, re.I) else ""
    )
    return (
        f"**Runbook.** {title} does not fit: what is seen is {worst.reason} ({worst.subject}), which its steps do not "
        f"remove.{restart}"
    )


def _fits(book: Runbook, case: Case, present: set[str]) -> bool:
    reasons = {one.reason.lower() for one in (*case.causes, *case.symptoms)}
    if reasons & {reason.lower() for reason in book.reasons}:
        return True
    return bool(_families([book.title, *book.symptoms]) & present)
