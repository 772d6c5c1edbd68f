"""A program that is run for its output and that never outlives this process."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

_GRACE = 0.2
"""Seconds a program that is told to end has to do so."""


def has_terminal() -> bool:
    """True where a person may be looking: this process belongs to a terminal, whatever its streams are."""
    try:
        os.close(os.open("CONIN$" if os.name == "nt" else "/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True


def run_child(
    words: Sequence[str], variables: Mapping[str, str], limit: float, *, reads: bool, own_group: bool
) -> tuple[int, bytes]:
    """Its exit status and standard output; stderr is this process's own, stdin too where it `reads`.

    It is ended after `limit` seconds, and together with this process: alone, or with its whole process group where it
    has one of its own. A group of its own cannot read from a terminal and does not hear Ctrl-C there. Raises
    subprocess.TimeoutExpired, and OSError and ValueError where it cannot be started.
    """
    grouped = own_group and os.name == "posix"
    restore = _restorer(reads)
    process = subprocess.Popen(
        words,
        stdin=None if reads else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=dict(variables),
        process_group=0 if grouped else None,
    )
    end = partial(_end, process, grouped, restore)
    # at exit, for a run that is over does not wait for the thread that waits here
    atexit.register(end)
    try:
        output, _ = process.communicate(timeout=limit)
        if process.returncode:
            restore()
    except BaseException:
        end()
        raise
    finally:
        atexit.unregister(end)
    return process.returncode, output


def _end(process: subprocess.Popen[bytes], grouped: bool, restore: Callable[[], None]) -> None:
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if process.poll() is not None:
            break
        with suppress(OSError):
            if grouped:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    restore()


def _restorer(reads: bool) -> Callable[[], None]:
    """What puts the terminal back as it is: who is ended while typing a password would see nothing any more."""
    if not reads or os.name != "posix" or sys.__stdin__ is None:
        return lambda: None
    import termios

    terminal = sys.__stdin__.fileno()
    try:
        settings = termios.tcgetattr(terminal)
    except termios.error:
        return lambda: None

    def restore() -> None:
        with suppress(termios.error):
            termios.tcsetattr(terminal, termios.TCSANOW, settings)

    return restore
