"""Intervals and tests, from scipy. This is the only module that imports it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_berth.environment import missing
from kubectl_berth.errors import UsageError

EXACT = 20
"""Scenarios up to which every way to flip signs is tried."""
FLIPS = 100_000
DRAWS = 10_000
SEED = 20261130
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A 95 % interval, its ends included."""

    low: float
    high: float


def lacking() -> str | None:
    """What intervals and tests lack and what to install, None where scipy is there."""
    try:
        import scipy.stats  # noqa: F401  asked whether it is there
    except ImportError:
        return f"intervals and tests need scipy, {missing('eval')}"
    return None


def need() -> None:
    """Raises UsageError, saying what to install, where scipy is missing."""
    if words := lacking():
        raise UsageError(words)


def wilson(passed: int, of: int) -> Interval | None:
    """Wilson's interval for a share of runs that were independent; None where there are none."""
    from scipy.stats import binomtest

    if not of:
        return None
    found = binomtest(passed, of).proportion_ci(CONFIDENCE, method="wilson")
    return Interval(float(found.low), float(found.high))


def fisher(passed: int, of: int, passed_then: int, of_then: int) -> float:
    """Two-sided p of Fisher's exact test on two shares. It takes all runs for independent."""
    from scipy.stats import fisher_exact

    table = [[passed, of - passed], [passed_then, of_then - passed_then]]
    return float(fisher_exact(table).pvalue)


def mcnemar(better: int, worse: int) -> float:
    """Two-sided p of McNemar's exact test on pairs that changed; 1 where none did."""
    from scipy.stats import binomtest

    changed = better + worse
    return float(binomtest(better, changed, 0.5).pvalue) if changed else 1.0


def sign_flip(differences: Sequence[float]) -> float:
    """Two-sided p of the mean of paired differences, by flipping their signs.

    Exact for up to 20 differences, else from 100,000 random flips. 1 where there is nothing to flip.
    """
    import numpy
    from scipy.stats import permutation_test

    changed = [each for each in differences if each]
    if not changed:
        return 1.0
    found = permutation_test(
        (numpy.asarray(changed),),
        lambda flipped, axis=-1: numpy.sum(flipped, axis=axis),
        permutation_type="samples",
        n_resamples=numpy.inf if len(changed) <= EXACT else FLIPS,
        batch=20_000,
        vectorized=True,
        rng=numpy.random.default_rng(SEED),
    )
    return float(found.pvalue)


def bootstrap(values: Sequence[float]) -> Interval | None:
    """Percentile interval of the mean of one value for each scenario, drawing scenarios; None for fewer than two."""
    import numpy
    from scipy.stats import bootstrap as draw

    if len(values) < 2:
        return None
    if len(set(values)) == 1:
        return Interval(values[0], values[0])
    found = draw(
        (numpy.asarray(values),),
        numpy.mean,
        n_resamples=DRAWS,
        confidence_level=CONFIDENCE,
        method="percentile",
        vectorized=True,
        rng=numpy.random.default_rng(SEED),
    ).confidence_interval
    return Interval(float(found.low), float(found.high))
