"""What runs once only, what runs several times without anything that keeps it apart, and what a lost node takes down.

Operators' resources are known by the fields that count their instances and by the pods they own, never by name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kubectl_berth.cluster.views import CustomResource, Pod, Selector, Workload
from kubectl_berth.diagnosis.capacity import bound_to_node, takes_pods
from kubectl_berth.diagnosis.fit import repelling, selects, volume_elsewhere
from kubectl_berth.diagnosis.health import stopped
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.records import Ref

Apart = Literal["required", "preferred", "nothing"]

_COUNT = re.compile(
    r"(replicas|instances|size|members|nodes|servers|brokers|count|clusterSize|numberOf(Instances|Replicas|Nodes|Members)"
    r"|(node|replica|instance|member|server|broker)s?Count)",
)
# parts of a spec where a number counts something else
_ASIDE = re.compile(
    r"affinity|template|resource|storage|volume|probe|backup|autoscal|config|retention|limit|strategy|schedul|rollout"
    r"|rolling|update|parameters|metadata|sync|topic|partition",
    re.IGNORECASE,
)
DEEPEST = 3
EVICTED_AFTER = 300  # seconds on a lost node before a pod is made again elsewhere, where it says nothing itself
LOST = "node.kubernetes.io/unreachable"


@dataclass(frozen=True)
class Unit:
    """Pods that one controller runs: a workload, an operator's resource, or a pod of its own.

    `top` is the operator's resource above it, where there is one; `counts` the fields of that resource which say how
    many there are. `desired` is None where nothing says it.
    """

    ref: Ref
    pods: tuple[Pod, ...]
    desired: int | None
    top: CustomResource | None = None
    counts: tuple[tuple[str, int], ...] = ()

    @property
    def ready(self) -> list[Pod]:
        """Those that serve."""
        return [pod for pod in self.pods if pod.ready and not pod.terminating]

    @property
    def single(self) -> bool:
        """True where there is to be one pod only; a workload's second one is an update on its way."""
        if self.ref.kind in ("Deployment", "StatefulSet"):
            return self.desired == 1
        # an operator's count of 1 beside several pods counts something else
        return len(self.pods) <= 1 and (self.desired if self.desired is not None else len(self.pods)) == 1

    @property
    def reduced(self) -> bool:
        """True where several should serve and one does."""
        return not self.single and len(self.ready) == 1 and max(self.desired or 0, len(self.pods)) > 1

    @property
    def several(self) -> bool:
        """True where several pods run."""
        return len(self.pods) > 1 and not self.single

    @property
    def nodes(self) -> list[str]:
        """The nodes that its pods are on."""
        return sorted({pod.spec.node_name for pod in self.pods if pod.spec.node_name})

    @property
    def fullest(self) -> tuple[str, int]:
        """The node that most of its pods are on, and how many; ("", 0) where none is on a node."""
        counts = Counter(pod.spec.node_name for pod in self.pods if pod.spec.node_name)
        return max(counts.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))

    @property
    def spread(self) -> bool:
        """True where no node holds more than half of its pods now."""
        return self.several and bool(self.nodes) and 2 * self.fullest[1] <= len(self.pods)

    @property
    def apart(self) -> Apart:
        """What keeps its pods on different nodes, zones or the like."""
        found = {keeps_apart(pod) for pod in self.pods}
        return "nothing" if "nothing" in found else "preferred" if "preferred" in found else "required"


def units(inventory: Inventory, namespace: str | None = None) -> list[Unit]:
    """Everything that serves, by name: no Jobs, no DaemonSets, no static pods, nothing scaled to 0."""
    pods: dict[Ref, list[Pod]] = {}
    for pod in inventory.pods:
        if namespace not in (None, pod.namespace) or pod.terminating:
            continue
        if not pod.finished and not bound_to_node(inventory, pod):
            controller = _controller(inventory, pod)
            if controller.kind not in ("Job", "CronJob"):
                pods.setdefault(controller, []).append(pod)
    for workload in [*inventory.deployments, *inventory.stateful_sets]:
        if workload.desired and namespace in (None, workload.namespace):
            pods.setdefault(workload.ref, [])
    return [_unit(inventory, ref, sorted(pods[ref], key=lambda pod: pod.ref)) for ref in sorted(pods)]


def _controller(inventory: Inventory, pod: Pod) -> Ref:
    """The nearest owner but for ReplicaSets of something else; the pod itself where there is none."""
    chain = inventory.owners(pod)
    if len(chain) > 1 and chain[0].kind == "ReplicaSet":
        return chain[1]
    return chain[0] if chain else pod.ref


def _unit(inventory: Inventory, ref: Ref, pods: Sequence[Pod]) -> Unit:
    view = inventory.find(ref)
    chain = [view, *(inventory.find(above) for above in inventory.owners(view))] if view is not None else []
    custom = [one for one in chain if isinstance(one, CustomResource)]
    top = custom[-1] if custom else None
    counts = tuple(count_fields(top.spec)) if top is not None else ()
    desired = view.desired if isinstance(view, Workload) else None
    if desired is None and top is not None and view is top:
        desired = next((number for path, number in counts if path.count(".") == 1), None)
    return Unit(ref, tuple(pods), desired, top, counts)


def count_fields(spec: Any, where: str = "spec", depth: int = 1) -> Iterator[tuple[str, int]]:
    """The fields of a spec that say how many instances there are, with their numbers: ("spec.instances", 3)."""
    if depth > DEEPEST or not isinstance(spec, dict):
        return
    for key, value in spec.items():
        if isinstance(value, int) and not isinstance(value, bool) and _COUNT.fullmatch(key):
            yield f"{where}.{key}", value
        elif isinstance(value, dict) and not _ASIDE.search(key):
            yield from count_fields(value, f"{where}.{key}", depth + 1)
        elif isinstance(value, list) and not _ASIDE.search(key):
            for index, inner in enumerate(value[:20]):
                yield from count_fields(inner, f"{where}.{key}[{index}]", depth + 1)


def without_pods(
    inventory: Inventory, every: Sequence[Unit], namespace: str | None = None
) -> list[tuple[CustomResource, str]]:
    """Operators' resources that count one instance and own no pod that was seen, with the field: it may mean else."""
    seen = {unit.top.ref for unit in every if unit.top is not None}
    found = []
    for resource in sorted(inventory.custom, key=lambda one: (one.ref, one.api_version)):
        spec = resource.spec if isinstance(resource.spec, dict) else {}
        if resource.ref in seen or namespace not in (None, resource.namespace) or stopped(spec):
            continue
        if any(isinstance(below, Workload | Pod | CustomResource) for below in inventory.descendants(resource.ref)):
            continue
        counts = [pair for pair in count_fields(spec) if pair[0].count(".") == 1]
        if counts and all(number == 1 for _, number in counts):
            found.append((resource, counts[0][0]))
    return found


# --- apart ------------------------------------------------------------------------------------------------------------


def keeps_apart(pod: Pod) -> Apart:
    """What keeps a pod away from others with its labels: required rules, preferences, or nothing but the defaults."""
    labels, spec = pod.metadata.labels, pod.spec
    anti = spec.affinity.pod_anti_affinity if spec.affinity else None
    spread = [one for one in spec.topology_spread_constraints if _hits(one.label_selector, labels)]
    if any(_hits(term.label_selector, labels) for term in (anti.required if anti else ())):
        return "required"
    if any(one.when_unsatisfiable == "DoNotSchedule" for one in spread):
        return "required"
    return "preferred" if spread or (anti and anti.preferred) else "nothing"


def _hits(selector: Selector | None, labels: dict[str, str]) -> bool:
    return selector is not None and selector.matches(labels)


def zones(inventory: Inventory, unit: Unit) -> list[str]:
    """The zones that its pods are in, where the nodes say so."""
    found = (inventory.node(name) for name in unit.nodes)
    labels = (node.metadata.labels.get("topology.kubernetes.io/zone", "") for node in found if node is not None)
    return sorted({zone for zone in labels if zone})


# --- what holds a single pod back -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hold:
    """A volume that a pod needs: its claim, the access modes' short names, and the node or zone it is bound to."""

    claim: str
    modes: str
    where: str = ""

    @property
    def one_node(self) -> bool:
        """True where one node at a time may use it."""
        return "RWO" in self.modes


_SHORT = {"ReadWriteOnce": "RWO", "ReadWriteMany": "RWX", "ReadOnlyMany": "ROX", "ReadWriteOncePod": "RWOP"}


def holds(inventory: Inventory, pod: Pod) -> list[Hold]:
    """The volumes of a pod that come from claims."""
    found = []
    for name in pod.claims:
        claim = inventory.claim(pod.namespace, name)
        modes = ",".join(_SHORT.get(mode, mode) for mode in claim.spec.access_modes) if claim else "not read"
        volume = inventory.volume_of(pod.namespace, name)
        affinity = volume.spec.node_affinity.required if volume and volume.spec.node_affinity else None
        rules = [rule for term in affinity.node_selector_terms for rule in term.match_expressions] if affinity else []
        local = [value for rule in rules if rule.key == "kubernetes.io/hostname" for value in rule.values]
        zone = [value for rule in rules if rule.key.endswith("/zone") for value in rule.values]
        where = f"only on node {local[0]}" if local else f"only in zone {zone[0]}" if len(zone) == 1 else ""
        found.append(Hold(name, modes, where))
    return found


def stays(pod: Pod) -> int | None:
    """Seconds that the pod is left on a node that is lost before another takes its place; None for ever."""
    for one in pod.spec.tolerations:
        everything = not one.key and one.operator == "Exists"
        if one.effect in ("", "NoExecute") and (one.key == LOST or everything):
            return one.toleration_seconds
    return EVICTED_AFTER


def takes_down(every: Sequence[Unit]) -> Mapping[str, list[Unit]]:
    """By node: the units of which every ready pod is on it."""
    found: dict[str, list[Unit]] = {}
    for unit in every:
        nodes = {pod.spec.node_name for pod in (unit.ready or unit.pods)} - {""}
        if len(nodes) == 1:
            found.setdefault(nodes.pop(), []).append(unit)
    return dict(sorted(found.items()))


def unguarded(inventory: Inventory, every: Sequence[Unit]) -> list[Unit]:
    """Units of several pods that no disruption budget guards."""
    guarded = {pod.ref for budget in inventory.budgets for pod in inventory.pods_of(budget.ref)}
    return [unit for unit in every if unit.several and not any(pod.ref in guarded for pod in unit.pods)]


@dataclass(frozen=True)
class Stranded:
    """A pod of lost nodes that no other node can take: `why` in words; `lost` where its data lie on a lost node."""

    pod: Pod
    why: str
    lost: bool = False


def stranded(inventory: Inventory, pod: Pod, gone: Sequence[str]) -> Stranded | None:
    """Why the pod finds no place once these nodes are gone, by volumes, labels and taints; None where it may find one.

    Room by requests is not looked at.
    """
    others = [node for node in inventory.nodes if node.name not in gone]
    takers = [node for node in others if selects(pod.spec, node) and not repelling(pod.spec, node)]
    usable = [node for node in takers if takes_pods(node)]
    if any(not volume_elsewhere(inventory, pod, node) for node in usable):
        return None
    held = next((hold for hold in holds(inventory, pod) if hold.where), None)
    if held is not None and not any(not volume_elsewhere(inventory, pod, node) for node in others):
        local = held.where.startswith("only on node")
        return Stranded(pod, f"its volume {held.claim} can be reached {held.where}", local)
    if held is not None:
        return Stranded(
            pod, f"its volume {held.claim} can be reached {held.where}, and no other node there takes pods now"
        )
    return Stranded(pod, "no other node that takes pods has the labels, or no taints but those, that it asks for")
