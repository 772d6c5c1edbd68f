"""Findings as a person reads them: each root cause with everything that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_berth.records import Finding, Ref, Severity

WEIGHT: dict[Severity, int] = {"critical": 0, "warning": 1, "info": 2}


@dataclass(frozen=True)
class Group:
    """A root cause, the findings that follow from it, and the objects it hits that have no finding of their own."""

    cause: Finding
    effects: tuple[Finding, ...] = ()
    also: tuple[Ref, ...] = ()

    @property
    def worst(self) -> Severity:
        """The severity of the worst of it."""
        return min((one.severity for one in (self.cause, *self.effects)), key=WEIGHT.__getitem__)


def groups(findings: Sequence[Finding], severity: Severity = "info") -> list[Group]:
    """The findings of at least that severity under their causes; a mild cause of a severe effect stays.

    In the given order of causes, worst first.
    """
    by_subject: dict[Ref, Finding] = {}
    for finding in findings:
        by_subject.setdefault(finding.subject, finding)
    members: dict[Finding, list[Finding]] = {}
    for finding in findings:
        members.setdefault(_root(finding, by_subject), []).append(finding)
    named = {finding.subject for finding in findings}
    told = [_group(root, those, named, severity) for root, those in members.items()]
    kept = [group for group in told if WEIGHT[group.worst] <= WEIGHT[severity]]
    return sorted(kept, key=lambda group: WEIGHT[group.worst])


def _group(root: Finding, members: Sequence[Finding], named: set[Ref], severity: Severity) -> Group:
    effects = tuple(one for one in members if one is not root and WEIGHT[one.severity] <= WEIGHT[severity])
    return Group(root, effects, tuple(ref for ref in dict.fromkeys(root.effects) if ref not in named))


def _root(finding: Finding, by_subject: dict[Ref, Finding]) -> Finding:
    """The finding at the end of the chain of causes; a cause that is not among them ends it."""
    seen = {finding.subject}
    while finding.caused_by is not None:
        above = by_subject.get(finding.caused_by)
        if above is None or above.subject in seen:
            return finding
        seen.add(above.subject)
        finding = above
    return finding
