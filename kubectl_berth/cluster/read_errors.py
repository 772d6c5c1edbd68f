"""What a reader of the cluster sees of a failed request: one mapping for the live API and for snapshots."""

from __future__ import annotations

from kubectl_berth.cluster.failures import ApiFailure, Untaken
from kubectl_berth.errors import Forbidden, NotFound, NotServed, NotTaken, ReadError, Unavailable

_NO_RESOURCE = "the server could not find the requested resource"


def read_error(failure: ApiFailure, *, log: bool = False) -> ReadError:
    """The error for an answer outside 2xx, in the server's own words. `log` where a container's log was asked for."""
    words = " ".join(failure.message.split())
    if isinstance(failure, Untaken):
        return NotTaken(words)
    if failure.status == 403:
        return Forbidden(words)
    if failure.status == 404:
        missing = failure.plain or failure.message == _NO_RESOURCE
        return NotServed(f"not served by this cluster ({words})") if missing else NotFound(words)
    if log and failure.status == 400:
        # the container is there and will have a log, or never will
        return Unavailable(words) if "waiting to start" in words or "not available" in words else NotFound(words)
    if failure.status == 429:
        return Unavailable(f"the API server is throttling (429): {words}")
    if failure.status == 401 or failure.status >= 500:
        return Unavailable(words)
    error = ReadError(words)
    error.status = failure.status
    return error
