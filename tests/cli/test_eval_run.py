"""kubectl berth eval run, as a process, against a loopback model."""

from __future__ import annotations

import json
import resource
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.loopback import Hang, Status
from tests.fakes.ollama import MODEL, FakeOllama, Reply, reply
from tests.process import Ended, berth, on_terminal, screen_of, snapshot, start, surroundings

RIGHT, WRONG = "web-0 in shop crashes with exit code 3.", "web-0 in shop runs out of memory."


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Two scenarios of somebody's own: alpha and beta."""
    for name in ("alpha", "beta"):
        snapshot(tmp_path / "mine" / name / "cluster")
        (tmp_path / "mine" / name / "scenario.yaml").write_text(
            f"apiVersion: berth.dev/v1\nkind: Scenario\nquestion: Why does {name} crash?\nnamespace: shop\n"
            'toolCalls: 2\nchecks:\n  cause: {says: ["exit code 3"]}\n  budget: {budget: 2}\n'
        )
    return tmp_path / "mine"


def model(**answers: str) -> Any:
    """A model that answers by what is asked; "" is a server that fails."""

    def step(body: dict[str, Any]) -> Reply | Status:
        asked = body["messages"][-1]["content"]
        answer = next(words for name, words in answers.items() if f"Why does {name} crash?" in asked)
        return reply(answer) if answer else Status(500, {"error": "out of luck"})

    return step


def run(fake: FakeOllama, home: Path, *arguments: str) -> Ended:
    env = surroundings(home, OLLAMA_HOST=fake.url, XDG_DATA_HOME=str(home / "data"))
    return berth("eval", "run", "--engine", "ollama", "--model", MODEL, *arguments, env=env)


def lines(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / "runs.jsonl").read_text().splitlines()]


def test_every_run_is_kept_judged_and_named(mine: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    arguments = ["--set", str(mine), "--results", str(results), "-o", "json", "--repeats", "2", "--parallel", "2"]
    with FakeOllama(model(alpha=RIGHT, beta="")) as fake:
        ended = run(fake, tmp_path, *arguments, "--max-iter", "3", "--fail-under", "50%")
    assert ended.status == 0, ended.err
    found = json.loads(ended.out)
    assert [(each["name"], each["passed"], each["runs"]) for each in found["scenarios"]] == [
        ("alpha", 2, 2),
        ("beta", 0, 2),
    ]
    # each failed run was sent twice: a 5xx is retried once, within the same model call
    assert found["totals"]["retries"] == found["totals"]["endedBy5xx"] == 2
    assert found["totals"]["errors"] == {"engine-error": 2}
    assert [(each["scenario"], each["repeat"]) for each in found["failed"]] == [("beta", 1), ("beta", 2)]
    assert "out of luck" in found["failed"][0]["error"]
    assert len(lines(results)) == 4
    record = json.loads((results / "runs" / "alpha.1.json").read_text())
    assert record["schema"] == "berth.dev/v1/run" and record["result"]["answer"] == RIGHT
    # what was read of a cluster is for its owner alone
    kept = [results, *results.rglob("*")]
    assert {(each.is_dir(), each.stat().st_mode & 0o777) for each in kept} == {(True, 0o700), (False, 0o600)}
    about = json.loads((results / "eval.json").read_text())
    assert (about["engine"], about["model"], about["cap"], about["repeats"]) == ("ollama", MODEL, 3, 2)
    assert f"4 runs of ollama {MODEL}" in ended.err and str(results) in ended.err


def test_too_few_passes_end_with_status_1(mine: Path, tmp_path: Path) -> None:
    with FakeOllama(model(alpha=RIGHT, beta=WRONG)) as fake:
        ended = run(fake, tmp_path, "--scenario", str(mine / "alpha"), "--scenario", str(mine / "beta"), *FEW)
    assert ended.status == 1
    assert "1 of 2 runs passed (50.0%)" in ended.out and "beta #1: cause (" in ended.out
    assert "fewer than --fail-under asks for" in ended.err


FEW = ("--fail-under", "0.51")


def test_a_stopped_evaluation_goes_on_where_it_was(mine: Path, tmp_path: Path) -> None:
    def slow(body: dict[str, Any]) -> Reply | Hang:
        return reply(RIGHT) if "alpha" in body["messages"][-1]["content"] else Hang(reply(""), silent=True)

    home = tmp_path / "data" / "kubectl-berth" / "evals"
    with FakeOllama(slow) as fake:
        env = surroundings(tmp_path, OLLAMA_HOST=fake.url, XDG_DATA_HOME=str(tmp_path / "data"))
        arguments = ["eval", "run", "--engine", "ollama", "--model", MODEL, "--set", str(mine)]
        process = start(*arguments, env=env)
        try:
            until = time.monotonic() + 60
            while not any(path.stat().st_size for path in home.glob("*/runs.jsonl")) and time.monotonic() < until:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130
    assert b"the same command goes on where it was" in err
    (results,) = home.iterdir()
    assert [line["label"] for line in lines(results)] == ["alpha"]
    # a line that was cut off while it was written is no run
    with (results / "runs.jsonl").open("a") as file:
        file.write('{"label": "beta", "repe')
    with FakeOllama(model(beta=RIGHT)) as fake:
        # a path given otherwise is the same scenario
        ended = berth(*arguments, env=env | {"OLLAMA_HOST": fake.url})
        asked = [request for request in fake.requests if request.path == "/api/chat"]
    assert (ended.status, len(asked)) == (0, 1)
    assert "1 of them done before" in ended.err and "2 of 2 runs passed" in ended.out
    assert len(list(home.iterdir())) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--set", "no-such-set"), "there is no set 'no-such-set': name one of all, "),
        (("--set", "./nowhere"), "there is no directory nowhere"),
        (("--scenario", "oomkiled"), "did you mean oomkilled"),
        (("--fail-under", "120%"), "'120%' is no share; give one like 0.9 or 90%"),
        (("--engine", "rules", "--results", "TAKEN"), "holds other things: name a new directory"),
    ],
)
def test_what_cannot_be_evaluated(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "notes.txt").write_text("mine")
    given = [str(tmp_path / "taken") if word == "TAKEN" else word for word in arguments]
    ended = berth("eval", "run", *given, env=surroundings(tmp_path))
    assert ended.status == 2 and words in ended.err and ended.err.count("\n") == 1
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["notes.txt"]


def test_results_of_another_plan_are_not_mixed(mine: Path, tmp_path: Path) -> None:
    arguments = ["eval", "run", "--engine", "rules", "--set", str(mine), "--results", str(tmp_path / "results")]
    assert berth(*arguments, env=surroundings(tmp_path)).status == 0
    again = berth(*arguments, env=surroundings(tmp_path))
    assert again.status == 0 and "2 of them done before" in again.err
    other = berth(*arguments, "--repeats", "2", env=surroundings(tmp_path))
    assert other.status == 2 and "repeats 1 there, 2 here" in other.err


def test_an_engine_that_is_not_there_ends_it_before_anything_ran(mine: Path, tmp_path: Path) -> None:
    arguments = ["eval", "run", "--engine", "ollama", "--set", str(mine), "--results", str(tmp_path / "results")]
    ended = berth(*arguments, env=surroundings(tmp_path))
    assert ended.status == 4 and "no Ollama answers" in ended.err
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("engine", [("ollama", "--model", MODEL), ("claude",)])
def test_an_engine_that_cannot_be_asked_ends_it_with_the_first_run(
    engine: tuple[str, ...], mine: Path, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    arguments = ["eval", "run", "--engine", *engine, "--set", str(mine), "--results", str(results)]
    ended = berth(*arguments, env=surroundings(tmp_path))
    assert (ended.status, ended.out) == (4, "")
    assert ended.err.count("error: ") == 1
    # no run of it is kept: the same command asks when there is somebody to ask
    assert not (results / "runs.jsonl").exists()


def test_a_scenario_without_checks_does_not_pass(mine: Path, tmp_path: Path) -> None:
    file = mine / "alpha" / "scenario.yaml"
    file.write_text(file.read_text().partition("checks:")[0])
    with FakeOllama(model(alpha=RIGHT, beta=RIGHT)) as fake:
        ended = run(fake, tmp_path, "--set", str(mine))
    assert "1 of 2 runs passed (50.0%)" in ended.out
    assert "alpha #1: checks (the scenario has no checks: nothing says what a right answer is)" in ended.out


def test_a_terminal_sees_a_bar_that_leaves_nothing_behind(mine: Path, tmp_path: Path) -> None:
    env = surroundings(tmp_path, TERM="xterm")
    ended = on_terminal(["eval", "run", "--engine", "rules", "--set", str(mine), "--results", str(tmp_path / "r")], env)
    assert "] 1 of 2 runs, 0 failed  alpha #1" in ended.out
    lines = [line for line in screen_of(ended.out) if line]
    assert not any("[###" in line for line in lines)
    assert "2 of 2 runs passed (100.0%)" in lines


@pytest.mark.nightly
def test_the_rules_engine_over_everything(tmp_path: Path) -> None:
    before = _cpu_seconds()
    arguments = ["eval", "run", "--engine", "rules", "--results", str(tmp_path / "results"), "--fail-under", "95%"]
    ended = berth(*arguments, env=surroundings(tmp_path), timeout=110)
    assert ended.status == 0, ended.out + ended.err
    # of its own, so that a busy machine does not count
    assert _cpu_seconds() - before < 60


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
