"""The oldest glibc that an archive runs on: read from it, stated, and refused where a release promises less."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import yaml

import dist
import glibc
from kubectl_berth import __version__
from tests.krew.elf import archive_of, asked_of_glibc

ROOT = Path(__file__).parents[2]
PYTHON = Path(sys.executable).resolve()
EXTENSION = Path(msgspec._core.__file__)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="glibc is Linux's")
binutils = pytest.mark.skipif(shutil.which("readelf") is None, reason="binutils is not installed")


def caveats(folder: Path) -> str:
    command = [sys.executable, str(ROOT / "krew" / "render.py"), "--dist", str(folder), "--out", f"{folder}/berth.yaml"]
    subprocess.run(command, capture_output=True, check=True, timeout=60)
    return str(yaml.safe_load((folder / "berth.yaml").read_text())["spec"]["caveats"])


def named(folder: Path, platform: str) -> Path:
    return folder / f"kubectl-berth_v{__version__}_{platform}.tar.gz"


@binutils
@pytest.mark.parametrize("program", [PYTHON, EXTENSION], ids=["python", "extension"])
def test_a_programs_floor_is_the_highest_version_that_readelf_names(program: Path) -> None:
    assert max(glibc.needed(program.read_bytes())) == asked_of_glibc(program) >= (2, 2)


@binutils
def test_an_archives_floor_is_that_of_the_file_which_asks_for_most(tmp_path: Path) -> None:
    found = glibc.floor(archive_of(tmp_path / "a.tar.gz", EXTENSION, PYTHON))
    assert found is not None
    assert found[0] == max(asked_of_glibc(PYTHON), asked_of_glibc(EXTENSION))
    assert found[1].startswith("kubectl-berth/_internal/")


def test_what_is_no_program_asks_for_nothing(tmp_path: Path) -> None:
    assert glibc.needed(b"#!/bin/sh\n") == glibc.needed(b"\x7fELF") == set()
    assert glibc.floor(archive_of(tmp_path / "a.tar.gz")) is None


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")
def test_packed_relocations_need_the_glibc_that_brought_them(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x; int *p = &x; int main(void) { return *p; }\n")
    command = ["gcc", "-pie", "-fPIE", "-Wl,-z,pack-relative-relocs", "-o", "a", "a.c"]
    if subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=60).returncode:
        pytest.skip("this linker packs no relocations")
    program = tmp_path / "a"
    if b"GLIBC_ABI_DT_RELR" not in program.read_bytes():
        pytest.skip("this linker packs no relocations")
    assert max(glibc.needed(program.read_bytes())) == (2, 36)


def test_the_manifest_states_the_floor_of_the_archives_that_lie_there(tmp_path: Path) -> None:
    archive_of(named(tmp_path, "linux_amd64"), PYTHON)
    asked = glibc.words(max(glibc.needed(PYTHON.read_bytes())))
    assert f"\nOn Linux it needs glibc {asked} or newer (no musl).\n" in caveats(tmp_path)
    archive_of(named(tmp_path, "linux_arm64"), EXTENSION)
    other = glibc.words(max(glibc.needed(EXTENSION.read_bytes())))
    assert f"needs glibc {asked} (amd64), {other} (arm64) or newer" in caveats(tmp_path)
    archive_of(named(tmp_path, "linux_arm64"), PYTHON)
    assert f"needs glibc {asked} or newer" in caveats(tmp_path)
    assert all(len(line) <= 80 for line in caveats(tmp_path).splitlines())


def test_nothing_is_said_of_glibc_where_there_is_no_archive_for_linux(tmp_path: Path) -> None:
    archive_of(named(tmp_path, "darwin_arm64"), PYTHON)
    assert "glibc" not in caveats(tmp_path)


def test_a_release_refuses_an_archive_that_asks_for_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = archive_of(tmp_path / "a.tar.gz", PYTHON)
    asked = max(glibc.needed(PYTHON.read_bytes()))
    dist.check_glibc(archive, asked)
    dist.check_glibc(archive, None)
    with pytest.raises(SystemExit, match=r"newer than 2\.1:"):
        dist.check_glibc(archive, glibc.version("2.1"))
    assert f"glibc {glibc.words(asked)} or newer" in capsys.readouterr().err
    # as on musl, whose programs run nowhere else
    with pytest.raises(SystemExit, match="nothing in it asks for glibc"):
        dist.check_glibc(archive_of(tmp_path / "b.tar.gz"), None)


def test_a_release_is_built_for_the_glibc_that_the_documents_promise() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yaml").read_text())["jobs"]
    (build,) = [step["run"] for step in jobs["archive"]["steps"] if "dist.py" in step.get("run", "")]
    oldest = build.partition("--glibc ")[2].split()[0]
    for page in ("README.md", "docs/troubleshooting.md"):
        assert f"glibc {oldest} " in (ROOT / page).read_text()
    # every Linux archive is started where no newer one is
    linux = [each["image"] for each in jobs["start"]["strategy"]["matrix"]["include"] if "linux" in each["platform"]]
    assert (oldest, linux) == ("2.28", ["almalinux:8"] * 2)
    assert "start" in jobs["publish"]["needs"]
