"""The operator's log, where its object's own status does not say why: only lines that name the object."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.cluster.views import CustomResource
from kubectl_berth.diagnosis.wording import telling
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.logs.families import family_of_line
from kubectl_berth.engines.rules.logs.wanted import OPERATOR, LogWanted
from kubectl_berth.engines.rules.serving import operator_of
from kubectl_berth.records import Finding, Ref

REASONS = ("CustomResourceDegraded", "CustomResourceNotReconciled", "CustomResourceIgnored")


def operator_wanted(case: Case) -> list[LogWanted]:
    """The log of the running operator of the first object that is at fault and does not say why; at most one."""
    for cause in case.causes[:1]:
        view = case.inventory.find(cause.subject)
        if cause.reason not in REASONS or not isinstance(view, CustomResource) or _says_why(cause):
            continue
        operator = operator_of(view.api_version, case.inventory)
        pods = case.inventory.pods_of(operator.ref) if operator is not None and operator.up else []
        for pod in sorted(pods, key=lambda one: one.name):
            running = [one.name for one in pod.status.container_statuses if one.state.running is not None]
            if running and pod.ready:
                return [LogWanted(pod.ref, running[0], False, OPERATOR, about=cause.subject)]
    return []


def lines_about(lines: Sequence[str], about: Ref) -> list[str]:
    """The lines that name the object; where there are none, those that say why nothing of its kind is looked after."""
    named = [line for line in lines if about.name in line]
    kind = re.compile(rf"\b{re.escape(about.kind)}(?:s|es)?\b", re.IGNORECASE)
    return named or [line for line in lines if kind.search(line) and family_of_line(line) is not None]


_TENDS = re.compile(r"(?:^|-)(?:operator|controller|manager)(?:-|$)")


def tends(case: Case) -> bool:
    """True where the question is whether an operator is well: what it may not do stands in its log alone."""
    main = case.main
    asked = case.understanding.yes_no in ("good", "bad", "up", "down")
    return asked and case.healthy and main is not None and bool(_TENDS.search(main.name))


def _says_why(finding: Finding) -> bool:
    return any(telling(text) for text in (finding.summary, *finding.evidence))
