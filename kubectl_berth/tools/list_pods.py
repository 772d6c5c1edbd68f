"""list_pods: pods, unhealthy first; past the cap the healthy ones are summed up, never cut off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kubectl_berth.cluster.names import near_names, read_list, ref_of
from kubectl_berth.records import Gap, Object
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import clip, counted, listed, text
from kubectl_berth.tools.pods import PodRow, pod_rows
from kubectl_berth.tools.scope import known_namespace, nothing_read, unread
from kubectl_berth.tools.tool import Arguments, Parameter, Report, Tool, ToolError

ROWS = 40
"""Healthy pods are listed one by one only where all pods together are at most so many."""
UNHEALTHY_ROWS = 60
GROUPS = 40


def list_pods(context: Context, arguments: Arguments) -> Report:
    """Pods of a namespace or of all, of a label selector or a node."""
    namespace, node = arguments.get("namespace"), arguments.get("node")
    pods, gaps = _read(context, namespace, arguments.get("labelSelector", ""))
    if gaps and not pods:
        if "labelSelector" in arguments and gaps[0].why == "failed":
            raise ToolError(f"labelSelector cannot be used: {clip(gaps[0].detail)}. Write it like app=web,tier!=cache.")
        raise nothing_read("Pods", gaps)
    if node:
        pods = [pod for pod in pods if text(pod, "spec", "nodeName") == node] or _no_pods_on(context, node)
    where = " ".join(
        (
            f"in {namespace or context.scope}" if namespace or context.scope else "in all namespaces",
            *([f"on {node}"] if node else []),
            *([f"with {arguments['labelSelector']}"] if "labelSelector" in arguments else []),
        )
    )
    if not pods:
        known_namespace(context, namespace)
        return Report(f"No pods {where}.{unread(gaps)}", empty=True, gaps=tuple(gaps))
    rows = pod_rows(pods, context.now)
    return Report(_table(rows, where, bool(arguments.get("onlyUnhealthy"))) + unread(gaps), gaps=tuple(gaps))


def _read(context: Context, namespace: str | None, labels: str) -> tuple[list[Object], list[Gap]]:
    if not labels:
        return context.objects("Pod", namespace)
    kind = context.kind("Pod")
    if kind is None:
        return context.objects("Pod", namespace)
    return read_list(context.cluster, kind, namespace or context.scope, labels=labels)


def _no_pods_on(context: Context, node: str) -> list[Object]:
    """No pods; raises ToolError where there is no such node."""
    nodes, gaps = context.objects("Node")
    names = [ref_of(each).name for each in nodes]
    if not gaps and node not in names:
        close = near_names(node, names) or sorted(names)
        raise ToolError(f"There is no node {node}. Nodes: {listed(close)}.")
    return []


def _table(rows: Sequence[PodRow], where: str, only_unhealthy: bool) -> str:
    sick = [row for row in rows if not row.healthy]
    well = [row for row in rows if row.healthy]
    lines = [f"{counted(len(rows), 'pod')} {where}: {len(sick)} unhealthy, {len(well)} healthy."]
    if sick:
        lines.append("Unhealthy:")
        lines += [row.line() for row in sick[:UNHEALTHY_ROWS]]
        lines += _groups(sick[UNHEALTHY_ROWS:], "more unhealthy")
    if only_unhealthy or not well:
        return "\n".join(lines)
    if len(rows) <= ROWS:
        lines += ["Healthy:", *(row.line() for row in well)]
    else:
        lines += ["Healthy, by namespace and owner:", *_groups(well, "healthy")]
    return "\n".join(lines)


def _groups(rows: Sequence[PodRow], word: str) -> list[str]:
    """Pods summed up per namespace and owner, the largest groups first, then the rest as one line."""
    groups = Counter((row.ref.namespace, row.owner or "no owner") for row in rows)
    ordered = sorted(groups.items(), key=lambda entry: (-entry[1], entry[0]))
    lines = [f"{namespace} {owner}: {count} {word}" for (namespace, owner), count in ordered[:GROUPS]]
    if rest := ordered[GROUPS:]:
        spaces = {namespace for (namespace, _), _ in rest}
        total = sum(count for _, count in rest)
        lines.append(f"{len(rest)} more owners in {counted(len(spaces), 'namespace')}: {total} {word}")
    return lines


LIST_PODS = Tool(
    name="list_pods",
    description="Pods, unhealthy first: ready, status, restarts, age, node, owner, what is wrong.",
    run=list_pods,
    parameters=(
        Parameter("namespace", "string", "omit for all"),
        Parameter("labelSelector", "string"),
        Parameter("node", "string"),
        Parameter("onlyUnhealthy", "boolean"),
    ),
)
