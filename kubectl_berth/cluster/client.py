"""One open connection to an API server: the `kubernetes` package's, or what lies under it."""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from kubectl_berth.cluster.connection import Access
from kubectl_berth.cluster.credentials import Credentials
from kubectl_berth.errors import UsageError

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, HTTPHeaderDict, PoolManager

Timeouts = tuple[float, float | None]
"""Seconds to connect, and between two bytes."""

Body = Mapping[str, Any] | None
"""What a review posts; None for a read."""

POOL = 64
"""Connections that are kept open for the next request."""


@dataclass(frozen=True)
class Client:
    """`send` starts one request and gives the answer before its body is read; `pools` holds the connections.

    Sending raises OSError, ValueError or urllib3's HTTPError where no answer begins.
    """

    pools: PoolManager
    send: Callable[[str, str, HTTPHeaderDict, Body, Timeouts], BaseHTTPResponse]


def open_client(access: Access, credentials: Credentials) -> Client:
    """The package's client, filled: one TLS context for all connections, no retries of its own, no proxy of its own."""
    from kubernetes.client import ApiClient, ApiException, Configuration

    settings = Configuration(host=access.server, retries=False, verify_ssl=not access.insecure)
    settings.tls_server_name = access.tls_server_name or None
    settings.connection_pool_maxsize = POOL
    # what the package would take from the process's own variables has been decided when the access was resolved
    settings.no_proxy = ""
    settings.proxy, settings.proxy_headers = _proxy(access)
    package = ApiClient(settings)
    pools = package.rest_client.pool_manager
    _secure(pools, access, credentials)

    def send(method: str, url: str, headers: HTTPHeaderDict, body: Body, timeouts: Timeouts) -> BaseHTTPResponse:
        try:
            begun: BaseHTTPResponse = package.call_api(method, url, headers, body, _request_timeout=timeouts).response
        except ApiException as error:
            raise OSError(str(error)) from error
        return begun

    return Client(pools, send)


def open_light_client(access: Access, credentials: Credentials) -> Client:
    """The same connection without the package, reads only: for completion.

    Importing the package takes a quarter of a second, which is about what a TAB may take in all.
    """
    import urllib3

    settings: dict[str, Any] = {"retries": False, "maxsize": POOL}
    if access.tls_server_name:
        settings["server_hostname"] = access.tls_server_name
    proxy, headers = _proxy(access)
    pools = urllib3.ProxyManager(proxy, proxy_headers=headers, **settings) if proxy else urllib3.PoolManager(**settings)
    _secure(pools, access, credentials)

    def send(method: str, url: str, headers: HTTPHeaderDict, body: Body, timeouts: Timeouts) -> BaseHTTPResponse:
        if body is not None:
            raise ValueError("this connection only reads")
        limits = urllib3.Timeout(connect=timeouts[0], read=timeouts[1])
        return pools.request(method, url, headers=headers, timeout=limits, preload_content=False)

    return Client(pools, send)


def _proxy(access: Access) -> tuple[str | None, dict[str, str] | None]:
    """The proxy's URL without its password, and the headers that carry it."""
    if not access.proxy or not (parts := urlsplit(access.proxy)).username:
        return access.proxy, None
    from urllib3.util import make_headers

    secret = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return bare, make_headers(proxy_basic_auth=secret)


def _secure(pools: PoolManager, access: Access, credentials: Credentials) -> None:
    if access.server.startswith("https:"):
        pools.connection_pool_kw["ssl_context"] = _tls(access, credentials)


def _tls(access: Access, credentials: Credentials) -> ssl.SSLContext:
    import urllib3
    from urllib3.util.ssl_ import create_urllib3_context

    context = create_urllib3_context()
    # like kubectl: any certificate of the bundle is an anchor, and old clusters' certificates lack what strict demands
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if access.insecure:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    else:
        context.check_hostname = True
        context.verify_mode = ssl.CERT_REQUIRED
        if access.ca:
            try:
                context.load_verify_locations(cadata=access.ca)
            except (ssl.SSLError, ValueError) as error:
                raise UsageError(f"the certificate authority of context {access.context!r} is not PEM") from error
        else:
            context.load_default_certs()
    if credentials.certificate:
        _load_certificate(context, access, credentials)
    return context


def _load_certificate(context: ssl.SSLContext, access: Access, credentials: Credentials) -> None:
    """Into the context; what is no file yet is one, readable by this user alone, only while OpenSSL reads it."""
    with ExitStack() as stack:

        def as_file(value: bytes | Path) -> Path:
            if isinstance(value, Path):
                return value
            path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="berth-")), "pem")
            path.touch(0o600)
            path.write_bytes(value)
            return path

        try:
            # an empty password: OpenSSL must not ask for one on the terminal
            context.load_cert_chain(as_file(credentials.certificate), as_file(credentials.key), password="")
        except OSError as error:
            raise UsageError(
                f"the client certificate and key of user {access.user!r} cannot be used ({_reason(error)}); renew them"
            ) from error


def _reason(error: OSError) -> str:
    return str(getattr(error, "reason", "") or error.strerror or "not PEM").lower().replace("_", " ")
