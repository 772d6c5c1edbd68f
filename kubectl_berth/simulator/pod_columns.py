"""The row of a pod, in the words of kubectl get pods."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kubectl_berth.cluster.views.base import age, parse_time
from kubectl_berth.records import Object
from kubectl_berth.simulator.columns import NONE, Column, at, columns, comma, condition, created


def _statuses(pod: Object, of: str = "containerStatuses") -> list[dict[str, Any]]:
    return [entry for entry in at(pod, f"status.{of}", []) if isinstance(entry, dict)]


def _sidecars(pod: Object) -> set[str]:
    inits = at(pod, "spec.initContainers", [])
    return {str(entry.get("name")) for entry in inits if entry.get("restartPolicy") == "Always"}


def _counted(pod: Object) -> list[dict[str, Any]]:
    """The statuses that count for readiness and restarts: containers and restartable init containers."""
    sidecars = _sidecars(pod)
    inits = [entry for entry in _statuses(pod, "initContainerStatuses") if entry.get("name") in sidecars]
    return [*inits, *_statuses(pod)]


def ready(pod: Object, now: datetime) -> str:
    """ "1/2": ready containers of all."""
    total = len(at(pod, "spec.containers", [])) + len(_sidecars(pod))
    up = [entry for entry in _counted(pod) if entry.get("ready") and at(entry, "state.running") is not None]
    return f"{len(up)}/{total}"


def restarts(pod: Object, now: datetime) -> str:
    """ "17 (6s ago)"; while init containers run, theirs."""
    counted = _counted(pod)
    if _init_reason(pod):
        counted = _statuses(pod, "initContainerStatuses")
    total = sum(int(entry.get("restartCount") or 0) for entry in counted)
    ended = [parse_time(at(entry, "lastState.terminated.finishedAt")) for entry in counted]
    last = max((moment for moment in ended if moment), default=None)
    return f"{total} ({age(now, last)} ago)" if total and last else str(total)


def _init_reason(pod: Object) -> str:
    """ "Init:1/2", "Init:CrashLoopBackOff" and the like; "" once initialised."""
    inits = at(pod, "spec.initContainers", [])
    sidecars = _sidecars(pod)
    for number, entry in enumerate(_statuses(pod, "initContainerStatuses")):
        ended = at(entry, "state.terminated")
        if ended is not None and int(ended.get("exitCode") or 0) == 0:
            continue
        if entry.get("name") in sidecars and entry.get("started"):
            continue
        if ended is not None:
            return f"Init:{_ended(ended)}"
        waiting = at(entry, "state.waiting.reason")
        if waiting and waiting != "PodInitializing":
            return f"Init:{waiting}"
        return f"Init:{number}/{len(inits)}"
    return ""


def _ended(terminated: dict[str, Any]) -> str:
    if terminated.get("reason"):
        return str(terminated["reason"])
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode', 0)}"


def status(pod: Object, now: datetime) -> str:
    """What kubectl shows under STATUS."""
    reason = str(at(pod, "status.reason") or at(pod, "status.phase", "Unknown"))
    if condition(pod, "PodScheduled").get("reason") == "SchedulingGated":
        reason = "SchedulingGated"
    initialising = _init_reason(pod)
    if initialising and condition(pod, "Initialized").get("status") != "True":
        reason = initialising
    else:
        reason = _running_reason(pod, reason)
    if at(pod, "metadata.deletionTimestamp"):
        if at(pod, "status.reason") == "NodeLost":
            return "Unknown"
        if at(pod, "status.phase") not in ("Failed", "Succeeded"):
            return "Terminating"
    return reason


def _running_reason(pod: Object, reason: str) -> str:
    running = False
    for entry in reversed(_statuses(pod)):
        ended = at(entry, "state.terminated")
        if at(entry, "state.waiting.reason"):
            reason = str(at(entry, "state.waiting.reason"))
        elif ended is not None:
            reason = _ended(ended)
        elif entry.get("ready") and at(entry, "state.running") is not None:
            running = True
    if reason == "Completed" and running:
        return "Running" if condition(pod, "Ready").get("status") == "True" else "NotReady"
    return reason


def _gates(pod: Object, now: datetime) -> str:
    gates = at(pod, "spec.readinessGates", [])
    if not gates:
        return NONE
    met = [gate for gate in gates if condition(pod, str(gate.get("conditionType"))).get("status") == "True"]
    return f"{len(met)}/{len(gates)}"


def _address(pod: Object, now: datetime) -> str:
    return comma([entry.get("ip") for entry in at(pod, "status.podIPs", [])][:1], str(at(pod, "status.podIP", NONE)))


PODS = columns(
    Column("Ready", ready),
    Column("Status", status),
    Column("Restarts", restarts),
    Column("Age", created),
    Column("IP", _address, 1),
    Column("Node", lambda pod, now: at(pod, "spec.nodeName") or NONE, 1),
    Column("Nominated Node", lambda pod, now: at(pod, "status.nominatedNodeName") or NONE, 1),
    Column("Readiness Gates", _gates, 1),
)
