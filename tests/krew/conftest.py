"""The archive, built as a release builds it, and installed as krew installs it."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import tarfile
import venv
from pathlib import Path

import pytest

from kubectl_berth import __version__
from tests.krew.archive import PROGRAM, ROOT

BUILT = "BERTH_ARCHIVE"
"""Names an archive that is to be tested, in place of one that is built for the tests."""


@pytest.fixture(scope="session")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has what the package imports, and not the package: the release installs no more."""
    environment = tmp_path_factory.mktemp("builder")
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    ask = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    library = subprocess.run(ask, check=True, capture_output=True, text=True, timeout=60).stdout.strip()
    (Path(library) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


@pytest.fixture(scope="session")
def built(builder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if BUILT in os.environ:
        return Path(os.environ[BUILT])
    folder = tmp_path_factory.mktemp("dist")
    command = [str(builder), str(ROOT / "krew" / "dist.py"), "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    (archive,) = folder.glob("*.tar.gz")
    assert done.stdout == f"{archive}\n"
    return archive


@pytest.fixture(scope="session")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The krew root's bin folder: extracted into the store, krew's one link, and the one that its caveats name."""
    root = tmp_path_factory.mktemp("krew") / "wärts and spaces"
    store = root / "store" / "berth" / f"v{__version__}"
    with tarfile.open(built) as tar:
        tar.extractall(store, filter="data")
    links = root / "bin"
    links.mkdir()
    (links / "kubectl-berth").symlink_to(store / PROGRAM)
    (links / "kubectl_complete-berth").symlink_to("kubectl-berth")
    return links
