"""Nodes that do not report, are under pressure or out of service, and pods that they put out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal

from kubectl_berth.cluster.views import Condition, Node, Pod, age, condition
from kubectl_berth.diagnosis.checks.memory import evicted_at, heaviest, relief, usage_lines
from kubectl_berth.diagnosis.fit import ZERO, amount, requests, show
from kubectl_berth.diagnosis.objects import HOUR, Inventory
from kubectl_berth.diagnosis.polarity import bad_condition
from kubectl_berth.diagnosis.say import aged, clip, count, held, listed, said, weight, younger
from kubectl_berth.records import Finding, Ref
from kubectl_berth.safety.shell import kubectl

PRESSURES = ("DiskPressure", "MemoryPressure", "PIDPressure", "NetworkUnavailable")
CROWDED = Decimal("0.95")
LOST = frozenset({"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"})


def check_nodes(inventory: Inventory) -> Iterable[Finding]:
    """Nodes not ready, under pressure, cordoned, rebooted."""
    for node in inventory.nodes:
        ready = condition(node.status.conditions, "Ready")
        if ready is not None and ready.status != "True":
            yield _not_ready(inventory, node, ready)
        if ready is None or ready.status != "Unknown":
            yield from _pressure(inventory, node)
        yield from _cordoned(inventory, node)
        yield from _clearing(inventory, node)
        yield from _rebooted(inventory, node)
        yield from _crowded(inventory, node)


def _not_ready(inventory: Inventory, node: Node, ready: Condition) -> Finding:
    gone = ready.status == "Unknown"
    evidence = [held(ready, inventory.now)]
    lease = next(
        (one for one in inventory.leases if one.namespace == "kube-node-lease" and one.name == node.name), None
    )
    if lease and lease.spec.renew_time:
        evidence.append(
            f"lease kube-node-lease/{node.name}: last renewed {age(inventory.now, lease.spec.renew_time)} ago"
        )
    taints = [str(taint) for taint in node.spec.taints if taint.key in LOST]
    if taints:
        evidence.append(f"spec.taints: {listed(taints)}")
    pods = [pod for pod in inventory.pods_of(node.ref) if not pod.finished]
    evidence.append(f"{count(len(pods), 'pod')} assigned to it")
    if gone:
        evidence.append("its other conditions are Unknown too: nothing is known of its disk or memory")
    waiting = _unsigned(inventory, node)
    evidence += waiting
    since = age(inventory.now, ready.last_transition_time)
    return Finding(
        "critical",
        node.ref,
        "NodeUnreachable" if gone else "NodeNotReady",
        f"its kubelet has not reported for {since}"
        if gone
        else f"it is not ready for {since}: {clip(ready.message, 160)}",
        tuple(evidence),
        remedy="its kubelet asks for a certificate that nobody approved: look at who should, and at its clock"
        if waiting
        else "check whether the machine is up, then its kubelet and network; its pods are replaced elsewhere, those "
        "with an attached volume only once the node is known to be gone"
        if gone
        else _agent(ready.message),
        disproof="condition Ready=True, or a lease renewed within the last minute" if gone else "condition Ready=True",
    )


def _agent(message: str) -> str:
    """Where to look on a node whose kubelet reports and calls it not ready."""
    lowered = message.lower()
    if "cni" in lowered or "network" in lowered:
        return "look at the network plugin's pod and configuration on that node; the kubelet itself reports"
    if "pleg" in lowered or "runtime" in lowered:
        return (
            "look at the container runtime on that node (its service, its log, the machine's load): it does not answer "
            "the kubelet, which itself reports; cordon the node until it does"
        )
    return "mend what the condition names on that node; its kubelet reports"


def _unsigned(inventory: Inventory, node: Node) -> list[str]:
    """Requests of the node's kubelet for its client certificate that nobody has answered."""
    return [
        f"{one.ref}: of {one.spec.username}, neither approved nor denied for "
        f"{age(inventory.now, one.metadata.creation_timestamp)}"
        for one in inventory.signing_requests
        if one.spec.signer_name in ("", "kubernetes.io/kube-apiserver-client-kubelet")
        and one.spec.username == f"system:node:{node.name}"
        and not one.status.conditions
    ][:3]


def _crowded(inventory: Inventory, node: Node) -> Iterator[Finding]:
    """A node whose CPU is used up, mostly by one pod that nothing holds back."""
    used, whole = inventory.node_usage(node.name).get("cpu"), amount(node.status.allocatable.get("cpu"))
    if used is None or not whole or used < whole * CROWDED:
        return
    shares = [
        (sum((one.get("cpu", ZERO) for one in inventory.pod_usage(pod).values()), ZERO), pod)
        for pod in inventory.pods_of(node.ref)
        if not pod.finished
    ]
    most, pod = max(shares, key=lambda pair: (pair[0], pair[1].ref), default=(ZERO, None))
    if pod is None or most < whole / 2:
        return
    limits = [amount(one.resources.limits.get("cpu")) for one in pod.spec.containers]
    asked = requests(pod.spec).get("cpu", ZERO)
    if all(limits) or most < asked * 2:
        return
    workload = inventory.workload(pod)
    yield Finding(
        "warning",
        node.ref,
        "NodeCrowded",
        f"its CPU is used up, and {pod.ref} uses most of it without a cpu limit; what else runs there is slowed down",
        (
            f"usage: {show('cpu', used)} of {show('cpu', whole)} allocatable CPU in use",
            f"{pod.ref}: {show('cpu', most)} in use, {show('cpu', asked)} requested, no cpu limit",
            f"{count(len(shares) - 1, 'other pod')} on this node",
        ),
        effects=(workload,),
        remedy=f"give {workload} a request that fits its use, and a limit, or a node of its own",
        disproof="a later figure: one measurement may be a peak",
    )


def _pressure(inventory: Inventory, node: Node) -> Iterator[Finding]:
    for one in node.status.conditions:
        if one.type in ("Ready", "") or not bad_condition(one.type, one.status):
            continue
        event = inventory.newest(node, "EvictionThresholdMet", "FreeDiskSpaceFailed", "ImageGCFailed", "SystemOOM")
        pods = [
            pod
            for pod in inventory.pods_of(node.ref)
            if pod.status.reason == "Evicted" and younger(inventory.now, evicted_at(inventory, pod), 24 * HOUR)
        ]
        evidence = [held(one, inventory.now)] + ([said(event, inventory.now)] if event else [])
        if pods:
            evidence.append(
                f"{count(len(pods), 'pod')} evicted from it, such as {pods[0].ref}: {clip(pods[0].status.message)}"
            )
        short = one.type == "MemoryPressure"
        most = heaviest(inventory, node) if short else None
        evidence += usage_lines(inventory, node) if short else []
        yield Finding(
            "critical" if one.type in PRESSURES else "warning",
            node.ref,
            f"Node{one.type}" if one.type in PRESSURES else "NodeConditionBad",
            f"it reports {one.type}"
            + (f": {clip(one.message, 160)}" if one.message else "")
            + _put_out(inventory, pods)
            + (f"; {most.words}" if most else ""),
            tuple(evidence),
            remedy=relief(inventory, most)
            if short
            else _RELIEF.get(one.type, "look at what the condition names on that node"),
            disproof=f"condition {one.type}=False",
        )


def _put_out(inventory: Inventory, pods: list[Pod]) -> str:
    """Whose pods a node evicted to save itself."""
    if len(pods) == 1:
        return f"; it evicted {pods[0].ref}"
    whose = list(dict.fromkeys(str(inventory.workload(pod)) for pod in pods))
    return f"; it evicted {count(len(pods), 'pod')} of {listed(whose, 3)}" if pods else ""


_RELIEF = {
    "DiskPressure": "find what fills the disk (logs, emptyDir volumes, images), free it, and give the heaviest pods "
    "ephemeral-storage limits",
    "PIDPressure": "find the pod that starts so many processes, and limit it",
    "NetworkUnavailable": "look at the network plugin or the cloud's route for that node",
}


def _cordoned(inventory: Inventory, node: Node) -> Iterator[Finding]:
    if not node.spec.unschedulable:
        return
    since = next((t.time_added for t in node.spec.taints if t.key == "node.kubernetes.io/unschedulable"), None)
    yield Finding(
        "info",
        node.ref,
        "NodeCordoned",
        "it is cordoned: it takes no new pods, what runs on it goes on",
        ("spec.unschedulable: true" + (f", for {age(inventory.now, since)}" if since else ""),),
        remedy=f"{kubectl('uncordon', node.name)}, once maintenance is over",
        disproof="spec.unschedulable is not set",
    )


def _clearing(inventory: Inventory, node: Node) -> Iterator[Finding]:
    """A taint of somebody's own that puts running pods out."""
    taints = [one for one in node.spec.taints if one.effect == "NoExecute" and "node.kubernetes.io/" not in one.key]
    put_out = [
        event
        for event in inventory.events
        if event.reason == "TaintManagerEviction" and inventory.recent(event) and "Cancelling" not in event.text
    ]
    if not taints or not put_out:
        return
    yield Finding(
        "info",
        node.ref,
        "NodeTaintedNoExecute",
        f"its taint {listed([str(taint) for taint in taints])} puts out every pod that does not tolerate it",
        (f"spec.taints: {listed([str(taint) for taint in taints])}", said(put_out[0], inventory.now)),
        remedy="take the taint off if that is over, or add tolerations to what should stay",
        disproof="pods on it that do not tolerate the taint",
    )


def _rebooted(inventory: Inventory, node: Node) -> Iterator[Finding]:
    event = inventory.newest(node, "Rebooted")
    if event is None:
        return
    yield Finding(
        "info",
        node.ref,
        "NodeRebooted",
        f"it was rebooted {age(inventory.now, event.last_seen)} ago; every pod on it restarted then",
        (said(event, inventory.now),),
        remedy="find out why the machine restarted, if nobody meant it to",
        disproof="pods on it whose containers have run for longer than that",
    )


SANDBOX_ADDRESSES = (
    "assign an ip",
    "no ip addresses",
    "no available ip",
    "ip addresses available",
    "exhausted",
    "out of ip",
)


def check_sandboxes(inventory: Inventory) -> Iterable[Finding]:
    """Pods whose network or sandbox cannot be made; on one node alone, that node is the cause."""
    failing: list[tuple[Pod, Finding]] = []
    for pod in inventory.pods:
        if pod.status.phase != "Pending" or not pod.spec.node_name or pod.terminating:
            continue
        event = inventory.newest(pod, "FailedCreatePodSandBox", "NetworkNotReady")
        if event is None or not aged(inventory.now, pod.metadata.creation_timestamp, 60):
            continue
        spent = any(mark in event.text.lower() for mark in SANDBOX_ADDRESSES)
        finding = Finding(
            weight(inventory, pod),
            pod.ref,
            "PodAddressesExhausted" if spent else "PodSandboxFails",
            "it gets no address, because those of its node or subnet are used up"
            if spent
            else "its network sandbox cannot be made",
            (said(event, inventory.now), f"spec.nodeName: {pod.spec.node_name}"),
            remedy="free or add addresses (fewer pods on the node, a larger subnet)"
            if spent
            else "look at the network plugin's pod on that node",
            disproof="pods that start on the same node now",
        )
        failing.append((pod, finding))
    nodes = {pod.spec.node_name for pod, _ in failing}
    for pod, finding in failing:
        together = len(failing) > 1 and len(nodes) == 1
        yield _under_node(finding, pod) if together else finding
    if len(failing) > 1 and len(nodes) == 1:
        yield _network_of(failing)


def _under_node(finding: Finding, pod: Pod) -> Finding:
    return replace(finding, caused_by=Ref("Node", "", pod.spec.node_name))


def _network_of(failing: list[tuple[Pod, Finding]]) -> Finding:
    pod, first = failing[0]
    return Finding(
        "critical",
        Ref("Node", "", pod.spec.node_name),
        first.reason.replace("PodAddresses", "NodeAddresses").replace("PodSandbox", "NodeSandboxes"),
        "it has no address left for a new pod: its own or its subnet's are used up"
        if first.reason == "PodAddressesExhausted"
        else "no new pod can start on it: no network sandbox can be made there",
        (first.evidence[0], f"{count(len(failing), 'pod')} wait on this node, none on another"),
        effects=tuple(sorted(one.ref for one, _ in failing)),
        remedy=first.remedy,
        disproof=first.disproof,
    )
