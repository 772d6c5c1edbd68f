"""The archive and its manifest, tried with krew itself, on a machine that has it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kubectl_berth import __version__
from tests.krew.archive import KUBECTL, ROOT

pytestmark = [
    pytest.mark.archive,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("kubectl-krew") is None, reason="krew is not installed"),
]


def test_krew_installs_it_and_kubectl_runs_it(built: Path, tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    dist.mkdir()
    archive = shutil.copy(built, dist)
    manifest = dist / "berth.yaml"
    render = [sys.executable, str(ROOT / "krew" / "render.py"), "--dist", str(dist), "--out", str(manifest)]
    subprocess.run(render, check=True, capture_output=True, timeout=60)
    root = tmp_path / "krew"
    environment = {"KREW_ROOT": str(root), "HOME": str(tmp_path), "PATH": f"{root / 'bin'}:{os.environ['PATH']}"}

    def kubectl(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(KUBECTL), *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)

    done = kubectl("krew", "install", f"--manifest={manifest}", f"--archive={archive}")
    assert done.returncode == 0, done.stderr
    # the caveats, as a person sees them
    assert "kubectl_complete-berth" in done.stderr and "glibc" in done.stderr
    assert kubectl("berth", "--version").stdout.strip().endswith(__version__)
    found = kubectl("berth", "check", "--scenario", "failing-rollout")
    assert found.returncode == 1 and "v2.4.1-rc" in found.stdout
    if validator := shutil.which("validate-krew-manifest"):
        judged = [validator, "-manifest", str(manifest), "-skip-install"]
        assert subprocess.run(judged, capture_output=True, timeout=60, check=False).returncode == 0
