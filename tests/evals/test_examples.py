"""Every shipped scenario proves its checks: right answers pass, wrong ones fail, whoever says everything fails."""

from __future__ import annotations

from functools import lru_cache

import pytest

from kubectl_berth.evals.checks import CheckSet, Example
from kubectl_berth.evals.examples import document, everything
from kubectl_berth.evals.facts import Facts, facts_of
from kubectl_berth.evals.schema import check_set
from kubectl_berth.evals.score import Verdict, judge
from kubectl_berth.scenarios.reader import load, names


@lru_cache(maxsize=2)
def scenario(name: str) -> tuple[CheckSet, Facts]:
    read = load(name)
    return check_set(read), facts_of(read)


def verdict(name: str, example: Example) -> Verdict:
    asked, facts = scenario(name)
    return judge(document(example, asked), asked, facts)


@pytest.mark.parametrize("name", names())
def test_right_answers_pass(name: str) -> None:
    asked = scenario(name)[0]
    assert len(asked.right) >= 3
    assert [verdict(name, example).failed for example in asked.right] == [()] * len(asked.right)


@pytest.mark.parametrize("name", names())
def test_wrong_answers_fail_where_they_say_so(name: str) -> None:
    asked = scenario(name)[0]
    assert len(asked.wrong) >= 3
    for example in asked.wrong:
        failed = verdict(name, example).failed
        assert failed, example.answer
        assert set(example.fails) <= set(failed), example.answer


@pytest.mark.parametrize("name", names())
def test_an_answer_that_says_everything_fails(name: str) -> None:
    asked = scenario(name)[0]
    for example in asked.right:
        assert not verdict(name, everything(asked, example.answer)).passed


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("answer", ["", "Everything is fine.", "I do not know.", "Let me look at the pods first."])
def test_answers_that_fit_nowhere(name: str, answer: str) -> None:
    asked = scenario(name)[0]
    failed = verdict(name, Example(answer)).failed
    # the one scenario that has no fault is the one where all may be said to be fine
    assert failed or (answer == "Everything is fine." and not any(check.kind == "finding" for check in asked.checks))
