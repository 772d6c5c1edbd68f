"""get_events: what happened, newest first, folded by object and reason."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.cluster.names import kinds_named
from kubectl_berth.cluster.views import Event, OddObject, decode
from kubectl_berth.records import Gap, Object, Ref
from kubectl_berth.safety.refuse import refused_word
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.event_lines import event_lines, fold, telling
from kubectl_berth.tools.fields import counted, listed
from kubectl_berth.tools.scope import known_namespace, nothing_read, unread
from kubectl_berth.tools.target import Target, find, find_kind
from kubectl_berth.tools.tool import Arguments, Parameter, Report, Tool, ToolError

LINES = 30
CLUSTER_LINES = 8
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9.-]{0,100}")


def get_events(context: Context, arguments: Arguments) -> Report:
    """Events of a namespace or of all, about one object and what belongs to it, or about one kind."""
    namespace, word, name = arguments.get("namespace"), arguments.get("kind"), arguments.get("name")
    if word and not _KIND.fullmatch(word):
        raise ToolError("kind is one kind, such as Pod or Deployment.")
    if name and not word:
        word = "Pod"
    events, gaps = _read(context, namespace)
    if gaps and not events:
        raise nothing_read("Events", gaps)
    wanted = "in all namespaces" if not (namespace or context.scope) else f"in {namespace or context.scope}"
    note = ""
    if word and name and not refused_word(word):
        events, note = _about(context, events, find(context, find_kind(context, word), name, namespace))
    elif word:
        events, wanted = _of_kind(context, events, word, name, wanted)
    normal = bool(arguments.get("includeNormal", bool(name)))
    shown = [event for event in events if normal or telling(event)]
    if not word:
        shown, elsewhere = _split(shown, namespace or context.scope)
    else:
        elsewhere = []
    text = _text(context, shown, elsewhere, note or wanted, len(events), normal)
    if not shown and not elsewhere:
        known_namespace(context, namespace)
        return Report(text + unread(gaps), empty=True, gaps=tuple(gaps))
    return Report(text + unread(gaps), gaps=tuple(gaps))


def _read(context: Context, namespace: str | None) -> tuple[list[Event], list[Gap]]:
    """Events of the namespace and, as they are kept in `default`, those about cluster-scoped objects."""
    raw, gaps = context.objects("Event", namespace)
    scope = namespace or context.scope
    if scope and scope != "default" and not context.narrowed:
        more, more_gaps = context.objects("Event", "default")
        raw = [*raw, *(event for event in more if not _involved_namespace(event))]
        # who may read one namespace only is refused here as a matter of course; a failure is news
        gaps = [*gaps, *(gap for gap in more_gaps if not raw or gap.why != "forbidden")]
    events = []
    for each in raw:
        try:
            events.append(decode(each, Event))
        except OddObject as error:
            gaps = [*gaps, Gap("an event", "odd object", str(error))]
    return events, gaps


def _involved_namespace(event: Object) -> str:
    about = event.get("involvedObject") or event.get("regarding")
    return str(about.get("namespace") or "") if isinstance(about, dict) else ""


def _about(context: Context, events: Sequence[Event], target: Target) -> tuple[list[Event], str]:
    """Events about an object, what it owns and, for a pod, its owners; and words for it."""
    inventory = context.inventory()
    family = {target.ref, *(view.ref for view in inventory.descendants(target.ref))}
    view = inventory.find(target.ref)
    if view is not None and target.ref.kind == "Pod":
        family.update(inventory.owners(view))
    if target.ref.kind == "Service":
        family.update(Ref("Pod", pod.namespace, pod.name) for pod in inventory.pods_of(target.ref))
    about = f"about {target.ref} and what belongs to it"
    return [
        event for event in events if event.about_ref in family
    ], f"{about} ({target.note})" if target.note else about


def _of_kind(
    context: Context, events: Sequence[Event], word: str, name: str | None, wanted: str
) -> tuple[list[Event], str]:
    """Events about one kind; a Secret's or ConfigMap's are told too, for they hold none of its values."""
    names = {kind.kind for kind in kinds_named(word, context.cluster.kinds())}
    plain = word.lower().removesuffix("s")
    refused = {"secret": "Secret", "configmap": "ConfigMap", "cm": "ConfigMap"}.get(plain)
    names |= {refused} if refused else set()
    if not names:
        find_kind(context, word)  # explains which kinds there are
    found = [event for event in events if event.about.kind in names and (not name or event.about.name == name)]
    return found, f"about {listed(sorted(names))}{f' {name}' if name else ''} {wanted}"


def _split(events: Sequence[Event], scope: str | None) -> tuple[list[Event], list[Event]]:
    """Events of the namespace, and those about cluster-scoped objects, which matter everywhere."""
    if scope is None:
        return list(events), []
    return (
        [event for event in events if event.about.namespace == scope or event.namespace == scope],
        [event for event in events if not event.about.namespace and event.namespace != scope],
    )


def _text(
    context: Context, shown: Sequence[Event], elsewhere: Sequence[Event], wanted: str, total: int, normal: bool
) -> str:
    folds = fold(shown)
    kind = "" if normal else "warning "
    if not folds and not elsewhere:
        hidden = f"; {counted(total, 'normal event')} left out (includeNormal: true shows them)" if total else ""
        return f"No {kind}events {wanted}{hidden}. Events are kept for about an hour."
    lines = [f"{counted(len(folds), f'{kind}event')} {wanted}, newest first:"]
    lines += event_lines(folds, context.now, LINES)
    if elsewhere:
        lines += ["About nodes and other cluster-scoped objects:"]
        lines += event_lines(fold(elsewhere), context.now, CLUSTER_LINES)
    return "\n".join(lines)


GET_EVENTS = Tool(
    name="get_events",
    description="Events, newest first, repeats folded. With kind and name: about that object and what it owns.",
    run=get_events,
    parameters=(
        Parameter("namespace", "string", "omit for all"),
        Parameter("kind", "string"),
        Parameter("name", "string"),
        Parameter("includeNormal", "boolean"),
    ),
    reads_kind=False,
)
