"""What a container waits for by name: a Job, a workload or a host in its command, or in the words of its log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kubectl_berth.cluster.views import Container, Job, Pod, Service, Workload, age
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.engines.rules.logs.targets import Target, target_of
from kubectl_berth.engines.rules.serving import endpoints_of, figure
from kubectl_berth.records import Ref

LONGEST = 4000
"""Characters of a command that are looked at."""

_KINDS = {
    **dict.fromkeys(("job", "jobs"), "Job"),
    **dict.fromkeys(("deployment", "deployments", "deploy"), "Deployment"),
    **dict.fromkeys(("statefulset", "statefulsets", "sts"), "StatefulSet"),
    **dict.fromkeys(("daemonset", "daemonsets", "ds"), "DaemonSet"),
    **dict.fromkeys(("pod", "pods", "po"), "Pod"),
    **dict.fromkeys(("service", "services", "svc"), "Service"),
}
_NAME = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
_NAMED = re.compile(
    rf"(?<![\w./-])({'|'.join(_KINDS)})(?:\.[a-z0-9.]+)?(?P<between>/| +)[\"'`]?(?P<name>{_NAME})", re.IGNORECASE
)
_WAITS = re.compile(
    r"\bwait|\brollout status\b|\bnot (?:yet )?(?:complete|finished|ready|done)|\buntil\b", re.IGNORECASE
)
_SPACE = re.compile(rf"(?:^|\s)(?:-n|--namespace)[ =]({_NAME})")
_HOSTS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\bnc(?:\s+-\S+(?:\s+\d+(?=\s+-|\s+[a-z]))?)*\s+(?P<host>{_NAME})\s+(?P<port>\d{{1,5}})\b",
        rf"\bwait-for(?:-it)?(?:\.sh)?\s+(?:-\S+\s+(?:\d+\s+)?)*(?P<host>{_NAME}):(?P<port>\d{{1,5}})",
        rf"\b(?:pg_isready|psql|redis-cli|mysqladmin|mysql|mongosh?)\b[^;&|]{{0,200}}?\s"
        rf"(?:-h\s*|--host[= ])(?P<host>{_NAME})"
        r"(?:[^;&|]{0,200}?\s(?:-[pP]\s*|--port[= ])(?P<port>\d{1,5}))?",
        rf"\b(?:nslookup|getent\s+(?:a?hosts)|dig|host)\s+(?P<host>{_NAME})\b",
        rf"\b(?:https?|tcp|amqps?|rediss?|postgres(?:ql)?|mysql|mongodb|nats|kafka)://(?:[^\s/@]*@)?(?P<host>{_NAME})"
        r"(?::(?P<port>\d{1,5}))?",
        rf"/dev/tcp/(?P<host>{_NAME})/(?P<port>\d{{1,5}})",
    )
)


def waited_for(pod: Pod, container: Container, lines: Sequence[str], inventory: Inventory) -> list[Target]:
    """What the container's command, or a line of its log that waits, names: what is down first."""
    command = " ".join((*container.command, *container.args))[:LONGEST]
    waiting = [line for line in lines if _WAITS.search(line)]
    found = [*_objects(command, pod, inventory)] if _WAITS.search(command) else []
    found += [target for line in waiting[-1:] for target in _objects(line, pod, inventory)]
    hosts = (host for host in _hosts(command) if (target := target_of(host, pod.namespace, inventory)) and target.ref)
    found += [target for host in hosts if (target := target_of(host, pod.namespace, inventory))]
    unique = {target.ref or target.words: target for target in reversed(found)}
    return sorted(unique.values(), key=lambda target: not target.down)


def _hosts(command: str) -> Iterable[str]:
    for pattern in _HOSTS:
        for hit in pattern.finditer(command):
            yield f"{hit['host']}:{port}" if (port := hit.groupdict().get("port")) else hit["host"]


def _objects(text: str, pod: Pod, inventory: Inventory) -> Iterable[Target]:
    """The objects that a text names as "job/migrate" or "job migrate", with their state."""
    spaces = _SPACE.findall(text)
    for hit in _NAMED.finditer(text):
        kind, slash = _KINDS[hit[1].lower()], hit["between"] == "/"
        ref = Ref(kind, spaces[0] if spaces else pod.namespace, hit["name"].rstrip("."))
        view = inventory.find(ref)
        if view is not None and ref != pod.ref:
            state, down = _state(ref, inventory)
            yield Target(hit[0], ref, f"it waits for {ref}, which {state}", down)
        elif slash and kind == "Job" and "jobs" not in inventory.unread and inventory.covers(ref.namespace):
            yield Target(hit[0], None, f"it waits for {ref}, which is not there", True)


def _state(ref: Ref, inventory: Inventory) -> tuple[str, bool]:
    """How an object is, as what follows "which", and whether that keeps others waiting."""
    view = inventory.find(ref)
    if isinstance(view, Job):
        outcome = view.outcome()
        if outcome is None:
            return f"has not completed ({view.status.active} active, {view.status.failed} failed)", True
        word = "failed" if outcome.type == "Failed" else "completed"
        return f"{word} {age(inventory.now, outcome.last_transition_time)} ago", outcome.type == "Failed"
    if isinstance(view, Pod):
        return ("is ready", False) if view.ready else (f"is {view.status.phase}, not ready", not view.finished)
    if isinstance(view, Service):
        state = endpoints_of(inventory, view)
        return (f"has {state}", state.ready == 0) if state is not None else ("exists", False)
    if isinstance(view, Workload):
        return f"has {figure(inventory, ref)}", view.ready < view.desired
    return "exists", False
