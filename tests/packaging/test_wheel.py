"""Wheel and sdist: what is in them, what they say of themselves, and that what they install runs."""

from __future__ import annotations

import email
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.message import Message
from pathlib import Path

import pytest

from kubectl_berth import __version__
from tests.packaging.conftest import ROOT, Packages

HEAVY = {"anthropic", "httpx", "httpx2", "kubernetes", "ollama", "pydantic", "rich", "scipy", "yaml"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a virtual environment lies otherwise there")


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as opened:
        return {name: opened.read(name) for name in opened.namelist() if not name.endswith("/")}


def metadata(wheel: Path) -> Message:
    files = contents(wheel)
    return email.message_from_bytes(files[f"kubectl_berth-{__version__}.dist-info/METADATA"])


def tracked(*flags: str) -> set[str]:
    """The files of this checkout that git has; with --others also those that it would add."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout")
    command = ["git", "ls-files", "--cached", "--exclude-standard", *flags]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout
    return {name for name in listed.splitlines() if (ROOT / name).is_file()}


def test_the_sdist_builds_the_wheel_that_the_tree_builds(packages: Packages) -> None:
    assert contents(packages.wheel_of_sdist) == contents(packages.wheel)
    assert packages.wheel_of_sdist.name == packages.wheel.name == f"kubectl_berth-{__version__}-py3-none-any.whl"


def test_the_wheel_holds_every_file_of_the_package_and_no_other(packages: Packages) -> None:
    inside = {name for name in contents(packages.wheel) if name.startswith("kubectl_berth/")}
    assert inside == {name for name in tracked("--others") if name.startswith("kubectl_berth/")}
    assert {"kubectl_berth/scenarios/failing-rollout/scenario.yaml", "kubectl_berth/__main__.py"} <= inside


def test_the_sdist_holds_the_checkout_and_nothing_that_lies_about_in_it(packages: Packages) -> None:
    with tarfile.open(packages.sdist) as tar:
        members = [member for member in tar if not member.isdir()]
    top = f"kubectl_berth-{__version__}/"
    assert all(member.isfile() and member.name.startswith(top) for member in members)
    inside = {member.name.removeprefix(top) for member in members}
    assert tracked() <= inside
    assert inside - {"PKG-INFO"} <= tracked("--others")


def test_the_metadata_says_what_pyproject_says(packages: Packages) -> None:
    said = metadata(packages.wheel)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (said["Name"], said["Version"], said["Requires-Python"]) == ("kubectl-berth", __version__, ">=3.11")
    assert (said["License-Expression"], said["License-File"]) == ("Apache-2.0", "LICENSE")
    assert said.get_all("Provides-Extra") == ["bedrock", "eval"]
    required = said.get_all("Requires-Dist") or []
    assert len([each for each in required if "extra ==" not in each]) == len(project["dependencies"])
    assert [each for each in required if "extra ==" in each] == [
        "anthropic[bedrock]<3,>=2.14; extra == 'bedrock'",
        "scipy<2,>=1.16; extra == 'eval'",
    ]
    licence = contents(packages.wheel)[f"kubectl_berth-{__version__}.dist-info/licenses/LICENSE"]
    assert licence == (ROOT / "LICENSE").read_bytes()


def test_its_page_on_pypi_links_nowhere_into_nothing(packages: Packages) -> None:
    page = str(metadata(packages.wheel).get_payload())
    assert page.lstrip().startswith("# kubectl berth")
    assert f"/blob/v{__version__}/docs/engines.md)" in page
    assert not [part for part in page.split("](")[1:] if not part.startswith(("https://", "#"))]


def test_manual_pages_and_completions_go_where_man_and_the_shells_look(installed: Path) -> None:
    share = installed / "share"
    assert {path.name for path in (share / "man" / "man1").iterdir()} == {
        path.name for path in (ROOT / "man").iterdir()
    }
    for place, source in (
        ("bash-completion/completions/kubectl-berth", "kubectl-berth.bash"),
        ("zsh/site-functions/_kubectl-berth", "_kubectl-berth"),
        ("fish/vendor_completions.d/kubectl-berth.fish", "kubectl-berth.fish"),
    ):
        assert (share / place).read_bytes() == (ROOT / "completions" / source).read_bytes()


def run(installed: Path, folder: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    """From an empty directory, with nothing in the environment but a home."""
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    command = [str(installed / "bin" / program), *words]
    environment = {"HOME": str(folder), "PATH": os.devnull}
    return subprocess.run(command, cwd=empty, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_both_programs_run_from_an_empty_directory(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "kubectl-berth", "--version")
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.strip().endswith(__version__)
    checked = run(installed, tmp_path, "kubectl-berth", "check", "--scenario", "failing-rollout")
    assert checked.returncode == 1 and "v2.4.1-rc" in checked.stdout
    completed = run(installed, tmp_path, "kubectl_complete-berth", "")
    assert completed.returncode == 0 and "\nask" in f"\n{completed.stdout}" and completed.stdout.endswith(":4\n")
    assert completed.stderr == ""
    assert list((tmp_path / "empty").iterdir()) == []


def test_it_runs_as_a_module_from_where_it_was_installed(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "python", "-m", "kubectl_berth", "--version")
    assert done.returncode == 0 and done.stdout.strip().endswith(__version__)
    where = run(installed, tmp_path, "python", "-c", "import kubectl_berth; print(kubectl_berth.__file__)")
    assert where.stdout.startswith(str(installed))


def test_help_imports_nothing_heavy(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "python", "-X", "importtime", "-m", "kubectl_berth", "--help")
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert done.returncode == 0 and "click" in imported
    assert {name.partition(".")[0] for name in imported} & HEAVY == set()
