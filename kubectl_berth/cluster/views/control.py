# ruff: noqa: RUF012 -- msgspec copies an empty default for every struct
"""Views of nodes, namespaces, events and the control plane's own objects."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import field

from kubectl_berth.cluster.views.base import Amounts, Condition, Identified, Selector, View, condition, parse_time
from kubectl_berth.records import Ref


class Taint(View):
    """A taint of a node."""

    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: str | None = None

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class NodeSpec(View):
    """A node's spec."""

    unschedulable: bool = False
    taints: list[Taint] = []


class NodeInfo(View):
    """What the kubelet says of its machine."""

    architecture: str = ""
    kubelet_version: str = ""


class NodeStatus(View):
    """A node's status."""

    conditions: list[Condition] = []
    allocatable: Amounts = {}
    capacity: Amounts = {}
    node_info: NodeInfo = field(default_factory=NodeInfo)


class Node(Identified):
    """A node."""

    spec: NodeSpec = field(default_factory=NodeSpec)
    status: NodeStatus = field(default_factory=NodeStatus)

    @property
    def ready(self) -> bool:
        """True where the condition Ready says so."""
        found = condition(self.status.conditions, "Ready")
        return found is not None and found.status == "True"


class NamespaceStatus(View):
    """A namespace's status."""

    phase: str = ""
    conditions: list[Condition] = []


class Namespace(Identified):
    """A namespace."""

    status: NamespaceStatus = field(default_factory=NamespaceStatus)


class InvolvedObject(View):
    """What an event is about."""

    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    field_path: str = ""


class EventSource(View):
    """Who reported an event the old way."""

    component: str = ""
    host: str = ""


class EventSeries(View):
    """Repeats of an event in the events.k8s.io shape."""

    count: int = 0
    last_observed_time: str | None = None


class Event(Identified):
    """An event in either shape: the old recorder's times and count, or eventTime and series."""

    involved_object: InvolvedObject | None = None
    regarding: InvolvedObject | None = None
    reason: str = ""
    message: str = ""
    note: str = ""
    type: str = ""
    source: EventSource = field(default_factory=EventSource)
    reporting_component: str = ""
    reporting_controller: str = ""
    action: str = ""
    first_timestamp: str | None = None
    last_timestamp: str | None = None
    deprecated_last_timestamp: str | None = None
    event_time: str | None = None
    count: int | None = None
    series: EventSeries | None = None

    @property
    def about(self) -> InvolvedObject:
        """What it is about."""
        return self.involved_object or self.regarding or InvolvedObject()

    @property
    def about_ref(self) -> Ref:
        """What it is about, as a reference."""
        return Ref(self.about.kind, self.about.namespace, self.about.name)

    @property
    def text(self) -> str:
        """Its message, on one line."""
        return " ".join((self.message or self.note).split())

    @property
    def last_seen(self) -> datetime | None:
        """When it was last seen, from whichever field says so."""
        candidates = (
            self.series.last_observed_time if self.series else None,
            self.last_timestamp,
            self.deprecated_last_timestamp,
            self.event_time,
            self.first_timestamp,
            self.metadata.creation_timestamp,
        )
        return next((moment for moment in map(parse_time, candidates) if moment), None)

    @property
    def first_seen(self) -> datetime | None:
        """When it was first seen."""
        candidates = (self.first_timestamp, self.event_time, self.metadata.creation_timestamp)
        return next((moment for moment in map(parse_time, candidates) if moment), None) or self.last_seen

    @property
    def times(self) -> int:
        """How often it was seen, at least 1."""
        return max(self.series.count if self.series else 0, self.count or 0, 1)

    @property
    def reporter(self) -> str:
        """The component that reported it."""
        return self.source.component or self.reporting_component or self.reporting_controller

    @property
    def container(self) -> str:
        """The container it is about, "" where it names none."""
        path = self.about.field_path
        return path[path.find("{") + 1 : -1] if path.endswith("}") and "{" in path else ""


class WebhookService(View):
    """The Service behind a webhook."""

    namespace: str = ""
    name: str = ""
    path: str = ""
    port: int | None = None


class WebhookClient(View):
    """How the API server reaches a webhook."""

    service: WebhookService | None = None
    url: str = ""


class WebhookRule(View):
    """What a webhook intercepts."""

    api_groups: list[str] = []
    resources: list[str] = []


class Webhook(View):
    """One webhook."""

    name: str = ""
    client_config: WebhookClient = field(default_factory=WebhookClient)
    failure_policy: str = "Fail"
    timeout_seconds: int = 10
    rules: list[WebhookRule] = []
    namespace_selector: Selector | None = None
    object_selector: Selector | None = None


class WebhookConfiguration(Identified):
    """A Validating- or MutatingWebhookConfiguration."""

    webhooks: list[Webhook] = []


class ApiServiceSpec(View):
    """An API group version and who serves it; `service` absent means the API server itself."""

    group: str = ""
    version: str = ""
    service: WebhookService | None = None


class ConditionsStatus(View):
    """A status of which only the conditions are read."""

    conditions: list[Condition] = []


class APIService(Identified):
    """An aggregated API."""

    spec: ApiServiceSpec = field(default_factory=ApiServiceSpec)
    status: ConditionsStatus = field(default_factory=ConditionsStatus)


class LeaseSpec(View):
    """Who holds a lease and since when."""

    holder_identity: str | None = None
    renew_time: str | None = None


class Lease(Identified):
    """A lease: leadership of a controller, or the heartbeat of a node."""

    spec: LeaseSpec = field(default_factory=LeaseSpec)


class ServiceAccount(Identified):
    """A service account: that it exists, and whether pods get its token."""

    automount_service_account_token: bool | None = None


class CustomResourceNames(View):
    """The names of a custom resource."""

    kind: str = ""
    plural: str = ""


class CustomResourceVersion(View):
    """A version of a custom resource."""

    name: str = ""
    served: bool = True


class CustomResourceDefinitionSpec(View):
    """What a definition defines."""

    group: str = ""
    names: CustomResourceNames = field(default_factory=CustomResourceNames)
    scope: str = ""
    versions: list[CustomResourceVersion] = []


class CustomResourceDefinition(Identified):
    """The definition of a custom resource."""

    spec: CustomResourceDefinitionSpec = field(default_factory=CustomResourceDefinitionSpec)
    status: ConditionsStatus = field(default_factory=ConditionsStatus)


class CertificateSigningRequest(Identified):
    """A request for a certificate."""

    spec: SigningSpec = field(default_factory=lambda: SigningSpec())
    status: ConditionsStatus = field(default_factory=ConditionsStatus)


class SigningSpec(View):
    """Who asked whom."""

    signer_name: str = ""
    username: str = ""


class CustomResource(Identified):
    """An object of a kind that is not Kubernetes' own: spec and status as they are."""

    spec: Any = None
    status: Any = None
