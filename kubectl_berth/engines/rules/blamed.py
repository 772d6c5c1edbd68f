"""Whether an object that the question blames is at fault for another one: "is the database why the shop is down?"."""

from __future__ import annotations

import re

from kubectl_berth.diagnosis.family import concerning, family_of
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.records import Ref

_THE_ONE = re.compile(
    r"\b(?:is|are|was|were|could|can|might)\s+(?P<named>[^?.!,;]{2,60}?)\s+(?:be\s+)?(?:(?:the|a)\s+)?(?:\w+\s+)?"
    r"(?:reason|cause|culprit|problem|to blame|at fault|responsible|behind|why)\b",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"\b(?:because of|due to|caused by|owing to|blamed? on)\s+(?P<named>[^?.!,;]{2,60})", re.IGNORECASE
)
_ASKS = re.compile(
    r"^\W*(?:(?:and|so|but|hi|hey)\s+)*(?:is|are|was|were|does|do|did|has|have|could|can)\b", re.IGNORECASE
)


def blamed(case: Case) -> str:
    """The yes or no with which the answer begins; "" where no object is blamed or nothing tells."""
    text = case.understanding.text
    hit = _THE_ONE.search(text) or (_BECAUSE.search(text) if _ASKS.match(text) else None)
    if hit is None:
        return ""
    accused = [ref for ref in case.subjects if _says(hit["named"], ref)]
    others = [ref for ref in case.subjects if ref.name not in {one.name for one in accused}]
    if not accused:
        return ""
    causes = [one for one in case.causes if _concerns(case, others or accused, one.subject)]
    if not causes:
        return ""
    guilty = {member for ref in accused for member in family_of(ref, case.inventory)}
    if causes[0].subject in guilty:
        return "Yes, "
    own = [one for one in (*case.findings, *case.others) if one.severity != "info" and one.subject in guilty]
    # one that is not well either may have its share in it
    return "" if any(one.caused_by != causes[0].subject for one in own) else f"No, not {accused[0]}: "


def _says(words: str, ref: Ref) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(ref.name)}(?![\w-])", words, re.IGNORECASE) is not None


def _concerns(case: Case, refs: list[Ref], cause: Ref) -> bool:
    """True where a cause is among what explains the faults of these objects."""
    family = {member for ref in refs for member in family_of(ref, case.inventory)}
    own = concerning(case.findings, family)
    return any(one.subject == cause for one in own) or bool(family & case.explained)
