"""Names of the cluster for completion: kept for minutes in the user's cache, read by a process of its own.

To reach a cluster takes longer than anybody waits for a TAB. So the one that completes only looks at what is kept,
starts a reader where that is old or missing, waits for it a moment, and goes without. Only names are kept: of
namespaces, kinds, objects and models, in files that the user alone can read.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubectl_berth.cli.asked import BEGAN
from kubectl_berth.cli.name_reader import KEPT, READ_SECONDS, start

if TYPE_CHECKING:
    from kubectl_berth.cli.sources import Source
    from kubectl_berth.environment import Environment

FRESH = 30.0
"""Seconds for which names are not read again; they are offered for KEPT."""

WAIT = 0.2
"""Seconds after the process began until which a TAB waits for names."""


def source_in(parameters: Mapping[str, Any]) -> Source:
    """Which cluster the words on the line name."""
    from kubectl_berth.cli.sources import Source
    from kubectl_berth.cluster.overrides import Overrides

    fields = Overrides.__dataclass_fields__
    given: dict[str, Any] = {name: parameters.get(name) or fields[name].default for name in fields}
    words = {name: parameters[name] for name in Source.__dataclass_fields__ if parameters.get(name)}
    return Source(**words, overrides=Overrides(**given))


def known_names(source: Source, topic: Sequence[str], environment: Environment) -> list[str]:
    """What is known of `topic`: ("namespaces",), ("kinds",), ("workloads", namespace) or ("names", kind, namespace).

    With a token or password on the line nothing is: neither is handed to another process.
    """
    over = source.overrides
    if over.token or over.password:
        return []
    identity = _identity(source, environment)
    given = {name: getattr(over, name) for name in over.__dataclass_fields__ if getattr(over, name)}
    words = {
        name: value
        for name in ("kube_context", "namespace", "kubeconfig", "snapshot", "scenario", "twin")
        if (value := getattr(source, name))
    }
    return _kept([*identity, *topic], {"source": words, "overrides": given, "topic": list(topic)}, environment)


def known_models(environment: Environment) -> list[str]:
    """The models of the Ollama server that the settings name."""
    from kubectl_berth.engines.ollama_host import address
    from kubectl_berth.settings import resolve

    url = address(resolve({}, None, environment).ollama_host)
    return _kept(["ollama", url], {"topic": ["models", url]}, environment)


def _identity(source: Source, environment: Environment) -> list[str]:
    """What tells this cluster, as this user sees it, from others."""
    if source.snapshot or source.scenario:
        here = str(Path(source.snapshot).resolve()) if source.snapshot else f"{source.scenario} {source.twin}"
        return ["offline", here]
    from kubectl_berth.cluster.kubeconfig import read_kubeconfig

    kubeconfig = read_kubeconfig(source.kubeconfig, environment)
    over = source.overrides
    name = source.kube_context or kubeconfig.current_context
    context = kubeconfig.contexts.get(name)
    cluster = kubeconfig.clusters.get(over.cluster or (context.cluster if context else ""))
    user = over.user or over.username or over.client_certificate or (context.user if context else "")
    server = over.server or (cluster.server if cluster else "")
    acting = [over.impersonate, over.impersonate_uid, *over.impersonate_groups, *over.impersonate_extra]
    return ["live", name, server, user, *acting]


def _kept(key: Sequence[str], request: Mapping[str, Any], environment: Environment) -> list[str]:
    import hashlib

    directory = _directory(environment)
    path = directory / f"{hashlib.sha256(json.dumps(list(key)).encode()).hexdigest()[:32]}.json"
    names, age = _read(path)
    if age <= FRESH:
        return names
    reading = _reading(path, request)
    if age <= KEPT:
        return names
    while time.monotonic() < BEGAN + WAIT:
        going_on = reading is None or reading()
        names, age = _read(path)
        if age <= KEPT:
            return names
        if not going_on:
            break  # it could not read them
        time.sleep(0.005)
    return []


def _reading(path: Path, request: Mapping[str, Any]) -> Callable[[], bool] | None:
    """Starts a reader, unless one was started just now; the answer says whether it is still at it."""
    mark = path.with_suffix(".asked")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if mark.exists() and time.time() - mark.stat().st_mtime < READ_SECONDS:
            return None
        mark.touch(0o600)
    except OSError:
        return None  # without a cache nothing can be handed over
    return start(path, request)


def _directory(environment: Environment) -> Path:
    chosen = environment.variable("XDG_CACHE_HOME")
    if chosen:
        return Path(chosen) / "kubectl-berth" / "completion"
    import platformdirs

    return Path(platformdirs.user_cache_dir("kubectl-berth", appauthor=False)) / "completion"


def _read(path: Path) -> tuple[list[str], float]:
    """The names kept there and their age in seconds, infinite where there are none."""
    try:
        age = max(time.time() - path.stat().st_mtime, 0.0)
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return [], float("inf")
    return [name for name in content if isinstance(name, str)] if isinstance(content, list) else [], age
