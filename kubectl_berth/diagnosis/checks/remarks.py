"""What works as written and still surprises: settings that explain an odd picture and are a fault only at times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import Node, Service, Workload
from kubectl_berth.diagnosis.fit import CONTROL_PLANE, repelling, selects
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import clip, count, held, listed, older
from kubectl_berth.records import Finding


def check_daemon_coverage(inventory: Inventory) -> Iterable[Finding]:
    """Nodes that a DaemonSet leaves out because it does not tolerate their taints."""
    for one in inventory.daemon_sets:
        spec = one.spec.template.spec
        there = {pod.spec.node_name for pod in inventory.pods_of(one.ref)}
        left = [
            (node, taints)
            for node in inventory.nodes
            if node.name not in there
            and node.ready
            and selects(spec, node)
            and (taints := [str(taint) for taint in repelling(spec, node) if "node.kubernetes.io/" not in taint.key])
            and not any(taint.key in CONTROL_PLANE for taint in node.spec.taints)
        ]
        if left:
            yield _left_out(one, left, len(inventory.nodes))


def _left_out(daemons: Workload, left: list[tuple[Node, list[str]]], nodes: int) -> Finding:
    return Finding(
        "info",
        daemons.ref,
        "DaemonSetLeavesNodesOut",
        f"it wants {daemons.desired} pods on {count(nodes, 'node')}: it does not tolerate the taints of "
        f"{listed([node.name for node, _ in left])}",
        (
            *[f"node {node.name}: taint {listed(taints)}" for node, taints in left[:4]],
            f"status.desiredNumberScheduled: {daemons.desired}",
        ),
        remedy="add a toleration for these taints to its template, if it should run there too",
        disproof="a pod of it on these nodes",
    )


WAITS = 600.0  # seconds a resize may be put off before that is worth a warning


def check_resizes(inventory: Inventory) -> Iterable[Finding]:
    """Pods whose resources were changed in place and whose node does not carry the change out."""
    for pod in inventory.pods:
        if pod.finished or pod.terminating:
            continue
        for one in pod.status.conditions:
            never = one.type == "PodResizePending" and one.reason == "Infeasible"
            failed = one.type == "PodResizeInProgress" and one.reason == "Error"
            if one.status != "True" or not (never or failed or one.type == "PodResizePending"):
                continue
            late = older(inventory.now, one.last_transition_time, WAITS)
            what = (
                "cannot be carried out on its node" if never else "failed" if failed else "waits for room on its node"
            )
            yield Finding(
                "warning" if never or failed or late else "info",
                pod.ref,
                "PodResizeInfeasible" if never else "PodResizeFailed" if failed else "PodResizeDeferred",
                f"the resize in place {what}: {clip(one.message, 200) or one.reason}",
                (held(one, inventory.now),),
                remedy="ask for what a node can give, or move the pod to a larger node (a new pod is needed for that)"
                if never
                else "free room on its node, or let the pod be made again elsewhere",
                disproof="no condition PodResizePending or PodResizeInProgress any more",
            )


def check_traffic_policies(inventory: Inventory) -> Iterable[Finding]:
    """Services that keep traffic on its node although nodes hold no ready pod of theirs."""
    if {"pods", "nodes"} & inventory.unread:
        return
    for service in inventory.services:
        inside = service.spec.internal_traffic_policy == "Local"
        outside = service.spec.external_traffic_policy == "Local" and service.spec.type in ("NodePort", "LoadBalancer")
        if service.spec.selector and (inside or outside):
            yield from _local(inventory, service, inside)


def _local(inventory: Inventory, service: Service, inside: bool) -> Iterator[Finding]:
    ready = {pod.spec.node_name for pod in inventory.pods_of(service.ref) if pod.ready and not pod.terminating}
    without = [
        node.name for node in inventory.nodes if node.ready and node.name not in ready and _works(inventory, node)
    ]
    if not ready or not without:
        return
    kind = "internalTrafficPolicy" if inside else "externalTrafficPolicy"
    yield Finding(
        "warning" if inside else "info",
        service.ref,
        "TrafficStaysOnNode",
        f"its {kind} is Local: from {listed(without)} it cannot be reached, no ready pod of it runs there"
        if inside
        else f"its {kind} is Local: {listed(without)} take no traffic for it, no ready pod of it runs there",
        (f"spec.{kind}: Local", f"nodes with a ready pod of it: {listed(sorted(ready))}"),
        remedy=f"set {kind} to Cluster, or run a pod of it on every node that should reach it",
        disproof="a ready pod of it on those nodes",
    )


def _works(inventory: Inventory, node: Node) -> bool:
    """True where pods of others run on the node."""
    return any(not pod.spec.host_network and not pod.finished for pod in inventory.pods_of(node.ref))


def check_variables(inventory: Inventory) -> Iterable[Finding]:
    """Variables that a container sets twice: the last entry wins, and any entry wins over what envFrom brings."""
    told: set[object] = set()
    for pod in inventory.pods:
        workload = inventory.workload(pod)
        if pod.finished or workload in told:
            continue
        for container in pod.spec.all_containers:
            names = [variable.name for variable in container.env]
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                told.add(workload)
                yield Finding(
                    "info",
                    workload,
                    "VariableSetTwice",
                    f"container {container.name} sets {listed(twice)} twice: the last entry wins",
                    (f"spec.containers[{container.name}].env: {listed(twice)} appears more than once",),
                    remedy="keep one entry; what envFrom brings is overridden by env as well",
                    disproof="both entries hold the same value",
                )


def check_selectors(inventory: Inventory) -> Iterable[Finding]:
    """Controllers of one kind whose selectors match each other's pods."""
    groups: dict[tuple[str, str], list[Workload]] = {}
    for one in inventory.workloads:
        groups.setdefault((one.kind, one.namespace), []).append(one)
    for mine in groups.values():
        for place, one in enumerate(mine):
            for other in mine[place + 1 :]:
                if _covers(one, other) and _covers(other, one):
                    yield Finding(
                        "info",
                        one.ref,
                        "SelectorsOverlap",
                        f"its selector matches the pods of {other.ref} too, and the other way round",
                        (
                            f"spec.selector of {one.name}: {one.spec.selector}",
                            f"of {other.name}: {other.spec.selector}",
                        ),
                        effects=(other.ref,),
                        remedy="give each a label of its own in selector and template (a selector cannot be changed: "
                        "make the object anew)",
                        disproof="pods that each belong to one controller and stay",
                    )


def _covers(one: Workload, other: Workload) -> bool:
    selector = one.spec.selector
    labels = other.spec.template.metadata.labels
    return selector is not None and not selector.empty and bool(labels) and selector.matches(labels)


def check_replica_owners(inventory: Inventory) -> Iterable[Finding]:
    """Autoscalers whose figure somebody else sets back again and again."""
    for scaler in inventory.autoscalers:
        target = inventory.find(scaler.target)
        event = inventory.newest(scaler, "SuccessfulRescale")
        if not isinstance(target, Workload) or event is None or event.times < 3:
            continue
        owners = sorted({one.manager for one in target.metadata.managed_fields if one.sets_replicas})
        if not owners:
            continue
        yield Finding(
            "warning",
            scaler.ref,
            "ReplicasFoughtOver",
            f"it scales {target.ref} again and again, because {listed(owners)} sets the replicas back",
            (
                f"event SuccessfulRescale ({event.times} times): {event.text}",
                f"metadata.managedFields of {target.ref}: spec.replicas belongs to {listed(owners)} too",
            ),
            effects=(target.ref,),
            remedy="leave spec.replicas out of what that manager applies (or let it ignore the field)",
            disproof="replicas that stay as the autoscaler set them",
        )
