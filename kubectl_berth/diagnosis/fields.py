"""Which kinds the checks look at, and in which field of the inventory each of them lies."""

from __future__ import annotations

from collections.abc import Mapping

from kubectl_berth.cluster.cluster import BUILTIN_GROUPS
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
    Service,
    ServiceAccount,
    StorageClass,
    VolumeAttachment,
    WebhookConfiguration,
    Workload,
)

TYPES: Mapping[tuple[str, str], tuple[str, type[Identified]]] = {
    ("", "Pod"): ("pods", Pod),
    ("", "Node"): ("nodes", Node),
    ("", "Namespace"): ("namespaces", Namespace),
    ("apps", "Deployment"): ("deployments", Workload),
    ("apps", "ReplicaSet"): ("replica_sets", Workload),
    ("apps", "StatefulSet"): ("stateful_sets", Workload),
    ("apps", "DaemonSet"): ("daemon_sets", Workload),
    ("batch", "Job"): ("jobs", Job),
    ("batch", "CronJob"): ("cron_jobs", CronJob),
    ("", "Service"): ("services", Service),
    ("discovery.k8s.io", "EndpointSlice"): ("endpoint_slices", EndpointSlice),
    ("networking.k8s.io", "Ingress"): ("ingresses", Ingress),
    ("networking.k8s.io", "IngressClass"): ("ingress_classes", IngressClass),
    ("networking.k8s.io", "NetworkPolicy"): ("network_policies", NetworkPolicy),
    ("", "PersistentVolumeClaim"): ("claims", PersistentVolumeClaim),
    ("", "PersistentVolume"): ("volumes", PersistentVolume),
    ("storage.k8s.io", "StorageClass"): ("storage_classes", StorageClass),
    ("storage.k8s.io", "VolumeAttachment"): ("attachments", VolumeAttachment),
    ("storage.k8s.io", "CSINode"): ("csi_nodes", CSINode),
    ("storage.k8s.io", "CSIDriver"): ("csi_drivers", CSIDriver),
    ("", "ResourceQuota"): ("quotas", ResourceQuota),
    ("", "LimitRange"): ("limit_ranges", LimitRange),
    ("autoscaling", "HorizontalPodAutoscaler"): ("autoscalers", HorizontalPodAutoscaler),
    ("policy", "PodDisruptionBudget"): ("budgets", PodDisruptionBudget),
    ("", "ServiceAccount"): ("service_accounts", ServiceAccount),
    ("rbac.authorization.k8s.io", "Role"): ("roles", Role),
    ("rbac.authorization.k8s.io", "ClusterRole"): ("cluster_roles", Role),
    ("rbac.authorization.k8s.io", "RoleBinding"): ("role_bindings", RoleBinding),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): ("cluster_role_bindings", RoleBinding),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): ("validating_webhooks", WebhookConfiguration),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): ("mutating_webhooks", WebhookConfiguration),
    ("apiregistration.k8s.io", "APIService"): ("api_services", APIService),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): ("definitions", CustomResourceDefinition),
    ("coordination.k8s.io", "Lease"): ("leases", Lease),
    ("certificates.k8s.io", "CertificateSigningRequest"): ("signing_requests", CertificateSigningRequest),
    ("", "Event"): ("events", Event),
}
"""API group and kind -> the inventory's field and the view of its objects."""


def field_of(api_version: str, kind: str) -> tuple[str, type[Identified]] | None:
    """The inventory's field and view for a kind; None where the checks do not look at it."""
    group = api_version.rpartition("/")[0]
    known = TYPES.get((group, kind))
    if known is None and "." in group and group not in BUILTIN_GROUPS:
        return "custom", CustomResource
    return known
