"""Nothing is asked of the network, and no other program is started, before a person asks for what needs it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest

from kubectl_berth.cli.main import cli
from tests.process import COMMAND, snapshot, surroundings

# told by the interpreter itself, below whatever library is in use
HOOK = """\
import os
import sys

TOLD = (
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "socket.bind", "socket.connect",
    "socket.getaddrinfo", "socket.gethostbyname", "socket.sendmsg", "socket.sendto", "subprocess.Popen",
)
log = os.open(os.environ["TOLD_TO"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

def tell(event, arguments):
    if event in TOLD:
        os.write(log, f"{event} {arguments!r}\\n".encode())

sys.addaudithook(tell)
"""
SCENARIO = ("--scenario", "failing-rollout")
ASK = ("ask", "why does the rollout of checkout hang?", *SCENARIO, "--engine", "rules")


def command_words(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command, as typed."""
    yield words
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            under = command.get_command(context, name)
            assert under is not None
            yield from command_words(under, (*words, name))


HELP = [(*words, "--help") for words in command_words(cli)]
QUIET = [
    (0, ("--version",)),
    (0, ("config", "show")),
    (0, ("config", "path")),
    (0, ("scenario", "list")),
    (0, ("tools",)),
    (0, ("rbac",)),
    (0, ("memory", "list")),
    (0, ("runs", "list")),
    (0, ("usage",)),
    (0, ("tool", "list_pods", *SCENARIO)),
    (0, ASK),
    (0, (*ASK, "-o", "json")),
    (1, ("check", *SCENARIO)),
]


class Watched:
    """Processes whose sockets and child processes are written down."""

    def __init__(self, folder: Path) -> None:
        (folder / "hook").mkdir()
        (folder / "hook" / "sitecustomize.py").write_text(HOOK)
        self.log = folder / "told"
        self.environment = surroundings(folder, TOLD_TO=str(self.log))
        self.environment["PYTHONPATH"] = f"{folder / 'hook'}:{self.environment['PYTHONPATH']}"

    def run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        self.log.write_text("")
        return subprocess.run(
            command,
            env=self.environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )

    def told(self) -> list[str]:
        return self.log.read_text().splitlines()


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


@pytest.mark.parametrize("words", HELP, ids=" ".join)
def test_help_of_every_command(words: tuple[str, ...], watched: Watched) -> None:
    done = watched.run([*COMMAND, *words])
    assert (done.returncode, watched.told()) == (0, []), done.stderr
    assert done.stdout.startswith("Usage: kubectl berth")


@pytest.mark.parametrize(("status", "words"), QUIET, ids=lambda each: " ".join(each) if isinstance(each, tuple) else "")
def test_what_needs_no_cluster_and_no_model(status: int, words: tuple[str, ...], watched: Watched) -> None:
    done = watched.run([*COMMAND, *words])
    assert (done.returncode, watched.told()) == (status, []), done.stderr


def test_a_snapshot_of_ones_own(watched: Watched, tmp_path: Path) -> None:
    own = str(snapshot(tmp_path / "own"))
    assert watched.run([*COMMAND, "check", "--snapshot", own]).returncode == 1
    assert watched.told() == []
    asked = watched.run([*COMMAND, "ask", "why does web-0 crash?", "--snapshot", own, "--engine", "rules"])
    assert asked.returncode == 0 and watched.told() == []


def test_completion_of_commands(watched: Watched) -> None:
    program = "import sys; from kubectl_berth.cli.completion import main; sys.exit(main())"
    done = watched.run([sys.executable, "-c", program, ""])
    assert done.returncode == 0 and "ask\t" in done.stdout and watched.told() == []


UNREACHABLE = """\
apiVersion: v1
kind: Config
current-context: there
contexts: [{name: there, context: {cluster: there, user: me}}]
clusters: [{name: there, cluster: {server: "https://127.0.0.1:9"}}]
users:
- {name: me, user: USER}
"""
PROGRAM = '{exec: {apiVersion: client.authentication.k8s.io/v1, command: "false", interactiveMode: Never}}'


def test_the_watch_sees_a_socket_and_a_program(watched: Watched, tmp_path: Path) -> None:
    config = tmp_path / "kubeconfig"
    config.write_text(UNREACHABLE.replace("USER", PROGRAM))
    live = [*COMMAND, "check", "--kubeconfig", str(config)]
    assert watched.run(live).returncode == 3
    assert any(line.startswith("subprocess.Popen") and "false" in line for line in watched.told())
    config.write_text(UNREACHABLE.replace("USER", "{token: t}"))
    assert watched.run(live).returncode == 3
    assert any(line.startswith("socket.connect") and "127.0.0.1" in line for line in watched.told())


def may_leave_the_network() -> bool:
    try:
        return subprocess.run(["unshare", "-rn", "true"], capture_output=True, timeout=10, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not may_leave_the_network(), reason="no network namespace may be made here")
def test_a_question_is_answered_where_there_is_no_network_at_all(watched: Watched) -> None:
    done = watched.run(["unshare", "-rn", *COMMAND, *ASK])
    assert done.returncode == 0 and "v2.4.1-rc" in done.stdout
