"""Carries a plan out: several runs at a time, each kept as soon as it ends."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from kubectl_berth.errors import EngineUnreachable
from kubectl_berth.evals.plan import Asked
from kubectl_berth.evals.results import Key, Results, Row, stamp
from kubectl_berth.evals.score import score
from kubectl_berth.scenarios.reader import Scenario


@dataclass(frozen=True)
class Ran:
    """What came of one run: its result document, and its record where one was kept."""

    document: Mapping[str, Any]
    record: bytes | None


TICK = 0.2
"""Seconds between looks at whether Ctrl-C was pressed."""

CarryOut = Callable[[Scenario], Ran]
"""Asks a scenario's question once. Called on several threads."""


def carry_out(results: Results, ask: CarryOut, parallel: int, wall: Callable[[], float]) -> Iterator[Row]:
    """Runs what is still to be run, at most `parallel` at a time; yields each run once it is kept.

    A run that fails in an unforeseen way is a failed run and says so. EngineUnreachable, and nothing is kept, where
    the first run finds nobody to ask: the others would not either. When the iterator is dropped (Ctrl-C) nothing
    more is started; what is under way is left behind and will be run again.
    """
    by_label = {asked.label: asked for asked in results.plan.asked}
    done = results.rows()
    waiting: queue.SimpleQueue[Key] = queue.SimpleQueue()
    todo = [key for key in results.plan.runs() if key not in done]
    for key in todo:
        waiting.put(key)
    ended: queue.SimpleQueue[_Ended | BaseException] = queue.SimpleQueue()
    stop, reached = threading.Event(), False

    def work() -> None:
        while not stop.is_set():
            try:
                key = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                ended.put(_one(by_label[key[0]], key, ask))
            except BaseException as error:  # the main thread has to hear of it
                ended.put(error)
                return

    # daemons: a server that does not answer must not hold up Ctrl-C
    for number in range(min(parallel, len(todo))):
        threading.Thread(target=work, name=f"eval-{number}", daemon=True).start()
    try:
        for _ in todo:
            outcome = _next(ended)
            if isinstance(outcome, BaseException):
                raise outcome
            if not reached and outcome.ran.document["outcome"] == EngineUnreachable.outcome:
                raise EngineUnreachable(str(outcome.ran.document["error"]))
            reached = True
            verdict = score(outcome.ran.document, outcome.scenario).document()
            row = Row(*outcome.key, stamp(wall()), outcome.ran.document, verdict)
            results.add(row, outcome.ran.record)
            yield row
    finally:
        stop.set()


T = TypeVar("T")


def _next(ended: queue.SimpleQueue[T]) -> T:
    # on Windows a Ctrl-C is heard only when a wait ends
    while True:
        try:
            return ended.get(timeout=TICK)
        except queue.Empty:
            continue


@dataclass(frozen=True)
class _Ended:
    key: Key
    scenario: Scenario
    ran: Ran


def _one(asked: Asked, key: Key, ask: CarryOut) -> _Ended:
    scenario = asked.load()
    try:
        ran = ask(scenario)
    except Exception as error:  # a run that breaks is a failed run, and the others go on
        ran = Ran(_broken(asked, error), None)
    return _Ended(key, scenario, ran)


def _broken(asked: Asked, error: Exception) -> dict[str, Any]:
    """The result document of a run that gave none."""
    return {
        "question": asked.question,
        "engine": "none",
        "model": None,
        "outcome": "engine-error",
        "complete": False,
        "forced": False,
        "answer": "",
        "error": f"unexpected {type(error).__name__}: {error}",
        "findings": [],
        "actions": [],
        "trace": [],
        "gaps": [],
        "usage": {},
        "cost": None,
        "seconds": 0.0,
    }


def rescore(results: Results, wall: Callable[[], float]) -> list[Row]:
    """Judges the stored runs by the checks as they are now, and keeps those verdicts beside the first ones.

    Gives every run with the verdict of today. UsageError where a scenario is gone.
    """
    known = {key: verdict for key, (_, verdict) in results.rescored().items()}
    rows: list[Row] = []
    stored = results.rows()
    for asked in results.plan.asked:
        scenario = asked.load()
        for row in (row for row in stored.values() if row.label == asked.label):
            verdict = score(row.document, scenario).document()
            again = Row(row.label, row.repeat, stamp(wall()), row.document, verdict)
            if verdict["checkHash"] != known.get(row.key, row.verdict)["checkHash"]:
                results.add_rescored(again)
            rows.append(again)
    return rows
