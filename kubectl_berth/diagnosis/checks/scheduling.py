"""Pods that no node takes, and pods that a node turned away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from kubectl_berth.cluster.views import Node, Pod, age, condition
from kubectl_berth.diagnosis.checks.admission import webhook_failure
from kubectl_berth.diagnosis.checks.placing import only_cordoned, placing
from kubectl_berth.diagnosis.fit import CONTROL_PLANE, Obstacle, obstacles, repelling, selects, volume_elsewhere
from kubectl_berth.diagnosis.objects import HOUR, Inventory
from kubectl_berth.diagnosis.say import aged, clip, count, held, listed, weight, younger
from kubectl_berth.records import Finding, Ref
from kubectl_berth.safety.shell import kubectl

UNSEEN = 60.0  # seconds after which a pod that no scheduler has looked at is odd

# What the scheduler's own message says where the objects do not show it. Parts of the words of every version.
_TEXTS: tuple[tuple[str, str], ...] = (
    ("failed calling webhook", "BindWebhookFails"),
    ("in-use by another pod", "ClaimInUse"),
    ("unbound immediate persistentvolumeclaim", "ClaimUnbound"),
    ("is being deleted", "ClaimMissing"),
    ('persistentvolumeclaim "', "ClaimMissing"),
    ("non-existent pv", "ClaimUnbound"),
    ("find available persistent volumes", "ClaimUnbound"),
    ("exceed max volume count", "VolumeLimit"),
    ("volume node affinity", "VolumeElsewhere"),
    ("persistentvolume's node affinity", "VolumeElsewhere"),
    ("no available volume zone", "VolumeElsewhere"),
    ("free ports", "HostPortTaken"),
    ("anti-affinity", "PodAntiAffinity"),
    ("pod affinity rules", "PodAffinity"),
    ("topology spread", "TopologySpread"),
    ("too many pods", "TooManyPods"),
    ("insufficient", "InsufficientResources"),
    ("affinity/selector", "NodeSelectorMismatch"),
    ("were unschedulable", "NodesCordoned"),
    ("untolerated taint", "UntoleratedTaint"),
)

_WORDS: dict[str, tuple[str, str]] = {
    "InsufficientResources": (
        "no node has enough left of what it requests",
        "lower requests that are larger than what is used, free or add capacity; requests count here, not usage",
    ),
    "RequestExceedsNodes": (
        "it requests more than any node has at all",
        "correct the request (a wrong unit, as a rule), or add a larger kind of node; more nodes of this size change "
        "nothing",
    ),
    "ResourceNotOffered": (
        "no node offers a resource it requests",
        "look at the device plugin that should advertise it, and at the node's capacity",
    ),
    "UntoleratedTaint": (
        "the nodes it could run on have a taint it does not tolerate",
        "add the toleration if the pod belongs there, or take the taint off the node",
    ),
    "NodesCordoned": ("the nodes it could run on are cordoned", "kubectl uncordon the nodes once maintenance is over"),
    "NodeSelectorMismatch": (
        "no node has the labels it asks for",
        "correct nodeSelector or affinity, or label the nodes",
    ),
    "PodAntiAffinity": (
        "its required anti-affinity leaves it no node",
        "use fewer replicas than nodes, add a node, or make the rule preferred",
    ),
    "PodAffinity": ("required affinity to other pods fits no node", "check that the pods it wants to be near exist"),
    "TopologySpread": (
        "its topology spread constraint leaves no node",
        "relax maxSkew or whenUnsatisfiable, or bring back nodes in the short zone",
    ),
    "HostPortTaken": (
        "its host port is taken on every node",
        "let an old pod go first (maxUnavailable 1, maxSurge 0), or drop the host port",
    ),
    "VolumeElsewhere": (
        "its volume can be reached only from nodes that are not available",
        "bring back a node that the volume can be reached from; do not delete the claim, the data is on it",
    ),
    "ClaimUnbound": ("one of its claims is not bound to a volume", "look at the claim: its own state says why"),
    "ClaimMissing": ("one of its claims does not exist or is being deleted", "create the claim, or correct its name"),
    "ClaimInUse": ("its claim allows one pod, and another pod uses it", "use one replica, or a claim for each pod"),
    "VolumeLimit": ("the nodes hold as many volumes as they may", "spread the pods over more nodes"),
    "TooManyPods": ("the nodes run as many pods as they may", "add nodes or raise the limit of pods for each node"),
    "BindWebhookFails": ("a webhook stopped it from being bound to a node", "look at the webhook, not at capacity"),
    "Unschedulable": ("the scheduler finds no node for it", "read the scheduler's message"),
}
_TEXT_WINS = frozenset({"BindWebhookFails", "ClaimInUse", "ClaimUnbound", "ClaimMissing", "VolumeLimit"})
_RULES_OF_PODS = frozenset({"PodAntiAffinity", "PodAffinity", "TopologySpread", "HostPortTaken"})


def check_scheduling(inventory: Inventory) -> Iterable[Finding]:
    """Pending pods without a node, and pods that the kubelet rejected."""
    for pod in inventory.pods:
        if pod.status.phase == "Failed":
            yield from _rejected(inventory, pod)
        elif pod.status.phase == "Pending" and not pod.spec.node_name and not pod.terminating:
            yield from _pending(inventory, pod)


def _pending(inventory: Inventory, pod: Pod) -> Iterator[Finding]:
    scheduled = condition(pod.status.conditions, "PodScheduled")
    if scheduled is None or scheduled.status == "Unknown":
        if aged(inventory.now, pod.metadata.creation_timestamp, UNSEEN):
            yield _unseen(inventory, pod)
        return
    if scheduled.status != "False":
        return
    if scheduled.reason == "SchedulingGated" or pod.spec.scheduling_gates:
        gates = listed([one.name for one in pod.spec.scheduling_gates]) or "unknown"
        yield Finding(
            weight(inventory, pod),
            pod.ref,
            "SchedulingGated",
            f"it is held back by the scheduling gate {gates}, so no scheduler looks at it",
            (held(scheduled, inventory.now), f"spec.schedulingGates: {gates}"),
            remedy="look at the controller that should lift this gate",
            disproof="spec.schedulingGates is empty",
        )
        return
    finding = _unschedulable(inventory, pod, scheduled.message, held(scheduled, inventory.now))
    if finding.reason == "BindWebhookFails":
        cause = webhook_failure(inventory, pod, scheduled.message, finding.evidence[0], "pods are not bound to nodes")
        yield cause
        finding = replace(finding, caused_by=cause.subject)
    yield finding


def _unschedulable(inventory: Inventory, pod: Pod, message: str, evidence: str) -> Finding:
    text = message.lower().split("preemption:")[0]
    told = next((code for mark, code in _TEXTS if mark in text), "Unschedulable")
    reason: str = told
    details: list[str] = []
    if told not in _TEXT_WINS and inventory.nodes and "nodes" not in inventory.unread:
        reason, details = _from_objects(inventory, pod, told, text)
    if reason in ("NodeSelectorMismatch", "UntoleratedTaint") and only_cordoned(inventory, pod):
        reason = "NodesCordoned"  # the others were never meant for it
    words, remedy = _WORDS[reason]
    which = _which(inventory, pod, reason, text)
    known = placing(inventory, pod, reason)
    if known is not None:
        words, remedy, which = known.words, known.remedy, ""
        details = [*details, *known.lines]
    return Finding(
        weight(inventory, pod),
        pod.ref,
        reason,
        f"it is Pending for {age(inventory.now, pod.metadata.creation_timestamp)}: {words}"
        + (f" ({which})" if which else ""),
        (evidence, *details, *_asked(pod, reason)),
        remedy=remedy if known is not None else remedy + _or_uncordon(details, reason),
        disproof="a node that meets all that it asks for",
    )


def _or_uncordon(details: list[str], reason: str) -> str:
    """A hint at the nodes for which being cordoned is all that stands in the way."""
    cordoned = [
        line.split()[1].rstrip(":") for line in details if line.endswith(": it is cordoned (spec.unschedulable)")
    ]
    if not cordoned or reason == "NodesCordoned":
        return ""
    verb = "is" if len(cordoned) == 1 else "are"
    commands = listed([kubectl("uncordon", name) for name in cordoned], 2)
    return f"; {listed(cordoned)} {verb} cordoned and would do ({commands}, once the maintenance is over)"


def _which(inventory: Inventory, pod: Pod, reason: str, text: str) -> str:
    """What is short, taken or out of reach, in a few words; "" where the evidence alone tells it."""
    if reason == "InsufficientResources":
        return listed(sorted(set(re.findall(r"insufficient ([\w./-]*\w)", text))))
    if reason == "UntoleratedTaint":
        open_nodes = [node for node in inventory.nodes if not _reserved_for_control_plane(pod, node)]
        taints = {str(taint) for node in open_nodes for taint in repelling(pod.spec, node) if selects(pod.spec, node)}
        return listed(sorted(taints), 3)
    if reason == "HostPortTaken":
        return listed([str(one.host_port) for part in pod.spec.containers for one in part.ports if one.host_port])
    if reason == "VolumeElsewhere":
        barred = (one.words for node in inventory.nodes for one in volume_elsewhere(inventory, pod, node))
        return next((words.partition(" is reachable ")[2] for words in barred), "")
    return ""


def _from_objects(inventory: Inventory, pod: Pod, told: str, text: str) -> tuple[str, list[str]]:
    """The obstacle of the nodes that come closest, and those nodes with the figures."""
    nodes = [node for node in inventory.nodes if not _reserved_for_control_plane(pod, node)] or list(inventory.nodes)
    against: list[tuple[Node, list[Obstacle]]] = [(node, obstacles(inventory, pod, node)) for node in nodes]
    blocked = [(node, found) for node, found in against if found]
    if told in _RULES_OF_PODS and (len(blocked) < len(against) or not blocked):
        return told, _node_lines(blocked)
    if not blocked:
        return told, []
    fewest = min(len({one.code for one in found}) for _, found in blocked)
    closest = [(node, found) for node, found in blocked if len({one.code for one in found}) == fewest]
    codes = [one.code for _, found in closest for one in found]
    reason = max(dict.fromkeys(codes), key=lambda code: (_agrees(code, text), codes.count(code)))
    return reason, _node_lines([pair for pair in closest if any(one.code == reason for one in pair[1])])


_MARKS = {
    "RequestExceedsNodes": "insufficient",
    "ResourceNotOffered": "insufficient",
    "VolumeElsewhere": "volume",
    **{code: mark for mark, code in _TEXTS if code not in ("VolumeElsewhere", "ClaimMissing", "ClaimUnbound")},
}


def _agrees(code: str, text: str) -> bool:
    """True where the scheduler's message speaks of this obstacle too."""
    return _MARKS.get(code, code) in text


def _reserved_for_control_plane(pod: Pod, node: Node) -> bool:
    return any(taint.key in CONTROL_PLANE for taint in node.spec.taints) and not any(
        one.key in CONTROL_PLANE for one in pod.spec.tolerations
    )


def _node_lines(blocked: list[tuple[Node, list[Obstacle]]]) -> list[str]:
    lines = [f"node {node.name}: {'; '.join(one.words for one in found)}" for node, found in blocked[:4]]
    rest = len(blocked) - 4
    return [*lines, f"and {count(rest, 'node')} more like these"] if rest > 0 else lines


def _asked(pod: Pod, reason: str) -> list[str]:
    if reason == "NodeSelectorMismatch" and pod.spec.node_selector:
        return [f"spec.nodeSelector: {listed([f'{k}={v}' for k, v in sorted(pod.spec.node_selector.items())])}"]
    if reason == "HostPortTaken":
        ports = [str(port.host_port) for one in pod.spec.containers for port in one.ports if port.host_port]
        return [f"spec: host port {listed(ports)}"] if ports else []
    if reason == "TopologySpread":
        return [
            f"spec.topologySpreadConstraints: {one.topology_key}, maxSkew {one.max_skew}, {one.when_unsatisfiable}"
            for one in pod.spec.topology_spread_constraints
        ]
    if reason == "PodAntiAffinity" and pod.spec.affinity and pod.spec.affinity.pod_anti_affinity:
        terms = pod.spec.affinity.pod_anti_affinity.required
        return [f"spec: required anti-affinity by {one.topology_key} to {one.label_selector}" for one in terms]
    if reason in ("ClaimUnbound", "ClaimMissing", "ClaimInUse", "VolumeElsewhere"):
        return [f"spec.volumes: claims {listed(pod.claims)}"] if pod.claims else []
    return []


def _unseen(inventory: Inventory, pod: Pod) -> Finding:
    name = pod.spec.scheduler_name
    evidence = [
        f"created {age(inventory.now, pod.metadata.creation_timestamp)} ago, no condition PodScheduled",
        f"spec.schedulerName: {name}",
    ]
    if not inventory.events_of(pod):
        evidence.append("no events about it")
    lease = inventory.find(Ref("Lease", "kube-system", "kube-scheduler"))
    return Finding(
        weight(inventory, pod),
        pod.ref,
        "NoScheduler",
        f"no scheduler has looked at it: {name} does not run or does not work",
        tuple(evidence),
        caused_by=lease.ref if lease and name == "default-scheduler" and _stale(inventory, lease.ref) else None,
        remedy=f"look for the scheduler named {name}: does it run, does it hold its lease",
        disproof="an event Scheduled or FailedScheduling for this pod",
    )


def _stale(inventory: Inventory, ref: Ref) -> bool:
    return any(
        lease.ref == ref and not younger(inventory.now, lease.spec.renew_time, 5 * 60) for lease in inventory.leases
    )


# --- rejected by the node -------------------------------------------------------------------------------------------

_REJECTED = re.compile(
    r"OutOf\w+|NodeAffinity|UnexpectedAdmissionError|TopologyAffinityError|NodePorts|InvalidNodeInfo"
)


def _rejected(inventory: Inventory, pod: Pod) -> Iterator[Finding]:
    """Pods the kubelet would not start: a race for the last space, or a node named by hand."""
    if not _REJECTED.fullmatch(pod.status.reason):
        return
    created = pod.metadata.creation_timestamp
    if not younger(inventory.now, created, HOUR) and inventory.owner(pod) is not None:
        return
    yield Finding(
        "warning",
        pod.ref,
        "RejectedByNode",
        f"node {pod.spec.node_name} turned it away ({pod.status.reason}); it never ran",
        (f"status: phase Failed, reason {pod.status.reason}: {clip(pod.status.message)}",),
        remedy="let the scheduler choose the node (no spec.nodeName), and free what the message names; amounts of cpu "
        "in it are thousandths of a core",
        disproof="a container of it has started",
    )
