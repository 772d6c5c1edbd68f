"""Which models an Ollama server has, asked without its package: quick enough for every start."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, TypeVar
from urllib.parse import urlsplit

Answer = TypeVar("Answer")

MOST_BYTES = 4 * 1024 * 1024
MOST_ASKED = 20
"""Models asked for one by one where the list does not say what they can do."""


@dataclass(frozen=True)
class Models:
    """What a server said. `names` are all models, `with_tools` those that can call tools, both in its own order."""

    names: tuple[str, ...] = ()
    with_tools: tuple[str, ...] = ()


def models(url: str, seconds: float) -> Models | None:
    """The models of the server at `url`; None where it gave no list within that time."""
    return _within(seconds, url, _models)


def loaded_context(url: str, model: str, seconds: float) -> int | None:
    """The tokens of context with which a model is loaded, 0 where it is not; None where the server did not say."""

    def look(connection: HTTPConnection, path: str) -> int | None:
        answer = _get(connection, "GET", f"{path}/api/ps")
        if "models" not in answer:
            return None
        for entry in _entries(answer):
            if bears(str(entry.get("model") or entry.get("name") or ""), model):
                length = entry.get("context_length")
                return length if isinstance(length, int) else None
        return 0

    return _within(seconds, url, look)


def _within(seconds: float, url: str, ask: Callable[[HTTPConnection, str], Answer]) -> Answer | None:
    """What `ask` gets out of the server, given a connection and the path before its own; None after that time."""
    found: list[Answer] = []

    def work() -> None:
        parts = urlsplit(url)
        connection_type = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        try:
            connection = connection_type(parts.hostname or "", parts.port, timeout=seconds)
            try:
                found.append(ask(connection, parts.path))
            finally:
                connection.close()
        except (OSError, HTTPException, ValueError):
            return

    # a server that trickles bytes outlasts a socket's timeout, but not this thread's
    thread = threading.Thread(target=work, name="ollama-models", daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else None


def _models(connection: HTTPConnection, path: str) -> Models:
    names: list[str] = []
    able: list[str] = []
    for entry in _entries(_get(connection, "GET", f"{path}/api/tags")):
        name = str(entry.get("model") or entry.get("name") or "")
        names.append(name)
        capabilities = entry.get("capabilities")
        if capabilities is None and len(names) <= MOST_ASKED:
            capabilities = _get(connection, "POST", f"{path}/api/show", {"model": name}).get("capabilities")
        if "tools" in (capabilities or ()):
            able.append(name)
    return Models(tuple(names), tuple(able))


def _entries(answer: dict[str, Any]) -> list[dict[str, Any]]:
    listed = answer.get("models")
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _get(connection: HTTPConnection, method: str, path: str, body: dict[str, str] | None = None) -> dict[str, Any]:
    content = json.dumps(body) if body else None
    connection.request(method, path, content, {"Content-Type": "application/json"} if body else {})
    answer = connection.getresponse()
    raw = answer.read(MOST_BYTES)
    if answer.status != 200:
        return {}
    decoded = json.loads(raw)
    return decoded if isinstance(decoded, dict) else {}


def bears(name: str, asked: str) -> bool:
    """True where a listed model is the one asked for; a name without a tag means :latest."""
    return name in (asked, f"{asked}:latest")
