"""How many more pods like one fit by requests, and whether one more node would let a pod in that waits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Literal

from kubectl_berth.cluster.views import Meta, Node, Pod, Workload
from kubectl_berth.cluster.views.pods import PodAffinityTerm
from kubectl_berth.diagnosis.availability import holds
from kubectl_berth.diagnosis.capacity import bound_to_node, free, takes_pods
from kubectl_berth.diagnosis.fit import (
    ZERO,
    amount,
    host_ports,
    port_holder,
    repelling,
    requests,
    reserved,
    selects,
    show,
    volume_elsewhere,
)
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.records import Ref

HOSTNAME = "kubernetes.io/hostname"
MOST = 1000
"""Pods of one node that are counted at most, where nothing bounds them."""


def sample(inventory: Inventory, ref: Ref) -> Pod | None:
    """What one more pod of a workload would be: like its template, else like one that runs; None without either.

    What defaults and webhooks add is seen on a pod that runs from the same containers alone.
    """
    view = inventory.find(ref)
    running = [pod for pod in inventory.pods_of(ref) if not pod.finished]
    if not isinstance(view, Workload) or view.kind == "ReplicaSet":
        return next(iter(running), None)
    wanted = requests(view.spec.template.spec)
    fresh = [pod for pod in running if all(requests(pod.spec).get(name) == much for name, much in wanted.items())]
    if fresh:
        return fresh[0]
    if running and not any(wanted.values()):
        return running[0]
    labels = view.spec.template.metadata.labels
    return Pod(
        api_version="v1",
        kind="Pod",
        metadata=Meta(name=f"{view.name}-new", namespace=view.namespace, labels=labels),
        spec=view.spec.template.spec,
    )


@dataclass(frozen=True)
class Room:
    """How many more fit on each node that takes pods, by requests.

    `quota` is the namespace's quota that lets the fewest through with that number, None where none counts them.
    `apart` is the topology key of a rule that lets one in each domain; `short` the resource that most nodes lack.
    """

    each: Mapping[str, int]
    quota: tuple[Ref, str, int] | None = None
    apart: str = ""
    short: str = ""

    @property
    def whole(self) -> int:
        """How many fit on all nodes together, quotas counted."""
        fit = sum(self.each.values())
        return min(fit, self.quota[2]) if self.quota else fit


def room_for(inventory: Inventory, ref: Ref, pod: Pod) -> Room:
    """The room for pods like this one; a StatefulSet's new pods have volumes of their own."""
    own = ref.kind == "StatefulSet"
    each: dict[str, int] = {}
    lacking: dict[str, int] = {}
    for node in sorted(inventory.nodes, key=lambda one: one.name):
        if not takes_pods(node):
            continue
        each[node.name], short = _on(inventory, pod, node, own)
        if short:
            lacking[short] = lacking.get(short, 0) + 1
    apart = ""
    for term in _terms(pod):
        if term.label_selector is not None and term.label_selector.matches(pod.metadata.labels):
            apart = term.topology_key
            each = _one_each(inventory, pod, term, each)
    return Room(each, _quota(inventory, pod), apart, max(lacking, key=lambda name: lacking[name], default=""))


def _on(inventory: Inventory, pod: Pod, node: Node, own: bool) -> tuple[int, str]:
    """How many fit on a node, and the resource that bounds them where it is none."""
    if not selects(pod.spec, node) or repelling(pod.spec, node):
        return 0, ""
    if not own and (volume_elsewhere(inventory, pod, node) or _claimed_elsewhere(inventory, pod, node)):
        return 0, ""
    left = free(inventory, node)
    counts = {
        name: int((left.get(name, ZERO) / much).to_integral_value(ROUND_FLOOR))
        for name, much in {**requests(pod.spec), "pods": Decimal(1)}.items()
        if much > 0 and (name != "pods" or "pods" in left)
    }
    least = min(counts, key=lambda name: counts[name], default="")
    fit = counts.get(least, MOST)
    if host_ports(pod.spec):
        taken = port_holder(inventory, pod, node) or pod.spec.node_name == node.name
        fit = 0 if taken else min(fit, 1)
    return fit, least if fit == 0 else ""


def _claimed_elsewhere(inventory: Inventory, pod: Pod, node: Node) -> bool:
    """True where it mounts a claim that one node at a time may use, and a pod holds it on another."""
    single = {hold.claim for hold in holds(inventory, pod) if hold.one_node}
    return bool(single) and any(
        one.namespace == pod.namespace and one.spec.node_name not in ("", node.name) and single & set(one.claims)
        for one in inventory.pods
        if not one.finished
    )


def _terms(pod: Pod) -> Sequence[PodAffinityTerm]:
    rule = pod.spec.affinity.pod_anti_affinity if pod.spec.affinity else None
    return rule.required if rule else ()


def occupied(inventory: Inventory, pod: Pod, term: PodAffinityTerm, *, without: Pod | None = None) -> set[str]:
    """The domains of a rule in which a pod runs, other than `without`, that this one must keep away from."""
    found = set()
    for one in inventory.selected(pod.namespace, term.label_selector):
        node = inventory.node(one.spec.node_name)
        if node is not None and not one.finished and (without is None or one.ref != without.ref):
            found.add(node.metadata.labels.get(term.topology_key, ""))
    return found - {""}


def kept_apart(inventory: Inventory, pod: Pod, gone: str) -> str:
    """The topology key of a required rule that leaves a pod of this node no other place; "" where none does."""
    others = [node for node in inventory.nodes if takes_pods(node) and node.name != gone]
    usable = [node for node in others if selects(pod.spec, node) and not repelling(pod.spec, node)]
    for term in _terms(pod):
        taken = occupied(inventory, pod, term, without=pod)
        domains = [node.metadata.labels.get(term.topology_key, "") for node in usable]
        if domains and all(domain in taken for domain in domains):
            return term.topology_key
    return ""


def _one_each(inventory: Inventory, pod: Pod, term: PodAffinityTerm, each: Mapping[str, int]) -> dict[str, int]:
    """One in each domain that holds none yet."""
    taken = occupied(inventory, pod, term)
    bounded: dict[str, int] = {}
    for name, number in each.items():
        node = inventory.node(name)
        domain = node.metadata.labels.get(term.topology_key, "") if node else ""
        bounded[name] = 0 if domain in taken or not number else 1
        if bounded[name] and domain:
            taken = {*taken, domain}
    return bounded


def _quota(inventory: Inventory, pod: Pod) -> tuple[Ref, str, int] | None:
    """The quota of the namespace that lets the fewest such pods through; scopes are not looked at."""
    limits: dict[str, Decimal] = {}
    for container in pod.spec.containers:
        for name, text in container.resources.limits.items():
            limits[name] = limits.get(name, ZERO) + amount(text)
    needs = {"pods": Decimal(1), "count/pods": Decimal(1)}
    for name, much in requests(pod.spec).items():
        needs |= {name: much, f"requests.{name}": much}
    needs |= {f"limits.{name}": much for name, much in limits.items()}
    found: tuple[Ref, str, int] | None = None
    for quota in inventory.quotas:
        for name, much in needs.items():
            if quota.namespace != pod.namespace or name not in quota.status.hard or much <= 0:
                continue
            left = amount(quota.status.hard[name]) - amount(quota.status.used.get(name))
            number = max(0, int((left / much).to_integral_value(ROUND_FLOOR)))
            if found is None or number < found[2]:
                found = quota.ref, name, number
    return found


def refit(inventory: Inventory, pods: Sequence[Pod], needs: Mapping[str, Decimal]) -> int:
    """How many of these pods still fit if each of them asked for this instead of what it asks for now."""
    mine = {pod.ref for pod in pods}
    left = len(pods)
    for node in inventory.nodes:
        if not takes_pods(node) or not pods or not selects(pods[0].spec, node) or repelling(pods[0].spec, node):
            continue
        back = reserved(pod for pod in inventory.pods_of(node.ref) if pod.ref in mine)
        has = {name: amount(text) for name, text in node.status.allocatable.items()}
        room = free(inventory, node)
        counts = [
            int(((room.get(name, ZERO) + back.get(name, ZERO)) / much).to_integral_value(ROUND_FLOOR))
            for name, much in {**needs, "pods": Decimal(1)}.items()
            if much > 0 and name in has
        ]
        left -= min(counts, default=left)
    return len(pods) - max(0, left)


# --- one more node ----------------------------------------------------------------------------------------------------

Helps = Literal["yes", "no", "special"]


def with_a_node(inventory: Inventory, pod: Pod) -> tuple[Helps, str]:
    """Whether one more node like those that are there lets a waiting pod in, and why; "special": only a certain one."""
    chosen = [node for node in inventory.nodes if selects(pod.spec, node)]
    borne = [node for node in chosen if not _lasting(pod, node)]
    reached = [node for node in borne if not volume_elsewhere(inventory, pod, node)]
    if not chosen:
        asked = ", ".join(f"{key}={value}" for key, value in sorted(pod.spec.node_selector.items()))
        return (
            "special",
            f"no node has the labels that it asks for{f' ({asked})' if asked else ''}: one with them would",
        )
    if not borne:
        taints = ", ".join(sorted({str(taint) for node in chosen for taint in _lasting(pod, node)})[:3])
        return "no", f"the nodes that it may choose have taints that it does not tolerate ({taints})"
    if not reached:
        words = volume_elsewhere(inventory, pod, borne[0])[0].words
        return "special", f"{words}: a node there would help, any other not"
    large = [node for node in reached if _holds_empty(inventory, pod, node)]
    if not large:
        return "special", f"it asks for more than such a node has when empty ({_asks(pod)}): only a larger one would do"
    return _beside(inventory, pod, large)


def _beside(inventory: Inventory, pod: Pod, large: Sequence[Node]) -> tuple[Helps, str]:
    for term in _terms(pod):
        taken = occupied(inventory, pod, term)
        domains = {node.metadata.labels.get(term.topology_key, "") for node in large} - {""}
        if domains and domains <= taken:
            if term.topology_key == HOSTNAME:
                how = f"each of the {len(domains)} nodes that it could use holds a pod that it must keep away from"
                return "yes", f"what keeps it off is its required anti-affinity by {HOSTNAME}, and {how} already"
            rule = f"its required anti-affinity by {term.topology_key} wants a domain of its own"
            return "special", f"{rule}: only a node in another would do"
    open_ = [node for node in large if takes_pods(node) and _has_room(inventory, pod, node)]
    spread = [one for one in pod.spec.topology_spread_constraints if one.when_unsatisfiable == "DoNotSchedule"]
    if open_ and spread:
        key = spread[0].topology_key
        where = "only where that wants the next pod would a node help"
        return "special", f"{open_[0].name} has room by requests, but its topology spread over {key} decides: {where}"
    if open_:
        return "no", f"by requests {open_[0].name} has room for it now, so it does not wait for want of a node"
    idle = [node.name for node in large if not takes_pods(node) and _has_room(inventory, pod, node)]
    tight = ", ".join(f"{node.name} {_left(inventory, pod, node)}" for node in large[:4] if takes_pods(node))
    rest = f"; {', '.join(idle[:3])} would have room, but takes no pods now (cordoned or not ready)" if idle else ""
    return "yes", f"it asks for {_asks(pod)}, and no node has that much left{f' ({tight})' if tight else ''}{rest}"


def _lasting(pod: Pod, node: Node) -> list[object]:
    """The taints that keep it off, but for those that only say how the node is now."""
    return [taint for taint in repelling(pod.spec, node) if not taint.key.startswith("node.kubernetes.io/")]


def _holds_empty(inventory: Inventory, pod: Pod, node: Node) -> bool:
    """Whether such a node holds the pod beside what every node runs."""
    always = reserved(one for one in inventory.pods_of(node.ref) if bound_to_node(inventory, one))
    return all(
        amount(node.status.allocatable.get(name)) - always.get(name, ZERO) >= much
        for name, much in requests(pod.spec).items()
        if much > 0
    )


def _has_room(inventory: Inventory, pod: Pod, node: Node) -> bool:
    left = free(inventory, node)
    fits = all(left.get(name, ZERO) >= much for name, much in requests(pod.spec).items() if much > 0)
    return fits and left.get("pods", Decimal(1)) >= 1 and port_holder(inventory, pod, node) is None


def _asks(pod: Pod) -> str:
    return _amounts(requests(pod.spec).items()) or "no cpu and no memory"


def _left(inventory: Inventory, pod: Pod, node: Node) -> str:
    left = free(inventory, node)
    return _amounts((name, left.get(name, ZERO)) for name, much in requests(pod.spec).items() if much > 0)


def _amounts(many: Iterable[tuple[str, Decimal]]) -> str:
    return ", ".join(f"{show(name, much)} {name}" for name, much in sorted(many) if name != "pods")
