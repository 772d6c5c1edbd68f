"""The one question: whether logs and descriptions may go to an engine that is not on this machine."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import anthropic
from tests.process import COMMAND, Ended, berth, surroundings
from tests.tools.objects import shop, write

ANSWER = "api crashes: DATABASE_URL is not set."
LOGS = {"shop/api-6b8f7c9d44-q7zkd/app.previous.log": "FATAL no DATABASE_URL\n"}
QUESTION = b"[a]lways to this host: "
LOG_CALL = ("get_logs", {"name": "api", "namespace": "shop"})
HEALTH_CALL = ("cluster_health", {})


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path, ANTHROPIC_API_KEY="k" + "ey")


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(write(tmp_path / "moment", shop(), LOGS))


def answering(arguments: Sequence[str], env: dict[str, str], answers: Sequence[bytes], *, sent: int = 0) -> Ended:
    """One run with stdin and stderr on a terminal. Each question gets the next answer; `sent` is a signal in its place.

    `out` is stdout, `err` every byte the terminal got.
    """
    read, terminal = pty.openpty()
    run = subprocess.Popen(
        [*COMMAND, *arguments], env=env, stdin=terminal, stdout=subprocess.PIPE, stderr=terminal,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    os.close(terminal)
    assert run.stdout is not None
    received, asked = b"", 0
    until = time.monotonic() + 60
    with run.stdout as stdout:
        while time.monotonic() < until:
            if select.select([read], [], [], 0.05)[0]:
                try:
                    piece = os.read(read, 65536)
                except OSError:
                    break
                if not piece:
                    break
                received += piece
            if received.count(QUESTION) > asked:
                if sent:
                    run.send_signal(sent)
                elif asked < len(answers):
                    os.write(read, answers[asked])
                asked += 1
        out = stdout.read()
    os.close(read)
    return Ended(run.wait(30), out.decode(), received.decode())


def asked_of(fake: Any) -> list[str]:
    """The tool results that the model got."""
    return [
        json.dumps(block["content"])
        for message in fake.requests[-1].body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]


def arguments_for(moment: str, *more: str) -> list[str]:
    return ["ask", "why?", "--snapshot", moment, "--engine", "claude", *more]


@pytest.mark.parametrize(("answer", "given"), [(b"t\n", True), (b"\n", False), (b"n\n", False), (b"what\n", False)])
def test_the_person_decides_for_this_run(answer: bytes, given: bool, env: dict[str, str], moment: str) -> None:
    with anthropic.FakeAnthropic(anthropic.obeying(ANSWER, LOG_CALL, ("get_logs", {"name": "ledger-db-1"}))) as fake:
        env |= {"ANTHROPIC_BASE_URL": fake.url}
        for _ in range(2):
            ended = answering(arguments_for(moment), env, [answer])
            assert (ended.status, ended.out) == (0, ANSWER + "\n"), ended.err
            assert ended.err.encode().count(QUESTION) == 1
            assert fake.url.removeprefix("http://") in ended.err
            assert ("FATAL no DATABASE_URL" in asked_of(fake)[0]) == given
            assert ("withheld" in asked_of(fake)[0]) == (not given)


def test_an_always_is_remembered_for_that_host_and_can_be_taken_back(
    env: dict[str, str], moment: str, tmp_path: Path
) -> None:
    with anthropic.FakeAnthropic(anthropic.obeying(ANSWER, LOG_CALL)) as fake:
        env |= {"ANTHROPIC_BASE_URL": fake.url}
        first = answering(arguments_for(moment), env, [b"a\n"])
        path = tmp_path / "config" / "kubectl-berth" / "raw-diagnostics-hosts"
        assert path.read_text() == fake.url.removeprefix("http://") + "\n"
        assert str(path) in first.err.replace("\r\n", "")
        again = answering(arguments_for(moment), env, [])
        assert QUESTION.decode() not in again.err
        assert "FATAL no DATABASE_URL" in asked_of(fake)[0]
        # in a pipe too, for the person said always; but not against an explicit no
        piped = berth(*arguments_for(moment), env=env)
        assert "FATAL no DATABASE_URL" in asked_of(fake)[0]
        assert f"logs and descriptions of objects are sent there too, as {path} says\n" in piped.err
        berth(*arguments_for(moment, "--no-raw-diagnostics"), env=env)
        assert "withheld" in asked_of(fake)[0]
    with anthropic.FakeAnthropic(anthropic.obeying(ANSWER, LOG_CALL)) as other:
        ended = answering(arguments_for(moment), env | {"ANTHROPIC_BASE_URL": other.url}, [b"\n"])
        assert ended.err.encode().count(QUESTION) == 1
        path.unlink()
        assert answering(arguments_for(moment), env | {"ANTHROPIC_BASE_URL": other.url}, [b"\n"]).err.count("[a]l") == 1


@pytest.mark.parametrize("calls", [[HEALTH_CALL], []])
def test_never_asked_where_nothing_raw_is_needed(calls: list[Any], env: dict[str, str], moment: str) -> None:
    with anthropic.FakeAnthropic(anthropic.obeying(ANSWER, *calls)) as fake:
        ended = answering(arguments_for(moment), env | {"ANTHROPIC_BASE_URL": fake.url}, [])
    assert (ended.status, ended.out) == (0, ANSWER + "\n")
    assert QUESTION.decode() not in ended.err


@pytest.mark.parametrize("flag", ["--allow-raw-diagnostics", "--no-raw-diagnostics"])
def test_never_asked_where_a_setting_says_it(flag: str, env: dict[str, str], moment: str) -> None:
    with anthropic.FakeAnthropic(anthropic.obeying(ANSWER, LOG_CALL)) as fake:
        ended = answering(arguments_for(moment, flag), env | {"ANTHROPIC_BASE_URL": fake.url}, [])
    assert (ended.status, ended.out) == (0, ANSWER + "\n")
    assert QUESTION.decode() not in ended.err


def test_never_asked_in_a_pipe(env: dict[str, str], moment: str) -> None:
    with anthropic.FakeAnthropic(anthropic.obeying(ANSWER, LOG_CALL)) as fake:
        env |= {"ANTHROPIC_BASE_URL": fake.url}
        for given in (None, "t\n"):
            ended = berth(*arguments_for(moment), env=env, given=given)
            assert (ended.status, ended.out) == (0, ANSWER + "\n")
            assert QUESTION.decode() not in ended.err
            assert "withheld" in asked_of(fake)[0]


def test_ctrl_c_ends_the_question(env: dict[str, str], moment: str) -> None:
    with anthropic.FakeAnthropic(anthropic.obeying(ANSWER, LOG_CALL)) as fake:
        ended = answering(arguments_for(moment), env | {"ANTHROPIC_BASE_URL": fake.url}, [], sent=signal.SIGINT)
    assert (ended.status, ended.out) == (130, "")


def test_the_deadline_ends_the_question(env: dict[str, str], moment: str) -> None:
    with anthropic.FakeAnthropic(anthropic.obeying(ANSWER, LOG_CALL)) as fake:
        env |= {"ANTHROPIC_BASE_URL": fake.url}
        ended = answering(arguments_for(moment, "--timeout", "4"), env, [])
    assert (ended.status, ended.out) == (7, "")


@pytest.mark.parametrize("kind", ["log", "description"])
def test_the_gap_of_what_was_withheld_is_named(kind: str, env: dict[str, str], moment: str) -> None:
    describe = ("describe_resource", {"kind": "Deployment", "name": "api", "namespace": "shop"})
    with anthropic.FakeAnthropic(anthropic.obeying(ANSWER, LOG_CALL if kind == "log" else describe)) as fake:
        ended = berth(*arguments_for(moment, "-o", "json"), env=env | {"ANTHROPIC_BASE_URL": fake.url})
    (gap,) = [gap for gap in json.loads(ended.out)["gaps"] if gap["why"] == "withheld"]
    assert gap["what"].split(" ")[0] == kind
    assert "AI_ALLOW_RAW_DIAGNOSTICS=true" in gap["detail"] and "kubectl " in gap["detail"]
    assert "DATABASE_URL" not in json.dumps([request.body for request in fake.requests])
