"""man/: a manual page for every command, in troff, from the same tree as --help."""

from __future__ import annotations

import click

from generator import settings, statuses
from generator.tree import paragraphs, tree, words_of
from kubectl_berth import __version__
from kubectl_berth.settings import SETTINGS

FILES = (
    ("~/.config/kubectl-berth/settings.yaml", "The settings file; kubectl berth config path prints where it is."),
    ("~/.local/share/kubectl-berth", "Runs, notes about incidents, the ledger of model calls; AI_DATA_DIR moves it."),
)


def pages() -> dict[str, str]:
    """File name to text."""
    found = [(command, context, words_of(context)) for command, context in tree()]
    names = [words for _, _, words in found]
    return {f"{_name(words)}.1": _page(command, context, words, names) for command, context, words in found}


def _name(words: str) -> str:
    return "-".join(["kubectl-berth", *words.split()])


def _page(command: click.Command, context: click.Context, words: str, names: list[str]) -> str:
    prose, examples = paragraphs(command)
    summary = (command.short_help or prose[0]).rstrip(".")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        '.\\" Written by docs/generate.py (make docs).',
        f'.TH "{_name(words).upper()}" "1" "" "kubectl\\-berth {__version__}" "kubectl berth"',
        ".SH NAME",
        f"{_literal(_name(words))} \\- {_text(summary)}",
        ".SH SYNOPSIS",
        f".B {_literal(context.command_path)}",
        _literal(usage),
        ".SH DESCRIPTION",
    ]
    lines += [line for part in prose for line in (".PP", _text(part))][1:]
    lines += _entries("OPTIONS", _options(command, context))
    if isinstance(command, click.Group):
        lines += _entries("COMMANDS", _commands(command, context))
    lines += _examples(examples)
    if not words or not isinstance(command, click.Group):
        lines += _entries("EXIT STATUS", _statuses(words))
    if not words:
        lines += _entries("ENVIRONMENT", _variables()) + _entries("FILES", FILES)
    lines += [".SH SEE ALSO", _see_also(words, names)]
    return "\n".join(lines) + "\n"


def _options(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    records = [option.get_help_record(context) for option in options]
    return [record for record in records if record is not None]


def _commands(group: click.Group, context: click.Context) -> list[tuple[str, str]]:
    found = []
    for name in group.list_commands(context):
        child = group.get_command(context, name)
        if child is not None and not child.hidden:
            found.append((name, child.get_short_help_str(200)))
    return found


def _statuses(words: str) -> list[tuple[str, str]]:
    own = statuses.of(words) if words else dict.fromkeys(statuses.MEANINGS, "")
    return [(str(int(each)), said or statuses.MEANINGS[each].replace("`", "")) for each, said in own.items()]


def _variables() -> list[tuple[str, str]]:
    return [
        (", ".join(setting.variables), settings.WORDS[name].replace("`", ""))
        for name, setting in SETTINGS.items()
        if setting.variables
    ]


def _entries(title: str, entries: list[tuple[str, str]] | tuple[tuple[str, str], ...]) -> list[str]:
    if not entries:
        return []
    lines = [f".SH {title}"]
    for term, said in entries:
        lines += [".TP", f".B {_literal(term)}", _text(said)]
    return lines


def _examples(examples: list[str]) -> list[str]:
    if not examples:
        return []
    return [".SH EXAMPLES", ".nf", *(_literal(line) for line in examples), ".fi"]


def _see_also(words: str, names: list[str]) -> str:
    """The page above, those beside and those below."""
    above = " ".join(words.split()[:-1])
    near = [each for each in names if each != words and " ".join(each.split()[:-1]) in (above, words)]
    if words and above not in near:
        near.insert(0, above)
    pages = [f"\\fB{_literal(_name(each))}\\fR(1)" for each in dict.fromkeys(near)]
    return ", ".join([*pages, "\\fBkubectl\\fR(1)"])


def _text(words: str) -> str:
    escaped = words.replace("\\", "\\e").replace("--", "\\-\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _literal(words: str) -> str:
    """Text that is typed: its hyphens are the ASCII ones, to be searched for and copied."""
    escaped = words.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
