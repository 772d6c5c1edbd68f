"""Runs the installed archive as a person does, through the real kubectl, in surroundings that hold nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
KUBECTL = Path(sys.executable).parent / "kubectl"
PROGRAM = "kubectl-berth/kubectl-berth"


def bare(installed: Path, home: Path, **variables: str) -> dict[str, str]:
    """An environment with the krew folder on the PATH, and no Ollama, key or kubeconfig of the developer's."""
    return {
        "PATH": f"{installed}:/usr/bin:/bin",
        "HOME": str(home),
        "OLLAMA_HOST": "127.0.0.1:9",
        "NO_PROXY": "*",
        **variables,
    }


def kubectl(
    installed: Path, home: Path, *words: str, before: Sequence[str] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    """`kubectl WORDS`; `before` is a program that starts it."""
    return subprocess.run(
        [*before, str(KUBECTL), *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
        env=bare(installed, home, **variables),
    )


@contextmanager
def scenario_served(installed: Path, home: Path, name: str) -> Iterator[Path]:
    """A kubeconfig of the scenario, served by the archive itself."""
    config = home / f"{name}.kubeconfig"
    command = [str(KUBECTL), "berth", "scenario", "serve", name, "--write-kubeconfig", str(config)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=bare(installed, home), text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        yield config
    finally:
        process.terminate()
        process.communicate(timeout=20)
