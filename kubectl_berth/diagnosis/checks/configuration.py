"""Missing Secrets, ConfigMaps and keys, read from status and events alone; settings that forbid a start."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import Pod
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.producers import producers
from kubectl_berth.diagnosis.say import clip, listed, said, weight
from kubectl_berth.records import Finding, Ref

_MISSING = re.compile(r"\b(secret|configmap)s? \"([^\"]+)\" not found", re.IGNORECASE)
_NO_KEY = re.compile(r"couldn't find key (\S+) in (Secret|ConfigMap) ([^/\s]+)/(\S+)", re.IGNORECASE)
_NO_ITEM = re.compile(r"references non-existent (secret|config) key: ([^\s,;]+)", re.IGNORECASE)
_VOLUME = re.compile(r"for volume \"([^\"]+)\"")
_KINDS = {"secret": "Secret", "configmap": "ConfigMap", "config": "ConfigMap"}


def check_configuration(inventory: Inventory) -> Iterable[Finding]:
    """Pods that wait for a Secret, a ConfigMap or a key, and pods whose security settings fit no start."""
    for pod in inventory.pods:
        if pod.finished or pod.terminating or pod.ready:
            continue
        yield from _from_status(inventory, pod)
        yield from _from_mounts(inventory, pod)


def _from_status(inventory: Inventory, pod: Pod) -> Iterator[Finding]:
    for status in [*pod.status.init_container_statuses, *pod.status.container_statuses]:
        waiting = status.state.waiting
        if waiting is None or waiting.reason != "CreateContainerConfigError":
            continue
        event = inventory.newest(pod, "Failed")
        text = waiting.message or (event.text if event else "")
        evidence = f"container {status.name}: waiting, CreateContainerConfigError: {clip(text)}"
        missing = _missing(pod, text)
        if missing:
            yield from _pair(inventory, pod, missing, evidence, f"container {status.name} cannot be configured")
        elif "runasnonroot" in text.lower() or "non-root" in text.lower():
            yield Finding(
                weight(inventory, pod),
                pod.ref,
                "RunAsNonRootConflict",
                f"container {status.name} must not run as root (runAsNonRoot), but its image does",
                (evidence,),
                remedy="set securityContext.runAsUser to the image's non-root user, or build the image with a numeric "
                "USER",
                disproof="an image whose user is a number above 0",
            )
        else:
            yield Finding(
                weight(inventory, pod),
                pod.ref,
                "ContainerConfigError",
                f"container {status.name} cannot be configured",
                (evidence,),
                remedy="mend what the message names in the pod template",
                disproof="the container starts",
            )


def _from_mounts(inventory: Inventory, pod: Pod) -> Iterator[Finding]:
    for event in inventory.events_of(pod):
        if event.reason != "FailedMount":
            continue
        missing = _missing(pod, event.text)
        if missing:
            words = "the pod waits for a volume that cannot be filled"
            yield from _pair(inventory, pod, missing, said(event, inventory.now), words)
            return


def _missing(pod: Pod, text: str) -> tuple[Ref, str] | None:
    """The object a message finds missing, and the key where only that is missing ("" otherwise)."""
    key = _NO_KEY.search(text)
    if key:
        return Ref(_KINDS[key[2].lower()], key[3], key[4].rstrip(".,;")), key[1]
    whole = _MISSING.search(text)
    if whole:
        return Ref(_KINDS[whole[1].lower()], pod.namespace, whole[2].rsplit("/", 1)[-1]), ""
    item, volume = _NO_ITEM.search(text), _VOLUME.search(text)
    if item:
        kind = _KINDS[item[1].lower()]
        return Ref(kind, pod.namespace, _source(pod, volume[1] if volume else "", kind)), item[2]
    return None


def names_configuration(pod: Pod, text: str) -> bool:
    """True for a mount's error that speaks of a missing Secret, ConfigMap or key."""
    return _missing(pod, text) is not None or "not registered" in text


def _source(pod: Pod, volume: str, kind: str) -> str:
    """The Secret or ConfigMap behind a volume of the pod; the volume's name where the spec does not say."""
    for one in pod.spec.volumes:
        if one.name == volume and kind == "Secret" and one.secret:
            return one.secret.secret_name
        if one.name == volume and kind == "ConfigMap" and one.config_map:
            return one.config_map.name
    return volume


def _pair(inventory: Inventory, pod: Pod, missing: tuple[Ref, str], evidence: str, words: str) -> Iterator[Finding]:
    """The missing object as the cause, the pod as what it stops."""
    ref, key = missing
    reason = f"{ref.kind}KeyMissing" if key else f"{ref.kind}Missing"
    what = f"{ref} has no key {key}" if key else f"{ref} does not exist"
    act = f"add the key {key} to" if key else "create"
    made = [f"{one.resource.ref} should write it ({one.where})" for one in producers(inventory, ref)]
    by_hand = f"{act} {ref}, or correct the reference in the pod template; the pod starts by itself afterwards"
    by_maker = f"{listed(made, 2)}: find out why it has not, and mend that; what is made by hand there hides it"
    yield Finding(
        weight(inventory, pod),
        ref,
        reason,
        f"{what}, and {inventory.workload(pod)} needs it",
        (f"{pod.ref}: {evidence}", *made[:2]),
        effects=(pod.ref,),
        remedy=by_maker if made else by_hand,
        disproof=f"{ref} is there{f' with the key {key}' if key else ''} (berth does not read it)",
    )
    yield Finding(
        weight(inventory, pod), pod.ref, "WaitsForConfiguration", f"{words}: {what}", (evidence,), caused_by=ref
    )
