"""Small Kubernetes objects and snapshots for the tools' tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox

NOW = "2026-10-05T09:30:00Z"
Object = dict[str, Any]


def ago(**span: int) -> str:
    """A time before NOW: ago(minutes=5)."""
    from datetime import datetime, timedelta

    return (datetime.fromisoformat(NOW) - timedelta(**span)).strftime("%Y-%m-%dT%H:%M:%SZ")


def uid(kind: str, namespace: str, name: str) -> str:
    """A stable uid."""
    return f"{kind.lower()}-{namespace}-{name}-uid"


def meta(kind: str, name: str, namespace: str = "", owner: Object | None = None, **more: Any) -> Object:
    """Metadata with a uid, two hours old; `owner` is the controlling object."""
    made: Object = {"name": name, "uid": uid(kind, namespace, name), "creationTimestamp": ago(hours=2), **more}
    if namespace:
        made["namespace"] = namespace
    if owner is not None:
        made["ownerReferences"] = [
            {
                "apiVersion": owner["apiVersion"],
                "kind": owner["kind"],
                "name": owner["metadata"]["name"],
                "uid": owner["metadata"]["uid"],
                "controller": True,
            }
        ]
    return made


def namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": meta("Namespace", name), "status": {"phase": "Active"}}


def node(name: str, ready: str = "True") -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": meta("Node", name),
        "spec": {},
        "status": {
            "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": ready, "reason": "KubeletReady", "message": "kubelet posts"}],
            "nodeInfo": {"kubeletVersion": "v1.33.4"},
        },
    }


RUNNING: Object = {"running": {"startedAt": ago(hours=2)}}
CRASHED: Object = {
    "terminated": {
        "exitCode": 1,
        "reason": "Error",
        "startedAt": ago(minutes=2),
        "finishedAt": ago(minutes=1),
    }
}
BACKING_OFF: Object = {
    "waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container=app pod=x"}
}


def pod(
    name: str,
    space: str,
    *,
    owner: Object | None = None,
    state: Object = RUNNING,
    last: Object | None = None,
    restarts: int = 0,
    ready: bool = True,
    phase: str = "Running",
    container: str = "app",
    on: str = "node-1",
    spec: Object | None = None,
    labels: Mapping[str, str] | None = None,
) -> Object:
    status = {"name": container, "ready": ready, "restartCount": restarts, "state": state, "lastState": last or {}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta("Pod", name, space, owner, labels=dict(labels or {})),
        "spec": {
            "nodeName": on,
            "restartPolicy": "Always",
            "dnsPolicy": "ClusterFirst",
            "containers": [
                {
                    "name": container,
                    "image": f"registry.example.com/{name}:1",
                    "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}},
                    "terminationMessagePath": "/dev/termination-log",
                    **(spec or {}),
                }
            ],
        },
        "status": {
            "phase": phase,
            "conditions": [{"type": "Ready", "status": "True" if ready else "False", "reason": "ContainersNotReady"}],
            "containerStatuses": [status],
        },
    }


def deployment(name: str, space: str, replicas: int = 1, ready: int = 1) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": meta("Deployment", name, space, generation=1),
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "revisionHistoryLimit": 10},
        "status": {"replicas": replicas, "readyReplicas": ready, "observedGeneration": 1},
    }


def replica_set(owner: Object, suffix: str, replicas: int = 1, ready: int = 1) -> Object:
    above = owner["metadata"]
    name = f"{above['name']}-{suffix}"
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": meta("ReplicaSet", name, above["namespace"], owner, labels={"pod-template-hash": suffix}),
        "spec": {"replicas": replicas},
        "status": {"replicas": replicas, "readyReplicas": ready},
    }


def event(
    about: Object, reason: str, message: str, *, kind: str = "Warning", times: int = 1, last: str = ago(minutes=4)
) -> Object:
    """An event of the old recorder."""
    target = about["metadata"]
    space = target.get("namespace", "")
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": f"{target['name']}.{reason.lower()}.{abs(hash(message)) % 10**6}",
            "namespace": space or "default",
        },
        "involvedObject": {"kind": about["kind"], "namespace": space, "name": target["name"], "uid": target["uid"]},
        "type": kind,
        "reason": reason,
        "message": message,
        "count": times,
        "firstTimestamp": ago(hours=1),
        "lastTimestamp": last,
        "source": {"component": "kubelet"},
    }


def definition(group: str, kind: str, plural: str) -> Object:
    """A CustomResourceDefinition, version v1, namespaced."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": meta("CustomResourceDefinition", f"{plural}.{group}"),
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True}],
        },
    }


LEDGER: Object = {
    "apiVersion": "postgresql.cnpg.io/v1",
    "kind": "Cluster",
    "metadata": meta("Cluster", "ledger-db", "data"),
    "spec": {"instances": 3, "storage": {"size": "100Gi"}},
    "status": {
        "instances": 3,
        "readyInstances": 2,
        "phase": "Waiting for the instances to become active",
        "conditions": [{"type": "Ready", "status": "False", "reason": "ClusterIsNotReady", "message": "not all ready"}],
    },
}
POSTGRES = [definition("postgresql.cnpg.io", kind, f"{kind.lower()}s") for kind in ("Backup", "Cluster", "Pooler")]


def write(directory: Path, objects: Sequence[Object], logs: Mapping[str, str] | None = None, **about: Any) -> Path:
    """A snapshot directory. `logs` maps "namespace/pod/container.log" to text."""
    (directory / "objects").mkdir(parents=True)
    header = {"apiVersion": "berth.dev/v1", "kind": "Snapshot", "serverVersion": "v1.33.4", "time": NOW, **about}
    (directory / "snapshot.yaml").write_text(yaml.safe_dump(header))
    (directory / "objects" / "all.yaml").write_text(yaml.safe_dump_all(list(objects)))
    for name, words in (logs or {}).items():
        path = directory / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words)
    return directory


def toolbox(
    directory: Path, objects: Sequence[Object], logs: Mapping[str, str] | None = None, **options: Any
) -> Toolbox:
    """A toolbox on a snapshot of these objects; `unavailable` is written to it, other options go to the Context."""
    unavailable = options.pop("unavailable", None)
    about = {"unavailable": unavailable} if unavailable else {}
    cluster = open_snapshot([write(directory / "snapshot", objects, logs, **about)])
    return Toolbox(Context(cluster, **options))


def shop() -> list[Object]:
    """Namespaces shop and data: a Deployment `api` whose pod crashes, a healthy `web`, a database with an operator."""
    api, web = deployment("api", "shop", 1, 0), deployment("web", "shop", 2, 2)
    api_set, web_set = replica_set(api, "6b8f7c9d44", 1, 0), replica_set(web, "5d9c8b7f6d", 2, 2)
    sick = pod(
        "api-6b8f7c9d44-q7zkd",
        "shop",
        owner=api_set,
        state=BACKING_OFF,
        last=CRASHED,
        restarts=14,
        ready=False,
        spec={
            "envFrom": [{"configMapRef": {"name": "api-config"}}],
            "env": [
                {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
                {"name": "LOG_LEVEL", "value": "debug-level-value"},
            ],
        },
        labels={"app": "api"},
    )
    well = [pod(f"web-5d9c8b7f6d-{end}", "shop", owner=web_set, labels={"app": "web"}) for end in ("hx5kd", "zz2tq")]
    instances = [pod(f"ledger-db-{n}", "data", owner=LEDGER, container="postgres") for n in (1, 2)]
    third = pod(
        "ledger-db-3",
        "data",
        owner=LEDGER,
        container="postgres",
        state=BACKING_OFF,
        last=CRASHED,
        restarts=12,
        ready=False,
    )
    return [
        *(namespace(name) for name in ("default", "shop", "data", "kube-system")),
        *(node(name) for name in ("node-1", "node-2")),
        *(api, web, api_set, web_set, sick, *well),
        *(*POSTGRES, LEDGER, *instances, third),
        event(sick, "BackOff", "Back-off restarting failed container app in pod api-6b8f7c9d44-q7zkd_shop", times=57),
        event(well[0], "Pulled", 'Container image "x" already present on machine', kind="Normal"),
        event(third, "BackOff", "Back-off restarting failed container postgres", times=40),
    ]
