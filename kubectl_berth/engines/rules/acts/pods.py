"""What deleting pods does: whether they are made again, what is left meanwhile, and what is lost with them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from kubectl_berth.cluster.views import Pod, Workload
from kubectl_berth.diagnosis.capacity import bound_to_node
from kubectl_berth.diagnosis.say import clip, count, listed
from kubectl_berth.engines.rules.acts.refused import Refused, refused
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.orders import without_orders
from kubectl_berth.engines.rules.topic import Said, bullets
from kubectl_berth.records import Ref
from kubectl_berth.safety.shell import in_namespace, kubectl

UNSEEN = ("What the processes hold in memory now, and whether the application ends cleanly: no object tells.",)
_PHASES = {"evicted": ("Failed",), "failed": ("Failed",), "completed": ("Succeeded",), "old": ("Failed", "Succeeded")}


def say_pods(case: Case, ref: Ref, *, forced: bool = False) -> Said | None:
    """What deleting a pod, or the pods of a workload, does; None where there are none."""
    inventory = case.inventory
    every = inventory.pods_of(ref)
    pods = [pod for pod in every if not pod.finished]
    if every and not pods:
        return _ended(case, every)
    if not pods:
        return None
    pod = pods[0]
    owner = inventory.owner(pod)
    lines = [*_lost(pods), *_guards(case, pods), *_wrong(case, pods)]
    if forced and not pod.terminating:
        verdict = (
            f"No, not by force: that takes {pod.ref} out of the list while its processes may still run, so two of them "
            "could write to one volume. Deleted without force it is given its time to end."
        )
    elif pod.terminating:
        verdict = (
            f"{pod.ref} is being deleted already; forcing it only takes the object away while its processes may still "
            "run, and two of them could write to one volume."
        )
    elif "kubernetes.io/config.mirror" in pod.metadata.annotations:
        verdict = f"It does nothing: {pod.ref} is a static pod, and its kubelet shows it again at once."
    elif owner is None:
        verdict = f"No, not as it is: deleting {pod.ref} loses it for good, since no controller makes it again."
    elif (stopped := refused(case, inventory.workload(pod), pod)) is not None:
        return _not_again(case, pods, stopped, lines)
    else:
        verdict = _made_again(case, ref, pods, owner) + _holds(case, pod, owner)
    return Said(verdict, [part for part in (bullets("**What hangs on it**", lines),) if part], _ways(case, pods),
                UNSEEN, alone=True)  # fmt: skip


def _not_again(case: Case, pods: Sequence[Pod], stopped: Refused, lines: Sequence[str]) -> Said:
    """The answer where no new pod can be made in the place of what is deleted."""
    above = case.inventory.workload(pods[0])
    mates = [pod for pod in case.inventory.pods_of(above) if not pod.finished] or list(pods)
    left = sum(pod.ready for pod in mates) - sum(pod.ready for pod in pods)
    verdict = (
        f"No, not now: it would not come back, since new pods of {above} cannot be created ({stopped.why}); "
        f"{count(left, 'ready pod') if left else 'no ready pod'} of {above} would be left."
    )
    return Said(verdict, [bullets("**What hangs on it**", lines)], [stopped.first], UNSEEN, alone=True)


def _made_again(case: Case, ref: Ref, pods: Sequence[Pod], owner: Ref) -> str:
    inventory = case.inventory
    above = inventory.workload(pods[0])
    above = owner if above == pods[0].ref else above
    mates = [pod for pod in inventory.pods_of(above) if not pod.finished] or list(pods)
    ready = [pod for pod in mates if pod.ready]
    again = "a pod that is deleted is made again by its controller"
    if above.kind in ("Job", "CronJob"):
        return (
            f"Only if its work may start over: {owner} makes a new pod, which begins anew, and counts the deleted one "
            "as a failed try."
        )
    if bound_to_node(inventory, pods[0]):
        where = pods[0].spec.node_name if len(pods) == 1 else "every node"
        return f"Yes: {again} ({owner}) on the same node; until then {where} goes without it."
    if ref.kind != "Pod" and len(pods) > 1:
        return (
            f"Only one at a time: {again}, but deleting all pods of {ref} at once leaves none to serve "
            "until the new ones are ready."
        )
    if not any(pod in ready for pod in pods):
        return (
            f"Yes, it takes nothing away: {again} ({owner}); {len(ready)} of {len(mates)} pods of {above} are ready "
            "now, and this one is not. It does not mend why."
        )
    if len(ready) == 1:
        return (
            f"Only if an interruption is acceptable: {again} ({owner}), but it is the only ready pod of {above}, and "
            "nothing of it serves until the new one is ready."
        )
    state = f"{again} ({owner}); {len(ready)} of {len(mates)} pods of {above} are ready now, and one less until then"
    if tight := _tight(case, pods):
        return f"No, not now: {tight[0]} says that none of them may go at present. {state[:1].upper()}{state[1:]}."
    if len(ready) < len(mates):
        return f"Only if {count(len(ready) - 1, 'ready pod')} can carry it: {state}."
    return f"Yes: {state}."


def _holds(case: Case, pod: Pod, owner: Ref) -> str:
    """That it loses what it holds, where it seems to hold something and no claim keeps it."""
    scratch = any(one.empty_dir is not None for one in pod.spec.volumes)
    if pod.claims or not (owner.kind == "StatefulSet" or scratch or LOSING.search(case.understanding.text)):
        return ""
    return " It has no volume claim, so what it holds in memory or emptyDir volumes is lost."


LOSING = re.compile(
    r"\b(?:los(?:e|es|ing|t|s)|keep|kept|survive|persist\w*|data|jobs?|messages?|queue[ds]?|sessions?|state)\b", re.I
)
"""Asks after what it holds."""


def say_all_pods(case: Case) -> Said | None:
    """What deleting all pods of the namespaces named does."""
    inventory, spaces = case.inventory, case.understanding.namespaces
    pods = [pod for pod in inventory.pods if pod.namespace in spaces and not pod.finished]
    where = f"namespace {', '.join(spaces)}"
    if not pods:
        return Said(f"No pod runs in {where} now.", alone=True)
    bare = [pod for pod in pods if inventory.owner(pod) is None]
    above = list(dict.fromkeys(inventory.workload(pod) for pod in pods if pod not in bare))
    names = listed([str(pod.ref) for pod in bare], 3)
    lost = f"; {names} would be gone for good, since no controller makes {'it' if len(bare) == 1 else 'them'} again"
    verdict = (
        f"No, not at once: all {count(len(pods), 'pod')} of {where} would be down together until their controllers "
        f"have made them again{lost if bare else ''}."
    )
    loose = [pod for pod in pods if not pod.claims]
    lines = [f"down meanwhile: {listed([str(ref) for ref in above], 6)}"] if above else []
    lines.append(f"{count(len(loose), 'pod')} of them have no volume claim: what they hold in memory is lost")
    return Said(verdict, [bullets("**What hangs on it**", lines)],
                ["Renew workloads one by one with a rolling restart, and look at each before the next."], UNSEEN,
                alone=True)  # fmt: skip


def _lost(pods: Sequence[Pod]) -> list[str]:
    """What goes with the pods, and what stays."""
    pod = pods[0]
    lines = []
    if pod.claims:
        lines.append(f"its claims ({listed(list(dict.fromkeys(pod.claims)), 3)}) and what lies on them stay")
    scratch = [one.name for one in pod.spec.volumes if one.empty_dir is not None]
    if scratch:
        lines.append(f"what lies in its emptyDir volumes ({listed(scratch, 3)}) is lost")
    if not pod.claims:
        lines.append("it has no volume claim: what it keeps in memory or in its container is lost")
    lines.append("its log goes with it; the log of a pod made again begins anew")
    return lines


def _guards(case: Case, pods: Sequence[Pod]) -> list[str]:
    tight = _tight(case, pods)
    names = ", ".join(map(str, tight))
    return [f"{names} lets no pod go now; a deletion does not ask it, a drain does"] if tight else []


def _tight(case: Case, pods: Sequence[Pod]) -> list[Ref]:
    """The budgets of these pods that let none go now."""
    inventory = case.inventory
    mine = {pod.ref for pod in pods}
    return [
        one.ref
        for one in inventory.budgets
        if one.status.disruptions_allowed == 0 and {pod.ref for pod in inventory.pods_of(one.ref)} & mine
    ]


def _wrong(case: Case, pods: Sequence[Pod]) -> list[str]:
    """What is wrong with the pods, which a new one has too."""
    mine = {pod.ref for pod in pods}
    told = [one for one in (*case.findings, *case.others) if one.subject in mine and one.severity != "info"]
    return [f"a new pod has the same fault: {without_orders(clip(one.summary, 240))[0]}" for one in told[:2]]


def _ways(case: Case, pods: Sequence[Pod]) -> list[str]:
    pod = pods[0]
    where = (pod.name, *in_namespace(pod.namespace))
    told = [f"Look at its log first, while it is there: `{kubectl('logs', *where)}`."]
    above = case.inventory.find(case.inventory.workload(pod))
    if isinstance(above, Workload) and len(pods) > 1 and above.kind != "ReplicaSet":
        renew = kubectl("rollout", "restart", f"{above.kind.lower()}/{above.name}", "-n", above.namespace)
        told.append(f"To renew all pods in turn: `{renew}`.")
    if case.inventory.owner(pod) is None:
        told.append(f"Keep how it is made: `{kubectl('get', 'pod', *where, '-o', 'yaml')}` prints it.")
    return told


# --- pods that have ended -------------------------------------------------------------------------------------------


def say_state(case: Case, state: str) -> Said:
    """Whether the pods that have ended in a state may be deleted."""
    spaces = case.understanding.namespaces
    workloads = {ref for ref in case.subjects if ref.kind not in ("Namespace", "Node")}
    mine = {pod.ref for ref in workloads for pod in case.inventory.pods_of(ref)}
    pods = [
        pod
        for pod in case.inventory.pods
        if pod.status.phase in _PHASES[state]
        and (state != "evicted" or pod.status.reason == "Evicted")
        and (not spaces or pod.namespace in spaces)
        and (not mine or pod.ref in mine)
    ]
    if not pods:
        where = f" in namespace {', '.join(spaces)}" if spaces else ""
        half = "; not all pods could be read" if "pods" in case.inventory.unread else ""
        word = "finished" if state == "old" else state
        return Said(f"There are no {word} pods{where} now{half}, so there is nothing to delete.", alone=True)
    return _ended(case, pods)


def _ended(case: Case, pods: Sequence[Pod]) -> Said:
    """Pods in which nothing runs any more."""
    inventory = case.inventory
    failed = [pod for pod in pods if pod.status.phase == "Failed"]
    phases = sorted({f"{pod.status.phase}{f', {pod.status.reason}' if pod.status.reason else ''}" for pod in pods})
    which = f"{pods[0].ref} has" if len(pods) == 1 else f"the {len(pods)} pods have"
    verdict = (
        f"Yes: {which} ended ({listed(phases, 3)}) and hold{'s' if len(pods) == 1 else ''} no CPU, no memory and no "
        "volume any more; only the record is lost with them (status, message, log)."
    )
    if failed:
        verdict += " What ended them is not mended by that."
    lines = [
        f"{count(number, 'pod')} of {ref}: {why}"
        for (ref, why), number in Counter((inventory.workload(pod), _why(pod)) for pod in pods).most_common(6)
    ]
    told = []
    mine = {pod.ref for pod in failed} | {inventory.workload(pod) for pod in failed}
    for one in (*case.findings, *case.others):
        if one.subject in mine and one.severity != "info" and one.remedy:
            told.append(f"The cause first ({one.subject}): {one.remedy}")
    phase = pods[0].status.phase
    spaces = {pod.namespace for pod in pods}
    where = ("-n", next(iter(spaces))) if len(spaces) == 1 else ("-A",)
    listing = kubectl("get", "pods", *where, f"--field-selector=status.phase={phase}")
    told.append(f"See which these are, and read their messages before they go: `{listing}`.")
    controllers = {inventory.workload(pod).kind for pod in pods}
    if controllers & {"Job", "CronJob"}:
        lines.append("those of a Job are its record: the Job itself keeps its own count")
    return Said(verdict, [bullets("**Which these are**", lines)], list(dict.fromkeys(told))[:4], alone=True)


def _why(pod: Pod) -> str:
    ended = next((one.state.terminated for one in pod.status.container_statuses if one.state.terminated), None)
    words = re.sub(r"\s+", " ", without_orders(pod.status.message)[0]).strip() or (
        f"{ended.reason or 'ended'}, exit code {ended.exit_code}" if ended is not None else pod.status.phase
    )
    return clip(words, 160)
