"""The files of a snapshot directory: objects in YAML or JSON, snapshot.yaml, logs.

A file that cannot be used is a UsageError that names the file and the line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from kubectl_berth.cluster.logs import LogFiles
from kubectl_berth.cluster.rules import Rule
from kubectl_berth.errors import UsageError
from kubectl_berth.records import Object

ABOUT = "snapshot.yaml"
DEEP = "is nested too deeply to be a Kubernetes object"


@dataclass(frozen=True)
class Removed:
    """Objects of earlier layers that a layer takes away. `name` may end in *."""

    kind: str
    namespace: str
    name: str

    def means(self, obj: Object) -> bool:
        """Whether this object goes."""
        metadata = obj.get("metadata") or {}
        name = str(metadata.get("name"))
        fits = name.startswith(self.name[:-1]) if self.name.endswith("*") else name == self.name
        return fits and obj.get("kind") == self.kind and str(metadata.get("namespace") or "") == self.namespace


@dataclass(frozen=True)
class About:
    """What snapshot.yaml says; None where it says nothing of it.

    `only` is the one namespace that was taken. `partial_logs`: not every container's log was taken.
    """

    version: str | None = None
    time: str | None = None
    namespace: str | None = None
    unavailable: tuple[Rule, ...] | None = None
    removed: tuple[Removed, ...] = ()
    partial_logs: bool = False
    only: str | None = None


@dataclass
class Layer:
    """One directory as read: what it says about the moment, its objects, its logs."""

    about: About
    objects: list[Object] = field(default_factory=list)
    logs: LogFiles = field(default_factory=LogFiles)


def read_layer(directory: Path) -> Layer:
    """Everything in one snapshot directory."""
    try:
        if not directory.is_dir():
            raise UsageError(f"there is no snapshot directory {directory}: pass a directory of Kubernetes objects")
        layer = Layer(_about(directory / ABOUT), logs=_logs(directory / "logs"))
        for path in _object_files(directory):
            layer.objects.extend(_objects(path))
    except OSError as error:
        raise _unreadable(Path(error.filename or directory), error) from error
    return layer


def _unreadable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path} cannot be read: {error.strerror or error}; check who may read it")


def _object_files(directory: Path) -> list[Path]:
    """The files of objects, sorted. Raises OSError for a directory that cannot be read: half would pass for all."""
    found: list[Path] = []
    for place, below, names in os.walk(directory, onerror=_fail):
        here = Path(place)
        below[:] = [name for name in below if not name.startswith(".") and here / name != directory / "logs"]
        found += [here / name for name in names if not name.startswith(".")]
    kinds = (".yaml", ".yml", ".json")
    return sorted(path for path in found if path.suffix in kinds and path != directory / ABOUT and path.is_file())


def _fail(error: OSError) -> None:
    raise error


def _objects(path: Path) -> Iterator[Object]:
    for line, document in documents(path):
        if document is not None:
            yield from _expanded(path, line, document, "", "")


def _expanded(path: Path, line: int, document: Any, api_version: str, kind: str) -> Iterator[Object]:
    """The document's objects: itself, or what is in it where it is a List of some kind."""
    if not isinstance(document, dict):
        raise _broken(path, line, "is not a Kubernetes object")
    kind = document.get("kind") or kind
    api_version = document.get("apiVersion") or api_version
    if not isinstance(kind, str) or not isinstance(api_version, str) or not kind or not api_version:
        raise _broken(path, line, "is not a Kubernetes object: it needs apiVersion and kind")
    if kind.endswith("List") and isinstance(document.get("items") or [], list):
        inner = kind.removesuffix("List")
        for item in document.get("items") or []:
            if item is not None:
                yield from _expanded(path, line, item, api_version if inner else "", inner)
        return
    metadata = document.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str) or not metadata["name"]:
        raise _broken(path, line, f"a {kind} without metadata.name")
    yield {**document, "apiVersion": api_version, "kind": kind}


def _broken(path: Path, line: int, words: str) -> UsageError:
    return UsageError(f"{path}, line {line}: {words}")


def documents(path: Path) -> Iterator[tuple[int, Any]]:
    """The documents of a YAML or JSON file, each with the number of its first line (from 1)."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    if path.suffix == ".json":
        yield 1, _json(path, text)
    else:
        yield from _yaml(path, text)


def _json(path: Path, text: bytes) -> Any:
    import msgspec

    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        words = str(error)
        at = re.search(r"\(byte (\d+)\)", words)
        line = text.count(b"\n", 0, int(at.group(1)) if at else len(text)) + 1
        raise _broken(path, line, f"not JSON: {words}") from error
    except UnicodeDecodeError as error:
        raise _broken(path, text.count(b"\n", 0, error.start) + 1, "not UTF-8") from error
    except RecursionError as error:
        raise _broken(path, 1, DEEP) from error


def _yaml(path: Path, text: bytes) -> Iterator[tuple[int, Any]]:
    import yaml

    line = 1
    try:
        loader = _loader()(text)
        try:
            while loader.check_node():
                node = loader.get_node()
                line = node.start_mark.line + 1
                yield line, loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _broken(path, mark.line + 1 if mark else line, f"not YAML: {error.problem}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise _broken(path, line, f"not YAML: {' '.join(str(error).split())}") from error
    except (ValueError, TypeError) as error:
        raise _broken(path, line, f"not YAML: {error}") from error
    except RecursionError as error:
        raise _broken(path, line, DEEP) from error


@lru_cache(maxsize=1)
def _loader() -> Any:
    """A safe loader that reads scalars as Kubernetes does: times stay text, and so do 12:30 and the like."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    integer = re.compile(r"^[-+]?(?:0b[01_]+|0[0-7_]*|0o[0-7_]+|[1-9][0-9_]*|0x[0-9a-fA-F_]+)$")
    real = re.compile(
        r"^(?:[-+]?(?:[0-9][0-9_]*)?\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+\.|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
    )
    own = {"tag:yaml.org,2002:int": integer, "tag:yaml.org,2002:float": real}
    resolvers = {
        first: [(tag, own.get(tag, pattern)) for tag, pattern in pairs if tag != "tag:yaml.org,2002:timestamp"]
        for first, pairs in base.yaml_implicit_resolvers.items()
    }
    return type("Loader", (base,), {"yaml_implicit_resolvers": resolvers})


# --- snapshot.yaml --------------------------------------------------------------------------------------------------


def _about(path: Path) -> About:
    if not path.exists():
        return About()
    found = [(line, document) for line, document in documents(path) if document is not None]
    if len(found) != 1 or not isinstance(found[0][1], dict):
        raise _broken(path, found[1][0] if len(found) > 1 else 1, "must hold one mapping")
    line, about = found[0]
    if about.get("kind") != "Snapshot":
        raise _broken(path, line, "must be of kind Snapshot")
    unknown = set(about) - {
        "apiVersion",
        "kind",
        "serverVersion",
        "time",
        "namespace",
        "onlyNamespace",
        "unavailable",
        "removed",
        "logs",
    }
    if unknown:
        raise _broken(path, line, f"does not know the key {sorted(unknown)[0]}")
    given, time = about.get("unavailable"), _text(path, line, about, "time")
    if about.get("logs", "partial") != "partial":
        raise _broken(path, line, "logs can only be partial: a log that is not there was not taken")
    if time is not None and instant(time) is None:
        raise _broken(path, line, f"time {time!r} is no RFC 3339 time: write it like 2026-10-05T09:30:00Z")
    return About(
        _text(path, line, about, "serverVersion"),
        time,
        _text(path, line, about, "namespace"),
        None if given is None else tuple(_rule(path, line, entry) for entry in _entries(path, line, given)),
        tuple(_removed(path, line, entry) for entry in _entries(path, line, about.get("removed") or [])),
        "logs" in about,
        _text(path, line, about, "onlyNamespace"),
    )


def instant(text: str) -> datetime | None:
    """The UTC moment an RFC 3339 time names, in whole seconds; None where it is none.

    A Date header knows no fractions of a second, and an age must not depend on how a snapshot is read.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC).replace(microsecond=0) if moment.tzinfo else None


def _entries(path: Path, line: int, given: Any) -> Sequence[Mapping[str, Any]]:
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise _broken(path, line, "unavailable and removed must be lists of mappings")
    return given


def _text(path: Path, line: int, given: Mapping[str, Any], key: str) -> str | None:
    value = given.get(key)
    if value is not None and not isinstance(value, str):
        raise _broken(path, line, f"{key} must be text, not {value!r}")
    return value


def _rule(path: Path, line: int, entry: Mapping[str, Any]) -> Rule:
    resource, status = _text(path, line, entry, "resource"), entry.get("status")
    if not resource or status not in (403, 404, 500, 503):
        raise _broken(path, line, "an entry of unavailable needs a resource and a status of 403, 404, 500 or 503")
    return Rule(
        resource, status, _text(path, line, entry, "namespace") or "", _text(path, line, entry, "message") or ""
    )


def _removed(path: Path, line: int, entry: Mapping[str, Any]) -> Removed:
    kind, name = _text(path, line, entry, "kind"), _text(path, line, entry, "name")
    if not kind or not name:
        raise _broken(path, line, "an entry of removed needs a kind and a name")
    return Removed(kind, _text(path, line, entry, "namespace") or "", name)


def _logs(directory: Path) -> LogFiles:
    """Logs by (namespace, pod, container, previous)."""
    paths: dict[tuple[str, str, str, bool], Path] = {}
    for path in sorted(directory.glob("*/*/*.log")) if directory.is_dir() else ():
        namespace, pod, file = path.relative_to(directory).parts
        previous = file.endswith(".previous.log")
        container = file.removesuffix(".previous.log" if previous else ".log")
        paths[namespace, pod, container, previous] = path
    return LogFiles(paths, directory.is_dir())
