"""A long line made short: what it began with, and the clause that it ended with."""

from __future__ import annotations

from kubectl_berth.safety.shorten import shortened

DENIED = (
    "reconcile of release ledger in namespace money did not get through the third of five hooks that it has: "
    "admission of batch.v1.Job ledger-seed was asked for with a template of forty lines and two containers in it: "
    "field is immutable (tried 4 times)"
)


def test_a_chain_of_errors_keeps_its_last_clause() -> None:
    short = shortened(DENIED, 140)
    assert len(short) <= 140
    assert short.startswith("reconcile of release ledger in namespace money")
    assert short.endswith(" … field is immutable (tried 4 times)")


def test_what_fits_stays_as_it_is_but_for_its_line_ends() -> None:
    assert shortened("two\n  lines", 20) == "two lines"


def test_a_line_without_clauses_is_cut_between_words() -> None:
    assert shortened("seven " * 20, 33) == "seven seven seven seven seven…"
    assert shortened("x" * 50, 10) == "xxxxxxxxx…"


def test_a_secret_is_redacted_before_the_cut() -> None:
    token = "ghp_" + "a1B2" * 9
    assert token[:12] not in shortened(f"{'word ' * 40}: cannot push with token: {token}", 100)
