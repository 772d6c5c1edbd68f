"""Whether a node can go, where there is room, what is reserved and not used: by requests, and what that leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from kubectl_berth.cluster.views import Node
from kubectl_berth.diagnosis.capacity import (
    Loss,
    Pool,
    free,
    holders,
    losses,
    pools,
    takes_pods,
    total,
    unscheduled,
    without,
)
from kubectl_berth.diagnosis.capacity_more import kept_apart
from kubectl_berth.diagnosis.fit import ZERO, show
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.diagnosis.sizing import share
from kubectl_berth.engines.engine import ToolCall
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.drain_answer import not_remade
from kubectl_berth.engines.rules.material import capital
from kubectl_berth.engines.rules.topic import Said, Topic, bullets, findings_of
from kubectl_berth.records import Ref, ToolResult
from kubectl_berth.safety.shell import kubectl

EACH = 12
"""Nodes up to which the loss of every one of them is worked out."""
TOP = 5

UNCHECKED = (
    "Usage over time: this is one moment. Percentiles and the nightly, weekly and month-end peaks decide, not a "
    "snapshot.",
    "Exact bin-packing, affinity between pods, topology spread and data on local volumes; which disruption budgets "
    "would hold a drain up; what a cluster autoscaler would do; the reserve that you want for a node that fails.",
)


def capacity_calls(case: Case) -> list[ToolCall]:
    """The nodes; the budgets too where a node is to go."""
    del case
    return [ToolCall("analyze_capacity", {})]


def say_capacity(case: Case, results: Sequence[ToolResult]) -> Said | None:
    """The answer for the nodes."""
    inventory = case.inventory
    if not inventory.nodes:
        return Said("How much room there is cannot be told: the nodes could not be read.", unchecked=UNCHECKED)
    found = pools(inventory)
    figures = bullets("**Nodes** (reserved: the requests of the pods, which is what the scheduler counts)",
                      [line for pool in found[:4] for line in _lines(pool)])  # fmt: skip
    if unseen := blind(case):
        return Said(f"Whether there is room cannot be told: {unseen}, so what is reserved is not known.", [figures],
                    unchecked=UNCHECKED, findings=findings_of(results))  # fmt: skip
    if "removal" in case.understanding.intents:
        return _removal(case, found, figures, results)
    return _room(case, found, figures, results)


def blind(case: Case) -> str:
    """Why what is reserved is not known as a whole, or ""."""
    if case.inventory.namespace is not None:
        return f"only namespace {case.inventory.namespace} was read"
    return "not all pods could be read" if {"pods", "nodes"} & case.inventory.unread else ""


def _lines(pool: Pool) -> list[str]:
    names = ", ".join(node.name for node in pool.nodes[:6]) or "none that takes pods"
    words = [f"{len(pool.nodes)} nodes ({names}; {pool.name})"] if len(pool.nodes) != 1 else [f"1 node ({names})"]
    for name in ("cpu", "memory"):
        has, held, used = pool.allocatable.get(name), pool.reserved.get(name, ZERO), pool.used.get(name)
        if not has:
            continue
        part = f"{name}: {share(held, has)}% reserved ({show(name, held)} of {show(name, has)})"
        words.append(part + (f", {share(used, has)}% used" if used is not None else ", use not known"))
    return ["; ".join(words)]


# --- can a node go --------------------------------------------------------------------------------------------------


def _removal(case: Case, found: Sequence[Pool], figures: str, results: Sequence[ToolResult]) -> Said:
    tried = len(case.inventory.nodes) <= EACH
    every = [(pool, loss) for pool in found for loss in losses(case.inventory, pool, tried=tried)]
    named = {ref.name for ref in case.subjects if ref.kind == "Node"}
    idle = next((node for pool in found for node in pool.idle if node.name in named), None)
    if idle is not None:
        return _idle(case, idle, figures, results)
    asked = [(pool, loss) for pool, loss in every if loss.node.name in named] or every
    if not asked:
        return Said("No node takes pods now, so none can be spared.", [figures], unchecked=UNCHECKED)
    bad = [(pool, loss) for pool, loss in asked if not loss.covered]
    if bad and len(bad) == len(asked):
        return _refusal(case, *bad[0], figures, results)
    pool, loss = next((pool, loss) for pool, loss in asked if loss.covered)
    if stopped := not_remade(case, {loss.node.name}):
        ref, why = stopped[0]
        verdict = f"No, not now: new pods of {ref} cannot be created ({why.why}), so what moves does not come back."
        return Said(verdict, [figures], [why.first], UNCHECKED, (), findings_of(results))
    if apart := [pod for pod in loss.moving if kept_apart(case.inventory, pod, loss.node.name)]:
        verdict = (
            f"No, not as it is: without {loss.node.name} {apart[0].ref} finds no other place, since its required "
            "anti-affinity keeps it away from where others of its kind run; by requests there would be room."
        )
        way = f"Run one replica less of {case.inventory.workload(apart[0])}, or make that rule a preference, first."
        return Said(verdict, [figures], [way], UNCHECKED, (), findings_of(results))
    return _maybe(case, pool, loss, [other.node.name for _, other in bad], figures, results)


def _refusal(case: Case, pool: Pool, loss: Loss, figures: str, results: Sequence[ToolResult]) -> Said:
    """No: what does not fit, and what would have to change."""
    name = next(iter(loss.short), pool.binding)
    left, needs = loss.left.get(name, ZERO), loss.needs.get(name, ZERO)
    if loss.short:
        why = (
            f"without {loss.node.name} {_called(name)} does not fit: {show(name, needs)} reserved for "
            f"{show(name, left)} that would be left ({share(needs, left)}%)"
        )
    else:
        pods = ", ".join(f"{pod.namespace}/{pod.name}" for pod in (loss.homeless or ())[:3])
        why = f"without {loss.node.name} not every pod finds another place: {pods} fit on no other node"
    verdict = f"No, not now: it is not safe to remove a node; {why}. {binding(pool)}"
    holding = _holding(case, pool, pool.binding)
    remedies = [
        f"Free {pool.binding} first: size the largest holders one by one (ask \"is NAME sized right?\"), lower their "
        "requests in steps once 1-2 weeks of usage with its peaks are known, then ask again.",
        "Keep enough free for the loss of one more node; a smaller node type may save what a removed node would.",
    ]  # fmt: skip
    parts = [figures, bullets(f"**Largest reservations of {pool.binding}**", holding), _budgets(case)]
    return Said(verdict, [part for part in parts if part], remedies, UNCHECKED, (), findings_of(results))


def _maybe(
    case: Case, pool: Pool, loss: Loss, not_these: Sequence[str], figures: str, results: Sequence[ToolResult]
) -> Said:
    """By requests it fits; what that does not prove."""
    shares = [
        f"{name} taken to {share(loss.needs.get(name, ZERO), loss.left[name])}%"
        for name in ("cpu", "memory")
        if loss.left.get(name)
    ]
    verdict = (
        f"It would fit by what is asked for now, which does not yet prove that it is safe: without {loss.node.name} "
        "every pod that has to move finds a place."
    )
    if not_these:
        verdict += f" Not so for {', '.join(not_these[:4])}."
    parts = [
        figures,
        bullets(f"**Without {loss.node.name}**, of what is left", [*shares, *_reserve(case, loss)]),
        _budgets(case),
    ]
    remedies = [
        "Look at 1-2 weeks of usage with its peaks first, and decide how much reserve a failing node needs.",
        f"Then in steps that can be taken back: `{kubectl('cordon', loss.node.name)}`, watch for pods that stay "
        "Pending, drain it with the disruption budgets respected, remove it last "
        f"(`{kubectl('uncordon', loss.node.name)}` undoes the first step).",
    ]
    return Said(verdict, [part for part in parts if part], remedies, UNCHECKED, (), findings_of(results))


def _reserve(case: Case, loss: Loss) -> list[str]:
    """What the loss of one more node would bring then, and what does not come back at all."""
    lines = []
    for other in sorted(case.inventory.nodes, key=lambda one: one.name)[:EACH]:
        if not takes_pods(other) or other.name == loss.node.name:
            continue
        _, homeless = without(case.inventory, (loss.node, other))
        if homeless:
            names = listed([f"{pod.namespace}/{pod.name}" for pod in homeless], 3)
            lines.append(
                f"After that the loss of one more node ({other.name}) would leave pods without a place: {names}"
            )
            break
    if loss.orphans:
        names = ", ".join(f"{pod.namespace}/{pod.name}" for pod in loss.orphans[:4])
        lines.append(f"Gone for good, since no controller makes them again: {names}")
    return lines


def _idle(case: Case, node: Node, figures: str, results: Sequence[ToolResult]) -> Said:
    """The answer for a named node that takes no pods now: cordoned, or lost."""
    moving, homeless = without(case.inventory, (node,))
    some = listed([f"{pod.namespace}/{pod.name}" for pod in homeless or moving], 3)
    room = f"; no other node has a place for {some}" if homeless else f"; the others have a place for {some}"
    room = room if moving else ""
    look = kubectl("get", "pods", "-A", "-o", "wide", f"--field-selector=spec.nodeName={node.name}")
    if node.ready:
        leave = "No, not now" if homeless else "Yes, by requests" if moving else "Yes"
        left = f"{count(len(moving), 'pod')} still have to move" if moving else "no pod on it has to move"
        verdict = f"{leave}: {node.ref} is cordoned already, and {left}{room}."
        ways = [f"Drain it first, with the disruption budgets respected; what is left on it shows `{look}`."]
    else:
        kept = listed([name for pod in moving for name in pod.claims], 3)
        risk = f", and two of them would write to one volume ({kept})" if kept else ""
        verdict = (
            f"Only once its machine is known to be off or gone: {node.ref} is not ready. Without its object its "
            f"{count(len(moving), 'pod')} would be made again elsewhere; where the machine still runs, so do the old "
            f"ones{risk}{room}."
        )
        ways = [f"Look whether the machine of {node.name} is up (console of the provider, then kubelet and network); "
                f"which pods are on it shows `{look}`."]  # fmt: skip
    return Said(verdict, [part for part in (figures, _budgets(case)) if part], ways, UNCHECKED, (),
                findings_of(results), alone=True)  # fmt: skip


def _called(resource: str) -> str:
    return "the number of pods" if resource == "pods" else resource


def binding(pool: Pool) -> str:
    """What of the pool is reserved the most, in a sentence."""
    name = pool.binding
    if not name:
        return ""
    held = share(pool.reserved.get(name, ZERO), pool.allocatable[name])
    words = [f"{capital(_called(name))} is what binds: {held}% of it is reserved"]
    if name in pool.used:
        words.append(f"{share(pool.used[name], pool.allocatable[name])}% used")
    if name != "cpu" and pool.used.get("cpu") is not None and pool.allocatable.get("cpu"):
        words.append(f"that CPU is only {share(pool.used['cpu'], pool.allocatable['cpu'])}% used does not help")
    return ", ".join(words) + "."


def _holding(case: Case, pool: Pool, name: str) -> list[str]:
    return [
        f"{one.ref}: {show(name, one.reserved)}" + (f", uses {show(name, one.used)}" if one.used is not None else "")
        for one in holders(case.inventory, pool, name)[:TOP]
    ]


def _budgets(case: Case) -> str:
    """Budgets that let no pod go: they would hold a drain up."""
    tight = [one.ref for one in case.inventory.budgets if one.status.disruptions_allowed == 0]
    names = ", ".join(map(str, tight[:5]))
    return f"**Disruption budgets** that let no pod go now: {names}." if tight else ""


# --- is there room --------------------------------------------------------------------------------------------------


def _room(case: Case, found: Sequence[Pool], figures: str, results: Sequence[ToolResult]) -> Said:
    waiting = unscheduled(case.inventory)
    parts = [figures, bullets("**Free by requests**", free_lines(case))]
    if waiting:
        names = ", ".join(f"{one.namespace}/{one.name}" for one in waiting[:4])
        verdict = f"No: {len(waiting)} pods wait for a node already ({names})."
    else:
        verdict = f"No pod waits for a node. {binding(found[0])}".strip()
    remedies = ['Before capacity is bought: see what is reserved and not used (ask "where do we waste capacity?").']
    return Said(verdict, [part for part in parts if part], remedies, UNCHECKED, (), findings_of(results))


def free_lines(case: Case) -> list[str]:
    """What is left on each node by requests."""
    rows = []
    for node in sorted(case.inventory.nodes, key=lambda one: one.name)[:EACH]:
        if takes_pods(node):
            left = free(case.inventory, node)
            rows.append(f"{node.name}: cpu {show('cpu', left.get('cpu', ZERO))}, memory {show('memory', left.get('memory', ZERO))}")  # fmt: skip # noqa: E501
    return rows


# --- what is wasted -------------------------------------------------------------------------------------------------


def say_waste(case: Case, results: Sequence[ToolResult]) -> Said | None:
    """Where requests are far above use, for a question about cost that names no workload."""
    found = pools(case.inventory)
    if not found:
        return say_capacity(case, results)
    used = total(pool.used for pool in found)
    figures = bullets("**Nodes**", [line for pool in found[:4] for line in _lines(pool)])
    if not used:
        return Said(
            "What is wasted cannot be told: what the containers use is not known, only what they reserve.",
            [figures],
            ["Make usage known first: a metrics server for the moment, a metrics store for 1-2 weeks of history."],
            ("What the containers use, now and over time: no usage figures could be read.",),
            (),
            findings_of(results),
        )
    whole, held = total(pool.allocatable for pool in found), total(pool.reserved for pool in found)
    words = [
        f"{name} {share(held.get(name, ZERO), whole[name])}% reserved, {share(used.get(name, ZERO), whole[name])}% used"
        for name in ("cpu", "memory")
        if whole.get(name)
    ]
    wasted = _wasted(case, found)
    verdict = f"Of what the nodes have: {'; '.join(words)}. " + (
        f"Most reserved and not used: {wasted[0]}." if wasted else "No workload reserves far more than it uses now."
    )
    remedies = [
        'Size these one by one (ask "is NAME sized right?"): lower requests in steps once 1-2 weeks of usage with '
        "its peaks are known; keep memory limits above the peak. Nodes can go only after that."
    ]
    parts = [figures, bullets("**Reserved and not used**", wasted)]
    return Said(verdict, [part for part in parts if part], remedies, UNCHECKED, (), findings_of(results))


def _wasted(case: Case, found: Sequence[Pool]) -> list[str]:
    """Workloads by what they reserve and do not use, cpu and memory, the most first."""
    spaces = set(case.understanding.namespaces)
    gaps: list[tuple[Decimal, str]] = []
    for name in ("cpu", "memory"):
        whole = sum((pool.allocatable.get(name, ZERO) for pool in found), ZERO) or Decimal(1)
        sums: dict[Ref, tuple[Decimal, Decimal]] = {}
        for pool in found:
            for one in holders(case.inventory, pool, name):
                if one.used is None or (spaces and one.ref.namespace not in spaces):
                    continue
                old = sums.get(one.ref, (ZERO, ZERO))
                sums[one.ref] = (old[0] + one.reserved, old[1] + one.used)
        for ref, (reserved, used) in sums.items():
            if used < reserved * Decimal("0.4"):
                gaps.append(((reserved - used) / whole, f"{ref}: {show(name, reserved)} {name} reserved, "
                             f"{show(name, used)} used ({share(used, reserved)}%)"))  # fmt: skip
    return [words for _, words in sorted(gaps, key=lambda gap: (-gap[0], gap[1]))[:TOP]]


CAPACITY = Topic(capacity_calls, say_capacity)
WASTE = Topic(capacity_calls, say_waste)
