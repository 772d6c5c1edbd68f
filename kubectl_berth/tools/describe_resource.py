"""describe_resource: one object, pruned, with owners, children, events and findings.

The route is fixed: Secrets and ConfigMaps are refused before this module is reached; an apiVersion of a custom kind
means the generic read; a built-in kind is described where raw diagnostics may be given; anything else is an error that
says how to find the apiVersion.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_berth.cluster.names import metadata
from kubectl_berth.cluster.views import Pod, age
from kubectl_berth.diagnosis.diagnose import related
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.records import Finding, Gap, Object
from kubectl_berth.safety.objects import prune
from kubectl_berth.tools.containers import container_lines
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.event_lines import event_lines, fold, telling
from kubectl_berth.tools.fields import clip, listed, mapping, mappings, text
from kubectl_berth.tools.pods import pod_row
from kubectl_berth.tools.relations import below, owner_line, state_of
from kubectl_berth.tools.render import pruned, render, without_said
from kubectl_berth.tools.scope import narrowed
from kubectl_berth.tools.status_summary import bad, condition_line, summary
from kubectl_berth.tools.target import Target, find, find_kind
from kubectl_berth.tools.tool import Arguments, Parameter, Report, Tool
from kubectl_berth.tools.withheld import withheld

EVENTS = 10
FINDINGS = 8
SPEC_LINES = 90
STATUS_LINES = 60
NORMAL_EVENTS = 3
STATUS_SAID = ("Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
"""Kinds whose status the lines above the spec have told."""

# annotations that explain behaviour; all others are noise or copies of the object
_ANNOTATIONS = (
    "kubernetes.io/change-cause",
    "deployment.kubernetes.io/revision",
    "kubectl.kubernetes.io/restartedAt",
    "kubectl.kubernetes.io/default-container",
    "kubernetes.io/config.mirror",
    "storageclass.kubernetes.io/is-default-class",
    "cluster-autoscaler.kubernetes.io/safe-to-evict",
    "karpenter.sh/do-not-disrupt",
    "argocd.argoproj.io/sync-wave",
    "meta.helm.sh/release-name",
)
_LABELS_LEFT_OUT = ("pod-template-hash", "controller-revision-hash", "pod-template-generation")


def describe_resource(context: Context, arguments: Arguments) -> Report:
    """One object of a built-in kind or, with its apiVersion, of a custom one."""
    kind = find_kind(context, arguments["kind"], arguments.get("apiVersion"))
    target = find(context, kind, arguments["name"], arguments.get("namespace"))
    if kind.builtin and not context.permits_raw():
        raise withheld(context, target, "describe_resource")
    thing = prune(context.cluster.get(kind, target.ref.name, target.namespace))
    inventory = context.inventory()
    findings = related(context.findings(), target.ref, inventory)
    lines = _head(target, thing, inventory, context)
    lines += _findings(findings)
    lines += _state(thing, target, inventory, context)
    lines += _section("owned or used", below(target.ref, inventory))
    lines += narrowed(context, "pods of other namespaces on it were not seen.") if kind.kind == "Node" else []
    lines += _events(target, inventory)
    lines += _body(thing, builtin=kind.builtin)
    gaps = _gaps(inventory)
    return Report("\n".join(lines), gaps=gaps, findings=tuple(findings))


def _head(target: Target, thing: Object, inventory: Inventory, context: Context) -> list[str]:
    meta = metadata(thing)
    version = "" if target.kind.builtin else f" ({target.kind.api_version})"
    lines = [f"{target.ref}{version}, age {age(context.now, text(meta, 'creationTimestamp') or None)}"]
    if target.note:
        lines.append(f"note: {target.note}")
    if deleted := text(meta, "deletionTimestamp"):
        held = mappings(meta, "finalizers") or meta.get("finalizers") or []
        lines.append(f"being deleted for {age(context.now, deleted)}, finalizers {held}")
    labels = {k: v for k, v in mapping(meta, "labels").items() if k not in _LABELS_LEFT_OUT}
    if labels:
        lines.append("labels: " + clip(", ".join(f"{key}={value}" for key, value in labels.items()), 400))
    known = {key: value for key, value in mapping(meta, "annotations").items() if key in _ANNOTATIONS}
    if known:
        lines.append("annotations: " + clip(", ".join(f"{key}={value}" for key, value in known.items()), 400))
    if owners := owner_line(target.ref, inventory):
        lines.append(f"owned by: {owners}")
    return lines


def _findings(findings: Sequence[Finding]) -> list[str]:
    lines = []
    for finding in findings[:FINDINGS]:
        cause = f" (caused by {finding.caused_by})" if finding.caused_by else ""
        lines.append(f"{finding.severity} {finding.subject} {finding.reason}: {clip(finding.summary, 500)}{cause}")
    if len(findings) > FINDINGS:
        lines.append(f"and {len(findings) - FINDINGS} more")
    return _section("findings", lines)


def _state(thing: Object, target: Target, inventory: Inventory, context: Context) -> list[str]:
    view = inventory.find(target.ref)
    conditions = _section("conditions", _conditions(thing, context))
    if isinstance(view, Pod):
        row = pod_row(view, context.now)
        containers = _section("containers", container_lines(view, context.now))
        return [f"state: {row.line(owner=False, name=False)}", *containers, *conditions]
    state = state_of(view, inventory) if view is not None and target.kind.builtin else ""
    return [f"state: {state or summary(thing, context.now)}", *conditions]


def _conditions(thing: Object, context: Context) -> list[str]:
    """Conditions in full; those that hold and say no more than that share a line."""
    plain, lines = [], []
    for condition in mappings(thing, "status", "conditions"):
        kind, status = text(condition, "type"), text(condition, "status")
        if status == "True" and not bad(kind, status) and not text(condition, "message"):
            plain.append(kind)
        else:
            lines.append(condition_line(condition, context.now))
    return [*lines, f"True: {listed(plain, 20)}"] if plain else lines


def _events(target: Target, inventory: Inventory) -> list[str]:
    """Events about the object and what it owns, newest first; of the normal ones only a few."""
    if "events" in inventory.unread and not inventory.events:
        return ["events: could not be read"]
    family = [inventory.find(target.ref), *inventory.descendants(target.ref)]
    events = [event for view in family if view is not None for event in inventory.events_of(view, None)]
    folds = fold(events)
    normal = [each for each in folds if not telling(each.newest)]
    shown = [each for each in folds if telling(each.newest) or each in normal[:NORMAL_EVENTS]]
    about = any(event.about_ref != target.ref for event in events)
    return _section("events", event_lines(shown, inventory.now, EVENTS, about=about)) or ["events: none"]


def _body(thing: Object, *, builtin: bool) -> list[str]:
    """Spec, status and whatever else the object holds, pruned of what was said above."""
    rest = {key: value for key, value in thing.items() if key not in ("apiVersion", "kind", "metadata", "status")}
    status = {key: value for key, value in mapping(thing, "status").items() if key != "conditions"}
    if builtin:
        rest = pruned(without_said(thing, rest))
        status = {} if text(thing, "kind") in STATUS_SAID else pruned(status)
    else:
        status = {key: value for key, value in status.items() if value not in ({}, [], "", None)}
    lines = []
    for key, value in rest.items():
        lines += _section(key, render(value, 2, SPEC_LINES), indent=False)
    return lines + _section("status", render(status, 2, STATUS_LINES), indent=False)


def _section(title: str, lines: Sequence[str], *, indent: bool = True) -> list[str]:
    if not lines:
        return []
    return [f"{title}:", *(f"  {line}" if indent else line for line in lines)]


def _gaps(inventory: Inventory) -> tuple[Gap, ...]:
    """What the description leans on and could not be read: events, pods, owners."""
    wanted = ("events", "pods", "replicasets.apps", "deployments.apps", "statefulsets.apps")
    return tuple(gap for gap in inventory.gaps if gap.what.split(" ")[0] in wanted)


DESCRIBE_RESOURCE = Tool(
    name="describe_resource",
    description="One object: state, owners, children, events, findings, spec. A custom kind needs its apiVersion.",
    run=describe_resource,
    parameters=(
        Parameter("kind", "string", required=True),
        Parameter("name", "string", required=True),
        Parameter("namespace", "string"),
        Parameter("apiVersion", "string", "custom kinds only, from list_resources"),
    ),
    raw=True,
)
