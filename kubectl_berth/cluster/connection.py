"""From kubectl's flags and the kubeconfig to the way to one cluster."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from kubectl_berth.cluster.authority import read_authority, trusted
from kubectl_berth.cluster.credentials import (
    Credentials,
    check_credentials,
    check_user,
    find_credentials,
    impersonation,
)
from kubectl_berth.cluster.in_cluster import IN_CLUSTER, SERVICE_ACCOUNT, Pod, find_pod, given_up
from kubectl_berth.cluster.kubeconfig import ClusterEntry, ContextEntry, Kubeconfig, UserEntry, read_kubeconfig
from kubectl_berth.cluster.overrides import Overrides
from kubectl_berth.cluster.proxy import proxy_for
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError, ClusterUnreachable, UsageError

STANDARD_SERVER = "http://localhost:8080"
"""What kubectl asks where nothing names a server, unless KUBERNETES_MASTER does. Berth asks nobody then."""

_ENDLESS = 1e6
"""Seconds, eleven days: a longer limit is none, and too big a number for a socket."""


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
    pod = find_pod(environment, account)
    context, cluster, user = _settle(kubeconfig, pod, options, environment)
    namespace = options.namespace or context.namespace or (pod.namespace if pod else "") or "default"
    if not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", namespace):
        raise UsageError(f"{namespace!r} is not the name of a namespace; pass one with --namespace")
    server = _server(cluster)
    secure = server.startswith("https:")
    if secure:
        # over plain http, where nobody proves anything, kubectl minds none of it
        _check_secure(kubeconfig, context, cluster, user, options.overrides)

    def credentials() -> Credentials:
        # anybody on the way could read them otherwise: kubectl sends none there either
        return find_credentials(user, cluster, environment) if secure else Credentials()

    return Access(
        context=context.name,
        namespace=namespace,
        user=user.name,
        server=server,
        ca=trusted(cluster) if secure else "",
        insecure=cluster.insecure,
        tls_server_name=cluster.tls_server_name,
        proxy=proxy_for(server, cluster.proxy_url, environment.variables),
        compression=not cluster.disable_compression,
        impersonation=impersonation(user),
        credentials=credentials,
        renewable=secure and bool(user.plugin or user.token_file),
        request_timeout=_limit(options.request_timeout),
    )


def _limit(seconds: float | None) -> float | None:
    return math.inf if seconds == 0 or (seconds or 0) > _ENDLESS else seconds


def _settle(
    kubeconfig: Kubeconfig, pod: Pod | None, options: ConnectionOptions, environment: Environment
) -> tuple[ContextEntry, ClusterEntry, UserEntry]:
    """What is meant, with a server in it: the pod's own cluster where nothing names one, else KUBERNETES_MASTER."""
    context, cluster, user = _choose(kubeconfig, options.context, options.overrides)
    check_user(user)
    read_authority(cluster)
    standard = environment.variable("KUBERNETES_MASTER")
    given = given_up(cluster, user, options.overrides, options.request_timeout)
    if pod and not given and cluster.server in ("", standard or STANDARD_SERVER) and not standard.startswith("https:"):
        return replace(context, name=IN_CLUSTER), *pod.entries(options.overrides)
    if not (cluster.server or standard):
        raise _no_server(kubeconfig, context, pod, given)
    if not cluster.server:
        context, cluster = replace(context, name=context.name or standard), replace(cluster, server=standard)
    return context, cluster, user


def _choose(
    kubeconfig: Kubeconfig, asked: str | None, overrides: Overrides
) -> tuple[ContextEntry, ClusterEntry, UserEntry]:
    """What the context names, or the flags in its place, with the other flags on top; there may be no server in it."""
    context = _context(kubeconfig, asked, overrides)
    name = overrides.cluster or context.cluster
    cluster = kubeconfig.clusters.get(name)
    if cluster is None and overrides.cluster:
        raise UsageError(f"cluster {name!r} does not exist in the kubeconfig; choose with --cluster")
    named = overrides.user or context.user
    user = kubeconfig.users.get(named)
    if user is None and overrides.user:
        raise UsageError(f"user {named!r} does not exist in the kubeconfig; choose with --user")
    return (
        context,
        overrides.on_cluster(cluster or ClusterEntry(name)),
        overrides.on_user(user or UserEntry(named)),
    )


def _check_secure(
    kubeconfig: Kubeconfig, context: ContextEntry, cluster: ClusterEntry, user: UserEntry, overrides: Overrides
) -> None:
    """Raises UsageError for a user whom nothing describes, neither the kubeconfig nor a flag, and for odd TLS."""
    proven = overrides.token or overrides.client_certificate or overrides.username
    if user.name and user.name not in kubeconfig.users and context.name != IN_CLUSTER and not proven:
        raise UsageError(f"context {context.name!r} names the user {user.name!r}, whom the kubeconfig does not hold")
    check_credentials(user)
    if cluster.insecure and (cluster.ca_file or cluster.ca_data):
        raise UsageError(
            f"cluster {cluster.name!r} has insecure-skip-tls-verify and a certificate authority; keep one of them"
        )


def _context(kubeconfig: Kubeconfig, asked: str | None, overrides: Overrides) -> ContextEntry:
    name = asked or kubeconfig.current_context
    if not name:
        return ContextEntry(overrides.cluster or overrides.server)
    context = kubeconfig.contexts.get(name)
    if context is None:
        raise UsageError(
            f"context {name!r} does not exist in the kubeconfig (there are: {_known(kubeconfig)}); "
            "choose with --context"
        )
    return context


def _known(kubeconfig: Kubeconfig) -> str:
    return ", ".join(sorted(kubeconfig.contexts)[:10]) or "none"


def _no_server(kubeconfig: Kubeconfig, context: ContextEntry, pod: Pod | None, given: list[str]) -> BerthError:
    """Why there is no server to ask, and what to do about it."""
    if pod and given:
        return ClusterUnreachable(
            f"nothing names a cluster, and the pod's own is not taken together with {' and '.join(given)} (nor by "
            "kubectl): leave that out, or name a cluster with --server or a kubeconfig"
        )
    if kubeconfig.empty:
        said = "the kubeconfig says nothing" if kubeconfig.files else "no kubeconfig found"
        how = "set KUBECONFIG or pass --kubeconfig FILE, or read a --snapshot DIR instead"
        if kubeconfig.missing:
            names = ", ".join(str(path) for path in kubeconfig.missing[:5])
            said = f"{said}: KUBECONFIG names {names}, and there is no such file"
            how = "correct it or pass --kubeconfig FILE, or read a --snapshot DIR instead"
        return ClusterUnreachable(f"{said}: {how}")
    if not context.name:
        return ClusterUnreachable(
            f"no current context in the kubeconfig: choose one with --context (there are: {_known(kubeconfig)})"
        )
    if context.cluster in kubeconfig.clusters:
        return UsageError(f"cluster {context.cluster!r} of the kubeconfig has no server; add one")
    if not context.cluster:
        return UsageError(f"context {context.name!r} of the kubeconfig names no cluster; add one")
    return UsageError(
        f"context {context.name!r} names the cluster {context.cluster!r}, which the kubeconfig does not hold"
    )


def _server(cluster: ClusterEntry) -> str:
    """The server's URL with a scheme; where none is written it is http, TLS settings or not, as for kubectl."""
    scheme, separator, rest = cluster.server.partition("://")
    written = f"{scheme.lower()}://{rest}" if separator else f"http://{cluster.server}"
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
        shown = re.sub(r"//[^/]*@", "//", cluster.server)  # without a password
        raise UsageError(
            f"cluster {cluster.name!r}: {shown!r} is not a server's URL; it may hold a host, port and path"
        )
    return written.rstrip("/")
