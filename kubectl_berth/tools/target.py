"""Finds the object that a call means, or explains which call would: shared by the tools that take a kind and a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_berth.cluster.cluster import Kind
from kubectl_berth.cluster.names import (
    WORKLOADS,
    Located,
    kind_names,
    kinds_named,
    locate,
    near_kinds,
    read_list,
    ref_of,
    search,
)
from kubectl_berth.errors import Refused
from kubectl_berth.records import Ref
from kubectl_berth.safety.refuse import WORDS, refused_kind
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import clip, listed
from kubectl_berth.tools.pods import pod_rows
from kubectl_berth.tools.scope import known_namespace
from kubectl_berth.tools.tool import ToolError


@dataclass(frozen=True)
class Target:
    """The object that a call means. `note` says which one was taken where the call did not name it exactly."""

    kind: Kind
    ref: Ref
    note: str = ""

    @property
    def namespace(self) -> str | None:
        """Its namespace, None where the kind is cluster-scoped."""
        return self.ref.namespace or None


def find_kind(context: Context, word: str, api_version: str | None = None) -> Kind:
    """The kind that a call means. Raises ToolError that names the apiVersion or the kinds that would do."""
    discovery = context.cluster.kinds()
    hits = kinds_named(word, discovery, api_version)
    told = bool(hits) and (bool(api_version) or hits[0].builtin)
    # a custom kind that poses as Pod and as Secret at once closes itself, not Pod
    if any(refused_kind(kind_names(kind)) for kind in (hits[:1] if told else hits)):
        raise Refused(f"{WORDS}: {word} was not looked up")
    if told:
        return hits[0]
    others = hits or kinds_named(word, discovery)
    if api_version and others:
        served = listed(sorted({kind.api_version for kind in others}))
        raise ToolError(f"{word} is not served as {api_version} but as {served}: pass that apiVersion.")
    if others:
        named = listed(f"{kind.kind} of {kind.api_version}" for kind in others)
        raise ToolError(
            f"{others[0].kind} is no built-in kind: pass its apiVersion too. Here it is {named}. "
            f'list_resources(filter: "{word}") without a kind finds such kinds.'
        )
    close = near_kinds(word, discovery)
    nearest = f" Nearest: {listed(f'{k.kind} ({k.api_version})' for k in close)}." if close else ""
    down = f" Not answering: {listed(gap.what for gap in discovery.gaps)}." if discovery.gaps else ""
    raise ToolError(
        f"No kind {word} is served here{f' as {api_version}' if api_version else ''}.{nearest}{down} Call "
        f"list_resources with a filter and no kind to find the kind and its apiVersion, then pass both.",
        discovery.gaps,
    )


def find(context: Context, kind: Kind, name: str, namespace: str | None) -> Target:
    """The object that a call means. Raises ToolError that names the nearest, or where the name exists."""
    scope = (namespace or context.scope) if kind.namespaced else None
    located = locate(context.cluster, name, kind, scope, preferred=context.namespace)
    if located.exact or located.meant:
        target = _one_of(kind, name, located.exact, context) if located.exact else _meant(context, kind, name, located)
        context.found.append(target.ref)
        return target
    known_namespace(context, scope)
    raise _missing(context, kind, name, scope, located)


def _one_of(kind: Kind, name: str, exact: Sequence[Ref], context: Context) -> Target:
    first, *rest = exact
    if not rest:
        return Target(kind, first)
    spaces = listed(sorted(ref.namespace for ref in exact))
    if first.namespace != context.namespace:
        raise ToolError(f"{kind.kind} {name} exists in several namespaces: {spaces}. Pass one as namespace.")
    others = listed(sorted(ref.namespace for ref in rest))
    return Target(kind, first, f"taken from namespace {first.namespace}; {name} exists in {others} too")


def _meant(context: Context, kind: Kind, name: str, located: Located) -> Target:
    if kind.kind == "Pod" and not kind.group:
        wanted = set(located.meant)
        pods, _ = read_list(context.cluster, kind, located.meant[0].namespace if len(wanted) == 1 else None)
        rows = [row for row in pod_rows(pods, context.now) if row.ref in wanted]
        rows.sort(key=lambda row: (row.healthy, row.ref.namespace != context.namespace))
        chosen = rows[0].ref if rows else located.meant[0]
        others = [row for row in rows if row.ref != chosen]
        named = listed((f"{row.ref.namespace}/{row.ref.name} ({row.status})" for row in others), 5)
        also = f"; it stands for {len(others)} more: {named}" if others else ""
        return Target(kind, chosen, f"{located.how}; this is {chosen.name}{also}")
    if len(located.meant) == 1:
        ref = located.meant[0]
        return Target(kind, ref, f"{name} does not exist; {ref.name} does ({located.how})")
    named = listed(f"{ref.namespace}/{ref.name}" for ref in located.meant)
    raise ToolError(f"There is no {kind.kind} {name}. It may mean one of {named}: pass one of these names.")


def _missing(context: Context, kind: Kind, name: str, scope: str | None, located: Located) -> ToolError:
    """The error for an object that is not there, with the call that would work."""
    gaps = located.gaps
    if blocked := [gap for gap in gaps if gap.why != "not found"]:
        gap = blocked[0]
        return ToolError(
            f"{kind.kind} {name} could not be read ({gap.why}): {clip(gap.detail, 300)}. It may exist: say that it "
            "could not be checked.",
            blocked,
        )
    where = f" in namespace {scope}" if scope else ""
    words = [f"There is no {kind.kind} {name}{where}."]
    if located.elsewhere:
        words.append(f"It exists in namespace {listed(ref.namespace for ref in located.elsewhere)}: pass that one.")
    else:
        others = _same_name(context, kind, name, scope)
        if others:
            words.append(f"That name belongs to {listed(others, 5)}.")
        if located.near:
            words.append(f"Nearest: {listed(f'{r.namespace}/{r.name}'.lstrip('/') for r in located.near)}.")
        elif not others:
            words.append(f'list_resources(filter: "{name}") looks for the name among all kinds.')
    return ToolError(" ".join(words), gaps)


def _same_name(context: Context, kind: Kind, name: str, scope: str | None) -> list[str]:
    """Objects of other kinds that bear the name, as calls would name them."""
    kinds = [
        each
        for each in context.cluster.kinds().kinds
        if each.preferred
        and each != kind
        and "list" in each.verbs
        and not refused_kind(kind_names(each))
        and (not each.builtin or each.kind in (*WORKLOADS, "Service", "Pod"))
    ]
    hits, _ = search(context.cluster, kinds, lambda candidate: candidate == name.lower(), scope)
    return [
        f"{each.kind} {ref_of(thing).namespace}/{ref_of(thing).name}"
        + ("" if each.builtin else f" (apiVersion {each.api_version})")
        for each, thing in hits
    ]
