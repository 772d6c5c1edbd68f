"""Runs processes and says what they took, whatever this process is big with itself."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# a process's peak memory starts at that of the one that forks it: so a small one stands between
_LAUNCHER = """
import os, sys, time
started = time.monotonic()
pid = os.fork()
if pid == 0:
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2): os.dup2(null, stream)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
wall, cpu = time.monotonic() - started, usage.ru_utime + usage.ru_stime
print("[%f, %f, %d, %d]" % (wall, cpu, usage.ru_maxrss, os.waitstatus_to_exitcode(status)))
"""


@dataclass(frozen=True)
class Taken:
    """What a process took: seconds on the clock and of CPU, the most memory in MB."""

    wall: float
    cpu: float
    memory: float


def take(
    command: Sequence[str | Path], env: Mapping[str, str], *, runs: int = 5, statuses: Sequence[int] = (0,)
) -> Taken:
    """The least of each of several runs: what else the machine does only adds. Raises for any other exit status."""
    found = []
    for _ in range(runs):
        run = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, *map(str, command)],
            env=dict(env),
            stdout=subprocess.PIPE,
            check=True,
            timeout=300,
        )
        wall, cpu, kilobytes, status = json.loads(run.stdout)
        if status not in statuses:
            raise RuntimeError(f"{' '.join(map(str, command))} ended with status {status}")
        found.append(Taken(wall, cpu, kilobytes / 1024))
    return Taken(min(each.wall for each in found), min(each.cpu for each in found), min(each.memory for each in found))
