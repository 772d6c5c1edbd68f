"""Secrets on the way of a question: the person's, the cluster's, and the keys of the process itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fakes import ollama
from tests.process import Ended, berth, surroundings
from tests.tools.objects import event, shop, write

FAKE = "hunter2" + "fake"
POD = "api-6b8f7c9d44-q7zkd"
LOG = f"shop/{POD}/app.previous.log"
CALLS = [("get_logs", {"name": "api", "namespace": "shop"}), ("get_events", {"namespace": "shop"})]
KEYS = {
    name: f"zq{number}vw" + "-plain-looking-words"
    for number, name in enumerate(
        ("ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "SOME_PASSWORD")
    )
}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path, AI_DATA_DIR=str(tmp_path / "data"))


def ask(
    env: dict[str, str],
    moment: str,
    question: str,
    answer: str,
    *calls: tuple[str, dict[str, Any]],
    output: str = "json",
) -> tuple[Ended, str]:
    """How the run ended, and all that the model was sent."""
    with ollama.FakeOllama(ollama.obeying(answer, *calls)) as fake:
        there = env | {"OLLAMA_HOST": fake.url, "OLLAMA_MODEL": ollama.MODEL}
        flags = ["--snapshot", moment, "--engine", "ollama", "-o", output, "--trace", "full", "--show-data"]
        ended = berth("ask", question, *flags, env=there)
        return ended, json.dumps([request.body for request in fake.requests], ensure_ascii=False)


def written(directory: Path) -> str:
    """All that the run left on disk."""
    files = [path for path in directory.rglob("*") if path.is_file()]
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)


@pytest.mark.parametrize("output", ["json", "jsonl", "text"])
def test_d22_the_keys_of_the_process_are_in_no_output(tmp_path: Path, env: dict[str, str], output: str) -> None:
    every = " ".join(KEYS.values())
    objects = [*shop(), event(shop()[6], "Note", f"said {every}")]
    moment = str(write(tmp_path / "moment", objects, {LOG: f"starting {every}\nFATAL\n"}))
    ended, sent = ask(
        env | KEYS, moment, f"why? {KEYS['SOME_PASSWORD']}", f"Because of {every}.", *CALLS, output=output
    )
    assert ended.status == 0
    for name, key in KEYS.items():
        assert key not in sent, name
        assert key not in ended.out + ended.err, name
        assert key not in written(tmp_path / "data"), name
    assert "[REDACTED:own-key]" in sent and "[REDACTED:own-key]" in ended.out


def test_d22_nor_in_an_error_or_a_traceback(tmp_path: Path, env: dict[str, str]) -> None:
    key = KEYS["ANTHROPIC_API_KEY"]
    broken = tmp_path / key
    broken.mkdir()
    (broken / "snapshot.yaml").write_text("kind: [")
    ended = berth("ask", "why?", "--snapshot", str(broken), "--engine", "rules", env=env | KEYS | {"BERTH_DEBUG": "1"})
    assert ended.status != 0 and ended.err
    assert key not in ended.err + ended.out


def test_d23_a_secret_in_the_question_goes_no_further(tmp_path: Path, env: dict[str, str]) -> None:
    moment = str(write(tmp_path / "moment", shop(), {}))
    ended, sent = ask(env, moment, f"why does api crash with password={FAKE}?", "It has no database.", CALLS[1])
    assert ended.status == 0
    assert FAKE not in sent and "why does api crash with password=[REDACTED:value]" in sent
    assert FAKE not in written(tmp_path / "data")
    assert "the question holds what looks like a secret" in ended.err
    assert FAKE not in json.loads(ended.out)["question"]


def test_d21_what_the_api_server_says_is_redacted_everywhere(tmp_path: Path, env: dict[str, str]) -> None:
    message = f'admission webhook "x" denied: Post "http://10.0.0.1/x?password={FAKE}&user=bob": refused'
    directory = write(tmp_path / "moment", shop(), {LOG: "x\n"})
    about = yaml.safe_load((directory / "snapshot.yaml").read_text())
    about["unavailable"] = [
        {"resource": "events", "status": 503, "message": message},
        {"resource": "pods/log", "status": 403, "message": message},
    ]
    (directory / "snapshot.yaml").write_text(yaml.safe_dump(about))
    ended, sent = ask(env, str(directory), "why?", "It has no database.", *CALLS)
    assert ended.status == 0 and "user=bob" in sent + ended.out
    for text in (sent, ended.out, ended.err, written(tmp_path / "data")):
        assert FAKE not in text


@pytest.mark.parametrize("engine", ["rules", "ollama"])
def test_d11_a_secret_in_an_event_is_not_shown(tmp_path: Path, env: dict[str, str], engine: str) -> None:
    objects = shop()
    sick = next(thing for thing in objects if thing["metadata"]["name"] == POD)
    moment = str(
        write(tmp_path / "moment", [*objects, event(sick, "Failed", f"login as bob password={FAKE} failed")], {})
    )
    if engine == "ollama":
        ended, sent = ask(env, moment, "why does api crash?", "It has no database.", *CALLS)
    else:
        ended, sent = (
            berth("ask", "why does api crash?", "--snapshot", moment, "--engine", "rules", "-o", "json", env=env),
            "",
        )
    assert ended.status == 0
    assert FAKE not in sent + ended.out + ended.err
