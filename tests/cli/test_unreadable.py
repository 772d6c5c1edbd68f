"""Files that may not be read, or cannot be: status 2 and one line that names them, never what looks like findings."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process import COMMAND, Ended, berth, snapshot, surroundings

SOURCES = ("check", "ask why", "tool cluster_health", "snapshot create moment")
CLUSTERS = (*SOURCES, "rbac --custom", "memory add --title a --root-cause b --fix c")


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A directory that everybody may read, with one in it, `locked`, that nobody may."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        snapshot(path / "half")
        (path / "locked").mkdir()
        for directory in (path / "locked", path / "half" / "objects"):
            directory.chmod(0)
        yield path
        for directory in (path / "locked", path / "half" / "objects"):
            directory.chmod(0o700)


# root may read everything, unless it is without the rights that make it so
UNPRIVILEGED = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def without_rights(words: list[str], env: dict[str, str], cwd: Path) -> Ended:
    """The command as somebody for whom the rights of files count."""
    whole = [*UNPRIVILEGED, *COMMAND, *words]
    run = subprocess.run(whole, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    return Ended(run.returncode, run.stdout, run.stderr)


@pytest.fixture(scope="module")
def env(place: Path) -> dict[str, str]:
    if UNPRIVILEGED and shutil.which(UNPRIVILEGED[0]) is None:
        pytest.skip("root cannot give up its rights here")
    return surroundings(place)


@pytest.mark.parametrize("command", CLUSTERS)
def test_a_kubeconfig_that_may_not_be_read(command: str, place: Path, env: dict[str, str]) -> None:
    file = str(place / "locked" / "config")
    words = f"error: kubeconfig {file}: cannot be read (Permission denied); check the file\n"
    given = without_rights([*command.split(), "--kubeconfig", file], env, place)
    assert (given.status, given.out, given.err[-len(words) :]) == (2, "", words)
    named = without_rights(command.split(), {**env, "KUBECONFIG": file}, place)
    assert (named.status, named.out, named.err[-len(words) :]) == (2, "", words)


@pytest.mark.parametrize("command", SOURCES)
@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("--snapshot locked", "locked/snapshot.yaml cannot be read"),
        ("--snapshot half", "half/objects cannot be read"),
        ("--scenario ./locked", "locked/scenario.yaml:"),
    ],
)
def test_a_directory_that_may_not_be_read(
    command: str, given: str, named: str, place: Path, env: dict[str, str]
) -> None:
    ended = without_rights([*command.split(), *given.split()], env, place)
    assert (ended.status, ended.out) == (2, "")
    last = ended.err.splitlines()[-1]
    assert last.startswith("error: ")
    assert named in last
    assert "Permission denied; check" in last


@pytest.mark.parametrize("command", ["scenario lint ./locked", "replay locked/run", "scenario serve ./locked"])
def test_other_files_that_may_not_be_read(command: str, place: Path, env: dict[str, str]) -> None:
    ended = without_rights(command.split(), env, place)
    assert (ended.status, ended.out) == (2, "")
    assert "Permission denied" in ended.err


@pytest.mark.parametrize("flag", ["--kubeconfig", "--snapshot", "--scenario"])
@pytest.mark.parametrize("command", SOURCES)
def test_a_name_that_no_file_can_have(command: str, flag: str, tmp_path: Path) -> None:
    ended = berth(*command.split(), flag, f"./{'n' * 300}", env=surroundings(tmp_path))
    assert (ended.status, ended.out) == (2, "")
    assert "unexpected" not in ended.err


@pytest.mark.parametrize("command", SOURCES)
@pytest.mark.parametrize(("name", "opens"), [("deep.json", "["), ("deep.yaml", "- ")])
def test_a_file_that_is_nested_without_end(command: str, name: str, opens: str, tmp_path: Path) -> None:
    there = snapshot(tmp_path / "moment-0")
    (there / "objects" / name).write_text(opens * 50_000)
    ended = berth(*command.split(), "--snapshot", str(there), env=surroundings(tmp_path))
    assert (ended.status, ended.out) == (2, "")
    assert f"error: {there / 'objects' / name}, line 1: " in ended.err


def test_a_log_that_cannot_be_read_is_no_empty_one(tmp_path: Path) -> None:
    there = snapshot(tmp_path / "moment")
    (there / "logs" / "shop" / "web-0" / "web.log").mkdir(parents=True)
    words = ("tool", "get_logs", "kind=Pod", "name=web-0", "namespace=shop", "--snapshot", str(there))
    ended = berth(*words, env=surroundings(tmp_path))
    assert "the log cannot be read: Is a directory" in ended.out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_no_error_of_check_looks_like_findings(tmp_path: Path) -> None:
    words = [*COMMAND, "check", "--snapshot", str(snapshot(tmp_path / "moment"))]
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(words, env=surroundings(tmp_path), stdout=full, stderr=subprocess.PIPE, check=False)
    assert (run.returncode, run.stderr) == (2, b"error: No space left on device\n")


def test_a_kubeconfig_that_is_not_there_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    for command in SOURCES:
        ended = berth(*command.split(), env=surroundings(tmp_path, KUBECONFIG=f"{gone}:{gone}2"))
        assert ended.status == 3
        assert (
            f"no kubeconfig found: KUBECONFIG names {gone}, {gone}2, and there is no such file: correct it" in ended.err
        )
