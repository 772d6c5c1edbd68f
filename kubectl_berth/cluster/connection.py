"""From kubectl's flags and the kubeconfig to the way to one cluster."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from kubectl_berth.cluster.credentials import Credentials, check_user, find_credentials, impersonation
from kubectl_berth.cluster.kubeconfig import ClusterEntry, ContextEntry, Kubeconfig, UserEntry, read_kubeconfig
from kubectl_berth.cluster.overrides import Overrides
from kubectl_berth.cluster.proxy import proxy_for
from kubectl_berth.environment import Environment
from kubectl_berth.errors import ClusterUnreachable, UsageError

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where a pod finds its own token, CA and namespace."""

IN_CLUSTER = "in-cluster"


@dataclass(frozen=True)
class ConnectionOptions:
    """kubectl's connection flags as given, None where not; `request_timeout` in seconds, 0 for no limit."""

    kubeconfig: str | None = None
    context: str | None = None
    namespace: str | None = None
    request_timeout: float | None = None
    overrides: Overrides = field(default_factory=Overrides)


@dataclass(frozen=True)
class Access:
    """Everything that is needed to reach one cluster, resolved and checked; no request has been made yet.

    `server` has a scheme and no slash at its end, `ca` is PEM ("" trusts what the system trusts), `proxy` an http URL.
    `credentials` reads files and runs the plugin at every call; `renewable` where that may give new ones.
    `request_timeout` is in seconds, infinite for no limit, None where none was asked for.
    """

    context: str
    namespace: str
    user: str
    server: str
    ca: str
    insecure: bool
    tls_server_name: str
    proxy: str | None
    compression: bool
    impersonation: tuple[tuple[str, str], ...]
    credentials: Callable[[], Credentials]
    renewable: bool
    request_timeout: float | None


def resolve(options: ConnectionOptions, environment: Environment, account: Path = SERVICE_ACCOUNT) -> Access:
    """Which cluster is meant and how to reach it. `account` is where a pod's own credentials lie.

    Raises UsageError for a kubeconfig or a name that cannot be used, ClusterUnreachable where nothing names a cluster.
    """
    kubeconfig = read_kubeconfig(options.kubeconfig, environment)
    if kubeconfig.empty and not (options.context or options.overrides):
        context, cluster, user = _in_cluster(kubeconfig, environment, account)
    else:
        context, cluster, user = _choose(kubeconfig, options.context, options.overrides)
    check_user(user)
    namespace = options.namespace or context.namespace or "default"
    if not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", namespace):
        raise UsageError(f"{namespace!r} is not the name of a namespace; pass one with --namespace")
    server = _server(cluster)
    secure = server.startswith("https:")

    def credentials() -> Credentials:
        # over plain http anybody on the way could read them: kubectl sends none there either
        return find_credentials(user, cluster, environment) if secure else Credentials()

    return Access(
        context=context.name,
        namespace=namespace,
        user=user.name,
        server=server,
        ca=_authority(cluster),
        insecure=cluster.insecure,
        tls_server_name=cluster.tls_server_name,
        proxy=proxy_for(server, cluster.proxy_url, environment.variables),
        compression=not cluster.disable_compression,
        impersonation=impersonation(user),
        credentials=credentials,
        renewable=secure and bool(user.plugin or user.token_file),
        request_timeout=math.inf if options.request_timeout == 0 else options.request_timeout,
    )


def _choose(
    kubeconfig: Kubeconfig, asked: str | None, overrides: Overrides
) -> tuple[ContextEntry, ClusterEntry, UserEntry]:
    """What the context names, or the flags in its place, with the other flags on top."""
    context = _context(kubeconfig, asked, overrides)
    name = overrides.cluster or context.cluster
    cluster = kubeconfig.clusters.get(name)
    if cluster is None and overrides.cluster:
        raise UsageError(f"cluster {name!r} does not exist in the kubeconfig; choose with --cluster")
    if cluster is None and not overrides.server:
        raise UsageError(f"context {context.name!r} names the cluster {name!r}, which the kubeconfig does not hold")
    name = overrides.user or context.user
    user = kubeconfig.users.get(name)
    if user is None and overrides.user:
        raise UsageError(f"user {name!r} does not exist in the kubeconfig; choose with --user")
    if user is None and name and not (overrides.token or overrides.client_certificate):
        raise UsageError(f"context {context.name!r} names the user {name!r}, whom the kubeconfig does not hold")
    return (
        context,
        overrides.on_cluster(cluster or ClusterEntry(context.cluster)),
        overrides.on_user(user or UserEntry(name)),
    )


def _context(kubeconfig: Kubeconfig, asked: str | None, overrides: Overrides) -> ContextEntry:
    name = asked or kubeconfig.current_context
    known = ", ".join(sorted(kubeconfig.contexts)[:10]) or "none"
    if not name:
        if named := overrides.cluster or overrides.server:
            return ContextEntry(named)
        raise ClusterUnreachable(
            f"no current context in the kubeconfig: choose one with --context (there are: {known})"
        )
    context = kubeconfig.contexts.get(name)
    if context is None:
        raise UsageError(
            f"context {name!r} does not exist in the kubeconfig (there are: {known}); choose with --context"
        )
    return context


def _in_cluster(
    kubeconfig: Kubeconfig, environment: Environment, account: Path
) -> tuple[ContextEntry, ClusterEntry, UserEntry]:
    """The cluster this process runs in as a pod."""
    host = environment.variable("KUBERNETES_SERVICE_HOST")
    port = environment.variable("KUBERNETES_SERVICE_PORT")
    token, ca, namespace = account / "token", account / "ca.crt", account / "namespace"
    if not (host and port and token.is_file()):
        said = "the kubeconfig says nothing" if kubeconfig.files else "no kubeconfig found"
        raise ClusterUnreachable(f"{said}: set KUBECONFIG or pass --kubeconfig FILE, or read a --snapshot DIR instead")
    found = environment.variable("POD_NAMESPACE")
    if not found and namespace.is_file():
        found = namespace.read_text("utf-8", "replace").strip()
    address = f"[{host}]" if ":" in host else host
    return (
        ContextEntry(IN_CLUSTER, IN_CLUSTER, "service account", found),
        ClusterEntry(IN_CLUSTER, f"https://{address}:{port}", ca_file=str(ca) if ca.is_file() else ""),
        UserEntry("service account", token_file=str(token)),
    )


def _server(cluster: ClusterEntry) -> str:
    """The server's URL with a scheme; where none is written it is http, TLS settings or not, as for kubectl."""
    written = cluster.server
    if not written:
        raise UsageError(f"cluster {cluster.name!r} of the kubeconfig has no server; add one")
    if "://" not in written:
        written = f"http://{written}"
    try:
        parts = urlsplit(written)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if (
        not usable
        or parts.query
        or parts.fragment
        or parts.username
        or re.search(r"[\s\\]", written)
        or not written.isprintable()
    ):
        raise UsageError(f"cluster {cluster.name!r} of the kubeconfig: {cluster.server!r} is not a server's URL")
    return written.rstrip("/")


def _authority(cluster: ClusterEntry) -> str:
    if cluster.ca_file and cluster.ca_data:
        raise UsageError(f"cluster {cluster.name!r} has certificate-authority and its -data; keep one of them")
    if cluster.insecure and (cluster.ca_file or cluster.ca_data):
        raise UsageError(
            f"cluster {cluster.name!r} has insecure-skip-tls-verify and a certificate authority; keep one of them"
        )
    if not cluster.ca_file:
        return cluster.ca_data.decode("utf-8", "replace")
    try:
        return Path(cluster.ca_file).read_text("utf-8", "replace")
    except OSError as error:
        raise UsageError(
            f"cluster {cluster.name!r} of the kubeconfig: {cluster.ca_file} cannot be read ({error.strerror})"
        ) from error
