"""Whether a question asks what follows from an act, and from which act on which object."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kubectl_berth.cluster.views import Workload
from kubectl_berth.engines.rules.acts.bounds import amount_refused
from kubectl_berth.engines.rules.acts.target import (
    direct,
    kind_after,
    one_pod,
    pods_said,
    related,
    target_of,
    workload_of,
)
from kubectl_berth.engines.rules.acts.update import setting_asked
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.records import Ref

Act = Literal["delete", "scale", "restart", "rollback", "edit", "loss"]


@dataclass(frozen=True)
class Asked:
    """The act and its object; `pods` where the pods of the object are meant, `number` the replicas to scale to.

    `number` is the revision for a rollback. `ref` is None where pods in a state are meant ("the evicted pods"): `state`
    says which; or where only a `kind` is said ("the unused claims"). With a `ref` the state says how: "force" or
    "finalizer", for an edit what is set ("maxSurge=2"). `more` are further objects of the same act.
    """

    act: Act
    ref: Ref | None
    pods: bool = False
    number: int | None = None
    state: str = ""
    kind: str = ""
    more: tuple[Ref, ...] = ()


_ACTS: tuple[tuple[Act, str], ...] = (
    (
        "rollback",
        r"roll(?:ing|ed)?[ -]?back|rollback|rollout undo|undo(?:ing)?|revert(?:ing|ed)?",
    ),
    (
        "scale",
        r"scal(?:e|ing|ed)\b[^.?!]{0,60}?\b(?:to|down to|up to)\s+(?:0|zero|nothing|\d{1,3})|"
        r"scal(?:e|ing|ed)\b[^.?!]{0,40}?\bdown|(?:run|running) (?:only |just )?\d{1,3} replicas?|"
        r"(?:turn|switch|take|shut)(?:ing|ed)? (?:[\w-]+ ){1,3}(?:off|down)|stop(?:ping|ped)?|"
        r"shut(?:ting)?[ -]?down|turn(?:ing|ed)? off|switch(?:ing|ed)? off|tak(?:e|ing|en) down|"
        r"paus(?:e|ing|ed)|disabl(?:e|ing|ed)|suspend(?:ing|ed)?",
    ),
    (
        "restart",
        r"restart(?:ing|ed)?|rollout restart|bounc(?:e|ing|ed)|redeploy(?:ing|ed)?|recycl(?:e|ing|ed)|"
        r"reboot(?:ing|ed)?|roll(?:ing)? the pods",
    ),
    (
        "delete",
        r"delet(?:e|ing|ed)|remov(?:e|ing|ed)|get(?:ting)? rid of|drop(?:ping|ped)?|wip(?:e|ing|ed)|"
        r"destroy(?:ing|ed)?|nuk(?:e|ing|ed)|purg(?:e|ing|ed)|clean(?:ing|ed)?[ -]?up|throw(?:ing|n)? away|"
        r"recreat(?:e|ing|ed)|kill(?:ing|ed)?|uninstall(?:ing|ed)?|tear(?:ing)? down|deletion of|removal of",
    ),
    (
        "edit",
        r"(?:kubectl )?edit(?:ing|ed)?|kubectl (?:patch|apply|set)|patch(?:ing|ed)?|"
        r"chang(?:e|ing)\b[^.?!]{0,40}\b(?:by hand|manually|directly)|hand-?edit",
    ),
)
_LOSS = re.compile(
    r"\b(?:what|which|who|does|do|will|would|is|are)\b[^.?!]{0,60}\b(?:if|when|once)\b[^.?!]{0,40}"
    r"\b(?:go(?:es)? (?:down|away)|dies?|disappears?|vanish(?:es)?|is (?:gone|down|lost|unavailable|offline|dead)|"
    r"(?:were|was) (?:gone|down|lost|unavailable)|breaks?|stops? (?:working|responding))\b|"
    r"\b(?:if|when)\b[^.?!]{0,40}\b(?:goes (?:down|away)|dies|disappears|vanishes|is (?:gone|down|lost|unavailable))\b"
    r"[^.?!]{0,30}\b(?:what|who|which)\b|"
    r"\bwhat if\b[^.?!]{0,30}\b(?:crash\w*|fails?|dies?|disappears?|goes (?:down|away)|is (?:down|gone|lost))\b|"
    r"\b(?:live|do|go|get by) without\b[^.?!]*\?|"
    r"\b(?:what|who|which \w+)\s+(?:\w+\s+)?(?:depends?|rel(?:y|ies)) (?:up)?on\b",
    re.IGNORECASE,
)
_RESTARTS = re.compile(
    r"\bwhat\b[^.?!]{0,40}\b(?P<that>if|when|once)\b[^.?!]{0,60}\b(?:restarts|reboots)\b(?!\s+(?:again|every|all the))",
    re.IGNORECASE,
)
"""Asks what follows should it restart."""
_FORM = re.compile(
    r"\b(?:can|could|may|might|shall|should|must|am|are)\s+(?:i|we|one|somebody|someone)\b|"
    r"\b(?:can|could|may|might|should)\b[^.?!]{0,70}\bbe\b|\bsaf(?:e|ely)\b|\b(?:ok|okay|fine|alright|allowed|possible|"
    r"harmless|dangerous|risky|wise|a good idea|worth it)\b[^.?!]{0,25}\b(?:to|if|when)\b|"
    r"\bwhat(?:'s| is| are)?\b[^.?!]{0,20}\b(?:happens?|happen|breaks?|lost|lose|goes|affected|impact\w*|consequences?|"
    r"effects?|risks?|depends?|if)\b|\bwhat (?:else )?(?:would|will|do|does)\b|"
    r"\b(?:any|the|a|no)\s+(?:\w+\s+)?(?:risks?|dangers?|harm|impact|consequences?|downtime|outage|data loss|"
    r"problem)\b|"
    r"\b(?:would|will|does|do|could)\b[^.?!]{0,60}\b(?:lose|lost|break\w*|hurt|harm|affect|impact|interrupt|help|"
    r"matter|cause|survive|come back|go away|fix|be (?:down|gone))\b|\bdo i lose\b|\bwithout (?:losing|loss|downtime|"
    r"an outage|interrupt\w+|breaking|data loss)\b|\b(?:to|which|what) (?:revision|version)\b|\brisk\w*\b|\bis it ok\b|"
    r"\bwhat if\b|\bif (?:i|we|you)\b|\b(?:i|we)(?:'d| would)? (?:want|like|plan|intend|need|have) to\b[^.!]*\?|"
    r"\bwho\b[^.?!]{0,30}\b(?:affected|hit|suffers?|misses|notices?)\b|"
    r"\b(?:downsides?|drawbacks?|bad to|bad if|to (?:which|what) image)\b",
    re.IGNORECASE,
)
NEEDED = re.compile(
    r"\b(?:is|are)\b[^.?!]{0,60}\b(?:needed|required|necessary)\b[^.?!]*\?|"
    r"\bdo (?:we|i|you) (?:still |really )*need (?!to\b|more\b|another\b|an?\b|any\b|bigger\b|help\b)[^.?!]*\?",
    re.IGNORECASE,
)
"""Asks whether something is needed: told from what would follow from deleting it."""
_DIAGNOSED = re.compile(r"^\W*(?:why|how come)\b|[.?!,;]\s*(?:and |but |so )?why\b", re.IGNORECASE)
_REPORTED = re.compile(
    r"^\W*(?:when (?:was|were|did|has|have)|who (?:has|did|was|\w+ed)|since when|did|was|were|has|have|had)\b|"
    r"\b(?:why (?:can|does|do|is|won|did)\w*|can ?not|cannot|can'?t|won'?t|doesn'?t|didn'?t|unable to|"
    r"fail(?:s|ed)? to|refuses to|stuck|hangs?|hanging)\b[^.?!,;]{0,20}$",
    re.IGNORECASE,
)
"""Before the act: it was done already, or fails."""
_HOW_TO = re.compile(r"^\W*how (?:do|can|could|should|would|to)\b(?![^.?!]*\bsafe)", re.IGNORECASE)
_YOU = re.compile(r"^\W*(?:please\b\W*)?(?:can|could|would|will) you\b", re.IGNORECASE)
_STATES: tuple[tuple[str, str], ...] = (
    ("evicted", r"evicted"),
    ("failed", r"failed|errored|dead|error"),
    ("completed", r"completed|complete|succeeded|finished|done"),
    ("old", r"old|leftover|left-?over|stale|terminated"),
)


def acts_on_node(case: Case) -> bool:
    """True where what follows from rebooting, stopping or deleting a node is asked: a question of its drain."""
    text = case.understanding.text
    found = _act(text)
    if found is None or found[0] in ("loss", "edit", "rollback") or not _FORM.search(text) or _DIAGNOSED.search(text):
        return False
    return any(ref.kind == "Node" for ref in case.subjects) and not _REPORTED.search(text[: found[1]])


def third(number: int) -> str:
    """The end of a verb whose subject there are so many of: "1 pod ends", "2 pods end"."""
    return "s" if number == 1 else ""


def asked(case: Case) -> Asked | None:
    """What follows from which act is asked; None for any other question."""
    text = case.understanding.text
    if _HOW_TO.search(text) or _YOU.search(text):
        return None
    if _FORM.search(text) and not _DIAGNOSED.search(text) and (setting := setting_asked(case)) is not None:
        return Asked("edit", setting[0], state=setting[1])
    if _FORM.search(text) and not _DIAGNOSED.search(text) and (much := amount_refused(case)) is not None:
        return Asked("edit", much[0], state=much[1])
    found = _act(text)
    if found is None or not (_FORM.search(text) or NEEDED.search(text) or _trails(text)):
        return None
    act, start, end = found
    before = re.split(r"[.?!,;]", text[:start])[-1]
    if act == "rollback" and re.search(r"\bshould\b", text, re.IGNORECASE):
        return None  # whether the release is to blame is a question about faults
    if _DIAGNOSED.search(text) or (act != "loss" and _REPORTED.search(before)):
        return None
    return _of_what(case, act, start, end)


def _of_what(case: Case, act: Act, start: int, end: int) -> Asked | None:
    """The act with its object; where none was found by name, with the state or the kind that was said."""
    text = case.understanding.text
    pronoun = re.match(r"\W*(?:them|those|these|all of them)\b", text[end:], re.IGNORECASE)
    state = _state(text if pronoun else text[start:]) if act == "delete" else ""
    if state == "old" and not _has_ended(case):
        state = ""
    if state and not _named(case, text[end:]):
        return Asked("delete", None, True, state=state)
    ref = target_of(case, text, start, end)
    kinds = kind_after(text[end:])
    if (ref is None or ref.kind == "Namespace") and act in ("delete", "scale", "restart") and "Namespace" not in kinds:
        if ref is None and not kinds:
            said = case.understanding
            strange = case.lost or said.absent or said.unrecognised or said.yes_no
            plain = not (strange or said.namespaces or set(said.intents) - {"diagnose"})
            return Asked(act, None) if plain and act == "delete" else None
        if kinds and "Node" not in kinds and not case.lost:
            return Asked(act, None, kind=kinds[0])
    if ref is None or ref.kind == "Node" or re.match(r"[^.?!,;]{0,25}(?<![\w-])nodes?(?![\w-])", text[end:], re.I):
        return None
    done_to = ref.name in text[start:end] or re.search(r"(?:ed|thrown|taken)\b", text[start:end], re.IGNORECASE)
    if act in ("delete", "scale", "restart") and not done_to and not direct(ref, text[end:]):
        return None
    if act == "scale" and kinds and ref.kind not in kinds and not done_to:
        return _with_more(case, "delete", ref, kinds, end)
    if act == "scale":
        return _scaled(case, ref, text[start:end])
    if act == "rollback":
        return Asked(act, ref, number=_revision(text))
    return _with_more(case, act, ref, kinds, end)


def _with_more(case: Case, act: Act, ref: Ref, kinds: Sequence[str], end: int) -> Asked:
    """The object itself, its pods, what of another kind belongs to it, or several at once."""
    text = case.understanding.text
    hinder = re.search(r"\bfinali[sz]ers?\b", text[end:], re.IGNORECASE)
    forced = re.search(r"(?<!\w)(?:--force|force(?:fully|d)?|by force)(?!\w)", text, re.IGNORECASE)
    words = re.findall(r"\w+", text[end:].lower())
    how = "finalizer" if hinder else "force" if forced else ""
    if ref.kind != "Pod" and act in ("delete", "restart") and (said := pods_said(ref, text[end:])):
        above = workload_of(case, ref)
        return Asked(act, above if said == "pods" else one_pod(case, above, old="old" in words), True, state=how)
    if act == "delete" and kinds and ref.kind not in kinds:
        mine = related(case, ref, kinds)
        if mine:
            return Asked(act, mine[0], more=tuple(mine[1:3]), state=how)
        if re.match(r"\W*(?:the |its )?[\w-]+ (?:of|for|behind|from)\b", text[end:], re.IGNORECASE):
            return Asked(act, None, kind=kinds[0])
    others = [one for one in case.subjects if one.kind == ref.kind and one.name in text[end:] and one != ref]
    return Asked(act, ref, more=tuple(others[:2]) if act == "delete" else (), state=how)


def _revision(text: str) -> int | None:
    """The revision that is named, None where none is."""
    found = re.search(r"\brevision\s+#?(\d{1,5})\b", text, re.IGNORECASE)
    return int(found[1]) if found else None


def _act(text: str) -> tuple[Act, int, int] | None:
    """The act that is asked about with where its words begin and end; the first that is said."""
    hits = [
        (found.start(), found.end(), act)
        for act, pattern in _ACTS
        for found in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", text, re.IGNORECASE)
        if _meant(text, found)
    ]
    if hits:
        start, end, act = min(hits, key=lambda hit: (hit[0], -hit[1]))
        return act, start, end
    if found := _RESTARTS.search(text):
        return "restart", found.start("that"), found.start("that")
    if found := NEEDED.search(text):
        return "delete", found.start(), found.start()
    found = _LOSS.search(text)
    return ("loss", found.start(), found.start()) if found else None


def _meant(text: str, found: re.Match[str]) -> bool:
    """True where the word stands for what might be done: "can I delete", "deleting it", "if it is deleted".

    Not where it tells what happens anyway: "was deleted", "keeps restarting", "the pods restart".
    """
    # a few words before it decide, however long the text is
    word, before = found[0].lower(), text[max(0, found.start() - 60) : found.start()]
    if word.endswith(" of"):
        return True
    if re.search(r"(?:ed|thrown|taken)\b", word):
        return _DONE_BY.search(before) is not None
    if re.match(r"\w+ing\b", word):
        return _GERUND.search(before) is not None
    return _BASE.search(before) is not None or (before.endswith("the ") and text[found.end() :].startswith(" of "))


_DONE_BY = re.compile(r"\b(?:be|is|are|gets?|being|if|when|were)\W*(?:\w+\W+)?$", re.IGNORECASE)
_GERUND = re.compile(
    r"(?:^|[.?!,;:]\s*|\b(?:by|of|to|if|when|about|does|do|would|will|could|from|after|before|for|with|mean|consider|and|or|"
    r"than|try)\s+(?:just\s+)?)\W?$|^\W*(?:is|so|ok|okay|and|but)\s+$",
    re.IGNORECASE,
)
_BASE = re.compile(
    r"(?:^|[.?!,;:]\s*|\b(?:i|we|you|one|they|somebody|someone|to|and|or|just|safely|then|simply|also|even|can|could|"
    r"should|must|now|please|a|an|rolling|quick|full|pod|force|kubectl)\s+)\W?$",
    re.IGNORECASE,
)


def _trails(text: str) -> bool:
    """True for "delete the claim old-data: safe?", and for "and restart it?" after another question."""
    if re.fullmatch(
        r"\W*(?:and|or|then|what about|how about)\s+(?:\w+\s+){1,3}(?:it|that|them|this)\W*\?\W*", text, re.I
    ):
        return True
    return bool(re.search(r"[:,.;]\s*(?:is (?:that|this|it) )?(?:safe|ok|okay|fine|risky|any risk)\W*$", text, re.I))


def _state(text: str) -> str:
    """The state of the pods that are meant, where a sentence goes on with them: "the evicted pods"."""
    for state, words in _STATES:
        if re.search(
            rf"\b(?:{words})\b(?:\s+\w+){{0,2}}?\s+pods?\b|\bpods?\b[^.?!]{{0,20}}\b(?:{words})\b", text, re.I
        ):
            return state
    return ""


def _has_ended(case: Case) -> bool:
    """True where pods of what was named have ended, or nothing with pods was named: "old" may mean a version too."""
    pods = [pod for ref in case.subjects if ref.kind != "Namespace" for pod in case.inventory.pods_of(ref)]
    return not pods or any(pod.finished for pod in pods)


def _named(case: Case, after: str) -> bool:
    """True where an object, other than a namespace, is named there."""
    return any(
        re.search(rf"(?<![\w-]){re.escape(ref.name)}(?![\w-])", after, re.IGNORECASE)
        for ref in case.subjects
        if ref.kind == "Pod"
    )


def _scaled(case: Case, ref: Ref, words: str) -> Asked | None:
    """What scaling means for the object: to how many; stopping something that has no replicas ends it."""
    found = re.search(r"(\d{1,3}|zero|nothing)\W*(?:replicas?)?$", words, re.IGNORECASE)
    number = 0 if found is None or not found[1].isdigit() else int(found[1])
    view = case.inventory.find(ref)
    if isinstance(view, Workload) and number >= view.desired and number:
        return None
    if found is None and re.search(r"\bdown$", words, re.IGNORECASE) and re.match(r"scal", words, re.IGNORECASE):
        number = max(0, view.desired - 1) if isinstance(view, Workload) else 0
    return Asked("scale", ref, number=number)
