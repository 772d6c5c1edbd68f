"""What a run would meet here: kubeconfig, cluster, rights, usage figures, engines, policy, budgets. Changes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from kubectl_berth.cluster.cluster import Discovery, Kind
from kubectl_berth.cluster.connection import Access, ConnectionOptions, resolve
from kubectl_berth.cluster.kinds import METRICS_KINDS
from kubectl_berth.cluster.kubeconfig import read_kubeconfig
from kubectl_berth.cluster.live import LiveCluster, reach
from kubectl_berth.cluster.names import read_list, ref_of
from kubectl_berth.diagnosis.place import require_among
from kubectl_berth.engines.found import Found, chosen, find_engines
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError, ExitStatus, NotServed, ReadError, UsageError
from kubectl_berth.investigation.admission import FIRST_PROMPT, PAID
from kubectl_berth.investigation.consent import raw_allowed
from kubectl_berth.investigation.rights import Rights, review
from kubectl_berth.knowledge.ledger import day_of, taken
from kubectl_berth.knowledge.store import FILE, Store, StoreError, data_directory
from kubectl_berth.records import Point
from kubectl_berth.settings import Settings
from kubectl_berth.tools.rights import Right, custom

NAMESPACE = Kind("", "v1", "Namespace", "namespaces", False)

SHOWN = 12
"""Resources in one line, at most."""

PATIENCE = 5.0
"""Seconds that one request to the API server may take unless --request-timeout says otherwise."""


def examine(connection: ConnectionOptions, settings: Settings, environment: Environment) -> Iterator[Point]:
    """Each point as it is known; rights are those in all namespaces, or in the one that `connection` names."""
    looked_at = "kubeconfig"
    try:
        access = resolve(connection, environment)
        if access.request_timeout is None:
            access = replace(access, request_timeout=PATIENCE)
        yield _kubeconfig(access, [str(path) for path in read_kubeconfig(connection.kubeconfig, environment).files])
        looked_at = "cluster"
        yield from _cluster(access, environment, narrowed=connection.namespace is not None)
    except BerthError as error:
        name = "kubeconfig" if isinstance(error, UsageError) else looked_at
        yield Point(name, "failed", str(error), status=error.exit_status)
    yield from _engines(settings, environment)


def _kubeconfig(access: Access, files: Sequence[str]) -> Point:
    user = f"user {access.user}" if access.user else "no user"
    words = f"context {access.context}, {user}, namespace {access.namespace}, server {access.server}"
    lines = [f"read from {', '.join(files)}"] if files else []
    if access.impersonation:
        lines.append("acting as " + ", ".join(value for _, value in access.impersonation))
    if access.insecure:
        lines.append("the server's certificate is not checked: anybody on the way can read what is sent")
    details = {
        "files": list(files),
        "context": access.context,
        "user": access.user,
        "namespace": access.namespace,
        "server": access.server,
    }
    return Point("kubeconfig", "note" if access.insecure else "ok", words, tuple(lines), details)


def _cluster(access: Access, environment: Environment, *, narrowed: bool) -> Iterator[Point]:
    started = environment.monotonic()
    cluster = reach(access, environment)
    took = environment.monotonic() - started
    # side by side: what does not answer is waited for once
    with closing(cluster), _unawaited(ThreadPoolExecutor(2)) as pool:
        version = cluster.name().version
        words = f"answers in {took:.2f} s, {version or 'keeps its version to itself'}"
        yield Point("cluster", "ok", words, details={"version": version, "seconds": round(took, 3)})
        if narrowed and (gone := _no_namespace(cluster)):
            yield gone
            return
        discovery = pool.submit(_discovery, cluster)
        metrics = pool.submit(_metrics, cluster)
        rights = review(cluster, narrowed, environment.monotonic)
        yield from _rights(rights, narrowed)
        yield _kinds(discovery.result(), rights)
        yield metrics.result()


@contextmanager
def _unawaited(pool: ThreadPoolExecutor) -> Iterator[ThreadPoolExecutor]:
    """A pool of which nothing is waited for at the end: after Ctrl-C it would be in vain."""
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _no_namespace(cluster: LiveCluster) -> Point | None:
    """That the namespace asked for is not there; None where it is, or the namespaces may not be read."""
    wanted = cluster.name().namespace
    found, gaps = read_list(cluster, NAMESPACE)
    try:
        if not gaps:
            require_among(wanted, {ref_of(each).name for each in found})
    except UsageError as error:
        return Point("namespace", "failed", str(error), details={"namespace": wanted}, status=error.exit_status)
    return None


def _rights(rights: Rights, narrowed: bool) -> Iterator[Point]:
    lines = []
    if rights.missing:
        lines.append(f"may not read: {_some(rights.missing)}")
    if rights.only_here:
        lines.append(f"in namespace {rights.namespace} alone: {_some(rights.only_here)}")
    if rights.unknown:
        lines.append(f"not known: {_some(rights.unknown)} ({rights.why})")
    where = f"in namespace {rights.namespace}" if narrowed else "in all namespaces"
    words = f"everything that the tools read {where}"
    if rights.unknown and not (rights.missing or rights.only_here):
        words = f"not known whether everything that the tools read {where} may be read"
    elif lines:
        words = f"not everything that the tools read {where}; answers name what is missing (kubectl berth rbac)"
    status = ExitStatus.ERROR if lines else ExitStatus.OK
    state = "missing" if lines else "ok"
    if elsewhere := [right for right in rights.known_here if right.namespaced and not narrowed]:
        state = "note" if state == "ok" else state
        words = words if lines else f"everything that the tools read in namespace {rights.namespace}"
        lines.append(f"of other namespaces it is not known for {_some(elsewhere)} ({rights.why})")
    details = {
        "namespace": rights.namespace if narrowed else None,
        "missing": [str(right) for right in rights.missing],
        "only_in_namespace": [str(right) for right in rights.only_here],
        "unknown": [str(right) for right in rights.unknown],
        "unknown_elsewhere": [str(right) for right in elsewhere],
    }
    yield Point("rights", state, words, tuple(lines), details, status)
    more = (f"the list may lack some: {rights.incomplete}",) if rights.incomplete else ()
    details = {"namespace": rights.namespace, "excess": list(rights.excess), "incomplete": rights.incomplete or None}
    if rights.excess:
        words = "berth needs none of these; kubectl berth rbac prints a role without them"
        lines = [*rights.excess, *more]
        yield Point("more rights than needed", "note", words, tuple(lines), details)
    else:
        words = "not known" if more else f"none in namespace {rights.namespace}"
        yield Point("more rights than needed", "note" if more else "ok", words, more, details)


def _some(rights: Sequence[Right]) -> str:
    """The first of them; the document has all."""
    more = f" and {len(rights) - SHOWN} more" if len(rights) > SHOWN else ""
    return ", ".join(map(str, rights[:SHOWN])) + more


def _discovery(cluster: LiveCluster) -> Discovery | ReadError:
    try:
        return cluster.kinds()
    except ReadError as error:
        return error


def _kinds(discovery: Discovery | ReadError, rights: Rights) -> Point:
    if isinstance(discovery, ReadError):
        return Point("kinds", "missing", str(discovery), status=ExitStatus.ERROR)
    own = custom(discovery.kinds)
    closed = [right for right in own if not rights.readable(right.group, right.resource)]
    words = f"{len(discovery.kinds)} served, {len(own)} of them custom"
    lines = [f"{gap.what} does not answer ({gap.detail or gap.why})" for gap in discovery.gaps]
    if closed:
        lines.append(f"custom ones that may not be read: {_some(closed)} (kubectl berth rbac --custom)")
    details = {
        "custom": len(own),
        "custom_not_readable": [str(right) for right in closed],
        "not_answering": [gap.what for gap in discovery.gaps],
    }
    return Point("kinds", "note" if lines else "ok", words, tuple(lines), details)


def _metrics(cluster: LiveCluster) -> Point:
    try:
        first = next(cluster.list(METRICS_KINDS[0]), None)
    except NotServed:
        return Point("usage figures", "note", "no metrics server: sizing and capacity go by requests alone")
    except ReadError as error:
        return Point("usage figures", "note", str(error))
    if first is None:
        return Point("usage figures", "note", "the metrics server has no figures for any node")
    return Point("usage figures", "ok", "metrics.k8s.io answers")


def _engines(settings: Settings, environment: Environment) -> Iterator[Point]:
    try:
        found = find_engines(settings, environment)
    except UsageError as error:
        yield Point("engine", "failed", str(error), status=error.exit_status)
        yield _budget(settings.engine, settings, environment)
        return
    one = chosen(settings, found)
    lines = tuple(f"{'+' if each.usable else '-'} {_engine(each)}: {each.words}" for each in found)
    details = {
        "engine": one.name,
        "model": one.model or None,
        "source": settings.source("engine"),
        "engines": [
            {"name": e.name, "usable": e.usable, "model": e.model or None, "models": list(e.models), "why": e.words}
            for e in found
        ],
    }
    words = f"a run takes {_engine(one)}" + (" (auto)" if settings.engine == "auto" else "")
    if one.usable:
        yield Point("engine", "ok", words, lines, details)
    else:
        words = f"a run would take {one.name}, which cannot be used: {one.words}"
        yield Point("engine", "failed", words, lines, details, ExitStatus.NO_ANSWER)
    yield _policy(one, settings, environment)
    yield _budget(one.name, settings, environment)


def _engine(found: Found) -> str:
    return f"{found.name} ({found.model})" if found.model else found.name


def _policy(engine: Found, settings: Settings, environment: Environment) -> Point:
    """Whether logs and descriptions may go to the engine, and who says so."""
    if engine.name in PAID and not engine.host:
        return Point("data policy", "note", f"nothing is sent: where {engine.name} would be asked is not known")
    allowed = raw_allowed(settings, engine.host, environment)
    where = engine.host or "this machine"
    verb = "may" if allowed else "may not"
    words = f"logs and descriptions {verb} go to {engine.name} on {where}"
    if settings.raw_diagnostics is not None:
        words += f" ({settings.source('raw_diagnostics')})"
    elif engine.host and not allowed:
        words += " (default; AI_ALLOW_RAW_DIAGNOSTICS=true or --allow-raw-diagnostics allows it)"
    elif engine.host:
        words += " (you always allow this host)"
    lines = ("secrets are masked in all that is sent; Secrets and ConfigMaps are never read",)
    details = {"raw_diagnostics": allowed, "host": engine.host or None, "source": settings.source("raw_diagnostics")}
    return Point("data policy", "ok", words, lines, details)


def _budget(engine: str, settings: Settings, environment: Environment) -> Point:
    """What is left of the budgets; spent ones hold only an engine that costs money."""
    day = day_of(environment.wall())
    limits = (("today", day, settings.budget_daily_tokens), ("this month", day[:7], settings.budget_monthly_tokens))
    details: dict[str, Any] = {}
    words = []
    try:
        directory = data_directory(settings, environment)
        store = Store(directory / FILE)
        for name, period, limit in limits:
            if limit is not None:
                left = max(limit - taken(store, period), 0)
                details[name.replace(" ", "_")] = {"limit": limit, "left": left}
                words.append(f"{left:,} of {limit:,} tokens left {name}")
    except StoreError as error:
        return Point("budget", "missing", str(error), status=ExitStatus.ERROR)
    if engine in PAID and not _writable(directory):
        lost = (
            f"what model calls take cannot be written to {directory}, and then no paid engine is asked: set AI_DATA_DIR"
        )
        return Point("budget", "failed", lost, details=details, status=ExitStatus.OVER_BUDGET)
    if settings.max_cost is not None:
        words.append(f"at most ${settings.max_cost:g} a run")
    first = settings.reserve_tokens if settings.reserve_tokens is not None else FIRST_PROMPT + settings.max_tokens
    short = any(each["left"] < first for each in details.values())
    said = "; ".join(words) or "no limit is set"
    if not short:
        return Point("budget", "ok", said, details=details)
    lines = (f"a first model call may take {first:,}",)
    if engine not in PAID:
        return Point("budget", "note", said, (*lines, f"{engine} costs nothing and is not held"), details)
    return Point("budget", "failed", said, lines, details, ExitStatus.OVER_BUDGET)


def _writable(directory: Path) -> bool:
    """Whether files can be made in the directory, or it can be made itself."""
    there = next((each for each in (directory, *directory.parents) if each.exists()), None)
    return there is not None and there.is_dir() and os.access(there, os.W_OK | os.X_OK)
