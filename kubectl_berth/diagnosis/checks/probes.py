"""Probes that kill a container or keep it from getting traffic."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from kubectl_berth.cluster.views import Container, ContainerStatus, Event, Pod, age, condition, parse_time
from kubectl_berth.diagnosis.checks.surroundings import down
from kubectl_berth.diagnosis.fit import amount, show
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import listed, older, said, weight
from kubectl_berth.records import Finding

SETTLE = 120.0  # seconds in which a container that is not ready yet is nobody's problem
AT_LIMIT = Decimal("0.9")


def probe_kill(inventory: Inventory, pod: Pod, status: ContainerStatus) -> str:
    """ "Liveness" or "Startup" where that probe kills this container, "" otherwise."""
    mine = [event for event in inventory.events_of(pod) if event.container in ("", status.name)]
    for kind in ("Liveness", "Startup"):
        killed = any(one.reason == "Killing" and f"{kind.lower()} probe" in one.text.lower() for one in mine)
        failed = sum(one.times for one in mine if probe_event(one, kind))
        code = status.last_state.terminated.exit_code if status.last_state.terminated else 0
        if killed or (failed >= 3 and code in (137, 143)):
            return kind
    return ""


def probe_event(event: Event, kind: str) -> bool:
    """True for an event of that probe's failure."""
    return event.reason in ("Unhealthy", "ProbeWarning") and event.text.lower().startswith(f"{kind.lower()} probe")


def probe_evidence(inventory: Inventory, pod: Pod, spec: Container | None, reason: str) -> list[str]:
    """What the probe asks, how patient it is, what it heard, and what does not fit; [] for other reasons."""
    kind = next((one for one in ("Liveness", "Startup", "Readiness") if reason.startswith(one)), None)
    if kind is None or spec is None:
        return []
    event = next((one for one in inventory.events_of(pod) if probe_event(one, kind)), None)
    words = [said(event, inventory.now)] if event else []
    probe = getattr(spec, f"{kind.lower()}_probe")
    if probe is None:
        return words
    words.append(
        f"spec: {kind.lower()}Probe initialDelaySeconds {probe.initial_delay_seconds}, periodSeconds "
        f"{probe.period_seconds}, failureThreshold {probe.failure_threshold}, timeoutSeconds {probe.timeout_seconds}: "
        f"it gives up after about {probe.patience}s"
    )
    slow = _throttled(inventory, pod, spec) if event and _timed_out(event) else []
    return words + _probe_port(spec, kind, probe.port) + slow


def _timed_out(event: Event) -> bool:
    return "deadline exceeded" in event.text.lower() or "timeout" in event.text.lower()


def _throttled(inventory: Inventory, pod: Pod, spec: Container) -> list[str]:
    """A probe that times out in a container that uses all the CPU it may: it is slowed down, not broken."""
    used, limit = inventory.pod_usage(pod).get(spec.name, {}).get("cpu"), amount(spec.resources.limits.get("cpu"))
    if used is None or not limit or used < limit * AT_LIMIT:
        return []
    return [
        f"container {spec.name} uses {show('cpu', used)} of its cpu limit of {show('cpu', limit)}: it is throttled, so "
        "it answers late; raise or drop the cpu limit, or give the probe more timeoutSeconds"
    ]


def _probe_port(spec: Container, kind: str, port: int | str | None) -> list[str]:
    """A probe that asks a port the container does not declare."""
    declared = [one.container_port for one in spec.ports]
    names = [one.name for one in spec.ports if one.name]
    text = str(port)
    if port is None or not declared or text in names or (text.isdigit() and int(text) in declared):
        return []
    return [
        f"spec: the {kind.lower()} probe asks port {port}, the container declares "
        f"{listed([f'{one.container_port}' + (f' ({one.name})' if one.name else '') for one in spec.ports])}"
    ]


_HEARD: tuple[tuple[str, str], ...] = (
    (r"connection refused",
     "nothing listens on {port} in the container: compare the port with the one that the application opens (its log "
     "names it, as a rule), or find out what keeps it from opening it"),
    (r"statuscode: 404", "the path that the probe asks is not there: correct it, or serve it"),
    (r"statuscode: 40[13]", "the application wants a login there: let the probe ask a path that needs none"),
    (r"statuscode: 3\d\d", "the application sends the probe elsewhere: let it ask that path itself"),
    (r"statuscode: 5\d\d",
     "the application runs and says itself that it is not ready: its log, or its answer there, tells what it lacks"),
    (r"http response to https|malformed http response|not look like a tls",
     "set the probe's scheme (HTTP or HTTPS) to what the application speaks on that port"),
    (r"deadline exceeded|timed? ?out",
     "it does not answer in time: look at its cpu limit and at what it waits for; more timeoutSeconds only then"),
)  # fmt: skip
"""What a probe hears, and what to do about it."""


def _port_words(spec: Container | None, port: int | str | None) -> str:
    """A port as the probe names it, with its number where it is a name."""
    numbers = [one.container_port for one in spec.ports if one.name and one.name == port] if spec else []
    if port is None:
        return "the port that it asks"
    return f"port {port}" + (f" ({numbers[0]})" if numbers else "")


def probe_remedy(inventory: Inventory, pod: Pod, spec: Container | None, kind: str) -> str:
    """What to do about a probe that fails, by what it heard and what the container declares."""
    event = next((one for one in inventory.events_of(pod) if probe_event(one, kind)), None)
    probe = getattr(spec, f"{kind.lower()}_probe") if spec else None
    port = probe.port if probe is not None else None
    if spec is not None and _probe_port(spec, kind, port):
        declared = listed([str(one.container_port) for one in spec.ports])
        return (
            f"let the {kind.lower()} probe ask the port on which the application listens (the container declares "
            f"{declared}), or let the application listen on {port}"
        )
    text = event.text.lower() if event else ""
    heard = next((words for pattern, words in _HEARD if re.search(pattern, text)), "")
    if heard:
        return heard.format(port=_port_words(spec, port))
    return "find out why the probe fails (the words of the event, the container's log) before touching the probe itself"


def not_ready(inventory: Inventory, pod: Pod, status: ContainerStatus) -> Iterator[Finding]:
    """A container that runs and has not become ready in the time it was given."""
    spec = pod.container(status.name)
    running = status.state.running
    probes = [one for one in (spec.readiness_probe, spec.startup_probe) if one] if spec else []
    allowed = max([SETTLE] + [float(one.patience) for one in probes])
    needed = down(inventory, pod, [spec]) if spec else []
    if needed and probes:
        allowed = max(float(one.patience) for one in probes)  # it cannot get better by itself
    if running is None or not older(inventory.now, running.started_at, allowed):
        return
    kind = "Startup" if status.started is False and spec and spec.startup_probe else "Readiness"
    event = next((one for one in inventory.events_of(pod) if probe_event(one, kind)), None)
    reason = f"{kind}ProbeFails" if event or (spec and spec.readiness_probe) else "ContainerNotReady"
    since = age(inventory.now, running.started_at)
    evidence = [f"container {status.name}: running for {since}, ready false"]
    evidence += [f"its settings name {ref}, behind which nothing is ready" for ref in needed]
    yield Finding(
        weight(inventory, pod),
        pod.ref,
        reason,
        f"container {status.name} runs but {_since_when(inventory, pod, running.started_at)}",
        tuple(evidence + probe_evidence(inventory, pod, spec, reason)),
        remedy=probe_remedy(inventory, pod, spec, kind),
        disproof="the container's ready is true again",
    )


def _since_when(inventory: Inventory, pod: Pod, started: str | None) -> str:
    """Whether a container was ready after its start, and how long it has not been: what the pod's condition tells."""
    ready = condition(pod.status.conditions, "Ready")
    turned = parse_time(ready.last_transition_time) if ready is not None and ready.status == "False" else None
    begun = parse_time(started)
    others = len(pod.status.container_statuses) > 1
    if ready is None or turned is None or begun is None or others or (turned - begun).total_seconds() <= SETTLE:
        return "has not become ready"
    return f"has not been ready for {age(inventory.now, ready.last_transition_time)}"
