"""What the API server's answers mean: bodies decoded, failures in the server's own words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kubectl_berth.cluster.failures import ApiFailure
from kubectl_berth.errors import Unavailable


@dataclass(frozen=True)
class Answer:
    """One answer: `headers` with lower-case names, `body` inflated; `whole` is False where it was cut at a limit."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    whole: bool = True

    @property
    def ok(self) -> bool:
        """True for 2xx."""
        return 200 <= self.status < 300


def document(answer: Answer) -> dict[str, Any]:
    """The body as a JSON object. Raises Unavailable where it is none: a login page, a proxy, a broken transfer."""
    found = decode(answer.body) if answer.whole else None
    if isinstance(found, dict):
        return found
    if not answer.whole:
        raise Unavailable(f"the answer is bigger than berth reads ({len(answer.body) >> 20} MiB); ask for less")
    kind = answer.headers.get("content-type", "").partition(";")[0] or "no content type"
    raise Unavailable(
        f"the server did not answer as a Kubernetes API ({kind}, {len(answer.body)} bytes); "
        "check the server's URL and what stands between"
    )


def decode(body: bytes) -> Any:
    """The JSON value, None where it is none. Bytes that are not UTF-8 are replaced."""
    import msgspec

    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def failure(answer: Answer) -> ApiFailure:
    """The failure that an answer outside 2xx tells of."""
    found = decode(answer.body)
    status = found if isinstance(found, dict) and found.get("kind") == "Status" else None
    if 300 <= answer.status < 400:
        words = f"the server redirects elsewhere ({answer.status}), which berth does not follow"
        return ApiFailure(502, words, plain=True)
    if status is None:
        plain = answer.headers.get("content-type", "").startswith("text/plain")
        words = answer.body[:1000].decode("utf-8", "replace").strip() if plain else ""
        return ApiFailure(answer.status, words or f"the server answered with status {answer.status}", plain=True)
    message, reason = status.get("message"), status.get("reason")
    details, metadata = status.get("details"), status.get("metadata")
    return ApiFailure(
        answer.status,
        message[:4000] if isinstance(message, str) and message else f"the server answered with status {answer.status}",
        reason if isinstance(reason, str) else "",
        details if isinstance(details, dict) else None,
        metadata=metadata if isinstance(metadata, dict) else None,
    )
