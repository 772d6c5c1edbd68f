"""The one place that sends requests to the API server."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kubectl_berth import __version__
from kubectl_berth.cluster.allow_list import permit
from kubectl_berth.cluster.answers import Answer
from kubectl_berth.cluster.connection import Access, open_client
from kubectl_berth.cluster.unreachable import why
from kubectl_berth.environment import Environment
from kubectl_berth.errors import ClusterUnreachable, ReadError, Unavailable

if TYPE_CHECKING:
    from kubernetes.client import ApiClient
    from urllib3 import BaseHTTPResponse, HTTPHeaderDict

    from kubectl_berth.cluster.open_connections import OpenConnections

JSON = "application/json"
CONNECT_SECONDS = 5.0
READ_SECONDS = 15.0
REQUEST_SECONDS = 30.0
"""Limits of one request: to connect, between two bytes, in all. --request-timeout takes the place of the last."""

MOST_BYTES = 96 * 1024 * 1024
"""An answer bigger than this, inflated, is not read."""

TRIES = 3
"""Requests that one read may cost where the server asks to come back later."""

_CHUNK = 64 * 1024
_PASSING = (500, 502, 503, 504)


@dataclass(frozen=True)
class _Line:
    """One open client with the Authorization header that goes with it; `number` counts renewals."""

    number: int
    client: ApiClient
    authorization: str
    connections: OpenConnections


class Transport:
    """Sends what the allow-list permits to one API server. Safe to use from several threads.

    Until the first answer every failure is ClusterUnreachable, from then on Unavailable.
    """

    def __init__(self, access: Access, environment: Environment) -> None:
        self.access = access
        self.date = ""
        self._monotonic = environment.monotonic
        self._contacted = False
        self._closed = threading.Event()
        self._renewing = threading.Lock()
        self._line = self._open(0)

    def request(
        self,
        method: str,
        target: str,
        *,
        accept: str = JSON,
        most_bytes: int = MOST_BYTES,
        seconds: float | None = None,
        retry: bool = True,
    ) -> Answer:
        """The answer to one request, whatever its status; `target` is path and query, encoded.

        Raises Refused before anything is sent where the allow-list does not hold it, ClusterUnreachable or Unavailable
        where no answer came within `seconds`. Reads at most `most_bytes`. A throttled request, and one that met a
        passing failure, is sent again within the same limit unless `retry` is False.
        """
        permit(method, target, {"Accept": accept})
        limit = self.access.request_timeout or seconds or REQUEST_SECONDS
        deadline = self._monotonic() + limit
        answer = self._send(method, target, accept, most_bytes, deadline, limit)
        for attempt in range(1, TRIES):
            pause = self._pause(answer, attempt) if retry else None
            if pause is None or self._monotonic() + pause >= deadline or self._closed.wait(pause):
                break
            answer = self._send(method, target, accept, most_bytes, deadline, limit)
        return answer

    def close(self) -> None:
        """Ends what is under way and refuses what comes after."""
        self._closed.set()
        line = self._line
        line.connections.end()
        line.client.rest_client.pool_manager.clear()

    def unreachable(self, words: str) -> ClusterUnreachable:
        """The error that names context and server."""
        return ClusterUnreachable(f"cluster of context {self.access.context!r} at {self.access.server}: {words}")

    def _pause(self, answer: Answer, attempt: int) -> float | None:
        """Seconds to wait before the request is sent again, None where it is not."""
        if answer.status == 429:
            asked = answer.headers.get("retry-after", "")
            return (float(asked) if asked.isdigit() else 1.0) + random.uniform(0, 0.2)
        if answer.status in _PASSING and attempt == 1 and "retry-after" not in answer.headers:
            return 0.2
        return None

    def _send(self, method: str, target: str, accept: str, most_bytes: int, deadline: float, limit: float) -> Answer:
        line = self._line
        answer = self._exchange(line, method, target, accept, most_bytes, deadline, limit)
        if answer.status == 401 and self.access.renewable:
            answer = self._exchange(self._renew(line), method, target, accept, most_bytes, deadline, limit)
        if answer.status == 401:
            whose = (
                f"the credentials of user {self.access.user!r}" if self.access.user else "a request without credentials"
            )
            error = self.unreachable(f"{whose} were refused (401 Unauthorized): log in again or renew them")
            raise Unavailable(str(error)) if self._contacted else error
        self._contacted = True
        self.date = answer.headers.get("date", "") or self.date
        return answer

    def _exchange(
        self, line: _Line, method: str, target: str, accept: str, most_bytes: int, deadline: float, limit: float
    ) -> Answer:
        """One request and its answer; a connection that the server had already given up is replaced once."""
        from kubernetes.client import ApiException
        from urllib3.exceptions import HTTPError, ProtocolError

        for last in (False, True):
            left = deadline - self._monotonic()
            if left <= 0 or self._closed.is_set():
                raise self._no_answer(TimeoutError(), limit)
            try:
                response = line.client.call_api(
                    method,
                    self.access.server + target,
                    self._headers(line, accept),
                    _request_timeout=(min(CONNECT_SECONDS, left), min(READ_SECONDS, left)),
                ).response
                line.connections.reading(response)
                return self._read(response, most_bytes, deadline)
            except ProtocolError as error:
                if last or self._closed.is_set() or not self._contacted:
                    raise self._no_answer(error, limit) from error
            except (ApiException, HTTPError, OSError, ValueError) as error:
                raise self._no_answer(error, limit) from error
        raise AssertionError("unreachable")

    def _no_answer(self, error: BaseException, limit: float) -> ClusterUnreachable | ReadError:
        if self._closed.is_set():
            return Unavailable("the connection to the cluster was closed before the answer came")
        words = self.unreachable(why(error, self.access, limit))
        return Unavailable(str(words)) if self._contacted else words

    def _headers(self, line: _Line, accept: str) -> HTTPHeaderDict:
        from urllib3 import HTTPHeaderDict

        headers = HTTPHeaderDict({"Accept": accept, "User-Agent": f"kubectl-berth/{__version__}"})
        headers["Accept-Encoding"] = "gzip" if self.access.compression else "identity"
        if line.authorization:
            headers["Authorization"] = line.authorization
        for name, value in self.access.impersonation:
            headers.add(name, value)
        return headers

    def _read(self, response: BaseHTTPResponse, most_bytes: int, deadline: float) -> Answer:
        """The body as it arrives, up to a limit of bytes and time."""
        headers = {name.lower(): value for name, value in response.headers.items()}
        chunks: list[bytes] = []
        size = 0
        try:
            for chunk in response.stream(_CHUNK, decode_content=True):
                chunks.append(chunk)
                size += len(chunk)
                if size > most_bytes:
                    return Answer(response.status, headers, b"".join(chunks)[:most_bytes], whole=False)
                if self._monotonic() > deadline:
                    raise TimeoutError
            return Answer(response.status, headers, b"".join(chunks))
        finally:
            # what was not read to its end must not go back to the pool
            if not response.closed and size > most_bytes:
                response.close()
            response.release_conn()

    def _open(self, number: int) -> _Line:
        from kubectl_berth.cluster.open_connections import OpenConnections

        credentials = self.access.credentials()
        client = open_client(self.access, credentials)
        connections = OpenConnections()
        connections.watch(client.rest_client.pool_manager)
        return _Line(number, client, credentials.authorization, connections)

    def _renew(self, line: _Line) -> _Line:
        """A client with credentials read anew, once for all threads that were refused with the same ones."""
        with self._renewing:
            if self._line.number == line.number:
                self._line = self._open(line.number + 1)
                line.client.rest_client.pool_manager.clear()
            return self._line
