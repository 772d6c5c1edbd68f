"""Small snapshot directories, written object by object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TIME = "2026-10-05T09:30:00Z"


def about(version: str = "v1.36.3", **more: Any) -> dict[str, Any]:
    """snapshot.yaml as a mapping."""
    return {"apiVersion": "berth.dev/v1", "kind": "Snapshot", "serverVersion": version, "time": TIME, **more}


def moment(directory: Path, *objects: Mapping[str, Any], logs: Mapping[str, str] | None = None, **more: Any) -> Path:
    """Writes a snapshot of these objects; `logs` by "namespace/pod/container[.previous]". Gives the directory back."""
    (directory / "objects").mkdir(parents=True)
    (directory / "snapshot.yaml").write_text(json.dumps(about(**more)))
    (directory / "objects" / "all.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
    )
    for place, text in (logs or {}).items():
        path = directory / "logs" / f"{place}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return directory


def pod(name: str, namespace: str = "shop", *, status: Mapping[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """A pod with one container "app" on node n1, running unless `status` says otherwise. `labels` go to metadata."""
    labels = spec.pop("labels", {"app": name.split("-")[0]})
    running = {
        "phase": "Running",
        "podIP": "10.0.0.7",
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "Initialized", "status": "True"}],
        "containerStatuses": [
            {"name": "app", "ready": True, "restartCount": 0, "state": {"running": {"startedAt": TIME}}}
        ],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"uid-{name}",
            "resourceVersion": "41",
            "creationTimestamp": "2026-10-05T09:00:00Z",
            "labels": labels,
        },
        "spec": {"nodeName": "n1", "containers": [{"name": "app", "image": "registry.example/app:1"}], **spec},
        "status": running if status is None else status,
    }


def waiting(reason: str, **container: Any) -> dict[str, Any]:
    """The status of a pod whose container "app" waits for `reason`."""
    entry = {"name": "app", "ready": False, "restartCount": 0, "state": {"waiting": {"reason": reason}}, **container}
    return {"phase": "Pending", "containerStatuses": [entry]}


def definition(kind: str, plural: str, group: str = "db.example.org", **version: Any) -> dict[str, Any]:
    """A CustomResourceDefinition with the one version v1."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, **version}],
        },
        "status": {"conditions": [{"type": "Established", "status": "True"}]},
    }


def custom(
    kind: str, name: str, namespace: str = "data", group: str = "db.example.org", **fields: Any
) -> dict[str, Any]:
    """A custom resource."""
    return {
        "apiVersion": f"{group}/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace, "creationTimestamp": "2026-10-05T09:00:00Z"},
        **fields,
    }
