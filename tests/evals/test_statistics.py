"""Intervals and tests against examples worked out elsewhere."""

from __future__ import annotations

import itertools

import pytest

from kubectl_berth.evals.statistics import bootstrap, fisher, mcnemar, sign_flip, wilson


@pytest.mark.parametrize(
    ("passed", "of", "low", "high"),
    [
        (30, 30, 0.89, 1.00),
        (27, 30, 0.74, 0.97),
        (3, 3, 0.44, 1.00),
        (5, 5, 0.57, 1.00),
        (17, 17, 0.82, 1.00),
        (25, 25, 0.87, 1.00),
        (135, 150, 0.84, 0.94),
        (82, 95, 0.78, 0.92),
        (0, 3, 0.00, 0.56),
    ],
)
def test_wilson(passed: int, of: int, low: float, high: float) -> None:
    found = wilson(passed, of)
    assert found is not None
    assert (round(found.low, 2), round(found.high, 2)) == (low, high)


def test_no_runs_have_no_interval() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize(
    ("one", "other", "p"),
    [
        ((19, 24), (22, 24), 0.42),
        ((45, 51), (44, 51), 1.0),
        ((0, 3), (3, 3), 0.10),
        ((0, 4), (4, 4), 0.029),
        ((0, 5), (5, 5), 0.0079),
    ],
)
def test_fisher(one: tuple[int, int], other: tuple[int, int], p: float) -> None:
    assert fisher(*one, *other) == pytest.approx(p, rel=0.02)


@pytest.mark.parametrize(("better", "worse", "p"), [(6, 0, 0.031), (8, 1, 0.039), (3, 3, 1.0), (0, 0, 1.0)])
def test_mcnemar(better: int, worse: int, p: float) -> None:
    assert mcnemar(better, worse) == pytest.approx(p, abs=0.0005)


@pytest.mark.parametrize(
    "differences",
    [
        [1.0] * 5,
        [0.2, 0.4, -0.2, 0.6, 0.0, 0.2],
        [1 / 3, 1 / 3, -1 / 3, 2 / 3, 1 / 3, 0.0, 0.0, -1 / 3],
        [-0.5, -0.5, 0.5],
    ],
)
def test_sign_flips_are_counted_one_by_one(differences: list[float]) -> None:
    seen = abs(sum(differences))
    signs = list(itertools.product((1, -1), repeat=len(differences)))
    as_far = sum(
        abs(sum(sign * each for sign, each in zip(way, differences, strict=True))) >= seen - 1e-9 for way in signs
    )
    assert sign_flip(differences) == pytest.approx(as_far / len(signs))


def test_nothing_to_flip() -> None:
    assert sign_flip([]) == sign_flip([0.0, 0.0]) == 1.0


@pytest.mark.nightly
def test_twenty_are_exact_and_more_are_drawn() -> None:
    assert sign_flip([1.0] * 20) == pytest.approx(2 / 2**20)
    # by chance alone none of 100,000 draws comes that far: (0 + 1) / (n + 1), on both sides
    assert sign_flip([1.0] * 40) == pytest.approx(2 / 100_001)


def test_scenarios_are_drawn_not_runs() -> None:
    found = bootstrap([0.0] * 15 + [1.0] * 15)
    assert found is not None
    # a mean of thirty coins: 0.5 -+ 1.96 * 0.5 / sqrt(30)
    assert found.low == pytest.approx(0.32, abs=0.02)
    assert found.high == pytest.approx(0.68, abs=0.02)
    assert bootstrap([0.4]) is None
    same = bootstrap([1.0, 1.0, 1.0])
    assert same is not None and (same.low, same.high) == (1.0, 1.0)
