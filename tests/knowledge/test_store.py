"""The store: private, shared by processes without losing anything, and one clear sentence where it cannot be used."""

from __future__ import annotations

import multiprocessing
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kubectl_berth.environment import Environment
from kubectl_berth.knowledge.incidents import Memory, notes
from kubectl_berth.knowledge.store import FILE, Store, StoreError, data_directory
from kubectl_berth.settings import Settings

NOW = datetime(2026, 10, 5, 9, 30, tzinfo=UTC)
WRITERS, EACH = 2, 200


def write(path: str, writer: int, count: int) -> None:
    memory = Memory(Store(Path(path)), "uid:one", "prod")
    for number in range(count):
        memory.record(f"writer {writer} note {number}", "a cause " * 40, "a fix", NOW)


def test_two_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / FILE
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=write, args=(str(path), number, EACH)) for number in range(WRITERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        worker.close()
    titles = {note.title for note in notes(Store(path))}
    assert titles == {f"writer {w} note {n}" for w in range(WRITERS) for n in range(EACH)}


def test_file_and_directory_are_the_persons_own(tmp_path: Path) -> None:
    path = tmp_path / "not" / "yet" / FILE
    write(str(path), 0, 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o644)
    write(str(path), 0, 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_reading_makes_nothing(tmp_path: Path) -> None:
    assert notes(Store(tmp_path / "none" / FILE)) == []
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_bytes(b"half a line of something else" * 100)
    before = path.read_bytes()
    for attempt in (lambda: notes(Store(path)), lambda: write(str(path), 0, 1)):
        with pytest.raises(StoreError, match=f"{path} cannot be used: file is not a database"):
            attempt()
    assert path.read_bytes() == before


def test_no_symbolic_link_no_pipe_no_directory(tmp_path: Path) -> None:
    target = tmp_path / "target"
    link, pipe, directory = tmp_path / "link", tmp_path / "pipe", tmp_path / "directory"
    link.symlink_to(target)
    os.mkfifo(pipe)
    directory.mkdir()
    for path in (link, pipe, directory):
        with pytest.raises(StoreError, match="no regular file"):
            write(str(path), 0, 1)
        with pytest.raises(StoreError, match="no regular file"):
            notes(Store(path))
    assert not target.exists()


@pytest.mark.skipif(os.getuid() == 0, reason="root writes everywhere")
def test_a_read_only_store_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "data" / FILE
    write(str(path), 0, 1)
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        assert len(notes(Store(path))) == 1
        with pytest.raises(StoreError, match=str(path)):
            write(str(path), 0, 1)
    finally:
        path.parent.chmod(0o700)


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used"):
        write(str(tmp_path / "file" / FILE), 0, 1)


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / FILE)
    with pytest.raises(RuntimeError), store.writing("CREATE TABLE IF NOT EXISTS t (a)") as connection:
        connection.execute("INSERT INTO t VALUES (1)")
        raise RuntimeError
    with store.writing("CREATE TABLE IF NOT EXISTS t (a)") as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_in_memory_it_ends_with_the_object() -> None:
    store = Store()
    Memory(store, "k").record("t", "c", "f", NOW)
    assert len(notes(store)) == 1
    assert notes(Store()) == []


def test_where_it_lies(tmp_path: Path) -> None:
    actual = Environment.actual()
    environment = Environment(actual.stdin, actual.stdout, actual.stderr, {"XDG_DATA_HOME": "/x"}, home=tmp_path)
    assert data_directory(Settings(data_dir="/d"), environment) == Path("/d")
    assert data_directory(Settings(), environment) == Path("/x/kubectl-berth")
