"""Every run is recorded, and can be listed, shown, played again, gone on from and deleted."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.knowledge.run_files import KEPT, RunFiles, new_id
from tests.fakes import anthropic
from tests.fakes.ollama import FakeOllama, Reply, reply
from tests.process import COMMAND, Ended, berth, on_terminal, snapshot, surroundings

CALL = ("list_pods", {"namespace": "shop"})
ANSWER = "shop/web-0 crashes with exit code 3. It restarted 7 times, and 90 times before."


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path, AI_DATA_DIR=str(tmp_path / "data"))


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "moment"))


def script() -> list[Reply]:
    return [reply("Let me see.", calls=[CALL]), reply(ANSWER)]


def asked(env: dict[str, str], moment: str, *flags: str, words: str = "why?", steps: object = None) -> Ended:
    with FakeOllama(steps or script()) as fake:  # type: ignore[arg-type]
        ended = berth(
            "ask", words, "--snapshot", moment, "--engine", "ollama", *flags, env=env | {"OLLAMA_HOST": fake.url}
        )
    return ended


def records(env: dict[str, str]) -> list[Path]:
    return sorted((Path(env["AI_DATA_DIR"]) / "runs").glob("*.json"))


def test_a_run_is_recorded_for_its_owner_alone(env: dict[str, str], moment: str) -> None:
    ended = asked(env, moment)
    assert (ended.status, ended.out) == (0, ANSWER + "\n")
    (kept,) = records(env)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    content = json.loads(kept.read_text())
    kinds = [event["type"] for event in content["events"]]
    assert kinds[0] == "run" and kinds[-1] == "finished"
    assert kinds.count("model_call") == 2 and kinds.count("tool_result") == 1 and "sent" in kinds
    told = next(event for event in content["events"] if event["type"] == "tool_result")["result"]["text"]
    assert "shop/web-0" in told and "<<<cluster-data" in told
    assert content["settings"]["values"]["num_ctx"] == 16384
    assert "Brief." in content["told"][0]
    assert content["result"]["answer"] == ANSWER
    assert [call["model_calls"] for call in content["calls"]] == [1, 1]


def test_no_secret_and_no_key_is_recorded(env: dict[str, str], moment: str) -> None:
    secret = "hunter2" + "hunter2"
    key = "k" + "ey-of-the-person-4242"
    words = f"why does it fail with postgres://admin:{secret}@db.shop.svc:5432/x"
    steps = [reply(f"It says password={secret} there.")]
    env |= {
        "ANTHROPIC_API_KEY": key,
        "ANTHROPIC_BASE_URL": f"http://someone:{secret}@127.0.0.1:9",
        "OLLAMA_API_KEY": key,
    }
    asked(env, moment, words=words, steps=steps)
    (kept,) = records(env)
    content = kept.read_text()
    assert secret not in content and key not in content
    assert "db.shop.svc:5432" in content


@pytest.mark.parametrize("how", ["flag", "setting"])
def test_a_run_can_be_left_out(how: str, env: dict[str, str], moment: str) -> None:
    if how == "setting":
        directory = Path(env["XDG_CONFIG_HOME"]) / "kubectl-berth"
        directory.mkdir(parents=True)
        (directory / "settings.yaml").write_text("record: false\n")
    ended = asked(env, moment, *(["--no-record"] if how == "flag" else []))
    assert ended.status == 0
    assert records(env) == []
    assert "no run is kept" in berth("runs", "list", env=env).err


def test_replay_gives_the_same_answer_trace_and_document(env: dict[str, str], moment: str, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    first = asked(env, moment, "--save", str(saved), "-o", "json")
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    # neither the cluster nor the model is there any more
    (tmp_path / "moment" / "snapshot.yaml").unlink()
    again = berth("replay", str(saved), "-o", "json", env=surroundings(tmp_path / "elsewhere"))
    assert again.status == 0
    found, before = json.loads(again.out), json.loads(first.out)
    assert found == before
    # 90 stands nowhere; it was looked up anew
    assert found["not_in_evidence"] == ["90"]
    text = berth("replay", str(saved), env=env)
    assert (text.status, text.out) == (0, ANSWER + "\n")
    assert "list_pods namespace=shop" in text.err and "nothing is asked of a model or a cluster" in text.err
    assert "goes to" not in text.err
    lines = [json.loads(line) for line in berth("replay", str(saved), "-o", "jsonl", env=env).out.splitlines()]
    assert lines[0]["type"] == "run" and lines[-1]["type"] == "result"
    shown = berth("replay", str(saved), "--show-data", env=env)
    assert "You are berth" in shown.err


def test_a_record_is_written_through_links_and_into_pipes(env: dict[str, str], moment: str, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("target")
    assert asked(env, moment, "--save", str(link)).status == 0
    assert link.is_symlink() and (tmp_path / "target").is_file()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    assert asked(env, moment, "--save", str(pipe)).status == 0
    assert json.loads(reader.communicate(timeout=20)[0])["schema"].startswith("berth.dev/")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_replay_works_out_cost_and_evidence_anew(env: dict[str, str], moment: str, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    used = {"input_tokens": 1_000_000, "output_tokens": 100_000, "cache_read_input_tokens": 0}
    with anthropic.FakeAnthropic([anthropic.reply("shop/web-0 crashes.", usage=used)]) as fake:
        claude = env | {"ANTHROPIC_API_KEY": "any" + "thing", "ANTHROPIC_BASE_URL": fake.url}
        berth("ask", "why?", "--snapshot", moment, "--engine", "claude", "--save", str(saved), "-o", "json", env=claude)
    # Sonnet 5.5: $2 a million in, $10 out
    assert json.loads(berth("replay", str(saved), "-o", "json", env=env).out)["cost"]["usd"] == 3.0
    own = env | {"AI_PRICE_IN_PER_MTOK": "7", "AI_PRICE_OUT_PER_MTOK": "20"}
    assert json.loads(berth("replay", str(saved), "-o", "json", env=own).out)["cost"]["usd"] == 9.0
    content = json.loads(saved.read_text())
    content["result"]["answer"] = "shop/web-0 crashes with exit code 77."
    content["result"]["not_in_evidence"] = []
    saved.write_text(json.dumps(content))
    assert json.loads(berth("replay", str(saved), "-o", "json", env=env).out)["not_in_evidence"] == ["77"]


def test_a_run_without_an_answer_is_recorded_and_replayed_with_its_status(env: dict[str, str], moment: str) -> None:
    ended = asked(env, moment, "-o", "json", steps=[reply("Let me try getting the latest logs instead.")])
    assert ended.status == 4
    again = berth("replay", records(env)[0].stem, "-o", "json", env=env)
    assert (again.status, json.loads(again.out)) == (4, json.loads(ended.out))


def test_list_show_and_purge(env: dict[str, str], moment: str) -> None:
    asked(env, moment, words="why does web crash?")
    asked(env, moment, words="and is the rest well?")
    listed = berth("runs", "list", env=env).out.splitlines()
    assert ["rest" in line for line in listed] == [True, False]
    heads = json.loads(berth("runs", "list", "-o", "json", env=env).out)["runs"]
    assert [head["question"] for head in heads] == ["and is the rest well?", "why does web crash?"]
    assert {head["outcome"] for head in heads} == {"answered"}
    last = berth("runs", "show", env=env)
    assert "and is the rest well?" in last.out and ANSWER in last.out and "list_pods namespace=shop" in last.out
    assert "why does web crash?" in berth("runs", "show", heads[1]["id"], env=env).out
    assert json.loads(berth("runs", "show", "-o", "json", env=env).out)["schema"] == "berth.dev/v1/run"
    assert berth("runs", "show", "never", env=env).status == 2
    alone = berth("runs", "purge", env=env)
    assert (alone.status, alone.err) == (
        2,
        "error: runs purge deletes every kept run: give --yes where nobody can be asked\n",
    )
    assert len(records(env)) == 2
    assert "nothing was deleted" in on_terminal(["runs", "purge"], env, types="n\n").out
    assert len(records(env)) == 2
    assert berth("runs", "purge", "--yes", env=env).err == "2 runs deleted\n"
    assert records(env) == []


def test_going_on_from_the_last_run_of_this_cluster(env: dict[str, str], moment: str, tmp_path: Path) -> None:
    asked(env, moment, words="why does web crash?")
    other = str(snapshot(tmp_path / "other"))
    asked(env, other, words="what of the other?", steps=[reply("The other one is well.")])
    with FakeOllama([reply("It will.")]) as fake:
        pointed = env | {"OLLAMA_HOST": fake.url}
        ended = berth("ask", "--continue", "and will it fit?", "--snapshot", moment, "--engine", "ollama", env=pointed)
        sent = fake.requests[0].body["messages"]
    assert ended.status == 0
    assert [message["content"] for message in sent[1:3]] == ["why does web crash?", ANSWER]
    assert sent[3]["content"].endswith("Question: and will it fit?")
    with FakeOllama([reply("Yes.")]) as fake:
        pointed = env | {"OLLAMA_HOST": fake.url}
        berth("ask", "--continue", "sure?", "--snapshot", moment, "--engine", "ollama", env=pointed)
        assert [m["content"] for m in fake.requests[0].body["messages"][3:5]] == ["and will it fit?", "It will."]
    third = str(snapshot(tmp_path / "third"))
    nothing = berth("ask", "--continue", "sure?", "--snapshot", third, "--engine", "rules", env=env)
    assert nothing.status == 2 and "no run of this cluster is recorded" in nothing.err


def test_a_home_that_cannot_be_written_costs_one_warning(env: dict[str, str], moment: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    env["AI_DATA_DIR"] = str(tmp_path / "file" / "data")
    ended = asked(env, moment)
    assert (ended.status, ended.out) == (0, ANSWER + "\n")
    assert ended.err.count("was not recorded") == 1
    assert sum("cannot be" in line for line in ended.err.splitlines()) == 1
    assert berth("runs", "list", env=env).status in (0, 1)


def test_files_that_are_no_runs(env: dict[str, str], moment: str, tmp_path: Path) -> None:
    for name, content in (("a.json", "{"), ("b.json", '{"schema": "else"}'), ("c.json", "[]"), ("d.json", "")):
        (tmp_path / name).write_text(content)
        ended = berth("replay", str(tmp_path / name), env=env)
        assert ended.status == 2 and "holds no recorded run" in ended.err, name
    assert berth("replay", str(tmp_path), env=env).status == 2
    asked(env, moment)
    records(env)[0].write_text("{}")
    listed = berth("runs", "list", env=env)
    assert listed.status == 0 and "left out: run" in listed.err
    where = str(tmp_path / "missing" / "run.json")
    assert berth("ask", "why?", "--snapshot", moment, "--engine", "rules", "--save", where, env=env).status == 2


def test_the_last_fifty_are_kept(tmp_path: Path) -> None:
    files = RunFiles(tmp_path / "runs")
    ids = [new_id(1_800_000_000 + number) for number in range(KEPT + 3)]
    for id in ids:
        files.write(id, b"{}")
    assert files.ids() == sorted(ids, reverse=True)[:50]
    (tmp_path / "runs" / "notes.txt").write_text("mine")
    assert files.purge() == 50
    assert (tmp_path / "runs" / "notes.txt").exists()


@pytest.mark.parametrize("flags", [("-q",), (), ("-q", "-o", "json")])
def test_a_file_that_was_asked_for_and_cannot_be_written(
    flags: tuple[str, ...], env: dict[str, str], moment: str
) -> None:
    """The answer comes first; that the file is not there is an error, silence asked for or not."""
    target = Path(env["HOME"]) / "saved.json"
    asked = ["ask", "why?", "--snapshot", moment, "--engine", "rules", "--no-record", "--save", str(target), *flags]
    # no file may grow beyond one block
    words = ["bash", "-c", 'ulimit -f 1; exec "$@"', "bash", *COMMAND, *asked]
    whole = {**env, "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(words, env=whole, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "web-0" in ended.stdout
    line = f"error: --save {target} cannot be written: File too large; the run is not in it\n"
    assert ended.stderr.endswith(line)
    assert ended.stderr == line or "-q" not in flags
    assert not target.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda run: run.update(events=[7]),
        lambda run: run.update(events=7),
        lambda run: run.update(events=[{"at": 0}]),
        lambda run: run.update(events=[{"at": "x", "type": "text"}]),
        lambda run: run.pop("result"),
        lambda run: run.update(schema="other/v1"),
    ],
)
def test_what_is_no_recorded_run_is_said_in_one_line(
    change: Callable[[dict[str, Any]], object], env: dict[str, str], moment: str, tmp_path: Path
) -> None:
    file = tmp_path / "run.json"
    asked(env, moment, "--save", str(file))
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))
    ended = berth("replay", str(file), env=env)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert ended.err.startswith(f"error: {file} holds no recorded run")
    assert "object" not in ended.err and "'int'" not in ended.err
