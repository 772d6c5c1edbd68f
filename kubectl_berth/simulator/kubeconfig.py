"""A kubeconfig that points at a served snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kubectl_berth.errors import UsageError

_MARK = "# Written by kubectl berth for a served snapshot; it may be written again."


@dataclass(frozen=True)
class Served:
    """One served snapshot: its URL, the name of its context, its default namespace."""

    url: str
    context: str
    namespace: str


def write_kubeconfig(path: Path, url: str, context: str, namespace: str) -> None:
    """Writes a kubeconfig whose only context, the current one, is the served snapshot. It holds no credentials.

    A file that something else wrote is never replaced: UsageError, as where it cannot be written.
    """
    write_kubeconfigs(path, [Served(url, context, namespace)])


def write_kubeconfigs(path: Path, served: Sequence[Served]) -> None:
    """The same for several: a context each. None of several is the current one, so that none is read by mistake."""
    import yaml

    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": each.context, "cluster": {"server": each.url}} for each in served],
        "users": [{"name": each.context, "user": {}} for each in served],
        "contexts": [
            {
                "name": each.context,
                "context": {"cluster": each.context, "user": each.context, "namespace": each.namespace},
            }
            for each in served
        ],
        "current-context": served[0].context if len(served) == 1 else "",
    }
    try:
        if path.exists() and not path.read_bytes().startswith(_MARK.encode()):
            raise UsageError(f"{path} exists and is not a kubeconfig of a served snapshot; name a new file")
        path.write_text(f"{_MARK}\n{yaml.safe_dump(content, sort_keys=False)}", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write the kubeconfig {path}: {error.strerror}") from error
