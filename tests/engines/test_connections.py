"""Hosts as people write them, and which of them are this machine."""

from __future__ import annotations

import socket
import threading
import time

import httpx
import pytest

from kubectl_berth.engines.connections import Connections, is_loopback
from kubectl_berth.engines.ollama_host import address
from kubectl_berth.errors import UsageError


@pytest.mark.parametrize(
    ("written", "url"),
    [
        (None, "http://127.0.0.1:11434"),
        ("  ", "http://127.0.0.1:11434"),
        ("gpu", "http://gpu:11434"),
        ("gpu:1234", "http://gpu:1234"),
        (":1234", "http://127.0.0.1:1234"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:1234", "http://127.0.0.1:1234"),
        ("http://gpu", "http://gpu:80"),
        ("https://gpu/", "https://gpu:443"),
        ("https://gpu:8443/ollama/", "https://gpu:8443/ollama"),
        ("[::1]:1234", "http://[::1]:1234"),
        ("[::]", "http://[::1]:11434"),
    ],
)
def test_a_host_is_read_as_ollama_reads_it(written, url):
    assert address(written) == url


@pytest.mark.parametrize("written", ["ftp://gpu", "gpu:port", "gpu:99999", "http://", "https://:80"])
def test_what_is_no_host_is_a_usage_error(written):
    with pytest.raises(UsageError, match="OLLAMA_HOST"):
        address(written)


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:11434", True),
        ("http://127.8.8.8", True),
        ("http://localhost:1", True),
        ("http://LOCALHOST.", True),
        ("http://ollama.localhost", True),
        ("http://[::1]:1", True),
        ("http://0.0.0.0:1", True),
        ("http://10.0.0.1", False),
        ("http://localhost.example.com", False),
        ("http://127.0.0.1.example.com", False),
        ("https://api.anthropic.com", False),
        ("http://", False),
    ],
)
def test_which_hosts_are_this_machine(url, here):
    assert is_loopback(url) is here


def test_cutting_wakes_a_read_that_would_wait_for_ever():
    connections = Connections(lambda: 60.0, 60.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        client = httpx.Client(trust_env=False, event_hooks={"request": [connections.prepare]})
        threading.Timer(0.2, connections.cut).start()
        started = time.monotonic()
        with pytest.raises(httpx.HTTPError):
            client.get(f"http://127.0.0.1:{port}/")
        assert time.monotonic() - started < 4
        with pytest.raises(httpx.HTTPError):
            client.get(f"http://127.0.0.1:{port}/again")
        client.close()
