"""An http proxy on loopback that tunnels what it is asked to CONNECT to one fixed place, and records the asking."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any


@dataclass
class ConnectProxy:
    """`url` of the proxy; `asked` are the target and the Proxy-Authorization of each CONNECT."""

    url: str
    asked: list[tuple[str, str]] = field(default_factory=list)


@contextmanager
def tunnelling(port: int) -> Iterator[ConnectProxy]:
    """A running proxy whose tunnels all end at `port` of loopback, whatever host they were asked for."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        proxy = ConnectProxy(f"127.0.0.1:{listener.getsockname()[1]}")
        threading.Thread(target=_accept, args=(listener, port, proxy), daemon=True).start()
        yield proxy


def _accept(listener: socket.socket, port: int, proxy: ConnectProxy) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_tunnel, args=(client, port, proxy), daemon=True).start()


def _tunnel(client: socket.socket, port: int, proxy: ConnectProxy) -> None:
    with suppress(OSError), client, socket.create_connection(("127.0.0.1", port)) as server:
        head = b""
        while b"\r\n\r\n" not in head:
            received = client.recv(4096)
            if not received:
                return
            head += received
        lines = head.decode("latin-1").split("\r\n")
        fields: dict[str, Any] = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
        proxy.asked.append((lines[0].rpartition(" ")[0], fields.get("proxy-authorization", "")))
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        back = threading.Thread(target=_copy, args=(server, client), daemon=True)
        back.start()
        _copy(client, server)
        back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while received := source.recv(65536):
            target.sendall(received)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
