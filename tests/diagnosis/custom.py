"""Builders of custom resources of operators that do not exist, and what the findings about them come to."""

from __future__ import annotations

from typing import Any

from kubectl_berth.records import Finding
from tests.diagnosis.objects import Obj, condition, merged, obj

API = "stock.example.org/v1"


def custom(kind: str, name: str, *conditions: Obj, spec: Any = None, api: str = API, **rest: Any) -> Obj:
    status = {"conditions": list(conditions)} if conditions else {}
    return obj(api, kind, name, **merged({"spec": spec or {}, "status": status}, rest))


def definition(kind: str, group: str = "stock.example.org") -> Obj:
    names = {"kind": kind, "plural": f"{kind.lower()}s"}
    return obj(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        f"{names['plural']}.{group}",
        "",
        spec={"group": group, "names": names},
    )


def failed(reason: str, message: str) -> Obj:
    return condition("Ready", "False", reason, message)


def roots(findings: list[Finding]) -> list[str]:
    """The subjects of the causes, without remarks."""
    return [str(finding.subject) for finding in findings if finding.cause and finding.severity != "info"]
