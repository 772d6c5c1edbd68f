"""Events of a blocking exchange as they happen, how long it takes, and its end when nobody reads on."""

from __future__ import annotations

import threading
import time

import pytest

from kubectl_berth.engines.pump import pumped
from kubectl_berth.records import Retry, Text, Thinking, Waiting


def collect(generator, seen=lambda event: None):
    """The events, and what the generator returned; `seen` gets each as it comes."""
    events = []
    while True:
        try:
            event = next(generator)
        except StopIteration as stop:
            return events, stop.value
        events.append(event)
        seen(event)


def test_events_come_while_the_exchange_still_goes_on():
    read = threading.Event()

    def exchange(emit):
        emit(Retry("busy"))
        # goes on only once its first event has been read
        assert read.wait(30)
        emit(Text("a"))
        return "done"

    events, outcome = collect(pumped(exchange, lambda: "waiting", stop=lambda: None), lambda event: read.set())
    assert outcome == "done"
    assert [event for event in events if not isinstance(event, Waiting)] == [Retry("busy"), Text("a")]


def test_waiting_is_told_each_second_until_there_is_text_also_between_thoughts():
    told = threading.Event()

    def exchange(emit):
        while not told.wait(0.05):
            emit(Thinking("."))
        emit(Text("a"))
        time.sleep(1.2)

    def seen(event):
        if isinstance(event, Waiting):
            told.set()

    events, _ = collect(pumped(exchange, lambda: "loading", stop=lambda: None), seen)
    assert Thinking(".") in events[: events.index(Waiting("loading", 1.0))]
    after = events[events.index(Text("a")) :]
    assert after == [Text("a")]


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
