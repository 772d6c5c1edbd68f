"""The archive that krew installs: found and run by the real kubectl, and good by every rule."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml

import glibc
from kubectl_berth import __version__
from tests.krew.archive import PROGRAM, ROOT, kubectl
from tests.krew.elf import asked_of_glibc
from tests.krew.rules import archive_problems, problems

pytestmark = [
    pytest.mark.archive,
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform == "win32", reason="krew makes no links there"),
]


def test_the_archive_breaks_no_rule_and_is_small(built: Path) -> None:
    assert archive_problems(built, PROGRAM) == []
    assert built.stat().st_size <= 40_000_000


def test_nothing_that_only_a_developer_needs_is_in_it(built: Path) -> None:
    with tarfile.open(built) as tar:
        names = tar.getnames()
    unwanted = ("chardet", "hypothesis", "pytest", "mypy", "numpy", "scipy", "botocore", "__pycache__", "elftools")
    assert [name for name in names if any(f"/{word}" in name for word in unwanted)] == []
    listed = subprocess.run(
        ["git", "ls-files", "kubectl_berth"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    ).stdout
    data = {name for name in listed.splitlines() if not name.endswith(".py")}
    assert data <= {name.removeprefix("kubectl-berth/_internal/") for name in names}


def test_the_licences_of_what_it_carries_are_in_it_and_no_trace_of_the_machine(built: Path) -> None:
    with tarfile.open(built) as tar:
        names = tar.getnames()
    texts = {name.split("/")[3].rpartition("-")[0] or "python" for name in names if "/_internal/licences/" in name}
    carried = {"anthropic", "click", "httpx2", "kubernetes", "msgspec", "ollama", "pydantic_core", "PyYAML", "rich"}
    assert carried | {"python"} <= texts
    noted = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
    assert [name for name in names if name.rpartition("/")[2] in noted] == []


def test_the_real_kubectl_finds_exactly_one_plugin(installed: Path, tmp_path: Path) -> None:
    done = kubectl(installed, tmp_path, "plugin", "list")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if "berth" in line] == [str(installed / "kubectl-berth")]


def test_help_has_its_words(installed: Path, tmp_path: Path) -> None:
    done = kubectl(installed, tmp_path, "berth", "--help")
    assert done.returncode == 0 and done.stdout.startswith("Usage: kubectl berth")
    assert "changes nothing" in done.stdout
    assert kubectl(installed, tmp_path, "berth", "--version").stdout.strip().endswith(__version__)


def test_the_manifest_over_it_states_its_sum_and_its_glibc(built: Path, installed: Path, tmp_path: Path) -> None:
    shutil.copy(built, tmp_path)
    command = [sys.executable, str(ROOT / "krew" / "render.py"), "--dist", str(tmp_path)]
    subprocess.run([*command, "--out", f"{tmp_path}/berth.yaml"], check=True, capture_output=True, timeout=60)
    manifest = yaml.safe_load((tmp_path / "berth.yaml").read_text())
    assert problems(manifest, "berth.yaml") == []
    if sys.platform != "linux":
        return
    if shutil.which("readelf") is None:
        pytest.skip("binutils is not installed")
    programs = [path for path in (installed / "kubectl-berth").resolve().parent.rglob("*") if path.is_file()]
    asked = max(asked_of_glibc(path) for path in programs if path.read_bytes()[:4] == b"\x7fELF")
    assert f"\nOn Linux it needs glibc {glibc.words(asked)} or newer (no musl).\n" in manifest["spec"]["caveats"]


@pytest.mark.nightly
def test_a_release_refuses_to_build_one_that_asks_for_more(builder: Path, tmp_path: Path) -> None:
    command = [str(builder), str(ROOT / "krew" / "dist.py"), "--out", str(tmp_path), "--glibc", "2.2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 1 and "newer than 2.2" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly
def test_another_checkout_and_another_environment_give_the_same_bytes(built: Path, tmp_path: Path) -> None:
    other = tmp_path / "other checkout"
    for folder in ("krew", "kubectl_berth"):
        shutil.copytree(ROOT / folder, other / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "LICENSE", other)
    command = [sys.executable, str(other / "krew" / "dist.py")]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    assert (other / "dist" / built.name).read_bytes() == built.read_bytes()
