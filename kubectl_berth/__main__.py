"""python -m kubectl_berth, and the program kubectl-berth."""

from __future__ import annotations

import os
import signal
from typing import NoReturn

INTERRUPTED = 130


def start() -> NoReturn:
    """Runs the command line of this process. Ctrl-C and SIGTERM end it without a word while modules are imported."""
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) is usual:
            signal.signal(number, lambda number, frame: os._exit(INTERRUPTED))
    from kubectl_berth.cli.main import main

    main()


if __name__ == "__main__":
    start()
