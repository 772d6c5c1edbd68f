"""The lock files: what is declared is locked, within its bounds, and nothing without a hash."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.process import ROOT


def locked(path: str) -> dict[str, list[str]]:
    """The versions of each name, by marker several; every one must have a hash."""
    found: dict[str, list[str]] = {}
    text = (ROOT / path).read_text().replace("\\\n", " ")
    for line in text.splitlines():
        if pinned := re.match(r"([A-Za-z0-9._-]+)==([^ ;]+)", line):
            assert "--hash=sha256:" in line, line[:80]
            found.setdefault(canonicalize_name(pinned[1]), []).append(pinned[2])
    return found


def declared() -> Iterable[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    yield from project["dependencies"]
    for extra in project["optional-dependencies"].values():
        yield from extra


def tools() -> Iterable[str]:
    lines = (ROOT / "krew" / "requirements.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize(
    ("words", "path"),
    [
        *((word, "requirements.lock") for word in declared()),
        *((word, "krew/requirements.lock") for word in tools()),
    ],
)
def test_what_is_declared_is_locked_within_its_bounds(words: str, path: str) -> None:
    wanted = Requirement(words)
    versions = locked(path).get(canonicalize_name(wanted.name), [])
    assert versions, f"{wanted.name} is not in {path}: make lock"
    assert all(wanted.specifier.contains(version) for version in versions), versions


def test_bedrock_and_every_platforms_packer_are_in() -> None:
    assert "boto3" in locked("requirements.lock")
    # of PyInstaller on Windows and macOS, on which this file was not made
    assert {"pefile", "pywin32-ctypes", "macholib"} <= set(locked("krew/requirements.lock"))
