"""What is published on PyPI, built once from the tree, and once more from its own sdist."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Packages:
    """Paths of what was built."""

    sdist: Path
    wheel: Path  # from the tree
    wheel_of_sdist: Path


def build(source: Path, out: Path, *flags: str) -> Path:
    """Runs the build frontend with the build backend that is installed here; no network."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), *flags, str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return out


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    both = build(ROOT, tmp_path_factory.mktemp("both"))
    alone = build(ROOT, tmp_path_factory.mktemp("alone"), "--wheel")
    return Packages(*both.glob("*.tar.gz"), *alone.glob("*.whl"), *both.glob("*.whl"))


@pytest.fixture(scope="session")
def installed(packages: Packages) -> Iterator[Path]:
    """A fresh virtual environment in which the wheel is installed; the dependencies are those of this one."""
    with tempfile.TemporaryDirectory(prefix="berth-venv-") as folder:
        environment = Path(folder)
        venv.create(environment, with_pip=False)
        python = str(environment / "bin" / "python")
        pip = [sys.executable, "-m", "pip", "--python", python, "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--no-index", "--no-deps", str(packages.wheel)], check=True, timeout=120)
        ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
        library = subprocess.run(ask, check=True, capture_output=True, text=True, timeout=60).stdout.strip()
        (Path(library) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
        yield environment
