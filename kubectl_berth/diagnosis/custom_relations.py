"""Where to look for what explains a custom resource's trouble, and who makes what it lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_berth.cluster.views import CustomResource, Identified, WebhookConfiguration
from kubectl_berth.diagnosis.checks.operators import operators_of
from kubectl_berth.diagnosis.hanging import hanging_on
from kubectl_berth.diagnosis.health import conditions
from kubectl_berth.diagnosis.naming import managers, referred
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.producers import producers
from kubectl_berth.records import Ref

_SPOKEN = re.compile(
    r"\b(job|deployment|statefulset|daemonset|pod|persistentvolumeclaim)[\s/:]+[\"']?(?:([a-z0-9-]+)/)?([a-z0-9][a-z0-9.-]*)"
)
_AWAITS = re.compile(
    r"tim(?:ed? ?out|eout) waiting|waiting for|health ?check|not (?:yet )?(?:ready|healthy|available)|progress deadline"
    r"|deadline exceeded|did not become",
    re.IGNORECASE,
)
_LACKING = re.compile(
    r"\b(secret|configmap)s?\s+[\"'`]?(?:([a-z0-9-]+)/)?([a-z0-9][a-z0-9.-]*)[\"'`]?\s+not found", re.I
)
_KINDS = {"secret": "Secret", "configmap": "ConfigMap"}


def below(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """Pods and whatever else an object owns, selects or names."""
    yield from (pod.ref for pod in inventory.pods_of(view.ref) if pod.ref != view.ref)
    yield from (below.ref for below in inventory.descendants(view.ref))


def named(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """What a custom resource names, and what is below that."""
    if not isinstance(view, CustomResource):
        return
    for there in referred(inventory, view):
        yield there.ref
        yield from below(inventory, there)


def spoken_of(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """What the conditions of a custom resource name in words: "job web-migrate failed", "secret ca not found"."""
    if not isinstance(view, CustomResource):
        return
    words = " ".join(one.message for one in conditions(view.status)).lower()
    told = {(kind, space, name.strip(".")) for kind, space, name in _SPOKEN.findall(words)}
    for one in (*inventory.jobs, *inventory.workloads, *inventory.pods, *inventory.claims) if told else ():
        named_there = (one.kind.lower(), one.namespace, one.name) in told
        if named_there or (one.namespace == view.namespace and (one.kind.lower(), "", one.name) in told):
            yield one.ref
            yield from below(inventory, one)
    for kind, space, name in _LACKING.findall(words):
        yield from makers(inventory, Ref(_KINDS[kind], space or view.namespace, name))


def delivered(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """What a custom resource has put into the cluster, where it says that it waits for that to become ready."""
    if not isinstance(view, CustomResource) or not any(_AWAITS.search(one.message) for one in conditions(view.status)):
        return
    for ref in hanging_on(inventory, view):
        there = inventory.find(ref)
        if there is not None and not isinstance(there, CustomResource):
            yield ref
            yield from below(inventory, there)


def makers(inventory: Inventory, ref: Ref) -> Iterator[Ref]:
    """The custom resources that should write a Secret or a ConfigMap."""
    yield from (one.resource.ref for one in producers(inventory, ref))


def operators(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The workloads that look after a custom resource."""
    if isinstance(view, CustomResource):
        held = view.metadata.deletion_timestamp is not None
        yield from (one.ref for one in operators_of(inventory, view.api_version.rpartition("/")[0], idle=held))


def managing(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The custom resources that own an object or that its labels name as what it belongs to."""
    yield from (ref for ref in inventory.owners(view) if isinstance(inventory.find(ref), CustomResource))
    yield from (one.ref for one in managers(inventory, view))


# --- certificates -----------------------------------------------------------------------------------------------------


def certificates(inventory: Inventory, view: Identified) -> Iterator[Ref]:
    """The custom resources behind the certificate that a webhook is called with.

    Those that an annotation of the configuration names ("inject-ca-from: NAMESPACE/NAME"), and those made out for the
    host of its Service.
    """
    if not isinstance(view, WebhookConfiguration):
        return
    texts = set(view.metadata.annotations.values())
    services = [hook.client_config.service for hook in view.webhooks if hook.client_config.service]
    hosts = {f"{one.name}.{one.namespace}.svc" for one in services}
    for one in inventory.custom:
        named_there = f"{one.namespace}/{one.name}" in texts
        if named_there or hosts & _hosts_of(one.spec):
            yield one.ref


def _hosts_of(spec: object) -> set[str]:
    """The DNS names that a spec asks a certificate for."""
    names = spec.get("dnsNames") if isinstance(spec, dict) else None
    return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()
