"""Whether this process was started to complete a line. Every start asks this, so nothing is imported for it."""

from __future__ import annotations

import os
import sys
import time

PROGRAM = "kubectl_complete-berth"
"""What kubectl calls; a link of this name to kubectl-berth completes too."""

COMPLETE = "_KUBECTL_BERTH_COMPLETE"
"""Set in the environment, it makes kubectl-berth itself complete: for shells that complete `kubectl-berth`."""

READ = "_KUBECTL_BERTH_READ_NAMES"
"""Set in the environment of the process that reads names: it carries out what comes on standard input."""


BEGAN = time.monotonic()
"""When this process began, but for the interpreter's own start."""


def to_complete() -> bool:
    """True where this process was started to complete, or to read names for that, whichever way."""
    name = sys.argv[0].replace("\\", "/").rpartition("/")[2]
    return COMPLETE in os.environ or READ in os.environ or name.partition(".")[0] == PROGRAM
