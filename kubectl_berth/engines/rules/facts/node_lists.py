"""Nodes by what they are: ready, cordoned, tainted, of a zone, an architecture, a type, a pool, a version."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kubectl_berth.cluster.views import Node, age, condition
from kubectl_berth.diagnosis.say import clip, count, listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.changes import NOBODY
from kubectl_berth.engines.rules.facts.asked import ASKS, YES_NO, bare, capped, half, only
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.engines.rules.orders import gives_orders, quoted

MOST = 20
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
_NODES = r"nodes?|machines?|hosts?|servers?|workers?|vms?"
_CORDONED = r"cordon(?:ed|s|ing)?|unschedulable|scheduling ?disabled|schedulingdisabled|drained|out of rotation"
_WHO = re.compile(rf"\bwho\b[^.?!]{{0,20}}\b(?:{_CORDONED}|tainted|drain\w*)\b", re.IGNORECASE)

_PROPERTIES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "zone",
        r"(?:availability )?zones?|azs?",
        ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"),
    ),
    ("region", r"regions?", ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region")),
    ("architecture", r"arch\w*|cpu types?", ("kubernetes.io/arch", "beta.kubernetes.io/arch")),
    ("operating system", r"os|operating systems?", ("kubernetes.io/os", "beta.kubernetes.io/os")),
    (
        "type",
        r"(?:instance|machine|vm|node|server)[ -]?(?:types?|sizes?)|instances?",
        ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"),
    ),
    ("pool", r"(?:node[ -]?)?(?:pools?|groups?)", ()),
    ("role", r"roles?", ()),
    ("version", r"(?:kubelet|kubernetes|k8s|node)? ?versions?|kubelets?", ()),
)
"""What is asked, the words for it, the labels that say it."""
_POOL_KEY = re.compile(
    r"(?:^|[/.-])(?:node-?pool|node-?group|agent-?pool|pool|node-?pool-?name)(?:-name|-id)?$", re.IGNORECASE
)
_ROLE_KEY = "node-role.kubernetes.io/"
_LIST = re.compile(r"\b(?:which|what|list|show|how many|any|are there|is any|count|number of|where)\b", re.IGNORECASE)


def node_list(case: Case) -> Answer | None:
    """The answer to which nodes are in a state or of a sort; None for another question."""
    text = bare(case)
    if not (re.search(rf"\b(?:{_NODES})\b", text, re.IGNORECASE) or _about_nodes(case) or _SORTS_HERE.search(text)):
        return None
    if any(ref.kind != "Node" for ref in case.subjects) or re.search(
        r"\b(?:pods?|workloads?|deployments?)\b", text, re.I
    ):
        return None
    if _WHO.search(text):
        return _who(case)
    if not case.inventory.nodes or not ASKS.search(text):
        return None
    return (
        _cordoned(case, text) or _ready(case, text) or _tainted(case, text) or _sorts(case, text) or _like(case, text)
    )


_SORTS_HERE = re.compile(
    r"\b(?:(?:availability )?zones?|regions?|(?:instance|machine|vm)[ -]?types?|node ?(?:pools?|groups?))\b[^.?!]{0,15}"
    r"\b(?:do we have|do we use|are we in|are there|have we|exist)\b",
    re.IGNORECASE,
)


def _about_nodes(case: Case) -> bool:
    return bool(case.subjects) and all(ref.kind == "Node" for ref in case.subjects)


def _whole(case: Case, head: str) -> str:
    return f"{head}{half(case, 'nodes')}."


# --- states ---------------------------------------------------------------------------------------------------------


def _cordoned(case: Case, text: str) -> Answer | None:
    if not re.search(rf"\b(?:{_CORDONED})\b", text, re.I) or not only(case, _CORDONED, _NODES, "still|since|currently"):
        return None
    nodes = [one for one in case.inventory.nodes if not case.subjects or one.ref in case.subjects]
    hit = [one for one in nodes if one.spec.unschedulable]
    if len(nodes) == 1 and case.subjects:
        word = f"{'Yes' if hit else 'No'}: " if YES_NO.search(text) else ""
        head = f"{word}{nodes[0].ref} is {'' if hit else 'not '}cordoned{_since(case, nodes[0])}"
        return _whole(case, head), _marks(case, nodes[0])
    if not hit:
        return _whole(case, f"No: none of the {count(len(nodes), 'node')} is cordoned"), []
    names = ", ".join(f"{one.name}{_since(case, one)}" for one in hit[:8])
    more = f" and {len(hit) - 8} more" if len(hit) > 8 else ""
    head = f"{len(hit)} of {count(len(nodes), 'node')} {'is' if len(hit) == 1 else 'are'} cordoned: {names}{more}"
    return _whole(case, f"Yes: {head}" if YES_NO.search(text) else head), []


def _since(case: Case, node: Node) -> str:
    taint = next((one for one in node.spec.taints if one.key == UNSCHEDULABLE and one.time_added), None)
    return f" (since {age(case.inventory.now, taint.time_added)})" if taint and node.spec.unschedulable else ""


def _who(case: Case) -> Answer | None:
    """Whether the node is cordoned at all, and the little that is on record about it."""
    if not re.search(rf"\b(?:{_CORDONED}|tainted|drain\w*)\b", bare(case), re.I):
        return None
    nodes = [one for one in case.inventory.nodes if one.ref in case.subjects]
    nodes = nodes or [one for one in case.inventory.nodes if one.spec.unschedulable]
    if not nodes:
        return (_whole(case, "No node is cordoned now"), []) if case.inventory.nodes else None
    node = nodes[0]
    if node.spec.unschedulable:
        return f"{node.ref} is cordoned{_since(case, node)}. {NOBODY}", _marks(case, node)
    ready = condition(node.status.conditions, "Ready")
    state = ""
    if ready is not None and ready.status != "True":
        since = age(case.inventory.now, ready.last_transition_time)
        state = f" It is not ready for {since}, which the node controller marks with taints."
    return f"Nobody: {node.ref} is not cordoned.{state}", _marks(case, node)


def _marks(case: Case, node: Node) -> list[str]:
    """Taints, annotations that speak of maintenance, and events about a node."""
    now = case.inventory.now
    lines = [
        f"taint {one}" + (f", since {age(now, one.time_added)}" if one.time_added else "") for one in node.spec.taints
    ]
    for key, value in node.metadata.annotations.items():
        if re.search(r"cordon|drain|maintenance|reboot|reason|lock", key, re.IGNORECASE) and not gives_orders(value):
            lines.append(f"annotation {key}: {quoted(value, 120)}")
    for event in case.inventory.events_of(node, None)[:4]:
        if not gives_orders(event.text):
            lines.append(f"event {event.reason} ({age(now, event.last_seen)} ago): {quoted(clip(event.text, 140))}")
    return lines[:8]


def _ready(case: Case, text: str) -> Answer | None:
    words = r"(?:not|un|non-?|isn'?t|aren'?t) ?ready|notready|ready|healthy|unhealthy|up|down|online|offline|running"
    found = re.search(rf"\b(?:{words})\b", text, re.I)
    if case.subjects or found is None or not _LIST.search(text) or not only(case, words, _NODES):
        return None
    if re.search(r"\bany\b", text, re.I) and not re.search(r"\bhow many\b", text, re.I):
        return None
    nodes = list(case.inventory.nodes)
    bad = [one for one in nodes if not one.ready]
    names = f"; not ready: {listed([one.name for one in bad], 8)}" if bad else ""
    return _whole(case, f"{len(nodes) - len(bad)} of {count(len(nodes), 'node')} are ready{names}"), []


def _tainted(case: Case, text: str) -> Answer | None:
    words = r"taints?|tainted"
    if (
        case.subjects
        or not re.search(rf"\b(?:{words})\b", text, re.I)
        or not only(case, words, _NODES, "have|has|with")
    ):
        return None
    nodes = list(case.inventory.nodes)
    hit = [one for one in nodes if one.spec.taints]
    lines = [f"{one.name}: {', '.join(map(str, one.spec.taints[:6]))}" for one in hit]
    head = f"{len(hit) or 'None'} of {count(len(nodes), 'node')} {'has' if len(hit) == 1 else 'have'} taints"
    names = f": {'; '.join(lines)}" if 0 < len(hit) <= 4 else ""
    return _whole(case, head + names), capped(lines, MOST) if len(hit) > 4 else []


# --- sorts ----------------------------------------------------------------------------------------------------------


def _sorts(case: Case, text: str) -> Answer | None:
    """Nodes grouped by zone, architecture, type and the like."""
    said = [
        (label, words, keys)
        for label, words, keys in _PROPERTIES
        if re.search(rf"(?<![\w-])(?:{words})(?![\w-])", text, re.I)
    ]
    known = "|".join(words for _, words, _ in _PROPERTIES)
    values = {value.lower() for node in case.inventory.nodes for value in _values(node)}
    if (
        not said
        or (case.subjects and len(said) < 2)
        or not only(case, known, _NODES, "of which|in which|spread|distributed|belong|sort|kinds?|across")
    ):
        return None
    if any(re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", text, re.I) for value in values if len(value) > 2):
        return None  # one of the values was named: which are in it is the question
    nodes = [one for one in case.inventory.nodes if not case.subjects or one.ref in case.subjects]
    heads = []
    lines = []
    for label, _, keys in said[:3]:
        groups: dict[str, list[str]] = {}
        for node in nodes:
            groups.setdefault(_value(node, label, keys), []).append(node.name)
        if set(groups) == {""}:
            heads.append(f"no node says its {label}")
            continue
        rows = [f"{value or f'no {label}'}: {listed(names, 12)}" for value, names in sorted(groups.items())]
        heads.append(f"by {label}: {'; '.join(rows[:6])}" + (f"; and {len(rows) - 6} more" if len(rows) > 6 else ""))
        lines += rows[6:MOST]
    head = ". ".join(one[:1].upper() + one[1:] for one in heads)
    return _whole(case, f"{count(len(nodes), 'node')}. {head}"), lines


def _value(node: Node, label: str, keys: Sequence[str]) -> str:
    labels = node.metadata.labels
    if label == "version":
        return node.status.node_info.kubelet_version
    if label == "architecture":
        return node.status.node_info.architecture or next((labels[key] for key in keys if key in labels), "")
    if label == "pool":
        return next((value for key, value in sorted(labels.items()) if _POOL_KEY.search(key)), "")
    if label == "role":
        return ", ".join(sorted(key.removeprefix(_ROLE_KEY) for key in labels if key.startswith(_ROLE_KEY)))
    return next((labels[key] for key in keys if key in labels), "")


def _values(node: Node) -> set[str]:
    return {_value(node, label, keys) for label, _, keys in _PROPERTIES if label != "role"} - {""}


def _like(case: Case, text: str) -> Answer | None:
    """The nodes of which a label says a word of the question: arm, spot, a zone, a pool."""
    if case.subjects or not _LIST.search(text):
        return None
    stock = "|".join(words for _, words, _ in _PROPERTIES)
    for word in dict.fromkeys(re.findall(r"[a-z][a-z0-9.-]{1,40}[a-z0-9]", text.lower())):
        holds = _holder(word)
        hit = [one for one in case.inventory.nodes if holds(one)]
        plain = re.fullmatch(rf"(?:{_NODES}|{stock})", word)
        if (
            plain
            or not (hit or word in _SORTS)
            or not only(case, re.escape(word), _NODES, stock, "based|machines?|type|labell?ed|label|pool")
        ):
            continue
        nodes = len(case.inventory.nodes)
        verb = "fits" if len(hit) == 1 else "fit"
        names = f": {listed([one.name for one in hit], 12)} ({node_says(hit[0], word)})" if hit else ""
        return _whole(case, f"{len(hit) or 'None'} of {count(nodes, 'node')} {verb} {quoted(word, 60)}{names}"), []
    return None


_SORTS = frozenset("arm arm64 amd amd64 x86 gpu gpus spot preemptible windows linux virtual".split())
"""Words for sorts of nodes: where no label says one, there is none of it."""
_LABELS = {"x86": "amd64", "amd": "amd64", "arm": "arm64"}


def _holder(word: str) -> Callable[[Node], bool]:
    wanted = _LABELS.get(word, word)

    def holds(node: Node) -> bool:
        return bool(node_says(node, wanted))

    return holds


def node_says(node: Node, word: str) -> str:
    """What of a node says the word: architecture, a label, a resource of that name."""
    wanted = _LABELS.get(word, word)
    if node.status.node_info.architecture == wanted:
        return f"architecture {wanted}"
    for name, much in node.status.allocatable.items():
        if "/" in name and word.removesuffix("s") in re.split(r"[-_./]", name.lower()) and str(much) != "0":
            return f"it has {much} {name}"
    for key, value in sorted(node.metadata.labels.items()):
        if key.startswith("kubernetes.io/hostname"):
            continue
        last = key.rpartition("/")[2].lower()
        if value.lower() == wanted or (
            word in re.split(r"[-_.]", last) and value.lower() not in ("false", "no", "0", "none")
        ):
            return f"label {key}={value}"
    return ""
