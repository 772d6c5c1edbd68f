"""What a run would meet here: kubeconfig, cluster, rights, usage figures, engines, policy, budgets. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kubectl_berth.cluster.connection import Access
from kubectl_berth.cluster.kinds import METRICS_KINDS
from kubectl_berth.cluster.live import LiveCluster
from kubectl_berth.engines.found import Found, chosen, find_engines
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError, ExitStatus, NotServed, ReadError, UsageError
from kubectl_berth.investigation.consent import raw_allowed
from kubectl_berth.investigation.rights import Rights, review
from kubectl_berth.knowledge.ledger import day_of, taken
from kubectl_berth.knowledge.store import FILE, Store, StoreError, data_directory
from kubectl_berth.settings import Settings
from kubectl_berth.tools.rights import Right

SHOWN = 12
"""Resources in one line, at most."""


@dataclass(frozen=True)
class Point:
    """One thing that was looked at. `state` is ok, note (nothing to mend), missing or failed; `lines` say more.

    `status` is the exit status that it calls for.
    """

    name: str
    state: str
    words: str
    lines: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    status: ExitStatus = ExitStatus.OK


def examine(
    find: Callable[[], Access],
    connect: Callable[[], LiveCluster],
    settings: Settings,
    environment: Environment,
    *,
    narrowed: bool,
) -> Iterator[Point]:
    """Each point as it is known. `find` reads the kubeconfig, `connect` reaches the cluster; `narrowed` by -n."""
    try:
        access = find()
        yield _kubeconfig(access)
        yield from _cluster(connect, environment, narrowed)
    except BerthError as error:
        name = "kubeconfig" if isinstance(error, UsageError) else "cluster"
        yield Point(name, "failed", str(error), status=error.exit_status)
    yield from _engines(settings, environment)
    yield _budget(settings, environment)


def _kubeconfig(access: Access) -> Point:
    user = f"user {access.user}" if access.user else "no user"
    words = f"context {access.context}, {user}, namespace {access.namespace}, server {access.server}"
    lines = []
    if access.impersonation:
        lines.append("acting as " + ", ".join(f"{value}" for _, value in access.impersonation))
    if access.insecure:
        lines.append("the server's certificate is not checked: anybody on the way can read what is sent")
    details = {"context": access.context, "user": access.user, "namespace": access.namespace, "server": access.server}
    return Point("kubeconfig", "note" if access.insecure else "ok", words, tuple(lines), details)


def _cluster(connect: Callable[[], LiveCluster], environment: Environment, narrowed: bool) -> Iterator[Point]:
    started = environment.monotonic()
    cluster = connect()
    took = environment.monotonic() - started
    try:
        version = cluster.name().version
        words = f"answers in {took:.2f} s, {version or 'keeps its version to itself'}"
        yield Point("cluster", "ok", words, details={"version": version, "seconds": round(took, 3)})
        yield from _rights(review(cluster, narrowed, environment.monotonic), narrowed)
        yield _kinds(cluster)
        yield _metrics(cluster)
    finally:
        cluster.close()


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
    if lines:
        words = f"not everything that the tools read {where}; answers name what is missing (kubectl berth rbac)"
    details = {
        "namespace": rights.namespace if narrowed else None,
        "missing": [str(right) for right in rights.missing],
        "only_in_namespace": [str(right) for right in rights.only_here],
        "unknown": [str(right) for right in rights.unknown],
    }
    status = ExitStatus.ERROR if lines else ExitStatus.OK
    yield Point("rights", "missing" if lines else "ok", words, tuple(lines), details, status)
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


def _kinds(cluster: LiveCluster) -> Point:
    try:
        discovery = cluster.kinds()
    except ReadError as error:
        return Point("kinds", "missing", str(error), status=ExitStatus.ERROR)
    custom = [kind for kind in discovery.kinds if not kind.builtin and kind.preferred]
    words = f"{len(discovery.kinds)} served, {len(custom)} of them custom"
    lines = tuple(f"{gap.what} does not answer ({gap.detail or gap.why})" for gap in discovery.gaps)
    details = {"custom": len(custom), "not_answering": [gap.what for gap in discovery.gaps]}
    return Point("kinds", "note" if lines else "ok", words, lines, details)


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
        return
    one = chosen(settings, environment, found)
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


def _engine(found: Found) -> str:
    return f"{found.name} ({found.model})" if found.model else found.name


def _policy(engine: Found, settings: Settings, environment: Environment) -> Point:
    """Whether logs and descriptions may go to the engine, and who says so."""
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


def _budget(settings: Settings, environment: Environment) -> Point:
    day = day_of(environment.wall())
    limits = (("today", day, settings.budget_daily_tokens), ("this month", day[:7], settings.budget_monthly_tokens))
    details: dict[str, Any] = {}
    words = []
    try:
        store = Store(data_directory(settings, environment) / FILE)
        for name, period, limit in limits:
            if limit is not None:
                left = max(limit - taken(store, period), 0)
                details[name.replace(" ", "_")] = {"limit": limit, "left": left}
                words.append(f"{left:,} of {limit:,} tokens left {name}")
    except StoreError as error:
        return Point("budget", "missing", str(error), status=ExitStatus.ERROR)
    spent = any(each["left"] == 0 for each in details.values())
    status = ExitStatus.OVER_BUDGET if spent else ExitStatus.OK
    state = "failed" if spent else "ok"
    return Point("budget", state, "; ".join(words) or "no limit is set", details=details, status=status)
