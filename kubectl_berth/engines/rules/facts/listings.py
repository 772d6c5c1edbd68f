"""How many there are, which of them are in a state, which lack something: read off all objects of a kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from kubectl_berth.cluster.views import Identified, Pod
from kubectl_berth.cluster.views.pods import Container, PodSpec
from kubectl_berth.diagnosis.fields import TYPES
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.attributes import probe_of, resources_said, spec_of
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.question.words import kinds_of
from kubectl_berth.records import Ref

MOST = 25
FEW = 12
"""Names that still go into one sentence."""
_HOW_MANY = re.compile(r"\bhow many\b|\bcount\b|\bnumber of\b", re.IGNORECASE)
_RUNNING = (
    r"(?:pods?|deployments?|workloads?|apps?|applications?|containers?|stateful ?sets?|daemon ?sets?|services?|things?)"
)
_LACKING = re.compile(
    r"\b(?:which|what|list|show(?: me)?|find|any|every|all|are there|do we have|how many)\b[^.?!]{0,30}"
    rf"\b{_RUNNING}\b[^.?!]{{0,30}}\b(?:without|lack(?:s|ing)?|missing|miss|no|not? (?:set|have|having|setting)|"
    r"(?:do|does|did|have|has|are|is|with)(?:n'?t| ?not)\b(?: (?:have|set|define|specify|declare|got|use))?)\b"
    r"(?P<what>[^.?!]*)",
    re.IGNORECASE,
)
_HAVING = re.compile(
    rf"^\W*(?:(?:so|and|ok|please)\W+)*(?:do|does|have|has|are|is)\b[^.?!]{{0,12}}\b(?:all|every|each|everything|any)\b[^.?!]{{0,30}}?"
    rf"(?:\b{_RUNNING}\b)?[^.?!]{{0,40}}?\b(?:have|has|got|set|with|guarded|covered|protected|scaled|define[sd]?|"
    r"declare[sd]?|specif(?:y|ies|ied)|use[sd]?)\b(?P<what>[^.?!]*)",
    re.IGNORECASE,
)
"""Asks whether all of them have it."""
_LATEST = re.compile(
    rf"\b(?:which|what|list|show|any|how many|are there)\b[^.?!]{{0,30}}\b(?:{_RUNNING}|images?)\b[^.?!]{{0,40}}"
    r"[:`'\" ]latest\b",
    re.IGNORECASE,
)
_CAUSAL = re.compile(
    r"\b(?:why|because|due to|caus\w+|crash\w*|fail\w*|oom\w*|kill\w*|evict\w*|pending)\b", re.IGNORECASE
)
_STATES: tuple[tuple[str, str, Callable[[Pod], bool]], ...] = (
    (
        r"not (?:running|up)|aren'?t (?:running|up)",
        "not running",
        lambda pod: pod.status.phase != "Running" and not _done(pod),
    ),
    (
        r"(?:not|un|non-?) ?(?:ready|healthy)|aren'?t (?:ready|healthy)|failing|broken",
        "not ready",
        lambda pod: not pod.ready and not _done(pod),
    ),
    (r"pending|unscheduled|waiting", "Pending", lambda pod: pod.status.phase == "Pending"),
    (r"crash\w*", "crash looping", lambda pod: any(_waits(pod, "CrashLoopBackOff"))),
    (r"evicted", "evicted", lambda pod: pod.status.reason == "Evicted"),
    (r"failed|in error", "Failed", lambda pod: pod.status.phase == "Failed"),
    (r"completed|finished|succeeded|done", "Succeeded", lambda pod: pod.status.phase == "Succeeded"),
    (r"terminating", "terminating", lambda pod: pod.terminating),
    (r"running|up", "Running", lambda pod: pod.status.phase == "Running"),
    (r"ready|healthy", "ready", lambda pod: pod.ready),
)
_COUNTED = re.compile(
    r"^\W*(?:please |pls |can you |tell me )*(?:how many|count|list|show(?: me)?(?: all)?|give me|number of|get|"
    r"(?:what|which)\b(?=[^.?!]*\b(?:are there|is there|do we|have we|exists?|are in|run in)\b))\b"
    r"(?P<rest>[^.?!]*)[.?!]*\s*$",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"\b(?:the|all|of|my|our|any|there|are|is|do|does|we|i|have|has|got|in|on|across|inside|from|for|total|currently|now|"
    r"right|exist|exists|existing|this|that|which|who|be|being|state|status|namespaces?|ns|cluster|kubernetes|k8s|whole|"
    r"entire|running|run|runs|me|many|count|deployed|please|and|at|moment|today|here|different|every|each|just|up|"
    r"hang(?:ing|s)?|stuck|sit(?:ting|s)?|stay(?:ing|s)?|remain(?:ing|s)?|still|phase|condition|reason)\b",
    re.IGNORECASE,
)


_HANGS = re.compile(r"\b(?:hang\w*|stuck|sit\w*|stay\w*|remain\w*)\b", re.IGNORECASE)


def _done(pod: Pod) -> bool:
    return pod.status.phase == "Succeeded"


def _waits(pod: Pod, reason: str) -> Iterable[bool]:
    for status in (*pod.status.init_container_statuses, *pod.status.container_statuses):
        yield status.state.waiting is not None and status.state.waiting.reason == reason


def lacking(case: Case) -> Answer | None:
    """The workloads that lack limits, requests, probes, a budget, an autoscaler or a fixed tag of their image."""
    text = case.understanding.text
    if _LATEST.search(text):
        return _told(case, "run an image without a fixed tag (latest, or none)", _unpinned)
    found = _LACKING.search(text)
    having = _HAVING.search(text) if found is None and not case.subjects else None
    if _CAUSAL.search(text) or (found is None and having is None):
        return None
    if having is not None:
        answer = _lacking(case, text.lower())
        return None if answer is None else (_whether(answer[0]), answer[1])
    return _lacking(case, found["what"].lower()) if found is not None else None


def _whether(head: str) -> str:
    """The list of those that lack it as an answer to whether all have it."""
    if not head.startswith("None of the "):
        return f"No: {head[:1].lower()}{head[1:]}"
    for lack, have in _TURNED:
        head = head.replace(lack, have)
    return f"Yes: all of the {head.removeprefix('None of the ')}"


_TURNED = (
    ("have a container without", "have in every container"),
    ("are guarded by no", "are guarded by a"),
    ("have no Horizontal", "have a Horizontal"),
)


def _lacking(case: Case, what: str) -> Answer | None:
    if re.search(r"\blimits?\b|\brequests?\b", what):
        side = "limits" if "limit" in what else "requests"
        names = resources_said(what)
        label = f"have a container without {' or '.join(names)} {side}"
        return _told(case, label, _without_amounts(side, names), (side, names))
    kinds = [kind for kind in ("readiness", "liveness", "startup") if kind in what]
    if re.search(r"\bprobes?\b|\bhealth ?checks?\b", what):
        label = f"have a container without a {' or '.join(kinds) or 'readiness or liveness'} probe"
        return _told(case, label, _without_probes(kinds or ["readiness", "liveness"], every=bool(kinds)))
    if re.search(r"\bpdbs?\b|disruption ?budgets?\b", what) and "budgets" not in case.inventory.unread:
        guarded = {pod.ref for one in case.inventory.budgets for pod in case.inventory.pods_of(one.ref)}
        return _unguarded(case, "are guarded by no PodDisruptionBudget", guarded)
    if re.search(r"\bhpas?\b|\bauto-?scal\w+", what) and "autoscalers" not in case.inventory.unread:
        scaled = {one.target for one in case.inventory.autoscalers}
        return _answer(
            case, "have no HorizontalPodAutoscaler", [ref for ref, _ in _workloads(case) if ref not in scaled]
        )
    return None


def _workloads(case: Case) -> list[tuple[Ref, PodSpec]]:
    """Whatever makes pods, and pods that nothing made, in the namespaces named or in all."""
    inventory = case.inventory
    spaces = set(case.understanding.namespaces)
    alone = [pod for pod in inventory.pods if inventory.owner(pod) is None and not pod.finished]
    made = [*inventory.workloads, *alone]
    kinds = set(case.understanding.kinds) & {"Deployment", "StatefulSet", "DaemonSet"}
    if not kinds:
        tops = {inventory.workload(pod) for pod in inventory.pods if not pod.finished}
        made += [one for ref in sorted(tops) if (one := inventory.find(ref)) is not None and one not in made]
    specs = [
        (one.ref, spec)
        for one in made
        if (not spaces or one.namespace in spaces)
        and (not kinds or one.kind in kinds)
        and (spec := _running(inventory, one.ref))
    ]
    return sorted(dict(specs).items())


def _running(inventory: Inventory, ref: Ref) -> PodSpec | None:
    """How the pods are now: a LimitRange or a webhook may have given them what their template lacks."""
    pods = [pod for pod in inventory.pods_of(ref) if not pod.finished]
    return pods[0].spec if pods else spec_of(inventory, ref)


def _without_amounts(side: str, names: Sequence[str]) -> Callable[[Container], bool]:
    def lacks(container: Container) -> bool:
        amounts = getattr(container.resources, side)
        return not all(name in amounts for name in names)

    return lacks


def _without_probes(kinds: Sequence[str], *, every: bool) -> Callable[[Container], bool]:
    def lacks(container: Container) -> bool:
        missing = [probe_of(container, kind) is None for kind in kinds]
        return any(missing) if every else all(missing)

    return lacks


def _unpinned(container: Container) -> bool:
    last = container.image.rpartition("/")[2]
    return "@" not in last and (":" not in last or last.endswith(":latest"))


def _lack(container: Container, detail: tuple[str, Sequence[str]] | None) -> str:
    """Which of several amounts the container lacks, where more than one is asked about."""
    if detail is None or len(detail[1]) < 2:
        return ""
    amounts = getattr(container.resources, detail[0])
    return f": no {' and no '.join(name for name in detail[1] if name not in amounts)} {detail[0].removesuffix('s')}"


def _told(
    case: Case,
    label: str,
    lacks: Callable[[Container], bool],
    detail: tuple[str, Sequence[str]] | None = None,
) -> Answer | None:
    hit = []
    for ref, spec in _workloads(case):
        names = [f"{one.name}{_lack(one, detail)}" for one in spec.containers if lacks(one)]
        if names:
            hit.append(f"{ref} (container{'s' if len(names) > 1 else ''} {', '.join(names)})")
    return _rows(case, label, hit, len(_workloads(case)))


def _unguarded(case: Case, label: str, guarded: set[Ref]) -> Answer | None:
    inventory = case.inventory
    bare = [
        ref
        for ref, _ in _workloads(case)
        if (pods := inventory.pods_of(ref)) and not any(pod.ref in guarded for pod in pods)
    ]
    return _answer(case, label, bare)


def _answer(case: Case, label: str, refs: Sequence[Ref]) -> Answer | None:
    return _rows(case, label, [str(ref) for ref in refs], len(_workloads(case)))


def _rows(case: Case, label: str, hit: Sequence[str], of: int) -> Answer | None:
    if not of:
        return None
    kinds = {"Deployment", "StatefulSet", "DaemonSet"} & set(case.understanding.kinds)
    thing = kinds.pop() if len(kinds) == 1 else "workload"
    head = f"{len(hit) or 'None'} of the {count(of, thing)}{_place(case)} {label}"
    more = [f"and {len(hit) - MOST} more"] if len(hit) > MOST else []
    return f"{head}{_half(case.inventory)}.", [*hit[:MOST], *more]


def _place(case: Case) -> str:
    spaces = case.understanding.namespaces
    return f" in namespace {', '.join(spaces)}" if spaces else " that can be read"


def _half(inventory: Inventory, fields: Sequence[str] = ("pods", "deployments", "stateful_sets", "daemon_sets")) -> str:
    """That not everything was read, where it was not."""
    gone = inventory.unread & {*fields}
    return f" (not all could be read: {', '.join(sorted(gone)).replace('_', ' ')})" if gone else ""


def counted(case: Case) -> Answer | None:
    """How many objects of the kinds spoken of there are, or pods in a state, by name where a list is asked for."""
    said = case.understanding
    found = _COUNTED.search(said.text)
    if found is None or case.subjects or not said.kinds:
        return None
    state = _state(found["rest"]) if "Pod" in said.kinds else None
    if (state is None and _HANGS.search(found["rest"])) or re.search(
        r"\bdo(?:es)? (?:each|every)\b", found["rest"], re.I
    ):
        return None
    if not _nothing_else(case, found["rest"], state[0] if state else ""):
        return None
    if state is not None and set(said.kinds) == {"Pod"}:
        return _in_state(case, state[1], state[2])
    fields = {kind: name for (_, kind), (name, _) in TYPES.items()}
    if any(kind not in fields and not _of_kind(case, kind) for kind in said.kinds):
        return None  # a kind that the checks do not look at
    heads: list[str] = []
    names: list[str] = []
    for kind in said.kinds:
        things = sorted(_of_kind(case, kind), key=lambda one: one.ref)
        ready = sum(pod.ready for pod in things if isinstance(pod, Pod))
        heads.append(count(len(things), kind) + (f" ({ready} ready)" if kind == "Pod" and things else ""))
        names += [_name(one) for one in things]
    verb = "There is" if heads[0].startswith("1 ") else "There are"
    place = "" if set(said.kinds) == {"Namespace"} else _place(case)
    head = f"{verb} {', '.join(heads)}{place}{_half(case.inventory, [fields.get(kind, '') for kind in said.kinds])}"
    if len(names) <= FEW:
        return f"{head}{': ' if names else ''}{', '.join(names)}.", []
    return f"{head}.", [] if _HOW_MANY.search(said.text) else [listed(names, 2 * MOST)]


def _of_kind(case: Case, kind: str) -> list[Identified]:
    spaces = set(case.understanding.namespaces)
    return [
        view
        for view in case.inventory.everything
        if view.kind == kind and (not view.namespace or not spaces or view.namespace in spaces)
    ]


def _name(view: Identified) -> str:
    name = f"{view.namespace}/{view.name}" if view.namespace else view.name
    return f"{name} (not ready)" if isinstance(view, Pod) and not view.ready and not view.finished else name


def _state(words: str) -> tuple[str, str, Callable[[Pod], bool]] | None:
    for code in re.findall(r"\b[a-z]+(?:[a-z]+)*\b", words, re.IGNORECASE):
        if (named := _REASONS.get(code.lower())) or (
            re.fullmatch(r"(?:[A-Z][a-z]+){2,}(?:[A-Z]+)?", code) and not kinds_of(code.lower())
        ):
            return code, named or code, _stands(named or code)
    for pattern, label, holds in _STATES:
        if re.search(rf"\b(?:{pattern})\b", words, re.IGNORECASE):
            return pattern, label, holds
    return None


_REASONS = {
    one.lower(): one
    for one in (
        "ContainerCreating", "PodInitializing", "CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "OOMKilled",
        "CreateContainerConfigError", "CreateContainerError", "RunContainerError", "InvalidImageName", "Evicted",
        "ContainerStatusUnknown", "ErrImageNeverPull", "NodeLost", "DeadlineExceeded",
    )
}  # fmt: skip
"""Reasons as people type them; any other word of that shape is taken for one too."""


def _stands(reason: str) -> Callable[[Pod], bool]:
    """Pods of which the pod itself or a container is in a state of this reason."""

    def holds(pod: Pod) -> bool:
        if pod.status.reason == reason:
            return True
        for status in (*pod.status.init_container_statuses, *pod.status.container_statuses):
            state = status.state.waiting or status.state.terminated
            if state is not None and state.reason == reason:
                return True
        return False

    return holds


def _nothing_else(case: Case, words: str, state: str) -> bool:
    """True where the rest of the sentence is the kind, the state and the place: nothing that would be passed over."""
    said = case.understanding
    for space in (*said.namespaces, *said.unknown_namespaces):
        words = re.sub(rf"(?<![\w-]){re.escape(space)}(?![\w-])", " ", words, flags=re.IGNORECASE)
    words = re.sub(rf"\b(?:{state})\b", " ", words, flags=re.IGNORECASE) if state else words
    left = [word for word in re.findall(r"[A-Za-z'-]+", _FILLER.sub(" ", words)) if not kinds_of(word.lower())]
    return not left


def _in_state(case: Case, label: str, holds: Callable[[Pod], bool]) -> Answer | None:
    pods = [pod for pod in _of_kind(case, "Pod") if isinstance(pod, Pod)]
    hit = sorted((pod for pod in pods if holds(pod)), key=lambda pod: pod.ref)
    lines = (
        [f"{pod.ref} ({pod.status.reason or _why(pod) or pod.status.phase})" for pod in hit[:MOST]]
        if label != "Running"
        else []
    )
    more = [f"and {len(hit) - MOST} more"] if len(hit) > MOST and lines else []
    verb = "is" if len(hit) == 1 else "are"
    return (
        f"{len(hit) or 'None'} of the {count(len(pods), 'pod')}{_place(case)} {verb} {label}{_half(case.inventory)}.",
        [*lines, *more],
    )


def _why(pod: Pod) -> str:
    for status in (*pod.status.init_container_statuses, *pod.status.container_statuses):
        state = status.state
        if state.waiting is not None and state.waiting.reason:
            return state.waiting.reason
        if state.terminated is not None and state.terminated.exit_code:
            return state.terminated.reason
    return ""
