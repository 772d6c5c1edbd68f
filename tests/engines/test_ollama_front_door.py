"""A small model's habits against the real tools, and what a person is told meanwhile, through the front door."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kubectl_berth.tools.registry import ALL
from tests.fakes.loopback import Hang
from tests.fakes.ollama import MODEL, FakeOllama, reply
from tests.process import berth, on_terminal, screen_of, snapshot, surroundings

ANSWER = "web-0 in shop crashes with exit code 3."


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path, OLLAMA_MODEL=MODEL, TERM="xterm-256color")


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "moment"))


def asked(fake: FakeOllama, env: dict[str, str], moment: str, *flags: str) -> dict:
    env["OLLAMA_HOST"] = fake.url
    ended = berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", "-o", "json", *flags, env=env)
    return {**json.loads(ended.out), "status": ended.status, "err": ended.err}


def test_numbers_and_truths_as_text_are_read_by_the_schema(env: dict[str, str], moment: str) -> None:
    calls = [
        ("list_pods", {"namespace": "shop", "onlyUnhealthy": "false"}),
        ("get_logs", {"name": "web-0", "namespace": "shop", "tailLines": "5", "previous": "true"}),
        ("get_events", {"namespace": "shop", "includeNormal": "True"}),
    ]
    with FakeOllama([reply(calls=calls), reply(ANSWER)]) as fake:
        found = asked(fake, env, moment)
    assert [entry["tool"] for entry in found["trace"]] == ["list_pods", "get_logs", "get_events"]
    assert all("must be" not in str(entry["error"]) for entry in found["trace"])
    # results come back in the order of the calls: some templates know nothing else of them
    told = [message for message in fake.requests[1].body["messages"] if message["role"] == "tool"]
    assert [message["tool_name"] for message in told] == ["list_pods", "get_logs", "get_events"]
    assert "web-0" in told[0]["content"]


def test_a_tool_that_is_not_there_is_answered_with_the_nearest(env: dict[str, str], moment: str) -> None:
    with FakeOllama([reply(calls=[("get_pods", {}), ("list_nodes", {})]), reply(ANSWER)]) as fake:
        found = asked(fake, env, moment)
    assert [entry["fate"] for entry in found["trace"]] == ["error", "error"]
    told = [message["content"] for message in fake.requests[1].body["messages"] if message["role"] == "tool"]
    assert "list_pods" in told[0]
    assert "cluster_health" in told[1]


def test_every_tool_reaches_the_model_whole(env: dict[str, str], moment: str) -> None:
    # the package drops what it does not know of a schema: anything but flat properties
    with FakeOllama([reply(ANSWER)]) as fake:
        asked(fake, env, moment)
    sent = {each["function"]["name"]: each["function"] for each in fake.requests[0].body["tools"]}
    for tool in ALL:
        definition = tool.definition()
        assert sent[tool.name]["description"] == definition["description"]
        properties = sent[tool.name]["parameters"].get("properties", {})
        assert properties == definition["parameters"].get("properties", {})
        assert sent[tool.name]["parameters"].get("required") == definition["parameters"].get("required")


def test_a_dropped_conversation_is_a_gap_of_the_result(env: dict[str, str], moment: str) -> None:
    with FakeOllama([reply(calls=[("list_pods", {})], prompt=8194), reply(ANSWER)]) as fake:
        found = asked(fake, env, moment)
    assert found["answer"] == ANSWER
    assert [gap["what"] for gap in found["gaps"] if gap["why"] == "dropped by Ollama"] == [
        "earlier parts of the conversation"
    ]
    assert found["err"].count("dropped by Ollama") == 1


def test_a_call_to_a_tool_that_is_gone_written_as_text_learns_its_successor(env: dict[str, str], moment: str) -> None:
    with FakeOllama([reply('{"name": "get_resource", "arguments": {"kind": "Pod"}}'), reply(ANSWER)]) as fake:
        found = asked(fake, env, moment)
    assert (found["outcome"], found["status"]) == ("answered", 0)
    assert "describe_resource" in fake.requests[1].body["messages"][-1]["content"]


def test_a_call_written_behind_an_answer_is_no_answer(env: dict[str, str], moment: str) -> None:
    written = '<tool_call>{"name": "get_logs", "arguments": {"name": "web-0"}}</tool_call>'
    with FakeOllama([reply(f"web-0 crashes.\n{written}")]) as fake:
        found = asked(fake, env, moment)
    assert (found["outcome"], found["status"], found["answer"]) == ("still-calling-tools", 4, "")


def test_a_model_that_keeps_a_pipe_waiting_says_so_once_in_a_while(env: dict[str, str], moment: str) -> None:
    with FakeOllama([Hang(reply(ANSWER), silent=True)]) as fake:
        found = asked(fake, env, moment, "--timeout", "18")
    assert found["outcome"] == "timed-out"
    assert found["err"].count(f"{MODEL} is loading: 10 s") == 1
    assert f"{MODEL} is loading: 11 s" not in found["err"]


def test_a_terminal_shows_one_line_of_what_a_model_does_and_takes_it_back(env: dict[str, str], moment: str) -> None:
    # the end of an unfinished line is held back: it may turn out to be a secret
    thoughts = reply(ANSWER, thinking="First the pods.\n\nThen I look at the events of shop.\nAnd then at")
    with FakeOllama([Hang(thoughts, 6)]) as fake:
        arguments = ["ask", "why?", "--snapshot", moment, "--engine", "ollama", "--timeout", "9"]
        ended = on_terminal(arguments, {**env, "OLLAMA_HOST": fake.url}, columns=60)
    told = re.findall(rf"{re.escape(MODEL)} is thinking: (\d+) s; \.\.\.look at the events of shop\.", ended.out)
    assert len(set(told)) >= 2, "the seconds go on"
    assert "is thinking" not in "\n".join(screen_of(ended.out, 60))


def test_a_remote_plain_host_is_named_once(env: dict[str, str], moment: str) -> None:
    env["OLLAMA_HOST"] = "http://ollama.invalid:11434"
    ended = berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", "--timeout", "20", env=env)
    assert ended.status == 4
    assert ended.err.count("what is read from the cluster goes to Ollama") == 1
    assert ended.err.count("over plain http") == 1


def test_a_forced_last_call_near_the_end_of_the_context_is_said(env: dict[str, str], moment: str) -> None:
    env["OLLAMA_NUM_CTX"] = "4096"
    with FakeOllama([reply(calls=[("list_pods", {})], prompt=3500), reply(ANSWER)]) as fake:
        found = asked(fake, env, moment)
    assert found["forced"] is True
    assert "must answer now" in found["err"]
    assert not fake.requests[-1].body.get("tools")
