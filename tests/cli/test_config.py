"""kubectl berth config: what is in force and where it came from; one value set, the rest of the file untouched."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.process import COMMAND, berth, surroundings


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
    assert file.read_text().splitlines() == [
        "# ours",
        "engine: ollama  # never a model",
        "runbooks: [/srv/c]",
        "timeout: 60",
    ]
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


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the settings file would be; its directory is there."""
    found = tmp_path / "config" / "kubectl-berth" / "settings.yaml"
    found.parent.mkdir(parents=True)
    return found


def test_of_keys_only_whether_they_are_set(env: dict[str, str]) -> None:
    key = "sk-" + "ant-" + "x" * 30
    for flags in ((), ("-o", "json")):
        shown = berth("config", "show", *flags, env=env | {"ANTHROPIC_API_KEY": key})
        assert shown.status == 0
        assert key not in shown.out + shown.err
    document = json.loads(shown.out)
    assert document["keys"] == [
        {"name": "ANTHROPIC_API_KEY", "set": True},
        {"name": "AWS_BEARER_TOKEN_BEDROCK", "set": False},
        {"name": "OLLAMA_API_KEY", "set": False},
    ]
    assert document["schema"] == "berth.dev/v1/config"
    assert document["file"] == berth("config", "path", env=env).out.strip()


def test_a_password_in_a_value_is_not_shown(env: dict[str, str]) -> None:
    password = "hunter2" + "hunter2"
    url = f"https://bob:{password}@gateway.example/v1"
    said = [
        berth("config", "set", "anthropic_base_url", url, env=env),
        berth("config", "show", env=env),
        berth("config", "show", "-o", "json", env=env),
        berth("config", "show", env=env | {"ANTHROPIC_BEDROCK_BASE_URL": f"{url}\x1b[31m"}),
    ]
    for ended in said:
        assert ended.status == 0
        assert password not in ended.out + ended.err
        assert "gateway.example" in ended.out + ended.err
        assert "\x1b" not in ended.out


def test_several_values_and_taking_one_out(env: dict[str, str], file: Path) -> None:
    file.write_text("# ours\nengine: rules\n")
    assert berth("config", "set", "runbooks", "/srv/a", "/srv/b c", env=env).status == 0
    assert settings_of(env)["runbooks"] == (["/srv/a", "/srv/b c"], str(file))
    assert file.read_text() == "# ours\nengine: rules\nrunbooks: [/srv/a, /srv/b c]\n"
    assert berth("config", "unset", "runbooks", env=env).status == 0
    assert berth("config", "unset", "engine", env=env).status == 0
    assert file.read_text() == "# ours\n"
    assert settings_of(env)["engine"] == ("auto", "default")
    again = berth("config", "unset", "engine", env=env)
    assert (again.status, again.err) == (0, f"engine does not stand in {file}\n")
    several = berth("config", "set", "engine", "rules", "ollama", env=env)
    assert (several.status, file.read_text()) == (2, "# ours\n")


@pytest.mark.parametrize(
    "text",
    [
        "{engine: rules}\n",
        "timeout: 60\n...\n",
        "engine: a\nengine: b\n",
        '"engine": rules\nmodel: |\n  a\n',
        "- a\n",
        "a: b: c\n",
        "a: [\n",
    ],
)
def test_a_file_that_is_not_one_setting_a_line_is_left_alone(text: str, env: dict[str, str], file: Path) -> None:
    file.write_text(text)
    ended = berth("config", "set", "engine", "ollama", env=env)
    assert (ended.status, file.read_text()) == (2, text)
    assert ended.err == f"error: {file} is not written as one setting a line: change engine there by hand\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("engine: rules\r\ntimeout: 60\r\n", "engine: ollama\r\ntimeout: 60\r\n"),
        ("timeout: 60", "timeout: 60\nengine: ollama\n"),
        ("engine: 'a # b'  # c\n", "engine: ollama\n"),
        ("engine: gpt\n", "engine: ollama\n"),
        ("# nothing\n", "# nothing\nengine: ollama\n"),
    ],
)
def test_lines_end_as_they_did(before: str, after: str, env: dict[str, str], file: Path) -> None:
    file.write_bytes(before.encode())
    assert berth("config", "set", "engine", "ollama", env=env).status == 0
    assert file.read_bytes().decode() == after


def test_the_path_is_told_of_a_file_that_cannot_be_read(env: dict[str, str], file: Path) -> None:
    file.write_text("engine: [\n")
    assert berth("config", "path", env=env).out == f"{file}\n"
    shown = berth("config", "show", env=env)
    assert shown.status == 2
    assert f"{file}, line 2: not valid YAML" in shown.err


def test_a_new_file_is_private_and_a_full_disk_keeps_the_old_one(env: dict[str, str], tmp_path: Path) -> None:
    assert berth("config", "set", "engine", "rules", env=env).status == 0
    file = tmp_path / "config" / "kubectl-berth" / "settings.yaml"
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    words = ["bash", "-c", 'ulimit -f 0; exec "$@"', "bash", *COMMAND, "config", "set", "engine", "ollama"]
    full = {**env, "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(words, env=full, capture_output=True, text=True, check=False)
    assert (ended.returncode, file.read_text()) == (2, "engine: rules\n")
    assert [path.name for path in file.parent.iterdir()] == ["settings.yaml"]
    # a link stays one, and so do the rights of what it leads to
    kept = tmp_path / "dotfiles.yaml"
    file.rename(kept)
    file.symlink_to(kept)
    assert berth("config", "set", "engine", "ollama", env=env).status == 0
    assert file.is_symlink()
    assert (kept.read_text(), kept.stat().st_mode & 0o777) == ("engine: ollama\n", 0o644)


def test_a_name_that_no_setting_has_can_be_taken_out(env: dict[str, str], file: Path) -> None:
    file.write_text("engin: rules\ntimeout: 60\n")
    assert berth("config", "show", env=env).status == 2
    assert berth("config", "unset", "engin", env=env).status == 0
    assert (file.read_text(), berth("config", "show", env=env).status) == ("timeout: 60\n", 0)
    gone = berth("config", "unset", "engin", env=env)
    assert (gone.status, file.read_text()) == (2, "timeout: 60\n")


def test_taking_out_what_is_not_there_makes_no_file(env: dict[str, str], tmp_path: Path) -> None:
    assert berth("config", "unset", "engine", env=env).status == 0
    assert not (tmp_path / "config").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_is_left_alone(env: dict[str, str], file: Path) -> None:
    file.write_text("engine: rules\n")
    file.chmod(0o444)
    ended = berth("config", "set", "engine", "ollama", env=env)
    assert (ended.status, file.read_text()) == (2, "engine: rules\n")
    assert ended.err == f"error: {file} cannot be written: Permission denied\n"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("model", "a\nb: c", "model must be text without line breaks and other control characters"),
        ("runbooks", "/srv/\x1b[31m", "runbooks must be text without line breaks and other control characters"),
        (
            "ollama_host",
            "::::",
            "OLLAMA_HOST is no host, host:port or http(s) URL: give one like http://127.0.0.1:11434",
        ),
        ("anthropic_base_url", "nowhere", "ANTHROPIC_BASE_URL is no http or https URL"),
        ("timeout", "1e300", "timeout must be seconds above 0, a year at most, or a time like 1m30s, not '1e300'"),
        ("timeout", "-3", "timeout must be seconds above 0, a year at most, or a time like 1m30s, not '-3'"),
        ("max_cost", "-0.5", "max_cost must be a number, at least 0, not '-0.5'"),
    ],
)
def test_what_a_run_would_refuse_is_not_written(
    name: str, value: str, words: str, env: dict[str, str], tmp_path: Path
) -> None:
    ended = berth("config", "set", name, value, env=env)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert ended.err.startswith(f"error: {words}")
    assert not (tmp_path / "config").exists()


def test_a_timeout_may_be_a_time(env: dict[str, str]) -> None:
    assert berth("config", "set", "timeout", "1m30s", env=env).status == 0
    assert settings_of(env)["timeout"][0] == 90.0


def test_defaults_in_force_are_shown(env: dict[str, str], tmp_path: Path) -> None:
    found = settings_of({name: value for name, value in env.items() if name != "OLLAMA_HOST"})
    assert found["anthropic_model"] == ("claude-sonnet-5-5", "default")
    assert found["bedrock_model"] == ("global.anthropic.claude-opus-4-8", "default")
    assert found["ollama_host"] == ("http://127.0.0.1:11434", "default")
    assert found["anthropic_base_url"] == ("https://api.anthropic.com", "default")


def test_a_name_that_stands_twice_is_said(env: dict[str, str], file: Path) -> None:
    file.write_text("engine: rules\ntimeout: 60\nengine: ollama\n")
    shown = berth("config", "show", "-o", "json", env=env)
    assert shown.err == f"note: engine stands more than once in {file}; the last one counts\n"


def test_the_data_directory_does_not_follow_the_current_one(env: dict[str, str], file: Path, tmp_path: Path) -> None:
    file.write_text("data_dir: kept\n")
    assert settings_of(env)["data_dir"] == (str(file.parent / "kept"), str(file))
    ended = berth("config", "show", env=env | {"AI_DATA_DIR": "kept"})
    assert (ended.status, ended.err) == (
        2,
        "error: AI_DATA_DIR in the environment must be an absolute path, or begin with ~/, not 'kept'\n",
    )
    assert settings_of(env | {"AI_DATA_DIR": "~/kept"})["data_dir"][0] == "~/kept"
    assert berth("config", "set", "data_dir", "here", env=env).status == 0
    assert settings_of(env)["data_dir"][0] == str(Path.cwd() / "here")
