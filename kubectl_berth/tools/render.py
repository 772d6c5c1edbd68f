"""An object as short text: what nobody set is left out, small values stand on one line."""

from __future__ import annotations

import json
from typing import Any

from kubectl_berth.records import Object
from kubectl_berth.tools.fields import clip, dig, mapping, mappings, text

WIDTH = 110
"""Characters up to which a value is written on one line."""

# what the API server fills in where nobody says otherwise
_DEFAULTS: dict[str, tuple[Any, ...]] = {
    "allocateLoadBalancerNodePorts": (True,),
    "apiVersion": ("v1",),
    "backoffLimit": (6,),
    "completionMode": ("NonIndexed",),
    "concurrencyPolicy": ("Allow",),
    "defaultMode": (420,),
    "dnsPolicy": ("ClusterFirst",),
    "enableServiceLinks": (True,),
    "externalTrafficPolicy": ("Cluster",),
    "failedJobsHistoryLimit": (1,),
    "failureThreshold": (3,),
    "fieldPath": (),
    "imagePullPolicy": ("IfNotPresent",),
    "internalTrafficPolicy": ("Cluster",),
    "ipFamilyPolicy": ("SingleStack",),
    "manualSelector": (False,),
    "maxSurge": ("25%",),
    "maxUnavailable": ("25%",),
    "parallelism": (1,),
    "pathType": ("Prefix",),
    "periodSeconds": (10,),
    "podManagementPolicy": ("OrderedReady",),
    "podReplacementPolicy": ("TerminatingOrFailed",),
    "preemptionPolicy": ("PreemptLowerPriority",),
    "priority": (0,),
    "progressDeadlineSeconds": (600,),
    "protocol": ("TCP",),
    "restartPolicy": ("Always",),
    "revisionHistoryLimit": (10,),
    "schedulerName": ("default-scheduler",),
    "scheme": ("HTTP",),
    "serviceAccountName": ("default",),
    "sessionAffinity": ("None",),
    "successThreshold": (1,),
    "successfulJobsHistoryLimit": (3,),
    "suspend": (False,),
    "terminationGracePeriodSeconds": (30,),
    "terminationMessagePath": ("/dev/termination-log",),
    "terminationMessagePolicy": ("File",),
    "timeoutSeconds": (1,),
    "volumeMode": ("Filesystem",),
    "whenDeleted": ("Retain",),
    "whenScaled": ("Retain",),
}
_EMPTY_BY_DEFAULT = frozenset(
    {"securityContext", "resources", "affinity", "strategy", "metadata", "rollingUpdate", "updateStrategy", "status"}
)
# said elsewhere in the description, or a copy of another field
_SAID_ELSEWHERE = frozenset(
    {
        "serviceAccount",
        "deprecatedServiceAccount",
        "clusterIPs",
        "ipFamilies",
        "podCIDRs",
        "images",
        "creationTimestamp",
    }
)
_DEFAULT_TOLERATIONS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_TOKEN_VOLUME = "kube-api-access-"


def pruned(value: Any) -> Any:
    """A built-in object's field without defaults that nobody set, token volumes and default tolerations."""
    if isinstance(value, dict):
        kept = {}
        for key, inner in value.items():
            sidecar = key == "restartPolicy" and "containers" not in value
            if key in _SAID_ELSEWHERE or inner is None or (_is_default(key, inner) and not sidecar):
                continue
            if key == "env" and isinstance(inner, list):
                kept[key] = [env_words(entry) for entry in mappings(value, "env")]
            elif key == "envFrom" and isinstance(inner, list):
                kept[key] = [env_from_words(entry) for entry in mappings(value, "envFrom")]
            elif key == "volumeMounts" and isinstance(inner, list):
                mounts = [mount for mount in mappings(value, key) if not _is_plumbing(mount)]
                kept |= {key: [_mount_words(mount) for mount in mounts]} if mounts else {}
            elif key == "securityContext" and isinstance(inner, dict):
                kept |= {key: telling} if (telling := _security(inner)) else {}
            else:
                below = pruned(inner)
                if below in ({}, []) and (key in _EMPTY_BY_DEFAULT or inner not in ({}, [])):
                    continue
                kept[key] = below
        return kept
    if isinstance(value, list):
        return [pruned(inner) for inner in value if not _is_plumbing(inner)]
    return value


def without_said(thing: Object, rest: Object) -> Object:
    """A Pod without what the lines of its containers have told: images, requests and limits."""
    spec = mapping(rest, "spec")
    if text(thing, "kind") != "Pod" or not spec:
        return rest
    slim = dict(spec)
    for field in ("containers", "initContainers"):
        if field in spec:
            slim[field] = [
                {key: value for key, value in container.items() if key not in ("image", "resources")}
                for container in mappings(spec, field)
            ]
    return {**rest, "spec": slim}


def _mount_words(mount: Object) -> str:
    """ "data at /var/lib/data (read only)"."""
    only = " (read only)" if mount.get("readOnly") is True else ""
    part = f" (part {text(mount, 'subPath')})" if text(mount, "subPath") else ""
    return f"{text(mount, 'name')} at {text(mount, 'mountPath')}{part}{only}"


def _security(context: Object) -> Object:
    """The settings that keep a container from starting or writing; hardening that never does is left out."""
    kept = {key: value for key, value in context.items() if key in _SECURITY or (key == "privileged" and value is True)}
    added = dig(context, "capabilities", "add")
    return {**kept, "capabilities": {"add": added}} if added else kept


_SECURITY = ("runAsUser", "runAsGroup", "runAsNonRoot", "fsGroup", "readOnlyRootFilesystem", "seLinuxOptions")


def _is_default(key: str, value: Any) -> bool:
    return not isinstance(value, (dict, list)) and value in _DEFAULTS.get(key, ())


def _is_plumbing(value: Any) -> bool:
    """True for the volume and mount of the API token and the tolerations that every pod gets."""
    if text(value, "name").startswith(_TOKEN_VOLUME):
        return True
    return text(value, "key") in _DEFAULT_TOLERATIONS and text(value, "tolerationSeconds") == "300"


def env_words(entry: Object) -> str:
    """Where an environment variable comes from: its name and source, never its value."""
    name = text(entry, "name")
    for field, kind in (("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")):
        if source := mapping(entry, "valueFrom", field):
            optional = ", optional" if source.get("optional") is True else ""
            return f"{name} from {kind} {text(source, 'name')} (key {text(source, 'key')}{optional})"
    for field in ("fieldRef", "resourceFieldRef", "fileKeyRef"):
        if source := mapping(entry, "valueFrom", field):
            return f"{name} from {text(source, 'fieldPath') or text(source, 'resource') or text(source, 'path')}"
    return f"{name} (literal)"


def env_from_words(entry: Object) -> str:
    """A Secret or ConfigMap whose keys all become variables."""
    for field, kind in (("secretRef", "Secret"), ("configMapRef", "ConfigMap")):
        if source := mapping(entry, field):
            optional = " (optional)" if source.get("optional") is True else ""
            return f"all keys of {kind} {text(source, 'name')}{optional}"
    return "unknown source"


def render(value: Any, indent: int = 0, limit: int = 200) -> list[str]:
    """Lines like YAML; a value that fits stands on one line. Past `limit` lines one says how many more."""
    lines = list(_lines(value, indent))
    if len(lines) > limit:
        lines = [*lines[:limit], f"{' ' * indent}... ({len(lines) - limit} more lines)"]
    return lines


def _lines(value: Any, indent: int) -> list[str]:
    pad = " " * indent
    if isinstance(value, dict):
        lines = []
        for key, inner in value.items():
            flat = inline(inner)
            if flat is not None and len(flat) + len(str(key)) + indent <= WIDTH:
                lines.append(f"{pad}{key}: {flat}")
            elif isinstance(inner, str):
                lines.append(f"{pad}{key}: {clip(inner, 1500)}")
            else:
                lines += [f"{pad}{key}:", *_lines(inner, indent + 2)]
        return lines
    if isinstance(value, list):
        lines = []
        for inner in value:
            flat = inline(inner)
            if flat is not None and len(flat) + indent <= WIDTH:
                lines.append(f"{pad}- {flat}")
                continue
            below = _lines(inner, indent + 2)
            lines.append(f"{pad}- {below[0].lstrip()}" if below else f"{pad}-")
            lines += below[1:]
        return lines
    return [f"{pad}{clip(_scalar(value), 1500)}"]


def inline(value: Any) -> str | None:
    """The value on one line, or None where it has line breaks or is long."""
    if isinstance(value, dict):
        if len(value) > 8:
            return None
        parts = []
        for key, inner in value.items():
            flat = inline(inner)
            if flat is None:
                return None
            parts.append(f"{key}: {flat}")
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        flats = [inline(inner) for inner in value[:12]]
        if len(value) > 12 or any(flat is None for flat in flats):
            return None
        return "[" + ", ".join(flat for flat in flats if flat is not None) + "]"
    shown = _scalar(value)
    return shown if len(shown) <= WIDTH and "\n" not in shown else None


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value if value else '""'
    return json.dumps(value, default=str)
