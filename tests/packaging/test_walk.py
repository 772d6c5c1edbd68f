"""A stranger's way from pipx to an answer. What the package needs comes from the package index: for the night."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kubectl_berth import __version__
from tests.krew.archive import kubectl, scenario_served
from tests.packaging.conftest import Packages

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.timeout(600),
    pytest.mark.skipif(sys.platform == "win32", reason="the programs lie elsewhere there"),
]

ASK = ("berth", "ask", "why does the rollout of checkout in shop not finish?")


@pytest.fixture(scope="module")
def programs(packages: Packages, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that pipx puts programs into."""
    folder = tmp_path_factory.mktemp("pipx")
    places = {
        "PIPX_HOME": str(folder / "home"),
        "PIPX_BIN_DIR": str(folder / "bin"),
        "PIPX_MAN_DIR": str(folder / "man"),
    }
    command = [sys.executable, "-m", "pipx", "install", "--python", sys.executable, str(packages.wheel)]
    done = subprocess.run(
        command, env={**os.environ, **places}, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stderr
    assert {"kubectl-berth", "kubectl_complete-berth"} == {path.name for path in (folder / "bin").iterdir()}
    assert (folder / "man" / "man1" / "kubectl-berth-ask.1").is_file()
    return folder / "bin"


def test_from_pipx_to_an_answer(programs: Path, tmp_path: Path) -> None:
    found = kubectl(programs, tmp_path, "plugin", "list")
    assert found.returncode == 0 and str(programs / "kubectl-berth") in found.stdout
    assert kubectl(programs, tmp_path, "berth", "--version").stdout.strip().endswith(__version__)
    first = kubectl(programs, tmp_path, *ASK, "--scenario", "failing-rollout")
    assert first.returncode == 0 and "v2.4.1-rc" in first.stdout, first.stderr
    with scenario_served(programs, tmp_path, "failing-rollout") as config:
        pods = kubectl(programs, tmp_path, "get", "pods", "-n", "shop", KUBECONFIG=str(config))
        live = kubectl(programs, tmp_path, *ASK, KUBECONFIG=str(config))
    assert "ImagePullBackOff" in pods.stdout
    assert live.returncode == 0 and "v2.4.1-rc" in live.stdout, live.stderr
