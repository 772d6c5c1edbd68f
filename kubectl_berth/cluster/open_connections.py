"""Knows the connections that are open, so that another thread can end what waits on them."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from functools import partial
from typing import Any
from weakref import WeakSet

from urllib3 import BaseHTTPResponse, HTTPConnectionPool, HTTPSConnectionPool, PoolManager


class OpenConnections:
    """The connections of some pools and the answers that are being read from them. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connections: WeakSet[Any] = WeakSet()
        self._answers: WeakSet[BaseHTTPResponse] = WeakSet()

    def watch(self, pools: PoolManager) -> None:
        """From now on every connection that `pools` makes is known here."""
        kinds: dict[str, Any] = {"http": partial(_Pool, self), "https": partial(_SecurePool, self)}
        pools.pool_classes_by_scheme = kinds

    def add(self, connection: Any) -> None:
        """A connection that may be waited on."""
        with self._lock:
            self._connections.add(connection)

    def reading(self, answer: BaseHTTPResponse) -> None:
        """An answer that is being read; its connection may have let go of the socket."""
        with self._lock:
            self._answers.add(answer)

    def end(self) -> None:
        """Ends every read and write that is under way."""
        with self._lock:
            connections, answers = list(self._connections), list(self._answers)
        for connection in connections:
            if isinstance(sock := getattr(connection, "sock", None), socket.socket):
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
        for answer in answers:
            with suppress(OSError, ValueError, RuntimeError):
                answer.shutdown()


class _Pool(HTTPConnectionPool):
    def __init__(self, known: OpenConnections, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._known = known

    def _new_conn(self) -> Any:
        connection = super()._new_conn()
        self._known.add(connection)
        return connection


class _SecurePool(HTTPSConnectionPool):
    def __init__(self, known: OpenConnections, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._known = known

    def _new_conn(self) -> Any:
        connection = super()._new_conn()
        self._known.add(connection)
        return connection
