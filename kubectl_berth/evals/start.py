"""Starts a scenario of somebody's own from a snapshot."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.cluster.snapshot_files import ABOUT, documents
from kubectl_berth.errors import UsageError
from kubectl_berth.safety.refuse import refused_kind
from kubectl_berth.scenarios.reader import FILE

TEMPLATE = """\
apiVersion: berth.dev/v1
kind: Scenario
title: {title}
question: {question}
category: diagnosis
namespace: {namespace}
toolCalls: 6          # what a good answer needs at most

# What a right answer holds: docs/scenarios.md has every kind of check.
#
# checks:
#   cause:
#     finding: {{kind: Deployment, namespace: shop, name: api, reasons: [OOMKilled], cause: true}}
#   limit:
#     number: {{value: 256Mi}}
#   not-lowered:
#     not_action: {{field: limits.memory, direction: lower}}
#
# At least three answers of each kind, in different words: kubectl berth scenario lint scores them.
#
# answers:
#   right:
#   - api is OOMKilled at its memory limit of 256Mi; raise it to 512Mi.
#   wrong:
#   - The liveness probe kills api.
"""


def start(directory: Path, snapshot: Path, question: str) -> list[str]:
    """Makes a scenario of a snapshot directory; what was left out of it, one line each.

    Values of Secrets and ConfigMaps are left out: nothing reads them, and a scenario is made to be handed on. Raises
    UsageError where the directory is there already, or the snapshot cannot be read.
    """
    cluster = open_snapshot([snapshot])
    if cluster.empty:
        raise UsageError(f"{snapshot} holds no Kubernetes objects that berth reads: a scenario needs a cluster")
    if directory.exists():
        raise UsageError(f"{directory} is there already: name a new directory")
    if snapshot.resolve() in (directory.resolve(), *directory.resolve().parents):
        raise UsageError(f"{directory} lies in the snapshot itself: name a directory outside of it")
    try:
        left_out = _copy(snapshot, directory / "cluster")
        _about(cluster, snapshot, directory / "cluster" / ABOUT)
        (directory / FILE).write_text(
            TEMPLATE.format(
                title=_quoted(directory.name),
                question=_quoted(question or "What is wrong?"),
                namespace=cluster.name().namespace,
            ),
            encoding="utf-8",
        )
    except OSError as error:
        raise UsageError(f"{error.filename or directory} cannot be written: {error.strerror or error}") from error
    return left_out


def _copy(snapshot: Path, target: Path) -> list[str]:
    """Every file of the snapshot, those with Secrets or ConfigMaps written anew without their values."""
    left_out = []
    target.mkdir(parents=True)
    for path in sorted(snapshot.rglob("*")):
        parts = path.relative_to(snapshot).parts
        if not path.is_file() or any(part.startswith(".") for part in parts):
            continue
        copy = target.joinpath(*parts)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in (".yaml", ".yml", ".json") and parts[0] != "logs":
            emptied = _emptied(path, copy)
            left_out += [f"values of {name} ({'/'.join(parts)})" for name in emptied]
        elif parts[0] == "logs":
            shutil.copyfile(path, copy)
    return left_out


def _emptied(path: Path, copy: Path) -> list[str]:
    """Copies a file of objects; the names of those whose values were left out."""
    import json

    import yaml

    written = [document for _, document in documents(path)]
    names = [name for document in written for name in _empty(document)]
    if not names:
        shutil.copyfile(path, copy)
    elif path.suffix == ".json":
        copy.write_text(json.dumps(written[0], indent=1), encoding="utf-8")
    else:
        copy.write_text(yaml.safe_dump_all(written, sort_keys=False), encoding="utf-8")
    return names


def _empty(document: Any, kind: str = "") -> Iterator[str]:
    """Takes the values out of Secrets and ConfigMaps, in Lists too."""
    if not isinstance(document, dict):
        return
    kind = str(document.get("kind") or kind)
    if kind.endswith("List") and isinstance(document.get("items"), list):
        for item in document["items"]:
            yield from _empty(item, kind.removesuffix("List"))
        return
    if not refused_kind([kind]):
        return
    metadata = document.get("metadata") if isinstance(document.get("metadata"), dict) else {}
    for field in ("data", "stringData", "binaryData"):
        document.pop(field, None)
    if isinstance(metadata, dict):
        # kubectl apply keeps a copy of the values there
        metadata.pop("annotations", None)
        metadata.pop("managedFields", None)
        yield f"{kind} {metadata.get('namespace', '')}/{metadata.get('name', '')}"


def _about(cluster: Cluster, snapshot: Path, target: Path) -> None:
    """Gives a directory of plain manifests its moment; a snapshot has its own."""
    if (snapshot / ABOUT).exists():
        return
    target.write_text(
        f"apiVersion: berth.dev/v1\nkind: Snapshot\nserverVersion: {cluster.name().version}\n"
        f'time: "{cluster.now():%Y-%m-%dT%H:%M:%SZ}"\n',
        encoding="utf-8",
    )


def _quoted(text: str) -> str:
    """A text as YAML holds it in one line."""
    import json

    return json.dumps(" ".join(text.split()), ensure_ascii=False)
