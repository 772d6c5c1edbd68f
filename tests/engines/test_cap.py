"""The cap on model calls, with models that obey it and models that do not: the Nth call must answer."""

from __future__ import annotations

import json

import pytest

from kubectl_berth.engines.last_call import ANSWER_NOW
from kubectl_berth.records import ModelCallStarting, ToolCalled, ToolReturned
from tests.engines.runs import claude, ollama, run
from tests.engines.toolbox import CONVERSATION, FakeToolbox
from tests.fakes import anthropic as fake_claude
from tests.fakes import ollama as fake_ollama

ANSWER = "ledger-db-3 is not ready."
CAPS = (1, 2, 3)


def fake(engine, script):
    return fake_claude.FakeAnthropic(script) if engine is claude else fake_ollama.FakeOllama(script)


def scripts(engine):
    return fake_claude if engine is claude else fake_ollama


def holds_words(request):
    return json.dumps(request.body).count(json.dumps(ANSWER_NOW)[1:-1])


@pytest.mark.parametrize("engine", [claude, ollama])
@pytest.mark.parametrize("cap", CAPS)
def test_a_model_that_obeys_answers_on_the_last_call(engine, cap):
    calls = [("list_pods", {"namespace": "data"})] * 5
    with fake(engine, scripts(engine).obeying(ANSWER, *calls)) as server:
        ran = run(engine(server.url), cap)
    assert ran.finished.reason == "end"
    assert ran.finished.text == ANSWER
    assert ran.finished.forced
    assert len(server.requests) == cap
    assert ran.usage.model_calls == cap
    assert len(ran.toolbox.entries) == cap - 1
    assert [left for _, _, left in ran.toolbox.batches] == list(range(cap - 1, 0, -1))


@pytest.mark.parametrize("engine", [claude, ollama])
@pytest.mark.parametrize("cap", CAPS)
def test_a_model_that_keeps_calling_tools_is_stopped_and_its_last_call_is_not_run(engine, cap):
    with fake(engine, scripts(engine).stubborn("list_pods", {})) as server:
        ran = run(engine(server.url), cap)
    assert ran.finished.reason == "tool-calls"
    assert ran.finished.forced
    assert len(server.requests) == cap
    assert len(ran.toolbox.entries) == cap - 1


@pytest.mark.parametrize("engine", [claude, ollama])
def test_an_answer_before_the_cap_is_not_forced_and_hears_no_last_words(engine):
    with fake(engine, scripts(engine).obeying(ANSWER, ("list_pods", {}))) as server:
        ran = run(engine(server.url), 8)
    assert ran.finished.text == ANSWER
    assert not ran.finished.forced
    assert [holds_words(request) for request in server.requests] == [0, 0]


@pytest.mark.parametrize("engine", [claude, ollama])
@pytest.mark.parametrize("cap", CAPS)
def test_the_answer_now_words_are_sent_on_the_last_call_and_only_there(engine, cap):
    with fake(engine, scripts(engine).stubborn("list_pods", {})) as server:
        run(engine(server.url), cap)
    assert [holds_words(request) for request in server.requests] == [0] * (cap - 1) + [1]


@pytest.mark.parametrize("cap", CAPS)
def test_claude_keeps_its_tools_and_may_not_choose_them_on_the_last_call(cap):
    with fake(claude, fake_claude.stubborn("list_pods", {})) as server:
        run(claude(server.url), cap)
    bodies = [request.body for request in server.requests]
    assert [body.get("tool_choice") for body in bodies] == [None] * (cap - 1) + [{"type": "none"}]
    assert all([tool["name"] for tool in body["tools"]] == ["list_pods", "get_logs"] for body in bodies)
    assert all(body["system"] == bodies[0]["system"] for body in bodies)


def test_claude_hears_the_last_words_inside_the_last_tool_result():
    with fake(claude, fake_claude.stubborn("list_pods", {})) as server:
        run(claude(server.url), 2)
    last = server.requests[-1].body["messages"][-1]
    assert last["role"] == "user"
    assert [block["type"] for block in last["content"]] == ["tool_result"]
    assert last["content"][0]["content"].endswith(ANSWER_NOW)


def test_claude_hears_the_last_words_after_the_question_where_there_is_one_call():
    with fake(claude, fake_claude.obeying(ANSWER)) as server:
        run(claude(server.url), 1)
    (message,) = server.requests[0].body["messages"]
    assert message["content"].endswith(ANSWER_NOW)


@pytest.mark.parametrize("cap", CAPS)
def test_ollama_gets_no_tools_on_the_last_call_and_the_last_words_as_the_last_user_message(cap):
    with fake(ollama, fake_ollama.stubborn("list_pods", {})) as server:
        run(ollama(server.url), cap)
    bodies = [request.body for request in server.requests]
    assert [bool(body.get("tools")) for body in bodies] == [True] * (cap - 1) + [False]
    last = bodies[-1]["messages"][-1]
    assert last["role"] == "user"
    assert last["content"].endswith(ANSWER_NOW)


@pytest.mark.parametrize("engine", [claude, ollama])
def test_the_history_is_only_appended_to(engine):
    with fake(engine, scripts(engine).stubborn("list_pods", {})) as server:
        run(engine(server.url), 3)
    first, second, third = (request.body["messages"] for request in server.requests)
    assert second[: len(first)] == first
    assert third[: len(second)] == second


@pytest.mark.parametrize("engine", [claude, ollama])
def test_each_request_is_announced_before_it_is_sent_and_each_call_comes_before_its_result(engine):
    with fake(engine, scripts(engine).obeying(ANSWER, ("list_pods", {}), ("get_logs", {"namespace": "a"}))) as server:
        ran = run(engine(server.url), 8)
    kinds = [e for e in ran.events if isinstance(e, ModelCallStarting | ToolCalled | ToolReturned)]
    assert [type(event).__name__ for event in kinds] == [
        *("ModelCallStarting", "ToolCalled", "ToolReturned"),
        *("ModelCallStarting", "ToolCalled", "ToolReturned"),
        "ModelCallStarting",
    ]
    assert [event.n for event in kinds if isinstance(event, ToolCalled)] == [1, 2]
    assert [event.entry.n for event in kinds if isinstance(event, ToolReturned)] == [1, 2]
    assert all(event.estimate > 0 for event in kinds if isinstance(event, ModelCallStarting))


@pytest.mark.parametrize("engine", [claude, ollama])
def test_the_consumer_can_stop_before_a_request_leaves(engine):
    with fake(engine, scripts(engine).stubborn("list_pods", {})) as server:
        events = engine(server.url).run(CONVERSATION, FakeToolbox(), 3)
        for event in events:
            if isinstance(event, ModelCallStarting) and event.number == 2:
                break
        events.close()
    assert len(server.requests) == 1
