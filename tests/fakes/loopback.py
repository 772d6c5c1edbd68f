"""What the fake model servers share: a scripted HTTP server on a loopback port that records what it is asked.

A script is a list of steps, one for each scripted request, or a function from the request's body to a step. The last
step of a list is repeated. A step is a reply of the protocol, or one of the faults below.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Status:
    """An HTTP error instead of a reply; `body` is sent as JSON, or as it is where it is text."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cut:
    """The first `after` chunks of `reply`, then the connection breaks: with a reset, or in the middle of a chunk."""

    reply: Any
    after: int
    reset: bool = False


@dataclass(frozen=True)
class Drop:
    """The connection breaks before there is an answer."""


@dataclass(frozen=True)
class Short:
    """The first `after` chunks of `reply`, then a clean end of the body."""

    reply: Any
    after: int


@dataclass(frozen=True)
class Hang:
    """The first `after` chunks of `reply` (the headers too, unless `silent`), then nothing for ever."""

    reply: Any
    after: int = 0
    silent: bool = False


@dataclass(frozen=True)
class Drip:
    """The first `after` chunks of `reply`, then `piece` again and again for ever: a server that only pings."""

    reply: Any
    after: int
    piece: bytes


@dataclass(frozen=True)
class Raw:
    """A 200 with these bytes as its body."""

    body: bytes
    content_type: str = "text/html"


@dataclass
class Request:
    """One request as it came in; `body` is its JSON, None where it has none."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


Script = Sequence[Any] | Callable[[dict[str, Any]], Any]


class Loopback:
    """A server on 127.0.0.1. `requests` holds the scripted requests, `others` all the rest.

    Use it as a context manager; `url` is its base URL. `hung_up` is set when a client closes a connection on us.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[Request] = []
        self.others: list[Request] = []
        self.hung_up = threading.Event()
        self.asked = threading.Event()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                fake._handle(self)

            def do_POST(self) -> None:
                fake._handle(self)

            def log_message(self, format: str, *args: Any) -> None:
                """Keep stderr clean."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that hangs up is no error."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Loopback:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    # --- what a protocol fills in ----------------------------------------------------------------------------------

    content_type = "application/octet-stream"

    def scripted(self, request: Request) -> bool:
        """True where the script answers this request."""
        raise NotImplementedError

    def other(self, request: Request) -> Status:
        """The answer to everything else; a Status of 200 is an answer too."""
        return Status(404, {"error": "not found"})

    def complaint(self, request: Request) -> Status | None:
        """What the real server would object to in this request."""
        return None

    def chunks(self, reply: Any, request: Request) -> Iterator[bytes]:
        """The body of a reply, as the pieces in which it is sent."""
        raise NotImplementedError

    # --- serving ---------------------------------------------------------------------------------------------------

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        raw = handler.rfile.read(length) if length else b""
        request = Request(
            handler.command,
            handler.path,
            {name.lower(): value for name, value in handler.headers.items()},
            json.loads(raw) if raw else None,
        )
        try:
            if not self.scripted(request):
                with self._lock:
                    self.others.append(request)
                self._send_status(handler, self.other(request))
                return
            step = self._next_step(request)
            self.asked.set()
            complaint = self.complaint(request)
            self._send(handler, complaint or step, request)
        except (ConnectionError, TimeoutError, ValueError):
            self.hung_up.set()
            handler.close_connection = True

    def _next_step(self, request: Request) -> Any:
        with self._lock:
            self.requests.append(request)
            if callable(self.script):
                return self.script(request.body)
            return self.script[min(len(self.requests), len(self.script)) - 1]

    def _send(self, handler: BaseHTTPRequestHandler, step: Any, request: Request) -> None:
        if isinstance(step, Status):
            self._send_status(handler, step)
            return
        if isinstance(step, Drop):
            self._break_off(handler, reset=True)
            return
        if isinstance(step, Raw):
            self._start(handler, step.content_type)
            self._chunk(handler, step.body)
            self._chunk(handler, b"")
            return
        if isinstance(step, Hang) and step.silent:
            self._wait_for_hang_up(handler)
            return
        self._start(handler, self.content_type)
        partial = isinstance(step, Cut | Short | Hang | Drip)
        whole, limit = (step.reply, step.after) if partial else (step, None)
        for number, piece in enumerate(self.chunks(whole, request)):
            if number == limit:
                break
            self._chunk(handler, piece)
        if isinstance(step, Cut):
            self._break_off(handler, step.reset)
        elif isinstance(step, Hang):
            self._wait_for_hang_up(handler)
        elif isinstance(step, Drip):
            while not self._closing.wait(0.05):
                self._chunk(handler, step.piece)
        else:
            self._chunk(handler, b"")

    def _start(self, handler: BaseHTTPRequestHandler, content_type: str) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", content_type)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()

    def _chunk(self, handler: BaseHTTPRequestHandler, piece: bytes) -> None:
        handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        handler.wfile.flush()

    def _send_status(self, handler: BaseHTTPRequestHandler, step: Status) -> None:
        text = isinstance(step.body, str)
        body = step.body.encode() if text else json.dumps(step.body).encode()
        handler.send_response(step.status)
        handler.send_header("Content-Type", "text/html" if text else "application/json")
        handler.send_header("Content-Length", str(len(body)))
        for name, value in step.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    def _break_off(self, handler: BaseHTTPRequestHandler, reset: bool) -> None:
        if reset:
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            handler.wfile.write(b"40\r\nhalf a chunk")
            handler.wfile.flush()
        handler.close_connection = True
        handler.connection.shutdown(socket.SHUT_RDWR) if not reset else handler.connection.close()

    def _wait_for_hang_up(self, handler: BaseHTTPRequestHandler) -> None:
        handler.connection.settimeout(0.05)
        while not self._closing.is_set():
            try:
                if not handler.connection.recv(1):
                    raise ConnectionResetError
            except TimeoutError:
                continue
