# ruff: noqa: RUF012 -- msgspec copies an empty default for every struct
"""Views of what makes pods and of what scales or guards them."""

from __future__ import annotations

from typing import Any

from msgspec import field

from kubectl_berth.cluster.views.base import Condition, Identified, Meta, Selector, View
from kubectl_berth.cluster.views.pods import PodSpec
from kubectl_berth.records import Ref


class PodTemplate(View):
    """The pods a workload makes."""

    metadata: Meta = field(default_factory=Meta)
    spec: PodSpec = field(default_factory=PodSpec)


class RollingUpdate(View):
    """How many pods an update may add, take away or leave alone."""

    max_surge: int | str | None = None
    max_unavailable: int | str | None = None
    partition: int | None = None


class Strategy(View):
    """How pods are replaced."""

    type: str = ""
    rolling_update: RollingUpdate | None = None


class ClaimTemplate(View):
    """The claim that a StatefulSet makes for each of its pods: its name is the first part of the claim's."""

    metadata: Meta = field(default_factory=Meta)


class ClaimRetention(View):
    """What becomes of a StatefulSet's claims: "Retain", "Delete", absent for "Retain"."""

    when_deleted: str = ""
    when_scaled: str = ""


class WorkloadSpec(View):
    """The spec of a Deployment, ReplicaSet, StatefulSet or DaemonSet; `replicas` absent means 1."""

    replicas: int | None = None
    selector: Selector | None = None
    template: PodTemplate = field(default_factory=PodTemplate)
    paused: bool = False
    strategy: Strategy | None = None
    update_strategy: Strategy | None = None
    pod_management_policy: str = ""
    volume_claim_templates: list[ClaimTemplate] = []
    persistent_volume_claim_retention_policy: ClaimRetention | None = None


class WorkloadStatus(View):
    """The status of any of them; counts that a kind does not have are 0."""

    observed_generation: int | None = None
    replicas: int = 0
    ready_replicas: int = 0
    updated_replicas: int = 0
    current_replicas: int = 0
    current_revision: str = ""
    update_revision: str = ""
    desired_number_scheduled: int = 0
    current_number_scheduled: int = 0
    updated_number_scheduled: int = 0
    number_ready: int = 0
    conditions: list[Condition] = []


class ManagedField(View):
    """Who set which fields of an object."""

    manager: str = ""
    subresource: str = ""
    time: str | None = None
    fields_v1: Any = None

    @property
    def sets_replicas(self) -> bool:
        """True for one that applies spec.replicas, other than by scaling."""
        fields = self.fields_v1 if isinstance(self.fields_v1, dict) else {}
        spec = fields.get("f:spec")
        return isinstance(spec, dict) and "f:replicas" in spec and self.subresource != "scale"


class WorkloadMeta(Meta):
    """Metadata, with who set what."""

    managed_fields: list[ManagedField] = []


class Workload(Identified):
    """A Deployment, ReplicaSet, StatefulSet or DaemonSet; `kind` says which."""

    metadata: WorkloadMeta = field(default_factory=WorkloadMeta)
    spec: WorkloadSpec = field(default_factory=WorkloadSpec)
    status: WorkloadStatus = field(default_factory=WorkloadStatus)

    @property
    def desired(self) -> int:
        """How many pods there should be."""
        if self.kind == "DaemonSet":
            return self.status.desired_number_scheduled
        return 1 if self.spec.replicas is None else self.spec.replicas

    @property
    def ready(self) -> int:
        """How many pods are ready."""
        return self.status.number_ready if self.kind == "DaemonSet" else self.status.ready_replicas

    @property
    def updated(self) -> int:
        """How many pods come from the present template."""
        return self.status.updated_number_scheduled if self.kind == "DaemonSet" else self.status.updated_replicas

    @property
    def observed(self) -> bool:
        """False where the controller has not yet seen the present spec."""
        return (self.status.observed_generation or 0) >= (self.metadata.generation or 0)

    @property
    def revision(self) -> int:
        """The rollout a ReplicaSet or Deployment is at; 0 where it says nothing."""
        text = self.metadata.annotations.get("deployment.kubernetes.io/revision", "")
        return int(text) if text.isdigit() else 0


Deployment = ReplicaSet = StatefulSet = DaemonSet = Workload


class JobSpec(View):
    """A Job's spec."""

    parallelism: int | None = None
    completions: int | None = None
    backoff_limit: int | None = None
    active_deadline_seconds: int | None = None
    suspend: bool = False
    template: PodTemplate = field(default_factory=PodTemplate)


class JobStatus(View):
    """A Job's status."""

    active: int = 0
    succeeded: int = 0
    failed: int = 0
    ready: int = 0
    start_time: str | None = None
    conditions: list[Condition] = []


class Job(Identified):
    """A Job."""

    spec: JobSpec = field(default_factory=JobSpec)
    status: JobStatus = field(default_factory=JobStatus)

    def outcome(self) -> Condition | None:
        """The condition that ended it: Complete or Failed, True; None while it may still run."""
        return next(
            (c for c in self.status.conditions if c.type in ("Complete", "Failed") and c.status == "True"), None
        )


class JobTemplate(View):
    """The Jobs that a CronJob makes."""

    spec: JobSpec = field(default_factory=JobSpec)


class CronJobSpec(View):
    """A CronJob's spec."""

    schedule: str = ""
    time_zone: str | None = None
    suspend: bool = False
    concurrency_policy: str = "Allow"
    starting_deadline_seconds: int | None = None
    job_template: JobTemplate = field(default_factory=JobTemplate)


class JobReference(View):
    """A Job that runs now."""

    name: str = ""
    uid: str = ""


class CronJobStatus(View):
    """A CronJob's status."""

    active: list[JobReference] = []
    last_schedule_time: str | None = None
    last_successful_time: str | None = None


class CronJob(Identified):
    """A CronJob."""

    metadata: WorkloadMeta = field(default_factory=WorkloadMeta)
    spec: CronJobSpec = field(default_factory=CronJobSpec)
    status: CronJobStatus = field(default_factory=CronJobStatus)


class ScaleTarget(View):
    """What an autoscaler scales."""

    kind: str = ""
    name: str = ""
    api_version: str = ""


class AutoscalerSpec(View):
    """An autoscaler's bounds; `min_replicas` absent means 1."""

    scale_target_ref: ScaleTarget = field(default_factory=ScaleTarget)
    min_replicas: int | None = None
    max_replicas: int = 0
    metrics: list[dict[str, object]] = []


class AutoscalerStatus(View):
    """An autoscaler's view of its target."""

    current_replicas: int = 0
    desired_replicas: int = 0
    conditions: list[Condition] = []


class HorizontalPodAutoscaler(Identified):
    """An autoscaler (autoscaling/v2)."""

    spec: AutoscalerSpec = field(default_factory=AutoscalerSpec)
    status: AutoscalerStatus = field(default_factory=AutoscalerStatus)

    @property
    def target(self) -> Ref:
        """What it scales."""
        return Ref(self.spec.scale_target_ref.kind, self.namespace, self.spec.scale_target_ref.name)


class BudgetSpec(View):
    """A disruption budget's spec."""

    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    selector: Selector | None = None
    unhealthy_pod_eviction_policy: str | None = None


class BudgetStatus(View):
    """A disruption budget's counts."""

    disruptions_allowed: int = 0
    current_healthy: int = 0
    desired_healthy: int = 0
    expected_pods: int = 0
    observed_generation: int | None = None
    disrupted_pods: dict[str, str] = {}
    conditions: list[Condition] = []


class PodDisruptionBudget(Identified):
    """A disruption budget."""

    spec: BudgetSpec = field(default_factory=BudgetSpec)
    status: BudgetStatus = field(default_factory=BudgetStatus)
