"""Whether logs and descriptions may leave this machine: what the settings say, else what the person says, asked once.

The question comes when a tool first needs them, from the thread the tool runs on; the main thread, which owns the
terminal, puts it. Where nobody sits at a terminal it is never put, and the answer is no.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from kubectl_berth.environment import Environment
from kubectl_berth.settings import Settings, config_directory

FILE = "raw-diagnostics-hosts"
PATIENCE = 60.0
"""Seconds that the question waits for an answer before it takes the default."""
_LOOK = 0.1

Ask = Callable[[Callable[[], bool]], bool]
"""Puts the question, on the main thread, for as long as the given function says that the run waits for it."""


@dataclass
class Wish:
    """One wait of a worker for the person's answer."""

    allowed: bool = False
    answered: threading.Event = field(default_factory=threading.Event)

    def settle(self, allowed: bool) -> None:
        """From the main thread: the answer."""
        self.allowed = allowed
        self.answered.set()

    def wait(self, stopped: Callable[[], bool]) -> bool:
        """From the worker: the answer, no where the run stops first."""
        while not self.answered.wait(_LOOK):
            if stopped():
                return False
        return self.allowed


def raw_allowed(settings: Settings, host: str, environment: Environment) -> bool:
    """Whether logs and descriptions may go to `host` ("": they stay on this machine) without a question."""
    if settings.raw_diagnostics is not None:
        return settings.raw_diagnostics
    return not host or host in allowed_hosts(environment)


def question(settings: Settings, host: str, environment: Environment) -> Ask | None:
    """What puts the question to the person; None where there is nothing to ask or nobody to answer."""
    if settings.raw_diagnostics is not None or raw_allowed(settings, host, environment):
        return None
    if not (environment.stdin.isatty() and environment.stderr.isatty()):
        return None
    return lambda waiting: _put(host, environment, waiting)


def why(engine: str, host: str) -> str:
    """What the person is told before the question."""
    return (
        f"{engine} at {host} asks for a log or a description of an object; secrets in it are masked as far as berth "
        "can tell them"
    )


def _put(host: str, environment: Environment, waiting: Callable[[], bool]) -> bool:
    stderr = environment.stderr
    stderr.write(f"Send logs and descriptions to {host}? [N]o, [t]his run, [a]lways to this host: ")
    stderr.flush()
    answer = _line(environment, waiting)
    if answer is None:
        stderr.write("\n")
    word = (answer or "").strip().lower()
    if word in ("a", "always"):
        stderr.write(f"{_remember(host, environment)}\n")
    stderr.flush()
    return word in ("a", "always", "t", "this", "this run", "y", "yes")


def _line(environment: Environment, waiting: Callable[[], bool]) -> str | None:
    """One line from the terminal; None where the run or the patience ends first."""
    until = environment.monotonic() + PATIENCE
    while waiting() and environment.monotonic() < until:
        try:
            ready, _, _ = select.select([environment.stdin], [], [], _LOOK)
        except (OSError, ValueError):
            # a console that cannot be watched (Windows): it is read, and Ctrl-C ends it
            return environment.stdin.readline() or None
        if ready:
            return environment.stdin.readline() or None
    return None


def allowed_hosts(environment: Environment) -> frozenset[str]:
    """The hosts that the person allowed for always, one a line of a file beside the settings."""
    try:
        content = hosts_file(environment).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    return frozenset(line.strip() for line in content.splitlines() if line.strip() and not line.startswith("#"))


def hosts_file(environment: Environment) -> Path:
    """Where an always is remembered."""
    return config_directory(environment) / FILE


def _remember(host: str, environment: Environment) -> str:
    """Adds the host to the file; what came of it, for the person."""
    path = hosts_file(environment)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8") as file:
            file.write(f"{host}\n")
    except OSError as error:
        return f"this could not be remembered: {path}: {error.strerror}"
    return f"remembered in {path}; remove the line {host} to be asked again"
