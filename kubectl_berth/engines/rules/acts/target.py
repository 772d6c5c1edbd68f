"""Which object an act is meant for: by name, by the kind said beside it, or what belongs to what was named."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.cluster.views import Pod, Workload
from kubectl_berth.diagnosis.dependents import callers, over
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.question.words import FUNCTION_WORDS, concept_of, kinds_of, singular
from kubectl_berth.records import Ref


def target_of(case: Case, text: str, start: int, end: int) -> Ref | None:
    """The object of the act: named after it, else before it; of several bearers the one whose kind was said."""
    beside = unread_of(case, text) or _definition(case, text)
    if beside is not None:
        return beside
    kinds = kind_after(text[end:])
    told = [
        one.ref
        for one in (case.inventory.everything if kinds and not set(kinds) & {"Node", "Namespace", "Pod"} else ())
        if one.kind in kinds and re.search(rf"(?<![\w.-]){re.escape(one.name)}(?![\w-])", text[end:], re.IGNORECASE)
    ]
    near = [one for one in told if one in case.subjects or one.namespace in case.understanding.namespaces]
    if told:
        return min(near or told, key=lambda one: text.lower().find(one.name, end))
    spaces = [Ref("Namespace", "", name) for name in case.understanding.namespaces]
    said_space = re.search(r"\b(?:namespace|ns|project)\b", text[end:], re.IGNORECASE)
    every: Sequence[Ref] = [*case.subjects, *(spaces if said_space or not case.subjects else [])]
    words = {kind for word in re.findall(r"[A-Za-z]+", text[start:]) for kind in (*kinds_of(word), word.lower())}
    places = []
    for number, ref in enumerate(every):
        hits = [hit.start() for hit in re.finditer(rf"(?<![\w-]){re.escape(ref.name)}(?![\w-])", text, re.IGNORECASE)]
        if hits:
            after = [hit for hit in hits if hit >= end]
            kind = bool({ref.kind, ref.kind.lower(), f"{ref.kind.lower()}s"} & words)
            inside = ref.kind == "Namespace" and re.search(
                rf"\b(?:in|from|of)\s+(?:the\s+)?(?:namespace\s+|ns\s+)?{re.escape(ref.name)}\b", text, re.IGNORECASE
            )
            places.append((bool(inside), not after, not kind, min(after or hits), number, ref))
    if places:
        return min(places)[-1]
    return case.main


_CALLED = (
    r"(?<![\w-])(?P<kind>secret|config ?map|cm)s?\b\s*(?:called |named )?[\"'`]?"
    r"(?P<name>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?![\w-])",
    r"(?<![\w-])(?P<name>[a-z0-9][a-z0-9.-]*[a-z0-9])[\"'`]?\s+(?P<kind>secret|config ?map)(?![\w-])",
)


def unread_of(case: Case, text: str) -> Ref | None:
    """A Secret or ConfigMap that is named: those are never read, so their names are found in the question alone."""
    known = {*case.understanding.missing, *(ref.name for ref in case.subjects)}
    main = case.main
    space = next(iter(case.understanding.namespaces), main.namespace if main is not None else "")
    for pattern in _CALLED:
        for found in re.finditer(pattern, text, re.IGNORECASE):
            name = found["name"].lower()
            if name in known or "-" in name:
                return Ref("Secret" if found["kind"].lower() == "secret" else "ConfigMap", space, name)
    return None


def _definition(case: Case, text: str) -> Ref | None:
    """The definition of a kind that is named: by its own name, or by the kind's where the word CRD is said."""
    said = text.lower()
    by_kind = re.search(r"\bcrds?\b|\b(?:custom ?)?resource ?definitions?\b", said) is not None
    for one in case.inventory.definitions:
        names = one.spec.names
        words = {one.name, *({names.plural, names.kind.lower()} if by_kind else ())}
        if any(re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w.-]*\w)", said) for word in words if word):
            return one.ref
    return None


_TWO_WORDS = re.compile(
    r"\b(?:service account|(?:stateful|daemon|replica) set|network policy|limit range|storage class|cron job)s?\b", re.I
)


def kind_after(after: str) -> tuple[str, ...]:
    """The kinds that the act is done to: what the first of the next few words that says any may mean."""
    joined = _TWO_WORDS.sub(lambda found: found[0].replace(" ", ""), after)
    words = re.findall(r"[A-Za-z]+", re.split(r"[?!,;]|\.\s", joined)[0])[:4]
    return next((kinds for word in words if (kinds := kinds_of(word))), ())


def related(case: Case, ref: Ref, kinds: Sequence[str]) -> list[Ref]:
    """What of those kinds belongs to an object: "the hpa of web", "the claims of ledger"."""
    inventory = case.inventory
    pods = inventory.pods_of(ref)
    view = inventory.find(ref)
    services = over(inventory, view) if isinstance(view, Workload | Pod) else []
    found = [one.ref for one in inventory.autoscalers if one.target == ref]
    found += [
        one.ref for one in inventory.budgets if {p.ref for p in inventory.pods_of(one.ref)} & {p.ref for p in pods}
    ]
    found += [one.ref for one in services]
    found += [caller for one in services for caller in callers(inventory, one.ref)]
    found += [Ref("PersistentVolumeClaim", pod.namespace, name) for pod in pods for name in pod.claims]
    return [one for one in dict.fromkeys(found) if one.kind in kinds and inventory.find(one) is not None]


def one_pod(case: Case, ref: Ref, *, old: bool = False) -> Ref:
    """One pod of it, for "a pod of web": one that is not ready before others, an `old` one before those made since.

    The object itself where there is none.
    """
    pods = [pod for pod in case.inventory.pods_of(ref) if not pod.finished]
    if old:
        return min(pods, key=lambda pod: (pod.metadata.creation_timestamp, pod.name)).ref if pods else ref
    return min(pods, key=lambda pod: (pod.ready, pod.name)).ref if pods else ref


def pods_said(ref: Ref, after: str) -> str:
    """Whether "pods" or a "pod" of what is named is meant: "a pod of web", "the old web pods"; "" for neither."""
    name = rf"(?<![\w-]){re.escape(ref.name)}(?:'s)?\s+(pods?)(?![\w-])"
    found = re.match(r"[^.?!,;]{0,25}(?<![\w-])(pods?)(?![\w-])", after, re.IGNORECASE)
    found = found or re.search(name, _STOPS.split(after)[0], re.IGNORECASE)
    one = re.match(r"\W*(?:just\s+|only\s+)?(?:one|1|any of|a single)\b", after, re.IGNORECASE)
    return "" if found is None else "pod" if one else found[1].lower()


def workload_of(case: Case, ref: Ref) -> Ref:
    """The workload of the same name beside what was found, such as a Service or a budget; else what was found."""
    named = (one for one in case.subjects if (one.namespace, one.name) == (ref.namespace, ref.name))
    return next((one for one in named if isinstance(case.inventory.find(one), Workload)), ref)


_STOPS = re.compile(
    r"[?!,;:]|\.(?:\s|$)|\b(?:and|or|but|so|if|when|while|because|without|before|after|then|"
    r"to (?:get|free|save|make|let))\b",
    re.IGNORECASE,
)
_LINKS = frozenset("of from on for in behind to into at".split())


def direct(ref: Ref, after: str) -> bool:
    """True where the act is done to the object itself, not to something of it: "the limits of web" is not web."""
    words = [word.lower() for word in re.findall(r"[\w./-]*\w", after)]
    parts = {ref.name, *re.split(r"[-.]", ref.name), ref.namespace} - {""}
    place = next((n for n, word in enumerate(words) if word == ref.name or word.endswith(f"/{ref.name}")), None)
    if place is None:
        words = [word.lower() for word in re.findall(r"[\w./-]*\w", _STOPS.split(after)[0])]
        heads = words
    else:
        links = [n for n, word in enumerate(words[:place]) if word in _LINKS]
        heads = words[: links[0]] if links else []
    nouns = [word for word in heads if word not in FUNCTION_WORDS and not word.endswith("ly")]
    if re.match(r"[^.?!]{0,60}\bfrom \w+ing\b", after, re.IGNORECASE) or any(singular(one) in _PARTS for one in nouns):
        return False
    if not nouns:
        return True
    head = nouns[-1]
    return bool(
        kinds_of(head) or concept_of(head) or head in parts or singular(head) == ref.kind.lower() or head in _WHOLE
    )


_WHOLE = frozenset("app apps application workload replicas thing things object resource finalizer finalizers".split())
_PARTS = frozenset(
    "label annotation probe limit request env variable image port toleration affinity selector alert log metric".split()
)
