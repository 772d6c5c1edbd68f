"""A kubeconfig's credential plugin in front of a person, beside the real kubectl, and how it ends."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.fakes.kube_recorder import Recorder, make_tls, recording
from tests.process import COMMAND, surroundings

KUBECTL = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or "kubectl"
V1 = "client.authentication.k8s.io/v1"
PRINT = f"""printf '{{"apiVersion":"{V1}","kind":"ExecCredential","status":{{"token":"%s"}}}}' "$X"\n"""
KUBECTL_ASKS = [KUBECTL, "get", "--raw", "/version"]
CHECK = [*COMMAND, "check"]
ASK = [*COMMAND, "ask", "is anything broken", "--engine", "rules"]


@dataclass
class Ground:
    """A server and a kubeconfig whose user has a credential plugin."""

    home: Path
    server: Recorder

    def plugin(self, script: str, mode: str = "IfAvailable") -> None:
        path = self.home / "plugin.sh"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        entry = {"apiVersion": V1, "command": str(path), "interactiveMode": mode}
        cluster = {"server": self.server.url, "certificate-authority": str(self.home / "ca.crt")}
        config = {
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": {"exec": entry}}],
        }
        (self.home / "kubeconfig").write_text(yaml.safe_dump(config))

    def variables(self) -> dict[str, str]:
        return surroundings(self.home, KUBECONFIG=str(self.home / "kubeconfig"))

    def sent(self) -> set[str]:
        """The Authorization headers since the last time."""
        found = {value for request in self.server.requests for value in request.values("authorization")}
        self.server.requests.clear()
        return found

    def children(self) -> list[int]:
        """The processes that wrote down who they are, as far as they live on."""
        pids = [int(line) for line in (self.home / "pids").read_text().split()]
        until = time.monotonic() + 1
        while any(_lives(pid) for pid in pids) and time.monotonic() < until:
            time.sleep(0.02)
        return [pid for pid in pids if _lives(pid)]


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    with recording(make_tls(tmp_path)) as server:
        yield Ground(tmp_path, server)


@dataclass(frozen=True)
class Ended:
    status: int
    screen: str
    seconds: float
    echoes: bool


def on_own_terminal(
    words: Sequence[str],
    variables: Mapping[str, str],
    prompt: str,
    answer: bytes = b"",
    *,
    kill: int = 0,
    piped_stdin: bool = False,
) -> Ended:
    """One run on a terminal that is its own; once `prompt` shows, `answer` is typed or the signal `kill` sent."""
    pid, terminal = pty.fork()
    if pid == 0:
        if piped_stdin:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execve(words[0], list(words), dict(variables))
    received, answered, until = b"", False, time.monotonic() + 30
    started = time.monotonic()
    while time.monotonic() < until:
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            received += os.read(terminal, 65536)
        except OSError:  # the other end was closed
            break
        if not answered and prompt.encode() in received:
            answered, started = True, time.monotonic()
            if kill:
                os.kill(pid, kill)
            else:
                os.write(terminal, answer)
    seconds = time.monotonic() - started
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    echoes = _echoes(terminal)
    os.close(terminal)
    return Ended(status, received.decode(), seconds, echoes)


def _echoes(terminal: int) -> bool:
    import termios

    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


READS = 'printf "Password: " >&2; read X\n' + PRINT
HIDDEN = 'stty -echo; printf "Password: " >&2; read X; stty echo\n' + PRINT
OF_THE_TERMINAL = 'printf "Password: " >/dev/tty; read X </dev/tty\n' + PRINT


@pytest.mark.parametrize("words", [KUBECTL_ASKS, CHECK, ASK], ids=["kubectl", "check", "ask"])
@pytest.mark.parametrize(
    ("script", "mode", "piped"),
    [
        (READS, "IfAvailable", False),
        (READS, "Always", False),
        (HIDDEN, "Always", False),
        (OF_THE_TERMINAL, "Never", False),
        (OF_THE_TERMINAL, "IfAvailable", True),
    ],
)
def test_a_plugin_that_asks_the_person(words: list[str], script: str, mode: str, piped: bool, ground: Ground) -> None:
    ground.plugin(script, mode)
    on_own_terminal(words, ground.variables(), "Password: ", b"sesame\n", piped_stdin=piped)
    assert ground.sent() == {"Bearer sesame"}


@pytest.mark.parametrize("words", [KUBECTL_ASKS, CHECK, ASK], ids=["kubectl", "check", "ask"])
def test_a_plugin_that_may_not_ask_gets_no_input(words: list[str], ground: Ground) -> None:
    ground.plugin(READS, "Never")
    on_own_terminal(words, ground.variables(), "Password: ", b"sesame\n")
    assert ground.sent() == set()


def test_a_code_for_another_device_is_shown_at_once(ground: Ground) -> None:
    ground.plugin(
        f'echo "enter the code ABC-DEF" >&2; while [ ! -e {ground.home}/done ]; do sleep 0.05; done; X=d\n{PRINT}'
    )
    process = subprocess.Popen(
        CHECK, env=ground.variables(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    assert process.stderr.readline() == b"enter the code ABC-DEF\n"
    (ground.home / "done").touch()
    process.communicate(timeout=30)
    assert ground.sent() == {"Bearer d"}


@pytest.mark.parametrize(
    ("words", "kill", "status"),
    [
        (CHECK, signal.SIGINT, 130),
        (ASK, signal.SIGINT, 130),
        (ASK, signal.SIGTERM, 130),
        ([*COMMAND, "tool", "list_pods"], signal.SIGINT, 130),
        ([*COMMAND, "tool", "list_pods"], signal.SIGTERM, 130),
    ],
)
def test_an_interrupted_run_ends_its_plugin_and_gives_the_terminal_back(
    words: list[str], kill: int, status: int, ground: Ground
) -> None:
    ground.plugin(f"echo $$ > {ground.home}/pids; {HIDDEN}")
    ended = on_own_terminal(words, ground.variables(), "Password: ", kill=kill)
    assert (ended.status, ended.echoes) == (status, True)
    assert ended.seconds < 15
    assert ground.children() == []


@pytest.mark.parametrize("words", [CHECK, ASK, [*COMMAND, "tool", "list_pods"]], ids=["check", "ask", "tool"])
def test_ctrl_c_at_the_prompt_of_a_plugin(words: list[str], ground: Ground) -> None:
    ground.plugin(f"echo $$ > {ground.home}/pids; {HIDDEN}")
    ended = on_own_terminal(words, ground.variables(), "Password: ", b"\x03")
    assert (ended.status, ended.echoes) == (130, True)
    assert ended.seconds < 15
    assert ground.children() == []
    assert ground.sent() == set()


def test_the_deadline_of_a_run_ends_its_plugin(ground: Ground) -> None:
    ground.plugin(f"echo $$ > {ground.home}/pids; {HIDDEN}")
    ended = on_own_terminal([*ASK, "--timeout", "1"], ground.variables(), "no such prompt")
    assert (ended.status, ended.echoes) == (7, True)
    assert ground.children() == []


def test_without_a_terminal_what_the_plugin_started_ends_with_it(ground: Ground) -> None:
    ground.plugin(f"echo $$ > {ground.home}/pids; sleep 60 & echo $! >> {ground.home}/pids; wait\n{PRINT}", "Never")
    process = subprocess.run(
        [*ASK, "--timeout", "1"],
        env=ground.variables(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        start_new_session=True,
        check=False,
    )
    assert process.returncode == 7
    assert len((ground.home / "pids").read_text().split()) == 2
    assert ground.children() == []


def test_a_terminated_command_without_a_terminal_leaves_no_plugin(ground: Ground) -> None:
    ground.plugin(
        f"echo $$ > {ground.home}/pids; sleep 60 & echo $! >> {ground.home}/pids; echo ready >&2; wait", "Never"
    )
    process = subprocess.Popen(
        [*COMMAND, "tool", "list_pods"], env=ground.variables(), stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stderr is not None
    assert process.stderr.readline() == b"ready\n"
    process.terminate()
    assert process.wait(10) == 130
    assert ground.children() == []
    process.stderr.close()


def test_a_plugin_that_does_not_listen_ends_too(ground: Ground) -> None:
    ground.plugin(f"trap '' TERM INT; echo $$ > {ground.home}/pids; while :; do sleep 0.1; done", "Never")
    process = subprocess.run(
        [*ASK, "--timeout", "1"], env=ground.variables(), capture_output=True, timeout=30, check=False
    )
    assert process.returncode == 7
    assert ground.children() == []
