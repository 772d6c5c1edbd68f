"""The open connections of an engine, so that another thread can cut them at once.

Closing a socket does not wake the thread that reads from it, shutting it down does. The HTTP clients of both SDKs
report each socket they open through httpcore's `trace` request extension.
"""

from __future__ import annotations

import ipaddress
import math
import socket
import ssl
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

CONNECT_SECONDS = 5.0
DEADLINE_SLACK = 1.0
"""A read may outlast the run's deadline by this much, so that whoever owns the deadline says so first."""


class Connections:
    """Sockets of one engine. `prepare` is a request hook for the HTTP client.

    `remaining` gives the seconds left of the run, `patience` the longest silence that is waited out.
    """

    def __init__(self, remaining: Callable[[], float], patience: float) -> None:
        self.cancelled = threading.Event()
        self.remaining = remaining
        self.patience = patience
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()

    def prepare(self, request: Any) -> None:
        """Bounds the waits of one request and watches the sockets it opens."""
        read = min(self.patience, max(self.remaining(), 0.0) + DEADLINE_SLACK)
        connect = min(CONNECT_SECONDS, read)
        request.extensions["timeout"] = {"connect": connect, "read": read, "write": read, "pool": connect}
        request.extensions["trace"] = self._traced

    def cut(self) -> None:
        """From any thread: ends whatever is being sent, read or waited for, now and later."""
        self.cancelled.set()
        with self._lock:
            open_sockets, self._sockets = self._sockets, []
        for each in open_sockets:
            _shut_down(each)

    def pause(self, seconds: float) -> bool:
        """Waits; False where the wait was cancelled."""
        return not self.cancelled.wait(seconds)

    def _traced(self, name: str, info: dict[str, Any]) -> None:
        stream = info.get("return_value")
        if not name.endswith((".connect_tcp.complete", ".start_tls.complete")) or stream is None:
            return
        opened = stream.get_extra_info("socket")
        if opened is None:
            return
        with self._lock:
            self._sockets = [each for each in self._sockets if each.fileno() != -1]
            self._sockets.append(opened)
        if self.cancelled.is_set():
            _shut_down(opened)


def _shut_down(opened: socket.socket) -> None:
    # socket's own shutdown, past the one of SSLSocket, which would take the TLS state from under the reader
    try:
        socket.socket.shutdown(opened, socket.SHUT_RDWR)
    except OSError:
        return


def is_loopback(url: str) -> bool:
    """True where the URL's host is this machine: localhost, a loopback address, or the unspecified one."""
    host = (urlsplit(url).hostname or "").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def is_http(url: str) -> bool:
    """Whether it is a URL that a request can be sent to."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def host_of(url: str) -> str:
    """The URL's host and port, without the login that may stand before them."""
    return urlsplit(url).netloc.rpartition("@")[2]


def client_options(url: str, connections: Connections) -> dict[str, Any]:
    """What the HTTP client of either SDK is made with for this server.

    No redirect is followed: the conversation goes to the host that was named and to no other. A loopback address is
    asked past every proxy, with the certificates of SSL_CERT_FILE all the same.
    """
    options: dict[str, Any] = {"follow_redirects": False, "event_hooks": {"request": [connections.prepare]}}
    if is_loopback(url):
        options["trust_env"] = False
        if url.startswith("https:"):
            options["verify"] = ssl.create_default_context()
    return options


def no_deadline() -> float:
    """The remaining seconds of a run that has no deadline."""
    return math.inf
