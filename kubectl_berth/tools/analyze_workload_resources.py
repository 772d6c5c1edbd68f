"""analyze_workload_resources: requests and limits against usage, a verdict for each, and what history is needed."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_berth.cluster.views import CustomResource, HorizontalPodAutoscaler, Identified
from kubectl_berth.diagnosis.fit import show
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.sizing import Code, Sizing, size
from kubectl_berth.records import Finding, Gap, Object, Ref, Severity
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import clip, counted, dig, listed, mappings, text
from kubectl_berth.tools.scope import gaps_about, nothing_read, unread
from kubectl_berth.tools.sizing_lines import HISTORY, container_lines, qos, totals
from kubectl_berth.tools.target import find, find_kind
from kubectl_berth.tools.tool import Arguments, Parameter, Report, Tool, ToolError

USAGE = ("usage", "pods.metrics.k8s.io", "podmetrics.metrics.k8s.io", "metrics.k8s.io", "metrics.k8s.io/v1beta1")
READ = ("pods", "replicasets.apps", "deployments.apps", "statefulsets.apps", "daemonsets.apps", "jobs.batch")


def analyze_workload_resources(context: Context, arguments: Arguments) -> Report:
    """One workload's containers. Raises ToolError where it is not there or has no containers."""
    # find_kind explains a word that names no kind; custom kinds need no apiVersion here
    kind = context.kind(arguments["kind"]) or find_kind(context, arguments["kind"])
    if (kind.group, kind.kind) == ("", "Node"):
        raise ToolError("A Node is not sized by its containers: analyze_capacity says what it has, holds and uses.")
    target = find(context, kind, arguments["name"], arguments.get("namespace"))
    inventory = context.inventory()
    gaps = gaps_about(inventory, READ)
    view = inventory.find(target.ref)
    if view is None:
        raise nothing_read(str(target.ref), gaps) if gaps else ToolError(f"{target.ref} has no containers to size.")
    sizing = size(inventory, view)
    if not sizing.containers:
        raise _no_containers(inventory, target.ref, gaps)
    without = _usage_gaps(inventory)
    lines = [
        *([f"({target.note})"] if target.note else []),
        _head(inventory, view, sizing),
        *_usage_lines(inventory, sizing, without),
        *(totals(sizing) if sizing.pods else []),
    ]
    for use in sizing.containers:
        lines += container_lines(sizing, use)
    lines += [*_scalers(inventory, view), *_recommenders(inventory, view), HISTORY]
    every = (*gaps, *without)
    return Report("\n".join(lines) + unread(gaps), gaps=every, findings=tuple(_findings(view.ref, sizing)))


def _no_containers(inventory: Inventory, ref: Ref, gaps: Sequence[Gap]) -> ToolError:
    if gaps and "pods" in inventory.unread:
        return nothing_read(f"The pods of {ref}", gaps)
    return ToolError(f"{ref} has no pods and no pod template. Name a Deployment, StatefulSet, DaemonSet, Job or Pod.")


def _head(inventory: Inventory, view: Identified, sizing: Sizing) -> str:
    ready = sum(pod.ready for pod in sizing.pods)
    desired = getattr(view, "desired", None)
    parts = [f"{counted(len(sizing.pods), 'pod')} running or pending, {ready} ready"]
    if view.kind == "Pod":
        parts = [f"{'ready' if ready else 'not ready'}"]
    elif isinstance(desired, int):
        parts.append(f"{desired} desired")
    if sizing.from_template:
        parts.append("no pods: requests and limits are those of its template")
    elif not sizing.pods:
        parts.append("its pods have ended: requests and limits are theirs, usage is gone")
    if found := qos(sizing):
        parts.append(found)
    owner = inventory.workload(view) if view.kind == "Pod" else view.ref
    return f"{view.ref}: {', '.join(parts)}." + (f" Belongs to {owner}." if owner != view.ref else "")


# --- usage ------------------------------------------------------------------------------------------------------------


def _usage_gaps(inventory: Inventory) -> list[Gap]:
    return gaps_about(inventory, USAGE)


def _usage_lines(inventory: Inventory, sizing: Sizing, gaps: Sequence[Gap]) -> list[str]:
    """Where usage comes from and whose is missing; where there is none, that nothing can be sized."""
    if not sizing.pods:
        return []
    if not sizing.measured:
        why = _why(gaps, inventory)
        return [f"Usage not known: {why}. So nothing can be sized; do not give figures of usage or for new requests."]
    stamp = next((one for one in inventory.usage.pods if _is(one, sizing)), {}) if inventory.usage else {}
    window, moment = text(stamp, "window"), text(stamp, "timestamp")
    when = f" ({', '.join(part for part in (f'window {window}' if window else '', moment) if part)})"
    of = f"{len(sizing.measured)} of {counted(len(sizing.pods), 'pod')}"
    lines = [f"Usage: metrics API, one snapshot{when if when != ' ()' else ''}, of {of}."]
    if sizing.unmeasured:
        told = listed([f"{pod.name} ({pod.status.phase or 'no phase'})" for pod in sizing.unmeasured], 5)
        lines.append(f"No usage figures for {told}: their usage is not known, not 0.")
    return lines


def _is(figures: object, sizing: Sizing) -> bool:
    pod = sizing.measured[0]
    return (text(figures, "metadata", "namespace"), text(figures, "metadata", "name")) == (pod.namespace, pod.name)


def _why(gaps: Sequence[Gap], inventory: Inventory) -> str:
    if gaps:
        gap = gaps[-1]  # the group's own gap comes before the one of the pods' figures
        return f"{gap.what}: {gap.why}{f' ({clip(gap.detail, 240)})' if gap.detail else ''}"
    if inventory.usage is not None and inventory.usage.pods:
        return "the metrics API answers, but has no figures for these pods (not started, or just started)"
    return "the metrics API answers with no figures at all"


# --- what else decides ------------------------------------------------------------------------------------------------


def _scalers(inventory: Inventory, view: Identified) -> list[str]:
    """Autoscalers of it whose percentages are of requests."""
    family = {view.ref, *inventory.owners(view)}
    return [
        f"{one.ref} scales it by utilization of requests ({', '.join(shares)}, {one.spec.min_replicas or 1} to "
        f"{one.spec.max_replicas} replicas): lower requests raise that percentage, and so the number of replicas."
        for one in inventory.autoscalers
        if one.target in family and (shares := _utilizations(one))
    ]


def _utilizations(scaler: HorizontalPodAutoscaler) -> list[str]:
    found = []
    for metric in scaler.spec.metrics:
        for key in ("resource", "containerResource"):
            wanted = dig(metric, key, "target", "averageUtilization")
            if isinstance(wanted, int):
                found.append(f"{text(metric, key, 'name')} {wanted}%")
    return found


def _recommenders(inventory: Inventory, view: Identified) -> list[str]:
    """Recommendations with history that another controller keeps for it, known by their fields alone."""
    lines = []
    for resource in inventory.custom:
        spec = resource.spec
        named = (text(spec, "targetRef", "kind"), text(spec, "targetRef", "name"))
        if resource.namespace != view.namespace or named != (view.kind, view.name):
            continue
        for one in _recommended(resource):
            lines.append(f"{resource.ref} (has history) recommends for {one}.")
    return lines


def _recommended(resource: CustomResource) -> list[str]:
    words = []
    for one in mappings(resource.status, "recommendation", "containerRecommendations"):
        upper = f" (upper bound {bound})" if (bound := _both(one, "upperBound")) else ""
        words.append(f"{text(one, 'containerName')}: {_both(one, 'target')}{upper}")
    return words


def _both(one: Object, field: str) -> str:
    return ", ".join(f"{name} {text(one, field, name)}" for name in ("cpu", "memory") if text(one, field, name))


# --- findings ---------------------------------------------------------------------------------------------------------

_TOLD: tuple[tuple[Code, str, Severity, str, str], ...] = (
    ("near-limit", "NearLimit", "warning", "uses at least 90% of its limit", "raise the limit, or find what grows"),
    ("request-below-use", "RequestBelowUse", "warning", "uses more than it requests", "raise the request"),
    ("no-request", "RequestMissing", "info", "requests nothing", "set requests for every container"),
    ("request-far-above-use", "RequestFarAboveUse", "info", "uses less than 40% of what it requests",
     "lower the request in steps, once the usage of 1-2 weeks with its peaks is known"),
)  # fmt: skip


def _findings(ref: Ref, sizing: Sizing) -> list[Finding]:
    found = []
    for code, reason, severity, words, remedy in _TOLD:
        hits = [one for one in sizing.verdicts if one.code == code]
        if not hits:
            continue
        evidence = tuple(
            f"container {one.container}: {one.resource} {one.field} "
            + (show(one.resource, one.figure) if one.figure is not None else "not set")
            + (f", highest use seen {show(one.resource, one.highest)}" if one.highest is not None else "")
            for one in hits
        )
        who = listed(dict.fromkeys(f"container {one.container} ({one.resource})" for one in hits), 4)
        found.append(Finding(severity, ref, reason, f"{who} {words}", evidence, remedy=remedy,
                             disproof="usage over days that says otherwise"))  # fmt: skip
    return found


ANALYZE_WORKLOAD_RESOURCES = Tool(
    name="analyze_workload_resources",
    description="Is it sized right? Requests and limits against usage per container, with verdicts.",
    run=analyze_workload_resources,
    parameters=(
        Parameter("kind", "string", required=True),
        Parameter("name", "string", required=True),
        Parameter("namespace", "string", required=True),
    ),
)
