"""kubectl berth doctor on engines, data policy and budget: it says what a run here would really do."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.process import Ended, berth, surroundings

KEY = "sk-" + "ant-" + "x" * 30


def looked_at(ended: Ended) -> dict[str, Any]:
    return {point["name"]: point for point in json.loads(ended.out)["points"]}


def doctor(home: Path, *flags: str, **variables: str) -> Ended:
    """Without a kubeconfig: its status is that of the cluster, the rest is looked at all the same."""
    return berth("doctor", "-o", "json", *flags, env=surroundings(home, **variables))


@pytest.mark.parametrize(
    ("variables", "engine", "words"),
    [
        ({"ANTHROPIC_API_KEY": f"{KEY}\nx"}, "claude", "ANTHROPIC_API_KEY holds what no key does"),
        ({"ANTHROPIC_API_KEY": "schl\u00fcssel"}, "claude", "ANTHROPIC_API_KEY holds what no key does"),
        ({"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "nowhere"}, "claude", "ANTHROPIC_BASE_URL is no http"),
        ({"AWS_BEARER_TOKEN_BEDROCK": "x" * 20, "AWS_REGION": "../x"}, "bedrock", "'../x' is no AWS region"),
        (
            {
                "AWS_BEARER_TOKEN_BEDROCK": "x" * 20,
                "AWS_REGION": "eu-central-1",
                "ANTHROPIC_BEDROCK_BASE_URL": "x",
            },
            "bedrock",
            "ANTHROPIC_BEDROCK_BASE_URL is no http",
        ),
    ],
)
def test_what_auto_would_take_and_could_not_use(
    variables: dict[str, str], engine: str, words: str, tmp_path: Path
) -> None:
    if engine == "bedrock":
        pytest.importorskip("botocore")
    found = looked_at(doctor(tmp_path, **variables))
    assert (found["engine"]["state"], found["engine"]["details"]["engine"]) == ("failed", engine)
    assert words in found["engine"]["summary"]
    assert "on this machine" not in found["data policy"]["summary"]
    asked = berth("ask", "why", "--scenario", "oomkilled", env=surroundings(tmp_path, **variables))
    assert asked.status in (2, 4)
    assert asked.out == ""


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"ANTHROPIC_API_KEY": KEY}, "is set (whether it is valid shows at the first call)"),
        ({"ANTHROPIC_API_KEY": "hello-there"}, "does not begin with sk-ant-"),
        # a gateway's keys have their own form
        ({"ANTHROPIC_API_KEY": "hello-there", "ANTHROPIC_BASE_URL": "http://gateway.example"}, "is set (whether"),
        ({"ANTHROPIC_AUTH_TOKEN": "hello-there"}, "--engine claude goes by ANTHROPIC_AUTH_TOKEN"),
    ],
)
def test_what_is_said_of_a_key(variables: dict[str, str], words: str, tmp_path: Path) -> None:
    ended = doctor(tmp_path, **variables)
    found = looked_at(ended)["engine"]["details"]
    claude = next(each for each in found["engines"] if each["name"] == "claude")
    assert claude["usable"] is True
    assert words in claude["why"]
    # auto goes by the key alone
    assert found["engine"] == ("claude" if "ANTHROPIC_API_KEY" in variables else "rules")
    assert not any(value in ended.out for name, value in variables.items() if not name.endswith("URL"))


def test_engine_policy_and_budget(tmp_path: Path) -> None:
    variables = {"ANTHROPIC_API_KEY": KEY, "AI_BUDGET_DAILY_TOKENS": "50000", "ANTHROPIC_MODEL": "claude-x"}
    ended = doctor(tmp_path, **variables)
    assert KEY not in ended.out + ended.err
    found = looked_at(ended)
    assert found["engine"]["summary"] == "a run takes claude (claude-x) (auto)"
    policy = found["data policy"]
    assert policy["details"] == {"raw_diagnostics": False, "host": "api.anthropic.com", "source": "default"}
    assert found["budget"]["details"] == {"today": {"limit": 50000, "left": 50000}}
    allowed = doctor(tmp_path, AI_ALLOW_RAW_DIAGNOSTICS="true", **variables)
    assert "may go to claude on api.anthropic.com (AI_ALLOW_RAW_DIAGNOSTICS in the environment)" in allowed.out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_paid_engine_needs_a_place_to_write_down_what_it_takes(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0o500)
    found = looked_at(doctor(tmp_path, ANTHROPIC_API_KEY=KEY, AI_DATA_DIR=str(tmp_path / "shut" / "data")))
    assert found["budget"]["state"] == "failed"
    found = looked_at(doctor(tmp_path, AI_DATA_DIR=str(tmp_path / "shut" / "data")))
    assert found["budget"]["state"] == "ok"


def test_a_place_that_is_a_file_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = looked_at(doctor(tmp_path, ANTHROPIC_API_KEY=KEY, AI_DATA_DIR=str(tmp_path / "file" / "data")))
    assert found["budget"]["state"] == "failed"
    assert "set AI_DATA_DIR" in found["budget"]["summary"]
