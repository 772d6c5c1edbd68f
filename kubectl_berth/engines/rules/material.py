"""What an answer of the rules engine is written from, and the words that its parts share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.logs.forbidden import forbidden_in
from kubectl_berth.engines.rules.logs.reading import Reading, Telling
from kubectl_berth.engines.rules.logs.targets import Target
from kubectl_berth.engines.rules.logs.wanted import LogWanted
from kubectl_berth.engines.rules.opening import Opening
from kubectl_berth.engines.rules.orders import quoted, without_orders
from kubectl_berth.engines.rules.topic import Said
from kubectl_berth.records import Action, Finding, Gap, Ref

MOST_CAUSES = 4
"""Root causes told with their evidence; the rest get a line each."""
MOST_EVIDENCE = 4
MOST_OBJECTS = 6


@dataclass
class LogSeen:
    """A log that was asked for: what it told, where its hosts lead, or why it could not be read.

    `slow` is a line that says how long a start takes, `tail` are its last lines.
    """

    wanted: LogWanted
    workload: Ref
    reading: Reading = field(default_factory=Reading)
    waiting: Telling | None = None
    targets: tuple[Target, ...] = ()
    failure: str = ""
    slow: str = ""
    tail: Sequence[str] = ()

    @property
    def best(self) -> Telling | None:
        """The line that matters most."""
        return self.reading.lines[0] if self.reading.lines else self.waiting


@dataclass
class Material:
    """Everything an answer is written from.

    `operator` is a sentence on who manages the main subject, `rolling` are Deployments of which an older revision
    serves while the new one fails. `said` is the answer of a topic (sizing, capacity, drain, availability), `past` what
    is known of earlier incidents, `opening` comes before everything else. `steps` is True where only what to do is
    wanted: the rest was said before.
    `orders` and `actions` fill while the answer is written.
    """

    case: Case
    logs: Sequence[LogSeen] = ()
    serving: Sequence[str] = ()
    gaps: Sequence[Gap] = ()
    operator: str = ""
    counted: str = ""
    preface: Sequence[str] = ()
    premises: Sequence[str] = ()
    rolling: Sequence[Ref] = ()
    said: Said | None = None
    past: str = ""
    opening: Opening | None = None
    steps: bool = False
    orders: set[str] = field(default_factory=set)
    actions: list[Action] = field(default_factory=list)

    def say(self, text: str, source: str) -> str:
        """Foreign text without its orders; that there were any is remembered with where it stood."""
        clean, found = without_orders(text, script=text.startswith(("spec: ", "spec.")))
        if found:
            self.orders.add(source)
        return clean.strip()


LOG_REPEATS = "LogRepeatsError"
"""The reason of a finding that is a log's own word: it is not told a second time."""

UNREAD = ("forbidden", "unavailable", "timed out", "failed", "odd object", "too many", "error", "unknown")
"""Why a gap leaves room for faults that were not seen; a kind that is not served leaves none."""


def about(material: Material, finding: Finding, known: Ref | None = None) -> str:
    """What a finding says, with its subject's name unless the words or the reader have it already."""
    said = material.say(finding.summary, str(finding.subject))
    if finding.subject == known or str(finding.subject) in said:
        return said
    return f"{finding.subject}: {said}"


def log_of(material: Material, finding: Finding) -> LogSeen | None:
    """The log of a container that the finding is about."""
    inventory = material.case.inventory
    touched = {finding.subject, *(pod.ref for pod in inventory.pods_of(finding.subject))}
    if finding.subject.kind in ("Node", "Namespace"):
        return None
    about = [
        log
        for log in material.logs
        if (
            log.wanted.pod in touched or log.workload == finding.subject
            if log.wanted.about is None
            else log.wanted.about == finding.subject
        )
    ]
    named = [log for log in about if f"container {log.wanted.container} " in finding.summary]
    return next(iter(named or about), None)


def first_with(material: Material, log: LogSeen) -> Finding | None:
    """The cause under which a log is told."""
    return next((one for one in material.case.causes if log_of(material, one) is log), None)


def why(material: Material, finding: Finding) -> str:
    """The log's own word on the finding, for the first line."""
    log = log_of(material, finding)
    if log is None or log.best is None or finding.reason.lower().startswith("oom") or finding.reason == LOG_REPEATS:
        return ""
    access = forbidden_in(log.best.line)
    down = next((target for target in log.targets if target.down), None)
    if down is not None and access is None:
        return f"; {down.words}"
    which = "its previous log says" if log.wanted.previous else "its log says"
    which = f"the log of its operator {log.workload} says" if log.wanted.about is not None else which
    if access is not None:
        return f"; {which} that {access}"
    return f"; {which} {spoken(replace(log.best, line=bare(log.best.line)), 200)}"


def spoken(telling: Telling, limit: int = 240) -> str:
    """A log line as a code span, its severity before it where that stands in another field."""
    return f"{telling.level} {quoted(telling.line, limit)}".strip()


def bare(line: str) -> str:
    """A log line without its time."""
    return re.sub(r"^\[?\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?\s*(?:UTC\s+)?", "", line)


def capital(text: str) -> str:
    """The text with a capital first letter, unless it begins with a name ("metrics.k8s.io", "db-0:5432")."""
    first = text.split(" ", 1)[0].rstrip(":,.")
    return text if re.search(r"[./_:\d]", first) else text[:1].upper() + text[1:]


def clause(text: str) -> str:
    """The text to go on from in the same sentence: without its full stop, what was cut off marked as such."""
    return text[:-3].rstrip() + "…" if text.endswith("...") else text.rstrip(".")


def sentence(text: str) -> str:
    """The text as a sentence."""
    text = capital(text.strip())
    return text if not text or text[-1] in ".!?`:" else f"{text}."
