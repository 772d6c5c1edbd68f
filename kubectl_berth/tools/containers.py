"""A pod's containers as lines: state, last ending, restarts, image, resources."""

from __future__ import annotations

from datetime import datetime

from kubectl_berth.cluster.views import Container, ContainerStatus, Pod, age, duration, parse_time
from kubectl_berth.cluster.views.base import Amounts
from kubectl_berth.cluster.views.pods import Terminated
from kubectl_berth.tools.fields import clip
from kubectl_berth.tools.pods import ending


def container_lines(pod: Pod, now: datetime) -> list[str]:
    """Two lines for each container, init containers first."""
    statuses = {s.name: s for s in (*pod.status.init_container_statuses, *pod.status.container_statuses)}
    lines = []
    for container in pod.spec.all_containers:
        init = "init " if container in pod.spec.init_containers else ""
        status = statuses.get(container.name)
        state = container_state(status, now) if status else "no status yet"
        lines.append(f"{init}{container.name}: {state}")
        lines.append(f"  {_needs(container)}")
    return lines


def container_state(status: ContainerStatus, now: datetime) -> str:
    """The state in words, with the last ending."""
    state = status.state
    if state.terminated:
        words = f"terminated, {termination(state.terminated, now)}"
    elif state.running:
        words = f"running for {age(now, state.running.started_at)}, {'ready' if status.ready else 'not ready'}"
    elif state.waiting:
        words = f"waiting, {state.waiting.reason}" + (
            f" ({clip(state.waiting.message, 400)})" if state.waiting.message else ""
        )
    else:
        words = "waiting"
    words += f", {status.restart_count} restarts"
    if status.last_state.terminated:
        words += f"; before: {termination(status.last_state.terminated, now)}"
    return words


def termination(terminated: Terminated, now: datetime) -> str:
    """An ending with its time and how long the container had run."""
    words = f"{ending(terminated)} {age(now, terminated.finished_at)} ago"
    start, end = parse_time(terminated.started_at), parse_time(terminated.finished_at)
    if start and end and end >= start:
        words += f" after {duration((end - start).total_seconds())}"
    return words + (f" ({clip(terminated.message, 400)})" if terminated.message else "")


def _needs(container: Container) -> str:
    parts = [f"image {container.image}"]
    for word, amounts in (("requests", container.resources.requests), ("limits", container.resources.limits)):
        parts.append(f"{word} {_amounts(amounts)}" if amounts else f"no {word}")
    return ", ".join(parts)


def _amounts(amounts: Amounts) -> str:
    return " ".join(f"{name}={amount}" for name, amount in sorted(amounts.items()))
