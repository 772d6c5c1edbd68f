"""Objects that were deleted and do not go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import Identified, Namespace, PersistentVolumeClaim, Pod, age
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import clip, held, listed, older, said
from kubectl_berth.records import Finding, Ref

SLOW = 300.0  # seconds an object with finalizers may take
MARGIN = 60.0  # seconds beyond a pod's grace period


def check_deletions(inventory: Inventory) -> Iterable[Finding]:
    """Pods, namespaces, claims and custom resources that stay although they were deleted."""
    for view in inventory.everything:
        since = view.metadata.deletion_timestamp
        if not since:
            continue
        if isinstance(view, Pod):
            yield from _pod(inventory, view)
        elif isinstance(view, Namespace):
            yield from _namespace(inventory, view)
        elif older(inventory.now, since, SLOW):
            yield from _claim(inventory, view) if isinstance(view, PersistentVolumeClaim) else _other(inventory, view)


def _pod(inventory: Inventory, pod: Pod) -> Iterator[Finding]:
    # deletionTimestamp is the moment the grace period ends, so the grace is counted once
    if not older(inventory.now, pod.metadata.deletion_timestamp, MARGIN):
        return
    node = inventory.node(pod.spec.node_name)
    grace = pod.metadata.deletion_grace_period_seconds
    lost = node is not None and not node.ready
    event = inventory.newest(pod, "ExceededGracePeriod", "FailedKillPod", "Killing", within=None)
    evidence = [
        f"metadata.deletionTimestamp: passed {age(inventory.now, pod.metadata.deletion_timestamp)} ago, grace {grace}s"
    ]
    held_by = pod.metadata.finalizers
    evidence += [f"metadata.finalizers: {listed(held_by)}"] if held_by else []
    evidence += [f"{node.ref}: not ready, so nobody confirms that it ended"] if node and lost else []
    evidence += [said(event, inventory.now)] if event else []
    evidence += [
        f"spec: container {one.name} has a preStop hook" for one in pod.spec.containers if one.lifecycle.get("preStop")
    ]
    yield Finding(
        "warning",
        pod.ref,
        "DeletionStuck",
        f"it should have ended {age(inventory.now, pod.metadata.deletion_timestamp)} ago"
        + (f"; its node {pod.spec.node_name} does not report" if lost else "")
        + (f"; the finalizer {listed(held_by)} holds it" if held_by and pod.finished else ""),
        tuple(evidence),
        caused_by=Ref("Node", "", pod.spec.node_name) if lost else None,
        remedy="bring the node back, or make sure that the machine is off before anything is forced: a second copy may "
        "damage data"
        if lost
        else "its containers have ended: find the controller that owns this finalizer and let it do its work; taking "
        "it off by hand leaves behind what it was to clean up"
        if held_by and pod.finished
        else "look at its preStop hook, at how it answers SIGTERM, and at its finalizers",
        disproof="the pod is gone",
    )


def _claim(inventory: Inventory, claim: PersistentVolumeClaim) -> Iterator[Finding]:
    users = [
        pod
        for pod in inventory.pods
        if pod.namespace == claim.namespace and claim.name in pod.claims and not pod.finished
    ]
    if not users:
        yield from _other(inventory, claim)
        return
    yield Finding(
        "info",
        claim.ref,
        "ClaimStillInUse",
        f"it was deleted but stays as long as {users[0].ref} uses it: that is by design",
        (
            f"metadata.deletionTimestamp: {age(inventory.now, claim.metadata.deletion_timestamp)} ago",
            f"metadata.finalizers: {listed(claim.metadata.finalizers)}",
            f"pods that use it: {listed([pod.name for pod in users])}",
        ),
        remedy="stop the pods that use it; taking the finalizer off would pull the volume from under them",
        disproof="no pod uses the claim",
    )


def _other(inventory: Inventory, view: Identified) -> Iterator[Finding]:
    finalizers = view.metadata.finalizers
    if not finalizers:
        return
    yield Finding(
        "warning",
        view.ref,
        "DeletionStuck",
        f"it was deleted {age(inventory.now, view.metadata.deletion_timestamp)} ago, but {listed(finalizers)} holds it",
        (
            f"metadata.deletionTimestamp: {age(inventory.now, view.metadata.deletion_timestamp)} ago",
            f"metadata.finalizers: {listed(finalizers)}",
        ),
        remedy="find the controller that owns this finalizer and let it do its work; taking the finalizer off by hand "
        "leaves behind what it was to clean up",
        disproof="a finalizer's controller that is at work on it",
    )


def _namespace(inventory: Inventory, namespace: Namespace) -> Iterator[Finding]:
    if not older(inventory.now, namespace.metadata.deletion_timestamp, MARGIN):
        return
    told = [one for one in namespace.status.conditions if one.status == "True"]
    first = next((one for one in told if one.type.startswith("NamespaceDeletion")), told[0] if told else None)
    words = f": {clip(first.message, 240)}" if first else ""
    broken = [
        api.ref
        for api in inventory.api_services
        if first is not None
        and first.type.startswith("NamespaceDeletionDiscovery")
        and any(one.type == "Available" and one.status == "False" for one in api.status.conditions)
    ]
    yield Finding(
        "warning",
        namespace.ref,
        "NamespaceStuck",
        f"it is terminating for {age(inventory.now, namespace.metadata.deletion_timestamp)}{words}",
        tuple(held(one, inventory.now) for one in told) or ("status.phase: Terminating",),
        caused_by=broken[0] if broken else None,
        remedy="bring back the API that the condition names (or delete its APIService if it is gone for good)"
        if broken
        else "let the controllers of what remains finish; do not force the namespace's own finalizer",
        disproof="conditions without True",
    )
