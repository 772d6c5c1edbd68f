"""Figures in prose: what a number with its unit amounts to, whatever unit somebody wrote it in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

Dimension = Literal["bytes", "cores", "percent", "seconds", "plain"]

_K, _KI = 1000.0, 1024.0
UNITS: dict[str, tuple[tuple[Dimension, float], ...]] = {
    "%": (("percent", 1),),
    "percent": (("percent", 1),),
    "b": (("bytes", 1),),
    "bytes": (("bytes", 1),),
    "ki": (("bytes", _KI),),
    "mi": (("bytes", _KI**2),),
    "gi": (("bytes", _KI**3),),
    "ti": (("bytes", _KI**4),),
    # what people write for a GiB
    "kb": (("bytes", _K), ("bytes", _KI)),
    "mb": (("bytes", _K**2), ("bytes", _KI**2)),
    "gb": (("bytes", _K**3), ("bytes", _KI**3)),
    "tb": (("bytes", _K**4), ("bytes", _KI**4)),
    # 100m is a tenth of a core, and 5m five minutes
    "m": (("cores", 0.001), ("seconds", 60)),
    "millicores": (("cores", 0.001),),
    "millicore": (("cores", 0.001),),
    "core": (("cores", 1),),
    "cores": (("cores", 1),),
    "cpu": (("cores", 1),),
    "cpus": (("cores", 1),),
    "vcpu": (("cores", 1),),
    "vcpus": (("cores", 1),),
    "ms": (("seconds", 0.001),),
    "s": (("seconds", 1),),
    "sec": (("seconds", 1),),
    "second": (("seconds", 1),),
    "seconds": (("seconds", 1),),
    "min": (("seconds", 60),),
    "mins": (("seconds", 60),),
    "minute": (("seconds", 60),),
    "minutes": (("seconds", 60),),
    "h": (("seconds", 3600),),
    "hour": (("seconds", 3600),),
    "hours": (("seconds", 3600),),
    "d": (("seconds", 86400),),
    "day": (("seconds", 86400),),
    "days": (("seconds", 86400),),
}
UNITS |= {f"{prefix}ib": UNITS[f"{prefix}i"] for prefix in "kmgt"}

_NAMES = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
AMOUNT = re.compile(
    rf"(?<![\w.,])(?<![a-zA-Z_]-)({_NUMBER})(?:[ -]?({_NAMES})(?![\w%]))?(?![\w]|[.,]\d)"
    # the end of a range may follow, the rest of a name may not
    rf"(?!-(?!\d+(?:\.\d+)?(?:[ ]?(?:{_NAMES}))?(?![\w-]|\.\d))\w)",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"\s*(?:-|–|to)\s*~?{_NUMBER}[ ]?({_NAMES})(?!\w)", re.IGNORECASE)
MOST_COMBINED = 300
"""Figures of one dimension up to which pairs are tried; with more of them every sum would be found."""
_AGE = re.compile(r"(?<![\w.-])((?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?)(?![\w])")
_PART = re.compile(r"(\d+)([dhms])")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?|(?<![\d:])\d\d:\d\d(?::\d\d)?(?![\d:])")


@dataclass(frozen=True)
class Amount:
    """One figure. `number` as it was written, `places` its decimals, `unit` in lower case, "" for none."""

    text: str
    number: float
    places: int
    unit: str
    start: int
    end: int

    def readings(self) -> tuple[tuple[Dimension, float], ...]:
        """What it may amount to: dimension and value in its base unit (bytes, cores, percent, seconds)."""
        return tuple((kind, self.number * factor) for kind, factor in UNITS.get(self.unit, (("plain", 1.0),)))


def without_moments(text: str) -> str:
    """The text with dates and times of day blanked out: their digits are no figures."""
    return _MOMENT.sub(lambda match: " " * len(match.group()), text)


def amounts(text: str) -> Iterator[Amount]:
    """Every figure of the text, in order."""
    for match in AMOUNT.finditer(text):
        digits = match[1].replace(",", "")
        places = len(digits.partition(".")[2])
        unit = match[2] or ""
        if not unit and (span := _RANGE.match(text, match.end())):
            unit = span[1]
        yield Amount(match.group(), float(digits), places, unit.lower(), *match.span())


def ages(text: str) -> Iterator[float]:
    """Spans of time as Kubernetes writes them (3d2h, 5m32s), in seconds."""
    for match in _AGE.finditer(text):
        parts = _PART.findall(match[1])
        if len(parts) > 1:
            yield sum(float(number) * UNITS[unit][0 if unit != "m" else 1][1] for number, unit in parts)


class Figures:
    """The figures of the evidence."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.values: dict[Dimension, set[float]] = {}
        for text in map(without_moments, texts):
            for amount in amounts(text):
                for kind, value in amount.readings():
                    self.values.setdefault(kind, set()).add(value)
            self.values.setdefault("seconds", set()).update(ages(text))

    def holds(self, amount: Amount, *, about: bool = False) -> bool:
        """Whether the evidence has this figure, in any unit, as far as it was rounded; `about` allows a tenth."""
        plain = self.values.get("plain", set())
        if amount.number in plain:
            return True
        for kind, value in amount.readings():
            factor = value / amount.number if amount.number else 1.0
            known = self.values.get(kind, set()) if kind == "plain" else self.values.get(kind, set()) | plain
            loose = 0.12 if kind == "seconds" or (about and kind != "percent") else 0.001
            slack = max(0.51 * 10**-amount.places * factor, abs(value) * loose, 2.0 * (about and kind == "percent"))
            if any(abs(each - value) <= slack for each in known):
                return True
        return False

    def derives(self, amount: Amount, sentence: Iterable[Amount], answer: Iterable[Amount]) -> bool:
        """Whether it was worked out: a ratio of two figures of its sentence, or a sum or difference of two known ones.

        `answer` are the answer's figures that the evidence has.
        """
        values = [value for other in sentence if other != amount for _, value in other.readings()]
        for kind, value in amount.readings():
            if kind in ("percent", "plain"):
                wanted = value / 100 if kind == "percent" else value
                if kind == "percent" and any(
                    abs(100 - each - value) <= 0.51 for each in self.values.get("percent", ())
                ):
                    return True
                if any(b and abs(a / b - wanted) <= max(0.015, wanted * 0.06) for a in values for b in values):
                    return True
                continue
            known = self.values.get(kind, set()) | {
                each for other in answer for of, each in other.readings() if of == kind
            }
            slack = abs(value) * 0.06
            if len(known) <= MOST_COMBINED and any(
                min(abs(a - b - value), abs(a + b - value)) <= slack for a in known for b in known
            ):
                return True
        return False
