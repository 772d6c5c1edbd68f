"""The commands as the command line knows them, each with the context that its --help is made in."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from kubectl_berth.cli.main import PROG_NAME, cli

WIDTH = 90


def tree() -> Iterator[tuple[click.Command, click.Context]]:
    """Every command, a group before its own commands, in the order of --help."""
    yield from _below(cli, _context(cli, PROG_NAME, None))


def words_of(context: click.Context) -> str:
    """The command's words behind the program's name: "scenario lint", "" for the program itself."""
    return context.command_path.removeprefix(PROG_NAME).strip()


def help_of(command: click.Command, context: click.Context) -> str:
    """The text of --help at a fixed width, whatever terminal this runs on."""
    return "\n".join(line.rstrip() for line in command.get_help(context).splitlines())


def paragraphs(command: click.Command) -> tuple[list[str], list[str]]:
    """The command's description as paragraphs, and its example command lines."""
    text = inspect.cleandoc(command.help or "").partition("\f")[0]
    prose: list[str] = []
    examples: list[str] = []
    for part in text.split("\n\n"):
        lines = part.splitlines()
        if lines and lines[0].strip() == "\b":
            examples += [line.strip() for line in lines[1:]]
        elif lines:
            prose.append(" ".join(line.strip() for line in lines))
    return prose, examples


def _below(command: click.Command, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    yield command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None and not child.hidden:
                yield from _below(child, _context(child, name, context))


def _context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    given = {**command.context_settings, "terminal_width": WIDTH, "max_content_width": WIDTH}
    return click.Context(command, info_name=name, parent=parent, **given)
