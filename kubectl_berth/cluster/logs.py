"""Container logs of a snapshot, with the words that API server and kubelet have where there is none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from kubectl_berth.cluster.failures import ApiFailure, bad_request, invalid
from kubectl_berth.cluster.shape import mapping, mappings
from kubectl_berth.records import Object

NOT_RECORDED = "was recorded"
"""How the words end where a container may have written something that the snapshot does not hold."""


@dataclass(frozen=True)
class LogOptions:
    """What a log request asks for. `tail` in lines, `since` in seconds, `limit` in bytes; None means no bound."""

    container: str = ""
    previous: bool = False
    tail: int | None = None
    since: int | None = None
    limit: int | None = None


@dataclass(frozen=True)
class LogFiles:
    """Where logs lie: files by (namespace, pod, container, previous). `recorded` False: no logs were taken at all."""

    paths: Mapping[tuple[str, str, str, bool], Path] = field(default_factory=dict)
    recorded: bool = False


def read(pod: Object, options: LogOptions, files: LogFiles, now: datetime) -> bytes | None:
    """The log, or None where the pod was never scheduled. Raises ApiFailure 400, 404 or 422 in the server's words."""
    metadata = mapping(pod, "metadata")
    name, namespace = str(metadata.get("name")), str(metadata.get("namespace"))
    _check_bounds(name, options)
    container = _container(pod, name, options.container)
    path = files.paths.get((namespace, name, container, options.previous))
    past = (_status(pod, container) or {}).get("lastState")
    if options.previous and past is not None and not past.get("terminated"):
        # a file may lie there from a lower layer, where the container had another past
        path = None
    if path is None and not mapping(pod, "spec").get("nodeName") and not _status(pod, container):
        return None
    if path is None:
        status = _status(pod, container)
        _explain_absence(status, container, name, options.previous)
        # between two starts the kubelet's current log is the last terminated one's
        if "waiting" in mapping(status, "state") or options.previous:
            path = files.paths.get((namespace, name, container, not options.previous))
    if path is None and not files.recorded:
        raise ApiFailure(404, f'no log of container "{container}" in pod "{name}" {NOT_RECORDED}', "NotFound", {})
    if path is None and options.previous:
        raise bad_request(f'previous terminated container "{container}" in pod "{name}" not found')
    return cut(_text(path) if path else b"", options, now)


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ApiFailure(500, f"the log cannot be read: {error.strerror}", "InternalError") from error


def cut(text: bytes, options: LogOptions, now: datetime) -> bytes:
    """The part of a log that the options ask for: since, then the tail, then at most `limit` bytes of it."""
    lines = re.findall(rb"[^\n]*\n|[^\n]+", text)
    if options.since is not None:
        lines = _since(lines, now - timedelta(seconds=options.since))
    if options.tail is not None:
        lines = lines[-options.tail :] if options.tail else []
    shown = b"".join(lines)
    return shown if options.limit is None else shown[: options.limit]


def _since(lines: list[bytes], start: datetime) -> list[bytes]:
    """The lines from the first one on whose own leading timestamp is not before `start`.

    Log files carry no times but those the program wrote; a log without any is kept whole.
    """
    dated = False
    for at, line in enumerate(lines):
        moment = _moment(line)
        if moment and moment >= start:
            return lines[at:]
        dated = dated or moment is not None
    return [] if dated else lines


def _moment(line: bytes) -> datetime | None:
    word = line[:40].replace(b"[", b"").split(b" ", 1)[0].rstrip(b"]\n").decode("ascii", "replace")
    try:
        moment = datetime.fromisoformat(word) if len(word) >= 19 else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


def _check_bounds(pod: str, options: LogOptions) -> None:
    for field_name, value, least in (
        ("tailLines", options.tail, 0),
        ("sinceSeconds", options.since, 1),
        ("limitBytes", options.limit, 1),
    ):
        if value is not None and value < least:
            words = f"Invalid value: {value}: must be greater than or equal to {least}"
            raise invalid("PodLogOptions", pod, field_name, words)


def _names(pod: Object, field_name: str) -> list[str]:
    return [str(container.get("name")) for container in mappings(pod, "spec", field_name)]


def _container(pod: Object, name: str, asked: str) -> str:
    containers, inits = _names(pod, "containers"), _names(pod, "initContainers")
    ephemeral = _names(pod, "ephemeralContainers")
    if asked:
        if asked not in (*containers, *inits, *ephemeral):
            raise bad_request(f"container {asked} is not valid for pod {name}")
        return asked
    if len(containers) == 1:
        return containers[0]
    words = f"a container name must be specified for pod {name}"
    if containers:
        words += f", choose one of: [{' '.join(containers)}]"
        if inits:
            words += f" or one of the init containers: [{' '.join(inits)}]"
        if ephemeral:
            words += f" or one of the ephemeral containers: [{' '.join(ephemeral)}]"
    raise bad_request(words)


def _status(pod: Object, container: str) -> dict[str, Any] | None:
    for field_name in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for entry in mappings(pod, "status", field_name):
            if entry.get("name") == container:
                return entry
    return None


def _explain_absence(status: dict[str, Any] | None, container: str, pod: str, previous: bool) -> None:
    """Raises the kubelet's 400 where by the status there can be no log."""
    subject = f'container "{container}" in pod "{pod}"'
    if status is None:
        raise bad_request(f"{subject} is not available")
    state = mapping(status, "state")
    ended = bool(mapping(status, "lastState").get("terminated"))
    if previous:
        if not ended:
            raise bad_request(f'previous terminated container "{container}" in pod "{pod}" not found')
    elif not (state.get("running") is not None or state.get("terminated") is not None or ended):
        if state.get("waiting") is None:
            raise bad_request(f"{subject} is waiting to start - no logs yet")
        reason = str(mapping(state, "waiting").get("reason") or "")
        told = {
            "ErrImagePull": "image can't be pulled",
            "ImagePullBackOff": "trying and failing to pull image",
        }.get(reason, reason)
        raise bad_request(f"{subject} is waiting to start: {told}")
