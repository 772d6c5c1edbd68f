"""python -m kubectl_berth, and the program kubectl-berth."""

from __future__ import annotations

import os
import signal
from typing import NoReturn

INTERRUPTED = 130


def start() -> NoReturn:
    """Runs the command line of this process. Ctrl-C ends it without a word also while its modules are imported."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    from kubectl_berth.cli.main import main

    main()


if __name__ == "__main__":
    start()
