"""Retries of the Messages API inside the run's deadline, as a middleware of the SDK.

The SDK would sleep through any Retry-After, an hour if so told, and a sleep of its own cannot be cancelled.
"""

from __future__ import annotations

import email.utils
import random
import time
from typing import Any

from kubectl_berth.engines.claude_errors import Place, asks_to_wait
from kubectl_berth.engines.connections import Connections
from kubectl_berth.engines.loop import Tally
from kubectl_berth.engines.pump import Emit
from kubectl_berth.errors import Interrupted
from kubectl_berth.records import Retry

MOST = 2
"""Retries of one model call."""

TRANSIENT = (408, 409, 429)


class Retries:
    """Sends a request, and sends it again where that may help. Counts into the tally, and tells `emit` at once."""

    def __init__(self, connections: Connections, tally: Tally, place: Place) -> None:
        self.emit: Emit = lambda event: None
        self._connections = connections
        self._tally = tally
        self._place = place

    def send(self, request: Any, call_next: Any) -> Any:
        """The middleware: one request with its retries."""
        attempt = 0
        while True:
            response, reason, wait = self._attempt(request, call_next, attempt)
            if wait is None:
                return response
            if response is not None:
                response.close()
            self._tally.retried()
            self.emit(Retry(f"{reason}; again in {wait:.1f} s"))
            if not self._connections.pause(wait):
                raise Interrupted("the run was stopped")
            attempt += 1

    def _attempt(self, request: Any, call_next: Any, attempt: int) -> tuple[Any, str, float | None]:
        """The response (None where there was none), why to send again, and after how many seconds (None: do not)."""
        import anthropic
        import httpx2

        last = attempt == MOST
        backoff = min(0.5 * 2**attempt, 8.0) * random.uniform(0.75, 1.0)
        try:
            response = call_next(request)
        except anthropic.APIConnectionError as error:
            # refused, unknown host, TLS: the same again would only take longer to say so
            hopeless = isinstance(error.__cause__, httpx2.ConnectError | httpx2.UnsupportedProtocol)
            if last or hopeless or self._connections.cancelled.is_set() or backoff > self._connections.remaining():
                raise
            return None, "the connection broke before an answer came", backoff
        status = response.status_code
        if last or not _worth_another(status, response.headers):
            return response, "", None
        asked = _retry_after(response.headers)
        wait = asked if asked is not None and asked > 0 else backoff
        if wait > self._connections.remaining():
            response.close()
            raise asks_to_wait(self._place, status, wait, self._connections.remaining())
        return response, f"{self._place.host} answered {status}", wait


def _worth_another(status: int, headers: Any) -> bool:
    told = headers.get("x-should-retry")
    if told in ("true", "false"):
        return bool(told == "true" and status >= 400)
    return status in TRANSIENT or status >= 500


def _retry_after(headers: Any) -> float | None:
    """Seconds that the server asks to wait, None where it does not say."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            return float(value) / unit
        except ValueError:
            parsed = email.utils.parsedate_tz(value) if value else None
            if parsed is not None:
                return email.utils.mktime_tz(parsed) - time.time()
    return None
