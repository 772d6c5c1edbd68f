"""Changes that a run proposes: its actions, and what its prose, commands and manifests recommend."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_berth.cluster.quantities import quantity
from kubectl_berth.evals.checks import ActionCheck
from kubectl_berth.evals.numbers import Figure, comparable, figures, measured
from kubectl_berth.evals.rule_said import Answer
from kubectl_berth.evals.run import Run
from kubectl_berth.evals.scope import clause, stance
from kubectl_berth.evals.text import Sentence
from kubectl_berth.records import Ref

_MORE = (
    r"rais(?:e|ing)|be raised|increas(?:e|ing)|be increased|bump(?:ing)?|be bumped|lift(?:ing)?|enlarg(?:e|ing)|"
    r"doubl(?:e|ing)|"
    r"be doubled|grow(?:ing)?|scal(?:e|ing) up|(?:higher|larger|bigger|more generous)|give .{0,30}\bmore|"
    r"bring .{0,30}\bup|turn .{0,30}\bup|allow .{0,20}\bmore|needs? more"
)
_LESS = (
    r"lower(?:ing)?|be lowered|reduc(?:e|ing)|be reduced|decreas(?:e|ing)|be decreased|cut(?:ting)?|"
    r"shrink(?:ing)?|trim(?:ming)?|"
    r"be trimmed|halv(?:e|ing)|downsiz(?:e|ing)|be cut|drop(?:ping)?|slash(?:ing)?|scal(?:e|ing) (?:down|back)|"
    r"smaller (?:memory |cpu )?(?:limit|request)|"
    r"bring .{0,40}\bdown|take .{0,40}\bdown|dial .{0,40}\b(?:down|back)|turn .{0,40}\bdown|right-?siz(?:e|ing)|"
    r"tighten(?:ing)?"
)
_DIRECTIONS = {"raise": re.compile(rf"\b(?:{_MORE})\b"), "lower": re.compile(rf"\b(?:{_LESS})\b")}
_USE = re.compile(r"\b(?:use|used|uses|usage|footprint|consumption|pressure|leak|batch\w*|index)\b")
_PRONOUN = re.compile(r"\b(?:it|them|these|those|this|that|both|one)\b")
_VERBS: Mapping[str, str] = {
    "rollback": r"roll(?:ing|ed)? (?:it )?back|rollback|rollout undo|revert\w*|go(?:ing)? back to|\bundo\b",
    "restart": r"restart\w*|rollout restart|bounce",
    "delete": r"delet\w*|remov\w*",
    "scale": r"scal\w* (?!back)|add\w* .{0,20}replicas?",
    "cordon": r"cordon\w*",
    "drain": r"drain\w*",
    "create": r"creat\w*|add\w*",
}
_ADVICE = re.compile(
    r"\b(?:set|use|to|try|start with|about|recommend\w*|suggest\w*|propos\w*|new|should be|would be|change|"
    r"chang\w+|update|target|e\.g\.|limits?[:=]|requests?[:=])"
)
_OBSERVED = re.compile(r"\b(?:us(?:es|ed|age|ing)|actual|observed|current(?:ly)?|live|now|peak|working set|in use)\b")


def proposals(check: ActionCheck, run: Run) -> Answer:
    """The change is proposed, or not."""
    found = next(_actions(check, run), "") or next(_recommended(check, run), "")
    if check.forbidden:
        return not found, found or "not proposed"
    return bool(found), found or "not proposed"


def _actions(check: ActionCheck, run: Run) -> Iterator[str]:
    family = run.facts.family(check.subject)
    for action in run.actions:
        ref = Ref(str(action.get("kind")), str(action.get("namespace") or ""), str(action.get("name")))
        if check.subject.name and ref not in family:
            continue
        if check.verbs and action.get("verb") not in check.verbs:
            continue
        if check.field and not _same_field(check.field, str(action.get("field") or "")):
            continue
        if _moves(check, action):
            yield f"action {action.get('verb')} {ref} {action.get('field') or ''}".rstrip()


def _same_field(wanted: str, field: str) -> bool:
    parts = [part for part in re.split(r"[^a-z]+", field.lower()) if part]
    return all(part in parts for part in re.split(r"[^a-z]+", wanted.lower()) if part)


def _moves(check: ActionCheck, action: Mapping[str, Any]) -> bool:
    before, after = action.get("from") or check.before, action.get("to")
    if not (check.direction or check.at_least or check.at_most):
        return True
    try:
        value = float(quantity(after))
        old = float(quantity(before)) if before is not None else None
    except ValueError:
        return False
    if check.direction and (old is None or (value > old) is not (check.direction == "raise") or value == old):
        return False
    return _within(value, check)


def _within(value: float, check: ActionCheck) -> bool:
    low = measured(check.at_least)[0] if check.at_least else None
    high = measured(check.at_most)[0] if check.at_most else None
    return (low is None or value >= low - 1e-9) and (high is None or value <= high + 1e-9)


def _recommended(check: ActionCheck, run: Run) -> Iterator[str]:
    accepted = ("asserted", "hedged") if check.forbidden else ("asserted",)
    bounded = bool(check.at_least or check.at_most)
    told = [
        *(found.sentence for found in run.said(check.says) if found.stance in accepted),
        *_verbs(check, run, accepted),
        *_directions(check, run, accepted),
    ]
    values = list(_values(check, run))
    fits = [sentence for sentence, figure in values if _within(figure.value, check) and _on_side(check, figure)]
    if bounded and not fits:
        return
    for sentence in (*told, *(fits if check.before or bounded else ())):
        yield f'recommends "{sentence.text[:160]}"'


def _verbs(check: ActionCheck, run: Run, accepted: tuple[str, ...]) -> Iterator[Sentence]:
    for verb in check.verbs:
        pattern = re.compile(rf"\b(?:{_VERBS.get(verb, re.escape(verb))})")
        for sentence in run.sentences:
            for match in pattern.finditer(sentence.plain):
                if stance(sentence, [match.span()]) in accepted and not check.direction:
                    yield sentence


def _about(text: str, words: list[str]) -> bool:
    """Whether a text speaks of the field: of the limit or request, or of the resource itself and not of its use."""
    if any(word in text for word in words if word in ("limit", "request", "replica")):
        return True
    return any(word in text for word in words) and not _USE.search(text)


def _words(check: ActionCheck) -> list[str]:
    return [part.removesuffix("s") for part in re.split(r"[^a-z]+", check.field.lower()) if part]


def _directions(check: ActionCheck, run: Run, accepted: tuple[str, ...]) -> Iterator[Sentence]:
    """Sentences that tell to move the field that way; a pronoun stands for a field named just before."""
    if not check.direction:
        return
    words = _words(check)
    before = ""
    for sentence in run.sentences:
        for match in _DIRECTIONS[check.direction].finditer(sentence.plain):
            part = clause(sentence.plain, *match.span())
            to_a_figure = re.match(r"\W*(?:\w+\W+)?to \W*\d", sentence.plain[match.end() :])
            about = _about(sentence.plain if to_a_figure else part, words)
            meant = bool(_PRONOUN.search(part)) and (_about(before, words) or _about(sentence.plain, words))
            if (about or meant) and stance(sentence, [match.span()]) in accepted:
                yield sentence
        before = sentence.text if sentence.kind != "heading" else before


def _on_side(check: ActionCheck, figure: Figure) -> bool:
    if not check.direction or check.before is None:
        return True
    old = measured(check.before)[0]
    return figure.value > old * 1.05 if check.direction == "raise" else figure.value < old * 0.95


def _values(check: ActionCheck, run: Run) -> Iterator[tuple[Sentence, Figure]]:
    """New values given for the field: in commands, manifests, and sentences that advise."""
    bound = check.before or check.at_least or check.at_most
    if bound is None:
        return
    measure = measured(bound)[1]
    words = _words(check)
    above: list[str] = []
    block = -1
    for sentence in run.sentences:
        above = [*above[-4:], sentence.plain] if sentence.block == block else [sentence.plain]
        block = sentence.block
        place = "\n".join(above) if sentence.kind == "code" else sentence.plain
        advises = sentence.kind in ("code", "command") or bool(_ADVICE.search(sentence.plain))
        if not advises or not any(word in place for word in words):
            continue
        for figure in figures(sentence.plain):
            if comparable(figure, measure) and (sentence.kind in ("code", "command") or _proposed(sentence, figure)):
                yield sentence, figure


def _proposed(sentence: Sentence, figure: Figure) -> bool:
    around = sentence.plain[max(0, figure.start - 25) : figure.start]
    return not _OBSERVED.search(around) and stance(sentence, [(figure.start, figure.end)]) in ("asserted", "hedged")
