"""Ends of containers whose meaning the objects tell: an image for another architecture, a JVM whose heap is full."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from kubectl_berth.cluster.views import Container, Pod, Terminated, parse_time
from kubectl_berth.diagnosis.fit import amount, show
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import listed

FORMAT = "exec format error"
AT_ONCE = 2.0  # seconds: a program that cannot be run at all ends before it does anything
_REFUSED = (1, 126, 255)  # exit codes of runtimes for a program they cannot run
_HEAP = re.compile(r"-Xmx(\d+)([kKmMgGtT]?)\b")
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_ENDS = {3: "ExitOnOutOfMemoryError", 134: "CrashOnOutOfMemoryError"}
"""Exit code -> the JVM's flag that makes a full heap end the process with it."""
TIGHT = Decimal("0.9")  # of the memory limit: a JVM needs memory beside its heap


@dataclass(frozen=True)
class Ending:
    """Why a container ended: the finding's reason code, its words and its remedy."""

    reason: str
    words: str
    remedy: str


KNOWN = frozenset({"WrongArchitecture", "HeapExhausted"})
"""The reason codes of endings."""


def ending(
    inventory: Inventory, pod: Pod, spec: Container | None, last: Terminated | None, text: str = ""
) -> Ending | None:
    """How a container ended, where the objects tell why; None where they do not."""
    return _architecture(inventory, pod, last, text) or _heap(inventory, pod, spec, last)


# --- architecture -----------------------------------------------------------------------------------------------------


def well_elsewhere(inventory: Inventory, pod: Pod) -> list[str]:
    """The CPU architectures on which pods of the same make are ready, where the pod's node is of none of them.

    Of the same make: of one controller and with the same images. A pod of it that dies where others are ready proves
    that the architecture is not to blame.
    """
    kind, owner = _kind(inventory, pod), inventory.owner(pod)
    if not kind or owner is None:
        return []
    like = [one for one in inventory.pods_of(owner) if one.ref != pod.ref and _images(one) == _images(pod)]
    kinds = {_kind(inventory, one) for one in like if one.ready} - {""}
    dying = any(_kind(inventory, one) in kinds and _dies(one) for one in like)
    return sorted(kinds) if kind not in kinds and not dying else []


def _kind(inventory: Inventory, pod: Pod) -> str:
    node = inventory.node(pod.spec.node_name)
    return node.status.node_info.architecture if node is not None else ""


def _images(pod: Pod) -> list[str]:
    return [one.image for one in pod.spec.all_containers]


def _dies(pod: Pod) -> bool:
    return not pod.ready and any(one.restart_count for one in pod.status.container_statuses)


def architecture_lines(inventory: Inventory, pod: Pod) -> list[str]:
    """A sentence on the architectures of the pod's node and of those where its like are ready."""
    there, kind = well_elsewhere(inventory, pod), _kind(inventory, pod)
    return (
        [f"node {pod.spec.node_name} is {kind}; the pods of it that are ready run on {listed(there)}"] if there else []
    )


def _architecture(inventory: Inventory, pod: Pod, last: Terminated | None, text: str) -> Ending | None:
    kind = _kind(inventory, pod)
    there = well_elsewhere(inventory, pod)
    said = FORMAT in f"{text} {last.message if last else ''}".lower()
    if not kind or not (said or (there and last is not None and last.exit_code in _REFUSED and _at_once(last))):
        return None
    where = f"node {pod.spec.node_name}, which is {kind}"
    words = (
        f"cannot run on {where}: its image is for another CPU architecture ({FORMAT})"
        if said
        else f"exits with code {last.exit_code if last else 0} at once on {where}, while its pods on {listed(there)} "
        f"are ready: its image is most likely not built for {kind}"
    )
    keep = f"kubernetes.io/arch: {there[0]}" if there else "kubernetes.io/arch: the architecture of the image"
    remedy = (
        f"build the image for {kind} too (an image of several architectures), or keep the pods off such nodes with the "
        f"nodeSelector {keep} in the template of {inventory.workload(pod)}"
    )
    return Ending("WrongArchitecture", words, remedy)


def _at_once(last: Terminated) -> bool:
    begun, over = parse_time(last.started_at), parse_time(last.finished_at)
    return begun is not None and over is not None and (over - begun).total_seconds() <= AT_ONCE


# --- heap of a JVM ----------------------------------------------------------------------------------------------------


def _flags(spec: Container) -> str:
    options = [one.value for one in spec.env if "-X" in one.value]
    return " ".join([*spec.command, *spec.args, *options])


def heap_limit(spec: Container) -> tuple[str, Decimal] | None:
    """The JVM's largest heap as a container's arguments or variables set it: the flag, and bytes."""
    found = _HEAP.findall(_flags(spec))
    if not found:
        return None
    number, unit = found[-1]  # the last one wins
    return f"-Xmx{number}{unit}", Decimal(number) * _UNITS[unit.lower()]


def _heap(inventory: Inventory, pod: Pod, spec: Container | None, last: Terminated | None) -> Ending | None:
    flag = _ENDS.get(last.exit_code, "") if last is not None else ""
    if spec is None or last is None or not flag or f"-XX:+{flag}" not in _flags(spec):
        return None
    heap, limit = heap_limit(spec), amount(spec.resources.limits.get("memory"))
    sizes = [heap[0]] if heap else []
    sizes += [f"memory limit {show('memory', limit)}"] if limit else []
    words = f"exits with code {last.exit_code}, as its JVM does when its heap is full (-XX:+{flag}" + (
        f"; {', '.join(sizes)})" if sizes else ")"
    )
    room = heap is not None and limit > 0 and heap[1] < limit / 2
    remedy = (
        f"raise {heap[0]} (the memory limit of {show('memory', limit)} leaves room), or find out what fills the heap; "
        "a higher memory limit alone changes nothing"
        if heap is not None and room
        else "find out what fills the heap, or raise the heap's limit and the memory limit together"
    )
    return Ending("HeapExhausted", words, remedy)


def heap_against_limit(spec: Container) -> list[str]:
    """A sentence where a JVM may grow its heap to what the container's memory limit is, or beyond."""
    heap, limit = heap_limit(spec), amount(spec.resources.limits.get("memory"))
    if heap is None or not limit or heap[1] < limit * TIGHT:
        return []
    return [
        f"container {spec.name}: its JVM may grow its heap to {heap[0]}, the memory limit is {show('memory', limit)}; "
        "it needs memory beside its heap: lower -Xmx to about three quarters of the limit, or raise the limit"
    ]
