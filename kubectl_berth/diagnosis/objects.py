"""Everything the checks look at: the objects of a cluster at one moment, who owns whom, and the events about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeVar

from kubectl_berth.cluster.cluster import UsageFigures
from kubectl_berth.cluster.quantities import quantity
from kubectl_berth.cluster.views import (
    APIService,
    CertificateSigningRequest,
    CronJob,
    CSIDriver,
    CSINode,
    CustomResource,
    CustomResourceDefinition,
    EndpointSlice,
    Event,
    HorizontalPodAutoscaler,
    Identified,
    Ingress,
    IngressClass,
    Job,
    Lease,
    LimitRange,
    Namespace,
    NetworkPolicy,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    ResourceQuota,
    Role,
    RoleBinding,
    Selector,
    Service,
    ServiceAccount,
    StorageClass,
    VolumeAttachment,
    WebhookConfiguration,
    Workload,
)
from kubectl_berth.diagnosis.fields import TYPES
from kubectl_berth.records import Gap, Ref

T = TypeVar("T")

HOUR = 3600.0
DEEPEST = 8  # owners above owners: nobody nests deeper, and a loop must end


@dataclass
class Inventory:
    """The objects of a cluster at one moment. `namespace` is what it was narrowed to, None for all.

    The fields hold views; `gaps` says what could not be read. Nothing here changes after it was made.
    """

    now: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    namespace: str | None = None
    pods: Sequence[Pod] = ()
    nodes: Sequence[Node] = ()
    namespaces: Sequence[Namespace] = ()
    deployments: Sequence[Workload] = ()
    replica_sets: Sequence[Workload] = ()
    stateful_sets: Sequence[Workload] = ()
    daemon_sets: Sequence[Workload] = ()
    jobs: Sequence[Job] = ()
    cron_jobs: Sequence[CronJob] = ()
    services: Sequence[Service] = ()
    endpoint_slices: Sequence[EndpointSlice] = ()
    ingresses: Sequence[Ingress] = ()
    ingress_classes: Sequence[IngressClass] = ()
    network_policies: Sequence[NetworkPolicy] = ()
    claims: Sequence[PersistentVolumeClaim] = ()
    volumes: Sequence[PersistentVolume] = ()
    storage_classes: Sequence[StorageClass] = ()
    attachments: Sequence[VolumeAttachment] = ()
    csi_nodes: Sequence[CSINode] = ()
    csi_drivers: Sequence[CSIDriver] = ()
    quotas: Sequence[ResourceQuota] = ()
    limit_ranges: Sequence[LimitRange] = ()
    autoscalers: Sequence[HorizontalPodAutoscaler] = ()
    budgets: Sequence[PodDisruptionBudget] = ()
    service_accounts: Sequence[ServiceAccount] = ()
    roles: Sequence[Role] = ()
    cluster_roles: Sequence[Role] = ()
    role_bindings: Sequence[RoleBinding] = ()
    cluster_role_bindings: Sequence[RoleBinding] = ()
    validating_webhooks: Sequence[WebhookConfiguration] = ()
    mutating_webhooks: Sequence[WebhookConfiguration] = ()
    api_services: Sequence[APIService] = ()
    definitions: Sequence[CustomResourceDefinition] = ()
    leases: Sequence[Lease] = ()
    signing_requests: Sequence[CertificateSigningRequest] = ()
    custom: Sequence[CustomResource] = ()
    events: Sequence[Event] = ()
    usage: UsageFigures | None = None
    gaps: Sequence[Gap] = ()
    unread: frozenset[str] = field(default_factory=frozenset)
    """Field names whose list failed, in whole or in part: absence from them proves nothing."""
    reserved: dict[str, dict[str, Decimal]] = field(default_factory=dict, repr=False, compare=False)
    """What the pods of a node ask for, worked out when first asked for (fit.reserved_on)."""
    _worked_out: dict[Callable[[Inventory], Any], Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, work: Callable[[Inventory], T]) -> T:
        """What `work` makes of the whole cluster; it is called when this is first asked for, and never again."""
        if work not in self._worked_out:
            self._worked_out[work] = work(self)
        found: T = self._worked_out[work]
        return found

    @property
    def workloads(self) -> list[Workload]:
        """Deployments, StatefulSets and DaemonSets."""
        return [*self.deployments, *self.stateful_sets, *self.daemon_sets]

    @cached_property
    def everything(self) -> list[Identified]:
        """All objects but events."""
        return [view for name, _ in TYPES.values() if name != "events" for view in getattr(self, name)] + [*self.custom]

    @cached_property
    def _by_ref(self) -> dict[Ref, Identified]:
        return {view.ref: view for view in reversed(self.everything)}

    @cached_property
    def _by_uid(self) -> dict[str, Identified]:
        return {view.metadata.uid: view for view in self.everything if view.metadata.uid}

    def covers(self, namespace: str) -> bool:
        """Whether what lies in this namespace was read: elsewhere, absence proves nothing."""
        return self.namespace is None or namespace in ("", self.namespace)

    def find(self, ref: Ref) -> Identified | None:
        """The object a reference names, or None where it is not there or was not read."""
        return self._by_ref.get(ref)

    def by_uid(self, uid: str) -> Identified | None:
        """The object with that uid, or None where it is gone or was not read."""
        return self._by_uid.get(uid)

    def pod(self, namespace: str, name: str) -> Pod | None:
        """The pod of that name."""
        found = self._by_ref.get(Ref("Pod", namespace, name))
        return found if isinstance(found, Pod) else None

    def node(self, name: str) -> Node | None:
        """The node of that name."""
        found = self._by_ref.get(Ref("Node", "", name))
        return found if isinstance(found, Node) else None

    def claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        """The claim of that name."""
        found = self._by_ref.get(Ref("PersistentVolumeClaim", namespace, name))
        return found if isinstance(found, PersistentVolumeClaim) else None

    def volume_of(self, namespace: str, claim: str) -> PersistentVolume | None:
        """The volume behind a claim, or None where it has none or either was not read."""
        bound = self.claim(namespace, claim)
        found = self._by_ref.get(Ref("PersistentVolume", "", bound.spec.volume_name)) if bound else None
        return found if isinstance(found, PersistentVolume) else None

    # --- owners ---------------------------------------------------------------------------------------------------

    def owner(self, view: Identified) -> Ref | None:
        """The controller of an object; a reference to an object that may be gone."""
        reference = view.metadata.controller
        if reference is None:
            return None
        found = self._by_uid.get(reference.uid)
        if found is not None:
            return found.ref
        return Ref(reference.kind, view.namespace, reference.name)

    def owners(self, view: Identified) -> list[Ref]:
        """The chain of controllers above an object, the nearest first."""
        chain: list[Ref] = []
        current: Identified | None = view
        while current is not None and len(chain) < DEEPEST:
            above = self.owner(current)
            if above is None or above in chain or above == view.ref:
                break
            chain.append(above)
            current = self.find(above)
        return chain

    def workload(self, view: Identified) -> Ref:
        """What a person calls this pod: the highest owner of a built-in kind, or the object itself."""
        return next((ref for ref in reversed(self.owners(view)) if ref.kind in WORKLOAD_KINDS), view.ref)

    @cached_property
    def _children(self) -> dict[Ref, list[Identified]]:
        children: dict[Ref, list[Identified]] = {}
        for view in self.everything:
            for reference in view.metadata.owner_references:
                found = self._by_uid.get(reference.uid)
                above = found.ref if found else Ref(reference.kind, view.namespace, reference.name)
                children.setdefault(above, []).append(view)
        return children

    def children(self, ref: Ref) -> list[Identified]:
        """The objects that name this one as an owner."""
        return self._children.get(ref, [])

    def descendants(self, ref: Ref) -> list[Identified]:
        """Children, their children and so on, each once."""
        found: dict[Ref, Identified] = {}
        layer = self.children(ref)
        for _ in range(DEEPEST):
            fresh = [view for view in layer if view.ref not in found and view.ref != ref]
            found.update({view.ref: view for view in fresh})
            layer = [below for view in fresh for below in self.children(view.ref)]
        return list(found.values())

    # --- pods -----------------------------------------------------------------------------------------------------

    def pods_of(self, ref: Ref) -> list[Pod]:
        """The pods under an owner, behind a Service, guarded by a budget, or on a node."""
        if ref.kind == "Node":
            return self._by_node.get(ref.name, [])
        view = self.find(ref)
        if isinstance(view, Service):
            return self.selected(ref.namespace, Selector(match_labels=view.spec.selector)) if view.spec.selector else []
        if isinstance(view, PodDisruptionBudget):
            return self.selected(ref.namespace, view.spec.selector)
        if isinstance(view, Pod):
            return [view]
        return [below for below in self.descendants(ref) if isinstance(below, Pod)]

    def selected(self, namespace: str, selector: Selector | None) -> list[Pod]:
        """The pods of a namespace that a selector matches; None selects none."""
        if selector is None:
            return []
        asked = [self._by_label.get((namespace, key, value), []) for key, value in selector.match_labels.items()]
        fewest = min(asked, key=len) if asked else self._by_namespace.get(namespace, [])
        return [pod for pod in fewest if selector.matches(pod.metadata.labels)]

    @cached_property
    def _by_label(self) -> dict[tuple[str, str, str], list[Pod]]:
        found: dict[tuple[str, str, str], list[Pod]] = {}
        for pod in self.pods:
            for key, value in pod.metadata.labels.items():
                found.setdefault((pod.namespace, key, value), []).append(pod)
        return found

    @cached_property
    def _by_namespace(self) -> dict[str, list[Pod]]:
        return _grouped(self.pods, lambda pod: pod.namespace)

    @cached_property
    def _by_node(self) -> dict[str, list[Pod]]:
        return _grouped(self.pods, lambda pod: pod.spec.node_name)

    @cached_property
    def slices_of(self) -> Mapping[tuple[str, str], list[EndpointSlice]]:
        """The endpoint slices of each Service, by namespace and name."""
        slices: dict[tuple[str, str], list[EndpointSlice]] = {}
        for one in self.endpoint_slices:
            slices.setdefault((one.namespace, one.service), []).append(one)
        return slices

    def has_endpoints(self, service: Ref) -> bool:
        """True where an endpoint slice of the Service holds a ready endpoint."""
        slices = self.slices_of.get((service.namespace, service.name), [])
        return any(one.ready and one.addresses for part in slices for one in part.endpoints)

    # --- events ---------------------------------------------------------------------------------------------------

    @cached_property
    def _events(self) -> dict[Ref, list[Event]]:
        by_ref: dict[Ref, list[Event]] = {}
        for event in sorted(self.events, key=lambda one: one.last_seen or EPOCH, reverse=True):
            by_ref.setdefault(event.about_ref, []).append(event)
        return by_ref

    def events_of(self, view: Identified, within: float | None = HOUR) -> list[Event]:
        """The events about an object, newest first; those of a namesake that is gone are left out.

        `within` is in seconds before now; None gives all that are left.
        """
        return [
            event
            for event in self._events.get(view.ref, [])
            if _same(event, view) and (within is None or self.recent(event, within))
        ]

    def recent(self, event: Event, within: float = HOUR) -> bool:
        """True where an event was last seen at most that many seconds ago."""
        seen = event.last_seen
        return seen is not None and (self.now - seen).total_seconds() <= within

    def newest(self, view: Identified, *reasons: str, within: float | None = HOUR) -> Event | None:
        """The newest event about an object with one of the reasons, or None."""
        return next((event for event in self.events_of(view, within) if event.reason in reasons), None)

    # --- usage ----------------------------------------------------------------------------------------------------

    @cached_property
    def _pod_usage(self) -> dict[tuple[str, str], dict[str, dict[str, Decimal]]]:
        found: dict[tuple[str, str], dict[str, dict[str, Decimal]]] = {}
        for figures in self.usage.pods if self.usage else ():
            metadata = figures.get("metadata") or {}
            key = (str(metadata.get("namespace", "")), str(metadata.get("name", "")))
            found[key] = {str(one.get("name")): _amounts(one.get("usage")) for one in figures.get("containers") or []}
        return found

    def pod_usage(self, pod: Pod) -> Mapping[str, Mapping[str, Decimal]]:
        """Container -> resource -> amount (cores, bytes); empty where there are no figures."""
        return self._pod_usage.get((pod.namespace, pod.name), {})

    def node_usage(self, name: str) -> Mapping[str, Decimal]:
        """Resource -> amount in use on a node; empty where there are no figures."""
        for figures in self.usage.nodes if self.usage else ():
            if (figures.get("metadata") or {}).get("name") == name:
                return _amounts(figures.get("usage"))
        return {}


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

WORKLOAD_KINDS = frozenset({"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "Node"})


def _same(event: Event, view: Identified) -> bool:
    """True unless the event is about an earlier object of that name.

    Kubelets name nodes by their name and static pods by a hash, so neither uid says anything there.
    """
    about, uid = event.about.uid, view.metadata.uid
    if not about or not uid or about == uid or view.kind == "Node":
        return True
    return "kubernetes.io/config.mirror" in view.metadata.annotations


def _grouped(pods: Sequence[Pod], key: Callable[[Pod], str]) -> dict[str, list[Pod]]:
    groups: dict[str, list[Pod]] = {}
    for pod in pods:
        groups.setdefault(key(pod), []).append(pod)
    return groups


def _amounts(usage: object) -> dict[str, Decimal]:
    found: dict[str, Decimal] = {}
    for resource, text in usage.items() if isinstance(usage, dict) else ():
        try:
            found[str(resource)] = quantity(text)
        except ValueError:
            continue
    return found
