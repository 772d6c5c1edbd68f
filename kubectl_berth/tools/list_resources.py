"""list_resources: which kinds are served and which objects there are, found by a part of their name.

Without a kind: the kinds that match the filter and the objects of any kind whose name matches. With one: its
instances, each with its state.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_berth.cluster.cluster import Discovery, Kind
from kubectl_berth.cluster.names import (
    kind_names,
    listing_name,
    matching_kinds,
    read_list,
    ref_of,
    search,
    searchable_kinds,
    stems,
)
from kubectl_berth.records import Gap, Object
from kubectl_berth.safety.refuse import refused_kind, refused_word
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import counted, listed, text
from kubectl_berth.tools.pods import pod_rows
from kubectl_berth.tools.scope import known_namespace, nothing_read, unread
from kubectl_berth.tools.status_summary import bad, counts, summary
from kubectl_berth.tools.target import find_kind
from kubectl_berth.tools.tool import Arguments, Parameter, Report, Tool, ToolError

KINDS = 40
OBJECTS = 40
INSTANCES = 60
FEW_KINDS = 6
FEW_INSTANCES = 10
SEVERAL = 3
"""At most so many pods or ReplicaSets of one family are named before they are counted."""


def list_resources(context: Context, arguments: Arguments) -> Report:
    """Kinds and objects that match a filter, or the instances of one kind."""
    word, pattern = arguments.get("kind"), arguments.get("filter", "").strip()
    if word:
        kind = find_kind(context, word, arguments.get("apiVersion"))
        return _instances(context, kind, arguments.get("namespace"), pattern)
    if "apiVersion" in arguments:
        return _of_version(context, arguments["apiVersion"])
    return _search(context, pattern, arguments.get("namespace"))


# --- without a kind -------------------------------------------------------------------------------------------------


def _of_version(context: Context, api_version: str) -> Report:
    discovery = context.cluster.kinds()
    kinds = [k for k in discovery.kinds if k.api_version == api_version and "/" not in k.plural and _shown(k)]
    if not kinds:
        groups = listed(sorted({k.api_version for k in discovery.kinds if not k.builtin}), 20)
        raise ToolError(f"Nothing is served as {api_version}. Custom API versions here: {groups or 'none'}.")
    return Report("\n".join([f"{api_version} serves:", *map(_kind_line, kinds[:KINDS])]))


def _search(context: Context, pattern: str, namespace: str | None) -> Report:
    discovery = context.cluster.kinds()
    gaps = list(discovery.gaps)
    lines: list[str] = []
    if not pattern:
        lines += _all_kinds(discovery)
        return Report("\n".join(lines) + unread(gaps), gaps=tuple(gaps))
    kinds = [kind for kind in matching_kinds(pattern, discovery) if "/" not in kind.plural and "list" in kind.verbs]
    # custom kinds are what a filter is for; of the built-in ones only those that it clearly names
    kinds = [kind for kind in kinds if not kind.builtin or _named(kind, pattern.lower())]
    kinds.sort(key=lambda kind: kind.builtin)
    if kinds:
        lines.append(f'API kinds served here that match "{pattern}":')
        lines += [_kind_line(kind) for kind in kinds[:KINDS]]
        if len(kinds) > KINDS:
            lines.append(f"and {len(kinds) - KINDS} more kinds: use a longer filter")
    found, missing = _objects(context, pattern, namespace, discovery)
    gaps += missing
    lines += found
    lines += _some_instances(context, kinds, namespace)
    if not lines:
        return Report(_none(pattern, namespace, discovery) + unread(gaps), empty=True, gaps=tuple(gaps))
    if any(not kind.builtin for kind in kinds):
        lines.append("describe_resource and list_resources take such a kind with its apiVersion.")
    return Report("\n".join(lines) + unread(gaps), gaps=tuple(gaps))


def _some_instances(context: Context, kinds: Sequence[Kind], namespace: str | None) -> list[str]:
    """The instances of the custom kinds that match, where they are few: they are what the next call would ask for."""
    custom = [kind for kind in kinds if not kind.builtin]
    if not custom or len(custom) > FEW_KINDS:
        return []
    hits, unread_kinds = search(context.cluster, custom, lambda name: True, namespace or context.scope)
    hits.sort(key=lambda hit: not _troubled(hit[1]))
    lines = [_object_line(context, kind, thing) for kind, thing in hits[:FEW_INSTANCES]]
    if len(hits) > FEW_INSTANCES:
        lines.append(f"and {len(hits) - FEW_INSTANCES} more")
    if not lines and unread_kinds:
        return [f"Whether instances of these kinds exist could not be read ({unread_kinds[0].why})."]
    return ["Instances of these kinds:", *lines] if lines else ["No instances of these kinds exist."]


def _none(pattern: str, namespace: str | None, discovery: Discovery) -> str:
    custom = sorted({kind.kind for kind in discovery.kinds if not kind.builtin and kind.preferred})
    words = f'No API kind and no object{f" in {namespace}" if namespace else ""} has "{pattern}" in its name.'
    if refused_word(pattern):
        return f"{words} Secrets and ConfigMaps are never read."
    return (
        f"{words} Custom kinds served here: {listed(custom, 30)}." if custom else f"{words} No custom kinds are served."
    )


def _all_kinds(discovery: Discovery) -> list[str]:
    custom = [k for k in discovery.kinds if not k.builtin and k.preferred and "/" not in k.plural and _shown(k)]
    lines = ["Custom API kinds served here:" if custom else "No custom API kinds are served here."]
    lines += [_kind_line(kind) for kind in custom[:KINDS]]
    if rest := custom[KINDS:]:
        groups = sorted({kind.group for kind in rest})
        lines.append(f"and {len(rest)} more of {listed(groups, 20)}: filter by a part of the name")
    lines.append("Built-in kinds (Pod, Deployment, Service, Node ...) need no apiVersion.")
    lines.append("A filter also finds objects by a part of their name.")
    return lines


def _shown(kind: Kind) -> bool:
    return not refused_kind(kind_names(kind))


def _named(kind: Kind, word: str) -> bool:
    return word in kind.short_names or kind.kind.lower().startswith(word) or kind.plural.startswith(word)


def _kind_line(kind: Kind) -> str:
    return f"apiVersion={kind.api_version} kind={kind.kind} ({'namespaced' if kind.namespaced else 'cluster-scoped'})"


def _objects(
    context: Context, pattern: str, namespace: str | None, discovery: Discovery
) -> tuple[list[str], list[Gap]]:
    """Lines for objects of any kind whose name matches, families of generated names counted."""
    wanted = pattern.lower()
    words = [word for word in wanted.replace("*", " ").split() if word]
    hits, gaps = search(
        context.cluster,
        searchable_kinds(discovery),
        lambda name: bool(words) and all(word in name.lower() for word in words),
        namespace or context.scope,
    )
    if not hits:
        return [], gaps
    hits.sort(key=lambda hit: _rank(hit[0]))
    lines = [f'Objects with "{pattern}" in their name:']
    families: dict[tuple[str, str, str], list[tuple[Kind, Object]]] = {}
    for kind, thing in hits:
        ref = ref_of(thing)
        family = stems(ref.name)[-1:] or [ref.name]
        stem = family[0] if kind.kind in ("Pod", "ReplicaSet", "Job") else ref.name
        families.setdefault((kind.kind, ref.namespace, stem), []).append((kind, thing))
    rows = []
    for (name, space, stem), members in families.items():
        if name == "ReplicaSet":
            members = [m for m in members if text(m[1], "spec", "replicas") != "0"]
        if name == "Pod":
            order = {row.ref: at for at, row in enumerate(pod_rows([m[1] for m in members], context.now))}
            members.sort(key=lambda m: order.get(ref_of(m[1]), 0))
        rows += [_object_line(context, kind, thing) for kind, thing in members[:SEVERAL]]
        if len(members) > SEVERAL:
            rows.append(f"{name} {space}/{stem}-...: {len(members) - SEVERAL} more")
    lines += rows[:OBJECTS]
    if len(rows) > OBJECTS:
        lines.append(f"and {len(rows) - OBJECTS} more: use a longer filter or a namespace")
    return lines, gaps


def _rank(kind: Kind) -> int:
    """Custom resources first, then what runs, then what leads to it."""
    order = ("Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job", "Pod", "ReplicaSet", "Service", "Ingress")
    return (order.index(kind.kind) + 1 if kind.kind in order else len(order) + 1) if kind.builtin else 0


def _object_line(context: Context, kind: Kind, thing: Object) -> str:
    version = "" if kind.builtin else f" ({kind.api_version})"
    return f"{ref_of(thing)}{version}: {_state(context, kind, thing)}"


def _state(context: Context, kind: Kind, thing: Object) -> str:
    if kind.kind == "Pod" and not kind.group:
        row = pod_rows([thing], context.now)[0]
        return f"{row.ready} ready, {row.status}, {row.restarts} restarts, age {row.age}"
    return summary(thing, context.now)


# --- with a kind ----------------------------------------------------------------------------------------------------


def _instances(context: Context, kind: Kind, namespace: str | None, pattern: str) -> Report:
    scope = (namespace or context.scope) if kind.namespaced else None
    things, gaps = read_list(context.cluster, kind, scope)
    if kind.namespaced and scope is None and not things and any(gap.why == "forbidden" for gap in gaps):
        things, own = read_list(context.cluster, kind, context.namespace)
        gaps = [*gaps, *own]
    if gaps and not things:
        raise nothing_read(f"{kind.kind} objects", gaps)
    found = [thing for thing in things if pattern.lower() in ref_of(thing).name.lower()]
    where = "" if not kind.namespaced else f" in {scope}" if scope else " in all namespaces"
    matching = f' with "{pattern}" in their name' if pattern else ""
    if not found:
        known_namespace(context, scope)
        elsewhere = _elsewhere(context, kind, scope)
        text = f"No {kind.kind} ({kind.api_version}){where}{matching}.{elsewhere}"
        return Report(text + unread(gaps), empty=True, gaps=tuple(gaps))
    ordered = sorted(found, key=lambda thing: (not _troubled(thing), ref_of(thing)))
    lines = [f"{counted(len(found), f'{kind.kind}')} ({kind.api_version}){where}{matching}:"]
    lines += [f"{_name(thing)}: {_state(context, kind, thing)}" for thing in ordered[:INSTANCES]]
    lines += _more(ordered[INSTANCES:])
    return Report("\n".join(lines) + unread(gaps), gaps=tuple(gaps))


def _name(thing: Object) -> str:
    ref = ref_of(thing)
    return f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name


def _troubled(thing: Object) -> bool:
    """True where counts or conditions tell of trouble: such instances come first."""
    if any(ready < wanted for _, ready, wanted in counts(thing)):
        return True
    conditions = thing.get("status", {}).get("conditions") if isinstance(thing.get("status"), dict) else None
    rows = conditions if isinstance(conditions, list) else []
    return any(bad(text(row, "type"), text(row, "status")) for row in rows if isinstance(row, dict))


def _more(rest: Sequence[Object]) -> list[str]:
    if not rest:
        return []
    sick = sum(map(_troubled, rest))
    return [f"and {len(rest)} more: {sick} with trouble, {len(rest) - sick} without (a namespace or filter shows them)"]


def _elsewhere(context: Context, kind: Kind, scope: str | None) -> str:
    if scope is None or context.narrowed:
        return ""
    everywhere, gaps = read_list(context.cluster, kind)
    spaces = sorted({ref_of(thing).namespace for thing in everywhere})
    if not spaces and gaps:
        return f" {listing_name(kind, None)}: not read ({gaps[0].why})."
    return f" There are some in {listed(spaces)}." if spaces else f" {listing_name(kind, None)}: none."


LIST_RESOURCES = Tool(
    name="list_resources",
    description=(
        "Without kind: API kinds and objects of any kind that match filter. With kind (custom: and apiVersion): "
        "its instances and their state."
    ),
    run=list_resources,
    parameters=(
        Parameter("filter", "string", "part of a kind, group or object name"),
        Parameter("kind", "string"),
        Parameter("apiVersion", "string"),
        Parameter("namespace", "string"),
    ),
)
