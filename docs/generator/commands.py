"""docs/commands.md: --help of every command, and what each may end with."""

from __future__ import annotations

import click

from generator import MADE, statuses
from generator.tree import help_of, tree, words_of

HEAD = """\
# Commands

Each command as its `--help` shows it. Options of the connection are those of kubectl, with kubectl's meaning. The same
text is in the manual pages (`man kubectl-berth`, `man kubectl-berth-ask`, ...).

"""

EXIT = """\
## Exit statuses

| status | meaning |
| --- | --- |
{meanings}

By command (✓: it may end with this; words: what it means there):

{table}

kubectl hands the status of a plugin on, except on Windows: there it turns every status that is not 0 into 1. A script
on Windows that has to tell them apart calls `kubectl-berth` in place of `kubectl berth`, or reads `outcome` and `error`
from `-o json`.

`ask`, `check` and `replay` print their document with `-o json` whatever the status is, but for 2, 141 and an unexpected
error (1); `error` in it holds the sentence that stands on stderr. The fields are on the page about
[documents](documents.md).
"""


def page() -> str:
    """The text of the page."""
    found = [(command, context, words_of(context)) for command, context in tree()]
    if odd := {words for _, _, words in found} ^ set(statuses.BY_COMMAND):
        raise SystemExit(f"docs/generator/statuses.py and the commands differ in {', '.join(sorted(odd))}")
    groups = {words for command, _, words in found if isinstance(command, click.Group)}
    meanings = "\n".join(f"| {int(status)} | {words} |" for status, words in statuses.MEANINGS.items())
    table = statuses.table(words for _, _, words in found if words not in groups)
    parts = [MADE, HEAD, _contents([words for _, _, words in found]), "\n"]
    for command, context, words in found:
        level = "###" if " " in words else "##"
        parts.append(f"{level} {context.command_path}\n\n```text\n{help_of(command, context)}\n```\n\n")
        if words and words not in groups:
            parts.append(_ends(words))
    return "".join(parts) + EXIT.format(meanings=meanings, table=table)


def _contents(names: list[str]) -> str:
    lines = []
    for words in names:
        if words:
            indent = "  " * words.count(" ")
            lines.append(f"{indent}- [{words}](#kubectl-berth-{words.replace(' ', '-')})\n")
    return "".join(lines) + "- [Exit statuses](#exit-statuses)\n"


def _ends(words: str) -> str:
    own = statuses.of(words)
    told = [f"{int(status)} {said}".strip() for status, said in own.items()]
    return "Exit status: " + " · ".join(told) + ".\n\n"
