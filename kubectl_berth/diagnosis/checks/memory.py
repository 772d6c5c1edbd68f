"""Nodes that run out of memory: whom the kernel killed, which pod takes the most, and who is only a victim."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from kubectl_berth.cluster.views import ContainerStatus, Event, Node, Pod, age, condition, parse_time
from kubectl_berth.diagnosis.fit import ZERO, amount, requests, show
from kubectl_berth.diagnosis.objects import HOUR, Inventory
from kubectl_berth.diagnosis.say import clip, count, listed, said, younger
from kubectl_berth.records import Finding

NEAR = 120.0  # seconds between the kernel's kill and what the kubelet writes down of it
FAR_BELOW = Decimal("0.6")
LARGE = Decimal("0.15")  # of a node's memory, taken beyond what was requested

_VICTIM = re.compile(r"victim process: ([^,\s]+)|killed process \d+ \(([^)]+)\)", re.IGNORECASE)


def system_kills(inventory: Inventory, node: Node, within: float = HOUR) -> list[Event]:
    """The events of kills because the whole machine was out of memory, newest first.

    A kill at a container's own limit ("memory cgroup out of memory") is none.
    """
    return [
        one
        for one in inventory.events_of(node, within)
        if one.reason == "SystemOOM" or (one.reason == "OOMKilling" and "cgroup" not in one.text.lower())
    ]


@dataclass(frozen=True)
class Heaviest:
    """The pod that takes the most of its node's memory (`whole`) beyond its request, in bytes."""

    pod: Pod
    used: Decimal
    whole: Decimal
    requested: Decimal
    limited: bool

    @property
    def words(self) -> str:
        """The pod with its figures."""
        asked = f"requests {show('memory', self.requested)}" if self.requested else "requests none"
        limit = "" if self.limited else " and has no memory limit"
        used = f"{show('memory', self.used)} of its {show('memory', self.whole)}"
        return f"{self.pod.ref} uses {used}, {asked}{limit}"


def heaviest(inventory: Inventory, node: Node) -> Heaviest | None:
    """The pod that takes the most beyond its request, where that is a large part of the node; None without figures."""
    whole = amount(node.status.capacity.get("memory") or node.status.allocatable.get("memory"))
    most: Heaviest | None = None
    for pod in inventory.pods_of(node.ref):
        used = sum((one.get("memory", ZERO) for one in inventory.pod_usage(pod).values()), ZERO)
        asked = requests(pod.spec).get("memory", ZERO)
        limited = all(amount(one.resources.limits.get("memory")) for one in pod.spec.containers)
        if pod.finished or used - asked < whole * LARGE or not whole:
            continue
        if most is None or used - asked > most.used - most.requested:
            most = Heaviest(pod, used, whole, asked, limited)
    return most


def relief(inventory: Inventory, most: Heaviest | None) -> str:
    """What relieves a node that is short of memory."""
    if most is None:
        return (
            "find the pods that use more memory than they request (kubectl top pods -A --sort-by=memory, where metrics "
            "are served), and set requests and limits that fit"
        )
    return (
        f"give {inventory.workload(most.pod)} a memory request that fits its use and a limit, or a node of its own; "
        "the pods that were put out or killed beside it need no change"
    )


def check_node_memory(inventory: Inventory) -> Iterable[Finding]:
    """Nodes that killed or evicted lately because the machine had no memory left, and are not under pressure now."""
    for node in inventory.nodes:
        kills, evicted = system_kills(inventory, node), _put_out(inventory, node)
        pressed = condition(node.status.conditions, "MemoryPressure")
        if not (kills or evicted) or (pressed is not None and pressed.status == "True"):
            continue
        most = heaviest(inventory, node)
        told = [_killed(inventory, kills)] if kills else []
        told += [_evicted(inventory, evicted)] if evicted else []
        told += [most.words] if most else []
        yield Finding(
            "warning",
            node.ref,
            "NodeOutOfMemory",
            "; ".join(told),
            (
                *[said(one, inventory.now) for one in kills[:3]],
                *[f"{one.ref}: {clip(one.status.message, 200)}" for one in evicted[:2]],
                *usage_lines(inventory, node),
            ),
            remedy=relief(inventory, most),
            disproof="kills at the containers' own limits (memory cgroup), not of the machine",
        )


def _killed(inventory: Inventory, kills: list[Event]) -> str:
    names = victims(kills)
    return (
        f"the whole machine ran out of memory, {count(sum(one.times for one in kills), 'time')} lately, the last "
        f"{age(inventory.now, kills[0].last_seen)} ago" + (f", and the kernel killed {listed(names)}" if names else "")
    )


def _evicted(inventory: Inventory, pods: list[Pod]) -> str:
    whose = list(dict.fromkeys(str(inventory.workload(pod)) for pod in pods))
    return f"it was short of memory within the last hour and evicted {count(len(pods), 'pod')} ({listed(whose, 3)})"


def _put_out(inventory: Inventory, node: Node) -> list[Pod]:
    """The pods that the node evicted within the hour for want of memory."""
    return [
        pod
        for pod in inventory.pods_of(node.ref)
        if pod.status.reason == "Evicted"
        and "low on resource: memory" in pod.status.message
        and younger(inventory.now, evicted_at(inventory, pod), HOUR)
    ]


def evicted_at(inventory: Inventory, pod: Pod) -> str | None:
    """When a pod was put out, as far as its event, its conditions or its start tell."""
    event = inventory.newest(pod, "Evicted", within=None)
    if event is not None and event.last_seen is not None:
        return event.last_seen.isoformat()
    times = [one.last_transition_time for one in pod.status.conditions if one.type in ("DisruptionTarget", "Ready")]
    return next((time for time in times if time), pod.status.start_time or pod.metadata.creation_timestamp)


def victims(kills: list[Event]) -> list[str]:
    """The names of the processes that were killed, each once."""
    hits = (_VICTIM.search(one.text) for one in kills)
    return list(dict.fromkeys(hit[1] or hit[2] for hit in hits if hit))


def usage_lines(inventory: Inventory, node: Node, most: int = 3) -> list[str]:
    """The memory in use on a node, and its largest pods with request and limit; [] without figures."""
    used, whole = inventory.node_usage(node.name).get("memory"), amount(node.status.allocatable.get("memory"))
    lines = [f"usage: {show('memory', used)} of {show('memory', whole)} memory in use"] if used and whole else []
    shares = [
        (sum((one.get("memory", ZERO) for one in inventory.pod_usage(pod).values()), ZERO), pod)
        for pod in inventory.pods_of(node.ref)
        if not pod.finished
    ]
    for much, pod in sorted(shares, key=lambda pair: (-pair[0], pair[1].ref))[:most]:
        if much:
            asked = requests(pod.spec).get("memory", ZERO)
            lines.append(
                f"{pod.ref}: {show('memory', much)} in use, {show('memory', asked) if asked else 'none'} requested"
            )
    return lines


def killed_by_node(inventory: Inventory, pod: Pod, status: ContainerStatus) -> bool:
    """True for a container killed for lack of memory (OOMKilled) that was not at a limit of its own.

    It has no limit, or the machine itself ran out of memory in that minute while it uses far less than it may.
    """
    ended = status.state.terminated or status.last_state.terminated
    spec, node = pod.container(status.name), inventory.node(pod.spec.node_name)
    if ended is None or ended.reason != "OOMKilled" or spec is None or node is None:
        return False
    whole = amount(pod.spec.resources.limits.get("memory")) if pod.spec.resources else ZERO
    limit = amount(spec.resources.limits.get("memory")) or whole
    moment = parse_time(ended.finished_at)
    near = any(_at(one, moment.timestamp()) for one in system_kills(inventory, node)) if moment else False
    if not near:
        return False
    used = inventory.pod_usage(pod).get(status.name, {}).get("memory")
    return not limit or used is None or used < limit * FAR_BELOW


def _at(kill: Event, moment: float) -> bool:
    """True where a kill, or the first to the last of several, covers that moment."""
    if kill.last_seen is None or kill.first_seen is None:
        return False
    first = kill.first_seen if kill.times > 1 else kill.last_seen
    return first.timestamp() - NEAR <= moment <= kill.last_seen.timestamp() + NEAR
