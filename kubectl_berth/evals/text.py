"""An answer taken apart: blocks (paragraphs, list items, table rows, code), and in them sentences.

What is quoted is masked in `Sentence.plain`, for to quote is not to say; it stays in `Sentence.text`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

BlockKind = Literal["prose", "code", "command", "quote", "row", "heading"]
MASK = "\x01"

_TYPOGRAPHY = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2010": "-",
        "\u2011": "-",
        "\u2012": "-",
        "\u2013": "–",
        "\u00a0": " ",
        "\u202f": " ",
    }
)
_CONTRACTIONS = (
    (re.compile(r"\bcan(?:'t|not)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bshan't\b"), "shall not"),
    (re.compile(r"(\w)n't\b"), r"\1 not"),
    (re.compile(r"\b(it|that|there|what|here|where|who)'s\b"), r"\1 is"),
    (re.compile(r"\blet's\b"), "let us"),
    (re.compile(r"(\w)'re\b"), r"\1 are"),
    (re.compile(r"(\w)'ll\b"), r"\1 will"),
    (re.compile(r"(\w)'ve\b"), r"\1 have"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\bi'd\b"), "i would"),
)
_FENCE = re.compile(r"^\s*(```+|~~~+)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*)$|^\s*\*\*([^*]+)\*\*:?\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_ROW = re.compile(r"^\s*\|(.*)$")
_RULE = re.compile(r"^\s*\|?\s*:?-{2,}|^\s*(?:[-*_]\s*){3,}$")
_QUOTE = re.compile(r"^\s*>\s?(.*)$")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|vs|etc|approx|incl|resp|fig)\.(?=\s)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]*_`]*\s+")
_LONG_NAME = re.compile(r"(?<![\w-])[a-z0-9]+(?:-[a-z0-9]+){4,}(?![\w-])")
"""A name of many words is a name and says nothing."""
_COMMAND = re.compile(
    r"^\s*(?:\$\s+|#\s*)?(?:sudo\s+)?(?:kubectl|oc|helm|flux|argocd|istioctl|curl|wget|docker|crictl|systemctl|git|rm|"
    r"psql|aws|gcloud|az|kustomize|cmctl)\b"
)


@dataclass(frozen=True)
class Sentence:
    """One sentence, in small letters, contractions written out.

    `text` with quotations, `plain` with them masked; the same length. `block` counts the answer's blocks from 0.
    `headings` are the headings, lead-ins and list items it stands under, outermost first, normalised.
    """

    text: str
    plain: str
    kind: BlockKind
    block: int
    headings: tuple[str, ...] = ()

    @property
    def question(self) -> bool:
        """True where it asks."""
        return self.text.rstrip(" *_\"')").endswith("?")


@dataclass(frozen=True)
class _Block:
    kind: BlockKind
    text: str
    indent: int = 0
    item: bool = False
    headings: tuple[str, ...] = ()


def normal(text: str) -> str:
    """Small letters, plain quotes and hyphens, contractions written out."""
    text = unicodedata.normalize("NFKC", text).translate(_TYPOGRAPHY).lower()
    for pattern, written_out in _CONTRACTIONS:
        text = pattern.sub(written_out, text)
    return text


def sentences(answer: str) -> list[Sentence]:
    """The answer's sentences in order. Lines of code are sentences of their own kind."""
    found: list[Sentence] = []
    for number, block in enumerate(_placed(_blocks(answer))):
        for piece in _pieces(block):
            text = normal(_bare(piece, block.kind)).strip()
            if text:
                plain = text if block.kind in ("code", "command", "quote") else _masked(text)
                kind = block.kind
                if kind == "code" and _COMMAND.match(text):
                    kind = "command"
                found.append(Sentence(text, plain, kind, number, block.headings))
    return found


def _bare(piece: str, kind: BlockKind) -> str:
    """The piece without emphasis marks and links."""
    if kind in ("code", "command"):
        return piece
    piece = re.sub(r"\*\*|__(?=\w)|(?<=\w)__", "", piece)
    piece = re.sub(r"(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])", "", piece)
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", piece)


def _pieces(block: _Block) -> list[str]:
    if block.kind in ("code", "heading", "row"):
        return block.text.split("\n")
    kept = _ABBREVIATION.sub(lambda match: match[1].replace(".", MASK) + MASK, block.text)
    return [piece.replace(MASK, ".") for piece in _SENTENCE_END.split(kept) if piece]


def _masked(text: str) -> str:
    """Quotations of three words and more, masked; a quoted word or name stays."""

    def mask(match: re.Match[str]) -> str:
        inner = match[0][1:-1]
        if len(inner.split()) < 3 or (match[0][0] == "`" and _COMMAND.match(inner)):
            return match[0]
        return match[0][0] + MASK * len(inner) + match[0][-1]

    text = _LONG_NAME.sub(lambda match: MASK * len(match[0]), text)
    text = re.sub(r"`[^`\n]+`", mask, text)
    text = re.sub(r'"[^"\n]+"', mask, text)
    return re.sub(r"(?<!\w)'[^'\n]+(?:'\w[^'\n]*)*'(?!\w)", mask, text)


def _blocks(answer: str) -> Iterator[_Block]:
    """The blocks of Markdown text, without what stands above each."""
    prose: list[str] = []
    code: list[str] = []
    fence = ""
    for line in answer.splitlines():
        mark = _FENCE.match(line)
        if not fence and not mark:
            prose.append(line)
        elif not fence and mark:
            yield from _prose(prose)
            prose, fence = [], mark[1]
        elif mark and mark[1].startswith(fence):
            yield _Block("code", "\n".join(code))
            code, fence = [], ""
        else:
            code.append(line)
    if code:
        yield _Block("code", "\n".join(code))
    yield from _prose(prose)


def _prose(lines: list[str]) -> Iterator[_Block]:
    """The blocks of lines outside code: an item, a quotation and a paragraph go on until the next one or a blank."""
    block: _Block | None = None
    for line in lines:
        found = _opened(line)
        joins = found is not None and block is not None and found.kind == block.kind == "quote"
        if found is None and line.strip() and not _RULE.match(line):
            indent = len(line) - len(line.lstrip())
            found = _Block("prose", line.strip(), indent)
            joins = block is not None and block.kind == "prose"
        if joins and block is not None and found is not None:
            block = replace(block, text=f"{block.text} {found.text}")
            continue
        if block is not None:
            yield block
        block = found
        if block is not None and block.kind in ("heading", "row"):
            yield block
            block = None
    if block is not None:
        yield block


def _opened(line: str) -> _Block | None:
    """The block that a line opens, None for one that goes on, a rule or a blank."""
    if _RULE.match(line):
        return None
    if heading := _heading(line):
        return _Block("heading", heading)
    if row := _ROW.match(line):
        return _Block("row", row[1].strip().strip("|"))
    if quote := _QUOTE.match(line):
        return _Block("quote", quote[1])
    if item := _ITEM.match(line):
        return _Block("prose", item[2], len(item[1]), item=True)
    return None


def _heading(line: str) -> str:
    """The text of a heading line, "" for any other. A whole sentence in bold is none."""
    match = _HEADING.match(line)
    if match is None:
        return ""
    bold = (match[2] or "").strip()
    return "" if bold and (len(bold.split()) > 8 or bold.endswith((".", "!"))) else (match[1] or bold).strip()


def _placed(blocks: Iterator[_Block]) -> Iterator[_Block]:
    """Each block with the heading, the lead-in and the list items above it."""
    heading = ""
    above: list[tuple[int, str]] = []
    for block in blocks:
        if block.kind == "heading":
            heading, above = normal(_bare(block.text, "prose")), []
            yield block
            continue
        leads = normal(_bare(block.text, "prose")).rstrip().rstrip("*_").endswith(":")
        if block.kind == "prose" and not block.item:
            # a new paragraph ends the list before it, an indented one belongs to its item
            above = [entry for entry in above if entry[0] < block.indent]
        elif block.item:
            above = [entry for entry in above if entry[0] < block.indent or entry[0] < 0]
        context = tuple(text for text in (heading, *(text for _, text in above)) if text)
        yield replace(block, headings=context)
        if block.item:
            above.append((block.indent, normal(_bare(block.text, "prose"))))
        elif leads and block.kind == "prose":
            above = [(-1, normal(_bare(block.text, "prose")))]
