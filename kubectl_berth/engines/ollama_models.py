"""Which models an Ollama server has, asked without its package: quick enough for every start."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, TypeVar
from urllib.parse import urlsplit

from kubectl_berth.engines.connections import host_of

Answer = TypeVar("Answer")

MOST_BYTES = 4 * 1024 * 1024
MOST_ASKED = 20
"""Models asked for one by one where the list does not say what they can do."""


@dataclass(frozen=True)
class Models:
    """What a server said. `names` are all models, `with_tools` those that can call tools, both in its own order.

    `remote` has the host of each that runs elsewhere; a copy of such a model under another name does, too.
    """

    names: tuple[str, ...] = ()
    with_tools: tuple[str, ...] = ()
    remote: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Fit:
    """The model that a run would take, "" for none, and in words why (not); `models` is what the server has."""

    model: str
    words: str
    models: Models | None

    @property
    def remote(self) -> str | None:
        """Where the server says that the model runs, "" for there itself; None where it did not say."""
        return self.models.remote.get(self.model, "") if self.models else None


def models(url: str, seconds: float) -> Models | None:
    """The models of the server at `url`; None where it gave no list within that time."""
    return _within(seconds, url, _models)


def fitting(url: str, named: str, seconds: float) -> Fit:
    """The model called `named`, or the first that can call tools where that is empty, looked for within that time."""
    where = host_of(url)
    found = models(url, seconds)
    if found is None:
        return Fit("", f"no Ollama answers at {where}", None)
    if named and not any(bears(name, named) for name in found.names):
        return Fit("", f"the Ollama at {where} has no model {named}", found)
    able = [name for name in found.with_tools if not named or bears(name, named)]
    if not able:
        return Fit("", f"{named or 'no model'} on the Ollama at {where} can{'not' if named else ''} call tools", found)
    return Fit(able[0], f"{able[0]} at {where} can call tools", found)


def remote_host(url: str, model: str, seconds: float) -> str | None:
    """Where the server says that a model runs, "" for there itself, None where it did not say within that time.

    A port where nothing listens passes nothing on: "", too.
    """

    def look(connection: HTTPConnection, path: str) -> str | None:
        try:
            answer = _get(connection, "GET", f"{path}/api/tags")
        except ConnectionRefusedError:
            return ""
        if "models" not in answer:
            return None
        return next((_remote(entry) for entry in _entries(answer) if bears(_name(entry), model)), "")

    return _within(seconds, url, look)


def loaded_context(url: str, model: str, seconds: float) -> int | None:
    """The tokens of context with which a model is loaded, 0 where it is not; None where the server did not say."""

    def look(connection: HTTPConnection, path: str) -> int | None:
        answer = _get(connection, "GET", f"{path}/api/ps")
        if "models" not in answer:
            return None
        for entry in _entries(answer):
            if bears(_name(entry), model):
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
    remote: dict[str, str] = {}
    for entry in _entries(_get(connection, "GET", f"{path}/api/tags")):
        name = _name(entry)
        names.append(name)
        if host := _remote(entry):
            remote[name] = host
        capabilities = entry.get("capabilities")
        if capabilities is None and len(names) <= MOST_ASKED:
            capabilities = _get(connection, "POST", f"{path}/api/show", {"model": name}).get("capabilities")
        if "tools" in (capabilities or ()):
            able.append(name)
    return Models(tuple(names), tuple(able), remote)


def _name(entry: Mapping[str, Any]) -> str:
    return str(entry.get("model") or entry.get("name") or "")


def _remote(entry: Mapping[str, Any]) -> str:
    """The host that a model in the list is proxied to, "" for none."""
    url = str(entry.get("remote_host") or "")
    return host_of(url) or url or str(entry.get("remote_model") or "")


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
