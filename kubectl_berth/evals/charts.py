"""Rows of charts as inline SVG. Positions are percentages, so that a row is as wide as the page lets it be."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

HEIGHT = 18


def rate_row(passed: int, of: int, interval: Sequence[float] | None) -> str:
    """A share from 0 to 100 % as a dot, with its interval as a line."""
    share = passed / of if of else 0.0
    words = f"{passed} of {of} passed"
    parts = [f'<line class="axis" x1="0" x2="100%" y1="{HEIGHT / 2}" y2="{HEIGHT / 2}"/>']
    if interval is not None:
        low, high = interval
        words += f", interval {low:.0%} to {high:.0%}"
        parts.append(f'<line class="interval" x1="{_at(low)}" x2="{_at(high)}" y1="{HEIGHT / 2}" y2="{HEIGHT / 2}"/>')
    kind = "all" if passed == of else "none" if not passed else "some"
    parts.append(f'<circle class="dot {kind}" cx="{_at(share)}" cy="{HEIGHT / 2}" r="5"/>')
    return _svg(words, parts)


def bar_row(value: float, most: float, words: str, mark: float | None = None) -> str:
    """A value as a bar, the longest bar being `most`; `mark` is a limit it is held against."""
    over = " over" if mark is not None and value > mark else ""
    parts = [f'<rect class="bar{over}" x="0" y="4" width="{_part(value, most)}" height="{HEIGHT - 8}" rx="2"/>']
    if mark is not None:
        parts.append(f'<line class="mark" x1="{_part(mark, most)}" x2="{_part(mark, most)}" y1="1" y2="{HEIGHT - 1}"/>')
    return _svg(words, parts)


def two_bars_row(first: float, second: float, most: float, words: str) -> str:
    """Two values behind one another, the longest sum being `most`."""
    parts = [
        f'<rect class="bar" x="0" y="4" width="{_part(first, most)}" height="{HEIGHT - 8}"/>',
        f'<rect class="bar second" x="{_part(first, most)}" y="4" width="{_part(second, most)}" '
        f'height="{HEIGHT - 8}"/>',
    ]
    return _svg(words, parts)


def _svg(words: str, parts: Sequence[str]) -> str:
    label = escape(words, quote=True)
    return (
        f'<svg width="100%" height="{HEIGHT}" role="img" aria-label="{label}"><title>{label}</title>'
        + "".join(parts)
        + "</svg>"
    )


def _at(share: float) -> str:
    """A place on the axis that leaves room for the dot at both ends."""
    return f"{2 + 96 * share:.2f}%"


def _part(value: float, most: float) -> str:
    return f"{98 * value / most if most else 0:.2f}%"
