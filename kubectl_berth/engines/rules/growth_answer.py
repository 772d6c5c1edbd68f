"""Whether more replicas of something fit, and whether one more node would help: by requests, rules and quotas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.cluster.views import Pod, Workload
from kubectl_berth.diagnosis.capacity import pools, unscheduled
from kubectl_berth.diagnosis.capacity_more import HOSTNAME, Room, room_for, sample, with_a_node
from kubectl_berth.diagnosis.dependents import keepers
from kubectl_berth.diagnosis.fit import ZERO, requests, show
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.engine import ToolCall
from kubectl_berth.engines.rules.acts.refused import refused
from kubectl_berth.engines.rules.capacity_answer import EACH, UNCHECKED, binding, blind, free_lines
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.topic import Said, Topic, bullets, findings_of
from kubectl_berth.records import Ref, ToolResult
from kubectl_berth.safety.shell import kubectl

_NUMBERS = dict(
    zip("one two three four five six seven eight nine ten a an another".split(), (*range(1, 11), 1, 1, 1), strict=True)
)
_NUMBER = rf"(\d{{1,3}}|{'|'.join(_NUMBERS)})"
_MORE = re.compile(
    rf"(?<![\w-]){_NUMBER}\s+(?:(?:more|additional|extra|further|other|new|another)\s+)?(?:\w+\s+)?"
    r"(?:replicas?|pods?|instances?|copies)(?![\w-])|"
    rf"(?<![\w-]){_NUMBER}\s+more\s+(?:of (?:it|them|those)\s+)?(?=fits?\b)",
    re.IGNORECASE,
)
_TO = re.compile(
    r"\bscal(?:e|ing|ed)\b[^.?!]{0,60}?\bto\s+(\d{1,3})\b|\b(?:run|have|hold)\b[^.?!]{0,40}?\b(\d{1,3})\s+replicas?\b",
    re.I,
)
_FITS = re.compile(
    r"\b(?:fits?|room|space|capacity|enough|can|could|would|possible|hold|take|bear|schedul\w+|place)\b", re.IGNORECASE
)
_ADDS = re.compile(r"\b(?:more|another|additional|extra|further|scal\w+|to)\b", re.IGNORECASE)
_NODE = re.compile(
    r"\b(?:add(?:ing|ed)?|another|more|extra|additional|new|buy(?:ing)?|bigger|larger|"
    r"(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,2}th))\b[^.?!]{0,25}\bnodes?\b",
    re.IGNORECASE,
)
_HELPS = re.compile(
    r"\b(?:help\w*|fix\w*|solv\w+|resolv\w+|unblock\w*|cure|make a difference|change anything|let (?:it|them)|"
    r"get (?:it|them) (?:scheduled|running|placed)|get scheduled|do the trick|be enough|suffice)\b",
    re.IGNORECASE,
)


_HOW_MANY = re.compile(
    r"\bhow many (?:more |additional |extra )?(?:\w+ )?(?:replicas?|pods?|instances?|copies)\b[^.?!]{0,40}"
    r"\b(?:fits?|room|space|can (?:i|we|it)|could (?:i|we)|possible)\b",
    re.IGNORECASE,
)
_TIMES = re.compile(r"\b(?:(doubl(?:e|ing)|twice)|(tripl(?:e|ing)|three times))\b", re.IGNORECASE)


def more_pods(case: Case) -> int | None:
    """How many more pods of what was named the question asks about; None where it asks for none."""
    text, main = case.understanding.text, case.main
    if main is None or main.kind in ("Node", "Namespace") or not _FITS.search(text):
        return None
    view = case.inventory.find(main)
    if (to := _TO.search(text)) and isinstance(view, Workload):
        wanted = int(to[1] or to[2]) - view.desired
        return wanted if wanted > 0 else None
    times = _TIMES.search(text)
    if times and isinstance(view, Workload) and view.desired and re.search(r"\breplicas?|pods?|scal\w+", text, re.I):
        return view.desired * (1 if times[1] else 2)
    if _HOW_MANY.search(text):
        return 1
    found = _MORE.search(text)
    if found is None or not _ADDS.search(text[max(0, found.start() - 25) : found.end()]):
        return None
    number = found[1] or found[2]
    return int(number) if number.isdigit() else _NUMBERS[number.lower()]


def one_more_node(case: Case) -> bool:
    """True where the question is whether one more node would help."""
    text = case.understanding.text
    return bool(_NODE.search(text) and _HELPS.search(text)) and not re.match(r"^\W*(?:why|how)\b", text, re.IGNORECASE)


def grows(case: Case) -> bool:
    """True for the questions of this topic."""
    return not case.lost and not case.blind and (one_more_node(case) or more_pods(case) is not None)


def growth_calls(case: Case) -> list[ToolCall]:
    """The nodes with what is reserved on them."""
    del case
    return [ToolCall("analyze_capacity", {})]


def say_growth(case: Case, results: Sequence[ToolResult]) -> Said | None:
    """The answer; None where nothing was named of which there might be more."""
    inventory = case.inventory
    if not inventory.nodes or blind(case):
        why = blind(case) or "the nodes could not be read"
        return Said(f"Whether it fits cannot be told: {why}.", unchecked=UNCHECKED, findings=findings_of(results))
    if one_more_node(case):
        return _node(case, results)
    number, main = more_pods(case), case.main
    pod = sample(inventory, main) if main is not None else None
    if number is None or main is None or pod is None:
        return None
    ref = inventory.workload(pod) if main.kind in ("Pod", "Service") else main
    if (stopped := refused(case, ref, pod)) is not None:
        verdict = f"No, not now: new pods of {ref} cannot be created, room or not ({stopped.why})."
        return Said(verdict, [], [stopped.first], UNCHECKED, (), findings_of(results), alone=True)
    room = room_for(inventory, ref, pod)
    lines = [f"{name}: {number_here} more" for name, number_here in room.each.items()][:EACH]
    if room.quota:
        lines.append(f"{room.quota[0]} ({room.quota[1]}) leaves room for {room.quota[2]} more")
    if room.apart:
        lines.append(f"its required anti-affinity by {room.apart} lets one of them in each domain")
    parts = [bullets("**How many more fit** (by requests, each node by itself)", lines),
             bullets("**Free by requests**", free_lines(case))]  # fmt: skip
    if _HOW_MANY.search(case.understanding.text):
        number = max(1, room.whole)
    return Said(_fits(ref, pod, number, room) + _bounds(case, ref, number), parts, _ways(case, ref, number, room),
                UNCHECKED, (), findings_of(results), alone=True)  # fmt: skip


def _fits(ref: Ref, pod: Pod, number: int, room: Room) -> str:
    asks = ", ".join(
        f"{show(name, requests(pod.spec).get(name, ZERO))} {name}"
        for name in ("cpu", "memory")
        if requests(pod.spec).get(name)
    )
    each = f" ({asks} each)" if asks else " (they request nothing, so nothing is counted for them)"
    spread = ", ".join(f"{name} {count_}" for name, count_ in room.each.items() if count_)
    if room.whole >= number:
        more = "" if not asks else f": up to {room.whole} do" + (f" ({spread})" if len(room.each) <= EACH else "")
        what = "one more pod" if number == 1 else f"{number} more pods"
        return f"Yes: {what} of {ref} fit{'s' if number == 1 else ''}, by requests{each}{more}."
    why = _why_not(room)
    if room.whole == 0 and number == 1:
        return f"No node has room for one more pod of {ref}{why}."
    fit = f"only {room.whole} of the {number} fit" if room.whole else f"none of the {number} fits"
    return f"No: {fit}, by requests{each}{why}; the rest would stay Pending{f' ({spread})' if spread else ''}."


def _why_not(room: Room) -> str:
    if room.quota and room.quota[2] < sum(room.each.values()):
        return f"; {room.quota[0]} leaves no more ({room.quota[1]})"
    if room.apart:
        return f"; its required anti-affinity by {room.apart} allows one in each domain"
    return f"; {room.short} is what is short" if room.short and any(room.each.values()) else ""


def _bounds(case: Case, ref: Ref, number: int) -> str:
    """Who takes back what is set by hand: the autoscaler, or what the workload comes from."""
    view = case.inventory.find(ref)
    if not isinstance(view, Workload):
        return ""
    for one in case.inventory.autoscalers:
        if one.target == ref and view.desired + number > one.spec.max_replicas:
            return (
                f" But {one.ref} holds it at {one.spec.max_replicas} at most: its maxReplicas has to go up to "
                f"{view.desired + number}."
            )
        if one.target == ref:
            return f" But {one.ref} goes by its own figures and may set another number."
    found = keepers(case.inventory, view)
    return f" But it comes from {found[0]}, which sets back what is scaled by hand." if found else ""


def _ways(case: Case, ref: Ref, number: int, room: Room) -> list[str]:
    told = []
    if room.whole < number:
        told.append('Free room first: lower requests far above use (ask "where do we waste capacity?"), or add a node.')
    view = case.inventory.find(ref)
    scaled = any(one.target == ref for one in case.inventory.autoscalers)
    if room.whole >= number and isinstance(view, Workload) and ref.kind in ("Deployment", "StatefulSet") and not scaled:
        words = ("scale", f"{ref.kind.lower()}/{ref.name}", "-n", ref.namespace, f"--replicas={view.desired + number}")
        told.append(f"The command is `{kubectl(*words)}`: for you to judge and run.")
    told.append("Keep enough free for the loss of a node, and for the pods that a rolling update adds (maxSurge).")
    return told


# --- one more node --------------------------------------------------------------------------------------------------


def _node(case: Case, results: Sequence[ToolResult]) -> Said:
    inventory = case.inventory
    waiting = unscheduled(inventory)
    mine = {pod.ref for ref in case.subjects if ref.kind != "Node" for pod in inventory.pods_of(ref)}
    spaces = set(case.understanding.namespaces)
    asked = [pod for pod in waiting if (not mine or pod.ref in mine) and (not spaces or pod.namespace in spaces)]
    if not asked:
        return _none_waits(case, waiting, results)
    told = [(pod, *with_a_node(inventory, pod)) for pod in asked[:EACH]]
    pod, helps, why = told[0]
    same = [one for one in told if one[1] == helps]
    who = f"{pod.ref}" if len(same) == 1 else f"{pod.ref} and {count(len(same) - 1, 'more')}"
    head = {
        "yes": f"Yes, by what can be read: one more node like those that are there would take {who}",
        "no": f"No: one more node like those that are there would not take {who}",
        "special": f"Only a certain node would help {who}",
    }[helps]
    verdict = f"{head}; {why}."
    cheaper = _cheaper(case, pod)
    verdict += f" It can do without: {cheaper}." if cheaper and helps == "yes" else ""
    lines = [f"{one.ref}: {'yes' if help_ == 'yes' else 'no' if help_ == 'no' else 'only a certain one'}: {words}"
             for one, help_, words in told[1:6]]  # fmt: skip
    parts = [bullets("**The others that wait**", lines), bullets("**Free by requests**", free_lines(case))]
    ways = [f"{cheaper[:1].upper()}{cheaper[1:]}."] if cheaper else []
    ways.append("A new node has to bear the labels, the zone and no other taints than the pod asks for.")
    return Said(verdict, [part for part in parts if part], ways, UNCHECKED, (), findings_of(results), alone=True)


def _none_waits(case: Case, waiting: Sequence[Pod], results: Sequence[ToolResult]) -> Said:
    ref = case.main
    whose = f" of {ref}" if ref is not None and ref.kind not in ("Node", "Namespace") else ""
    verdict = f"No: no pod{whose} waits for a node, so one more would let nothing in that does not run already."
    scaler = next((one for one in case.inventory.autoscalers if one.target == ref), None)
    if scaler is not None and scaler.status.desired_replicas >= scaler.spec.max_replicas:
        verdict += f" What holds it is {scaler.ref}, at its maximum of {scaler.spec.max_replicas} replicas."
    elif found := pools(case.inventory):
        verdict += f" {binding(found[0])}"
    if waiting:
        verdict += f" Others wait: {listed([str(pod.ref) for pod in waiting], 3)}."
    parts = [bullets("**Free by requests**", free_lines(case))]
    ways = ["Before a node is bought: find out what it is short of, and what is reserved and not used."]
    return Said(verdict.strip(), parts, ways, UNCHECKED, (), findings_of(results), alone=True)


def _cheaper(case: Case, pod: Pod) -> str:
    """How it gets on without a new node, where it is an update that adds a pod before it takes one away."""
    inventory = case.inventory
    view = inventory.find(inventory.workload(pod))
    if not isinstance(view, Workload) or view.kind != "Deployment" or view.spec.strategy is None:
        return ""
    rolling = view.spec.strategy.rolling_update
    mates = [one for one in inventory.pods_of(view.ref) if not one.finished]
    older = [one for one in mates if inventory.owner(one) != inventory.owner(pod)]
    if rolling is None or rolling.max_unavailable not in (0, "0", "0%") or len(mates) <= view.desired or not older:
        return ""
    rule = pod.spec.affinity.pod_anti_affinity if pod.spec.affinity else None
    by_host = any(term.topology_key == HOSTNAME for term in (rule.required if rule else ()))
    also = " and maxSurge 0" if by_host else ""
    why = "so that an old pod makes room before a new one comes"
    return f"set maxUnavailable 1{also} in the strategy of {view.ref}, {why}"


GROWTH = Topic(growth_calls, say_growth)
