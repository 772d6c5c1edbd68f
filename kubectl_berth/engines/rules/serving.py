"""What still works around a fault, and where a log's hosts lead: read from endpoints, revisions and ready pods."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kubectl_berth.cluster.views import CustomResource, Identified, Pod, Selector, Service, Workload, age, parse_time
from kubectl_berth.diagnosis.checks.operators import reporters_for
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.records import Ref

_LEADER = re.compile(r"primary|leader|master|writer", re.IGNORECASE)


def serving(inventory: Inventory, subjects: Sequence[Ref]) -> list[str]:
    """Sentences on what of the subjects still serves: old revisions, the primary, Services with ready endpoints."""
    told: list[str] = []
    for ref in subjects:
        view = inventory.find(ref)
        if view is None or ref.kind in ("Node", "Namespace", "Service"):
            continue
        pods = [pod for pod in inventory.pods_of(ref) if not pod.finished and not pod.terminating]
        if isinstance(view, Workload) and ref.kind == "Deployment":
            told.extend(_old_revisions(view, pods, inventory))
        if isinstance(view, CustomResource):
            told.extend(_leader(view, pods))
        told.extend(_services(inventory, ref.namespace, pods))
    return list(dict.fromkeys(told))


def rolling(inventory: Inventory, subjects: Sequence[Ref]) -> list[Ref]:
    """Deployments among the subjects of which an old revision serves while the new one is not ready."""
    found = []
    for ref in subjects:
        view = inventory.find(ref)
        if isinstance(view, Workload) and ref.kind == "Deployment":
            pods = [pod for pod in inventory.pods_of(ref) if not pod.finished and not pod.terminating]
            if _old_revisions(view, pods, inventory):
                found.append(ref)
    return found


def _old_revisions(view: Workload, pods: Sequence[Pod], inventory: Inventory) -> list[str]:
    """The ready pods of a revision that is being replaced."""
    sets = [
        below for below in inventory.children(view.ref) if isinstance(below, Workload) and below.kind == "ReplicaSet"
    ]
    if len(sets) < 2:
        return []
    newest = max(sets, key=lambda one: (one.revision, one.metadata.creation_timestamp or ""))
    fresh = [pod for pod in pods if inventory.owner(pod) == newest.ref]
    if fresh and all(pod.ready for pod in fresh):
        return []
    told = []
    for old in sets:
        ready = [pod for pod in pods if pod.ready and inventory.owner(pod) == old.ref]
        if old.ref == newest.ref or not ready:
            continue
        images = ", ".join(one.image for one in old.spec.template.spec.containers)
        told.append(
            f"{_count(len(ready), 'old pod')} of the previous revision (ReplicaSet {old.name}, image {images}) "
            f"still {'runs and serves' if len(ready) == 1 else 'run and serve'}: no outage"
        )
    return told


def _leader(view: CustomResource, pods: Sequence[Pod]) -> list[str]:
    """The instance that the operator calls primary, if it is ready."""
    named = leader_of(view, pods)
    if named is None:
        return []
    if named.ready:
        return [f"The primary {named.name} is ready, so {view.kind} {view.name} still serves"]
    return [f"The primary {named.name} is not ready: {view.kind} {view.name} may not serve writes"]


def leader_of(view: CustomResource, pods: Sequence[Pod]) -> Pod | None:
    """The pod that the status or the pods' labels call primary, leader or master; None where nobody says."""
    by_name = {pod.name: pod for pod in pods}
    status = view.status if isinstance(view.status, dict) else {}
    for key in sorted(status, key=lambda name: (not str(name).lower().startswith("current"), str(name))):
        value = status[key]
        if isinstance(value, str) and _LEADER.search(str(key)) and value in by_name:
            return by_name[value]
    for pod in pods:
        for key, value in pod.metadata.labels.items():
            if "role" in key.lower() and _LEADER.fullmatch(value):
                return pod
    return None


def _services(inventory: Inventory, namespace: str, pods: Sequence[Pod]) -> list[str]:
    """The Services in front of these pods, with their ready endpoints."""
    told = []
    for service in inventory.services:
        if service.namespace != namespace or not service.spec.selector:
            continue
        selector = Selector(match_labels=service.spec.selector)
        if not any(selector.matches(pod.metadata.labels) for pod in pods):
            continue
        state = endpoints_of(inventory, service)
        if state is not None and state.ready:
            told.append(f"{service.ref} has {state}")
    return told


@dataclass(frozen=True)
class Endpoints:
    """How many endpoints of a Service are ready, of how many."""

    ready: int
    total: int

    def __str__(self) -> str:
        of = f" of {self.total}" if self.total != self.ready else ""
        return f"{self.ready}{of} ready endpoint{'' if self.total == 1 else 's'}"


def endpoints_of(inventory: Inventory, service: Service) -> Endpoints | None:
    """The endpoints of a Service; None where the slices were not read."""
    if "endpoint_slices" in inventory.unread:
        return None
    slices = inventory.slices_of.get((service.namespace, service.name), [])
    if not slices and not inventory.endpoint_slices:
        return None
    addresses = [endpoint for one in slices for endpoint in one.endpoints]
    return Endpoints(sum(endpoint.ready for endpoint in addresses), len(addresses))


def figure(inventory: Inventory, ref: Ref) -> str:
    """How much of an object is up: "2 of 3 pods ready", "" where there is nothing to count."""
    view = inventory.find(ref)
    if isinstance(view, Workload) and ref.kind != "ReplicaSet":
        wanted = view.desired
        return (
            f"{view.status.ready_replicas if ref.kind != 'DaemonSet' else view.status.number_ready} of {wanted} ready"
        )
    if isinstance(view, Service):
        state = endpoints_of(inventory, view)
        return str(state) if state else ""
    if isinstance(view, CustomResource) and (until := valid_until(view)):
        end = parse_time(until)
        return f"expired {age(inventory.now, until)} ago" if end and end < inventory.now else f"valid until {until}"
    pods = [pod for pod in inventory.pods_of(ref) if not pod.finished] if view is not None else []
    if not pods or ref.kind in ("Job", "CronJob", "PersistentVolumeClaim"):
        return ""
    if ref.kind == "Pod":
        return "ready" if pods[0].ready else "not ready"
    of = f" of namespace {inventory.namespace}" if ref.kind == "Node" and inventory.namespace is not None else ""
    return f"{sum(pod.ready for pod in pods)} of {len(pods)} pods{of} ready"


def valid_until(view: CustomResource) -> str:
    """The time that a status gives for the end of what it stands for (a certificate, a lease), "" without one."""
    status = view.status if isinstance(view.status, dict) else {}
    found = (value for key, value in status.items() if re.fullmatch(r"notAfter|expir\w*|validUntil", str(key)))
    return next((value for value in found if isinstance(value, str) and parse_time(value) is not None), "")


# --- the operator ---------------------------------------------------------------------------------------------------

_COMMON = frozenset(
    "io com org net dev cloud app apps api apis core k8s kube kubernetes operator operators controller manager system "
    "x-k8s toolkit cluster stack the database db".split()
)


@dataclass(frozen=True)
class Operator:
    """Who serves a group's kinds: the workload, the names it goes by, whether it is up."""

    ref: Ref
    called: str
    up: bool


def operator_of(api_version: str, inventory: Inventory) -> Operator | None:
    """The workload that seems to reconcile a group: the one behind its webhooks, or the one that bears its name.

    Found from names, labels and images, never from a list of operators.
    """
    group = api_version.rpartition("/")[0]
    for found in _behind_webhooks(group, inventory):
        if isinstance(found, Workload):
            return _operator(_principal(found, inventory))
    if reporters := reporters_for(inventory, group):
        return _operator(reporters[0])
    tokens = {part for part in re.split(r"[.-]", group) if len(part) > 2} - _COMMON
    best: tuple[int, Workload] | None = None
    for workload in (*inventory.deployments, *inventory.stateful_sets):
        weight = _likeness(workload, tokens)
        if weight and (best is None or weight > best[0]):
            best = (weight, workload)
    return _operator(best[1]) if best else None


def _behind_webhooks(group: str, inventory: Inventory) -> Iterable[Identified | None]:
    for configuration in (*inventory.validating_webhooks, *inventory.mutating_webhooks):
        for hook in configuration.webhooks:
            if not any(group in rule.api_groups for rule in hook.rules):
                continue
            service = hook.client_config.service
            if service is None:
                continue
            for pod in inventory.pods_of(Ref("Service", service.namespace, service.name)):
                yield inventory.find(inventory.workload(pod))


def _principal(workload: Workload, inventory: Inventory) -> Workload:
    """The operator beside its webhook's own workload: "issuer" for "issuer-webhook"."""
    name = re.sub(r"[-_](?:admission[-_])?webhooks?(?:[-_]server)?$", "", workload.name)
    beside = inventory.find(Ref(workload.kind, workload.namespace, name))
    return beside if isinstance(beside, Workload) else workload


def _likeness(workload: Workload, tokens: set[str]) -> int:
    """How surely a workload is an operator of the group that these tokens come from."""
    text = " ".join((workload.namespace, workload.name, *workload.metadata.labels.values()))
    names = set(re.split(r"[^a-z0-9]+", text.lower()))
    runs = bool(re.search(r"operator|controller|manager", f"{workload.name} {workload.namespace}", re.IGNORECASE))
    shared = tokens & names
    if not shared or not runs:
        return 0
    return 2 * len(shared) + bool(shared & set(workload.name.split("-")))


def _operator(workload: Workload) -> Operator:
    return Operator(workload.ref, product(workload), workload.status.ready_replicas > 0)


_NAME_LABELS = ("app.kubernetes.io/part-of", "app.kubernetes.io/name", "helm.sh/chart", "app", "name", "k8s-app")
_ROLE = re.compile(r"[-_](?:controller(?:[-_]manager)?|operator|manager|webhook|server|deployment|v?\d[\w.]*)$")


_ROLES = frozenset("webhook controller-manager server cainjector manager deployment".split())


def product(workload: Workload) -> str:
    """What the product calls itself, as labels and images say it: the name that most of them agree on."""
    labels = workload.metadata.labels
    said = [labels[key] for key in _NAME_LABELS if labels.get(key)]
    for container in workload.spec.template.spec.containers[:1]:
        said += [part for part in re.split(r"[:@]", container.image)[0].split("/")[-2:] if "." not in part]
    names = [plain for one in said if (plain := _without_role(one)) and plain not in _COMMON | _ROLES]
    if not names:
        return said[0] if said else ""
    return max(names, key=lambda name: (names.count(name), -names.index(name)))


def _without_role(name: str) -> str:
    """ "cert-manager-v1.14" -> "cert-manager", "strimzi-cluster-operator" -> "strimzi-cluster"."""
    for _ in range(3):
        cut = _ROLE.sub("", name)
        if cut == name or cut in ("", "cert"):
            return name
        name = cut
    return name


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
