"""Knows the connections that are open, so that another thread can end what waits on them."""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any
from weakref import WeakSet

from urllib3 import BaseHTTPResponse, HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection


class OpenConnections:
    """The connections of some pools and the answers that are being read from them. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connections: WeakSet[Any] = WeakSet()
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._answers: WeakSet[BaseHTTPResponse] = WeakSet()
        self._ended = False
        self._own = threading.local()

    def watch(self, pools: PoolManager) -> None:
        """From now on every connection that `pools` makes is known here."""
        kinds: dict[str, Any] = {"http": partial(_Pool, self), "https": partial(_SecurePool, self)}
        pools.pool_classes_by_scheme = kinds

    def add(self, connection: Any) -> None:
        """A connection that may be waited on."""
        with self._lock:
            self._connections.add(connection)

    def connected(self, sock: socket.socket) -> None:
        """The socket of a connection that has just been made, and that does not hold it yet."""
        with self._lock:
            self._sockets.add(sock)
            ended = self._ended
        if ended:
            _shut(sock)

    def taken(self, connection: Any) -> None:
        """The connection over which the thread that calls this is about to send."""
        getattr(self._own, "taken", []).append(connection)

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """What this thread sends inside the block breaks off after so many seconds, however much still trickles in."""
        if seconds == math.inf:
            yield
            return
        own: list[Any] = []
        self._own.taken = own
        timer = threading.Timer(seconds, _shut_all, [own])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            del self._own.taken

    def reading(self, answer: BaseHTTPResponse) -> None:
        """An answer that is being read; its connection may have let go of the socket."""
        with self._lock:
            self._answers.add(answer)

    def end(self) -> None:
        """Ends every read and write that is under way; connections that come about later carry none."""
        with self._lock:
            self._ended = True
            connections, sockets, answers = list(self._connections), list(self._sockets), list(self._answers)
        _shut_all(connections)
        for sock in sockets:
            _shut(sock)
        for answer in answers:
            with suppress(OSError, ValueError, RuntimeError):
                answer.shutdown()


def _shut_all(connections: list[Any]) -> None:
    for connection in connections:
        if isinstance(sock := getattr(connection, "sock", None), socket.socket):
            _shut(sock)


def _shut(sock: socket.socket) -> None:
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


class _Connection(HTTPConnection):
    known: OpenConnections

    def _new_conn(self) -> socket.socket:
        sock = super()._new_conn()
        self.known.connected(sock)
        return sock


class _SecureConnection(_Connection, HTTPSConnection):
    """The same over TLS."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection

    def __init__(self, known: OpenConnections, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._known = known

    def _new_conn(self) -> Any:
        connection: Any = super()._new_conn()
        connection.known = self._known
        self._known.add(connection)
        return connection

    def _get_conn(self, timeout: float | None = None) -> Any:
        connection = super()._get_conn(timeout)
        self._known.taken(connection)
        return connection


class _SecurePool(_Pool, HTTPSConnectionPool):
    """The same over TLS."""

    ConnectionCls = _SecureConnection
