"""Why a pod does not fit a node: what the scheduler asks, worked out from the objects and not from its message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from kubectl_berth.cluster.quantities import format_quantity, quantity
from kubectl_berth.cluster.views import Container, Node, PersistentVolume, Pod, PodSpec, Taint, Toleration
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.records import Ref

CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
SCARCE = ("cpu", "memory", "ephemeral-storage")
ZERO = Decimal(0)


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
        return ZERO


def asked(container: Container) -> dict[str, Decimal]:
    """What a container requests; a limit without a request counts as one, as the API server fills it in."""
    resources = container.resources
    return {name: amount(text) for name, text in {**resources.limits, **resources.requests}.items()}


def requests(spec: PodSpec) -> dict[str, Decimal]:
    """What the scheduler counts for a pod.

    Its containers and sidecars together, or an init container beside the sidecars before it where that is more;
    requests of the pod as a whole take the place of those; the runtime's overhead comes on top.
    """
    steady: dict[str, Decimal] = {}
    sidecars: dict[str, Decimal] = {}
    peak: dict[str, Decimal] = {}
    for container in spec.init_containers:
        needs = _sum(sidecars, asked(container))
        if container.restart_policy == "Always":
            sidecars = needs
        peak = {name: max(needs.get(name, ZERO), peak.get(name, ZERO)) for name in needs.keys() | peak.keys()}
    for container in spec.containers:
        steady = _sum(steady, asked(container))
    steady = _sum(steady, sidecars)
    total = {name: max(steady.get(name, ZERO), peak.get(name, ZERO)) for name in steady.keys() | peak.keys()}
    if spec.resources is not None:
        total |= {name: amount(text) for name, text in spec.resources.requests.items()}
    return _sum(total, {name: amount(text) for name, text in spec.overhead.items()})


def _sum(one: Mapping[str, Decimal], other: Mapping[str, Decimal]) -> dict[str, Decimal]:
    return {name: one.get(name, ZERO) + other.get(name, ZERO) for name in one.keys() | other.keys()}


def reserved(pods: Iterable[Pod]) -> dict[str, Decimal]:
    """The sum of what pods that still run ask for; "pods" is their number."""
    total: dict[str, Decimal] = {"pods": ZERO}
    for pod in pods:
        if pod.finished:
            continue
        total["pods"] += 1
        for resource, needs in requests(pod.spec).items():
            total[resource] = total.get(resource, ZERO) + needs
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
    return any(term.holds(labels, node.name) for term in required.node_selector_terms)


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
    holder = port_holder(inventory, pod, node)
    if holder is not None:
        ports = ", ".join(str(number) for number, _ in host_ports(pod.spec))
        found.append(Obstacle("HostPortTaken", f"host port {ports} is held by {holder.ref}"))
    return found + _scarcity(inventory, pod, node) + volume_elsewhere(inventory, pod, node)


def host_ports(spec: PodSpec) -> list[tuple[int, str]]:
    """The ports of its node that a pod takes, each with its protocol."""
    return [(number, protocol) for number, protocol, _ in _bindings(spec)]


def _bindings(spec: PodSpec) -> list[tuple[int, str, str]]:
    """Port, protocol and address of the node that a pod takes; "" for every address."""
    parts = [*spec.containers, *(one for one in spec.init_containers if one.restart_policy == "Always")]
    ports = [(one.container_port if spec.host_network else one.host_port, one) for part in parts for one in part.ports]
    return [(number, one.protocol, one.host_ip.replace("0.0.0.0", "")) for number, one in ports if number]


def port_holder(inventory: Inventory, pod: Pod, node: Node) -> Pod | None:
    """The pod of a node that holds a host port which another pod asks for, or None."""
    asked = _bindings(pod.spec)
    if not asked:
        return None
    there = (one for one in inventory.pods_of(node.ref) if not one.finished and one.ref != pod.ref)
    return next((one for one in there if any(_clash(a, b) for a in asked for b in _bindings(one.spec))), None)


def _clash(one: tuple[int, str, str], other: tuple[int, str, str]) -> bool:
    return one[:2] == other[:2] and (one[2] == other[2] or not one[2] or not other[2])


def _scarcity(inventory: Inventory, pod: Pod, node: Node) -> list[Obstacle]:
    used = reserved_on(inventory, node.name)
    found: list[Obstacle] = []
    if not node.status.allocatable:
        return found
    for resource, needs in sorted(requests(pod.spec).items()):
        whole = amount(node.status.allocatable.get(resource))
        if needs <= 0 or used.get(resource, ZERO) + needs <= whole:
            continue
        if resource not in SCARCE and not whole:
            found.append(Obstacle("ResourceNotOffered", f"it offers no {resource}"))
            continue
        figures = f"{resource}: {show(resource, used.get(resource, 0))} of {show(resource, whole)} reserved by requests"
        code = "RequestExceedsNodes" if needs > whole else "InsufficientResources"
        found.append(Obstacle(code, f"{figures}, the pod asks for {show(resource, needs)}"))
    places = amount(node.status.allocatable.get("pods"))
    if places and used["pods"] + 1 > places:
        found.append(Obstacle("TooManyPods", f"it runs {used['pods']} of at most {places} pods"))
    return found


def volume_elsewhere(inventory: Inventory, pod: Pod, node: Node) -> list[Obstacle]:
    """The first volume of the pod that cannot be reached from the node."""
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
