"""Budgets and --max-cost hold a paid run before anything is sent, and nobody else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import anthropic, ollama
from tests.process import Ended, berth, snapshot, start, surroundings

CALL = ("list_pods", {"namespace": "shop"})
ANSWER = "shop/web-0 crashes with exit code 3."
USED = {"input_tokens": 1000, "output_tokens": 200}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path, ANTHROPIC_API_KEY="any" + "thing", AI_DATA_DIR=str(tmp_path / "data"))


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "moment"))


def script(calls: int = 1) -> list[anthropic.Reply]:
    asking = [anthropic.reply("Hm.", anthropic.tool_use(*CALL), usage=USED) for _ in range(calls)]
    return [*asking, anthropic.reply(ANSWER, usage=USED)]


def asked(fake: Any, env: dict[str, str], moment: str, *flags: str, **variables: str) -> Ended:
    arguments = ["ask", "why?", "--snapshot", moment, "--engine", "claude", "-o", "json", *flags]
    return berth(*arguments, env={**env, "ANTHROPIC_BASE_URL": fake.url, **variables})


def test_a_run_within_its_budget_is_noted_and_shown(env: dict[str, str], moment: str) -> None:
    with anthropic.FakeAnthropic(script()) as fake:
        ended = asked(fake, env, moment, "--max-cost", "1", AI_BUDGET_DAILY_TOKENS="50000")
    found = json.loads(ended.out)
    assert (ended.status, found["outcome"], len(fake.requests)) == (0, "answered", 2)
    # Sonnet 5.5: $2 and $10 for a million
    assert found["cost"]["usd"] == pytest.approx(2 * (1000 * 2 + 200 * 10) / 1e6)
    listed = json.loads(berth("usage", "-o", "json", env=env).out)
    (row,) = listed["usage"]
    assert (row["engine"], row["model"], row["runs"]) == ("claude", "claude-sonnet-5-5", 1)
    assert (row["model_calls"], row["input_tokens"], row["output_tokens"]) == (2, 2000, 400)
    assert (row["reserved_tokens"], row["usd"]) == (0, found["cost"]["usd"])
    shown = berth("usage", "--since", "1d", env=env | {"AI_BUDGET_DAILY_TOKENS": "3000"})
    assert "claude-sonnet-5-5" in shown.out and "$0.0080" in shown.out
    assert shown.err == "today's budget: 600 of 3,000 tokens left\n"
    assert "no model call" in berth("usage", "--since", "2999-01-01", env=env).err
    assert berth("usage", "--since", "soon", env=env).status == 2


def test_nothing_is_sent_where_the_budget_is_spent(env: dict[str, str], moment: str) -> None:
    with anthropic.FakeAnthropic(script()) as fake:
        ended = asked(fake, env, moment, AI_BUDGET_DAILY_TOKENS="9000")
    found = json.loads(ended.out)
    assert (ended.status, found["outcome"], fake.requests) == (6, "over-budget", [])
    assert found["error"].startswith("the day's budget of 9,000 tokens (AI_BUDGET_DAILY_TOKENS) has 9,000 left")
    assert found["trace"] == [] and found["usage"]["model_calls"] == 0


def test_the_next_call_is_held_too_and_what_was_found_is_kept(env: dict[str, str], moment: str) -> None:
    limits = {"AI_BUDGET_MONTHLY_TOKENS": "4000", "AI_RESERVE_TOKENS": "1500"}
    with anthropic.FakeAnthropic(script(calls=5)) as fake:
        ended = asked(fake, env, moment, **limits)
    found = json.loads(ended.out)
    # 1,200 a call: 0 + 1,500 and 1,200 + 1,500 and 2,400 + 1,500 fit into 4,000; 3,600 + 1,500 does not
    assert (ended.status, found["outcome"], len(fake.requests)) == (6, "over-budget", 3)
    assert [entry["fate"] for entry in found["trace"]] == ["ok", "repeated", "repeated"]
    assert found["usage"]["input_tokens"] == 3000
    assert "AI_BUDGET_MONTHLY_TOKENS" in found["error"]


def test_the_most_that_a_run_may_cost(env: dict[str, str], moment: str) -> None:
    with anthropic.FakeAnthropic(script(calls=5)) as fake:
        # one reply of 8,192 tokens may cost 8.2 cents and its prompt one or two; a call takes 0.4
        ended = asked(fake, env, moment, "--max-cost", "0.10")
        held = asked(fake, env, moment, "--max-cost", "0.01")
        unknown = asked(fake, env, moment, "--max-cost", "1", "--model", "claude-nobody-knows")
    found = json.loads(ended.out)
    assert found["outcome"] in ("over-budget", "answered") and found["cost"]["usd"] <= 0.10
    refused = json.loads(held.out)
    assert (held.status, refused["outcome"], refused["usage"]["model_calls"]) == (6, "over-budget", 0)
    assert refused["error"].startswith("--max-cost is $0.01: about $0.0000 is spent")
    assert unknown.status == 2 and "no price is known for claude-nobody-knows" in unknown.err


def test_a_ledger_that_cannot_be_written_stops_who_is_paid_alone(
    env: dict[str, str], moment: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    env["AI_DATA_DIR"] = str(tmp_path / "file" / "data")
    with anthropic.FakeAnthropic(script()) as fake:
        paid = asked(fake, env, moment)
    found = json.loads(paid.out)
    assert (paid.status, found["outcome"], fake.requests) == (6, "over-budget", [])
    assert "cannot be written down" in found["error"] and "AI_DATA_DIR" in found["error"]
    rules = berth("ask", "why?", "--snapshot", moment, "--engine", "rules", env=env)
    assert (rules.status, rules.err.count("run was not recorded")) == (0, 1)
    with ollama.FakeOllama([ollama.reply(ANSWER)]) as local:
        own = berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", env=env | {"OLLAMA_HOST": local.url})
    assert (own.status, own.out) == (0, ANSWER + "\n")
    # one warning, whatever could not be written
    assert own.err.count("cannot be") == 1


def test_three_runs_at_once_share_what_is_left(env: dict[str, str], moment: str) -> None:
    with anthropic.FakeAnthropic(lambda body: anthropic.reply(ANSWER, usage=USED)) as fake:
        variables = {"AI_BUDGET_DAILY_TOKENS": "2500", "AI_RESERVE_TOKENS": "1200", "ANTHROPIC_BASE_URL": fake.url}
        arguments = ["ask", "why?", "--snapshot", moment, "--engine", "claude", "-o", "json"]
        running: list[subprocess.Popen[bytes]] = [start(*arguments, env=env | variables) for _ in range(3)]
        outputs = [process.communicate(timeout=60)[0] for process in running]
    assert sorted(process.returncode for process in running) == [0, 0, 6]
    assert sorted(json.loads(output)["outcome"] for output in outputs) == ["answered", "answered", "over-budget"]
    assert len(fake.requests) == 2


def test_a_reader_that_is_gone_leaves_nothing_reserved(env: dict[str, str], moment: str) -> None:
    with anthropic.FakeAnthropic(script(calls=3)) as fake:
        variables = {**env, "ANTHROPIC_BASE_URL": fake.url, "AI_BUDGET_DAILY_TOKENS": "50000"}
        asking = ("ask", "why?", "--snapshot", moment, "--engine", "claude", "-o", "jsonl")
        with start(*asking, env=variables) as running:
            assert running.stdout is not None
            assert any(b'"model_call"' in line for line in running.stdout)
            running.stdout.close()
            assert running.wait(30) == 141
    (row,) = json.loads(berth("usage", "-o", "json", env=env).out)["usage"]
    assert row["reserved_tokens"] == 0
