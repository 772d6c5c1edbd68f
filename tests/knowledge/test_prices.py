"""Every row of the price table, pinned by hand from Anthropic's pages, and the rules around it."""

from __future__ import annotations

import pytest

from kubectl_berth.knowledge.prices import ROWS, cost, price
from kubectl_berth.records import Usage

# model: input, output, write for 5 minutes, write for an hour, read; dollars per million tokens
PINNED = {
    "claude-fable-5-2": (8, 40, 10, 16, 0.20),
    "claude-mythos-5-2": (8, 40, 10, 16, 0.20),
    "claude-fable-5-1": (10, 50, 12.50, 20, 0.25),
    "claude-mythos-5-1": (10, 50, 12.50, 20, 0.25),
    "claude-fable-5": (10, 50, 12.50, 20, 1.00),
    "claude-mythos-5": (10, 50, 12.50, 20, 1.00),
    "claude-opus-5-5": (4, 20, 5, 8, 0.20),
    "claude-opus-5": (5, 25, 6.25, 10, 0.50),
    "claude-opus-4-8": (5, 25, 6.25, 10, 0.50),
    "claude-opus-4-7": (5, 25, 6.25, 10, 0.50),
    "claude-opus-4-6": (5, 25, 6.25, 10, 0.50),
    "claude-opus-4-5": (5, 25, 6.25, 10, 0.50),
    "claude-sonnet-5-5": (2, 10, 2.50, 4, 0.10),
    "claude-sonnet-5": (2, 10, 2.50, 4, 0.20),
    "claude-sonnet-4-6": (3, 15, 3.75, 6, 0.30),
    "claude-sonnet-4-5": (3, 15, 3.75, 6, 0.30),
    "claude-haiku-5-5": (0.10, 0.50, 0.125, 0.20, 0.01),
    "claude-haiku-4-5": (1, 5, 1.25, 2, 0.10),
}

M = 1_000_000


def dollars(usage, model, **rates):
    found = cost(usage, model, **rates)
    assert found is not None
    return found.usd


@pytest.mark.parametrize("model", PINNED)
def test_each_row_is_what_the_pages_say(model):
    row = price(model)
    assert row is not None
    assert (row.input, row.output, row.write, row.write_hour, row.read) == PINNED[model]
    assert row.as_of == "2026-11-30"


def test_no_row_is_missing_and_none_is_unpinned():
    assert set(ROWS) == set(PINNED)


@pytest.mark.parametrize("model", PINNED)
@pytest.mark.parametrize("dressed", ["{}", "{}-20251101", "global.anthropic.{}", "anthropic.{}-v1:0", "vendor/{}@eu"])
def test_no_row_shadows_another_however_the_id_is_dressed(model, dressed):
    assert price(dressed.format(model)) is ROWS[model]


def test_every_kind_of_token_has_its_own_rate():
    usage = Usage(1, input_tokens=M, output_tokens=M, cache_read_tokens=M, cache_write_tokens=M)
    assert dollars(usage, "claude-opus-5-5") == pytest.approx(4 + 20 + 0.20 + 5)
    assert dollars(usage, "claude-opus-5") == pytest.approx(5 + 25 + 0.50 + 6.25)


def test_what_is_written_for_an_hour_has_its_own_rate():
    usage = Usage(1, cache_write_tokens=M, cache_write_hour_tokens=400_000)
    assert dollars(usage, "claude-opus-5-5") == pytest.approx(0.6 * 5 + 0.4 * 8)
    assert dollars(usage, "house-model", own_input=1, own_output=3) == pytest.approx(0.6 * 1.25 + 0.4 * 2)


def test_a_haiku_5_5_request_above_100000_tokens_of_prompt_costs_the_higher_rate_for_all_of_it():
    at_limit = Usage(1, input_tokens=60_000, output_tokens=1_000, cache_read_tokens=30_000, cache_write_tokens=10_000)
    above = Usage(1, input_tokens=60_001, output_tokens=1_000, cache_read_tokens=30_000, cache_write_tokens=10_000)
    low = (60_000 * 0.10 + 1_000 * 0.50 + 30_000 * 0.01 + 10_000 * 0.125) / M
    high = (60_001 * 0.50 + 1_000 * 2.50 + 30_000 * 0.05 + 10_000 * 0.625) / M
    assert dollars(at_limit, "claude-haiku-5-5") == pytest.approx(low)
    assert dollars(above, "claude-haiku-5-5") == pytest.approx(high)


def test_the_band_is_that_of_each_call_and_not_of_the_run():
    small, large = Usage(1, input_tokens=50_000), Usage(1, input_tokens=150_000)
    each = (50_000 * 0.10 + 150_000 * 0.50) / M
    assert dollars([small, large], "claude-haiku-5-5") == pytest.approx(each)
    assert dollars(Usage(4, input_tokens=200_000), "claude-haiku-5-5") == pytest.approx(200_000 * 0.10 / M)


@pytest.mark.parametrize(
    ("model", "factor"),
    [
        ("global.anthropic.claude-opus-4-8", 1.0),
        ("us.anthropic.claude-opus-4-8", 1.1),
        ("eu.anthropic.claude-opus-4-8", 1.1),
        ("anthropic.claude-opus-4-8", 1.1),
        ("arn:aws:bedrock:eu-west-1:1234:inference-profile/global.anthropic.claude-opus-4-8", 1.0),
        ("arn:aws:bedrock:eu-west-1:1234:inference-profile/eu.anthropic.claude-opus-4-8", 1.1),
        ("claude-opus-4-8", 1.0),
    ],
)
def test_regional_endpoints_of_bedrock_cost_a_tenth_more(model, factor):
    assert dollars(Usage(1, input_tokens=M), model) == pytest.approx(5 * factor)


def test_an_unknown_model_has_no_price():
    assert price("qwen3.5:9b") is None
    assert cost(Usage(1, input_tokens=M), "qwen3.5:9b") is None
    assert cost(Usage(1, input_tokens=M), "qwen3.5:9b", own_input=2) is None


def test_own_rates_stand_over_the_table_and_price_unknown_models():
    usage = Usage(1, input_tokens=M, output_tokens=M, cache_read_tokens=M, cache_write_tokens=M)
    for model in ("claude-opus-5-5", "house-model"):
        assert dollars(usage, model, own_input=1, own_output=3) == pytest.approx(1 + 3 + 0.1 + 1.25)


def test_one_own_rate_leaves_the_other_to_the_table():
    usage = Usage(1, input_tokens=M, output_tokens=M)
    assert dollars(usage, "claude-opus-5-5", own_output=7) == pytest.approx(4 + 7)
    assert dollars(usage, "claude-opus-5-5", own_input=7) == pytest.approx(7 + 20)


def test_a_rate_of_nothing_is_a_rate():
    assert dollars(Usage(1, input_tokens=M, output_tokens=M), "claude-opus-5-5", own_input=0, own_output=0) == 0


def test_a_cost_says_that_it_is_an_estimate_and_of_when():
    found = cost(Usage(1, input_tokens=M), "claude-sonnet-5-5")
    assert found is not None
    assert found.estimate
    assert found.prices_of == "2026-11-30"


def test_an_own_rate_for_output_leaves_band_and_region_to_the_table():
    # Haiku 5.5 above 100,000 tokens of prompt: $0.50 a million in, and on a regional endpoint a tenth more
    usage = Usage(1, input_tokens=200_000, output_tokens=100_000)
    assert dollars(usage, "claude-haiku-5-5", own_output=3) == pytest.approx(0.2 * 0.5 + 0.1 * 3)
    assert dollars(usage, "eu.anthropic.claude-haiku-5-5", own_output=3) == pytest.approx(0.2 * 0.55 + 0.1 * 3)
    # who knows both rates knows the region's too
    assert dollars(usage, "eu.anthropic.claude-haiku-5-5", own_input=1, own_output=3) == pytest.approx(0.2 + 0.3)
