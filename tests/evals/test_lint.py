"""scenario lint, as it is typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kubectl_berth.evals.lint import lint
from kubectl_berth.scenarios.reader import names

SNAPSHOT = """\
apiVersion: berth.dev/v1
kind: Snapshot
serverVersion: v1.33.5
time: "2026-10-05T09:30:00Z"
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: broken-web, namespace: default, uid: 7f6f6f3e-0000-4000-8000-000000000001}
spec: {containers: [{name: web, image: "web:1"}]}
status: {phase: Pending}
"""
CHECKS = """\
checks:
  cause: {says: ["out of memory"]}
  figure: {number: 256Mi}
answers:
  right:
  - It ran out of memory at its limit of 256Mi.
  - It is the limit of 256Mi, it ran out of memory.
  - It ran out of memory. The limit is 0.25Gi.
  wrong:
  - It is not out of memory, the limit of 256Mi is fine.
  - {answer: It ran out of memory., fails: [figure]}
  - Nothing is known.
"""


def write(directory: Path, checks: str = CHECKS, pod: str = POD) -> str:
    """A scenario of somebody's own."""
    cluster = directory / "mine" / "cluster"
    (cluster / "objects").mkdir(parents=True)
    (cluster / "snapshot.yaml").write_text(SNAPSHOT)
    (cluster / "objects" / "pod.yaml").write_text(pod)
    header = "apiVersion: berth.dev/v1\nkind: Scenario\nquestion: Why does web not start?\n"
    (directory / "mine" / "scenario.yaml").write_text(header + checks)
    return str(directory / "mine")


def problems(directory: Path, checks: str = CHECKS) -> list[str]:
    """What lint says about the checks of a scenario; what it says about its bare cluster left out."""
    about = ("answers", "checks", "right", "wrong", "check ", "read")
    return [f"{found.rule}: {found.words}" for found in lint(write(directory, checks)) if found.rule.startswith(about)]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kubectl_berth", "scenario", "lint", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_shipped_scenario_is_in_order() -> None:
    done = run("oomkilled")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "oomkilled: in order\n")


def test_somebodys_own_cluster_is_judged(tmp_path: Path) -> None:
    done = run(write(tmp_path))
    assert done.returncode == 1
    assert 'mine: names: Pod default/broken-web: "broken-web" gives the answer away (broken)' in done.stdout
    assert "mine: homes: Pod default/broken-web: " in done.stdout
    assert "Traceback" not in done.stderr


def test_a_scenario_that_is_not_there() -> None:
    done = run("oomkiled")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'there is no scenario "oomkiled": did you mean oomkilled' in done.stderr


def test_good_checks_are_in_order(tmp_path: Path) -> None:
    assert problems(tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("- Nothing is known.", "", "answers: 2 wrong ones, at least 3 are needed"),
        ("- Nothing is known.", "- It ran out of memory at 256Mi.", "wrong answer 3: passes"),
        ("The limit is 0.25Gi.", "The limit is 1Gi.", "right answer 3: fails figure: gives"),
        ("fails: [figure]", "fails: [cause]", "wrong answer 2: does not fail cause"),
        ('says: ["out of memory"]', 'sais: ["x"]', "read: scenario mine, check cause: does not know sais"),
        (
            "- {answer: It ran out of memory., fails: [figure]}\n  - Nothing is known.",
            "- It is not the memory. The limit is 256Mi.\n  - The limit of 256Mi was never reached.",
            "check figure: no wrong answer fails it",
        ),
    ],
)
def test_what_is_wrong_with_checks(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in CHECKS
    assert any(found.startswith(words) for found in problems(tmp_path, CHECKS.replace(old, new)))


def test_a_scenario_without_checks(tmp_path: Path) -> None:
    assert problems(tmp_path, "") == ["checks: there are none: say what a right answer holds"]


@pytest.mark.nightly
@pytest.mark.parametrize("name", names())
def test_every_shipped_scenario_is_in_order(name: str) -> None:
    assert lint(name) == []
