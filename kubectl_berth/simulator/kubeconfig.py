"""A kubeconfig that points at a served snapshot."""

from __future__ import annotations

from pathlib import Path

from kubectl_berth.errors import UsageError

_MARK = "# Written by kubectl berth for a served snapshot; it may be written again."


def write_kubeconfig(path: Path, url: str, context: str, namespace: str) -> None:
    """Writes a kubeconfig whose only context, the current one, is the served snapshot. It holds no credentials.

    A file that something else wrote is never replaced: UsageError, as where it cannot be written.
    """
    import yaml

    entry = {"cluster": context, "user": context, "namespace": namespace}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": context, "cluster": {"server": url}}],
        "users": [{"name": context, "user": {}}],
        "contexts": [{"name": context, "context": entry}],
        "current-context": context,
    }
    try:
        if path.exists() and not path.read_bytes().startswith(_MARK.encode()):
            raise UsageError(f"{path} exists and is not a kubeconfig of a served snapshot; name a new file")
        path.write_text(f"{_MARK}\n{yaml.safe_dump(content, sort_keys=False)}", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write the kubeconfig {path}: {error.strerror}") from error
