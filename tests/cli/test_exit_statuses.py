"""The table of exit statuses in the docs against the commands: what each says it may end with, it ends with."""

from __future__ import annotations

import io
import re
from pathlib import Path

import click
import pytest

from kubectl_berth.cli.main import PROG_NAME, cli, run
from kubectl_berth.environment import Environment
from kubectl_berth.errors import ExitStatus
from kubectl_berth.simulator.kubeconfig import write_kubeconfig
from tests.fakes.kube_recorder import closed_port
from tests.process import ROOT, berth, surroundings


def table() -> dict[str, dict[int, str]]:
    """For each command the statuses that the page gives it, with the words there."""
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8").partition("| command | 0 |")[2]
    rows = {}
    for line in text.splitlines()[2:]:
        if not (row := re.fullmatch(r"\| `([^`]+)` \|(.*)\|", line)):
            break
        cells = zip(sorted(ExitStatus), (cell.strip() for cell in row[2].split("|")), strict=True)
        rows[row[1]] = {int(status): cell for status, cell in cells if cell}
    return rows


TABLE = table()

# what a command must be given before it gets as far as asking a cluster, or looking at what is kept
ARGUMENTS = {
    "ask": ["why", "--engine", "rules"],
    "tool": ["cluster_health"],
    "memory add": ["--title", "a", "--root-cause", "b", "--fix", "c"],
    "memory show": ["1"],
    "rbac": ["--custom"],
    "snapshot create": ["moment"],
}


def leaves(command: click.Command, words: tuple[str, ...]) -> list[str]:
    """Every command that does something."""
    if not isinstance(command, click.Group):
        return [" ".join(words)]
    context = click.Context(command, info_name=PROG_NAME)
    found = []
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        found += leaves(below, (*words, name))
    return found


def test_every_command_and_every_status_has_its_place() -> None:
    assert sorted(TABLE) == sorted(leaves(cli, ()))
    assert {status for row in TABLE.values() for status in row} == {int(status) for status in ExitStatus}


@pytest.mark.parametrize("command", TABLE)
def test_a_word_that_no_command_knows(command: str, tmp_path: Path) -> None:
    environment = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {}, home=tmp_path)
    assert run([*command.split(), "--no-such-option"], environment) == ExitStatus.USAGE
    assert ExitStatus.USAGE in TABLE[command]


@pytest.mark.parametrize("command", [name for name, row in TABLE.items() if 3 in row and name != "replay"])
def test_a_cluster_that_is_not_there(command: str, tmp_path: Path) -> None:
    write_kubeconfig(tmp_path / "kubeconfig", f"http://127.0.0.1:{closed_port()}", "here", "shop")
    env = surroundings(tmp_path, KUBECONFIG=str(tmp_path / "kubeconfig"))
    ended = berth(*command.split(), *ARGUMENTS.get(command, []), env=env)
    assert ended.status == ExitStatus.CLUSTER_UNREACHABLE
    assert "Traceback" not in ended.err
    # a command that asks no cluster ends well without one
    assert berth("rbac", env=env).status == ExitStatus.OK


@pytest.mark.parametrize(
    "command", ["config show", "config path", "memory list", "runs list", "usage", "tools", "rbac"]
)
def test_what_asks_no_cluster_needs_none(command: str, tmp_path: Path) -> None:
    env = surroundings(tmp_path, KUBECONFIG=str(tmp_path / "nowhere"))
    assert berth(*command.split(), env=env).status == ExitStatus.OK


@pytest.mark.parametrize(
    "words",
    [["ask", "why", "--engine", "ollama"], ["tool", "cluster_health", "--engine", "bedrock"]],
    ids=lambda words: words[0],
)
def test_an_engine_that_cannot_be_asked(words: list[str], tmp_path: Path) -> None:
    # no Ollama listens, no region is set
    ended = berth(*words, "--scenario", "oomkilled", env=surroundings(tmp_path, AWS_CONFIG_FILE=str(tmp_path / "none")))
    assert ended.status == ExitStatus.NO_ANSWER
    assert ExitStatus.NO_ANSWER in TABLE[words[0]]
