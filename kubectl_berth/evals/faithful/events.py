"""Events: shape, age, what they are about, and the words of the cluster's version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta

from kubectl_berth.evals.faithful.world import Rule, World, each, label, owners, statuses, time
from kubectl_berth.records import Object

_TTL = timedelta(hours=1)
_CLUSTER_KINDS = {"Node", "PersistentVolume", "Namespace"}
_OF_THE_POD = {"Evicted", "FailedMount", "FailedCreatePodSandBox", "FailedToRetrieveImagePullSecret", "SandboxChanged"}
"""What the kubelet says of a pod as a whole, without a fieldPath."""
_STARTS = {
    "Created": {30: r"Created container {}", 32: r"Created container: {}", 35: r"Container created"},
    "Started": {30: r"Started container {}", 35: r"Container started"},
}
_SCALED = {
    30: r"Scaled up replica set \S+ to \d+( from [1-9]\d*)?|Scaled down replica set \S+ to \d+ from \d+",
    32: r"Scaled (up|down) replica set \S+ from \d+ to \d+",
}
_PULLING = {30: r'Back-off pulling image "[^"]+"', 32: r'Back-off pulling image "[^"]+": ErrImagePull: .+'}
_SCHEDULING = {
    30: r"(?!.*(taint\(s\)|no new claims|PersistentVolume's)).*",
    33: r"(?!.*(taint\(s\)|no new claims|volume node affinity)).*",
    34: r"(?!.*(untolerated taint \{|available: [^.]*volume node affinity)).*",
}


def shapes(world: World) -> Iterator[str]:
    """Events have the shape of their reporter."""

    def judge(event: Object) -> Iterator[str]:
        scheduler = event["reportingComponent"] == "default-scheduler"
        if not (event["firstTimestamp"] is None) is (event["lastTimestamp"] is None) is scheduler:
            yield "the scheduler's events have no timestamps, all others have both"
        if bool(event["eventTime"]) is not scheduler or ("count" in event) is scheduler:
            yield "the scheduler's events have an eventTime and no count, all others the other way round"
        if bool(event["source"]) is scheduler:
            yield "the scheduler's events have an empty source, all others a component"
        if scheduler:
            if event["action"] not in ("Binding", "Scheduling", "Preempting"):
                yield f"action {event['action']} is none of the scheduler's"
        else:
            if event["source"].get("component") != event["reportingComponent"]:
                yield "source and reportingComponent differ"
            if time(event["firstTimestamp"]) > time(event["lastTimestamp"]):
                yield "was last seen before it was first seen"
            if event["count"] == 1 and event["firstTimestamp"] != event["lastTimestamp"]:
                yield "was seen once, at two times"
        about = event["involvedObject"]
        home = "default" if about["kind"] in _CLUSTER_KINDS else about["namespace"]
        if event["metadata"]["namespace"] != home:
            yield f"lies in {event['metadata']['namespace']}, not in {home}"

    yield from each(world.kind("Event"), judge)


def fresh(world: World) -> Iterator[str]:
    """Events are younger than an hour: older ones would be gone."""

    def judge(event: Object) -> Iterator[str]:
        series = (event.get("series") or {}).get("lastObservedTime")
        last = time(series or event["lastTimestamp"] or event["eventTime"])
        if world.now - last >= _TTL:
            yield "is an hour old or more"

    yield from each(world.kind("Event"), judge)


def subjects(world: World) -> Iterator[str]:
    """Events are about objects that exist, and not from before their birth."""
    by_uid = world.by_uid()

    def judge(event: Object) -> Iterator[str]:
        about = event["involvedObject"]
        obj = by_uid.get(about["uid"])
        if obj is None and _came_again(world, about):
            return
        if obj is None or (obj["kind"], obj["metadata"]["name"]) != (about["kind"], about["name"]):
            yield f"there is no {about['kind']} {about['name']} with uid {about['uid']}"
            return
        if not event["metadata"]["name"].startswith(about["name"] + "."):
            yield "is not named after its object"
        if time(event["firstTimestamp"] or event["eventTime"]) < time(obj["metadata"]["creationTimestamp"]):
            yield "is older than its object"
        if event["reportingComponent"] == "kubelet" and obj["kind"] == "Pod":
            if event["source"]["host"] != obj["spec"]["nodeName"]:
                yield "comes from another node than its pod's"
            if "fieldPath" not in about and event["reason"] in _OF_THE_POD:
                return
            match = re.fullmatch(r"spec\.(containers|initContainers)\{(.+)\}", about.get("fieldPath", ""))
            if match is None or match[2] not in {entry["name"] for entry in obj["spec"].get(match[1], [])}:
                yield f'fieldPath "{about.get("fieldPath", "")}" is none of its containers'

    yield from each(world.kind("Event"), judge)


def _came_again(world: World, about: Mapping[str, str]) -> bool:
    """Whether an event is about an earlier pod of a StatefulSet: the next one has its name."""
    return about["kind"] == "Pod" and any(
        pod["metadata"]["name"] == about["name"] and any(ref["kind"] == "StatefulSet" for ref in owners(pod))
        for pod in world.kind("Pod")
        if pod["metadata"]["namespace"] == about["namespace"]
    )


def back_off(world: World) -> Iterator[str]:
    """A back-off is a warning for restarts only."""

    def judge(event: Object) -> Iterator[str]:
        if event["reason"] == "BackOff":
            expected = "Normal" if event["message"].startswith("Back-off pulling image ") else "Warning"
            if event["type"] != expected:
                yield f"has the type {event['type']}, the kubelet's is {expected}"

    yield from each(world.kind("Event"), judge)


def _wording(table: Mapping[int, str], minor: int) -> str:
    """The newest entry that is not newer than `minor`."""
    return table[max(since for since in table if since <= max(minor, min(table)))]


def words(world: World) -> Iterator[str]:
    """Messages are worded as that version words them."""

    def told(event: Object) -> Iterator[str]:
        reason, message = event["reason"], event["message"]
        expected = ".*"
        if reason in _STARTS and "{" in event["involvedObject"].get("fieldPath", ""):
            container = event["involvedObject"]["fieldPath"].split("{")[1].rstrip("}")
            expected = re.escape(_wording(_STARTS[reason], world.minor).format(container))
        elif reason == "ScalingReplicaSet":
            expected = _wording(_SCALED, world.minor)
        elif reason == "FailedScheduling":
            expected = _wording(_SCHEDULING, world.minor)
        if not re.fullmatch(expected, message, re.DOTALL):
            yield f'"{message}" is not what {world.version} says'

    def waits(pod: Object) -> Iterator[str]:
        for entry in statuses(pod):
            waiting = entry["state"].get("waiting", {})
            if waiting.get("reason") == "ImagePullBackOff" and not re.fullmatch(
                _wording(_PULLING, world.minor), waiting["message"], re.DOTALL
            ):
                yield f'"{waiting["message"]}" is not what {world.version} says'

    yield from each(world.kind("Event"), told)
    yield from each(world.kind("Pod"), waits)


def versions(world: World) -> Iterator[str]:
    """Nodes and their proxies are of the server's version."""

    def of_node(node: Object) -> Iterator[str]:
        info = node["status"]["nodeInfo"]
        if info["kubeletVersion"] != world.version:
            yield f"its kubelet is {info['kubeletVersion']}, the server {world.version}"
        # since 1.33 the kubelet no longer claims to know the proxy's version
        if info["kubeProxyVersion"] != (world.version if world.minor < 33 else ""):
            yield f"kubeProxyVersion is {info['kubeProxyVersion']!r}"

    def of_proxy(pod: Object) -> Iterator[str]:
        image = pod["spec"]["containers"][0]["image"]
        if label(pod, "k8s-app") == "kube-proxy" and not image.endswith(f":{world.version}"):
            yield f"runs {image}, the server is {world.version}"

    yield from each(world.kind("Node"), of_node)
    yield from each(world.kind("Pod"), of_proxy)


RULES: Mapping[str, Rule] = {
    "event shapes": shapes,
    "event ages": fresh,
    "event subjects": subjects,
    "back-off": back_off,
    "words": words,
    "versions": versions,
}
SPOKEN = ("words", "versions")
"""The rules that depend on the version a scenario is read in."""
