"""What of thinking and effort is sent to which model, by hand from Anthropic's pages."""

from __future__ import annotations

import pytest

from kubectl_berth.engines.claude_models import thinking_and_effort

ADAPTIVE = {"type": "adaptive", "display": "summarized"}
OFF = {"type": "disabled"}


def sent(model, thinking="adaptive", effort="high"):
    extras = thinking_and_effort(model, thinking, effort)
    return extras.parameters.get("thinking"), extras.parameters.get("output_config", {}).get("effort"), extras.notices


@pytest.mark.parametrize(
    "model",
    [
        *("claude-fable-5-2", "claude-fable-5-1", "claude-fable-5", "claude-mythos-5-2", "claude-opus-5-5"),
        *("claude-opus-5", "claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6"),
        *("claude-sonnet-5-5", "claude-sonnet-5", "claude-sonnet-4-6", "claude-haiku-5-5"),
        *("global.anthropic.claude-opus-4-8", "claude-opus-7"),
    ],
)
def test_the_defaults_are_sent_as_they_are_where_a_model_takes_them(model):
    assert sent(model) == (ADAPTIVE, "high", ())


def test_models_before_adaptive_thinking_get_none_and_the_effort_they_know():
    assert sent("claude-opus-4-5")[:2] == (None, "high")
    assert sent("claude-sonnet-4-5-20250929")[:2] == (None, None)
    assert sent("claude-haiku-4-5")[:2] == (None, None)
    assert len(sent("claude-haiku-4-5")[2]) == 2


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("claude-opus-5-5", ADAPTIVE),
        ("claude-fable-5", ADAPTIVE),
        ("claude-sonnet-5-5", {"type": "between_tools"}),
        ("claude-haiku-5-5", OFF),
        ("claude-opus-5", OFF),
        ("claude-sonnet-5", OFF),
        ("claude-opus-4-8", OFF),
        ("claude-sonnet-4-5", None),
    ],
)
def test_thinking_turned_off_becomes_what_the_model_accepts(model, thinking):
    assert sent(model, "disabled")[0] == thinking


@pytest.mark.parametrize(
    ("model", "thinking", "asked", "effort"),
    [
        ("claude-opus-5-5", "adaptive", "max", "max"),
        ("claude-opus-5-5", "adaptive", "xhigh", "xhigh"),
        ("claude-opus-4-6", "adaptive", "xhigh", "high"),
        ("claude-opus-4-6", "adaptive", "max", "max"),
        ("claude-opus-4-5", "adaptive", "max", "high"),
        ("claude-opus-5", "disabled", "max", "high"),
        ("claude-sonnet-5-5", "between_tools", "xhigh", "high"),
        ("claude-sonnet-5", "disabled", "max", "max"),
        ("claude-opus-5-5", "adaptive", "low", "low"),
    ],
)
def test_an_effort_beyond_the_model_becomes_the_highest_it_takes(model, thinking, asked, effort):
    found = sent(model, thinking, asked)
    assert found[1] == effort
    assert bool(found[2]) is (asked != effort)


def test_no_setting_sends_nothing():
    assert sent("claude-opus-5-5", "", "") == (None, None, ())
