"""What goes wrong between us and an Ollama server, as one sentence each."""

from __future__ import annotations

import json
from typing import Any

from kubectl_berth.errors import EngineError, EngineUnreachable, NoAnswer
from kubectl_berth.safety.sanitise import one_line


def no_connection(url: str, cause: BaseException) -> NoAnswer:
    """There is no way to ask: an unusable proxy, a certificate that is not trusted."""
    return EngineUnreachable(f"cannot reach Ollama at {url} ({one_line(str(cause))}): check the proxy and the network")


def unreachable(url: str, cause: BaseException) -> NoAnswer:
    """Nothing answers there."""
    if "SSL" in str(cause):
        return EngineUnreachable(
            f"no trusted TLS connection to Ollama at {url} ({one_line(str(cause))}): set SSL_CERT_FILE to a file "
            "with its certificate, or use http"
        )
    return EngineUnreachable(
        f"Ollama does not answer at {url} ({one_line(str(cause)) or type(cause).__name__}): start it with "
        "`ollama serve`, or set OLLAMA_HOST to where it runs"
    )


def silent(url: str, seconds: float) -> NoAnswer:
    """It accepted the request and then said nothing."""
    return EngineError(
        f"Ollama at {url} sent nothing for {seconds:.0f} s and was given up: see its log, or use a smaller model"
    )


def broken_off(url: str, cause: BaseException | None = None) -> NoAnswer:
    """The stream stopped before its last line."""
    detail = f" ({one_line(str(cause))})" if cause is not None and str(cause) else ""
    return EngineError(f"the reply from Ollama at {url} broke off before its end{detail}: ask again, or see its log")


def not_ollama(url: str) -> NoAnswer:
    """A 200 that is no line of the protocol."""
    return EngineError(f"{url} does not answer like Ollama: check OLLAMA_HOST and what stands in between")


def odd_call(model: str) -> NoAnswer:
    """A tool call in a line of the protocol that is none."""
    return EngineError(
        f"{model} asked for a tool in a form that Ollama does not have (its arguments are no object): ask again, or "
        "choose another --model"
    )


def missing(model: str, url: str) -> NoAnswer:
    """The server has no such model."""
    return EngineError(f"Ollama at {url} has no model {model}: get it with `ollama pull {model}`, or choose another")


def toolless(model: str) -> NoAnswer:
    """The model cannot call tools."""
    return EngineError(f"{model} cannot call tools: choose a model that can, such as qwen3.5, with --model")


def outgrown(model: str, said: str) -> NoAnswer:
    """The conversation does not fit into the model's context."""
    return EngineError(
        f"the conversation outgrew the context of {model} ({said}): raise OLLAMA_NUM_CTX, or ask a narrower question"
    )


def status_error(model: str, url: str, status: int, told: Any) -> NoAnswer:
    """The server answered with this HTTP status (-1: as a line inside a 200 stream) and error text."""
    said = one_line(_innermost(told)) or f"HTTP {status}"
    if status == 404 and "not found" in said and "page" not in said:
        return missing(model, url)
    if "does not support tools" in said:
        return toolless(model)
    if status == 404:
        return not_ollama(url)
    if status in (401, 403):
        return EngineUnreachable(f"Ollama at {url} refused access ({status}: {said}): check OLLAMA_API_KEY")
    if status == 429:
        return EngineError(f"Ollama at {url} limits usage (429: {said}): wait and ask again")
    if status == 503:
        return EngineError(f"Ollama at {url} is busy (503: {said}): ask again when its other requests are done")
    # the second is what some templates say when the question itself was dropped
    if ("context" in said and ("exceed" in said or "longer than" in said)) or "no user query found" in said:
        return outgrown(model, said)
    if status >= 500 or status < 0:
        where = "in the middle of its reply" if status < 0 else f"with {status}"
        return EngineError(f"Ollama at {url} failed {where}, twice: {said}; ask again, or use another model")
    return EngineError(f"Ollama at {url} rejected the request ({status}: {said})")


def _innermost(told: Any) -> str:
    """The message of an error that may itself be JSON, or an object that holds one."""
    if isinstance(told, str) and told.lstrip().startswith("{"):
        try:
            told = json.loads(told)
        except ValueError:
            return str(told)
    while isinstance(told, dict):
        told = told.get("error") or told.get("message") or ""
    return str(told)
