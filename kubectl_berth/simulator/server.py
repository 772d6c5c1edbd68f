"""A snapshot served as a Kubernetes API on loopback, read-only."""

from __future__ import annotations

import gzip
import socket
import sys
import threading
from dataclasses import dataclass
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.cluster.snapshot import SnapshotCluster
from kubectl_berth.cluster.store import Store
from kubectl_berth.errors import UsageError
from kubectl_berth.simulator import reviews
from kubectl_berth.simulator.routes import Response, respond

HOST = "127.0.0.1"
_COMPRESSED_FROM = 128 * 1024
_IDLE_SECONDS = 300


@dataclass(frozen=True)
class RunningServer:
    """A server on its own thread. `url` is where it listens, until `close`."""

    url: str
    _server: _Server
    _thread: threading.Thread

    def close(self) -> None:
        """Stops listening and lets go of every connection."""
        self._server.shutdown()
        self._server.server_close()
        self._server.drop_connections()
        self._thread.join()

    def wait(self) -> None:
        """Blocks until the server is closed."""
        # in short waits: on Windows a Ctrl-C is heard only when one ends
        while self._thread.is_alive():
            self._thread.join(0.2)


def serve(cluster: Cluster, port: int = 0) -> RunningServer:
    """Serves a snapshot or scenario on 127.0.0.1; port 0 takes any free one. UsageError where it cannot listen."""
    if not isinstance(cluster, SnapshotCluster):
        raise UsageError("only a snapshot or a scenario can be served")
    try:
        server = _Server(cluster.store, port)
    except (OSError, OverflowError) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot listen on {HOST}:{port} ({words}); choose another port or leave it out") from error
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="simulator", daemon=True)
    thread.start()
    return RunningServer(f"http://{HOST}:{server.server_port}", server, thread)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    store: Store

    def __init__(self, store: Store, port: int) -> None:
        self.store = store
        self.date = format_datetime(store.now, usegmt=True)
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__((HOST, port), _Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            self._connections.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        with self._lock:
            open_ones = list(self._connections)
        for connection in open_ones:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news; anything else is."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_SECONDS
    server: _Server

    def _answer(self) -> None:
        body = b""
        if self.command != "GET":
            # its body is never read but for a review
            self.close_connection = True
            if reviews.answers(self.command, self.path.partition("?")[0]):
                body = self._body()
        accept = self.headers.get("Accept") or ""
        host, port = self.server.server_address[:2]
        self._send(respond(self.server.store, self.command, self.path, accept, f"{host!s}:{port}", body))

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length") or ""
        return self.rfile.read(min(int(length), reviews.MOST_BYTES)) if length.isdecimal() else b""

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_HEAD = _answer

    def _send(self, response: Response) -> None:
        body = response.body
        self.send_response(response.status)
        if response.content_type:
            self.send_header("Content-Type", response.content_type)
        self.send_header("Cache-Control", "no-cache, private")
        for name, value in response.headers.items():
            self.send_header(name, value)
        if len(body) >= _COMPRESSED_FROM and "gzip" in (self.headers.get("Accept-Encoding") or ""):
            body = gzip.compress(body, 1, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        if response.status != 204:
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The snapshot's moment: clients take the time of day from here."""
        return self.server.date

    def version_string(self) -> str:
        """The Server header."""
        return "kubectl-berth"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: requests are no news."""
