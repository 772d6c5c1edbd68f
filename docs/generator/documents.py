"""docs/documents.md: the fields of what -o json and -o jsonl print, held against real documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator import MADE, fields, samples

HEAD = """\
# Documents

What the commands print with `-o json`. Fields are added, never renamed and never taken away, within one `schema`. All
text in them has passed redaction, and no character of them acts on a terminal.

`[]` stands for every element of a list.

"""

WHOLE = ("looked_at", "definition", "details", "arguments", "value", "totals", "failed", "caused_by", "effects")
"""Fields that are described by themselves, without what is below them."""

SAME = ("findings[].", "gaps[].", "actions[].", "cluster.")
"""Fields that are described once, at the answer, where another document has them with the same words."""


def page() -> str:
    """The text of the page; a field without words, or words without a field, end the program."""
    kept = samples.kept()
    parts = [MADE, HEAD, _section("ask -o json", samples.answer(), fields.ANSWER, {})]
    parts.append(
        "`replay -o json` prints the same. What a script branches on is `outcome`; then `findings[].reason`, with "
        "`findings[].cause`.\n\n"
    )
    parts.append(_events())
    for title, sample, words, depth in (
        ("check -o json", samples.check(), fields.CHECK, 9),
        ("tool NAME -o json", kept["tool"], fields.TOOL, 9),
        ("tools -o json", kept["tools"], fields.TOOLS, 9),
        ("scenario list -o json", kept["scenario list"], fields.SCENARIOS, 9),
        ("usage -o json", samples.usage(), fields.USAGE, 9),
        ("runs list -o json", kept["runs list"], fields.RUNS, 9),
        ("runs show -o json, and the file of ask --save", kept["runs show"], fields.RUN, 1),
        ("memory list -o json", kept["memory list"], fields.MEMORY, 9),
        ("config show -o json", kept["config show"], fields.CONFIG, 9),
        ("doctor -o json", kept["doctor"], fields.DOCTOR, 9),
        ("eval run -o json", kept["eval run"], fields.EVAL, 9),
        ("eval report -o json", kept["eval report"], fields.REPORT, 1),
        ("eval compare -o json", kept["eval compare"], fields.COMPARISON, 1),
    ):
        parts.append(_section(title, sample, words, fields.ANSWER, depth))
    return "".join(parts).rstrip() + "\n"


def _section(
    title: str, sample: Mapping[str, Any], words: Mapping[str, str], told: Mapping[str, str], depth: int = 9
) -> str:
    present = set(_paths(sample, "", depth))
    optional = {name for name in words if name.startswith(SAME)}
    if odd := (present - set(words)) | (set(words) - present - optional):
        raise SystemExit(f"docs/generator/fields.py and {title} differ in {', '.join(sorted(odd))}")
    own = {name: said for name, said in words.items() if not (name.startswith(SAME) and told.get(name) == said)}
    rows = "".join(f"| `{name}` | {said} |\n" for name, said in own.items())
    parts = {name.partition(".")[0].removesuffix("[]") for name in words if name not in own}
    below = f"The fields of {_list(sorted(parts))} are those of the answer.\n\n" if parts else ""
    return f"## {title}\n\n| field | |\n| --- | --- |\n{rows}\n{below}"


def _events() -> str:
    lines = samples.events()
    if odd := {line["type"] for line in lines} ^ set(fields.EVENTS):
        raise SystemExit(f"docs/generator/fields.py and -o jsonl differ in {', '.join(sorted(odd))}")
    rows = "".join(
        f"| `{line['type']}` | {', '.join(f'`{name}`' for name in line if name != 'type') or '–'} "
        f"| {fields.EVENTS[line['type']]} |\n"
        for line in lines
    )
    return (
        "## ask -o jsonl\n\nOne object on each line, as it happens. The last is of type `result` and holds the fields "
        "of the answer beside its `type`.\n\n"
        f"| type | fields | when |\n| --- | --- | --- |\n{rows}\n"
    )


def _paths(value: Any, above: str, depth: int) -> Iterator[str]:
    """The names of all fields: a dot between levels, [] behind a list."""
    if isinstance(value, Mapping) and depth:
        for name, below in value.items():
            path = f"{above}.{name}" if above else name
            yield path
            if name not in WHOLE:
                yield from _paths(below, path, depth - 1)
    elif isinstance(value, list):
        for each in value:
            yield from _paths(each, f"{above}[]", depth)


def _list(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
