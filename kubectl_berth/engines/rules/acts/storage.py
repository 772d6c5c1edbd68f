"""What is lost with a claim or a volume: who mounts it, what its reclaim policy does with it, who makes it again."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import PersistentVolume, PersistentVolumeClaim, Pod, age
from kubectl_berth.diagnosis.availability import holds
from kubectl_berth.diagnosis.dependents import ClaimUse, claim_use, snapshots
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.topic import Said, bullets
from kubectl_berth.records import Ref
from kubectl_berth.safety.shell import kubectl

UNKNOWN = (
    "What lies on the volume, and whether it is needed, backed up or replicated elsewhere: no object tells.",
    "Users that name a claim in their own configuration only, and what the storage behind keeps.",
)
_ANEW = re.compile(
    r"\b(?:schedul\w*|start\w*|recreat\w*|re-?creat\w*|anew|fresh|new one|again|come back|fix\w*|free\w*|space|"
    r"so that|let)\b",
    re.IGNORECASE,
)
"""Asks for it in order to get something going."""


def say_claim(case: Case, claim: PersistentVolumeClaim) -> Said:
    """Whether a claim may go, and what goes with it."""
    inventory = case.inventory
    use = claim_use(inventory, claim.ref)
    volume = inventory.volume_of(claim.namespace, claim.name)
    verdict = _verdict(case, claim, use, volume)
    if again := _again(case, claim, use):
        verdict += f" {again}"
    lines = [*_users(use), *_about_volume(case, claim, volume), *_copies(case, claim)]
    if use.pods:
        lines.append("as long as a pod mounts it, a deleted claim stays Terminating and goes with the last of them")
    if use.spare and use.stateful_set:
        lines.append(f"{use.stateful_set} has fewer replicas now; scaled up again it takes this claim in, old data too")
    return Said(verdict, [bullets("**What hangs on it**", lines)], _ways(case, use, volume, claim), UNKNOWN, alone=True)


def _verdict(case: Case, claim: PersistentVolumeClaim, use: ClaimUse, volume: PersistentVolume | None) -> str:
    fate = _fate(claim, volume)
    if claim.metadata.deletion_timestamp:
        passed = age(case.inventory.now, claim.metadata.deletion_timestamp)
        waits = f"until {_names(use)} no longer mounts it" if use.pods else "for its finalizers"
        return f"{claim.ref} was deleted {passed} ago already and waits {waits}: then {fate}."
    if not claim.spec.volume_name:
        waiting = f", but {_names(use)} waits for it" if use.pods else ""
        return f"Yes, no data are lost: {claim.ref} was never bound to a volume, so nothing lies on it{waiting}."
    if use.pods:
        verb = "is in use by" if any(pod.spec.node_name for pod in use.pods) else "is what waits for a node with"
        held = f"{claim.ref} {verb} {_names(use)}" if verb == "is in use by" else f"{_names(use)} needs {claim.ref}"
        return f"No: {held}, and {fate}."
    if use.anybody or (use.stateful_set and use.spare):
        who = use.templates[0] if use.templates else use.stateful_set
        when = "once it is scaled up again" if use.spare and not use.templates else "as soon as it runs"
        return f"No, not without its data: no pod mounts {claim.ref} now, but {who} does {when}, and {fate}."
    unread = "; not all pods could be read" if "pods" in case.inventory.unread else ""
    nobody = f"no pod mounts {claim.ref} now and no workload that can be read names it{unread}"
    if volume is not None and volume.spec.persistent_volume_reclaim_policy == "Retain":
        return f"Yes, and its data stay: {nobody}; {fate}."
    return (
        f"Only if its data are needed no more: {nobody}, but {fate}. That nothing mounts it does not make them "
        "worthless."
    )


def _size(claim: PersistentVolumeClaim) -> str:
    return str(claim.status.capacity.get("storage") or claim.spec.resources.requests.get("storage") or "")


def _fate(claim: PersistentVolumeClaim, volume: PersistentVolume | None) -> str:
    """What becomes of the volume and its data once the claim is gone."""
    data = f"the data on it ({size})" if (size := _size(claim)) else "the data on it"
    policy = volume.spec.persistent_volume_reclaim_policy if volume is not None else ""
    if policy == "Retain":
        return (
            f"the reclaim policy of its volume is Retain: the volume stays with {data}, but no new claim gets it by "
            "itself"
        )
    if policy in ("Delete", "Recycle"):
        return f"the reclaim policy of its volume is {policy}: {data} would be gone for good"
    return f"the reclaim policy of its volume could not be read (Delete is the usual one: {data} would be gone)"


def _names(use: ClaimUse) -> str:
    return listed([str(pod.ref) for pod in use.pods], 3)


def _again(case: Case, claim: PersistentVolumeClaim, use: ClaimUse) -> str:
    """That what is made in its place is empty; said where the question counts on it, or something makes it again."""
    maker = use.stateful_set or use.owner
    if not claim.spec.volume_name or not (maker or _ANEW.search(case.understanding.text)):
        return ""
    who = f"{maker} makes" if maker is not None else "Whoever makes it again makes"
    return f"{who} a new claim, but an empty one: a pod that starts on it starts without the data."


def _users(use: ClaimUse) -> list[str]:
    lines = []
    for pod in use.pods[:5]:
        on = pod.spec.node_name
        lines.append(f"{pod.ref} {'mounts' if on else 'needs'} it ({_state(pod)}{f', on {on}' if on else ''})")
    lines += [f"{ref} names it in its pod template" for ref in use.templates[:5]]
    lines += [f"{ref} names it in its spec" for ref in use.named_by[:3]]
    if use.stateful_set and not use.spare:
        lines.append(f"{use.stateful_set} made it from its volumeClaimTemplates")
    if use.owner:
        lines.append(f"{use.owner} owns it")
    return lines


def _state(pod: Pod) -> str:
    return "ready" if pod.ready else "waiting for a node" if not pod.spec.node_name else "not ready"


def _about_volume(case: Case, claim: PersistentVolumeClaim, volume: PersistentVolume | None) -> list[str]:
    if not claim.spec.volume_name:
        return [f"status.phase {claim.status.phase or 'unknown'}: no volume is bound to it"]
    policy = volume.spec.persistent_volume_reclaim_policy if volume is not None else ""
    words = f"PersistentVolume {claim.spec.volume_name}: {_size(claim) or 'size unknown'}, reclaim policy "
    words += policy or "not read"
    words += f", StorageClass {claim.spec.storage_class_name}" if claim.spec.storage_class_name else ""
    pods = [pod for pod in case.inventory.pods if pod.namespace == claim.namespace and claim.name in pod.claims]
    where = next(
        (hold.where for pod in pods[:1] for hold in holds(case.inventory, pod) if hold.claim == claim.name), ""
    )
    return [words + (f", {where}" if where else "")]


def _copies(case: Case, claim: PersistentVolumeClaim) -> list[str]:
    inventory = case.inventory
    found = snapshots(inventory, claim.ref)
    if found:
        newest = max(found, key=lambda one: one.metadata.creation_timestamp or "")
        passed = age(inventory.now, newest.metadata.creation_timestamp)
        return [f"{newest.ref} is a snapshot of it, made {passed} ago; what was written since is not in it"]
    kinds = {one.spec.names.kind for one in inventory.definitions}
    return ["no snapshot of it was seen"] if "VolumeSnapshot" in kinds and "custom" not in inventory.unread else []


def _ways(case: Case, use: ClaimUse, volume: PersistentVolume | None, claim: PersistentVolumeClaim) -> list[str]:
    told = []
    refs = {pod.ref for pod in use.pods} | {case.inventory.workload(pod) for pod in use.pods}
    for one in (*case.findings, *case.others):
        if one.subject in refs and one.severity != "info" and one.remedy and one.cause:
            told.append(f"Mend what is wrong instead ({one.subject}: {one.summary}): {one.remedy}")
    if claim.spec.volume_name:
        told.append("Before anything is deleted: a snapshot or a backup whose restore was tried.")
        if volume is not None and volume.spec.persistent_volume_reclaim_policy != "Retain":
            told.append(
                f"Set spec.persistentVolumeReclaimPolicy of PersistentVolume {volume.name} to Retain first: then the "
                "volume outlives its claim."
            )
    told.append(f"See who uses it: `{kubectl('describe', 'pvc', claim.name, '-n', claim.namespace)}` (Used By).")
    return told[:4]


# --- volumes --------------------------------------------------------------------------------------------------------


def say_volume(case: Case, volume: PersistentVolume) -> Said:
    """Whether a volume may go: bound, released or free."""
    policy = volume.spec.persistent_volume_reclaim_policy or "not set"
    claim = case.inventory.find(volume.spec.claim_ref.ref) if volume.spec.claim_ref else None
    size = volume.spec.capacity.get("storage", "size unknown")
    fate = (
        "with Retain the disk behind it stays, but the object that leads to it is gone"
        if policy == "Retain"
        else f"with reclaim policy {policy} the disk behind it goes too"
    )
    if isinstance(claim, PersistentVolumeClaim) and claim.spec.volume_name == volume.name:
        use = claim_use(case.inventory, claim.ref)
        who = f", which {_names(use)} mount{'s' if len(use.pods) == 1 else ''}" if use.pods else ""
        verdict = (
            f"No: {volume.ref} ({size}) is bound to {claim.ref}{who}; without it that claim is Lost, and so are its "
            "data."
        )
    else:
        was = f"it held {volume.spec.claim_ref.ref}, which is gone" if volume.spec.claim_ref else "no claim has it"
        state = volume.status.phase or "unbound"
        verdict = f"Only if its data are needed no more: {volume.ref} ({size}) is {state}, {was}; {fate}."
    lines = [f"spec.persistentVolumeReclaimPolicy: {policy}", f"status.phase: {volume.status.phase or 'unknown'}"]
    ways = ["Before anything is deleted: a snapshot or a backup whose restore was tried."]
    return Said(verdict, [bullets("**What hangs on it**", lines)], ways, UNKNOWN, alone=True)


def say_unnamed(case: Case, kind: str) -> Said:
    """Where only a kind was said: for claims those that nothing mounts, for others that one has to be named."""
    if kind not in ("PersistentVolumeClaim", "PersistentVolume"):
        if not kind:
            return Said("That depends on what is meant: nothing that the question names was found, and nothing here "
                        "says that it is safe.", [], ["Ask again with the kind and the name of the object."], alone=True)  # fmt: skip # noqa: E501
        return Said(
            f"That depends on which one: no {kind} was named that can be found, and nothing here says that it is safe.",
            [], [f"Ask again with its name; `{kubectl('get', kind.lower(), '-A')}` lists them."], alone=True,
        )  # fmt: skip
    inventory, spaces = case.inventory, case.understanding.namespaces
    every = [one for one in inventory.claims if not spaces or one.namespace in spaces]
    free = [(one, use) for one in every if not (use := claim_use(inventory, one.ref)).anybody]
    half = " Not all could be read." if {"pods", "claims"} & inventory.unread else ""
    if not free:
        return Said(
            f"No: each of the {len(every)} claims is mounted by a pod or named by a workload.{half}", alone=True
        )
    policies = {claim.ref: policy for claim, policy in claims_of(case, {one.ref for one, _ in free})}
    lines = []
    for one, use in free[:MOST]:
        left = f", left over from {use.stateful_set}" if use.stateful_set else ""
        policy = policies.get(one.ref) or "not read"
        lines.append(f"{one.ref}: {_size(one) or 'size unknown'}, reclaim policy {policy}{left}")
    verdict = (
        f"Only one by one, after a look at its data: {len(free)} of {len(every)} claims are mounted by no pod and "
        f"named by no workload that can be read, which does not make what lies on them worthless.{half}"
    )
    return Said(verdict, [bullets("**Mounted by nothing now**", lines)],
                ["Before any is deleted: a snapshot or a backup whose restore was tried; with reclaim policy Delete "
                 "the data go with the claim."], UNKNOWN, alone=True)  # fmt: skip


MOST = 12


def claims_of(case: Case, refs: set[Ref]) -> list[tuple[PersistentVolumeClaim, str]]:
    """Those claims, with the reclaim policy of each one's volume ("" where it is not known)."""
    found = []
    for claim in case.inventory.claims:
        if claim.ref in refs:
            volume = case.inventory.volume_of(claim.namespace, claim.name)
            found.append((claim, volume.spec.persistent_volume_reclaim_policy if volume is not None else ""))
    return found
