"""What the checks found as one JSON or YAML document. Fields are added, never renamed."""

from __future__ import annotations

from collections import Counter
from typing import Any

from kubectl_berth.output.check_groups import groups
from kubectl_berth.output.json_document import encode, finding_document, gap_document, harmless
from kubectl_berth.records import Checked, Finding, Ref, Severity
from kubectl_berth.safety.sanitise import sanitise

SCHEMA = "berth.dev/v1/check"


def check_document(checked: Checked, severity: Severity, fail_on: str, *, failed: bool) -> dict[str, Any]:
    """The document: findings of at least `severity` and what explains them, causes first. Plain data only.

    The same cluster gives the same document: nothing in it depends on how long it took.
    """
    shown = {id(one) for group in groups(checked.findings, severity) for one in (group.cause, *group.effects)}
    findings = [one for one in checked.findings if id(one) in shown]
    return {
        **_head(severity, fail_on),
        "cluster": {
            "source": checked.cluster.source,
            "name": sanitise(checked.cluster.name),
            "version": sanitise(checked.cluster.version),
            "namespace": checked.cluster.namespace,
        },
        "namespace": checked.namespace,
        "targets": [_ref(ref) for ref in checked.targets],
        "failed": failed,
        "complete": not checked.gaps,
        "counts": _counts(checked.findings),
        "findings": [_finding(one) for one in findings],
        "gaps": [gap_document(gap) for gap in checked.gaps],
        "looked_at": dict(checked.looked_at),
        "remarks": [sanitise(remark) for remark in checked.remarks],
        "error": None,
    }


def error_document(error: str, severity: Severity, fail_on: str) -> dict[str, Any]:
    """The document of a check that could not read the cluster."""
    return {
        **_head(severity, fail_on),
        "cluster": None,
        "namespace": None,
        "targets": [],
        "failed": False,
        "complete": False,
        "counts": _counts(()),
        "findings": [],
        "gaps": [],
        "looked_at": {},
        "remarks": [],
        "error": sanitise(error),
    }


def as_json(document: dict[str, Any]) -> str:
    """The document in ASCII JSON, one newline at its end."""
    return encode(document, indent=2) + "\n"


def as_yaml(document: dict[str, Any]) -> str:
    """The document in ASCII YAML, in the same order."""
    import yaml

    text: str = yaml.safe_dump(harmless(document), sort_keys=False, allow_unicode=False, width=120)
    return text


def _head(severity: Severity, fail_on: str) -> dict[str, Any]:
    return {"schema": SCHEMA, "severity": severity, "fail_on": fail_on}


def _counts(findings: Any) -> dict[str, int]:
    """How many findings of each severity there are in all, shown or not, and how many of them are causes."""
    found = Counter(one.severity for one in findings)
    counts = {severity: found[severity] for severity in ("critical", "warning", "info")}
    return {**counts, "causes": sum(one.cause for one in findings)}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        **finding_document(finding),
        "caused_by": finding.caused_by and _ref(finding.caused_by),
        "effects": [_ref(ref) for ref in finding.effects],
        "evidence": [sanitise(line) for line in finding.evidence],
        "remedy": sanitise(finding.remedy),
        "disproof": sanitise(finding.disproof),
    }


def _ref(ref: Ref) -> dict[str, str]:
    return {"kind": ref.kind, "namespace": ref.namespace, "name": sanitise(ref.name)}
