"""analyze_capacity: node pools with what they have, hold and use; what binds; what happens when a node goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal

from kubectl_berth.cluster.quantities import format_quantity
from kubectl_berth.cluster.views import Node, Pod, age
from kubectl_berth.diagnosis.capacity import Loss, Pool, free, holders, losses, pools, unscheduled
from kubectl_berth.diagnosis.disruption import states
from kubectl_berth.diagnosis.fit import ZERO, requests, reserved_on
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.sizing import share
from kubectl_berth.records import Finding, Ref
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import clip, counted, listed
from kubectl_berth.tools.scope import gaps_about, nothing_read, unread
from kubectl_berth.tools.tool import Arguments, Report, Tool

POOLS = 8
"""Pools that are told in full; the others get a line each."""
NODES = 12
"""Nodes that get a row each, and up to which the loss of every node is worked out."""
WAITING = 10
USAGE = ("usage", "nodes.metrics.k8s.io", "metrics.k8s.io")
READ = ("nodes", "pods", "poddisruptionbudgets.policy", "persistentvolumes", "persistentvolumeclaims")

NOT_CHECKED = (
    "Not checked: usage over time (this is one moment: percentiles, nightly and weekly peaks), exact bin packing, "
    "affinity between pods and topology spread, disruption budgets on the way (check_disruption_budgets), data on "
    "local volumes, room for a rolling update, what a cluster autoscaler would do, the reserve you want for a failure."
)


def analyze_capacity(context: Context, arguments: Arguments) -> Report:
    """The node pools. Raises ToolError where the nodes could not be read."""
    del arguments
    inventory = context.inventory()
    gaps = gaps_about(inventory, (*READ, *USAGE))
    if not inventory.nodes:
        if "nodes" in inventory.unread:
            raise nothing_read("The nodes", gaps)
        return Report("There are no nodes.", empty=True)
    found = pools(inventory)
    blind = _blind(inventory)
    each = len(inventory.nodes) <= NODES
    lost = {} if blind else {pool.name: losses(inventory, pool, tried=each) for pool in found}
    lines = _head(inventory, found, lost, blind)
    for pool in found[:POOLS]:
        lines += _pool(inventory, pool, lost.get(pool.name, []), each)
    lines += [f"Pool {_short(pool)}" for pool in found[POOLS:]]
    waiting = [one for one in context.findings() if one.subject in {pod.ref for pod in unscheduled(inventory)}]
    lines += [*_waiting(inventory, waiting), _budgets(inventory), NOT_CHECKED]
    return Report(
        "\n".join(lines) + unread(gaps), gaps=tuple(gaps), findings=(*_findings(inventory, found, lost), *waiting)
    )


def _blind(inventory: Inventory) -> str:
    """Why the reservation is not known in full, or ""."""
    if inventory.namespace is not None:
        return f"only the pods of namespace {inventory.namespace} were read"
    return "not all pods could be read" if "pods" in inventory.unread else ""


def _head(inventory: Inventory, found: Sequence[Pool], lost: Mapping[str, Sequence[Loss]], blind: str) -> list[str]:
    used = "metrics API, one snapshot" if inventory.usage and inventory.usage.nodes else "not known (see the end)"
    lines = [
        f"{counted(len(inventory.nodes), 'node')} in {counted(len(found), 'pool')}. Reserved: the requests of the pods "
        f"on a node, which is what the scheduler counts. Used: {used}."
    ]
    if blind:
        return [*lines, f"Reserved is too low here: {blind}. Whether a node can go cannot be told."]
    known = [loss for losses in lost.values() for loss in losses if loss.homeless is not None]
    bad, fine = ([loss for loss in known if loss.covered == good] for good in (False, True))
    if bad:
        why = dict.fromkeys(name for loss in bad for name in loss.short)
        what = f" (not enough {listed(map(_thing, why))})" if why else ""
        lines.append(f"If one node goes: NOT COVERED{what} for {listed((loss.node.name for loss in bad), NODES)}.")
    if fine:
        names = listed((loss.node.name for loss in fine), NODES)
        lines.append(f"If one node goes: by requests its pods fit on the others, for {names}.")
    return lines


# --- a pool -----------------------------------------------------------------------------------------------------------


def _short(pool: Pool) -> str:
    idle = f", {len(pool.idle)} not ready or cordoned and not counted" if pool.idle else ""
    name = pool.binding
    bound = f"; most reserved: {name} {_share(pool.reserved, pool.allocatable, name)}" if name else ""
    return f"{pool.name}: {counted(len(pool.nodes), 'node')}{idle}{bound}"


def _pool(inventory: Inventory, pool: Pool, lost: Sequence[Loss], each: bool) -> list[str]:
    names = listed((node.name for node in pool.nodes), 4)
    idle = f"; not counted: {listed(f'{node.name} ({_state(node)})' for node in pool.idle)}" if pool.idle else ""
    lines = [f"Pool {pool.name}: {counted(len(pool.nodes), 'node')} ({names}){idle}"]
    if not pool.nodes:
        return lines
    lines += [f"  {_resource(pool, name)}" for name in pool.resources]
    if pool.binding:
        lines.append(f"  binding constraint: {_binding(pool)}")
    if top := holders(inventory, pool, pool.binding)[:3]:
        told = [
            f"{one.ref} {_amount(pool.binding, one.reserved)}"
            + (f" (used {_amount(pool.binding, one.used)})" if one.used is not None else "")
            for one in top
        ]
        lines.append(f"  largest reservations of {pool.binding}: {'; '.join(told)}")
    if lost:
        lines += _loss(inventory, pool, lost[0], lost if each else ())
    if each:
        lines += [f"  {_node(inventory, node)}" for node in pool.nodes]
    else:
        lines.append(f"  most room on one node: {_room(inventory, pool)}")
    return lines


def _state(node: Node) -> str:
    return "cordoned" if node.ready else "not ready"


def _amount(name: str, much: Decimal) -> str:
    return format_quantity(name, much)


def _share(part: Mapping[str, Decimal], whole: Mapping[str, Decimal], name: str) -> str:
    return f"{share(part.get(name, ZERO), whole[name])}%" if whole.get(name) else "of nothing"


def _resource(pool: Pool, name: str) -> str:
    has, held = pool.allocatable.get(name, ZERO), pool.reserved.get(name, ZERO)
    if name == "pods":
        return f"pods: {held} of at most {_amount(name, has)} ({_share(pool.reserved, pool.allocatable, name)})"
    reserved = f"reserved {_amount(name, held)} ({_share(pool.reserved, pool.allocatable, name)})"
    words = f"{name}: allocatable {_amount(name, has)}, {reserved}"
    if name not in ("cpu", "memory"):
        return words
    if name not in pool.used:
        return f"{words}, used not known"
    note = f" (without {listed(pool.unmeasured, 3)})" if pool.unmeasured else ""
    return f"{words}, used {_amount(name, pool.used[name])} ({_share(pool.used, pool.allocatable, name)}){note}"


def _binding(pool: Pool) -> str:
    name = pool.binding
    words = f"{name}, {_share(pool.reserved, pool.allocatable, name)} reserved"
    if name not in pool.used or pool.unmeasured:
        return words
    words += f", {_share(pool.used, pool.allocatable, name)} used"
    if pool.used[name] < pool.reserved.get(name, ZERO) / 2:
        words += f": requests, not load, fill it; lower requests free {name} (analyze_workload_resources)"
    return words


def _node(inventory: Inventory, node: Node) -> str:
    held, usage = reserved_on(inventory, node.name), inventory.node_usage(node.name)
    parts = []
    left = free(inventory, node)
    whole = {name: left.get(name, ZERO) + held.get(name, ZERO) for name in ("cpu", "memory", "pods")}
    for name in ("cpu", "memory"):
        used = f", used {_share(usage, whole, name)}" if name in usage else ""
        parts.append(f"{name} reserved {_share(held, whole, name)}{used}, free {_amount(name, left.get(name, ZERO))}")
    parts.append(f"{held['pods']}/{node.status.allocatable.get('pods', '?')} pods")
    return f"{node.name}: {'; '.join(parts)}"


def _room(inventory: Inventory, pool: Pool) -> str:
    words = []
    for name in ("cpu", "memory"):
        best = max(pool.nodes, key=lambda node: free(inventory, node).get(name, ZERO))
        words.append(f"{name} {_amount(name, free(inventory, best).get(name, ZERO))} ({best.name})")
    return ", ".join(words)


# --- without one node -------------------------------------------------------------------------------------------------


def _loss(inventory: Inventory, pool: Pool, worst: Loss, every: Sequence[Loss]) -> list[str]:
    name = worst.node.name
    if len(pool.nodes) == 1:
        lines = [f"  without {name}: nothing of this pool is left; {_tried(inventory, worst)}"]
    else:
        asked = [one for one in pool.resources if worst.needs.get(one)]
        shares = ", ".join(f"{one} {_share(worst.needs, worst.left, one)}" for one in asked)
        fits = f"{_fits(pool, worst)}. Reserved of what is left: {shares}"
        lines = [f"  without {name} (worst case): {fits}; {_tried(inventory, worst)}"]
    if worst.orphans:
        lines.append(f"    gone for good (no controller): {listed(str(pod.ref) for pod in worst.orphans)}")
    easier = [loss.node.name for loss in every[1:] if loss.covered]
    if easier and not worst.covered:
        lines.append(f"    without {listed(easier)} instead, a first-fit try places every pod")
    return lines


def _fits(pool: Pool, loss: Loss) -> str:
    if not loss.short:
        return "the rest of the pool holds the reservation"
    words = []
    for name, missing in loss.short.items():
        words.append(
            f"NOT ENOUGH {_thing(name)}: {_amount(name, loss.left.get(name, ZERO))} left "
            f"({_share(loss.left, pool.allocatable, name)} of now) for {_amount(name, loss.needs[name])} "
            f"reserved, short by {_amount(name, missing)}"
        )
    return "; ".join(words)


def _tried(inventory: Inventory, loss: Loss) -> str:
    """What the first-fit try over all nodes gave."""
    if loss.homeless is None:
        return f"{counted(len(loss.moving), 'pod')} would move"
    if not loss.homeless:
        return f"a first-fit try over all nodes places all {counted(len(loss.moving), 'pod')} that would move"
    placed = len(loss.moving) - len(loss.homeless)
    groups: dict[Ref, list[Pod]] = {}
    for pod in loss.homeless:
        groups.setdefault(inventory.workload(pod), []).append(pod)
    told = [f"{ref} ({_each(pods)})" for ref, pods in groups.items()]
    words = f"a first-fit try over all nodes places {placed} of the {len(loss.moving)} pods that would move"
    return f"{words}, not {listed(told, 4)}"


def _each(pods: Sequence[Pod]) -> str:
    return _needs(pods[0]) if len(pods) == 1 else f"{len(pods)} pods, the first {_needs(pods[0])}"


def _thing(name: str) -> str:
    return "places for pods" if name == "pods" else name


def _needs(pod: Pod) -> str:
    asked = requests(pod.spec)
    return ", ".join(f"{name} {_amount(name, asked[name])}" for name in sorted(asked) if asked[name]) or "no requests"


# --- pods without a node ----------------------------------------------------------------------------------------------


def _waiting(inventory: Inventory, findings: Sequence[Finding]) -> list[str]:
    pods = unscheduled(inventory)
    if not pods:
        return ["Unscheduled pods: none."]
    told = {one.subject: one for one in findings}
    lines = [f"Unscheduled pods: {len(pods)}."]
    for pod in pods[:WAITING]:
        why = told.get(pod.ref)
        reason = f": {why.reason}, {clip(why.summary, 200)}" if why else ""
        waited = age(inventory.now, pod.metadata.creation_timestamp)
        lines.append(f"  {pod.namespace}/{pod.name} asks {_needs(pod)}, for {waited}{reason}")
        lines += [f"    {clip(words, 200)}" for words in (why.evidence[1:5] if why else ())]
    if rest := pods[WAITING:]:
        groups = Counter(str(inventory.workload(pod)) for pod in rest)
        lines.append("  and " + listed(f"{count} of {ref}" for ref, count in groups.most_common()))
    return lines


def _budgets(inventory: Inventory) -> str:
    blocking = sum(one.blocks for one in states(inventory))
    return f"Disruption budgets: {len(inventory.budgets)}, of which {blocking} block evictions now."


def _findings(inventory: Inventory, found: Sequence[Pool], lost: Mapping[str, Sequence[Loss]]) -> list[Finding]:
    told = []
    for pool in found:
        if not lost.get(pool.name) or lost[pool.name][0].covered:
            continue
        loss = lost[pool.name][0]
        evidence = [f"pool {pool.name}: {_resource(pool, name)}" for name in pool.resources[:3]]
        words = _fits(pool, loss) if loss.short else _tried(inventory, loss)
        told.append(
            Finding(
                "warning",
                loss.node.ref,
                "NodeLossNotCovered",
                f"without it the pods of its pool do not all fit: {words}",
                (*evidence, _tried(inventory, loss)),
                remedy="keep the node; first lower requests that are far above use over 1-2 weeks, or add room",
                disproof="a scheduler's own simulation that places every pod without it",
            )
        )
    return told


ANALYZE_CAPACITY = Tool(
    name="analyze_capacity",
    description="Is there room, can a node go? Node pools: allocatable, reserved, used, what binds, loss of a node.",
    run=analyze_capacity,
)
