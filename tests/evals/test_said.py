"""Text checks: names, figures, gaps, and phrases near an object."""

from __future__ import annotations

import pytest

from kubectl_berth.evals.phrases import phrase
from kubectl_berth.evals.text import sentences
from tests.evals.documents import passes


@pytest.mark.parametrize(
    ("answer", "there"),
    [
        ("ledger-db-3 fails.", True),
        ("Pod data/ledger-db-3 fails.", True),
        ("**`ledger-db-3`**: fails", True),
        ("ledger-db fails.", False),
        ("ledger-db-30 fails.", False),
        ("my-ledger-db-3 fails.", False),
        ("ledger-db-3-wal is full.", False),
        ("ledger-db-3.data.svc does not resolve.", True),
        ("Is it ledger-db-3?", False),
    ],
)
def test_names_are_whole(answer: str, there: bool) -> None:
    assert passes(answer, names=["data/ledger-db-3"]) is there


def test_an_owner_counts_for_its_pod_where_that_is_said() -> None:
    answer = "The Deployment api in shop does not start."
    assert not passes(answer, names=["shop/api-6b8f7c9d44-q7zkd"])
    assert passes(answer, names={"any": ["shop/api-6b8f7c9d44-q7zkd"], "owner": True})
    assert not passes("Deployment web does not start.", names={"any": ["shop/api-6b8f7c9d44-q7zkd"], "owner": True})


def test_all_names_are_asked_for() -> None:
    assert not passes("ledger-db-3 fails.", names={"all": ["ledger-db-3", "api"]})
    assert passes("ledger-db-3 and api fail.", names={"all": ["ledger-db-3", "api"]})


@pytest.mark.parametrize(
    ("answer", "there"),
    [
        ("The limit is 256Mi.", True),
        ("The limit is 256 MiB.", True),
        ("The limit is 0.25Gi.", True),
        ("The limit is 268 MB.", True),
        ("`limits.memory: 256Mi`", True),
        ("The limit is 25.6Mi.", False),
        ("The limit is 1256Mi.", False),
        ("The limit is 256m.", False),
        ("The limit is 512Mi.", False),
        ("It restarted 256 times.", False),
        ("It uses 200-256Mi.", True),
        ("The limit is not 256Mi.", False),
        ("Is the limit 256Mi?", False),
    ],
)
def test_bytes_in_any_unit(answer: str, there: bool) -> None:
    assert passes(answer, number={"value": "256Mi", "tolerance": 0.01}) is there


@pytest.mark.parametrize(
    ("answer", "there"),
    [
        ("It uses 150m of CPU.", True),
        ("It uses 0.15 cores.", True),
        ("It uses 140–155m.", True),
        ("It uses 150Mi.", False),
        ("It uses 15%.", False),
        ("It uses 1.5 cores.", False),
    ],
)
def test_cores_in_any_unit(answer: str, there: bool) -> None:
    assert passes(answer, number={"value": "150m", "tolerance": 0.05}) is there


def test_bounds_and_the_words_beside_a_figure() -> None:
    check = {"at_least": "384Mi", "at_most": "2Gi", "near": ["limit*"]}
    assert passes("Set the limit to 512Mi.", number=check)
    assert not passes("Set the request to 512Mi.", number=check)
    assert not passes("Set the limit to 300Mi.", number=check)
    assert not passes("Set the limit to 8Gi.", number=check)
    assert passes("It is 82 % reserved.", number="82%")
    assert passes("22 restarts", number={"value": 22, "near": ["restart*"]})


@pytest.mark.parametrize(
    ("answer", "there"),
    [
        ("I could not read the logs: forbidden.", True),
        ("Logs are disabled here.", True),
        ("What I could not check:\n- the logs of the sidecar", True),
        ("The logs show a panic.", False),
        ("Could you not read the logs?", False),
        ("The metrics are unavailable.", False),
    ],
)
def test_gaps_are_admitted(answer: str, there: bool) -> None:
    assert passes(answer, admits=["log*"]) is there


def test_a_phrase_near_its_object() -> None:
    check = {"any": ["single replica"], "about": ["ledger-db"]}
    assert passes("ledger-db runs a single replica.", says=check)
    assert passes("- ledger-db:\n  - a single replica", says=check)
    assert not passes("ledger-db has three.\n\nOther things\n\nredis is a single replica.", says=check)


def test_quoted_words_count_where_that_is_said() -> None:
    answer = 'The event says "tag v2 not found in registry".'
    assert not passes(answer, says=["tag .. not found"])
    assert passes(answer, says={"any": ["tag .. not found"], "quoted": True})


def test_questions_count_where_that_is_said() -> None:
    answer = "Which deployment do you mean?"
    assert passes(answer, never_says=["which deployment"])
    assert not passes(answer, never_says={"any": ["which deployment"], "asked": True})


def test_doubts_count_against_and_not_for() -> None:
    answer = "It might be out of memory."
    assert not passes(answer, says=["out of memory"])
    assert not passes(answer, never_says=["out of memory"])
    assert passes(answer, says={"any": ["out of memory"], "hedged": True})
    assert passes("Check whether it is out of memory.", never_says=["out of memory"])


@pytest.mark.parametrize(
    ("written", "text", "there"),
    [
        ("crash loop*", "CrashLoopBackOff", True),
        ("crash loop", "a crash-loop", True),
        ("rais*|increas* .. limit", "raising the memory limit", True),
        ("rais* .. limit", "raise one two three four five limit", False),
        ("rais* ... limit", "raise one two three four five limit", True),
        ("limit & rais*", "raise it: the limit", True),
        ("all the? pods", "all pods", True),
        ("2/3", "2 / 3 ready", True),
        ("2/3", "12/3", False),
        ("2 of 3", "2 of 30", False),
        ("does not exist", "it doesn't exist", True),
        ("ledger-db", "ledger-db-3", False),
        ("healthy", "unhealthy", False),
        ("82%", "82 % of it", True),
    ],
)
def test_phrases(written: str, text: str, there: bool) -> None:
    assert bool(list(phrase(written).spans(sentences(text)[0].text))) is there


@pytest.mark.parametrize("written", ["", "..", "the?"])
def test_a_phrase_without_a_word(written: str) -> None:
    with pytest.raises(ValueError, match="no word"):
        phrase(written)
