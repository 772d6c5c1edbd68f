# ruff: noqa: RUF012 -- msgspec copies an empty default for every struct
"""Views of the way traffic takes."""

from __future__ import annotations

from msgspec import field

from kubectl_berth.cluster.views.base import Identified, Selector, View


class ServicePort(View):
    """A port of a Service; `target_port` absent means the same number."""

    name: str = ""
    port: int = 0
    target_port: int | str | None = None
    node_port: int | None = None
    protocol: str = "TCP"


class ServiceSpec(View):
    """A Service's spec."""

    type: str = "ClusterIP"
    selector: dict[str, str] = {}
    ports: list[ServicePort] = []
    cluster_ip: str = field(default="", name="clusterIP")
    external_traffic_policy: str = ""
    internal_traffic_policy: str = ""


class LoadBalancerIngress(View):
    """An address a load balancer gave."""

    ip: str = ""
    hostname: str = ""


class LoadBalancer(View):
    """The addresses so far."""

    ingress: list[LoadBalancerIngress] = []


class LoadBalancerStatus(View):
    """The status of a Service or an Ingress."""

    load_balancer: LoadBalancer = field(default_factory=LoadBalancer)


class Service(Identified):
    """A Service."""

    spec: ServiceSpec = field(default_factory=ServiceSpec)
    status: LoadBalancerStatus = field(default_factory=LoadBalancerStatus)


class EndpointConditions(View):
    """An endpoint's state; `ready` absent counts as ready."""

    ready: bool | None = None
    serving: bool | None = None
    terminating: bool | None = None


class Endpoint(View):
    """One endpoint."""

    addresses: list[str] = []
    conditions: EndpointConditions = field(default_factory=EndpointConditions)
    node_name: str | None = None

    @property
    def ready(self) -> bool:
        """True where traffic is sent to it."""
        return self.conditions.ready is not False


class EndpointPort(View):
    """A port of all endpoints of a slice."""

    name: str = ""
    port: int | None = None


class EndpointSlice(Identified):
    """A slice of a Service's endpoints; the Service stands in a label."""

    endpoints: list[Endpoint] = []
    ports: list[EndpointPort] = []

    @property
    def service(self) -> str:
        """The Service it belongs to."""
        return self.metadata.labels.get("kubernetes.io/service-name", "")


class BackendPort(View):
    """A Service's port by name or number."""

    name: str = ""
    number: int | None = None


class BackendService(View):
    """The Service an Ingress path leads to."""

    name: str = ""
    port: BackendPort = field(default_factory=BackendPort)


class Backend(View):
    """Where a path leads; a resource backend leaves `service` empty."""

    service: BackendService | None = None


class HttpPath(View):
    """One path."""

    path: str = ""
    backend: Backend = field(default_factory=Backend)


class HttpPaths(View):
    """The paths of a host."""

    paths: list[HttpPath] = []


class IngressRule(View):
    """A host with its paths."""

    host: str = ""
    http: HttpPaths | None = None


class IngressTls(View):
    """A certificate: the name of its Secret only."""

    secret_name: str = ""


class IngressSpec(View):
    """An Ingress's spec."""

    ingress_class_name: str | None = None
    default_backend: Backend | None = None
    rules: list[IngressRule] = []
    tls: list[IngressTls] = []


class Ingress(Identified):
    """An Ingress."""

    spec: IngressSpec = field(default_factory=IngressSpec)
    status: LoadBalancerStatus = field(default_factory=LoadBalancerStatus)


class IngressClass(Identified):
    """An IngressClass: that it exists."""


class PolicyPort(View):
    """A port a rule allows; absent means all."""

    protocol: str = "TCP"
    port: int | str | None = None
    end_port: int | None = None


class PolicyPeer(View):
    """Who a rule allows."""

    pod_selector: Selector | None = None
    namespace_selector: Selector | None = None
    ip_block: dict[str, object] | None = None


class EgressRule(View):
    """An egress rule; no ports means every port."""

    ports: list[PolicyPort] = []
    to: list[PolicyPeer] = []


class IngressPolicyRule(View):
    """An ingress rule; no peers means everybody."""

    ports: list[PolicyPort] = []
    from_: list[PolicyPeer] = field(default_factory=list, name="from")


class NetworkPolicySpec(View):
    """A policy's spec; `policy_types` absent means Ingress, and Egress where there are egress rules."""

    pod_selector: Selector = field(default_factory=Selector)
    policy_types: list[str] = []
    ingress: list[IngressPolicyRule] = []
    egress: list[EgressRule] = []


class NetworkPolicy(Identified):
    """A NetworkPolicy."""

    spec: NetworkPolicySpec = field(default_factory=NetworkPolicySpec)

    @property
    def limits_egress(self) -> bool:
        """True where it restricts what the selected pods may reach."""
        return "Egress" in self.spec.policy_types or (not self.spec.policy_types and bool(self.spec.egress))

    @property
    def limits_ingress(self) -> bool:
        """True where it restricts who may reach the selected pods."""
        return "Ingress" in self.spec.policy_types or not self.spec.policy_types
