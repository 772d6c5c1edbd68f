"""Where to look for what explains a symptom: owners, selectors, volumes, nodes, endpoints, webhooks, references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kubectl_berth.cluster.views import (
    APIService,
    CustomResource,
    HorizontalPodAutoscaler,
    Identified,
    Ingress,
    PersistentVolumeClaim,
    Pod,
    WebhookConfiguration,
)
from kubectl_berth.diagnosis.checks.operators import referred
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.records import Ref

Relation = Callable[[Inventory, Identified], Iterable[Ref]]


def node(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    if isinstance(view, Pod) and view.spec.node_name:
        yield Ref("Node", "", view.spec.node_name)


def claims(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    if isinstance(view, Pod):
        for name in view.claims:
            yield Ref("PersistentVolumeClaim", view.namespace, name)


def storage_class(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    if isinstance(view, PersistentVolumeClaim):
        yield Ref("StorageClass", "", view.spec.storage_class_name or "")
        yield Ref("PersistentVolume", "", view.spec.volume_name)


def below(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """Pods and whatever else an object owns, selects or names."""
    yield from (pod.ref for pod in inventory.pods_of(view.ref) if pod.ref != view.ref)
    yield from (below.ref for below in inventory.descendants(view.ref))


def named(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    if not isinstance(view, CustomResource):
        return
    for there in referred(inventory, view):
        yield there.ref
        yield from below(inventory, there)


def selected(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """For a Service without pods: the workload whose template its selector matches."""
    selector = getattr(getattr(view, "spec", None), "selector", None)
    if view.kind != "Service" or not isinstance(selector, dict) or not selector:
        return
    for workload in inventory.workloads:
        if workload.namespace == view.namespace and selector.items() <= workload.spec.template.metadata.labels.items():
            yield workload.ref


def backends(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The Services behind a webhook, an aggregated API or an Ingress, and the pods behind those."""
    for ref in _services(view):
        yield ref
        service = inventory.find(ref)
        if service is not None:
            yield from below(inventory, service)
            yield from selected(inventory, service)


def _services(view: Identified) -> Iterator[Ref]:
    if isinstance(view, APIService) and view.spec.service:
        yield Ref("Service", view.spec.service.namespace, view.spec.service.name)
    elif isinstance(view, WebhookConfiguration):
        for webhook in view.webhooks:
            if webhook.client_config.service:
                yield Ref("Service", webhook.client_config.service.namespace, webhook.client_config.service.name)
    elif isinstance(view, Ingress):
        for rule in view.spec.rules:
            for path in rule.http.paths if rule.http else ():
                if path.backend.service:
                    yield Ref("Service", view.namespace, path.backend.service.name)


def target(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    if isinstance(view, HorizontalPodAutoscaler):
        yield view.target
        target = inventory.find(view.target)
        if target is not None:
            yield from below(inventory, target)


def metrics_api(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    yield from (api.ref for api in inventory.api_services if api.spec.group.endswith("metrics.k8s.io"))


def apis(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    yield from (api.ref for api in inventory.api_services)


def network_pods(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The pods of DaemonSets in the host's network on a node: its network plugin is one of them."""
    for pod in inventory.pods_of(view.ref):
        owner = inventory.owner(pod)
        if pod.spec.host_network and owner and owner.kind == "DaemonSet":
            yield pod.ref


def owners(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    yield from inventory.owners(view)


def waited(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The Services that a waiting init container's command names, and the pods behind them."""
    from kubectl_berth.diagnosis.checks.containers import services_named

    if isinstance(view, Pod):
        for container in view.spec.init_containers:
            for ref in services_named(inventory, view, container):
                yield ref
                yield from inventory_pods(inventory, ref)


def inventory_pods(inventory: Inventory, ref: Ref) -> Iterator[Ref]:
    """References to the pods behind an object."""
    yield from (pod.ref for pod in inventory.pods_of(ref))


NODE_LOST = frozenset({"NodeUnreachable", "NodeNotReady"})

# A symptom's reason -> where to look for what explains it, in this order; only these findings can be symptoms.
EXPLAINED: dict[str, tuple[Relation, ...]] = {
    "ReplicasNotReady": (below,),
    "RolloutStalled": (below,),
    "PodsNotCreated": (),
    "JobFailing": (below,),
    "JobFailed": (below,),
    "CronJobFailing": (below,),
    "CronJobBlocked": (below,),
    "ServiceWithoutEndpoints": (below, selected),
    "ServiceEndpointsNotReady": (below,),
    "IngressBackendDown": (backends,),
    "CustomResourceDegraded": (below, named),
    "CustomResourceIgnored": (),
    "StatusContradicted": (below,),
    "OperatorDown": (below,),
    "APIServiceUnavailable": (backends,),
    "WebhookFails": (backends,),
    "WebhookBackendDown": (backends,),
    "AutoscalerWithoutMetrics": (metrics_api, target),
    "BudgetBlockedByUnhealthyPods": (below,),
    "NamespaceStuck": (apis,),
    "NodeNotReady": (network_pods,),
    "ClaimUnbound": (claims,),
    "ClaimPending": (storage_class,),
    "ProvisionerSilent": (named,),
    "VolumeElsewhere": (claims,),
    "Evicted": (node,),
    "NodeShutDown": (node,),
    "ContainerStatusUnknown": (node,),
    "DeletionStuck": (node, owners),
    "VolumeAttachFails": (node, claims),
    "ContainerNotReady": (node,),
    "ReadinessProbeFails": (node,),
    "PodNotReady": (node,),
    "InitContainerWaits": (waited,),
    "OldRevisionBlocksUpdate": (),
}

# Symptoms that only some troubles of a node explain; the others are explained by a node that is lost.
NODE_BLAMED = {
    "Evicted": frozenset({"NodeDiskPressure", "NodeMemoryPressure", "NodePIDPressure"}),
    "NodeShutDown": frozenset({"NodeUnreachable", "NodeNotReady", "NodeRebooted"}),
}
