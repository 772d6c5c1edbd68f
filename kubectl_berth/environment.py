"""The process's surroundings as one value: streams, terminals, clock, randomness, variables."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO, TextIO


@dataclass(frozen=True)
class Environment:
    """What a run may know of the process around it. Tests hand in their own."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    variables: Mapping[str, str]
    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    home: str | os.PathLike[str] | None = None

    @classmethod
    def actual(cls) -> Environment:
        """The surroundings of this process. `home` is None where there is none."""
        home = os.path.expanduser("~")  # noqa: PTH111  pathlib is a tenth of a start
        return cls(sys.stdin, sys.stdout, sys.stderr, os.environ, home=None if home == "~" else home)

    def variable(self, name: str) -> str:
        """The variable's value without surrounding blanks, "" where it is unset or blank."""
        return self.variables.get(name, "").strip()

    @property
    def debug(self) -> bool:
        """True where tracebacks are wanted (BERTH_DEBUG=1)."""
        return self.variable("BERTH_DEBUG") not in ("", "0")

    def stdin_bytes(self) -> BinaryIO:
        """Standard input as bytes."""
        return self.stdin.buffer


def missing(extra: str) -> str:
    """How a sentence on a library that is not there ends: why, and what brings it. `extra` is the package's extra."""
    if getattr(sys, "frozen", False):  # the archive that krew installs: pip cannot add to it
        return f"which this build leaves out: pipx install 'kubectl-berth[{extra}]' has it"
    return f"which is not installed: pip install 'kubectl-berth[{extra}]'"
