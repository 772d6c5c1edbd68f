"""Runs kubectl berth as a person would: as a process, in a pipe or on a terminal of a given size."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMMAND = [sys.executable, "-m", "kubectl_berth"]


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    status: int
    out: str
    err: str


def surroundings(home: Path, **variables: str) -> dict[str, str]:
    """An environment in which nothing of the developer's own settings, keys and kubeconfig is left."""
    kept = {
        name: os.environ[name]
        for name in ("PATH", "LANG", "VIRTUAL_ENV", "COVERAGE_PROCESS_START")
        if name in os.environ
    }
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "PYTHONPATH": str(ROOT),
        # nothing listens there: auto finds no Ollama of the developer's
        "OLLAMA_HOST": "127.0.0.1:9",
        "NO_PROXY": "*",
        **variables,
    }


def berth(*arguments: str, env: Mapping[str, str], given: str | None = None, timeout: float = 60) -> Ended:
    """One run with stdout and stderr in pipes; `given` is standard input, none where it is None."""
    run = subprocess.run(
        [*COMMAND, *arguments],
        env=dict(env),
        input=given.encode() if given is not None else None,
        stdin=subprocess.DEVNULL if given is None else None,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    return Ended(run.returncode, run.stdout.decode(), run.stderr.decode())


def start(*arguments: str, env: Mapping[str, str], stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """A run that goes on, with pipes."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        env=dict(env),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # tests may run in the background of a script, where Ctrl-C is ignored and children inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def on_terminal(
    arguments: Sequence[str],
    env: Mapping[str, str],
    *,
    columns: int = 80,
    lines: int = 24,
    command: Sequence[str] = COMMAND,
    types: str = "",
) -> Ended:
    """One run on a pseudo-terminal, all three streams on it. `out` is every byte the terminal got.

    `types` is what the person typed ahead.
    """
    read, write = pty.openpty()
    fcntl.ioctl(write, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    os.write(read, types.encode())
    process = subprocess.Popen([*command, *arguments], env=dict(env), stdin=write, stdout=write, stderr=write)
    os.close(write)
    received = b""
    while True:
        try:
            piece = os.read(read, 65536)
        except OSError:  # the other end was closed
            break
        if not piece:
            break
        received += piece
    os.close(read)
    return Ended(process.wait(30), received.decode(), "")


def snapshot(directory: Path) -> Path:
    """A small snapshot: one pod that crashes."""
    (directory / "objects").mkdir(parents=True)
    (directory / "snapshot.yaml").write_text(
        'apiVersion: berth.dev/v1\nkind: Snapshot\nserverVersion: v1.33.4\ntime: "2026-10-05T09:30:00Z"\n'
    )
    (directory / "objects" / "pods.yaml").write_text(
        """\
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, uid: a1, creationTimestamp: "2026-10-05T09:00:00Z"}
spec: {containers: [{name: web, image: "registry.example/web:1"}]}
status:
  phase: Running
  containerStatuses:
  - name: web
    ready: false
    restartCount: 7
    image: registry.example/web:1
    imageID: ""
    state: {waiting: {reason: CrashLoopBackOff, message: back-off}}
    lastState:
      terminated: {exitCode: 3, reason: Error, startedAt: "2026-10-05T09:20:00Z", finishedAt: "2026-10-05T09:20:02Z"}
"""
    )
    return directory


def screen_of(received: str, columns: int = 80) -> list[str]:
    """What a terminal of that width shows after these bytes: text, newline, CR, colours, cursor up, clear."""
    rows: list[list[str]] = [[]]
    row = column = 0
    at = 0
    while at < len(received):
        character = received[at]
        at += 1
        if character == "\x1b":
            end = at + 1
            while not received[end].isalpha():
                end += 1
            number, verb = received[at + 1 : end], received[end]
            at = end + 1
            if verb == "A":
                row = max(0, row - int(number or 1))
            elif verb == "K":
                del rows[row][column:]
            elif verb == "J":
                del rows[row][column:], rows[row + 1 :]
        elif character == "\r":
            column = 0
        elif character == "\n":
            row, column = row + 1, column
        else:
            if column == columns:
                row, column = row + 1, 0
            while len(rows) <= row:
                rows.append([])
            rows[row] += " " * (column - len(rows[row]))
            rows[row][column : column + 1] = [character]
            column += 1
        while len(rows) <= row:
            rows.append([])
    return ["".join(each).rstrip() for each in rows]
