"""Events of a blocking exchange as they happen, how long it takes, and its end when nobody reads on."""

from __future__ import annotations

import threading
import time

import pytest

from kubectl_berth.engines.pump import pumped
from kubectl_berth.records import Retry, Text, Thinking, Waiting


def collect(generator):
    """Events with the time they came after, and what the generator returned."""
    began = time.monotonic()
    events = []
    while True:
        try:
            event = next(generator)
        except StopIteration as stop:
            return events, stop.value
        events.append((event, time.monotonic() - began))


def test_events_come_while_the_exchange_still_goes_on():
    def exchange(emit):
        emit(Retry("busy"))
        time.sleep(0.3)
        emit(Text("a"))
        return "done"

    events, outcome = collect(pumped(exchange, lambda: "waiting", stop=lambda: None))
    assert outcome == "done"
    assert [event for event, _ in events] == [Retry("busy"), Text("a")]
    assert events[0][1] < 0.2


def test_waiting_is_told_each_second_until_there_is_text_also_between_thoughts():
    def exchange(emit):
        for _ in range(12):
            time.sleep(0.1)
            emit(Thinking("."))
        emit(Text("a"))
        time.sleep(1.2)

    doing = iter(["loading", "thinking"])
    events, _ = collect(pumped(exchange, lambda: next(doing), stop=lambda: None))
    waits = [event for event, _ in events if isinstance(event, Waiting)]
    assert waits == [Waiting("loading", 1.0)]


def test_what_the_exchange_raises_is_raised_after_its_events():
    def exchange(emit):
        emit(Text("half"))
        raise ValueError("broken")

    generator = pumped(exchange, lambda: "", stop=lambda: None)
    assert next(generator) == Text("half")
    with pytest.raises(ValueError, match="broken"):
        next(generator)


def test_an_exchange_that_nobody_reads_is_stopped():
    stopped = threading.Event()

    def exchange(emit):
        emit(Text("a"))
        stopped.wait(5)

    generator = pumped(exchange, lambda: "", stop=stopped.set)
    next(generator)
    generator.close()
    assert stopped.is_set()
