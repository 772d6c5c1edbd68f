"""What an answer of the rules engine did not check: said every time, and about what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kubectl_berth.cluster.views import CustomResource
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.material import UNREAD, LogSeen, Material
from kubectl_berth.engines.rules.orders import quoted
from kubectl_berth.question.words import fits_concept
from kubectl_berth.records import Finding, Gap
from kubectl_berth.safety.shell import kubectl

MOST = 8
"""Lines at most."""

DATA = "Replication lag, backups, and whether the data themselves are right: no object of the cluster tells."
REQUESTS = "What the application does with a request (error rate, latency): nothing was sent to it."
LOGS = "Logs: none was read for this answer."
PAST = "What happened earlier than the events reach back (they are kept for about an hour)."
KEYS = "What stands in ConfigMaps and Secrets: berth never reads them."

_ABOUT: tuple[tuple[str, str], ...] = (
    (r"image|pull|registry", "The registry itself: whether the tag, the rights and the route to it are there now."),
    (
        r"^node(?!selector)|evicted|sandbox",
        "The machine: logs of kubelet and runtime, disks, the cloud's console.",
    ),
    (
        r"servicewithout|endpoint|ingress|gateway|route|targetport|loadbalancer",
        "The way from outside: DNS, load balancer, firewalls; no request was sent through.",
    ),
    (r"policy|dns", "Traffic itself: no packet was sent, and what the network plugin enforces is not seen."),
    (
        r"insufficient|unschedul|requestexceeds|taint|nodeselector|affinity|spread|toomanypods|notoffered|cordoned",
        "Whether a cluster autoscaler or the cloud would add a node.",
    ),
    (
        r"claim|volume|storage|provision|attach|mount",
        "The storage behind the volumes: free space, health, the cloud's limits.",
    ),
    (r"webhook|admission", "The webhook's own certificate and code; no object was sent to it."),
    (r"job", "What earlier runs did whose pods and logs are gone."),
    (r"autoscaler", "Metrics over time, and what the load does next."),
    (r"oom|memory", "How memory grew before the kill: the Kubernetes API keeps no usage over time."),
)


def unchecked(material: Material) -> list[str]:
    """The lines, gaps first: they decide whether the rest holds."""
    case = material.case
    lines = [*gap_lines(_that_matter(material), material.logs)]
    if material.said is not None:
        lines += material.said.unchecked
        return list(dict.fromkeys(lines))[:MOST]
    if case.lost:
        return list(dict.fromkeys([*lines, "Secrets and ConfigMaps of that name: berth never looks them up."]))[:MOST]
    lines += _about(case.causes or case.symptoms)
    if _keeps_data(case):
        lines.append(DATA)
    if not material.logs:
        lines.append(LOGS)
    if not (case.causes or case.symptoms):
        lines.append(PAST)
    if _takes_settings(case):
        lines.append(KEYS)
    lines.append(REQUESTS)
    return list(dict.fromkeys(lines))[:MOST]


def _that_matter(material: Material) -> list[Gap]:
    """The gaps but for that of usage figures, unless the answer is about usage."""
    found = [*material.case.causes, *material.case.symptoms]
    about_usage = (material.said is not None and not material.said.alone) or any(
        re.search(r"oom|memory|autoscaler", one.reason.lower()) for one in found
    )
    return [gap for gap in material.gaps if about_usage or not re.match(r"usage|(?:pods|nodes)\.metrics", gap.what)]


def _about(findings: Iterable[Finding]) -> list[str]:
    """What is not seen of the families that the findings belong to, at most two."""
    found: dict[str, None] = {}
    for finding in findings:
        text = finding.reason.lower()
        found.update({words: None for pattern, words in _ABOUT if re.search(pattern, text)})
    return list(found)[:2]


def _keeps_data(case: Case) -> bool:
    """True where what was asked about holds data: a database by its name, or pods with claims of their own."""
    for ref in case.subjects[:4]:
        view = case.inventory.find(ref)
        pods = case.inventory.pods_of(ref) if view is not None else []
        images = " ".join(container.image for pod in pods[:3] for container in pod.spec.containers)
        if fits_concept("database", f"{ref.kind} {ref.name} {images}"):
            return True
        if (ref.kind == "StatefulSet" or isinstance(view, CustomResource)) and any(pod.claims for pod in pods):
            return True
    return False


def _takes_settings(case: Case) -> bool:
    """True where a failing container takes its environment from a ConfigMap or Secret."""
    failing = {"CrashLoop", "InitContainerFails"}
    pods = [
        one.subject for one in (*case.causes, *case.symptoms) if one.subject.kind == "Pod" and one.reason in failing
    ]
    for ref in pods:
        pod = case.inventory.pod(ref.namespace, ref.name)
        if pod is not None and any(
            container.env_from or any(one.value_from for one in container.env) for container in pod.spec.all_containers
        ):
            return True
    return False


def _detail(gap: Gap) -> str:
    if gap.detail and gap.why == "withheld":
        return f" ({gap.detail})"
    return f" ({quoted(gap.detail, 160)})" if gap.detail and gap.why in UNREAD else ""


def gap_lines(gaps: Iterable[Gap], logs: Iterable[LogSeen]) -> list[str]:
    """What could not be read, one line each, the logs with what the person can do."""
    told = [f"{gap.what}: {gap.why}" + _detail(gap) for gap in gaps]
    for log in logs:
        if not log.failure:
            continue
        pod, flag = log.wanted.pod, "--previous" if log.wanted.previous else ""
        command = kubectl("logs", "-n", pod.namespace, pod.name, "-c", log.wanted.container, flag)
        told.append(
            f"The log of container {log.wanted.container} in Pod {pod.namespace}/{pod.name} could not be read "
            f"({log.failure}), so its own words are missing here. You can read it with `{command}`."
        )
    return list(dict.fromkeys(told))
