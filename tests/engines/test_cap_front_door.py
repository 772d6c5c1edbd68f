"""What the models are sent at the cap, and how a run with them is stopped, through the front door."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.engines.last_call import ANSWER_NOW
from tests.fakes import anthropic, ollama
from tests.fakes.loopback import Drip, Hang, Loopback, Status
from tests.process import berth, snapshot, start, surroundings

ANSWER = "web-0 in shop crashes with exit code 3."
CALL = ("list_pods", {"namespace": "shop"})
CAPS = (1, 2, 3)
ENGINES = ("claude", "ollama")
LINE = json.dumps(
    {"model": "m", "created_at": ollama.CREATED, "message": {"role": "assistant", "content": ""}}
).encode()


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "moment"))


def served(engine: str, script: Any) -> Loopback:
    return anthropic.FakeAnthropic(script) if engine == "claude" else ollama.FakeOllama(script)


def fakes(engine: str) -> Any:
    return anthropic if engine == "claude" else ollama


def pointed_at(fake: Loopback, home: Path) -> dict[str, str]:
    return surroundings(
        home,
        ANTHROPIC_API_KEY="any" + "thing",
        ANTHROPIC_BASE_URL=fake.url,
        OLLAMA_HOST=fake.url,
        OLLAMA_MODEL=ollama.MODEL,
    )


def words_in(body: dict[str, Any]) -> int:
    return json.dumps(body).count(json.dumps(ANSWER_NOW)[1:-1])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("obeys", [True, False])
def test_what_is_sent_up_to_the_cap(engine: str, cap: int, obeys: bool, tmp_path: Path, moment: str) -> None:
    script = fakes(engine).obeying(ANSWER, *[CALL] * 5) if obeys else fakes(engine).stubborn(*CALL)
    arguments = ("ask", "why?", "--snapshot", moment, "--engine", engine, "--max-iter", str(cap), "-o", "json")
    with served(engine, script) as fake:
        ended = berth(*arguments, env=pointed_at(fake, tmp_path))
    found = json.loads(ended.out)
    outcome, status = ("answered", 0) if obeys else ("still-calling-tools", 4)
    assert (found["outcome"], ended.status, found["forced"]) == (outcome, status, True)
    assert (found["usage"]["model_calls"], len(found["trace"])) == (cap, cap - 1)

    bodies = [request.body for request in fake.requests]
    assert [words_in(body) for body in bodies] == [0] * (cap - 1) + [1]
    if engine == "claude":
        assert [body.get("tool_choice") for body in bodies] == [None] * (cap - 1) + [{"type": "none"}]
        assert all(body["tools"] == bodies[0]["tools"] and body["tools"] for body in bodies)
    else:
        assert [bool(body.get("tools")) for body in bodies] == [True] * (cap - 1) + [False]
        assert bodies[-1]["messages"][-1]["role"] == "user"
        assert {body["options"]["num_ctx"] for body in bodies} == {16384}


ENDLESS: list[tuple[str, Any]] = [
    ("claude", Drip(anthropic.reply(ANSWER), 2, anthropic.PING)),
    ("claude", Hang(anthropic.reply(ANSWER), silent=True)),
    ("claude", anthropic.api_error(529, "overloaded_error", "Overloaded", {"retry-after": "2"})),
    ("ollama", Drip(ollama.reply(ANSWER), 1, LINE + b"\n")),
    ("ollama", Hang(ollama.reply(ANSWER), silent=True)),
]


@pytest.mark.parametrize(("engine", "endless"), ENDLESS)
def test_ctrl_c_ends_a_run_within_a_second_and_keeps_what_was_found(
    engine: str, endless: Any, tmp_path: Path, moment: str
) -> None:
    first = fakes(engine).reply("Hm.", anthropic.tool_use(*CALL)) if engine == "claude" else ollama.reply(calls=[CALL])
    steps = iter([first])
    with served(engine, lambda body: next(steps, endless)) as fake:
        process = start(
            *("ask", "why?", "--snapshot", moment, "--engine", engine, "-o", "json"), env=pointed_at(fake, tmp_path)
        )
        deadline = time.monotonic() + 30
        while len(fake.requests) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        interrupted = time.monotonic()
        out, _ = process.communicate(timeout=30)
    assert time.monotonic() - interrupted < 10
    found = json.loads(out)
    assert (process.returncode, found["outcome"]) == (130, "interrupted")
    assert [entry["tool"] for entry in found["trace"]] == ["list_pods"]
    assert found["usage"]["model_calls"] == 2
    assert found["usage"]["input_tokens"] > 0


@pytest.mark.parametrize(("engine", "endless"), [ENDLESS[0], ENDLESS[3]])
def test_the_deadline_ends_a_run_whose_server_only_pings(
    engine: str, endless: Any, tmp_path: Path, moment: str
) -> None:
    arguments = ("ask", "why?", "--snapshot", moment, "--engine", engine, "--timeout", "15", "-o", "json")
    with served(engine, [endless]) as fake:
        began = time.monotonic()
        ended = berth(*arguments, env=pointed_at(fake, tmp_path))
        assert time.monotonic() - began < 40
        assert fake.hung_up.wait(10)
    assert (ended.status, json.loads(ended.out)["outcome"]) == (7, "timed-out")


def test_a_retry_of_ollama_is_counted_and_withdraws_what_was_streamed(tmp_path: Path, moment: str) -> None:
    broken = ollama.reply("web-0 is fine", error="XML syntax error on line 6: unexpected EOF")
    arguments = ("ask", "why?", "--snapshot", moment, "--engine", "ollama")
    with served("ollama", [broken, ollama.reply(ANSWER)]) as fake:
        env = pointed_at(fake, tmp_path)
        ended = berth(*arguments, env=env)
    assert (ended.status, ended.out.strip()) == (0, ANSWER)
    assert "1 retr" in ended.err


@pytest.mark.parametrize("failure", [Status(404, {"error": f"model '{ollama.MODEL}' not found"})])
def test_a_model_that_is_gone_is_told_with_the_pull_command(failure: Status, tmp_path: Path, moment: str) -> None:
    with served("ollama", [failure]) as fake:
        ended = berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", env=pointed_at(fake, tmp_path))
    assert ended.status == 4
    assert f"ollama pull {ollama.MODEL}" in ended.err
