"""The progress of many runs: one line that is replaced where stderr is a terminal, else a line every tenth part."""

from __future__ import annotations

from kubectl_berth.environment import Environment
from kubectl_berth.output import screen
from kubectl_berth.safety.sanitise import one_line

WIDTH = 24


class Bar:
    """Shows how many of `total` runs ended. `done` of them had before."""

    def __init__(self, environment: Environment, total: int, done: int = 0, failed: int = 0) -> None:
        self._environment = environment
        self._stderr = environment.stderr
        self._live = screen.takes_escapes(environment.stderr, environment)
        self._total, self._done, self._failed = total, done, failed
        self._began, self._first = environment.monotonic(), done

    def ended(self, name: str, *, passed: bool) -> None:
        """One run ended."""
        tenth = self._tenth()
        self._done += 1
        self._failed += not passed
        if self._live:
            columns, _ = screen.size(self._stderr)
            self._stderr.write(f"\r{screen.cut(self._line(name), columns - 1)}\x1b[K")
        elif self._tenth() > tenth:
            self._stderr.write(f"{self._line('')}\n")
        self._stderr.flush()

    def close(self) -> None:
        """Leaves no line behind."""
        if self._live:
            self._stderr.write("\r\x1b[K")
            self._stderr.flush()

    def _tenth(self) -> int:
        return self._done * 10 // max(self._total, 1)

    def _line(self, name: str) -> str:
        full = WIDTH * self._done // max(self._total, 1)
        now = f"[{'#' * full}{'.' * (WIDTH - full)}] " if self._live else ""
        runs = "run" if self._total == 1 else "runs"
        return (
            f"{now}{self._done} of {self._total} {runs}, {self._failed} failed{self._left()}  {one_line(name)}".rstrip()
        )

    def _left(self) -> str:
        """How long the rest takes at this pace, once that can be told."""
        ended, gone = self._done - self._first, self._environment.monotonic() - self._began
        left = gone / ended * (self._total - self._done) if ended else 0.0
        if left < 10:
            return ""
        return f", {left / 60:.0f} min left" if left >= 90 else f", {left:.0f} s left"
