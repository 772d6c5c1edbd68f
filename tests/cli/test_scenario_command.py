"""kubectl berth scenario, as a process."""

from __future__ import annotations

import json
import signal
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
