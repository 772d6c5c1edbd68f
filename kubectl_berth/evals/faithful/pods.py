"""Pods: names, nodes, containers, restarts, conditions, volumes, logs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from kubectl_berth.cluster.quantities import quantity
from kubectl_berth.errors import ReadError
from kubectl_berth.evals.faithful.world import Rule, World, condition, each, label, owners, statuses, time
from kubectl_berth.records import Object

_DELAYS = {"10s": 10, "20s": 20, "40s": 40, "1m20s": 80, "2m40s": 160, "5m0s": 300}


def named(world: World) -> Iterator[str]:
    """Pods are named after their owner, and carry its labels."""
    by_uid = world.by_uid()

    def judge(pod: Object) -> Iterator[str]:
        for ref in owners(pod):
            if not pod["metadata"]["name"].startswith(ref["name"]):
                yield f"is not named after its {ref['kind']} {ref['name']}"
            if ref["kind"] == "ReplicaSet":
                if label(pod, "pod-template-hash") != ref["name"].rsplit("-", 1)[1]:
                    yield "pod-template-hash is not that of its ReplicaSet"
                if pod["metadata"]["generateName"] != ref["name"] + "-":
                    yield "generateName is not that of its ReplicaSet"
            elif ref["kind"] == "Job":
                if label(pod, "batch.kubernetes.io/job-name") != ref["name"]:
                    yield "batch.kubernetes.io/job-name is not its Job"
                if label(pod, "batch.kubernetes.io/controller-uid") != ref["uid"]:
                    yield "batch.kubernetes.io/controller-uid is not its Job's"
            elif ref["kind"] in ("StatefulSet", "DaemonSet") and ref["uid"] in by_uid and taken:
                revisions = {obj["metadata"]["name"] for obj in world.owned(by_uid[ref["uid"]], "ControllerRevision")}
                revision = label(pod, "controller-revision-hash")
                if (revision if ref["kind"] == "StatefulSet" else f"{ref['name']}-{revision}") not in revisions:
                    yield f"there is no ControllerRevision {revision}"

    # a snapshot that was taken of a cluster never holds them
    taken = world.kind("ControllerRevision")
    yield from each(world.kind("Pod"), judge)


def placed(world: World) -> Iterator[str]:
    """Pods run on nodes that exist, with an address of theirs; no two have the same one."""
    nodes = {node["metadata"]["name"]: node for node in world.kind("Node")}
    addresses = Counter(pod["status"].get("podIP") for pod in world.kind("Pod") if not pod["spec"].get("hostNetwork"))

    def judge(pod: Object) -> Iterator[str]:
        if not pod["spec"].get("nodeName"):
            if pod["status"]["phase"] != "Pending":
                yield f"is {pod['status']['phase']} on no node"
            return
        node = nodes.get(pod["spec"]["nodeName"])
        if node is None:
            yield f"there is no node {pod['spec']['nodeName']}"
            return
        internal = next(entry["address"] for entry in node["status"]["addresses"] if entry["type"] == "InternalIP")
        if pod["status"]["hostIP"] != internal:
            yield "hostIP is not its node's"
        address = pod["status"]["podIP"]
        if pod["spec"].get("hostNetwork"):
            if address != internal:
                yield "is on the host's network with an address of its own"
            return
        if not address.startswith(node["spec"]["podCIDR"].rsplit(".", 1)[0] + "."):
            yield f"podIP {address} is not in its node's podCIDR"
        if addresses[address] > 1:
            yield f"shares its podIP {address}"

    yield from each(world.kind("Pod"), judge)


def fitting(world: World) -> Iterator[str]:
    """Requests and pods fit on the nodes."""

    def judge(node: Object) -> Iterator[str]:
        name, room = node["metadata"]["name"], node["status"]["allocatable"]
        pods = [
            pod
            for pod in world.kind("Pod")
            if pod["spec"].get("nodeName") == name and pod["status"]["phase"] in ("Running", "Pending")
        ]
        if len(pods) > int(room["pods"]):
            yield f"holds {len(pods)} pods and has room for {room['pods']}"
        for resource in ("cpu", "memory"):
            asked = sum(
                quantity(container.get("resources", {}).get("requests", {}).get(resource, "0"))
                for pod in pods
                for container in pod["spec"]["containers"]
            )
            if asked > quantity(room[resource]):
                yield f"{resource} requests are more than it has"

    yield from each(world.kind("Node"), judge)


def containers(world: World) -> Iterator[str]:
    """Container statuses are those of the spec, each in one state."""

    def judge(pod: Object) -> Iterator[str]:
        spec, status = pod["spec"], pod["status"]
        for wanted, shown in (("containers", "containerStatuses"), ("initContainers", "initContainerStatuses")):
            images = {container["name"]: container["image"] for container in spec.get(wanted, [])}
            entries = status.get(shown, [])
            if entries and {entry["name"]: entry["image"] for entry in entries} != images:
                yield f"{shown} are not those of {wanted}"
        for entry in statuses(pod):
            yield from (f"container {entry['name']} {words}" for words in _state(entry))

    yield from each(world.kind("Pod"), judge)


def _state(entry: Mapping[str, Any]) -> Iterator[str]:
    state = entry["state"]
    if len(state) != 1:
        yield "is not in exactly one state"
    never_ran = "waiting" in state and not entry.get("lastState")
    if bool(entry.get("containerID")) is never_ran or bool(entry["imageID"]) is never_ran:
        yield "has a container id and an image id exactly where it ran"
    if "running" in state:
        if entry.get("started") not in (True, False):
            yield "runs and does not say whether it started"
    elif entry["ready"] and state.get("terminated", {}).get("exitCode") != 0:
        yield "is ready and does not run"


def restarts(world: World) -> Iterator[str]:
    """Restarts, last ends and back-off delays agree."""

    def judge(pod: Object) -> Iterator[str]:
        for entry in statuses(pod):
            yield from (f"container {entry['name']} {words}" for words in _ended(world, pod, entry))

    yield from each(world.kind("Pod"), judge)


def _ended(world: World, pod: Object, entry: Mapping[str, Any]) -> Iterator[str]:
    ended = entry.get("lastState", {}).get("terminated")
    if (entry["restartCount"] > 0) is not bool(ended):
        yield "has restarts and a last end, or neither"
    if ended:
        if not time(ended["startedAt"]) <= time(ended["finishedAt"]) <= world.now:
            yield "ended before it started, or in the future"
        if ended["reason"] == "OOMKilled" and ended["exitCode"] != 137:
            yield "was OOMKilled with another exit code than 137"
        running = entry["state"].get("running")
        if running and time(running["startedAt"]) < time(ended["finishedAt"]):
            yield "runs since before its last end"
    waiting = entry["state"].get("waiting", {})
    if waiting.get("reason") == "CrashLoopBackOff" and ended:
        yield from _backing_off(world, pod, entry, waiting, ended)


def _backing_off(
    world: World, pod: Object, entry: Mapping[str, Any], waiting: Mapping[str, Any], ended: Mapping[str, Any]
) -> Iterator[str]:
    uid, name, namespace = (pod["metadata"][key] for key in ("uid", "name", "namespace"))
    words = rf"back-off (\w+) restarting failed container={entry['name']} pod={name}_{namespace}\({uid}\)"
    told = re.fullmatch(words, waiting["message"])
    if told is None or told[1] not in _DELAYS:
        yield f'does not say its back-off as the kubelet does: "{waiting["message"]}"'
        return
    if world.now > time(ended["finishedAt"]) + timedelta(seconds=_DELAYS[told[1]]):
        yield "should have been started again by now"
    least = sum(min(10 * 2**n, 300) for n in range(entry["restartCount"]))
    if world.now - time(pod["metadata"]["creationTimestamp"]) <= timedelta(seconds=least):
        yield f"cannot have restarted {entry['restartCount']} times in the pod's life"


def conditions(world: World) -> Iterator[str]:
    """Pod conditions follow the containers; on a lost node they say that the pod is not ready, and no more."""
    lost = {node["metadata"]["name"] for node in world.kind("Node") if condition(node, "Ready")["status"] == "Unknown"}

    def judge(pod: Object) -> Iterator[str]:
        if pod["spec"].get("nodeName") in lost and pod["status"]["phase"] == "Running":
            if condition(pod, "Ready")["status"] != "False":
                yield "is ready on a node that is lost"
            return
        if pod["status"]["phase"] == "Failed":
            return
        scheduled = condition(pod, "PodScheduled").get("status")
        if not pod["spec"].get("nodeName"):
            if scheduled != "False":
                yield "is on no node and PodScheduled is not False"
            return
        if scheduled != "True":
            yield "is on a node and PodScheduled is not True"
        unready = [entry["name"] for entry in pod["status"].get("containerStatuses", []) if not entry["ready"]]
        for kind in ("Ready", "ContainersReady"):
            entry = condition(pod, kind)
            if (entry.get("status") == "True") is bool(unready):
                yield f"{kind} does not follow from its containers"
            if pod["status"]["phase"] == "Succeeded":
                if entry["reason"] != "PodCompleted":
                    yield f"has succeeded and {kind} does not say PodCompleted"
            elif unready and (
                entry["reason"] != "ContainersNotReady"
                or entry["message"] != f"containers with unready status: [{' '.join(unready)}]"
            ):
                yield f"{kind} does not name the containers that are not ready"

    yield from each(world.kind("Pod"), judge)


def quality(world: World) -> Iterator[str]:
    """The quality of service follows from the spec."""

    def judge(pod: Object) -> Iterator[str]:
        resources = [
            container.get("resources", {})
            for container in [*pod["spec"]["containers"], *pod["spec"].get("initContainers", [])]
        ]
        if not any(entry.get("requests") or entry.get("limits") for entry in resources):
            expected = "BestEffort"
        elif all(
            entry.get("limits", {}).get(name) and entry.get("requests", {}).get(name) == entry["limits"][name]
            for entry in resources
            for name in ("cpu", "memory")
        ):
            expected = "Guaranteed"
        else:
            expected = "Burstable"
        if pod["status"]["qosClass"] != expected:
            yield f"qosClass is {pod['status']['qosClass']}, its containers make it {expected}"

    yield from each(world.kind("Pod"), judge)


def volumes(world: World) -> Iterator[str]:
    """Claims are bound to volumes that claim them, and pods use claims that exist."""
    found = {volume["metadata"]["name"]: volume for volume in world.kind("PersistentVolume")}
    claims = {(obj["metadata"]["namespace"], obj["metadata"]["name"]) for obj in world.kind("PersistentVolumeClaim")}

    def bound(claim: Object) -> Iterator[str]:
        if claim["status"]["phase"] != "Bound":
            return
        volume = found.get(claim["spec"]["volumeName"])
        if volume is None:
            yield f"there is no volume {claim['spec']['volumeName']}"
        elif volume["spec"]["claimRef"]["uid"] != claim["metadata"]["uid"]:
            yield f"volume {claim['spec']['volumeName']} is bound to another claim"

    def used(pod: Object) -> Iterator[str]:
        for volume in pod["spec"].get("volumes", []):
            claimed = volume.get("persistentVolumeClaim")
            if claimed and (pod["metadata"]["namespace"], claimed["claimName"]) not in claims:
                yield f"there is no claim {claimed['claimName']}"

    yield from each(world.kind("PersistentVolumeClaim"), bound)
    yield from each(world.kind("Pod"), used)


def logs(world: World) -> Iterator[str]:
    """Logs are those of containers that exist, previous ones of those that ended; who crashes has left one."""
    pods = {(pod["metadata"].get("namespace"), pod["metadata"]["name"]): pod for pod in world.kind("Pod")}
    for path in world.layers[-1].glob("logs/*/*/*.log"):
        namespace, name, file = path.relative_to(world.layers[-1] / "logs").parts
        container = file.removesuffix(".log").removesuffix(".previous")
        pod = pods.get((namespace, name))
        entry = next((entry for entry in statuses(pod) if entry["name"] == container), None) if pod else None
        if entry is None:
            yield f"{path}: there is no such container"
        elif file.endswith(".previous.log") and not entry.get("lastState", {}).get("terminated"):
            yield f"{path}: that container never ended"

    def judge(pod: Object) -> Iterator[str]:
        for entry in pod["status"].get("containerStatuses", []):
            where = pod["metadata"]["name"], pod["metadata"]["namespace"], entry["name"]
            if entry["state"].get("waiting", {}).get("reason") == "CrashLoopBackOff":
                try:
                    silent = not world.cluster.log(*where, previous=True).strip()
                except ReadError as error:
                    silent = error.status == 400
                if silent:
                    yield f"container {entry['name']} crashes and has left no previous log"

    yield from each(world.kind("Pod"), judge)


RULES: Mapping[str, Rule] = {
    "pod names": named,
    "placement": placed,
    "room": fitting,
    "containers": containers,
    "restarts": restarts,
    "pod conditions": conditions,
    "quality of service": quality,
    "volumes": volumes,
    "logs": logs,
}
