"""What krew refuses, what krew-index's reviewers ask for, and what krew lets through although it breaks later."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAIRS = [
    *(("windows", arch) for arch in ("386", "amd64", "arm64")),
    *(("linux", arch) for arch in ("386", "amd64", "arm", "arm64", "ppc64le")),
    *(("darwin", arch) for arch in ("386", "amd64", "arm64")),
]
KEYS = {
    "": {"apiVersion", "kind", "metadata", "spec"},
    "metadata": {"name"},
    "spec": {"version", "homepage", "shortDescription", "description", "caveats", "platforms"},
    "platform": {"selector", "uri", "sha256", "files", "bin"},
}
SEMVER = re.compile(r"v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")
LICENCE = re.compile(r"(?i)(licenses?|copying)(\.txt|\.md)?")


def problems(manifest: Any, file_name: str) -> list[str]:
    """Every rule that the manifest breaks, in words; [] for a good one."""
    return list(_manifest(manifest, file_name))


def archive_problems(archive: Path, binary: str) -> list[str]:
    """Every rule that an archive breaks, in words."""
    return list(_archive(archive, binary))


def _manifest(manifest: Any, file_name: str) -> Iterator[str]:
    metadata, spec = manifest.get("metadata") or {}, manifest.get("spec") or {}
    yield from _unknown(manifest, "") or ()
    yield from _unknown(metadata, "metadata")
    yield from _unknown(spec, "spec")
    if manifest.get("apiVersion") != "krew.googlecontainertools.github.com/v1alpha2":
        yield "apiVersion is not krew's"
    if manifest.get("kind") != "Plugin":
        yield "kind is not Plugin"
    name = str(metadata.get("name"))
    if f"{name}.yaml" != file_name or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        yield "the name is not the file's, or not lower-case"
    if not SEMVER.fullmatch(str(spec.get("version"))):
        yield "the version is no v and strict semver"
    if not str(spec.get("homepage", "")).startswith("https://"):
        yield "there is no homepage"
    yield from _words(spec)
    yield from _platforms(spec)


def _unknown(section: dict[str, Any], name: str) -> Iterator[str]:
    for key in sorted(set(section) - KEYS[name]):
        yield f"unknown key {key}"


def _words(spec: dict[str, Any]) -> Iterator[str]:
    short = str(spec.get("shortDescription") or "")
    if not short or "\n" in short or len(short) > 50 or short.endswith("."):
        yield "shortDescription is missing, long, on two lines, or ends in a dot"
    if re.search(r"(?i)kubectl|plugin|kubernetes", short):
        yield "shortDescription has words that every plugin could have"
    for field in ("description", "caveats"):
        text = str(spec.get(field) or "")
        if any(len(line) > 80 for line in text.splitlines()):
            yield f"{field} has a line over 80 characters"
    description = str(spec.get("description") or "")
    if not description or re.search(r"(?m)^\s*\$|kubectl berth ", description):
        yield "description is missing, or holds a usage example"


def _platforms(spec: dict[str, Any]) -> Iterator[str]:
    platforms = spec.get("platforms") or []
    if not platforms:
        yield "there are no platforms"
    taken: list[tuple[str, str]] = []
    for platform in platforms:
        yield from _unknown(platform, "platform")
        labels = (platform.get("selector") or {}).get("matchLabels") or {}
        if not labels or set(labels) - {"os", "arch"}:
            yield "a selector is empty, or goes by more than os and arch"
        matched = [p for p in PAIRS if labels.get("os", p[0]) == p[0] and labels.get("arch", p[1]) == p[1]]
        if not matched:
            yield "a selector matches nothing"
        if set(matched) & set(taken):
            yield "two selectors match one pair"
        taken += matched
        yield from _artefact(platform, labels, str(spec.get("version")))


def _artefact(platform: dict[str, Any], labels: dict[str, str], version: str) -> Iterator[str]:
    uri, binary = str(platform.get("uri")), str(platform.get("bin"))
    if not uri.startswith("https://") or not uri.endswith((".tar.gz", ".zip")):
        yield "a uri is not https, or no .tar.gz or .zip"
    if not all(part in uri for part in (version, str(labels.get("os")), str(labels.get("arch")))):
        yield "a uri does not name version and platform"
    if not re.fullmatch(r"[0-9a-f]{64}", str(platform.get("sha256"))):
        yield "a sha256 is not 64 lower-case hex digits"
    if ".." in binary or binary.startswith(("/", "./")):
        yield "a bin is no clean path inside the archive"
    if (labels.get("os") == "windows") != binary.endswith(".exe"):
        yield "a bin has no .exe on Windows, or one elsewhere"
    if "files" in platform and not platform["files"]:
        yield "files is empty"


def _archive(archive: Path, binary: str) -> Iterator[str]:
    if archive.read_bytes()[:2] != b"\x1f\x8b":
        yield "not gzip"
        return
    with tarfile.open(archive) as tar:
        members = tar.getmembers()
    for member in members:
        if not (member.isfile() or member.isdir()):
            yield f"{member.name} is a link or a device"
        if ".." in member.name or member.name.startswith(("/", "\\")):
            yield f"{member.name} is no name that krew extracts"
    files = {member.name: member for member in members if member.isfile()}
    if not any(LICENCE.fullmatch(name) for name in files):
        yield "no licence at the top"
    if binary not in files or not files[binary].mode & 0o111:
        yield "the program is missing, or not executable"
