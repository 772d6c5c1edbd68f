"""The oldest glibc that a Linux archive runs on, read from the archive itself: no machine or image is believed."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

Version = tuple[int, ...]

# an interface that has no number of its own, and the release that brought it (glibc's Versions files)
UNNUMBERED = {"GLIBC_ABI_DT_RELR": (2, 36)}


def floor(archive: Path) -> tuple[Version, str] | None:
    """The highest glibc that any file of a .tar.gz asks for, and that file's name; None where none asks for one.

    Raises ValueError for a file that asks for an interface of glibc of which no release is known.
    """
    found: tuple[Version, str] | None = None
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            file = tar.extractfile(member) if member.isfile() else None
            wanted = max(needed(file.read()), default=None) if file else None
            if wanted and (found is None or wanted > found[0]):
                found = wanted, member.name
    return found


def needed(program: bytes) -> set[Version]:
    """The releases of glibc whose symbols an ELF program or library asks for; nothing for what is no ELF."""
    try:
        names = list(_needed_names(ELFFile(io.BytesIO(program))))
    except ELFError:
        return set()
    return {_release(name) for name in names if name != "GLIBC_PRIVATE"}


def words(version: Version) -> str:
    """(2, 28) as 2.28."""
    return ".".join(map(str, version))


def version(text: str) -> Version:
    """2.28 as (2, 28). Raises ValueError for other words."""
    return tuple(int(part) for part in text.split("."))


def _needed_names(elf: ELFFile) -> Iterator[str]:
    for section in elf.iter_sections():
        if isinstance(section, GNUVerNeedSection):
            for _library, auxiliaries in section.iter_versions():
                yield from (each.name for each in auxiliaries if each.name.startswith("GLIBC_"))


def _release(name: str) -> Version:
    return UNNUMBERED[name] if name in UNNUMBERED else version(name.removeprefix("GLIBC_"))
