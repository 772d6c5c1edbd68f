"""Pods that a node put out: to save itself, at a limit of their own, or because it was shut down."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kubectl_berth.cluster.views import Pod
from kubectl_berth.diagnosis.checks.memory import evicted_at
from kubectl_berth.diagnosis.objects import HOUR, Inventory
from kubectl_berth.diagnosis.say import clip, count, younger
from kubectl_berth.records import Finding


def check_evictions(inventory: Inventory) -> Iterable[Finding]:
    """Pods that were put out of their node, as long as that is news or still leaves something missing."""
    for pod in inventory.pods:
        if pod.status.phase != "Failed" or not pod.status.reason:
            continue
        if not (younger(inventory.now, evicted_at(inventory, pod), HOUR) or _missed(inventory, pod)):
            continue
        if pod.status.reason == "Evicted":
            yield _evicted(inventory, pod)
        elif pod.status.reason in ("Terminated", "NodeShutdown", "Shutdown", "NodeLost"):
            yield Finding(
                "info",
                pod.ref,
                "NodeShutDown",
                f"it ended because node {pod.spec.node_name} was shut down",
                (f"status: phase Failed, reason {pod.status.reason}: {clip(pod.status.message)}",),
                remedy="nothing to mend in the pod; look at why the node went away (spot instance, maintenance)",
                disproof="a container that had ended by itself before",
            )


def _evicted(inventory: Inventory, pod: Pod) -> Finding:
    text = pod.status.message
    lowered = text.lower()
    own = any(
        mark in lowered for mark in ("usage of emptydir", "ephemeral local storage usage exceeds", "exceeded its local")
    )
    more = len(_alike(inventory, pod)) - 1
    also = f", like {more} more of {inventory.workload(pod)}," if more > 0 else ""
    return Finding(
        "warning",
        pod.ref,
        "EvictedOwnLimit" if own else "Evicted",
        f"it was evicted{also} for using more local storage than its own limit: {clip(text.strip().rstrip('.'), 160)}"
        if own
        else f"node {pod.spec.node_name} evicted it to save itself",
        (
            f"status: phase Failed, reason Evicted: {clip(text)}",
            *_earlier(inventory, pod),
            *(["status.qosClass: BestEffort: it requests nothing, so it goes first"] if _goes_first(pod) else []),
        ),
        remedy=_own_limit(text)
        if own
        else "give it requests that fit its use, so that others go first, and relieve the node",
        disproof="no pressure on the node at that time" if not own else "a limit above what it had written",
    )


_LIMITS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r'emptydir volume "?([^"\s]+)"? exceeds the limit "?([^"\s]+)"?', re.IGNORECASE),
     "raise sizeLimit of emptyDir volume {0} above {1}"),
    (re.compile(r'container (\S+) exceeded its local ephemeral storage limit "?([^"\s]+)"?', re.IGNORECASE),
     "raise the ephemeral-storage limit of container {0} above {1}"),
    (re.compile(r"()usage exceeds the total limit of containers (\S+?)\.?(?:\s|$)", re.IGNORECASE),
     "raise the ephemeral-storage limits of its containers above {1} in all"),
)  # fmt: skip


def _own_limit(text: str) -> str:
    """What to do about a pod that was put out at a limit of its own, with the limit that the kubelet names."""
    hits = ((pattern.search(text), words) for pattern, words in _LIMITS)
    raised = next((words.format(*hit.groups()) for hit, words in hits if hit), "raise the limit that it names")
    return f"{raised}, let it write less, or give it a volume of its own for what it writes"


def _earlier(inventory: Inventory, pod: Pod) -> list[str]:
    """How many more pods of the same workload were evicted and are still there to be seen."""
    alike = _alike(inventory, pod)
    return [f"{count(len(alike), 'pod')} of {inventory.workload(pod)} evicted in all"] if len(alike) > 1 else []


def _alike(inventory: Inventory, pod: Pod) -> list[Pod]:
    return [one for one in inventory.pods_of(inventory.workload(pod)) if one.status.reason == "Evicted"]


def _goes_first(pod: Pod) -> bool:
    return pod.status.qos_class == "BestEffort"


def _missed(inventory: Inventory, pod: Pod) -> bool:
    """True where the pod's workload has fewer ready pods than it should."""
    for ref in inventory.owners(pod):
        found = inventory.find(ref)
        desired, ready = getattr(found, "desired", None), getattr(found, "ready", None)
        if isinstance(desired, int) and isinstance(ready, int):
            return ready < desired
    return False
