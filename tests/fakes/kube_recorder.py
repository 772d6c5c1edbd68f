"""A Kubernetes API server on loopback that answers from a script and records every request it gets."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

DATE = "Mon, 05 Oct 2026 09:30:00 GMT"


@dataclass(frozen=True)
class Recorded:
    """One request: `headers` in order and as sent, `client` the common name of its certificate ("" without)."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    client: str = ""
    server_name: str = ""
    body: bytes = b""

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def identity(self) -> dict[str, list[str]]:
        """What says who is asking."""
        told = {k.lower() for k, _ in self.headers if k.lower() == "authorization" or k.lower().startswith("imperson")}
        return {name: sorted(self.values(name)) for name in sorted(told)} | {"client": [self.client]}


@dataclass(frozen=True)
class Reply:
    """What the server answers. `stall` seconds pass before it, `drip` between its body's single bytes."""

    body: bytes | dict[str, Any] | str = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    stall: float = 0
    drip: float = 0
    cut: int = 0

    def raw(self) -> bytes:
        if isinstance(self.body, dict):
            return json.dumps(self.body).encode()
        return self.body.encode() if isinstance(self.body, str) else self.body


def status(code: int, reason: str, message: str, **more: Any) -> Reply:
    """A Status object as the API server sends it."""
    body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message}
    return Reply({**body, "reason": reason, "code": code, **more}, code)


Script = Callable[[Recorded], Reply | None]


@dataclass
class Recorder:
    """The running server: `url`, what it was asked, and what it answers by exact path with query, or by path alone."""

    url: str
    requests: list[Recorded] = field(default_factory=list)
    replies: dict[str, Reply | list[Reply]] = field(default_factory=dict)
    script: Script | None = None
    connections: int = 0

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    def answer(self, request: Recorded) -> Reply:
        if self.script and (scripted := self.script(request)):
            return scripted
        for key in (request.path, request.path.partition("?")[0]):
            if key in self.replies:
                found = self.replies[key]
                return (found.pop(0) if len(found) > 1 else found[0]) if isinstance(found, list) else found
        return Reply("404 page not found\n", 404, {"Content-Type": "text/plain; charset=utf-8"})


VERSION = Reply({"major": "1", "minor": "33", "gitVersion": "v1.33.4"})


def _handler(recorder: Recorder) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            recorder.connections += 1
            super().setup()

        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            client, name = "", ""
            if isinstance(self.connection, ssl.SSLSocket):
                subject = (self.connection.getpeercert() or {}).get("subject", ())
                client = next((v for pairs in subject for k, v in pairs if k == "commonName"), "")  # type: ignore[misc]
                name = getattr(self.connection.context, "asked", {}).get(self.client_address, "")
            request = Recorded(self.command, self.path, tuple(self.headers.items()), client, name, body)
            recorder.requests.append(request)
            self.send(recorder.answer(request))

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_CONNECT = handle_any

        def send(self, reply: Reply) -> None:
            time.sleep(reply.stall)
            raw = reply.raw()
            self.send_response_only(reply.status)
            headers = {"Content-Type": "application/json", "Date": DATE, **reply.headers}
            if "gzip" in self.headers.get("Accept-Encoding", "") and len(raw) > 1000 and not reply.cut:
                raw = gzip.compress(raw)
                headers["Content-Encoding"] = "gzip"
            for key, value in headers.items():
                self.send_header(key, value)
            if reply.status != 204:
                self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            if reply.cut:
                raw = raw[: reply.cut]
                self.close_connection = True
            try:
                if reply.drip:
                    for at in range(len(raw)):
                        self.wfile.write(raw[at : at + 1])
                        self.wfile.flush()
                        time.sleep(reply.drip)
                else:
                    self.wfile.write(raw)
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that goes away is part of the game


@contextmanager
def recording(tls: Tls | None = None, *, client_certificates: bool = False) -> Iterator[Recorder]:
    """A running server, with TLS where `tls` is given; it answers /version and nothing else unless told."""
    scheme = "https" if tls else "http"
    recorder = Recorder("")
    server = _Server(("127.0.0.1", 0), _handler(recorder))
    if tls:
        server.socket = tls.server_context(client_certificates).wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    recorder.url = f"{scheme}://127.0.0.1:{server.server_address[1]}"
    recorder.replies["/version"] = VERSION
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield recorder
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def silent() -> Iterator[str]:
    """A server that accepts connections and never says anything: its URL (http)."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@contextmanager
def trickling(pause: float) -> Iterator[str]:
    """A server that answers one connection with a header that never ends, a byte every `pause` seconds: its URL."""
    ended = threading.Event()

    def trickle() -> None:
        with server.accept()[0] as connection:
            connection.recv(64 * 1024)
            for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 10_000:
                try:
                    connection.send(bytes([byte]))
                except OSError:
                    return
                if ended.wait(pause):
                    return

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=trickle, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            ended.set()
            thread.join(5)


def closed_port() -> int:
    """A port of loopback on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@dataclass(frozen=True)
class Tls:
    """A certificate authority with a server's and a client's certificate, as PEM files in `directory`."""

    directory: Path

    @property
    def ca(self) -> Path:
        return self.directory / "ca.crt"

    @property
    def client_certificate(self) -> Path:
        return self.directory / "client.crt"

    @property
    def client_key(self) -> Path:
        return self.directory / "client.key"

    def server_context(self, client_certificates: bool) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.directory / "server.crt", self.directory / "server.key")
        if client_certificates:
            context.load_verify_locations(self.ca)
            context.verify_mode = ssl.CERT_OPTIONAL
        asked: dict[Any, str] = {}
        context.sni_callback = lambda sock, name, _: asked.__setitem__(sock.getpeername(), name or "")
        context.asked = asked  # type: ignore[attr-defined]
        return context


def make_tls(directory: Path, *, names: tuple[str, ...] = ("127.0.0.1",), expired: bool = False) -> Tls:
    """Writes ca, server (for `names`) and client (CN jane) certificates and keys into the directory."""
    import ipaddress
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    now = datetime.now(UTC)

    def issue(name: str, issuer: tuple[Any, Any] | None, alternatives: tuple[str, ...], old: bool) -> tuple[Any, Any]:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer[0].subject if issuer else subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=30))
            .not_valid_after(now - timedelta(days=1) if old else now + timedelta(days=30))
            .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        )
        if alternatives:
            found: list[x509.GeneralName] = []
            for alternative in alternatives:
                try:
                    found.append(x509.IPAddress(ipaddress.ip_address(alternative)))
                except ValueError:
                    found.append(x509.DNSName(alternative))
            builder = builder.add_extension(x509.SubjectAlternativeName(found), critical=False)
        return builder.sign(issuer[1] if issuer else key, hashes.SHA256()), key

    authority = issue("test authority", None, (), False)
    for file, (certificate, key) in {
        "ca": authority,
        "server": issue("server", authority, names, expired),
        "client": issue("jane", authority, (), False),
    }.items():
        (directory / f"{file}.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        (directory / f"{file}.key").write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
    return Tls(directory)
