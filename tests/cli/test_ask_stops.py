"""Ctrl-C, SIGTERM and the deadline, against servers that would never stop by themselves."""

from __future__ import annotations

import ctypes
import json
import select
import signal
import socket
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import anthropic, ollama
from tests.fakes.loopback import Hang, Loopback, Request
from tests.process import berth, snapshot, start, surroundings

MUTE = (
    "apiVersion: v1\nkind: Config\ncurrent-context: mute\n"
    "contexts: [{{name: mute, context: {{cluster: mute, user: me}}}}]\n"
    "clusters: [{{name: mute, cluster: {{server: 'http://127.0.0.1:{port}'}}}}]\n"
    "users: [{{name: me, user: {{}}}}]\n"
)

CALL = ("list_pods", {"namespace": "shop"})


class PingingAnthropic(anthropic.FakeAnthropic):
    """Sends pings for ever where the script says "ping": a read timeout never ends that."""

    def chunks(self, reply: Any, request: Request) -> Iterator[bytes]:
        if reply != "ping":
            yield from super().chunks(reply, request)
            return
        yield next(super().chunks(anthropic.reply("x"), request))
        while True:
            time.sleep(0.05)
            yield b'event: ping\ndata: {"type": "ping"}\n\n'


class ThinkingOllama(ollama.FakeOllama):
    """Thinks for ever where the script says "ping"."""

    def chunks(self, reply: Any, request: Request) -> Iterator[bytes]:
        if reply != "ping":
            yield from super().chunks(reply, request)
            return
        while True:
            time.sleep(0.05)
            yield self._line(request, thinking="hm ")


def pinging(engine: str, env: dict[str, str]) -> Loopback:
    """A server that asks for one tool and then never comes to an end."""
    fake: Loopback
    if engine == "claude":
        fake = PingingAnthropic([anthropic.reply(anthropic.tool_use(*CALL)), "ping"])
        env |= {"ANTHROPIC_API_KEY": "k" + "ey", "ANTHROPIC_BASE_URL": fake.url}
    else:
        fake = ThinkingOllama([ollama.reply("Let me look.", calls=[CALL]), "ping"])
        env |= {"OLLAMA_HOST": fake.url, "OLLAMA_MODEL": ollama.MODEL}
    return fake


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path)


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "moment"))


def wait_for(condition: Any, seconds: float = 20) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(0.01)


@pytest.mark.parametrize("engine", ["claude", "ollama"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_within_a_second(
    engine: str, number: signal.Signals, env: dict[str, str], moment: str
) -> None:
    with pinging(engine, env) as fake:
        running = start("ask", "why?", "--snapshot", moment, "--engine", engine, "-o", "json", env=env)
        wait_for(lambda: len(fake.requests) == 2)
        time.sleep(0.2)
        sent = time.monotonic()
        running.send_signal(number)
        out, err = running.communicate(timeout=30)
        took = time.monotonic() - sent
        wait_for(fake.hung_up.is_set)
    found = json.loads(out)
    assert (running.returncode, found["outcome"], took < 10) == (130, "interrupted", True), took
    # what was done and spent until then is kept
    assert [entry["tool"] for entry in found["trace"]] == ["list_pods"]
    assert found["usage"]["model_calls"] == 2
    assert found["usage"]["output_tokens"] > 0
    lines = err.decode().splitlines()
    assert any("list_pods" in line for line in lines)
    assert sum(line.startswith("error: ") for line in lines) == 1
    assert b"Traceback" not in err


@pytest.mark.parametrize(("engine", "seconds"), [("claude", 12), ("ollama", 5)])
def test_the_deadline_ends_the_run(engine: str, seconds: int, env: dict[str, str], moment: str) -> None:
    with pinging(engine, env):
        begun = time.monotonic()
        ended = berth(
            "ask", "why?", "--snapshot", moment, "--engine", engine, "-o", "json", "--timeout", str(seconds), env=env
        )
        took = time.monotonic() - begun
    found = json.loads(ended.out)
    assert (ended.status, found["outcome"]) == (7, "timed-out")
    assert seconds <= found["seconds"] < seconds + 4
    assert took < seconds + 15
    assert "--timeout" in found["error"]
    assert len(found["trace"]) == 1


def test_the_deadline_holds_while_nothing_at_all_comes(env: dict[str, str], moment: str) -> None:
    with ollama.FakeOllama([Hang(ollama.reply("x"), silent=True)]) as fake:
        env |= {"OLLAMA_HOST": fake.url, "OLLAMA_MODEL": ollama.MODEL}
        ended = berth("ask", "why?", "--snapshot", moment, "-o", "json", "--timeout", "1.5", env=env)
    found = json.loads(ended.out)
    assert (ended.status, found["outcome"]) == (7, "timed-out")
    assert found["seconds"] < 6


def test_the_deadline_holds_while_the_cluster_is_silent(env: dict[str, str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        config = tmp_path / "kubeconfig"
        config.write_text(MUTE.format(port=mute.getsockname()[1]))
        arguments = ["ask", "why?", "--kubeconfig", str(config), "--engine", "rules", "-o", "json", "--timeout", "1"]
        begun = time.monotonic()
        ended = berth(*arguments, env=env)
        assert time.monotonic() - begun < 15
    found = json.loads(ended.out)
    assert (ended.status, found["outcome"], found["trace"]) == (7, "timed-out", [])


def test_a_second_ctrl_c_does_not_hang(env: dict[str, str], moment: str) -> None:
    with pinging("ollama", env) as fake:
        running = start("ask", "why?", "--snapshot", moment, env=env)
        wait_for(lambda: len(fake.requests) == 2)
        running.send_signal(signal.SIGINT)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert out == b""
    assert b"Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("output", ["json", "jsonl"])
def test_a_signal_while_the_engine_is_still_looked_for(
    number: signal.Signals, output: str, env: dict[str, str], moment: str
) -> None:
    secret = "hunter2" + "hunter2"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        env["OLLAMA_HOST"] = f"http://127.0.0.1:{silent.getsockname()[1]}"
        asking = ("ask", f"why? password={secret}", "--snapshot", moment, "--engine", "ollama", "-o", output)
        running = start(*asking, env=env)
        silent.settimeout(30)
        connection, _ = silent.accept()
        with connection:
            running.send_signal(number)
            out, err = running.communicate(timeout=30)
    lines = [out] if output == "json" else out.splitlines()
    found = [json.loads(line) for line in lines]
    assert (running.returncode, found[-1]["outcome"], found[-1]["engine"]) == (130, "interrupted", "ollama")
    assert output == "json" or [line["type"] for line in found] == ["run", "result"]
    assert secret.encode() not in out + err and b"Traceback" not in err


def test_a_signal_ends_the_run_also_while_another_run_keeps_the_ledger(
    env: dict[str, str], moment: str, tmp_path: Path
) -> None:
    env["AI_DATA_DIR"] = str(tmp_path / "data")
    with pinging("claude", env) as fake:
        running = start("ask", "why?", "--snapshot", moment, "--engine", "claude", "-o", "json", env=env)
        wait_for(lambda: len(fake.requests) == 2)
        (ledger,) = (tmp_path / "data").glob("*.sqlite3")
        with closing(sqlite3.connect(ledger, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            sent = time.monotonic()
            running.send_signal(signal.SIGINT)
            out, _ = running.communicate(timeout=30)
            took = time.monotonic() - sent
    assert (running.returncode, json.loads(out)["outcome"]) == (130, "interrupted")
    # with the patience of a run that ended by itself it would be more than five
    assert took < 4.5, took


@pytest.mark.skipif(sys.platform != "linux", reason="a signal is given to one thread with a call of Linux")
@pytest.mark.parametrize("command", [["ask", "why?", "--engine", "ollama"], ["tool", "list_pods"], ["doctor"]])
def test_a_signal_that_comes_just_before_the_wait_is_heard(
    command: list[str], env: dict[str, str], tmp_path: Path
) -> None:
    """Given to a thread that is not the main one, a signal is noted and breaks no wait off, as in that instant."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        config = tmp_path / "kubeconfig"
        config.write_text(MUTE.format(port=mute.getsockname()[1]))
        env |= {"OLLAMA_HOST": f"127.0.0.1:{mute.getsockname()[1]}", "OLLAMA_MODEL": ollama.MODEL}
        running = start(*command, "--kubeconfig", str(config), env=env)
        # what nobody accepts is connected all the same
        select.select([mute], [], [], 20)
        time.sleep(0.5)
        threads = [int(path.name) for path in Path(f"/proc/{running.pid}/task").iterdir()]
        other = next(thread for thread in threads if thread != running.pid)
        sent = time.monotonic()
        assert ctypes.CDLL(None).tgkill(running.pid, other, signal.SIGINT) == 0
        running.communicate(timeout=60)
    assert running.returncode == 130
    assert time.monotonic() - sent < 4
