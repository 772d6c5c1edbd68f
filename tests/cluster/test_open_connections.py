"""Connections that come about while everything is being ended."""

from __future__ import annotations

import socket
import time

import pytest
import urllib3

from kubectl_berth.cluster.open_connections import OpenConnections


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_connection_made_after_the_end_is_not_waited_for(scheme: str) -> None:
    pools = urllib3.PoolManager(retries=False)
    connections = OpenConnections()
    connections.watch(pools)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        connections.end()
        begun = time.monotonic()
        with pytest.raises(urllib3.exceptions.HTTPError):
            pools.request("GET", f"{scheme}://127.0.0.1:{mute.getsockname()[1]}/", timeout=20)
    assert time.monotonic() - begun < 10
