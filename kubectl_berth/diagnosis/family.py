"""What belongs to an object, and which findings concern it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set

from kubectl_berth.cluster.views import HorizontalPodAutoscaler, Ingress, Pod, PodDisruptionBudget, Selector, Service
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.producers import producers
from kubectl_berth.diagnosis.relations import network_pods
from kubectl_berth.records import Finding, Ref


def family_of(ref: Ref, inventory: Inventory) -> set[Ref]:
    """The object, its owners, what it owns, and what stands in front of it, scales it, guards it or feeds it."""
    family = {ref}
    view = inventory.find(ref)
    if view is None or ref.kind == "Namespace":
        return family
    if ref.kind == "Node":
        return {*family, *network_pods(inventory, view)}
    family.update(inventory.owners(view))
    family.update(below.ref for below in inventory.descendants(ref))
    if isinstance(view, Ingress):
        for name in _backends(view):
            family |= family_of(Ref("Service", ref.namespace, name), inventory)
        family.update(_issued(view, inventory))
        return family
    if isinstance(view, HorizontalPodAutoscaler):
        family |= family_of(view.target, inventory)
        return family
    pods = inventory.pods_of(ref)
    for pod in pods:
        family.add(pod.ref)
        family.update(inventory.owners(pod))
        family.update(Ref("PersistentVolumeClaim", pod.namespace, claim) for claim in pod.claims)
    family.update(_feeding(pods, inventory))
    family.update(_around(ref.namespace, pods, family, inventory))
    return family


def _issued(ingress: Ingress, inventory: Inventory) -> Iterable[Ref]:
    """The operator's objects that fill the Secrets an Ingress takes its certificates from."""
    for name in sorted({one.secret_name for one in ingress.spec.tls if one.secret_name}):
        yield from (one.resource.ref for one in producers(inventory, Ref("Secret", ingress.namespace, name)))


def _feeding(pods: Sequence[Pod], inventory: Inventory) -> Iterable[Ref]:
    """The operator's objects that fill the Secrets and ConfigMaps that pods take settings and files from."""
    for ref in sorted({ref for pod in pods for ref in _settings(pod)}):
        yield from (one.resource.ref for one in producers(inventory, ref))


def _settings(pod: Pod) -> Iterable[Ref]:
    """The Secrets and ConfigMaps that a pod's volumes and variables name."""
    for volume in pod.spec.volumes:
        if volume.secret:
            yield Ref("Secret", pod.namespace, volume.secret.secret_name)
        if volume.config_map:
            yield Ref("ConfigMap", pod.namespace, volume.config_map.name)
    for container in pod.spec.all_containers:
        for whole in container.env_from:
            if whole.secret_ref:
                yield Ref("Secret", pod.namespace, whole.secret_ref.name)
            if whole.config_map_ref:
                yield Ref("ConfigMap", pod.namespace, whole.config_map_ref.name)
        for source in (variable.value_from for variable in container.env):
            if source and source.secret_key_ref:
                yield Ref("Secret", pod.namespace, source.secret_key_ref.name)
            if source and source.config_map_key_ref:
                yield Ref("ConfigMap", pod.namespace, source.config_map_key_ref.name)


def _around(namespace: str, pods: Sequence[Pod], family: set[Ref], inventory: Inventory) -> Iterable[Ref]:
    def behind(selector: Selector | None) -> bool:
        return selector is not None and any(selector.matches(pod.metadata.labels) for pod in pods)

    services = [one for one in inventory.services if one.namespace == namespace and _fronts(one, behind, family)]
    yield from (service.ref for service in services)
    fronting = {ref.name for ref in family if ref.kind == "Service"} | {one.name for one in services}
    for ingress in inventory.ingresses:
        if ingress.namespace == namespace and _backends(ingress) & fronting:
            yield ingress.ref
    for scaler in inventory.autoscalers:
        if scaler.target in family:
            yield scaler.ref
    for rule in inventory.network_policies:
        if rule.namespace == namespace and behind(rule.spec.pod_selector):
            yield rule.ref
    for budget in inventory.budgets:
        if isinstance(budget, PodDisruptionBudget) and budget.namespace == namespace and behind(budget.spec.selector):
            yield budget.ref


def _fronts(service: Service, behind: Callable[[Selector | None], bool], family: set[Ref]) -> bool:
    """True where the Service selects the pods, or bears the workload's name: its selector may be what is wrong."""
    named = any(ref.name == service.name and ref.namespace == service.namespace for ref in family)
    selects = bool(service.spec.selector) and behind(Selector(match_labels=service.spec.selector))
    return bool(named or selects)


def _backends(view: Ingress) -> set[str]:
    paths = [path for rule in view.spec.rules if rule.http for path in rule.http.paths]
    named = {path.backend.service.name for path in paths if path.backend.service}
    if view.spec.default_backend and view.spec.default_backend.service:
        named.add(view.spec.default_backend.service.name)
    return named


def concerning(findings: Sequence[Finding], family: Set[Ref]) -> list[Finding]:
    """Findings about the family, those that hit it, and those that explain either; in their given order."""
    chosen = {i for i, one in enumerate(findings) if one.subject in family or any(e in family for e in one.effects)}
    while True:
        wanted = {findings[i].caused_by for i in chosen} - {None}
        more = {i for i, one in enumerate(findings) if one.subject in wanted} - chosen
        if not more:
            return [findings[i] for i in sorted(chosen)]
        chosen |= more


def inside(findings: Sequence[Finding], namespaces: Sequence[str]) -> list[Finding]:
    """Findings in namespaces, about them, or that hit something in them."""
    spaces = set(namespaces)
    here = {
        member
        for one in findings
        for member in (one.subject, *one.effects)
        if member.namespace in spaces or (member.kind == "Namespace" and member.name in spaces)
    }
    return concerning(findings, here)
