"""Small clusters as snapshot directories, written object by object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kubectl_berth.cluster.snapshot import SnapshotCluster, open_snapshot

NOW = "2026-10-05T09:30:00Z"
Thing = dict[str, Any]


class SmallCluster:
    """Collects objects and logs, then opens them as a snapshot."""

    def __init__(self, directory: Path, *, version: str = "v1.33.4", namespace: str = "default") -> None:
        self.directory = directory
        self.version = version
        self.namespace = namespace
        self.things: list[Thing] = []
        self.unavailable: list[Thing] = []
        self._uids = 0
        (directory / "objects").mkdir(parents=True)
        for node in ("node-a", "node-b", "node-c"):
            self.node(node)

    def open(self) -> SnapshotCluster:
        """The snapshot. JSON is YAML."""
        about = {
            "apiVersion": "berth.dev/v1",
            "kind": "Snapshot",
            "serverVersion": self.version,
            "time": NOW,
            "unavailable": self.unavailable,
        }
        (self.directory / "snapshot.yaml").write_text(json.dumps(about))
        listing = {"apiVersion": "v1", "kind": "List", "items": self.things}
        (self.directory / "objects" / "all.json").write_text(json.dumps(listing))
        return open_snapshot([self.directory], namespace=self.namespace)

    def add(
        self,
        api_version: str,
        kind: str,
        name: str,
        namespace: str | None = None,
        *,
        owner: Thing | None = None,
        labels: dict[str, str] | None = None,
        annotations: dict[str, str] | None = None,
        **rest: Any,
    ) -> Thing:
        """One object; `owner` becomes its controller."""
        self._uids += 1
        metadata: Thing = {
            "name": name,
            "uid": f"00000000-0000-4000-8000-{self._uids:012d}",
            "creationTimestamp": "2026-10-04T08:00:00Z",
            "generation": 1,
            "labels": labels or {},
            "annotations": annotations or {},
        }
        if namespace:
            metadata["namespace"] = namespace
        if owner is not None:
            metadata["ownerReferences"] = [
                {
                    "apiVersion": owner["apiVersion"],
                    "kind": owner["kind"],
                    "name": owner["metadata"]["name"],
                    "uid": owner["metadata"]["uid"],
                    "controller": True,
                }
            ]
        thing = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}
        self.things.append(thing)
        return thing

    def node(self, name: str) -> Thing:
        """A ready node."""
        return self.add(
            "v1",
            "Node",
            name,
            labels={"kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64"},
            spec={},
            status={
                "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"},
                "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"},
                "conditions": [
                    {"type": "Ready", "status": "True", "reason": "KubeletReady", "lastTransitionTime": NOW,
                     "lastHeartbeatTime": NOW},
                ],
                "nodeInfo": {"architecture": "amd64", "kubeletVersion": self.version},
            },
        )  # fmt: skip

    def namespaces(self, *names: str) -> None:
        """Active namespaces."""
        for name in names:
            self.add("v1", "Namespace", name, spec={}, status={"phase": "Active"})

    def deployment(self, name: str, namespace: str, *, replicas: int = 1, ready: int | None = None, image: str = "",
                   revision: int = 1) -> Thing:  # fmt: skip
        """A Deployment; its replica sets and pods come separately."""
        up = replicas if ready is None else ready
        return self.add(
            "apps/v1",
            "Deployment",
            name,
            namespace,
            labels={"app": name},
            annotations={"deployment.kubernetes.io/revision": str(revision)},
            spec={
                "replicas": replicas,
                "selector": {"matchLabels": {"app": name}},
                "template": _template(name, image or f"registry.example.com/{name}:1.0.0"),
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            },
            status={
                "observedGeneration": 1,
                "replicas": replicas,
                "readyReplicas": up,
                "availableReplicas": up,
                "updatedReplicas": replicas,
                "unavailableReplicas": replicas - up,
                "conditions": [
                    {"type": "Available", "status": "True" if up else "False",
                     "reason": "MinimumReplicasAvailable" if up else "MinimumReplicasUnavailable",
                     "lastTransitionTime": "2026-10-05T08:00:00Z"},
                ],
            },
        )  # fmt: skip

    def replica_set(self, owner: Thing, digest: str, *, replicas: int = 1, ready: int = 1, image: str = "",
                    revision: int = 1) -> Thing:  # fmt: skip
        """A replica set of a Deployment."""
        name, namespace = owner["metadata"]["name"], owner["metadata"]["namespace"]
        return self.add(
            "apps/v1",
            "ReplicaSet",
            f"{name}-{digest}",
            namespace,
            owner=owner,
            labels={"app": name, "pod-template-hash": digest},
            annotations={"deployment.kubernetes.io/revision": str(revision)},
            spec={
                "replicas": replicas,
                "selector": {"matchLabels": {"app": name, "pod-template-hash": digest}},
                "template": _template(name, image or f"registry.example.com/{name}:1.0.0"),
            },
            status={"observedGeneration": 1, "replicas": replicas, "readyReplicas": ready, "availableReplicas": ready},
        )

    def pod(
        self,
        name: str,
        namespace: str,
        *,
        owner: Thing | None = None,
        app: str = "",
        container: str = "",
        image: str = "",
        ready: bool = True,
        phase: str = "Running",
        restarts: int = 0,
        state: Thing | None = None,
        last: Thing | None = None,
        limits: dict[str, str] | None = None,
        labels: dict[str, str] | None = None,
        spec: Thing | None = None,
    ) -> Thing:
        """A pod with one container."""
        app = app or name.rsplit("-", 2)[0]
        container = container or app
        image = image or f"registry.example.com/{app}:1.0.0"
        truth = "True" if ready else "False"
        return self.add(
            "v1",
            "Pod",
            name,
            namespace,
            owner=owner,
            labels={"app": app, **(labels or {})},
            spec={
                "nodeName": "node-a",
                "restartPolicy": "Always",
                "containers": [{"name": container, "image": image, "resources": {"limits": limits or {}}}],
                **(spec or {}),
            },
            status={
                "phase": phase,
                "startTime": "2026-10-05T08:00:00Z",
                "podIP": "10.244.0.9",
                "conditions": [
                    {"type": "PodScheduled", "status": "True"},
                    {"type": "Ready", "status": truth, "lastTransitionTime": "2026-10-05T09:00:00Z"},
                    {"type": "ContainersReady", "status": truth, "lastTransitionTime": "2026-10-05T09:00:00Z"},
                ],
                "containerStatuses": [
                    {
                        "name": container,
                        "image": image,
                        "ready": ready,
                        "started": ready,
                        "restartCount": restarts,
                        "state": state or {"running": {"startedAt": "2026-10-05T08:00:05Z"}},
                        "lastState": last or {},
                    }
                ],
            },
        )

    def healthy(self, name: str, namespace: str, *, replicas: int = 1, image: str = "") -> Thing:
        """A Deployment with its replica set, its ready pods and a Service with endpoints."""
        deployment = self.deployment(name, namespace, replicas=replicas, image=image)
        digest = "5d78c9869d"
        owner = self.replica_set(deployment, digest, replicas=replicas, ready=replicas, image=image)
        suffixes = ("x2k4q", "m4nzp", "9b7lw")
        names = [f"{name}-{digest}-{suffix}" for suffix in suffixes[:replicas]]
        for pod in names:
            self.pod(pod, namespace, owner=owner, app=name, image=image)
        self.service(name, namespace, {"app": name}, ready=names)
        return deployment

    def crashing(self, name: str, namespace: str, *, restarts: int = 14, code: int = 1, reason: str = "Error",
                 limits: dict[str, str] | None = None) -> Thing:  # fmt: skip
        """A Deployment whose only pod keeps crashing."""
        deployment = self.deployment(name, namespace, ready=0)
        owner = self.replica_set(deployment, "6b8f7c9d44", ready=0)
        return self.pod(
            f"{name}-6b8f7c9d44-q7zkd",
            namespace,
            owner=owner,
            app=name,
            ready=False,
            restarts=restarts,
            limits=limits,
            state=waiting("CrashLoopBackOff", f"back-off 5m0s restarting failed container={name}"),
            last=terminated(code, reason),
        )

    def service(self, name: str, namespace: str, selector: dict[str, str], *, ready: list[str], port: int = 80,
                unready: list[str] | None = None) -> None:  # fmt: skip
        """A Service with one endpoint slice."""
        self.add("v1", "Service", name, namespace, spec={"selector": selector, "clusterIP": "10.96.9.9",
                 "ports": [{"port": port, "targetPort": 8080}]})  # fmt: skip
        endpoints = [
            {
                "addresses": ["10.244.0.9"],
                "conditions": {"ready": pod in ready},
                "targetRef": {"kind": "Pod", "name": pod},
            }
            for pod in [*ready, *(unready or [])]
        ]
        self.add("discovery.k8s.io/v1", "EndpointSlice", f"{name}-abcde", namespace, addressType="IPv4",
                 labels={"kubernetes.io/service-name": name}, endpoints=endpoints, ports=[{"port": 8080}])  # fmt: skip

    def event(self, about: Thing, reason: str, message: str, *, type: str = "Warning", count: int = 5,
              last: str = "2026-10-05T09:29:30Z") -> None:  # fmt: skip
        """A core/v1 event about an object."""
        metadata = about["metadata"]
        namespace = metadata.get("namespace", "default")
        self.add(
            "v1",
            "Event",
            f"{metadata['name']}.{len(self.things):x}",
            namespace,
            involvedObject={"apiVersion": about["apiVersion"], "kind": about["kind"], "name": metadata["name"],
                            "namespace": namespace, "uid": metadata["uid"]},
            reason=reason,
            message=message,
            type=type,
            count=count,
            firstTimestamp="2026-10-05T09:00:00Z",
            lastTimestamp=last,
            source={"component": "kubelet"},
        )  # fmt: skip

    def log(self, namespace: str, pod: str, container: str, text: str, *, previous: bool = False) -> None:
        """A container's log."""
        folder = self.directory / "logs" / namespace / pod
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{container}{'.previous' if previous else ''}.log").write_text(text)

    def definition(self, group: str, version: str, kind: str, plural: str, categories: list[str] | None = None) -> None:
        """A CustomResourceDefinition, namespaced."""
        self.add(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            f"{plural}.{group}",
            spec={
                "group": group,
                "scope": "Namespaced",
                "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "categories": categories or []},
                "versions": [{"name": version, "served": True, "storage": True}],
            },
            status={"conditions": [{"type": "Established", "status": "True"}]},
        )


def waiting(reason: str, message: str = "") -> Thing:
    """A container that waits."""
    return {"waiting": {"reason": reason, "message": message}}


def terminated(code: int, reason: str = "Error") -> Thing:
    """A container that ended a minute ago."""
    return {"terminated": {"exitCode": code, "reason": reason, "startedAt": "2026-10-05T09:28:40Z",
                           "finishedAt": "2026-10-05T09:28:43Z"}}  # fmt: skip


def _template(name: str, image: str) -> Thing:
    return {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": name, "image": image}]}}
