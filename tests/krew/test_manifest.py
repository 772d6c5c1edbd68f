"""The krew manifest: rendered from its template, and good by every rule."""

from __future__ import annotations

import copy
import hashlib
import io
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_berth import __version__
from tests.krew.rules import archive_problems, problems

ROOT = Path(__file__).parents[2]
PLATFORMS = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64"]


def archive(path: Path, *entries: tuple[str, int, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, mode, kind in entries:
            info = tarfile.TarInfo(name)
            info.mode, info.type, info.size = mode, kind, 1 if kind == tarfile.REGTYPE else 0
            tar.addfile(info, io.BytesIO(b"x" * info.size))
    return path


def render(dist: Path, out: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "krew" / "render.py"), "--dist", str(dist), "--out", str(out), *flags]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    for platform in PLATFORMS:
        archive(folder / f"kubectl-berth_v{__version__}_{platform}.tar.gz", (platform, 0o644, tarfile.REGTYPE))
    done = render(folder, folder / "berth.yaml", "--all")
    assert done.returncode == 0, done.stderr
    return folder / "berth.yaml"


def test_a_release_has_every_platform_and_breaks_no_rule(rendered: Path) -> None:
    manifest = yaml.safe_load(rendered.read_text())
    assert problems(manifest, "berth.yaml") == []
    assert manifest["spec"]["version"] == f"v{__version__}"
    labels = [platform["selector"]["matchLabels"] for platform in manifest["spec"]["platforms"]]
    assert [f"{each['os']}_{each['arch']}" for each in labels] == PLATFORMS


def test_each_sum_is_the_archives_own(rendered: Path) -> None:
    for platform in yaml.safe_load(rendered.read_text())["spec"]["platforms"]:
        built = rendered.parent / platform["uri"].rpartition("/")[2]
        assert platform["sha256"] == hashlib.sha256(built.read_bytes()).hexdigest()


def test_a_missing_archive_is_left_out_by_hand_and_an_error_in_a_release(tmp_path: Path) -> None:
    archive(tmp_path / f"kubectl-berth_v{__version__}_linux_amd64.tar.gz", ("x", 0o644, tarfile.REGTYPE))
    done = render(tmp_path, tmp_path / "berth.yaml")
    assert done.returncode == 0 and "darwin/arm64" in done.stderr
    assert problems(yaml.safe_load((tmp_path / "berth.yaml").read_text()), "berth.yaml") == []
    released = render(tmp_path, tmp_path / "again.yaml", "--all")
    assert released.returncode == 1 and "windows/amd64" in released.stderr
    assert not (tmp_path / "again.yaml").exists()


def put(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(manifest: dict[str, Any]) -> None:
        place: Any = manifest
        *parents, last = path.split(".")
        for part in parents:
            place = place[int(part) if part.isdigit() else part]
        place[last] = value

    return change


FIRST = "spec.platforms.0"
BROKEN = {
    "api-version": put("apiVersion", "v1"),
    "kind": put("kind", "Plugins"),
    "name": put("metadata.name", "Berth"),
    "unknown-key": put("spec.foo", 1),
    "no-v": put("spec.version", "0.1.0"),
    "short-version": put("spec.version", "v0.1"),
    "leading-zero": put("spec.version", "v01.2.3"),
    "no-homepage": put("spec.homepage", ""),
    "no-short-description": put("spec.shortDescription", ""),
    "two-lines": put("spec.shortDescription", "a\nb"),
    "long": put("spec.shortDescription", "x" * 51),
    "final-dot": put("spec.shortDescription", "Finds faults."),
    "word-of-every-plugin": put("spec.shortDescription", "A kubectl plugin"),
    "wide-description": put("spec.description", "x" * 81),
    "usage-in-description": put("spec.description", "kubectl berth ask"),
    "no-platforms": put("spec.platforms", []),
    "empty-selector": put(f"{FIRST}.selector", {}),
    "third-label": put(f"{FIRST}.selector.matchLabels.libc", "musl"),
    "no-such-pair": put(f"{FIRST}.selector.matchLabels.arch", "riscv64"),
    "overlap": put(f"{FIRST}.selector.matchLabels", {"os": "linux"}),
    "http": put(f"{FIRST}.uri", "http://x/v0.1.0/linux_amd64.tar.gz"),
    "xz": put(f"{FIRST}.uri", f"https://x/v{__version__}/linux_amd64.tar.xz"),
    "other-version-in-uri": put(f"{FIRST}.uri", "https://x/v9.9.9/linux_amd64.tar.gz"),
    "upper-case-sum": put(f"{FIRST}.sha256", "A" * 64),
    "bin-outside": put(f"{FIRST}.bin", "../kubectl-berth"),
    "bin-with-a-dot": put(f"{FIRST}.bin", "./kubectl-berth"),
    "no-exe": put("spec.platforms.4.bin", "kubectl-berth/kubectl-berth"),
    "no-files": put(f"{FIRST}.files", []),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_is_held(rule: str, rendered: Path) -> None:
    manifest = copy.deepcopy(yaml.safe_load(rendered.read_text()))
    BROKEN[rule](manifest)
    assert len(problems(manifest, "berth.yaml")) >= 1


FILE, LINK = tarfile.REGTYPE, tarfile.SYMTYPE
GOOD = [("LICENSE", 0o644, FILE), ("kubectl-berth/kubectl-berth", 0o755, FILE)]


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([*GOOD, ("kubectl-berth/lib.so", 0o777, LINK)], "link"),
        ([*GOOD, ("a..b", 0o644, FILE)], "no name"),
        ([*GOOD, ("/etc/x", 0o644, FILE)], "no name"),
        ([GOOD[1], ("docs/LICENSE", 0o644, FILE)], "licence"),
        ([GOOD[1], ("LICENCE", 0o644, FILE)], "licence"),
        ([GOOD[0], ("kubectl-berth/kubectl-berth", 0o644, FILE)], "executable"),
        ([GOOD[0]], "missing"),
    ],
)
def test_each_rule_of_an_archive_is_held(entries: list[tuple[str, int, bytes]], said: str, tmp_path: Path) -> None:
    found = archive_problems(archive(tmp_path / "a.tar.gz", *entries), "kubectl-berth/kubectl-berth")
    assert len(found) == 1 and said in found[0]
    assert archive_problems(archive(tmp_path / "b.tar.gz", *GOOD), "kubectl-berth/kubectl-berth") == []
