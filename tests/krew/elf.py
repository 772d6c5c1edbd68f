"""What binutils says of a program: the second opinion on the glibc that it asks for."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from pathlib import Path


def asked_of_glibc(program: Path) -> tuple[int, ...]:
    """The highest release of glibc among the symbol versions that readelf lists as needed; () for none."""
    command = ["readelf", "--version-info", "--wide", str(program)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    needs = said.partition("Version needs section")[2]
    versions = [tuple(map(int, each.split("."))) for each in re.findall(r"Name: GLIBC_([0-9.]+)", needs)]
    return max(versions, default=())


def archive_of(path: Path, *programs: Path) -> Path:
    """An archive that holds these files, and one that is no program."""
    with tarfile.open(path, "w:gz") as tar:
        for program in programs:
            tar.add(program.resolve(), f"kubectl-berth/_internal/{program.name}")
        licence = tarfile.TarInfo("LICENSE")
        licence.size = 4
        tar.addfile(licence, io.BytesIO(b"free"))
    return path
