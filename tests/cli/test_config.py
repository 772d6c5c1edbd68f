"""kubectl berth config: what is in force and where it came from; one value set, the rest of the file untouched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.process import berth, surroundings


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {**surroundings(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def settings_of(env: dict[str, str]) -> dict[str, tuple[object, str]]:
    shown = berth("config", "show", "-o", "json", env=env)
    assert shown.status == 0
    return {each["name"]: (each["value"], each["source"]) for each in json.loads(shown.out)["settings"]}


def test_every_value_says_where_it_came_from(env: dict[str, str]) -> None:
    berth("config", "set", "num_ctx", "32768", env=env)
    found = settings_of(env | {"EFFORT": "low"})
    assert found["max_iterations"] == (8, "default")
    assert found["effort"] == ("low", "EFFORT in the environment")
    value, source = found["num_ctx"]
    assert value == 32768 and source.endswith("settings.yaml")


def test_setting_one_keeps_comments_and_the_others(env: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "config" / "kubectl-berth" / "settings.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("# ours\nengine: rules  # never a model\nrunbooks:\n  - /srv/a\n  - /srv/b\ntimeout: 60\n")
    assert berth("config", "set", "engine", "ollama", env=env).status == 0
    assert berth("config", "set", "runbooks", "/srv/c", env=env).status == 0
    assert file.read_text().splitlines() == ["# ours", "engine: ollama", "runbooks: [/srv/c]", "timeout: 60"]
    assert berth("config", "path", env=env).out.strip() == str(file)


def test_a_value_that_cannot_be_is_refused_and_nothing_is_written(env: dict[str, str], tmp_path: Path) -> None:
    for name, value in (("num_ctx", "many"), ("engine", "gpt"), ("no_such", "1")):
        done = berth("config", "set", name, value, env=env)
        assert done.status == 2 and done.err.startswith("error: ")
    assert not (tmp_path / "config").exists()


def test_a_variable_that_wins_is_said(env: dict[str, str]) -> None:
    done = berth("config", "set", "effort", "low", env=env | {"EFFORT": "max"})
    assert done.status == 0 and "EFFORT" in done.err


def test_a_setting_that_there_is_not_is_named_as_typed(env: dict[str, str]) -> None:
    ended = berth("config", "set", "foo", "bar", env=env)
    assert ended.status == 2
    assert ended.err.startswith("error: there is no setting 'foo'")
