"""Figures that stand beside a finding: what a probe asks and what the container offers, labels asked for and there."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import Pod, WebhookConfiguration
from kubectl_berth.diagnosis.say import said
from kubectl_berth.engines.rules.material import Material, log_of
from kubectl_berth.engines.rules.orders import quoted
from kubectl_berth.records import Finding

_LISTENS = re.compile(
    r"\b(?:listen(?:ing|s)?|serving|bound|started|running|ready|accepting connections)\b[^\n]{0,60}?[:\s](\d{2,5})\b",
    re.I,
)
_ASKED = re.compile(r"https?://[^/\s\"]*?:(\d{2,5})|:(\d{2,5}): connect: connection refused")
_SECRETS = re.compile(r"image pull secrets \(([^)]{1,200})\)")
_PROBE = re.compile(r"(?:Readiness|Liveness|Startup) probe failed: [^\n]{1,200}")
_EXEC = re.compile(r"exec: \\?\"([^\"\\\\]{1,200})\\?\"")
_CHIPS = re.compile(r"node (\S+) is (\S+); the pods of it that are ready run on (\S+)")
_SHORT = re.compile(r"([\w./-]+): \S+ of (\S+) reserved by requests, the pod asks for (\S+)")


def beside(material: Material, finding: Finding) -> list[str]:
    """Lines of evidence that the finding itself does not hold."""
    pod = material.case.inventory.pod(finding.subject.namespace, finding.subject.name)
    if pod is None or finding.subject.kind != "Pod":
        return []
    if "probe" in finding.reason.lower():
        return _ports(material, finding, pod)
    if "selector" in finding.reason.lower():
        return _labels(material, pod)
    if "hook" in finding.reason.lower():
        return _hooks(material, finding, pod)
    return []


def _hooks(material: Material, finding: Finding, pod: Pod) -> list[str]:
    """What the start hooks of the failing container run, and how that ended by the newest event."""
    told = []
    for container in pod.spec.containers:
        if f" {container.name} " not in f" {finding.summary} ":
            continue
        if command := _hook_command(container.lifecycle.get("postStart")):
            words = f"spec.lifecycle.postStart of container {container.name} runs {quoted(command, 160)}"
            told.append(material.say(words, str(finding.subject)))
    event = material.case.inventory.newest(pod, "FailedPostStartHook")
    if event is not None and not any("FailedPostStartHook" in text for text in finding.evidence):
        told.append(material.say(said(event, material.case.inventory.now), str(finding.subject)))
    return told


def _hook_command(hook: object) -> str:
    """The command of a hook, or the path that it asks over HTTP; "" where it has neither."""
    ask = hook if isinstance(hook, dict) else {}
    run, get = ask.get("exec"), ask.get("httpGet")
    if isinstance(run, dict) and isinstance(run.get("command"), list):
        return " ".join(str(word) for word in run["command"])
    return f"GET {get.get('path')} on port {get.get('port')}" if isinstance(get, dict) else ""


def _ports(material: Material, finding: Finding, pod: Pod) -> list[str]:
    """The ports that the container declares and says it listens on, where the probe asks for another."""
    asked, listens = _asked(finding), _listened(material, finding)
    if not asked:
        return []
    declared = {str(port.container_port) for one in pod.spec.all_containers for port in one.ports}
    told = []
    if declared and not asked & declared:
        told.append(
            f"the probe asks port {', '.join(sorted(asked))}, the containers declare {', '.join(sorted(declared))}"
        )
    if listens and not asked & listens:
        told.append(f"the probe asks port {', '.join(sorted(asked))}, the log says that it listens on "
                    f"{', '.join(sorted(listens))}")  # fmt: skip
    return told


def _asked(finding: Finding) -> set[str]:
    """The ports that the probe asks, by the words of its failures."""
    return {one or other for text in finding.evidence for one, other in _ASKED.findall(text)}


def _listened(material: Material, finding: Finding) -> set[str]:
    """The ports that the container says it listens on."""
    log = log_of(material, finding)
    told = "\n".join((*(one.line for one in log.reading.lines), log.reading.last)) if log else ""
    return set(_LISTENS.findall(told))


def probed_port(material: Material, finding: Finding) -> str:
    """What to do where the probe asks one port and the log names one other; "" elsewhere."""
    asked, listens = _asked(finding), _listened(material, finding)
    if "probe" not in finding.reason.lower() or len(asked) != 1 or len(listens) != 1 or asked == listens:
        return ""
    old, new = asked.pop(), listens.pop()
    return (
        f"Let the probe ask port {new}, where the container says that it listens (and its containerPort and the "
        f"targetPort of its Service with it), or have it listen on {old} again; more patience does not help."
    )


def _labels(material: Material, pod: Pod) -> list[str]:
    """What the pod's node selector asks for, and what the nodes have under the same keys."""
    told = []
    for key, value in pod.spec.node_selector.items():
        there = {node.metadata.labels.get(key) for node in material.case.inventory.nodes}
        have = ", ".join(sorted(f"{key}={one}" for one in there if one is not None)) or f"no label {key}"
        told.append(f"spec.nodeSelector asks for {key}={value}; the nodes have {have}")
    return told


def gist(material: Material, finding: Finding) -> str:
    """The figure that the first line should hold: " (it asks for 64Gi of memory, the largest node has 16Gi)"."""
    for text in finding.evidence:
        found = _SHORT.search(text)
        if found and "exceed" in finding.reason.lower():
            return f" (it asks for {found[3]} of {found[1]}; such a node has {found[2]})"
    lines = beside(material, finding)
    if lines:
        return f" ({lines[0]})"
    if (found := _CHIPS.search("\n".join(finding.evidence))) and found[2] not in finding.summary:
        return f" (its node {found[1]} is {found[2]}; those that are ready run on {found[3]})"
    if node_names(material, finding):
        return " (its dnsPolicy is Default, so names of Services do not resolve)"
    text = "\n".join(finding.evidence)
    if (found := _SECRETS.search(text)) and found[1] not in finding.summary:
        return f" (the pull secret {found[1]} that it names could not be found in its namespace)"
    if (found := _EXEC.search(text)) and found[1] not in finding.summary:
        return f" ({found[1]} is not there or cannot be run)"
    if (found := _PROBE.search(text)) and "probe failed" not in finding.summary:
        return f" ({quoted(material.say(found[0], str(finding.subject)), 140)})"
    return ""


def node_names(material: Material, finding: Finding) -> bool:
    """True where a pod's log speaks of a name that did not resolve, and the pod asks its node's name servers."""
    log = log_of(material, finding)
    told = log is not None and log.best is not None and log.best.family == "dns"
    return told and any(line.startswith("spec.dnsPolicy: Default") for line in finding.evidence)


def policy(material: Material, finding: Finding) -> str:
    """What a webhook's failure means for requests: " (failurePolicy Fail: what it is asked about is refused)"."""
    view = material.case.inventory.find(finding.subject)
    if not isinstance(view, WebhookConfiguration):
        return ""
    closed = [hook.name for hook in view.webhooks if hook.failure_policy != "Ignore" and hook.name in finding.summary]
    return " (failurePolicy Fail: what it is asked about is refused)" if closed else ""


def command_of(finding: Finding) -> str:
    """The file that the container runtime could not start, "" where the finding is about something else."""
    found = _EXEC.search("\n".join(finding.evidence))
    return found[1] if found else ""
