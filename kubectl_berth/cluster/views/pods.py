# ruff: noqa: RUF012 -- msgspec copies an empty default for every struct
"""Views of pods and what is in them."""

from __future__ import annotations

from msgspec import field

from kubectl_berth.cluster.views.base import Amounts, Condition, Identified, Requirement, Selector, View


class ObjectReference(View):
    """Names an object in the same namespace."""

    name: str = ""


class KeyReference(View):
    """Names a key of a Secret or ConfigMap."""

    name: str = ""
    key: str = ""
    optional: bool = False


class EnvSource(View):
    """Where an environment variable comes from."""

    secret_key_ref: KeyReference | None = None
    config_map_key_ref: KeyReference | None = None


class EnvVar(View):
    """An environment variable; in its value only hosts and flags of a JVM are looked for; it is never shown."""

    name: str = ""
    value: str = ""
    value_from: EnvSource | None = None


class EnvFromSource(View):
    """All keys of a Secret or ConfigMap as variables."""

    secret_ref: KeyReference | None = None
    config_map_ref: KeyReference | None = None


class ContainerPort(View):
    """A declared port."""

    name: str = ""
    container_port: int = 0
    host_port: int | None = None
    host_ip: str = field(default="", name="hostIP")
    protocol: str = "TCP"


class Resources(View):
    """Requests and limits as written."""

    requests: Amounts = {}
    limits: Amounts = {}


class HttpGet(View):
    """An HTTP probe."""

    path: str = ""
    port: int | str = 0


class TcpSocket(View):
    """A TCP probe."""

    port: int | str = 0


class Probe(View):
    """A probe with its timing in seconds; the defaults are the API's."""

    http_get: HttpGet | None = None
    tcp_socket: TcpSocket | None = None
    initial_delay_seconds: int = 0
    period_seconds: int = 10
    timeout_seconds: int = 1
    failure_threshold: int = 3

    @property
    def port(self) -> int | str | None:
        """The port it asks, by number or name; None for exec and gRPC probes."""
        if self.http_get:
            return self.http_get.port
        return self.tcp_socket.port if self.tcp_socket else None

    @property
    def patience(self) -> int:
        """Seconds from start until enough failures in a row have been counted."""
        return self.initial_delay_seconds + self.period_seconds * self.failure_threshold


class VolumeMount(View):
    """A mount of a volume."""

    name: str = ""
    mount_path: str = ""


class SecurityContext(View):
    """The setting that makes containers fail to write."""

    read_only_root_filesystem: bool | None = None


class Container(View):
    """A container of a pod's spec."""

    name: str = ""
    image: str = ""
    command: list[str] = []
    args: list[str] = []
    ports: list[ContainerPort] = []
    env: list[EnvVar] = []
    env_from: list[EnvFromSource] = []
    resources: Resources = field(default_factory=Resources)
    liveness_probe: Probe | None = None
    readiness_probe: Probe | None = None
    startup_probe: Probe | None = None
    volume_mounts: list[VolumeMount] = []
    restart_policy: str | None = None
    security_context: SecurityContext | None = None
    lifecycle: dict[str, object] = {}


class ClaimSource(View):
    """A volume from a PersistentVolumeClaim."""

    claim_name: str = ""


class SecretSource(View):
    """A volume from a Secret: its name only."""

    secret_name: str = ""
    optional: bool = False


class ConfigMapSource(View):
    """A volume from a ConfigMap: its name only."""

    name: str = ""
    optional: bool = False


class Volume(View):
    """A volume of a pod. Sources that are not read leave every field empty."""

    name: str = ""
    persistent_volume_claim: ClaimSource | None = None
    secret: SecretSource | None = None
    config_map: ConfigMapSource | None = None
    ephemeral: dict[str, object] | None = None
    empty_dir: dict[str, object] | None = None


class Toleration(View):
    """What taints a pod bears."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class NodeTerm(View):
    """One alternative of a node selector: rules on labels, and on the node's name (what a DaemonSet's pods have)."""

    match_expressions: list[Requirement] = []
    match_fields: list[Requirement] = []

    def holds(self, labels: dict[str, str], name: str) -> bool:
        """True where a node of that name and with these labels meets all rules; a term without rules meets none."""
        fields = {"metadata.name": name}
        rules = [one.holds(labels) for one in self.match_expressions] + [one.holds(fields) for one in self.match_fields]
        return bool(rules) and all(rules)


class NodeTerms(View):
    """Alternatives, one of which must hold."""

    node_selector_terms: list[NodeTerm] = []


class NodeAffinity(View):
    """Required node affinity."""

    required: NodeTerms | None = field(default=None, name="requiredDuringSchedulingIgnoredDuringExecution")


class PodAffinityTerm(View):
    """One required rule against other pods."""

    label_selector: Selector | None = None
    topology_key: str = ""


class PodAntiAffinity(View):
    """Required and preferred rules that keep pods apart."""

    required: list[PodAffinityTerm] = field(default_factory=list, name="requiredDuringSchedulingIgnoredDuringExecution")
    preferred: list[dict[str, object]] = field(
        default_factory=list, name="preferredDuringSchedulingIgnoredDuringExecution"
    )


class Affinity(View):
    """Where a pod may or must not run."""

    node_affinity: NodeAffinity | None = None
    pod_anti_affinity: PodAntiAffinity | None = None


class SpreadConstraint(View):
    """A topology spread constraint."""

    max_skew: int = 1
    topology_key: str = ""
    when_unsatisfiable: str = "DoNotSchedule"
    label_selector: Selector | None = None


class PodSecurityContext(View):
    """What holds for all containers of a pod."""

    fs_group: int | None = None


class PodSpec(View):
    """The part of a pod's spec that explains why it does not run."""

    containers: list[Container] = []
    init_containers: list[Container] = []
    volumes: list[Volume] = []
    node_name: str = ""
    node_selector: dict[str, str] = {}
    affinity: Affinity | None = None
    tolerations: list[Toleration] = []
    topology_spread_constraints: list[SpreadConstraint] = []
    restart_policy: str = "Always"
    scheduler_name: str = "default-scheduler"
    scheduling_gates: list[ObjectReference] = []
    service_account_name: str = ""
    automount_service_account_token: bool | None = None
    image_pull_secrets: list[ObjectReference] = []
    priority: int | None = None
    priority_class_name: str = ""
    readiness_gates: list[dict[str, str]] = []
    host_network: bool = False
    dns_policy: str = ""
    overhead: Amounts = {}
    resources: Resources | None = None
    security_context: PodSecurityContext | None = None

    @property
    def all_containers(self) -> list[Container]:
        """Init containers, then containers."""
        return [*self.init_containers, *self.containers]


class Waiting(View):
    """A container that has not started."""

    reason: str = ""
    message: str = ""


class Running(View):
    """A container that runs."""

    started_at: str | None = None


class Terminated(View):
    """A container that has ended."""

    exit_code: int = 0
    signal: int = 0
    reason: str = ""
    message: str = ""
    started_at: str | None = None
    finished_at: str | None = None


class ContainerState(View):
    """One of the three; none of them counts as waiting."""

    waiting: Waiting | None = None
    running: Running | None = None
    terminated: Terminated | None = None


class ContainerStatus(View):
    """A container's state now and before its last restart."""

    name: str = ""
    image: str = ""
    ready: bool = False
    started: bool | None = None
    restart_count: int = 0
    state: ContainerState = field(default_factory=ContainerState)
    last_state: ContainerState = field(default_factory=ContainerState)


class PodStatus(View):
    """A pod's status."""

    phase: str = ""
    reason: str = ""
    message: str = ""
    conditions: list[Condition] = []
    container_statuses: list[ContainerStatus] = []
    init_container_statuses: list[ContainerStatus] = []
    start_time: str | None = None
    pod_ip: str = field(default="", name="podIP")
    qos_class: str = ""


class Pod(Identified):
    """A pod."""

    spec: PodSpec = field(default_factory=PodSpec)
    status: PodStatus = field(default_factory=PodStatus)

    @property
    def finished(self) -> bool:
        """True where no container will run again: Succeeded or Failed."""
        return self.status.phase in ("Succeeded", "Failed")

    @property
    def ready(self) -> bool:
        """True where the condition Ready says so."""
        return any(one.type == "Ready" and one.status == "True" for one in self.status.conditions)

    @property
    def terminating(self) -> bool:
        """True where a deletion was asked for."""
        return self.metadata.deletion_timestamp is not None

    @property
    def claims(self) -> list[str]:
        """Names of the PersistentVolumeClaims it mounts, those of ephemeral volumes included."""
        named = [one.persistent_volume_claim.claim_name for one in self.spec.volumes if one.persistent_volume_claim]
        return named + [f"{self.name}-{one.name}" for one in self.spec.volumes if one.ephemeral is not None]

    def container(self, name: str) -> Container | None:
        """The container or init container of that name."""
        return next((one for one in self.spec.all_containers if one.name == name), None)
