"""List prices of Claude models, and what a run cost by them. Everything here is an estimate.

Sources: Anthropic's pricing page and the models' own pages as of the rows' date. Bedrock bills through AWS, at the
same rates on its global endpoints.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kubectl_berth.records import Cost, Usage

MILLION = 1_000_000
REGIONAL = 1.1
"""What an endpoint of one region or geography costs on Bedrock, against the global one."""

OWN_RATES = "AI_PRICE_*"
"""Stands where a date would, for the person's own rates have none."""

GLOBAL_PREFIX = "global."
BEDROCK_MARK = "anthropic."


@dataclass(frozen=True)
class Row:
    """Dollars per million tokens: input, output, written to the cache for five minutes and for an hour, read from it.

    `above` is the row that holds for a whole request whose prompt, cached tokens included, exceeds `limit` tokens.
    """

    input: float
    output: float
    write: float
    write_hour: float
    read: float
    as_of: str = "2026-11-30"
    limit: int | None = None
    above: Row | None = None


_HAIKU_LONG = Row(0.50, 2.50, 0.625, 1.00, 0.05)
_FABLE_5_1 = Row(10, 50, 12.50, 20, 0.25)
_FABLE_5_2 = Row(8, 40, 10, 16, 0.20)
_FABLE_5 = Row(10, 50, 12.50, 20, 1.00)
_OPUS = Row(5, 25, 6.25, 10, 0.50)
_SONNET_4 = Row(3, 15, 3.75, 6, 0.30)

ROWS: dict[str, Row] = {
    "claude-fable-5-2": _FABLE_5_2,
    "claude-mythos-5-2": _FABLE_5_2,
    "claude-fable-5-1": _FABLE_5_1,
    "claude-mythos-5-1": _FABLE_5_1,
    "claude-fable-5": _FABLE_5,
    "claude-mythos-5": _FABLE_5,
    "claude-opus-5-5": Row(4, 20, 5, 8, 0.20),
    "claude-opus-5": _OPUS,
    "claude-opus-4-8": _OPUS,
    "claude-opus-4-7": _OPUS,
    "claude-opus-4-6": _OPUS,
    "claude-opus-4-5": _OPUS,
    "claude-sonnet-5-5": Row(2, 10, 2.50, 4, 0.10),
    "claude-sonnet-5": Row(2, 10, 2.50, 4, 0.20),
    "claude-sonnet-4-6": _SONNET_4,
    "claude-sonnet-4-5": _SONNET_4,
    "claude-haiku-5-5": Row(0.10, 0.50, 0.125, 0.20, 0.01, limit=100_000, above=_HAIKU_LONG),
    "claude-haiku-4-5": Row(1, 5, 1.25, 2, 0.10),
}
"""By model id. The longest id that is part of the asked one wins; a date that follows it is no part of it."""


def price(model: str) -> Row | None:
    """The row for a model id of any provider, None where there is none."""
    fitting = [known for known in ROWS if re.search(re.escape(known) + r"(?!\d)", model)]
    return ROWS[max(fitting, key=len)] if fitting else None


def with_own_rates(row: Row | None, input: float | None, output: float | None) -> Row | None:
    """`row` with the person's own dollars per million tokens in the place of the listed ones.

    An own rate for input sets the rates of cached tokens too: a tenth of it for reads, 1.25 and 2 times for writes.
    None where a rate is missing that neither the person nor the table gives.
    """
    if input is None and output is None:
        return row
    if input is not None:
        out = output if output is not None else row.output if row else None
        return None if out is None else Row(input, out, input * 1.25, input * 2, input / 10, OWN_RATES)
    if row is None or output is None:
        return None
    above = row.above and replace(row.above, output=output)
    return replace(row, output=output, as_of=OWN_RATES, above=above)


def cost(
    calls: Usage | Sequence[Usage], model: str, *, own_input: float | None = None, own_output: float | None = None
) -> Cost | None:
    """What these model calls cost, each priced by the size of its own prompt; None where no price is known.

    One Usage of several calls is priced by their average prompt. `own_input` and `own_output` are the person's own
    dollars per million tokens (AI_PRICE_IN_PER_MTOK, AI_PRICE_OUT_PER_MTOK).
    """
    listed = price(model)
    if listed is not None and is_regional(model):
        listed = _scaled(listed, REGIONAL)
    row = with_own_rates(listed, own_input, own_output)
    if row is None:
        return None
    each = [calls] if isinstance(calls, Usage) else calls
    return Cost(round(sum(_of_call(call, row) for call in each), 8), row.as_of)


def is_regional(model: str) -> bool:
    """True for a Bedrock id that names a geography or no endpoint at all, and so not the global one."""
    return BEDROCK_MARK in model and GLOBAL_PREFIX + BEDROCK_MARK not in model


def _scaled(row: Row, factor: float) -> Row:
    return replace(
        row,
        input=row.input * factor,
        output=row.output * factor,
        write=row.write * factor,
        write_hour=row.write_hour * factor,
        read=row.read * factor,
        above=row.above and _scaled(row.above, factor),
    )


def _of_call(call: Usage, row: Row) -> float:
    prompt = call.input_tokens + call.cache_read_tokens + call.cache_write_tokens
    if row.above is not None and row.limit is not None and prompt > row.limit * max(call.model_calls, 1):
        row = row.above
    return (
        call.input_tokens * row.input
        + call.output_tokens * row.output
        + (call.cache_write_tokens - call.cache_write_hour_tokens) * row.write
        + call.cache_write_hour_tokens * row.write_hour
        + call.cache_read_tokens * row.read
    ) / MILLION
