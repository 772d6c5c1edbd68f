"""Which engine answers, through the front door: what is asked for, and what auto finds."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.anthropic import FakeAnthropic
from tests.fakes.anthropic import obeying as claude_obeying
from tests.fakes.ollama import FakeOllama, obeying
from tests.process import berth, snapshot, surroundings

TOOLS = ("completion", "tools")
NONE = ("completion",)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path)


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "moment"))


def chosen(env: dict[str, str], moment: str, *flags: str) -> tuple[str, str | None, str]:
    """Engine and model of a run, and what stderr said."""
    ended = berth("ask", "what is wrong with web-0?", "--snapshot", moment, "-o", "json", *flags, env=env)
    found: dict[str, Any] = json.loads(ended.out)
    assert ended.status == 0, ended.err
    return found["engine"], found["model"], ended.err


def test_rules_where_there_is_nothing_else(env: dict[str, str], moment: str) -> None:
    engine, model, err = chosen(env, moment)
    assert (engine, model) == ("rules", None)
    assert "auto chose the rules engine: no ANTHROPIC_API_KEY, and no Ollama answers at 127.0.0.1:9" in err
    assert "nothing leaves this machine" in err and "no model was used" in err


def test_the_first_model_on_ollama_that_can_call_tools(env: dict[str, str], moment: str) -> None:
    models = {"embed:1b": ("embedding",), "plain:7b": NONE, "good:8b": TOOLS, "later:8b": TOOLS}
    with FakeOllama(obeying("web-0 crashes."), models) as fake:
        env["OLLAMA_HOST"] = fake.url
        assert chosen(env, moment)[:2] == ("ollama", "good:8b")
        assert chosen(env, moment, "--model", "later:8b")[:2] == ("ollama", "later:8b")
        assert chosen(env, moment, "--engine", "ollama")[:2] == ("ollama", "good:8b")
        env["OLLAMA_MODEL"] = "later:8b"
        assert chosen(env, moment)[:2] == ("ollama", "later:8b")
        env["OLLAMA_MODEL"] = "plain:7b"
        engine, _, err = chosen(env, moment)
        assert engine == "rules" and "plain:7b" in err and "cannot call tools" in err
        env["OLLAMA_MODEL"] = "absent:7b"
        engine, _, err = chosen(env, moment)
        assert engine == "rules" and "no model absent:7b" in err


def test_a_key_is_a_choice_and_the_provider_a_stronger_one(env: dict[str, str], moment: str) -> None:
    with FakeAnthropic(claude_obeying("web-0 crashes.")) as claude, FakeOllama(obeying("web-0 crashes.")) as ollama:
        env |= {"ANTHROPIC_API_KEY": "k" + "ey", "ANTHROPIC_BASE_URL": claude.url, "OLLAMA_HOST": ollama.url}
        engine, model, err = chosen(env, moment)
        assert (engine, model) == ("claude", "claude-sonnet-5-5")
        assert "auto chose claude: ANTHROPIC_API_KEY is set" in err
        assert ollama.others == []
        env["ANTHROPIC_MODEL"] = "claude-opus-5"
        assert chosen(env, moment)[:2] == ("claude", "claude-opus-5")
        assert chosen(env, moment, "--engine", "rules")[0] == "rules"
        env["AI_PROVIDER"] = "ollama"
        assert chosen(env, moment)[0] == "ollama"


def test_a_mute_or_odd_server_is_not_waited_for(env: dict[str, str], moment: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        env["OLLAMA_HOST"] = f"127.0.0.1:{mute.getsockname()[1]}"
        begun = time.monotonic()
        assert chosen(env, moment)[0] == "rules"
        assert time.monotonic() - begun < 5
    with socket.create_server(("127.0.0.1", 0)) as slow:

        def trickle() -> None:
            connection, _ = slow.accept()
            with connection, contextlib.suppress(OSError):
                for _ in range(100):
                    connection.sendall(b"H")
                    time.sleep(0.1)

        threading.Thread(target=trickle, daemon=True).start()
        env["OLLAMA_HOST"] = f"127.0.0.1:{slow.getsockname()[1]}"
        begun = time.monotonic()
        assert chosen(env, moment)[0] == "rules"
        assert time.monotonic() - begun < 5
    with socket.create_server(("127.0.0.1", 0)) as odd:

        def answer() -> None:
            connection, _ = odd.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html></html>")

        threading.Thread(target=answer, daemon=True).start()
        env["OLLAMA_HOST"] = f"127.0.0.1:{odd.getsockname()[1]}"
        assert chosen(env, moment)[0] == "rules"


def test_the_cap_and_the_rules_engine(env: dict[str, str], moment: str) -> None:
    _, _, err = chosen(env, moment, "--engine", "rules", "--max-iter", "1")
    assert "--max-iter has no effect" in err


def test_what_leaves_a_machine_over_a_gateway_on_it(env: dict[str, str], moment: str) -> None:
    # a gateway on loopback hands the data on: it does not count as this machine
    with FakeAnthropic(claude_obeying("web-0 crashes.")) as claude:
        env |= {"ANTHROPIC_API_KEY": "k" + "ey", "ANTHROPIC_BASE_URL": claude.url}
        assert f"goes to Anthropic, claude-sonnet-5-5, at 127.0.0.1:{claude.port}" in chosen(env, moment)[2]


@pytest.mark.parametrize("words", [(), ("--engine", "ollama"), ("--engine", "ollama", "--model", "mine:latest")])
def test_a_copy_of_a_model_that_runs_elsewhere_runs_there_too(
    words: tuple[str, ...], env: dict[str, str], moment: str
) -> None:
    question = ("get_logs", {"name": "web-0", "namespace": "shop"})
    remote = {"mine:latest": "https://ollama.com:443"}
    with FakeOllama(obeying("web-0 crashes.", question), {"mine:latest": TOOLS}, remote=remote) as fake:
        env["OLLAMA_HOST"] = fake.url
        ended = berth("ask", "why?", "--snapshot", moment, *words, "-o", "json", env=env)
        doctor = berth("doctor", "-o", "json", env=env)
        logs = ("tool", "get_logs", "name=web-0", "namespace=shop", "--snapshot", moment, "--engine", "ollama")
        tool = berth(*logs, env=env)
    assert "at ollama.com:443" in ended.err
    assert json.loads(ended.out)["trace"][0]["fate"] == "withheld"
    assert "ollama.com:443" in doctor.out
    assert "are withheld" in tool.out


def test_a_server_that_does_not_say_where_a_model_runs_counts_as_elsewhere(env: dict[str, str], moment: str) -> None:
    question = ("get_logs", {"name": "web-0", "namespace": "shop"})
    with FakeOllama(obeying("web-0 crashes.", question), {"mine:latest": TOOLS}, slow=30) as fake:
        env["OLLAMA_HOST"] = fake.url
        words = ("--engine", "ollama", "--model", "mine:latest", "-o", "json")
        ended = berth("ask", "why?", "--snapshot", moment, *words, env=env)
    assert f"at {fake.url.removeprefix('http://')}" in ended.err
    assert json.loads(ended.out)["trace"][0]["fate"] == "withheld"


def test_a_server_that_takes_its_time_to_say_where_a_model_runs_is_waited_for(env: dict[str, str], moment: str) -> None:
    question = ("get_logs", {"name": "web-0", "namespace": "shop"})
    remote = {"mine:latest": "https://ollama.com:443"}
    with FakeOllama(obeying("web-0 crashes.", question), {"mine:latest": TOOLS}, remote=remote, slow=1.5) as fake:
        env["OLLAMA_HOST"] = fake.url
        words = ("--engine", "ollama", "--model", "mine:latest", "-o", "json")
        ended = berth("ask", "why?", "--snapshot", moment, *words, env=env)
    assert "at ollama.com:443" in ended.err
    assert json.loads(ended.out)["trace"][0]["fate"] == "withheld"


@pytest.mark.parametrize("variable", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_BEARER_TOKEN_BEDROCK"])
@pytest.mark.parametrize("odd", ["half-of-it\nthe-other-half", "with a blank", "schüssel"])
def test_a_key_that_no_request_can_carry_is_said_before_one_is_made(
    variable: str, odd: str, env: dict[str, str], moment: str
) -> None:
    with FakeAnthropic(claude_obeying("web-0 crashes.")) as claude:
        places = {"ANTHROPIC_BASE_URL": claude.url, "ANTHROPIC_BEDROCK_BASE_URL": claude.url, "AWS_REGION": "us-east-1"}
        env |= {variable: odd, **places}
        engine = "bedrock" if variable.startswith("AWS") else "claude"
        ended = berth("ask", "why?", "--snapshot", moment, "--engine", engine, env=env)
        assert claude.requests == []
    assert ended.status == 4
    assert f"error: {variable} holds what no key does" in ended.err
    assert "asking again" not in ended.err and "half" not in ended.err


def test_a_model_that_runs_at_ollama_com_is_not_on_this_machine(env: dict[str, str], moment: str) -> None:
    question = ("get_logs", {"name": "web-0", "namespace": "shop"})
    with FakeOllama(obeying("web-0 crashes.", question), {"big:120b-cloud": TOOLS}) as fake:
        env["OLLAMA_HOST"] = fake.url
        ended = berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", "-o", "json", env=env)
    found = json.loads(ended.out)
    assert "what is read from the cluster goes to Ollama, big:120b-cloud, at ollama.com" in ended.err
    assert found["trace"][0]["fate"] == "withheld"
