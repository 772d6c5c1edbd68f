"""Healthy workloads that have nothing to do with anything."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from kubectl_berth.records import Object

WORKLOADS = 20
PODS = 10
"""Pods of each workload."""
AGE = timedelta(days=40)
NAMESPACES = ("north", "south")


def healthy(objects: Sequence[Object], now: str) -> list[Object]:
    """Twenty Deployments of ten pods each, ready for forty days, over the nodes that take pods.

    They ask for next to nothing, so that no figure of the cluster moves by more than rounding.
    """
    nodes = [obj["metadata"]["name"] for obj in objects if obj["kind"] == "Node" and _takes_pods(obj)]
    born = (datetime.fromisoformat(now) - AGE).strftime("%Y-%m-%dT%H:%M:%SZ")
    found = [_namespace(name, born) for name in NAMESPACES]
    for number in range(WORKLOADS if nodes else 0):
        found.extend(_workload(number, nodes, born))
    return found


def _takes_pods(node: Object) -> bool:
    conditions = node["status"].get("conditions") or []
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
    return ready and not node["spec"].get("unschedulable") and not node["spec"].get("taints")


def _workload(number: int, nodes: Sequence[str], born: str) -> Iterator[Object]:
    name, namespace = f"echo-{number:02}", NAMESPACES[number % len(NAMESPACES)]
    labels = {"app.kubernetes.io/name": name}
    selector, revision = _hash(name, 10), {"deployment.kubernetes.io/revision": "1"}
    template = {"metadata": {"labels": labels}, "spec": _pod_spec()}
    deployment = _object("apps/v1", "Deployment", namespace, name, born, labels, revision)
    counts = {"observedGeneration": 1, "replicas": PODS, "readyReplicas": PODS, "availableReplicas": PODS}
    yield {
        **deployment,
        "spec": {
            "replicas": PODS,
            "selector": {"matchLabels": labels},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
            "template": template,
        },
        "status": {
            **counts,
            "updatedReplicas": PODS,
            "conditions": [
                _condition("Available", "MinimumReplicasAvailable", born),
                _condition("Progressing", "NewReplicaSetAvailable", born, f'ReplicaSet "{name}-{selector}" is done.'),
            ],
        },
    }
    held = {**labels, "pod-template-hash": selector}
    replica_set = _object("apps/v1", "ReplicaSet", namespace, f"{name}-{selector}", born, held, revision, deployment)
    yield {
        **replica_set,
        "spec": {"replicas": PODS, "selector": {"matchLabels": held}, "template": template},
        "status": counts,
    }
    for each in range(PODS):
        place = number * PODS + each
        pod = f"{name}-{selector}-{_hash(f'{name}/{each}', 5)}"
        yield {
            **_object("v1", "Pod", namespace, pod, born, held, {}, replica_set),
            "spec": {**_pod_spec(), "nodeName": nodes[place % len(nodes)]},
            "status": _pod_status(place, born),
        }


def _object(
    api_version: str,
    kind: str,
    namespace: str,
    name: str,
    born: str,
    labels: dict[str, str],
    annotations: dict[str, str],
    owner: Object | None = None,
) -> Object:
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": namespace,
        "uid": _uid(f"{kind}/{namespace}/{name}"),
        "creationTimestamp": born,
        "generation": 1,
        "labels": labels,
    }
    if annotations:
        metadata["annotations"] = annotations
    if owner is not None:
        metadata["ownerReferences"] = [
            {
                "apiVersion": owner["apiVersion"],
                "kind": owner["kind"],
                "name": owner["metadata"]["name"],
                "uid": owner["metadata"]["uid"],
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ]
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def _namespace(name: str, born: str) -> Object:
    metadata = {
        "name": name,
        "uid": _uid(name),
        "creationTimestamp": born,
        "labels": {"kubernetes.io/metadata.name": name},
    }
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata, "status": {"phase": "Active"}}


def _pod_spec() -> dict[str, Any]:
    asked = {"cpu": "1m", "memory": "1Mi"}
    probe = {"httpGet": {"path": "/ready", "port": 8080}, "periodSeconds": 10, "failureThreshold": 3}
    return {
        "containers": [
            {
                "name": "echo",
                "image": "registry.example.com/echo:1.0.0",
                "resources": {"requests": asked, "limits": {"cpu": "10m", "memory": "16Mi"}},
                "readinessProbe": probe,
            }
        ],
        "restartPolicy": "Always",
        "serviceAccountName": "default",
    }


def _pod_status(place: int, born: str) -> dict[str, Any]:
    return {
        "phase": "Running",
        "qosClass": "Burstable",
        "podIP": f"10.250.{place // 250}.{place % 250 + 1}",
        "startTime": born,
        "conditions": [
            {"type": kind, "status": "True", "lastTransitionTime": born}
            for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
        ],
        "containerStatuses": [
            {
                "name": "echo",
                "image": "registry.example.com/echo:1.0.0",
                "imageID": f"registry.example.com/echo@sha256:{_hash('echo', 64)}",
                "containerID": f"containerd://{_hash(str(place), 64)}",
                "ready": True,
                "started": True,
                "restartCount": 0,
                "state": {"running": {"startedAt": born}},
                "lastState": {},
            }
        ],
    }


def _condition(kind: str, reason: str, born: str, message: str = "Deployment has minimum availability.") -> Object:
    times = {"lastTransitionTime": born, "lastUpdateTime": born}
    return {"type": kind, "status": "True", "reason": reason, "message": message, **times}


def _hash(text: str, length: int) -> str:
    """Letters and digits as Kubernetes draws them for names, always the same for the same text."""
    if length == 64:
        return hashlib.sha256(text.encode()).hexdigest()
    safe = "bcdfghjklmnpqrstvwxz2456789" if length == 5 else "0123456789abcdef"
    return "".join(safe[byte % len(safe)] for byte in hashlib.sha256(text.encode()).digest()[:length])


def _uid(text: str) -> str:
    raw = hashlib.sha256(text.encode()).hexdigest()
    return f"{raw[:8]}-{raw[8:12]}-4{raw[13:16]}-8{raw[17:20]}-{raw[20:32]}"
