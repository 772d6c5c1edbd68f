"""Claude on Bedrock over the real SDK and botocore: what is sent, how replies end, and every failure as one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kubectl_berth.engines.bedrock import make_bedrock
from kubectl_berth.engines.claude_loop import Ways
from kubectl_berth.engines.last_call import ANSWER_NOW
from kubectl_berth.errors import EngineError, EngineUnreachable, Interrupted, UsageError
from kubectl_berth.records import Thinking
from tests.engines.runs import run
from tests.fakes.anthropic import obeying, reply, stubborn, thinking, tool_use
from tests.fakes.bedrock import MODEL, FakeBedrock, bedrock_error, model_of
from tests.fakes.loopback import Cut, Drop, Hang, Raw, Short
from tests.fakes.prompt_cache import PromptCache
from tests.process import berth, snapshot, surroundings

LOOK = ("list_pods", {"namespace": "data"})
ANSWER = "ledger-db-3 is not ready."
CAPS = (1, 2, 3)
TOKEN = "bearer" + "-" + "token"


@pytest.fixture(autouse=True)
def _no_aws(monkeypatch, tmp_path):
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "aws-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "aws-credentials"))


def bedrock(url, model=MODEL, *, token=TOKEN, region="eu-central-1", **ways):
    return make_bedrock(model, Ways(**ways), aws_region=region, token=token, base_url=url)


def marks(body):
    """Where a request bears cache marks: "system", or the number of a message."""
    told = [number for number, m in enumerate(body["messages"]) if isinstance(m["content"], list)]
    return [
        *("system" for block in body["system"] if "cache_control" in block),
        *(n for n in told for block in body["messages"][n]["content"] if "cache_control" in block),
    ]


# --- what is sent ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("obeys", [True, False])
def test_the_cap_holds_as_on_the_anthropic_api(cap, obeys):
    script = obeying(ANSWER, *[LOOK] * 5) if obeys else stubborn(*LOOK)
    with FakeBedrock(script) as server:
        ran = run(bedrock(server.url), cap)
    bodies = [request.body for request in server.requests]
    assert (ran.finished.reason, ran.finished.forced) == ("end" if obeys else "tool-calls", True)
    assert (len(bodies), len(ran.toolbox.entries)) == (cap, cap - 1)
    assert [body.get("tool_choice") for body in bodies] == [None] * (cap - 1) + [{"type": "none"}]
    assert all(body["tools"] == bodies[0]["tools"] and body["tools"] for body in bodies)
    assert [json.dumps(body).count(json.dumps(ANSWER_NOW)[1:-1]) for body in bodies] == [0] * (cap - 1) + [1]


def test_a_bearer_token_is_sent_and_the_model_stands_in_the_path():
    with FakeBedrock(obeying(ANSWER, LOOK)) as server:
        ran = run(bedrock(server.url))
    assert ran.finished.text == ANSWER
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {TOKEN}"}
    assert {model_of(request) for request in server.requests} == {MODEL}
    assert all("anthropic_beta" not in request.body for request in server.requests)


@pytest.mark.parametrize("blank", [None, ""])
def test_without_a_token_requests_are_signed_with_the_chain_of_credentials(monkeypatch, blank):
    if blank is not None:
        monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", blank)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AK" + "IDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "made-up")
    with FakeBedrock([reply(ANSWER)]) as server:
        assert run(bedrock(server.url, token=None)).finished.text == ANSWER
    signed = server.requests[0].headers["authorization"]
    assert signed.startswith("AWS4-HMAC-SHA256 Credential=AK" + "IDEXAMPLE/")
    assert "/eu-central-1/bedrock/aws4_request" in signed


def test_a_profile_gives_credentials_and_region(monkeypatch, tmp_path):
    (tmp_path / "aws-config").write_text("[profile ops]\nregion = ap-northeast-1\n")
    (tmp_path / "aws-credentials").write_text(
        "[ops]\naws_access_key_id = " + "AK" + "IDOPS\naws_secret_access_key = made-up\n"
    )
    monkeypatch.setenv("AWS_PROFILE", "ops")
    with FakeBedrock([reply(ANSWER)]) as server:
        assert run(bedrock(server.url, token=None, region=None)).finished.text == ANSWER
    assert "AK" + "IDOPS" in server.requests[0].headers["authorization"]
    assert "/ap-northeast-1/bedrock/" in server.requests[0].headers["authorization"]


def test_the_marks_of_the_cache_roll_over_the_results_and_none_is_on_them_in_the_last_call():
    with FakeBedrock(stubborn(*LOOK)) as server:
        run(bedrock(server.url), 6)
    assert [marks(request.body) for request in server.requests] == [
        *(["system"], ["system", 2], ["system", 2, 4], ["system", 4, 6], ["system", 6, 8], ["system"]),
    ]


def test_each_call_reads_from_the_cache_what_the_one_before_left_there():
    with FakeBedrock(stubborn(*LOOK), PromptCache()) as server:
        ran = run(bedrock(server.url), 6)
    calls = [(each.cache_write_tokens, each.cache_read_tokens) for each in ran.engine.calls]
    assert [read for _, read in calls[1:-1]] == [wrote + read for wrote, read in calls[:-2]]
    assert all(wrote > 0 for wrote, _ in calls[:-1])
    assert calls[-1] == (0, calls[0][0])


def test_nothing_before_a_thought_changes_but_cache_marks():
    steps = [reply(thinking(f"Thought {n}."), tool_use(*LOOK)) for n in range(4)]
    with FakeBedrock([*steps, reply(ANSWER)]) as server:
        assert run(bedrock(server.url), 5).finished.text == ANSWER


def test_thinking_is_shown_and_sent_back_unchanged():
    with FakeBedrock([reply(thinking("The database first."), tool_use(*LOOK)), reply(ANSWER)]) as server:
        ran = run(bedrock(server.url))
    assert "".join(event.text for event in ran.events if isinstance(event, Thinking)) == "The database first."
    assert server.requests[1].body["messages"][1]["content"][0]["thinking"] == "The database first."


def test_where_the_data_goes_is_told():
    assert bedrock(None).host == "bedrock-runtime.eu-central-1.amazonaws.com"
    assert bedrock(None).name == "bedrock"


# --- models ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        *("global.anthropic.claude-opus-5-5", "us.anthropic.claude-sonnet-5-5", "eu.anthropic.claude-opus-4-7"),
        *("jp.anthropic.claude-sonnet-5", "us-gov.anthropic.claude-haiku-5-5", "global.anthropic.claude-fable-5-2"),
        "arn:aws:bedrock:eu-central-1:111122223333:inference-profile/eu.anthropic.claude-opus-4-8",
        "arn:aws:bedrock:eu-central-1:111122223333:application-inference-profile/abc123",
    ],
)
def test_ids_with_a_prefix_and_arns_are_asked(model):
    assert bedrock(None, model).model == model


def test_an_arn_is_one_segment_of_the_path():
    model = "arn:aws:bedrock:eu-central-1:111122223333:inference-profile/eu.anthropic.claude-opus-4-8"
    with FakeBedrock([reply(ANSWER)]) as server:
        # the fake does not know ARNs: what counts is how it was asked
        run(bedrock(server.url, model))
    assert model_of(server.requests[0]) == model
    assert "inference-profile%2Feu." in server.requests[0].path


@pytest.mark.parametrize(
    "model",
    [
        *("global.anthropic.claude-opus-4-6-v1", "us.anthropic.claude-sonnet-4-6", "anthropic.claude-sonnet-4-6"),
        *("eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "global.anthropic.claude-haiku-4-5-20251001-v1:0"),
        *("us.anthropic.claude-opus-4-20250514-v1:0", "anthropic.claude-3-5-sonnet-20241022-v2:0"),
        *("us.anthropic.claude-3-haiku-20240307-v1:0", "anthropic.claude-v2:1", "anthropic.claude-instant-v1"),
        "arn:aws:bedrock:us-east-1:111122223333:inference-profile/us.anthropic.claude-opus-4-6-v1",
    ],
)
def test_a_model_that_the_sdks_api_version_leaves_out_is_one_line_before_anything_is_sent(model):
    with pytest.raises(UsageError, match=r"older than Claude 4\.7.*2026-10-21") as raised:
        bedrock(None, model)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("model", "profile"),
    [
        ("anthropic.claude-opus-4-8", "global.anthropic.claude-opus-4-8"),
        ("claude-opus-5-5", "global.anthropic.claude-opus-5-5"),
    ],
)
def test_an_id_that_needs_an_inference_profile_is_one_line_that_names_one(model, profile):
    with pytest.raises(UsageError, match="inference profile") as raised:
        bedrock(None, model)
    assert profile in str(raised.value)
    assert profile.replace("global", "global.anthropic") not in str(raised.value)


def test_a_model_of_another_maker_is_one_line():
    with pytest.raises(UsageError, match="no Claude model"):
        bedrock(None, "amazon.nova-pro-v1:0")


# --- region and credentials -----------------------------------------------------------------------------------------


def test_no_region_is_one_line():
    with pytest.raises(EngineUnreachable, match="AWS_REGION"):
        bedrock(None, region=None)


def test_a_region_that_is_none_is_a_usage_error():
    with pytest.raises(UsageError, match="no AWS region"):
        bedrock(None, region="frankfurt/../x")


def test_a_profile_that_is_not_there_is_one_line(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "absent")
    with pytest.raises(EngineUnreachable, match="absent"):
        bedrock(None, region=None)
    with FakeBedrock([reply(ANSWER)]) as server:
        # the SDK keeps its session by region
        ran = run(bedrock(server.url, token=None, region="us-west-1"))
    assert isinstance(ran.error, EngineUnreachable)
    assert "absent" in ran.sentence
    assert not server.requests


def test_no_credentials_is_one_line():
    with FakeBedrock([reply(ANSWER)]) as server:
        ran = run(bedrock(server.url, token=None, region="us-west-2"))
    assert isinstance(ran.error, EngineUnreachable)
    assert "AWS_BEARER_TOKEN_BEDROCK" in ran.sentence
    assert not server.requests


# --- failures -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "message", "error", "says"),
    [
        (400, "Invocation of model ID x with on-demand throughput isn't supported.", EngineError, "inference profile"),
        (400, "The provided model identifier is invalid.", EngineError, "list-inference-profiles"),
        (400, "anthropic_version: value not allowed", EngineError, "older than Claude 4.7"),
        (400, "messages: too many", EngineError, "rejected the request (400: messages: too many)"),
        (403, "The security token included in the request is expired", EngineUnreachable, "renew"),
        (403, "Authentication failed: Please make sure your API Key is valid.", EngineUnreachable, "renew"),
        (403, "You don't have access to the model with the specified model ID.", EngineUnreachable, "may not use"),
        (404, "Model use case details have not been submitted.", EngineError, "list-inference-profiles"),
        (413, "too large", EngineError, "too large"),
        (424, "The model failed.", EngineError, "424: The model failed."),
    ],
)
def test_errors_that_hold_only_a_message_are_one_line(status, message, error, says):
    with FakeBedrock([bedrock_error(status, message)]) as server:
        ran = run(bedrock(server.url))
    assert isinstance(ran.error, error)
    assert says in ran.sentence
    assert message in ran.sentence
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [429, 503])
def test_throttling_is_tried_three_times(status):
    with FakeBedrock([bedrock_error(status, "Too many requests", {"retry-after-ms": "20"})]) as server:
        ran = run(bedrock(server.url))
    assert isinstance(ran.error, EngineError)
    assert "Too many requests" in ran.sentence
    assert (len(server.requests), ran.usage.retries, ran.usage.model_calls) == (3, 2, 1)


def test_an_exception_frame_inside_the_stream_is_an_error_and_no_answer():
    with FakeBedrock([reply("Half an", error=("throttlingException", "Slow down"))]) as server:
        ran = run(bedrock(server.url))
    assert isinstance(ran.error, EngineError)
    assert "Slow down" in ran.sentence
    assert ran.usage.input_tokens > 0


WHOLE = reply("The database is fine and everything is well.")


@pytest.mark.parametrize("fault", [Cut(WHOLE, 4), Cut(WHOLE, 4, reset=True), Short(WHOLE, 4), Short(WHOLE, 8)])
def test_a_stream_that_ends_early_is_an_error_and_no_answer(fault):
    with FakeBedrock([reply("Hm.", tool_use(*LOOK)), fault]) as server:
        ran = run(bedrock(server.url))
    assert isinstance(ran.error, EngineError)
    assert len(ran.toolbox.entries) == 1


@pytest.mark.parametrize("body", [b"<html>Sign in to the network, please do</html>", b"", b"\0" * 64])
def test_what_is_no_event_stream_is_one_line(body):
    with FakeBedrock([Raw(body)]) as server:
        ran = run(bedrock(server.url))
    assert isinstance(ran.error, EngineError)
    assert "did not answer like Bedrock" in ran.sentence


def test_a_connection_that_breaks_before_the_answer_is_tried_again():
    with FakeBedrock([Drop(), reply(ANSWER)]) as server:
        ran = run(bedrock(server.url))
    assert ran.finished.text == ANSWER
    assert ran.usage.retries == 1


@pytest.mark.parametrize("fault", [Hang(WHOLE, 4), Hang(WHOLE, silent=True)])
def test_cancelling_cuts_the_connection_at_once(fault):
    with FakeBedrock([fault]) as server:
        ran = run(bedrock(server.url), cancel_when=server.asked)
        assert server.hung_up.wait(1)
    assert isinstance(ran.error, Interrupted)
    assert ran.seconds < 1.5


# --- through the front door -----------------------------------------------------------------------------------------


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(
        tmp_path, AWS_EC2_METADATA_DISABLED="true", AWS_BEARER_TOKEN_BEDROCK=TOKEN, AWS_REGION="us-east-1"
    )


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "moment"))


def test_auto_takes_bedrock_where_a_token_and_a_region_are(env: dict[str, str], moment: str) -> None:
    usage = {"input_tokens": 1_000_000, "output_tokens": 0}
    with FakeBedrock([reply("web-0 crashes.", usage=usage)]) as fake:
        env["ANTHROPIC_BEDROCK_BASE_URL"] = fake.url
        ended = berth("ask", "why?", "--snapshot", moment, "-o", "json", env=env)
        found = json.loads(ended.out)
        assert (found["engine"], found["model"], found["answer"]) == ("bedrock", MODEL, "web-0 crashes.")
        assert "auto chose bedrock" in ended.err
        assert f"goes to AWS Bedrock, {MODEL}, at 127.0.0.1:{fake.port}" in ended.err
        assert found["cost"]["usd"] == 5.0
        env["MODEL"] = "us.anthropic.claude-opus-4-8"
        ended = berth("ask", "why?", "--snapshot", moment, "-o", "json", env=env)
        assert json.loads(ended.out)["cost"]["usd"] == 5.5


def test_auto_says_why_it_leaves_bedrock_out(env: dict[str, str], moment: str) -> None:
    del env["AWS_REGION"]
    ended = berth("ask", "why?", "--snapshot", moment, "-o", "json", env=env)
    assert json.loads(ended.out)["engine"] == "rules"
    assert "AWS_REGION" in ended.err


def test_bedrock_without_its_extra_is_one_line(env: dict[str, str], moment: str, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden" / "botocore"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'botocore'\", name='botocore')\n")
    env["PYTHONPATH"] = f"{hidden.parent}:{env['PYTHONPATH']}"
    ended = berth("ask", "why?", "--snapshot", moment, "--engine", "bedrock", env=env)
    assert (ended.status, ended.out) == (4, "")
    assert "pip install 'kubectl-berth[bedrock]'" in ended.err
    assert len(ended.err.strip().splitlines()) <= 2
    ended = berth("ask", "why?", "--snapshot", moment, "-o", "json", env=env)
    assert json.loads(ended.out)["engine"] == "rules"
    assert "kubectl-berth[bedrock]" in ended.err


@pytest.mark.parametrize("model", ["us.anthropic.claude-opus-4-6-v1", "anthropic.claude-opus-4-8", "amazon.nova-pro"])
def test_a_model_that_cannot_be_asked_says_where_it_was_named(env: dict[str, str], moment: str, model: str) -> None:
    env["MODEL"] = model
    ended = berth("ask", "why?", "--snapshot", moment, "--engine", "bedrock", env=env)
    assert (ended.status, ended.out) == (2, "")
    assert "MODEL in the environment" in ended.err and model in ended.err
