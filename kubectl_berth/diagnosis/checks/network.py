"""Services without endpoints, ports that lead nowhere, ingresses, load balancers, policies that cut off DNS."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import ContainerPort, Ingress, NetworkPolicy, Pod, Service, ServicePort, Workload, age
from kubectl_berth.diagnosis.checks.replicas import missed_at_zero
from kubectl_berth.diagnosis.checks.surroundings import troubled
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import aged, clip, count, listed, said
from kubectl_berth.records import Finding, Ref

WAIT = 300.0  # seconds a cloud may take for an address
SETTLE = 120.0
DNS_PORT = 53
DEFAULT_CLASS = "ingressclass.kubernetes.io/is-default-class"
OLD_CLASS = "kubernetes.io/ingress.class"


def check_services(inventory: Inventory) -> Iterable[Finding]:
    """Services whose traffic ends nowhere."""
    if "pods" in inventory.unread:
        return
    for service in inventory.services:
        if service.metadata.deletion_timestamp or service.spec.type == "ExternalName":
            continue
        if service.spec.selector and aged(inventory.now, service.metadata.creation_timestamp, SETTLE):
            yield from _endpoints(inventory, service)
        yield from _load_balancer(inventory, service)


def _endpoints(inventory: Inventory, service: Service) -> Iterator[Finding]:
    pods = [pod for pod in inventory.pods_of(service.ref) if not pod.finished]
    ready = [pod for pod in pods if pod.ready and not pod.terminating]
    if not ready and inventory.has_endpoints(service.ref):
        return
    if not pods:
        yield from _no_pods(inventory, service)
    elif ready:
        yield from _ports(inventory, service, ready)
    elif all(aged(inventory.now, pod.metadata.creation_timestamp, SETTLE) for pod in pods):
        yield Finding(
            "critical",
            service.ref,
            "ServiceEndpointsNotReady",
            (
                "the one pod behind it is not ready"
                if len(pods) == 1
                else f"none of the {len(pods)} pods behind it is ready"
            )
            + ", so it sends traffic nowhere",
            (f"spec.selector: {_selector(service)}", *_slices(inventory, service), *_unready(pods)),
            remedy="mend the pods; the selector is right",
            disproof="an endpoint with ready true",
        )


def _no_pods(inventory: Inventory, service: Service) -> Iterator[Finding]:
    owner = service.metadata.controller
    idle = _idle(inventory, service)
    near = _near(inventory, service) if idle is None else ""
    if owner is not None and idle is None and not near:
        return  # an operator's service for a role nobody has, such as replicas of a database of one
    if idle is not None and idle.desired == 0 and (inventory.owner(idle) or not missed_at_zero(inventory, idle)):
        return
    evidence = [f"spec.selector: {_selector(service)}; no pod in {service.namespace} has these labels"]
    evidence += _slices(inventory, service)
    if idle is not None:
        evidence.append(f"{idle.ref} makes such pods, but has {idle.status.replicas} of {idle.desired}")
    elif near:
        evidence.append(near)
    yield Finding(
        "critical" if near or idle is not None else "warning",
        service.ref,
        "ServiceWithoutEndpoints",
        "its selector matches no pod, so it sends traffic nowhere" + (f": {near}" if near and idle is None else ""),
        tuple(evidence),
        remedy="make the Service's selector and the pods' labels agree again"
        if idle is None
        else "bring the workload's pods back; the selector is right",
        disproof="a pod with all labels of the selector",
    )


def _idle(inventory: Inventory, service: Service) -> Workload | None:
    """The workload that would make the pods this Service selects."""
    for workload in inventory.workloads:
        labels = workload.spec.template.metadata.labels
        if workload.namespace == service.namespace and service.spec.selector.items() <= labels.items():
            return workload
    return None


def _near(inventory: Inventory, service: Service) -> str:
    """The workload that shares most of the selector, and the labels in which it differs."""
    best: tuple[int, str] = (0, "")
    for workload in inventory.workloads:
        if workload.namespace != service.namespace:
            continue
        labels = workload.spec.template.metadata.labels
        shared = sum(1 for key, value in service.spec.selector.items() if labels.get(key) == value)
        named = workload.name == service.name or service.name.startswith(f"{workload.name}-")
        score = 2 * shared + named
        if score > best[0]:
            differ = [
                f"{key}={labels[key]}" if key in labels else f"no label {key}"
                for key, value in sorted(service.spec.selector.items())
                if labels.get(key) != value
            ]
            best = (score, f"the pods of {workload.ref} have {listed(differ)} instead")
    return best[1]


def _selector(service: Service) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted(service.spec.selector.items()))


def _slices(inventory: Inventory, service: Service) -> list[str]:
    slices = inventory.slices_of.get((service.namespace, service.name), [])
    if "endpoint_slices" in inventory.unread or not slices:
        return []
    endpoints = [one for part in slices for one in part.endpoints]
    ready = sum(1 for one in endpoints if one.ready)
    return [f"EndpointSlices: {count(len(endpoints), 'endpoint')}, {ready} ready"]


def _unready(pods: list[Pod]) -> list[str]:
    return [f"not ready: {listed([pod.name for pod in pods])}"]


# --- ports ------------------------------------------------------------------------------------------------------------


def _ports(inventory: Inventory, service: Service, pods: list[Pod]) -> Iterator[Finding]:
    if service.spec.cluster_ip == "None":
        return
    for port in service.spec.ports:
        target = port.target_port if port.target_port is not None else port.port
        if isinstance(target, str) and not target.isdigit():
            if not any(target in _names(pod) for pod in pods):
                yield _no_such_port(service, port, f"named {target}", pods, "critical")
        elif _declares(pods) and not any(int(target) in _numbers(pod) for pod in pods):
            yield _no_such_port(service, port, f"{target}", pods, "warning")


def _no_such_port(service: Service, port: ServicePort, target: str, pods: list[Pod], severity: str) -> Finding:
    offered = sorted({f"{n.container_port}" + (f" ({n.name})" if n.name else "") for pod in pods for n in _all(pod)})
    right = f" to one that they have: {listed(offered)};" if offered else ","
    return Finding(
        "critical" if severity == "critical" else "warning",
        service.ref,
        "ServicePortMismatch",
        f"its port {port.port} leads to container port {target}, which its pods do not declare"
        + (f" (they declare {listed(offered)})" if offered else ""),
        (
            f"spec.ports: port {port.port}, targetPort {target.removeprefix('named ')}",
            f"pods such as {pods[0].name} declare {listed(offered) or 'no ports'}",
            "the selector matches: pods are there and ready",
        ),
        remedy=f"set targetPort of port {port.port}{right} or correct the container's port; a refused connection fits "
        "this, a timeout does not",
        disproof="a process in the pods that listens on that port all the same",
    )


def _all(pod: Pod) -> list[ContainerPort]:
    return [port for container in pod.spec.all_containers for port in container.ports]


def _names(pod: Pod) -> set[str]:
    return {port.name for port in _all(pod) if port.name}


def _numbers(pod: Pod) -> set[int]:
    return {port.container_port for port in _all(pod)}


def _declares(pods: list[Pod]) -> bool:
    return all(_numbers(pod) for pod in pods)


# --- addresses --------------------------------------------------------------------------------------------------------


def _load_balancer(inventory: Inventory, service: Service) -> Iterator[Finding]:
    if service.spec.type != "LoadBalancer" or service.status.load_balancer.ingress:
        return
    if not aged(inventory.now, service.metadata.creation_timestamp, WAIT):
        return
    event = inventory.newest(service, "SyncLoadBalancerFailed", "CreatingLoadBalancerFailed", "UnAvailableLoadBalancer")
    evidence = [f"status.loadBalancer: empty for {age(inventory.now, service.metadata.creation_timestamp)}"]
    evidence.append(said(event, inventory.now) if event else "no event from a load balancer controller")
    yield Finding(
        "warning",
        service.ref,
        "LoadBalancerPending",
        "it has no external address"
        + (f": {clip(event.text, 200)}" if event else ": nothing here seems to make load balancers"),
        tuple(evidence),
        remedy=_address_remedy(inventory, event.text)
        if event
        else "install or repair a load balancer controller, or use another type",
        disproof="an address in status.loadBalancer",
    )


def _address_remedy(inventory: Inventory, text: str) -> str:
    """What to do about a load balancer that a cloud refuses, by the family of its words."""
    lowered = text.lower()
    if re.search(
        r"limit ?reached|limit ?exceeded|quota|cannot create more than|too many|exhausted|insufficient", lowered
    ):
        holders = [one for one in inventory.services if one.spec.type == "LoadBalancer"]
        return (
            f"give back addresses that are not needed any more ({count(len(holders), 'Service')} of type LoadBalancer "
            "here; several can share one behind an Ingress or Gateway), or have that limit raised at the provider"
        )
    if re.search(r"forbidden|not authorized|unauthorized|access ?denied|permission|credential|\b40[13]\b", lowered):
        return "give the cloud controller's identity the right that the words name"
    if "subnet" in lowered:
        return "give the load balancer a subnet: the tags or annotations by which the cloud controller looks for one"
    return "mend what the event names at the provider; the pods and the Service's selector are not at fault"


def check_ingresses(inventory: Inventory) -> Iterable[Finding]:
    """Ingresses nobody serves, and paths that lead to no Service."""
    for ingress in inventory.ingresses:
        if ingress.metadata.deletion_timestamp:
            continue
        yield from _class(inventory, ingress)
        if "services" not in inventory.unread:
            yield from _backends(inventory, ingress)


def _class(inventory: Inventory, ingress: Ingress) -> Iterator[Finding]:
    if "ingress_classes" in inventory.unread or ingress.metadata.annotations.get(OLD_CLASS):
        return
    known = [one.name for one in inventory.ingress_classes]
    name = ingress.spec.ingress_class_name
    if name is None and any(one.metadata.annotations.get(DEFAULT_CLASS) == "true" for one in inventory.ingress_classes):
        return
    if name in known or (name is None and (ingress.status.load_balancer.ingress or not known)):
        return
    yield Finding(
        "warning",
        ingress.ref,
        "IngressClassMissing",
        f"no controller serves it: its class {name} does not exist"
        if name
        else "no controller serves it: it names no class",
        (
            f"spec.ingressClassName: {name or 'none'}",
            f"IngressClasses here: {listed(known) or 'none'}",
            *([] if ingress.status.load_balancer.ingress else ["status.loadBalancer: empty"]),
        ),
        remedy="name a class that exists",
        disproof="an IngressClass of that name",
    )


def _backends(inventory: Inventory, ingress: Ingress) -> Iterator[Finding]:
    backends = [(p.path, p.backend.service) for rule in ingress.spec.rules if rule.http for p in rule.http.paths]
    backends += [("the default backend", ingress.spec.default_backend.service)] if ingress.spec.default_backend else []
    for path, backend in backends:
        if backend is None:
            continue
        service = inventory.find(Ref("Service", ingress.namespace, backend.name))
        if not isinstance(service, Service):
            yield _backend(ingress, path, f"Service {backend.name}, which does not exist", [])
            continue
        ports = service.spec.ports
        wanted = backend.port.name or backend.port.number
        if ports and wanted and not any(wanted in (port.name, port.port) for port in ports):
            there = [f"{port.port}" + (f" ({port.name})" if port.name else "") for port in ports]
            yield _backend(ingress, path, f"port {wanted} of Service {backend.name}, which has no such port", there)


def _backend(ingress: Ingress, path: str, what: str, ports: list[str]) -> Finding:
    """A path that leads nowhere; `ports` are those of the Service where only the port is wrong."""
    return Finding(
        "critical",
        ingress.ref,
        "IngressBackendMissing",
        f"path {path or '/'} leads to {what}",
        (f"spec.rules: path {path or '/'} -> {what}", *([f"the Service's ports: {listed(ports)}"] if ports else [])),
        remedy=f"name a port in the backend that the Service has: {listed(ports)}"
        if ports
        else "correct the backend's name, or create the Service",
        disproof="a Service of that name with that port",
    )


# --- policies ---------------------------------------------------------------------------------------------------------


def check_network_policies(inventory: Inventory) -> Iterable[Finding]:
    """Pods that may not ask DNS because of policies on what they may reach."""
    for namespace in sorted({one.namespace for one in inventory.network_policies}):
        policies = [one for one in inventory.network_policies if one.namespace == namespace and one.limits_egress]
        cut = []
        for pod in inventory.pods:
            if pod.namespace != namespace or pod.finished or pod.spec.host_network:
                continue
            mine = [one for one in policies if one.spec.pod_selector.matches(pod.metadata.labels)]
            if mine and not any(_allows_dns(inventory, one) for one in mine):
                cut.append((pod, mine))
        if cut:
            yield _no_dns(inventory, namespace, cut)


def _no_dns(inventory: Inventory, namespace: str, cut: list[tuple[Pod, list[NetworkPolicy]]]) -> Finding:
    policies = sorted({one.name for _, mine in cut for one in mine})
    hurt = [pod for pod, _ in cut if troubled(inventory, pod)]
    return Finding(
        "warning" if hurt else "info",
        Ref("NetworkPolicy", namespace, policies[0]),
        "EgressBlocksDns",
        f"{count(len(cut), 'pod')} may not reach DNS: no egress rule of {listed(policies)} allows port {DNS_PORT}",
        (
            f"spec.policyTypes of {listed(policies)}: Egress, without port {DNS_PORT} to kube-dns",
            f"pods selected: {listed([pod.name for pod, _ in cut])}",
        ),
        effects=tuple(sorted(pod.ref for pod in hurt)),
        remedy=f"allow UDP and TCP {DNS_PORT} to kube-system in an egress rule for these pods",
        disproof="these pods resolve names, or need no names",
    )


def _allows_dns(inventory: Inventory, policy: NetworkPolicy) -> bool:
    for rule in policy.spec.egress:
        ports = not rule.ports or any(
            one.port is None
            or str(one.port) in (str(DNS_PORT), "dns", "dns-tcp")
            or (isinstance(one.port, int) and one.end_port is not None and one.port <= DNS_PORT <= one.end_port)
            for one in rule.ports
        )
        if ports and (not rule.to or any(peer.ip_block or peer.namespace_selector is not None for peer in rule.to)):
            return True
        if ports and policy.namespace == "kube-system":
            return True
    return False
