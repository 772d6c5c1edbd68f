"""What a node, a Service, an Ingress, a volume claim or a CronJob is set to."""

from __future__ import annotations

from kubectl_berth.cluster.views import CronJob, Ingress, Node, PersistentVolumeClaim, Service, age
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.attributes import Tell
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.engines.rules.facts.tables import TABLES
from kubectl_berth.engines.rules.serving import endpoints_of
from kubectl_berth.records import Ref

_ZONE = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
_TYPE = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_SHOWN = ("cpu", "memory", "pods", "ephemeral-storage", "nvidia.com/gpu")


def _taints(case: Case, ref: Ref) -> Answer | None:
    node = case.inventory.find(ref)
    if not isinstance(node, Node):
        return None
    told = [str(taint) for taint in node.spec.taints]
    off = ["it is cordoned: nothing new is placed there"] if node.spec.unschedulable else []
    return (f"{ref} has {count(len(told), 'taint')}: {listed(told, 6)}." if told else f"{ref} has no taints."), off


def _size(case: Case, ref: Ref) -> Answer | None:
    node = case.inventory.find(ref)
    if not isinstance(node, Node) or not node.status.allocatable:
        return None
    told = [f"{name} {node.status.allocatable[name]}" for name in _SHOWN if name in node.status.allocatable]
    whole = [f"{name} {node.status.capacity[name]}" for name in _SHOWN if name in node.status.capacity]
    return f"{ref} can give pods {', '.join(told)}.", [f"capacity: {', '.join(whole)}"] if whole else []


def _machine(case: Case, ref: Ref) -> Answer | None:
    node = case.inventory.find(ref)
    if not isinstance(node, Node):
        return None
    labels = node.metadata.labels
    known = [
        ("kubelet", node.status.node_info.kubelet_version),
        ("architecture", node.status.node_info.architecture),
        ("zone", next((labels[key] for key in _ZONE if key in labels), "")),
        ("instance type", next((labels[key] for key in _TYPE if key in labels), "")),
        ("made", f"{age(case.inventory.now, node.metadata.creation_timestamp)} ago"),
    ]
    return f"{ref}: {', '.join(f'{name} {value}' for name, value in known if value)}.", []


def _service(case: Case, ref: Ref) -> Answer | None:
    """Type, ports, selector and what stands behind it."""
    inventory = case.inventory
    view = inventory.find(ref)
    if not isinstance(view, Service):
        return None
    ports = [
        f"{port.port}{f' ({port.name})' if port.name else ''} to {port.target_port or port.port}"
        for port in view.spec.ports
    ]
    outside = [one.ip or one.hostname for one in view.status.load_balancer.ingress]
    head = f"{ref} is of type {view.spec.type}, port {', '.join(ports) or 'none'}."
    selector = ", ".join(f"{key}={value}" for key, value in sorted(view.spec.selector.items()))
    lines = [f"selector: {selector}" if selector else "no selector: its endpoints are set by hand or by a controller"]
    lines += [f"cluster IP {view.spec.cluster_ip}"] if view.spec.cluster_ip else []
    lines += [f"reached from outside at {', '.join(outside)}"] if outside else []
    behind = endpoints_of(inventory, view)
    lines += [f"{behind}"] if behind is not None else []
    return head, lines


def _ingress(case: Case, ref: Ref) -> Answer | None:
    view = case.inventory.find(ref)
    if not isinstance(view, Ingress):
        return None
    ways = [
        f"{rule.host or 'any host'}{path.path or '/'} to Service {path.backend.service.name}"
        for rule in view.spec.rules
        for path in (rule.http.paths if rule.http else [])
        if path.backend.service is not None
    ]
    hosts = [rule.host for rule in view.spec.rules if rule.host]
    lines = [*ways[:12], f"class {view.spec.ingress_class_name or 'none named'}"]
    lines += [f"TLS with Secret {one.secret_name}" for one in view.spec.tls if one.secret_name]
    return f"{ref} takes {', '.join(dict.fromkeys(hosts)) or 'any host'}.", lines


def _claim(case: Case, ref: Ref) -> Answer | None:
    inventory = case.inventory
    view = inventory.find(ref)
    if not isinstance(view, PersistentVolumeClaim):
        return None
    size = view.status.capacity.get("storage") or view.spec.resources.requests.get("storage") or "of no known size"
    modes = ", ".join(view.spec.access_modes) or "no access mode"
    users = [str(pod.ref) for pod in inventory.pods if pod.namespace == ref.namespace and ref.name in pod.claims]
    using = f"mounted by {listed(users, 6)}" if users else "no pod that can be read mounts it"
    head = f"{ref} is {view.status.phase or 'in no phase'}, {size}, {modes}, "
    head += f"StorageClass {view.spec.storage_class_name or 'none named'}; {using}."
    return head, [f"volume {view.spec.volume_name}"] if view.spec.volume_name else []


def _schedule(case: Case, ref: Ref) -> Answer | None:
    view = case.inventory.find(ref)
    if not isinstance(view, CronJob):
        return None
    now = case.inventory.now
    zone = f" ({view.spec.time_zone})" if view.spec.time_zone else ""
    last, good = view.status.last_schedule_time, view.status.last_successful_time
    lines = [f"last started {age(now, last)} ago ({last})" if last else "never started, as far as its status says"]
    lines += [f"last succeeded {age(now, good)} ago ({good})"] if good else []
    lines += [f"{len(view.status.active)} run now"] if view.status.active else []
    held = ", but is suspended: it starts nothing" if view.spec.suspend else ""
    return f"{ref} has the schedule `{view.spec.schedule}`{zone}{held}.", lines


def _row_of(number: int) -> Tell:
    """What the list of its kind says of one object."""

    def tell(case: Case, ref: Ref) -> Answer | None:
        view = case.inventory.find(ref)
        words = TABLES[number].row(case.inventory, view) if view is not None else ""
        return (f"{ref}: {words}.", []) if words else None

    return tell


def _rows_of_tables() -> dict[str, tuple[tuple[str, Tell], ...]]:
    own = ("Service", "Ingress", "PersistentVolumeClaim", "workload")
    return {
        each.thing: ((rf"{each.columns}|{each.words}", _row_of(number)),)
        for number, each in enumerate(TABLES)
        if each.thing not in own
    }


OF_KIND: dict[str, tuple[tuple[str, Tell], ...]] = {
    "Node": (
        (r"taints?|tainted|cordoned", _taints),
        (r"capacity|allocatable|cpus?|cores?|memory|ram|(?:how )?(?:big|large)|size", _size),
        (r"versions?|kubelet|arch\w*|zone|region|instance[ -]?type|machine[ -]?type|how old|age", _machine),
    ),
    "Service": ((r"type|ports?|selectors?|cluster ?ip|ips?|address|endpoints?|select\w*|points? to|behind", _service),),
    "Ingress": (
        (r"hosts?|hostnames?|urls?|domains?|backends?|routes?|paths?|class|tls|certificates?|points? to", _ingress),
    ),
    "PersistentVolumeClaim": (
        (
            r"(?:how )?(?:big|large)|size|capacity|(?:storage ?)?class|(?:access ?)?modes?|us(?:es?|ing)|mount\w*|"
            r"volumes?|disks?|pvs?|behind|bound",
            _claim,
        ),
    ),
    "CronJob": ((r"schedule\w*|when|last|next|often|run|time ?zones?", _schedule),),
    **_rows_of_tables(),
}
"""By kind: words for what is asked, and what tells it."""
