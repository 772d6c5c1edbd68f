"""How a run may end, through the front door: outcome, exit status and document for each model engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import anthropic, ollama
from tests.fakes.loopback import Loopback, Short, Status
from tests.process import Ended, berth, snapshot, surroundings

ANSWER = "web-0 in shop crashes with exit code 3."
ENGINES = ("claude", "ollama")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path)


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "moment"))


def served(engine: str, script: Any, env: dict[str, str]) -> Loopback:
    """The fake of that engine, and the environment pointed at it."""
    fake: Loopback
    if engine == "claude":
        fake = anthropic.FakeAnthropic(script)
        env |= {"ANTHROPIC_API_KEY": "k" + "ey", "ANTHROPIC_BASE_URL": fake.url}
    else:
        fake = ollama.FakeOllama(script)
        env |= {"OLLAMA_HOST": fake.url, "OLLAMA_MODEL": ollama.MODEL}
    return fake


def document(ended: Ended) -> dict[str, Any]:
    """The one document on stdout."""
    found: dict[str, Any] = json.loads(ended.out)
    assert found["schema"] == "berth.dev/v1/answer"
    return found


@pytest.mark.parametrize("cap", [1, 2, 3])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_model_that_obeys_answers_at_the_cap(engine: str, cap: int, env: dict[str, str], moment: str) -> None:
    module = anthropic if engine == "claude" else ollama
    calls = [("list_pods", {"namespace": name}) for name in ("shop", "default", "kube-system", "other")]
    with served(engine, module.obeying(ANSWER, *calls), env) as fake:
        ended = berth(
            "ask", "why?", "--snapshot", moment, "--engine", engine, "--max-iter", str(cap), "-o", "json", env=env
        )
        assert len(fake.requests) == cap
    found = document(ended)
    assert (ended.status, found["outcome"], found["complete"], found["forced"]) == (0, "answered", True, True)
    assert (found["answer"], found["error"]) == (ANSWER, None)
    assert found["usage"]["model_calls"] == cap
    assert len(found["trace"]) == cap - 1
    assert (found["cost"] is None) == (engine == "ollama")


@pytest.mark.parametrize("cap", [1, 2, 3])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_model_that_keeps_calling_tools_gives_no_answer(
    engine: str, cap: int, env: dict[str, str], moment: str
) -> None:
    module = anthropic if engine == "claude" else ollama
    with served(engine, module.stubborn("list_pods", {}), env) as fake:
        ended = berth(
            "ask", "why?", "--snapshot", moment, "--engine", engine, "--max-iter", str(cap), "-o", "json", env=env
        )
        assert len(fake.requests) == cap
    found = document(ended)
    assert (ended.status, found["outcome"], found["complete"]) == (4, "still-calling-tools", False)
    assert (found["answer"], found["forced"], len(found["trace"])) == ("", True, cap - 1)
    assert "--max-iter" in found["error"]
    assert "error: " in ended.err


REFUSAL = {"type": "refusal", "category": "cyber", "explanation": "no"}

ENDS: list[tuple[str, Any, list[str], int, str]] = [
    ("claude", [anthropic.reply("web-0 crashes because", stop="max_tokens")], [], 0, "cut-off"),
    ("claude", [anthropic.reply(stop="max_tokens")], [], 4, "engine-error"),
    ("claude", [anthropic.reply("", stop="refusal", stop_details=REFUSAL)], [], 5, "refused"),
    ("claude", [anthropic.reply(" ")], [], 4, "empty"),
    ("claude", [anthropic.reply("Let me check the logs of web-0 next.")], [], 4, "fragment"),
    ("claude", [Short(anthropic.reply(ANSWER), 4)], [], 4, "engine-error"),
    ("claude", [anthropic.api_error(401, "authentication_error", "invalid key")], [], 4, "engine-unreachable"),
    ("ollama", [ollama.reply("web-0 crashes because", done_reason="length")], [], 0, "cut-off"),
    ("ollama", [ollama.reply("")], [], 4, "empty"),
    ("ollama", [ollama.reply("Let me try getting the latest logs instead.")], [], 4, "fragment"),
    ("ollama", [Short(ollama.reply(ANSWER), 2)], [], 4, "engine-error"),
    ("ollama", [Status(400, {"error": "bad request"})], [], 4, "engine-error"),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "script", "arguments", "status", "outcome"), ENDS)
def test_every_end_has_its_status_and_its_document(
    engine: str, script: Any, arguments: list[str], status: int, outcome: str, env: dict[str, str], moment: str
) -> None:
    with served(engine, script, env):
        ended = berth("ask", "why?", "--snapshot", moment, "--engine", engine, "-o", "json", *arguments, env=env)
    found = document(ended)
    assert (ended.status, found["outcome"]) == (status, outcome), found["error"]
    if outcome == "cut-off":
        assert found["answer"].startswith("web-0 crashes because") and "cut off" in found["answer"]
        assert (found["complete"], found["error"]) == (False, None)
    else:
        assert found["answer"] == ""
        assert found["error"] and f"error: {found['error']}" in ended.err.splitlines()


def test_no_ollama_where_it_was_asked_for(env: dict[str, str], moment: str) -> None:
    for model in ([], ["--model", "qwen3.5:9b"]):
        ended = berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", "-o", "json", *model, env=env)
        found = document(ended)
        assert (ended.status, found["outcome"]) == (4, "engine-unreachable")
        assert "ollama serve" in found["error"]


def test_no_cluster(env: dict[str, str], tmp_path: Path) -> None:
    config = tmp_path / "kubeconfig"
    config.write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: gone\n"
        "contexts: [{name: gone, context: {cluster: gone, user: me}}]\n"
        "clusters: [{name: gone, cluster: {server: 'http://127.0.0.1:9'}}]\nusers: [{name: me, user: {}}]\n"
    )
    with served("ollama", ollama.obeying(ANSWER), env) as fake:
        ended = berth("ask", "why?", "--kubeconfig", str(config), "-o", "json", env=env)
        assert fake.requests == []
    found = document(ended)
    assert (ended.status, found["outcome"], found["cluster"]) == (3, "cluster-unreachable", None)
    assert "127.0.0.1:9" in found["error"]
    missing = berth("ask", "why?", "--context", "nosuch", "--kubeconfig", str(config), "-o", "json", env=env)
    assert (missing.status, missing.out) == (2, "")
    assert "nosuch" in missing.err


def test_narration_never_reaches_a_pipe(env: dict[str, str], moment: str) -> None:
    for engine, module in (("claude", anthropic), ("ollama", ollama)):
        with served(engine, module.obeying(ANSWER, ("list_pods", {"namespace": "shop"})), env):
            ended = berth("ask", "why?", "--snapshot", moment, "--engine", engine, env=env)
        assert ended.out == ANSWER + "\n"
        assert "Let me call" not in ended.err
        assert "\x1b" not in ended.out + ended.err
        lines = ended.err.splitlines()
        assert any(line.split()[:2] == ["1", "list_pods"] and "namespace=shop" in line for line in lines)
        assert lines[-1].startswith("2 model calls, 1 tool call, ") and "0 retries" in lines[-1]


def test_where_data_goes_is_said_even_in_silence(env: dict[str, str], moment: str) -> None:
    with served("claude", anthropic.obeying(ANSWER), env) as fake:
        ended = berth("ask", "why?", "--snapshot", moment, "-q", env=env)
        host = f"127.0.0.1:{fake.port}"
    assert (ended.out, len(ended.err.splitlines())) == (ANSWER + "\n", 1)
    assert all(word in ended.err for word in ("Anthropic", "claude-sonnet-5-5", host))
    with served("ollama", ollama.obeying(ANSWER), env):
        assert berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", "-q", env=env).err == ""


@pytest.mark.parametrize(
    ("engine", "flags", "withheld"),
    [
        ("ollama", [], False),
        ("ollama", ["--no-raw-diagnostics"], True),
        ("claude", [], True),
        ("claude", ["--allow-raw-diagnostics"], False),
    ],
)
def test_raw_diagnostics_stay_here_unless_allowed(
    engine: str, flags: list[str], withheld: bool, env: dict[str, str], moment: str
) -> None:
    module = anthropic if engine == "claude" else ollama
    call = ("describe_resource", {"kind": "Pod", "name": "web-0", "namespace": "shop"})
    with served(engine, module.obeying(ANSWER, call), env):
        ended = berth("ask", "why?", "--snapshot", moment, "--engine", engine, "-o", "json", *flags, env=env)
    assert (document(ended)["trace"][0]["fate"] == "withheld") == withheld


def test_jsonl_is_every_event_and_the_result_last(env: dict[str, str], moment: str) -> None:
    with served("ollama", ollama.obeying(ANSWER, ("list_pods", {"namespace": "shop"})), env):
        ended = berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", "-o", "jsonl", env=env)
    lines = [json.loads(line) for line in ended.out.splitlines()]
    kinds = [line["type"] for line in lines]
    assert (kinds[0], kinds[-1], kinds.count("result")) == ("run", "result", 1)
    assert [kind for kind in kinds if kind.startswith(("tool", "model"))] == [
        "model_call", "tool_call", "tool_result", "model_call",
    ]  # fmt: skip
    assert {name: lines[-1][name] for name in ("outcome", "answer")} == {"outcome": "answered", "answer": ANSWER}
    assert "".join(line["text"] for line in lines[kinds.index("tool_result") :] if line["type"] == "text") == ANSWER


def test_hostile_text_of_a_model_acts_on_no_terminal(env: dict[str, str], moment: str) -> None:
    hostile = "web-0 \x1b]52;c;ZWNobw==\x07crashes \x1b[31mred\u202e \x9b2J\rgone"
    with served("ollama", ollama.obeying(hostile), env):
        for output in ("text", "json", "jsonl"):
            ended = berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", "-o", output, env=env)
            assert ended.status == 0
            assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r"} & set(ended.out + ended.err)
            # a piece of a stream is cleaned by itself: its payload is harmless text once the escape is gone
            assert output == "jsonl" or "ZWNobw" not in ended.out


def test_claude_without_a_key_ends_before_any_model_call(env: dict[str, str], moment: str) -> None:
    with anthropic.FakeAnthropic([anthropic.reply(ANSWER)]) as fake:
        env["ANTHROPIC_BASE_URL"] = fake.url
        ended = berth("ask", "why?", "--snapshot", moment, "--engine", "claude", "-o", "json", env=env)
    found = document(ended)
    assert (ended.status, found["outcome"], found["usage"]["model_calls"]) == (4, "engine-unreachable", 0)
    assert "set ANTHROPIC_API_KEY" in found["error"] and not fake.requests
    assert json.loads(berth("usage", "-o", "json", env=env).out)["usage"] == []


@pytest.mark.parametrize("typed", ["", "   "])
def test_an_empty_question_is_none(typed: str, env: dict[str, str]) -> None:
    ended = berth("ask", typed, "--scenario", "oomkilled", "--engine", "rules", env=env)
    assert (ended.status, ended.out) == (2, "")
    assert "there is no question" in ended.err


@pytest.mark.parametrize("engine", ENGINES)
def test_an_answer_that_passes_a_fault_over_is_remarked_upon(engine: str, env: dict[str, str], moment: str) -> None:
    module = anthropic if engine == "claude" else ollama
    said = "Everything is healthy. `kubectl delete namespace shop` cleans up."
    with served(engine, [module.reply(said)], env):
        ended = berth("ask", "is all well?", "--snapshot", moment, "--engine", engine, "-o", "json", env=env)
    read, left_out, destructive = document(ended)["remarks"]
    assert "read nothing of the cluster" in read
    assert "Pod shop/web-0" in left_out
    assert "kubectl delete namespace shop (deletes more than a pod)" in destructive
    with served(engine, [module.reply(said)], env):
        told = berth("ask", "is all well?", "--snapshot", moment, "--engine", engine, env=env)
    assert f"note: {left_out}" in told.err


def test_a_tool_call_that_breaks_off_is_no_wider_one(env: dict[str, str], moment: str) -> None:
    broken = anthropic.reply(anthropic.tool_use("list_pods", {"namespace": "shop"}, raw='{"namespace":'))
    with served("claude", [broken], env):
        ended = berth("ask", "why?", "--snapshot", moment, "--engine", "claude", "-o", "json", env=env)
    found = document(ended)
    assert (found["outcome"], found["trace"]) == ("engine-error", [])
    assert "no JSON" in found["error"]
