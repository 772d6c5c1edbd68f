"""Two evaluations side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.errors import UsageError
from kubectl_berth.evals.compare import compare, side
from kubectl_berth.evals.compare_words import text
from tests.evals.made import NAMES, made
from tests.process import berth, surroundings


def compared(directory: Path, before: dict[str, list[bool]], after: dict[str, list[bool]]) -> dict[str, Any]:
    return compare(
        side(made(directory / "a", before), None), side(made(directory / "b", after, model="qwen3.5:27b"), None)
    )


def test_pairs_flips_and_tests(tmp_path: Path) -> None:
    before = {name: [False, False, True] for name in NAMES}
    after = {name: [True, True, True] for name in NAMES} | {NAMES[3]: [False, False, False]}
    found = compared(tmp_path, before, after)
    assert (found["pairs"], found["scenarios"]) == (12, 4)
    assert found["effect"] == pytest.approx((3 * 2 / 3 - 1 / 3) / 4)
    assert len(found["gained"]) == 6 and found["lost"] == ["secret-denied #3"]
    # the sum of the differences is 5/3: of sixteen flips those with a sum as far from 0 are
    # +++-, ++++, and their opposites
    assert found["signFlip"] == {"p": pytest.approx(4 / 16), "exact": True}
    # 9 of 12 against 4 of 12
    assert found["fisher"] == pytest.approx(0.0995, abs=0.0005)
    # three scenarios turn by majority, one that failed fails still
    assert found["mcnemar"] == {"p": pytest.approx(0.25), "better": 3, "worse": 0}
    low, high = found["interval"]
    assert low < found["effect"] < high
    words = text(found)
    assert "effect          +41.7 points" in words
    assert "sign flip       p = 0.250 (every flip)" in words
    assert "model qwen3.5:9b there, qwen3.5:27b here" in words
    assert "passed before, fail now: 1\n  secret-denied #3" in words
    assert "prompt bytes" in words and "tokens in a run" in words
    assert "Chance alone may well give such a difference" in words


def test_the_same_is_no_change(tmp_path: Path) -> None:
    same = {name: [True] for name in NAMES}
    found = compared(tmp_path, same, same)
    assert (found["effect"], found["signFlip"]["p"], found["fisher"], found["mcnemar"]["p"]) == (0, 1, 1, 1)
    assert "No run changed." in text(found)


def test_what_cannot_be_paired_is_left_out_and_named(tmp_path: Path) -> None:
    found = compared(tmp_path, {NAMES[0]: [True, True], NAMES[1]: [True, True]}, {NAMES[0]: [True], NAMES[2]: [True]})
    assert found["pairs"] == 1
    assert [words.split(": only in")[0] for words in found["leftOut"][:2]] == [NAMES[1], NAMES[2]]
    assert found["leftOut"][2] == "1 runs that only one of them has"
    with pytest.raises(UsageError, match="no run in common"):
        compared(tmp_path / "other", {NAMES[0]: [True]}, {NAMES[1]: [True]})


def test_different_checks_are_refused_and_scored_again_on_demand(tmp_path: Path) -> None:
    passes = {name: [True] for name in NAMES}
    made(tmp_path / "a", passes, hashes={NAMES[0]: "0123456789ab"})
    made(tmp_path / "b", passes)
    env = surroundings(tmp_path)
    arguments = ["eval", "compare", str(tmp_path / "a"), str(tmp_path / "b")]
    refused = berth(*arguments, env=env)
    assert refused.status == 2 and refused.out == ""
    assert f"judged by different checks (1 scenarios, {NAMES[0]} among them): add --rescore" in refused.err
    again = berth(*arguments, "--rescore", "-o", "json", env=env)
    assert again.status == 0, again.err
    found = json.loads(again.out)
    assert (found["pairs"], found["before"]["passed"], found["after"]["passed"]) == (4, 0, 0)
