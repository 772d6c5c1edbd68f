"""Durations as kubectl takes them: whole seconds, or 1m30s."""

from __future__ import annotations

import re

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_DURATION = re.compile(rf"\+?(?:{_PART.pattern})+")
_LONGEST = 2**63 / 1e9
"""Seconds that kubectl's durations can hold."""


def seconds_of(text: str) -> float | None:
    """The seconds, None for what is no duration or too long for one."""
    if re.fullmatch(r"\+?[0-9]+", text):
        seconds = float(text) if len(text) < 30 else _LONGEST
    elif _DURATION.fullmatch(text):
        seconds = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    else:
        return None
    return seconds if seconds < _LONGEST else None
