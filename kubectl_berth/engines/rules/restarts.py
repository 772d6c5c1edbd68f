"""When what looks healthy was last started again, and why, for questions that take a crash for granted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.cluster.views import Pod, age
from kubectl_berth.engines.rules.case import Case

_ASKS = re.compile(
    r"\b(?:re-?start\w*|crash\w*|oom\w*|kill(?:s|ed|ing)?|reboot\w*|flap\w*|dies|dying|died|bounc\w+|fall\w* over)\b",
    re.IGNORECASE,
)


def last_restart(case: Case) -> str:
    """A sentence on the last restart of what was asked about; "" where the question is about something else."""
    if not _ASKS.search(case.understanding.text):
        return ""
    pods = _pods(case)
    ends = [
        (ended.finished_at or "", status.name, pod, ended)
        for pod in pods
        for status in pod.status.container_statuses
        if status.restart_count and (ended := status.last_state.terminated) is not None and ended.finished_at
    ]
    if not ends:
        return ""
    when, container, pod, ended = max(ends, key=lambda end: end[0])
    why = f"{ended.reason}, " if ended.reason else ""
    total = sum(one.restart_count for each in pods for one in each.status.container_statuses)
    return (
        f"The last restart was {age(case.inventory.now, when)} ago: container {container} of {pod.ref} ended "
        f"({why}exit code {ended.exit_code}); {total} restart{'' if total == 1 else 's'} in all."
    )


def _pods(case: Case) -> Sequence[Pod]:
    if case.subjects:
        found = {pod.ref: pod for ref in case.subjects if ref.kind != "Node" for pod in case.inventory.pods_of(ref)}
        return [pod for pod in found.values() if not pod.finished]
    spaces = case.understanding.namespaces
    return [pod for pod in case.inventory.pods if not pod.finished and (not spaces or pod.namespace in spaces)]
