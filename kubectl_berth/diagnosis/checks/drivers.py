"""Volume drivers that are not registered on a pod's node, and the DaemonSet that should have registered them there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_berth.cluster.views import Event, Node, Pod, Workload
from kubectl_berth.diagnosis.fit import repelling, selects
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import listed, said, weight
from kubectl_berth.records import Finding

_MISSING = (
    re.compile(r"driver name (\S+) not found in the list of registered CSI drivers", re.IGNORECASE),
    re.compile(r"CSINode \S+ does not contain driver (\S+)", re.IGNORECASE),
)


def missing_driver(text: str) -> str:
    """The CSI driver that an event says the node lacks, "" where it speaks of something else."""
    hit = next((found for pattern in _MISSING if (found := pattern.search(text))), None)
    return hit[1].rstrip(".,;:\"'") if hit else ""


def driver_findings(inventory: Inventory, pod: Pod, event: Event, driver: str) -> Iterator[Finding]:
    """The pod that lacks the driver, and the DaemonSet that its template keeps off the pod's node."""
    name = pod.spec.node_name
    node, daemons = inventory.node(name), _daemons(inventory, driver, name)
    evidence = [said(event, inventory.now), f"spec.nodeName: {name}"]
    drivers = [held.name for one in inventory.csi_nodes if one.name == name for held in one.spec.drivers]
    if any(one.name == name for one in inventory.csi_nodes):
        evidence.append(f"CSINode {name}: drivers {listed(drivers) or 'none'}")
    why, remedy = _kept_off(daemons, node) if daemons is not None and node is not None else ("", "")
    kept = f"{daemons.ref} has no pod there, because {why}" if daemons is not None and why else ""
    if daemons is not None and why:
        yield Finding(
            "warning",
            daemons.ref,
            "DaemonSetLeavesNodesOut",
            f"it has no pod on node {name}, because {why}, so volumes of {driver} cannot be used there",
            (*_taint_lines(node), f"status.desiredNumberScheduled: {daemons.desired}"),
            effects=(pod.ref,),
            remedy=remedy,
            disproof=f"a pod of it on node {name}",
        )
    yield Finding(
        weight(inventory, pod),
        pod.ref,
        "CsiDriverMissingOnNode",
        f"CSI driver {driver} is not registered on node {name}" + (f": {kept}" if kept else ""),
        (*evidence, *([kept] if kept else [])),
        caused_by=daemons.ref if daemons is not None and why else None,
        remedy=remedy or "look at the driver's DaemonSet: why it has no ready pod on that node",
        disproof="the same volume mounted on that node",
    )


def _taint_lines(node: Node | None) -> list[str]:
    taints = [str(taint) for taint in node.spec.taints] if node is not None else []
    return [f"node {node.name}: taint {listed(taints)}"] if node is not None and taints else []


def _daemons(inventory: Inventory, driver: str, name: str) -> Workload | None:
    """The driver's DaemonSet, which has no pod on the node.

    It names the driver's socket or the driver itself, or it holds a container of the CSI and runs on every node where
    the driver is registered.
    """
    registered = {one.name for one in inventory.csi_nodes if any(held.name == driver for held in one.spec.drivers)}
    for one in inventory.daemon_sets:
        containers = one.spec.template.spec.containers
        there = {pod.spec.node_name for pod in inventory.pods_of(one.ref)}
        words = [word for part in containers for word in (*part.command, *part.args)]
        words += [variable.value for part in containers for variable in part.env]
        named = any(driver in word for word in words)
        like = any("csi" in f"{one.name} {part.image}".lower() for part in containers)
        if name not in there and (named or (like and registered and registered <= there)):
            return one
    return None


def _kept_off(daemons: Workload, node: Node) -> tuple[str, str]:
    """What of a DaemonSet's template keeps it off a node, and what to do about that; empty where nothing does."""
    spec = daemons.spec.template.spec
    taints = [str(taint) for taint in repelling(spec, node) if "node.kubernetes.io/" not in taint.key]
    if taints:
        return (
            f"it does not tolerate the taint {listed(taints)}",
            f"add a toleration for that taint to the pod template of {daemons.ref} (by what installed it), or keep "
            f"pods with such volumes off node {node.name}",
        )
    if not selects(spec, node):
        asked = [f"{key}={value}" for key, value in sorted(spec.node_selector.items())]
        return (
            f"it selects nodes by labels that this one lacks ({listed(asked) or 'node affinity'})",
            f"give node {node.name} the labels if the driver supports it, or keep pods with such volumes off it",
        )
    return "", ""
