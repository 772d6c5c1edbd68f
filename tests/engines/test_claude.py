"""The Claude engine over the real SDK: what is sent, what each stop reason becomes, and every failure as one line."""

from __future__ import annotations

import itertools
import socket
import time
import warnings

import pytest

from kubectl_berth.errors import (
    EngineError,
    EngineUnreachable,
    Interrupted,
    UsageError,
)
from kubectl_berth.records import Thinking, ToolCalled, ToolReturned
from tests.engines.runs import claude, counting_down, run
from tests.engines.toolbox import CONVERSATION, FakeToolbox
from tests.fakes.anthropic import FakeAnthropic, api_error, obeying, reply, stubborn, thinking, tool_use
from tests.fakes.loopback import Cut, Drop, Hang, Raw, Short, Status
from tests.fakes.prompt_cache import PromptCache

LOOK = ("list_pods", {"namespace": "data"})
ANSWER = "ledger-db-3 is not ready."


# --- what is sent ---------------------------------------------------------------------------------------------------


def test_the_whole_history_travels_without_a_thread_or_a_beta():
    with FakeAnthropic(obeying(ANSWER, LOOK)) as server:
        run(claude(server.url))
    assert all("thread" not in request.body for request in server.requests)
    assert all("anthropic-beta" not in request.headers for request in server.requests)
    assert [len(request.body["messages"]) for request in server.requests] == [1, 3]


def test_system_and_messages_are_marked_for_the_cache_but_not_the_messages_of_the_last_call():
    with FakeAnthropic(stubborn(*LOOK)) as server:
        run(claude(server.url), 3)
    bodies = [request.body for request in server.requests]
    assert all(body["system"][0]["cache_control"] == {"type": "ephemeral"} for body in bodies)
    assert [body.get("cache_control") for body in bodies] == [{"type": "ephemeral"}] * 2 + [None]


def counted(ran):
    """What each call paid for: tokens as they are, written to the cache, read from it."""
    return [(each.input_tokens, each.cache_write_tokens, each.cache_read_tokens) for each in ran.engine.calls]


def test_each_call_reads_from_the_cache_what_the_one_before_left_there():
    with FakeAnthropic(stubborn(*LOOK), PromptCache()) as server:
        first, *middle, last = counted(run(claude(server.url), 6))
    assert first[2] == 0 and first[1] > 0
    for (_, wrote, had), (plain, added, read) in itertools.pairwise([first, *middle]):
        assert (plain, read) == (0, had + wrote)
        assert added > 0
    # with another tool choice the messages are read anew: nothing is written of them that nobody would read
    assert last[1] == 0
    assert 0 < last[2] < first[1]


def test_nothing_before_a_thought_changes_up_to_the_last_call():
    steps = [reply(thinking(f"Thought {n}."), tool_use(*LOOK)) for n in range(3)]
    with FakeAnthropic([*steps, reply(ANSWER)]) as server:
        ran = run(claude(server.url), 4)
    assert ran.finished.text == ANSWER
    assert ran.finished.forced


def test_tokens_written_for_an_hour_are_counted_apart():
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 900, "ephemeral_1h_input_tokens": 300}
    with FakeAnthropic([reply(ANSWER, usage=usage)]) as server:
        used = run(claude(server.url)).finished.usage
    assert (used.cache_write_tokens, used.cache_write_hour_tokens) == (900, 300)


def test_notes_are_asked_for_in_words():
    with FakeAnthropic([reply(ANSWER)]) as server:
        run(claude(server.url))
    assert server.requests[0].body["thinking"] == {"type": "adaptive", "display": "summarized"}


def test_the_calls_of_one_reply_reach_the_toolbox_together_and_unknown_names_too():
    calls = [tool_use("list_pods", {}), tool_use("get_pods", {"a": 1}), tool_use("get_logs", {})]
    with FakeAnthropic([reply("Looking.", *calls), reply(ANSWER)]) as server, warnings.catch_warnings():
        warnings.simplefilter("error")
        ran = run(claude(server.url))
    ((batch, model_call, left),) = ran.toolbox.batches
    assert [call.name for call in batch] == ["list_pods", "get_pods", "get_logs"]
    assert (model_call, left) == (1, 7)
    told = server.requests[1].body["messages"][-1]["content"]
    assert [block["tool_use_id"] for block in told] == [call["id"] for call in calls]
    assert [block.get("is_error", False) for block in told] == [False, True, False]
    assert "there is no tool get_pods: call list_pods" in told[1]["content"]
    assert "(result 3)" in told[2]["content"]
    order = [type(event) for event in ran.events if isinstance(event, ToolCalled | ToolReturned)]
    assert order == [ToolCalled] * 3 + [ToolReturned] * 3


def test_thinking_is_shown_apart_from_the_answer_and_sent_back_unchanged():
    with FakeAnthropic([reply(thinking("The database first."), tool_use(*LOOK)), reply(ANSWER)]) as server:
        ran = run(claude(server.url))
    assert "".join(event.text for event in ran.events if isinstance(event, Thinking)) == "The database first."
    assert ran.finished.text == ANSWER
    sent_back = server.requests[1].body["messages"][1]["content"][0]
    assert (sent_back["thinking"], sent_back["signature"]) == ("The database first.", "c2ln")


def test_earlier_turns_come_before_the_question():
    from kubectl_berth.engines.engine import Conversation, Turn

    conversation = Conversation("System.", "And now?", "And now?", (Turn("Is it up?", "It is."),))
    with FakeAnthropic([reply(ANSWER)]) as server:
        run(claude(server.url), conversation=conversation)
    told = [(m["role"], m["content"]) for m in server.requests[0].body["messages"]]
    assert told == [("user", "Is it up?"), ("assistant", "It is."), ("user", "And now?")]


def test_tokens_are_added_up_with_the_cached_ones_apart():
    first = {"input_tokens": 100, "cache_creation_input_tokens": 900, "output_tokens": 40}
    second = {"input_tokens": 50, "cache_read_input_tokens": 900, "output_tokens": 60}
    with FakeAnthropic([reply("Hm.", tool_use(*LOOK), usage=first), reply(ANSWER, usage=second)]) as server:
        ran = run(claude(server.url))
    used = ran.finished.usage
    assert (used.model_calls, used.input_tokens, used.output_tokens) == (2, 150, 100)
    assert (used.cache_read_tokens, used.cache_write_tokens, used.retries) == (900, 900, 0)
    assert [call.input_tokens for call in ran.engine.calls] == [100, 50]


def test_the_estimate_of_the_next_call_rests_on_what_the_last_one_counted():
    usage = {"input_tokens": 5000, "cache_read_input_tokens": 2000, "output_tokens": 100}
    with FakeAnthropic([reply("Hm.", tool_use(*LOOK), usage=usage), reply(ANSWER)]) as server:
        ran = run(claude(server.url))
    estimates = [event.estimate for event in ran.events if type(event).__name__ == "ModelCallStarting"]
    assert 7100 < estimates[1] < 7200


def test_a_deprecated_model_is_said_once_and_no_warning_escapes():
    with FakeAnthropic(obeying(ANSWER, LOOK)) as server, warnings.catch_warnings():
        warnings.simplefilter("error")
        ran = run(claude(server.url, model="claude-sonnet-4-5"))
    assert ran.finished.text == ANSWER
    assert sum("deprecated" in notice for notice in ran.notices) == 1
    assert all("\n" not in notice for notice in ran.notices)


def test_what_a_model_rejects_is_not_sent():
    with FakeAnthropic([reply(ANSWER)]) as server:
        ran = run(claude(server.url, model="claude-haiku-4-5", effort="high", thinking="adaptive"))
    assert not {"thinking", "output_config"} & set(server.requests[0].body)
    assert sum("claude-haiku-4-5" in notice for notice in ran.notices) == 2


# --- how a reply may end --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", ["max_tokens", "model_context_window_exceeded"])
def test_a_reply_that_was_cut_off_keeps_its_text(stop):
    with FakeAnthropic([reply("The database is", stop=stop)]) as server:
        ran = run(claude(server.url))
    assert (ran.finished.reason, ran.finished.text, ran.finished.detail) == ("cut-off", "The database is", stop)


@pytest.mark.parametrize("blocks", [(), (thinking("Hm."),), ("Looking.", tool_use("list_pods", {}))])
def test_a_reply_cut_off_before_it_said_anything_or_inside_a_call_is_an_error(blocks):
    with FakeAnthropic([reply(*blocks, stop="max_tokens")]) as server:
        ran = run(claude(server.url))
    assert isinstance(ran.error, EngineError)
    assert "--max-tokens" in ran.sentence
    assert not ran.toolbox.entries


def test_a_refusal_carries_its_category_and_explanation():
    details = {"type": "refusal", "category": "cyber", "explanation": "This looks like an attack."}
    with FakeAnthropic([reply(stop="refusal", stop_details=details)]) as server:
        ran = run(claude(server.url))
    assert (ran.finished.reason, ran.finished.detail) == ("refused", "cyber: This looks like an attack.")


@pytest.mark.parametrize("blocks", [(), (thinking("Nothing to say."),), (" \n",)])
def test_an_empty_reply_is_no_answer(blocks):
    with FakeAnthropic([reply(*blocks)]) as server:
        ran = run(claude(server.url))
    assert ran.finished.reason == "empty"


@pytest.mark.parametrize(
    "written",
    [
        '{"name": "list_pods", "arguments": {}}',
        '<function_calls><invoke name="get_logs"><parameter name="name">a</parameter></invoke></function_calls>',
    ],
)
def test_a_call_written_as_text_on_the_last_call_is_still_calling_tools(written):
    with FakeAnthropic([reply(written)]) as server:
        ran = run(claude(server.url), 1)
    assert ran.finished.reason == "tool-calls"
    assert not ran.toolbox.entries


def test_a_paused_turn_goes_on():
    with FakeAnthropic([reply("Wait.", stop="pause_turn"), reply(ANSWER)]) as server:
        ran = run(claude(server.url))
    assert ran.finished.text == ANSWER
    assert ran.usage.model_calls == 2


def test_unknown_stop_reasons_and_blocks_are_survived():
    block = {"type": "hologram", "data": "x"}
    with FakeAnthropic([reply(ANSWER, block, stop="tired")]) as server:
        ran = run(claude(server.url))
    assert (ran.finished.reason, ran.finished.text) == ("end", ANSWER)


# --- failures in the reply ------------------------------------------------------------------------------------------

WHOLE = reply("The database is fine and everything is well.")


@pytest.mark.parametrize("fault", [Cut(WHOLE, 4), Cut(WHOLE, 4, reset=True), Short(WHOLE, 4), Short(WHOLE, 8)])
def test_a_stream_that_ends_early_is_an_error_and_no_answer(fault):
    with FakeAnthropic([reply("Hm.", tool_use(*LOOK)), fault]) as server:
        ran = run(claude(server.url))
    assert isinstance(ran.error, EngineError)
    assert "broke off" in ran.sentence
    assert ran.usage.model_calls == 2
    assert ran.usage.input_tokens > 0
    assert len(ran.toolbox.entries) == 1


def test_a_stream_that_breaks_after_it_asked_for_tools_runs_none():
    asked = reply("Hm.", tool_use(*LOOK))
    with FakeAnthropic([Short(asked, 11), reply(ANSWER)]) as server:
        ran = run(claude(server.url))
    assert "broke off" in ran.sentence
    assert not ran.toolbox.entries
    assert len(server.requests) == 1


def test_an_error_event_after_a_200_is_an_error():
    with FakeAnthropic([reply("Half an", error=("overloaded_error", "Overloaded"))]) as server:
        ran = run(claude(server.url))
    assert isinstance(ran.error, EngineError)
    assert "overloaded_error: Overloaded" in ran.sentence
    assert ran.usage.input_tokens > 0


def test_a_stalled_stream_is_given_up_when_the_time_of_the_run_is_over():
    with FakeAnthropic([Hang(WHOLE, 4)]) as server:
        ran = run(claude(server.url, remaining=lambda: -0.7))
    assert isinstance(ran.error, EngineError)
    assert "stalled" in ran.sentence
    assert ran.seconds < 3


@pytest.mark.parametrize("body", [b"<html>Sign in to the network</html>", b"", b"data: {not json}\n\n"])
def test_a_page_in_place_of_a_stream_is_an_error(body):
    with FakeAnthropic([Raw(body)]) as server:
        ran = run(claude(server.url))
    assert isinstance(ran.error, EngineError)
    assert "ANTHROPIC_BASE_URL" in ran.sentence


@pytest.mark.parametrize("fault", [Hang(WHOLE, 4), Hang(WHOLE, silent=True)])
def test_cancelling_cuts_the_connection_at_once(fault):
    with FakeAnthropic([fault]) as server:
        ran = run(claude(server.url), cancel_when=server.asked)
        assert server.hung_up.wait(1)
    assert isinstance(ran.error, Interrupted)
    assert ran.seconds < 1.5


def test_cancelling_ends_the_wait_before_a_retry():
    with FakeAnthropic([api_error(529, "overloaded_error", "Overloaded", {"retry-after": "30"})]) as server:
        ran = run(claude(server.url), cancel_when=server.asked)
    assert isinstance(ran.error, Interrupted)
    assert ran.seconds < 1.5


# --- failures before the reply --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind", "error", "says"),
    [
        (401, "authentication_error", EngineUnreachable, "ANTHROPIC_API_KEY"),
        (403, "permission_error", EngineUnreachable, "may not use claude-sonnet-5-5"),
        (404, "not_found_error", EngineError, "--model"),
        (413, "request_too_large", EngineError, "too large"),
        (400, "invalid_request_error", EngineError, "rejected the request (400: the reason)"),
        (307, "moved", EngineError, "307"),
    ],
)
def test_a_status_that_another_try_cannot_mend_is_one_line_at_once(status, kind, error, says):
    with FakeAnthropic([api_error(status, kind, "the\nreason", {"location": "http://127.0.0.1:9/"})]) as server:
        ran = run(claude(server.url))
    assert isinstance(ran.error, error)
    assert says in ran.sentence
    assert "the reason" in ran.sentence
    assert ran.usage.retries == 0
    assert len(server.requests) == 1


@pytest.mark.parametrize(("status", "says"), [(429, "rate"), (500, "failing (500"), (529, "failing (529")])
def test_a_status_that_another_try_may_mend_is_tried_three_times(status, says):
    with FakeAnthropic([api_error(status, "busy", "the reason", {"retry-after-ms": "20"})]) as server:
        ran = run(claude(server.url))
    assert isinstance(ran.error, EngineError)
    assert says in ran.sentence
    assert len(server.requests) == 3
    assert ran.usage.retries == 2
    assert len(ran.retries) == 2
    assert ran.usage.model_calls == 1


def test_a_retried_request_runs_no_tool_twice():
    overloaded = api_error(529, "overloaded_error", "Overloaded", {"retry-after-ms": "20"})
    with FakeAnthropic([reply("Hm.", tool_use(*LOOK)), overloaded, reply(ANSWER)]) as server:
        ran = run(claude(server.url))
    assert ran.finished.text == ANSWER
    assert len(ran.toolbox.entries) == 1
    assert (ran.usage.model_calls, ran.usage.retries) == (2, 1)


def test_a_connection_that_breaks_before_the_answer_is_tried_again():
    with FakeAnthropic([Drop(), reply(ANSWER)]) as server:
        ran = run(claude(server.url))
    assert ran.finished.text == ANSWER
    assert ran.usage.retries == 1


@pytest.mark.parametrize("asked", ["3600", "Fri, 31 Dec 2100 23:59:59 GMT"])
def test_a_retry_after_beyond_the_deadline_ends_the_run_at_once(asked):
    with FakeAnthropic([api_error(429, "rate_limit_error", "Slow down", {"retry-after": asked})]) as server:
        ran = run(claude(server.url, remaining=counting_down(60)))
    assert isinstance(ran.error, EngineError)
    assert "asks to wait" in ran.sentence
    assert asked != "3600" or "3600 s (429)" in ran.sentence
    assert ran.seconds < 1.5
    assert len(server.requests) == 1
    assert ran.usage.retries == 0


def test_a_retry_is_told_when_it_happens_and_not_when_it_is_over():
    overloaded = api_error(529, "overloaded_error", "Overloaded", {"retry-after": "1.5"})
    with FakeAnthropic([overloaded, reply(ANSWER)]) as server:
        began = time.monotonic()
        at = [
            (type(e).__name__, time.monotonic() - began) for e in claude(server.url).run(CONVERSATION, FakeToolbox(), 8)
        ]
    told = dict(reversed(at))
    assert told["Retry"] < 1.2
    assert told["Text"] > 1.5
    assert [name for name, _ in at].index("Retry") < [name for name, _ in at].index("Waiting")


def test_the_server_decides_whether_another_try_is_worth_it():
    stop = api_error(503, "api_error", "Down for the night", {"x-should-retry": "false"})
    with FakeAnthropic([stop]) as server:
        run(claude(server.url))
    assert len(server.requests) == 1


def test_an_error_page_of_a_gateway_is_one_line():
    with FakeAnthropic([Status(502, "<html>\n<h1>Bad gateway</h1></html>", {"x-should-retry": "false"})]) as server:
        ran = run(claude(server.url))
    assert "failing (502" in ran.sentence


def test_no_key_is_one_line(monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    with FakeAnthropic([reply(ANSWER)]) as server:
        ran = run(claude(server.url, api_key=None))
    assert isinstance(ran.error, EngineUnreachable)
    assert "ANTHROPIC_API_KEY" in ran.sentence
    assert not server.requests
    assert ran.usage.model_calls == 0


def test_a_refused_connection_is_one_line_at_once():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ran = run(claude(f"http://127.0.0.1:{port}"))
    assert isinstance(ran.error, EngineUnreachable)
    assert f"cannot reach 127.0.0.1:{port}" in ran.sentence
    assert ran.usage.retries == 0


def test_a_server_that_speaks_no_tls_is_one_line():
    with FakeAnthropic([reply(ANSWER)]) as server:
        ran = run(claude(server.url.replace("http:", "https:")))
    assert isinstance(ran.error, EngineUnreachable)
    assert "TLS" in ran.sentence


def test_a_proxy_variable_does_not_hijack_a_loopback_address(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with FakeAnthropic([reply(ANSWER)]) as server:
        assert run(claude(server.url)).finished.text == ANSWER


@pytest.mark.parametrize("proxy", ["socks9://127.0.0.1:9", "nonsense://"])
def test_a_proxy_that_cannot_be_used_is_one_line(proxy, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", proxy)
    ran = run(claude("http://example.invalid"))
    assert isinstance(ran.error, EngineUnreachable)
    assert "cannot reach example.invalid" in ran.sentence
    assert "proxy" in ran.sentence.lower()


@pytest.mark.parametrize("url", ["api.example.com", "ftp://example.com", "http://", "file:///etc/passwd"])
def test_a_base_url_that_is_none_is_a_usage_error(url):
    with pytest.raises(UsageError, match="ANTHROPIC_BASE_URL"):
        claude(url)


def test_a_login_in_the_base_url_is_never_shown():
    engine = claude("http://user:hunter2@127.0.0.1:9/v1")
    ran = run(engine)
    assert "hunter2" not in engine.host + ran.sentence
