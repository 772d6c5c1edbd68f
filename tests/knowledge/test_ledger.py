"""The ledger: what was taken, and that runs at once are never admitted past a budget."""

from __future__ import annotations

import multiprocessing
import sqlite3
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from kubectl_berth.errors import OverBudget
from kubectl_berth.knowledge.ledger import Budgets, Spending, admit, day_of, note, spent, taken
from kubectl_berth.knowledge.store import Store, StoreError
from kubectl_berth.records import Usage

DAY = "2026-11-30"


def run(name: str, tokens: int = 0, *, day: str = DAY, paid: bool = True, usd: float | None = 0.5) -> Spending:
    engine, model = ("claude", "claude-sonnet-5-5") if paid else ("ollama", "qwen")
    return Spending(name, day, engine, model, paid, Usage(model_calls=1 if tokens else 0, input_tokens=tokens), usd)


def test_a_reservation_counts_until_the_run_says_what_it_took() -> None:
    store, budgets = Store(), Budgets(daily=1000)
    admit(store, run("a"), 600, budgets)
    with pytest.raises(OverBudget, match=r"day's budget of 1,000 tokens \(AI_BUDGET_DAILY_TOKENS\) has 400 left"):
        admit(store, run("b"), 500, budgets)
    note(store, run("a", 300))
    admit(store, run("b"), 700, budgets)
    assert taken(store, DAY) == 1000


def test_the_next_call_of_a_run_takes_the_place_of_its_reservation() -> None:
    store, budgets = Store(), Budgets(daily=1000)
    admit(store, run("a"), 600, budgets)
    admit(store, run("a", 350), 600, budgets)
    with pytest.raises(OverBudget):
        admit(store, run("a", 500), 501, budgets)
    # what was taken stays noted where the next call is refused
    assert taken(store, DAY) == 500


def test_days_months_and_engines_that_cost_nothing() -> None:
    store = Store()
    note(store, run("a", 900, day="2026-11-29"))
    note(store, run("b", 5000, paid=False, usd=0.0))
    admit(store, run("c"), 100, Budgets(daily=100, monthly=1000))
    with pytest.raises(OverBudget, match="AI_BUDGET_MONTHLY_TOKENS"):
        admit(store, run("d"), 1, Budgets(monthly=1000))
    with pytest.raises(OverBudget, match="0 left"):
        admit(store, run("e"), 1, Budgets(daily=0))
    admit(store, run("f", day="2026-12-01"), 1000, Budgets(daily=1000, monthly=1000))


def test_what_is_shown(tmp_path: Path) -> None:
    store = Store(tmp_path / "berth.sqlite3")
    assert spent(store) == []
    note(store, run("a", 100))
    note(store, run("b", 50, usd=None))
    note(store, run("c", 7, day="2026-11-01"))
    note(store, run("d", 9, paid=False, usd=0.0))
    first, second, third = spent(store)
    assert (first.engine, first.runs, first.usage.input_tokens, first.usd, first.unpriced) == ("claude", 2, 150, 0.5, 1)
    assert (second.engine, second.usage.input_tokens, second.usd) == ("ollama", 9, 0.0)
    assert third.day == "2026-11-01"
    assert [each.day for each in spent(store, "2026-11-02")] == [DAY, DAY]
    assert (tmp_path / "berth.sqlite3").stat().st_mode & 0o777 == 0o600


def test_a_store_that_is_none_says_so(tmp_path: Path) -> None:
    path = tmp_path / "berth.sqlite3"
    path.write_bytes(b"no database at all" * 100)
    path.chmod(0o600)
    with pytest.raises(StoreError, match=r"berth\.sqlite3"):
        admit(Store(path), run("a"), 1, Budgets())


def test_the_utc_day() -> None:
    assert day_of(0) == "1970-01-01"
    assert day_of(86399.9) == "1970-01-01"
    assert day_of(1_796_083_200) == "2026-12-01"


def attempts(path: str, name: str) -> int:
    """Tokens that one process is admitted for, in reservations of 70 that are then used in full."""
    store, admitted = Store(Path(path)), 0
    for number in range(6):
        try:
            admit(store, run(f"{name}-{number}"), 70, Budgets(daily=1000))
        except OverBudget:
            continue
        admitted += 70
        note(store, run(f"{name}-{number}", 70))
    return admitted


def test_ten_processes_at_once_never_get_more_than_there_is(tmp_path: Path) -> None:
    path = str(tmp_path / "berth.sqlite3")
    with ProcessPoolExecutor(10, mp_context=multiprocessing.get_context("spawn")) as pool:
        admitted = sum(pool.map(attempts, [path] * 10, map(str, range(10))))
    # 14 times 70 fit into 1000, and sixty were tried
    assert admitted == 980
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT sum(input), sum(reserved) FROM spending").fetchone() == (980, 0)
    connection.close()
