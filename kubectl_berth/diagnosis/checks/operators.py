"""Custom resources that are not as they should be, and operators that are down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kubectl_berth.cluster.views import CustomResource, Pod, Workload
from kubectl_berth.diagnosis.checks.rights import missed
from kubectl_berth.diagnosis.hanging import hanging_on, held_back, last_good, runs_on
from kubectl_berth.diagnosis.headline import summary
from kubectl_berth.diagnosis.health import Signal, conditions, judge, named, phases, stopped
from kubectl_berth.diagnosis.members import bad_members, member_signals
from kubectl_berth.diagnosis.mending import remedy
from kubectl_berth.diagnosis.naming import missing_references
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.plights import quiet_signals, reasons, spoken
from kubectl_berth.diagnosis.polarity import good_condition
from kubectl_berth.diagnosis.say import aged, clip, count, listed
from kubectl_berth.diagnosis.wording import plain
from kubectl_berth.records import Finding, Ref

YOUNG = 600.0  # seconds an operator may take for a new object
MOST = 3  # signals told of one object


def check_custom_resources(inventory: Inventory) -> Iterable[Finding]:
    """Custom resources whose conditions, phases or counts speak of trouble, whoever their operator is."""
    with_status = {(one.api_version, one.kind) for one in inventory.custom if one.status}
    for resource in inventory.custom:
        signals = judge(resource, inventory.now) or member_signals(resource, inventory.now)
        signals = signals or quiet_signals(inventory, resource)
        if signals:
            yield _degraded(inventory, resource, signals)
        elif not resource.status and (resource.api_version, resource.kind) in with_status:
            yield from _ignored(inventory, resource)
        else:
            yield from _contradicted(inventory, resource)


def _degraded(inventory: Inventory, resource: CustomResource, signals: list[Signal]) -> Finding:
    status = resource.status if isinstance(resource.status, dict) else {}
    codes = {signal.reason for signal in signals}
    deep, heard = reasons(resource), spoken(inventory, resource)
    lacking = missing_references(inventory, resource)
    evidence: list[str] = []
    for signal in signals[:MOST]:
        evidence += [] if _told_in(signal.words, evidence) else [signal.words]
    beside = [f"{where}: {clip(text, 200)}" for where, text in phases(status)]
    beside += [one.words for one in (*deep[:2], *heard[:2])]
    evidence += [line for line in beside if not _told_in(line, evidence)][:3]
    evidence += _primary(inventory, resource, status) + _members(status) + lacking
    hanging = hanging_on(inventory, resource)
    evidence += [words for words in (runs_on(inventory, hanging), last_good(status, inventory.now)) if words]
    told = [summary(resource, signals, [*deep, *heard], lacking, inventory.now), held_back(inventory, hanging)]
    texts = [plain(one) for one in (*(signal.words for signal in signals), *(one.text for one in (*deep, *heard)))]
    return Finding(
        signals[0].severity,
        resource.ref,
        "CustomResourceNotReconciled" if codes == {"StatusBehindSpec"} else "CustomResourceDegraded",
        ", ".join(words for words in told if words),
        tuple(evidence),
        effects=tuple(sorted(hanging)),
        remedy=remedy(inventory, resource, texts, lacking),
        disproof=f"conditions and counts of {resource.kind} {resource.name} that have turned good since",
    )


def _told_in(line: str, lines: list[str]) -> bool:
    """True where the text of a line stands in one of the others already."""
    text = line.partition(": ")[2].removesuffix(" ...")[-60:]
    return bool(text) and any(text in other for other in lines)


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
        "no operator gave it a status, though others of its kind have one",
        ("status: empty", f"metadata.creationTimestamp: {resource.metadata.creation_timestamp or 'none'}"),
        caused_by=_without_rights(inventory, resource),
        remedy="look at the operator: whether it runs, and whether it watches this namespace",
        disproof="a status",
    )


def _without_rights(inventory: Inventory, resource: CustomResource) -> Ref | None:
    """The binding that misses the account of the resource's operator."""
    bindings = inventory.once(missed)
    operators = operators_of(inventory, resource.api_version.rpartition("/")[0]) if bindings else []
    return next((bindings[one.ref] for one in operators if one.ref in bindings), None)


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
        f"its status claims health, but {count(len(broken), 'pod')} of it "
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
    by_event = [one for one in reporters_for(inventory, group) if one in controllers]
    if by_event:
        return by_event
    by_name = [one for one in controllers if any(_named_for(one, word) for word in words)]
    return by_name or [one for one in controllers if _at_home(one, group)]


def reporters_for(inventory: Inventory, group: str) -> list[Workload]:
    """The workloads that report the events about the objects of an API group."""
    names = inventory.once(_reporters).get(group, ())
    workloads = [*inventory.deployments, *inventory.stateful_sets]
    return [one for one in workloads if any(_reports(one, name) for name in names)]


def _reporters(inventory: Inventory) -> dict[str, set[str]]:
    """Who reports events about the objects of each API group."""
    found: dict[str, set[str]] = defaultdict(set)
    for event in inventory.events:
        about = inventory.find(event.about_ref) if event.reporter else None
        if isinstance(about, CustomResource):
            found[about.api_version.rpartition("/")[0]].add(event.reporter)
    return found


def _reports(workload: Workload, reporter: str) -> bool:
    """True for a workload called as a reporter of events, or as the first part of its name ("NAME-certificates")."""
    return reporter == workload.name or reporter.startswith(f"{workload.name}-")


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
