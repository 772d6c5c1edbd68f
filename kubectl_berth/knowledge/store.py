"""One small SQLite file in the data directory, or one in memory that ends with the run.

Several processes may write at the same time: every write is one transaction that waits its turn. The rollback journal
is used, not WAL: a store on a network home or in a directory that cannot be written can then still be read.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kubectl_berth.environment import Environment
from kubectl_berth.settings import Settings

FILE = "berth.sqlite3"
WAIT = 10.0
"""Seconds that a write waits for the writers before it."""


class StoreError(Exception):
    """The store cannot be used. The words are one line: which file, and why."""


class StoreBusy(StoreError):
    """Other writers kept the store for all of the wait."""


def data_directory(settings: Settings, environment: Environment) -> Path:
    """Where berth keeps what it remembers: AI_DATA_DIR, else the platform's own place for a user's data."""
    if settings.data_dir:
        return Path(settings.data_dir).expanduser()
    if chosen := environment.variable("XDG_DATA_HOME"):
        return Path(chosen) / "kubectl-berth"
    import platformdirs

    return Path(platformdirs.user_data_dir("kubectl-berth", appauthor=False))


class Store:
    """The store at `path`; None keeps everything in memory, for as long as the object lives.

    `wait` is how many seconds a write waits for the writers before it.
    """

    def __init__(self, path: Path | None = None, *, wait: float = WAIT) -> None:
        self.path = path
        self._wait = wait
        self._lock = threading.RLock()
        self._memory: sqlite3.Connection | None = None

    @contextmanager
    def writing(self, schema: str) -> Iterator[sqlite3.Connection]:
        """One transaction that ends with the block; nothing of it stays where the block fails.

        `schema` creates the tables that the block needs where they are missing. Raises StoreError.
        """
        with self._connected(create=True) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                for statement in filter(str.strip, schema.split(";")):
                    connection.execute(statement)
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection to read with; None where there is no store yet. Raises StoreError."""
        with self._connected(create=False) as connection:
            yield connection

    @contextmanager
    def _connected(self, *, create: bool) -> Iterator[Any]:
        with self._lock:
            connection = None
            try:
                connection = self._open(create=create)
                yield connection
            except sqlite3.Error as error:
                busy = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
                raise (StoreBusy if busy else StoreError)(
                    f"{self.path or 'the store'} cannot be used: {error}"
                ) from error
            except OSError as error:
                words = error.strerror or str(error)
                raise StoreError(f"{error.filename or self.path} cannot be used: {words}") from error
            finally:
                if connection is not None and self.path is not None:
                    connection.close()

    def _open(self, *, create: bool) -> sqlite3.Connection | None:
        # isolation_level None: the transactions are ours alone
        if self.path is None:
            if self._memory is None:
                self._memory = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
                weakref.finalize(self, self._memory.close)
            return self._memory
        if not _is_there(self.path):
            if not create:
                return None
            _make(self.path)
        _check(self.path)
        address = f"{self.path.absolute().as_uri()}?mode={'rw' if create else 'ro'}"
        return sqlite3.connect(address, uri=True, timeout=self._wait, isolation_level=None)


def _is_there(path: Path) -> bool:
    """Raises OSError where it cannot be told."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def _make(path: Path) -> None:
    """An empty file that nobody else can read, in a directory that nobody else can enter."""
    missing = [each for each in (path.parent, *path.parent.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600))
    except FileExistsError:
        return  # another run was quicker


def _check(path: Path) -> None:
    """Raises StoreError for what is no file of ours; takes away the access that others have to it."""
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"{path} cannot be used: it is no regular file")
    if hasattr(os, "getuid") and found.st_uid != os.getuid():
        raise StoreError(f"{path} cannot be used: it belongs to another user")
    if os.name == "posix" and found.st_mode & 0o077:
        path.chmod(0o600)


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """True where the store holds a table of that name: a store that was never written to has none."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)).fetchone()
    return found is not None
