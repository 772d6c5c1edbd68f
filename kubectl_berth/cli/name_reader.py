"""The process that reads names for completion. It outlives the TAB that started it and holds none of its streams."""

from __future__ import annotations

import atexit
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from kubectl_berth.cli.asked import READ

if TYPE_CHECKING:
    from kubectl_berth.cluster.cluster import Cluster, Kind
    from kubectl_berth.environment import Environment
    from kubectl_berth.records import Object

KEPT = 600.0
"""Seconds for which names that were read are offered."""

READ_SECONDS = 8.0
"""A reader is gone after this long, whatever a server does; no second one is started in that time."""

MOST = 1000
"""Names that are kept of one list."""


def start(path: Path, request: Mapping[str, Any]) -> Callable[[], bool] | None:
    """Starts a reader that keeps its names at `path`. The answer says whether it is still at it; None where none is."""
    with suppress(OSError):
        # a fork has most of what it needs loaded; elsewhere the system's own libraries do not survive one
        return _forked(path, request) if sys.platform == "linux" else _spawned(path, request)
    return None


def _forked(path: Path, request: Mapping[str, Any]) -> Callable[[], bool]:
    reader = os.fork()
    if reader == 0:
        try:
            os.setsid()
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            carry_out(path, request)
        finally:
            os._exit(1)

    def going_on() -> bool:
        try:
            return os.waitpid(reader, os.WNOHANG) == (0, 0)
        except ChildProcessError:
            return False  # ended, where whoever started this process made it ignore the end of children

    return going_on


def _spawned(path: Path, request: Mapping[str, Any]) -> Callable[[], bool]:
    import subprocess

    frozen = getattr(sys, "frozen", False)
    # -P: a module in the working directory must not stand in for one of ours
    words = [sys.executable] if frozen else [sys.executable, "-P", "-m", "kubectl_berth.cli.completion"]
    detached: dict[str, Any] = (
        {"creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "DETACHED_PROCESS", 0)}
        if sys.platform == "win32"
        else {"start_new_session": True}
    )
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
    return lambda: reader.poll() is None


def carry_out(path: Path, request: Mapping[str, Any]) -> NoReturn:
    """Reads what was asked for, at most as long as a reader may take, and ends the process."""

    def work() -> None:
        from kubectl_berth.environment import Environment

        read_names(Environment.actual(), path, request)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(READ_SECONDS)
    # a credential plugin that is still waited for ends with this process
    atexit._run_exitfuncs()
    os._exit(0)


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
