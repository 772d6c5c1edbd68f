"""The last runs, one file each in the data directory, readable by their owner alone."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from kubectl_berth.knowledge.store import StoreError

DIRECTORY = "runs"
KEPT = 50
"""Runs that are kept; each new one pushes out the oldest."""
MOST_BYTES = 64 * 1024 * 1024
"""Of a file that is read as a run."""
_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")


def new_id(seconds: float) -> str:
    """An id for a run that began at this moment, in seconds since 1970; ids sort by time, to the millisecond."""
    milliseconds = int(seconds * 1000) % 1000
    return f"{datetime.fromtimestamp(seconds, UTC):%Y%m%d-%H%M%S}-{milliseconds:03}{secrets.token_hex(2)[:3]}"


class RunFiles:
    """The runs kept in a directory. Every method raises StoreError where it cannot be used."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def ids(self) -> list[str]:
        """The kept runs, newest first."""
        try:
            names = [entry.name.removesuffix(".json") for entry in self.directory.iterdir()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unusable(self.directory, error) from error
        return sorted((name for name in names if _ID.fullmatch(name)), reverse=True)

    def read(self, id: str) -> bytes:
        """One run as it was written."""
        return read_file(self.path(id))

    def path(self, id: str) -> Path:
        """Where the run of this id is kept."""
        return self.directory / f"{id}.json"

    def write(self, id: str, content: bytes) -> None:
        """Keeps a run, and drops the oldest where there are too many."""
        try:
            make_private(self.directory)
            write_private(self.path(id), content)
        except OSError as error:
            raise _unusable(self.directory, error) from error
        self._drop(self.ids()[KEPT:])

    def purge(self) -> int:
        """Deletes every run; how many there were."""
        return self._drop(self.ids())

    def _drop(self, ids: list[str]) -> int:
        dropped = 0
        for id in ids:
            try:
                self.path(id).unlink(missing_ok=True)
            except OSError as error:
                raise _unusable(self.path(id), error) from error
            dropped += 1
        return dropped


def read_file(path: Path) -> bytes:
    """The content of a recorded run. Raises StoreError where it is none that can be read."""
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise StoreError(f"{path} cannot be read: it is no regular file")
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(content) > MOST_BYTES:
        raise StoreError(f"{path} cannot be read: it is larger than any run")
    return content


class _Result(msgspec.Struct):
    question: str = ""


class _Run(msgspec.Struct):
    result: _Result


def question_in(content: bytes) -> str:
    """What was asked in the JSON of a record, "" where it does not say; nothing else of it is read."""
    try:
        return msgspec.json.decode(content, type=_Run).result.question
    except (msgspec.ValidationError, msgspec.DecodeError):
        return ""


def write_private(path: Path, content: bytes) -> None:
    """Writes a file that only its owner can read, whole or not at all. Raises OSError.

    What a link leads to is replaced, not the link; a device or a pipe is written to.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    path = path.resolve()
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        new.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            new.unlink()
        raise


def make_private(directory: Path) -> None:
    """Makes a directory, and those above it, that only its owner can look into. Raises OSError."""
    missing = [each for each in (directory, *directory.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
    if os.name == "posix" and directory.stat().st_mode & 0o077:
        directory.chmod(0o700)


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"{error.filename or path} cannot be used: {error.strerror or error}")
