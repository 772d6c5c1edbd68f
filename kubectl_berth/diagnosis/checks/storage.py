"""Claims that get no volume, volumes that cannot be attached or mounted, resizes that do not end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import Event, PersistentVolumeClaim, Pod, Workload, age, condition
from kubectl_berth.diagnosis.checks.configuration import names_configuration
from kubectl_berth.diagnosis.checks.drivers import driver_findings, missing_driver
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import aged, clip, held, listed, older, said, weight
from kubectl_berth.records import Finding, Ref

SETTLE = 60.0
SLOW = 300.0  # seconds a provisioner or a resize may take
_VOLUME = re.compile(r"for volume \"([^\"]+)\"")
_GIVES_UP = "Unable to attach or mount volumes"
_NO_CLASS = re.compile(r"storageclass\S* \"([^\"]+)\" not found", re.IGNORECASE)


def check_claims(inventory: Inventory) -> Iterable[Finding]:
    """PersistentVolumeClaims that are pending, lost or half resized; volumes that failed."""
    for claim in inventory.claims:
        if claim.metadata.deletion_timestamp:
            continue
        if claim.status.phase == "Pending" and aged(inventory.now, claim.metadata.creation_timestamp, SETTLE):
            yield from _pending(inventory, claim)
        elif claim.status.phase == "Lost":
            yield Finding(
                "critical",
                claim.ref,
                "ClaimLost",
                f"its volume {claim.spec.volume_name} is gone",
                ("status.phase: Lost", f"spec.volumeName: {claim.spec.volume_name}"),
                remedy="restore the volume or its backup; do not delete the claim before that is settled",
                disproof="a PersistentVolume of that name",
            )
        yield from _resizing(inventory, claim)
    for volume in inventory.volumes:
        if volume.status.phase == "Failed":
            yield Finding(
                "warning",
                volume.ref,
                "VolumeFailed",
                f"it could not be reclaimed: {clip(volume.status.message, 200) or volume.status.reason}",
                (f"status: phase Failed, {volume.status.reason} {clip(volume.status.message)}",),
                remedy="clean it up by hand as its message says",
                disproof="phase Available or Bound",
            )


def _pending(inventory: Inventory, claim: PersistentVolumeClaim) -> Iterator[Finding]:
    failed = inventory.newest(claim, "ProvisioningFailed", "FailedBinding", "ClaimMisbound", "VolumeMismatch")
    name = claim.spec.storage_class_name
    text = failed.text if failed else ""
    missing = _NO_CLASS.search(text)
    known = [one.name for one in inventory.storage_classes]
    readable = "storage_classes" not in inventory.unread
    if missing or (name and readable and name not in known and not claim.spec.volume_name):
        yield from _no_class(inventory, claim, missing[1] if missing else name or "", known, failed)
    elif failed is not None and failed.reason == "ProvisioningFailed":
        yield _claim_finding(
            inventory, claim, "ProvisioningFailed", f"no volume is made for it: {clip(text, 240)}", failed
        )
    elif (waiting := _first_user(inventory, claim)) is not None:
        pod, event = waiting
        yield Finding(
            "warning",
            claim.ref,
            "ClaimWaitsForPod",
            f"it gets its volume once {pod.ref} has a node, and that pod is not scheduled (WaitForFirstConsumer)",
            (said(event, inventory.now),),
            caused_by=pod.ref,
            remedy="mend what keeps the pod from being scheduled; the storage is not at fault",
            disproof="a node for that pod",
        )
    elif failed is not None:
        yield _claim_finding(inventory, claim, "NoVolumeForClaim", f"nothing fits it: {clip(text, 240)}", failed)
    else:
        yield from _silent(inventory, claim)


def _no_class(
    inventory: Inventory, claim: PersistentVolumeClaim, name: str, known: list[str], event: Event | None
) -> Iterator[Finding]:
    ref = Ref("StorageClass", "", name)
    evidence = [f"{claim.ref}: spec.storageClassName {name}"] + ([said(event, inventory.now)] if event else [])
    evidence.append(f"storage classes here: {listed(known) or 'none'}")
    yield Finding(
        "critical",
        ref,
        "StorageClassMissing",
        f"it does not exist, and {claim.ref} asks for it",
        tuple(evidence),
        effects=(claim.ref,),
        remedy=f"create the class, or make the claim anew with one there is ({listed(known) or 'none yet'}): the class "
        "of a claim cannot be changed",
        disproof="a StorageClass of that name",
    )
    yield Finding(
        "critical", claim.ref, "ClaimPending", f"it gets no volume: storage class {name} does not exist",
        tuple(evidence[:2]), caused_by=ref,
    )  # fmt: skip


def _first_user(inventory: Inventory, claim: PersistentVolumeClaim) -> tuple[Pod, Event] | None:
    """The unscheduled pod that a claim waits for by design, and the event that says so."""
    event = inventory.newest(claim, "WaitForPodScheduled", "WaitForFirstConsumer", within=None)
    for pod in inventory.pods if event is not None else ():
        placed = condition(pod.status.conditions, "PodScheduled")
        if pod.namespace == claim.namespace and claim.name in pod.claims and placed and placed.status == "False":
            return (pod, event) if event is not None and "persistent" not in placed.message.lower() else None
    return None


def _claim_finding(
    inventory: Inventory, claim: PersistentVolumeClaim, reason: str, summary: str, event: Event
) -> Finding:
    evidence = [said(event, inventory.now), f"spec: class {claim.spec.storage_class_name or 'none'}, {_asked(claim)}"]
    released = [
        volume.name
        for volume in inventory.volumes
        if volume.status.phase == "Released"
        and (
            volume.name == claim.spec.volume_name or (volume.spec.claim_ref and volume.spec.claim_ref.ref == claim.ref)
        )
    ]
    if released:
        evidence.append(f"volume {listed(released)} is Released: it still belongs to an earlier claim of that name")
        summary = f"volume {listed(released)} is Released and still held by an earlier claim of that name (claimRef)"
    return Finding(
        "critical",
        claim.ref,
        reason,
        summary,
        tuple(evidence),
        remedy="free the released volume (its claimRef) after a look at its data"
        if released
        else "mend what the provisioner's words name (quota, credentials, parameters), or offer a volume that fits",
        disproof="phase Bound",
    )


def _asked(claim: PersistentVolumeClaim) -> str:
    return f"size {claim.spec.resources.requests.get('storage', 'none')}, modes {listed(claim.spec.access_modes)}"


def _silent(inventory: Inventory, claim: PersistentVolumeClaim) -> Iterator[Finding]:
    """A claim for which a provisioner was asked and does not answer; one that waits for its first pod is fine."""
    event = inventory.newest(claim, "ExternalProvisioning", "Provisioning", within=None)
    name = claim.spec.storage_class_name
    found = next((one for one in inventory.storage_classes if one.name == name or (name is None and one.default)), None)
    if event is None or not aged(inventory.now, claim.metadata.creation_timestamp, SLOW):
        return
    provisioner = found.provisioner if found else ""
    evidence = [said(event, inventory.now), f"storage class {name}: provisioner {provisioner or 'unknown'}"]
    if provisioner and "csi_drivers" not in inventory.unread:
        there = any(one.name == provisioner for one in inventory.csi_drivers)
        evidence.append(f"CSIDriver {provisioner}: {'installed' if there else 'not installed'}")
    down = _provisioner_down(inventory, provisioner)
    if down is not None:
        evidence.append(f"{down} has no ready pod and looks like the provisioner")
    yield Finding(
        "critical",
        claim.ref,
        "ProvisionerSilent",
        f"its provisioner {provisioner or ''} has made no volume for "
        f"{age(inventory.now, claim.metadata.creation_timestamp)} and reports nothing".replace("  ", " "),
        tuple(evidence),
        caused_by=down,
        remedy="look at the provisioner's controller: whether it is installed, runs, and holds its lease",
        disproof="an event from the provisioner itself",
    )


def _provisioner_down(inventory: Inventory, provisioner: str) -> Ref | None:
    """The workload without a ready pod that runs this provisioner: by its lease, its containers, or a like name."""
    if not provisioner:
        return None
    down = [one for one in [*inventory.deployments, *inventory.stateful_sets] if one.ready == 0 and one.desired > 0]
    lease = re.sub(r"[^a-z0-9]", "-", provisioner.lower())
    holders = [one.spec.holder_identity or "" for one in inventory.leases if lease in one.name]
    for workload in down:
        if any(holder.startswith(f"{workload.name}-") for holder in holders):
            return workload.ref
        for one in workload.spec.template.spec.containers:
            words = " ".join([one.image, *one.command, *one.args])
            if "provisioner" in one.image or provisioner in words:
                return workload.ref
    named = {word for word in re.split(r"[^a-z0-9]+", provisioner.lower()) if len(word) > 2} - _NO_DRIVER
    for workload in down:
        role = re.search(r"csi|provisioner|storage|driver", workload.name)
        if role and any(word in workload.name for word in named):
            return workload.ref
    return None


_NO_DRIVER = frozenset({"com", "org", "net", "dev", "k8s", "csi", "storage", "driver", "plugin", "provisioner"})
"""Words of a provisioner's name that do not tell it from another."""


def _resizing(inventory: Inventory, claim: PersistentVolumeClaim) -> Iterator[Finding]:
    for kind in ("FileSystemResizePending", "Resizing", "ControllerResizeError", "NodeResizeError"):
        found = condition(claim.status.conditions, kind)
        if found is None or found.status != "True" or not older(inventory.now, found.last_transition_time, SLOW):
            continue
        event = inventory.newest(claim, "VolumeResizeFailed", "FileSystemResizeFailed", "ExternalExpanding")
        yield Finding(
            "warning",
            claim.ref,
            "ResizePending",
            "its resize is not finished"
            + (": the file system grows when a pod mounts it anew" if kind == "FileSystemResizePending" else ""),
            (held(found, inventory.now), *([said(event, inventory.now)] if event else []), f"asked: {_asked(claim)}"),
            remedy="restart the pod that mounts it"
            if kind == "FileSystemResizePending"
            else "read the resizer's words",
            disproof="status.capacity equal to what is asked",
        )


# --- attach and mount -------------------------------------------------------------------------------------------------


def check_mounts(inventory: Inventory) -> Iterable[Finding]:
    """Pods with a node that wait for a volume."""
    for pod in inventory.pods:
        if pod.status.phase != "Pending" or not pod.spec.node_name or pod.terminating:
            continue
        events = [
            one
            for one in inventory.events_of(pod)
            if one.reason in ("FailedAttachVolume", "FailedMount", "FailedMapVolume")
            and not names_configuration(pod, one.text)
        ]
        # that the kubelet's patience ran out is the newest word, and says nothing
        event = min(events, key=lambda one: (one.reason != "FailedAttachVolume", _GIVES_UP in one.text), default=None)
        driver = missing_driver(event.text) if event is not None else ""
        if event is not None and driver:
            yield from driver_findings(inventory, pod, event, driver)
        elif event is not None:
            yield (_attach if event.reason == "FailedAttachVolume" else _mount)(inventory, pod, event)


def _attach(inventory: Inventory, pod: Pod, event: Event) -> Finding:
    name = (_VOLUME.search(event.text) or ["", ""])[1]
    held_on = _attached_elsewhere(inventory, name, pod)
    users = _other_users(inventory, pod)
    evidence = [said(event, inventory.now)]
    evidence += [f"VolumeAttachment of {name}: still on node {node}" for node in held_on]
    evidence += [
        f"{one.ref}: {kind} {clip(error.message, 240)}"
        for one in inventory.attachments
        if one.spec.source.persistent_volume_name == name
        for kind, error in (("attachError", one.status.attach_error), ("detachError", one.status.detach_error))
        if error is not None
    ]
    for other in users:
        evidence.append(f"{other.ref} uses the same claim" + (", it is terminating" if other.terminating else ""))
    lost = [node for node in inventory.nodes if node.name in held_on and not node.ready]
    elsewhere = bool(held_on or users) or "multi-attach" in event.text.lower()
    evidence += [f"{node.ref}: not ready, so the volume is not let go" for node in lost]
    return Finding(
        weight(inventory, pod),
        pod.ref,
        "VolumeAttachFails",
        f"volume {name} cannot be attached: it is still attached elsewhere"
        if elsewhere
        else f"volume {name} cannot be attached: {clip(event.text, 200)}",
        tuple(evidence),
        caused_by=lost[0].ref if lost else None,
        remedy="once it is certain that the old node is off, mark it out of service (taint "
        "node.kubernetes.io/out-of-service) or wait for the forced detach; never delete claim or volume"
        if lost
        else _one_at_a_time(inventory, pod, users)
        if elsewhere
        else "mend what the driver's words name (its controller, the rights or limits of the storage behind it)",
        disproof="no VolumeAttachment of that volume to another node" if elsewhere else "the volume attached since",
    )


def _one_at_a_time(inventory: Inventory, pod: Pod, users: list[Pod]) -> str:
    """How pods that share a volume of one node get on: the old one goes first, or there is only one."""
    workload = inventory.find(inventory.workload(pod))
    if not isinstance(workload, Workload) or workload.kind != "Deployment":
        return "let the pod that still uses the volume go first; a volume of one node serves one node at a time"
    if workload.desired > 1:
        return (
            f"use one replica of {workload.ref}, or a volume that several nodes may mount (ReadWriteMany); this one "
            "serves one node at a time"
        )
    mine = any(inventory.workload(one) == workload.ref for one in users)
    return (
        f"set spec.strategy.type Recreate for {workload.ref}, so that its old pod lets the volume go before the new "
        "one starts" + ("" if mine or not users else f"; {users[0].ref} of another workload uses it too")
    )


def _attached_elsewhere(inventory: Inventory, volume: str, pod: Pod) -> list[str]:
    nodes = [one.spec.node_name for one in inventory.attachments if one.spec.source.persistent_volume_name == volume]
    return [name for name in nodes if name != pod.spec.node_name]


def _other_users(inventory: Inventory, pod: Pod) -> list[Pod]:
    """Other pods that have not ended and mount one of the same claims."""
    mine = set(pod.claims)
    return [
        other
        for other in inventory.pods
        if other.namespace == pod.namespace and other.ref != pod.ref and not other.finished and mine & set(other.claims)
    ]


def _mount(inventory: Inventory, pod: Pod, event: Event) -> Finding:
    return Finding(
        weight(inventory, pod),
        pod.ref,
        "VolumeMountFails",
        f"a volume cannot be mounted on node {pod.spec.node_name}: {clip(event.text, 240)}",
        (said(event, inventory.now), f"spec.nodeName: {pod.spec.node_name}"),
        remedy="mend what the mount's error names (server, file system, credentials)",
        disproof="the same volume mounted on that node",
    )
