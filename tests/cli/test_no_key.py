"""Claude without a key: said at once, before anything is imported or announced."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.process import berth, snapshot, surroundings

NO_KEY = (
    "error: no key for the Anthropic API: set ANTHROPIC_API_KEY, or ask without a model with --engine rules, "
    "or a local one with --engine ollama"
)


def test_no_key_is_said_before_the_sdk_is_loaded_and_data_is_announced(tmp_path: Path) -> None:
    moment = snapshot(tmp_path / "moment")
    env = surroundings(tmp_path, PYTHONPROFILEIMPORTTIME="1")
    ended = berth("ask", "why?", "--snapshot", str(moment), "--engine", "claude", "-o", "json", env=env)
    said = [line for line in ended.err.splitlines() if not line.startswith("import time:")]
    assert (ended.status, said[0]) == (4, NO_KEY)
    assert "goes to Anthropic" not in ended.err
    assert json.loads(ended.out)["outcome"] == "engine-unreachable"
    loaded = {line.rpartition("|")[2].strip() for line in ended.err.splitlines() if line.startswith("import time:")}
    assert "click" in loaded and "anthropic" not in loaded


@pytest.mark.parametrize("place", ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "profile"])
def test_other_places_of_credentials_are_left_to_the_sdk(place: str, tmp_path: Path) -> None:
    moment = snapshot(tmp_path / "moment")
    env = surroundings(tmp_path, ANTHROPIC_BASE_URL="http://127.0.0.1:9")
    if place == "profile":
        (tmp_path / ".config" / "anthropic").mkdir(parents=True)
    else:
        env[place] = "X-Api-Key: some" if "HEADERS" in place else "some-token"
    ended = berth("ask", "why?", "--snapshot", str(moment), "--engine", "claude", env=env)
    # with a profile directory that holds none, the SDK's own look decides
    assert ended.status == 4 and "goes to Anthropic" in ended.err
    assert ("no key for" in ended.err) is (place == "profile")
