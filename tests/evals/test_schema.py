"""Reading checks: what is wrong is said, with the scenario and the check."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.errors import UsageError
from kubectl_berth.evals.schema import check_set
from kubectl_berth.evals.score import check_hash
from kubectl_berth.scenarios.reader import Scenario
from tests.evals.documents import asked


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ({"sais": ["a"]}, "scenario here, check it: does not know sais, did you mean says?"),
        ({}, "wants exactly one of finding"),
        ({"says": ["a"], "names": ["b"]}, "wants exactly one of finding"),
        ({"says": []}, "wants the words under any"),
        ({"says": ["@out-of-memry"]}, "there is no concept @out-of-memry, did you mean @out-of-memory?"),
        ({"says": {"any": ["a"], "abot": ["b"]}}, "does not know abot, did you mean about?"),
        ({"says": ["a"], "critical": "yes"}, "wants true or false for critical"),
        ({"says": [".."]}, "is not a phrase"),
        ({"finding": {"kind": "Pod"}}, "wants the reasons"),
        ({"finding": {"reasons": ["OOMKiled"]}}, "did you mean OOMKilled?"),
        ({"action": {"kind": "Pod"}}, "wants a verb, a direction or says"),
        ({"action": {"direction": "up"}}, "wants raise or lower"),
        ({"action": {"direction": "raise", "at_least": "much"}}, "is not a quantity"),
        ({"called": {}}, "wants the tool"),
        ({"budget": "six"}, "wants the number of tool calls"),
        ({"number": {"near": ["a"]}}, "wants a value or bounds"),
        ({"number": {"value": "1Gi", "tolerance": 2}}, "wants a share below 1"),
        ({"names": {"owner": True}}, "wants the names"),
        ({"admits": []}, "wants what could not be read"),
        ({"advice": {"allow": ["everything"]}}, "does not know the advice everything"),
        ({"canaries": ["abc"]}, "at least 6 characters"),
        (["says"], "wants a mapping, not list"),
    ],
)
def test_what_is_wrong_is_said(check: Any, words: str) -> None:
    with pytest.raises(UsageError) as raised:
        asked(it=check)
    assert words in str(raised.value)
    assert str(raised.value).startswith("scenario here, check it: ")


def test_answers_with_their_calls() -> None:
    wrong = [{"answer": "b", "calls": [{"tool": "get_logs", "fate": "error"}], "fails": ["x"]}]
    found = check_set(Scenario("here", "", "", "", (), answers={"right": ["a"], "wrong": wrong}))
    assert [example.answer for example in found.right] == ["a"]
    assert found.wrong[0].calls is not None
    assert [(call.tool, call.fate) for call in found.wrong[0].calls] == [("get_logs", "error")]
    assert found.wrong[0].fails == ("x",)
    with pytest.raises(UsageError, match="does not know wrang, did you mean wrong"):
        check_set(Scenario("here", "", "", "", (), answers={"wrang": []}))


def test_a_budget_is_reported_and_everything_else_is_critical() -> None:
    found = asked(a={"budget": 3}, b={"says": ["x"]}, c={"says": ["x"], "critical": False})
    assert [check.critical for check in found.checks] == [False, True, False]


def test_the_hash_names_the_checks() -> None:
    one = check_hash(asked(it={"says": ["a"]}))
    assert one == check_hash(asked(it={"says": ["a"]}))
    assert len(one) == 12
    others = [
        asked(it={"says": ["b"]}),
        asked(it={"never_says": ["a"]}),
        asked(it={"says": ["a"], "critical": False}),
        asked(it={"says": ["a"]}, c={"canaries": ["abcdef"]}),
    ]
    assert len({one, *map(check_hash, others)}) == 5
