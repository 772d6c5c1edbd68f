"""What a pod looks like on one line, as kubectl would print it, and whether it is well."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from kubectl_berth.cluster.names import ref_of, stems
from kubectl_berth.cluster.views import ContainerStatus, OddObject, Pod, age, decode, seconds_since
from kubectl_berth.cluster.views.pods import Terminated
from kubectl_berth.records import Object, Ref
from kubectl_berth.tools.fields import clip

RECENT = 3600
"""Seconds in which a restart makes a pod that runs again unhealthy."""
STARTING = 60
"""Seconds that a pod may take to become ready before it counts as unhealthy."""


@dataclass(frozen=True)
class PodRow:
    """One pod. `owner` is the workload behind ReplicaSet or Job ("Deployment/web"), "" for none; `why` says what is
    wrong in words, "" where nothing is."""

    ref: Ref
    ready: str
    status: str
    restarts: int
    last_restart: str
    age: str
    node: str
    owner: str
    why: str

    @property
    def healthy(self) -> bool:
        """True where nothing is wrong with it."""
        return not self.why

    def line(self, *, owner: bool = True, name: bool = True) -> str:
        """The row as text: name, ready, status, restarts, age, node, owner, what is wrong."""
        restarts = f"{self.restarts} restarts" if self.restarts != 1 else "1 restart"
        if self.restarts and self.last_restart:
            restarts += f" (last {self.last_restart} ago)"
        parts = [f"{self.ref.namespace}/{self.ref.name}"] if name else []
        parts += [f"{self.ready} ready", self.status, restarts, f"age {self.age}"]
        parts.append(f"on {self.node}" if self.node else "on no node")
        if owner and self.owner:
            parts.append(f"of {self.owner}")
        line = ", ".join(parts)
        # the status need not be said twice: "CrashLoopBackOff: app, last exit 1 Error"
        why = self.why.replace(f" {self.status}", "", 1)
        return f"{line}: {why}" if why and why != self.status else line


def pod_rows(pods: Iterable[Object], now: datetime) -> list[PodRow]:
    """A row for each pod: unhealthy first, those that restart most before the rest, then by name.

    A pod of an odd shape gets a row that says so.
    """
    return in_order(pod_row(view, now) if isinstance(view, Pod) else view for view in map(_decoded, pods))


def in_order(rows: Iterable[PodRow]) -> list[PodRow]:
    """Unhealthy rows first, those that restart most before the rest, then by name."""
    return sorted(rows, key=lambda row: (row.healthy, 0 if row.healthy else -row.restarts, row.ref))


def _decoded(pod: Object) -> Pod | PodRow:
    try:
        return decode(pod, Pod)
    except OddObject as error:
        ref = ref_of(pod)
        return PodRow(Ref("Pod", ref.namespace, ref.name), "?/?", "?", 0, "", "?", "", "", clip(str(error), 200))


def pod_row(pod: Pod, now: datetime) -> PodRow:
    """The row of one pod."""
    statuses = pod.status.container_statuses
    last = last_ending(pod)
    return PodRow(
        ref=Ref("Pod", pod.namespace, pod.name),
        ready=f"{sum(s.ready for s in statuses)}/{len(pod.spec.containers) or len(statuses)}",
        status=pod_status(pod),
        restarts=sum(s.restart_count for s in (*statuses, *pod.status.init_container_statuses)),
        last_restart=age(now, last.finished_at) if last and last.finished_at else "",
        age=age(now, pod.metadata.creation_timestamp),
        node=pod.spec.node_name,
        owner=owner_name(pod),
        why=_why(pod, now),
    )


def owner_name(pod: Pod) -> str:
    """The workload behind a pod, as far as the pod itself tells: "Deployment/web"."""
    owner = pod.metadata.controller
    if owner is None:
        return ""
    shorter = stems(owner.name)
    if owner.kind == "ReplicaSet" and shorter:
        return f"Deployment/{shorter[0]}"
    if owner.kind == "Job" and shorter and owner.name.rpartition("-")[2].isdigit():
        return f"CronJob/{shorter[0]}"
    return f"{owner.kind}/{owner.name}"


def pod_status(pod: Pod) -> str:
    """The STATUS column of kubectl get pods."""
    status = pod.status
    reason = status.reason or status.phase or "Unknown"
    if pod.spec.scheduling_gates and not pod.spec.node_name:
        reason = "SchedulingGated"
    waiting_init = _init_status(pod)
    if waiting_init:
        reason = waiting_init
    else:
        running = False
        for container in reversed(status.container_statuses):
            state = container.state
            if state.waiting and state.waiting.reason:
                reason = state.waiting.reason
            elif state.terminated:
                reason = ended(state.terminated)
            elif container.ready and state.running:
                running = True
        if reason == "Completed" and running:
            reason = "Running" if pod.ready else "NotReady"
    if pod.terminating:
        return "Unknown" if status.reason == "NodeLost" else "Terminating"
    return reason


def _init_status(pod: Pod) -> str:
    """What an init container that is not done makes of the status, or ""."""
    specs = {c.name: c for c in pod.spec.init_containers}
    for index, container in enumerate(pod.status.init_container_statuses):
        state = container.state
        sidecar = container.name in specs and specs[container.name].restart_policy == "Always"
        if (state.terminated and state.terminated.exit_code == 0) or (sidecar and container.started):
            continue
        if state.terminated:
            return f"Init:{ended(state.terminated)}"
        if state.waiting and state.waiting.reason not in ("", "PodInitializing"):
            return f"Init:{state.waiting.reason}"
        return f"Init:{index}/{len(pod.spec.init_containers)}"
    return ""


def ended(terminated: Terminated) -> str:
    """The reason of an ending, or its exit code."""
    if terminated.reason:
        return terminated.reason
    return f"Signal:{terminated.signal}" if terminated.signal else f"ExitCode:{terminated.exit_code}"


def ending(terminated: Terminated) -> str:
    """An ending in words: "exit 1 Error", "exit 137 OOMKilled"."""
    return f"exit {terminated.exit_code} {ended(terminated)}"


def last_ending(pod: Pod) -> Terminated | None:
    """The latest ending of a container that was started again or waits to be."""
    endings = [
        s.last_state.terminated
        for s in (*pod.status.init_container_statuses, *pod.status.container_statuses)
        if s.last_state.terminated
    ]
    return max(endings, key=lambda t: t.finished_at or "", default=None)


def failing_containers(pod: Pod, now: datetime) -> list[tuple[ContainerStatus, str]]:
    """Containers that are not well, worst first, with what is wrong in words."""
    sick = []
    for order, container in enumerate((*pod.status.init_container_statuses, *pod.status.container_statuses)):
        words = _container_why(container, pod, now)
        if words:
            rank = 0 if container.state.waiting or container.state.terminated else 1
            sick.append((rank, -container.restart_count, order, container, words))
    return [(container, words) for *_, container, words in sorted(sick, key=lambda entry: entry[:3])]


def _container_why(container: ContainerStatus, pod: Pod, now: datetime) -> str:
    state, last = container.state, container.last_state.terminated
    before = f", last {ending(last)}" if last else ""
    init = container in pod.status.init_container_statuses
    if state.waiting and state.waiting.reason not in ("PodInitializing", ""):
        if state.waiting.reason == "ContainerCreating" and _young(pod, now):
            return ""
        message = "" if state.waiting.reason == "CrashLoopBackOff" else clip(state.waiting.message, 200)
        return f"{container.name} {state.waiting.reason}{before}" + (f" ({message})" if message else "")
    if state.terminated and (state.terminated.exit_code != 0 or not (init or pod.finished or container.ready)):
        if state.terminated.exit_code == 0 and pod.spec.restart_policy != "Always":
            return ""
        return f"{container.name} ended: {ending(state.terminated)}" + _message(state.terminated)
    if last and last.exit_code != 0 and (seconds_since(now, last.finished_at) or 0) < RECENT and not container.ready:
        return f"{container.name} restarted, not ready{before}"
    if last and last.exit_code != 0 and (seconds_since(now, last.finished_at) or RECENT) < RECENT:
        return f"{container.name} restarted {age(now, last.finished_at)} ago{before}"
    if state.running and not container.ready and not init and not _young(pod, now):
        return f"{container.name} runs but is not ready{before}"
    return ""


def _message(terminated: Terminated) -> str:
    return f" ({clip(terminated.message, 200)})" if terminated.message else ""


def _young(pod: Pod, now: datetime) -> bool:
    lived = seconds_since(now, pod.metadata.creation_timestamp)
    return lived is not None and lived < STARTING


def _why(pod: Pod, now: datetime) -> str:
    """What is wrong with a pod, in words; "" for a healthy, finished or just started one."""
    if pod.status.phase == "Succeeded":
        return ""
    words = [why for _, why in failing_containers(pod, now)]
    if pod.status.phase == "Failed":
        words.insert(
            0, " ".join(part for part in (pod.status.reason or "Failed", clip(pod.status.message, 200)) if part)
        )
    if pod.terminating:
        grace = pod.metadata.deletion_grace_period_seconds or 0
        late = (seconds_since(now, pod.metadata.deletion_timestamp) or 0) - grace
        if late > 60:
            words.insert(0, f"terminating, {age(now, pod.metadata.deletion_timestamp)} past its deletion time")
        return "; ".join(words) if late > 60 else ""
    for condition in pod.status.conditions:
        if condition.type == "PodScheduled" and condition.status == "False":
            words.append(f"{condition.reason or 'not scheduled'}: {clip(condition.message, 400)}")
    if not words and pod.status.phase == "Pending" and not _young(pod, now):
        words.append(f"pending for {age(now, pod.metadata.creation_timestamp)}")
    if not words and pod.status.phase == "Running" and not pod.ready and not _young(pod, now):
        words.append("not ready" + _gates(pod))
    if pod.status.phase == "Unknown":
        words.append("its node does not report")
    return "; ".join(words)


def _gates(pod: Pod) -> str:
    for condition in pod.status.conditions:
        if condition.type == "Ready" and condition.status != "True":
            return f": {condition.reason} {clip(condition.message, 160)}".rstrip()
    return ""
