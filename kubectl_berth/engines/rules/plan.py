"""Which tools the rules engine calls for a case: at most four calls as a rule, the telling ones first."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kubectl_berth.engines.engine import ToolCall
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.logs.wanted import LogWanted
from kubectl_berth.records import Ref

TAIL = 200
"""Lines of a log that are read."""


def first_calls(case: Case, offered: Collection[str]) -> list[ToolCall]:
    """The calls that show the subjects' state, or the cluster's where none is named."""
    calls = _subject_calls(case) if case.main is not None else _wide_calls(case)
    return [call for call in calls if call.name in offered][:3]


def log_calls(wanted: Sequence[LogWanted], offered: Collection[str]) -> list[ToolCall]:
    """The calls that read logs, in the order wanted."""
    if "get_logs" not in offered:
        return []
    return [
        ToolCall(
            "get_logs",
            {
                "kind": "Pod",
                "name": log.pod.name,
                "namespace": log.pod.namespace,
                "container": log.container,
                "previous": log.previous,
                "tailLines": TAIL,
                **({"grep": log.about.name} if log.about is not None else {}),
            },
        )
        for log in wanted
    ]


def _subject_calls(case: Case) -> list[ToolCall]:
    main = case.main
    if main is None:
        return []
    calls = []
    api = case.understanding.apis.get(main)
    if api:
        # found among the kinds that the API serves, not assumed
        calls.append(ToolCall("list_resources", {"filter": api.partition("/")[0]}))
    calls.append(describe(main, api))
    beside = _worst_besides(case, main)
    if beside is not None:
        calls.append(describe(beside, case.understanding.apis.get(beside)))
    return calls


def describe(ref: Ref, api: str | None) -> ToolCall:
    """The call that describes an object."""
    arguments = {"kind": ref.kind, "name": ref.name}
    if ref.namespace:
        arguments["namespace"] = ref.namespace
    if api:
        arguments["apiVersion"] = api
    return ToolCall("describe_resource", arguments)


def _worst_besides(case: Case, main: Ref) -> Ref | None:
    """The subject of the first root cause where it is another object that can be described."""
    for finding in (*case.causes, *case.symptoms):
        view = case.inventory.find(finding.subject)
        if finding.subject != main and view is not None and finding.subject.kind not in ("Secret", "ConfigMap"):
            if "." in view.api_version.partition("/")[0] and finding.subject not in case.understanding.apis:
                continue
            return finding.subject
    return None


def _wide_calls(case: Case) -> list[ToolCall]:
    spaces = case.understanding.namespaces
    if case.lost:
        return [ToolCall("list_resources", {"filter": name}) for name in case.understanding.missing[:2]]
    calls = [ToolCall("cluster_health", {})]
    if len(spaces) == 1:
        calls.append(ToolCall("list_pods", {"namespace": spaces[0]}))
        calls.append(ToolCall("get_events", {"namespace": spaces[0]}))
    elif case.causes:
        worst = case.causes[0].subject
        view = case.inventory.find(worst)
        if view is not None and worst.kind not in ("Secret", "ConfigMap"):
            builtin = "." not in view.api_version.partition("/")[0] or view.api_version.partition("/")[0].endswith(
                "k8s.io"
            )
            calls.append(describe(worst, None if builtin else view.api_version))
    return calls
