"""kubectl_complete-berth: what may stand under the cursor, in the protocol of kubectl's own completion.

The words after the plugin's name come as arguments, the one under the cursor last. Out come candidates, a line each,
with what they are behind a tab, and a last line that tells the shell what else to do. It is called for every TAB: it
says nothing on stderr, always ends with status 0 and waits for no server.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from kubectl_berth.cli.asked import COMPLETE, READ
from kubectl_berth.cli.name_reader import carry_out

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

LINE = "_KUBECTL_BERTH_LINE"
"""The line up to the cursor, from a shell that does not tell its words as they are meant."""

FILES, NO_SPACE, NO_FILES, DIRECTORIES = 0, 2, 4, 16
"""What the last line asks of the shell; they add up."""

_MOST_HELP = 100


def main() -> NoReturn:
    """Prints the candidates for this process's arguments and ends it."""
    # whoever hits TAB sees what is written to stderr in the middle of the line that is being typed
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    if path := os.environ.pop(READ, ""):
        carry_out(Path(path), json.loads(sys.stdin.buffer.read()))
    try:
        answer = completions(_words())
    except Exception:
        answer = [f":{NO_FILES}"]
    try:
        sys.stdout.buffer.write("".join(f"{line}\n" for line in answer).encode())
        sys.stdout.buffer.flush()
    except (OSError, AttributeError):
        pass  # whoever asked is gone
    os._exit(0)


def _words() -> list[str]:
    """The words behind the program's name, the one under the cursor last."""
    line = os.environ.get(LINE)
    if line is None:
        return sys.argv[1:] or [""]
    from click.shell_completion import split_arg_string

    words = split_arg_string(line)[1:]
    return [*words, ""] if line[-1:].isspace() or not words else words


def completions(words: Sequence[str]) -> list[str]:
    """The lines of the answer for these words, of which the last is the one under the cursor."""
    from click.shell_completion import ShellComplete

    from kubectl_berth.cli.main import PROG_NAME, cli
    from kubectl_berth.environment import Environment

    *before, incomplete = words
    engine = ShellComplete(cli, {"obj": Environment.actual()}, PROG_NAME, COMPLETE)
    items = engine.get_completions(before, incomplete)
    return [*(_line(item) for item in items if item.type == "plain"), f":{_directive(items)}"]


def _line(item: CompletionItem[str]) -> str:
    about = " ".join((item.help or "").split())
    return f"{item.value}\t{about[:_MOST_HELP]}" if about else str(item.value)


def _directive(items: Sequence[CompletionItem[str]]) -> int:
    kinds = {item.type for item in items}
    if "file" in kinds:
        return FILES
    if "dir" in kinds:
        return DIRECTORIES
    unfinished = bool(items) and all(str(item.value).endswith(("=", "/")) for item in items)
    return NO_FILES | NO_SPACE if unfinished else NO_FILES


if __name__ == "__main__":
    main()
