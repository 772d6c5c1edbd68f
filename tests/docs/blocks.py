"""What is shown in a Markdown page as something to run: scripts with what they print, and transcripts."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

_SCRIPT = re.compile(
    r"<!-- run on: (?P<scenario>\S+); ends with: (?P<status>\d+) -->\n"
    r"```bash\n(?P<text>.*?)```\n\n```text\n(?P<out>.*?)```",
    re.DOTALL,
)
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
_SHOWN = re.compile(r"^(?: {4}|\$ )(kubectl berth .*)$|`(kubectl berth [^`]+)`", re.MULTILINE)
_SECONDS = re.compile(r"\b\d+(?:\.\d+)? s\b")


@dataclass(frozen=True)
class Script:
    """A script, the scenario it is run on, the status it ends with, and what it prints to stdout."""

    scenario: str
    status: int
    text: str
    out: str


@dataclass(frozen=True)
class Transcript:
    """One command line and all that a terminal shows after it; [...] stands for anything."""

    command: str
    shown: str


def scripts(page: Path) -> list[Script]:
    """The scripts of a page that are marked to be run."""
    found = _SCRIPT.finditer(page.read_text(encoding="utf-8"))
    return [Script(each["scenario"], int(each["status"]), each["text"], each["out"]) for each in found]


def transcripts(page: Path) -> list[Transcript]:
    """Every command line of the page's console blocks with what is shown below it."""
    found = []
    for block in _CONSOLE.findall(page.read_text(encoding="utf-8")):
        for part in block.removeprefix("$ ").split("\n$ "):
            command, _, shown = part.partition("\n")
            found.append(Transcript(command, shown))
    return found


def shows(shown: str, real: str) -> bool:
    """True where the text of a page is what was really printed; seconds may differ, [...] stands for anything."""
    pieces = [re.escape(piece) for piece in _SECONDS.sub("0 s", shown.strip()).split("[...]")]
    return re.fullmatch(".*?".join(pieces), _SECONDS.sub("0 s", real.strip()), re.DOTALL) is not None


def command_lines(page: Path) -> list[list[str]]:
    """The words behind `kubectl berth` of every command line that the page shows, in code or in a sentence."""
    found = []
    for in_code, in_prose in _SHOWN.findall(page.read_text(encoding="utf-8")):
        line = re.split(r"\s[<>|]\s?", in_code or " ".join(in_prose.split()))[0]
        found.append(shlex.split(line, comments=True)[2:])
    return found
