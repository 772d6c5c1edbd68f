"""The Ollama engine over the real package: what is sent, how replies end, and every failure as one line."""

from __future__ import annotations

import json
import socket
import threading
import time

import pytest

from kubectl_berth.engines.connections import no_deadline
from kubectl_berth.engines.engine import Conversation, Turn
from kubectl_berth.engines.ollama import OllamaEngine, make_ollama
from kubectl_berth.errors import EngineError, EngineUnreachable, Interrupted, NoAnswer
from kubectl_berth.records import Retry, Text, Thinking, ToolCalled
from tests.engines.runs import counting_down, ollama, run
from tests.engines.toolbox import CONVERSATION, FakeToolbox
from tests.fakes.loopback import Cut, Drop, Hang, Raw, Short, Status
from tests.fakes.ollama import CREATED, MODEL, FakeOllama, obeying, reply, stubborn

LOOK = ("list_pods", {"namespace": "data"})
ANSWER = "ledger-db-3 is not ready."
MALFORMED = "XML syntax error on line 5: element <parameter> closed by </function>"


# --- what is sent ---------------------------------------------------------------------------------------------------


def test_num_ctx_and_the_output_limit_are_the_same_in_every_call():
    with FakeOllama(stubborn(*LOOK)) as server:
        run(ollama(server.url, num_ctx=12000, max_tokens=700), 3)
    assert [request.body["options"] for request in server.requests] == [{"num_ctx": 12000, "num_predict": 700}] * 3


def test_a_models_own_maximum_is_respected_and_said():
    with FakeOllama([reply(ANSWER)], context=8192) as server:
        ran = run(ollama(server.url, num_ctx=16384))
    assert server.requests[0].body["options"]["num_ctx"] == 8192
    assert sum("8192" in notice for notice in ran.notices) == 1


@pytest.mark.parametrize(
    ("capabilities", "setting", "sent"),
    [
        (("completion", "tools", "thinking"), "adaptive", True),
        (("completion", "tools", "thinking"), "disabled", False),
        (("completion", "tools"), "adaptive", None),
    ],
)
def test_think_is_sent_only_where_the_model_can(capabilities, setting, sent):
    with FakeOllama([reply(ANSWER)], models={MODEL: capabilities}) as server:
        assert run(ollama(server.url, thinking=setting)).finished.text == ANSWER
    assert server.requests[0].body.get("think") == sent


def test_several_calls_of_one_reply_are_answered_in_their_order_with_the_thinking_sent_back():
    calls = [("list_pods", {}), ("get_pods", {"a": 1}), ("get_logs", {})]
    with FakeOllama([reply("Looking.", calls=calls, thinking="The database first."), reply(ANSWER)]) as server:
        ran = run(ollama(server.url))
    ((batch, model_call, left),) = ran.toolbox.batches
    assert [call.name for call in batch] == ["list_pods", "get_pods", "get_logs"]
    assert (model_call, left) == (1, 7)
    asked, *told = server.requests[1].body["messages"][2:]
    assert asked["thinking"] == "The database first."
    assert [call["function"]["name"] for call in asked["tool_calls"]] == ["list_pods", "get_pods", "get_logs"]
    assert [(m["role"], m["tool_name"]) for m in told] == [
        ("tool", "list_pods"),
        ("tool", "get_pods"),
        ("tool", "get_logs"),
    ]
    assert "(result 3)" in told[2]["content"]
    assert "".join(event.text for event in ran.events if isinstance(event, Thinking)) == "The database first."


def test_calls_and_text_on_the_final_line_are_read():
    with FakeOllama([reply("Looking.", calls=[LOOK], on_final=True), reply(ANSWER, on_final=True)]) as server:
        ran = run(ollama(server.url))
    assert ran.finished.text == ANSWER
    assert len(ran.toolbox.entries) == 1


def test_earlier_turns_come_before_the_question():
    conversation = Conversation("System.", "And now?", "And now?", (Turn("Is it up?", "It is."),))
    with FakeOllama([reply(ANSWER)]) as server:
        run(ollama(server.url), conversation=conversation)
    told = [(m["role"], m["content"]) for m in server.requests[0].body["messages"]]
    assert told == [("system", "System."), ("user", "Is it up?"), ("assistant", "It is."), ("user", "And now?")]


def test_tokens_are_added_up():
    with FakeOllama([reply(calls=[LOOK], prompt=900, output=30), reply(ANSWER, prompt=1000, output=50)]) as server:
        ran = run(ollama(server.url))
    used = ran.finished.usage
    assert (used.model_calls, used.input_tokens, used.output_tokens, used.retries) == (2, 1900, 80, 0)
    assert [call.input_tokens for call in ran.engine.calls] == [900, 1000]


def test_a_conversation_that_would_outgrow_the_context_is_answered_early_and_it_is_said():
    toolbox = FakeToolbox(answer="x" * 12000)
    with FakeOllama(obeying(ANSWER, LOOK, LOOK, LOOK)) as server:
        ran = run(ollama(server.url, num_ctx=4096), 8, toolbox=toolbox)
    assert ran.finished.text == ANSWER
    assert ran.finished.forced
    assert len(server.requests) == 2
    assert not server.requests[-1].body.get("tools")
    assert sum("4096 tokens of context" in notice for notice in ran.notices) == 1


@pytest.mark.parametrize("prompts", [(3000, 2500), (3000, 8194), (8193,)])
def test_a_history_that_the_server_cut_is_a_gap_that_the_counts_give_away(prompts):
    script = [*(reply(calls=[LOOK], prompt=prompt) for prompt in prompts), reply(calls=[LOOK]), reply(ANSWER)]
    with FakeOllama(script) as server:
        ran = run(ollama(server.url, num_ctx=16384))
    (gap,) = ran.gaps
    assert gap.why == "dropped by Ollama"
    assert f"{prompts[-1]} tokens" in gap.detail and "OLLAMA_NUM_CTX" in gap.detail


def test_a_cut_is_a_gap_on_the_last_call_too():
    toolbox = FakeToolbox(answer="x" * 30_000)
    with FakeOllama([reply(calls=[LOOK]), reply(ANSWER, prompt=2000)]) as server:
        ran = run(ollama(server.url, num_ctx=65536), 2, toolbox=toolbox)
    assert ran.finished.text == ANSWER
    assert len(ran.gaps) == 1


def test_a_last_prompt_that_shrinks_because_tools_and_thoughts_are_left_out_is_no_gap():
    toolbox = FakeToolbox(answer="x" * 4000)
    script = [reply(calls=[LOOK], thinking="Hm. " * 900), reply(calls=[LOOK], prompt=2200), reply(ANSWER, prompt=2100)]
    with FakeOllama(script) as server:
        ran = run(ollama(server.url), 3, toolbox=toolbox)
    assert ran.finished.text == ANSWER
    assert not ran.gaps


def test_a_run_that_fits_has_no_gap():
    with FakeOllama(obeying(ANSWER, *[LOOK] * 6)) as server:
        ran = run(ollama(server.url))
    assert not ran.gaps
    assert not ran.notices


def test_a_context_that_the_server_made_smaller_is_said_and_kept_to():
    toolbox = FakeToolbox(answer="x" * 9000)
    with FakeOllama(obeying(ANSWER, LOOK, LOOK, LOOK), given=4096) as server:
        ran = run(ollama(server.url, num_ctx=16384), toolbox=toolbox)
    assert "gives qwen3.5:9b 4096 tokens of context, not 16384" in ran.notices[0]
    assert ran.finished.forced
    assert len(server.requests) == 2
    # another number would load the model anew
    assert {request.body["options"]["num_ctx"] for request in server.requests} == {16384}


def test_a_prompt_that_leaves_no_room_for_an_answer_is_an_error():
    with FakeOllama([reply(prompt=16383, output=1)]) as server:
        ran = run(ollama(server.url, num_ctx=16384))
    assert isinstance(ran.error, EngineError)
    assert "outgrew the context" in ran.sentence


# --- waiting --------------------------------------------------------------------------------------------------------


def test_a_model_that_is_loaded_says_so_and_for_how_long():
    with FakeOllama([Hang(reply(ANSWER), silent=True)]) as server:
        engine = ollama(server.url)
        ran = run(engine, cancel_when=_after(server.asked, 2.3))
    assert [(event.doing, event.seconds) for event in ran.waits] == [
        (f"{MODEL} is loading", 1.0),
        (f"{MODEL} is loading", 2.0),
    ]


def test_a_model_that_thinks_says_so_and_for_how_long():
    with FakeOllama([Hang(reply(ANSWER, thinking="The database first."), 2)]) as server:
        ran = run(ollama(server.url), cancel_when=_after(server.asked, 1.3))
    assert [event.doing for event in ran.waits] == [f"{MODEL} is thinking"]


def _after(event, seconds):
    """An event that is set some seconds after the other."""
    later = threading.Event()

    def wait():
        event.wait(10)
        time.sleep(seconds)
        later.set()

    threading.Thread(target=wait, daemon=True).start()
    return later


# --- tool calls written as text -------------------------------------------------------------------------------------


def test_a_call_written_as_text_is_run_where_it_is_the_whole_message():
    written = '```json\n{"name": "list_pods", "arguments": {"namespace": "data"}}\n```'
    with FakeOllama([reply(written), reply(ANSWER)]) as server:
        ran = run(ollama(server.url))
    assert ran.finished.text == ANSWER
    assert [(e.tool, e.arguments) for e in ran.events if isinstance(e, ToolCalled)] == [LOOK]
    assert server.requests[1].body["messages"][2]["tool_calls"][0]["function"]["name"] == "list_pods"


@pytest.mark.parametrize("name", ["get_resource", "kubectl_get"])
def test_a_written_call_to_a_tool_that_is_gone_is_answered_by_the_toolbox(name):
    with FakeOllama([reply(f'{{"name": "{name}", "arguments": {{}}}}'), reply(ANSWER)]) as server:
        ran = run(ollama(server.url))
    assert ran.finished.text == ANSWER
    assert [e.tool for e in ran.events if isinstance(e, ToolCalled)] == [name]


def test_a_written_call_to_a_tool_that_is_gone_on_the_last_call_is_still_calling_tools():
    with FakeOllama([reply('{"name": "get_resource", "arguments": {}}')]) as server:
        assert run(ollama(server.url), 1).finished.reason == "tool-calls"


def test_a_call_written_as_text_on_the_last_call_is_still_calling_tools():
    with FakeOllama([reply('{"name": "list_pods", "arguments": {}}')]) as server:
        ran = run(ollama(server.url), 1)
    assert ran.finished.reason == "tool-calls"
    assert not ran.toolbox.entries


# --- how a reply may end --------------------------------------------------------------------------------------------


def test_a_reply_cut_off_by_the_output_limit_keeps_its_text():
    with FakeOllama([reply("The database is", done_reason="length")]) as server:
        ran = run(ollama(server.url))
    assert (ran.finished.reason, ran.finished.text, ran.finished.detail) == ("cut-off", "The database is", "length")


@pytest.mark.parametrize(
    "cut",
    [
        reply(thinking="Hm, where", done_reason="length"),
        reply("Looking.", calls=[LOOK], done_reason="length"),
        reply('<tool_call>{"name": "list_po', done_reason="length"),
    ],
)
def test_a_reply_cut_off_before_it_said_anything_or_inside_a_call_is_an_error(cut):
    with FakeOllama([cut]) as server:
        ran = run(ollama(server.url))
    assert isinstance(ran.error, EngineError)
    assert "OLLAMA_MAX_TOKENS" in ran.sentence
    assert not ran.toolbox.entries


@pytest.mark.parametrize("empty", [reply(), reply(" \n"), reply(thinking="Nothing to say.")])
def test_an_empty_reply_is_no_answer(empty):
    with FakeOllama([empty]) as server:
        ran = run(ollama(server.url))
    assert ran.finished.reason == "empty"
    assert len(server.requests) == 1


# --- the one retry --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "failure",
    [
        Status(500, {"error": MALFORMED}),
        reply("Let me", error=MALFORMED),
        reply("Let me", error={"code": 500, "message": "out of slots"}),
        Status(503, {"error": "server busy, please try again.  maximum pending requests exceeded"}),
    ],
)
def test_a_server_failure_is_tried_once_more_with_a_changed_request(failure):
    with FakeOllama([failure, reply(ANSWER)]) as server:
        ran = run(ollama(server.url))
    assert ran.finished.text == ANSWER
    assert (ran.usage.model_calls, ran.usage.retries) == (1, 1)
    assert 0.25 < ran.seconds < 2
    first, second = (request.body for request in server.requests)
    assert first != second
    assert first["messages"] == second["messages"]
    assert first["options"]["num_ctx"] == second["options"]["num_ctx"]
    kinds = [type(event) for event in ran.events if isinstance(event, Retry | Text)]
    assert kinds.index(Retry) >= kinds.count(Text) - len("".join(ANSWER)) // 12 - 1


def test_a_second_failure_is_the_error_and_each_call_has_a_retry_of_its_own():
    failure = reply("Let me", error=MALFORMED)
    with FakeOllama([failure, reply(calls=[LOOK]), failure, failure]) as server:
        ran = run(ollama(server.url))
    assert isinstance(ran.error, EngineError)
    assert MALFORMED in ran.sentence
    assert len(server.requests) == 4
    assert (ran.usage.model_calls, ran.usage.retries) == (2, 2)
    assert len(ran.toolbox.entries) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 429])
def test_a_refusal_of_the_request_is_not_tried_again(status):
    with FakeOllama([Status(status, {"error": "the\nreason"})]) as server:
        ran = run(ollama(server.url))
    assert isinstance(ran.error, NoAnswer)
    assert "the reason" in ran.sentence
    assert len(server.requests) == 1
    assert ran.usage.retries == 0


def test_cancelling_ends_the_wait_before_the_retry():
    with FakeOllama([Status(500, {"error": MALFORMED})]) as server:
        engine = ollama(server.url)
        ran_events = []
        for event in _until_interrupted(engine, ran_events):
            if isinstance(event, Retry):
                engine.cancel()
    assert isinstance(ran_events[-1], Interrupted)
    assert len(server.requests) == 1


def _until_interrupted(engine, seen):
    try:
        for event in engine.run(CONVERSATION, FakeToolbox(), 8):
            seen.append(event)
            yield event
    except Interrupted as error:
        seen.append(error)


# --- failures -------------------------------------------------------------------------------------------------------

WHOLE = reply("The database is fine and everything is well.")


@pytest.mark.parametrize("fault", [Cut(WHOLE, 2), Cut(WHOLE, 2, reset=True), Short(WHOLE, 2), Short(WHOLE, 0)])
def test_a_stream_that_ends_without_done_is_an_error_and_no_answer(fault):
    with FakeOllama([reply(calls=[LOOK]), fault]) as server:
        ran = run(ollama(server.url))
    assert isinstance(ran.error, EngineError)
    assert "broke off" in ran.sentence
    assert ran.usage.model_calls == 2
    assert len(ran.toolbox.entries) == 1


@pytest.mark.parametrize("fault", [Hang(WHOLE, 2), Hang(WHOLE, silent=True)])
def test_a_hang_is_given_up_when_the_time_of_the_run_is_over(fault):
    with FakeOllama([fault]) as server:
        ran = run(ollama(server.url, remaining=counting_down(-0.5)))
    assert isinstance(ran.error, EngineError)
    assert "sent nothing" in ran.sentence
    assert ran.seconds < 3


@pytest.mark.parametrize("fault", [Hang(WHOLE, 2), Hang(WHOLE, silent=True)])
def test_cancelling_cuts_the_connection_at_once(fault):
    with FakeOllama([fault]) as server:
        ran = run(ollama(server.url), cancel_when=server.asked)
        assert server.hung_up.wait(1)
    assert isinstance(ran.error, Interrupted)
    assert ran.seconds < 1.5


def line(**message):
    return json.dumps({"model": MODEL, "created_at": CREATED, "message": {"role": "assistant", **message}}).encode()


@pytest.mark.parametrize(
    "body",
    [
        *(b"<html>Sign in</html>", b"\n\n", b'{"hello": "world"}\n', b"[1, 2]\n"),
    ],
)
def test_what_is_no_line_of_the_protocol_is_an_error(body):
    with FakeOllama([Raw(body)]) as server:
        ran = run(ollama(server.url))
    assert isinstance(ran.error, EngineError)
    assert "OLLAMA_HOST" in ran.sentence


@pytest.mark.parametrize("arguments", ["{}", None])
def test_a_call_as_some_proxies_make_it_is_told_as_one(arguments):
    body = line(content="", tool_calls=[{"function": {"name": "list_pods", "arguments": arguments}}]) + b"\n"
    with FakeOllama([Raw(body)]) as server:
        ran = run(ollama(server.url))
    assert isinstance(ran.error, EngineError)
    assert "asked for a tool in a form" in ran.sentence and "OLLAMA_HOST" not in ran.sentence


def test_a_reply_without_end_is_cut_off():
    piece = line(content="blah " * 1000) + b"\n"
    with FakeOllama([Raw(piece * 400)]) as server:
        ran = run(ollama(server.url, max_tokens=1000))
    assert ran.finished.reason == "cut-off"
    assert len(ran.finished.text) < 60_000


def test_line_ends_of_unicode_inside_a_line_do_not_break_it():
    body = json.loads(line(content="web-0\u0085says \u2028 nothing"))
    lines = [body, {**body, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}]
    raw = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in lines)
    with FakeOllama([Raw(raw.encode(), "application/x-ndjson")]) as server:
        assert run(ollama(server.url)).finished.text == "web-0\u0085says \u2028 nothing"


@pytest.mark.parametrize("told", ["123", "", {"code": 500}])
def test_an_error_without_words_is_one_line(told):
    with FakeOllama([Status(500, {"error": told})]) as server:
        ran = run(ollama(server.url))
    assert isinstance(ran.error, EngineError)
    assert server.url in ran.sentence


def test_a_question_that_was_dropped_from_the_prompt_is_the_context_that_is_too_small():
    with FakeOllama([Status(500, {"error": "no user query found in messages"})]) as server:
        ran = run(ollama(server.url))
    assert "OLLAMA_NUM_CTX" in ran.sentence


def test_a_missing_model_is_one_line_with_the_pull_command():
    with FakeOllama([reply(ANSWER)]) as server:
        ran = run(ollama(server.url, model="gemma4"))
    assert isinstance(ran.error, EngineError)
    assert "`ollama pull gemma4`" in ran.sentence
    assert not server.requests


def test_a_model_that_cannot_call_tools_is_one_line():
    with FakeOllama([reply(ANSWER)], models={MODEL: ("completion",)}) as server:
        ran = run(ollama(server.url))
    assert isinstance(ran.error, EngineError)
    assert f"{MODEL} cannot call tools" in ran.sentence


def test_no_server_is_one_line():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ran = run(ollama(f"127.0.0.1:{port}"))
    assert isinstance(ran.error, EngineUnreachable)
    assert "`ollama serve`" in ran.sentence


def test_a_server_that_dies_before_it_answers_is_one_line():
    with FakeOllama([Drop()]) as server:
        ran = run(ollama(server.url))
    assert isinstance(ran.error, NoAnswer)
    assert server.url in ran.sentence


def test_a_context_overflow_of_the_native_path_is_one_line():
    told = '{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (4096 tokens)"}}'
    with FakeOllama([Status(400, {"error": told})]) as server:
        ran = run(ollama(server.url))
    assert "OLLAMA_NUM_CTX" in ran.sentence
    assert "exceeds the available context size" in ran.sentence


# --- hosts and keys -------------------------------------------------------------------------------------------------


def test_a_proxy_variable_does_not_hijack_a_loopback_address(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with FakeOllama([reply(ANSWER)]) as server:
        assert run(ollama(server.url)).finished.text == ANSWER


@pytest.mark.parametrize("proxy", ["socks9://127.0.0.1:9", "nonsense://"])
def test_a_proxy_that_cannot_be_used_is_one_line(proxy, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", proxy)
    ran = run(ollama("http://example.invalid"))
    assert isinstance(ran.error, EngineUnreachable)
    assert "cannot reach Ollama at http://example.invalid" in ran.sentence
    assert "proxy" in ran.sentence.lower()


def test_the_key_goes_to_a_host_that_was_named(monkeypatch):
    monkeypatch.setenv("OLLAMA_API_KEY", "the-key")
    with FakeOllama([reply(ANSWER)]) as server:
        run(ollama(server.url))
    assert server.requests[0].headers["authorization"] == "Bearer the-key"


def test_the_key_stays_here_where_no_host_was_named(monkeypatch):
    monkeypatch.setenv("OLLAMA_API_KEY", "the-key")
    with FakeOllama([reply(ANSWER)]) as server:
        run(OllamaEngine(server.url, "", False, MODEL, 16384, 8192, "adaptive", no_deadline))
    assert all("authorization" not in request.headers for request in (*server.requests, *server.others))


def test_the_key_does_not_follow_a_redirect(monkeypatch):
    monkeypatch.setenv("OLLAMA_API_KEY", "the-key")
    with FakeOllama([reply(ANSWER)]) as elsewhere:
        away = Status(307, {"error": "moved"}, {"location": elsewhere.url + "/api/chat"})
        with FakeOllama([away]) as server:
            ran = run(ollama(server.url))
    assert isinstance(ran.error, EngineError)
    assert not elsewhere.requests
    assert not elsewhere.others


def test_where_the_data_goes_is_told():
    assert make_ollama(None, MODEL).host == ""
    assert make_ollama("0.0.0.0", MODEL).host == ""
    assert make_ollama("http://gpu.example:11434", MODEL).host == "gpu.example:11434"


def test_a_login_in_the_host_is_never_shown():
    engine = make_ollama("http://user:hunter2@127.0.0.1:9", MODEL)
    assert "hunter2" not in engine.host + run(engine).sentence
