"""What to do with a figure or a command that the objects give: memory, revisions, replicas, pull secrets."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import Pod, WebhookConfiguration, Workload, age
from kubectl_berth.diagnosis.fit import show
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import younger
from kubectl_berth.diagnosis.sizing import size
from kubectl_berth.engines.rules.material import Material
from kubectl_berth.engines.rules.orders import quoted
from kubectl_berth.records import Action, Finding, Ref
from kubectl_berth.safety.shell import kubectl


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
