"""Which pods and Services hold a port."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import Pod
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import ASKS, bare, capped, half, in_place, narrowed, only
from kubectl_berth.engines.rules.facts.lookups import Answer

MOST = 15
_PORT = re.compile(
    r"\b(?P<host>host ?)?(?P<node>node ?)?ports?\s*:?\s*#?(?P<number>\d{1,5})\b|:(?P<bare>\d{2,5})\b", re.I
)
_HOST_PORTS = re.compile(r"\bhost ?ports?\b", re.IGNORECASE)
_USES = (
    r"us(?:es?|ed|ing)|listen\w*|hold(?:s|ing)?|bind(?:s|ing)?|bound|occup\w+|tak(?:es?|en|ing)|open(?:s|ed)?|serv(?:es?|ing)|"
    r"expos\w+|claim\w*|have|has|got|blocked|blocks|already|by whom|in use|on|sits|behind|free"
)


def held_ports(case: Case) -> Answer | None:
    """Who uses a port, or which host ports are used; None for another question."""
    text = bare(case)
    found = _PORT.search(text)
    nodes = {ref.name for ref in case.subjects if ref.kind == "Node"}
    if not ASKS.search(text) or any(ref.kind not in ("Node", "Namespace") for ref in case.subjects):
        return None
    if found is None and not _HOST_PORTS.search(text):
        return None
    if not only(case, _USES, r"host ?ports?|node ?ports?|ports?|tcp|udp|pods?", text=_PORT.sub(" ", text)):
        return None
    host = found is None or bool(found["host"]) or bool(nodes)
    number = int(found["number"] or found["bare"]) if found is not None else None
    return _host(case, number, nodes) if host else _anywhere(case, number or 0)


def _hosts(pod: Pod) -> list[int]:
    """The ports of its node that a pod holds."""
    return [
        held
        for one in pod.spec.all_containers
        for port in one.ports
        if (held := port.host_port or (port.container_port if pod.spec.host_network else 0))
    ]


def _host(case: Case, number: int | None, nodes: set[str]) -> Answer:
    hit = [
        (pod, ports)
        for pod in sorted(case.inventory.pods, key=lambda one: one.ref)
        if not pod.finished and in_place(case, pod.namespace) and (not nodes or pod.spec.node_name in nodes)
        and (ports := [port for port in _hosts(pod) if number is None or port == number])
    ]  # fmt: skip
    where = f" on {', '.join(sorted(nodes))}" if nodes else ""
    placed = [(pod, ports) for pod, ports in hit if pod.spec.node_name]
    what = f"host port {number}" if number is not None else "a host port"
    tail = f"{half(case, 'pods')}{narrowed(case)}"
    lines = [
        f"{pod.ref}: {', '.join(map(str, dict.fromkeys(ports)))} on {pod.spec.node_name or 'no node yet'}"
        for pod, ports in hit
    ]
    if not placed:
        note = " Processes of the node itself are not seen."
        return f"No pod that can be read holds {what}{where}{tail}.{note}", capped(lines, MOST)
    names = listed([f"{pod.ref}{'' if nodes else f' (on {pod.spec.node_name})'}" for pod, _ in placed], 4)
    return f"{names} {'holds' if len(placed) == 1 else 'hold'} {what}{where}{tail}.", capped(lines, MOST) if len(
        hit
    ) > 1 else []


def _anywhere(case: Case, number: int) -> Answer:
    inventory = case.inventory
    lines = []
    for service in sorted(inventory.services, key=lambda one: one.ref):
        for port in service.spec.ports:
            if in_place(case, service.namespace) and number in (port.port, port.target_port, port.node_port):
                how = f"port {port.port} to {port.target_port or port.port}"
                lines.append(f"{service.ref}: {how}" + (f", node port {port.node_port}" if port.node_port else ""))
    owners: dict[str, int] = {}
    for pod in inventory.pods:
        declared = {port.container_port for one in pod.spec.containers for port in one.ports} | {*_hosts(pod)}
        if not pod.finished and in_place(case, pod.namespace) and number in declared:
            owners[str(inventory.workload(pod))] = owners.get(str(inventory.workload(pod)), 0) + 1
    rows = [f"{name} declares it ({count(many, 'pod')})" for name, many in sorted(owners.items())]
    told = [*rows, *lines]
    tail = f"{half(case, 'pods', 'services')}{narrowed(case)}"
    if not told:
        return f"No pod declares port {number} and no Service leads to it, as far as can be read{tail}.", []
    return f"Port {number}: {listed(told, 3)}{tail}.", capped(told, MOST) if len(told) > 3 else []
