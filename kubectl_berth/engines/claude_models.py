"""What each Claude model takes of thinking and effort. What a model rejects is not sent, and said once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kubectl_berth.settings import EFFORTS

_TO_HIGH = ("low", "medium", "high")


@dataclass(frozen=True)
class Abilities:
    """`thinking` are the types a model accepts, `efforts` the levels, `calm` those it accepts without full thinking."""

    thinking: tuple[str, ...]
    efforts: tuple[str, ...] = EFFORTS
    calm: tuple[str, ...] = EFFORTS


_ALWAYS_THINKS = Abilities(("adaptive",))
_MAY_THINK = Abilities(("adaptive", "disabled"))
_FOUR_SIX = Abilities(("adaptive", "disabled"), (*_TO_HIGH, "max"))

ABILITIES: dict[str, Abilities] = {
    "fable-5": _ALWAYS_THINKS,
    "mythos-5": _ALWAYS_THINKS,
    "opus-5-5": _ALWAYS_THINKS,
    "sonnet-5-5": Abilities(("adaptive", "between_tools"), calm=_TO_HIGH),
    "haiku-5-5": _MAY_THINK,
    "opus-5": Abilities(("adaptive", "disabled"), calm=_TO_HIGH),
    "sonnet-5": _MAY_THINK,
    "opus-4-8": _MAY_THINK,
    "opus-4-7": _MAY_THINK,
    "opus-4-6": _FOUR_SIX,
    "sonnet-4-6": _FOUR_SIX,
    "opus-4-5": Abilities((), _TO_HIGH),
    "sonnet-4-5": Abilities((), ()),
    "haiku-4-5": Abilities((), ()),
}
"""By a part of the model id; the longest part that fits wins. An id that no row knows is taken for a newer model."""


@dataclass(frozen=True)
class Extras:
    """The parameters to send, and what to tell the person about those left out."""

    parameters: dict[str, Any] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def thinking_and_effort(model: str, thinking: str, effort: str) -> Extras:
    """The `thinking` and `output_config` parameters for this model; "" asks for the model's own default."""
    known = [part for part in ABILITIES if part in model]
    abilities = ABILITIES[max(known, key=len)] if known else _MAY_THINK
    chosen, thinking_notice = _thinking(model, abilities, thinking)
    calm = chosen.get("type") in ("disabled", "between_tools")
    level, effort_notice = _effort(model, abilities.calm if calm else abilities.efforts, effort)
    parameters: dict[str, Any] = {}
    if chosen:
        parameters["thinking"] = chosen
    if level:
        parameters["output_config"] = {"effort": level}
    return Extras(parameters, tuple(notice for notice in (thinking_notice, effort_notice) if notice))


def _thinking(model: str, abilities: Abilities, asked: str) -> tuple[dict[str, Any], str]:
    # the notes between tool calls arrive as thinking, and stay empty unless their display is asked for
    adaptive = {"type": "adaptive", "display": "summarized"}
    if not asked:
        return {}, ""
    if asked == "adaptive":
        return (adaptive, "") if asked in abilities.thinking else ({}, f"{model} has no adaptive thinking.")
    calmer = [kind for kind in (asked, "between_tools", "disabled") if kind in abilities.thinking]
    if calmer:
        return {"type": calmer[0]}, "" if calmer[0] == asked else f"{model} takes thinking {calmer[0]}, not {asked}."
    if not abilities.thinking:
        return {}, ""
    return adaptive, f"{model} always thinks: {asked} is not sent."


def _effort(model: str, levels: tuple[str, ...], asked: str) -> tuple[str, str]:
    if not asked or asked in levels:
        return asked, ""
    if not levels:
        return "", f"{model} takes no effort setting: {asked} is not sent."
    below = [level for level in levels if EFFORTS.index(level) < EFFORTS.index(asked)]
    return below[-1], f"{model} takes no effort {asked} here: {below[-1]} is sent."
