"""Ctrl-C and SIGTERM during a run, as entries of the run's own queue."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)

TICK = 0.2
"""Seconds of one wait of the main thread: on Windows a signal is heard only when a wait ends."""


@contextmanager
def on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Calls `stop` at the first Ctrl-C or SIGTERM inside the block; a second one ends the process's work at once.

    Signals arrive on the main thread only; on another one the block changes nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seen = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal seen
        if seen:
            raise KeyboardInterrupt
        seen = True
        stop()

    # what the parent had ignored (a job in the background of a script) stays ignored
    heeded = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handle) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
