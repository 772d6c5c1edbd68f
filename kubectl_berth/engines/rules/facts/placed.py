"""Where pods are and what they are made of: by node, by namespace, by image, by age, and the sums of the nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime

from kubectl_berth.cluster.views import Pod, age, parse_time
from kubectl_berth.diagnosis.capacity import total
from kubectl_berth.diagnosis.fit import ZERO, amount, reserved_on, show
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.diagnosis.sizing import share
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import ASKS, bare, capped, half, in_place, only, place, said_of
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.engines.rules.facts.node_lists import node_says
from kubectl_berth.engines.rules.orders import quoted

MOST = 30
_PER = re.compile(
    r"\bpods?\b[^.?!]{0,30}\b(?:per|(?:on|in|by|for) (?:each|every|which|the different)|each|every|by) "
    r"(?P<what>nodes?|namespaces?|ns)\b|\b(?:per|each|every) (?P<what2>node|namespace)\b[^.?!]{0,30}\bpods?\b",
    re.IGNORECASE,
)
_IMAGES = r"(?:container |docker )?images?|image (?:versions?|tags?)"
_IMAGE = re.compile(
    r"(?<![\w/])(?P<image>[a-z0-9][\w.-]*(?::\d+)?(?:/[\w.-]+)+(?::[\w.-]+)?|[a-z][\w.-]*:[\w][\w.-]*)", re.IGNORECASE
)
_NUMBER = re.compile(r"(?<![\w.-])(?P<image>v?\d+\.\d+[\w.-]*)")
_AGE = r"oldest|youngest|newest|longest|most recently (?:created|started)|been running"
_SAME = re.compile(
    r"\bsame (?:node|machine|host)s?\b[^.?!]{0,15}\bas\b|\b(?:beside|next to|alongside|together with)\b", re.I
)
_TOTAL = r"total|in total|altogether|overall|all together|sum|whole|allocatable|capacity"


def placed(case: Case) -> Answer | None:
    """Pods by node, namespace, image or age, or the sums of the nodes; None for another question."""
    text = bare(case)
    if not ASKS.search(text):
        return None
    return (
        _on_sort(case, text)
        or _of_host(case, text)
        or _neighbours(case, text)
        or _spread(case, text)
        or _aged(case, text)
        or _images(case)
        or _sums(case, text)
    )


def _pods(case: Case) -> list[Pod]:
    return [one for one in case.inventory.pods if not one.finished and in_place(case, one.namespace)]


def _on_sort(case: Case, text: str) -> Answer | None:
    """The pods on nodes of a sort: of an architecture, a zone, a pool."""
    if case.subjects or not re.search(r"\b(?:pods?|workloads?)\b[^.?!]{0,20}\b(?:on|in)\b", text, re.IGNORECASE):
        return None
    for word in dict.fromkeys(re.findall(r"[a-z][a-z0-9.-]{1,40}[a-z0-9]", text.lower())):
        names = {node.name for node in case.inventory.nodes if node_says(node, word)}
        sort = "nodes?|machines?|hosts?|zones?|pools?|regions?|run|runs|type"
        if not names or not only(case, re.escape(word), "pods?|workloads?", sort, text=text):
            continue
        hit = sorted((pod for pod in _pods(case) if pod.spec.node_name in names), key=lambda one: one.ref)
        head = f"{count(len(hit), 'pod')}{place(case)} {'is' if len(hit) == 1 else 'are'} on {listed(sorted(names), 6)}"
        head += f" ({word}){half(case, 'pods', 'nodes')}"
        return f"{head}.", capped([f"{pod.ref} on {pod.spec.node_name}" for pod in hit], MOST)
    return None


def _of_host(case: Case, text: str) -> Answer | None:
    """The workloads whose pods use the network of their node."""
    words = r"host ?network(?:ing)?|network of (?:the|their) (?:node|host)"
    if case.subjects or not re.search(rf"\b(?:{words})\b", text, re.IGNORECASE):
        return None
    if not only(case, words, "pods?|workloads?|enabled|true|on", text=text):
        return None
    hit = sorted({str(case.inventory.workload(pod)) for pod in _pods(case) if pod.spec.host_network})
    whole = {str(case.inventory.workload(pod)) for pod in _pods(case)}
    head = f"{len(hit) or 'None'} of the {count(len(whole), 'workload')}{place(case)} use{'s' if len(hit) == 1 else ''}"
    names = f": {listed(hit, 6)}" if hit else ""
    return f"{head} the host's network{half(case, 'pods')}{names}.", capped(hit[6:], MOST)


def _neighbours(case: Case, text: str) -> Answer | None:
    """The pods on the nodes of what was named."""
    main = case.main
    if main is None or main.kind in ("Node", "Namespace") or not _SAME.search(text):
        return None
    if not only(case, _SAME.pattern, "pods?|workloads?|else|other|also|run|runs|on", text=text):
        return None
    own = {pod.ref for pod in case.inventory.pods_of(main)}
    nodes = sorted({pod.spec.node_name for pod in case.inventory.pods_of(main) if pod.spec.node_name})
    if not nodes:
        return None
    others = sorted(
        (pod for pod in _pods(case) if pod.spec.node_name in nodes and pod.ref not in own), key=lambda one: one.ref
    )
    names = listed([f"{pod.namespace}/{pod.name}" for pod in others], 6)
    verb = "runs" if len(others) == 1 else "run"
    head = f"{count(len(others), 'other pod')} {verb} on {listed(nodes, 4)}, where {main} runs"
    lines = capped([f"{pod.ref} on {pod.spec.node_name}" for pod in others], MOST)
    return f"{head}{half(case, 'pods')}{f': {names}' if others else ''}.", lines if len(others) > 6 else []


def _spread(case: Case, text: str) -> Answer | None:
    """How many pods each node or namespace has."""
    found = _PER.search(text)
    if found is None or case.subjects or not only(case, _PER.pattern, "there|run|runs|are|many", text=text):
        return None
    by_node = (found["what"] or found["what2"]).lower().startswith("node")
    key: Callable[[Pod], str] = (
        (lambda pod: pod.spec.node_name or "no node yet") if by_node else (lambda pod: pod.namespace)
    )
    groups: dict[str, list[Pod]] = {node.name: [] for node in case.inventory.nodes} if by_node else {}
    for pod in _pods(case):
        groups.setdefault(key(pod), []).append(pod)
    order = sorted(groups, key=lambda name: (-len(groups[name]), name))
    rows = [f"{name}: {len(groups[name])} ({sum(pod.ready for pod in groups[name])} ready)" for name in order]
    head = f"{count(len(_pods(case)), 'pod')}{place(case)}{half(case, 'pods')}: {'; '.join(rows[:8])}"
    return f"{head}{f'; and {len(rows) - 8} more' if len(rows) > 8 else ''}.", capped(rows[8:], MOST) if len(
        rows
    ) > 8 else []


def _aged(case: Case, text: str) -> Answer | None:
    found = re.search(rf"\b(?:{_AGE})\b", text, re.IGNORECASE)
    if found is None or case.subjects or not re.search(r"\bpods?\b", text, re.IGNORECASE):
        return None
    if not only(case, _AGE, "pods?", text=text):
        return None
    young = re.search(r"\b(?:youngest|newest|recently)\b", text, re.IGNORECASE) is not None
    dated = [(when, pod) for pod in _pods(case) if (when := parse_time(pod.metadata.creation_timestamp))]
    order: list[tuple[datetime, Pod]] = sorted(dated, key=lambda pair: (pair[0], pair[1].ref), reverse=young)
    if not order:
        return None
    rows = [
        f"{pod.ref}: made {age(case.inventory.now, when)} ago, on {pod.spec.node_name or 'no node'}"
        for when, pod in order
    ]
    head = f"The {'youngest' if young else 'oldest'} pod{place(case)} is {rows[0].replace(': made', ', made')}"
    return f"{head}{half(case, 'pods')}.", capped(rows, 10)


def _images(case: Case) -> Answer | None:
    """The images that run, or who runs one of them."""
    text = case.understanding.text
    wanted = _IMAGE.search(text) or (_NUMBER.search(text) if case.subjects else None)
    if wanted is None and (case.subjects or not re.search(rf"\b(?:{_IMAGES})\b", text, re.IGNORECASE)):
        return None
    spoken = text.replace(wanted[0], " ") if wanted is not None else text
    words = "pods?|workloads?|in use|where|who|different|all|versions?|runs?|using|deployed|thing"
    spoken = re.sub(
        "|".join([r"\bxx\b", *map(said_of, {ref.name for ref in case.subjects})]), " ", spoken, flags=re.IGNORECASE
    )
    if not only(case, _IMAGES, words, text=bare_of(case, spoken)):
        return None
    groups: dict[str, dict[str, int]] = {}
    pods = [pod for ref in case.subjects for pod in case.inventory.pods_of(ref)] if case.subjects else _pods(case)
    for pod in {one.ref: one for one in pods if not one.finished}.values():
        for one in pod.spec.containers:
            if wanted is None or wanted["image"] in one.image:
                users = groups.setdefault(one.image, {})
                name = str(case.inventory.workload(pod))
                users[name] = users.get(name, 0) + 1
    rows = [f"{image}: {listed(_counted(users), 4)}" for image, users in sorted(groups.items())]
    if wanted is not None:
        if not rows:
            return f"No pod that can be read runs {quoted(wanted['image'], 200)}{half(case, 'pods')}.", []
        found = "; ".join(rows[:3])
        return f"Image {found}{half(case, 'pods')}.", capped(rows[3:], MOST) if len(rows) > 3 else []
    return f"{count(len(rows), 'image')} run{'s' if len(rows) == 1 else ''}{place(case)}{half(case, 'pods')}.", capped(
        rows, MOST
    )


def _counted(users: Mapping[str, int]) -> list[str]:
    return [f"{name} ({count(many, 'pod')})" for name, many in sorted(users.items())]


def bare_of(case: Case, text: str) -> str:
    """A text without the namespaces named."""
    for space in case.understanding.namespaces:
        text = re.sub(rf"(?<![\w-]){re.escape(space)}(?![\w-])", " ", text, flags=re.IGNORECASE)
    return text


def _sums(case: Case, text: str) -> Answer | None:
    """What all nodes have together."""
    words = r"cpus?|cores?|memory|ram|mem"
    nodes = case.inventory.nodes
    if (
        case.subjects
        or case.understanding.namespaces
        or not nodes
        or not re.search(rf"\b(?:{words})\b", text, re.IGNORECASE)
    ):
        return None
    if not re.search(r"\bhow (?:much|many)\b", text, re.IGNORECASE) or not only(
        case, words, _TOTAL, "have|has|is|are|there|nodes?", text=text
    ):
        return None
    whole = total({name: amount(text) for name, text in node.status.allocatable.items()} for node in nodes)
    held = total(reserved_on(case.inventory, node.name) for node in nodes)
    used = total(case.inventory.node_usage(node.name) for node in nodes)
    told = []
    for name in ("cpu", "memory"):
        if name in whole:
            use = f", {show(name, used[name])} used" if name in used else ", use not known"
            much = held.get(name, ZERO)
            asked = f"{show(name, much)} requested, {share(much, whole[name])}%"
            asked = asked if case.inventory.namespace is None else "requests not known"
            told.append(f"{name} {show(name, whole[name])} ({asked}{use})")
    return f"The {count(len(nodes), 'node')} can give pods {'; '.join(told)}{half(case, 'nodes', 'pods')}.", []
