"""The commands that pages show one after the other, run in that order on a served scenario."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubectl_berth.scenarios.reader import load
from kubectl_berth.simulator.kubeconfig import write_kubeconfig
from kubectl_berth.simulator.server import serve
from tests.process import ROOT, berth, surroundings


@pytest.fixture
def env(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The commands of this environment first on PATH, and a kubeconfig whose only context is prod."""
    cluster = load("crashloop-missing-config").open()
    server = serve(cluster)
    try:
        write_kubeconfig(tmp_path / "kubeconfig", server.url, "prod", "shop")
        found = surroundings(tmp_path, TERM="dumb", KUBECONFIG=str(tmp_path / "kubeconfig"))
        yield {**found, "PATH": f"{Path(sys.executable).parent}:{found['PATH']}"}
    finally:
        server.close()


def commands(page: Path, after: str) -> list[str]:
    """The indented lines of the page's first block that follows this line, as somebody would paste them."""
    text = page.read_text(encoding="utf-8").partition(f"\n{after}\n")[2]
    block = re.search(r"(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE)
    assert block, after
    return [line.strip() for line in block[0].splitlines() if line.startswith("    kubectl ")]


def statuses(lines: list[str], directory: Path, env: dict[str, str]) -> dict[str, int]:
    """How each line ended, by its words."""
    ended = {}
    for line in lines:
        run = subprocess.run(
            ["bash", "-c", line],
            env=env,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "unexpected" not in run.stderr, run.stderr
        ended[line] = run.returncode
    return ended


def test_use_it(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "question.txt").write_text("is anything broken?")
    lines = commands(ROOT / "README.md", "## Use it")
    assert len(lines) >= 9
    found = statuses(lines, tmp_path, env)
    assert found == {line: int(line.startswith("kubectl berth check ")) for line in lines}


def test_from_a_cluster_to_a_scenario(env: dict[str, str], tmp_path: Path) -> None:
    page = ROOT / "docs" / "scenarios.md"
    first = page.read_text(encoding="utf-8").splitlines()[2]
    lines = commands(page, first)
    # a scenario that nobody has filled in is not in order
    assert list(statuses(lines, tmp_path, env).values()) == [0, 0, 0, 1]


def test_the_settings_file_that_is_shown(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    (\w+: .*)$", text, re.MULTILINE)
    assert len(lines) == 3
    file = tmp_path / "config" / "kubectl-berth" / "settings.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("\n".join(lines))
    shown = berth("config", "show", env=surroundings(tmp_path))
    assert (shown.status, shown.out.count(str(file))) == (0, 3)
