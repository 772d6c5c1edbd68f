"""The cluster a pod runs in, and when kubectl takes it: where nothing else names a server."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from kubectl_berth.cluster.kubeconfig import ClusterEntry, UserEntry
from kubectl_berth.cluster.overrides import Overrides
from kubectl_berth.environment import Environment

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where a pod finds its own token, CA and namespace."""

IN_CLUSTER = "in-cluster"


@dataclass(frozen=True)
class Pod:
    """What a pod knows of its cluster. `namespace` is its own; "" for `ca` where it has none."""

    server: str
    token_file: str
    ca_file: str
    namespace: str

    def entries(self, flags: Overrides) -> tuple[ClusterEntry, UserEntry]:
        """Its cluster and service account; --server, --token and --certificate-authority take the place of its own."""
        cluster = ClusterEntry(IN_CLUSTER, flags.server or self.server)
        cluster = replace(cluster, ca_file=flags.certificate_authority or self.ca_file)
        user = UserEntry("service account", token=flags.token, token_file="" if flags.token else self.token_file)
        return cluster, user


def find_pod(environment: Environment, account: Path) -> Pod | None:
    """The pod this process runs in, None outside of one; `account` is where its service account lies."""
    host = environment.variables.get("KUBERNETES_SERVICE_HOST", "")
    port = environment.variables.get("KUBERNETES_SERVICE_PORT", "")
    token, ca, namespace = account / "token", account / "ca.crt", account / "namespace"
    if not (host and port and token.is_file()):
        return None
    own = environment.variable("POD_NAMESPACE")
    if not own and namespace.is_file():
        own = namespace.read_text("utf-8", "replace").strip()
    address = f"[{host}]" if ":" in host else host
    return Pod(f"https://{address}:{port}", str(token), str(ca) if ca.is_file() else "", own)


def given_up(cluster: ClusterEntry, user: UserEntry, flags: Overrides, request_timeout: float | None) -> list[str]:
    """What keeps kubectl from taking a pod's own service account, each as it was written; empty where nothing does.

    With any of these kubectl holds the connection for configured, though no server is named. What matters to TLS only,
    a token for one, does not count.
    """
    found = {
        "--request-timeout": bool(request_timeout),
        "--as" if flags.impersonate else f"as of user {user.name!r}": bool(user.impersonate),
        "--proxy-url" if flags.proxy_url else f"proxy-url of cluster {cluster.name!r}": bool(cluster.proxy_url),
        "--disable-compression"
        if flags.disable_compression
        else f"disable-compression of cluster {cluster.name!r}": cluster.disable_compression,
    }
    return [words for words, there in found.items() if there]
