"""Kubernetes quantities ("250m", "1.5Gi", "1e3"): read exactly, write back short."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

_SUFFIXES = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    "k": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "T": Decimal(10**12),
    "P": Decimal(10**15),
    "E": Decimal(10**18),
    "Ki": Decimal(2**10),
    "Mi": Decimal(2**20),
    "Gi": Decimal(2**30),
    "Ti": Decimal(2**40),
    "Pi": Decimal(2**50),
    "Ei": Decimal(2**60),
}
# Bounded on purpose: no cluster holds such a number, and a text of a million digits must not cost a second.
_GRAMMAR = re.compile(
    r"([+-]?(?:[0-9]{1,32}(?:\.[0-9]{0,32})?|\.[0-9]{1,32}))(?:([eE][+-]?[0-9]{1,2})|([KMGTPE]i|[numkMGTPE]))?"
)
_BINARY = ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki")


def quantity(value: str | int | float | None) -> Decimal:
    """The plain number a quantity stands for: cores for CPU, bytes for memory, a count for the rest.

    None is 0. Raises ValueError, saying what was odd, for anything the API's grammar does not allow.
    """
    if value is None:
        return Decimal(0)
    match = _GRAMMAR.fullmatch(str(value).strip())
    if match is None:
        raise ValueError(f"{str(value)[:40]!r} is not a quantity (like 250m, 2, 512Mi or 1e3)")
    number, exponent, suffix = match.groups()
    if exponent:
        return Decimal(number) * Decimal(10) ** int(exponent[1:])
    return Decimal(number) * _SUFFIXES[suffix or ""]


def format_cpu(cores: Decimal | float) -> str:
    """Cores as kubectl writes them: "250m", "2", "1500m"."""
    milli = _whole(Decimal(cores) * 1000)
    return str(milli // 1000) if milli % 1000 == 0 else f"{milli}m"


def format_bytes(count: Decimal | float) -> str:
    """Bytes in the largest binary unit that leaves at least 1, with at most one decimal: "512Mi", "1.5Gi"."""
    exact = Decimal(count)
    for suffix in _BINARY:
        unit = _SUFFIXES[suffix]
        if abs(exact) >= unit:
            tenths = _whole(exact / unit * 10)
            return f"{tenths // 10}{suffix}" if tenths % 10 == 0 else f"{Decimal(tenths) / 10}{suffix}"
    return str(_whole(exact))


def format_quantity(resource: str, amount: Decimal | float) -> str:
    """An amount of a named resource ("cpu", "memory", "requests.cpu", "nvidia.com/gpu") in its usual notation."""
    last = resource.rsplit(".", 1)[-1] if "/" not in resource else resource
    if last == "cpu":
        return format_cpu(amount)
    if last in ("memory", "ephemeral-storage", "storage") or last.startswith("hugepages-"):
        return format_bytes(amount)
    exact = Decimal(amount)
    return str(_whole(exact)) if exact == exact.to_integral_value() else str(exact.normalize())


def _whole(number: Decimal) -> int:
    return int(number.to_integral_value(rounding=ROUND_HALF_UP))
