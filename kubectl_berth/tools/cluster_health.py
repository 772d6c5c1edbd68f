"""cluster_health: version, nodes, what is wrong with causes first, control plane, and what could not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from kubectl_berth.cluster.quantities import format_bytes, format_cpu, quantity
from kubectl_berth.cluster.views import Node, age, condition, seconds_since
from kubectl_berth.cluster.views.base import Amounts
from kubectl_berth.diagnosis.fit import reserved
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.naming import with_api
from kubectl_berth.records import Finding
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import clip, counted, listed
from kubectl_berth.tools.pods import PodRow, in_order, pod_row
from kubectl_berth.tools.scope import narrowed
from kubectl_berth.tools.tool import Arguments, Report, Tool

NODES = 12
"""Nodes that get a row each; beyond that they are summed up."""
FINDINGS = 20
PODS = 20
WORKLOADS = 20
GAPS = 15
STALE = 60
"""Seconds without a renewal after which a control plane lease counts as stale."""

_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")


def cluster_health(context: Context, arguments: Arguments) -> Report:
    """The cluster on one screen. What could not be read is part of it: silence proves nothing."""
    del arguments
    inventory = context.inventory()
    findings = [finding for finding in context.findings() if finding.severity != "info"]
    rows = in_order(pod_row(pod, inventory.now) for pod in inventory.pods)
    lines = [
        *_head(context, inventory, rows),
        *narrowed(context, "pods and requests on the nodes are its own alone; the cluster's health cannot be told."),
        *_nodes(inventory),
        *_findings(inventory, findings),
        *_pods(inventory, rows),
        *_workloads(inventory),
        *_api_services(inventory),
        *_leases(inventory),
        *_gaps(inventory),
    ]
    return Report("\n".join(lines), gaps=tuple(inventory.gaps), findings=tuple(context.findings()))


def _head(context: Context, inventory: Inventory, rows: Sequence[PodRow]) -> list[str]:
    name = context.cluster.name()
    where = f" (namespace {context.scope} only)" if context.scope else ""
    sick = sum(not row.healthy for row in rows)
    nodes = f"{sum(node.ready for node in inventory.nodes)} of {counted(len(inventory.nodes), 'node')} ready"
    if "nodes" in inventory.unread and not inventory.nodes:
        nodes = "nodes not read"
    pods = f"{counted(len(rows), 'pod')}: {len(rows) - sick} healthy, {sick} unhealthy"
    if "pods" in inventory.unread and not rows:
        pods = "pods not read"
    spaces = len(inventory.namespaces) or len({row.ref.namespace for row in rows})
    now = inventory.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    return [f"Kubernetes {name.version} at {now}{where}: {nodes}; {pods}; {counted(spaces, 'namespace')}."]


# --- nodes ----------------------------------------------------------------------------------------------------------


def _nodes(inventory: Inventory) -> list[str]:
    if not inventory.nodes:
        return []
    nodes = sorted(inventory.nodes, key=lambda node: (node.ready and not node.spec.unschedulable, node.name))
    if len(nodes) <= NODES:
        return ["Nodes:", *(f"  {_node_line(node, inventory)}" for node in nodes)]
    troubled = [node for node in nodes if _node_trouble(node)]
    versions = Counter(node.status.node_info.kubelet_version for node in nodes)
    kubelets = listed(f"{count} on {version}" for version, count in sorted(versions.items()))
    lines = [
        f"Nodes: {len(nodes)}, {len(troubled)} with trouble; kubelets: {kubelets}. analyze_capacity has the pools."
    ]
    return lines + [f"  {_node_line(node, inventory)}" for node in troubled[:NODES]]


def _node_trouble(node: Node) -> str:
    words = []
    ready = condition(node.status.conditions, "Ready")
    if not node.ready:
        words.append(f"not Ready: {ready.reason} {clip(ready.message, 160)}".rstrip() if ready else "never reported")
    words += [one.type for one in node.status.conditions if one.type in _PRESSURES and one.status == "True"]
    if node.spec.unschedulable:
        words.append("cordoned")
    return ", ".join(words)


def _node_line(node: Node, inventory: Inventory) -> str:
    pods = [pod for pod in inventory.pods_of(node.ref) if not pod.finished]
    usage = inventory.node_usage(node.name)
    held = reserved(pods)
    parts = [
        f"{node.name}: {_node_trouble(node) or 'Ready'}",
        f"{len(pods)}/{node.status.allocatable.get('pods', '?')} pods",
    ]
    for resource, write in (("cpu", format_cpu), ("memory", format_bytes)):
        has = _amount(node.status.allocatable, resource)
        asked = held.get(resource, Decimal(0))
        share = f" ({round(100 * asked / has)}%)" if has else ""
        used = f", used {write(usage[resource])}" if resource in usage else ""
        parts.append(f"{resource} requested {write(asked)} of {write(has)}{share}{used}")
    parts.append(node.status.node_info.kubelet_version)
    return ", ".join(part for part in parts if part)


def _amount(amounts: Amounts, resource: str) -> Decimal:
    try:
        return quantity(amounts.get(resource))
    except ValueError:
        return Decimal(0)


# --- what is wrong --------------------------------------------------------------------------------------------------


def _findings(inventory: Inventory, findings: Sequence[Finding]) -> list[str]:
    if not findings:
        return ["Findings of berth's checks: none."]
    causes = [finding for finding in findings if finding.cause]
    symptoms = len(findings) - len(causes)
    lines = [f"Findings of berth's checks: {counted(len(causes), 'cause')}, {counted(symptoms, 'symptom')}; causes:"]
    for finding in causes[:FINDINGS]:
        subject = with_api(inventory, finding.subject)
        lines.append(f"  {finding.severity} {subject} {finding.reason}: {clip(finding.summary, 300)}")
    if len(causes) > FINDINGS:
        lines.append(f"  and {len(causes) - FINDINGS} more")
    return lines


def _pods(inventory: Inventory, rows: Sequence[PodRow]) -> list[str]:
    sick = [row for row in rows if not row.healthy]
    if not sick:
        return [] if "pods" in inventory.unread else ["Problem pods: none."]
    lines = ["Problem pods:", *(f"  {row.line()}" for row in sick[:PODS])]
    if rest := sick[PODS:]:
        groups = Counter((row.ref.namespace, row.owner or "no owner", row.status) for row in rest)
        for (space, owner, status), count in sorted(groups.items(), key=lambda g: (-g[1], g[0]))[:PODS]:
            lines.append(f"  and {count} {status} of {space} {owner}")
        lines.append("  list_pods(onlyUnhealthy: true) shows them.")
    return lines


def _workloads(inventory: Inventory) -> list[str]:
    short = [view for view in inventory.workloads if view.ready < view.desired]
    failed = [job for job in inventory.jobs if (end := job.outcome()) is not None and end.type == "Failed"]
    if not short and not failed:
        return []
    lines = ["Workloads short of replicas or failed:"]
    for view in sorted(short, key=lambda v: v.ref)[:WORKLOADS]:
        lines.append(f"  {view.ref}: {view.ready}/{view.desired} ready")
    for job in sorted(failed, key=lambda j: j.ref)[:WORKLOADS]:
        end = job.outcome()
        lines.append(f"  {job.ref}: failed{f' ({end.reason})' if end and end.reason else ''}")
    hidden = max(0, len(short) - WORKLOADS) + max(0, len(failed) - WORKLOADS)
    return [*lines, f"  and {hidden} more"] if hidden else lines


def _api_services(inventory: Inventory) -> list[str]:
    lines = []
    for service in sorted(inventory.api_services, key=lambda s: s.name):
        available = condition(service.status.conditions, "Available")
        if available is not None and available.status != "True":
            lines.append(f"  {service.name}: {available.reason} {clip(available.message, 200)}".rstrip())
    return ["Aggregated APIs that do not answer:", *lines] if lines else []


def _leases(inventory: Inventory) -> list[str]:
    """Who leads in the control plane and whether it still renews."""
    shown = []
    for lease in sorted(inventory.leases, key=lambda one: one.name):
        if lease.namespace != "kube-system" or lease.name.startswith("apiserver-") or not lease.spec.holder_identity:
            continue
        since = seconds_since(inventory.now, lease.spec.renew_time)
        stale = since is not None and since > STALE
        shown.append(
            f"{lease.name} renewed {age(inventory.now, lease.spec.renew_time)} ago{' (stale)' if stale else ''}"
        )
    return [f"Control plane leases: {listed(shown, 8)}."] if shown else []


def _gaps(inventory: Inventory) -> list[str]:
    if not inventory.gaps:
        return ["Everything that was asked for could be read."]
    lines = ["Not read, so not judged:"]
    lines += [
        f"  {gap.what}: {gap.why}{f' ({clip(gap.detail, 160)})' if gap.detail else ''}" for gap in inventory.gaps[:GAPS]
    ]
    if len(inventory.gaps) > GAPS:
        lines.append(f"  and {len(inventory.gaps) - GAPS} more")
    return lines


CLUSTER_HEALTH = Tool(
    name="cluster_health",
    description="The whole cluster: version, nodes, problem pods and workloads, control plane, what could not be read.",
    run=cluster_health,
)
