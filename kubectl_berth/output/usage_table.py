"""What model calls took: a table for a person, rows for a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubectl_berth.records import Spent

HEADS = ("day", "engine", "model", "runs", "calls", "in", "cached", "out", "about")
LEFT = 3
"""Columns that are words, and stand to the left."""


def usage_table(found: Sequence[Spent], total: Spent) -> str:
    """The rows under their heads, the total last; a line each."""
    rows = [HEADS, *map(_row, found), _row(total)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            text.ljust(width) if at < LEFT else text.rjust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _row(spent: Spent) -> tuple[str, ...]:
    used = spent.usage
    price = f"${spent.usd:.4f}"
    if spent.unpriced:
        price = "no price" if spent.unpriced == spent.runs else f"{price} and {spent.unpriced} without a price"
    return (
        spent.day,
        spent.engine,
        spent.model,
        f"{spent.runs:,}",
        f"{used.model_calls:,}",
        f"{used.input_tokens + used.cache_write_tokens:,}",
        f"{used.cache_read_tokens:,}",
        f"{used.output_tokens:,}",
        price,
    )


def spent_document(spent: Spent) -> dict[str, Any]:
    """One row as fields."""
    used = spent.usage
    return {
        "day": spent.day,
        "engine": spent.engine,
        "model": spent.model,
        "runs": spent.runs,
        "model_calls": used.model_calls,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cache_read_tokens": used.cache_read_tokens,
        "cache_write_tokens": used.cache_write_tokens,
        "retries": used.retries,
        "reserved_tokens": spent.reserved,
        "usd": round(spent.usd, 6),
        "without_price": spent.unpriced,
        "estimate": True,
    }
