"""What the kubelet copies from a container's log into the pod: withheld where logs are."""

from __future__ import annotations

from typing import Any

from kubectl_berth.records import Object

LOG_TEXT = "[a piece of the log, withheld with it]"
_NO_LOG = ("StartError", "ContainerCannotRun")
"""Reasons for which the runtime, not the container, wrote the message."""


def without_log_copies(thing: Object) -> Object:
    """The object without what the kubelet copied into it from a container's log.

    A container with terminationMessagePolicy FallbackToLogsOnError has the end of its log as termination message.
    """
    spec, status = thing.get("spec"), thing.get("status")
    if not isinstance(spec, dict) or not isinstance(status, dict):
        return thing
    copies = {
        container.get("name")
        for part in ("containers", "initContainers", "ephemeralContainers")
        for container in _listed(spec.get(part))
        if isinstance(container, dict) and container.get("terminationMessagePolicy") == "FallbackToLogsOnError"
    }
    if not copies:
        return thing
    shown = dict(status)
    for part in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        if isinstance(entries := status.get(part), list):
            shown[part] = [_without_message(each, copies) for each in entries]
    return {**thing, "status": shown}


def _without_message(container: Any, copies: set[Any]) -> Any:
    if not isinstance(container, dict) or container.get("name") not in copies:
        return container
    shown = dict(container)
    for part in ("state", "lastState"):
        state = container.get(part)
        if not isinstance(state, dict):
            continue
        ended = state.get("terminated")
        if isinstance(ended, dict) and ended.get("message") and ended.get("reason") not in _NO_LOG:
            shown[part] = {**state, "terminated": {**ended, "message": LOG_TEXT}}
    return shown


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
