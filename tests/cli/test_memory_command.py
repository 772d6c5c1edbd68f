"""kubectl berth memory: list, show, forget, add; and what a broken store costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes import ollama
from tests.process import berth, surroundings
from tests.tools.objects import namespace, shop, write

NOTE = ["--title", "api crash", "--root-cause", "variable missing", "--fix", "set it"]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path, AI_DATA_DIR=str(tmp_path / "data"))


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(write(tmp_path / "moment", shop()))


def test_a_note_by_hand_from_beginning_to_end(env: dict[str, str], moment: str) -> None:
    empty = berth("memory", "list", env=env)
    assert (empty.status, empty.out, empty.err) == (0, "", "there are no notes on this machine\n")
    added = berth("memory", "add", *NOTE, "--snapshot", moment, env=env)
    assert (added.status, added.out, added.err) == (0, "", "noted as number 1 for moment\n")
    assert berth("memory", "list", env=env).out == "   1  2026-10-05  moment  api crash\n"
    shown = berth("memory", "show", "1", env=env).out
    assert "root cause: variable missing\n" in shown and "noted:      2026-10-05 09:30 UTC\n" in shown
    listed = json.loads(berth("memory", "list", "-o", "json", env=env).out)
    one = json.loads(berth("memory", "show", "1", "-o", "json", env=env).out)
    assert [{"schema": listed["schema"], **note} for note in listed["notes"]] == [one]
    recalled = berth("tool", "recall_incidents", "query=api", "--snapshot", moment, env=env).out
    assert "From an earlier run, 2026-10-05" in recalled and "variable missing" in recalled
    forgotten = berth("memory", "forget", "1", env=env)
    assert (forgotten.status, forgotten.err) == (0, "1 note deleted\n")
    assert berth("memory", "list", env=env).out == ""


def test_f11_notes_of_another_cluster_are_not_recalled(env: dict[str, str], moment: str, tmp_path: Path) -> None:
    other = str(write(tmp_path / "other", [namespace("shop")]))
    berth("memory", "add", *NOTE, "--snapshot", moment, env=env)
    ended = berth("tool", "recall_incidents", "query=api crash", "--snapshot", other, env=env)
    assert ended.err.startswith("empty")
    assert "crash" not in ended.out.replace("'api crash'", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "7"], "there is no note 7"),
        (["forget"], "name the notes to delete"),
        (["forget", "1", "--all"], "name the notes to delete"),
        (["forget", "7"], "there is no note 7"),
        (["forget", "x"], "not a valid integer"),
        (["add", "--title", "x"], "--root-cause"),
        (["add", *NOTE, "--scenario", "oomkilled"], "no such option"),
        (["add", "--title", " ", "--root-cause", "x", "--fix", "y", "--snapshot", "MOMENT"], "needs words"),
    ],
)
def test_usage_errors(arguments: list[str], words: str, env: dict[str, str], moment: str) -> None:
    ended = berth("memory", *[moment if word == "MOMENT" else word for word in arguments], env=env)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert words in ended.err


def test_a_store_that_cannot_be_used_is_one_line(env: dict[str, str], moment: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    store = tmp_path / "data" / "berth.sqlite3"
    store.write_text("no database " * 100)
    for arguments in (["list"], ["show", "1"], ["forget", "--all"], ["add", *NOTE, "--snapshot", moment]):
        ended = berth("memory", *arguments, env=env)
        assert (ended.status, ended.out, ended.err.count("\n")) == (1, "", 1)
        assert str(store) in ended.err
    assert store.read_text() == "no database " * 100


@pytest.mark.parametrize("broken", ["file", "corrupt"])
def test_a_broken_store_costs_one_line_and_never_the_answer(
    broken: str, env: dict[str, str], moment: str, tmp_path: Path
) -> None:
    if broken == "file":
        (tmp_path / "data").write_text("no directory")
    else:
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "berth.sqlite3").write_text("no database " * 100)
    calls = [
        ("recall_incidents", {"query": "api"}),
        ("record_incident", {"title": "t", "rootCause": "c", "fix": "f"}),
    ]
    with ollama.FakeOllama(ollama.obeying("api crashes: no DATABASE_URL.", *calls)) as fake:
        there = env | {"OLLAMA_HOST": fake.url, "OLLAMA_MODEL": ollama.MODEL}
        ended = berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", "--trace", "none", env=there)
    assert (ended.status, ended.out) == (0, "api crashes: no DATABASE_URL.\n")
    assert ended.err.count("incident memory") == 1


def test_a_scenario_never_touches_what_this_machine_remembers(env: dict[str, str], tmp_path: Path) -> None:
    directory = tmp_path / "told"
    write(directory / "cluster", shop())
    (directory / "scenario.yaml").write_text(
        "apiVersion: berth.dev/v1\nkind: Scenario\ntitle: t\nquestion: Why does api crash?\n"
        "incidents:\n- {title: api crash, rootCause: it is always the probe, fix: wait, time: 2026-09-14T00:00:00Z}\n"
        "runbooks:\n- {title: Ours, text: Restart it., reasons: [CrashLoopBackOff]}\n"
    )
    scenario = ["--scenario", str(directory)]
    recalled = berth("tool", "recall_incidents", "query=api", *scenario, env=env).out
    assert "From an earlier run, 2026-09-14 (21d ago)" in recalled and "always the probe" in recalled
    assert "person's own: Ours" in berth("tool", "lookup_runbook", "query=CrashLoopBackOff", *scenario, env=env).out
    noted = berth("tool", "record_incident", "title=t", "rootCause=c", "fix=f", *scenario, env=env)
    assert noted.err.startswith("ok")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("field", ["incidents: [words]", "runbooks: [7]"])
def test_what_a_scenario_may_not_bring(field: str, env: dict[str, str], tmp_path: Path) -> None:
    directory = tmp_path / "odd"
    write(directory / "cluster", shop())
    (directory / "scenario.yaml").write_text(
        f"apiVersion: berth.dev/v1\nkind: Scenario\ntitle: t\nquestion: Why?\n{field}\n"
    )
    ended = berth("tool", "list_pods", "--scenario", str(directory), env=env)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert f"scenario odd: {field.split(':')[0]} wants entries" in ended.err
