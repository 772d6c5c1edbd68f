"""What the nodes have, what is reserved on them and used, and what happens to the reservation when a node goes.

Amounts are cores, bytes and counts by resource name; "pods" is a resource too. Reserved is what the scheduler counts:
the requests of the pods on a node, not what they use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from kubectl_berth.cluster.views import Node, Pod
from kubectl_berth.diagnosis.fit import (
    ZERO,
    amount,
    repelling,
    requests,
    reserved,
    reserved_on,
    selects,
    volume_elsewhere,
)
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.records import Ref

Amounts = Mapping[str, Decimal]

_INSTANCE = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_ZONE = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
# Taints that say how a node is, not what kind it is: they come and go, and bear times.
_PASSING = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "ToBeDeleted", "DeletionCandidate")
_CORE = ("cpu", "memory", "pods")


@dataclass(frozen=True)
class Pool:
    """Nodes of one instance type, zone and set of lasting taints.

    `nodes` are those that take pods; `idle` are not ready or cordoned and count nowhere else. `used` covers the nodes
    with figures, `unmeasured` names those without.
    """

    instance: str
    zone: str
    taints: tuple[str, ...]
    nodes: tuple[Node, ...]
    idle: tuple[Node, ...]
    allocatable: Amounts
    reserved: Amounts
    used: Amounts
    unmeasured: tuple[str, ...]

    @property
    def name(self) -> str:
        """Instance type, zone and taints in words."""
        return ", ".join((self.instance, self.zone or "no zone", " ".join(self.taints) or "no taints"))

    @property
    def resources(self) -> list[str]:
        """cpu, memory, pods, then whatever else the nodes offer and pods reserve, and extended resources."""
        others = {name for name in self.allocatable if self.reserved.get(name) or "/" in name}
        return [*_CORE, *sorted(others - set(_CORE))]

    @property
    def binding(self) -> str:
        """The resource of which the largest share is reserved; "" where nothing is known."""
        known = [name for name in self.resources if self.allocatable.get(name)]
        return max(known, key=lambda name: self.reserved.get(name, ZERO) / self.allocatable[name], default="")


@dataclass(frozen=True)
class Loss:
    """What happens when one node goes.

    `needs` is what the pool then has to hold (DaemonSet and static pods go with the node), `left` what its other nodes
    have. `moving` are the pods that need another place; `homeless` those for which a first-fit try over all nodes
    found none, None where it was not tried; `orphans` those that no controller makes again.
    """

    node: Node
    needs: Amounts
    left: Amounts
    moving: tuple[Pod, ...]
    orphans: tuple[Pod, ...]
    homeless: tuple[Pod, ...] | None = None

    @property
    def short(self) -> dict[str, Decimal]:
        """By how much the rest of the pool is too small, for each resource that is."""
        missing = {name: much - self.left.get(name, ZERO) for name, much in self.needs.items()}
        return {name: much for name, much in missing.items() if much > 0}

    @property
    def worst(self) -> Decimal:
        """The largest share of what is left that would be reserved; a big number where nothing is left."""
        shares = (
            much / self.left[name] if self.left.get(name) else Decimal(10**6)
            for name, much in self.needs.items()
            if much
        )
        return max(shares, default=ZERO)

    @property
    def covered(self) -> bool:
        """True where, as far as was tried, every pod of the node finds another place."""
        return not self.short if self.homeless is None else not self.homeless


def pools(inventory: Inventory) -> list[Pool]:
    """The node pools, the fullest first."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[Node]] = {}
    for node in sorted(inventory.nodes, key=lambda one: one.name):
        taints = tuple(sorted(str(taint) for taint in node.spec.taints if not taint.key.startswith(_PASSING)))
        groups.setdefault((_label(node, _INSTANCE) or _kind_of(node), _label(node, _ZONE), taints), []).append(node)
    found = [_pool(inventory, *key, nodes) for key, nodes in groups.items()]
    return sorted(found, key=lambda pool: (-_fullness(pool), pool.name))


def _pool(inventory: Inventory, instance: str, zone: str, taints: tuple[str, ...], nodes: Sequence[Node]) -> Pool:
    usable = tuple(node for node in nodes if takes_pods(node))
    usage = {node.name: inventory.node_usage(node.name) for node in usable}
    return Pool(
        instance,
        zone,
        taints,
        usable,
        tuple(node for node in nodes if node not in usable),
        total(_allocatable(node) for node in usable),
        total(reserved_on(inventory, node.name) for node in usable),
        total(usage.values()),
        tuple(name for name, figures in usage.items() if not figures),
    )


def _label(node: Node, keys: Iterable[str]) -> str:
    return next((node.metadata.labels[key] for key in keys if node.metadata.labels.get(key)), "")


def _kind_of(node: Node) -> str:
    """Where no label says the type of the machine: its size."""
    capacity = node.status.capacity or node.status.allocatable
    gib = amount(capacity.get("memory")) / 2**30
    return f"no type ({amount(capacity.get('cpu')).normalize():f} cpu, {round(gib)}Gi)"


def _fullness(pool: Pool) -> Decimal:
    name = pool.binding
    return pool.reserved.get(name, ZERO) / pool.allocatable[name] if name else ZERO


def takes_pods(node: Node) -> bool:
    """True where the scheduler may put pods on it: ready and not cordoned."""
    return node.ready and not node.spec.unschedulable


def _allocatable(node: Node) -> dict[str, Decimal]:
    return {name: amount(text) for name, text in node.status.allocatable.items()}


def total(many: Iterable[Amounts]) -> dict[str, Decimal]:
    """The sum by resource."""
    found: dict[str, Decimal] = {}
    for one in many:
        for name, much in one.items():
            found[name] = found.get(name, ZERO) + much
    return found


def free(inventory: Inventory, node: Node) -> dict[str, Decimal]:
    """What is left on a node of what it has, by resource; never below 0."""
    held = reserved_on(inventory, node.name)
    return {name: max(ZERO, much - held.get(name, ZERO)) for name, much in _allocatable(node).items()}


# --- without one node -------------------------------------------------------------------------------------------------


def losses(inventory: Inventory, pool: Pool, *, tried: bool) -> list[Loss]:
    """What happens for each node of the pool that goes, the worst first.

    With `tried` every loss has its first-fit try; without, only the worst one (a try costs pods times nodes).
    """
    found = [_loss(inventory, pool, node) for node in pool.nodes]
    found.sort(key=lambda loss: (-loss.worst, loss.node.name))
    return [_tried(inventory, loss) if tried or index == 0 else loss for index, loss in enumerate(found)]


def without(inventory: Inventory, gone: Sequence[Node]) -> tuple[list[Pod], list[Pod]]:
    """The pods that need another place where all these nodes go, and those of them that a first-fit try gives none."""
    names = {node.name for node in gone}
    moving = [
        pod
        for node in gone
        for pod in inventory.pods_of(node.ref)
        if not pod.finished and not bound_to_node(inventory, pod)
    ]
    others = sorted((node for node in inventory.nodes if takes_pods(node) and node.name not in names), key=_name)
    return moving, place(inventory, moving, others)


def _name(node: Node) -> str:
    return node.name


def _loss(inventory: Inventory, pool: Pool, node: Node) -> Loss:
    pods = [pod for pod in inventory.pods_of(node.ref) if not pod.finished]
    ending = {pod.ref for pod in pods if bound_to_node(inventory, pod)}
    gone = reserved(pod for pod in pods if pod.ref in ending)
    own = _allocatable(node)
    moving = tuple(pod for pod in pods if pod.ref not in ending)
    return Loss(
        node,
        {name: pool.reserved.get(name, ZERO) - gone.get(name, ZERO) for name in pool.resources},
        {name: pool.allocatable.get(name, ZERO) - own.get(name, ZERO) for name in pool.resources},
        moving,
        tuple(pod for pod in moving if pod.metadata.controller is None),
    )


def bound_to_node(inventory: Inventory, pod: Pod) -> bool:
    """True for pods that end with their node and need no other place: those of DaemonSets, and static ones."""
    if "kubernetes.io/config.mirror" in pod.metadata.annotations:
        return True
    owner = inventory.owner(pod)
    return owner is not None and owner.kind in ("DaemonSet", "Node")


def _tried(inventory: Inventory, loss: Loss) -> Loss:
    others = [node for node in inventory.nodes if takes_pods(node) and node.name != loss.node.name]
    homeless = tuple(place(inventory, loss.moving, sorted(others, key=lambda node: node.name)))
    return Loss(loss.node, loss.needs, loss.left, loss.moving, loss.orphans, homeless)


def place(inventory: Inventory, pods: Iterable[Pod], nodes: Sequence[Node]) -> list[Pod]:
    """The pods for which a first-fit try, the largest first, finds no place on these nodes.

    It looks at requests, places for pods, taints, node selectors and the nodes that volumes can be reached from; not at
    affinity between pods, topology spread or disruption budgets. Another order may do better.
    """
    room = {node.name: free(inventory, node) for node in nodes}
    whole = total(_allocatable(node) for node in nodes)
    left: list[Pod] = []
    for pod in sorted(pods, key=lambda one: (-_weight(one, whole), one.ref)):
        needs = {**requests(pod.spec), "pods": Decimal(1)}
        home = next((node for node in nodes if _holds(room[node.name], needs) and _welcome(inventory, pod, node)), None)
        if home is None:
            left.append(pod)
            continue
        room[home.name] = {name: much - needs.get(name, ZERO) for name, much in room[home.name].items()}
    return left


def _weight(pod: Pod, whole: Amounts) -> Decimal:
    return max((much / whole[name] for name, much in requests(pod.spec).items() if whole.get(name)), default=ZERO)


def _holds(room: Amounts, needs: Amounts) -> bool:
    return all(room.get(name, ZERO) >= much for name, much in needs.items() if much)


def _welcome(inventory: Inventory, pod: Pod, node: Node) -> bool:
    return selects(pod.spec, node) and not repelling(pod.spec, node) and not volume_elsewhere(inventory, pod, node)


# --- who holds it -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Holder:
    """A workload's share of a resource: what its pods reserve, and use where all of them have figures."""

    ref: Ref
    pods: int
    reserved: Decimal
    used: Decimal | None


def holders(inventory: Inventory, pool: Pool, resource: str) -> list[Holder]:
    """The workloads that reserve of a resource on the pool's nodes, the largest first."""
    groups: dict[Ref, list[Pod]] = {}
    for node in pool.nodes:
        for pod in inventory.pods_of(node.ref):
            if not pod.finished:
                groups.setdefault(inventory.workload(pod), []).append(pod)
    found = [_holder(inventory, ref, pods, resource) for ref, pods in groups.items()]
    return sorted((one for one in found if one.reserved), key=lambda one: (-one.reserved, one.ref))


def _holder(inventory: Inventory, ref: Ref, pods: Sequence[Pod], resource: str) -> Holder:
    figures = [inventory.pod_usage(pod) for pod in pods]
    used = sum((one.get(resource, ZERO) for each in figures for one in each.values()), ZERO) if all(figures) else None
    return Holder(ref, len(pods), sum((requests(pod.spec).get(resource, ZERO) for pod in pods), ZERO), used)


def unscheduled(inventory: Inventory) -> list[Pod]:
    """Pods that wait for a node, by name."""
    waiting = (pod for pod in inventory.pods if pod.status.phase == "Pending" and not pod.spec.node_name)
    return sorted((pod for pod in waiting if not pod.terminating), key=lambda pod: pod.ref)
