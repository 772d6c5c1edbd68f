"""Figures in text, with their units brought to one measure: 0.25 Gi is 256Mi, 1500m is 1.5 cores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kubectl_berth.cluster.quantities import quantity

Measure = Literal["bytes", "cpu", "percent", "plain"]

_BYTES = {
    "ki": 2**10,
    "mi": 2**20,
    "gi": 2**30,
    "ti": 2**40,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "g": 10**9,
    "mebibytes": 2**20,
    "gibibytes": 2**30,
    "megabytes": 10**6,
    "gigabytes": 10**9,
}
_CPU = {
    "m": 1e-3,
    "millicores": 1e-3,
    "millicore": 1e-3,
    "cores": 1,
    "core": 1,
    "cpu": 1,
    "cpus": 1,
    "vcpu": 1,
    "vcpus": 1,
}
_UNITS = "|".join(sorted((*_BYTES, *_CPU), key=len, reverse=True))
_FIGURE = re.compile(
    rf"(?<![\w.:/-])(?:~|about )?(\d{{1,12}}(?:[.,]\d+)?)(?:\s?(%|percent\b|(?:{_UNITS})\b(?!\w)))?"
    rf"(?:\s?(?:-|–|to|/)\s?(\d{{1,12}}(?:\.\d+)?)\s?(%|percent\b|(?:{_UNITS})\b))?(?![\w])"
)


@dataclass(frozen=True)
class Figure:
    """One figure at `start`..`end` of a normalised text. Bytes, cores, percent, or what is counted."""

    value: float
    measure: Measure
    start: int
    end: int


def figures(text: str) -> Iterator[Figure]:
    """Every figure of a normalised text; of a range ("140-155m") both ends, with the unit of the second."""
    for match in _FIGURE.finditer(text):
        first, unit, second, other = match.groups()
        yield _figure(first, unit or other or "", match)
        if second:
            yield _figure(second, other, match)


def _figure(number: str, unit: str, match: re.Match[str]) -> Figure:
    thousands = re.fullmatch(r"\d{1,3},\d{3}", number)
    value = float(number.replace(",", "" if thousands else "."))
    where = match.start(1), match.end()
    if unit in _BYTES:
        return Figure(value * _BYTES[unit], "bytes", *where)
    if unit in _CPU:
        return Figure(value * _CPU[unit], "cpu", *where)
    return Figure(value, "percent" if unit in ("%", "percent") else "plain", *where)


def measured(written: str) -> tuple[float, Measure]:
    """A check's own quantity: "256Mi" in bytes, "150m" in cores, "82%" in percent, "22" plain."""
    if written.endswith("%"):
        return float(quantity(written[:-1])), "percent"
    if written.endswith("m"):
        return float(quantity(written)), "cpu"
    return float(quantity(written)), "plain" if written[-1].isdigit() else "bytes"


def comparable(figure: Figure, measure: Measure) -> bool:
    """Whether a figure speaks of the same thing; a plain number may be cores and the other way round."""
    return figure.measure == measure or {figure.measure, measure} == {"plain", "cpu"}
