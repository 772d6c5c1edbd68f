"""What a restart or a rollback does: interruption, what is lost from memory, to which revision it goes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.cluster.views import Identified, Pod, Workload, age, condition
from kubectl_berth.diagnosis.capacity_more import room_for, sample
from kubectl_berth.diagnosis.dependents import keepers
from kubectl_berth.diagnosis.say import clip, count, listed
from kubectl_berth.engines.rules.acts.ask import Asked, third
from kubectl_berth.engines.rules.acts.pods import LOSING
from kubectl_berth.engines.rules.acts.refused import refused
from kubectl_berth.engines.rules.acts.workloads import OUTSIDE, back, holds_data, needed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.lookups import revisions
from kubectl_berth.engines.rules.orders import without_orders
from kubectl_berth.engines.rules.topic import Said, bullets
from kubectl_berth.records import Ref
from kubectl_berth.safety.shell import kubectl

MEMORY = "Whether the application writes what it holds elsewhere before it ends: no object tells."


def say_restart(case: Case, view: Identified) -> Said | None:
    """What restarting a workload does; None for what has no pods of its own."""
    if not isinstance(view, Workload):
        return None
    inventory = case.inventory
    pods = [pod for pod in inventory.pods_of(view.ref) if not pod.finished]
    if pods and (stopped := _not_remade(case, view, pods)) is not None:
        return stopped
    need = needed(case, [view], {pod.ref for pod in pods})
    broken, remedy = _broken(case, view, pods)
    kept = _kept(view, pods)
    gap = _gap(view)
    verdict = _verdict(case, view, pods, kept, gap, broken)
    lines = [
        gap or f"{_strategy(view)}: new pods are ready before old ones go, so far as their readiness probe tells",
        *holds_data(view, pods),
        *(need.lines() if gap else []),
        *[line for line in back(case, view, Asked("restart", view.ref)) if "by-hand" not in line],
    ]
    if pods and all(_probeless(pod) for pod in pods):
        lines.append("its containers have no readiness probe: a new pod counts as ready as soon as it runs")
    ways = []
    if broken:
        ways.append(f"Mend this first: {broken}" + (f". {remedy[:1].upper()}{remedy[1:]}" if remedy else ""))
    if not kept and (_asks_for_data(case, view, pods)):
        ways.append(
            "Pause what feeds it and let it run empty first, or have the application write what it holds to a volume."
        )
    restart = kubectl("rollout", "restart", f"{view.kind.lower()}/{view.name}", "-n", view.namespace)
    ways.append(f"It is done in turn, by the strategy above, with `{restart}`: for you to judge and run.")
    return Said(verdict, [bullets("**What hangs on it**", lines)], ways, (MEMORY, OUTSIDE[0]), alone=True)


def _not_remade(case: Case, view: Workload, pods: Sequence[Pod]) -> Said | None:
    """The answer where no new pod of it can be made, or where the old ones do not end; None where neither is known."""
    like, ready = sample(case.inventory, view.ref), sum(pod.ready for pod in pods)
    serving = f" {count(ready, 'pod')} of it still serve{third(ready)}." if ready else ""
    if like is not None and (found := refused(case, view.ref, like)) is not None:
        verdict = (
            f"No, not now: new pods of {view.ref} cannot be created, so what a restart ends does not come back "
            f"({found.why}).{serving}"
        )
        within = "A container that merely starts again within its pod needs no new pod."
        return Said(verdict, [within], [found.first], (OUTSIDE[0],), alone=True)
    if like is not None and ready and (key := _no_domain(case, view, like)):
        verdict = (
            f"No, not as it is: a restart of {view.ref} would hang. Its strategy takes no old pod away before a new "
            f"one is ready (maxUnavailable 0), and its required anti-affinity by {key} leaves a new one no place."
            f"{serving}"
        )
        way = "Let an old pod go first (maxUnavailable 1), make that rule a preference, or add a node."
        return Said(verdict, [], [way], (OUTSIDE[0],), alone=True)
    hung = next((pod for pod in pods if pod.terminating and _silent(case, pod)), None)
    if hung is None or ready:
        return None
    node, above = hung.spec.node_name, view.kind == "StatefulSet"
    waits = ", and until then no new pod takes its place" if above else ""
    verdict = (
        f"It does nothing now, and {view.ref} is down already: {hung.ref} was told to end "
        f"{age(case.inventory.now, hung.metadata.deletion_timestamp)} ago, but its node {node} does not report, so it "
        f"ends only once that node is back or is known to be gone{waits}."
    )
    first = f"The node first: whether the machine of {node} is up, then its kubelet and network."
    return Said(verdict, [], [first], (OUTSIDE[0],), alone=True)


def _no_domain(case: Case, view: Workload, like: Pod) -> str:
    """The topology key of the rule that leaves a new pod beside the old ones no place; "" where none does."""
    rolling = view.spec.strategy.rolling_update if view.spec.strategy else None
    if view.kind != "Deployment" or rolling is None or str(rolling.max_unavailable) not in ("0", "0%"):
        return ""
    if {"pods", "nodes"} & case.inventory.unread or case.inventory.namespace is not None:
        return ""
    room = room_for(case.inventory, view.ref, like)
    return room.apart if room.each and not any(room.each.values()) else ""


def _silent(case: Case, pod: Pod) -> bool:
    """True where its node has stopped reporting, so that nobody there ends it."""
    node = case.inventory.node(pod.spec.node_name)
    state = condition(node.status.conditions, "Ready") if node is not None else None
    return state is not None and state.status == "Unknown"


def _verdict(case: Case, view: Workload, pods: Sequence[Pod], kept: bool, gap: str, broken: str) -> str:
    ref, ready = view.ref, sum(pod.ready for pod in pods)
    if not pods:
        return f"It does nothing now: {ref} has no pod that runs."
    if broken and ready:
        return (
            f"No, not now: a restart starts the same template again, and that does not come up ({broken}); "
            f"{count(ready, 'pod')} of {ref} still serve{third(ready)}."
        )
    if broken:
        return (
            f"It does no harm and does not mend it: no pod of {ref} is ready, and a new one has the same fault "
            f"({broken})."
        )
    if not kept and _asks_for_data(case, view, pods):
        alone = ", and while it starts nothing serves" if gap else ""
        return (
            f"No, not without losing what it holds: {ref} has no volume claim, so whatever is in its memory or "
            f"emptyDir volumes is lost with its pod{'s' if len(pods) > 1 else ''}{alone}."
        )
    if gap:
        stay = "its data stay on its claims, but " if kept else ""
        return f"Only if an interruption is acceptable: {stay}{gap}."
    stays = "; its data stay on its claims" if kept else ""
    if not ready:
        return (
            f"It takes nothing away: none of the {len(pods)} pods of {ref} is ready now. Whether it helps is not told."
        )
    if len(pods) == 1:
        waits = "as soon as it runs, since it has no readiness probe" if _probeless(pods[0]) else "once it is ready"
        return f"Yes: the only pod of {ref} goes when its successor is there, {waits}{stays}."
    return f"Yes: {ref} is restarted pod by pod, and its {count(ready, 'ready pod')} take{third(ready)} turns{stays}."


def _asks_for_data(case: Case, view: Workload, pods: Sequence[Pod]) -> bool:
    """True where it is one that keeps something: a StatefulSet, an emptyDir, or the question says so."""
    spec = pods[0].spec if pods else view.spec.template.spec
    scratch = any(one.empty_dir is not None for one in spec.volumes)
    return view.kind == "StatefulSet" or scratch or bool(LOSING.search(case.understanding.text))


def _kept(view: Workload, pods: Sequence[Pod]) -> bool:
    """True where its pods mount claims."""
    spec = pods[0].spec if pods else view.spec.template.spec
    return bool(view.spec.volume_claim_templates) or any(
        one.persistent_volume_claim or one.ephemeral is not None for one in spec.volumes
    )


def _strategy(view: Workload) -> str:
    plan = view.spec.strategy or view.spec.update_strategy
    return plan.type if plan and plan.type else "RollingUpdate"


def _gap(view: Workload) -> str:
    """Why nothing, or less, serves meanwhile; "" where a new pod is there before an old one goes."""
    name = _strategy(view)
    if name == "OnDelete":
        return "its strategy is OnDelete: nothing happens until each pod is deleted by hand"
    if view.kind == "DaemonSet":
        return "on each node its pod ends before the new one starts"
    if view.kind == "StatefulSet":
        return "its only pod ends before the new one starts" if view.desired == 1 else ""
    if name == "Recreate":
        return "its strategy is Recreate: all old pods end before the new ones start"
    claims = any(one.persistent_volume_claim for one in view.spec.template.spec.volumes)
    if view.desired == 1 and claims:
        return "its one pod holds its claim: unless both pods land on one node, the new one cannot start beside it"
    rolling = view.spec.strategy.rolling_update if view.spec.strategy else None
    if view.desired == 1 and rolling is not None and rolling.max_unavailable not in (None, 0, "0", "25%", "0%"):
        return f"its one pod may go before the new one is ready (maxUnavailable {rolling.max_unavailable})"
    return ""


def _probeless(pod: Pod) -> bool:
    return all(one.readiness_probe is None for one in pod.spec.containers)


def _broken(case: Case, view: Workload, pods: Sequence[Pod]) -> tuple[str, str]:
    """What is wrong with its pods of the present template, as the checks found it, and what mends it."""
    mine = {pod.ref for pod in pods if not pod.ready}
    found = next(
        (one for one in case.findings if one.severity != "info" and one.cause and one.subject in mine | {view.ref}),
        None,
    )
    if found is None:
        return "", ""
    return without_orders(f"{found.subject}: {clip(found.summary, 200)}")[0], found.remedy or ""


_MAY = re.compile(r"\b(?:can|may|could)\s+(?:i|we)\b|\bpossible\b", re.IGNORECASE)


# --- going back -----------------------------------------------------------------------------------------------------


def say_rollback(case: Case, view: Identified, wanted: int | None = None) -> Said | None:
    """To which revision a rollback goes, with its image, and what it does not bring back."""
    if not isinstance(view, Workload):
        return None
    where = (f"{view.kind.lower()}/{view.name}", "-n", view.namespace)
    if view.kind != "Deployment":
        return Said(
            f"To which revision {view.ref} would go cannot be told from here: its ControllerRevisions are not read.",
            [], [f"`{kubectl('rollout', 'history', *where)}` lists them."], alone=True,
        )  # fmt: skip
    every = [one for one in revisions(case.inventory, view.ref) if one.revision]
    now = next((one for one in every if one.revision == view.revision), every[0] if every else None)
    older = [one for one in every if now is not None and one.revision < now.revision]
    before = next((one for one in every if one.revision == wanted and one is not now), None) if wanted else None
    before = before if wanted is not None else next(iter(older), None)
    if now is None or before is None:
        return _no_way_back(case, view, every, wanted)
    can = "Yes: " if _MAY.search(case.understanding.text) else ""
    verdict = (
        f"{can}{view.ref} would go back to revision {before.revision} ({_images(before)}) from the present revision "
        f"{now.revision} ({_images(now)})."
    )
    found = keepers(case.inventory, view)
    if found:
        verdict += f" It would not last: it comes from {found[0]}, which sets it back."
    lines = [_line(case, one) for one in every[:5]]
    lines.append("the revision that is gone back to gets the next number; its own ReplicaSet is scaled up again")
    undo = kubectl("rollout", "undo", *where, f"--to-revision={wanted}" if wanted is not None else "")
    history = kubectl("rollout", "history", *where, f"--revision={before.revision}")
    ways = [
        f"What is in it shows `{history}`.",
        f"Go back in {found[0]}." if found else f"The command is `{undo}`: for you to judge and run.",
    ]
    return Said(verdict, [bullets("**Revisions on record**", lines)], ways, (STAYS,), alone=True)


STAYS = "What a rollback does not bring back: ConfigMaps, Secrets, changes of a database's schema, other objects."


def _no_way_back(case: Case, view: Workload, every: Sequence[Workload], wanted: int | None) -> Said:
    half = " (not all ReplicaSets could be read)" if "replica_sets" in case.inventory.unread else ""
    known = ", ".join(str(one.revision) for one in every) or "none"
    verdict = f"No: there is no earlier revision of {view.ref} to go back to{half}."
    if wanted is not None:
        verdict = f"No: revision {wanted} of {view.ref} is not there to go back to{half}; on record: {known}."
    return Said(verdict, [], ["Going back means to roll out the earlier image or manifest anew."], alone=True)


def _images(one: Workload) -> str:
    return listed([f"image {container.image}" for container in one.spec.template.spec.containers], 3)


def _line(case: Case, one: Workload) -> str:
    pods = [pod for pod in case.inventory.pods_of(Ref(one.kind, one.namespace, one.name)) if not pod.finished]
    made = age(case.inventory.now, one.metadata.creation_timestamp)
    return (
        f"revision {one.revision} (ReplicaSet {one.name}, made {made} ago): {_images(one)}; "
        f"{sum(pod.ready for pod in pods)} of {count(len(pods), 'pod')} ready"
    )
