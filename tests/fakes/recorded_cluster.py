"""A snapshot behind the recording API server, and the tools on a live connection to it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from kubectl_berth.cluster.connection import ConnectionOptions
from kubectl_berth.cluster.live import LiveCluster, connect
from kubectl_berth.cluster.snapshot import SnapshotCluster
from kubectl_berth.environment import Environment
from kubectl_berth.simulator.routes import respond
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.fakes.kube_recorder import Recorded, Recorder, Reply, recording

# one resource, one object of it, or the log of a pod
_READ = re.compile(
    r"/(version|api|apis|api/v1|apis/[a-z0-9.-]+(/v[0-9a-z]+)?"
    r"|(api/v1|apis/[a-z0-9.-]+/v[0-9a-z]+)(/namespaces/[a-z0-9-]+)?/[a-z0-9-]+(/[A-Za-z0-9._:@~+=,-]+(/log)?)?)(\?.*)?"
)
_NEVER = re.compile(r"/(secrets?|configmaps?|watch|proxy|exec|attach|portforward|token|eviction|binding)(/|\?|$)", re.I)


@dataclass(frozen=True)
class RecordedCluster:
    """A live connection to a recorded server. `user` of the kubeconfig is Jane with a token."""

    server: Recorder
    live: LiveCluster
    token: str

    def toolbox(self, **context: Any) -> Toolbox:
        """The tools of a new run."""
        return Toolbox(Context(self.live, "shop", **context))

    def wrong(self) -> list[str]:
        """Every request so far that berth may never send."""
        found = []
        for request in self.server.requests:
            method, path = request.method, request.path
            headers = {name.lower() for name, _ in request.headers}
            allowed = {"host", "accept", "accept-encoding", "user-agent", "authorization"}
            # a namespace may be called proxy
            asked = re.sub(r"/namespaces/[^/?]+/", "/namespaces/x/", path, count=1)
            if method != "GET" or not _READ.fullmatch(path) or _NEVER.search(asked) or headers - allowed:
                found.append(f"{method} {path} {sorted(headers - allowed)}")
        return found


@contextmanager
def recorded(
    cluster: SnapshotCluster, home: Path, *, user: Mapping[str, Any] | None = None, token: str = "t"
) -> Iterator[RecordedCluster]:
    """The snapshot as a recorded API server; `user` takes the place of the kubeconfig's user entry."""

    def answer(request: Recorded) -> Reply:
        accept = (request.values("accept") or [""])[0]
        response = respond(cluster.store, request.method, request.path, accept)
        return Reply(response.body, response.status, {"Content-Type": response.content_type, **response.headers})

    with recording() as server:
        server.script = answer
        config = {
            "current-context": "prod",
            "contexts": [{"name": "prod", "context": {"cluster": "c", "user": "jane", "namespace": "shop"}}],
            "clusters": [{"name": "c", "cluster": {"server": server.url}}],
            "users": [{"name": "jane", "user": dict(user or {"token": token})}],
        }
        path = home / "kubeconfig"
        path.write_text(yaml.safe_dump(config))
        environment = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {"KUBECONFIG": str(path)}, home=home)
        live = connect(ConnectionOptions(), environment)
        try:
            yield RecordedCluster(server, live, token)
        finally:
            live.close()
