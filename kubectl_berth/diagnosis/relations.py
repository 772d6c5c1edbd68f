"""Where to look for what explains a symptom: owners, selectors, volumes, nodes, endpoints, webhooks, references."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from kubectl_berth.cluster.views import (
    APIService,
    HorizontalPodAutoscaler,
    Identified,
    Ingress,
    PersistentVolumeClaim,
    Pod,
    Service,
    WebhookConfiguration,
)
from kubectl_berth.diagnosis.checks.preemption import preemptions
from kubectl_berth.diagnosis.checks.reach import policies_of
from kubectl_berth.diagnosis.checks.rights import meant_for
from kubectl_berth.diagnosis.checks.surroundings import commanded, services_needed, strangers
from kubectl_berth.diagnosis.custom_relations import (
    below,
    certificates,
    delivered,
    managing,
    named,
    operators,
    spoken_of,
)
from kubectl_berth.diagnosis.fit import repelling, requests, selects, volume_elsewhere
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.records import Ref

Relation = Callable[[Inventory, Identified], Iterable[Ref]]


def node(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    if isinstance(view, Pod) and view.spec.node_name:
        yield Ref("Node", "", view.spec.node_name)


def lost_nodes(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The nodes of the pods below that are not ready, where the node is not either."""
    for pod in inventory.pods_of(view.ref):
        there = inventory.node(pod.spec.node_name)
        if not pod.ready and not pod.finished and there is not None and not there.ready:
            yield there.ref


def barred_nodes(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """For a pod without a node: the nodes that would take it, were they not tainted for a trouble of their own."""
    if not isinstance(view, Pod) or view.spec.node_name:
        return
    for there in inventory.nodes:
        taints = repelling(view.spec, there)
        own = [taint for taint in taints if taint.key.startswith(NODE_TAINTS)]
        fits = not there.spec.unschedulable and selects(view.spec, there)
        if own and len(own) == len(taints) and fits and not volume_elsewhere(inventory, view, there):
            yield there.ref


def claims(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    if isinstance(view, Pod):
        for name in view.claims:
            yield Ref("PersistentVolumeClaim", view.namespace, name)


def storage_class(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    if isinstance(view, PersistentVolumeClaim):
        yield Ref("StorageClass", "", view.spec.storage_class_name or "")
        yield Ref("PersistentVolume", "", view.spec.volume_name)


def selected(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """For a Service without pods: the workload whose template its selector matches."""
    selector = getattr(getattr(view, "spec", None), "selector", None)
    if view.kind != "Service" or not isinstance(selector, dict) or not selector:
        return
    one_pod = selector.get("statefulset.kubernetes.io/pod-name", "").rpartition("-")[0]
    for workload in inventory.workloads:
        if workload.namespace != view.namespace:
            continue
        labels = workload.spec.template.metadata.labels
        if selector.items() <= labels.items() or (workload.kind == "StatefulSet" and workload.name == one_pod):
            yield workload.ref


def backends(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The Services behind a webhook, an aggregated API or an Ingress, and the pods behind those."""
    for ref in _services(view):
        yield ref
        service = inventory.find(ref)
        if service is not None:
            yield from below(inventory, service)
            yield from selected(inventory, service)


def behind_lost(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The lost nodes that hold the pods behind a webhook, an aggregated API or an Ingress."""
    for ref in _services(view):
        service = inventory.find(ref)
        if service is not None:
            yield from lost_nodes(inventory, service)


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


def sandboxed(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The network plugin's pod on a pod's node."""
    if isinstance(view, Pod) and (there := inventory.node(view.spec.node_name)):
        yield from network_pods(inventory, there)


def owners(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    yield from inventory.owners(view)


def waited(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The Services that the settings of a pod's containers name, and the pods and workloads behind them."""
    if not isinstance(view, Pod):
        return
    for ref in services_needed(inventory, view, view.spec.all_containers):
        yield ref
        yield from inventory_pods(inventory, ref)
    yield from (ref for _, ref, _ in strangers(inventory, view, view.spec.all_containers))


def ordered(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """What the commands of a pod's init containers wait for by name, and the pods of it."""
    for ref in commanded(view, view.spec.init_containers) if isinstance(view, Pod) else ():
        if inventory.find(ref) is not None:
            yield ref
            yield from (below.ref for below in inventory.descendants(ref))


def resolver(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The pods of the cluster's DNS, where not one is ready and the pod resolves names through them."""
    if not isinstance(view, Pod) or view.spec.dns_policy in ("Default", "None"):
        return
    if view.spec.host_network and view.spec.dns_policy != "ClusterFirstWithHostNet":
        return
    yield from (ref for ref, mates in inventory.once(_dead_resolvers) if view.ref not in mates)


def _dead_resolvers(inventory: Inventory) -> list[tuple[Ref, frozenset[Ref]]]:
    """The pods of a DNS of which not one is ready, each with all pods of it."""
    behind = [inventory.pods_of(one.ref) for one in inventory.services if resolves(one)]
    dead = [pods for pods in behind if not any(pod.ready for pod in pods)]
    return [(pod.ref, frozenset(mate.ref for mate in pods)) for pods in dead for pod in pods]


def resolves(service: Service) -> bool:
    """True for the Service of the cluster's own DNS."""
    return service.namespace in DNS_NAMESPACES and any(port.port == DNS_PORT for port in service.spec.ports)


def lingering(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """What a namespace still holds although it was deleted: the namespace waits for it."""
    for one in inventory.everything:
        if one.namespace == view.name and one.metadata.deletion_timestamp and one.metadata.finalizers:
            yield one.ref


DNS_NAMESPACES = frozenset({"kube-system", "openshift-dns"})
DNS_PORT = 53


def policies(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The network policies over a pod and over what its settings name."""
    if not isinstance(view, Pod):
        return
    yield from (one.ref for one in policies_of(inventory, view))
    for ref in services_needed(inventory, view, view.spec.all_containers):
        for pod in inventory.pods_of(ref)[:1]:
            yield from (one.ref for one in policies_of(inventory, pod))


def taken_place(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """What took the place of a pod of the same workload."""
    workload = inventory.workload(view)
    yield from (one.winner for one in preemptions(inventory) if one.loser == workload)


def scheduler(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    yield Ref("Lease", "kube-system", "kube-scheduler")


def controllers(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    yield Ref("Lease", "kube-system", "kube-controller-manager")


def plugins(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The DaemonSets that advertise what a pod asks for, by the vendor or the device in their names."""
    if not isinstance(view, Pod):
        return
    asked = [name for name in requests(view.spec) if "/" in name]
    words = {word for name in asked for word in re.split(r"[^a-z]+", name.lower()) if len(word) > 2} - {"com", "org"}
    for one in inventory.daemon_sets:
        label = " ".join([one.name, *(container.image for container in one.spec.template.spec.containers)]).lower()
        if "plugin" in label and any(word in label for word in words):
            yield one.ref
            yield from inventory_pods(inventory, one.ref)


def accounts(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The bindings that should give a pod's account its rights."""
    if isinstance(view, Pod):
        yield from (one.ref for one in meant_for(inventory, view.namespace, view.spec.service_account_name))


def drivers(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The DaemonSets whose pods should register a volume driver on a pod's node, and those pods."""
    if not isinstance(view, Pod):
        return
    for one in inventory.daemon_sets:
        if not any("csi" in container.image.lower() for container in one.spec.template.spec.containers):
            continue
        for pod in inventory.pods_of(one.ref):
            if pod.spec.node_name == view.spec.node_name:
                yield pod.ref
        yield one.ref


def inventory_pods(inventory: Inventory, ref: Ref) -> Iterator[Ref]:
    """References to the pods behind an object."""
    yield from (pod.ref for pod in inventory.pods_of(ref))


NODE_LOST = frozenset({"NodeUnreachable", "NodeNotReady"})
NODE_BARRED = NODE_LOST | {"NodeDiskPressure", "NodeMemoryPressure", "NodePIDPressure", "NodeNetworkUnavailable"}
NODE_TAINTS = "node.kubernetes.io/"

# A symptom's reason -> where to look for what explains it, in this order; only these findings can be symptoms.
EXPLAINED: dict[str, tuple[Relation, ...]] = {
    "ReplicasNotReady": (below, lost_nodes, taken_place),
    "RolloutStalled": (below, lost_nodes),
    "PodsNotCreated": (),
    "JobFailing": (below,),
    "JobFailed": (below,),
    "CronJobFailing": (below,),
    "CronJobBlocked": (below,),
    "ServiceWithoutEndpoints": (below, selected),
    "ServiceEndpointsNotReady": (below, lost_nodes),
    "IngressBackendDown": (backends,),
    "CustomResourceDegraded": (below, named, lost_nodes, spoken_of, delivered),
    "CustomResourceIgnored": (operators,),
    "CustomResourceNotReconciled": (operators,),
    "StatusContradicted": (below,),
    "OperatorDown": (below, lost_nodes),
    "APIServiceUnavailable": (backends, behind_lost),
    "WebhookFails": (certificates, backends, behind_lost),
    "WebhookBackendDown": (backends, behind_lost),
    "AutoscalerWithoutMetrics": (metrics_api, managing, target),
    "BudgetBlockedByUnhealthyPods": (below, lost_nodes),
    "NamespaceStuck": (apis, lingering),
    "NodeNotReady": (network_pods,),
    "ClaimUnbound": (claims,),
    "ClaimPending": (storage_class,),
    "ProvisionerSilent": (named,),
    "VolumeElsewhere": (barred_nodes, claims),
    "Evicted": (node,),
    "NodeShutDown": (node,),
    "ContainerStatusUnknown": (node,),
    "DeletionStuck": (node, owners, operators),
    "VolumeAttachFails": (node, claims),
    "ContainerNotReady": (node, waited, policies, resolver),
    "ReadinessProbeFails": (node, waited, policies, resolver),
    "PodNotReady": (node,),
    "InitContainerWaits": (ordered, waited, policies, resolver),
    "OldRevisionBlocksUpdate": (below,),
    "StartupProbeFails": (node, waited, resolver),
    "CrashLoop": (accounts, waited, policies, resolver),
    "InitContainerFails": (accounts, ordered, waited, policies, resolver),
    "LivenessProbeKills": (waited, policies),
    "InsufficientResources": (taken_place, barred_nodes),
    "UntoleratedTaint": (barred_nodes,),
    "NodeSelectorMismatch": (barred_nodes,),
    "PodAntiAffinity": (barred_nodes,),
    "TopologySpread": (barred_nodes,),
    "ResourceNotOffered": (plugins,),
    "ControllerNotReconciling": (controllers,),
    "CronJobLate": (controllers,),
    "NoScheduler": (scheduler,),
    "CsiDriverMissingOnNode": (drivers, node),
    "PodSandboxFails": (sandboxed,),
}

# Symptoms that only some troubles of a node explain; the others are explained by a node that is lost.
NODE_BLAMED = {
    "Evicted": frozenset({"NodeDiskPressure", "NodeMemoryPressure", "NodePIDPressure", "NodeOutOfMemory"}),
    "NodeShutDown": frozenset({"NodeUnreachable", "NodeNotReady", "NodeRebooted"}),
}
