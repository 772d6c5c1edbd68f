"""The one place that sends requests to the API server."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kubectl_berth import __version__
from kubectl_berth.cluster.allow_list import permit
from kubectl_berth.cluster.answers import Answer
from kubectl_berth.cluster.client import Client, Timeouts, open_client, open_light_client
from kubectl_berth.cluster.connection import Access
from kubectl_berth.cluster.unreachable import causes, timed_out, why
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError, ClusterUnreachable, Unauthorized, Unavailable
from kubectl_berth.safety.own_keys import OWN_KEY

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, HTTPHeaderDict

    from kubectl_berth.cluster.open_connections import OpenConnections

JSON = "application/json"
CONNECT_SECONDS = 5.0
READ_SECONDS = 15.0
REQUEST_SECONDS = 30.0
"""Limits of one request: to connect, between two bytes, in all. --request-timeout takes the place of all of them."""

DIAL_SECONDS = 30.0
"""The most that connecting may take whatever --request-timeout says, as for kubectl."""

SLACK_SECONDS = 0.2
"""So much later than the limit a request is cut off, where no limit of the socket did it."""

PATIENT_TIMES = 4
IMPATIENT_SECONDS = 2.0
"""After so many requests in a row without an answer the next ones are given so much time: the server may be gone."""

MOST_BYTES = 96 * 1024 * 1024
"""An answer bigger than this, inflated, is not read."""

TRIES = 3
"""Requests that one read may cost where the server asks to come back later."""

_CHUNK = 64 * 1024
_SHORTEST_CREDENTIAL = 8
_PASSING = (500, 502, 503, 504)


@dataclass(frozen=True)
class _Line:
    """One open client with the Authorization header that goes with it; `number` counts renewals."""

    number: int
    client: Client
    authorization: str
    connections: OpenConnections


@dataclass(frozen=True)
class _Request:
    """One permitted request: until when its answer must be whole (`limit` is how long that was), and how big.

    Only a review has a `body`.
    """

    method: str
    target: str
    accept: str
    most_bytes: int
    deadline: float
    limit: float
    body: Mapping[str, Any] | None = None


class Transport:
    """Sends what the allow-list permits to one API server. Safe to use from several threads.

    Until the first answer every failure is ClusterUnreachable, from then on Unavailable.
    """

    def __init__(self, access: Access, environment: Environment, *, light: bool = False) -> None:
        """Over the `kubernetes` package's connection, or over the one that starts quicker where `light`."""
        self.access = access
        self._light = light
        self.date = ""
        self._monotonic = environment.monotonic
        self._contacted = False
        self._silences = 0
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
        if self._silences >= PATIENT_TIMES:
            limit = min(limit, IMPATIENT_SECONDS)
        wanted = _Request(method, target, accept, most_bytes, self._monotonic() + limit, limit)
        answer = self._send(wanted)
        for attempt in range(1, TRIES):
            pause = _pause(answer, attempt) if retry else None
            if pause is None or self._monotonic() + pause >= wanted.deadline or self._closed.wait(pause):
                break
            answer = self._send(wanted)
        return answer

    def review(self, target: str, question: Mapping[str, Any], *, seconds: float) -> Answer:
        """The answer to one question about what the person may do, the only thing that is ever posted; asked once.

        `target` is one of the two paths that the allow-list holds for this. Raises as `request` does.
        """
        permit("POST", target)
        limit = min(self.access.request_timeout or seconds, seconds)
        return self._send(_Request("POST", target, JSON, MOST_BYTES, self._monotonic() + limit, limit, question))

    def close(self) -> None:
        """Ends what is under way and refuses what comes after."""
        self._closed.set()
        line = self._line
        line.connections.end()
        line.client.pools.clear()

    def unreachable(self, words: str) -> ClusterUnreachable:
        """The error that names context and server."""
        return ClusterUnreachable(f"cluster of context {self.access.context!r} at {self.access.server}: {words}")

    def _send(self, wanted: _Request) -> Answer:
        """One answer; where the credentials were refused and may be renewed, the one to a second request."""
        line = self._line
        answer = self._exchange(line, wanted)
        if answer.status == 401 and self.access.renewable:
            answer = self._exchange(self._renew(line), wanted)
        if answer.status == 401:
            whose = f"the credentials of user {self.access.user!r}"
            if self.access.server.startswith("http:"):
                whose = "requests without credentials (none are ever sent over plain http)"
            error = self.unreachable(f"{whose} were refused (401 Unauthorized): log in again or renew them")
            raise Unauthorized(str(error)) if self._contacted else error
        self._contacted = True
        self._silences = 0
        self.date = answer.headers.get("date", "") or self.date
        return answer

    def _exchange(self, line: _Line, wanted: _Request) -> Answer:
        """One request and its answer; where the server had already given up an idle connection, over a new one."""
        from urllib3.exceptions import ProtocolError

        try:
            return self._once(line, wanted)
        except ProtocolError as error:
            if not self._contacted or self._closed.is_set():
                raise self._no_answer(error, wanted) from error
        try:
            return self._once(line, wanted)
        except ProtocolError as error:
            raise self._no_answer(error, wanted) from error

    def _once(self, line: _Line, wanted: _Request) -> Answer:
        """One request and its answer. Raises ProtocolError where the connection broke off."""
        from urllib3.exceptions import HTTPError, ProtocolError

        left = wanted.deadline - self._monotonic()
        if left <= 0 or self._closed.is_set():
            raise self._no_answer(TimeoutError(), wanted)
        try:
            url, headers = self.access.server + wanted.target, self._headers(line, wanted.accept)
            # a limit between two bytes never comes where they trickle
            with line.connections.within(left + SLACK_SECONDS):
                response = line.client.send(wanted.method, url, headers, wanted.body, self._timeouts(left))
            line.connections.reading(response)
            return _without_credentials(self._read(response, wanted), line.authorization)
        except ProtocolError:
            if self._monotonic() >= wanted.deadline:
                raise self._no_answer(TimeoutError(), wanted) from None
            raise
        except (HTTPError, OSError, ValueError) as error:
            raise self._no_answer(error, wanted) from error

    def _timeouts(self, left: float) -> Timeouts:
        """Seconds to connect, and between two bytes; a limit that the person chose is the only one then."""
        if self.access.request_timeout is None:
            return min(CONNECT_SECONDS, left), min(READ_SECONDS, left)
        return min(DIAL_SECONDS, left), None if left == math.inf else left

    def _no_answer(self, error: BaseException, wanted: _Request) -> BerthError:
        if self._closed.is_set():
            return Unavailable("the connection to the cluster was closed before the answer came")
        self._silences += any(map(timed_out, causes(error)))
        return self._failed(why(error, self.access, self._limit_met(error, wanted)))

    def _limit_met(self, error: BaseException, wanted: _Request) -> float:
        """The seconds that a request which timed out had: all of its own, or those to connect or between two bytes."""
        if self._monotonic() >= wanted.deadline:
            return wanted.limit
        connect, read = self._timeouts(wanted.limit)
        connecting = any(type(cause).__name__ == "ConnectTimeoutError" for cause in causes(error))
        return connect if connecting else wanted.limit if read is None else read

    def _failed(self, words: str) -> BerthError:
        error = self.unreachable(words)
        return Unavailable(str(error)) if self._contacted else error

    def _headers(self, line: _Line, accept: str) -> HTTPHeaderDict:
        from urllib3 import HTTPHeaderDict

        headers = HTTPHeaderDict({"Accept": accept, "User-Agent": f"kubectl-berth/{__version__}"})
        headers["Accept-Encoding"] = "gzip" if self.access.compression else "identity"
        if line.authorization:
            headers["Authorization"] = line.authorization
        for name, value in self.access.impersonation:
            # a header's characters are taken for bytes on their way; kubectl sends names in UTF-8
            headers.add(name, value.encode("utf-8", "surrogateescape").decode("latin-1"))
        return headers

    def _read(self, response: BaseHTTPResponse, wanted: _Request) -> Answer:
        """The body as it arrives, up to the limits of bytes and time."""
        headers = {name.lower(): value for name, value in response.headers.items()}
        body = bytearray()
        whole = False
        try:
            while len(body) <= wanted.most_bytes:
                chunk = response.read1(_CHUNK, decode_content=True)
                if self._closed.is_set() or self._monotonic() > wanted.deadline:
                    raise TimeoutError
                if not chunk:
                    whole = True
                    break
                body += chunk
        finally:
            # what was not read to its end must not go back to the pool
            if whole:
                response.release_conn()
            else:
                response.close()
        return Answer(response.status, headers, bytes(body[: wanted.most_bytes]), whole)

    def _open(self, number: int) -> _Line:
        from kubectl_berth.cluster.open_connections import OpenConnections

        credentials = self.access.credentials()
        client = (open_light_client if self._light else open_client)(self.access, credentials)
        connections = OpenConnections()
        connections.watch(client.pools)
        return _Line(number, client, credentials.authorization, connections)

    def _renew(self, line: _Line) -> _Line:
        """A client with credentials read anew, once for all threads that were refused with the same ones."""
        with self._renewing:
            if self._line.number == line.number:
                try:
                    self._line = self._open(line.number + 1)
                except BerthError as error:
                    if self._contacted:
                        raise Unavailable(str(error)) from error
                    raise
                line.client.pools.clear()
            return self._line


def _without_credentials(answer: Answer, authorization: str) -> Answer:
    """The answer without what the request proved itself with, should a server send that back."""
    credential = authorization.partition(" ")[2].encode()
    if len(credential) < _SHORTEST_CREDENTIAL or credential not in answer.body:
        return answer
    return replace(answer, body=answer.body.replace(credential, OWN_KEY.encode()))


def _pause(answer: Answer, attempt: int) -> float | None:
    """Seconds to wait before the request is sent again, None where it is not."""
    if answer.status == 429:
        asked = answer.headers.get("retry-after", "")
        return (float(asked) if asked.isdigit() else 1.0) + random.uniform(0, 0.2)
    if answer.status in _PASSING and attempt == 1 and "retry-after" not in answer.headers:
        return 0.2
    return None
