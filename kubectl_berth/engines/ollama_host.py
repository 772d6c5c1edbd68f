"""Where an Ollama server is, as people write it in OLLAMA_HOST."""

from __future__ import annotations

from urllib.parse import urlsplit

from kubectl_berth.engines.connections import host_of, is_loopback
from kubectl_berth.errors import UsageError

DEFAULT_URL = "http://127.0.0.1:11434"
CLOUD = "ollama.com"


def address(host: str | None) -> str:
    """The base URL of a host as Ollama itself reads it: `host`, `host:port`, `:port`, or a URL with or without path.

    0.0.0.0 and [::] are addresses to listen on; they are asked on loopback. Raises UsageError for anything else.
    """
    written = (host or "").strip()
    if not written:
        return DEFAULT_URL
    scheme, is_url, rest = written.rpartition("://")
    default_port = {"http": 80, "https": 443}.get(scheme) if is_url else 11434
    scheme = scheme or "http"
    if rest.startswith(":") and not is_url:
        rest = "127.0.0.1" + rest
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        port = parts.port or default_port
    except ValueError:
        port = None
    if scheme not in ("http", "https") or port is None or not parts.hostname:
        raise UsageError("OLLAMA_HOST is no host, host:port or http(s) URL: give one like " + DEFAULT_URL)
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(parts.hostname, parts.hostname)
    shown = f"[{name}]" if ":" in name else name
    login = parts.netloc.rpartition("@")[0]
    return f"{scheme}://{login + '@' if login else ''}{shown}:{port}{parts.path.rstrip('/')}"


def without_login(url: str) -> str:
    """The URL as it may be shown."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{host_of(url)}{parts.path}"


def goes_to(url: str, model: str, remote: str | None) -> str:
    """Where what a model is told ends up, "" for this machine.

    A server on loopback passes what is said to a model that runs elsewhere on: to `remote`, which is what it says of
    the model itself ("" for there), or for the tag `cloud` (or `120b-cloud`) to ollama.com. None is a server that did
    not say: nothing vouches then for what it does with it.
    """
    if not is_loopback(url) or remote is None:
        return host_of(url)
    return remote or (CLOUD if model.partition(":")[2].endswith("cloud") else "")
