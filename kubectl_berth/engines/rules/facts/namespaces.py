"""Namespaces by their labels: which level of pod security each enforces, which bear a label."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import Namespace
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import ASKS, bare, capped, half, only
from kubectl_berth.engines.rules.facts.lookups import Answer

MOST = 25
PREFIX = "pod-security.kubernetes.io/"
_SECURITY = r"pod ?securit(?:y|ies)(?: (?:admission|standards?|levels?|polic(?:y|ies)))?|psa|pss|podsecurity"
_LEVELS = r"restricted|baseline|privileged"
_MODES = r"enforc\w+|audit\w*|warn\w*"
_INJECTED = r"inject\w*|sidecar[ -]?inject\w*|mesh|istio|linkerd|kuma"
_LABELLED = r"sidecars?|label(?:l?ed)?s?|bear(?:s|ing)?|carry|carries|have|has|with"


def by_label(case: Case) -> Answer | None:
    """Which namespaces enforce a level of pod security or bear a label; None for another question."""
    text = bare(case)
    if any(ref.kind != "Namespace" for ref in case.subjects) or not ASKS.search(text):
        return None
    said = case.understanding
    spaces = {ref.name for ref in case.subjects} | {
        *(said.namespaces if "namespace" in text.lower() or said.namespaces else ())
    }
    views = sorted(
        (one for one in case.inventory.namespaces if not spaces or one.name in spaces), key=lambda one: one.name
    )
    if "namespaces" in case.inventory.unread and not views:
        return None
    level = re.search(rf"\b(?:{_LEVELS})\b", text, re.IGNORECASE)
    secured = re.search(rf"\b(?:{_SECURITY})\b", text, re.IGNORECASE)
    spoken = secured or (level and re.search(rf"\b(?:{_MODES})\b", text, re.IGNORECASE))
    if spoken and only(
        case, _SECURITY, _LEVELS, _MODES, r"levels?|modes?|standards?|polic(?:y|ies)|profiles?|set|mode", text=text
    ):
        return _security(case, views, level[0].lower() if level else "", text)
    if not spaces and re.search(r"\b(?:namespaces|projects)\b", text, re.IGNORECASE):
        return _bearing(case, views, text)
    return None


def _security(case: Case, views: list[Namespace], level: str, text: str) -> Answer:
    mode = next((one for one in ("enforce", "audit", "warn") if re.search(rf"\b{one}", text, re.IGNORECASE)), "enforce")
    levels = {one.name: one.metadata.labels.get(f"{PREFIX}{mode}", "") for one in views}
    tail = half(case, "namespaces")
    told = {"enforce": "enforces", "audit": "audits", "warn": "warns of"}[mode]
    rows = [f"{name} {told} {found}" for name, found in levels.items() if found]
    bare_ones = sum(not found for found in levels.values())
    note = (
        [f"{count(bare_ones, 'namespace')} without that label: what the API server's own default says holds there"]
        if bare_ones
        else []
    )
    if level:
        hit = [name for name, found in levels.items() if found == level]
        does = told if len(hit) == 1 else mode
        head = f"{len(hit) or 'None'} of {count(len(views), 'namespace')} {does} {level} pod security"
        return f"{head}{f': {listed(hit, 20)}' if hit else ''}{tail}.", [*capped(rows, MOST), *note]
    if len(views) == 1:
        return (
            f"Namespace {views[0].name} {told} {levels[views[0].name] or 'no level of'} pod security{tail}.",
            [],
        )
    head = f"{len(rows)} of {count(len(views), 'namespace')} say which level of pod security they {mode}"
    return f"{head}{f': {listed(rows, 4)}' if rows else ''}{tail}.", [
        *(capped(rows, MOST) if len(rows) > 4 else []),
        *note,
    ]


def _bearing(case: Case, views: list[Namespace], text: str) -> Answer | None:
    """The namespaces with a label of which a word of the question is a part: injection, a team, an environment."""
    if not re.search(rf"\b(?:{_INJECTED}|label\w*)\b", text, re.I):
        return None
    for word in dict.fromkeys(re.findall(r"[a-z][a-z0-9.-]{2,40}", text.lower())):
        stem = "inject" if word.startswith("inject") else word
        hit = [(one, found) for one in views if (found := _label(one, stem))]
        if not hit or not only(case, re.escape(word), _INJECTED, _LABELLED, "enabled|on|active", text=text):
            continue
        names = listed([one.name for one, _ in hit], 12)
        head = f"{len(hit)} of {count(len(views), 'namespace')} bear such a label: {names}{half(case, 'namespaces')}."
        return head, capped([f"{one.name}: {found}" for one, found in hit], MOST)
    return None


def _label(view: Namespace, word: str) -> str:
    for key, value in sorted(view.metadata.labels.items()):
        if key.startswith((PREFIX, "kubernetes.io/metadata")):
            continue
        parts = re.split(r"[-_./]", f"{key.lower()}/{value.lower()}")
        if word in (key.lower(), value.lower()) or any(part.startswith(word) for part in parts):
            return f"{key}={value}"
    return ""
