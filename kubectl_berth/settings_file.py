"""One setting in the settings file: written or taken out, with every other line and comment left as it is."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kubectl_berth.errors import UsageError

_COMMENT = re.compile(r"[ \t]#.*$")


def put(file: Path, name: str, value: Any) -> bool:
    """Sets `name` in the YAML file, which may not be there yet; None takes it out. True where that changed the file.

    Raises UsageError where the file cannot be written, or not be changed line by line.
    """
    try:
        text = _read(file)
        changed = _changed(file, text, name, value)
        if changed != text:
            _write(file, changed)
        return changed != text
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not text in UTF-8: correct the file") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}") from None


def repeated(file: Path) -> list[str]:
    """Names that stand more than once in the YAML file; of these the last counts."""
    if file.suffix != ".yaml" or not file.exists():
        return []
    import yaml

    node = yaml.compose(_read(file), Loader=yaml.SafeLoader)
    names = [str(key.value) for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    return sorted({name for name in names if names.count(name) > 1})


def _read(file: Path) -> str:
    """The text with its own line ends."""
    return file.read_bytes().decode("utf-8") if file.exists() else ""


def _changed(file: Path, text: str, name: str, value: Any) -> str:
    import yaml

    end = "\r\n" if "\r\n" in text else "\n"
    given = list(value) if isinstance(value, tuple) else value
    flow = yaml.safe_dump(given, default_flow_style=True, allow_unicode=True, width=10_000)
    line = f"{name}: {flow.removesuffix(chr(10)).removesuffix('...').strip()}"
    own = re.compile(
        rf"^{re.escape(name)}[ \t]*:(?P<rest>[^\r\n]*)(?P<more>(?:\r?\n[ \t-][^\r\n]*)*)(?:\r?\n|\Z)", re.M
    )
    if value is None:
        changed = own.sub("", text, count=1)
    elif own.search(text):
        changed = own.sub(lambda found: f"{line}{_comment(found)}{end}", text, count=1)
    else:
        head = text.rstrip("\r\n")
        changed = f"{head}{end if head else ''}{line}{end}"
    before = _content(text) or {}
    wanted = {key: other for key, other in before.items() if key != name}
    wanted |= {} if value is None else {name: given}
    if _content(changed) != wanted or (name in before and not own.search(text)):
        raise UsageError(f"{file} is not written as one setting a line: change {name} there by hand")
    return changed


def _comment(found: re.Match[str]) -> str:
    """What is remarked behind a value that stands on one line."""
    if found["more"] or any(quote in found["rest"] for quote in "\"'"):
        return ""
    comment = _COMMENT.search(found["rest"])
    return f" {comment[0]}" if comment else ""


def _content(text: str) -> Mapping[Any, Any] | None:
    """What the text says, {} for nothing, None where it is no mapping in YAML."""
    import yaml

    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError:
        return None
    return content if isinstance(content, Mapping) else {} if content is None else None


def _write(file: Path, text: str) -> None:
    """In the place of what was there, whole or not at all; a new file is its owner's alone."""
    # what a link leads to is replaced, not the link
    target = file.resolve()
    if target.exists() and not os.access(target, os.W_OK):
        # whoever made it so, perhaps a program that keeps it, wants it left alone
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    try:
        with os.fdopen(number, "wb") as opened:
            opened.write(text.encode())
        if target.exists():
            Path(name).chmod(target.stat().st_mode & 0o7777)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
