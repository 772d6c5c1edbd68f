"""What a terminal shows: text streams, narration gives way, escapes only where they are obeyed."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.output.markdown import plain
from tests.fakes.ollama import FakeOllama, obeying, reply
from tests.process import Ended, berth, on_terminal, screen_of, snapshot, surroundings

ANSWER = "web-0 in shop crashes: its last exit code was 3.\n\n- restarted 7 times\n- not ready"
CALL = ("list_pods", {"namespace": "shop"})


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path, TERM="xterm-256color")


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "moment"))


def asked(script: object, env: dict[str, str], moment: str, *flags: str, columns: int = 80, lines: int = 24) -> Ended:
    with FakeOllama(script) as fake:  # type: ignore[arg-type]
        arguments = ["ask", "why?", "--snapshot", moment, "--engine", "ollama", *flags]
        return on_terminal(arguments, {**env, "OLLAMA_HOST": fake.url}, columns=columns, lines=lines)


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_narration_gives_way_to_the_trace(columns: int, env: dict[str, str], moment: str) -> None:
    narration = "First I look at the pods of the shop, all of them, one after the other, ünïcödé and 漢字 too.\nThen"
    script = [reply(narration, calls=[CALL]), reply(ANSWER)]
    ended = asked(script, env, moment, columns=columns)
    assert ended.status == 0
    # it streamed, and what stays on the screen holds none of it
    assert "First I look" in plain(ended.out)
    shown = "\n".join(screen_of(ended.out, columns))
    assert "First I" not in shown and "Then" not in shown and "漢" not in shown
    assert shown.index("list_pods namespace=shop") < shown.index("web-0 in shop crashes")
    assert shown.count("restarted 7 times") == 1
    assert "2 model calls" in shown


def test_the_answer_streams_and_is_printed_once(env: dict[str, str], moment: str) -> None:
    ended = asked(obeying(ANSWER), env, moment, "-q")
    shown = [line for line in screen_of(ended.out) if line]
    assert shown == [line.replace("- ", " • ") for line in ANSWER.splitlines() if line]


def test_a_fragment_is_taken_back(env: dict[str, str], moment: str) -> None:
    ended = asked(obeying("Let me try getting the latest logs instead."), env, moment)
    shown = "\n".join(screen_of(ended.out))
    assert ended.status == 4
    assert "latest logs" in plain(ended.out) and "latest logs" not in shown
    assert "error: the model only said" in shown


def test_what_a_retry_withdraws_is_not_shown_twice(env: dict[str, str], moment: str) -> None:
    script = [reply("web-0 in shop crashes: its la", error="broken tool call"), reply(ANSWER)]
    ended = asked(script, env, moment)
    shown = "\n".join(screen_of(ended.out))
    assert ended.status == 0
    assert shown.count("web-0 in shop crashes") == 1
    assert "asking again" in shown and "1 retry" in shown


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": ""}, {"CI": "true"}])
def test_no_escape_byte_where_nobody_wants_one(variables: dict[str, str], env: dict[str, str], moment: str) -> None:
    ended = asked(obeying(ANSWER, CALL), env | variables, moment)
    assert ended.status == 0
    assert "\x1b" not in ended.out
    assert "Let me call" not in ended.out
    assert ended.out.replace("\r\n", "\n").count(ANSWER) == 1


def test_an_answer_longer_than_the_screen(env: dict[str, str], moment: str) -> None:
    answer = "\n".join(f"line {number}" for number in range(60))
    ended = asked(obeying(answer), env, moment, "-q", lines=10)
    assert ended.out.replace("\r\n", "\n").count("line 59\n") == 1
    assert ended.status == 0


def test_escapes_of_a_model_are_not_obeyed_while_they_stream(env: dict[str, str], moment: str) -> None:
    # the fake sends twelve characters at a time: the sequence is torn apart
    ended = asked(obeying("web-0 cras\x1b]0;owned by the pod\x07hes, exit 3."), env, moment, "-q")
    assert "owned" not in ended.out
    assert screen_of(ended.out)[0] == "web-0 crashes, exit 3."


def test_silence_and_the_three_traces(env: dict[str, str], moment: str) -> None:
    script = obeying(ANSWER, CALL)
    assert "list_pods" not in "\n".join(screen_of(asked(script, env, moment, "-q").out))
    none = asked(script, env, moment, "--trace", "none").out
    assert "namespace=shop" not in none and "2 model calls" in none
    full = "\n".join(screen_of(asked(script, env, moment, "--trace", "full").out))
    assert "    | " in full and "shop/web-0" in full and "CrashLoopBackOff" in full


MARKDOWN = """\
**shop/web-0** crashes with <code 3> [red]now[/red]:
its last exit code was 3.

## Evidence
- restarted 7 times
- image `registry.example/web:1`

| Container | Name |
|---|---|
| `web` | a-rather-long-name-6b8f7c9d44-q7zkd-that-no-column-of-a-narrow-table-holds-6b8f7c9d44-x |

```bash
kubectl set env deployment/web -n shop --containers=web MODE=slow --and-a-line-that-is-longer-than-the-screen=1
```

Done."""


@pytest.mark.parametrize("columns", [80, 200])
def test_markdown_is_rendered(columns: int, env: dict[str, str], moment: str) -> None:
    ended = asked([reply(MARKDOWN)], env, moment, "-q", columns=columns)
    shown = [line for line in screen_of(ended.out, columns) if line]
    # HTML and rich's markup are text, and the model's line ends stay
    assert shown[:4] == [
        "shop/web-0 crashes with <code 3> [red]now[/red]:",
        "its last exit code was 3.",
        "Evidence",
        " • restarted 7 times",
    ]
    assert "\x1b[1mshop/web-0\x1b[0m" in ended.out
    whole = "".join(screen_of(ended.out, columns)).replace(" ", "")
    # no name is cut off, no line of a command is broken by us
    assert "a-rather-long-name-6b8f7c9d44-q7zkd" in whole and "narrow-table-holds-6b8f7c9d44-x" in whole
    command = "MODE=slow --and-a-line-that-is-longer-than-the-screen=1\x1b[0m\r\n"
    assert command in ended.out
    assert "```" not in "".join(shown) and "**" not in "".join(shown)
    assert shown[-1] == "Done."


@pytest.mark.parametrize("variables", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX"}])
def test_a_plain_locale_gets_no_drawn_characters(variables: dict[str, str], env: dict[str, str], moment: str) -> None:
    ended = asked(obeying(ANSWER, CALL), env | variables, moment)
    assert ended.status == 0
    assert ended.out.isascii()
    assert ANSWER in "\n".join(screen_of(ended.out))


def test_the_last_lines_say_what_is_missing(env: dict[str, str], moment: str) -> None:
    ended = asked(obeying("shop/web-0 restarted 44 times and needs 12 GiB.", CALL), env, moment)
    shown = " ".join(screen_of(ended.out))
    assert "not found in what was read (it may be a proposal" in shown and "): 44, 12 GiB" in shown
    assert "2 not seen in the evidence" in shown
    assert "list_pods namespace=shop  " in shown


def test_in_a_pipe_the_answer_is_as_the_model_wrote_it(env: dict[str, str], moment: str) -> None:
    with FakeOllama([reply(MARKDOWN)]) as fake:
        ended = berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", env=env | {"OLLAMA_HOST": fake.url})
    assert ended.out == MARKDOWN + "\n"
    assert "\x1b" not in ended.out + ended.err
