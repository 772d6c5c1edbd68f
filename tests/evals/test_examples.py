"""Every shipped scenario proves its checks: right answers pass, wrong ones fail, whoever says everything fails."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kubectl_berth.evals.checks import CheckSet, Example
from kubectl_berth.evals.examples import document, everything
from kubectl_berth.evals.facts import Facts, facts_of
from kubectl_berth.evals.schema import check_set
from kubectl_berth.evals.score import Verdict, judge
from kubectl_berth.scenarios.reader import load, names


@dataclass(frozen=True)
class Read:
    """A scenario's checks and what stands in its cluster."""

    asked: CheckSet
    facts: Facts

    def verdict(self, example: Example) -> Verdict:
        return judge(document(example, self.asked), self.asked, self.facts)


@pytest.fixture(scope="module", params=names())
def read(request: pytest.FixtureRequest) -> Read:
    """One scenario. Of module scope, so that it is read once for all of its tests."""
    scenario = load(request.param)
    return Read(check_set(scenario), facts_of(scenario))


def test_right_answers_pass(read: Read) -> None:
    assert len(read.asked.right) >= 3
    assert [read.verdict(example).failed for example in read.asked.right] == [()] * len(read.asked.right)


def test_wrong_answers_fail_where_they_say_so(read: Read) -> None:
    assert len(read.asked.wrong) >= 3
    for example in read.asked.wrong:
        failed = read.verdict(example).failed
        assert failed, example.answer
        assert set(example.fails) <= set(failed), example.answer


def test_an_answer_that_says_everything_fails(read: Read) -> None:
    for example in read.asked.right:
        assert not read.verdict(everything(read.asked, example.answer)).passed


def test_answers_that_fit_nowhere(read: Read) -> None:
    for answer in ("", "Everything is fine.", "I do not know.", "Let me look at the pods first."):
        failed = read.verdict(Example(answer)).failed
        # the one scenario that has no fault is the one where all may be said to be fine
        fits = answer == "Everything is fine." and not any(check.kind == "finding" for check in read.asked.checks)
        assert failed or fits, answer
