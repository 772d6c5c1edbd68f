"""get_logs: the log of the container that fails, the previous one where the present one is empty."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kubectl_berth.cluster.logs import NOT_RECORDED
from kubectl_berth.cluster.names import near_names
from kubectl_berth.cluster.views import Container, ContainerStatus, Pod, age, decode
from kubectl_berth.errors import Forbidden, NotFound, Unavailable
from kubectl_berth.records import Gap, Object, Ref
from kubectl_berth.safety.redact import redact
from kubectl_berth.tools.containers import container_state, termination
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import counted, listed
from kubectl_berth.tools.log_text import Shown, shorten
from kubectl_berth.tools.pods import ending, failing_containers, pod_rows
from kubectl_berth.tools.target import Target, find, find_kind
from kubectl_berth.tools.tool import Arguments, Parameter, Report, Tool, ToolError
from kubectl_berth.tools.withheld import withheld

TAIL = 100
MOST = 500
UNMATCHED = 5
"""Lines that are shown where none passes the filter."""


@dataclass(frozen=True)
class Source:
    """Which log is read and how it was chosen."""

    pod: Pod
    container: str
    previous: bool
    notes: tuple[str, ...] = ()

    def status(self) -> ContainerStatus | None:
        """The container's status."""
        statuses = (*self.pod.status.init_container_statuses, *self.pod.status.container_statuses)
        return next((status for status in statuses if status.name == self.container), None)


def get_logs(context: Context, arguments: Arguments) -> Report:
    """The log of one container, chosen where the call does not name it."""
    kind = find_kind(context, arguments.get("kind", "Pod"))
    target = find(context, kind, arguments["name"], arguments.get("namespace"))
    target = _pod(context, target)
    pod = decode(context.cluster.get(target.kind, target.ref.name, target.namespace), Pod)
    source = _source(pod, arguments, context)
    if target.note:
        source = replace(source, notes=(target.note, *source.notes))
    if not context.permits_raw():
        raise withheld(context, target, "get_logs", container=_named(source), previous=source.previous)
    tail = min(arguments.get("tailLines", TAIL), MOST)
    # a filter looks at all that may be read, then the newest matches are shown
    asked = MOST if "grep" in arguments else tail
    source, log = _read(context, source, asked, arguments)
    shown = shorten(log, arguments.get("grep", ""))
    if not shown.lines:
        return _nothing(context, source)
    if not shown.matched:
        shown = replace(shown, text=shorten("\n".join(log.splitlines()[-UNMATCHED:])).text)
    return Report(_text(context, source, shown, arguments, asked), empty=not shown.matched)


def _pod(context: Context, target: Target) -> Target:
    """The pod behind a workload: the one that is worst off."""
    if target.ref.kind == "Pod" and not target.kind.group:
        return target
    inventory = context.inventory()
    pods = inventory.pods_of(target.ref)
    if target.ref.kind == "CronJob":
        newest = max((pod.metadata.creation_timestamp or "" for pod in pods), default="")
        pods = [pod for pod in pods if (pod.metadata.creation_timestamp or "") == newest] or pods
    if not pods:
        gaps = [gap for gap in inventory.gaps if gap.what.startswith("pods")]
        if gaps:
            raise ToolError(f"The pods of {target.ref} could not be read ({gaps[0].why}): {gaps[0].detail}", gaps)
        raise ToolError(f"{target.ref} has no pods now, so there is no log. get_events tells what became of them.")
    kind = find_kind(context, "Pod")
    raw: list[Object] = [context.cluster.get(kind, pod.name, pod.namespace) for pod in pods[:50]]
    rows = pod_rows(raw, context.now)
    first, *others = rows
    note = f"the pod of {target.ref} that was taken: {first.ref.name}"
    if others:
        note += f"; {counted(len(others), 'other')}: {listed((f'{r.ref.name} ({r.status})' for r in others), 5)}"
    return Target(kind, first.ref, "; ".join(part for part in (target.note, note) if part))


def _source(pod: Pod, arguments: Arguments, context: Context) -> Source:
    containers = {container.name: container for container in pod.spec.all_containers}
    asked = arguments.get("container")
    previous = bool(arguments.get("previous"))
    if asked:
        if asked not in containers:
            raise ToolError(
                f"Pod {pod.namespace}/{pod.name} has no container {asked}. Its containers: {listed(containers, 20)}."
                + (f" Nearest: {listed(near_names(asked, containers))}." if near_names(asked, containers) else "")
            )
        return Source(pod, asked, previous)
    sick = failing_containers(pod, context.now)
    chosen = sick[0][0].name if sick else _default(pod, containers)
    if not chosen:
        raise ToolError(f"Pod {pod.namespace}/{pod.name} declares no containers.")
    others = [name for name in containers if name != chosen]
    notes = (f"container {chosen} was taken; others: {listed(others)}",) if others else ()
    return Source(pod, chosen, previous, notes)


def _default(pod: Pod, containers: dict[str, Container]) -> str:
    named = pod.metadata.annotations.get("kubectl.kubernetes.io/default-container", "")
    if named in containers:
        return named
    return pod.spec.containers[0].name if pod.spec.containers else next(iter(containers), "")


def _named(source: Source) -> str:
    return source.container if len(source.pod.spec.all_containers) > 1 else ""


def _read(context: Context, source: Source, tail: int, arguments: Arguments) -> tuple[Source, str]:
    """The log that was asked for or, where that one is empty or missing, the container's other one."""
    since = arguments.get("sinceSeconds")
    try:
        log = _log(context, source, tail, since)
        missing = None
    except (NotFound, Unavailable) as error:
        log, missing = "", error
    if log.strip():
        return source, log
    status = source.status()
    before = status is not None and status.last_state.terminated is not None
    if source.previous or before:
        other = replace(source, previous=not source.previous)
        try:
            found = _log(context, other, tail, None)
        except (NotFound, Unavailable):
            found = ""
        if found.strip():
            words = "previous" if source.previous else "current"
            why = f"there is no {words} log" if missing else f"the {words} log is empty"
            if since and not missing:
                why += f" in the last {since}s"
            return replace(other, notes=(*other.notes, f"{why}: this is the {_which(other)} one")), found
    if missing is not None and not isinstance(missing, NotFound) and "waiting to start" not in str(missing):
        raise missing
    if missing is not None and str(missing).endswith(NOT_RECORDED):
        # a snapshot need not hold it: that says nothing about what the container wrote
        gap = Gap(f"log of {source.pod.namespace}/{source.pod.name} {source.container}", "not recorded", str(missing))
        raise ToolError(f"{str(missing)[0].upper()}{str(missing)[1:]}. Say that it was not checked.", [gap])
    notes = (*source.notes, str(missing)) if missing else source.notes
    return replace(source, notes=notes), ""


def _log(context: Context, source: Source, tail: int, since: int | None) -> str:
    pod, space = source.pod.name, source.pod.namespace
    try:
        log = context.cluster.log(pod, space, source.container, previous=source.previous, tail=tail, since=since)
    except Forbidden as error:
        gap = Gap(f"pods/log in {space}", error.why, str(error))
        raise ToolError(f"The log may not be read: {error}. Say that it was not checked.", [gap]) from None
    # before a filter or a cut parts a secret from what it is recognised by
    return redact(log)


def _which(source: Source) -> str:
    return "previous" if source.previous else "current"


def _nothing(context: Context, source: Source) -> Report:
    """The words where there is no line at all: what the container does instead of logging."""
    status = source.status()
    state = container_state(status, context.now) if status else f"pod {source.pod.status.phase or 'without a status'}"
    notes = "".join(f"\nnote: {note}" for note in source.notes)
    text = (
        f"No {_which(source)} log lines of container {source.container} in {_ref(source.pod)}.{notes}\n"
        f"The container: {state}. get_events(kind: Pod, name: {source.pod.name}) tells more."
    )
    return Report(text, empty=True)


def _text(context: Context, source: Source, shown: Shown, arguments: Arguments, asked: int) -> str:
    which = f"{_which(source)} instance{_period(source, context)}"
    lines = [f"Log of container {source.container} in {_ref(source.pod)}, {which}."]
    lines += [f"note: {note}" for note in source.notes]
    status = source.status()
    last = status.last_state.terminated if status else None
    if last and last.exit_code and not source.previous and status and status.state.running:
        lines.append(f"note: before it, {ending(last)}: previous: true gives the log of that instance")
    lines.append(_extent(shown, arguments, asked))
    return "\n".join([*lines, "---", shown.text])


def _period(source: Source, context: Context) -> str:
    """When the instance whose log this is ran."""
    status = source.status()
    if status is None:
        return ""
    state = status.last_state if source.previous else status.state
    if state.terminated:
        return f" ({termination(state.terminated, context.now)})"
    if state.running and not source.previous:
        return f" (running for {age(context.now, state.running.started_at)}, {status.restart_count} restarts)"
    last = status.last_state.terminated
    # between two starts the log is that of the instance that ended last
    return f" ({termination(last, context.now)})" if last else ""


def _extent(shown: Shown, arguments: Arguments, asked: int) -> str:
    """How much was read, of which period, and what is not shown."""
    words = f"{counted(shown.lines, 'line')} read"
    if shown.lines >= asked:
        words += f" (the newest {asked}; there may be older ones)"
    if since := arguments.get("sinceSeconds"):
        words += f", of the last {since}s"
    if "grep" in arguments:
        words += f", {shown.matched} with {arguments['grep']!r}"
    if shown.first:
        words += f", from {shown.first} to {shown.last}" if shown.last != shown.first else f", at {shown.first}"
    if shown.cut:
        words += f"; the oldest {shown.cut} of them are cut (grep or fewer tailLines show less)"
    return words + (":" if shown.matched else ". The newest lines instead:")


def _ref(pod: Pod) -> Ref:
    return Ref("Pod", pod.namespace, pod.name)


GET_LOGS = Tool(
    name="get_logs",
    description="Log of a pod or of a workload's worst pod. Picks the failing container; repeats folded.",
    run=get_logs,
    parameters=(
        Parameter("kind", "string", "default Pod; or Deployment, StatefulSet, DaemonSet, ReplicaSet, Job"),
        Parameter("name", "string", required=True),
        Parameter("namespace", "string", required=True),
        Parameter("container", "string"),
        Parameter("previous", "boolean", "the instance before the last restart"),
        Parameter("tailLines", "integer"),
        Parameter("sinceSeconds", "integer"),
        Parameter("grep", "string"),
    ),
    raw=True,
)
