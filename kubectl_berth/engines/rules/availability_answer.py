"""Whether something is highly available: how often it runs, what keeps it apart, what goes with which node."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_berth.diagnosis.availability import Stranded, Unit, holds, stays, stranded, takes_down, unguarded, units
from kubectl_berth.diagnosis.capacity import losses, pools
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.engines.engine import ToolCall
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.topic import Said, Topic, bullets, findings_of
from kubectl_berth.records import Action, Finding, Ref, ToolResult

MOST = 8
UNCHECKED = (
    "Failover and replication within the application (replication lag, quorum, how long a switch takes), and backups: "
    "no object tells.",
    "Whether what remains can carry the load of what is lost, and what lies outside the cluster (load balancer, DNS, "
    "storage).",
)


def availability_calls(case: Case) -> list[ToolCall]:
    """The redundancy of everything, or of the one namespace that was named."""
    spaces = case.understanding.namespaces
    return [ToolCall("check_availability", {"namespace": spaces[0]} if len(spaces) == 1 and not case.subjects else {})]


def say_availability(case: Case, results: Sequence[ToolResult]) -> Said | None:
    """The answer for what was named, or for everything; None where nothing runs that could be judged."""
    nodes = [ref.name for ref in case.subjects if ref.kind == "Node"]
    every = _asked(case, units(case.inventory))
    if not every:
        return None
    if nodes:
        return _of_nodes(case, every, nodes, results)
    named = bool(case.subjects)
    single = sorted((one for one in every if one.single), key=lambda one: (not _keeps(case, one), one.ref))
    reduced = [one for one in every if one.reduced]
    several = [one for one in every if one.several and not one.reduced]
    loose = [one for one in several if one.apart != "required" or len(one.nodes) == 1]
    tight = [one for one in several if one not in loose] if named else []
    parts = [
        bullets("**Runs once only** (single points of failure)", _rows([_single(case, one) for one in single])),
        bullets("**One ready pod left of several**", _rows([_name(one) for one in reduced])),
        bullets("**Several, but no rule keeps them apart**", _rows([_loose(one) for one in loose])),
        _with_nodes(every, named=named),
        bullets("**Several, kept apart by rules**", _rows([f"{_name(one)}: {len(one.pods)} pods" for one in tight])),
    ]
    remedies, actions = _remedies(single, loose, case)
    findings = [one for one in findings_of(results) if not named or one.subject in {_top(unit) for unit in every}]
    unchecked = (*UNCHECKED, *_half_read(case))
    verdict = _verdict(case, every, single, reduced, loose)
    if case.inventory.namespace is not None and not named:
        verdict += f" Only namespace {case.inventory.namespace} was read."
    return Said(verdict, [part for part in parts if part], remedies, unchecked, actions, tuple(_ordered(findings)))


def _asked(case: Case, every: Sequence[Unit]) -> list[Unit]:
    """The units of what was named; of the namespaces named; all of them."""
    wanted = {ref for ref in case.subjects if ref.kind != "Node"}
    spaces = {ref.name for ref in wanted if ref.kind == "Namespace"} or set(case.understanding.namespaces)
    if not wanted or {ref.kind for ref in wanted} == {"Namespace"}:
        return [one for one in every if not spaces or one.ref.namespace in spaces]
    pods = {pod.ref for ref in wanted for pod in case.inventory.pods_of(ref)}
    return [
        one for one in every if one.ref in wanted or _top(one) in wanted or any(pod.ref in pods for pod in one.pods)
    ]


def _top(unit: Unit) -> Ref:
    """What a person would change: the operator's resource, where there is one."""
    return unit.top.ref if unit.top is not None else unit.ref


def _name(unit: Unit) -> str:
    return str(_top(unit))


def _keeps(case: Case, unit: Unit) -> bool:
    """True where it holds data or is an operator's: what hurts most comes first."""
    return unit.top is not None or unit.ref.kind == "StatefulSet" or any(pod.claims for pod in unit.pods)


def _on(unit: Unit) -> str:
    return f" on {', '.join(unit.nodes)}" if unit.nodes else ""


def _single(case: Case, unit: Unit) -> str:
    count = ", ".join(f"{path} {number}" for path, number in unit.counts if number == 1)
    words = f"{_name(unit)}: {'one instance' if unit.top is not None else 'one replica'}"
    words += (f" ({count})" if count else "") + _on(unit)
    held = [hold for pod in unit.pods for hold in holds(case.inventory, pod)]
    if held:
        first = held[0]
        words += f"; its volume {first.claim} ({first.modes}{', ' + first.where if first.where else ''}) holds it there"
    return words


def _loose(unit: Unit) -> str:
    rule = "nothing" if unit.apart == "nothing" else "only a preference"
    together = "all on the same node" if len(unit.nodes) == 1 else f"on {', '.join(unit.nodes)} now"
    return f"{_name(unit)}: {len(unit.pods)} pods, {together}; {rule} (anti-affinity, topology spread) keeps them apart"


def _rows(rows: Sequence[str]) -> list[str]:
    rest = len(rows) - MOST
    return [*rows[:MOST], *([f"and {rest} more"] if rest > 0 else [])]


def _with_nodes(every: Sequence[Unit], *, named: bool) -> str:
    lines = []
    for node, gone in takes_down(every).items():
        names = ", ".join(_name(one) for one in gone[: MOST if named else 4])
        more = f" and {len(gone) - 4} more" if not named and len(gone) > 4 else ""
        lines.append(f"{node}: {names}{more}")
    return bullets("**If a node dies, down with it until made again elsewhere**", lines[:MOST])


def _verdict(
    case: Case, every: Sequence[Unit], single: Sequence[Unit], reduced: Sequence[Unit], loose: Sequence[Unit]
) -> str:
    bad = [*single, *reduced]
    together = [one for one in loose if len(one.nodes) == 1]
    names = ", ".join(_name(one) for one in bad[:4]) + (f" and {len(bad) - 4} more" if len(bad) > 4 else "")
    if bad:
        verb = "is a single instance" if len(bad) == 1 else "are single instances"
        rest = f" of {len(every)} looked at" if len(every) > len(bad) else ""
        if not case.subjects and len(bad) > 4:
            return f"No: {len(bad)}{rest} run once only and would be down if their node died, first of all {names}."
        whose = "its" if len(bad) == 1 else "their"
        fate = f"(single point of failure) and would be down if {whose} node died"
        return f"No, not highly available: {names} {verb} {fate}."
    if together:
        return f"Not now: all pods of {', '.join(_name(one) for one in together[:3])} are on the same node."
    told = ", ".join(f"{_name(one)} ({len(one.ready)} ready on {len(one.nodes)} nodes)" for one in every[:4])
    if loose:
        return f"None runs once only, but nothing makes sure that it stays so: {told}; no rule keeps the pods apart."
    return f"None of them runs once only, and rules keep the pods apart: {told}."


def _of_nodes(case: Case, every: Sequence[Unit], nodes: Sequence[str], results: Sequence[ToolResult]) -> Said:
    """What goes down with nodes that were named."""
    only = case.inventory.namespace
    of = f" of namespace {only}" if only is not None else ""
    down = takes_down(every)
    gone = [one for node in nodes for one in down.get(node, ())]
    fixed = [(one, why) for one in every if (why := _stranded(case, one, nodes)) is not None]
    where = ", ".join(nodes[:3])
    for_good = [_stays(one, why) for one, why in fixed]
    moving = [one for one in gone if one not in [unit for unit, _ in fixed]]
    touched = [one for one in every if one not in gone and set(one.nodes) & set(nodes)]
    parts = [
        bullets(f"**Stays down as long as {where} is gone**", _rows(for_good)),
        bullets(f"**Down with {where} until made again elsewhere**", _rows([_name(one) for one in moving])),
        bullets("**Loses a pod, others stay**", _rows([_name(one) for one in touched])),
        bullets("**How it goes on**", _goes_on(case, gone, nodes)),
    ]
    remedies = []
    if any(why.lost for _, why in fixed):
        remedies.append(
            "What lies on a local volume has to be copied elsewhere: replication by the application, backups whose "
            "restore was tried, or storage that other nodes reach."
        )
    remedies.append("Run more than one replica of what must stay up, kept apart by a topology spread over hostnames.")
    findings = [one for one in findings_of(results) if one.subject in {_top(unit) for unit in gone}]
    verdict = _lost_nodes(where, of, gone, moving, fixed)
    return Said(verdict, [p for p in parts if p], remedies, UNCHECKED, (), tuple(_ordered(findings)))


def _stranded(case: Case, unit: Unit, nodes: Sequence[str]) -> Stranded | None:
    """Why a pod of the unit on these nodes finds no other place; None where each may find one."""
    mine = [pod for pod in unit.pods if pod.spec.node_name in nodes]
    return next((why for pod in mine if (why := stranded(case.inventory, pod, nodes)) is not None), None)


def _stays(unit: Unit, why: Stranded) -> str:
    data = "; if its disk is lost too, so are the data on it" if why.lost else ""
    return f"{_name(unit)} ({why.pod.name}): its pod would stay Pending, since {why.why}{data}"


def _lost_nodes(
    where: str, of: str, gone: Sequence[Unit], moving: Sequence[Unit], fixed: Sequence[tuple[Unit, Stranded]]
) -> str:
    if not gone and not fixed:
        return (
            f"If {where} dies, nothing{of} goes down as a whole: whatever{of} runs there has ready pods elsewhere too."
        )
    names = listed([_name(one) for one in moving], 4)
    if not fixed:
        return f"If {where} dies, {len(gone)}{of} would be down until made again elsewhere: {names}."
    unit, why = fixed[0]
    whole = "goes down and stays down" if unit in gone else "loses a pod that cannot move"
    told = f"{_name(unit)} {whole}, since {why.why}"
    told += " (with the disk its data are lost)" if why.lost else ""
    more = f"; {listed([_name(one) for one, _ in fixed[1:]], 3)} too" if len(fixed) > 1 else ""
    rest = f" Down until made again elsewhere: {names}." if moving else ""
    return f"If {where} dies, {told}{more}.{rest}"


def _goes_on(case: Case, gone: Sequence[Unit], nodes: Sequence[str]) -> list[str]:
    """When pods are made again, and whether they find room."""
    inventory = case.inventory
    pods = [pod for unit in gone for pod in unit.pods if pod.spec.node_name in nodes]
    after = {seconds for pod in pods if (seconds := stays(pod)) is not None}
    lines = [f"a pod is made again elsewhere about {max(after)} s after its node was lost"] if after else []
    if any(unit.ref.kind == "StatefulSet" or pod.claims for unit in gone for pod in unit.pods):
        lines.append(
            "pods of StatefulSets, and volumes that one node at a time may use, move only once the dead node is "
            "removed or is marked out of service"
        )
    if len(nodes) == 1 and inventory.namespace is None and not {"pods", "nodes"} & inventory.unread:
        every = [loss for pool in pools(inventory) for loss in losses(inventory, pool, tried=True)]
        loss = next((one for one in every if one.node.name == nodes[0]), None)
        homeless = loss.homeless or () if loss is not None else ()
        short = [pod for pod in homeless if stranded(inventory, pod, nodes) is None]
        if short:
            lines.append(f"by requests the other nodes have no room for {listed([str(pod.ref) for pod in short], 3)}")
    return lines


def _remedies(single: Sequence[Unit], loose: Sequence[Unit], case: Case) -> tuple[list[str], list[Action]]:
    told: list[str] = []
    actions: list[Action] = []
    for one in single[:3]:
        ref = _top(one)
        path = next((path for path, number in one.counts if number == 1), "")
        if one.top is not None and path:
            told.append(f"{ref}: raise {path} from 1 to 3, so that its operator runs standbys; the volumes must fit.")
            actions.append(Action("scale", ref.kind, ref.namespace, ref.name, path, "1", "3"))
        elif one.ref.kind == "Deployment":
            told.append(f"{ref}: run 2 replicas or more, if the application can run twice.")
            actions.append(Action("scale", ref.kind, ref.namespace, ref.name, "spec.replicas", "1", "2"))
        elif one.ref.kind == "StatefulSet":
            told.append(f"{ref}: more replicas help only where the application replicates its data.")
    if loose or single:
        told.append("Keep replicas apart: a topology spread (or required anti-affinity) over kubernetes.io/hostname.")
    bare = unguarded(case.inventory, loose)
    if bare:
        names = ", ".join(_name(one) for one in bare[:3])
        told.append(f"A disruption budget for {names} keeps a drain from taking all pods at once.")
    return told, actions


def _ordered(findings: Sequence[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda one: (one.severity == "info", one.subject))


def _half_read(case: Case) -> list[str]:
    if "pods" in case.inventory.unread or case.inventory.namespace is not None:
        return ["Pods that could not be read: what is said here is about the others only."]
    return []


AVAILABILITY = Topic(availability_calls, say_availability)
