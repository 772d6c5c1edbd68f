"""What goes wrong between us and a place that serves Claude, as one sentence each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kubectl_berth.errors import EngineError, EngineUnreachable, NoAnswer
from kubectl_berth.safety.sanitise import one_line


@dataclass(frozen=True)
class Place:
    """Where Claude is served, in the words of a sentence.

    `host` is where requests go, `api` what it should speak, `key` what holds the credentials, `address` the settings
    that decide on the host.
    """

    host: str
    api: str = "the Anthropic API"
    key: str = "ANTHROPIC_API_KEY"
    address: str = "ANTHROPIC_BASE_URL"


def no_key(place: Place) -> NoAnswer:
    """There are no credentials to ask with."""
    return EngineUnreachable(
        f"no key for {place.api}: set {place.key}, or ask without a model with --engine rules, or a local one with "
        "--engine ollama"
    )


def odd_key(name: str, key: str | None) -> str:
    """What is wrong with a key as it is written, "" where a request can carry it."""
    if not key or (key.isascii() and key.isprintable() and " " not in key):
        return ""
    return f"{name} holds what no key does (a blank, a line break, a letter beyond ASCII): set it again"


def unreachable(place: Place, cause: BaseException | None) -> NoAnswer:
    """The request never got an answer: refused, DNS, proxy, TLS, or a timeout."""
    host = place.host
    words = one_line(str(cause or "")) or type(cause).__name__
    if "CERTIFICATE_VERIFY_FAILED" in words or "SSL" in words:
        return EngineUnreachable(
            f"no trusted TLS connection to {host} ({words}): where a proxy opens TLS, "
            "set SSL_CERT_FILE to a file with its certificate"
        )
    if "timed out" in words or "Timeout" in type(cause).__name__:
        return EngineUnreachable(f"{host} did not answer in time: try again, or ask with --engine rules")
    return EngineUnreachable(f"cannot reach {host} ({words}): check the network, {place.address} and HTTPS_PROXY")


def no_json(model: str) -> NoAnswer:
    """The arguments of a tool call that end in the middle, or never were JSON."""
    return EngineError(f"{model} wrote a tool call that is no JSON: ask again")


def broken_off(place: Place, cause: BaseException | None = None) -> NoAnswer:
    """The reply stopped before its end."""
    if cause is not None and "Timeout" in type(cause).__name__:
        return EngineError(f"the reply from {place.host} stalled and was given up: ask again")
    detail = f" ({one_line(str(cause))})" if cause is not None and str(cause) else ""
    return EngineError(f"the reply from {place.host} broke off before its end{detail}: ask again")


def not_the_api(place: Place) -> NoAnswer:
    """A 200 that is no stream of the API."""
    return EngineError(f"{place.host} did not answer like {place.api}: check {place.address} and the proxy")


def status_error(place: Place, model: str, status: int, kind: str, message: str) -> NoAnswer:
    """The API answered with this HTTP status, error type and message (200: in the middle of a reply)."""
    host = place.host
    said = one_line(message) or kind or f"HTTP {status}"
    if status == 200:
        return EngineError(f"{host} ended its reply with an error ({kind or 'error'}: {said}): ask again")
    if status == 401:
        return EngineUnreachable(f"{host} refused the credentials (401: {said}): check {place.key}")
    if status == 402:
        return EngineUnreachable(f"{host} asks for payment (402: {said}): check the account's billing")
    if status == 403:
        return EngineUnreachable(f"these credentials may not use {model} at {host} (403: {said}): ask their owner")
    if status == 404:
        return EngineError(f"{host} does not know the model {model} (404: {said}): choose another with --model")
    if status == 413:
        return EngineError(f"the conversation is too large for {host} (413: {said}): ask a narrower question, with -n")
    if status == 429:
        return EngineError(f"{host} limits the rate of requests (429: {said}): wait a minute and ask again")
    if status >= 500:
        return EngineError(f"{host} is failing ({status}: {said}): ask again later, or with --engine rules")
    return EngineError(f"{host} rejected the request ({status}: {said})")


def asks_to_wait(place: Place, status: int, wait: float, remaining: float) -> NoAnswer:
    """A Retry-After that would outlast the run."""
    return EngineError(
        f"{place.host} asks to wait {wait:.0f} s ({status}), longer than the {max(remaining, 0):.0f} s left of this "
        "run: ask again after that"
    )


def words_of(error: Any) -> tuple[str, str]:
    """The API's error type and message of an SDK status error; Bedrock sends only a message."""
    body = error.body if isinstance(error.body, dict) else {}
    told = body.get("error")
    inner = told if isinstance(told, dict) else {}
    message = error.api_message or inner.get("message") or body.get("message") or body.get("Message") or ""
    if not message and isinstance(error.body, str):
        message = error.body
    return str(error.type or inner.get("type") or ""), str(message)
