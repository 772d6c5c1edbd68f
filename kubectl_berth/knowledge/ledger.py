"""What model calls took, run by run, and the budgets that paid ones are admitted by.

A run reserves before it spends. Whether a reservation fits is decided and written in one transaction, so that runs at
the same time never take the same tokens twice. What a run that was killed had reserved stays reserved until the end
of its month: nobody knows what it spent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kubectl_berth.errors import OverBudget
from kubectl_berth.knowledge.store import Store, has_table
from kubectl_berth.records import Spent, Usage

_SCHEMA = """
CREATE TABLE IF NOT EXISTS spending (
  run TEXT PRIMARY KEY, day TEXT NOT NULL, engine TEXT NOT NULL, model TEXT NOT NULL, paid INTEGER NOT NULL,
  calls INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL, retries INTEGER NOT NULL, usd REAL, reserved INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS spending_by_day ON spending (day)
"""
_TOKENS = "input + output + cache_read + cache_write + reserved"
_UPSERT = """
INSERT INTO spending VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)
ON CONFLICT (run) DO UPDATE SET calls = excluded.calls, input = excluded.input, output = excluded.output,
  cache_read = excluded.cache_read, cache_write = excluded.cache_write, retries = excluded.retries,
  usd = excluded.usd, reserved = excluded.reserved
"""


@dataclass(frozen=True)
class Budgets:
    """Tokens of all kinds that paid engines may take in a day and in a month, both by UTC; None is no limit."""

    daily: int | None = None
    monthly: int | None = None


@dataclass(frozen=True)
class Spending:
    """What one run took so far. `usd` is None where no price is known."""

    run: str
    day: str
    engine: str
    model: str
    paid: bool
    usage: Usage
    usd: float | None = None


def day_of(seconds: float) -> str:
    """The UTC day of a moment given in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def admit(store: Store, spending: Spending, reserve: int, budgets: Budgets) -> None:
    """Notes what the run took so far and reserves `reserve` tokens more for it.

    Raises OverBudget where they do not fit, with nothing reserved, and StoreError.
    """
    with store.writing(_SCHEMA) as connection:
        _write(connection, spending, 0)
        refusal = _refusal(connection, spending.day, reserve, budgets)
        if not refusal:
            _write(connection, spending, reserve)
    if refusal:
        raise OverBudget(refusal)


def note(store: Store, spending: Spending) -> None:
    """Notes what the run took in the end; nothing stays reserved for it. Raises StoreError."""
    with store.writing(_SCHEMA) as connection:
        _write(connection, spending, 0)


def spent(store: Store, since: str = "") -> list[Spent]:
    """What was taken from the day `since` on (YYYY-MM-DD), by day, engine and model, newest day first.

    A run that ended before its first model call took nothing and is no part of it.
    Raises StoreError.
    """
    with store.reading() as connection:
        if connection is None or not has_table(connection, "spending"):
            return []
        rows = connection.execute(
            "SELECT day, engine, model, count(*), sum(calls), sum(input), sum(output), sum(cache_read),"
            " sum(cache_write), sum(retries), total(usd), sum(usd IS NULL), sum(reserved) FROM spending"
            " WHERE day >= ? AND (calls > 0 OR reserved > 0) GROUP BY day, engine, model"
            " ORDER BY day DESC, engine, model",
            (since,),
        ).fetchall()
    return [_spent(row) for row in rows]


def total(found: Sequence[Spent]) -> Spent:
    """All of them as one row, called `in all`. `found` is not empty."""
    return Spent(
        "in all",
        "",
        "",
        sum(each.runs for each in found),
        sum((each.usage for each in found[1:]), found[0].usage),
        sum(each.usd for each in found),
        sum(each.unpriced for each in found),
        sum(each.reserved for each in found),
    )


def taken(store: Store, period: str) -> int:
    """Tokens that paid engines took or reserved on a day (YYYY-MM-DD) or in a month (YYYY-MM). Raises StoreError."""
    with store.reading() as connection:
        return 0 if connection is None or not has_table(connection, "spending") else _taken(connection, period)


def _taken(connection: sqlite3.Connection, period: str) -> int:
    found = connection.execute(
        f"SELECT coalesce(sum({_TOKENS}), 0) FROM spending WHERE paid AND day LIKE ?", (f"{period}%",)
    ).fetchone()
    return int(found[0])


def _refusal(connection: sqlite3.Connection, day: str, reserve: int, budgets: Budgets) -> str:
    """Why `reserve` tokens more do not fit, "" where they do."""
    held = (
        ("day's", "AI_BUDGET_DAILY_TOKENS", budgets.daily, day, "tomorrow (UTC)"),
        ("month's", "AI_BUDGET_MONTHLY_TOKENS", budgets.monthly, day[:7], "the next month (UTC)"),
    )
    for whose, variable, limit, period, later in held:
        if limit is None:
            continue
        used = _taken(connection, period)
        if used + reserve > limit:
            return (
                f"the {whose} budget of {limit:,} tokens ({variable}) has {max(limit - used, 0):,} left and the next "
                f"model call may take {reserve:,}: raise it, wait for {later}, or use --engine rules"
            )
    return ""


def _write(connection: sqlite3.Connection, spending: Spending, reserved: int) -> None:
    usage = spending.usage
    connection.execute(
        _UPSERT,
        (
            spending.run,
            spending.day,
            spending.engine,
            spending.model,
            int(spending.paid),
            usage.model_calls,
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            usage.retries,
            spending.usd,
            reserved,
        ),
    )


def _spent(row: Sequence[object]) -> Spent:
    day, engine, model, *counts = row
    runs, calls, input_, output, read, write, retries, usd, unpriced, reserved = (_number(each) for each in counts)
    usage = Usage(int(calls), int(input_), int(output), int(read), int(write), int(retries))
    return Spent(str(day), str(engine), str(model), int(runs), usage, usd, int(unpriced), int(reserved))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
