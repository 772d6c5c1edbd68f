"""Custom resources that are not as they should be, and operators that are down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kubectl_berth.cluster.views import CustomResource, Identified, Pod, Workload
from kubectl_berth.diagnosis.health import Signal, conditions, judge, named, phases, ready_pairs, stopped
from kubectl_berth.diagnosis.members import bad_members, member_signals
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.polarity import good_condition
from kubectl_berth.diagnosis.say import aged, clip, count, listed
from kubectl_berth.records import Finding, Ref, Severity

YOUNG = 600.0  # seconds an operator may take for a new object
MOST = 3  # signals told of one object


def check_custom_resources(inventory: Inventory) -> Iterable[Finding]:
    """Custom resources whose conditions, phases or counts speak of trouble, whoever their operator is."""
    with_status = {(one.api_version, one.kind) for one in inventory.custom if one.status}
    for resource in inventory.custom:
        signals = judge(resource, inventory.now) or member_signals(resource, inventory.now)
        if signals:
            yield _degraded(inventory, resource, signals)
        elif not resource.status and (resource.api_version, resource.kind) in with_status:
            yield from _ignored(inventory, resource)
        else:
            yield from _contradicted(inventory, resource)


def _degraded(inventory: Inventory, resource: CustomResource, signals: list[Signal]) -> Finding:
    status = resource.status if isinstance(resource.status, dict) else {}
    reasons = {signal.reason for signal in signals}
    evidence = [signal.words for signal in signals[:MOST]]
    evidence += [f"{where}: {clip(text, 200)}" for where, text in phases(status) if text not in " ".join(evidence)][:2]
    evidence += _primary(inventory, resource, status) + _members(status) + missing_references(inventory, resource)
    severity: Severity = signals[0].severity
    return Finding(
        severity,
        resource.ref,
        "CustomResourceNotReconciled" if reasons == {"StatusBehindSpec"} else "CustomResourceDegraded",
        _summary(resource, status, signals),
        tuple(evidence),
        remedy="look at what it owns and what its conditions name, then at its operator's log; do not edit the status",
        disproof=f"conditions and counts of {resource.kind} {resource.name} that have turned good since",
    )


def _summary(resource: CustomResource, status: Mapping[str, Any], signals: list[Signal]) -> str:
    spec = resource.spec if isinstance(resource.spec, dict) else {}
    short = [pair for pair in ready_pairs(spec, status) if pair.ready < pair.desired]
    parts = [f"{short[0].ready} of {short[0].desired} ready"] if short else []
    told = next((text for where, text in phases(status) if where.count(".") == 1), "")
    parts += [clip(told, 120)] if told else []
    told_most = [one for one in signals if one.reason not in ("ReadyBelowDesired", "PhaseBad", "MemberBad")]
    first = max(told_most, key=lambda one: (one.severity == signals[0].severity, len(one.words) > 120), default=None)
    if first and (not parts or len(parts) < 2):
        parts.append(clip(first.words.split(": ", 1)[-1], 240))
    parts = parts or [clip(signals[0].words, 240)]
    unwell = [name for name in dict.fromkeys(name for name, _ in bad_members(status)) if name not in " ".join(parts)]
    parts += [f"not well: {listed(unwell, 3)}"] if unwell else []
    return f"{resource.api_version} {resource.kind}: " + ", ".join(parts)


def _primary(inventory: Inventory, resource: CustomResource, status: Mapping[str, Any]) -> list[str]:
    """The pod that the status calls primary or leader, with whether it is ready."""
    for key, value in named(status):
        if not isinstance(value, str) or not any(word in key.lower() for word in ("primary", "leader", "master")):
            continue
        pod = inventory.pod(resource.namespace, value)
        if pod is not None:
            return [f"status.{key}: {value}, a pod that is {'ready: it still serves' if pod.ready else 'not ready'}"]
    return []


def _members(status: Mapping[str, Any]) -> list[str]:
    """Lists of names that the status keeps under a word for failure: "failed: [db-3]"."""
    found: list[str] = []
    for key, value in named(status):
        for inner, names in named(value):
            if str(inner).lower() in _FAILED_LISTS and isinstance(names, list) and names:
                found.append(f"status.{key}.{inner}: {listed([str(name) for name in names])}")
        if key.lower() in _FAILED_LISTS and isinstance(value, list) and value and isinstance(value[0], str):
            found.append(f"status.{key}: {listed([str(name) for name in value])}")
    return found + [words for _, words in bad_members(status)][:MOST]


_FAILED_LISTS = frozenset(
    {"failed", "unhealthy", "unavailable", "notready", "degraded", "lost", "failedmembers", "errored"}
)


def _ignored(inventory: Inventory, resource: CustomResource) -> Iterator[Finding]:
    spec = resource.spec if isinstance(resource.spec, dict) else {}
    if stopped(spec) or resource.metadata.deletion_timestamp:
        return
    if not aged(inventory.now, resource.metadata.creation_timestamp, YOUNG):
        return
    yield Finding(
        "warning",
        resource.ref,
        "CustomResourceIgnored",
        f"{resource.api_version} {resource.kind}: no operator gave it a status, though others of its kind have one",
        ("status: empty", f"metadata.creationTimestamp: {resource.metadata.creation_timestamp or 'none'}"),
        remedy="look at the operator: whether it runs, and whether it watches this namespace",
        disproof="a status",
    )


def _contradicted(inventory: Inventory, resource: CustomResource) -> Iterator[Finding]:
    """A status that claims health while a pod under it is broken."""
    status = resource.status if isinstance(resource.status, dict) else {}
    claims = [one.type for one in conditions(status) if good_condition(one.type, one.status)]
    claims += [clip(text, 80) for _, text in phases(status)]
    broken = [pod for pod in inventory.pods_of(resource.ref) if _broken(inventory, pod)]
    if not claims or not broken:
        return
    yield Finding(
        "warning",
        resource.ref,
        "StatusContradicted",
        f"{resource.api_version} {resource.kind}: its status claims health, but {count(len(broken), 'pod')} of it "
        f"{'is' if len(broken) == 1 else 'are'} not ready ({listed([pod.name for pod in broken])})",
        (f"status: {listed(claims, 3)}", *[f"{pod.ref}: not ready" for pod in broken[:3]]),
        remedy="trust the pods, and look at the operator: it does not update this status",
        disproof="pods that are ready",
    )


def _broken(inventory: Inventory, pod: Pod) -> bool:
    return (
        not pod.finished
        and not pod.ready
        and not pod.terminating
        and aged(inventory.now, pod.metadata.creation_timestamp, YOUNG)
        and any(one.restart_count for one in pod.status.container_statuses)
    )


# --- references -------------------------------------------------------------------------------------------------------


def references(value: Any, depth: int = 0) -> Iterator[tuple[str, str, str]]:
    """Kind, name and namespace ("" where none is given) of every object that a spec or status names."""
    if depth > 5:
        return
    if isinstance(value, dict):
        kind, name = value.get("kind"), value.get("name")
        if isinstance(kind, str) and isinstance(name, str) and kind and name:
            namespace = value.get("namespace")
            yield kind, name, namespace if isinstance(namespace, str) else ""
        for inner in value.values():
            yield from references(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value[:200]:
            yield from references(inner, depth + 1)


def referred(inventory: Inventory, view: CustomResource) -> list[Identified]:
    """The objects that a custom resource's spec and status name and that exist."""
    found: dict[Ref, Identified] = {}
    for kind, name, namespace in references([view.spec, view.status]):
        for ref in (Ref(kind, namespace or view.namespace, name), Ref(kind, "", name)):
            there = inventory.find(ref)
            if there is not None and there.ref != view.ref:
                found[ref] = there
                break
    return list(found.values())


def missing_references(inventory: Inventory, view: CustomResource) -> list[str]:
    """A sentence for each custom object that the spec names and that does not exist."""
    if "custom" in inventory.unread:
        return []
    known = {definition.spec.names.kind for definition in inventory.definitions}
    lines: list[str] = []
    for kind, name, namespace in references(view.spec):
        if kind not in known or not inventory.covers(namespace or view.namespace):
            continue
        there = any(inventory.find(ref) for ref in (Ref(kind, namespace or view.namespace, name), Ref(kind, "", name)))
        if not there:
            lines.append(f"spec names {kind} {name}, which does not exist")
    return list(dict.fromkeys(lines))


# --- operators --------------------------------------------------------------------------------------------------------

_COMMON = frozenset(
    {
        "io",
        "com",
        "org",
        "dev",
        "net",
        "sh",
        "k8s",
        "x-k8s",
        "apps",
        "api",
        "operator",
        "operators",
        "cloud",
        "app",
        "co",
    }
)
_OPERATES = ("operator", "controller", "manager")


def check_operator_workloads(inventory: Inventory) -> Iterable[Finding]:
    """Operators without a ready pod: whatever their custom resources say is old."""
    groups = sorted({one.api_version.rpartition("/")[0] for one in inventory.custom})
    down: dict[Ref, Workload] = {}
    told: dict[Ref, list[CustomResource]] = {}
    for group in groups:
        mine = [one for one in inventory.custom if one.api_version.rpartition("/")[0] == group]
        held = any(one.metadata.deletion_timestamp and one.metadata.finalizers for one in mine)
        for workload in operators_of(inventory, group, idle=held):
            if workload.ready == 0:
                down[workload.ref] = workload
                told.setdefault(workload.ref, []).extend(mine)
    for ref, resources in sorted(told.items()):
        workload = down[ref]
        kinds = sorted({one.kind for one in resources})
        stuck = [one for one in resources if one.metadata.deletion_timestamp and one.metadata.finalizers]
        left = f"{listed(stuck[0].metadata.finalizers)} of {stuck[0].ref} waits for it" if stuck else ""
        state = "is scaled to zero" if not workload.desired else f"has 0 of {workload.desired} pods ready"
        yield Finding(
            "warning",
            ref,
            "OperatorDown",
            f"this operator {state}"
            + (
                f", and {left}"
                if stuck and not workload.desired
                else f": nothing it manages ({listed(kinds)}) is looked after, and their statuses may be out of date"
            ),
            (
                f"status: {workload.ready} of {workload.desired} ready",
                f"it manages {count(len(resources), 'object')} such as {resources[0].ref}",
            ),
            effects=tuple(sorted(one.ref for one in resources)[:50]),
            remedy="bring the operator back first; what it manages may still run, but is not healed or updated",
            disproof="a ready pod of the operator, or a status that changed in the last minutes",
        )


def operators_of(inventory: Inventory, group: str, *, idle: bool = False) -> list[Workload]:
    """The workloads that look after an API group: by its webhooks, its leases, or a name that fits.

    `idle` counts those scaled to zero too.
    """
    by_webhook = _by_webhook(inventory, group)
    if by_webhook:
        return by_webhook
    words = [label for label in group.split(".") if label not in _COMMON and len(label) > 3]
    controllers = [one for one in [*inventory.deployments, *inventory.stateful_sets] if idle or one.desired]
    holders = [
        (lease.spec.holder_identity or "")
        for lease in inventory.leases
        if group in lease.name or any(word in lease.name for word in words)
    ]
    by_lease = [one for one in controllers if any(holder.startswith(f"{one.name}-") for holder in holders)]
    if by_lease:
        return by_lease
    by_name = [one for one in controllers if any(_named_for(one, word) for word in words)]
    return by_name or [one for one in controllers if _at_home(one, group)]


def _at_home(workload: Workload, group: str) -> bool:
    """True for a controller in a namespace called after the group's own part: "mq-system" for mq.example.org."""
    own = group.partition(".")[0]
    return workload.namespace in (f"{own}-system", f"{own}-operator", f"{own}-operators") and any(
        mark in workload.name for mark in _OPERATES
    )


def _by_webhook(inventory: Inventory, group: str) -> list[Workload]:
    found: dict[Ref, Workload] = {}
    for configuration in [*inventory.validating_webhooks, *inventory.mutating_webhooks]:
        for webhook in configuration.webhooks:
            service = webhook.client_config.service
            if service is None or not any(group in rule.api_groups for rule in webhook.rules):
                continue
            view = inventory.find(Ref("Service", service.namespace, service.name))
            selector = getattr(getattr(view, "spec", None), "selector", None)
            for workload in inventory.deployments:
                labels = workload.spec.template.metadata.labels
                if workload.namespace == service.namespace and selector and selector.items() <= labels.items():
                    found[workload.ref] = workload
    return list(found.values())


def _named_for(workload: Workload, word: str) -> bool:
    if workload.name == word:
        return True
    return word in workload.name and any(mark in workload.name for mark in _OPERATES)
