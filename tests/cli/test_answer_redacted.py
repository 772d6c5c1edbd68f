"""What a model says passes redaction wherever it is shown: as it streams, at the end, in every document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kubectl_berth.output.markdown import plain
from tests.fakes.ollama import FakeOllama, reply
from tests.process import berth, on_terminal, snapshot, surroundings

SECRETS = ("AKIA" + "Q7ZX2M4N6P8R3T5W", "hunter2-Swordfish", "pw" + "123456", "xK8-own-key-of-berth")
ANSWER = (
    f"web-0 in shop crashes. Its log holds {SECRETS[0]} and says that the password is {SECRETS[1]} today.\n\n"
    f"It connects to postgres://u:{SECRETS[2]}@h/d and `{SECRETS[0]}` with {SECRETS[3]} and stops."
)
CALL = ("list_pods", {"namespace": "shop"})


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path, TERM="xterm-256color", OLLAMA_API_KEY=SECRETS[3])


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "moment"))


def said(*flags: str, env: dict[str, str], moment: str, terminal: bool = False) -> str:
    """All that comes out, of a run whose narration and notes hold the secrets too."""
    script = [reply(ANSWER, calls=[CALL], thinking=ANSWER), reply(ANSWER, thinking=ANSWER)]
    with FakeOllama(script) as fake:
        arguments = ["ask", "why?", "--snapshot", moment, "--engine", "ollama", *flags]
        there = {**env, "OLLAMA_HOST": fake.url}
        ended = on_terminal(arguments, there) if terminal else berth(*arguments, env=there)
    assert ended.status == 0
    return plain(ended.out) + ended.err


@pytest.mark.parametrize("output", ["text", "json", "jsonl"])
def test_no_secret_of_an_answer_gets_into_a_pipe(output: str, env: dict[str, str], moment: str) -> None:
    shown = said("-o", output, "--save", f"{moment}.run", env=env, moment=moment)
    assert not [secret for secret in SECRETS if secret in shown]
    assert "web-0 in shop crashes. Its log holds [REDACTED" in shown
    if output == "jsonl":
        events = [json.loads(line) for line in shown.splitlines() if line.startswith("{")]
        texts = [event["text"] for event in events if event["type"] == "text"]
        # still a stream: several pieces for each of two turns, which together are the whole
        assert len(texts) > 4
        assert "".join(texts) == 2 * events[-1]["answer"]
        assert events[-1]["not_in_evidence"] == []


def test_no_secret_of_an_answer_streams_to_a_terminal(env: dict[str, str], moment: str) -> None:
    shown = said(env=env, moment=moment, terminal=True)
    assert not [secret for secret in SECRETS if secret in shown]
    assert "the password is [REDACTED" in " ".join(shown.split())


def test_a_run_that_somebody_else_wrote_is_redacted_when_it_is_played(
    env: dict[str, str], moment: str, tmp_path: Path
) -> None:
    file = tmp_path / "run.json"
    said("--save", str(file), env=env, moment=moment)
    content = json.loads(file.read_text())
    content["result"]["answer"] = ANSWER
    for event in content["events"]:
        if event["type"] == "text":
            event["text"] = ANSWER
    file.write_text(json.dumps(content))
    for output in ("text", "jsonl"):
        ended = berth("replay", str(file), "-o", output, env=env)
        assert ended.status == 0
        assert not [secret for secret in SECRETS if secret in ended.out + ended.err]
