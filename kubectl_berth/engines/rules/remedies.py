"""What to do about the causes of a case: first by the log's own word, then the finding's remedy, with figures."""

from __future__ import annotations

import re

from kubectl_berth.engines.rules.advice import (
    earlier_revision,
    more_memory,
    pull_secret,
    rollback,
    scale_up,
    start_command,
    webhook_back,
)
from kubectl_berth.engines.rules.beside import command_of, node_names, probed_port
from kubectl_berth.engines.rules.facts.named import with_the_thing
from kubectl_berth.engines.rules.logs.advice import RESOLVE, advice
from kubectl_berth.engines.rules.material import MOST_CAUSES, LogSeen, Material, first_with, log_of
from kubectl_berth.engines.rules.special import own_note
from kubectl_berth.records import Finding

KNOWN = frozenset({"WrongArchitecture", "HeapExhausted"})
"""Reasons of findings that need no log."""
_READ = re.compile(r"^read (?:the|its) log\b[^,;]{0,250}, then\s+", re.IGNORECASE)
"""What is done with by the time the remedy is read."""


def remedies(material: Material) -> list[str]:
    """What to do, one entry for each cause, then the way back where there is one."""
    case = material.case
    told: list[str] = []
    several = len(case.causes) > 1
    for cause in (case.causes or case.symptoms)[:MOST_CAUSES]:
        log = log_of(material, cause)
        read = log is not None and log.best is not None
        telling = log.best if log is not None and not _says_the_same(cause, log) else None
        if log is not None and telling is not None and (not case.causes or cause is first_with(material, log)):
            told.append(
                RESOLVE.format(where=log.workload)
                if node_names(material, cause)
                else advice(log, telling, case.inventory)
            )
        special = _special(material, cause)
        # what a log says has been read already
        if special:
            told.extend(special)
        elif log is not None and not read and not log.failure and "kubectl logs" in cause.remedy:
            told.append(_silent(log))
        elif (remedy := _left(cause, read)) and not (read and "kubectl logs" in remedy):
            told.append(f"{cause.subject}: {remedy}" if several else remedy)
    note = own_note(case) if case.healthy else None
    if note is not None and note.remedy:
        told.append(note.remedy)
    told += [] if material.rolling else earlier_revision(material)
    for ref in material.rolling:
        words, action = rollback(ref)
        told.append(words)
        material.actions.append(action)
    return told


def _left(cause: Finding, read: bool) -> str:
    """The finding's own remedy, without what is done with by now."""
    remedy = with_the_thing(cause)
    if read and "its operator's log" in remedy:
        return ""
    return _READ.sub("", remedy) if read else remedy


def _silent(log: LogSeen) -> str:
    """What to do where the log was read and tells nothing."""
    what = "names no error" if log.reading.last else "is empty"
    return (
        f"Its log was read and {what}: let container {log.wanted.container} of {log.workload} say more (its log "
        "level), and hold its command, args and settings against what the image expects."
    )


def _says_the_same(cause: Finding, log: LogSeen) -> bool:
    """True where the objects alone told what the log tells, so that the finding's own remedy holds the figures."""
    return cause.reason in KNOWN and log.best is not None and log.best.family in ("heap", "wrong architecture")


def _special(material: Material, cause: Finding) -> list[str]:
    """Advice with a figure, where the objects give one."""
    inventory = material.case.inventory
    pod = inventory.pod(cause.subject.namespace, cause.subject.name)
    found = None
    if cause.reason == "OOMKilled" and pod is not None:
        found = more_memory(pod, inventory.workload(pod), inventory)
    elif cause.reason == "ScaledToZero":
        found = scale_up(cause, inventory)
    if words := probed_port(material, cause):
        return [words]
    if (words := pull_secret(cause)) and cause.reason == "ImageAccessDenied":
        return [words]
    if words := webhook_back(cause, inventory):
        return [words]
    if (command := command_of(cause)) and pod is not None:
        return [start_command(command, pod, inventory.workload(pod))]
    if found is None:
        return []
    material.actions.append(found[1])
    return [found[0]]
