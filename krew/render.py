"""Renders krew/berth.yaml from its template, with the archives that lie in dist/.

    python krew/render.py [--dist dist] [--out krew/berth.yaml] [--all]

A platform whose archive is missing is left out and named on stderr; with --all, as in a release, it is an error.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

import glibc
from dist import ROOT, archive_name, version

HOMEPAGE = "https://github.com/kubectl-berth/kubectl-berth"
PLATFORMS = (("linux", "amd64"), ("linux", "arm64"), ("darwin", "amd64"), ("darwin", "arm64"), ("windows", "amd64"))

PLATFORM = """\
    - selector:
        matchLabels:
          os: {system}
          arch: {arch}
      uri: {homepage}/releases/download/v{version}/{name}
      sha256: {sha256}
      bin: kubectl-berth/kubectl-berth{suffix}"""


def platform_entry(archive: Path, system: str, arch: str) -> str:
    """One item of the manifest's platforms."""
    return PLATFORM.format(
        system=system,
        arch=arch,
        homepage=HOMEPAGE,
        version=version(),
        name=archive.name,
        sha256=hashlib.sha256(archive.read_bytes()).hexdigest(),
        suffix=".exe" if system == "windows" else "",
    )


def oldest_glibc(folder: Path) -> str:
    """The caveat on what the Linux archives in `folder` ask for, a line with its newline; "" for none."""
    asked = {}
    for system, arch in PLATFORMS:
        archive = folder / archive_name(system, arch)
        if system == "linux" and archive.is_file() and (found := glibc.floor(archive)):
            asked[arch] = glibc.words(found[0])
    if not asked:
        return ""
    one = len(set(asked.values())) == 1
    versions = next(iter(asked.values())) if one else ", ".join(f"{asked[arch]} ({arch})" for arch in asked)
    return f"    On Linux it needs glibc {versions} or newer (no musl).\n"


def render(folder: Path, *, complete: bool) -> tuple[str, list[str]]:
    """The manifest's text and the platforms it leaves out. Exits where none, or not all that must be, are there."""
    entries, missing = [], []
    for system, arch in PLATFORMS:
        archive = folder / archive_name(system, arch)
        if archive.is_file():
            entries.append(platform_entry(archive, system, arch))
        else:
            missing.append(f"{system}/{arch}")
    if not entries or (complete and missing):
        raise SystemExit(f"no archive for {', '.join(missing)} in {folder}: build it there with make dist")
    template = (ROOT / "krew" / "berth.yaml.tmpl").read_text()
    text = template.format(
        version=f"v{version()}", homepage=HOMEPAGE, platforms="\n".join(entries), glibc=oldest_glibc(folder)
    )
    return text, missing


def main() -> None:
    """Renders the manifest."""
    arguments = argparse.ArgumentParser(description="render the krew manifest")
    arguments.add_argument("--dist", type=Path, default=ROOT / "dist")
    arguments.add_argument("--out", type=Path, default=ROOT / "krew" / "berth.yaml")
    arguments.add_argument("--all", action="store_true", help="fail where a platform's archive is missing")
    given = arguments.parse_args()
    text, missing = render(given.dist, complete=given.all)
    given.out.write_text(text)
    if missing:
        print(f"left out, built by the release workflow: {', '.join(missing)}", file=sys.stderr)
    print(given.out)


if __name__ == "__main__":
    main()
