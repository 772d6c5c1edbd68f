"""Writes the answer: outcome first, then cause, evidence, effects, what still works, what to do, what was not seen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from kubectl_berth.engines.rules.beside import beside, policy
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.changes import asks_for_changes, changes
from kubectl_berth.engines.rules.history import history
from kubectl_berth.engines.rules.material import (
    MOST_CAUSES,
    MOST_EVIDENCE,
    MOST_OBJECTS,
    LogSeen,
    Material,
    about,
    capital,
    first_with,
    log_of,
    sentence,
    spoken,
    why,
)
from kubectl_berth.engines.rules.orders import quoted
from kubectl_berth.engines.rules.remedies import remedies
from kubectl_berth.engines.rules.special import MOST_OPERATORS, operators, own_note
from kubectl_berth.engines.rules.topic import Said
from kubectl_berth.engines.rules.unchecked import MOST, unchecked
from kubectl_berth.engines.rules.verdict import verdict
from kubectl_berth.records import Finding, Ref

SHORT = re.compile(
    r"\b(?:short(?:ly)?(?: version| answer)?|brief(?:ly)?|in (?:one|a|two) (?:lines?|sentences?|words?)|tl;?dr|"
    r"quick(?:ly)? (?:answer|summary|version)|summary only)\b",
    re.IGNORECASE,
)
"""Asks for the short version."""
STEPS = re.compile(
    r"^\W*(?:(?:and|so|ok|okay|then|great|thanks|right)\b[\s,.!]*)*(?:what (?:do|should|can|must|shall) (?:I|we) do|"
    r"what (?:now|next|then)|(?:how (?:do|can|should) (?:I|we) )?(?:fix|solve|repair|mend) (?:it|this|that)|"
    r"(?:the |my )?next steps?)(?: now| next| then| about (?:it|this|that)| first| here)*\W*$",
    re.IGNORECASE,
)
"""Asks what to do and nothing else."""
OPERATED = re.compile(
    r"\b(?:who|what|which operator|which controller)\b[^.?!]{0,30}\b(?:manag|run|own|operat|control|reconcil)\w*",
    re.IGNORECASE,
)
"""Asks who is behind it."""


def write(material: Material) -> str:
    """The answer in Markdown."""
    if material.said is not None:
        parts = _topic(material, material.said)
    elif material.steps:
        parts = _steps(material)
    elif SHORT.search(material.case.understanding.text):
        parts = _short(material)
    else:
        parts = _whole(material)
    opening = material.opening
    if material.said is None and opening is not None and opening.joined and parts[0].startswith("**"):
        parts[:1] = [f"**{opening.headline} {parts[0].removeprefix('**')}", *opening.parts]
    elif material.said is None and opening is not None:
        parts = [f"**{opening.headline}**", *opening.parts, *parts]
    reach = material.case.reach
    if reach is not None and not reach.blind:
        parts.insert(0, f"**{reach.headline}**")
    return "\n\n".join(part for part in parts if part).strip() + "\n"


def _whole(material: Material) -> list[str]:
    case = material.case
    parts: list[str] = [verdict(material), *material.preface]
    led = bool(OPERATED.search(case.understanding.text))
    parts += [material.operator] if led else []
    several = len(case.causes) > 1
    for number, cause in enumerate(case.causes[:MOST_CAUSES], 1):
        parts.append(_cause(material, cause, number if several else 0))
    if case.healthy and (note := own_note(case)) is not None:
        parts.append(_cause(material, note, 0))
    rest = [about(material, one) for one in case.causes[MOST_CAUSES:]]
    parts.append(_list(f"**And {len(rest)} more**", rest, 8))
    parts.append(_loose_logs(material))
    parts.append(_list("**What it brings with it**", _effects(material), MOST_OBJECTS))
    parts.append(_list("**Still working**", material.serving, MOST_OBJECTS))
    parts.append(_list("**Operators**", operators(case), MOST_OPERATORS))
    parts += [] if led else [material.operator]
    parts += [] if material.opening is not None and material.opening.alone else material.premises
    if asks_for_changes(case.understanding.text) and material.opening is None:
        parts.append(_list("**What changed lately**", changes(case), 4))
    parts.append(_list("**On record of the past**", history(material), MOST_OBJECTS))
    parts.append(material.past)
    orders = len(parts)
    parts.append("")
    parts.append(_list("**Worth knowing, no fault**", _notes(material), 4))
    parts.append(_list("**What to do** (nothing was changed; berth only reads)", remedies(material), MOST_OBJECTS))
    parts.append(_list("**What would show that this is wrong**", _disproofs(case), 3))
    parts.append(_list("**Elsewhere in the cluster**", _elsewhere(material), 3))
    parts.append(_list("**Not checked**", unchecked(material), MOST))
    parts.append(_footer(material))
    # everything above has been said by now, so that all places with orders are known
    parts[orders] = _orders(material)
    return parts


def _topic(material: Material, said: Said) -> list[str]:
    """The answer of a topic, and what is wrong with its objects beside it."""
    case = material.case
    material.actions.extend(said.actions)
    parts = [
        f"**{said.verdict}**",
        *material.preface,
        *said.parts,
        material.operator,
        *([] if said.alone else material.premises),
        material.past,
    ]
    told = "\n".join((said.verdict, *said.parts))
    wrong = [about(material, one) for one in case.causes if case.subjects and one.summary not in told]
    parts.append(_list("**Also wrong with it**", wrong, 4))
    parts.append(_list("**What to do** (nothing was changed; berth only reads)", said.remedies, MOST_OBJECTS))
    parts.append(_list("**Elsewhere in the cluster**", [] if case.subjects else _elsewhere(material), 3))
    parts.append(_orders(material))
    parts.append(_list("**Not checked**", unchecked(material), MOST))
    parts.append(_footer(material))
    return parts


def _short(material: Material) -> list[str]:
    """The short version: the outcome, a line for each cause, the first steps, the gaps."""
    case = material.case
    causes = [f"{sentence(about(material, one) + why(material, one))}" for one in case.causes]
    several = len(causes) > 1
    parts = [verdict(material), *material.preface, _list("", causes, 8) if several else ""]
    parts.append(_list("**What to do**", remedies(material), 3))
    parts.append(_orders(material))
    parts.append(_list("**Not checked**", unchecked(material), 2 + len(material.gaps)))
    parts.append(_footer(material))
    return parts


def _steps(material: Material) -> list[str]:
    """What to do about what was told before."""
    case = material.case
    faults = [*case.causes, *case.symptoms]
    if not faults:
        return [verdict(material), _footer(material)]
    told = remedies(material)
    subject = case.main or faults[0].subject
    head = f"**What to do about {subject}** (nothing was changed; berth only reads)"
    none = f"**What helps {subject} the checks do not know.**"
    parts = [_list(head, told, MOST_OBJECTS) or none]
    parts.append(_list("**It is done when**", _disproofs(case), 3))
    return [*parts, _orders(material), _footer(material)]


# --- the parts ------------------------------------------------------------------------------------------------------


def _cause(material: Material, finding: Finding, number: int) -> str:
    source = str(finding.subject)
    head = (
        f"**Cause {number}.** {sentence(about(material, finding))}" if number else f"**Evidence** ({finding.subject})"
    )
    lines = [head]
    lines += [f"- {line}" for one in finding.evidence[:MOST_EVIDENCE] if (line := material.say(one, source))]
    lines += [f"- {line}" for line in beside(material, finding)]
    log = log_of(material, finding)
    if log is not None and finding is first_with(material, log):
        lines += [f"- {line}" for line in log_lines(material, log)]
    return "\n".join(lines)


def log_lines(material: Material, log: LogSeen) -> list[str]:
    """What a log told, as evidence."""
    which = "previous log" if log.wanted.previous else "log"
    where = f"{which} of container {log.wanted.container} in {log.wanted.pod}"
    if log.failure:
        return []
    if log.reading.orders:
        material.orders.add(where)
    told = [f"{capital(where)}: {spoken(one)}" for one in log.reading.lines[:2]]
    if not told and log.waiting is not None:
        told = [f"{capital(where)}: {quoted(log.waiting.line)}"]
    if not told and log.reading.last:
        told = [f"{capital(where)} ends with {quoted(log.reading.last)}; no line of it names an error"]
    if log.slow and _by_probe(material) and all(log.slow not in line for line in told):
        told.append(f"{capital(where)}: {quoted(log.slow)}")
    if not told and log.wanted.about is not None:
        told = [f"The {where} does not name {log.wanted.about}"]
    if not told:
        told = [f"The {where} is empty"]
    down = [target for target in log.targets if target.down]
    return told + [capital(f"{target.words}.") for target in (down or log.targets)[:2]]


def _by_probe(material: Material) -> bool:
    """True where a probe has to do with it, to which the time that a start takes matters."""
    return any("probe" in one.reason.lower() for one in (*material.case.causes, *material.case.symptoms))


def _loose_logs(material: Material) -> str:
    """Logs that belong to no cause that is shown."""
    shown = material.case.causes[:MOST_CAUSES]
    loose = [log for log in material.logs if first_with(material, log) not in shown]
    if "logs" not in material.case.understanding.intents:
        loose = [log for log in loose if _worth_telling(log) or log.reading.orders or log.waiting]
    lines = [line for log in loose for line in log_lines(material, log)]
    return _list("**From the logs**", lines, 4)


def _worth_telling(log: LogSeen) -> bool:
    """True where a log says something; one line said over and over by what runs well is nothing of the kind."""
    return any(one.score > 0 or log.wanted.why != "running" for one in log.reading.lines)


def _effects(material: Material) -> list[str]:
    case = material.case
    told = [about(material, finding) + policy(material, finding) for finding in case.symptoms]
    named = {finding.subject for finding in (*case.causes, *case.symptoms)}
    shown = "\n".join(text for cause in case.causes for text in (cause.summary, *cause.evidence[:MOST_EVIDENCE]))
    hit = dict.fromkeys(ref for cause in case.causes for ref in cause.effects if ref not in named)
    unique = [ref for ref in hit if not _told_of(material, ref, named, set(hit), shown)]
    if unique:
        rest = f" and {len(unique) - MOST_OBJECTS} more" if len(unique) > MOST_OBJECTS else ""
        told.append("Also hit: " + ", ".join(map(str, unique[:MOST_OBJECTS])) + rest)
    return told


def _told_of(material: Material, ref: Ref, named: set[Ref], beside: set[Ref], shown: str) -> bool:
    """True where an object, or the workload that a pod belongs to, stands above already."""
    pod = material.case.inventory.pod(ref.namespace, ref.name) if ref.kind == "Pod" else None
    above = material.case.inventory.workload(pod) if pod is not None else ref
    names = "|".join(re.escape(str(name)) for name in (ref.name, above))
    if above in named or (above != ref and above in beside):
        return True
    return re.search(rf"(?<![\w.-])(?:{names})(?![\w.-])", shown) is not None


def _notes(material: Material) -> list[str]:
    case = material.case
    told = own_note(case) if case.healthy else None
    notes = [finding for finding in case.notes if finding != told]
    # a budget matters to who moves pods, and to nobody else
    moving = {"drain", "availability", "capacity"} & set(case.understanding.intents)
    return [about(material, one) for one in notes if moving or one.subject.kind != "PodDisruptionBudget"]


def _elsewhere(material: Material) -> list[str]:
    """Other faults, where what was asked about has none of its own."""
    case = material.case
    if case.causes or case.symptoms:
        return []
    roots = [finding for finding in case.others if finding.severity != "info" and finding.cause]
    return [about(material, finding) for finding in roots]


def _disproofs(case: Case) -> list[str]:
    return [sentence(one) for one in dict.fromkeys(cause.disproof for cause in case.causes[:MOST_CAUSES]) if one]


def _orders(material: Material) -> str:
    if not material.orders:
        return ""
    places = ", ".join(sorted(material.orders)[:4])
    return (
        f"**Suspicious text.** Instructions to the reader stand in {places}. These instructions were ignored: they are "
        "data of the cluster, not evidence, and are not repeated here. Find out who can write there."
    )


def _footer(material: Material) -> str:
    counted = f" Checked: {material.counted}." if material.counted else ""
    return f"No model was used: this comes from berth's own checks.{counted}"


# --- words ----------------------------------------------------------------------------------------------------------


def _list(head: str, lines: Iterable[str], most: int) -> str:
    told = [line for line in dict.fromkeys(lines) if line]
    if not told:
        return ""
    rest = [f"- and {len(told) - most} more"] if len(told) > most else []
    return "\n".join([head, *(f"- {sentence(line)}" for line in told[:most]), *rest])


def enriched(material: Material) -> tuple[Finding, ...]:
    """The case's findings with what the logs said, for the result's own list."""
    told = []
    for finding in material.case.findings:
        log = log_of(material, finding) if finding.severity != "info" else None
        if log is not None and finding is first_with(material, log) and (said := why(material, finding)):
            evidence = (*finding.evidence, *log_lines(material, log))
            finding = replace(finding, summary=f"{finding.summary}{said}", evidence=evidence)
        told.append(finding)
    return tuple(told)
