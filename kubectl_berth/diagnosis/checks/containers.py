"""Containers that do not start, die, restart or never get ready."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import Container, ContainerStatus, Pod, Terminated, age, duration, parse_time
from kubectl_berth.diagnosis.checks.endings import architecture_lines, ending, heap_against_limit
from kubectl_berth.diagnosis.checks.images import IMAGE_REASONS
from kubectl_berth.diagnosis.checks.memory import killed_by_node
from kubectl_berth.diagnosis.checks.probes import SETTLE, not_ready, probe_evidence, probe_kill
from kubectl_berth.diagnosis.checks.surroundings import commanded, services_needed, surroundings
from kubectl_berth.diagnosis.objects import HOUR, Inventory
from kubectl_berth.diagnosis.say import clip, listed, older, said, weight, younger
from kubectl_berth.records import Finding, Ref
from kubectl_berth.safety.shell import kubectl

CANNOT_START = frozenset(
    {
        "CreateContainerError",
        "RunContainerError",
        "StartError",
        "PreStartHookError",
        "PreCreateHookError",
        "PostStartHookError",
        "ContainerCannotRun",
    }
)
STARTING = frozenset({"", "ContainerCreating", "PodInitializing"})
EXIT_CODES = {
    126: "the command was found but may not be executed",
    127: "the command was not found",
    128: "the container could not be started",
    134: "the process aborted (SIGABRT)",
    137: "the process was killed (SIGKILL); that alone does not prove a lack of memory",
    139: "the process crashed with a memory access error (SIGSEGV)",
    143: "the process was told to stop (SIGTERM)",
}


def check_containers(inventory: Inventory) -> Iterable[Finding]:
    """Containers of pods that should run: waiting, terminated, restarting, not ready."""
    for pod in inventory.pods:
        if pod.finished or pod.terminating:
            continue
        for status in pod.status.init_container_statuses:
            yield from _container(inventory, pod, status, init=not _sidecar(pod, status.name))
        if not any(_unfinished(pod, one) for one in pod.status.init_container_statuses):
            for status in pod.status.container_statuses:
                yield from _container(inventory, pod, status, init=False)
            yield from _gates(inventory, pod)


def _unfinished(pod: Pod, status: ContainerStatus) -> bool:
    """True for an init container that still keeps the others from starting."""
    if _sidecar(pod, status.name):
        return status.started is False
    return not (status.state.terminated and status.state.terminated.exit_code == 0)


def _sidecar(pod: Pod, name: str) -> bool:
    return any(one.name == name and one.restart_policy == "Always" for one in pod.spec.init_containers)


def _container(inventory: Inventory, pod: Pod, status: ContainerStatus, *, init: bool) -> Iterator[Finding]:
    waiting, running = status.state.waiting, status.state.running
    reason = waiting.reason if waiting else ""
    last = status.state.terminated or status.last_state.terminated
    if reason in IMAGE_REASONS or reason == "CreateContainerConfigError":
        return  # images and configuration tell these
    if reason in CANNOT_START:
        yield _cannot_start(inventory, pod, status, reason, waiting.message if waiting else "")
    elif (
        reason == "CrashLoopBackOff"
        or (status.state.terminated and _failed_now(pod, status, init))
        or (running and last and _restarting(inventory, status, last))
    ):
        yield _dead(inventory, pod, status, last, init=init)
    elif running and init and older(inventory.now, running.started_at, 5 * 60):
        yield _init_runs(inventory, pod, status)
    elif running and not init and not status.ready:
        yield from not_ready(inventory, pod, status)


def _failed_now(pod: Pod, status: ContainerStatus, init: bool) -> bool:
    """True for a container that has ended and should not have: it failed, or it was to run for ever."""
    ended = status.state.terminated
    if ended is None:
        return False
    return ended.exit_code != 0 or (not init and pod.spec.restart_policy == "Always")


def _restarting(inventory: Inventory, status: ContainerStatus, last: Terminated) -> bool:
    """True for a container that runs now but died lately: often, or of a lack of memory."""
    if not younger(inventory.now, last.finished_at, HOUR):
        return False
    if last.reason == "OOMKilled":
        return True
    return last.exit_code != 0 and status.restart_count >= 3 and last.reason != "ContainerStatusUnknown"


# --- died -----------------------------------------------------------------------------------------------------------


def _dead(inventory: Inventory, pod: Pod, status: ContainerStatus, last: Terminated | None, *, init: bool) -> Finding:
    spec = pod.container(status.name)
    what = f"{'init container' if init else 'container'} {status.name}"
    reason, words, remedy, disproof = _death(inventory, pod, status, last, init)
    evidence = [_counted(inventory, status, last)]
    if last:
        evidence.append(_ended(status, last, reason not in ("CrashLoop", "InitContainerFails")))
    evidence += _limits(inventory, pod, spec, reason)
    evidence += probe_evidence(inventory, pod, spec, reason)
    if spec and reason in ("CrashLoop", "InitContainerFails"):
        evidence += surroundings(inventory, pod, spec)
    if reason == "WrongArchitecture":
        evidence += architecture_lines(inventory, pod)
    if reason == "CrashLoop" and spec and spec.liveness_probe and last and last.exit_code in (137, 143):
        evidence.append(
            f"spec: a livenessProbe that gives up after about {spec.liveness_probe.patience}s may have ended it"
        )
    if init:
        evidence.append(f"the pod's other containers have not started: they wait for init container {status.name}")
    return Finding(
        weight(inventory, pod),
        pod.ref,
        reason,
        f"{what} {words}",
        tuple(evidence),
        caused_by=Ref("Node", "", pod.spec.node_name) if reason == "OOMKilledByNode" else None,
        remedy=remedy,
        disproof=disproof,
    )


def _death(
    inventory: Inventory, pod: Pod, status: ContainerStatus, last: Terminated | None, init: bool
) -> tuple[str, str, str, str]:
    """Reason code, words, remedy and disproof for a container that keeps ending."""
    logs = kubectl("logs", pod.name, "-n", pod.namespace, "-c", status.name, "--previous")
    if last and last.reason == "OOMKilled":
        return _out_of_memory(inventory, pod, status)
    if inventory.newest(pod, "FailedPostStartHook") and last and last.exit_code in (137, 143):
        return _start_words("PostStartHookFails")
    killer = probe_kill(inventory, pod, status)
    if killer:
        return (
            f"{killer}ProbeKills",
            f"is killed by its {killer.lower()} probe over and over",
            "make the probe fit the container: the right port and path, and time to start (a startupProbe with "
            "failureThreshold x periodSeconds above the start time); do not just remove it",
            f"no {killer} probe failures in the events, or a log that shows the process end by itself",
        )
    if last and last.reason == "ContainerStatusUnknown":
        return (
            "ContainerStatusUnknown",
            "was lost together with its node's state; its exit code 137 is made up",
            "look at the node the pod was on",
            "a real exit code from the container runtime",
        )
    if last and last.exit_code == 0 and not init:
        return (
            "CompletedButRestarted",
            "ends by itself with exit code 0 and is started again, because restartPolicy is Always",
            "run it as a Job, or give the container a command that keeps running",
            "a log that shows a failure although the exit code is 0",
        )
    if last and last.reason in CANNOT_START:
        return _start_words("ContainerCannotStart")
    known = ending(inventory, pod, pod.container(status.name), last)
    if known is not None:
        return known.reason, known.words, known.remedy, "a previous log that names another error"
    code = f"exits with code {last.exit_code}" if last else "keeps ending"
    return (
        "InitContainerFails" if init else "CrashLoop",
        f"{code} and is started over and over",
        f"read the last lines before it ended ({logs}) and mend what they name",
        "a previous log without an error, or a kill from outside (probe, node)",
    )


def _out_of_memory(inventory: Inventory, pod: Pod, status: ContainerStatus) -> tuple[str, str, str, str]:
    """Reason code, words, remedy and disproof for a container killed for lack of memory: at whose limit."""
    if killed_by_node(inventory, pod, status):
        return (
            "OOMKilledByNode",
            f"was killed because node {pod.spec.node_name} ran out of memory (OOMKilled), not at a limit of its own",
            f"relieve node {pod.spec.node_name}; a higher limit for this container changes nothing",
            "a working set at its own limit when it died",
        )
    if not _has_limit(pod, status.name):
        return (
            "OOMKilled",
            "was killed for lack of memory (OOMKilled) although it has no memory limit: its node had none left",
            f"look at what takes the memory of node {pod.spec.node_name}, and give the container a memory request that "
            "fits its use",
            "a limit of the pod as a whole or of a parent of it that was reached",
        )
    return (
        "OOMKilled",
        "was killed for using more memory than its limit allows (OOMKilled)",
        "raise the memory limit, or find out why it uses so much; restarting it changes nothing",
        "lastState without reason OOMKilled, or a working set far below the limit when it died",
    )


def _has_limit(pod: Pod, name: str) -> bool:
    """True where a container is held by a memory limit of its own or of its pod; an unknown one may be."""
    spec = pod.container(name)
    whole = pod.spec.resources.limits if pod.spec.resources else {}
    return spec is None or "memory" in spec.resources.limits or "memory" in whole


def _counted(inventory: Inventory, status: ContainerStatus, last: Terminated | None) -> str:
    waiting = status.state.waiting
    state = "terminated" if status.state.terminated else waiting.reason if waiting else "running"
    ago = f", last end {age(inventory.now, last.finished_at)} ago" if last and last.finished_at else ""
    return f"container {status.name}: state {state}, restartCount {status.restart_count}{ago}"


def _ended(status: ContainerStatus, last: Terminated, told: bool) -> str:
    field = "state.terminated" if status.state.terminated else "lastState.terminated"
    meaning = EXIT_CODES.get(last.exit_code, "")
    if last.reason == "OOMKilled" or told:
        meaning = ""
    words = f"{field}: reason {last.reason or 'none'}, exit code {last.exit_code}" + (f", {meaning}" if meaning else "")
    begun, over = parse_time(last.started_at), parse_time(last.finished_at)
    if begun and over and over >= begun and begun.year > 1970:  # one that never started has no start
        words += f", it had run for {duration((over - begun).total_seconds())}"
    return words + (f"; message: {clip(last.message)}" if last.message else "")


def _limits(inventory: Inventory, pod: Pod, spec: Container | None, reason: str) -> list[str]:
    if spec is None or reason not in ("OOMKilled", "OOMKilledByNode"):
        return []
    limit, request = spec.resources.limits.get("memory"), spec.resources.requests.get("memory")
    words = f"container {spec.name}: memory limit {limit or 'none of its own'}, request {request or 'none'}"
    used = inventory.pod_usage(pod).get(spec.name, {}).get("memory")
    if used is not None:
        words += f", in use now {used / 2**20:.0f}Mi"
    heap = heap_against_limit(spec) if reason == "OOMKilled" else []
    defaults = pod.metadata.annotations.get("kubernetes.io/limit-ranger", "")
    if "memory limit" in defaults and spec.name in defaults:
        return [
            words,
            f"annotation kubernetes.io/limit-ranger: {clip(defaults, 160)}: the limit is not the template's",
            *heap,
        ]
    return [words, *heap]


# --- cannot start ---------------------------------------------------------------------------------------------------


def _cannot_start(inventory: Inventory, pod: Pod, status: ContainerStatus, reason: str, message: str) -> Finding:
    code, words, remedy, disproof = _start_words("PostStartHookFails" if "Hook" in reason else "ContainerCannotStart")
    last = status.last_state.terminated
    text = message or (last.message if last else "")
    known = ending(inventory, pod, None, None, text)
    if known is not None:
        code, words, remedy = known.reason, known.words, known.remedy
    event = inventory.newest(pod, "Failed", "FailedPostStartHook", "FailedCreate")
    evidence = [f"container {status.name}: waiting, {reason}" + (f": {clip(text)}" if text else "")]
    evidence += [said(event, inventory.now)] if event and not text else []
    spec = pod.container(status.name)
    if spec and (spec.command or spec.args):
        evidence.append(f"spec: command {clip(' '.join(spec.command + spec.args), 160)}")
    return Finding(
        weight(inventory, pod), pod.ref, code, f"container {status.name} {words}", tuple(evidence), remedy=remedy,
        disproof=disproof,
    )  # fmt: skip


def _start_words(code: str) -> tuple[str, str, str, str]:
    if code == "PostStartHookFails":
        return (
            code,
            "is killed because its start hook fails",
            "mend the hook's command in lifecycle.postStart; the application itself is not at fault",
            "no hook in the container's spec",
        )
    return (
        code,
        "cannot be started by the container runtime",
        "compare command, args and mounts in the spec with what the image holds",
        "the container runs on another node from the same image and spec",
    )


# --- waiting on others ----------------------------------------------------------------------------------------------


def _init_runs(inventory: Inventory, pod: Pod, status: ContainerStatus) -> Finding:
    running = status.state.running
    since = age(inventory.now, running.started_at if running else None)
    spec = pod.container(status.name)
    evidence = [f"init container {status.name}: running for {since}; the pod's other containers wait for it"]
    waited = services_needed(inventory, pod, [spec] if spec else [])
    if spec and (spec.command or spec.args):
        evidence.append(f"spec: command {clip(' '.join(spec.command + spec.args), 160)}")
    asked = [str(ref) for ref in commanded(pod, [spec] if spec else []) if inventory.find(ref) is not None]
    if waited:
        evidence.append(f"its settings name {listed([str(ref) for ref in waited])}")
    return Finding(
        weight(inventory, pod),
        pod.ref,
        "InitContainerWaits",
        f"init container {status.name} has not finished for {since}"
        + (f"; its command waits for {listed(asked)}" if asked else ""),
        tuple(evidence),
        remedy=f"read its log ({kubectl('logs', pod.name, '-n', pod.namespace, '-c', status.name)}) to see what it "
        "waits for",
        disproof="a log that shows it working, not waiting",
    )


def _gates(inventory: Inventory, pod: Pod) -> Iterator[Finding]:
    ready = next((one for one in pod.status.conditions if one.type == "Ready"), None)
    if not pod.spec.readiness_gates or ready is None or ready.status != "False":
        return
    if not pod.status.container_statuses or not all(one.ready for one in pod.status.container_statuses):
        return
    if not older(inventory.now, ready.last_transition_time, SETTLE):
        return
    gates = [gate.get("conditionType", "") for gate in pod.spec.readiness_gates]
    held = [one.type for one in pod.status.conditions if one.type in gates and one.status == "True"]
    missing = [gate for gate in gates if gate not in held]
    yield Finding(
        weight(inventory, pod),
        pod.ref,
        "ReadinessGateClosed",
        f"all containers are ready, but the readiness gate {listed(missing)} is not True",
        (f"spec.readinessGates: {listed(gates)}; status.conditions lacks True for {listed(missing)}",),
        remedy="look at the controller that sets this condition (a load balancer's, as a rule)",
        disproof="the condition is True",
    )
