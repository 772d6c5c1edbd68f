"""Runbooks: Markdown with front matter, shipped ones and the person's own, matched by reason codes and words.

    ---
    title: Image cannot be pulled
    reasons: [ImagePullBackOff, ErrImagePull]
    symptoms: [pull access denied, manifest unknown]
    ---
    What it looks like, what causes it, what to check, what to do.

A file whose front matter is broken or missing is still a runbook: its first heading is its title.
"""

from __future__ import annotations

import math
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kubectl_berth.errors import UsageError
from kubectl_berth.knowledge.incidents import words
from kubectl_berth.safety.sanitise import one_line

SHIPPED = Path(__file__).parent / "runbooks"
MOST_BYTES = 64 * 1024
"""Of one file; the rest is not read."""
MOST_FILES = 500
"""Of one directory; the rest is not read."""

_FRONT = re.compile(r"\A---[ \t]*\r?\n(?P<front>.*?)^---[ \t]*\r?\n?", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#{1,3}[ \t]+(.+)$", re.MULTILINE)
_CODE = re.compile(r"\b[A-Z][A-Za-z0-9]{3,60}\b")


@dataclass(frozen=True)
class Runbook:
    """One runbook. `source` names its file; `own` is True for one of the person's own directories."""

    title: str
    text: str
    reasons: tuple[str, ...] = ()
    symptoms: tuple[str, ...] = ()
    source: str = ""
    own: bool = False


@dataclass(frozen=True)
class Library:
    """The person's own runbooks and the shipped ones. `notices` are one line each, for the person."""

    own: tuple[Runbook, ...] = ()
    notices: tuple[str, ...] = ()

    def match(self, query: str) -> list[Runbook]:
        """Those that fit, the best first, the person's own before shipped ones."""
        return [*rank(query, self.own), *rank(query, shipped())]

    def titles(self) -> list[str]:
        """The titles of all runbooks."""
        return [runbook.title for runbook in (*self.own, *shipped())]


@cache
def shipped() -> tuple[Runbook, ...]:
    """The runbooks of this package."""
    return tuple(read_directory(SHIPPED)[0])


def open_library(directories: Iterable[str | Path], more: Iterable[Mapping[str, Any] | str] = ()) -> Library:
    """The library with the person's own directories.

    `more` are a scenario's runbooks: Markdown, or mappings of title, reasons, symptoms and text. Raises UsageError for
    a directory that is none.
    """
    own: list[Runbook] = [_given(each) for each in more]
    notices: list[str] = []
    for directory in directories:
        path = Path(directory).expanduser()
        if not path.is_dir():
            raise UsageError(f"--runbooks {directory}: there is no such directory")
        found, odd = read_directory(path, own=True)
        own += found
        notices += odd
    return Library(tuple(own), tuple(notices))


def read_directory(directory: Path, *, own: bool = False) -> tuple[list[Runbook], list[str]]:
    """The Markdown files below a directory, and what was odd about them, one line each."""
    found: list[Runbook] = []
    notices: list[str] = []
    root = directory.resolve()
    for count, path in enumerate(_files(root)):
        if count >= MOST_FILES:
            notices.append(f"{directory}: only the first {MOST_FILES} runbooks are read")
            break
        source = str(path.relative_to(root))
        shown = one_line(str(directory / source), 300)
        try:
            if not path.resolve(strict=True).is_relative_to(root):
                notices.append(f"{shown} is left out: it leads out of the directory")
                continue
            if not stat.S_ISREG(path.stat().st_mode):
                notices.append(f"{shown} is left out: it is no file")
                continue
            with path.open("rb") as file:
                raw = file.read(MOST_BYTES + 1)
        except OSError as error:
            notices.append(f"{shown} cannot be read: {error.strerror or error}")
            continue
        if len(raw) > MOST_BYTES:
            notices.append(f"{shown}: only the first {MOST_BYTES // 1024} kB are read")
        runbook, odd = parse(raw[:MOST_BYTES].decode(errors="replace"), source, own=own)
        found.append(runbook)
        if odd:
            notices.append(f"{shown}: its front matter {odd}; the text is used all the same")
    return found, notices


def _files(root: Path) -> Iterator[Path]:
    """Markdown files, sorted, without hidden ones; directories behind symbolic links are not entered."""
    try:
        entries = sorted(root.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _files(entry)
        elif entry.suffix.lower() in (".md", ".markdown"):
            yield entry


def parse(content: str, source: str, *, own: bool = False) -> tuple[Runbook, str]:
    """The runbook in a file's text, and what is wrong with its front matter, "" where nothing is."""
    match = _FRONT.match(content.removeprefix("\ufeff"))
    odd = ""
    front: Mapping[str, Any] = {}
    body = content
    if match:
        body = content.removeprefix("\ufeff")[match.end() :]
        front, odd = _front(match["front"])
    elif content.removeprefix("\ufeff").startswith("---"):
        odd = "does not end"
    heading = _HEADING.search(body)
    title = front.get("title")
    if not isinstance(title, str) or not title.strip():
        title = heading[1] if heading else Path(source).stem.replace("-", " ").replace("_", " ")
    reasons = _strings(front.get("reasons"))
    return Runbook(one_line(title, 200), body.strip(), reasons, _strings(front.get("symptoms")), source, own), odd


def _front(text: str) -> tuple[Mapping[str, Any], str]:
    import yaml

    try:
        front = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return {}, "is no YAML" + (f" (line {mark.line + 2})" if mark else "")
    except (ValueError, RecursionError):
        return {}, "is no YAML"
    if front is None:
        return {}, ""
    return (front, "") if isinstance(front, Mapping) else ({}, "is no list of fields")


def _strings(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value] if value is not None else []
    return tuple(str(each) for each in values if isinstance(each, str | int | float))


def _given(entry: Mapping[str, Any] | str) -> Runbook:
    if isinstance(entry, str):
        return parse(entry, "runbook", own=True)[0]
    title, text = (str(entry.get(name, "")) for name in ("title", "text"))
    return Runbook(
        one_line(title or text, 200), text, _strings(entry.get("reasons")), _strings(entry.get("symptoms")), "", True
    )


# --- matching -------------------------------------------------------------------------------------------------------

_REASON, _CODE_IN_BODY, _TITLE, _SYMPTOM, _BODY = 12.0, 2.0, 3.0, 2.0, 0.5
LEAST = 1.5
"""A runbook that scores less does not fit."""


def rank(query: str, runbooks: Sequence[Runbook]) -> list[Runbook]:
    """Those that fit the query, the best first. A reason code counts more than any word; rare words count more."""
    wanted = _terms(query)
    written = {code.lower() for code in _CODE.findall(query)}
    codes = written | set(query.lower().split())
    indexed = [(runbook, *_index(runbook)) for runbook in runbooks]
    scored = []
    for order, (runbook, title, symptoms, body) in enumerate(indexed):
        score = _REASON * len(codes & {reason.lower() for reason in runbook.reasons}) + _CODE_IN_BODY * len(
            written & body
        )
        for term in wanted:
            weight = _rarity(term, indexed)
            score += weight * max(_TITLE * (term in title), _SYMPTOM * (term in symptoms), _BODY * (term in body))
        if score >= LEAST:
            scored.append((-score, order, runbook))
    return [runbook for _, _, runbook in sorted(scored, key=lambda entry: entry[:2])]


def _index(runbook: Runbook) -> tuple[set[str], set[str], set[str]]:
    return (
        _terms(runbook.title),
        _terms(" ".join((*runbook.symptoms, *runbook.reasons))),
        _terms(runbook.text),
    )


def _rarity(term: str, indexed: Sequence[tuple[Runbook, set[str], set[str], set[str]]]) -> float:
    """1 for a word that one runbook has, towards 0 for one that all have."""
    having = sum(term in title or term in symptoms or term in body for _, title, symptoms, body in indexed)
    if not having:
        return 0.0
    return 1.0 - math.log(having) / math.log(len(indexed) + 1) if len(indexed) > 1 else 1.0


def _terms(text: str) -> set[str]:
    """Telling words; a CamelCase code counts as one word and as the words that it is made of."""
    return words(text) | words(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text))
