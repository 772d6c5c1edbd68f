"""The text of a turn on a real pseudo-terminal: rendered, taken back, resized, longer than the screen, hostile."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

import pytest

from kubectl_berth.output.markdown import blocks, plain, rendered
from kubectl_berth.output.turn import Turn
from tests.process import screen_of


@dataclass
class Screen:
    """A pseudo-terminal and what it was sent."""

    stream: TextIO
    reader: int
    received: str = ""

    def resize(self, columns: int, lines: int = 24) -> None:
        fcntl.ioctl(self.stream.fileno(), termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self) -> str:
        self.stream.flush()
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self.reader, 65536):
                self.received += piece.decode()
        return self.received


@pytest.fixture
def screen() -> Iterator[Screen]:
    reader, writer = pty.openpty()
    os.set_blocking(reader, False)
    with os.fdopen(writer, "w", encoding="utf-8") as stream:
        made = Screen(stream, reader)
        made.resize(80)
        yield made
    os.close(reader)


def streamed(screen: Screen, text: str, size: int = 7) -> Turn:
    turn = Turn(screen.stream)
    for start in range(0, len(text), size):
        turn.add(text[start : start + size])
        screen.read()
    return turn


ANSWER = "**web** crashes.\n\n- one\n- two\n\n```\nfirst\n\nsecond\n```\n\n1. a\n\n   more of a\n\n2. b\n\nend"


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_however_it_is_cut_the_screen_ends_the_same(size: int, screen: Screen) -> None:
    streamed(screen, ANSWER, size).finish(ANSWER)
    assert [line for line in screen_of(screen.read()) if line] == [
        "web crashes.",
        " • one",
        " • two",
        "first",
        "second",
        " 1 a",
        "   more of a",
        " 2 b",
        "end",
    ]


@pytest.mark.parametrize("columns", [20, 80, 200])
def test_all_of_it_can_be_taken_back(columns: int, screen: Screen) -> None:
    screen.resize(columns)
    screen.stream.write("before\n")
    turn = streamed(screen, ANSWER + " and a last line that is as long as to be wrapped on a narrow screen")
    assert turn.take_back()
    assert [line for line in screen_of(screen.read(), columns) if line] == ["before"]


def test_after_a_resize_the_rows_are_those_of_the_new_width(screen: Screen) -> None:
    turn = streamed(screen, "word " * 19 + "end ")
    # 99 columns: two rows of 80, three of 40, one of 200
    screen.resize(40)
    assert turn.take_back()
    assert screen.read().endswith("\r\x1b[2A\x1b[J")
    turn = streamed(screen, "word " * 19 + "end ")
    screen.resize(200)
    assert turn.take_back()
    assert screen.read().endswith("\r\x1b[J")


def test_what_was_appended_in_the_end_is_shown(screen: Screen) -> None:
    streamed(screen, "web crashes.").finish("web crashes.\n\n[The answer was cut off here: limit.]")
    assert [line for line in screen_of(screen.read()) if line] == [
        "web crashes.",
        "[The answer was cut off here: limit.]",
    ]
    again = screen.read()
    streamed(screen, "one thing.\n\nand more").finish("quite another")
    assert [line for line in screen_of(screen.read()[len(again) :]) if line] == ["quite another"]


@pytest.mark.parametrize("shape", ["line {}", "- item {}", "{}\n", "| {} | x |"])
def test_longer_than_the_screen_everything_is_there_once(shape: str, screen: Screen) -> None:
    screen.resize(80, 10)
    text = "\n".join(shape.format(f"<{number}>") for number in range(60)).strip()
    streamed(screen, text, 13).finish(text)
    # the screen of the test never scrolls away: what was taken back and what stayed is counted in what it ends with
    shown = " ".join(screen_of(screen.read()))
    assert all(shown.count(f"<{number}>") == 1 for number in range(60))


HOSTILE = [
    ">" * 10_000,
    "- " * 5_000 + "x",
    "*" * 20_000,
    "`" * 20_000,
    "[" * 20_000 + "](" * 5_000,
    "|" + " a |" * 5_000 + "\n|" + "-|" * 5_000 + "\n|" + " b |" * 5_000,
    "x" * 1_000_000,
    "```\n" * 3_000,
    "<b>" * 10_000,
    "[/foo] [bold]x [link=https://a]y",
    "&#27;[31m &#x9b;2J",
    "a\n" * 5_000,
    "1. " * 3_000,
    "\\" * 20_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_answer_is_rendered_or_shown_as_it_is(text: str) -> None:
    began = time.process_time()
    done, rest = blocks(text.split("\n"))
    shown = "\n".join(rendered(block, 80) for block in [*done, "\n".join(rest)] if block)
    assert time.process_time() - began < 3
    assert "\x1b" not in plain(shown) and "\x9b" not in shown
    assert "\x1b]" not in shown
