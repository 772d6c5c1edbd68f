"""Services whose selector takes in the pods of two applications, so that a request goes to either."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kubectl_berth.cluster.views import Pod, Service, Workload
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.records import Finding, Ref

SERVING = ("Deployment", "StatefulSet", "DaemonSet")
_MEASURED = re.compile(r"metrics|monitor|prom|telemetry|scrape", re.IGNORECASE)
"""Ports that somebody collects figures from: a Service over many applications is meant there."""


def check_mixtures(inventory: Inventory) -> Iterable[Finding]:
    """Services that send requests to the ready pods of workloads with different images.

    Two versions of one application (a canary, blue and green) share the image's repository and are meant so. A headless
    Service, one that an operator made, and one for figures alone list pods on purpose.
    """
    if "pods" in inventory.unread:
        return
    for service in inventory.services:
        spec = service.spec
        if not spec.selector or spec.cluster_ip == "None" or service.metadata.controller is not None:
            continue
        if spec.ports and all(_MEASURED.search(port.name) for port in spec.ports):
            continue
        groups = _groups(inventory, service)
        repositories = {ref: _repositories(service, pods[0]) for ref, pods in groups.items()}
        alike = [one for one in groups if any(repositories[one] & repositories[two] for two in groups if two != one)]
        if len(groups) > 1 and not alike:
            yield _mixed(inventory, service, groups)


def _groups(inventory: Inventory, service: Service) -> dict[Ref, list[Pod]]:
    """The ready pods behind a Service by their workloads."""
    groups: dict[Ref, list[Pod]] = {}
    for pod in inventory.pods_of(service.ref):
        if pod.ready and not pod.terminating and not pod.finished:
            groups.setdefault(inventory.workload(pod), []).append(pod)
    return {ref: groups[ref] for ref in sorted(groups) if ref.kind in SERVING}


def _repositories(service: Service, pod: Pod) -> set[str]:
    """The last part of the images' repositories, without registry, tag and digest: those that answer the Service.

    Helpers beside the application (a proxy, a log shipper) do not declare the port; all count where nobody does.
    """
    asked = {str(port.port if port.target_port is None else port.target_port) for port in service.spec.ports}
    answering = [
        one
        for one in pod.spec.containers
        if any(str(port.container_port) in asked or (port.name and port.name in asked) for port in one.ports)
    ]
    return {re.split(r"[:@]", one.image.rsplit("/", 1)[-1])[0] for one in answering or pod.spec.containers}


def _mixed(inventory: Inventory, service: Service, groups: dict[Ref, list[Pod]]) -> Finding:
    selector = ",".join(f"{key}={value}" for key, value in sorted(service.spec.selector.items()))
    parts = [
        f"{ref}: {count(len(pods), 'ready pod')}, image {listed([one.image for one in pods[0].spec.containers], 2)}"
        for ref, pods in groups.items()
    ]
    own = _distinct(inventory, service, groups)
    return Finding(
        "warning",
        service.ref,
        "ServiceMixesWorkloads",
        f"its selector {selector} matches the pods of {listed([str(ref) for ref in groups], 3)}, which run different "
        "images: a request goes to any of them",
        (f"spec.selector: {selector}", *parts),
        remedy=(f"add a label to the Service's selector that only the right pods have ({listed(own, 3)})" if own else
                "give the pods of each workload a label of their own, and name it in the Service's selector")
        + "; until then a share of the requests ends at the wrong application",
        disproof="the workloads are two versions of one application, and the mixture is meant",
    )  # fmt: skip


def _distinct(inventory: Inventory, service: Service, groups: dict[Ref, list[Pod]]) -> list[str]:
    """Labels of the workloads' templates, beyond the Service's selector, that only one of them has."""
    views = (inventory.find(ref) for ref in groups)
    templates = {view.ref: view.spec.template.metadata.labels for view in views if isinstance(view, Workload)}
    found: list[str] = []
    for ref, labels in templates.items():
        others = [other for name, other in templates.items() if name != ref]
        for key, value in sorted(labels.items()):
            if key not in service.spec.selector and all(other.get(key) != value for other in others):
                found.append(f"{key}={value} of {ref}")
    return found
