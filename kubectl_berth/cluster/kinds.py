"""The kinds that Kubernetes itself serves, by server version, in the order of its own discovery."""

from __future__ import annotations

import re
from functools import lru_cache

from kubectl_berth.cluster.cluster import Kind

NEWEST = "v1.36.0"
"""The newest server version whose kinds are known here; newer servers are taken for this one."""

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_VERBS = {
    "": ALL_VERBS,
    "create": ("create",),
    "read": ("get", "list"),
    "no-collection": ("create", "delete", "get", "list", "patch", "update", "watch"),
}

# A line with one word opens a group version ("core" is the group ""); "since"/"until" are minor versions of the server
# (until is the first one without it). Other lines: plural Kind Namespaced|Cluster short,names options.
_TABLE = """
core/v1
bindings Binding Namespaced - verbs=create
componentstatuses ComponentStatus Cluster cs verbs=read
configmaps ConfigMap Namespaced cm
endpoints Endpoints Namespaced ep
events Event Namespaced ev
limitranges LimitRange Namespaced limits
namespaces Namespace Cluster ns verbs=no-collection
nodes Node Cluster no
persistentvolumeclaims PersistentVolumeClaim Namespaced pvc
persistentvolumes PersistentVolume Cluster pv
pods Pod Namespaced po in=all
podtemplates PodTemplate Namespaced -
replicationcontrollers ReplicationController Namespaced rc in=all
resourcequotas ResourceQuota Namespaced quota
secrets Secret Namespaced -
serviceaccounts ServiceAccount Namespaced sa
services Service Namespaced svc in=all
apiregistration.k8s.io/v1
apiservices APIService Cluster - in=api-extensions
apps/v1
controllerrevisions ControllerRevision Namespaced -
daemonsets DaemonSet Namespaced ds in=all
deployments Deployment Namespaced deploy in=all
replicasets ReplicaSet Namespaced rs in=all
statefulsets StatefulSet Namespaced sts in=all
events.k8s.io/v1
events Event Namespaced ev
authentication.k8s.io/v1
selfsubjectreviews SelfSubjectReview Cluster - verbs=create
tokenreviews TokenReview Cluster - verbs=create
authorization.k8s.io/v1
localsubjectaccessreviews LocalSubjectAccessReview Namespaced - verbs=create
selfsubjectaccessreviews SelfSubjectAccessReview Cluster - verbs=create
selfsubjectrulesreviews SelfSubjectRulesReview Cluster - verbs=create
subjectaccessreviews SubjectAccessReview Cluster - verbs=create
autoscaling/v2
horizontalpodautoscalers HorizontalPodAutoscaler Namespaced hpa in=all
autoscaling/v1
horizontalpodautoscalers HorizontalPodAutoscaler Namespaced hpa in=all
batch/v1
cronjobs CronJob Namespaced cj in=all
jobs Job Namespaced - in=all
certificates.k8s.io/v1
certificatesigningrequests CertificateSigningRequest Cluster csr
networking.k8s.io/v1
ingressclasses IngressClass Cluster -
ingresses Ingress Namespaced ing
ipaddresses IPAddress Cluster ip since=33
networkpolicies NetworkPolicy Namespaced netpol
servicecidrs ServiceCIDR Cluster - since=33
policy/v1
poddisruptionbudgets PodDisruptionBudget Namespaced pdb
rbac.authorization.k8s.io/v1
clusterrolebindings ClusterRoleBinding Cluster -
clusterroles ClusterRole Cluster -
rolebindings RoleBinding Namespaced -
roles Role Namespaced -
storage.k8s.io/v1
csidrivers CSIDriver Cluster -
csinodes CSINode Cluster -
csistoragecapacities CSIStorageCapacity Namespaced -
storageclasses StorageClass Cluster sc
volumeattachments VolumeAttachment Cluster -
volumeattributesclasses VolumeAttributesClass Cluster vac since=34
admissionregistration.k8s.io/v1
mutatingadmissionpolicies MutatingAdmissionPolicy Cluster - in=api-extensions since=36
mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding Cluster - in=api-extensions since=36
mutatingwebhookconfigurations MutatingWebhookConfiguration Cluster - in=api-extensions
validatingadmissionpolicies ValidatingAdmissionPolicy Cluster - in=api-extensions since=30
validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding Cluster - in=api-extensions since=30
validatingwebhookconfigurations ValidatingWebhookConfiguration Cluster - in=api-extensions
apiextensions.k8s.io/v1
customresourcedefinitions CustomResourceDefinition Cluster crd,crds in=api-extensions
scheduling.k8s.io/v1
priorityclasses PriorityClass Cluster pc
coordination.k8s.io/v1
leases Lease Namespaced -
node.k8s.io/v1
runtimeclasses RuntimeClass Cluster -
discovery.k8s.io/v1
endpointslices EndpointSlice Namespaced -
resource.k8s.io/v1
deviceclasses DeviceClass Cluster - since=34
resourceclaims ResourceClaim Namespaced - since=34
resourceclaimtemplates ResourceClaimTemplate Namespaced - since=34
resourceslices ResourceSlice Cluster - since=34
flowcontrol.apiserver.k8s.io/v1
flowschemas FlowSchema Cluster - since=29
prioritylevelconfigurations PriorityLevelConfiguration Cluster - since=29
flowcontrol.apiserver.k8s.io/v1beta3
flowschemas FlowSchema Cluster - until=32
prioritylevelconfigurations PriorityLevelConfiguration Cluster - until=32
"""

_METRICS = ("metrics.k8s.io", "v1beta1")
METRICS_KINDS = (
    Kind(*_METRICS, "NodeMetrics", "nodes", False, "", verbs=("get", "list")),
    Kind(*_METRICS, "PodMetrics", "pods", True, "", verbs=("get", "list")),
)
"""What metrics-server serves where it is there. Its singular names are "", as its own discovery says."""

_WITH_STATUS = """
apiregistration.k8s.io/apiservices apps/daemonsets apps/deployments apps/replicasets apps/statefulsets
autoscaling/horizontalpodautoscalers batch/cronjobs batch/jobs certificates.k8s.io/certificatesigningrequests
networking.k8s.io/ingresses networking.k8s.io/servicecidrs policy/poddisruptionbudgets
storage.k8s.io/volumeattachments admissionregistration.k8s.io/validatingadmissionpolicies
apiextensions.k8s.io/customresourcedefinitions resource.k8s.io/resourceclaims
flowcontrol.apiserver.k8s.io/flowschemas flowcontrol.apiserver.k8s.io/prioritylevelconfigurations
/namespaces /nodes /persistentvolumeclaims /persistentvolumes /pods /replicationcontrollers /resourcequotas /services
"""
_MORE = {
    "/namespaces": "finalize",
    "/nodes": "proxy",
    "/pods": "attach binding ephemeralcontainers eviction exec log portforward proxy resize",
    "/replicationcontrollers": "scale",
    "/serviceaccounts": "token",
    "/services": "proxy",
    "apps/deployments": "scale",
    "apps/replicasets": "scale",
    "apps/statefulsets": "scale",
    "certificates.k8s.io/certificatesigningrequests": "approval",
}
_SUBRESOURCE_VERBS = {
    "attach": ("create", "get"),
    "binding": ("create",),
    "eviction": ("create",),
    "exec": ("create", "get"),
    "finalize": ("update",),
    "log": ("get",),
    "portforward": ("create", "get"),
    "proxy": ("create", "delete", "get", "patch", "update"),
    "token": ("create",),
}


def subresources(kind: Kind) -> dict[str, tuple[str, ...]]:
    """The subresources of a built-in kind with their verbs, sorted by name; {} for any other kind."""
    place = f"{kind.group}/{kind.plural}"
    names = _MORE.get(place, "").split() + ["status"] * (place in _WITH_STATUS.split())
    return {name: _SUBRESOURCE_VERBS.get(name, ("get", "patch", "update")) for name in sorted(names)}


def minor(version: str) -> int:
    """The minor number of a server version ("v1.33.4-eks-1" is 33); that of NEWEST where it cannot be read."""
    found = re.match(r"v?1\.(\d+)", version) or re.match(r"v?1\.(\d+)", NEWEST)
    return int(found.group(1)) if found else 0


def builtin_kinds(version: str) -> tuple[Kind, ...]:
    """The kinds a server of `version` ("v1.33.4") serves by itself, the preferred version of a group first.

    metrics.k8s.io is not among them: see METRICS_KINDS.
    """
    return _kinds(min(minor(version), minor(NEWEST)))


@lru_cache(maxsize=8)
def _kinds(server_minor: int) -> tuple[Kind, ...]:
    kinds: list[Kind] = []
    group = version = ""
    preferred: dict[tuple[str, str], str] = {}
    for line in _TABLE.split("\n"):
        words = line.split()
        if len(words) == 1:
            group, _, version = words[0].partition("/")
            group = "" if group == "core" else group
        elif words:
            options = dict(word.split("=", 1) for word in words[4:])
            if int(options.get("since", 0)) <= server_minor < int(options.get("until", 10_000)):
                first = preferred.setdefault((group, words[0]), version)
                kinds.append(_kind(group, version, words, options, first == version))
    return tuple(kinds)


def _kind(group: str, version: str, words: list[str], options: dict[str, str], preferred: bool) -> Kind:
    plural, kind, scope, short = words[:4]
    return Kind(
        group,
        version,
        kind,
        plural,
        scope == "Namespaced",
        kind.lower(),
        () if short == "-" else tuple(short.split(",")),
        tuple(word for word in (options.get("in", ""),) if word),
        _VERBS[options.get("verbs", "")],
        preferred,
    )
