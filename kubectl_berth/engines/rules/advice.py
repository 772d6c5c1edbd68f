"""What to do about what a log says: one careful sentence for each family of telling lines."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import Pod, WebhookConfiguration, Workload, age
from kubectl_berth.diagnosis.fit import show
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import younger
from kubectl_berth.diagnosis.sizing import size
from kubectl_berth.engines.rules.logs import Telling
from kubectl_berth.engines.rules.material import Material
from kubectl_berth.engines.rules.orders import quoted
from kubectl_berth.records import Action, Finding, Ref
from kubectl_berth.safety.shell import in_namespace, kubectl


def advice(telling: Telling, workload: Ref, container: str) -> str:
    """What to do about a telling line. A command in it is for the person to judge."""
    names = [f"`{name}`" for name in telling.names if not name.startswith("/")]
    paths = [f"`{name}`" for name in telling.names if name.startswith("/")]
    where = f"the static pod of {workload}" if workload.kind == "Node" else str(workload)
    if telling.family == "missing setting":
        return _missing_setting(names, where, container, workload)
    return _SENTENCES.get(telling.family, _PLAIN).format(
        where=where,
        container=container,
        paths=", ".join(paths) or "the path it names",
        names=", ".join(names) or "the setting it names",
        targets=" and ".join(f"`{target}`" for target in telling.targets) or "what it connects to",
    )


def _missing_setting(names: list[str], where: str, container: str, workload: Ref) -> str:
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


def rollback(workload: Ref) -> tuple[str, Action]:
    """Going back to the revision that still serves."""
    command = kubectl("rollout", "undo", f"{workload.kind.lower()}/{workload.name}", "-n", workload.namespace)
    return (
        f"Until that is mended, going back to the previous revision is the safe way: `{command}`.",
        Action("rollback", workload.kind, workload.namespace, workload.name),
    )


def more_memory(pod: Pod, workload: Ref, inventory: Inventory) -> tuple[str, Action] | None:
    """A higher memory limit for the container that was killed, as a figure to start from; None without a limit."""
    for one in size(inventory, pod).verdicts:
        if one.code != "oom-killed" or one.figure is None:
            continue
        limit = show("memory", one.figure)
        more = show("memory", one.provisional if one.provisional is not None else one.figure * 2)
        target = (f"{workload.kind.lower()}/{workload.name}", "-n", workload.namespace, "-c", one.container)
        command = kubectl("set", "resources", *target, f"--limits=memory={more}")
        field = f"spec.template.spec.containers[{one.container}].resources.limits.memory"
        return (
            f"The memory limit of container {one.container} is {limit}. If the need is real, raise it, to {more} to "
            f"start with, and watch the peak: `{command}`. If the use "
            "grows without end, it is a leak and a higher limit only delays the next kill.",
            Action("set", workload.kind, workload.namespace, workload.name, field, limit, more),
        )
    return None


def pull_secret(cause: Finding) -> str:
    """What to do about a pull secret that the kubelet did not find; "" where the events name none."""
    found = re.search(r"image pull secrets \(([^)]{1,200})\)", "\n".join(cause.evidence))
    if found is None:
        return ""
    ref = cause.subject
    command = kubectl("create", "secret", "docker-registry", found[1].split(",")[0].strip(), "-n", ref.namespace)
    return (
        f"Create the pull secret {found[1]} in namespace {ref.namespace}, where the pods name it "
        f"(`{command} ...` with the registry's own login), "
        "or name one that is there. "
        "The kubelet tries again by itself."
    )


def webhook_back(cause: Finding, inventory: Inventory) -> str:
    """How to get out from under a webhook that does not answer; "" for other findings."""
    view = inventory.find(cause.subject)
    if not isinstance(view, WebhookConfiguration):
        return ""
    hook = next((one for one in view.webhooks if one.name in cause.summary and one.client_config.service), None)
    service = hook.client_config.service if hook is not None else None
    # one that answered, or whose Service is gone: the finding's own remedy fits
    if hook is None or service is None or "does not answer" not in cause.summary:
        return ""
    return (
        f"Bring Service {service.namespace}/{service.name} and the pods behind it back first: everything that "
        f"{hook.name} guards waits for it. If its own pods are held up by it too, let a namespaceSelector or "
        f"objectSelector in {cause.subject} leave out namespace {service.namespace}. Only for the time being, and "
        "knowing that requests then pass unchecked, failurePolicy Ignore lets pods be created again."
    )


def start_command(command: str, pod: Pod, workload: Ref) -> str:
    """What to do about a command that is not in the image."""
    images = ", ".join(dict.fromkeys(one.image for one in pod.spec.containers))
    return (
        f"Correct the command of {workload}: {quoted(command, 120)} is not in the image ({images}), is no executable, "
        "or a mount hides it. Compare command and args in the pod template with what the image holds."
    )


def earlier_revision(material: Material) -> list[str]:
    """That going back is possible, where the newest revision of the failing Deployment is a day old at most."""
    inventory = material.case.inventory
    for cause in material.case.causes[:1]:
        pod = inventory.pod(cause.subject.namespace, cause.subject.name) if cause.subject.kind == "Pod" else None
        owner = inventory.find(inventory.workload(pod)) if pod is not None else None
        if not isinstance(owner, Workload) or owner.kind != "Deployment":
            continue
        sets = [one for one in inventory.children(owner.ref) if isinstance(one, Workload) and one.kind == "ReplicaSet"]
        newest = max(sets, key=lambda one: one.revision, default=None)
        if newest is None or len(sets) < 2 or pod is None or inventory.owner(pod) != newest.ref:
            continue
        if not younger(inventory.now, newest.metadata.creation_timestamp, 86400.0):
            continue
        material.actions.append(Action("rollback", owner.kind, owner.namespace, owner.name))
        passed = age(inventory.now, newest.metadata.creation_timestamp)
        return [
            f"Its revision {newest.revision} is {passed} old: if the fault came with it, going back is "
            f"`{kubectl('rollout', 'undo', f'deployment/{owner.name}', '-n', owner.namespace)}`."
        ]
    return []


def scale_up(cause: Finding, inventory: Inventory) -> tuple[str, Action] | None:
    """Back to the number of replicas that the last event names; None where none does."""
    view = inventory.find(cause.subject)
    events = inventory.events_of(view, None) if view is not None else []
    counts = (re.search(r"from (\d+) to 0\b", event.message) for event in events)
    found = next((hit for hit in counts if hit), None)
    if found is None:
        return None
    ref = cause.subject
    name = f"{ref.kind.lower()}/{ref.name}"
    command = kubectl("scale", name, "-n", ref.namespace, f"--replicas={found[1]}")
    return (
        f"If it was not scaled down on purpose, bring back its {found[1]} replicas: `{command}`.",
        Action("scale", ref.kind, ref.namespace, ref.name, "spec.replicas", "0", found[1]),
    )


RESOLVE = (
    "Set dnsPolicy ClusterFirst in the pod template of {where} (ClusterFirstWithHostNet where it has hostNetwork): "
    "with Default it asks the name servers of its node, which know no Services."
)
"""What to do where a pod does not ask the cluster's DNS."""

_PLAIN = "Mend what the line names for container {container} of {where}; starting it again alone repeats it."

_SENTENCES = {
    "refused": "Nothing accepts connections at {targets}: bring that back first; {where} needs no change if its "
    "address is right.",
    "timeout": "{targets} did not answer in time: check that it is up, and that no NetworkPolicy or firewall stands "
    "between.",
    "dns": "Check the host name {targets} in the settings of {where}, and that such a Service exists in its namespace.",
    "authentication": "Compare the credentials that {where} uses with those that the server expects. If they were "
    "rotated, the pods still hold the old ones until they are restarted.",
    "disk full": "Free or expand the volume that {paths} lies on (expanding needs a StorageClass that allows it).",
    "permission": "Give container {container} the right to use {paths}: securityContext (fsGroup, runAsUser, "
    "readOnlyRootFilesystem) or a writable volume there.",
    "rbac": "Grant the service account exactly the verb and resource that the line names, by a Role and a RoleBinding.",
    "port in use": "Two processes of the pod want one port: change the port of one of its containers.",
    "wrong architecture": "Publish the image for the node's CPU architecture, or keep the pods on nodes of the image's "
    "own with a nodeSelector on kubernetes.io/arch.",
    "heap": "Fit the process's own heap limit to the container's memory limit; this is not a kill by the kernel.",
    "schema": "Run or repair the database migration that the line speaks of; restarting does not help.",
    "certificate": "Renew or trust the certificate that the line speaks of.",
    "corrupt data": "What lies on the volume of {where} cannot be read. Leave that volume as it is, make sure of a "
    "fresh backup first, then have what manages it (operator or primary) build this instance anew, as its manual says.",
    "missing file": "Check the command, the image and the mounts of container {container}: what the line names is not "
    "there.",
    "bad setting": "Correct {names} in the configuration of container {container} of {where}.",
    "limit": "Raise the limit that the line names, or ask less of it.",
}
