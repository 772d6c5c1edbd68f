"""check_availability: single points of failure, replicas that may share a node, what a lost node takes down."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_berth.cluster.views import duration
from kubectl_berth.diagnosis.availability import (
    Unit,
    holds,
    stays,
    takes_down,
    unguarded,
    units,
    without_pods,
    zones,
)
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.records import Finding
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import counted, listed
from kubectl_berth.tools.scope import gaps_about, known_namespace, narrowed, nothing_read, unread
from kubectl_berth.tools.tool import Arguments, Parameter, Report, Tool

ROWS = 20
PLAIN = 30
NODES = 12
READ = (
    "pods",
    "nodes",
    "deployments.apps",
    "replicasets.apps",
    "statefulsets.apps",
    "poddisruptionbudgets.policy",
    "persistentvolumeclaims",
    "persistentvolumes",
)
NARROWED = "what other namespaces run, and what of it a lost node takes down, is not known."
CLOSING = (
    "Left out: DaemonSets, Jobs. An operator's resource is known by its pods and by fields that count instances "
    "(replicas, instances, size, members ...); one with another field may be missed. Not checked: failover within the "
    "application, replication, backups, load on what remains. A disruption budget protects no single replica."
)


def check_availability(context: Context, arguments: Arguments) -> Report:
    """Redundancy of a namespace or of all. Raises ToolError where neither pods nor workloads could be read."""
    namespace = arguments.get("namespace") or context.scope
    inventory = context.inventory()
    gaps = gaps_about(inventory, READ, custom=True)
    every = units(inventory, namespace)
    where = f" in {namespace}" if namespace else ""
    if not every:
        if "pods" in inventory.unread:
            raise nothing_read("Pods", gaps)
        known_namespace(context, arguments.get("namespace"))
        words = f"Nothing that serves{where}: no pods but those of Jobs and DaemonSets."
        told = [*narrowed(context, NARROWED), words]
        return Report("\n".join(told) + unread(gaps), empty=True, gaps=tuple(gaps))
    single = [unit for unit in every if unit.single]
    reduced = [unit for unit in every if unit.reduced]
    loose = [unit for unit in every if unit.several and (unit.apart != "required" or len(unit.nodes) == 1)]
    tight = [unit for unit in every if unit.several and unit not in loose]
    lines = [
        *narrowed(context, NARROWED),
        f"{len(single)} of {len(every)} workloads{where} run once only (single points of failure), {len(reduced)} have "
        f"one ready pod left of several, {len(loose)} have replicas that no rule keeps apart. Running is not highly "
        "available.",
        *_single(inventory, single),
        *_reduced(reduced),
        *_loose(inventory, loose),
        *([f"Kept apart by required rules ({len(tight)}): {listed(_name(one) for one in tight)}."] if tight else []),
        *_nodes(inventory, every),
        *_budgets(inventory, every),
        *_unsure(inventory, every, namespace),
        CLOSING,
    ]
    return Report("\n".join(lines) + unread(gaps), gaps=tuple(gaps), findings=tuple(_findings(single, reduced, loose)))


def _name(unit: Unit) -> str:
    """What a person would scale: the operator's resource where there is one, the workload else."""
    if unit.top is None:
        return str(unit.ref)
    through = f" through {unit.ref.kind} {unit.ref.name}" if unit.top.ref != unit.ref else ""
    return f"{unit.top.ref} ({unit.top.api_version}){through}"


# --- single points of failure -----------------------------------------------------------------------------------------


def _single(inventory: Inventory, single: Sequence[Unit]) -> list[str]:
    if not single:
        return ["No single points of failure by number of replicas."]
    plain = [unit for unit in single if _plain(unit)]
    rest = sorted((unit for unit in single if not _plain(unit)), key=lambda one: (one.top is None, one.ref))
    lines = ["SINGLE POINTS OF FAILURE, one replica or instance:"]
    lines += [f"  {_name(unit)}: {_how_many(unit)}; {_fate(inventory, unit)}" for unit in rest[:ROWS]]
    if len(rest) > ROWS:
        lines.append(f"  and {len(rest) - ROWS} more: {listed((_name(unit) for unit in rest[ROWS:]), PLAIN)}")
    if plain:
        waits = sorted({stays(pod) or 0 for unit in plain for pod in unit.pods} - {0})
        wait = f"about {duration(waits[0])}" if waits else "some minutes"
        lines.append(
            f"  Deployments with 1 replica, no volume, no redundancy (made again elsewhere {wait} after their node is "
            f"lost, down until then): {_by_namespace(plain)}"
        )
    return lines


def _plain(unit: Unit) -> bool:
    """A Deployment of one pod without a claim: nothing more is to be said of it."""
    return unit.ref.kind == "Deployment" and unit.top is None and not any(
        pod.claims or stays(pod) is None for pod in unit.pods
    )  # fmt: skip


def _by_namespace(many: Sequence[Unit]) -> str:
    """ "cache: redis; shop: email, search"."""
    spaces: dict[str, list[str]] = {}
    for unit in many:
        spaces.setdefault(unit.ref.namespace, []).append(unit.ref.name)
    return "; ".join(f"{space}: {listed(names, PLAIN)}" for space, names in spaces.items())


def _on(unit: Unit) -> str:
    return f" ({unit.nodes[0]})" if unit.nodes else " (on no node)"


def _how_many(unit: Unit) -> str:
    if ones := [path for path, number in unit.counts if number == 1]:
        words = ", ".join(f"{path}=1" for path in ones[:3])
        return f"{words}, single instance, no redundancy"
    if unit.ref.kind == "Pod":
        return "a pod without a controller"
    if unit.top is not None:
        return "1 pod, and no field of its spec says how many there should be"
    return "1 replica, no redundancy"


def _fate(inventory: Inventory, unit: Unit) -> str:
    """What happens when its node is lost."""
    if not unit.pods:
        return "no pod of it exists now"
    pod = unit.pods[0]
    where = f"pod {pod.name}{_on(unit)}"
    if unit.ref.kind == "Pod":
        return f"{where}: gone for good with its node, nothing makes it again"
    words = []
    for hold in holds(inventory, pod)[:2]:
        words.append(f"volume {hold.claim} ({hold.modes}{', ' + hold.where if hold.where else ''})")
    after = stays(pod)
    if after is None:
        words.append("it tolerates a lost node for ever, so it is not made again")
    elif unit.ref.kind == "StatefulSet":
        words.append("not replaced until its lost node is deleted or marked out-of-service (StatefulSet)")
    elif unit.ref.kind in ("Deployment", "ReplicaSet"):
        held = " and its volume is free" if any(hold.one_node for hold in holds(inventory, pod)) else ""
        words.append(f"made again about {duration(after)} after its node is lost{held}")
    else:
        words.append("down until its operator makes it again")
    return f"{where}; {'; '.join(words)}"


def _reduced(reduced: Sequence[Unit]) -> list[str]:
    if not reduced:
        return []
    told = [
        f"  {_name(unit)}: 1 of {max(unit.desired or 0, len(unit.pods))} ready ({unit.ready[0].name} on "
        f"{unit.ready[0].spec.node_name})"
        for unit in reduced
    ]
    return ["ONE READY POD LEFT of several, the next loss takes it down:", *told[:ROWS]]


# --- replicas that may share a node -----------------------------------------------------------------------------------

_WORDS = {
    "nothing": "no pod anti-affinity and no topology spread",
    "preferred": "only a preference, no required rule",
    "required": "a required rule",
}


def _loose(inventory: Inventory, loose: Sequence[Unit]) -> list[str]:
    if not loose:
        return []
    lines = ["SEVERAL REPLICAS, NOT KEPT APART by a required rule (all may land on one node):"]
    told = [unit for unit in loose if not unit.spread or unit.ref.kind != "Deployment"]
    for unit in sorted(told, key=lambda one: (len(one.nodes), one.apart != "nothing", one.ref))[:ROWS]:
        lines.append(f"  {_name(unit)}: {len(unit.pods)} pods, {_WORDS[unit.apart]}; {_where(inventory, unit)}")
    lines += [f"  and {len(told) - ROWS} more"] if len(told) > ROWS else []
    for apart in ("nothing", "preferred"):
        rest = [unit for unit in loose if unit not in told and unit.apart == apart]
        if rest:
            lines.append(f"  on different nodes now, {_WORDS[apart]} to keep it so: {_by_namespace(rest)}")
    return lines


def _where(inventory: Inventory, unit: Unit) -> str:
    on, area = unit.nodes, zones(inventory, unit)
    if not on:
        return "on no node yet"
    node, held = unit.fullest
    together = ": ALL LOST WITH IT" if len(on) == 1 else f", {held} of them on {node}" if not unit.spread else ""
    zone = f", all in zone {area[0]}" if len(area) == 1 and len(on) > 1 and _many_zones(inventory) else ""
    return f"now on {counted(len(on), 'node')} ({listed(on, 4)}){together}{zone}"


def _many_zones(inventory: Inventory) -> bool:
    return len({node.metadata.labels.get("topology.kubernetes.io/zone") for node in inventory.nodes} - {None}) > 1


# --- nodes and budgets ------------------------------------------------------------------------------------------------


def _nodes(inventory: Inventory, every: Sequence[Unit]) -> list[str]:
    lost = takes_down(every)
    if not lost:
        return ["No node alone carries all of any workload."]
    lines = ["If a node dies, down until made again:"]
    for node, down in list(lost.items())[:NODES]:
        weighty = sorted(down, key=lambda one: (_plain(one), one.ref))
        lines.append(f"  {node}: {listed((_short(unit) for unit in weighty), 12)}")
    return [*lines, f"  and {len(lost) - NODES} more nodes"] if len(lost) > NODES else lines


def _short(unit: Unit) -> str:
    ref = unit.top.ref if unit.top is not None else unit.ref
    return f"{ref.namespace}/{ref.name}"


def _budgets(inventory: Inventory, every: Sequence[Unit]) -> list[str]:
    if "budgets" in inventory.unread and not inventory.budgets:
        return []
    bare = unguarded(inventory, every)
    if not bare:
        return []
    return [f"Several replicas, no disruption budget (a drain may take all at once): {_by_namespace(bare)}."]


def _unsure(inventory: Inventory, every: Sequence[Unit], namespace: str | None) -> list[str]:
    told = [f"{view.ref} ({path}=1)" for view, path in without_pods(inventory, every, namespace)]
    return [f"Count 1 but own no pod that was seen, so it may mean something else: {listed(told, 6)}."] if told else []


# --- findings ---------------------------------------------------------------------------------------------------------


def _findings(single: Sequence[Unit], reduced: Sequence[Unit], loose: Sequence[Unit]) -> list[Finding]:
    found = []
    for unit in single:
        subject = unit.top.ref if unit.top is not None else unit.ref
        heavy = unit.top is not None or any(pod.claims for pod in unit.pods)
        found.append(Finding(
            "warning" if heavy else "info", subject, "SingleReplica",
            f"it runs once only ({_how_many(unit)}): losing its pod or node takes it down",
            (f"{_how_many(unit)}{_on(unit)}",),
            remedy="run two or more on different nodes, if the application can share its work or fail over",
            disproof="a second ready instance on another node",
        ))  # fmt: skip
    for unit in reduced:
        found.append(Finding(
            "warning", unit.top.ref if unit.top is not None else unit.ref, "OneReplicaLeft",
            f"one of {max(unit.desired or 0, len(unit.pods))} pods is ready: the next loss takes it down",
            (f"ready: {unit.ready[0].ref} on {unit.ready[0].spec.node_name}",),
            remedy="mend the others before any maintenance", disproof="a second ready pod",
        ))  # fmt: skip
    for unit in (one for one in loose if not one.spread):
        together = len(unit.nodes) == 1
        found.append(Finding(
            "warning" if together else "info", unit.top.ref if unit.top is not None else unit.ref,
            "ReplicasShareNode" if together else "ReplicasMayShareNode",
            f"all of its {len(unit.pods)} pods are on {unit.nodes[0]}" if together
            else f"{unit.fullest[1]} of its {len(unit.pods)} pods are on one node, and no rule keeps them apart",
            (f"{_WORDS[unit.apart]}; now on {listed(unit.nodes, 6) or 'no node'}",),
            remedy="a topology spread constraint or pod anti-affinity on kubernetes.io/hostname",
            disproof="a required rule that matches its own labels",
        ))  # fmt: skip
    return found


CHECK_AVAILABILITY = Tool(
    name="check_availability",
    description="Highly available? Single instances, replicas that may share a node, what a lost node takes.",
    run=check_availability,
    parameters=(Parameter("namespace", "string", "omit for all"),),
)
