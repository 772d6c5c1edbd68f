"""A signal is heard however the main thread waits."""

from __future__ import annotations

import os
import signal
import threading
import time

PAUSES = (0.05, 0.2, 1.0)
"""Seconds between a signal and the nudges that follow it: on a busy machine a wait may begin late."""


def hear_at_once() -> None:
    """From now on a signal that comes in the instant before the main thread begins to wait breaks that wait off.

    Python only notes such a signal, and would act on it when the wait ends by itself. Windows has no signal for this.
    """
    nudge = getattr(signal, "SIGURG", None)
    if nudge is None:
        return
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    # any signal ends a wait, and whoever waited then acts on all that came; this one stands for nothing itself
    signal.signal(nudge, lambda number, frame: None)
    main = threading.get_ident()

    def follow() -> None:
        while numbers := os.read(read, 64):
            for pause in PAUSES if {*numbers} != {nudge} else ():
                time.sleep(pause)
                signal.pthread_kill(main, nudge)

    threading.Thread(target=follow, name="berth-signals", daemon=True).start()
