"""Text shown while it comes: the same as the whole of it, and never with what the whole of it does not show."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml

from kubectl_berth.safety.gate import shown
from kubectl_berth.safety.streamed import HELD, Streamed

AWS = "AKIA" + "Q7ZX2M4N6P8R3T5W"
URL = "postgres://u:" + "pw123456" + "@h/d"
BODY = "MIIEowIBAAKCAQEAx7Qp4Zr9mT2vK8sYb3nLd6wHf1cJg5aUe0iOqWzXnBvCmAsD"
KEY = f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{BODY}\n{BODY[::-1]}\n-----END RSA {'PRIVATE'} KEY-----\n"
MANIFEST = "```yaml\napiVersion: v1\ndata:\n  stuff: " + "c3dvcmRmaXNoLTQyLXg=" + "\nkind: " + "Secret\n```\n"
SAID = {
    "a key": (f"The pod logs {AWS} and then it stops. More follows here.", AWS),
    "a password": ("The password is hunter2-Swordfish9 as the log says.\nNext line.", "hunter2"),
    "an address": (f"It connects to {URL} and fails.\n", "pw123456"),
    "a private key": (f"The log holds:\n\n{KEY}\nand nothing else.\n", BODY),
    "a short private key": (
        f"It holds:\n  -----BEGIN {'PRIVATE'} KEY-----\n  MIIEvQfakefake\n  -----END {'PRIVATE'} KEY-----\n  x: 1\n",
        "MIIEvQfakefake",
    ),
    "the end of a private key": (f"It ends: {BODY}\n-----END {'PRIVATE'} KEY-----\nDone.\n", BODY),
    "a manifest that names its kind last": (f"Here it is:\n\n{MANIFEST}\nDone.\n", "c3dvcmRmaXNoLTQyLXg="),
    "a secret at the very end": (f"it is {AWS}", AWS),
}


def pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def given(text: str, size: int) -> list[str]:
    streamed = Streamed(shown)
    return [*(streamed.add(piece) for piece in pieces(text, size)), streamed.rest()]


@pytest.mark.parametrize("size", [1, 3, 12, 500])
@pytest.mark.parametrize("name", SAID)
def test_no_piece_shows_what_the_whole_does_not(name: str, size: int) -> None:
    text, secret = SAID[name]
    whole = "".join(given(text, size))
    assert secret not in whole
    assert whole == shown(text)
    assert "[REDACTED" in whole


def test_words_come_before_their_line_ends() -> None:
    streamed = Streamed(shown)
    line = "The pod api restarts because DATABASE_URL is missing in its environment, "
    first = streamed.add(line)
    assert first == "" or line.startswith(first)
    more = first + streamed.add("and nothing in the last release of the chart sets it again ")
    assert more.startswith("The pod api restarts because DATABASE_URL is missing ")
    assert len(line) - len(more) <= HELD


def test_an_escape_sequence_in_pieces_never_comes_out() -> None:
    whole = "".join(given("before \x1b]0;a title here\x07 after \x1b[31mred\x1b[0m words\r\nand more\n", 1))
    assert whole == "before  after red words\nand more\n"


@pytest.mark.parametrize(
    "text",
    ["word " * 60_000, "a\n" * 60_000, f"| {AWS} | ok |\n" * 6_000, "x" * 200_000],
    ids=["one line", "short lines", "secrets", "no blank"],
)
def test_what_is_cleaned_grows_with_the_text_and_no_faster(text: str) -> None:
    cleaned = 0

    def clean(part: str) -> str:
        nonlocal cleaned
        cleaned += len(part)
        return part

    streamed = Streamed(clean)
    began = time.process_time()
    out = "".join(streamed.add(piece) for piece in pieces(text, 20)) + streamed.rest()
    assert out == text
    assert cleaned < 40 * len(text) + 200_000
    assert time.process_time() - began < 5


def test_what_turns_out_to_be_a_secret_late_does_not_stop_what_follows() -> None:
    def clean(text: str) -> str:
        return text.replace("early", "[REDACTED:x]") if "late" in text else text

    streamed = Streamed(clean)
    out = (
        streamed.add("early " + "words " * 30)
        + streamed.add("late\n")
        + streamed.add("next line\nmore")
        + streamed.rest()
    )
    assert out.endswith("late\nnext line\nmore")


def test_every_known_form_of_a_secret_is_held_back_until_it_is_known() -> None:
    files = sorted((Path(__file__).parent / "redaction").glob("*.yaml"))
    entries = [entry for file in files for entry in yaml.safe_load(file.read_text())["secrets"]]
    texts = [(entry["text"] if isinstance(entry, dict) else entry).replace("¦", "") for entry in entries]
    assert len(texts) > 300
    for text in texts:
        said = f"The log says: {text} and then it goes on with words until its end comes, at last.\nDone.\n"
        assert "".join(given(said, 4)) == shown(said), text
