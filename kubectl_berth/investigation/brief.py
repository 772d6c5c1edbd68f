"""What berth looked up before the first model call: the objects that the question names, and their state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_berth.diagnosis.diagnose import related
from kubectl_berth.diagnosis.family import family_of
from kubectl_berth.diagnosis.naming import with_api
from kubectl_berth.errors import ReadError
from kubectl_berth.question.understand import Understanding
from kubectl_berth.records import Finding, Ref
from kubectl_berth.safety.gate import clean, pass_through
from kubectl_berth.safety.sanitise import one_line
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import counted, mappings, text
from kubectl_berth.tools.pods import in_order, pod_row, pod_rows
from kubectl_berth.tools.status_summary import summary

LIMIT = 1200
"""Bytes of the whole brief, marks included."""

_FRAME = len(pass_through("").encode())
_MOST_SUBJECTS = 6
_MOST_PODS = 3
_LINE = 230


def brief(understanding: Understanding, context: Context) -> str:
    """The brief, framed as untrusted data; at most 1,200 bytes, whole lines only, what matters most first."""
    kept: list[str] = []
    room = LIMIT - _FRAME
    for line in _lines(understanding, context):
        # cleaned first: what is masked or shown as a code may be longer than what it replaces
        line = clean(one_line(line, _LINE))
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    return pass_through("\n".join(kept), LIMIT)


def _lines(understanding: Understanding, context: Context) -> Iterator[str]:
    name = context.cluster.name()
    scope = "only namespace" if context.narrowed else "own namespace"
    clock = f"{context.now:%Y-%m-%d %H:%M} UTC"
    # not the cluster's name: a scenario's or a directory's may give its fault away
    yield f"Brief. Kubernetes {name.version}, {scope} {context.namespace}, clock {clock}. {_size(context)}"
    subjects = understanding.subjects[:_MOST_SUBJECTS]
    for ref in subjects:
        yield f"Named: {_state(ref, understanding.apis.get(ref), context)}"
    for ref in understanding.elsewhere:
        yield f"Not where the question says, but exists: {ref}"
    if understanding.missing:
        nearest = ", ".join(map(str, understanding.near)) or "nothing alike"
        rest = len(understanding.missing) - _MOST_SUBJECTS
        names = ", ".join(understanding.missing[:_MOST_SUBJECTS]) + (f" and {rest} others" if rest > 0 else "")
        yield f"Nothing berth may read is called {names} (Secrets, ConfigMaps: never looked up). Nearest: {nearest}."
    beyond = [space for space in understanding.namespaces if context.narrowed and space != context.namespace]
    if beyond:
        yield f"Named but not read, so that nothing is known of it: namespace {', '.join(beyond)}."
    for word in understanding.absent[:2]:
        yield f"Nothing berth may read is {word} by its name, image, labels or API kind."
    if understanding.unknown_namespaces:
        yield f"No such namespace: {', '.join(understanding.unknown_namespaces)}."
    if understanding.kinds:
        yield f"Kinds meant: {', '.join(understanding.kinds)}."
    chosen = concerned(understanding, context)
    yield from _findings(chosen, subjects, context)
    yield from _pods(subjects, chosen, context)
    for gap in dict.fromkeys((*understanding.gaps, *context.inventory().gaps)):
        yield f"Not readable: {gap.what}: {gap.why}."
    rest = len(understanding.subjects) - len(subjects)
    if rest > 0:
        yield f"{rest} more objects fit the question."


def concerned(understanding: Understanding, context: Context) -> list[Finding]:
    """What the checks say about what was named; about the whole cluster where the question names nothing."""
    subjects = understanding.subjects[:_MOST_SUBJECTS]
    found = context.findings()
    inventory = context.inventory()
    chosen: dict[Finding, None] = {}
    for ref in subjects:
        chosen.update(dict.fromkeys(related(found, ref, inventory)))
    if not subjects:
        chosen = dict.fromkeys(found)
    elif understanding.intent == "drain":
        # what holds a drain up is no fault of the node
        chosen.update(dict.fromkeys(finding for finding in found if finding.subject.kind == "PodDisruptionBudget"))
    return sorted(chosen, key=lambda finding: not finding.cause)


def _findings(chosen: Sequence[Finding], subjects: Sequence[Ref], context: Context) -> Iterator[str]:
    if not chosen:
        yield "berth's checks found nothing wrong with " + ("these objects." if subjects else "what could be read.")
    for finding in chosen:
        cause = "" if finding.cause else f" (follows from {finding.caused_by})"
        subject = with_api(context.inventory(), finding.subject)
        yield f"Found, {finding.severity}: {subject}: {finding.reason}: {finding.summary}{cause}"
    for finding in chosen:
        if finding.cause:
            yield from (f"Evidence, {finding.subject}: {each}" for each in finding.evidence[:3])


def _pods(subjects: Sequence[Ref], chosen: Sequence[Finding], context: Context) -> Iterator[str]:
    """The pods of the workloads that are named: their names cannot be guessed. Those with a finding stand there."""
    inventory = context.inventory()
    told = {finding.subject for finding in chosen} | set(subjects)
    wanted = {
        (ref.namespace, ref.name)
        for subject in subjects
        if subject.namespace and subject.kind not in ("Pod", "Service")
        for ref in family_of(subject, inventory)
        if ref.kind == "Pod" and ref not in told
    }
    rows = [pod_row(pod, context.now) for pod in inventory.pods if (pod.namespace, pod.name) in wanted]
    shown = in_order(rows)[:_MOST_PODS]
    yield from (f"Its pod: {row.line(owner=False)}" for row in shown)
    if len(rows) > len(shown):
        yield f"{len(rows) - len(shown)} more pods of it."


def _size(context: Context) -> str:
    """How much was looked at: a verdict of health rests on it."""
    inventory = context.inventory()
    ready = sum(pod_row(pod, context.now).healthy for pod in inventory.pods)
    return (
        f"Looked at {counted(len(inventory.nodes), 'node')}, {counted(len(inventory.pods), 'pod')} ({ready} healthy)."
    )


def _state(ref: Ref, api_version: str | None, context: Context) -> str:
    """One line: the object, its apiVersion where that is needed to read it, and what its status says in short."""
    label = f"{ref} ({api_version})" if api_version else str(ref)
    kind = context.kind(ref.kind, api_version)
    if kind is None:
        return label
    try:
        thing = context.cluster.get(kind, ref.name, ref.namespace or None)
    except ReadError as error:
        return f"{label}: {error.why}"
    if kind.kind == "Pod" and not kind.group:
        return f"Pod {pod_rows([thing], context.now)[0].line()}"
    owners = [
        f"{text(owner, 'kind')} {text(owner, 'name')}" for owner in mappings(thing, "metadata", "ownerReferences")
    ]
    return f"{label}: {summary(thing, context.now)}" + (f", owned by {owners[0]}" if owners else "")
