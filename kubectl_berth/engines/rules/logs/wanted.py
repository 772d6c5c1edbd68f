"""Which containers' logs may tell why: the previous one's where a container died and was started again."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from kubectl_berth.cluster.views import ContainerStatus, Pod
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.records import Ref

MOST_LOGS = 2
"""Logs that are read for one question as a rule."""

NEVER_STARTED = frozenset(
    {
        "ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError",
        "RegistryUnavailable", "CreateContainerConfigError", "CreateContainerError", "ContainerCreating",
        "PodInitializing",
    }
)  # fmt: skip
"""Waiting reasons of a container that has no log."""


HANGS = "hangs"
"""Why a log is read of what runs and does not end."""
OPERATOR = "operator"
"""Why a log is read of what looks after an object that does not say why."""


@dataclass(frozen=True)
class LogWanted:
    """A container whose log may tell why: the previous one's where it died and was started again.

    `about` is the object of which alone the log's lines are wanted.
    """

    pod: Ref
    container: str
    previous: bool
    why: str = ""
    about: Ref | None = None


def logs_wanted(case: Case, *, curious: bool, beside: Collection[Ref] = ()) -> list[LogWanted]:
    """The logs that may tell why, most telling first, one of each workload.

    `curious` reads a healthy pod's too where nothing is wrong; workloads of the pods `beside` were read already.
    """
    found: list[tuple[int, LogWanted]] = []
    seen: set[tuple[Ref, str]] = set()
    read = {case.inventory.workload(pod) for ref in beside if (pod := case.inventory.pod(ref.namespace, ref.name))}
    for pod in _pods(case):
        wanted = _of_pod(pod) if case.inventory.workload(pod) not in read else None
        if wanted is None:
            continue
        weight, log = wanted
        key = (case.inventory.workload(pod), log.container)
        if key not in seen:
            seen.add(key)
            found.append((weight, log))
    found.sort(key=lambda pair: pair[0])
    chosen = [log for _, log in found[:MOST_LOGS]]
    chosen = chosen or _of_hung(case)
    if chosen or not curious:
        return chosen
    return _of_well(_pods(case)) if case.subjects else _of_place(case)


def _of_well(pods: Sequence[Pod]) -> list[LogWanted]:
    """The logs of two containers of the first pod that runs, or of a second pod: of several, one may lead alone."""
    running = [pod for pod in pods if _of_healthy(pod) is not None]
    logs = [log for pod in running[:2] for log in _of_running(pod)]
    first = [log for log in logs if log.pod == running[0].ref]
    return (first if len(first) > 1 else logs)[:MOST_LOGS]


MOST_WORKLOADS = 6
"""Workloads of a namespace up to which a complaint about it has two of their logs read."""
_APPLICATIONS = ("Deployment", "StatefulSet")


def _of_place(case: Case) -> list[LogWanted]:
    """The logs of two workloads of the one small namespace that is spoken of, those called as the question says first.

    What serves people complains about the store behind it, so Deployments come before StatefulSets.
    """
    spaces = case.understanding.namespaces
    there = [one for one in case.inventory.workloads if one.namespace in spaces and one.kind in _APPLICATIONS]
    if len(spaces) != 1 or len(there) > MOST_WORKLOADS:
        return []
    said = set(re.findall(r"[a-z]{3,}", case.understanding.text.lower()))
    there.sort(key=lambda one: (not said & set(one.name.split("-")), one.kind, one.name))
    first = [next((log for pod in case.inventory.pods_of(one.ref) if (log := _of_healthy(pod))), None) for one in there]
    return [log for log in first if log is not None][:MOST_LOGS]


def _of_hung(case: Case) -> list[LogWanted]:
    """The log of a run that keeps its schedule from starting the next: what it waits for stands there."""
    held = {ref for one in case.causes if one.reason == "CronJobBlocked" for ref in one.effects}
    pods = [pod for ref in sorted(held) for pod in case.inventory.pods_of(ref) if not pod.finished]
    return [replace(log, why=HANGS) for pod in pods if (log := _of_healthy(pod)) is not None][:1]


def _pods(case: Case) -> list[Pod]:
    """Pods of the findings' subjects first, then the family's."""
    inventory = case.inventory
    ordered: dict[Ref, Pod] = {}
    for finding in case.findings:
        for ref in (finding.subject, *finding.effects):
            if ref.kind in ("Node", "Namespace"):
                continue
            for pod in inventory.pods_of(ref):
                ordered.setdefault(pod.ref, pod)
    for ref in sorted(case.family):
        member = inventory.pod(ref.namespace, ref.name) if ref.kind == "Pod" else None
        if member is not None:
            ordered.setdefault(member.ref, member)
    return list(ordered.values())


def _of_pod(pod: Pod) -> tuple[int, LogWanted] | None:
    """How telling the pod's worst container is (0 most) and which log of it; None where none can tell."""
    if pod.status.phase == "Succeeded":
        return None
    best: tuple[int, LogWanted] | None = None
    inits = {one.name for one in pod.status.init_container_statuses}
    for status in (*pod.status.init_container_statuses, *pod.status.container_statuses):
        weighed = _weigh(pod, status, init=status.name in inits)
        if weighed is not None and (best is None or weighed[0] < best[0]):
            best = weighed
    return best


def _weigh(pod: Pod, status: ContainerStatus, *, init: bool) -> tuple[int, LogWanted] | None:
    state, last = status.state, status.last_state.terminated
    waiting = state.waiting.reason if state.waiting else ""
    if state.terminated is not None:
        if state.terminated.exit_code == 0 or state.terminated.reason == "OOMKilled":
            return None
        return (0, LogWanted(pod.ref, status.name, False, "ended"))
    if waiting in NEVER_STARTED and last is None:
        return None
    if last is not None and last.reason in ("StartError", "ContainerCannotRun"):
        return None
    if last is not None and last.reason != "OOMKilled" and not (status.ready and not waiting):
        return (0 if waiting else 1, LogWanted(pod.ref, status.name, True, "died"))
    if state.running is not None and init and not _sidecar(pod, status.name):
        return (1, LogWanted(pod.ref, status.name, False, "still initialising"))
    if state.running is not None and not status.ready and last is None:
        return (2, LogWanted(pod.ref, status.name, False, "not ready"))
    return None


def _sidecar(pod: Pod, name: str) -> bool:
    container = pod.container(name)
    return container is not None and container.restart_policy == "Always"


def _of_running(pod: Pod) -> list[LogWanted]:
    """The logs of a pod's running containers, that of the most restarts first."""
    running = [one for one in pod.status.container_statuses if one.state.running is not None]
    ordered = sorted(running, key=lambda one: -one.restart_count)
    return [LogWanted(pod.ref, one.name, False, "running") for one in ordered]


def _of_healthy(pod: Pod) -> LogWanted | None:
    return next(iter(_of_running(pod)), None)
