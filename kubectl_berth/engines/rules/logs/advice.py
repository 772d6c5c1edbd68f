"""What to do about what a log says: one careful sentence for each family of telling lines."""

from __future__ import annotations

import re
from collections.abc import Callable

from kubectl_berth.cluster.views import Container, PersistentVolumeClaim, Pod, StorageClass
from kubectl_berth.diagnosis.fit import host_ports
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.engines.rules.logs.forbidden import forbidden_in, grant
from kubectl_berth.engines.rules.logs.full_store import STORE_FULL, full_advice
from kubectl_berth.engines.rules.logs.mounts import mounted_at
from kubectl_berth.engines.rules.logs.reading import Telling
from kubectl_berth.engines.rules.logs.wanted import HANGS
from kubectl_berth.engines.rules.material import LogSeen, bare, capital
from kubectl_berth.engines.rules.orders import quoted
from kubectl_berth.records import Ref
from kubectl_berth.safety.shell import in_namespace, kubectl

PRIVILEGED = 1024
"""Ports below need root or a capability to be opened."""


def advice(log: LogSeen, telling: Telling, inventory: Inventory) -> str:
    """What to do about a telling line of a log. A command in it is for the person to judge."""
    pod = inventory.pod(log.wanted.pod.namespace, log.wanted.pod.name)
    if log.wanted.why == HANGS:
        return f"Find out what it waits for, and end that: the log stops at {_core(telling)}."
    if telling.family == "missing setting":
        return _missing_setting(telling, log.workload, log.wanted.container)
    own = _EXACT.get(telling.family)
    said = own(telling, log, pod, inventory) if own is not None and pod is not None else ""
    return said or _plainly(telling, log, pod)


def _plainly(telling: Telling, log: LogSeen, pod: Pod | None) -> str:
    family = telling.family
    if family in ("timeout", "dns", "refused") and not telling.targets:
        family = ""
    sources = [ref for path in _paths(telling) if pod and (ref := mounted_at(pod, log.wanted.container, path))]
    source = f" It is mounted from {sources[0]}." if sources and sources[0].kind in ("ConfigMap", "Secret") else ""
    said = _SENTENCES.get(family, _PLAIN).format(
        where=_where(log.workload),
        container=log.wanted.container,
        paths=", ".join(f"`{path}`" for path in _paths(telling)) or "the path it names",
        targets=" and ".join(f"`{target}`" for target in telling.targets),
        said=_core(telling),
        right=f"the right `{right[1]}`" if (right := _RIGHT.search(telling.line)) else "the one right that it asks for",
    )
    return f"{said}{source}"


_RIGHT = re.compile(r"(?:perform|permissions?|action)[:' ]+([A-Za-z][\w-]*[:.][\w.:*-]+)")


def _where(workload: Ref) -> str:
    return f"the static pod of {workload}" if workload.kind == "Node" else str(workload)


def _paths(telling: Telling) -> list[str]:
    return [name for name in telling.names if name.startswith("/")]


def _core(telling: Telling) -> str:
    """The line without its time, short, with its last clause."""
    return quoted(bare(telling.line), 160)


def _missing_setting(telling: Telling, workload: Ref, container: str) -> str:
    names = [f"`{name}`" for name in telling.names if not name.startswith("/")]
    where = _where(workload)
    if not names:
        return (
            f"Set what the log asks for in the environment of container {container} of {where}, or correct the key "
            "in the ConfigMap or Secret that it comes from."
        )
    first, rest = names[0], names[1:]
    restart = kubectl(
        *in_namespace(workload.namespace), "rollout", "restart", f"{workload.kind.lower()}/{workload.name}"
    )
    mapped = f" (the log also names {', '.join(rest)}: a renamed key would explain it)" if rest else ""
    return (
        f"Set {first} for container {container} of {where}: add or rename the key in the ConfigMap or Secret that it "
        f"comes from{mapped}. Environment variables are read at the start only, so then: "
        f"`{restart}`."
    )


def _access(telling: Telling, log: LogSeen, pod: Pod, inventory: Inventory) -> str:
    access = forbidden_in(telling.line)
    return grant(access, inventory) if access is not None else ""


_PORT = re.compile(r"(?:\.\d{1,3}|\]|:|\*|[a-z\s\"'(]):(\d{1,5})\b", re.IGNORECASE)


def _port(telling: Telling, log: LogSeen, pod: Pod, inventory: Inventory) -> str:
    ports = [int(one) for one in _PORT.findall(bare(telling.line))]
    low = next((port for port in ports if 0 < port < PRIVILEGED), None)
    if low is None:
        return ""
    return (
        f"Port {low} lies below {PRIVILEGED}: a process that is not root may not open it. Let container "
        f"{log.wanted.container} of {_where(log.workload)} listen on a port above (and its containerPort, probes and "
        "the Service's targetPort with it), or add the capability NET_BIND_SERVICE in its securityContext; nothing "
        "more privileged is needed. What changed is the image, its user, or the securityContext."
    )


def _taken(telling: Telling, log: LogSeen, pod: Pod, inventory: Inventory) -> str:
    """Who may hold the port that a container could not open: on its node's network any pod there, else its own pod."""
    number = next((int(one) for one in _PORT.findall(bare(telling.line)) if int(one)), None)
    if number is None:
        return ""
    mates = [one.name for one in pod.spec.containers if any(port.container_port == number for port in one.ports)]
    if not pod.spec.host_network:
        both = f"Containers {' and '.join(mates)} of the pod both" if len(mates) > 1 else "Two processes of the pod"
        return f"{both} want port {number}: they share one network, so change the port of one of them."
    there = inventory.pods_of(Ref("Node", "", pod.spec.node_name))
    others = [one for one in there if one.ref != pod.ref and not one.finished]
    holders = [one for one in others if any(port == number for port, _ in host_ports(one.spec))]
    who = (
        ", ".join(str(one.ref) for one in holders[:3])
        or "another pod with hostNetwork, or a process of the node itself"
    )
    return (
        f"{_where(log.workload)} uses the network of its node, and on node {pod.spec.node_name} port {number} is taken "
        f"by {who}. Give one of the two another port, or keep them on different nodes."
    )


_BOUND = re.compile(r"-Xmx\d+[kKmMgGtT]?\b|--max[-_]old[-_]space[-_]size[= ]\d+|-XX:MaxRAMPercentage=[\d.]+")


def _heap(telling: Telling, log: LogSeen, pod: Pod, inventory: Inventory) -> str:
    container = pod.container(log.wanted.container)
    limit = container.resources.limits.get("memory") if container is not None else None
    bound = _heap_bound(container) if container is not None else ""
    full = f"the heap that the process allows itself is full{f' ({bound})' if bound else ''}"
    room = f", not the container's memory limit of {limit}" if limit else ""
    # a share of the limit grows with the limit; a figure does not
    alone = "" if "Percentage" in bound else " Raising the container's limit alone changes nothing."
    return (
        f"In container {log.wanted.container} of {_where(log.workload)} {full}{room}: raise that bound as far as the "
        f"limit leaves room beside it, or find what fills the heap.{alone}"
    )


def _heap_bound(container: Container) -> str:
    """The flag that bounds the heap, with the variable that holds it: "-Xmx384m in JAVA_OPTS"."""
    for text in (*container.command, *container.args):
        if found := _BOUND.search(text):
            return f"{found[0]} in its command"
    return next((f"{hit[0]} in {one.name}" for one in container.env if (hit := _BOUND.search(one.value))), "")


def _full_disk(telling: Telling, log: LogSeen, pod: Pod, inventory: Inventory) -> str:
    refs = [ref for path in _paths(telling) if (ref := mounted_at(pod, log.wanted.container, path))]
    held = pod.claims if not _paths(telling) and len(pod.claims) == 1 else []
    claims = [ref for ref in refs if ref.kind == "PersistentVolumeClaim"]
    claims += [Ref("PersistentVolumeClaim", pod.namespace, name) for name in held]
    if not claims:
        return ""
    claim = inventory.find(claims[0])
    named = claim.spec.storage_class_name if isinstance(claim, PersistentVolumeClaim) else None
    found = inventory.find(Ref("StorageClass", "", named or ""))
    grows = "expanding needs a StorageClass that allows it"
    if isinstance(found, StorageClass):
        grows = f"StorageClass {found.name} {'allows' if found.allow_volume_expansion else 'does not allow'} expansion"
    above = next((f"; {ref} sets its size" for ref in inventory.owners(pod) if _is_operated(ref)), "")
    return f"The volume of {claims[0]} is full: free space on it, or ask for more ({grows}{above}). Keep the claim."


def _is_operated(ref: Ref) -> bool:
    return ref.kind not in ("StatefulSet", "ReplicaSet", "Deployment", "DaemonSet", "Job")


def _one_pod(telling: Telling, log: LogSeen, pod: Pod, inventory: Inventory) -> str:
    """What to do about a name that stands for one pod of a set, and not for a Service."""
    for target in log.targets:
        if target.ref is not None and target.ref.kind in ("Pod", "StatefulSet") and target.host in telling.targets:
            return f"{capital(target.words)}. Such a name resolves only while its pod is there and ready."
    return ""


def _full_store(telling: Telling, log: LogSeen, pod: Pod, inventory: Inventory) -> str:
    return full_advice(inventory, pod, telling.line)


_EXACT: dict[str, Callable[[Telling, LogSeen, Pod, Inventory], str]] = {
    STORE_FULL: _full_store,
    "rbac": _access,
    "dns": _one_pod,
    "low port": _port,
    "heap": _heap,
    "disk full": _full_disk,
    "port in use": _taken,
}

RESOLVE = (
    "Set dnsPolicy ClusterFirst in the pod template of {where} (ClusterFirstWithHostNet where it has hostNetwork): "
    "with Default it asks the name servers of its node, which know no Services."
)
"""What to do where a pod does not ask the cluster's DNS."""

_PLAIN = "Mend what container {container} of {where} names: {said}. Starting it again alone repeats it."

_SENTENCES = {
    "refused": "Nothing accepts connections at {targets}: bring that back first; {where} needs no change if its "
    "address is right.",
    "timeout": "{targets} did not answer in time: check that it is up, and that no NetworkPolicy or firewall stands "
    "between.",
    "dns": "Check the host name {targets} in the settings of {where}, and that such a Service exists in its namespace.",
    "authentication": "Compare the credentials that {where} uses with those that the server expects. If they were "
    "rotated, the pods still hold the old ones until they are restarted.",
    "disk full": "Free or expand the volume that {paths} lies on (expanding needs a StorageClass that allows it).",
    "low port": "The container's securityContext keeps it from opening that port: {said}.",
    "permission": "Give container {container} the right to use {paths}: securityContext (fsGroup, runAsUser, "
    "readOnlyRootFilesystem) or a writable volume there.",
    "not allowed": "The other side knows who asks and refuses it: give the identity that {where} uses {right} there, "
    "or correct which identity it is; no wider right is needed.",
    "rbac": "Grant the service account exactly the verb and resource that the line names, by a Role and a RoleBinding.",
    "port in use": "Two processes of the pod want one port: change the port of one of its containers.",
    "wrong architecture": "Publish the image for the node's CPU architecture, or keep the pods on nodes of the image's "
    "own with a nodeSelector on kubernetes.io/arch.",
    "killed": "A process inside container {container} of {where} was killed, and not by itself: as a rule that is the "
    "kernel, when the container's memory limit is reached. Compare what it uses with that limit before anything else.",
    "schema": "Run or repair the database migration: {said}. Restarting does not help.",
    "certificate": "Renew the certificate, or trust who signed it: {said}.",
    "corrupt data": "What lies on the volume of {where} cannot be read. Leave that volume as it is, make sure of a "
    "fresh backup first, then have what manages it (operator or primary) build this instance anew, as its manual says.",
    "missing file": "Check the command, the image and the mounts of container {container}: what the line names is not "
    "there.",
    "bad setting": "Correct the configuration of container {container} of {where}: {said}.",
    "limit": "Raise the limit that is named, or ask less of it: {said}.",
}
