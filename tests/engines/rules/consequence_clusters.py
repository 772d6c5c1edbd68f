"""Objects that hang together: claims on volumes, what mounts them, what names a Service, what rolls out what."""

from __future__ import annotations

from typing import Any

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.engines.rules.families import named
from tests.fakes.small_clusters import SmallCluster, Thing


def ask(small: SmallCluster, question: str) -> str:
    """The rules engine's answer."""
    toolbox = Toolbox(Context(small.open()))
    finished = list(make_rules().run(Conversation("", "", question, ()), toolbox, 8))[-1]
    assert isinstance(finished, Finished)
    return finished.text


def first(answer: str) -> str:
    """The answer's first line."""
    return answer.splitlines()[0]


def claim(small: SmallCluster, name: str, space: str, *, size: str = "20Gi", policy: str = "Delete",
          bound: bool = True, **volume: Any) -> Thing:  # fmt: skip
    """A claim with its volume; without one where it is not `bound`."""
    status = {"phase": "Bound", "capacity": {"storage": size}} if bound else {"phase": "Pending"}
    found = small.add("v1", "PersistentVolumeClaim", name, space, status=status, spec={
        "accessModes": ["ReadWriteOnce"], "volumeName": f"vol-{name}" if bound else "",
        "resources": {"requests": {"storage": size}}})  # fmt: skip
    if bound:
        small.add("v1", "PersistentVolume", f"vol-{name}", status={"phase": "Bound"}, spec={
            "persistentVolumeReclaimPolicy": policy, "capacity": {"storage": size},
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": space, "name": name}, **volume})  # fmt: skip
    return found


def mounted(name: str) -> Thing:
    """A part of a pod's spec: a volume from that claim."""
    return {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]}


def stateful(small: SmallCluster, name: str, space: str, *, replicas: int = 1, template: str = "",
             pods: int | None = None, **spec: Any) -> Thing:  # fmt: skip
    """A StatefulSet with its pods and a Service; `template` names its claims, which come separately."""
    number = replicas if pods is None else pods
    made = small.add("apps/v1", "StatefulSet", name, space, labels={"app": name}, spec={
        "replicas": replicas, "selector": {"matchLabels": {"app": name}},
        "volumeClaimTemplates": [{"metadata": {"name": template}}] if template else [],
        "template": {"metadata": {"labels": {"app": name}},
                     "spec": {"containers": [{"name": name, "image": f"registry.example.com/{name}:1"}]}}, **spec},
        status={"replicas": number, "readyReplicas": number, "observedGeneration": 1})  # fmt: skip
    for one in range(number):
        extra = {"spec": mounted(f"{template}-{name}-{one}")} if template else {}
        small.pod(f"{name}-{one}", space, owner=made, app=name, **extra)
    small.service(name, space, {"app": name}, ready=[f"{name}-{one}" for one in range(number)])
    return made


def naming(small: SmallCluster, workload: str, address: str) -> None:
    """Has the pods of a workload name an address in their settings."""
    for thing in small.things:
        if thing["kind"] == "Pod" and thing["metadata"]["name"].startswith(f"{workload}-"):
            thing["spec"]["containers"][0]["env"] = [{"name": "UPSTREAM_URL", "value": address}]


def takes(small: SmallCluster, deployment: str, secret: str) -> None:
    """Has a Deployment take its environment from a Secret."""
    template = named(small, "Deployment", deployment)["spec"]["template"]["spec"]
    template["containers"][0]["envFrom"] = [{"secretRef": {"name": secret}}]
