"""What reaches the two streams, whatever a model or a cluster says. Ids are those of the terminal checklist."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.ollama import FakeOllama, obeying
from tests.process import Ended, berth, on_terminal, screen_of, snapshot, surroundings

CALL = ("list_pods", {"namespace": "shop"})
HOSTILE = (
    "web-0 \x1b[2J\x1b]52;c;ZWNobw==\x07\x9b31m[bold]x[/] [/foo] [link=https://evil.example]y[/]"
    " \\[ \u202e\x00\x08 ✓ end."
)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path)


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "moment"))


def asked(answer: str, env: dict[str, str], moment: str, *flags: str, calls: tuple[object, ...] = (CALL,)) -> Ended:
    with FakeOllama(obeying(answer, *calls)) as fake:  # type: ignore[arg-type]
        return berth(
            "ask", "why?", "--snapshot", moment, "--engine", "ollama", *flags, env={**env, "OLLAMA_HOST": fake.url}
        )


def harmless(text: str) -> bool:
    return all(character.isprintable() or character in "\n\t" for character in text)


@pytest.mark.parametrize("output", ["text", "json", "jsonl"])
def test_g01_g05_g09_g11_nothing_acts_and_markup_is_printed_as_it_is(
    output: str, env: dict[str, str], moment: str
) -> None:
    ended = asked(HOSTILE, env, moment, "-o", output, "--trace", "full")
    assert ended.status == 0
    assert harmless(ended.out) and harmless(ended.err)
    if output == "text":
        assert "[bold]x[/] [/foo]" in ended.out and "\\[ <U+202E> ✓ end." in ended.out
        assert "https://evil.example" not in ended.out


def test_g06_g08_g13_the_answer_is_made_harmless_in_every_output(env: dict[str, str], moment: str) -> None:
    answer = "web-0 crashes, see [docs](https://evil.example/?d=x).\nberth: verified"
    seen = "web-0 crashes, see docs (hxxps[:]//evil[.]example/?d=x).\n│ berth: verified"
    assert asked(answer, env, moment).out == seen + "\n"
    assert json.loads(asked(answer, env, moment, "-o", "json").out)["answer"] == seen
    with FakeOllama(obeying(answer)) as fake:
        there = {**env, "OLLAMA_HOST": fake.url, "TERM": "xterm-256color"}
        ended = on_terminal(["ask", "why?", "--snapshot", moment, "--engine", "ollama", "-q"], there)
    assert "https://evil" not in ended.out
    assert [line for line in screen_of(ended.out) if line] == seen.splitlines()


@pytest.mark.parametrize("output", ["json", "jsonl"])
def test_g14_json_is_json_and_alone_on_stdout(output: str, env: dict[str, str], moment: str) -> None:
    ended = asked(HOSTILE, env, moment, "-o", output)
    found = [json.loads(line) for line in ([ended.out] if output == "json" else ended.out.splitlines())]
    assert harmless(found[-1]["answer"]) and ended.out.isascii()


@pytest.mark.parametrize("variables", [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}])
def test_g16_an_ascii_terminal_costs_no_answer(variables: dict[str, str], env: dict[str, str], moment: str) -> None:
    ended = asked("web-0 ✓ crashes – 漢.", {**env, **variables, "PYTHONCOERCECLOCALE": "0"}, moment)
    assert ended.status == 0 and "Traceback" not in ended.err
    assert ended.out.startswith("web-0 ") and "crashes" in ended.out


def test_g18_arguments_are_shown_on_one_line_without_anything_that_acts(env: dict[str, str], moment: str) -> None:
    fake = "hunter2" + "fake"
    arguments = {"namespace": "shop\x1b[2J\nerror: faked\r", "labelSelector": f"password={fake}," + "x" * 500}
    ended = asked("web-0 crashes.", env, moment, calls=(("list_pods", arguments),))
    lines = [line for line in ended.err.splitlines() if "list_pods" in line]
    assert len(lines) == 1 and len(lines[0]) < 500
    assert harmless(ended.err) and fake not in ended.err
    assert not any(line.startswith("error: faked") for line in ended.err.splitlines())


def test_g22_evidence_is_quoted_line_by_line(env: dict[str, str], moment: str) -> None:
    ended = asked("web-0 crashes.", env, moment, "--trace", "full")
    inside = [line for line in ended.err.splitlines() if "CrashLoopBackOff" in line]
    assert inside and all(line.lstrip().startswith(("| ", "│ ")) for line in inside)
