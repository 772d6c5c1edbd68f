"""Answers that are looked up, not judged: restarts, policies, images, namespaces."""

from __future__ import annotations

import re
from datetime import datetime

from kubectl_berth.cluster.views import Pod, Workload, age, parse_time, seconds_since
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.changes import NOBODY, span
from kubectl_berth.engines.rules.facts.asked import YES_NO, bare, bearers, together
from kubectl_berth.records import Ref

Answer = tuple[str, list[str]]
"""The first sentence, and lines that belong to it."""

MOST = 10
_RESTARTED = re.compile(
    r"^\W*(?:which|what|list|show|any|how many|how often|did|have|has|when)\b[^.?!]{0,40}\brestart(?:s|ed)\b|"
    r"\brestart counts?\b|\bwhen did\b[^.?!]{0,40}\brestart\b|\blast restarts?\b",
    re.IGNORECASE,
)
_POLICY = re.compile(r"\b(?:network ?polic(?:y|ies)|netpols?)\b", re.IGNORECASE)
_REASON = re.compile(r"[\s,]+and (?:why|for what reason|what for)\b", re.IGNORECASE)
"""Of a restart the reason is told with the time."""
_IMAGE = re.compile(
    r"\b(?:what|which)\s+(?:(?:docker|container|image|exact|app|thing|is|are|the|current|of|our|my)\s+){0,4}"
    r"(?:images?|versions?|tags?)\b|"
    r"\b(?:images?|version|tag)\b[^.?!]{0,20}\b(?:of|is|does)\b[^.?!]{0,30}\b(?:run|runs|running|use|uses|using)\b",
    re.IGNORECASE,
)
_SPACES = re.compile(
    r"\b(?:which|what|list|show|how many)\b[^.?!]{0,20}\b(?:namespaces|projects)\b(?:\s+(?:are|exist|do|is|have|there|"
    r"we|I|in|of|the|this|my|our|cluster|here|all)\b)*\s*[.?!]*\s*$|^\W*(?:namespaces|ns)\W*$",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"\bwho\b[^.?!]{0,20}\b(?:deployed|released|rolled|shipped|pushed|scaled|restarted|deleted|edited|applied|created|"
    r"updated|touched|did)\b",
    re.IGNORECASE,
)
_ON_NODE = re.compile(
    r"^\W*(?:which|what|list|show(?: me)?|how many)\b[^.?!]{0,20}\b(?:pods?|workloads?|runs?|running)\b"
    r"[^.?!]{0,20}\bon\b",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"\b(?:why|wrong|broken|fail\w*|crash\w*|stuck|errors?|problems?|issues?|missing|pull\w*|cannot|kill\w*|broke|"
    r"evict\w*|died|lost)\b|n't\b",
    re.IGNORECASE,
)


def lookup(case: Case) -> Answer | None:
    """The answer to a question that one listing answers; None for any other."""
    text = case.understanding.text
    if _SPACES.search(text):
        return _namespaces(case)
    if _POLICY.search(text) and case.subjects:
        return _policies(case)
    if _WHO.search(text):
        return _who(case)
    if _RESTARTED.search(text):
        text = _REASON.sub("", text)
    if _FAULT.search(text):
        return None
    if _ON_NODE.search(text) and case.main is not None and case.main.kind == "Node":
        return _on_node(case, case.main)
    if _RESTARTED.search(text) and not any(ref.kind == "Node" for ref in case.subjects):
        return _restarts(case)
    main = case.main
    said = bare(case)
    if main is not None and main.kind not in ("Node", "Namespace") and (_IMAGE.search(said) or _ALIKE.search(said)):
        told = [answer for ref in bearers(case, main) if (answer := _images(case, ref)) is not None]
        return _alike(case, main) or (together(told) if told else None)
    return None


def _namespaces(case: Case) -> Answer | None:
    inventory = case.inventory
    if "namespaces" in inventory.unread and not inventory.namespaces:
        seen = sorted({pod.namespace for pod in inventory.pods})
        return f"Namespaces could not be listed; pods were seen in these: {', '.join(seen) or 'none'}.", []
    names = sorted(one.name for one in inventory.namespaces)
    more = f" and {len(names) - 60} more" if len(names) > 60 else ""
    return f"There are {len(names)} namespaces: {', '.join(names[:60])}{more}.", []


def _on_node(case: Case, ref: Ref) -> Answer | None:
    pods = sorted(case.inventory.pods_of(ref), key=lambda pod: pod.ref)
    if "pods" in case.inventory.unread and not pods:
        return None
    running = [pod for pod in pods if not pod.finished]
    names = [f"{pod.namespace}/{pod.name}" + ("" if pod.ready or pod.finished else " (not ready)") for pod in pods]
    lines = [", ".join(names[:60]) + (f" and {len(names) - 60} more" if len(names) > 60 else "")] if names else []
    return f"{len(pods)} pods are on {ref}, {sum(pod.ready for pod in running)} of {len(running)} ready.", lines


def _pods(case: Case) -> list[Pod]:
    """The pods of what was named, of the namespaces named, or all."""
    if case.subjects:
        return list({pod.ref: pod for ref in case.subjects for pod in case.inventory.pods_of(ref)}.values())
    spaces = case.understanding.namespaces
    return [pod for pod in case.inventory.pods if not spaces or pod.namespace in spaces]


def _restarts(case: Case) -> Answer:
    """Containers by when they ended last and how often they were started again."""
    inventory = case.inventory
    limit = span(case.understanding.text)
    found: list[tuple[datetime, str, Ref]] = []
    undated = 0
    for pod in _pods(case):
        for status in (*pod.status.init_container_statuses, *pod.status.container_statuses):
            ended = status.last_state.terminated
            if not status.restart_count:
                continue
            when = parse_time(ended.finished_at) if ended is not None else None
            passed = seconds_since(inventory.now, when)
            if ended is None or when is None or passed is None:
                undated += 1
                continue
            if limit is None or passed <= limit:
                words = (
                    f"{pod.ref}, container {status.name}: ended {age(inventory.now, ended.finished_at)} ago "
                    f"({ended.reason or 'no reason'}, exit code {ended.exit_code}), "
                    f"{status.restart_count} restart{'s' if status.restart_count != 1 else ''} in all"
                )
                found.append((when, words, pod.ref))
    found.sort(key=lambda one: one[0], reverse=True)
    within = " within the time asked about" if limit is not None else ""
    half = " Not all pods could be read." if "pods" in inventory.unread else ""
    rest = f" {undated} more restarted at a time that is not on record." if undated else ""
    if not found:
        which = f"of {case.subjects[0]}" if case.subjects else "that can be read"
        word = "No: no" if YES_NO.search(case.understanding.text) else "No"
        return f"{word} container {which} is on record as restarted{within}.{rest}{half}", []
    pods = len({ref for _, _, ref in found})
    head = f"{pods} pod{'s' if pods != 1 else ''} restarted{within}, the last: {found[0][1]}.{rest}{half}"
    lines = [words for _, words, _ in found[:MOST]]
    return head, [*lines, *([f"and {len(found) - MOST} more"] if len(found) > MOST else [])] if len(found) > 1 else []


def _policies(case: Case) -> Answer | None:
    inventory = case.inventory
    pods = _pods(case)
    if any(one.subject.kind == "NetworkPolicy" for one in (*case.causes, *case.symptoms)) or not pods:
        return None
    if "network_policies" in inventory.unread:
        return "Whether a NetworkPolicy selects it cannot be told: NetworkPolicies could not be read.", []
    hit = [
        one
        for one in inventory.network_policies
        if any(pod.namespace == one.namespace and one.spec.pod_selector.matches(pod.metadata.labels) for pod in pods)
    ]
    if not hit:
        callers = "Policies of whoever calls, and kinds of a network plugin's own, were not looked at."
        return f"No NetworkPolicy selects the pods of {case.subjects[0]}, so none limits their traffic. {callers}", []
    lines = []
    for one in hit[:MOST]:
        ways = [
            ("ingress", one.limits_ingress, len(one.spec.ingress)),
            ("egress", one.limits_egress, len(one.spec.egress)),
        ]
        told = [f"{way} only by its {rules} rule(s)" if rules else f"no {way} at all" for way, on, rules in ways if on]
        lines.append(f"{one.ref} allows {', '.join(told) or 'everything'}")
    head = f"{len(hit)} NetworkPolic{'y selects' if len(hit) == 1 else 'ies select'} the pods of {case.subjects[0]}: "
    names = ", ".join(str(one.ref) for one in hit[:3])
    return f"{head}{names}. Whether one of them blocks a given connection, the rules do not work out.", lines


def revisions(inventory: Inventory, ref: Ref) -> list[Workload]:
    """The ReplicaSets of a Deployment, the newest first."""
    below = [one for one in inventory.children(ref) if isinstance(one, Workload) and one.kind == "ReplicaSet"]
    return sorted(below, key=lambda one: (one.revision, one.metadata.creation_timestamp or ""), reverse=True)


def _who(case: Case) -> Answer:
    lines = []
    for ref in case.subjects[:3]:
        for one in revisions(case.inventory, ref)[:2]:
            when = age(case.inventory.now, one.metadata.creation_timestamp)
            lines.append(f"{ref}, revision {one.revision}: made {when} ago (ReplicaSet {one.name}, {_of(one)})")
    return NOBODY, lines


def _of(view: Workload) -> str:
    return ", ".join(f"image {container.image}" for container in view.spec.template.spec.containers[:3])


_ALIKE = re.compile(
    r"\bsame\b[^.?!]{0,20}\b(?:images?|versions?|tags?)\b|\b(?:images?|versions?)\b[^.?!]{0,20}\bsame\b", re.I
)


def _alike(case: Case, main: Ref) -> Answer | None:
    """Whether all that bear the name run one image, where that is asked."""
    refs = bearers(case, main)
    if len(refs) < 2 or not _ALIKE.search(case.understanding.text):
        return None
    runs = {
        ref: sorted(
            {box.image for pod in case.inventory.pods_of(ref) if not pod.finished for box in pod.spec.containers}
        )
        for ref in refs
    }
    told = "; ".join(f"{ref}: {', '.join(images) or 'no pod'}" for ref, images in list(runs.items())[:5])
    same = len({tuple(images) for images in runs.values()}) == 1
    return f"{'Yes' if same else 'No'}: {told}.", []


def _images(case: Case, ref: Ref) -> Answer | None:
    """The images of its pods, how many pods of each are ready, and of the revisions that have none."""
    counts: dict[str, list[int]] = {}
    for pod in case.inventory.pods_of(ref):
        if pod.finished:
            continue
        image = ", ".join(container.image for container in pod.spec.containers)
        one = counts.setdefault(image, [0, 0])
        one[0] += pod.ready
        one[1] += 1
    if not counts:
        return None
    told = [f"{image} ({up} of {whole} pods ready)" for image, (up, whole) in
            sorted(counts.items(), key=lambda each: -each[1][0])]  # fmt: skip
    lines = [
        f"revision {one.revision} (ReplicaSet {one.name}): {_of(one)}" for one in revisions(case.inventory, ref)[:4]
    ]
    return f"{ref} runs {'; '.join(told[:4])}.", lines if len(lines) > 1 else []
