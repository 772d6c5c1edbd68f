"""Small builders of Kubernetes objects for the checks: healthy unless told otherwise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from kubectl_berth.diagnosis.diagnose import diagnose
from kubectl_berth.diagnosis.inventory import Inventory, inventory_of
from kubectl_berth.records import Finding

NOW = datetime(2026, 10, 5, 9, 30, tzinfo=UTC)
Obj = dict[str, Any]


def ago(minutes: float) -> str:
    """A time that many minutes before NOW, as the API writes it."""
    return (NOW - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def merged(base: Obj, extra: Obj) -> Obj:
    """The base with the extra laid over it, dicts merged, the rest replaced."""
    out = dict(base)
    for key, value in extra.items():
        held = out.get(key)
        out[key] = merged(held, value) if isinstance(held, dict) and isinstance(value, dict) else value
    return out


def obj(api_version: str, kind: str, name: str, namespace: str = "shop", *, age: float = 600, **rest: Any) -> Obj:
    """Any object; `metadata` in the rest is merged."""
    metadata: Obj = {"name": name, "uid": f"uid-{kind}-{namespace}-{name}", "creationTimestamp": ago(age)}
    if namespace:
        metadata["namespace"] = namespace
    return merged({"apiVersion": api_version, "kind": kind, "metadata": metadata}, rest)


def owned(child: Obj, owner: Obj) -> Obj:
    """The child with the owner as its controller."""
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
    }
    return merged(child, {"metadata": {"ownerReferences": [reference]}})


def running(name: str = "app", *, since: float = 500, ready: bool = True, restarts: int = 0, **rest: Any) -> Obj:
    """The status of a container that runs."""
    state = {"running": {"startedAt": ago(since)}}
    return {"name": name, "ready": ready, "restartCount": restarts, "state": state, "started": True, **rest}


def waiting(reason: str, message: str = "", name: str = "app", restarts: int = 0, **rest: Any) -> Obj:
    """The status of a container that waits."""
    state = {"waiting": {"reason": reason, "message": message}}
    return {"name": name, "ready": False, "restartCount": restarts, "state": state, **rest}


def ended(code: int, reason: str = "Error", *, minutes: float = 3, ran: float = 1, message: str = "") -> Obj:
    """A terminated state, for `state` or `lastState`."""
    terminated = {
        "exitCode": code,
        "reason": reason,
        "startedAt": ago(minutes + ran),
        "finishedAt": ago(minutes),
        "message": message,
    }
    return {"terminated": terminated}


def pod(
    name: str = "web-1",
    *statuses: Obj,
    phase: str = "Running",
    node: str = "node-a",
    container: Obj | None = None,
    **rest: Any,
) -> Obj:
    """A pod with one container `app`; ready where all its statuses are."""
    given = list(statuses) or [running()]
    ready = phase == "Running" and all(one["ready"] for one in given)
    containers = [
        merged({"name": one["name"], "image": "registry.example.com/app:1"}, container or {}) for one in given
    ]
    status = {
        "phase": phase,
        "containerStatuses": given,
        "conditions": [{"type": "Ready", "status": "True" if ready else "False", "lastTransitionTime": ago(100)}],
    }
    base = obj("v1", "Pod", name, spec={"nodeName": node, "containers": containers}, status=status)
    return merged(base, rest)


def node(name: str = "node-a", *conditions: Obj, **rest: Any) -> Obj:
    """A ready node of 4 cores and 16Gi."""
    given = list(conditions) or [condition("Ready", "True", "KubeletReady", "kubelet is posting ready status")]
    resources = {"cpu": "4", "memory": "16Gi", "pods": "110", "ephemeral-storage": "100Gi"}
    status = {"conditions": given, "allocatable": resources, "capacity": resources}
    return merged(obj("v1", "Node", name, "", status=status, spec={}), rest)


def condition(kind: str, status: str, reason: str = "", message: str = "", minutes: float = 60) -> Obj:
    """A status condition that has held for that many minutes."""
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": ago(minutes)}


def event(about: Obj, reason: str, message: str, *, minutes: float = 2, times: int = 1, container: str = "", kind: str = "Warning") -> Obj:  # fmt: skip # noqa: E501
    """An event of the old recorder about an object."""
    metadata = about["metadata"]
    involved = {"kind": about["kind"], "name": metadata["name"], "namespace": metadata.get("namespace", ""), "uid": metadata["uid"]}  # fmt: skip # noqa: E501
    if container:
        involved["fieldPath"] = "spec.containers{" + container + "}"
    return obj(
        "v1",
        "Event",
        f"{metadata['name']}.{abs(hash((reason, message))):x}",
        metadata.get("namespace") or "default",
        involvedObject=involved,
        reason=reason,
        message=message,
        type=kind,
        count=times,
        firstTimestamp=ago(minutes + times),
        lastTimestamp=ago(minutes),
        eventTime=None,
        source={"component": "kubelet"},
    )


def scheduler_event(about: Obj, reason: str, message: str, *, minutes: float = 2, times: int = 5) -> Obj:
    """An event of the new recorder: no first or last timestamp, a series."""
    base = event(about, reason, message)
    return merged(
        base,
        {
            "firstTimestamp": None,
            "lastTimestamp": None,
            "count": None,
            "source": {},
            "eventTime": ago(minutes + 30).replace("Z", ".123456Z"),
            "series": {"count": times, "lastObservedTime": ago(minutes).replace("Z", ".654321Z")},
            "reportingComponent": "default-scheduler",
        },
    )


def deployment(name: str = "web", *, replicas: int = 1, ready: int | None = None, labels: Obj | None = None, **rest: Any) -> Obj:  # fmt: skip # noqa: E501
    """A Deployment, fully rolled out unless `ready` says less."""
    have = replicas if ready is None else ready
    labels = labels or {"app": name}
    status = {
        "observedGeneration": 1,
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": have,
        "availableReplicas": have,
        "conditions": [condition("Progressing", "True", "NewReplicaSetAvailable")],
    }
    spec = {
        "replicas": replicas,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}},
    }
    return merged(obj("apps/v1", "Deployment", name, metadata={"generation": 1}, spec=spec, status=status), rest)


def replica_set(of: Obj, name: str, *, replicas: int = 1, ready: int | None = None, revision: int = 1, image: str = "app:1") -> Obj:  # fmt: skip # noqa: E501
    """A ReplicaSet of a Deployment."""
    have = replicas if ready is None else ready
    labels = of["spec"]["selector"]["matchLabels"]
    made = obj(
        "apps/v1",
        "ReplicaSet",
        name,
        metadata={"generation": 1, "annotations": {"deployment.kubernetes.io/revision": str(revision)}},
        spec={
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": image}]}},
        },
        status={"observedGeneration": 1, "replicas": replicas, "readyReplicas": have},
    )
    return owned(made, of)


def taken(*objects: Obj) -> Inventory:
    """The inventory of the objects at NOW."""
    return inventory_of(objects, NOW)


def found(*objects: Obj) -> list[Finding]:
    """Everything that diagnosing the objects yields."""
    return diagnose(taken(*objects))


def reasons(*objects: Obj) -> set[str]:
    """The reason codes of all findings about the objects."""
    return {finding.reason for finding in found(*objects)}


def one(findings: list[Finding], reason: str) -> Finding:
    """The only finding with that reason."""
    matching = [finding for finding in findings if finding.reason == reason]
    assert len(matching) == 1, [(str(f.subject), f.reason) for f in findings]
    return matching[0]
