"""An exchange with a server that blocks, as a stream of events: what it emits, as it happens, and how long it takes."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import TypeVar

from kubectl_berth.records import Event, Text, Waiting

Outcome = TypeVar("Outcome")
Emit = Callable[[Event], None]
"""Hands an event over from the thread of the exchange."""

EVERY_SECONDS = 1.0


def pumped(
    exchange: Callable[[Emit], Outcome], doing: Callable[[], str], stop: Callable[[], None]
) -> Generator[Event, None, Outcome]:
    """Runs `exchange` on a thread of its own; yields what it emits, returns what it returns, raises what it raises.

    Until there is text, Waiting comes once a second with what `doing` says. `stop` ends the exchange from outside; it
    is called where whoever reads the events goes away before their end.
    """
    came: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    outcome: Future[Outcome] = Future()

    def work() -> None:
        try:
            outcome.set_result(exchange(came.put))
        except BaseException as error:  # it is raised where the events are read
            outcome.set_exception(error)
        came.put(None)

    thread = threading.Thread(target=work, name="berth-exchange", daemon=True)
    thread.start()
    try:
        yield from _until_done(came, doing)
    finally:
        if not outcome.done():
            stop()
            thread.join(EVERY_SECONDS)
    return outcome.result()


def _until_done(came: queue.SimpleQueue[Event | None], doing: Callable[[], str]) -> Generator[Event, None, None]:
    began = time.monotonic()
    ticks = 1
    answering = False
    while True:
        due = began + ticks * EVERY_SECONDS
        try:
            event = came.get(timeout=None if answering else max(due - time.monotonic(), 0.0))
        except queue.Empty:
            yield Waiting(doing(), ticks * EVERY_SECONDS)
            ticks += 1
            continue
        if event is None:
            return
        answering = answering or isinstance(event, Text)
        yield event
