"""The command line itself: help, usage errors, streams, exit statuses."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.loopback import Status
from tests.fakes.ollama import MODEL, FakeOllama, obeying
from tests.process import COMMAND, berth, snapshot, start, surroundings

HEAVY = ("kubernetes", "anthropic", "ollama", "rich", "yaml", "httpx", "pydantic", "msgspec", "urllib3", "asyncio")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path)


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "moment"))


@pytest.mark.parametrize("arguments", [["--help"], ["ask", "--help"], ["--version"], []])
def test_help_imports_nothing_but_click(arguments: list[str], env: dict[str, str]) -> None:
    program = (
        "import sys; from kubectl_berth.cli.main import run; from kubectl_berth.environment import Environment; "
        f"status = run({arguments!r}, Environment.actual()); "
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr); sys.exit(status)"
    )
    ended = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert not set(HEAVY) & set(ended.stderr.split())
    assert "click" in ended.stderr.split()


def test_help_names_the_plugin_and_lists_its_commands(env: dict[str, str]) -> None:
    for arguments in ((), ("--help",), ("-h",)):
        ended = berth(*arguments, env=env)
        assert (ended.status, ended.err) == (0, "")
        assert ended.out.startswith("Usage: kubectl berth")
        assert "\n  ask " in ended.out


def test_version(env: dict[str, str]) -> None:
    from kubectl_berth import __version__

    assert berth("--version", env=env).out == f"kubectl-berth {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nosuch"], "no command 'nosuch'"),
        (["why is it slow"], "kubectl berth ask"),
        (["ask"], "no question"),
        (["ask", ""], "no question"),
        (["ask", "  \n "], "no question"),
        (["ask", "hi", "--bogus"], "--bogus"),
        (["ask", "hi", "-o", "xml"], "xml"),
        (["ask", "hi", "--max-iter", "0"], "--max-iter must be a whole number, at least 1, not '0'"),
        (["ask", "hi", "--max-iter", "many"], "--max-iter"),
        (["ask", "hi", "--timeout", "-1"], "--timeout must be seconds above 0"),
        (["ask", "hi", "--timeout", "nan"], "--timeout must be seconds above 0"),
        (["ask", "hi", "--max-tokens", "1.5"], "--max-tokens"),
        (["ask", "hi", "--engine", "gpt"], "--engine must be one of auto, rules, ollama, claude"),
        (["ask", "hi", "--request-timeout", "soon"], "no duration"),
        (["ask", "hi", "--twin"], "--twin"),
        (["ask", "hi", "--snapshot", "a", "--scenario", "b"], "exclude"),
        (["ask", "hi", "--snapshot", "a", "--context", "b"], "--context"),
        (["ask", "hi", "--snapshot", "a", "--kubeconfig", "b"], "--kubeconfig"),
        (["ask", "hi", "-n", "no/such"], "--namespace"),
        (["ask", "hi", "--scenario", "no-such-scenario", "--engine", "rules"], "no-such-scenario"),
        (["ask", "hi", "--snapshot", "/no/such/directory", "--engine", "rules"], "/no/such/directory"),
        (["ask", "hi", "--engine", "bedrock", "--model", "amazon.nova-pro-v1:0"], "no Claude model"),
    ],
)
def test_usage_errors_are_one_line_and_status_two(arguments: list[str], words: str, env: dict[str, str]) -> None:
    ended = berth(*arguments, env=env)
    errors = [line for line in ended.err.splitlines() if not line.startswith("engine:")]
    assert (ended.status, ended.out, len(errors)) == (2, "", 1), ended.err
    assert errors[0].startswith("error: ")
    assert words in errors[0]


def test_flags_stand_before_and_behind_the_question(env: dict[str, str], moment: str) -> None:
    with FakeOllama(obeying("web-0 crashes.")) as fake:
        env["OLLAMA_HOST"] = fake.url
        for arguments in (
            ["ask", "--snapshot", moment, "--max-iter", "1", "why", "is", "web-0", "down"],
            ["ask", "why is web-0 down", "--snapshot", moment, "--max-iter=1"],
        ):
            assert berth(*arguments, env=env).out == "web-0 crashes.\n"
        asked = [request.body["messages"][-1]["content"] for request in fake.requests]
    assert all("Question: why is web-0 down" in text for text in asked)


def test_question_from_standard_input_only_where_it_is_a_dash(env: dict[str, str], moment: str) -> None:
    with FakeOllama(obeying("web-0 crashes.")) as fake:
        env["OLLAMA_HOST"] = fake.url
        ended = berth("ask", "-", "--snapshot", moment, env=env, given="what is\nwrong with web-0?\n")
        assert (ended.status, ended.out) == (0, "web-0 crashes.\n")
        assert "what is\nwrong with web-0?" in fake.requests[-1].body["messages"][-1]["content"]
        # an open standard input that nobody writes to is never waited for
        running = start("ask", "what is wrong", "--snapshot", moment, env=env, stdin=subprocess.PIPE)
        assert running.wait(20) == 0
        running.stdin.close(), running.stdout.close(), running.stderr.close()  # type: ignore[union-attr]


def test_words_behind_a_dash_are_no_question(env: dict[str, str]) -> None:
    ended = berth("ask", "-", "extra", "words", env=env, given="why?\n")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("error: a lone - reads the question from standard input")


@pytest.mark.parametrize(
    ("given", "words"), [("", "no question"), ("\n \n", "no question"), ("x" * 70000, "65536 bytes")]
)
def test_standard_input_that_holds_no_question(given: str, words: str, env: dict[str, str]) -> None:
    ended = berth("ask", "-", env=env, given=given)
    assert (ended.status, ended.out) == (2, "")
    assert words in ended.err


def test_a_question_typed_has_the_same_limit(env: dict[str, str]) -> None:
    ended = berth("ask", "x" * 70000, env=env)
    assert (ended.status, ended.out) == (2, "")
    assert "the question holds more than 65536 bytes" in ended.err and ended.err.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error(env: dict[str, str], moment: str) -> None:
    with FakeOllama(obeying("line\n" * 200_000)) as fake:
        env["OLLAMA_HOST"] = fake.url
        command = [*COMMAND, "ask", "hi", "--snapshot", moment, "--max-iter", "1"]
        running = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert running.stdout is not None and running.stderr is not None
        assert running.stdout.readline() == "line\n"
        running.stdout.close()
        assert running.wait(20) == 141
        err = running.stderr.read()
        running.stderr.close()
    assert "Traceback" not in err and "Exception" not in err and "error:" not in err


def test_a_full_disk_is_one_line(env: dict[str, str], moment: str) -> None:
    with FakeOllama(obeying("web-0 crashes.")) as fake, Path("/dev/full").open("w") as full:
        env["OLLAMA_HOST"] = fake.url
        command = [*COMMAND, "ask", "hi", "--snapshot", moment, "--max-iter", "1", "-q"]
        ended = subprocess.run(command, env=env, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: ") and "No space left" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_closed_streams_do_not_stop_a_run(env: dict[str, str], moment: str) -> None:
    with FakeOllama(obeying("web-0 crashes.")) as fake:
        env["OLLAMA_HOST"] = fake.url
        line = " ".join([*COMMAND, "ask", "hi", "--snapshot", moment, "--max-iter", "1"])
        assert subprocess.run(f"{line} >/dev/null 2>&-", shell=True, env=env, check=False).returncode == 0
        # nobody can read the answer
        for closed in (">&- 2>&-", "-q >&- 2>/dev/null", "-o json -q >&- 2>/dev/null", "<&- >&- 2>&-"):
            assert subprocess.run(f"{line} {closed}", shell=True, env=env, check=False).returncode == 141
        assert subprocess.run(f"{line} <&- >/dev/null 2>&1", shell=True, env=env, check=False).returncode == 0


def test_an_output_that_knows_only_ascii(env: dict[str, str], moment: str) -> None:
    with FakeOllama(obeying("web-0 läuft nicht → ✓")) as fake:
        env |= {"OLLAMA_HOST": fake.url, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
        ended = berth("ask", "hi", "--snapshot", moment, "--max-iter", "1", env=env)
    assert ended.status == 0
    assert ended.out == "web-0 l\\xe4uft nicht \\u2192 \\u2713\n"


def test_a_settings_file_and_what_is_wrong_with_it(env: dict[str, str], tmp_path: Path, moment: str) -> None:
    directory = tmp_path / "config" / "kubectl-berth"
    directory.mkdir(parents=True)
    file = directory / "settings.yaml"
    file.write_text(f"engine: ollama\nollama_model: {MODEL}\nmax_iterations: 1\n")
    with FakeOllama(obeying("web-0 crashes.")) as fake:
        env["OLLAMA_HOST"] = fake.url
        ended = berth("ask", "hi", "--snapshot", moment, "-o", "jsonl", env=env)
    assert json.loads(ended.out.splitlines()[0]) == {
        "type": "run", "engine": "ollama", "model": MODEL, "host": "", "cap": 1,
    }  # fmt: skip
    for content, words in (
        ("engine: [\n", "line 2"),
        ("engine: gpt\n", f"{file} (engine) must be one of"),
        ("endgine: rules\n", "'engine'"),
        ("- engine\n", "name: value"),
    ):
        file.write_text(content)
        ended = berth("ask", "hi", "--snapshot", moment, env=env)
        assert ended.status == 2 and str(file) in ended.err and words in ended.err


def test_an_unexpected_error_is_one_line_and_a_traceback_only_on_demand(env: dict[str, str], tmp_path: Path) -> None:
    moment = snapshot(tmp_path / "moment")
    # a host name that no resolver takes is nothing that anybody foresaw
    env |= {"ANTHROPIC_API_KEY": "k" + "ey", "ANTHROPIC_BASE_URL": "http://" + "a" * 70 + ".example"}
    ended = berth("ask", "hi", "--snapshot", str(moment), "-q", "--engine", "claude", env=env)
    assert ended.status in (1, 4)
    assert "Traceback" not in ended.err
    shown = berth("ask", "hi", "--snapshot", str(moment), "-q", "--engine", "claude", env={**env, "BERTH_DEBUG": "1"})
    assert "Traceback" in shown.err


def test_run_by_the_real_kubectl(env: dict[str, str], tmp_path: Path, moment: str) -> None:
    plugins = tmp_path / "bin"
    plugins.mkdir()
    entry = plugins / "kubectl-berth"
    entry.write_text(f'#!/bin/sh\nexec {sys.executable} -m kubectl_berth "$@"\n')
    entry.chmod(0o755)
    kubectl = Path(sys.executable).parent / "kubectl"
    env["PATH"] = f"{plugins}{os.pathsep}{kubectl.parent}{os.pathsep}/usr/bin{os.pathsep}/bin"
    with FakeOllama(obeying("web-0 crashes.")) as fake:
        env["OLLAMA_HOST"] = fake.url
        command = [str(kubectl), "berth", "ask", "hi there", "-n", "shop", "--snapshot", moment]
        ended = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "web-0 crashes.\n")
    failed = subprocess.run([str(kubectl), "berth", "nosuch"], env=env, capture_output=True, text=True, check=False)
    assert failed.returncode == 2


def test_an_answer_that_nobody_can_read_is_no_success(env: dict[str, str], moment: str) -> None:
    line = f"{sys.executable} -m kubectl_berth ask why --engine rules -q --snapshot {moment}"
    assert subprocess.run(f"{line} >&-", shell=True, env=env, check=False).returncode == 141
    assert subprocess.run(f"{line} -o json >&-", shell=True, env=env, check=False).returncode == 141


def test_ctrl_c_while_modules_are_imported_is_quiet(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "early").mkdir()
    (tmp_path / "early" / "click.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(5)\n"
    )
    env["PYTHONPATH"] = f"{tmp_path / 'early'}{os.pathsep}{env['PYTHONPATH']}"
    ended = start("scenario", "list", env=env)
    out, err = ended.communicate(timeout=30)
    assert (ended.returncode, out, err) == (130, b"", b"")


def test_a_traceback_passes_redaction(env: dict[str, str], moment: str) -> None:
    secret = "hunter2" + "hunter2"
    with FakeOllama([Status(400, json.dumps({"error": f"no access with password={secret}"}))]) as fake:
        env |= {"OLLAMA_HOST": fake.url, "BERTH_DEBUG": "1"}
        ended = berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", "--model", MODEL, env=env)
    assert ended.status == 4
    assert "Traceback" in ended.err and "password=[REDACTED" in ended.err and secret not in ended.err


def test_the_answer_is_given_where_the_words_beside_it_cannot_be(env: dict[str, str], moment: str) -> None:
    command = [*COMMAND, "ask", "why?", "--snapshot", moment, "--engine", "rules"]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=full, text=True, check=False)
    assert ended.returncode == 0
    assert "web-0" in ended.stdout


def test_a_closed_stdin_is_an_empty_one(env: dict[str, str], moment: str) -> None:
    line = " ".join([*COMMAND, "ask", "-", "--engine", "rules", "--snapshot", moment])
    ended = subprocess.run(f"{line} <&-", shell=True, env=env, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "error: standard input holds no question\n")


@pytest.mark.parametrize("group", ["runs", "scenario", "memory", "eval", "config", "snapshot"])
def test_a_group_alone_prints_its_help(group: str, env: dict[str, str]) -> None:
    ended = berth(group, env=env)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == berth(group, "--help", env=env).out


def test_help_is_a_command_too(env: dict[str, str]) -> None:
    assert berth("help", env=env).out == berth("--help", env=env).out
    assert berth("help", "ask", env=env).out == berth("ask", "--help", env=env).out


def test_a_flag_before_the_command_is_told_where_it_goes(env: dict[str, str]) -> None:
    ended = berth("-n", "shop", "check", env=env)
    assert (ended.status, ended.out) == (2, "")
    assert "-n" in ended.err and "behind it" in ended.err


def test_sigterm_ends_every_command_like_ctrl_c(env: dict[str, str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        config = tmp_path / "kubeconfig"
        config.write_text(
            "current-context: mute\ncontexts: [{name: mute, context: {cluster: mute}}]\n"
            f"clusters: [{{name: mute, cluster: {{server: 'http://127.0.0.1:{mute.getsockname()[1]}'}}}}]\n"
        )
        for command in ("check", "doctor", "rbac --custom"):
            running = start(*command.split(), "--kubeconfig", str(config), env=env)
            connection, _ = mute.accept()
            with connection:
                running.send_signal(signal.SIGTERM)
                _, err = running.communicate(timeout=30)
            assert running.returncode == 130, command
            assert err.startswith(b"error: interrupted") and err.count(b"\n") == 1
