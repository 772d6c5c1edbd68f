"""Writes the answer: outcome first, then cause, evidence, effects, what still works, what to do, what was not seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from kubectl_berth.engines.rules_advice import advice
from kubectl_berth.engines.rules_case import Case, LogWanted
from kubectl_berth.engines.rules_logs import Reading, Telling
from kubectl_berth.engines.rules_orders import quoted, without_orders
from kubectl_berth.engines.rules_serving import Target, figure
from kubectl_berth.records import Finding, Gap, Ref

MOST_CAUSES = 4
MOST_EVIDENCE = 4
MOST_OBJECTS = 6


LIMITS = (
    "This is one moment, seen from the cluster's side: what an application does with each request, and what has left "
    "no event behind, is not seen."
)


@dataclass
class LogSeen:
    """A log that was asked for: what it told, where its hosts lead, or why it could not be read."""

    wanted: LogWanted
    workload: Ref
    reading: Reading = field(default_factory=Reading)
    waiting: Telling | None = None
    targets: tuple[Target, ...] = ()
    failure: str = ""

    @property
    def best(self) -> Telling | None:
        """The line that matters most."""
        return self.reading.lines[0] if self.reading.lines else self.waiting


@dataclass
class Material:
    """Everything an answer is written from. `operator` is a sentence on who manages the main subject."""

    case: Case
    logs: Sequence[LogSeen] = ()
    serving: Sequence[str] = ()
    gaps: Sequence[Gap] = ()
    operator: str = ""
    counted: str = ""
    preface: Sequence[str] = ()
    premises: Sequence[str] = ()
    orders: set[str] = field(default_factory=set)

    def say(self, text: str, source: str) -> str:
        """Foreign text without its orders; that there were any is remembered with where it stood."""
        clean, found = without_orders(text)
        if found:
            self.orders.add(source)
        return clean.strip()


def write(material: Material) -> str:
    """The answer in Markdown."""
    case = material.case
    parts: list[str] = [verdict(material), *material.preface]
    several = len(case.causes) > 1
    for number, cause in enumerate(case.causes[:MOST_CAUSES], 1):
        parts.append(_cause(material, cause, number if several else 0))
    rest = [_about(material, one) for one in case.causes[MOST_CAUSES:]]
    parts.append(_list(f"**And {len(rest)} more**", rest, 8))
    parts.append(_loose_logs(material))
    parts.append(_list("**What it brings with it**", _effects(material), MOST_OBJECTS))
    parts.append(_list("**Still working**", material.serving, MOST_OBJECTS))
    parts.append(material.operator)
    parts.extend(material.premises)
    parts.append(_list("**Worth knowing, no fault**", _notes(material), 4))
    parts.append(_list("**What to do** (nothing was changed; berth only reads)", _remedies(material), MOST_OBJECTS))
    parts.append(_list("**What would show that this is wrong**", _disproofs(case), 3))
    if case.healthy:
        parts.append(LIMITS)
    parts.append(_list("**Elsewhere in the cluster**", _elsewhere(material), 3))
    parts.append(_orders(material))
    parts.append(_list("**Not checked**", gap_lines(material.gaps, material.logs), 8))
    parts.append(_footer(material))
    return "\n\n".join(part for part in parts if part).strip() + "\n"


# --- the outcome ----------------------------------------------------------------------------------------------------


def verdict(material: Material) -> str:
    """The first line: the outcome in one sentence, as yes or no where the question wants it."""
    case = material.case
    worst = next(iter((*case.causes, *case.symptoms)), None)
    if case.lost:
        return f"**{_not_found(case)}**"
    if worst is None:
        return f"**{_capital(_answer(case, fault=False) + _healthy(material))}**"
    main = case.main
    if main is None:
        return f"**{_capital(_answer(case, fault=True) + _wide_verdict(material))}**"
    said = _about(material, worst, main).rstrip(".")
    if (chain := _chain(material)) and worst.subject not in case.explained:
        said = f"{chain}, because {said}"
    state = _state(case)
    known = figure(case.inventory, main)
    label = f"{main} {state}" + (f" ({known})" if known else "")
    joint = ", but " if state in UP else ". "
    said = said if state in UP else _capital(said)
    return f"**{_answer(case, fault=True)}{label}{joint}{said}{_why(material, worst)}.**"


def _chain(material: Material) -> str:
    """What the subject's own log says it cannot reach, where that was followed."""
    for log in material.logs:
        down = next((target for target in log.targets if target.down), None)
        if down is not None and log.wanted.pod in material.case.explained:
            return f"{log.wanted.pod} cannot reach {down.words}"
    return ""


def _answer(case: Case, *, fault: bool) -> str:
    asked = case.understanding.yes_no
    if asked is None:
        return ""
    return "Yes, " if fault == (asked == "bad") else "No, "


UP = ("still serves", "is up at the moment")


def _state(case: Case) -> str:
    main = case.main
    counts = re.match(r"(\d+) of (\d+)", figure(case.inventory, main) if main is not None else "")
    if counts is None:
        critical = any(finding.severity == "critical" for finding in (*case.causes, *case.symptoms))
        return "is not healthy" if critical else "has a fault"
    up, wanted = int(counts.group(1)), int(counts.group(2))
    if up == 0:
        return "is not healthy"
    if up < wanted:
        return "is degraded"
    return UP[1] if _dies_now_and_then(case) else UP[0]


def _dies_now_and_then(case: Case) -> bool:
    """True where the faulty pod itself is among the ready ones: it will be down again."""
    sick = [
        case.inventory.pod(one.subject.namespace, one.subject.name) for one in case.causes if one.subject.kind == "Pod"
    ]
    return any(pod is not None and pod.ready for pod in sick)


def _not_found(case: Case) -> str:
    said = case.understanding
    names = ", ".join(quoted(name, 80) for name in said.missing)
    place = f" in namespace {', '.join(said.namespaces)}" if said.namespaces else " in this cluster"
    nearest = ", ".join(str(ref) for ref in said.near[:4])
    hint = f" The nearest names are {nearest}." if nearest else " No name comes near it."
    return f"Nothing that can be read is called {names}{place}.{hint}"


def _wide_verdict(material: Material) -> str:
    case = material.case
    spaces = case.understanding.namespaces
    place = f"in namespace {', '.join(spaces)}" if spaces else "in the cluster"
    worst = case.causes or case.symptoms
    if len(worst) == 1:
        return f"one fault {place}: {_about(material, worst[0]).rstrip('.')}{_why(material, worst[0])}."
    names = ", ".join(str(finding.subject) for finding in worst[:MOST_CAUSES])
    more = f" and {len(worst) - MOST_CAUSES} more" if len(worst) > MOST_CAUSES else ""
    return f"{len(worst)} faults {place}: {names}{more}."


def _about(material: Material, finding: Finding, known: Ref | None = None) -> str:
    """What a finding says, with its subject's name unless the words or the reader have it already."""
    said = material.say(finding.summary, str(finding.subject))
    if finding.subject == known or finding.subject.name in said:
        return said
    return f"{finding.subject}: {said}"


def _healthy(material: Material) -> str:
    case = material.case
    limits = ", as far as it can be read" if any(gap.why in UNREAD for gap in material.gaps) else ""
    if case.subjects:
        main, *rest = case.subjects
        known = figure(case.inventory, main)
        others = f" Looked at too: {', '.join(map(str, rest[:4]))}." if rest else ""
        state = f" ({known})" if known else ""
        return f"{main} looks healthy{state}{limits}: no fault found.{others}"
    spaces = case.understanding.namespaces
    place = f"namespace {', '.join(spaces)}" if spaces else "the cluster"
    return f"nothing is broken: {place} looks healthy{limits}."


UNREAD = ("forbidden", "unavailable", "timed out", "failed")


def _why(material: Material, finding: Finding) -> str:
    """The log's own word on the finding, for the first line."""
    log = _log_of(material, finding)
    if log is None or log.best is None or finding.reason.lower().startswith("oom"):
        return ""
    down = next((target for target in log.targets if target.down), None)
    if down is not None:
        return f"; {down.words}"
    which = "its previous log says" if log.wanted.previous else "its log says"
    return f"; {which} {spoken(replace(log.best, line=bare(log.best.line)), 200)}"


# --- the parts ------------------------------------------------------------------------------------------------------


def _cause(material: Material, finding: Finding, number: int) -> str:
    source = str(finding.subject)
    head = (
        f"**Cause {number}.** {_sentence(_about(material, finding))}" if number else f"**Evidence** ({finding.subject})"
    )
    lines = [head]
    lines += [f"- {line}" for one in finding.evidence[:MOST_EVIDENCE] if (line := material.say(one, source))]
    log = _log_of(material, finding)
    if log is not None and finding is _first_with(material, log):
        lines += [f"- {line}" for line in log_lines(material, log)]
    return "\n".join(lines)


def _first_with(material: Material, log: LogSeen) -> Finding | None:
    """The cause under which a log is told."""
    return next((one for one in material.case.causes if _log_of(material, one) is log), None)


def log_lines(material: Material, log: LogSeen) -> list[str]:
    """What a log told, as evidence."""
    which = "previous log" if log.wanted.previous else "log"
    where = f"{which} of container {log.wanted.container} in {log.wanted.pod}"
    if log.failure:
        return []
    if log.reading.orders:
        material.orders.add(where)
    told = [f"{_capital(where)}: {spoken(one)}" for one in log.reading.lines[:2]]
    if not told and log.waiting is not None:
        told = [f"{_capital(where)}: {quoted(log.waiting.line)}"]
    if not told and log.reading.last:
        told = [f"{_capital(where)} ends with {quoted(log.reading.last)}; no line of it names an error"]
    if not told:
        told = [f"The {where} is empty"]
    return told + [_capital(f"{target.words}.") for target in log.targets]


def _loose_logs(material: Material) -> str:
    """Logs that belong to no cause that is shown."""
    shown = material.case.causes[:MOST_CAUSES]
    loose = [log for log in material.logs if _first_with(material, log) not in shown]
    if material.case.healthy and "logs" not in material.case.understanding.intents:
        loose = [log for log in loose if log.reading.lines or log.reading.orders]
    lines = [line for log in loose for line in log_lines(material, log)]
    return _list("**From the logs**", lines, 4)


def _log_of(material: Material, finding: Finding) -> LogSeen | None:
    """The log of a container that the finding is about."""
    inventory = material.case.inventory
    touched = {finding.subject, *(pod.ref for pod in inventory.pods_of(finding.subject))}
    if finding.subject.kind in ("Node", "Namespace"):
        return None
    for log in material.logs:
        if log.wanted.pod in touched or log.workload == finding.subject:
            return log
    return None


def _effects(material: Material) -> list[str]:
    case = material.case
    told = [_about(material, finding) for finding in case.symptoms]
    named = {finding.subject for finding in (*case.causes, *case.symptoms)}
    unique = list(dict.fromkeys(ref for cause in case.causes for ref in cause.effects if ref not in named))
    if unique:
        rest = f" and {len(unique) - MOST_OBJECTS} more" if len(unique) > MOST_OBJECTS else ""
        told.append("Also hit: " + ", ".join(map(str, unique[:MOST_OBJECTS])) + rest)
    return told


def _notes(material: Material) -> list[str]:
    return [_about(material, finding) for finding in material.case.notes]


def _elsewhere(material: Material) -> list[str]:
    """Other faults, where what was asked about has none of its own."""
    case = material.case
    if case.causes or case.symptoms:
        return []
    roots = [finding for finding in case.others if finding.severity != "info" and finding.cause]
    return [_about(material, finding) for finding in roots]


def _remedies(material: Material) -> list[str]:
    case = material.case
    told: list[str] = []
    several = len(case.causes) > 1
    for cause in (case.causes or case.symptoms)[:MOST_CAUSES]:
        log = _log_of(material, cause)
        read = log is not None and log.best is not None
        if log is not None and log.best is not None and (not case.causes or cause is _first_with(material, log)):
            told.append(advice(log.best, log.workload, log.wanted.container))
        # what a log says has been read already
        if cause.remedy and not (read and "kubectl logs" in cause.remedy):
            told.append(f"{cause.subject}: {cause.remedy}" if several else cause.remedy)
    return told


def _disproofs(case: Case) -> list[str]:
    return [_sentence(one) for one in dict.fromkeys(cause.disproof for cause in case.causes[:MOST_CAUSES]) if one]


def _orders(material: Material) -> str:
    if not material.orders:
        return ""
    places = ", ".join(sorted(material.orders)[:4])
    return (
        f"**Suspicious text.** Instructions are embedded in the data of {places}. They were treated as untrusted text: "
        "ignored, not followed, and not repeated here. Find out who can write there."
    )


def gap_lines(gaps: Iterable[Gap], logs: Iterable[LogSeen]) -> list[str]:
    """What could not be read, one line each, the logs with what the person can do."""
    told = [
        f"{gap.what}: {gap.why}" + (f" ({quoted(gap.detail, 160)})" if gap.detail and gap.why in UNREAD else "")
        for gap in gaps
    ]
    for log in logs:
        if not log.failure:
            continue
        pod, flag = log.wanted.pod, " --previous" if log.wanted.previous else ""
        command = f"kubectl logs -n {pod.namespace} {pod.name} -c {log.wanted.container}{flag}"
        told.append(
            f"The log of container {log.wanted.container} in Pod {pod.namespace}/{pod.name} could not be read "
            f"({log.failure}), so its own words are missing here. You can read it with `{command}`."
        )
    return list(dict.fromkeys(told))


def _footer(material: Material) -> str:
    counted = f" Checked: {material.counted}." if material.counted else ""
    return f"No model was used: this comes from berth's own checks.{counted}"


# --- words ----------------------------------------------------------------------------------------------------------


def _list(head: str, lines: Iterable[str], most: int) -> str:
    told = [line for line in dict.fromkeys(lines) if line]
    if not told:
        return ""
    rest = [f"- and {len(told) - most} more"] if len(told) > most else []
    return "\n".join([head, *(f"- {_sentence(line)}" for line in told[:most]), *rest])


def spoken(telling: Telling, limit: int = 240) -> str:
    """A log line as a code span, its severity before it where that stands in another field."""
    return f"{telling.level} {quoted(telling.line, limit)}".strip()


def bare(line: str) -> str:
    """A log line without its time."""
    return re.sub(r"^\[?\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?\s*(?:UTC\s+)?", "", line)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(text: str) -> str:
    text = _capital(text.strip())
    return text if not text or text[-1] in ".!?`:" else f"{text}."
