"""An API server on loopback with as many pods as asked for, in a process of its own; and one that reads them.

python -m tests.bench.many_pods serve COUNT     prints its URL and serves until it is killed
python -m tests.bench.many_pods read URL        lists them through berth's own connection, keeping none
python -m tests.bench.many_pods decode URL      the same by http.client and json, as the least that reading costs
"""

from __future__ import annotations

import json
import resource
import sys
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

STARTED = "2026-10-05T09:00:00Z"


def pod(number: int) -> dict[str, Any]:
    """One pod of the size that pods have without managedFields, a little over 2 kB."""
    name, node = f"web-{number:06d}", f"node-{number % 500}"
    labels = {
        "app": f"app-{number % 300}",
        "pod-template-hash": f"{number % 997:09x}",
        "app.kubernetes.io/part-of": "shop",
    }
    kind_of = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    conditions = [{"type": each, "status": "True", "lastTransitionTime": STARTED} for each in kind_of]
    mount = {"name": "kube-api-access", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": True}
    probe = {
        "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
        "periodSeconds": 10,
        "failureThreshold": 3,
    }
    resources = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}}
    image = f"registry.example.com/shop/app-{number % 300}:1.{number % 40}.0"
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": name[:-3],
        "uid": f"b{number:07d}",
        "controller": True,
    }
    return {
        "metadata": {
            "name": name, "namespace": f"team-{number % 50}", "uid": f"a{number:07d}", "labels": labels,
            "resourceVersion": str(number), "creationTimestamp": STARTED, "ownerReferences": [owner],
            "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "9090", "checksum/config": "c" * 64},
        },
        "spec": {
            "nodeName": node, "serviceAccountName": "default", "restartPolicy": "Always", "schedulerName": "default",
            "containers": [{
                "name": "web", "image": image, "ports": [{"containerPort": 8080, "protocol": "TCP"}],
                "resources": resources, "volumeMounts": [mount], "readinessProbe": probe, "livenessProbe": probe,
                "imagePullPolicy": "IfNotPresent", "terminationMessagePath": "/dev/termination-log",
            }],
            "volumes": [{"name": "kube-api-access", "projected": {"sources": [], "defaultMode": 420}}],
            "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300}],
        },
        "status": {
            "phase": "Running", "conditions": conditions, "hostIP": "10.0.0.1", "podIP": "10.1.0.1",
            "startTime": STARTED,
            "containerStatuses": [{
                "name": "web", "ready": True, "started": True, "restartCount": 0, "image": image,
                "imageID": f"registry.example.com/shop/app@sha256:{number:064x}", "containerID": f"containerd://{number:064x}",
                "state": {"running": {"startedAt": STARTED}}, "lastState": {},
            }],
            "qosClass": "Burstable",
        },
    }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    total: ClassVar[int] = 0
    pages: ClassVar[dict[tuple[int, int], bytes]] = {}

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        status, body = 200, b""
        match url.path:
            case "/version":
                body = b'{"major": "1", "minor": "33", "gitVersion": "v1.33.4"}'
            case "/api":
                body = b'{"kind": "APIVersions", "versions": ["v1"]}'
            case "/apis":
                body = b'{"kind": "APIGroupList", "apiVersion": "v1", "groups": []}'
            case "/api/v1":
                body = json.dumps(_RESOURCES).encode()
            case "/api/v1/pods":
                body = self.page(int(query.get("limit") or self.total), int(query.get("continue") or 0))
            case _:
                status, body = 404, b'{"kind": "Status", "apiVersion": "v1", "reason": "NotFound", "code": 404}'
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @classmethod
    def page(cls, size: int, start: int) -> bytes:
        """One page, made once."""
        end = min(start + size, cls.total)
        if (start, end) not in cls.pages:
            metadata = {"resourceVersion": "1", **({"continue": str(end)} if end < cls.total else {})}
            content = {
                "kind": "PodList",
                "apiVersion": "v1",
                "metadata": metadata,
                "items": [pod(n) for n in range(start, end)],
            }
            cls.pages[start, end] = json.dumps(content, separators=(",", ":")).encode()
        return cls.pages[start, end]

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


_RESOURCES = {
    "kind": "APIResourceList",
    "apiVersion": "v1",
    "groupVersion": "v1",
    "resources": [
        {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list", "watch"]}
    ],
}


def serve(count: int) -> None:
    """Serves so many pods until the process is killed. Every page of 500 is made before the URL is printed."""
    _Handler.total = count
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    for start in range(0, count, 500):
        _Handler.page(500, start)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def read(url: str) -> tuple[int, float]:
    """How many pods berth's own connection lists, and by how many MB the memory grew behind the first page."""
    from kubectl_berth.cluster.connection import ConnectionOptions
    from kubectl_berth.cluster.kinds import NEWEST, builtin_kinds
    from kubectl_berth.cluster.live import connect
    from kubectl_berth.cluster.overrides import Overrides
    from kubectl_berth.environment import Environment

    kind = next(each for each in builtin_kinds(NEWEST) if each.kind == "Pod")
    cluster = connect(ConnectionOptions(overrides=Overrides(server=url)), Environment.actual())
    count, first = 0, 0.0
    for _ in cluster.list(kind):
        count += 1
        if count == 501:
            first = _peak()
    return count, _peak() - first


def decode(url: str) -> tuple[int, float]:
    """The same by http.client and json alone."""
    connection = HTTPConnection(urlsplit(url).netloc)
    count, first, token = 0, 0.0, ""
    while True:
        connection.request("GET", f"/api/v1/pods?limit=500&continue={token}")
        found = json.loads(connection.getresponse().read())
        count += len(found["items"])
        first = first or _peak()
        if not (token := found["metadata"].get("continue", "")):
            return count, _peak() - first


if __name__ == "__main__":
    what, where = sys.argv[1:]
    if what == "serve":
        serve(int(where))
    else:
        pods, growth = {"read": read, "decode": decode}[what](where)
        print(json.dumps({"pods": pods, "growth": growth}))
