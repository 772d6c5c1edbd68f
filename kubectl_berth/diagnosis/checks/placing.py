"""Who or what stands in the way of a pod that no node takes, by name, and what would let it in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kubectl_berth.cluster.views import Node, Pod
from kubectl_berth.cluster.views.pods import SpreadConstraint
from kubectl_berth.diagnosis.fit import host_ports, obstacles, port_holder, repelling, selects, volume_elsewhere
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.safety.shell import kubectl


@dataclass(frozen=True)
class Placing:
    """Why a pod finds no place, in words, what to do, and evidence that nodes alone do not give."""

    words: str
    remedy: str
    lines: tuple[str, ...] = ()


def placing(inventory: Inventory, pod: Pod, reason: str) -> Placing | None:
    """What the objects tell beyond the reason; None where they tell no more."""
    work = _PLACINGS.get(reason)
    return work(inventory, pod) if work is not None and "nodes" not in inventory.unread else None


# --- cordoned nodes ---------------------------------------------------------------------------------------------------


def only_cordoned(inventory: Inventory, pod: Pod) -> list[Node]:
    """The nodes that would take the pod, were they not cordoned."""
    return [
        node
        for node in inventory.nodes
        if node.spec.unschedulable and {one.code for one in obstacles(inventory, pod, node)} == {"NodesCordoned"}
    ]


def _uncordon(nodes: list[Node]) -> str:
    commands = listed([f"`{kubectl('uncordon', node.name)}`" for node in nodes], 3)
    return f"{commands}, once it is certain that the maintenance is over"


def _are_cordoned(nodes: list[Node]) -> str:
    names = listed([node.name for node in nodes], 3)
    return f"{names}, which is cordoned" if len(nodes) == 1 else f"{names}, which are cordoned"


def _cordoned(inventory: Inventory, pod: Pod) -> Placing | None:
    nodes = only_cordoned(inventory, pod)
    names, verb = listed([node.name for node in nodes], 3), "is" if len(nodes) == 1 else "are"
    words = f"{names}, which would take it, {verb} cordoned, and no other node takes it"
    return Placing(words, _uncordon(nodes)) if nodes else None


def _volume(inventory: Inventory, pod: Pod) -> Placing | None:
    barred = [one.words for node in inventory.nodes for one in volume_elsewhere(inventory, pod, node)]
    where = next((words.partition(" is reachable only where ")[2] for words in barred), "")
    keep = "do not delete the claim, the data is on it"
    if where and len(barred) == len(inventory.nodes):
        words = f"its volume can be reached only from nodes where {where}, and there is no such node"
        return Placing(words, f"bring back or add a node where {where}; {keep}")
    nodes = only_cordoned(inventory, pod)
    if not nodes:
        return None
    return Placing(
        f"its volume can be reached only from {_are_cordoned(nodes)}" + (f" ({where})" if where else ""),
        f"{_uncordon(nodes)}, or add a node there; {keep}",
        tuple(
            f"node {node.name}: it is cordoned (spec.unschedulable), nothing else stands against it" for node in nodes
        ),
    )


# --- host ports -------------------------------------------------------------------------------------------------------


def _host_port(inventory: Inventory, pod: Pod) -> Placing | None:
    ports = listed([str(number) for number, _ in host_ports(pod.spec)])
    held = [(node, holder) for node in inventory.nodes if (holder := port_holder(inventory, pod, node)) is not None]
    if not held:
        return None
    mine = inventory.workload(pod)
    own = [(node, holder) for node, holder in held if inventory.workload(holder) == mine and mine != pod.ref]
    others = [(node, holder) for node, holder in held if (node, holder) not in own]
    taken = [f"on {node.name} by {holder.ref}" for node, holder in others[:3]]
    taken += [f"on {listed([node.name for node, _ in own], 3)} by its own pods"] if own else []
    every = "on every node" if len(held) == len(inventory.nodes) else "on the nodes it could run on"
    return Placing(
        f"its host port {ports} is taken {every}: {', '.join(taken)}", _port_remedy(inventory, pod, others, own)
    )


def _port_remedy(inventory: Inventory, pod: Pod, others: list[tuple[Node, Pod]], own: list[tuple[Node, Pod]]) -> str:
    if others:
        node, holder = others[0]
        return (
            f"let one of the two do without that port of node {node.name}: another host port for one of them, another "
            f"node for {inventory.workload(holder)}, or as many pods of {inventory.workload(pod)} as nodes are free"
        )
    if any(_outdated(inventory, pod, holder) for _, holder in own):
        return "let an old pod go first (maxUnavailable 1, maxSurge 0), or drop the host port"
    return (
        f"a node has each host port once: ask for no more replicas than nodes ({len(inventory.nodes)}), add a node, or "
        "drop the host port (a Service reaches the pods without it)"
    )


def _outdated(inventory: Inventory, pod: Pod, other: Pod) -> bool:
    """True where the other pod is of the same Deployment and of another revision: an update is under way."""
    mine, theirs = inventory.owner(pod), inventory.owner(other)
    return mine is not None and mine.kind == "ReplicaSet" and theirs is not None and mine != theirs


# --- rules between pods -----------------------------------------------------------------------------------------------


def _apart(inventory: Inventory, pod: Pod) -> Placing | None:
    affinity = pod.spec.affinity.pod_anti_affinity if pod.spec.affinity else None
    for term in affinity.required if affinity else ():
        near = [
            one
            for one in inventory.selected(pod.namespace, term.label_selector)
            if one.ref != pod.ref and one.spec.node_name and not one.finished
        ]
        if not near:
            continue
        places = dict.fromkeys(f"{one.name} on {one.spec.node_name}" for one in near)
        words = (
            f"its required anti-affinity by {term.topology_key} leaves no node: the pods it must keep away from are "
            f"{listed(list(places), 4)}"
        )
        old = any(inventory.workload(one) == inventory.workload(pod) and _outdated(inventory, pod, one) for one in near)
        remedy = "add a node, use fewer replicas than nodes, or make the rule preferred"
        if old:
            remedy = (
                "let an old pod go before the new one comes: maxUnavailable 1 and maxSurge 0 in the Deployment's "
                f"strategy; or {remedy}"
            )
        return Placing(words, remedy)
    return None


def _spread(inventory: Inventory, pod: Pod) -> Placing | None:
    for rule in pod.spec.topology_spread_constraints:
        if rule.when_unsatisfiable != "DoNotSchedule" or rule.label_selector is None:
            continue
        counts = _domains(inventory, pod, rule)
        short = min(counts, key=lambda name: (counts[name], name), default="")
        if len(counts) < 2 or counts[short] == max(counts.values()):
            continue
        there = [node for node in inventory.nodes if node.metadata.labels.get(rule.topology_key) == short]
        taints = sorted({str(taint) for node in there for taint in repelling(pod.spec, node)})
        blocked = [f"{node.name} ({why})" for node in there if (why := _against(inventory, pod, node))]
        if len(blocked) < len(there):
            continue
        figures = ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))
        words = (
            f"its topology spread constraint ({rule.topology_key}, maxSkew {rule.max_skew}) wants the next pod in "
            f"{short}, and no node there takes it: {listed(blocked, 3)}"
        )
        remedy = f"make room in {short}, or relax maxSkew or whenUnsatisfiable"
        if taints:
            remedy = (
                f"set nodeTaintsPolicy Honor in the constraint, so that nodes with taints it does not tolerate do not "
                f"count; or tolerate {listed(taints, 2)}, or relax maxSkew or whenUnsatisfiable"
            )
        return Placing(words, remedy, (f"pods by {rule.topology_key}: {figures}",))
    return None


def _domains(inventory: Inventory, pod: Pod, rule: SpreadConstraint) -> dict[str, int]:
    """How many pods that the rule counts each domain holds; nodes that the pod does not select do not count."""
    counted = [node for node in inventory.nodes if selects(pod.spec, node)]
    domains = {node.name: node.metadata.labels.get(rule.topology_key, "") for node in counted}
    counts = {name: 0 for name in domains.values() if name}
    for one in inventory.selected(pod.namespace, rule.label_selector):
        name = domains.get(one.spec.node_name, "")
        if name and not one.finished and not one.terminating:
            counts[name] += 1
    return counts


def _against(inventory: Inventory, pod: Pod, node: Node) -> str:
    found = obstacles(inventory, pod, node)
    taints = [str(taint) for taint in repelling(pod.spec, node)]
    if taints:
        return f"taint {listed(taints, 2)}"
    return found[0].words if found else "not ready" if not node.ready else ""


_PLACINGS: dict[str, Callable[[Inventory, Pod], Placing | None]] = {
    "NodesCordoned": _cordoned,
    "VolumeElsewhere": _volume,
    "HostPortTaken": _host_port,
    "PodAntiAffinity": _apart,
    "TopologySpread": _spread,
}
