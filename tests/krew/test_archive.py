"""The archive that krew installs: built here, installed as krew does it, found and run by the real kubectl."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from kubectl_berth import __version__
from tests.krew.rules import archive_problems

ROOT = Path(__file__).parents[2]
KUBECTL = Path(sys.executable).parent / "kubectl"
PROGRAM = "kubectl-berth/kubectl-berth"

pytestmark = [
    pytest.mark.archive,
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform == "win32", reason="krew makes no links there"),
]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, str(ROOT / "krew" / "dist.py"), "--out", str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    return next(folder.glob("*.tar.gz"))


@pytest.fixture(scope="session")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The krew root's bin folder: extracted into the store, one link made."""
    root = tmp_path_factory.mktemp("krew")
    store = root / "store" / "berth" / f"v{__version__}"
    with tarfile.open(built) as tar:
        tar.extractall(store, filter="data")
    links = root / "bin"
    links.mkdir()
    (links / "kubectl-berth").symlink_to(store / PROGRAM)
    return links


def kubectl(installed: Path, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(KUBECTL), *words]
    environment = {"PATH": f"{installed}:/usr/bin:/bin", "HOME": str(home)}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)


def test_the_archive_breaks_no_rule_and_is_small(built: Path) -> None:
    assert archive_problems(built, PROGRAM) == []
    assert built.stat().st_size <= 40_000_000


def test_the_real_kubectl_finds_exactly_one_plugin(installed: Path, tmp_path: Path) -> None:
    done = kubectl(installed, tmp_path, "plugin", "list")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if "berth" in line] == [str(installed / "kubectl-berth")]


def test_help_has_its_words(installed: Path, tmp_path: Path) -> None:
    done = kubectl(installed, tmp_path, "berth", "--help")
    assert done.returncode == 0 and done.stdout.startswith("Usage: kubectl berth")
    assert "changes nothing" in done.stdout
    assert kubectl(installed, tmp_path, "berth", "--version").stdout.strip().endswith(__version__)


def test_a_question_is_answered_and_the_status_passes_through(installed: Path, tmp_path: Path) -> None:
    asked = ("berth", "ask", "why does the rollout of checkout hang?", "--engine", "rules")
    done = kubectl(installed, tmp_path, *asked, "--scenario", "failing-rollout")
    assert done.returncode == 0 and "v2.4.1-rc" in done.stdout
    assert kubectl(installed, tmp_path, *asked, "--scenario", "no-such").returncode == 2
    assert kubectl(installed, tmp_path, *asked).returncode == 3


def test_what_is_left_out_is_said_in_one_line(installed: Path, tmp_path: Path) -> None:
    done = kubectl(installed, tmp_path, "berth", "ask", "x", "--scenario", "oomkilled", "--engine", "bedrock")
    assert done.returncode == 4
    assert "Traceback" not in done.stderr and done.stderr.count("error: ") == 1


@pytest.mark.nightly
def test_two_builds_give_the_same_bytes(built: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "krew" / "dist.py"), "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    assert (tmp_path / built.name).read_bytes() == built.read_bytes()
