"""The Table columns of built-in kinds, by group and plural."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kubectl_berth.cluster.views.base import age, duration, parse_time
from kubectl_berth.records import Object
from kubectl_berth.simulator.columns import (
    NONE,
    Column,
    at,
    columns,
    comma,
    condition,
    containers,
    created,
    field,
    name,
    selector,
)
from kubectl_berth.simulator.pod_columns import PODS

_AGE = Column("Age", created)


def _templated(*middle: Column, age_column: Column = _AGE, chosen_by: str = "spec.selector") -> tuple[Column, ...]:
    """Columns of a kind with a pod template: -o wide shows containers, images and selector."""
    path = "spec.template.spec"
    return columns(
        *middle,
        age_column,
        Column("Containers", containers(path, "name"), 1),
        Column("Images", containers(path, "image"), 1),
        Column("Selector", selector(chosen_by), 1),
    )


def _of(have: str, want: str) -> Any:
    return lambda obj, now: f"{at(obj, have, 0)}/{at(obj, want, 1)}"


# --- nodes, namespaces, events --------------------------------------------------------------------------------------


def _node_status(node: Object, now: datetime) -> str:
    found = condition(node, "Ready").get("status")
    words = ["Unknown" if found is None else "Ready" if found == "True" else "NotReady"]
    if at(node, "spec.unschedulable"):
        words.append("SchedulingDisabled")
    return ",".join(words)


def _roles(node: Object, now: datetime) -> str:
    prefix = "node-role.kubernetes.io/"
    return comma(sorted(key[len(prefix) :] for key in at(node, "metadata.labels", {}) if key.startswith(prefix)))


def _node_address(kind: str) -> Any:
    return lambda node, now: comma(
        [entry.get("address") for entry in at(node, "status.addresses", []) if entry.get("type") == kind][:1]
    )


def _kernel(node: Object, now: datetime) -> str:
    return f"{at(node, 'status.nodeInfo.kernelVersion', '')} ({at(node, 'status.nodeInfo.architecture', '')})"


_NODES = columns(
    Column("Status", _node_status),
    Column("Roles", _roles),
    _AGE,
    Column("Version", field("status.nodeInfo.kubeletVersion")),
    Column("Internal-IP", _node_address("InternalIP"), 1),
    Column("External-IP", _node_address("ExternalIP"), 1),
    Column("OS-Image", field("status.nodeInfo.osImage", "<unknown>"), 1),
    Column("Kernel-Version", _kernel, 1),
    Column("Container-Runtime", field("status.nodeInfo.containerRuntimeVersion", "<unknown>"), 1),
)


def _event_seen(event: Object, now: datetime) -> str:
    first = age(now, at(event, "firstTimestamp") or at(event, "eventTime"))
    last = at(event, "series.lastObservedTime") or at(event, "lastTimestamp")
    return age(now, last) if last else first


def _event_object(event: Object, now: datetime) -> str:
    about = at(event, "involvedObject", {})
    return f"{str(about.get('kind', '')).lower()}/{about.get('name', '')}"


def _event_source(event: Object, now: datetime) -> str:
    component = at(event, "source.component") or at(event, "reportingComponent", "")
    host = at(event, "source.host") or at(event, "reportingInstance", "")
    return f"{component}, {host}" if host else str(component)


_EVENTS = (
    Column("Last Seen", _event_seen),
    Column("Type", field("type")),
    Column("Reason", field("reason")),
    Column("Object", _event_object),
    Column("Subobject", field("involvedObject.fieldPath"), 1),
    Column("Source", _event_source, 1),
    Column("Message", lambda event, now: str(at(event, "message", "")).strip()),
    Column("First Seen", lambda event, now: age(now, at(event, "firstTimestamp") or at(event, "eventTime")), 1),
    Column("Count", lambda event, now: at(event, "series.count") or at(event, "count") or 1, 1),
    Column("Name", name, 1, format="name"),
)

# --- workloads ------------------------------------------------------------------------------------------------------


def _job_status(job: Object, now: datetime) -> str:
    for kind in ("Complete", "Failed"):
        if condition(job, kind).get("status") == "True":
            return kind
    if at(job, "metadata.deletionTimestamp"):
        return "Terminating"
    return "Suspended" if condition(job, "Suspended").get("status") == "True" else "Running"


def _job_completions(job: Object, now: datetime) -> str:
    wanted = at(job, "spec.completions")
    done = at(job, "status.succeeded", 0)
    if wanted is not None:
        return f"{done}/{wanted}"
    parallel = at(job, "spec.parallelism", 0)
    return f"{done}/1 of {parallel}" if parallel > 1 else f"{done}/1"


def _job_duration(job: Object, now: datetime) -> str:
    start, end = parse_time(at(job, "status.startTime")), parse_time(at(job, "status.completionTime"))
    if start is None:
        return ""
    ended = end or (parse_time(condition(job, "Failed").get("lastTransitionTime")) or now)
    return duration((ended - start).total_seconds())


def _last_schedule(job: Object, now: datetime) -> str:
    last = at(job, "status.lastScheduleTime")
    return age(now, last) if last else NONE


_JOB_TEMPLATE = "spec.jobTemplate.spec.template.spec"
_CRON_JOBS = columns(
    Column("Schedule", field("spec.schedule")),
    Column("Timezone", field("spec.timeZone", NONE)),
    Column("Suspend", lambda job, now: "True" if at(job, "spec.suspend") else "False"),
    Column("Active", lambda job, now: len(at(job, "status.active", [])), type="integer"),
    Column("Last Schedule", _last_schedule),
    _AGE,
    Column("Containers", containers(_JOB_TEMPLATE, "name"), 1),
    Column("Images", containers(_JOB_TEMPLATE, "image"), 1),
    Column("Selector", selector("spec.jobTemplate.spec.selector"), 1),
)
_JOBS = columns(
    Column("Status", _job_status),
    Column("Completions", _job_completions),
    Column("Duration", _job_duration),
    _AGE,
    Column("Containers", containers("spec.template.spec", "name"), 1),
    Column("Images", containers("spec.template.spec", "image"), 1),
    Column("Selector", selector("spec.selector"), 1),
)
_DAEMON_SETS = _templated(
    Column("Desired", field("status.desiredNumberScheduled", 0), type="integer"),
    Column("Current", field("status.currentNumberScheduled", 0), type="integer"),
    Column("Ready", field("status.numberReady", 0), type="integer"),
    Column("Up-to-date", field("status.updatedNumberScheduled", 0), type="integer"),
    Column("Available", field("status.numberAvailable", 0), type="integer"),
    Column("Node Selector", selector("spec.template.spec.nodeSelector")),
)
_REPLICA_SETS = _templated(
    Column("Desired", field("spec.replicas", 0), type="integer"),
    Column("Current", field("status.replicas", 0), type="integer"),
    Column("Ready", field("status.readyReplicas", 0), type="integer"),
)
_DEPLOYMENTS = _templated(
    Column("Ready", _of("status.readyReplicas", "spec.replicas")),
    Column("Up-to-date", field("status.updatedReplicas", 0)),
    Column("Available", field("status.availableReplicas", 0)),
)
_STATEFUL_SETS = columns(
    Column("Ready", _of("status.readyReplicas", "spec.replicas")),
    _AGE,
    Column("Containers", containers("spec.template.spec", "name"), 1),
    Column("Images", containers("spec.template.spec", "image"), 1),
)


def _targets(scaler: Object, now: datetime) -> str:
    shown = []
    current = {at(entry, "resource.name"): entry for entry in at(scaler, "status.currentMetrics", [])}
    for metric in at(scaler, "spec.metrics", []):
        of = at(metric, "resource.name")
        if at(metric, "resource.target.averageUtilization") is not None:
            has = at(current.get(of, {}), "resource.current.averageUtilization")
            shown.append(
                f"{of}: {'<unknown>' if has is None else f'{has}%'}/{at(metric, 'resource.target.averageUtilization')}%"
            )
        else:
            has = at(current.get(of, {}), "resource.current.averageValue", "<unknown>")
            shown.append(f"{of or 'metric'}: {has}/{at(metric, 'resource.target.averageValue', '<auto>')}")
    return ", ".join(shown) or NONE


_SCALERS = columns(
    Column(
        "Reference", lambda hpa, now: f"{at(hpa, 'spec.scaleTargetRef.kind')}/{at(hpa, 'spec.scaleTargetRef.name')}"
    ),
    Column("Targets", _targets),
    Column("MinPods", lambda hpa, now: str(at(hpa, "spec.minReplicas", "<unset>"))),
    Column("MaxPods", field("spec.maxReplicas", 0)),
    Column("Replicas", field("status.currentReplicas", 0)),
    _AGE,
)
_BUDGETS = columns(
    Column("Min Available", lambda pdb, now: str(at(pdb, "spec.minAvailable", "N/A"))),
    Column("Max Unavailable", lambda pdb, now: str(at(pdb, "spec.maxUnavailable", "N/A"))),
    Column("Allowed Disruptions", field("status.disruptionsAllowed", 0), type="integer"),
    _AGE,
)

# --- network --------------------------------------------------------------------------------------------------------


def _external(service: Object, now: datetime) -> str:
    given = list(at(service, "spec.externalIPs", []))
    kind = at(service, "spec.type", "ClusterIP")
    if kind == "ExternalName":
        return str(at(service, "spec.externalName", ""))
    if kind == "LoadBalancer":
        entries = at(service, "status.loadBalancer.ingress", [])
        given += [entry.get("ip") or entry.get("hostname") for entry in entries]
        return comma(given, "<pending>")
    return comma(given)


def _ports(service: Object, now: datetime) -> str:
    return comma(
        f"{port.get('port')}{':' + str(port['nodePort']) if port.get('nodePort') else ''}/{port.get('protocol', 'TCP')}"
        for port in at(service, "spec.ports", [])
    )


def _hosts(ingress: Object, now: datetime) -> str:
    hosts = [rule["host"] for rule in at(ingress, "spec.rules", []) if rule.get("host")]
    return "*" if not hosts else comma(hosts[:3]) + (f" + {len(hosts) - 3} more..." if len(hosts) > 3 else "")


def _balanced(ingress: Object, now: datetime) -> str:
    entries = at(ingress, "status.loadBalancer.ingress", [])
    return comma([entry.get("ip") or entry.get("hostname") for entry in entries], "")


def _slice_ports(endpoints: Object, now: datetime) -> str:
    ports = endpoints.get("ports")
    return "<unset>" if not ports else comma(port.get("port") for port in ports)


def _slice_addresses(endpoints: Object, now: datetime) -> str:
    found = [address for entry in at(endpoints, "endpoints", []) for address in entry.get("addresses") or []]
    return ("<unset>" if not found else comma(found[:3])) + (f" + {len(found) - 3} more..." if len(found) > 3 else "")


def _endpoints(obj: Object, now: datetime) -> str:
    found = [
        f"{address.get('ip')}:{port.get('port')}"
        for subset in at(obj, "subsets", [])
        for port in subset.get("ports") or [{"port": ""}]
        for address in subset.get("addresses") or []
    ]
    return comma(found[:3]) + (f" + {len(found) - 3} more..." if len(found) > 3 else "")


_SERVICES = columns(
    Column("Type", field("spec.type", "ClusterIP")),
    Column("Cluster-IP", lambda obj, now: at(obj, "spec.clusterIP") or NONE),
    Column("External-IP", _external),
    Column("Port(s)", _ports),
    _AGE,
    Column("Selector", selector("spec.selector"), 1),
)

# --- storage and the rest -------------------------------------------------------------------------------------------

_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def _modes(path: str) -> Any:
    return lambda obj, now: comma((_MODES.get(mode, mode) for mode in at(obj, path, [])), "")


def _claim(volume: Object, now: datetime) -> str:
    claim = at(volume, "spec.claimRef")
    return f"{claim.get('namespace')}/{claim.get('name')}" if claim else ""


def _claim_status(claim: Object, now: datetime) -> str:
    return "Terminating" if at(claim, "metadata.deletionTimestamp") else str(at(claim, "status.phase", ""))


_CLAIMS = columns(
    Column("Status", _claim_status),
    Column("Volume", field("spec.volumeName")),
    Column("Capacity", field("status.capacity.storage")),
    Column("Access Modes", _modes("status.accessModes")),
    Column("StorageClass", field("spec.storageClassName")),
    Column("VolumeAttributesClass", field("spec.volumeAttributesClassName", "<unset>")),
    _AGE,
    Column("VolumeMode", field("spec.volumeMode", "<unset>"), 1),
)
_VOLUMES = columns(
    Column("Capacity", field("spec.capacity.storage")),
    Column("Access Modes", _modes("spec.accessModes")),
    Column("Reclaim Policy", field("spec.persistentVolumeReclaimPolicy")),
    Column("Status", _claim_status),
    Column("Claim", _claim),
    Column("StorageClass", field("spec.storageClassName")),
    Column("VolumeAttributesClass", field("spec.volumeAttributesClassName", "<unset>")),
    Column("Reason", field("status.reason")),
    _AGE,
    Column("VolumeMode", field("spec.volumeMode", "<unset>"), 1),
)


def _backend(service: Object, now: datetime) -> str:
    found = at(service, "spec.service")
    return f"{found.get('namespace')}/{found.get('name')}" if found else "Local"


def _available(service: Object, now: datetime) -> str:
    found = condition(service, "Available")
    status = str(found.get("status", "Unknown"))
    return f"{status} ({found.get('reason')})" if status != "True" and found else status


COLUMNS: dict[tuple[str, str], tuple[Column, ...]] = {
    ("", "pods"): PODS,
    ("", "nodes"): _NODES,
    ("", "namespaces"): columns(Column("Status", field("status.phase")), _AGE),
    ("", "events"): _EVENTS,
    ("", "services"): _SERVICES,
    ("", "endpoints"): columns(Column("Endpoints", _endpoints), _AGE),
    ("", "persistentvolumeclaims"): _CLAIMS,
    ("", "persistentvolumes"): _VOLUMES,
    ("", "serviceaccounts"): columns(_AGE),
    ("apps", "deployments"): _DEPLOYMENTS,
    ("apps", "replicasets"): _REPLICA_SETS,
    ("apps", "statefulsets"): _STATEFUL_SETS,
    ("apps", "daemonsets"): _DAEMON_SETS,
    ("batch", "jobs"): _JOBS,
    ("batch", "cronjobs"): _CRON_JOBS,
    ("autoscaling", "horizontalpodautoscalers"): _SCALERS,
    ("policy", "poddisruptionbudgets"): _BUDGETS,
    ("networking.k8s.io", "ingresses"): columns(
        Column("Class", field("spec.ingressClassName", NONE)),
        Column("Hosts", _hosts),
        Column("Address", _balanced),
        Column("Ports", lambda obj, now: "80, 443" if at(obj, "spec.tls") else "80"),
        _AGE,
    ),
    ("networking.k8s.io", "networkpolicies"): columns(Column("Pod-Selector", selector("spec.podSelector")), _AGE),
    ("discovery.k8s.io", "endpointslices"): columns(
        Column("AddressType", field("addressType")),
        Column("Ports", _slice_ports),
        Column("Endpoints", _slice_addresses),
        _AGE,
    ),
    ("storage.k8s.io", "storageclasses"): columns(
        Column("Provisioner", field("provisioner")),
        Column("ReclaimPolicy", field("reclaimPolicy", "Delete")),
        Column("VolumeBindingMode", field("volumeBindingMode", "Immediate")),
        Column("AllowVolumeExpansion", lambda obj, now: "true" if obj.get("allowVolumeExpansion") else "false"),
        _AGE,
    ),
    ("apiextensions.k8s.io", "customresourcedefinitions"): columns(
        Column("Created At", field("metadata.creationTimestamp"), type="date")
    ),
    ("apiregistration.k8s.io", "apiservices"): columns(
        Column("Service", _backend), Column("Available", _available), _AGE
    ),
    ("coordination.k8s.io", "leases"): columns(Column("Holder", field("spec.holderIdentity")), _AGE),
    ("scheduling.k8s.io", "priorityclasses"): columns(
        Column("Value", field("value", 0), type="integer"),
        Column("Global-Default", lambda obj, now: bool(obj.get("globalDefault"))),
        _AGE,
        Column("PreemptionPolicy", field("preemptionPolicy")),
    ),
}
