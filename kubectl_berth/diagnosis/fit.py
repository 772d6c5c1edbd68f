"""Why a pod does not fit a node: what the scheduler asks, worked out from the objects and not from its message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from kubectl_berth.cluster.quantities import format_quantity, quantity
from kubectl_berth.cluster.views import Node, PersistentVolume, Pod, PodSpec, Taint, Toleration
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.records import Ref

SCARCE = ("cpu", "memory", "ephemeral-storage")


@dataclass(frozen=True)
class Obstacle:
    """What keeps a pod off a node: a reason code and the words with the figures."""

    code: str
    words: str


def amount(text: str | int | float | None) -> Decimal:
    """A quantity, 0 where it is odd."""
    try:
        return quantity(text)
    except ValueError:
        return Decimal(0)


def requests(spec: PodSpec) -> dict[str, Decimal]:
    """What a pod asks for: its containers and sidecars together, or the largest init container where that is more."""
    total: dict[str, Decimal] = {}
    largest: dict[str, Decimal] = {}
    for container in spec.all_containers:
        lasting = container not in spec.init_containers or container.restart_policy == "Always"
        for resource, text in container.resources.requests.items():
            if lasting:
                total[resource] = total.get(resource, Decimal(0)) + amount(text)
            else:
                largest[resource] = max(largest.get(resource, Decimal(0)), amount(text))
    return {resource: max(total.get(resource, Decimal(0)), largest.get(resource, Decimal(0)))
            for resource in total.keys() | largest.keys()}  # fmt: skip


def reserved(pods: Iterable[Pod]) -> dict[str, Decimal]:
    """The sum of what pods that still run ask for; "pods" is their number."""
    total: dict[str, Decimal] = {"pods": Decimal(0)}
    for pod in pods:
        if pod.finished:
            continue
        total["pods"] += 1
        for resource, asked in requests(pod.spec).items():
            total[resource] = total.get(resource, Decimal(0)) + asked
    return total


def reserved_on(inventory: Inventory, node: str) -> dict[str, Decimal]:
    """The same for the pods of one node, worked out once."""
    if node not in inventory.reserved:
        inventory.reserved[node] = reserved(inventory.pods_of(Ref("Node", "", node)))
    return inventory.reserved[node]


def tolerates(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """True where one of the tolerations bears the taint."""
    return any(
        one.effect in ("", taint.effect)
        and (one.key == taint.key or (not one.key and one.operator == "Exists"))
        and (one.operator == "Exists" or one.value == taint.value)
        for one in tolerations
    )


def repelling(spec: PodSpec, node: Node) -> list[Taint]:
    """The node's taints that keep such a pod off."""
    return [
        taint
        for taint in node.spec.taints
        if taint.effect in ("NoSchedule", "NoExecute") and not tolerates(spec.tolerations, taint)
    ]


def selects(spec: PodSpec, node: Node) -> bool:
    """True where the node has the labels that nodeSelector and required node affinity ask for."""
    labels = node.metadata.labels
    if any(labels.get(key) != value for key, value in spec.node_selector.items()):
        return False
    required = spec.affinity.node_affinity.required if spec.affinity and spec.affinity.node_affinity else None
    if required is None or not required.node_selector_terms:
        return True
    return any(
        all(rule.holds(labels) for rule in term.match_expressions)
        for term in required.node_selector_terms
        if term.match_expressions
    )


def obstacles(inventory: Inventory, pod: Pod, node: Node) -> list[Obstacle]:
    """Everything that keeps the pod off the node, worked out from labels, taints, requests and volumes."""
    found: list[Obstacle] = []
    if not selects(pod.spec, node):
        found.append(Obstacle("NodeSelectorMismatch", "its labels do not match the pod's node selector or affinity"))
    if node.spec.unschedulable:
        found.append(Obstacle("NodesCordoned", "it is cordoned (spec.unschedulable)"))
    for taint in repelling(pod.spec, node):
        if taint.key != "node.kubernetes.io/unschedulable":
            found.append(Obstacle("UntoleratedTaint", f"it has the taint {taint}, which the pod does not tolerate"))
    return found + _scarcity(inventory, pod, node) + _volumes(inventory, pod, node)


def _scarcity(inventory: Inventory, pod: Pod, node: Node) -> list[Obstacle]:
    used = reserved_on(inventory, node.name)
    found: list[Obstacle] = []
    if not node.status.allocatable:
        return found
    for resource, asked in sorted(requests(pod.spec).items()):
        whole = amount(node.status.allocatable.get(resource))
        if asked <= 0 or used.get(resource, Decimal(0)) + asked <= whole:
            continue
        if resource not in SCARCE and not whole:
            found.append(Obstacle("ResourceNotOffered", f"it offers no {resource}"))
            continue
        figures = f"{resource}: {show(resource, used.get(resource, 0))} of {show(resource, whole)} reserved by requests"
        code = "RequestExceedsNodes" if asked > whole else "InsufficientResources"
        found.append(Obstacle(code, f"{figures}, the pod asks for {show(resource, asked)}"))
    places = amount(node.status.allocatable.get("pods"))
    if places and used["pods"] + 1 > places:
        found.append(Obstacle("TooManyPods", f"it runs {used['pods']} of at most {places} pods"))
    return found


def _volumes(inventory: Inventory, pod: Pod, node: Node) -> list[Obstacle]:
    for name in pod.claims:
        claim = inventory.claim(pod.namespace, name)
        volume = inventory.find(Ref("PersistentVolume", "", claim.spec.volume_name)) if claim else None
        affinity = volume.spec.node_affinity if isinstance(volume, PersistentVolume) else None
        if volume is None or affinity is None or affinity.required is None:
            continue
        required = affinity.required
        terms = required.node_selector_terms
        if terms and not any(all(r.holds(node.metadata.labels) for r in term.match_expressions) for term in terms):
            asked = "; ".join(str(rule) for term in terms for rule in term.match_expressions)
            return [
                Obstacle("VolumeElsewhere", f"volume {volume.name} of claim {name} is reachable only where {asked}")
            ]
    return []


def show(resource: str, number: Decimal | int) -> str:
    """An amount in the resource's usual notation."""
    return format_quantity(resource, Decimal(number))
