"""What a list says of each object of a kind: size, type, addresses, bounds, what is used of a quota."""

from __future__ import annotations

from collections.abc import Mapping

from kubectl_berth.cluster.quantities import quantity
from kubectl_berth.cluster.views import (
    HorizontalPodAutoscaler,
    Ingress,
    LimitRange,
    NetworkPolicy,
    PersistentVolume,
    PersistentVolumeClaim,
    PodDisruptionBudget,
    ResourceQuota,
    Service,
    StorageClass,
    Workload,
)
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.say import count, listed


def service_row(inventory: Inventory, one: object) -> str:
    """Type, ports and outside address of a Service."""
    if not isinstance(one, Service):
        return ""
    outside = [each.ip or each.hostname for each in one.status.load_balancer.ingress]
    ports = ", ".join(
        f"{port.port}{f' (node port {port.node_port})' if port.node_port else ''}" for port in one.spec.ports[:6]
    )
    address = f", outside at {', '.join(outside)}" if outside else ""
    waits = ", no outside address yet" if one.spec.type == "LoadBalancer" and not outside else ""
    return f"{one.spec.type}, port {ports or 'none'}{address}{waits}"


def ingress_row(inventory: Inventory, one: object) -> str:
    """Hosts of an Ingress and where they lead."""
    if not isinstance(one, Ingress):
        return ""
    hosts = list(dict.fromkeys(rule.host or "any host" for rule in one.spec.rules))
    behind = dict.fromkeys(
        path.backend.service.name
        for rule in one.spec.rules
        for path in (rule.http.paths if rule.http else [])
        if path.backend.service is not None
    )
    to = f" to Service {', '.join(behind)}" if behind else ""
    return f"{listed(hosts, 6) or 'any host'}{to}{', TLS' if one.spec.tls else ''}"


def claim_row(inventory: Inventory, one: object) -> str:
    """Size, phase, class and users of a claim."""
    if not isinstance(one, PersistentVolumeClaim):
        return ""
    size = one.status.capacity.get("storage") or one.spec.resources.requests.get("storage") or "no size"
    users = users_of_claim(inventory, one)
    using = f"used by {listed(users, 3)}" if users else "used by no pod"
    return f"{size}, {one.status.phase or 'no phase'}, class {one.spec.storage_class_name or 'none named'}, {using}"


def users_of_claim(inventory: Inventory, one: PersistentVolumeClaim) -> list[str]:
    """Names of the pods that mount a claim."""
    return [pod.name for pod in inventory.pods if pod.namespace == one.namespace and one.name in pod.claims]


def volume_row(inventory: Inventory, one: object) -> str:
    """Size, phase, claim and reclaim policy of a volume."""
    if not isinstance(one, PersistentVolume):
        return ""
    claim = one.spec.claim_ref
    whose = f", claim {claim.namespace}/{claim.name}" if claim is not None else ""
    keeps = f", {one.spec.persistent_volume_reclaim_policy}" if one.spec.persistent_volume_reclaim_policy else ""
    return f"{one.spec.capacity.get('storage', 'no size')}, {one.status.phase or 'no phase'}{whose}{keeps}"


def class_row(inventory: Inventory, one: object) -> str:
    """Provisioner of a storage class, and whether it is the default."""
    if not isinstance(one, StorageClass):
        return ""
    grows = "can be expanded" if one.allow_volume_expansion else "cannot be expanded"
    return f"{one.provisioner}, {grows}{', the default' if one.default else ''}"


def scaler_row(inventory: Inventory, one: object) -> str:
    """Bounds, target and counts of an autoscaler."""
    if not isinstance(one, HorizontalPodAutoscaler):
        return ""
    low = 1 if one.spec.min_replicas is None else one.spec.min_replicas
    by = metrics_of(one)
    return (
        f"{low} to {one.spec.max_replicas} of {one.target}, {one.status.current_replicas} run, "
        f"{one.status.desired_replicas} wanted{f', by {by}' if by else ''}"
    )


def metrics_of(one: HorizontalPodAutoscaler) -> str:
    """ "cpu at 70% utilization"; what each metric of an autoscaler aims at."""
    told = []
    for metric in one.spec.metrics[:4]:
        part = metric.get(_field(str(metric.get("type", ""))))
        if not isinstance(part, Mapping):
            continue
        target = part.get("target")
        inner = part.get("metric")
        name = part.get("name") or (inner.get("name") if isinstance(inner, Mapping) else "") or "a metric"
        aim = ""
        if isinstance(target, Mapping):
            share = target.get("averageUtilization")
            aim = (
                f" at {share}% of the requests" if share else f" at {target.get('averageValue') or target.get('value')}"
            )
        told.append(f"{name}{aim}")
    return ", ".join(told)


def _field(kind: str) -> str:
    return kind[:1].lower() + kind[1:]


def budget_row(inventory: Inventory, one: object) -> str:
    """Rule of a disruption budget and what it allows now."""
    if not isinstance(one, PodDisruptionBudget):
        return ""
    low = one.spec.min_available
    rule = f"minAvailable {low}" if low is not None else f"maxUnavailable {one.spec.max_unavailable}"
    return f"{rule}, {one.status.disruptions_allowed} may go now"


def quota_row(inventory: Inventory, one: object) -> str:
    """What is used of what a quota allows."""
    if not isinstance(one, ResourceQuota):
        return ""
    told = [
        f"{name} {one.status.used.get(name, 0)} of {much}{_share(one, name)}" for name, much in one.status.hard.items()
    ]
    return listed(told, 8) or "nothing limited"


def _share(one: ResourceQuota, name: str) -> str:
    try:
        used, hard = quantity(one.status.used.get(name, 0)), quantity(one.status.hard[name])
    except ValueError:
        return ""
    return f" ({round(used * 100 / hard)}%)" if hard else ""


def range_row(inventory: Inventory, one: object) -> str:
    """Bounds of a LimitRange."""
    if not isinstance(one, LimitRange):
        return ""
    told = []
    for item in one.spec.limits[:4]:
        parts = [
            f"{label} {', '.join(f'{name} {much}' for name, much in amounts.items())}"
            for label, amounts in (("max", item.max), ("min", item.min), ("default", item.default))
            if amounts
        ]
        told.append(f"{item.type}: {'; '.join(parts) or 'no bound'}")
    return " | ".join(told)


def policy_row(inventory: Inventory, one: object) -> str:
    """Which pods a NetworkPolicy selects and what it limits."""
    if not isinstance(one, NetworkPolicy):
        return ""
    whom = "all pods" if one.spec.pod_selector.empty else f"pods {one.spec.pod_selector}"
    ways = [
        f"{way} by {count(number, 'rule')}" if number else f"no {way}"
        for way, on, number in (
            ("ingress", one.limits_ingress, len(one.spec.ingress)),
            ("egress", one.limits_egress, len(one.spec.egress)),
        )
        if on
    ]
    return f"{whom}, {', '.join(ways) or 'nothing limited'}"


def workload_row(inventory: Inventory, one: object) -> str:
    """How many pods of a workload are ready."""
    if not isinstance(one, Workload):
        return ""
    return f"{one.ready} of {one.desired} ready{', paused' if one.spec.paused else ''}"
