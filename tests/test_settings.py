"""Every setting once: which place wins, what each variable means, what a bad value says."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.environment import Environment
from kubectl_berth.errors import UsageError
from kubectl_berth.settings import SETTINGS, Settings, resolve


def surroundings(home: Path, **variables: str) -> Environment:
    return Environment(
        io.StringIO(), io.StringIO(), io.StringIO(), {"XDG_CONFIG_HOME": str(home), **variables}, home=home
    )


def settings_file(home: Path, content: str, name: str = "settings.yaml") -> Path:
    path = home / "kubectl-berth" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    return path


def test_defaults(tmp_path: Path) -> None:
    found = resolve({}, None, surroundings(tmp_path))
    assert found == Settings()
    assert (found.engine, found.max_iterations, found.max_tokens, found.timeout, found.num_ctx) == (
        "auto", 8, 8192, 180.0, 16384,
    )  # fmt: skip
    assert (found.effort, found.thinking, found.raw_diagnostics) == ("high", "adaptive", None)
    assert found.source("engine") == "default"


def test_flag_over_scenario_over_environment_over_file(tmp_path: Path) -> None:
    path = settings_file(tmp_path, "max_iterations: 2\nengine: rules\n")
    places: list[tuple[dict[str, Any], dict[str, Any], dict[str, str], int, str]] = [
        ({}, {}, {}, 2, str(path)),
        ({}, {}, {"AI_MAX_TOOL_ITERATIONS": "3"}, 3, "AI_MAX_TOOL_ITERATIONS in the environment"),
        ({}, {"max_iterations": 4}, {"AI_MAX_TOOL_ITERATIONS": "3"}, 4, "scenario disk-full"),
        ({"max_iterations": "5"}, {"max_iterations": 4}, {"AI_MAX_TOOL_ITERATIONS": "3"}, 5, "--max-iter"),
    ]
    for flags, scenario, variables, value, source in places:
        found = resolve(flags, scenario, surroundings(tmp_path, **variables), scenario_name="disk-full")
        assert (found.max_iterations, found.source("max_iterations")) == (value, source)
        assert found.engine == "rules"


@pytest.mark.parametrize(
    ("variable", "written", "name", "value"),
    [
        ("AI_PROVIDER", "anthropic", "engine", "claude"),
        ("AI_PROVIDER", "Ollama", "engine", "ollama"),
        ("ANTHROPIC_MODEL", "claude-opus-5", "anthropic_model", "claude-opus-5"),
        ("ANTHROPIC_BASE_URL", "https://gw.example", "anthropic_base_url", "https://gw.example"),
        ("AWS_REGION", "eu-west-1", "aws_region", "eu-west-1"),
        ("MODEL", "global.anthropic.claude-opus-4-8", "bedrock_model", "global.anthropic.claude-opus-4-8"),
        ("EFFORT", "low", "effort", "low"),
        ("AI_THINKING", "off", "thinking", "disabled"),
        ("MAX_TOKENS", "4096", "max_tokens", 4096),
        ("AI_MAX_TOOL_ITERATIONS", "12", "max_iterations", 12),
        ("AI_RUN_TIMEOUT_SECONDS", "90.5", "timeout", 90.5),
        ("AI_RUN_TIMEOUT_SECONDS", "1m30s", "timeout", 90.0),
        ("OLLAMA_HOST", "10.0.0.5:11434", "ollama_host", "10.0.0.5:11434"),
        ("OLLAMA_MODEL", "qwen3.5:9b", "ollama_model", "qwen3.5:9b"),
        ("OLLAMA_NUM_CTX", "32768", "num_ctx", 32768),
        ("OLLAMA_MAX_TOKENS", "2048", "ollama_max_tokens", 2048),
        ("AI_BUDGET_DAILY_TOKENS", "100000", "budget_daily_tokens", 100000),
        ("AI_BUDGET_MONTHLY_TOKENS", "0", "budget_monthly_tokens", 0),
        ("AI_RESERVE_TOKENS", "5000", "reserve_tokens", 5000),
        ("AI_PRICE_IN_PER_MTOK", "3", "price_in", 3.0),
        ("AI_PRICE_OUT_PER_MTOK", "15.5", "price_out", 15.5),
        ("AI_ALLOW_RAW_DIAGNOSTICS", "true", "raw_diagnostics", True),
        ("AI_ALLOW_RAW_DIAGNOSTICS", "FALSE", "raw_diagnostics", False),
        ("AI_DATA_DIR", "/var/lib/berth", "data_dir", "/var/lib/berth"),
    ],
)
def test_every_variable(variable: str, written: str, name: str, value: object, tmp_path: Path) -> None:
    found = resolve({}, None, surroundings(tmp_path, **{variable: written}))
    assert getattr(found, name) == value
    assert found.source(name) == f"{variable} in the environment"


def test_a_blank_variable_is_none(tmp_path: Path) -> None:
    blank = {variable: " " for setting in SETTINGS.values() for variable in setting.variables}
    assert resolve({}, None, surroundings(tmp_path, **blank)) == Settings()


@pytest.mark.parametrize(
    ("variable", "written", "words"),
    [
        ("AI_PROVIDER", "openai", "one of auto, rules, ollama, claude, bedrock"),
        ("AI_MAX_TOOL_ITERATIONS", "0", "a whole number, at least 1"),
        ("AI_MAX_TOOL_ITERATIONS", "8.5", "a whole number"),
        ("AI_RUN_TIMEOUT_SECONDS", "inf", "seconds above 0"),
        ("AI_ALLOW_RAW_DIAGNOSTICS", "maybe", "true or false"),
        ("OLLAMA_NUM_CTX", "12", "at least 1024"),
        ("AI_PRICE_IN_PER_MTOK", "-1", "at least 0"),
        ("EFFORT", "extreme", "low, medium, high, xhigh, max"),
    ],
)
def test_a_bad_value_says_where_it_stands(variable: str, written: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        resolve({}, None, surroundings(tmp_path, **{variable: written}))
    assert variable in str(raised.value) and words in str(raised.value) and repr(written) in str(raised.value)


def test_toml_and_yaml_mean_the_same(tmp_path: Path) -> None:
    settings_file(tmp_path, 'engine = "ollama"\nraw_diagnostics = false\ntimeout = 30\n', "settings.toml")
    found = resolve({}, None, surroundings(tmp_path))
    assert (found.engine, found.raw_diagnostics, found.timeout) == ("ollama", False, 30.0)
    settings_file(tmp_path, "engine: rules\n")
    with pytest.raises(UsageError, match="two settings files"):
        resolve({}, None, surroundings(tmp_path))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("settings.yaml", "engine: rules\nmax_iterations: true\n", "max_iterations"),
        ("settings.yaml", "engine: {a: b}\n", "one of"),
        ("settings.yaml", "a: b: c\n", "line 1"),
        ("settings.yaml", "modle: x\n", "did you mean 'model'"),
        ("settings.toml", "engine = \n", "not valid TOML"),
    ],
)
def test_a_broken_file_is_named(name: str, content: str, words: str, tmp_path: Path) -> None:
    path = settings_file(tmp_path, content, name)
    with pytest.raises(UsageError) as raised:
        resolve({}, None, surroundings(tmp_path))
    assert str(path) in str(raised.value) and words in str(raised.value)


def test_a_scenario_cannot_invent_settings(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="scenario odd: there is no setting 'speed'"):
        resolve({}, {"speed": 9}, surroundings(tmp_path), scenario_name="odd")
