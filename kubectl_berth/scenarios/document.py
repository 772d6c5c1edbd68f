"""A YAML file whose errors name the file and the line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from kubectl_berth.errors import UsageError

API_VERSION = "berth.dev/v1"
_SHAPES = {str: "a string", list: "a list", dict: "a mapping", int: "a whole number"}


@dataclass(frozen=True)
class Document:
    """One file of berth's own: its values, and the line each field stands on."""

    path: Path
    values: Mapping[str, Any]
    lines: Mapping[str, int]

    @classmethod
    def read(cls, path: Path, *, kind: str, fields: Mapping[str, type]) -> Document:
        """Reads and checks `path`: UsageError with file and line for broken YAML, unknown fields and wrong types."""
        values, lines = _parse(path)
        document = cls(path, values, lines)
        for name, wanted in (("apiVersion", API_VERSION), ("kind", kind)):
            if values.get(name) != wanted:
                raise document.error(f"has the {name} {values.get(name)!r}, not {wanted}", name)
        for name, value in values.items():
            document._check(name, value, {"apiVersion": str, "kind": str, **fields})
        return document

    def get(self, name: str, default: Any) -> Any:
        """The field's value, `default` where it is absent or empty."""
        value = self.values.get(name)
        return default if value is None else value

    def error(self, words: str, name: str = "") -> UsageError:
        """An error about the field `name` of this file."""
        return UsageError(f"{self.path}, line {self.lines.get(name, 1)}: {words}")

    def _check(self, name: str, value: Any, fields: Mapping[str, type]) -> None:
        if name not in fields:
            near = difflib.get_close_matches(name, fields, n=1)
            hint = f", did you mean {near[0]}?" if near else f": there are {', '.join(fields)}"
            raise self.error(f"does not know the field {name}{hint}", name)
        wanted = fields[name]
        if value is not None and (not isinstance(value, wanted) or isinstance(value, bool)):
            raise self.error(f"wants {_SHAPES[wanted]} for {name}, not {type(value).__name__}", name)


def _parse(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """The file's mapping, and the line of each of its keys, from 1."""
    try:
        text = path.read_text(encoding="utf-8")
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
        values = yaml.load(text, Loader=yaml.CSafeLoader)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise UsageError(f"{path}, line {line}: is not YAML: {getattr(error, 'problem', None) or error}") from error
    except RecursionError as error:
        raise UsageError(f"{path} is nested too deeply to be read") from error
    if not isinstance(node, yaml.MappingNode) or not isinstance(values, dict):
        raise UsageError(f"{path}, line 1: is not a mapping of fields")
    return values, {str(key.value): key.start_mark.line + 1 for key, _ in node.value}
