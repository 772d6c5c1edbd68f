"""Markdown as a terminal shows it: text with colours and nothing else, wrapped to a width.

What comes in has been sanitised. Links and images are text, HTML is text, markup of rich is text.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.markdown import Markdown

WIDEST = 120
"""Columns of text at most: longer lines are hard to read."""
MOST_CHARACTERS = 20_000
"""Of one block; a longer one is shown as it is."""

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_STYLED = re.compile(r"\x1b\[[0-9;]*m")
_BLANKS = re.compile(r"[ \t]+((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)
_STYLES = {
    "markdown.h1": "bold underline",
    "markdown.h2": "bold",
    "markdown.h3": "bold",
    "markdown.h4": "bold",
    "markdown.code": "cyan",
    "markdown.code_block": "cyan",
    "markdown.block_quote": "italic",
    "markdown.item.bullet": "none",
    "markdown.item.number": "none",
    "markdown.table.header": "bold",
    "markdown.table.border": "none",
    "markdown.hr": "dim",
    "markdown.link": "none",
    "markdown.link_url": "none",
}


def blocks(lines: list[str]) -> tuple[list[str], list[str]]:
    """The blocks of a text that are complete, and the lines of the one that goes on.

    A block ends at a blank line that is followed by text at the margin, and never inside a fence. A fence at the margin
    is a block of its own.
    """
    done: list[str] = []
    rest: list[str] = []
    fence = ""
    for line in lines:
        if fence:
            rest.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                if rest[0].startswith(fence):
                    done.append("\n".join(rest))
                    rest = []
                fence = ""
            continue
        parted = rest and not rest[-1].strip() and line.strip() and not line[0].isspace()
        if parted or (rest and line.startswith(("```", "~~~"))):
            done.append("\n".join(rest).rstrip())
            rest = []
        if rest or line.strip():
            rest.append(line)
        if opening := _FENCE.match(line):
            fence = opening[1]
    return done, rest


def stays_whole(lines: list[str]) -> bool:
    """True for the beginning of a block that means something else in pieces: a fence, a table."""
    return bool(lines) and lines[0].startswith(("```", "~~~", "|"))


def rendered(block: str, columns: int) -> str:
    """One block for a terminal of that width, without a newline at its end."""
    if len(block) > MOST_CHARACTERS:
        return block
    lines = block.splitlines()
    opening = _FENCE.match(lines[0]) if lines else None
    if opening and lines[-1].strip().startswith(opening[1]) and len(lines) > 1:
        inside = "\n".join(lines[1:-1])
        if not any(_FENCE.match(line) for line in lines[1:-1]):
            return _code(inside)
    return _by_rich(block, max(min(columns - 1, WIDEST), 20))


def plain(text: str) -> str:
    """The text without its colours."""
    return _STYLED.sub("", text)


def _code(text: str) -> str:
    """Code stays as it is, for it is copied: no line of it is wrapped by us."""
    return "\n".join(f"\x1b[36m{line}\x1b[0m" if line.strip() else "" for line in text.splitlines())


def _by_rich(block: str, width: int) -> str:
    from rich.console import Console
    from rich.theme import Theme

    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=True,
        color_system="standard",
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
        no_color=False,
        theme=Theme(_STYLES),
        # not the process's own: what the terminal can do was decided before
        _environ={},
    )
    console.print(_markdown_class()(block), crop=False, overflow="fold")
    return _BLANKS.sub(r"\1", out.getvalue()).strip("\n")


@cache
def _markdown_class() -> type[Markdown]:
    """rich's Markdown with code that is not coloured, tables that cut no name off, and lines that stay lines."""
    from markdown_it import MarkdownIt
    from rich.markdown import CodeBlock, Heading, Markdown, TableElement
    from rich.text import Text

    class Code(CodeBlock):
        def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
            yield Text(str(self.text).rstrip(), style="markdown.code_block", overflow="fold")

    class Title(Heading):
        LEVEL_ALIGN = dict.fromkeys(Heading.LEVEL_ALIGN, "left")

    class Rows(TableElement):
        def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
            for table in super().__rich_console__(console, options):
                for column in getattr(table, "columns", ()):
                    column.overflow = "fold"
                yield table

    class Safe(Markdown):
        elements = {  # noqa: RUF012  as the base class has it
            **Markdown.elements,
            "fence": Code,
            "code_block": Code,
            "heading_open": Title,
            "table_open": Rows,
        }

        def __init__(self, markup: str) -> None:
            super().__init__("", hyperlinks=False)
            parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "link", "autolink"])
            self.parsed = parser.parse(markup)
            for token in self.parsed:
                for child in token.children or ():
                    if child.type == "softbreak":
                        child.type, child.tag = "hardbreak", "br"

    return Safe
