"""kubectl berth scenario, as a process."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.fakes.moments import moment, pod
from tests.process import berth, start, surroundings


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A scenario of one pod."""
    directory = tmp_path / "one-pod"
    moment(directory / "cluster", pod("web-0"))
    (directory / "scenario.yaml").write_text(
        "apiVersion: berth.dev/v1\nkind: Scenario\ntitle: One pod\nquestion: How is web?\nnamespace: shop\n"
    )
    return directory


def test_serve_says_where_and_ends_with_ctrl_c(scenario: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    process = start("scenario", "serve", str(scenario), "--write-kubeconfig", str(config), env=surroundings(tmp_path))
    assert process.stdout and process.stderr
    url = process.stdout.readline().decode().strip()
    assert url.startswith("http://127.0.0.1:")
    assert str(config) in process.stderr.readline().decode()
    with urllib.request.urlopen(f"{url}/api/v1/namespaces/shop/pods") as answer:
        assert [item["metadata"]["name"] for item in json.load(answer)["items"]] == ["web-0"]
    assert url in config.read_text() and "namespace: shop" in config.read_text()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (0, b"", b"")


def test_list_shows_names_and_titles(tmp_path: Path) -> None:
    run = berth("scenario", "list", env=surroundings(tmp_path))
    assert (run.status, run.err) == (0, "")
    for line in run.out.splitlines():
        name, title = line.split(maxsplit=1)
        assert name.islower() and title
    listed = json.loads(berth("scenario", "list", "-o", "json", env=surroundings(tmp_path)).out)["scenarios"]
    assert [one["name"] for one in listed] == [line.split()[0] for line in run.out.splitlines()]
    assert all(one["question"] and one["category"] for one in listed)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("serve", "no-such-scenario"), 'there is no scenario "no-such-scenario"'),
        (("serve",), "missing argument 'NAME'"),
        (("serve", "SCENARIO", "--port", "99999"), "99999 is not in the range"),
        (("serve", "SCENARIO", "--write-kubeconfig", "TAKEN"), "exists and is not a kubeconfig of a served snapshot"),
        (("serve", "SCENARIO", "--twin"), "has no twin"),
    ],
)
def test_what_cannot_be_served(scenario: Path, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    taken = tmp_path / "taken"
    taken.write_text("kind: Config\n")
    given = {"SCENARIO": str(scenario), "TAKEN": str(taken)}
    run = berth("scenario", *(given.get(word, word) for word in arguments), env=surroundings(tmp_path))
    assert run.status == 2
    assert run.out == ""
    assert run.err.startswith("error: ") and run.err.count("\n") == 1 and words in run.err
    assert taken.read_text() == "kind: Config\n"


def test_new_starts_one_from_a_snapshot(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    moment(taken, pod("web-0"))
    value = "c2VjcmV0" + "LXZhbHVl"
    (taken / "objects" / "more.yaml").write_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: db, namespace: shop}\n"
        f"data: {{password: {value}}}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: shop}}\n"
    )
    mine = tmp_path / "mine"
    env = surroundings(tmp_path)
    run = berth("scenario", "new", str(mine), "--from-snapshot", str(taken), "--question", 'Is "web" ok?', env=env)
    assert run.status == 0, run.err
    assert run.out == f"{mine / 'scenario.yaml'}\n"
    assert "left out: values of Secret shop/db (objects/more.yaml)" in run.err
    assert not [path for path in mine.rglob("*") if path.is_file() and value in path.read_text()]
    asked = berth("ask", "--scenario", str(mine), "--engine", "rules", "-o", "json", env=env)
    found = json.loads(asked.out)
    assert (found["question"], found["outcome"], found["cluster"]["namespace"]) == (
        'Is "web" ok?',
        "answered",
        "default",
    )
    lint = berth("scenario", "lint", str(mine), env=env)
    assert "checks: there are none: say what a right answer holds" in lint.out
    again = berth("scenario", "new", str(mine), "--from-snapshot", str(taken), env=env)
    assert again.status == 2 and "is there already: name a new directory" in again.err
    inside = berth("scenario", "new", str(taken / "x"), "--from-snapshot", str(taken), env=env)
    assert inside.status == 2 and "lies in the snapshot itself" in inside.err


def test_a_scenario_of_a_snapshot_lacks_its_checks_alone(tmp_path: Path) -> None:
    """What a snapshot never holds is not missed: revisions, and what lies outside of the one namespace it is of."""
    env = surroundings(tmp_path)
    for name, flags in (("whole", ()), ("shop", ("-n", "shop"))):
        taken, mine = str(tmp_path / f"{name}-taken"), tmp_path / name
        berth("snapshot", "create", taken, "--scenario", "healthy-control", *flags, env=env)
        berth("scenario", "new", str(mine), "--from-snapshot", taken, env=env)
        lint = berth("scenario", "lint", str(mine), env=env)
        assert (lint.status, lint.out) == (1, f"{name}: checks: there are none: say what a right answer holds\n")


def test_what_is_no_scenario(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    env = surroundings(tmp_path)
    new = berth("scenario", "new", str(tmp_path / "mine"), "--from-snapshot", str(tmp_path / "empty"), env=env)
    assert (new.status, new.out) == (2, "")
    assert f"error: {tmp_path / 'empty'} holds no Kubernetes objects that berth reads" in new.err
    assert not (tmp_path / "mine").exists()
    lint = berth("scenario", "lint", "oomkiled", env=env)
    assert (lint.status, lint.out) == (2, "")
    assert 'error: there is no scenario "oomkiled": did you mean oomkilled?' in lint.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--all",), "--all needs --write-kubeconfig FILE"),
        (("oomkilled", "--all"), "leave out the name and --port"),
        (("--all", "--port", "1"), "leave out the name and --port"),
    ],
)
def test_what_all_needs(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    run = berth("scenario", "serve", *arguments, env=surroundings(tmp_path))
    assert run.status == 2 and words in run.err


@pytest.mark.nightly
def test_serve_all_gives_kubectl_a_context_for_each(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    process = start("scenario", "serve", "--all", "--write-kubeconfig", str(config), env=surroundings(tmp_path))
    assert process.stdout and process.stderr
    try:
        assert b"until Ctrl-C" in process.stderr.readline()
        program = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or "kubectl"
        kubectl = [program, "--kubeconfig", str(config)]
        names = subprocess.run([*kubectl, "config", "get-contexts", "-o", "name"], capture_output=True, check=True)
        served = names.stdout.decode().split()
        assert {"scenario-oomkilled", "scenario-failing-rollout"} < set(served)
        for context, words in (("scenario-oomkilled", "worker-"), ("scenario-failing-rollout", "checkout-")):
            command = [*kubectl, "--context", context, "get", "pods", "-A", "--no-headers"]
            listed = subprocess.run(command, capture_output=True, check=True, timeout=60)
            assert words in listed.stdout.decode()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 0
