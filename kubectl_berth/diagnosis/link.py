"""Ties symptoms to causes, and makes one finding of many alike."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from kubectl_berth.cluster.views import Identified, Pod, condition, parse_time
from kubectl_berth.diagnosis.custom_relations import certificates, makers
from kubectl_berth.diagnosis.hanging import told_maker
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.relations import (
    EXPLAINED,
    NODE_BARRED,
    NODE_BLAMED,
    NODE_LOST,
    Relation,
    barred_nodes,
    behind_lost,
    lost_nodes,
    metrics_api,
    node,
    resolver,
    waited,
)
from kubectl_berth.records import Finding, Ref, Severity

WEIGHT: dict[Severity, int] = {"critical": 0, "warning": 1, "info": 2}


def link(findings: list[Finding], inventory: Inventory) -> list[Finding]:
    """The same findings, each symptom tied to the root that explains it, each root told what it brings down.

    Findings about one object for one reason become one; so do those of like pods of one controller.
    """
    merged = _absorbed(_merged(findings))
    by_subject: dict[Ref, list[Finding]] = {}
    for finding in merged:
        by_subject.setdefault(finding.subject, []).append(finding)
    tied = [replace(one, caused_by=_explained_by(one, by_subject, inventory)) for one in merged]
    folded, speaks = _alike(tied, inventory)
    spoken = [
        replace(one, caused_by=speaks.get(one.caused_by, one.caused_by)) if one.caused_by else one for one in folded
    ]
    return [told_maker(one, inventory) for one in _with_effects(_uncircled(spoken))]


def _explained_by(finding: Finding, by_subject: dict[Ref, list[Finding]], inventory: Inventory) -> Ref | None:
    """What explains a finding: what its check said, what it depends on, or what explains its object's other finding."""
    cause = finding.caused_by or _cause(finding, by_subject, inventory)
    if cause is None and finding.subject.kind == "Pod":
        cause = _trap(finding, by_subject, inventory)
    if cause is None and finding.reason in EXPLAINED:
        cause = next((one.caused_by for one in by_subject[finding.subject] if one.caused_by), None)
    return cause if cause != finding.subject else None


def _trap(finding: Finding, by_subject: dict[Ref, list[Finding]], inventory: Inventory) -> Ref | None:
    """The controller that holds a mended template back from this very pod: its finding names the pod as an effect."""
    view = inventory.find(finding.subject)
    owner = inventory.owner(view) if view is not None else None
    held = [one for one in by_subject.get(owner, ()) if one.reason == "OldRevisionBlocksUpdate"] if owner else []
    return owner if any(finding.subject in one.effects for one in held) else None


def _cause(finding: Finding, by_subject: dict[Ref, list[Finding]], inventory: Inventory) -> Ref | None:
    view = inventory.find(finding.subject)
    if view is None:  # a Secret, a ConfigMap: never read
        sick = (
            ref for ref in makers(inventory, finding.subject) if any(_at_fault(one) for one in by_subject.get(ref, ()))
        )
        return next(sick, None)
    best: tuple[tuple[int, int], Ref] | None = None
    for relation in EXPLAINED.get(finding.reason, ()):
        for place, ref in enumerate(relation(inventory, view)):
            for other in by_subject.get(ref, ()):
                if ref == finding.subject or not _explains(other, finding, relation):
                    continue
                if _own_scaler(other, finding, by_subject, inventory):
                    continue
                if relation in (waited, resolver) and not down_before(inventory, ref, view):
                    continue
                rank = (WEIGHT[other.severity], place)
                if best is None or rank < best[0]:
                    best = (rank, ref)
        if best is not None:
            return best[1]
    return None


SLACK = 120.0  # seconds that kubelets' and controllers' clocks and periods may differ


def down_before(inventory: Inventory, ref: Ref, sufferer: Identified) -> bool:
    """False where something that a pod needs became unready only after the pod itself had."""
    pods = inventory.pods_of(ref)
    down = [moment for pod in pods if not pod.ready and (moment := unready_since(pod))]
    mine = unready_since(sufferer) if isinstance(sufferer, Pod) else None
    return mine is None or not down or (min(down) - mine).total_seconds() <= SLACK


def unready_since(pod: Pod) -> datetime | None:
    """When a pod's Ready condition turned False, or when the pod was made."""
    ready = condition(pod.status.conditions, "Ready")
    return parse_time((ready.last_transition_time if ready else None) or pod.metadata.creation_timestamp)


def _explains(other: Finding, finding: Finding, relation: Relation) -> bool:
    """True where that finding may be the cause of this one."""
    if relation is barred_nodes:
        return other.reason in NODE_BARRED
    if relation in (node, lost_nodes, behind_lost):
        return other.reason in NODE_BLAMED.get(finding.reason, NODE_LOST)
    if finding.reason == "WebhookFails" and ("certificate" in finding.summary) != (relation is certificates):
        return False  # a certificate that was looked at: what stands behind it is up
    if not _at_fault(other):
        return False
    if finding.reason == "OldRevisionBlocksUpdate" and other.subject in finding.effects:
        return False
    return other.caused_by != finding.subject


def _at_fault(finding: Finding) -> bool:
    return finding.severity != "info" or finding.reason == "ImagePullSlow"


def _own_scaler(other: Finding, finding: Finding, by_subject: dict[Ref, list[Finding]], inventory: Inventory) -> bool:
    """True for the autoscaler that a custom resource made, as the cause of its maker's trouble: it only repeats that,
    unless the metrics API is down for all."""
    view = inventory.find(other.subject)
    if other.reason != "AutoscalerWithoutMetrics" or view is None or inventory.owner(view) != finding.subject:
        return False
    return not any(
        one.reason == "APIServiceUnavailable" for ref in metrics_api(inventory, view) for one in by_subject.get(ref, ())
    )


def _uncircled(findings: list[Finding]) -> list[Finding]:
    """The findings without circles of causes: each is cut at the subject that most findings name as theirs."""
    above: dict[Ref, Ref] = {}
    named: dict[Ref, int] = {}
    for one in findings:
        if one.caused_by is not None:
            above.setdefault(one.subject, one.caused_by)
            named[one.caused_by] = named.get(one.caused_by, 0) + 1
    free = {one.subject for one in findings if one.caused_by is None}
    cut: set[Ref] = set()
    for start in sorted(above):
        walked: list[Ref] = []
        current: Ref | None = start
        while current is not None and current not in walked and current not in free:
            walked.append(current)
            current = None if current in cut else above.get(current)
        if current in walked:
            cut.add(min(walked[walked.index(current) :], key=lambda ref: (-named[ref], ref)))
    return [replace(one, caused_by=None) if one.subject in cut else one for one in findings]


def _with_effects(findings: list[Finding]) -> list[Finding]:
    """Each symptom names its root; each root names what it brings down and weighs as much as the worst of it."""
    by_subject: dict[Ref, Finding] = {}
    for finding in findings:
        held = by_subject.get(finding.subject)
        if held is None or (held.caused_by is not None and finding.caused_by is None):
            by_subject[finding.subject] = finding
    effects: dict[Ref, set[Ref]] = {}
    worst: dict[Ref, Severity] = {}
    rooted: list[Finding] = []
    for finding in findings:
        root = _root(finding, by_subject)
        if root is not None:
            effects.setdefault(root, set()).update({finding.subject, *finding.effects})
            worst[root] = min(worst.get(root, "info"), finding.severity, key=lambda one: WEIGHT[one])
        rooted.append(replace(finding, caused_by=root))
    return [_grown(finding, effects, worst) for finding in rooted]


def _root(finding: Finding, by_subject: dict[Ref, Finding]) -> Ref | None:
    current, seen = finding.caused_by, {finding.subject}
    while current is not None and current not in seen:
        seen.add(current)
        above = by_subject.get(current)
        if above is None or above.caused_by is None:
            return current
        current = above.caused_by
    return None  # a circle: each of it stands for itself


def _grown(finding: Finding, effects: dict[Ref, set[Ref]], worst: dict[Ref, Severity]) -> Finding:
    if finding.caused_by is not None or finding.subject not in effects:
        return finding
    both = {*finding.effects, *effects[finding.subject]} - {finding.subject}
    severity = min(finding.severity, worst[finding.subject], key=lambda one: WEIGHT[one])
    return replace(finding, effects=tuple(sorted(both)), severity=severity)


GENERAL = frozenset({"ReplicasNotReady", "RolloutStalled"})
"""What any trouble of a workload comes to: beside a finding that says why, only more evidence for it."""

EXACT = frozenset(
    {
        "QuotaNeedsRequests",
        "LimitRangeViolated",
        "PodSecurityViolation",
        "AdmissionDenied",
        "PodCreationRefused",
    }
)


def _absorbed(findings: list[Finding]) -> list[Finding]:
    """The findings without the general ones of workloads that another finding explains exactly."""
    general = {one.subject: one for one in findings if one.reason in GENERAL}
    kept: list[Finding] = []
    failing = {one.subject for one in findings if one.reason == "WebhookFails"}
    exact = {one.subject for one in findings if one.reason in EXACT}
    for finding in findings:
        if finding.reason in GENERAL and finding.subject in exact:
            continue
        if finding.reason == "WebhookBackendDown" and finding.subject in failing:
            continue
        other = general.get(finding.subject)
        if finding.reason in EXACT and other is not None:
            finding = replace(finding, evidence=(*finding.evidence, other.summary, *other.evidence))
        kept.append(finding)
    return kept


def _merged(findings: list[Finding]) -> list[Finding]:
    merged: dict[tuple[Ref, str, str], Finding] = {}
    for finding in findings:
        about = finding.summary if finding.subject.kind == "Pod" else ""
        key = (finding.subject, finding.reason, about)
        held = merged.get(key)
        if held is None:
            merged[key] = finding
            continue
        evidence = tuple(dict.fromkeys([*held.evidence, *finding.evidence]))[:8]
        severity = min(held.severity, finding.severity, key=lambda one: WEIGHT[one])
        effects = tuple(sorted({*held.effects, *finding.effects}))
        merged[key] = replace(held, evidence=evidence, severity=severity, effects=effects)
    return list(merged.values())


def _alike(findings: list[Finding], inventory: Inventory) -> tuple[list[Finding], dict[Ref, Ref]]:
    """Like findings about pods of one controller as one, and which pod now speaks for which."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        pod = inventory.find(finding.subject)
        owner = inventory.owner(pod) if isinstance(pod, Pod) else None
        key: object = (finding.reason, owner, _gist(finding), finding.caused_by) if owner else id(finding)
        groups.setdefault(key, []).append(finding)
    folded = [(_first_of(group), group) for group in groups.values()]
    speaks = {one.subject: first.subject for first, group in folded for one in group if one.subject != first.subject}
    return [first for first, _ in folded], speaks


def _gist(finding: Finding) -> str:
    """What like pods have in common: the container's name, without ages and exit codes."""
    return " ".join(finding.summary.split()[:4]) if "container" in finding.summary else ""


def _first_of(group: list[Finding]) -> Finding:
    ordered = sorted(group, key=lambda one: (WEIGHT[one.severity], one.subject))
    first, rest = ordered[0], [one.subject for one in ordered[1:]]
    if not rest:
        return first
    others = ", ".join(ref.name for ref in rest[:5]) + (f" and {len(rest) - 5} more" if len(rest) > 5 else "")
    return replace(
        first,
        evidence=(*first.evidence, f"the same holds for {others}"),
        effects=tuple(sorted({*first.effects, *rest, *(ref for one in ordered[1:] for ref in one.effects)})),
    )
