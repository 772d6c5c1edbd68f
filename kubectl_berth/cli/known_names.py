"""Names of the cluster for completion: kept for minutes in the user's cache, read by a process of its own.

To reach a cluster takes longer than anybody waits for a TAB. So the one that completes only looks at what is kept,
starts a reader where that is old or missing, waits for it a moment, and goes without. Only names are kept: of
namespaces, kinds, objects and models, in files that the user alone can read.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubectl_berth.cli.asked import READ

if TYPE_CHECKING:
    from subprocess import Popen

    from kubectl_berth.cli.sources import Source
    from kubectl_berth.cluster.cluster import Cluster, Kind
    from kubectl_berth.environment import Environment
    from kubectl_berth.records import Object

KEPT = 600.0
FRESH = 30.0
"""Seconds: how long names are offered, and how long they are not read again."""

WAIT = 0.22
"""Seconds after this module was loaded, which is the first thing a TAB does, until which it waits for names."""

_LOADED = time.monotonic()

READ_SECONDS = 8.0
"""A reader is gone after this long, whatever a server does; no second one is started in that time."""

MOST = 1000
"""Names that are kept of one list."""


# --- the one that completes ------------------------------------------------------------------------------------------


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
    reader = _start(path, request)
    if age <= KEPT:
        return names
    while time.monotonic() < _LOADED + WAIT:
        ended = reader is not None and reader.poll() is not None
        names, age = _read(path)
        if age <= KEPT:
            return names
        if ended:
            break  # it could not read them
        time.sleep(0.005)
    return []


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


def _start(path: Path, request: Mapping[str, Any]) -> Popen[bytes] | None:
    """Starts a reader, unless one was started just now; it outlives this process and holds none of its streams."""
    import subprocess

    mark = path.with_suffix(".asked")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if mark.exists() and time.time() - mark.stat().st_mtime < READ_SECONDS:
            return None
        mark.touch(0o600)
    except OSError:
        return None  # without a cache nothing can be handed over
    frozen = getattr(sys, "frozen", False)
    # -P: a module in the working directory must not stand in for one of ours
    words = [sys.executable] if frozen else [sys.executable, "-P", "-m", "kubectl_berth.cli.completion"]
    detached: dict[str, Any] = (
        {"creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "DETACHED_PROCESS", 0)}
        if sys.platform == "win32"
        else {"start_new_session": True}
    )
    with suppress(OSError):
        reader = subprocess.Popen(
            words,
            env={**os.environ, READ: str(path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **detached,
        )
        if reader.stdin is not None:
            reader.stdin.write(json.dumps(request).encode())
            reader.stdin.close()
        return reader
    return None


# --- the one that reads ----------------------------------------------------------------------------------------------


def read_names(environment: Environment, path: Path, request: Mapping[str, Any]) -> None:
    """Reads what was asked for and keeps it at `path`; forgets what is too old to be offered."""
    names = sorted(set(_asked(environment, request)))[:MOST]
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.touch(0o600)
    unfinished.write_text(json.dumps(names))
    unfinished.replace(path)
    for other in path.parent.iterdir():
        with suppress(OSError):
            if time.time() - other.stat().st_mtime > KEPT:
                other.unlink()


def _asked(environment: Environment, request: Mapping[str, Any]) -> Iterable[str]:
    topic: list[str] = request["topic"]
    if topic[0] == "models":
        from kubectl_berth.engines.ollama_models import models

        found = models(topic[1], READ_SECONDS / 2)
        return found.with_tools if found else ()
    cluster = _open(environment, request)
    try:
        if topic[0] == "kinds":
            return kind_words(cluster.kinds().kinds)
        if topic[0] == "namespaces":
            return _names(cluster, "namespaces", None)
        if topic[0] == "workloads":
            return _workloads(cluster, topic[1] or None)
        return _names(cluster, topic[1], topic[2] or None)
    finally:
        cluster.close()


def _open(environment: Environment, request: Mapping[str, Any]) -> Cluster:
    from kubectl_berth.cli.sources import Source, connection_of, load_scenario, opener
    from kubectl_berth.cluster.overrides import Overrides

    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in request["overrides"].items()
    }
    source = Source(**request["source"], request_timeout=READ_SECONDS / 2, overrides=Overrides(**given))
    if source.snapshot or source.scenario:
        return opener(source, load_scenario(source), environment)()
    from kubectl_berth.cluster.live import connect

    return connect(connection_of(source), environment, light=True)


def _names(cluster: Cluster, word: str, namespace: str | None) -> list[str]:
    names = (
        str((thing.get("metadata") or {}).get("name")) for thing in islice(_listed(cluster, word, namespace), MOST)
    )
    return [name for name in names if re.fullmatch(r"[\w.:-]{1,253}", name, re.ASCII)]


def _workloads(cluster: Cluster, namespace: str | None) -> Iterator[str]:
    """The names that people call a thing by. A kind that may not be listed is left out."""
    from kubectl_berth.errors import ReadError

    for word in ("deployments", "statefulsets", "daemonsets", "cronjobs"):
        with suppress(ReadError):
            yield from _names(cluster, word, namespace)


def _listed(cluster: Cluster, word: str, namespace: str | None) -> Iterable[Object]:
    """The objects of a kind; what Kubernetes itself has is listed without asking first which kinds there are."""
    from kubectl_berth.cluster.cluster import Discovery
    from kubectl_berth.cluster.kinds import NEWEST, builtin_kinds
    from kubectl_berth.cluster.names import resolve_kind
    from kubectl_berth.errors import NotServed

    own = resolve_kind(word, Discovery(builtin_kinds(NEWEST)))
    if own is not None:
        with suppress(NotServed):
            return cluster.list(own, namespace if own.namespaced else None)
    kind = resolve_kind(word, cluster.kinds())
    return cluster.list(kind, namespace if kind.namespaced else None) if kind else ()


def kind_words(kinds: Iterable[Kind]) -> list[str]:
    """What kinds that can be listed are called in lower case: by the group too where two are called the same."""
    from kubectl_berth.safety.refuse import refused_kind

    words: dict[str, str] = {}
    for kind in kinds:
        word = kind.singular or kind.kind.lower()
        if "list" not in kind.verbs or refused_kind((kind.kind, kind.plural, word, *kind.short_names)):
            continue
        if words.setdefault(word, kind.group) != kind.group and not kind.builtin:
            words.setdefault(f"{kind.plural}.{kind.group}", kind.group)
    return list(words)
