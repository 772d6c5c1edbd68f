"""The moment: nothing is from the future, heartbeats and figures are fresh."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from kubectl_berth.cluster.quantities import quantity
from kubectl_berth.evals.faithful.world import Rule, World, condition, each, owners, time
from kubectl_berth.records import Object

_RFC3339 = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
_MAY_COME = re.compile(r"notAfter|renewalTime|[eE]xpir|next|certificates", re.IGNORECASE)


def _times(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every time in an object, with the path it stands at."""
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from _times(entry, f"{path}.{name}")
    elif isinstance(value, list):
        for entry in value:
            yield from _times(entry, path)
    elif isinstance(value, str) and _RFC3339.match(value):
        yield path.lstrip("."), value


def past(world: World) -> Iterator[str]:
    """Nothing is from the future, but what says when something ends or is due."""

    def judge(obj: Object) -> Iterator[str]:
        for path, moment in _times(obj):
            if time(moment) > world.now and not _MAY_COME.search(path):
                yield f"{path} is {moment}, in the future"

    yield from each(world.all(), judge)


def ages(world: World) -> Iterator[str]:
    """Children are not older than their owners."""
    by_uid = world.by_uid()

    def judge(obj: Object) -> Iterator[str]:
        for ref in owners(obj):
            owner = by_uid.get(ref["uid"])
            if owner and obj["metadata"]["creationTimestamp"] < owner["metadata"]["creationTimestamp"]:
                yield f"is older than its {ref['kind']} {ref['name']}"

    yield from each(world.all(), judge)


def heartbeats(world: World) -> Iterator[str]:
    """Ready nodes have a fresh lease and heartbeat."""
    leases = {
        obj["metadata"]["name"]: obj
        for obj in world.kind("Lease")
        if obj["metadata"].get("namespace") == "kube-node-lease"
    }

    def judge(node: Object) -> Iterator[str]:
        if condition(node, "Ready").get("status") != "True":
            return
        lease = leases.get(node["metadata"]["name"])
        if lease is None:
            # of a cluster of which one namespace was taken, the leases lie in another
            if not world.cluster.name().only:
                yield "has no lease in kube-node-lease"
        elif world.now - time(lease["spec"]["renewTime"]) >= timedelta(seconds=40):
            yield "is Ready, and its lease is 40 s old or more"
        if world.now - time(condition(node, "Ready")["lastHeartbeatTime"]) >= timedelta(minutes=6):
            yield "is Ready, and its last heartbeat is 6 minutes old or more"

    yield from each(world.kind("Node"), judge)


def usage(world: World) -> Iterator[str]:
    """Usage figures are fresh, of running containers, and add up on the nodes."""
    pods = {(pod["metadata"]["namespace"], pod["metadata"]["name"]): pod for pod in world.kind("Pod")}
    used: Counter[str] = Counter()

    def of_pod(figures: Object) -> Iterator[str]:
        pod = pods.get((figures["metadata"]["namespace"], figures["metadata"]["name"]))
        if pod is None:
            yield "there is no such pod"
            return
        running = {entry["name"] for entry in pod["status"]["containerStatuses"] if "running" in entry["state"]}
        if {entry["name"] for entry in figures["containers"]} != running:
            yield "its containers are not those that run"
        if not timedelta() < world.now - time(figures["timestamp"]) < timedelta(seconds=75):
            yield f"timestamp {figures['timestamp']} is not of the last 75 s"
        used[pod["spec"]["nodeName"]] += sum(int(quantity(entry["usage"]["memory"])) for entry in figures["containers"])

    def of_node(figures: Object) -> Iterator[str]:
        if used[figures["metadata"]["name"]] >= quantity(figures["usage"]["memory"]):
            yield "its pods use more memory than it does"

    yield from each(world.kind("PodMetrics"), of_pod)
    yield from each(world.kind("NodeMetrics"), of_node)


RULES: Mapping[str, Rule] = {"past": past, "ages": ages, "heartbeats": heartbeats, "usage": usage}
