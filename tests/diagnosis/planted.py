"""The shipped healthy cluster, and small edits that break it the way clusters break: for the checks to find."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from kubectl_berth.cluster.cluster import UsageFigures
from kubectl_berth.diagnosis.diagnose import diagnose
from kubectl_berth.diagnosis.inventory import Inventory, inventory_of, wanted
from kubectl_berth.records import Finding, Ref
from kubectl_berth.scenarios.reader import load
from kubectl_berth.scenarios.wording import reworded

BASE = "healthy-control"
WRITTEN = "v1.33.4"  # the edits below speak the words of this version
VERSIONS = ("v1.31.4", "v1.35.2")
Obj = dict[str, Any]


@lru_cache
def _base() -> tuple[bytes, datetime, UsageFigures | None, str]:
    cluster = load(BASE).open()
    objects = [obj for kind in wanted(cluster.kinds()) for obj in cluster.list(kind)]
    return pickle.dumps(objects), cluster.now(), cluster.usage(None), cluster.name().version


class World:
    """The healthy cluster, to be broken. Objects are raw; edits keep status, events and endpoints in step."""

    def __init__(self) -> None:
        objects, self.now, self.usage, self.version = _base()
        self.objects: list[Obj] = pickle.loads(objects)
        self.planted: list[Obj] = []

    # --- reading ------------------------------------------------------------------------------------------------------

    def get(self, kind: str, namespace: str, name: str) -> Obj:
        """The object of that name."""
        return next(one for one in self.all(kind, namespace) if one["metadata"]["name"] == name)

    def all(self, kind: str, namespace: str | None = None) -> Iterator[Obj]:
        """The objects of a kind."""
        for one in [*self.objects, *self.planted]:
            if one["kind"] == kind and namespace in (None, one["metadata"].get("namespace", "")):
                yield one

    def owned(self, owner: Obj, kind: str) -> list[Obj]:
        """What an object controls."""
        uid = owner["metadata"]["uid"]
        return [
            one
            for one in self.all(kind)
            if any(ref["uid"] == uid for ref in one["metadata"].get("ownerReferences") or ())
        ]

    def pods(self, kind: str, namespace: str, name: str) -> list[Obj]:
        """The pods of a workload, by name."""
        owner = self.get(kind, namespace, name)
        below = self.owned(owner, "ReplicaSet") if kind == "Deployment" else [owner]
        found = [pod for one in below for pod in self.owned(one, "Pod")]
        return sorted(found, key=lambda pod: pod["metadata"]["name"])

    def pods_of_job(self, namespace: str, name: str) -> list[Obj]:
        """The pods of a Job."""
        return self.owned(self.get("Job", namespace, name), "Pod")

    def on(self, node: str) -> list[Obj]:
        """The pods of a node that have not ended."""
        return [
            pod
            for pod in self.all("Pod")
            if pod["spec"].get("nodeName") == node and pod["status"]["phase"] not in ("Succeeded", "Failed")
        ]

    def ago(self, minutes: float) -> str:
        """A time that many minutes before now."""
        return (self.now - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")

    # --- editing ------------------------------------------------------------------------------------------------------

    def add(self, obj: Obj) -> Obj:
        """One more object; uid and age are filled in."""
        metadata = obj["metadata"]
        metadata.setdefault("uid", f"uid-{obj['kind']}-{metadata.get('namespace', '')}-{metadata['name']}")
        metadata.setdefault("creationTimestamp", self.ago(6000))
        self.planted.append(obj)
        return obj

    def drop(self, obj: Obj) -> None:
        """One object less."""
        self.objects = [one for one in self.objects if one is not obj]
        self.planted = [one for one in self.planted if one is not obj]

    def event(
        self, about: Obj, reason: str, message: str, *, minutes: float = 2, times: int = 5, container: str = "",
        kind: str = "Warning",
    ) -> None:  # fmt: skip
        """An event about an object, last seen so many minutes ago."""
        metadata = about["metadata"]
        involved = {"kind": about["kind"], "name": metadata["name"], "uid": metadata["uid"]}
        involved |= {"namespace": metadata["namespace"]} if "namespace" in metadata else {}
        involved |= {"fieldPath": "spec.containers{" + container + "}"} if container else {}
        name = f"{metadata['name']}.{len(self.planted):x}"
        times_ = {"firstTimestamp": self.ago(minutes + 20), "lastTimestamp": self.ago(minutes), "count": times}
        self.add(
            {
                "apiVersion": "v1", "kind": "Event",
                "metadata": {"name": name, "namespace": metadata.get("namespace", "default")},
                "involvedObject": involved, "reason": reason, "message": message, "type": kind, "eventTime": None,
                **times_,
            }
        )  # fmt: skip

    def unready(self, pod: Obj, minutes: float = 25) -> None:
        """The pod is not ready, and its workload, ReplicaSet and endpoints know."""
        was = any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"]["conditions"])
        for one in pod["status"]["conditions"]:
            if one["type"] in ("Ready", "ContainersReady"):
                one |= {"status": "False", "reason": "ContainersNotReady", "lastTransitionTime": self.ago(minutes)}
        for owner in self._owners(pod) if was else ():
            self._one_less(owner, minutes)
        name = pod["metadata"]["name"]
        for part in self.all("EndpointSlice", pod["metadata"]["namespace"]):
            for endpoint in part.get("endpoints") or ():
                if (endpoint.get("targetRef") or {}).get("name") == name:
                    endpoint["conditions"] = {"ready": False, "serving": False, "terminating": False}

    def _owners(self, obj: Obj) -> Iterator[Obj]:
        for ref in obj["metadata"].get("ownerReferences") or ():
            for one in [*self.objects, *self.planted]:
                if one["metadata"].get("uid") == ref["uid"]:
                    yield one
                    yield from self._owners(one)

    def _one_less(self, owner: Obj, minutes: float) -> None:
        status = owner["status"]
        for key in ("readyReplicas", "availableReplicas", "numberReady", "numberAvailable"):
            if key in status:
                status[key] -= 1
        if owner["kind"] == "Deployment" and status["availableReplicas"] < owner["spec"]["replicas"]:
            status["unavailableReplicas"] = status.get("unavailableReplicas", 0) + 1
            for one in status["conditions"]:
                if one["type"] == "Available" and not status["availableReplicas"]:
                    one |= {
                        "status": "False", "reason": "MinimumReplicasUnavailable",
                        "message": "Deployment does not have minimum availability.",
                        "lastTransitionTime": self.ago(minutes), "lastUpdateTime": self.ago(minutes),
                    }  # fmt: skip

    def waits(self, pod: Obj, reason: str, message: str = "", *, restarts: int = 0, last: Obj | None = None) -> str:
        """The pod's first container waits; returns its name."""
        status = pod["status"]["containerStatuses"][0]
        status |= {"ready": False, "started": False, "restartCount": restarts}
        status["state"] = {"waiting": {"reason": reason} | ({"message": message} if message else {})}
        status["lastState"] = {"terminated": last} if last else {}
        if not restarts and reason not in ("CrashLoopBackOff", "RunContainerError"):
            pod["status"]["phase"] = "Pending"
        self.unready(pod)
        return str(status["name"])

    def crashes(self, pod: Obj, code: int = 1, reason: str = "Error", *, restarts: int = 9, ran: float = 1) -> str:
        """The pod's first container dies over and over; returns its name."""
        last = {"exitCode": code, "reason": reason, "startedAt": self.ago(3 + ran), "finishedAt": self.ago(3)}
        name = pod["metadata"]["name"]
        container = pod["spec"]["containers"][0]["name"]
        where = f"{name}_{pod['metadata']['namespace']}({pod['metadata']['uid']})"
        text = f"back-off 5m0s restarting failed container={container} pod={where}"
        self.waits(pod, "CrashLoopBackOff", text, restarts=restarts, last=last)
        words = f"Back-off restarting failed container {container} in pod {where}"
        self.event(pod, "BackOff", words, container=container, times=30)
        return str(container)

    def young(self, pod: Obj, minutes: float = 25) -> Obj:
        """The pod was made so many minutes ago."""
        pod["metadata"]["creationTimestamp"] = self.ago(minutes)
        pod["status"]["startTime"] = self.ago(minutes)
        return pod

    def pends(self, pod: Obj, message: str, minutes: float = 25) -> None:
        """No node takes the pod."""
        self.unready(pod)
        self.young(pod, minutes)
        pod["spec"].pop("nodeName", None)
        scheduled = {
            "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message,
            "lastTransitionTime": self.ago(minutes),
        }  # fmt: skip
        pod["status"] = {"phase": "Pending", "conditions": [scheduled]}
        self.event(pod, "FailedScheduling", message)

    def creating(self, pod: Obj, minutes: float = 25) -> None:
        """The pod has a node, and its containers have not started."""
        self.waits(self.young(pod, minutes), "ContainerCreating")

    def gone(self, kind: str, namespace: str, name: str, why: str) -> None:
        """The workload's pods are gone and cannot be made again: `why` is the API server's refusal."""
        owner = self.get(kind, namespace, name)
        makers = self.owned(owner, "ReplicaSet") if kind == "Deployment" else [owner]
        makers = [one for one in makers if one["spec"].get("replicas", 1)]
        for pod in self.pods(kind, namespace, name):
            self.unready(pod)
            self.drop(pod)
        for one in {id(x): x for x in [owner, *makers]}.values():
            one["status"] |= {"replicas": 0}
            for key in ("readyReplicas", "availableReplicas", "updatedReplicas"):
                one["status"].pop(key, None)
        for maker in makers:
            self.event(maker, "FailedCreate", f"Error creating: {why}")
        for part in self.all("EndpointSlice", namespace):
            if part["metadata"]["labels"].get("kubernetes.io/service-name") == name:
                part["endpoints"] = []
        if kind == "Deployment":
            message = {"message": why, "lastTransitionTime": self.ago(20), "lastUpdateTime": self.ago(20)}
            failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", **message}
            for one in [owner, *makers]:
                one["status"].setdefault("conditions", []).append(failure)

    def loses(self, node: str, minutes: float = 20) -> Obj:
        """The node's kubelet no longer reports."""
        found = self.get("Node", "", node)
        for one in found["status"]["conditions"]:
            one |= {
                "status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status.",
                "lastTransitionTime": self.ago(minutes), "lastHeartbeatTime": self.ago(minutes + 1),
            }  # fmt: skip
        taints = [
            {"key": "node.kubernetes.io/unreachable", "effect": effect, "timeAdded": self.ago(minutes)}
            for effect in ("NoSchedule", "NoExecute")
        ]
        found["spec"]["taints"] = taints
        self.get("Lease", "kube-node-lease", node)["spec"]["renewTime"] = self.ago(minutes + 1)
        for pod in self.on(node):
            self.unready(pod, minutes)
            for status in pod["status"]["containerStatuses"]:
                status["ready"] = True  # the kubelet never took it back
            owner = next(self._owners(pod), None)
            if owner is None or owner["kind"] != "DaemonSet":
                pod["metadata"] |= {"deletionTimestamp": self.ago(minutes - 6), "deletionGracePeriodSeconds": 30}
        return found

    def condition(self, obj: Obj, kind: str, status: str, reason: str = "", message: str = "", minutes: float = 30) -> None:  # fmt: skip # noqa: E501
        """One condition of an object, set or replaced."""
        conditions = obj.setdefault("status", {}).setdefault("conditions", [])
        one = {"type": kind, "status": status, "reason": reason, "message": message}
        one["lastTransitionTime"] = self.ago(minutes)
        conditions[:] = [held for held in conditions if held["type"] != kind] + [one]

    def measure(self, node: str, pod: Obj, used: str, whole: str) -> None:
        """The usage of a pod's first container and of its node, as measured."""
        assert self.usage is not None
        metadata = pod["metadata"]
        figures = {
            "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
            "containers": [{"name": pod["spec"]["containers"][0]["name"], "usage": {"cpu": used, "memory": "64Mi"}}],
        }
        others = [one for one in self.usage.pods if one["metadata"]["name"] != metadata["name"]]
        rest = [one for one in self.usage.nodes if one["metadata"]["name"] != node]
        now = {"metadata": {"name": node}, "usage": {"cpu": whole, "memory": "4Gi"}}
        self.usage = UsageFigures(pods=[*others, figures], nodes=[*rest, now])

    # --- what the checks make of it -----------------------------------------------------------------------------------

    def inventory(self, version: str) -> Inventory:
        """The inventory in the words of a version."""
        objects = [
            reworded(one, WRITTEN if one["kind"] == "Pod" else self.version, version) for one in self.objects
        ] + [reworded(one, WRITTEN, version) for one in self.planted]
        return inventory_of(objects, self.now, usage=self.usage)

    def findings(self, version: str) -> list[Finding]:
        """Everything found, in order."""
        return diagnose(self.inventory(version))


def ref(obj: Obj) -> Ref:
    """The reference to a raw object."""
    return Ref(obj["kind"], obj["metadata"].get("namespace", ""), obj["metadata"]["name"])


# --- what is planted --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plant:
    """One fault: how it is planted, the reason code that must be found, words that must and must not be said of it."""

    name: str
    breaks: Callable[[World], Obj | Ref]
    reason: str
    must: Sequence[str]
    never: Sequence[str]


class Plants(dict[str, Plant]):
    """Faults by name."""

    def __call__(
        self, name: str, reason: str, must: Sequence[str] = (), never: Sequence[str] = ()
    ) -> Callable[[Callable[[World], Obj | Ref]], Callable[[World], Obj | Ref]]:
        """Takes a function that breaks a World and returns the object (or its reference) that is the cause."""

        def keep(breaks: Callable[[World], Obj | Ref]) -> Callable[[World], Obj | Ref]:
            assert name not in self
            self[name] = Plant(name, breaks, reason, must, never)
            return breaks

        return keep


def metrics_down(w: World) -> Obj:
    """The pod behind the metrics API crashes, and its APIService knows."""
    pod = w.pods("Deployment", "kube-system", "metrics-server")[0]
    w.crashes(pod)
    text = 'endpoints for service/metrics-server in "kube-system" have no addresses with port name "https"'
    w.condition(w.get("APIService", "", "v1beta1.metrics.k8s.io"), "Available", "False", "MissingEndpoints", text)
    return pod


def words_of(finding: Finding) -> str:
    """All that a finding says."""
    return "\n".join([str(finding.subject), finding.summary, *finding.evidence, finding.remedy, finding.disproof])


def loud(findings: list[Finding]) -> list[Finding]:
    """The findings that are no mere remark."""
    return [one for one in findings if one.severity != "info"]


def assert_the_cause(plant: Plant, version: str) -> None:
    """The planted fault is the one cause, it stands first, and it is told in the right words."""
    world = World()
    cause = plant.breaks(world)
    subject = cause if isinstance(cause, Ref) else ref(cause)
    findings = world.findings(version)
    roots = [(str(one.subject), one.reason) for one in loud(findings) if one.cause]
    assert roots == [(str(subject), plant.reason)], "\n".join(
        f"{one.severity} {one.subject} {one.reason}: {one.summary} <- {one.caused_by}" for one in findings
    )
    assert findings[0].cause and findings[0].subject == subject
    told = words_of(findings[0])
    for pattern in plant.must:
        assert re.search(pattern, told, re.IGNORECASE), f"/{pattern}/ is not in:\n{told}"
    for pattern in plant.never:
        assert not re.search(pattern, told, re.IGNORECASE), f"/{pattern}/ is in:\n{told}"
