"""What belongs to an object: its owners above, what it owns or uses below, each with its state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from kubectl_berth.cluster.views import (
    CronJob,
    HorizontalPodAutoscaler,
    Identified,
    Ingress,
    Job,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    Service,
    Workload,
    age,
)
from kubectl_berth.cluster.views.control import CustomResource
from kubectl_berth.cluster.views.network import Backend
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.records import Ref
from kubectl_berth.tools.fields import counted, listed
from kubectl_berth.tools.pods import in_order, pod_row
from kubectl_berth.tools.status_summary import summary

POD_LINES = 12
CHILD_LINES = 12


def owner_line(ref: Ref, inventory: Inventory) -> str:
    """The chain of owners, the nearest first, each with its state; "" for none."""
    view = inventory.find(ref)
    if view is None:
        return ""
    chain = []
    for owner in inventory.owners(view):
        found = inventory.find(owner)
        state = state_of(found, inventory) if found is not None else "not found"
        chain.append(f"{owner.kind} {owner.name}{f' ({state})' if state else ''}")
    return " < ".join(chain)


def state_of(view: Identified, inventory: Inventory) -> str:
    """The state of any object, a few words."""
    now = inventory.now
    if isinstance(view, Pod):
        row = pod_row(view, now)
        return f"{row.ready} ready, {row.status}, {row.restarts} restarts"
    if isinstance(view, Workload):
        old = view.status.replicas - view.updated if view.kind in ("Deployment", "StatefulSet") else 0
        extra = f", {view.updated} of the present template and {old} old ones" if old > 0 and view.updated else ""
        extra += "" if view.observed else ", its controller has not seen the present spec"
        return f"{view.ready}/{view.desired} ready{extra}"
    if isinstance(view, Job):
        return _job_state(view, now)
    if isinstance(view, CronJob):
        suspended = ", suspended" if view.spec.suspend else ""
        return f"schedule {view.spec.schedule}, last run {age(now, view.status.last_schedule_time)} ago{suspended}"
    if isinstance(view, Node):
        cordoned = ", cordoned" if view.spec.unschedulable else ""
        return f"{'Ready' if view.ready else 'not Ready'}{cordoned}"
    if isinstance(view, (PersistentVolumeClaim, PersistentVolume)):
        return view.status.phase
    if isinstance(view, CustomResource):
        raw = {"metadata": {}, "spec": view.spec, "status": view.status}
        return summary(raw, now).removesuffix(", age <unknown>")
    return ""


def _job_state(job: Job, now: datetime) -> str:
    outcome = job.outcome()
    if outcome is not None:
        reason = f" {outcome.reason}" if outcome.type == "Failed" and outcome.reason else ""
        return f"{outcome.type}{reason} {age(now, outcome.last_transition_time)} ago"
    return f"{job.status.active} active, {job.status.succeeded} succeeded, {job.status.failed} failed"


def below(ref: Ref, inventory: Inventory) -> list[str]:
    """Lines for what the object owns, selects, mounts or runs, with the state of each."""
    view = inventory.find(ref)
    if isinstance(view, Pod):
        return _of_pod(view, inventory)
    lines: list[str] = []
    if isinstance(view, Service):
        lines += _endpoints(view, inventory)
    elif isinstance(view, Ingress):
        return _backends(view, inventory)
    elif isinstance(view, HorizontalPodAutoscaler):
        target = inventory.find(view.target)
        state = state_of(target, inventory) if target else "not found"
        return [f"scales {view.target.kind} {view.target.name} ({state})"]
    elif isinstance(view, PersistentVolumeClaim):
        users = [pod for pod in inventory.pods if pod.namespace == view.namespace and view.name in pod.claims]
        return [f"used by {line}" for line in pod_lines(users, inventory.now)] or ["used by no pod"]
    elif isinstance(view, PodDisruptionBudget):
        pass
    else:
        lines += _children(ref, inventory)
    pods = inventory.pods_of(ref)
    if ref.kind == "Namespace":
        pods = [pod for pod in inventory.pods if pod.namespace == ref.name]
    lines += pod_lines(pods, inventory.now)
    if not pods and isinstance(view, (Service, Workload, PodDisruptionBudget)):
        lines.append(_no_pods(view, inventory))
    return lines


def _no_pods(view: Identified, inventory: Inventory) -> str:
    if "pods" in inventory.unread:
        return "pods could not be read"
    if isinstance(view, Service) and not view.spec.selector:
        return "it has no selector: nothing but hand-made endpoints is behind it"
    if isinstance(view, Service):
        selector = ",".join(f"{key}={value}" for key, value in sorted(view.spec.selector.items()))
        return f"no pod matches its selector {selector}"
    return "no pods"


def pod_lines(pods: Sequence[Pod], now: datetime, limit: int = POD_LINES) -> list[str]:
    """Pod rows, unhealthy first; past the limit a count by health."""
    rows = in_order(pod_row(pod, now) for pod in pods)
    lines = [f"Pod {row.line(owner=False)}" for row in rows[:limit]]
    if rest := rows[limit:]:
        sick = sum(not row.healthy for row in rest)
        lines.append(f"and {counted(len(rest), 'more pod')}: {sick} unhealthy, {len(rest) - sick} healthy")
    return lines


def _children(ref: Ref, inventory: Inventory) -> list[str]:
    """Owned objects that are no pods: ReplicaSets with pods, Jobs newest first, the rest by kind."""
    children = [view for view in inventory.children(ref) if not isinstance(view, Pod)]
    idle = [v for v in children if v.kind == "ReplicaSet" and isinstance(v, Workload) and not v.desired and not v.ready]
    shown = [view for view in children if view not in idle]
    shown.sort(key=lambda v: v.ref)
    shown.sort(key=_newest_first, reverse=True)
    lines = [_child_line(view, inventory) for view in shown[:CHILD_LINES]]
    if len(shown) > CHILD_LINES:
        lines.append(f"and {len(shown) - CHILD_LINES} more owned objects")
    if idle:
        lines.append(f"{counted(len(idle), 'old ReplicaSet')} without pods")
    return lines


def _newest_first(view: Identified) -> tuple[int, str]:
    revision = view.revision if isinstance(view, Workload) else 0
    return revision, view.metadata.creation_timestamp or "" if isinstance(view, (Job, Workload)) else ""


def _child_line(view: Identified, inventory: Inventory) -> str:
    state = state_of(view, inventory)
    revision = f", revision {view.revision}" if isinstance(view, Workload) and view.revision else ""
    images = listed((c.image for c in view.spec.template.spec.containers), 3) if isinstance(view, Workload) else ""
    shown = f", image {images}" if images else ""
    return f"{view.kind} {view.name}: {state}{revision}{shown}".rstrip(": ")


def _of_pod(pod: Pod, inventory: Inventory) -> list[str]:
    """What a pod stands on: its node where that is not well, its claims."""
    lines = []
    node = inventory.node(pod.spec.node_name) if pod.spec.node_name else None
    if node is not None and (not node.ready or node.spec.unschedulable):
        lines.append(f"Node {node.name}: {state_of(node, inventory)}")
    if pod.spec.node_name and node is None and "nodes" not in inventory.unread and inventory.nodes:
        lines.append(f"Node {pod.spec.node_name}: does not exist")
    for name in pod.claims:
        claim = inventory.claim(pod.namespace, name)
        unread = "could not be read" if "claims" in inventory.unread else "does not exist"
        lines.append(f"PersistentVolumeClaim {name}: {state_of(claim, inventory) if claim else unread}")
    return lines


def _endpoints(service: Service, inventory: Inventory) -> list[str]:
    slices = inventory.slices_of.get((service.namespace, service.name), [])
    if not slices:
        if "endpoint_slices" in inventory.unread:
            return ["endpoints could not be read"]
        return ["no endpoint slices"] if service.spec.type != "ExternalName" else []
    endpoints = [endpoint for one in slices for endpoint in one.endpoints]
    ready = sum(endpoint.ready for endpoint in endpoints)
    ports = listed(sorted({str(port.port) for one in slices for port in one.ports if port.port}))
    where = f" on port {ports}" if ports else ""
    return [f"endpoints: {ready} ready, {len(endpoints) - ready} not ready{where}"]


def _backends(ingress: Ingress, inventory: Inventory) -> list[str]:
    lines = []
    for host, path, backend in _routes(ingress):
        service = backend.service
        if service is None:
            continue
        ref = Ref("Service", ingress.namespace, service.name)
        port = service.port.name or service.port.number or "?"
        found = inventory.find(ref)
        if isinstance(found, Service):
            state = "; ".join(_endpoints(found, inventory)) or found.spec.type
        else:
            state = "could not be read" if "services" in inventory.unread else "does not exist"
        lines.append(f"{host or '*'}{path} -> Service {service.name}:{port} ({state})")
    return lines[:CHILD_LINES]


def _routes(ingress: Ingress) -> Iterable[tuple[str, str, Backend]]:
    if ingress.spec.default_backend:
        yield "", " (default)", ingress.spec.default_backend
    for rule in ingress.spec.rules:
        for path in rule.http.paths if rule.http else ():
            yield rule.host, path.path, path.backend
