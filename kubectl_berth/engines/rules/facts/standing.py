"""How a workload or a pod stands: how many there are, where, whose they are, since when, what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.cluster.views import CronJob, Identified, Pod, Selector, Workload, age, parse_time
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import YES_NO
from kubectl_berth.engines.rules.facts.lookups import Answer, revisions
from kubectl_berth.engines.rules.facts.table_rows import metrics_of
from kubectl_berth.engines.rules.serving import figure
from kubectl_berth.records import Ref

_MOST = 12
_RUNS = re.compile(r"\b(?:how long|uptime|start(?:ed)?|running)\b", re.IGNORECASE)


def replicas(case: Case, ref: Ref) -> Answer | None:
    """How many pods it is set to, has now, and how many are ready."""
    inventory = case.inventory
    view = inventory.find(ref)
    pods = [pod for pod in inventory.pods_of(ref) if not pod.finished]
    if isinstance(view, Pod) or "pods" in inventory.unread:
        return None
    ready = sum(pod.ready for pod in pods)
    have = f"{len(pods)} exist{'s' if len(pods) == 1 else ''} now, {ready} ready"
    lines = [f"{pod.ref}: {'ready' if pod.ready else 'not ready'}" for pod in pods[:_MOST]]
    lines += [f"and {len(pods) - _MOST} more"] if len(pods) > _MOST else []
    for scaler in inventory.autoscalers:
        if scaler.target == ref:
            low = 1 if scaler.spec.min_replicas is None else scaler.spec.min_replicas
            lines.append(
                f"{scaler.ref} keeps it between {low} and {scaler.spec.max_replicas} and wants "
                f"{scaler.status.desired_replicas} now"
            )
    if isinstance(view, Workload):
        return f"{ref} is set to {count(view.desired, 'pod')}: {have}.", lines
    return (f"{ref} has {count(len(pods), 'pod')}, {ready} of them ready.", lines) if pods else None


def where(case: Case, ref: Ref) -> Answer | None:
    """On which nodes its pods are."""
    pods = [pod for pod in case.inventory.pods_of(ref) if not pod.finished]
    if not pods:
        return None
    nodes = sorted({pod.spec.node_name for pod in pods if pod.spec.node_name})
    unplaced = sum(not pod.spec.node_name for pod in pods)
    tail = f"; {unplaced} on none yet" if unplaced else ""
    if ref.kind == "Pod":
        return f"{ref} {f'runs on node {nodes[0]}' if nodes else 'is on no node yet'}.", []
    head = f"The {count(len(pods), 'pod')} of {ref} {'is' if len(pods) == 1 else 'are'} on {listed(nodes, 8)}{tail}."
    lines = [f"{pod.ref}: {pod.spec.node_name or 'no node'}" for pod in pods[:_MOST]]
    return (head if nodes else f"No pod of {ref} is on a node yet."), lines if len(pods) > 1 else []


def space(case: Case, ref: Ref) -> Answer | None:
    """Which namespace it lies in, and how it stands there."""
    known = figure(case.inventory, ref)
    return f"{ref} lies in namespace {ref.namespace}{f' ({known})' if known else ''}.", []


def owner(case: Case, ref: Ref) -> Answer | None:
    """What made it, and whose it is by its labels."""
    view = case.inventory.find(ref)
    if view is None:
        return None
    above = case.inventory.owners(view)
    labels = view.metadata.labels
    helm = view.metadata.annotations.get("meta.helm.sh/release-name", "")
    by = [
        f"label app.kubernetes.io/managed-by: {label}"
        for label in [labels.get("app.kubernetes.io/managed-by")]
        if label
    ]
    by += [f"Helm release {helm}"] if helm else []
    by += [f"label {key}: {labels[key]}" for key in ("team", "owner", "app.kubernetes.io/part-of") if labels.get(key)]
    if not above:
        return f"No object owns {ref}: nothing makes it again once it is gone.", by
    return f"{ref} belongs to {', which belongs to '.join(map(str, above))}.", by


# --- when -----------------------------------------------------------------------------------------------------------


def made(case: Case, ref: Ref) -> Answer | None:
    """When it was made, when its newest revision was, when its pods started."""
    inventory = case.inventory
    view = inventory.find(ref)
    if view is None or isinstance(view, CronJob):
        return None
    pods = [pod for pod in inventory.pods_of(ref) if not pod.finished]
    starts = sorted(
        moment
        for pod in pods
        for status in pod.status.container_statuses
        if status.state.running and (moment := parse_time(status.state.running.started_at))
    )
    ran = ""
    lines = [f"created {age(inventory.now, view.metadata.creation_timestamp)} ago"]
    if starts:
        oldest, youngest = age(inventory.now, starts[0]), age(inventory.now, starts[-1])
        ran = oldest if oldest == youngest else f"{youngest} to {oldest}"
        lines.append(f"its containers have run for {ran}")
    if starts and _RUNS.search(case.understanding.text):
        return f"The containers of {ref} have run for {ran}.", [lines[0]]
    newest = next(iter(revisions(inventory, ref)), None)
    if newest is None or newest.metadata.creation_timestamp is None:
        return f"{ref} was {lines[0]}.", lines[1:]
    when = newest.metadata.creation_timestamp
    images = ", ".join(one.image for one in newest.spec.template.spec.containers[:3])
    head = f"{ref} was last rolled out {age(inventory.now, when)} ago ({when}), revision {newest.revision}: {images}."
    return head, lines


def _labels(case: Case, ref: Ref) -> list[dict[str, str]]:
    """The labels of its pods, or those that its pods would have where it has none now."""
    pods = [pod.metadata.labels for pod in case.inventory.pods_of(ref)]
    view = case.inventory.find(ref)
    return pods or ([view.spec.template.metadata.labels] if isinstance(view, Workload) else [])


def _selects(view: Identified, selector: Selector | None, ref: Ref, labels: Sequence[dict[str, str]]) -> bool:
    """True where an object of the same namespace selects one of these pods."""
    return view.namespace == ref.namespace and selector is not None and any(map(selector.matches, labels))


# --- what stands beside it ------------------------------------------------------------------------------------------


def budget(case: Case, ref: Ref) -> Answer | None:
    """Which disruption budgets guard its pods."""
    inventory = case.inventory
    if "budgets" in inventory.unread:
        return None
    labels = _labels(case, ref)
    if not labels:
        return None
    found = [one for one in inventory.budgets if _selects(one, one.spec.selector, ref, labels)]
    if not found:
        return f"No: no PodDisruptionBudget selects the pods of {ref}.", []
    told = []
    for one in found:
        rule = (
            f"minAvailable {one.spec.min_available}"
            if one.spec.min_available is not None
            else f"maxUnavailable {one.spec.max_unavailable}"
        )
        told.append(f"{one.ref} ({rule}, {one.status.disruptions_allowed} may go now)")
    if not YES_NO.search(case.understanding.text):
        return f"{ref} is guarded by {', '.join(told[:3])}.", told[3:]
    return f"Yes: {', '.join(told[:3])}.", told[3:]


def autoscaler(case: Case, ref: Ref) -> Answer | None:
    """What scales it, between which bounds."""
    inventory = case.inventory
    if "autoscalers" in inventory.unread:
        return None
    below = {one.ref for one in inventory.descendants(ref)}
    meant = {ref, *(one for one in case.subjects if (one.namespace, one.name) == (ref.namespace, ref.name)), *below}
    found = [one for one in inventory.autoscalers if one.target in meant or one.ref in below]
    if not found and not isinstance(inventory.find(ref), Workload):
        return None
    if not found:
        return f"No: no HorizontalPodAutoscaler scales {ref}.", []
    one = found[0]
    low = 1 if one.spec.min_replicas is None else one.spec.min_replicas
    return (
        f"{'Yes: ' if YES_NO.search(case.understanding.text) else ''}{one.ref} keeps {one.target} between {low} and "
        f"{one.spec.max_replicas}; {one.status.current_replicas} run, {one.status.desired_replicas} are wanted."
    ), [f"it scales by {by}"] if (by := metrics_of(one)) else []


def services(case: Case, ref: Ref) -> Answer | None:
    """Which Services and Ingresses lead to it."""
    inventory = case.inventory
    if "services" in inventory.unread:
        return None
    labels = _labels(case, ref)
    if not labels:
        return None
    found = [
        one
        for one in inventory.services
        if one.spec.selector and _selects(one, Selector(match_labels=one.spec.selector), ref, labels)
    ]
    if not found:
        return f"No: no Service selects the pods of {ref}.", []
    told = [
        f"{one.ref} ({one.spec.type}, port {', '.join(str(port.port) for port in one.spec.ports)})" for one in found
    ]
    names = {one.name for one in found}
    ways = [
        f"{ingress.ref} leads to it: {rule.host or 'any host'}{path.path or '/'}"
        for ingress in inventory.ingresses
        if ingress.namespace == ref.namespace
        for rule in ingress.spec.rules
        for path in (rule.http.paths if rule.http else [])
        if path.backend.service is not None and path.backend.service.name in names
    ]
    return f"{ref} is behind {listed(told, 4)}.", ways[:_MOST]
