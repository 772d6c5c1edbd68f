"""Where a host that a log names leads: a Service, a pod behind it, one pod of a StatefulSet, or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kubectl_berth.cluster.views import Service, Workload
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.engines.rules.serving import endpoints_of
from kubectl_berth.records import Ref


@dataclass(frozen=True)
class Target:
    """What a host in a log stands for. `ref` is None where nothing in the cluster bears it; `words` say it."""

    host: str
    ref: Ref | None
    words: str
    down: bool


def target_of(host: str, namespace: str, inventory: Inventory) -> Target | None:
    """What "redis.cache:6379" or "10.96.9.9:5432" leads to, seen from a namespace; None for hosts outside.

    "db-0.db" and "db-0.db.data.svc" are one pod of a headless Service.
    """
    name, _, port = host.partition(":")
    if re.fullmatch(r"[\d.]+", name):
        return _by_address(host, name, inventory)
    read = _read(name, namespace, inventory)
    if read is None:
        return None
    pod, service, space = read
    found = inventory.find(Ref("Service", space, service))
    if isinstance(found, Service):
        return (_of_pod(host, pod, found, inventory) if pod else None) or _of_service(host, found, port, inventory)
    if "services" in inventory.unread or not inventory.covers(space):
        return None
    others = sorted(one.namespace for one in inventory.services if one.name == service)
    if others:
        words = (
            f"there is no Service {service} in namespace {space}; one exists in {', '.join(others)}, "
            f"which is reached as {service}.{others[0]}"
        )
        return Target(host, Ref("Service", others[0], service), words, True)
    return Target(host, None, f"there is no Service {service} in namespace {space}", True)


def _read(name: str, namespace: str, inventory: Inventory) -> tuple[str, str, str] | None:
    """The pod ("" for a Service as a whole), the Service and the namespace of a host; None for one outside."""
    labels = name.split(".")
    full = "svc" in labels[1:]
    labels = labels[: labels.index("svc", 1)] if full else labels
    spaces = {one.name for one in inventory.namespaces} | {pod.namespace for pod in inventory.pods}
    if len(labels) == 1:
        return "", labels[0], namespace
    if len(labels) == 2 and (full or labels[1] in spaces):
        return "", labels[0], labels[1]
    if len(labels) == 2 and inventory.find(Ref("Service", namespace, labels[1])) is not None:
        return labels[0], labels[1], namespace
    if len(labels) == 3 and (full or labels[2] in spaces):
        return labels[0], labels[1], labels[2]
    return None


def _of_pod(host: str, name: str, service: Service, inventory: Inventory) -> Target | None:
    """One pod behind a headless Service: its name resolves only while it is there and ready."""
    pod = inventory.pod(service.namespace, name)
    if pod is not None and pod.ready:
        return Target(host, service.ref, f"{host} is {pod.ref}, which is ready", False)
    if pod is not None:
        state = "Pending" if pod.status.phase == "Pending" else "not ready"
        return Target(host, pod.ref, f"{host} is {pod.ref}, which is {state}", True)
    above = inventory.find(Ref("StatefulSet", service.namespace, name.rpartition("-")[0]))
    if not isinstance(above, Workload) or "pods" in inventory.unread:
        return None
    there = len([one for one in inventory.pods_of(above.ref) if not one.finished])
    words = f"{host} would be Pod {name}, which is not there: {above.ref} has {there} of {above.desired} pods"
    return Target(host, above.ref, words, True)


def _by_address(host: str, address: str, inventory: Inventory) -> Target | None:
    port = host.partition(":")[2]
    for service in inventory.services:
        if service.spec.cluster_ip == address:
            return _of_service(host, service, port, inventory)
    for pod in inventory.pods:
        if pod.status.pod_ip == address and not pod.spec.host_network:
            state = "ready" if pod.ready else "not ready"
            return Target(host, pod.ref, f"{address} is Pod {pod.namespace}/{pod.name}, {state}", not pod.ready)
    return None


def _of_service(host: str, service: Service, port: str, inventory: Inventory) -> Target:
    ref = service.ref
    ports = [one.port for one in service.spec.ports]
    if port and ports and int(port) not in ports:
        words = f"Service {ref.namespace}/{ref.name} has no port {port}, only {', '.join(map(str, ports))}"
        return Target(host, ref, words, True)
    state = endpoints_of(inventory, service)
    if state is None:
        return Target(host, ref, f"{host} is Service {ref.namespace}/{ref.name}", False)
    if state.ready == 0:
        return Target(host, ref, f"{host} is Service {ref.namespace}/{ref.name}, which has no ready endpoint", True)
    return Target(host, ref, f"{host} is Service {ref.namespace}/{ref.name}, which has {state}", False)
