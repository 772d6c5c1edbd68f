"""Past incidents: cleaned and cut when written, kept by cluster, dropped where they were tampered with."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.knowledge.incidents import MOST_BYTES, Memory, cluster_key, forget, notes, own_memory
from kubectl_berth.knowledge.store import Store
from tests.tools.objects import namespace, shop, write

NOW = datetime(2026, 10, 5, 9, 30, tzinfo=UTC)


@pytest.fixture
def store() -> Store:
    return Store()


def test_what_is_noted_is_recalled_with_its_date(store: Store) -> None:
    Memory(store, "uid:a", "prod").record("exporter OOM", "limit 256Mi", "raise it", NOW, ["Pod mon/exporter-0"])
    (found,), count = Memory(store, "uid:a").recall("exporter restarts again, same as last time?")
    assert count == 1
    assert (found.title, found.root_cause, found.fix) == ("exporter OOM", "limit 256Mi", "raise it")
    assert (found.time, found.cluster, found.about) == (NOW, "prod", "Pod mon/exporter-0")


def test_f11_another_clusters_notes_are_never_recalled(store: Store) -> None:
    Memory(store, "uid:a", "prod").record("exporter OOM", "x", "y", NOW)
    assert Memory(store, "uid:b", "prod").recall("exporter OOM") == ([], 0)
    assert Memory(store, "uid:b", "prod").recall("") == ([], 0)


def test_the_best_fit_first_then_the_newest(store: Store) -> None:
    memory = Memory(store, "k")
    for title in ("api crash", "exporter OOM", "exporter OOM limit", "exporter slow"):
        memory.record(title, "c", "f", NOW)
    assert [note.title for note in memory.recall("exporter OOM limit")[0]] == [
        "exporter OOM limit", "exporter OOM", "exporter slow",
    ]  # fmt: skip
    assert [note.title for note in memory.recall("what was it", 2)[0]] == ["exporter slow", "exporter OOM limit"]


def test_f09_a_note_is_sanitised_redacted_and_cut(store: Store) -> None:
    fake = "hunter2" + "fake"
    hidden = "\U000e0041\u200b\u202e\x1b[31m"
    cause = f"log said password={fake} {hidden}" + "é" * 5000
    note = Memory(store, "k", "prod\x1b[2J").record(f"title\n{hidden}two", cause, "f" * 9000, NOW, ["Pod a/b"])
    text = "".join((note.title, note.root_cause, note.fix, note.about))
    assert len(text.encode()) <= MOST_BYTES
    assert fake not in text
    assert not set("\U000e0041\u200b\u202e\x1b") & set(text + note.cluster)
    assert "\n" not in note.title
    assert notes(store) == [note]


@pytest.mark.parametrize("column", ["title", "root_cause", "fix", "about"])
@pytest.mark.parametrize("character", ["\U000e0041", "\x1b[2J", "\u200b", "\u202e"])
def test_f08_a_note_with_hidden_characters_is_dropped(store: Store, column: str, character: str) -> None:
    memory = Memory(store, "k")
    memory.record("kept", "c", "f", NOW)
    memory.record("other", "c", "f", NOW)
    with store.writing("") as connection:
        connection.execute(f"UPDATE incidents SET {column} = ? WHERE title = 'other'", (f"x{character}y",))
    assert [note.title for note in notes(store)] == ["kept"]


def test_f08_a_note_that_somebody_made_longer_is_cut(store: Store) -> None:
    Memory(store, "k").record("t", "c", "f", NOW)
    with store.writing("") as connection:
        connection.execute("UPDATE incidents SET root_cause = ?", ("x" * 100_000,))
    assert len(notes(store)[0].root_cause.encode()) < MOST_BYTES


def test_odd_rows_are_no_crash(store: Store) -> None:
    Memory(store, "k").record("t", "c", "f", NOW)
    with store.writing("") as connection:
        connection.execute("UPDATE incidents SET time = 'yesterday', fix = 7")
    assert (notes(store)[0].fix, notes(store)[0].time.year) == ("7", 1970)


def test_forgetting(store: Store) -> None:
    memory = Memory(store, "k")
    for title in ("one", "two", "three"):
        memory.record(title, "c", "f", NOW)
    assert forget(store, [notes(store)[0].number]) == 1
    assert [note.title for note in notes(store)] == ["two", "one"]
    assert forget(store, None) == 2
    # numbers are not used again: a note that is forgotten does not come back as another
    memory.record("four", "c", "f", NOW)
    assert notes(store)[0].number == 4


def test_a_cluster_is_told_by_the_uid_of_kube_system(tmp_path: Path) -> None:
    named = open_snapshot([write(tmp_path / "a", shop())], source="snapshot", name="a")
    assert cluster_key(named) == "uid:namespace--kube-system-uid"
    nameless = open_snapshot([write(tmp_path / "b", [namespace("shop")])], source="snapshot", name="b")
    other = open_snapshot([write(tmp_path / "c", [namespace("shop")])], source="snapshot", name="c")
    assert cluster_key(nameless).startswith("name:")
    assert cluster_key(nameless) != cluster_key(other)


def test_a_scenarios_incidents() -> None:
    memory = own_memory(
        [
            {"title": "probe", "rootCause": "slow", "fix": "wait", "time": "2026-09-01T00:00:00Z"},
            {"title": "undated"},
        ],
        "one",
        NOW,
    )
    undated, dated = memory.recall("")[0]
    assert dated.time == datetime(2026, 9, 1, tzinfo=UTC)
    assert undated.time == replace(dated, time=datetime(2026, 9, 5, 9, 30, tzinfo=UTC)).time
