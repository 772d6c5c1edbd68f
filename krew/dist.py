"""Builds the archive that krew installs, for the machine this runs on: the same bytes from the same sources.

    python krew/dist.py [--out dist] [--glibc 2.28]

The archive holds LICENSE and the folder kubectl-berth/ with the program in it. Prints the archive's path, and on stderr
the oldest glibc that a Linux archive runs on. With --glibc, as in a release, an archive that asks for a newer one is
refused.
"""

from __future__ import annotations

import argparse
import gzip
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import glibc

ROOT = Path(__file__).resolve().parent.parent
EPOCH = 1_767_225_600  # 2026-01-01; every file of the archive carries it
ARCHITECTURES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def version() -> str:
    """The package's version, as the module states it."""
    text = (ROOT / "kubectl_berth" / "__init__.py").read_text()
    match = re.search(r'__version__ = "([^"]+)"', text)
    if match is None:
        raise SystemExit("kubectl_berth/__init__.py states no version")
    return match[1]


def this_platform() -> tuple[str, str]:
    """(os, arch) in krew's words. Exits where krew has no such pair."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform)
    arch = ARCHITECTURES.get(platform.machine().lower())
    if system is None or arch is None:
        raise SystemExit(f"no archive for {sys.platform} on {platform.machine()}: krew knows no such platform")
    return system, arch


def archive_name(system: str, arch: str) -> str:
    """The file name of a platform's archive."""
    return f"kubectl-berth_v{version()}_{system}_{arch}.tar.gz"


def build(work: Path) -> Path:
    """Runs PyInstaller in `work` and returns the folder with the program."""
    # the package comes from here, installed or not; the packer only warns of one that it does not find
    environment = {**os.environ, "PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": str(EPOCH), "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"]
    command += ["--distpath", str(work / "dist"), "--workpath", str(work / "build"), str(ROOT / "krew" / "berth.spec")]
    subprocess.run(command, check=True, env=environment, cwd=work)
    return work / "dist" / "kubectl-berth"


def pack(program: Path, archive: Path) -> None:
    """Writes the archive: sorted names, one time, no owner, links as the files they point to."""
    with (
        archive.open("wb") as raw,
        gzip.GzipFile("", "wb", 9, raw, mtime=EPOCH) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for path, name in [(ROOT / "LICENSE", "LICENSE"), *_files(program)]:
            info = tarfile.TarInfo(name)
            info.size = path.stat().st_size
            info.mtime = EPOCH
            info.mode = 0o755 if name == f"kubectl-berth/{program.name}" or os.access(path, os.X_OK) else 0o644
            with path.open("rb") as file:
                tar.addfile(info, file)


def _files(program: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(program.rglob("*")):
        if path.is_file():
            yield path, f"kubectl-berth/{path.relative_to(program).as_posix()}"


def check_glibc(archive: Path, oldest: glibc.Version | None) -> None:
    """Says on stderr which glibc a Linux archive asks for; exits where that is newer than `oldest`, or none at all."""
    if sys.platform != "linux":
        return
    found = glibc.floor(archive)
    if found is None:
        raise SystemExit("nothing in it asks for glibc, which krew's linux stands for: build it where there is one")
    asked, file = found
    print(f"it runs on glibc {glibc.words(asked)} or newer ({file} asks for it)", file=sys.stderr)
    if oldest and asked > oldest:
        raise SystemExit(f"that is newer than {glibc.words(oldest)}: build it on a system with that glibc")


def main() -> None:
    """Builds and packs for this machine."""
    arguments = argparse.ArgumentParser(description="build the archive that krew installs")
    arguments.add_argument("--out", type=Path, default=ROOT / "dist")
    arguments.add_argument("--glibc", type=glibc.version, help="refuse an archive that asks for a newer glibc")
    given = arguments.parse_args()
    work = Path(tempfile.mkdtemp(prefix="berth-dist-"))
    try:
        packed = work / archive_name(*this_platform())
        pack(build(work), packed)
        check_glibc(packed, given.glibc)
        archive = given.out.resolve() / packed.name
        archive.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(packed, archive)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(archive)


if __name__ == "__main__":
    main()
