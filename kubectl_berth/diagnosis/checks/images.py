"""Images that cannot be pulled, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from kubectl_berth.cluster.views import ContainerStatus, Event, Pod, age
from kubectl_berth.diagnosis.checks.surroundings import image_before
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import clip, listed, said, weight
from kubectl_berth.records import Finding, Ref

IMAGE_REASONS = frozenset(
    {
        "ErrImagePull",
        "ImagePullBackOff",
        "ErrImageNeverPull",
        "InvalidImageName",
        "ImageInspectError",
        "RegistryUnavailable",
        "SignatureValidationFailed",
    }
)
_UNRETRIEVED = re.compile(r"pull secrets \(([^)]+)\)")
SLOW = 180.0  # seconds after which a pull is worth a line

# In this order: a rate limit may speak of authentication, a refused pull of "not found", a lost name of "not found".
_CAUSES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ImageRateLimited", ("429 too many", "toomanyrequests", "too many requests", "rate limit")),
    ("ImageWrongArchitecture", ("no match for platform", "no matching manifest", "match the specified platform")),
    (
        "ImageAccessDenied",
        (
            "unauthorized",
            "authentication required",
            "access denied",
            "insufficient_scope",
            "no basic auth",
            "403 forbidden",
            "authorization failed",
            "permission denied",
        ),
    ),
    (
        "RegistryUnreachable",
        (
            "no such host",
            "i/o timeout",
            "connection refused",
            "x509",
            "tls:",
            "network is unreachable",
            "proxyconnect",
            "deadline exceeded",
            "no route to host",
            "connection reset",
            "server misbehaving",
            "service unavailable",
            "bad gateway",
            "500 internal server error",
        ),
    ),
    ("ImageDiskFull", ("no space left",)),
    ("ImageNotFound", ("not found", "manifest unknown", "notfound", "name unknown", "does not exist")),
)

_WORDS: dict[str, tuple[str, str, str]] = {
    "ImageRateLimited": (
        "the registry limits how often it may be asked (rate limit, 429), and this pull came without credentials or "
        "too often",
        "log in to the registry with a pull secret, or pull through a mirror; waiting helps only for a while",
        "the same pull succeeds at once from another address",
    ),
    "ImageWrongArchitecture": (
        "the image has no variant for the node's architecture",
        "build the image for that architecture, or keep the pod on nodes of the image's own (nodeSelector "
        "kubernetes.io/arch)",
        "a manifest list that names the node's architecture",
    ),
    "ImageAccessDenied": (
        "the registry refuses access to the image: credentials are missing or wrong, or the repository does not exist",
        "check that the pull secret the pod names exists in its namespace and fits the registry",
        "the image pulls with the same credentials elsewhere",
    ),
    "RegistryUnreachable": (
        "the node cannot reach the registry (name, network, proxy or certificate)",
        "check name resolution, egress and trusted certificates on that node",
        "other nodes fail the same way at the same time: then look at the registry",
    ),
    "ImageDiskFull": ("the node has no space left for the image", "free the node's disk", "free space on the node"),
    "ImageNotFound": (
        "the registry has no such image or tag",
        "correct the image reference, or push that tag; until then roll back",
        "the tag is listed in the registry",
    ),
    "InvalidImageName": (
        "the image reference is not valid (lower case, no blanks, one colon before the tag)",
        "correct the image reference in the pod template",
        "the reference parses with any other client",
    ),
    "ImageNeverPulled": (
        "imagePullPolicy is Never and the node does not hold the image",
        "allow pulling, or load the image on every node the pod may run on",
        "the image is listed on the node",
    ),
    "ImageSignatureRejected": (
        "the node's policy rejects the image's signature",
        "sign the image, or correct the policy",
        "the signature verifies",
    ),
    "ImagePullFails": (
        "the image cannot be pulled",
        "read the event's words for the registry's answer",
        "a later pull",
    ),
}


def check_images(inventory: Inventory) -> Iterable[Finding]:
    """Containers whose image does not arrive."""
    failing: list[tuple[Pod, ContainerStatus]] = []
    for pod in inventory.pods:
        if pod.finished or pod.terminating:
            continue
        statuses = [*pod.status.init_container_statuses, *pod.status.container_statuses]
        stuck = [one for one in statuses if one.state.waiting and one.state.waiting.reason in IMAGE_REASONS]
        failing.extend((pod, one) for one in stuck)
        if not stuck:
            yield from _slow(inventory, pod)
    findings = [_finding(inventory, pod, status) for pod, status in failing]
    node = _one_node(inventory, findings)
    if node is not None:
        yield node
    for finding in findings:
        yield replace(finding, caused_by=node.subject) if node and finding.subject in node.effects else finding


def _finding(inventory: Inventory, pod: Pod, status: ContainerStatus) -> Finding:
    waiting = status.state.waiting
    spec = pod.container(status.name)
    image = (spec.image if spec else "") or status.image
    state, message = (waiting.reason, waiting.message) if waiting else ("", "")
    events = [one for one in inventory.events_of(pod, within=None) if one.container in ("", status.name)]
    told = next((one for one in events if _names_pull(one)), None)
    reason = classify(state, f"{message} {told.text if told else ''}")
    words, remedy, disproof = _secretless(inventory, pod) if reason == "ImageAccessDenied" else _WORDS[reason]
    if reason == "RegistryUnreachable":
        words, remedy = _unreached(f"{message} {told.text if told else ''}".lower(), words, remedy)
    before = image_before(inventory, pod, status.name) if reason == "ImageNotFound" else None
    if before is not None:
        remedy += f" (revision {before[0]} ran {before[1]})"
    node = inventory.node(pod.spec.node_name)
    if reason == "ImageWrongArchitecture" and node and node.status.node_info.architecture:
        words += f" ({node.status.node_info.architecture})"
    evidence = [f"container {status.name}: waiting, {state}" + (f": {clip(message)}" if message else "")]
    if told and told.text.split(": ", 1)[-1] not in message:
        evidence.append(said(told, inventory.now))
    evidence += _credentials(inventory, pod, reason) + _architecture(inventory, pod, reason)
    return Finding(
        weight(inventory, pod),
        pod.ref,
        reason,
        f"container {status.name} cannot get its image {image}: {words}",
        tuple(evidence),
        remedy=remedy,
        disproof=disproof,
    )


def _secretless(inventory: Inventory, pod: Pod) -> tuple[str, str, str]:
    """What a refused pull comes from: no pull secret at all, one that is not there, or one that does not fit."""
    event = inventory.newest(pod, "FailedToRetrieveImagePullSecret", within=None)
    names = [one.name for one in pod.spec.image_pull_secrets]
    if event is None and not names:
        words, _, disproof = _WORDS["ImageAccessDenied"]
        remedy = (
            "the pod names no pull secret: if the image is private, name one in imagePullSecrets of the pod template "
            f"or of its service account {pod.spec.service_account_name or 'default'}; else check the image's name"
        )
        return words, remedy, disproof
    if event is None:
        return _WORDS["ImageAccessDenied"]
    lost = (_UNRETRIEVED.search(event.text) or ["", ""])[1] or listed(names)
    return (
        f"its pull secret {lost} does not exist in namespace {pod.namespace}, so the registry refuses it",
        f"create the pull secret {lost} in namespace {pod.namespace} (another namespace does not count), or name "
        "one that is there; the image itself need not change",
        f"the secret {lost} is in namespace {pod.namespace}: then it does not fit the registry",
    )


def _unreached(text: str, words: str, remedy: str) -> tuple[str, str]:
    """Which of the ways not to reach a registry the runtime's words name, and what to do about it."""
    if "x509" in text or "certificate" in text:
        return (
            "the node does not trust the registry's certificate (x509)",
            "give the container runtime of the nodes the registry's CA, or renew the registry's certificate",
        )
    if "no such host" in text or "server misbehaving" in text:
        return (
            "the node cannot resolve the registry's name",
            "check the name in the image reference, and the name servers of that node (not the cluster's DNS)",
        )
    if any(mark in text for mark in ("service unavailable", "bad gateway", "500 internal")):
        return "the registry answers with an error of its own", "look at the registry; the nodes reach it"
    return words, remedy


def _names_pull(event: Event) -> bool:
    """True for the event that holds the runtime's own words; "Error: ErrImagePull" says nothing."""
    return event.reason in ("Failed", "InspectFailed") and "image" in event.text.lower() and event.text[:6] != "Error:"


def classify(state: str, text: str) -> str:
    """The reason code for a failed pull, from the container's waiting reason and what the runtime said."""
    if state == "InvalidImageName" or "invalid reference format" in text.lower():
        return "InvalidImageName"
    if state == "ErrImageNeverPull":
        return "ImageNeverPulled"
    if state == "SignatureValidationFailed":
        return "ImageSignatureRejected"
    lowered = text.lower()
    return next((code for code, marks in _CAUSES if any(mark in lowered for mark in marks)), "ImagePullFails")


def _credentials(inventory: Inventory, pod: Pod, reason: str) -> list[str]:
    if reason not in ("ImageAccessDenied", "ImageRateLimited", "ImageNotFound"):
        return []
    names = [one.name for one in pod.spec.image_pull_secrets]
    event = inventory.newest(pod, "FailedToRetrieveImagePullSecret", within=None)
    words = [said(event, inventory.now)] if event else []
    if names:
        return [*words, f"spec.imagePullSecrets: {listed(names)} (in namespace {pod.namespace})"]
    return words if reason == "ImageNotFound" else [*words, "spec.imagePullSecrets: none"]


def _architecture(inventory: Inventory, pod: Pod, reason: str) -> list[str]:
    node = inventory.node(pod.spec.node_name)
    if node is None or reason != "ImageWrongArchitecture":
        return []
    return [f"node {node.name}: architecture {node.status.node_info.architecture or 'unknown'}"]


def _one_node(inventory: Inventory, findings: list[Finding]) -> Finding | None:
    """Pulls that fail on one node alone although others run there or elsewhere: the node is the cause."""
    lost = [one for one in findings if one.reason in ("RegistryUnreachable", "ImageDiskFull")]
    pods = [pod for pod in (inventory.pod(one.subject.namespace, one.subject.name) for one in lost) if pod]
    nodes = {pod.spec.node_name for pod in pods}
    if len(pods) < 2 or len(nodes) != 1 or len(inventory.nodes) < 2 or len({pod.name for pod in pods}) < 2:
        return None
    name = nodes.pop()
    return Finding(
        "warning",
        Ref("Node", "", name),
        "NodeCannotPull",
        f"pulls fail on node {name} alone, {len(pods)} pods wait there",
        (f"all pods with this failure are on node {name}", *lost[0].evidence[:2]),
        effects=tuple(sorted({pod.ref for pod in pods})),
        remedy="check the node's name resolution, proxy, egress and certificates; keep new pods off it meanwhile",
        disproof="the same images fail on another node too",
    )


def _slow(inventory: Inventory, pod: Pod) -> Iterable[Finding]:
    """A pull that has begun and neither ended nor failed."""
    begun = inventory.newest(pod, "Pulling", within=None)
    if begun is None or pod.status.phase != "Pending" or begun.last_seen is None:
        return
    ended = (
        one
        for one in inventory.events_of(pod, within=None)
        if one.reason in ("Pulled", "Failed", "BackOff") and one.last_seen and one.last_seen >= begun.last_seen
    )
    if next(ended, None) or (inventory.now - begun.last_seen).total_seconds() < SLOW:
        return
    yield Finding(
        "info",
        pod.ref,
        "ImagePullSlow",
        f"the image is still being pulled, for {age(inventory.now, begun.last_seen)}; it has not failed",
        (said(begun, inventory.now), "no event Pulled or Failed since"),
        remedy="wait; if it never ends, look at the image's size and the node's bandwidth",
        disproof="an event Failed for this image",
    )
