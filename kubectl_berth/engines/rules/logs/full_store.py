"""A store that is full by its own bound and refuses writes: which workload it is, where the settings name it."""

from __future__ import annotations

import re
from itertools import pairwise

from kubectl_berth.cluster.views import Container, Pod
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.relations import waited
from kubectl_berth.engines.rules.orders import quoted
from kubectl_berth.records import Ref

STORE_FULL = "store full"
"""The family of a log's lines that say so."""


def store_behind(inventory: Inventory, pod: Pod, line: str) -> tuple[Ref | None, str]:
    """The workload that is full, and the setting that bounds it as a code span.

    It is the one that has the setting which the line names, or the only one that the pod's settings name; else None.
    """
    refs = [inventory.workload(each) for ref in waited(inventory, pod) for each in inventory.pods_of(ref)]
    known = {ref: _bound(inventory, ref, line) for ref in dict.fromkeys(refs) if ref != inventory.workload(pod)}
    bounded = [ref for ref, bound in known.items() if bound]
    found = bounded if len(bounded) == 1 else list(known)
    return (found[0], known[found[0]]) if len(found) == 1 else (None, "")


def full_words(inventory: Inventory, pod: Pod, line: str) -> str:
    """That the store is full, as a clause: "the store behind it (StatefulSet x/y) is full and refuses writes"."""
    store, bound = store_behind(inventory, pod, line)
    where = f" ({store}{f', {bound}' if bound else ''})" if store is not None else ""
    return f"the store behind it{where} is full and refuses writes"


def full_advice(inventory: Inventory, pod: Pod, line: str) -> str:
    """What to do about it, without a loss of what it holds."""
    store, bound = store_behind(inventory, pod, line)
    name = str(store) if store is not None else "the store that it writes to"
    return (
        f"Look at what {name} holds and at its bound{f' ({bound})' if bound else ''}: raise that bound together with "
        "the memory or disk that the store may use, or let it drop by policy what may be lost. Empty it only where "
        "everything in it can be made again. Starting the pods again that write changes nothing."
    )


def _bound(inventory: Inventory, ref: Ref, line: str) -> str:
    """The arguments or variables of a workload's containers that set what the line names."""
    names = set(re.findall(r"[a-z]{3,}(?:[_-][a-z]+)*", line.lower()))
    pod = next(iter(inventory.pods_of(ref)), None)
    for container in pod.spec.containers if pod is not None else ():
        for name, value in _settings(container):
            if name.lower().replace("-", "_") in {one.replace("-", "_") for one in names} and re.search(r"\d", value):
                return quoted(f"{name} {value}", 60)
    return ""


def _settings(container: Container) -> list[tuple[str, str]]:
    """Names with values as a container is given them: "--name value", "--name=value" and variables."""
    words = [word for text in (*container.command, *container.args) for word in re.split(r"[\s=]+", text)]
    pairs = [(one.lstrip("-"), other) for one, other in pairwise(words)]
    return [*pairs, *((one.name, one.value) for one in container.env if one.value)]
