"""The same moment in the words of another Kubernetes version.

Kubernetes changed some of its messages between 1.31 and 1.35. A scenario is written in the words of one version and
can be read in those of any other, so that neither a check nor an answer leans on one wording. Pure: an object goes
in, an object comes out; the one that went in is left alone.

Two messages lose information on the way and cannot come back: the cause in ImagePullBackOff (told from 1.32 on) and
the key of an untolerated taint (told up to 1.33). A scenario with one of them is written in a version that tells it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kubectl_berth.errors import UsageError
from kubectl_berth.records import Object

Minor = int

_VERSION = re.compile(r"v1\.(\d{1,2})\.\d{1,3}(?:[-+][0-9A-Za-z.+-]*)?")
_CONTAINER = re.compile(r"\{(?P<name>[^}]+)\}$")
_SCALED_FROM_TO = re.compile(r"Scaled (up|down) replica set (\S+) from (\d+) to (\d+)")
_SCALED_TO = re.compile(r"Scaled (up|down) replica set (\S+) to (\d+)(?: from (\d+))?")
_PROBE = re.compile(r"^(\w+ probe errored)(?: and resulted in \w+ state)?: ", re.ASCII)
_PULL_CAUSE = re.compile(r'^(Back-off pulling image "[^"]*"): ErrImagePull: .*$', re.DOTALL)
_NODES = re.compile(r"^(0/\d+ nodes are available: )(?P<reasons>\d+ .*?)\.(?P<rest>(?: .*)?)$", re.DOTALL)
_COUNTED = re.compile(r"^(\d+) (.*)$", re.DOTALL)
_TAINT = re.compile(r"node\(s\) had untolerated taint \{[^}]*\}")
_TAINTS = "node(s) had untolerated taint(s)"
_ZONES = ("node(s) had volume node affinity conflict", "node(s) didn't match PersistentVolume's node affinity")
_CLAIMS = "no new claims to deallocate, "


def check_version(version: str) -> Minor:
    """The minor of a version like "v1.33.4". UsageError where it is not one."""
    match = _VERSION.fullmatch(version)
    if match is None:
        raise UsageError(f'"{version}" is not a Kubernetes version: write it like v1.33.4')
    return int(match[1])


def reworded(obj: Object, source: str, target: str) -> Object:
    """`obj`, written in version `source`, as version `target` would have written it."""
    if source == target:
        return obj
    minor = check_version(target)
    match obj.get("kind"):
        case "Event":
            return _event(obj, minor)
        case "Pod":
            return _versioned_object(_pod(obj, minor), source, target)
        case "Node":
            return _node(obj, minor, target)
        case "DaemonSet" | "ControllerRevision":
            return _versioned_object(obj, source, target)
        case _:
            return obj


def _event(obj: Object, minor: Minor) -> Object:
    message = obj.get("message")
    if not isinstance(message, str):
        return obj
    words = _MESSAGES.get(str(obj.get("reason")))
    if words is None:
        return obj
    return {**obj, "message": words(message, minor, _container(obj))}


def _container(event: Object) -> str:
    match = _CONTAINER.search(str((event.get("involvedObject") or {}).get("fieldPath", "")))
    return match["name"] if match else ""


def _created(message: str, minor: Minor, container: str) -> str:
    if not container:
        return message
    if minor >= 35:
        return "Container created"
    return f"Created container: {container}" if minor >= 32 else f"Created container {container}"


def _started(message: str, minor: Minor, container: str) -> str:
    if not container:
        return message
    return "Container started" if minor >= 35 else f"Started container {container}"


def _scaled(message: str, minor: Minor, _: str) -> str:
    if match := _SCALED_FROM_TO.fullmatch(message):
        way, name, before, after = match.groups()
    elif match := _SCALED_TO.fullmatch(message):
        way, name, after = match[1], match[2], match[3]
        before = match[4] or "0"
    else:
        return message
    if minor >= 32:
        return f"Scaled {way} replica set {name} from {before} to {after}"
    tail = "" if way == "up" and before == "0" else f" from {before}"
    return f"Scaled {way} replica set {name} to {after}{tail}"


def _probe(message: str, minor: Minor, _: str) -> str:
    state = " and resulted in unknown state" if minor >= 33 else ""
    return _PROBE.sub(rf"\1{state}: ", message)


def _scheduling(message: str, minor: Minor, _: str = "") -> str:
    old, new = _ZONES
    message = message.replace(old, new) if minor >= 33 else message.replace(new, old)
    if minor < 34:
        return message.replace(_CLAIMS, "")
    match = _NODES.match(message)
    if match is None:
        return message
    rest = match["rest"]
    if _CLAIMS not in rest:
        rest = rest.replace(" preemption: ", f" {_CLAIMS}preemption: ", 1)
    return f"{match[1]}{_taints(match['reasons'])}.{rest}"


def _taints(reasons: str) -> str:
    """From 1.34 on the taints are counted together, and the list is sorted as strings again."""
    counts: dict[str, int] = {}
    for entry in re.split(r", (?=\d+ )", reasons):
        counted = _COUNTED.match(entry)
        if counted is None:
            return reasons
        reason = _TAINT.sub(_TAINTS, counted[2])
        counts[reason] = counts.get(reason, 0) + int(counted[1])
    return ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items()))


_MESSAGES: dict[str, Callable[[str, Minor, str], str]] = {
    "Created": _created,
    "Started": _started,
    "ScalingReplicaSet": _scaled,
    "Unhealthy": _probe,
    "FailedScheduling": _scheduling,
}


def _pod(obj: Object, minor: Minor) -> Object:
    status = obj.get("status")
    if not isinstance(status, dict):
        return obj
    changed = dict(status)
    for key in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        if isinstance(status.get(key), list):
            changed[key] = [_container_status(entry, minor) for entry in status[key]]
    if isinstance(status.get("conditions"), list):
        changed["conditions"] = [_condition(entry, minor) for entry in status["conditions"]]
    return {**obj, "status": changed}


def _container_status(entry: Any, minor: Minor) -> Any:
    waiting = entry.get("state", {}).get("waiting") if isinstance(entry, dict) else None
    if minor >= 32 or not waiting or waiting.get("reason") != "ImagePullBackOff":
        return entry
    message = _PULL_CAUSE.sub(r"\1", str(waiting.get("message", "")))
    return {**entry, "state": {"waiting": {**waiting, "message": message}}}


def _condition(entry: Any, minor: Minor) -> Any:
    if isinstance(entry, dict) and entry.get("type") == "PodScheduled" and entry.get("reason") == "Unschedulable":
        return {**entry, "message": _scheduling(str(entry.get("message", "")), minor)}
    return entry


def _node(obj: Object, minor: Minor, target: str) -> Object:
    status = obj.get("status") or {}
    info = {**(status.get("nodeInfo") or {}), "kubeletVersion": target}
    # since 1.33 the kubelet no longer claims to know the proxy's version
    info["kubeProxyVersion"] = target if minor < 33 else ""
    return {**obj, "status": {**status, "nodeInfo": info}}


def _versioned_object(obj: Object, source: str, target: str) -> Object:
    return {key: _versioned(value, source, target) for key, value in obj.items()}


def _versioned(value: Any, source: str, target: str) -> Any:
    """Every image whose tag is the cluster's own version (kube-proxy) moves along."""
    if isinstance(value, dict):
        return {key: _versioned(entry, source, target) for key, entry in value.items()}
    if isinstance(value, list):
        return [_versioned(entry, source, target) for entry in value]
    if isinstance(value, str) and value.endswith(f":{source}"):
        return value.removesuffix(source) + target
    return value
