"""Text checks: what an answer says, does not say, figures, names and gaps it admits."""

from __future__ import annotations

import re

from kubectl_berth.evals.checks import AdmitsCheck, NamesCheck, NumberCheck, SaysCheck
from kubectl_berth.evals.numbers import Figure, comparable, figures, measured
from kubectl_berth.evals.run import Run, Said
from kubectl_berth.evals.scope import stance
from kubectl_berth.records import Ref

Answer = tuple[bool, str]
"""Whether a check passed, and why."""

_UNABLE = re.compile(
    r"\b(?:can|could|did|was|were|do|does|is|are|am|has|have|been|will|may) not\b|\bunable\b|\bunavailable\b|"
    r"\bdisabled\b|"
    r"\bno (?:access|permission|rights?|log\w*|metrics?|history|way)\b|\bforbidden\b|\bwithheld\b|\brefus\w+|"
    r"\bdenied\b|\bblocked\b|"
    r"\bhidden\b|\bnot (?:available|accessible|readable|read|checked|permitted|allowed|enabled|visible|seen|"
    r"shown|known|verified|"
    r"served|confirmed|possible)\b|\bwithout (?:access|logs?|the logs?|metrics|permission|reading|seeing)\b|"
    r"\bunverified\b|"
    r"\bunknown\b|\bopt[- ]in\b|\bmissing\b|\bneeds? (?:permission|access)\b|\b403\b|\bmasked\b|\bunread\b|"
    r"\bnever (?:read|seen)\b"
)


_GENERATED = re.compile(r"-(?:[0-9a-f]{6,10}|\d{8,})(?:-[a-z0-9]{5})?$")
"""What a controller adds to a name."""


def says(check: SaysCheck, run: Run) -> Answer:
    """One phrase asserted, or none."""
    accepted = ["asserted", *(["hedged"] if check.hedged else []), *(["question"] if check.asked else [])]
    if check.hedged and not check.forbidden:
        accepted += ["conditional", "inquiry"]
    weaker: Said | None = None
    for found in run.said(check.phrases, quoted=check.quoted):
        if check.about and not run.near(found.sentence, check.about):
            continue
        if found.stance in accepted:
            return not check.forbidden, f"says {found}"
        weaker = weaker or found
    if check.forbidden:
        return True, "not said"
    return False, f"only {weaker.stance}: {weaker}" if weaker else "not said"


def number(check: NumberCheck, run: Run) -> Answer:
    """A figure of the right size in the right sentence."""
    seen: list[str] = []
    for sentence in run.sentences:
        if sentence.question:
            continue
        place = run.blocks[sentence.block] if sentence.kind == "code" else sentence.text
        if check.near and not any(True for wanted in check.near for _ in wanted.spans(place)):
            continue
        for figure in figures(sentence.text):
            if _fits(figure, check) and stance(sentence, [(figure.start, figure.end)], "0 no not") != "negated":
                return True, f'gives it in "{sentence.text[:160]}"'
            if comparable(figure, measured(check.value or check.at_least or check.at_most or "0")[1]):
                seen.append(sentence.text[figure.start : figure.end])
    return False, f"gives {', '.join(seen[:5])}" if seen else "gives no such figure"


def _fits(figure: Figure, check: NumberCheck) -> bool:
    if check.value is not None:
        value, measure = measured(check.value)
        if not comparable(figure, measure) or abs(figure.value - value) > check.tolerance * abs(value) + 1e-9:
            return False
    for bound, sign in ((check.at_least, 1), (check.at_most, -1)):
        if bound is not None:
            value, measure = measured(bound)
            if not comparable(figure, measure) or (figure.value - value) * sign < -1e-9:
                return False
    return True


def named(check: NamesCheck, run: Run) -> Answer:
    """Objects named whole."""

    def there(name: str) -> bool:
        if run.named(name):
            return True
        namespace, _, short = name.rpartition("/")
        return check.owner and any(map(run.named, related_names(Ref("", namespace, short), run)))

    missing = [name for name in check.all if not there(name)]
    if missing:
        return False, f"does not name {', '.join(missing)}"
    if check.any and not any(map(there, check.any)):
        return False, f"names none of {', '.join(check.any)}"
    return True, "named"


def related_names(subject: Ref, run: Run) -> list[str]:
    """The names by which an answer may call an object: its own, its owners' and its pods', with and without a hash."""
    names = {subject.name, *(ref.name for ref in run.facts.family(subject) if ref.kind not in ("Event", "Node"))}
    return sorted(names | {stem for name in names if len(stem := _GENERATED.sub("", name)) > 2})


def admits(check: AdmitsCheck, run: Run) -> Answer:
    """A gap is named: the words, and that it could not be read."""
    for sentence in run.sentences:
        if sentence.question or sentence.kind in ("code", "command", "quote"):
            continue
        context = "\n".join((*sentence.headings[-1:], sentence.text))
        if _UNABLE.search(context) and any(True for wanted in check.phrases for _ in wanted.spans(context)):
            return True, f'says "{sentence.text[:160]}"'
    return False, "does not say that it could not be read"
