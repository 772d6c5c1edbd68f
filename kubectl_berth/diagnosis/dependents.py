"""What hangs on an object: who mounts a claim, who leads to a Service, who takes settings, who sets a thing back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kubectl_berth.cluster.views import CustomResource, Identified, Pod, Service, Workload
from kubectl_berth.cluster.views.pods import PodSpec
from kubectl_berth.diagnosis.checks.surroundings import routed, services_needed
from kubectl_berth.diagnosis.naming import meant, named_in
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.records import Ref

# --- pods as they are made --------------------------------------------------------------------------------------------


def templates(inventory: Inventory, namespace: str) -> Iterator[tuple[Ref, PodSpec]]:
    """Everything of a namespace that makes pods with how it makes them, what is scaled to 0 included; bare pods too."""
    for one in inventory.workloads:
        if one.namespace == namespace:
            yield one.ref, one.spec.template.spec
    for job in inventory.jobs:
        if job.namespace == namespace and inventory.owner(job) is None:
            yield job.ref, job.spec.template.spec
    for cron in inventory.cron_jobs:
        if cron.namespace == namespace:
            yield cron.ref, cron.spec.job_template.spec.template.spec
    seen = {one.ref for one in (*inventory.workloads, *inventory.jobs, *inventory.cron_jobs)}
    told: set[Ref] = set()
    for pod in inventory.pods:
        above = inventory.workload(pod)
        if pod.namespace == namespace and not pod.finished and above not in seen and above not in told:
            told.add(above)
            yield _top(inventory, pod), pod.spec


def _top(inventory: Inventory, pod: Pod) -> Ref:
    """The pod's controller nearest to what a person knows, the pod itself where there is none."""
    return next(iter(inventory.owners(pod)), pod.ref)


# --- claims -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClaimUse:
    """Who uses a claim: pods now, workloads by their template, the StatefulSet or operator that made it.

    `spare` is True where the StatefulSet has fewer replicas now than the claim's number asks for.
    """

    pods: tuple[Pod, ...] = ()
    templates: tuple[Ref, ...] = ()
    stateful_set: Ref | None = None
    spare: bool = False
    owner: Ref | None = None
    named_by: tuple[Ref, ...] = ()

    @property
    def anybody(self) -> bool:
        """True where something mounts it, or would."""
        return bool(self.pods or self.templates or (self.stateful_set and not self.spare))


def claim_use(inventory: Inventory, claim: Ref) -> ClaimUse:
    """Who uses a claim, as far as what was read tells."""
    pods = tuple(
        pod
        for pod in inventory.pods
        if pod.namespace == claim.namespace and not pod.finished and claim.name in pod.claims
    )
    named = tuple(
        ref
        for ref, spec in templates(inventory, claim.namespace)
        if any(v.persistent_volume_claim and v.persistent_volume_claim.claim_name == claim.name for v in spec.volumes)
        and ref.kind != "Pod"
    )
    maker, spare = _maker(inventory, claim)
    view = inventory.find(claim)
    owner = inventory.owner(view) if view is not None else None
    custom = tuple(
        one.ref for one in inventory.custom if one.namespace == claim.namespace and _names_claim(one.spec, claim.name)
    )
    return ClaimUse(pods, named, maker, spare, owner if owner != maker else None, custom)


def _maker(inventory: Inventory, claim: Ref) -> tuple[Ref | None, bool]:
    """The StatefulSet whose claim this is by its name (TEMPLATE-SET-NUMBER), and whether it has no such pod now."""
    front, _, number = claim.name.rpartition("-")
    for one in inventory.stateful_sets:
        if one.namespace != claim.namespace or not number.isdigit():
            continue
        if any(front == f"{template.metadata.name}-{one.name}" for template in one.spec.volume_claim_templates):
            return one.ref, int(number) >= one.desired
    return None, False


def _names_claim(value: Any, name: str, key: str = "", depth: int = 0) -> bool:
    """True where a spec names a claim under a word for one: claimName, existingClaim, pvc."""
    if depth > 8:
        return False
    if isinstance(value, dict):
        return any(_names_claim(inner, name, str(inner_key), depth + 1) for inner_key, inner in value.items())
    if isinstance(value, list):
        return any(_names_claim(inner, name, key, depth + 1) for inner in value[:200])
    return value == name and re.search(r"claim|pvc", key, re.IGNORECASE) is not None


def snapshots(inventory: Inventory, claim: Ref) -> list[CustomResource]:
    """The snapshots of a claim that say of themselves that they can be restored."""
    found = []
    for one in inventory.custom:
        if one.namespace != claim.namespace or not isinstance(one.spec, dict) or not isinstance(one.status, dict):
            continue
        source = one.spec.get("source")
        of = source.get("persistentVolumeClaimName") if isinstance(source, dict) else None
        if of == claim.name and one.status.get("readyToUse") is True:
            found.append(one)
    return found


# --- Services ---------------------------------------------------------------------------------------------------------


def over(inventory: Inventory, view: Workload | Pod) -> list[Service]:
    """The Services whose selector picks the pods of a workload, or a pod."""
    labels = view.metadata.labels if isinstance(view, Pod) else view.spec.template.metadata.labels
    return [
        one
        for one in inventory.services
        if one.namespace == view.namespace and one.spec.selector and one.spec.selector.items() <= labels.items()
    ]


def emptied(inventory: Inventory, services: list[Service], gone: set[Ref]) -> list[Service]:
    """Those Services behind which no pod is ready once these pods are gone."""
    return [
        one
        for one in services
        if not any(pod.ready and not pod.terminating and pod.ref not in gone for pod in inventory.pods_of(one.ref))
    ]


def callers(inventory: Inventory, service: Ref) -> list[Ref]:
    """The Ingresses, routes, webhooks, aggregated APIs and running workloads that lead to a Service or name it."""
    return inventory.once(_callers).get(service, [])


def _callers(inventory: Inventory) -> Mapping[Ref, list[Ref]]:
    found: dict[Ref, list[Ref]] = {}
    for who, service in _leads(inventory):
        if who not in found.setdefault(service, []):
            found[service].append(who)
    return found


def _leads(inventory: Inventory) -> Iterator[tuple[Ref, Ref]]:
    for ingress in inventory.ingresses:
        backends = [path.backend for rule in ingress.spec.rules if rule.http for path in rule.http.paths]
        backends += [ingress.spec.default_backend] if ingress.spec.default_backend else []
        for backend in backends:
            if backend.service:
                yield ingress.ref, Ref("Service", ingress.namespace, backend.service.name)
    for api in inventory.api_services:
        if api.spec.service:
            yield api.ref, Ref("Service", api.spec.service.namespace, api.spec.service.name)
    for one in (*inventory.validating_webhooks, *inventory.mutating_webhooks):
        for hook in one.webhooks:
            if hook.client_config.service:
                called = hook.client_config.service
                yield one.ref, Ref("Service", called.namespace, called.name)
    for resource in inventory.custom:
        for service in routed(resource.spec, resource.namespace):
            yield resource.ref, service
    running = {inventory.workload(pod): pod for pod in inventory.pods if not pod.finished}
    for workload, pod in running.items():
        for service in services_needed(inventory, pod, pod.spec.all_containers):
            yield workload, service


# --- Secrets, ConfigMaps and service accounts -------------------------------------------------------------------------


def takers(inventory: Inventory, kind: str, namespace: str, name: str) -> list[Ref]:
    """Who refers to a Secret or ConfigMap by name: pods' makers, Ingresses, accounts, operators' objects."""
    found = [ref for ref, spec in templates(inventory, namespace) if name in taken(spec, kind)]
    if kind == "Secret":
        found += [
            one.ref
            for one in inventory.ingresses
            if one.namespace == namespace and any(tls.secret_name == name for tls in one.spec.tls)
        ]
    word = kind.lower()
    found += [one.ref for one in inventory.custom if one.namespace == namespace and _names(one.spec, name, word)]
    return list(dict.fromkeys(found))


def taken(spec: PodSpec, kind: str) -> set[str]:
    """The names of the Secrets, or ConfigMaps, that such a pod takes variables, files or pull credentials from."""
    secret = kind == "Secret"
    names = {one.name for one in spec.image_pull_secrets} if secret else set()
    for container in spec.all_containers:
        for variable in container.env:
            source = variable.value_from
            key = (source.secret_key_ref if secret else source.config_map_key_ref) if source else None
            names.add(key.name if key else "")
        for bundle in container.env_from:
            whole = bundle.secret_ref if secret else bundle.config_map_ref
            names.add(whole.name if whole else "")
    for volume in spec.volumes:
        if secret and volume.secret:
            names.add(volume.secret.secret_name)
        elif not secret and volume.config_map:
            names.add(volume.config_map.name)
    return names - {""}


def _names(value: Any, name: str, word: str, under: str = "", depth: int = 0) -> bool:
    """True where a spec holds the name below a key that speaks of a secret or a config map."""
    if depth > 8:
        return False
    if isinstance(value, dict):
        return any(_names(inner, name, word, f"{under}.{key}", depth + 1) for key, inner in value.items())
    if isinstance(value, list):
        return any(_names(inner, name, word, under, depth + 1) for inner in value[:200])
    return value == name and word in under.lower()


def made_secrets(inventory: Inventory, view: CustomResource) -> dict[str, list[Ref]]:
    """Secrets that pods or Ingresses take and that an operator's object names or is called like, with the takers."""
    said = {view.name, *_strings(view.spec), *_strings(view.status)}
    found: dict[str, list[Ref]] = {}
    for ref, spec in templates(inventory, view.namespace):
        for name in sorted(taken(spec, "Secret") & said):
            found.setdefault(name, []).append(ref)
    for ingress in inventory.ingresses:
        for name in sorted({tls.secret_name for tls in ingress.spec.tls} & said):
            if ingress.namespace == view.namespace and name:
                found.setdefault(name, []).append(ingress.ref)
    return found


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < 8:
        inner = value.values() if isinstance(value, dict) else value[:200] if isinstance(value, list) else ()
        for one in inner:
            yield from _strings(one, depth + 1)


def referring(inventory: Inventory, view: Identified) -> list[Ref]:
    """The operators' objects whose spec names this one, but for those that own it."""
    above = set(inventory.owners(view))
    return [
        one.ref
        for one in inventory.custom
        if one.ref != view.ref
        and one.ref not in above
        and any(
            place.name == view.name and (there := meant(inventory, one, place)) is not None and there.ref == view.ref
            for place in named_in(one.spec, "spec", one.kind)
        )
    ]


# --- who sets it back -------------------------------------------------------------------------------------------------


def keepers(inventory: Inventory, view: Identified) -> list[Ref]:
    """The objects that make a thing what it is, and would set it back: its owners, and operators' objects by label.

    Tools that roll out what a repository holds mark their objects with labels of their own API group; the value is the
    name of the object that it comes from.
    """
    found = dict.fromkeys(ref for ref in inventory.owners(view) if ref.kind not in ("ReplicaSet", "Node"))
    groups = {one.api_version.rpartition("/")[0] for one in inventory.custom}
    for key, value in {**view.metadata.annotations, **view.metadata.labels}.items():
        for group in groups:
            if not (name := _marks(key, value, group)):
                continue
            found.update(
                dict.fromkeys(
                    one.ref
                    for one in inventory.custom
                    if one.name == name and one.api_version.rpartition("/")[0] == group and one.ref != view.ref
                )
            )
    return list(found)


def rolled_out_by(inventory: Inventory, view: CustomResource) -> list[Ref]:
    """The objects whose labels or annotations say that they come from this one, but for what those own in turn."""
    group = view.api_version.rpartition("/")[0]
    found = []
    for one in inventory.everything:
        if one.ref == view.ref or one.metadata.owner_references:
            continue
        marks = {**one.metadata.annotations, **one.metadata.labels}
        if any(_marks(key, value, group) == view.name for key, value in marks.items()):
            found.append(one.ref)
    return found


def _marks(key: str, value: str, group: str) -> str:
    """The name that a label or annotation of an API group gives as its source, "" where it gives none."""
    domain, _, rest = key.partition("/")
    if not group or not (domain == group or domain.endswith(f".{group}")) or not _SOURCE.search(rest):
        return ""
    return value.partition(":")[0].rpartition("_")[2]


_SOURCE = re.compile(r"name|instance|tracking|app|owner|release", re.IGNORECASE)


def released_by(view: Identified) -> str:
    """What the standard labels say it is managed by ("Helm, release shop"), "" where they say nothing."""
    by = view.metadata.labels.get("app.kubernetes.io/managed-by", "")
    release = view.metadata.annotations.get("meta.helm.sh/release-name", "")
    return ", ".join(part for part in (by, f"release {release}" if release else "") if part)


def scalers(inventory: Inventory, ref: Ref) -> list[Ref]:
    """What scales a workload: its autoscalers, and operators' objects that name it as their target."""
    found = [one.ref for one in inventory.autoscalers if one.target == ref]
    for one in inventory.custom:
        spec = one.spec if isinstance(one.spec, dict) else {}
        target = spec.get("scaleTargetRef") or spec.get("targetRef")
        if (
            one.namespace == ref.namespace
            and isinstance(target, dict)
            and target.get("name") == ref.name
            and target.get("kind", "Deployment") == ref.kind
        ):
            found.append(one.ref)
    return found
