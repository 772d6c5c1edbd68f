"""Runs the checks on a cluster, or on one object of it, without a question and without a model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from kubectl_berth.cluster.cluster import Cluster, Kind
from kubectl_berth.cluster.names import kinds_named, locate, near_kinds
from kubectl_berth.cluster.scope import scope_of
from kubectl_berth.diagnosis.diagnose import diagnose
from kubectl_berth.diagnosis.family import concerning, family_of, inside
from kubectl_berth.diagnosis.inventory import Inventory, take
from kubectl_berth.diagnosis.place import require_namespace, unproven
from kubectl_berth.engines.rules.orders import without_orders
from kubectl_berth.errors import ClusterUnreachable, Interrupted, ReadError, Refused, UsageError
from kubectl_berth.investigation.stopping import TICK, on_signals
from kubectl_berth.records import Checked, Finding, Gap, Ref
from kubectl_berth.safety.gate import clean
from kubectl_berth.safety.refuse import check_kind, check_name

LOOKED_AT = (
    "nodes", "namespaces", "pods", "workloads", "jobs", "cron_jobs", "services", "ingresses", "claims", "autoscalers",
    "budgets", "custom", "events",
)  # fmt: skip
"""What an inventory holds that is worth counting for a person."""

ORDERS = (
    "text that gives orders to its reader was left out of {places}: it is data of the cluster, and somebody wrote it "
    "there; find out who"
)


@dataclass(frozen=True)
class Target:
    """The object that a person named: `kind` is the word for it, "" where only a name was given."""

    name: str
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}" if self.kind else self.name


def target_of(words: Sequence[str]) -> Target | None:
    """What was typed: nothing, "NAME", "KIND/NAME" or "KIND", "NAME". Raises UsageError for anything else."""
    if not words:
        return None
    kind, slash, name = words[0].partition("/")
    if len(words) > 2 or (slash and len(words) > 1):
        raise UsageError("check takes one object at a time: KIND/NAME or NAME")
    if len(words) == 2:
        kind, slash, name = words[0], "/", words[1]
    target = Target(name, kind) if slash else Target(kind)
    try:
        if target.kind:
            check_kind(target.kind)
        check_name(target.name)
    except Refused as error:
        raise UsageError(str(error)) from None
    return target


@dataclass
class _Run:
    """What the worker got to."""

    done: threading.Event = field(default_factory=threading.Event)
    stopped: bool = False
    cluster: Cluster | None = None
    checked: Checked | None = None
    failure: BaseException | None = None

    def halt(self) -> None:
        """From a signal handler: nobody waits for the worker any more."""
        self.stopped = True
        self.done.set()


def check(open_cluster: Callable[[], Cluster], target: Target | None = None, namespace: str | None = None) -> Checked:
    """What the checks find in a cluster, in one namespace, or about one object.

    Raises UsageError for a name that nothing bears, ClusterUnreachable where nothing could be read, Interrupted at
    Ctrl-C or SIGTERM, within a second whatever a server does.
    """
    run = _Run()
    worker = threading.Thread(
        target=_work, args=(run, open_cluster, target, namespace), name="berth-check", daemon=True
    )
    with on_signals(run.halt):
        worker.start()
        while not run.done.wait(TICK):
            continue
    if run.cluster is not None:
        run.cluster.close()
    if run.checked is not None:
        return run.checked
    # what fails after Ctrl-C fails for the connections that were closed
    if run.failure is not None and not run.stopped:
        raise run.failure
    raise Interrupted("interrupted before anything was found")


def _work(run: _Run, open_cluster: Callable[[], Cluster], target: Target | None, namespace: str | None) -> None:
    try:
        run.cluster = open_cluster()
        run.checked = examine(run.cluster, target, namespace)
    except ReadError as error:  # discovery: without it nothing was checked, which is no finding
        run.failure = ClusterUnreachable(f"nothing was checked, for the cluster cannot be read: {error}")
    except BaseException as error:  # whatever it is, the main thread has to hear of it
        run.failure = error
    finally:
        run.done.set()


def examine(cluster: Cluster, target: Target | None = None, namespace: str | None = None) -> Checked:
    """Reads every list once, runs the checks and picks what concerns the target or the namespace."""
    namespace = scope_of(cluster, namespace)
    kinds = _kinds(cluster, target) if target is not None and target.kind else ()
    inventory = take(cluster, namespace)
    _readable(inventory, namespace)
    found = diagnose(inventory)
    remarks: list[str] = []
    targets: tuple[Ref, ...] = ()
    gaps = [*inventory.gaps, *unproven(inventory, namespace)]
    if target is not None:
        targets, more = _targets(cluster, target, kinds, namespace, inventory)
        remarks += more
        gaps += _unchecked(targets, inventory)
        found = _about(targets, found, inventory)
    elif namespace is not None:
        found = inside(found, [namespace])
    findings, hidden = _cleaned(found)
    if hidden:
        remarks.append(ORDERS.format(places=", ".join(hidden[:4])))
    return Checked(
        cluster.name(),
        findings,
        tuple(dict.fromkeys(Gap(clean(gap.what), gap.why, clean(gap.detail)) for gap in gaps)),
        {name: len(getattr(inventory, name)) for name in LOOKED_AT if getattr(inventory, name)},
        targets,
        namespace,
        remarks,
    )


def _readable(inventory: Inventory, namespace: str | None) -> None:
    """Raises where nothing was read, or where the namespace is not there."""
    require_namespace(inventory, namespace)
    # usage that is not served says nothing about the lists
    if not inventory.everything and inventory.unread:
        gaps = [gap for gap in inventory.gaps if gap.why != "not served"] or inventory.gaps
        first = gaps[0]
        more = f" and {len(gaps) - 1} more" if len(gaps) > 1 else ""
        words = clean(first.detail or first.why)
        raise ClusterUnreachable(f"nothing of the cluster could be read, so nothing was checked: {words}{more}")
    if not inventory.everything and namespace is None:
        raise ClusterUnreachable(
            "the server shows nothing at all, not even a namespace, so nothing was checked: is it the right one?"
        )


# --- the object asked about -----------------------------------------------------------------------------------------


def _kinds(cluster: Cluster, target: Target) -> Sequence[Kind]:
    """The kinds that the target's word names."""
    discovery = cluster.kinds()
    found = kinds_named(target.kind, discovery)
    if found:
        return found
    near = ", ".join(kind.kind for kind in near_kinds(target.kind, discovery))
    hint = f"; did you mean {near}?" if near else "; kubectl api-resources lists the kinds"
    down = ", ".join(gap.what for gap in discovery.gaps)
    also = f" (not read: {down})" if down else ""
    raise UsageError(f"the cluster serves no kind {target.kind!r}{hint}{also}")


def _targets(
    cluster: Cluster, target: Target, kinds: Sequence[Kind], namespace: str | None, inventory: Inventory
) -> tuple[tuple[Ref, ...], list[str]]:
    """The objects that the target names, and what it was taken for where nothing bears the very name."""
    wanted = {(kind.kind, kind.group) for kind in kinds}
    exact = [
        view.ref
        for view in inventory.everything
        if view.name == target.name
        and (not wanted or (view.kind, view.api_version.rpartition("/")[0]) in wanted)
        and (view.namespace in ("", namespace) or namespace is None)
    ]
    if exact:
        return tuple(sorted(dict.fromkeys(exact))), []
    located = locate(cluster, target.name, kinds[0] if kinds else None, namespace)
    if located.exact:
        return located.exact, []
    if located.meant:
        return located.meant, [f"{located.how}: {', '.join(map(str, located.meant[:5]))}"]
    place = f" in namespace {namespace}" if namespace else ""
    if located.elsewhere:
        others = ", ".join(map(str, located.elsewhere[:5]))
        raise UsageError(
            f"there is no {target}{place}; it exists as {others}: pass -n {located.elsewhere[0].namespace}"
        )
    unread = [gap for gap in located.gaps if gap.why not in ("not served", "not found")]
    if unread and kinds:
        raise ClusterUnreachable(f"{target} cannot be looked up: {clean(unread[0].detail or unread[0].why)}")
    if not target.kind and (words := kinds_named(target.name, cluster.kinds())):
        raise UsageError(f"check takes KIND/NAME or NAME, and {target.name} is a kind ({words[0].kind}), not a name")
    nearest = ", ".join(map(str, located.near[:5]))
    hint = f"; the nearest names are {nearest}" if nearest else ", nor a name that comes near it"
    also = f" (not read: {', '.join(gap.what for gap in unread[:3])})" if unread else ""
    raise UsageError(f"there is no {target}{place}{hint}{also}")


def _unchecked(targets: Sequence[Ref], inventory: Inventory) -> list[Gap]:
    """Gaps for objects that no check looks at."""
    unknown = [ref for ref in targets if inventory.find(ref) is None]
    return [Gap(str(ref), "no check", f"berth's checks do not look at {ref.kind} objects") for ref in unknown]


def _about(targets: Sequence[Ref], found: Sequence[Finding], inventory: Inventory) -> list[Finding]:
    """The findings that concern the targets, with what explains them."""
    spaces = [ref.name for ref in targets if ref.kind == "Namespace"]
    family = {member for ref in targets for member in family_of(ref, inventory)}
    chosen = [*concerning(found, family), *(inside(found, spaces) if spaces else ())]
    return [one for one in found if one in chosen]


# --- what leaves -----------------------------------------------------------------------------------------------------


def _cleaned(found: Sequence[Finding]) -> tuple[tuple[Finding, ...], list[str]]:
    """The findings as they may be shown: redacted, without text that gives orders; and where such text stood."""
    hidden: dict[str, None] = {}

    def say(text: str, source: Ref) -> str:
        kept, orders = without_orders(text)
        if orders:
            hidden[str(source)] = None
        return clean(kept)

    told = tuple(
        replace(
            one,
            summary=say(one.summary, one.subject),
            evidence=tuple(line for line in (say(line, one.subject) for line in one.evidence) if line),
            remedy=clean(one.remedy),
            disproof=clean(one.disproof),
        )
        for one in found
    )
    return told, list(hidden)
