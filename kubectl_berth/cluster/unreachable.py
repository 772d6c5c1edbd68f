"""Why no answer came, in one line: the context, the server, the cause, and what to do about it."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from http.client import BadStatusLine

from kubectl_berth.cluster.connection import Access


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and everything it came from, outermost first."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        current = waiting.pop(0)
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        reason = getattr(current, "reason", None)
        waiting += [current.__cause__, current.__context__]
        waiting += [a for a in (reason, *current.args) if isinstance(a, BaseException)]


def timed_out(error: BaseException) -> bool:
    """True for a time limit that passed, Python's own or the HTTP library's."""
    return isinstance(error, TimeoutError) or type(error).__name__.endswith("TimeoutError")


def why(error: BaseException, access: Access, seconds: float) -> str:
    """The cause and a next step; `seconds` is the time limit that the request had."""
    found = list(causes(error))
    host = access.server.partition("://")[2].partition("/")[0]
    if any(type(e).__name__ == "ProxyError" for e in found):
        return f"the proxy {_without_password(access.proxy)} does not answer; check proxy-url or HTTPS_PROXY"
    for cause in found:
        if isinstance(cause, ssl.SSLError):
            return _tls(cause)
        if isinstance(cause, socket.gaierror):
            return f"no address found for {host.rpartition(':')[0] or host}; check the server's name or your network"
        if isinstance(cause, ConnectionRefusedError):
            return "connection refused; is the cluster running, and is the port right?"
        if timed_out(cause):
            return f"no answer within {seconds:g} s; check your network or raise --request-timeout"
        if isinstance(cause, OSError) and cause.errno is not None and cause.strerror:
            return f"{cause.strerror.lower()}; check your network"
    if any(type(e) is BadStatusLine for e in found) and access.server.startswith("http:"):
        return "it did not answer as an http server; does its URL need https?"
    return "the connection broke off before an answer came; try again"


def _tls(error: ssl.SSLError) -> str:
    words = str(getattr(error, "verify_message", "") or "")
    if "expired" in words:
        return f"its certificate is not valid ({words}); renew it, or check the clock of this machine"
    if "mismatch" in words or "doesn't match" in words:
        return f"its certificate is for another name ({words}); check server or tls-server-name"
    if words:
        return f"its certificate is not trusted ({words}); check certificate-authority in the kubeconfig"
    reason = (getattr(error, "reason", None) or "handshake failed").lower().replace("_", " ")
    if "wrong version" in reason or "http request" in reason or "record layer" in reason:
        return "it does not speak TLS; does its URL need http?"
    if "alert" in reason:
        return f"it refused the TLS handshake ({reason}); check the client certificate"
    return f"TLS failed ({reason}); check the server's URL and certificate"


def _without_password(proxy: str | None) -> str:
    return re.sub(r"//[^@/]*@", "//", proxy or "")
