"""Each rule finds what was broken for it, and a cluster of somebody else's is judged without a crash."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from kubectl_berth.evals.faithful.rules import RULES, oddities
from kubectl_berth.evals.faithful.world import World, condition, world
from kubectl_berth.records import Object
from kubectl_berth.scenarios.reader import load


@pytest.fixture(scope="module")
def whole() -> World:
    return world(load("crd-operator-discovery"))


def find(here: World, kind: str, name: str = "") -> Object:
    """The first object of a kind whose name begins so."""
    return next(obj for obj in here.kind(kind) if obj["metadata"]["name"].startswith(name))


def event(here: World, reason: str) -> Object:
    return next(obj for obj in here.kind("Event") if obj["reason"] == reason)


Break = Callable[[World], Any]


def put(obj: Object, path: str, value: Any) -> None:
    """Sets one field, by its path."""
    *parts, last = path.split(".")
    for part in parts:
        obj = obj[int(part)] if isinstance(obj, list) else obj[part]
    obj[int(last) if isinstance(obj, list) else last] = value  # type: ignore[index]


def pod(path: str, value: Any, name: str = "ledger-db-3") -> Break:
    return lambda here: put(find(here, "Pod", name), path, value)


def of(kind: str, path: str, value: Any, name: str = "") -> Break:
    return lambda here: put(find(here, kind, name), path, value)


BROKEN: list[tuple[str, Break, str]] = [
    ("served", lambda here: here.kind("Service").remove(find(here, "Service", "ledger-db-rw")), "is in a file and not"),
    ("uids", pod("metadata.uid", ""), "has no uid"),
    ("owners", pod("metadata.ownerReferences.0.uid", "no-such"), "is not there"),
    ("homes", pod("spec.serviceAccountName", "nobody"), "no service account nobody"),
    ("names", pod("metadata.labels.tier", "broken-one"), "gives the answer away"),
    ("fields", pod("spec.replicaz", 3), "has no field spec.replicaz"),
    ("pod names", of("Pod", "metadata.generateName", "x-", "storefront"), "generateName"),
    ("placement", pod("spec.nodeName", "node-z"), "no node node-z"),
    ("placement", pod("status.hostIP", "10.9.9.9"), "hostIP"),
    ("room", of("Node", "status.allocatable.cpu", "100m"), "cpu requests are more"),
    ("containers", of("Pod", "status.containerStatuses.0.image", "a:1", "storefront"), "not those of containers"),
    ("restarts", pod("status.containerStatuses.0.restartCount", 0), "restarts and a last end"),
    (
        "pod conditions",
        lambda here: put(condition(find(here, "Pod", "ledger-db-1"), "Ready"), "status", "False"),
        "Ready does not follow",
    ),
    ("quality of service", pod("status.qosClass", "BestEffort"), "its containers make it"),
    ("volumes", of("PersistentVolumeClaim", "spec.volumeName", "pv-none", "ledger-db-1"), "no volume pv-none"),
    ("replica sets", of("ReplicaSet", "status.readyReplicas", 9, "storefront"), "readyReplicas is 9"),
    ("deployments", of("Deployment", "status.updatedReplicas", 9, "storefront"), "updatedReplicas is 9"),
    ("stateful and daemon sets", of("DaemonSet", "status.numberReady", 99), "numberReady is 99"),
    ("jobs", of("Job", "status.succeeded", 7), "succeeded is 7"),
    ("budgets", of("PodDisruptionBudget", "status.currentHealthy", 7), "currentHealthy is 7"),
    ("endpoints", of("EndpointSlice", "endpoints", [], "ledger-db-rw"), "EndpointSlice holds 0"),
    ("past", pod("metadata.creationTimestamp", "2031-01-01T00:00:00Z"), "in the future"),
    ("ages", pod("metadata.creationTimestamp", "2001-01-01T00:00:00Z"), "is older than"),
    ("heartbeats", of("Lease", "spec.renewTime", "2020-01-01T00:00:00Z", "node-a"), "40 s old"),
    ("usage", of("PodMetrics", "timestamp", "2020-01-01T00:00:00Z"), "not of the last 75 s"),
    ("event shapes", lambda here: event(here, "BackOff").pop("count"), "has no count"),
    ("event ages", lambda here: put(event(here, "BackOff"), "lastTimestamp", "2020-01-01T00:00:00Z"), "an hour old"),
    ("event subjects", lambda here: put(event(here, "BackOff"), "involvedObject.uid", "none"), "with uid none"),
    ("back-off", lambda here: put(event(here, "BackOff"), "type", "Normal"), "the kubelet's is Warning"),
    ("words", lambda here: put(event(here, "ScalingReplicaSet"), "message", "Scaled it"), "is not what v1."),
    ("versions", of("Node", "status.nodeInfo.kubeletVersion", "v1.2.3"), "its kubelet is v1.2.3"),
]


@pytest.mark.parametrize(
    ("rule", "break_it", "words"), BROKEN, ids=[f"{rule}-{n}" for n, (rule, *_) in enumerate(BROKEN)]
)
def test_a_rule_finds_what_was_broken(whole: World, rule: str, break_it: Break, words: str) -> None:
    here = replace(whole, objects=copy.deepcopy(whole.objects))
    break_it(here)
    found = list(RULES[rule](here))
    assert any(words in line for line in found), found


def test_every_rule_has_such_a_test() -> None:
    # removals and logs look at the directories: tested through the front door
    assert set(RULES) - {rule for rule, *_ in BROKEN} == {"removals", "logs"}


@pytest.mark.parametrize("part", ["spec", "status", "metadata"])
def test_an_object_without_its_fields_is_odd_and_no_crash(whole: World, part: str) -> None:
    here = replace(whole, objects=copy.deepcopy(whole.objects))
    for found in here.objects.values():
        for obj in found:
            if part == "metadata":
                obj["metadata"] = {"name": obj["metadata"]["name"], "uid": obj["metadata"].get("uid")}
            else:
                obj.pop(part, None)
    assert len(list(oddities(here))) > 10


EXCEPTED: list[tuple[str, str, str, Break, str]] = [
    (
        "quota-blocks-rollout",
        "replica sets",
        "what may not be created is missed",
        lambda here: [obj["status"].pop("conditions", None) for obj in here.kind("ReplicaSet")],
        "spec.replicas is 2, there is 1",
    ),
    (
        "cascade-node-diskpressure",
        "replica sets",
        "evicted pods count no more",
        lambda here: [obj["status"].update(phase="Running") for obj in here.kind("Pod") if "reason" in obj["status"]],
        "status.replicas is 1, there is 2",
    ),
    (
        "cascade-node-diskpressure",
        "event subjects",
        "only a StatefulSet's pod comes again under its name",
        lambda here: put(find(here, "Pod", "session-cache-0"), "metadata.ownerReferences", []),
        "there is no Pod session-cache-0",
    ),
    (
        "node-kubelet-stopped",
        "pod conditions",
        "pods of a lost node are not ready",
        lambda here: put(
            condition(next(obj for obj in here.kind("Pod") if obj["spec"]["nodeName"] == "node-d"), "Ready"),
            "status",
            "True",
        ),
        "is ready on a node that is lost",
    ),
    (
        "pull-secret-missing",
        "event subjects",
        "an event about a container says which",
        lambda here: event(here, "Pulling")["involvedObject"].pop("fieldPath"),
        'fieldPath "" is none of its containers',
    ),
]


@pytest.mark.parametrize(("name", "rule", "why", "break_it", "words"), EXCEPTED, ids=[entry[2] for entry in EXCEPTED])
def test_an_exception_reaches_no_further(name: str, rule: str, why: str, break_it: Break, words: str) -> None:
    here = world(load(name))
    assert list(RULES[rule](here)) == []
    changed = replace(here, objects=copy.deepcopy(here.objects))
    break_it(changed)
    found = list(RULES[rule](changed))
    assert any(words in line for line in found), found
