"""What holds a drain up, or whether one would get through: budgets, pods nobody makes again, room elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.cluster.views import Pod, Workload, age
from kubectl_berth.diagnosis.availability import stranded, takes_down, units
from kubectl_berth.diagnosis.capacity import bound_to_node, losses, pools, takes_pods
from kubectl_berth.diagnosis.capacity_more import kept_apart
from kubectl_berth.diagnosis.disruption import State, drains, shared, states, unmanaged
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.engines.engine import ToolCall
from kubectl_berth.engines.rules.acts.refused import Refused, refused
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.topic import Said, Topic, bullets, findings_of
from kubectl_berth.records import Action, Finding, Ref, ToolResult
from kubectl_berth.safety.shell import kubectl

MOST = 5
GRACE = "A drain asks again until the budget lets the pod go: once it may, a hanging drain goes on by itself."
CAREFUL = "Do not force it and do not take the budget away to get on: the pods it protects would go down together."
UNCHECKED = (
    "Whether the pods are well again on another node (readiness after the move, data on local volumes, sessions).",
    "Affinity between pods and topology spread, and what changes between now and the drain.",
)


def drain_calls(case: Case) -> list[ToolCall]:
    """The budgets, and the node that is to be emptied."""
    spaces = case.understanding.namespaces
    where = {"namespace": spaces[0]} if len(spaces) == 1 and not _nodes(case) else {}
    calls = [ToolCall("check_disruption_budgets", where)]
    return [
        *calls,
        *(ToolCall("describe_resource", {"kind": "Node", "name": name}) for name in sorted(_nodes(case))[:1]),
    ]


def _nodes(case: Case) -> set[str]:
    return {ref.name for ref in case.subjects if ref.kind == "Node"}


def say_drain(case: Case, results: Sequence[ToolResult]) -> Said | None:
    """The answer; None where neither budgets nor nodes could be read."""
    inventory = case.inventory
    if "budgets" in inventory.unread and not inventory.budgets:
        return None
    every, overlaps = states(inventory), shared(inventory)
    stops = drains(inventory, every, overlaps)
    nodes = _nodes(case) or ({node.name for node in inventory.nodes if node.spec.unschedulable} & set(stops))
    held = {name: pods for name, pods in stops.items() if not nodes or name in nodes}
    names = {budget for pods in held.values() for _, budget in pods}
    spaces = set(case.understanding.namespaces)
    blocking = [one for one in every if one.blocks and one.budget.name in names]
    if spaces and not nodes:
        blocking = [one for one in blocking if one.budget.namespace in spaces]
    bare = [pod for pod in unmanaged(inventory) if not nodes or pod.spec.node_name in nodes]
    told = findings_of(results)
    if blocking:
        return _blocked(case, blocking, held, nodes, bare, told)
    return _open(case, every, nodes, bare, told)


# --- something holds it up ------------------------------------------------------------------------------------------


def _blocked(
    case: Case,
    blocking: Sequence[State],
    held: dict[str, list[tuple[Pod, str]]],
    nodes: set[str],
    bare: Sequence[Pod],
    told: Sequence[Finding],
) -> Said:
    first = blocking[0]
    names = ", ".join(str(one.budget.ref) for one in blocking[:3])
    verb = "blocks" if len(blocking) == 1 else "block"
    where = f"the drain of {', '.join(sorted(nodes)[:3])}" if nodes else "a drain"
    verdict = f"{names} {verb} {where}: {_why(first)}."
    if first.code == "unhealthy":
        verdict += " The unhealthy pods come first: see what is wrong with them below."
    parts = [bullets(f"**Evidence** ({one.budget.ref})", _evidence(one, held)) for one in blocking[:3]]
    parts += [_bare(bare), _sick(case, blocking)]
    remedies, actions = [], []
    for one in blocking[:3]:
        words, action = _way_out(case, one)
        remedies.append(words)
        actions += action
    subjects = {one.budget.ref for one in blocking}
    findings = [one for one in (*told, *case.findings) if one.subject in subjects or one in case.causes]
    return Said(
        verdict,
        [p for p in parts if p],
        [*remedies, GRACE, CAREFUL],
        UNCHECKED,
        actions,
        tuple(dict.fromkeys(findings)),
    )


def _bound(one: State) -> str:
    spec = one.budget.spec
    if spec.min_available is not None:
        return f"minAvailable {spec.min_available}"
    return f"maxUnavailable {spec.max_unavailable}" if spec.max_unavailable is not None else "no bound"


def _why(one: State) -> str:
    status = one.budget.status
    if one.code == "never":
        return f"its {_bound(one)} never lets a pod go (disruptionsAllowed 0)"
    if one.code == "unhealthy":
        return (
            f"it lets no pod go (disruptionsAllowed 0), since only {status.current_healthy} of {status.expected_pods} "
            f"pods are healthy and it needs {one.needed}"
        )
    if one.code == "under-way":
        return "an eviction is under way, and the next has to wait until the replacement is ready"
    if one.code in ("old-status", "not-computed"):
        return "its status is not worked out, and as long as that lasts every eviction is refused"
    return (
        f"it lets no pod go (disruptionsAllowed 0): {_bound(one)} needs {one.needed} healthy pods, and there are "
        f"{status.current_healthy}"
    )


def _evidence(one: State, held: dict[str, list[tuple[Pod, str]]]) -> list[str]:
    status = one.budget.status
    lines = [
        f"spec: {_bound(one)}; status: disruptionsAllowed {status.disruptions_allowed}, currentHealthy "
        f"{status.current_healthy}, desiredHealthy {status.desired_healthy}, expectedPods {status.expected_pods}"
    ]
    for name, pairs in sorted(held.items()):
        mine = [f"{pod.namespace}/{pod.name}" for pod, budget in pairs if budget == one.budget.name]
        if mine:
            lines.append(f"on {name} it holds {', '.join(mine[:MOST])}")
    return lines


def _sick(case: Case, blocking: Sequence[State]) -> str:
    """What is wrong with the pods that a budget waits for."""
    pods = {pod.ref for one in blocking for pod in one.pods if not pod.ready}
    every = [*case.findings, *case.others]
    lines = [f"{one.subject}: {one.summary}" for one in every if one.subject in pods and one.severity != "info"]
    return bullets("**Why pods are not healthy**", list(dict.fromkeys(lines))[:MOST])


def _way_out(case: Case, one: State) -> tuple[str, list[Action]]:
    budget = one.budget.ref
    if one.code == "unhealthy":
        return (
            f"Mend the unhealthy pods behind {budget}; if they cannot become healthy, unhealthyPodEvictionPolicy: "
            "AlwaysAllow in the budget lets just those go.",
            [],
        )
    if one.code in ("under-way", "old-status", "not-computed"):
        return f"Wait for {budget}; if it stays so, look at the disruption controller (kube-controller-manager).", []
    count = one.budget.status.expected_pods or len(one.pods)
    relaxed = _relaxed(one, count)
    owner = _scalable(case, one)
    if one.enough is None or owner is None or count <= 1:
        return f"{budget}: {relaxed}.", []
    name = f"{owner.kind.lower()}/{owner.name}"
    command = f"`{kubectl('scale', name, '-n', owner.namespace, f'--replicas={one.enough}')}`"
    words = f"Scale {owner} up from {count} to {one.enough} replicas for the window ({command}); or {relaxed}."
    return words, [
        Action("scale", owner.kind, owner.namespace, owner.name, "spec.replicas", str(count), str(one.enough))
    ]


def _relaxed(one: State, count: int) -> str:
    if count <= 1:
        return (
            "it guards one pod alone, which no budget can save: run a second replica, or accept that it is down while "
            "it moves and relax the budget to maxUnavailable 1 for the window"
        )
    bound = f"minAvailable {count - 1}" if one.budget.spec.min_available is not None else "maxUnavailable 1"
    return f"relax the budget to {bound} for the window and put it back afterwards"


def _scalable(case: Case, one: State) -> Ref | None:
    """The workload behind the pods, unless an operator's object owns it and would set it back."""
    for pod in one.pods:
        owner = case.inventory.find(case.inventory.workload(pod))
        if isinstance(owner, Workload) and owner.kind in ("Deployment", "StatefulSet"):
            return owner.ref if case.inventory.owner(owner) is None else None
    return None


def _bare(bare: Sequence[Pod]) -> str:
    lines = [f"{pod.ref} on {pod.spec.node_name}" for pod in bare[:MOST]]
    return bullets(
        "**Pods that no controller makes again** (a drain refuses them; forced, they are gone for good)", lines
    )


# --- nothing holds it up --------------------------------------------------------------------------------------------


def _open(case: Case, every: Sequence[State], nodes: set[str], bare: Sequence[Pod], told: Sequence[Finding]) -> Said:
    where = f"of {', '.join(sorted(nodes)[:3])}" if nodes else "of any node"
    counted = f"{len(every)} disruption budget{'s' if len(every) != 1 else ''}"
    local = _local(case, nodes)
    hanging = _hanging(case, nodes)
    lost = not_remade(case, nodes)
    unseen = _unseen(case)
    if unseen and not hanging and not (bare and nodes):
        verdict = (
            f"Whether a drain {where} gets through cannot be told: {unseen}. Of the {counted} that were read none "
            "blocks it."
        )
    elif hanging:
        verdict = f"No disruption budget holds the drain {where} up; it waits for pods that do not end: {hanging[0]}."
    elif bare and nodes:
        verdict = f"No budget holds it up, but a drain {where} is refused: {bare[0].ref} has no controller."
    else:
        verdict = f"No disruption budget blocks a drain {where} ({counted} read): every pod there may be evicted now."
    room = _room(case, nodes)
    if lost:
        room = f"But not all of its pods come back: new pods of {lost[0][0]} cannot be created ({lost[0][1].why})."
    parts = [
        bullets("**Pods that do not end**", hanging),
        bullets("**Not made again at present**", [f"{ref}: {stop.why}" for ref, stop in lost[:MOST]]),
        _bare(bare if nodes else ()),
        bullets("**Down while it moves** (runs once only)", _once(case, nodes)),
        bullets("**Local data**", local),
    ]
    remedies = _steps(case, nodes, [stop.first for _, stop in lost[:1]], bare=bool(bare), local=bool(local))
    lead = _lead(case, nodes, hindered=bool((bare and nodes) or hanging or lost), homeless=room.startswith("But"))
    if lead and not unseen:
        verdict = f"{lead}: {verdict[:1].lower()}{verdict[1:]}"
    verdict = " ".join(words for words in (verdict, room, _left(case, nodes)) if words)
    return Said(verdict, [part for part in parts if part], remedies, UNCHECKED, (), tuple(told))


def _steps(case: Case, nodes: set[str], first: Sequence[str], *, bare: bool, local: bool) -> list[str]:
    """What to do for a drain that nothing holds up, after what comes first."""
    remedies = list(first)
    if bare and nodes:
        remedies.append(
            "Save what the pods without a controller hold, or move them under a Deployment, before the drain."
        )
    if local:
        remedies.append("--delete-emptydir-data deletes what lies in emptyDir volumes: make sure that nothing there is "
                        "needed.")  # fmt: skip
    if nodes and any(bound_to_node(case.inventory, pod) for name in nodes for pod in _on(case, name)):
        remedies.append("Pods of DaemonSets stay on the node: a drain goes on only with --ignore-daemonsets.")
    remedies.append("Cordon first, drain one node at a time, and watch for pods that stay Pending before the next one.")
    return remedies


_LEAVE = re.compile(
    r"\b(?:can|may|could|should|shall)\s+(?:i|we)\b|\b(?:safe|safely|ok|okay|fine|alright)\b", re.IGNORECASE
)


def _lead(case: Case, nodes: set[str], *, hindered: bool, homeless: bool) -> str:
    """Yes, no or only if, where leave for the drain of a node is asked."""
    if not nodes or not _LEAVE.search(case.understanding.text):
        return ""
    if hindered:
        return "No, not as it is"
    if homeless:
        return "Only if what cannot move may stay down"
    return "Yes, with an interruption" if _once(case, nodes) else "Yes, by what can be read"


def _unseen(case: Case) -> str:
    """Why a budget or a pod that holds a drain up may not have been seen, or ""."""
    own = case.inventory.namespace
    if own is not None:
        return f"only namespace {own} was read, and pods and budgets of others count too"
    missing = [name for name in ("budgets", "pods") if name in case.inventory.unread]
    return f"not all {' and '.join(missing)} could be read" if missing else ""


def _hanging(case: Case, nodes: set[str]) -> list[str]:
    """Pods on the nodes that were told to end longer ago than their grace period."""
    now = case.inventory.now
    return [
        f"{pod.ref}: terminating since {age(now, pod.metadata.deletion_timestamp)}"
        for pod in case.inventory.pods
        if pod.terminating and (not nodes or pod.spec.node_name in nodes)
    ][:MOST]


def _local(case: Case, nodes: set[str]) -> list[str]:
    if not nodes:
        return []
    pods = [
        pod
        for pod in case.inventory.pods
        if pod.spec.node_name in nodes
        and not pod.finished
        and any(one.empty_dir is not None for one in pod.spec.volumes)
    ]
    names = ", ".join(f"{pod.namespace}/{pod.name}" for pod in pods[:MOST])
    more = f" and {len(pods) - MOST} more" if len(pods) > MOST else ""
    return [f"emptyDir volumes: {names}{more}"] if pods else []


def _room(case: Case, nodes: set[str]) -> str:
    """Whether the pods find another place, by requests."""
    if len(nodes) != 1 or case.inventory.namespace is not None or {"pods", "nodes"} & case.inventory.unread:
        return ""
    name = next(iter(nodes))
    every = [loss for pool in pools(case.inventory) for loss in losses(case.inventory, pool, tried=True)]
    loss = next((one for one in every if one.node.name == name), None)
    if loss is None:
        return ""
    apart = {pod.ref: key for pod in loss.moving if (key := kept_apart(case.inventory, pod, name))}
    if loss.covered and apart:
        ref, key = next(iter(apart.items()))
        names = listed([f"{one.namespace}/{one.name}" for one in apart], 3)
        return (
            f"But not all of its pods find another place: {names} would stay Pending until a node is free "
            f"for it: the required anti-affinity by {key} of {ref} leaves no other, since each that it could use "
            "holds a pod that it must keep away from."
        )
    if loss.covered:
        return "By requests its pods find a place on the other nodes."
    homeless = loss.homeless or ()
    pods = ", ".join(f"{pod.namespace}/{pod.name}" for pod in homeless[:3])
    why = next((found.why for pod in homeless if (found := stranded(case.inventory, pod, [name])) is not None), "")
    since = f", since {why}" if why else ""
    return f"But not all of its pods find another place: {pods or 'some'} would stay Pending{since}."


def not_remade(case: Case, nodes: set[str]) -> list[tuple[Ref, Refused]]:
    """The workloads with pods on these nodes of which no new pod can be made now."""
    found: dict[Ref, Refused] = {}
    for pod in (one for name in sorted(nodes) for one in _on(case, name)):
        ref = case.inventory.workload(pod)
        if ref in found or bound_to_node(case.inventory, pod) or case.inventory.owner(pod) is None:
            continue
        if (stop := refused(case, ref, pod)) is not None:
            found[ref] = stop
    return list(found.items())


def _left(case: Case, nodes: set[str]) -> str:
    """The nodes that still take pods, where some do not."""
    if not nodes or "nodes" in case.inventory.unread:
        return ""
    others = [node for node in case.inventory.nodes if node.name not in nodes]
    closed = [f"{node.name} ({'cordoned' if node.ready else 'not ready'})" for node in others if not takes_pods(node)]
    usable = [node.name for node in others if takes_pods(node)]
    if not closed:
        return ""
    only = f"only {listed(usable, 4)} take{'s' if len(usable) == 1 else ''}" if usable else "no other node takes"
    return f"Of the other nodes {only} pods now, not {listed(closed, 4)}."


def _on(case: Case, node: str) -> list[Pod]:
    return [pod for pod in case.inventory.pods_of(Ref("Node", "", node)) if not pod.finished]


def _once(case: Case, nodes: set[str]) -> list[str]:
    """What runs once only and lies on the nodes."""
    gone = [one for name in sorted(nodes) for one in takes_down(units(case.inventory)).get(name, ()) if one.single]
    return [str(one.top.ref if one.top is not None else one.ref) for one in gone[:MOST]]


DRAIN = Topic(drain_calls, say_drain)
