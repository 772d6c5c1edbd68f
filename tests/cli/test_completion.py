"""Completion as a shell gets it: through the real kubectl, through real shells, on clusters live and dead."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.simulator.kubeconfig import Served, write_kubeconfigs
from kubectl_berth.simulator.server import serve
from tests.process import ROOT, berth, snapshot, surroundings

BIN = Path(sys.executable).parent
SECONDS = 0.3

# where the environment that the tests run in was installed before the program came, or has no kubectl
pytestmark = pytest.mark.skipif(
    not ((BIN / "kubectl").exists() and (BIN / "kubectl_complete-berth").exists()),
    reason="needs kubectl and kubectl_complete-berth beside python",
)

Complete = Callable[..., list[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two contexts: one cluster that is served, one address where nothing listens."""
    (tmp_path / ".kube").mkdir()
    return tmp_path


def _env(home: Path, **variables: str) -> dict[str, str]:
    path = f"{BIN}:/usr/bin:/bin"
    return surroundings(home, XDG_CACHE_HOME=str(home / "cache"), **variables) | {"PATH": path}


@pytest.fixture
def served(home: Path) -> Iterator[str]:
    cluster = open_snapshot([snapshot(home / "moment")], source="snapshot", name="moment")
    server = serve(cluster)
    contexts = [Served(server.url, "near", "shop"), Served("http://127.0.0.1:9", "dead", "default")]
    write_kubeconfigs(home / ".kube" / "config", contexts)
    yield server.url
    server.close()


def _kubectl(home: Path, *words: str) -> list[str]:
    """What the real kubectl answers its shells for these words; nothing but its own words may be on stderr."""
    run = subprocess.run(
        ["kubectl", "__complete", "berth", *words],
        env=_env(home),
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    strange = [line for line in run.stderr.splitlines() if not line.startswith(("[Debug]", "Completion ended"))]
    assert strange == []
    return run.stdout.splitlines()


def _soon(home: Path, *words: str) -> list[str]:
    """The same as soon as the names are there: they are read beside the first TAB."""
    deadline = time.monotonic() + 20
    while (found := _kubectl(home, *words)) in ([":4"], [":6"]) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def _words(lines: list[str]) -> list[str]:
    return [line.partition("\t")[0] for line in lines]


def test_commands_come_with_what_they_do(home: Path) -> None:
    found = _kubectl(home, "")
    assert "ask\tAnswer one question about the cluster." in found
    assert {"check", "scenario", "eval", "doctor"} <= set(_words(found))
    assert found[-1] == ":4"


@pytest.mark.parametrize(
    ("words", "some", "last"),
    [
        (("ask", "--con"), {"--context", "--continue"}, ":4"),
        (("ask", "--engine", ""), {"auto", "rules", "ollama", "claude", "bedrock"}, ":4"),
        (("ask", "--engine", "claude", "--model", "claude-so"), {"claude-sonnet-5-5"}, ":4"),
        (("ask", "--engine", "bedrock", "--model", "g"), {"global.anthropic.claude-opus-4-8"}, ":4"),
        (("ask", "--scenario", "crd-"), {"crd-operator-discovery"}, ":4"),
        (("ask", "--scenario=crd-"), {"crd-operator-discovery"}, ":4"),
        (("ask", "-o", "json"), {"json", "jsonl"}, ":4"),
        (("scenario", "serve", "crd-"), {"crd-operator-discovery"}, ":4"),
        (("eval", "run", "--scenario", "crd-"), {"crd-operator-discovery"}, ":4"),
        (("tool", "list_"), {"list_pods", "list_resources"}, ":4"),
        (("tool", "list_pods", "namespace=shop", "only"), {"onlyUnhealthy="}, ":6"),
        (("tool", "list_pods", "onlyUnhealthy="), {"onlyUnhealthy=true", "onlyUnhealthy=false"}, ":4"),
        (("check", "deploy"), {"deployment/"}, ":6"),
        (("config", "set", "eng"), {"engine"}, ":4"),
        (("config", "set", "effort", "h"), {"high"}, ":4"),
    ],
)
def test_words_that_need_no_cluster(home: Path, words: tuple[str, ...], some: set[str], last: str) -> None:
    found = _kubectl(home, *words)
    assert some <= set(_words(found))
    assert all(word.startswith(words[-1].removeprefix("--scenario=")) for word in _words(found)[:-1])
    assert found[-1] == last


def test_what_is_given_is_not_offered_again(home: Path) -> None:
    assert "namespace=" not in _words(_kubectl(home, "tool", "list_pods", "namespace=shop", ""))
    assert _kubectl(home, "check", "pod/web-0", "") == [":4"]


def test_secrets_are_no_kind_that_is_offered(home: Path) -> None:
    found = _words(_kubectl(home, "check", ""))
    assert {"pod/", "deployment/", "node/"} <= set(found)
    assert not {"secret/", "configmap/"} & set(found)


def test_paths_are_the_shells_own_business(home: Path) -> None:
    assert _kubectl(home, "ask", "--kubeconfig", "") == [":0"]
    assert _kubectl(home, "ask", "--snapshot", "") == [":16"]


@pytest.mark.parametrize("words", [("nosuch", ""), ("ask", "--nosuch", ""), ("ask", "why is ", "")])
def test_nothing_to_offer_is_no_error(home: Path, words: tuple[str, ...]) -> None:
    assert _kubectl(home, *words) == [":4"]


def test_contexts_of_the_kubeconfig_that_the_line_names(home: Path, served: str) -> None:
    assert _kubectl(home, "ask", "--context", "") == ["near\tnear", "dead\tdead", ":4"]
    write_kubeconfigs(home / "other", [Served(served, "third", "")])
    assert _kubectl(home, "ask", "--kubeconfig", str(home / "other"), "--context", "") == ["third\tthird", ":4"]


def test_a_broken_kubeconfig_is_silent(home: Path) -> None:
    (home / ".kube" / "config").write_text("contexts: [")
    assert _kubectl(home, "ask", "--context", "") == [":4"]
    assert _kubectl(home, "ask", "-n", "") == [":4"]


def test_a_name_that_a_shell_would_run_is_not_offered(home: Path) -> None:
    names = ("good", "$(reboot)", "`id`", "two words", "tab\there", "\x1b[31m", "a;b", "\N{RIGHT-TO-LEFT OVERRIDE}x")
    write_kubeconfigs(home / ".kube" / "config", [Served("http://127.0.0.1:9", name, "") for name in names])
    assert _kubectl(home, "ask", "--context", "") == ["good\tgood", ":4"]


def test_names_of_the_cluster(home: Path, served: str) -> None:
    live = ("--context", "near")
    assert _soon(home, "check", *live, "pod/") == ["pod/web-0", ":4"]
    assert _soon(home, "check", *live, "-n", "shop", "pods", "") == ["web-0", ":4"]
    assert _soon(home, "tool", "describe_resource", *live, "kind=Pod", "name=w") == ["name=web-0", ":4"]
    assert _soon(home, "tool", "get_logs", *live, "name=") == ["name=web-0", ":4"]


def test_a_bare_name_is_a_workloads(home: Path) -> None:
    scenario = ("check", "--scenario", "failing-rollout")
    assert _soon(home, *scenario, "-n", "shop", "che") == ["checkout", ":4"]
    assert _kubectl(home, *scenario, "-n", "shop", "deployment") == ["deployment/", ":6"]


def test_names_of_a_snapshot(home: Path) -> None:
    moment = str(snapshot(home / "moment"))
    assert _soon(home, "check", "--snapshot", moment, "pod/") == ["pod/web-0", ":4"]


def test_namespaces_and_kinds_of_a_scenario(home: Path) -> None:
    scenario = ("--scenario", "crd-operator-discovery")
    assert {"data", "kube-system"} <= set(_soon(home, "ask", *scenario, "-n", ""))
    own = _kubectl(home, "check", "")
    deadline = time.monotonic() + 20
    while (found := _kubectl(home, "check", *scenario, "")) == own and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(found) > len(own)


def test_names_are_kept_for_this_user_alone_and_outlive_the_server(home: Path, served: str) -> None:
    assert _soon(home, "check", "--context", "near", "pod/")[0] == "pod/web-0"
    kept = list((home / "cache" / "kubectl-berth" / "completion").iterdir())
    assert [path.read_text() for path in kept if path.suffix == ".json"] == ['["web-0"]']
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in kept)
    assert stat.S_IMODE(kept[0].parent.stat().st_mode) == 0o700


def test_a_reader_that_is_a_program_of_its_own_keeps_the_same(home: Path, served: str) -> None:
    """As on systems where a process cannot be forked."""
    kept = home / "names.json"
    request = {"source": {"kube_context": "near"}, "overrides": {}, "topic": ["names", "pod", "shop"]}
    run = subprocess.run(
        [sys.executable, "-m", "kubectl_berth.cli.completion"],
        input=json.dumps(request),
        env=_env(home, _KUBECTL_BERTH_READ_NAMES=str(kept)),
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert (run.stdout, run.stderr, kept.read_text()) == ("", "", '["web-0"]')


WAITED_FOR = """\
import signal, sys, time
from pathlib import Path
from kubectl_berth.cli.name_reader import start
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
going_on = start(Path(sys.argv[1]), {"topic": ["models", "http://127.0.0.1:9"]})
while going_on():
    time.sleep(0.01)
"""


def test_a_reader_is_waited_for_where_the_end_of_children_is_ignored(home: Path) -> None:
    kept = home / "names.json"
    words = [sys.executable, "-c", WAITED_FOR, str(kept)]
    run = subprocess.run(words, env=_env(home), capture_output=True, text=True, timeout=30, check=False)
    assert (run.returncode, run.stderr, kept.read_text()) == (0, "", "[]")


def test_names_older_than_ten_minutes_are_not_offered(home: Path, served: str) -> None:
    _soon(home, "check", "--context", "near", "pod/")
    for path in (home / "cache" / "kubectl-berth" / "completion").iterdir():
        content = path.with_suffix(".json")
        content.write_text('["old"]')
        path.touch()
        os.utime(content, (time.time() - 590, time.time() - 590))
        assert _kubectl(home, "check", "--context", "near", "pod/") == ["pod/old", ":4"]
        os.utime(content, (time.time() - 610, time.time() - 610))
        assert _kubectl(home, "check", "--context", "near", "pod/") == [":4"]
        break


def test_a_token_on_the_line_starts_no_reader(home: Path, served: str) -> None:
    assert _kubectl(home, "check", "--context", "near", "--token", "any", "pod/") == [":4"]
    assert not (home / "cache").exists()


# --- time ------------------------------------------------------------------------------------------------------------


def _timed(home: Path, *words: str) -> tuple[float, float, bytes]:
    """Seconds of CPU and of waiting beyond that at the quickest of some runs, and what the last one printed."""
    taken = []
    for _ in range(5):
        started = time.monotonic()
        process = subprocess.Popen(
            [BIN / "kubectl_complete-berth", *words],
            env=_env(home),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        assert process.stdout is not None and process.stderr is not None
        out, err = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        process.stdout.close()
        process.stderr.close()
        assert (status, err) == (0, b"")
        taken.append((usage.ru_utime + usage.ru_stime, time.monotonic() - started))
    return min(cpu for cpu, _ in taken), min(wall for _, wall in taken), out


@pytest.mark.parametrize("words", [("",), ("ask", "--"), ("ask", "--scenario", ""), ("check", "d"), ("tool", "l")])
def test_a_tab_costs_little(home: Path, words: tuple[str, ...]) -> None:
    cpu, _, _ = _timed(home, *words)
    assert cpu <= SECONDS


def test_a_dead_server_costs_no_more(home: Path, served: str) -> None:
    cpu, wall, out = _timed(home, "ask", "--context", "dead", "-n", "")
    assert out == b":4\n"
    assert cpu <= SECONDS
    assert wall <= 1  # of a machine that does other things too


def test_a_silent_server_costs_no_more(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        write_kubeconfigs(home / ".kube" / "config", [Served(url, "silent", "default")])
        cpu, wall, out = _timed(home, "ask", "-n", "")
        silent.settimeout(10)
        silent.accept()[0].close()  # it was asked, by one reader beside five TABs
        silent.settimeout(0.2)
        with pytest.raises(TimeoutError):
            silent.accept()
    assert out == b":4\n"
    assert cpu <= SECONDS
    assert wall <= 1


# --- shells ----------------------------------------------------------------------------------------------------------

BASH = """\
source {root}/completions/kubectl-berth.bash
COMP_LINE={line} COMP_POINT=${{#COMP_LINE}}
COMP_WORDS=(kubectl-berth x) COMP_CWORD=1
_kubectl_berth
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def _bash(home: Path, line: str) -> list[str]:
    script = BASH.format(root=shlex.quote(str(ROOT)), line=shlex.quote(line))
    run = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=_env(home),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert run.stderr == ""
    return run.stdout.splitlines()


def test_bash(home: Path, served: str) -> None:
    assert _bash(home, "kubectl-berth ch") == ["check"]
    assert _bash(home, "kubectl-berth ask --context ") == ["near", "dead"]
    assert _bash(home, "kubectl-berth ask --context=n") == ["near"]
    assert _bash(home, "kubectl-berth tool list_pods only") == ["onlyUnhealthy="]
    # readline replaces what stands behind the =
    assert _bash(home, "kubectl-berth tool list_pods onlyUnhealthy=t") == ["true"]
    (home / "cfg dir").mkdir()
    assert _bash(home, "kubectl-berth ask --snapshot c") == ["cfg dir"]


def test_bash_behind_kubectl(home: Path, served: str) -> None:
    library = Path("/usr/share/bash-completion/bash_completion")
    if not library.exists():
        pytest.skip("needs bash-completion")
    script = f"""\
source {library}
source <(kubectl completion bash)
COMP_LINE="kubectl berth ask --context n" COMP_POINT=${{#COMP_LINE}}
COMP_WORDS=(kubectl berth ask --context n) COMP_CWORD=4
__start_kubectl
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    run = subprocess.run(
        ["bash", "--norc", "-c", script], env=_env(home), capture_output=True, text=True, timeout=30, check=False
    )
    assert [word.split()[0] for word in run.stdout.splitlines()] == ["near"], run.stderr


def test_fish(home: Path, served: str) -> None:
    if not (fish := shutil.which("fish")):
        pytest.skip("needs fish")

    def complete(line: str) -> list[str]:
        script = f'source {ROOT}/completions/kubectl-berth.fish; complete -C "{line}"'
        run = subprocess.run(
            [fish, "-c", script], env=_env(home), capture_output=True, text=True, timeout=60, check=True
        )
        assert run.stderr == ""
        return run.stdout.splitlines()

    assert complete("kubectl-berth ch") == ["check\tList what is wrong, without a model."]
    assert complete("kubectl-berth ask --context n") == ["near\tnear"]
    assert complete("kubectl-berth ask --context=n") == ["--context=near\tnear"]
    assert complete("kubectl-berth tool list_pods onlyUnhealthy=t") == ["onlyUnhealthy=true"]


def _typed(command: list[str], env: dict[str, str], lines: list[tuple[str, str]]) -> None:
    """Types each text on a terminal and waits for what must appear behind it."""
    process, terminal = pty.fork()
    if process == 0:
        os.execvpe(command[0], command, env)
    try:
        for text, wanted in lines:
            os.write(terminal, text.encode())
            seen, deadline = "", time.monotonic() + 30
            while wanted not in seen and time.monotonic() < deadline:
                if select.select([terminal], [], [], 0.1)[0]:
                    seen += os.read(terminal, 65536).decode(errors="replace")
            assert wanted in seen, (text, seen)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)


CLEAR = "\x15"


def test_zsh(home: Path) -> None:
    if not (zsh := shutil.which("zsh")):
        pytest.skip("needs zsh")
    lines = [
        ("", "> "),
        (f"fpath=({ROOT}/completions $fpath); autoload -U compinit; compinit -u -D; print rea''dy\n", "ready"),
        ("kubectl-berth ch\t", "check "),
        (CLEAR + "kubectl-berth ask --scenario=crd-op\t", "--scenario=crd-operator-discovery "),
        (CLEAR + "kubectl-berth tool list_pods onlyU\tt\t", "onlyUnhealthy=true "),
    ]
    _typed([zsh, "-f", "-i"], _env(home, TERM="dumb", PS1="> "), lines)


def test_a_key_and_its_value_in_bash_behind_kubectl(home: Path) -> None:
    library = Path("/usr/share/bash-completion/bash_completion")
    if not library.exists():
        pytest.skip("needs bash-completion")
    lines = [
        ("", "> "),
        (f"source {library}; source <(kubectl completion bash); echo rea''dy\n", "ready"),
        ("kubectl berth tool list_pods onlyUnhealthy=t\t", "onlyUnhealthy=true "),
    ]
    _typed(["bash", "--norc", "-i"], _env(home, TERM="dumb", PS1="> "), lines)


def test_the_script_for_a_lone_binary(home: Path) -> None:
    run = subprocess.run(
        [ROOT / "completions" / "kubectl_complete-berth", "config", "set", "eng"],
        env=_env(home),
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert (run.stdout, run.stderr) == ("engine\n:4\n", "")


def test_a_link_to_the_program_completes(home: Path) -> None:
    """What krew's caveats tell people to make: berth looks at the name that it was called by."""
    (home / "bin").mkdir()
    link = home / "bin" / "kubectl_complete-berth"
    link.symlink_to(BIN / "kubectl-berth")
    run = subprocess.run(
        [link, "config", "set", "eng"], env=_env(home), capture_output=True, text=True, timeout=30, check=True
    )
    assert (run.stdout, run.stderr) == ("engine\n:4\n", "")


def test_what_is_kept_on_this_machine(home: Path) -> None:
    data = home / "data"
    note = ("--title", "Node lost", "--root-cause", "power", "--fix", "wait", "--snapshot", str(snapshot(home / "m")))
    for words in (
        ("ask", "is api well?", "--scenario", "oomkilled", "--engine", "rules"),
        ("memory", "add", *note),
        ("eval", "run", "--engine", "rules", "--scenario", "oomkilled", "--no-twins"),
    ):
        assert berth(*words, env=_env(home, AI_DATA_DIR=str(data))).status == 0

    def offered(*words: str) -> list[str]:
        there = _env(home, AI_DATA_DIR=str(data))
        run = subprocess.run(
            ["kubectl", "__complete", "berth", *words], env=there, capture_output=True, text=True, check=True
        )
        return run.stdout.splitlines()

    (run,) = (data / "runs").iterdir()
    (results,) = (data / "evals").iterdir()
    for words in (("runs", "show"), ("replay",)):
        assert offered(*words, "") == [f"{run.stem}\tis api well?", ":4"]
    assert offered("replay", "./")[-1] == ":0"
    for words in (("memory", "show"), ("memory", "forget")):
        assert offered(*words, "") == ["1\tNode lost", ":4"]
    assert offered("memory", "forget", "1", "") == [":4"]
    assert str(results) in offered("eval", "report", "")
    assert str(results) in offered("eval", "compare", str(results), str(data))
    assert offered("eval", "report", "./no")[-1] == ":16"
