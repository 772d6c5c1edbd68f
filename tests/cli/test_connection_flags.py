"""kubectl's connection flags on every command that reads a cluster, run as processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.kube_recorder import make_tls, recording
from tests.process import berth, snapshot, surroundings

COMMANDS = {
    "ask": ["ask", "is anything broken", "--engine", "rules"],
    "check": ["check"],
    "tool": ["tool", "list_pods"],
    "memory": ["memory", "add", "--title", "t", "--root-cause", "c", "--fix", "f"],
    "doctor": ["doctor"],
    "rbac": ["rbac", "--custom"],
    "snapshot": ["snapshot", "create", "moment"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_connects_as_told(command: str, tmp_path: Path) -> None:
    tls = make_tls(tmp_path, names=("api.example.test",))
    with recording(tls, client_certificates=True) as server:
        flags = ["-s", server.url, "--token", "typed", "--certificate-authority", str(tls.ca)]
        flags += ["--tls-server-name", "api.example.test", "--cache-dir", str(tmp_path / "cache")]
        flags += ["--client-certificate", str(tls.client_certificate), "--client-key", str(tls.client_key)]
        flags += ["--as", "bob", "--as-group", "g1", "--as-group", "g2", "--as-uid", "7", "--request-timeout", "5s"]
        words = COMMANDS[command]
        ended = berth(*[str(tmp_path / w) if w == "moment" else w for w in words], *flags, env=surroundings(tmp_path))
    assert server.requests, ended
    for request in server.requests:
        assert request.identity() == {
            "authorization": ["Bearer typed"],
            "client": ["jane"],
            "impersonate-group": ["g1", "g2"],
            "impersonate-uid": ["7"],
            "impersonate-user": ["bob"],
        }
        assert request.server_name == "api.example.test"
    assert not (tmp_path / "cache").exists()
    assert "typed" not in ended.out + ended.err


@pytest.mark.parametrize("flag", ["--server=https://x", "--as=bob", "--token=t", "--cluster=c"])
def test_a_snapshot_needs_none(flag: str, tmp_path: Path) -> None:
    moment = snapshot(tmp_path / "moment")
    ended = berth("check", "--snapshot", str(moment), flag, env=surroundings(tmp_path))
    assert (ended.status, ended.out) == (2, "")
    assert "--snapshot needs no connection" in ended.err


def test_help_shows_them_last(tmp_path: Path) -> None:
    shown = berth("ask", "--help", env=surroundings(tmp_path)).out
    assert shown.index("--namespace") < shown.index("--engine") < shown.index("--as-group")
    assert "--cache-dir" not in shown
