"""What a workload or a pod is set to: probes, limits, ports, variables, volumes, rules about where it runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from kubectl_berth.cluster.views import Job, Workload
from kubectl_berth.cluster.views.pods import Container, PodSpec, Probe
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import YES_NO, said_of
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.engines.rules.orders import quoted
from kubectl_berth.records import Ref

PROBES = ("readiness", "liveness", "startup")
RESOURCES = ("cpu", "memory")
_MOST = 12

Tell = Callable[[Case, Ref], Answer | None]


def spec_of(inventory: Inventory, ref: Ref) -> PodSpec | None:
    """How the pods of an object are made: its template, or one of its pods where it has none."""
    view = inventory.find(ref)
    if isinstance(view, (Workload, Job)):
        return view.spec.template.spec
    pods = inventory.pods_of(ref)
    return pods[0].spec if pods else None


def probe_of(container: Container, kind: str) -> Probe | None:
    """The container's probe of that kind."""
    found: Probe | None = getattr(container, f"{kind}_probe")
    return found


def _each(ref: Ref, rows: Sequence[tuple[str, str]]) -> Answer:
    """One container in the first sentence, several as lines below it."""
    if len(rows) == 1:
        return f"{ref}: container {rows[0][0]} {rows[0][1]}.", []
    return f"{ref} has {len(rows)} containers.", [f"container {name} {words}" for name, words in rows]


# --- probes and resources -------------------------------------------------------------------------------------------


def probes(case: Case, ref: Ref) -> Answer | None:
    """Which probes its containers have, and how patient they are."""
    spec = spec_of(case.inventory, ref)
    if spec is None or not spec.containers:
        return None
    said = case.understanding.text.lower()
    wanted = [kind for kind in PROBES if kind in said] or list(PROBES)
    rows = [(one.name, _probes_of(one, wanted)) for one in spec.containers]
    having = [one for one in spec.containers if any(probe_of(one, kind) for kind in wanted)]
    what = f"a {' or '.join(wanted)} probe" if len(wanted) < len(PROBES) else "a probe"
    if not having:
        whose = f"container {spec.containers[0].name}" if len(rows) == 1 else f"any of its {len(rows)} containers"
        return f"{_word(case, 'No')}{ref} has no {what.removeprefix('a ')} (not set for {whose}).", []
    if len(rows) == 1:
        return f"{_word(case, 'Yes')}container {rows[0][0]} of {ref} has {rows[0][1]}.", []
    head = _word(case, "Yes" if len(having) == len(rows) else "In part")
    lines = [f"container {name} has {words}" for name, words in rows]
    return f"{head}{len(having)} of {count(len(rows), 'container')} of {ref} have {what}.", lines


def _word(case: Case, word: str) -> str:
    """The yes or no that a question which begins with a verb asks for."""
    return f"{word}: " if YES_NO.search(case.understanding.text) else ""


def _probes_of(container: Container, wanted: Iterable[str]) -> str:
    told = []
    for kind in wanted:
        probe = probe_of(container, kind)
        told.append(f"a {kind} probe ({_probe(probe)})" if probe is not None else f"no {kind} probe")
    return ", ".join(told)


def _probe(probe: Probe) -> str:
    if probe.http_get is not None:
        how = f"HTTP GET {probe.http_get.path or '/'} on port {probe.http_get.port}"
    elif probe.tcp_socket is not None:
        how = f"TCP connection to port {probe.tcp_socket.port}"
    else:
        how = "a command or gRPC"
    first = f", first after {probe.initial_delay_seconds} s" if probe.initial_delay_seconds else ""
    return (
        f"{how}{first}, every {probe.period_seconds} s, timeout {probe.timeout_seconds} s, "
        f"failed after {probe.failure_threshold} in a row"
    )


def resources(case: Case, ref: Ref) -> Answer | None:
    """What its containers request and are limited to."""
    spec = spec_of(case.inventory, ref)
    if spec is None or not spec.containers:
        return None
    said = case.understanding.text
    sides = [side for side in ("requests", "limits") if re.search(rf"\b{side[:-1]}s?\b", said, re.IGNORECASE)]
    names = resources_said(said)
    answer = _each(ref, [(one.name, _resources_of(one, sides, names)) for one in spec.containers])
    inits = [f"init container {one.name} {_resources_of(one, sides, names)}" for one in spec.init_containers]
    return answer[0], [*answer[1], *inits]


def resources_said(text: str) -> list[str]:
    """The resources a question speaks of; all that are looked at where it speaks of none."""
    said = [
        name
        for name, word in (
            ("cpu", "cpus?"),
            ("memory", "mem|memory|ram"),
            ("ephemeral-storage", "ephemeral[ -]storage|local storage|scratch"),
        )
        if re.search(rf"\b(?:{word})\b", text, re.I)
    ]
    return said or list(RESOURCES)


def _resources_of(container: Container, sides: Iterable[str], names: Sequence[str]) -> str:
    told = []
    for side in sides:
        written = getattr(container.resources, side)
        amounts = written if len(names) > 1 else {name: written[name] for name in names if name in written}
        verb = "requests" if side == "requests" else "is limited to"
        none = [name for name in names if name not in amounts]
        known = ", ".join(f"{name} {value}" for name, value in amounts.items())
        lack = f"no {' or '.join(none)} {side}" if none else ""
        told.append(
            f"{verb} {known}" + (f" ({lack})" if lack else "")
            if known
            else f"has no {names[0] + ' ' if len(names) == 1 else ''}{side}"
        )
    return " and ".join(told)


# --- what it brings and needs ---------------------------------------------------------------------------------------


def ports(case: Case, ref: Ref) -> Answer | None:
    """Which ports its containers declare, and which Services lead there."""
    inventory = case.inventory
    spec = spec_of(inventory, ref)
    if spec is None:
        return None
    rows = []
    for one in spec.containers:
        ports = [f"{p.container_port}{f' ({p.name})' if p.name else ''}/{p.protocol}" for p in one.ports]
        rows.append(
            (
                one.name,
                f"declares port{'s' if len(ports) > 1 else ''} {', '.join(ports)}" if ports else "declares no port",
            )
        )
    head, lines = _each(ref, rows)
    pods = {pod.ref for pod in inventory.pods_of(ref)}
    for service in inventory.services:
        if service.namespace == ref.namespace and pods & {pod.ref for pod in inventory.pods_of(service.ref)}:
            told = [f"{port.port} to {port.target_port or port.port}" for port in service.spec.ports]
            lines.append(f"{service.ref} leads to it: {', '.join(told)}")
    return head, lines


def env(case: Case, ref: Ref) -> Answer | None:
    """Names of the variables its containers get; never their values."""
    spec = spec_of(case.inventory, ref)
    if spec is None or not spec.containers:
        return None
    rows = []
    for one in spec.containers:
        names = [var.name for var in one.env]
        whole = [f"all keys of Secret {s.secret_ref.name}" for s in one.env_from if s.secret_ref]
        whole += [f"all keys of ConfigMap {s.config_map_ref.name}" for s in one.env_from if s.config_map_ref]
        rows.append(
            (one.name, f"gets {listed([*names, *whole], 30)}" if names or whole else "gets no variables of its own")
        )
    head, lines = _each(ref, rows)
    return head, [*lines, "berth shows the names; values are never read"]


def command(case: Case, ref: Ref) -> Answer | None:
    """What its containers start."""
    spec = spec_of(case.inventory, ref)
    if spec is None or not spec.containers:
        return None
    rows = []
    for one in spec.containers:
        words = " ".join([*one.command, *one.args])
        rows.append((one.name, f"starts {quoted(words, 300)}" if words else "starts what its image says"))
    return _each(ref, rows)


def devices(case: Case, ref: Ref) -> Answer | None:
    """The devices (GPUs and the like) that its containers ask for, and those of the nodes where it runs."""
    spec = spec_of(case.inventory, ref)
    if spec is None or not spec.containers:
        return None
    asked = [
        f"container {one.name} asks for {much} {name}"
        for one in spec.containers
        for name, much in {**one.resources.limits, **one.resources.requests}.items()
        if "/" in name and str(much) != "0"
    ]
    places = {pod.spec.node_name: case.inventory.node(pod.spec.node_name) for pod in case.inventory.pods_of(ref)}
    lines = [
        f"{node.ref}, where it runs, has {much} {name}"
        for node in places.values()
        if node is not None
        for name, much in node.status.allocatable.items()
        if "/" in name and not name.startswith("hugepages") and str(much) != "0"
    ]
    word = {True: _word(case, "Yes"), False: _word(case, "No")}[bool(asked)]
    if not asked:
        return f"{word}{ref} asks for no device (no resource such as nvidia.com/gpu in its requests or limits).", lines
    return f"{word}{ref}: {listed(asked, 4)}.", lines


def taken(case: Case, ref: Ref) -> Answer | None:
    """The Secrets and ConfigMaps that its pods take something from, by name alone."""
    spec = spec_of(case.inventory, ref)
    if spec is None or not spec.containers:
        return None
    secrets = {one.name for one in spec.image_pull_secrets} | {
        one.secret.secret_name for one in spec.volumes if one.secret
    }
    maps = {one.config_map.name for one in spec.volumes if one.config_map}
    for box in spec.all_containers:
        for var in box.env:
            if var.value_from and var.value_from.secret_key_ref:
                secrets.add(var.value_from.secret_key_ref.name)
            if var.value_from and var.value_from.config_map_key_ref:
                maps.add(var.value_from.config_map_key_ref.name)
        secrets |= {one.secret_ref.name for one in box.env_from if one.secret_ref}
        maps |= {one.config_map_ref.name for one in box.env_from if one.config_map_ref}
    told = [f"Secret {name}" for name in sorted(secrets - {""})] + [f"ConfigMap {name}" for name in sorted(maps - {""})]
    said = case.understanding.text.lower()
    if "secret" in said and "map" not in said:
        told = [one for one in told if one.startswith("Secret")] or ["no Secret"]
    elif "map" in said and "secret" not in said:
        told = [one for one in told if one.startswith("ConfigMap")] or ["no ConfigMap"]
    return f"{ref} takes from {listed(told, 10) or 'no Secret and no ConfigMap'}.", ["contents are never read"]


def hooks(case: Case, ref: Ref) -> Answer | None:
    """What its containers do right after they start and before they stop."""
    spec = spec_of(case.inventory, ref)
    if spec is None or not spec.containers:
        return None
    named = [one for one in spec.all_containers if re.search(said_of(one.name), case.understanding.text, re.IGNORECASE)]
    rows = []
    for one in named or spec.all_containers:
        told = [f"{when} {does}" for key, when in _HOOKS.items() if (does := _hook(one.lifecycle.get(key)))]
        words = " ".join([*one.command, *one.args])
        told = [f"starts {quoted(words, 200)}" if words else "starts what its image says", *told]
        rows.append((one.name, ", ".join(told) if len(told) > 1 else f"{told[0]} and has no lifecycle hook"))
    return _each(ref, rows)


HOOKED = (
    r"(?:do(?:es)?|run\w*|execut\w*) (?:on|at|before|after|during) (?:the |its |a )?"
    r"(?:start\w*|boot\w*|stop\w*|shut ?down|termination|exit\w*)|"
    r"(?:life ?cycle|start\w*|post ?start|pre ?stop|shut ?down)?[ -]?hooks?|post ?start|pre ?stop|life ?cycle"
)
"""Words for what a container does at its start or its end."""
_HOOKS = {"postStart": "right after its start (postStart)", "preStop": "before it stops (preStop)"}


def _hook(handler: object) -> str:
    """ "runs `/bin/register.sh`", "asks GET /quit on port 8080"; "" for none."""
    if not isinstance(handler, Mapping):
        return ""
    run, get, rest = handler.get("exec"), handler.get("httpGet"), handler.get("sleep")
    if isinstance(run, Mapping) and isinstance(run.get("command"), list):
        return f"runs {quoted(' '.join(map(str, run['command'])), 300)}"
    if isinstance(get, Mapping):
        return f"asks GET {get.get('path') or '/'} on port {get.get('port')}"
    return f"sleeps {rest.get('seconds')} s" if isinstance(rest, Mapping) else "does something that is not told here"


def volumes(case: Case, ref: Ref) -> Answer | None:
    """What its pods mount."""
    spec = spec_of(case.inventory, ref)
    if spec is None:
        return None
    told = []
    for volume in spec.volumes:
        if volume.persistent_volume_claim is not None:
            told.append(f"{volume.name}: claim {volume.persistent_volume_claim.claim_name}")
        elif volume.secret is not None:
            told.append(f"{volume.name}: Secret {volume.secret.secret_name}")
        elif volume.config_map is not None:
            told.append(f"{volume.name}: ConfigMap {volume.config_map.name}")
        elif volume.empty_dir is not None:
            told.append(f"{volume.name}: emptyDir")
        elif not volume.name.startswith("kube-api-access"):
            told.append(volume.name)
    for name in sorted({name for pod in case.inventory.pods_of(ref) for name in pod.claims}):
        claim = case.inventory.claim(ref.namespace, name)
        size = claim.status.capacity.get("storage") if claim is not None else None
        if claim is not None:
            told.append(f"{claim.ref} ({size or 'no size yet'}, {claim.status.phase or 'no phase'})")
    if not told:
        return f"{ref} mounts no volume of its own.", []
    return f"{ref} has {count(len(told), 'volume')}: {listed(told, 4)}.", told[4:] and told


def containers(case: Case, ref: Ref) -> Answer | None:
    """Its containers with their images."""
    spec = spec_of(case.inventory, ref)
    if spec is None or not spec.containers:
        return None
    lines = [f"container {one.name}: image {one.image}" for one in spec.containers]
    lines += [f"init container {one.name}: image {one.image}" for one in spec.init_containers]
    inits = f" and {count(len(spec.init_containers), 'init container')}" if spec.init_containers else ""
    return f"{ref} has {count(len(spec.containers), 'container')}{inits}.", lines


def placement(case: Case, ref: Ref) -> Answer | None:
    """Rules about where its pods may run."""
    spec = spec_of(case.inventory, ref)
    if spec is None:
        return None
    told = [f"node selector {key}={value}" for key, value in spec.node_selector.items()]
    told += [
        f"tolerates {one.key or 'every taint'}" + "".join(f" {part}" for part in (one.value, one.effect) if part)
        for one in spec.tolerations
        if not one.key.startswith("node.kubernetes.io/")
    ]
    told += (
        ["required node affinity"]
        if spec.affinity and spec.affinity.node_affinity and spec.affinity.node_affinity.required
        else []
    )
    anti = spec.affinity.pod_anti_affinity if spec.affinity else None
    told += [f"keeps apart by {one.topology_key} (required)" for one in (anti.required if anti else [])]
    told += ["keeps apart where possible (preferred anti-affinity)"] if anti and anti.preferred else []
    told += [
        f"spread over {one.topology_key} ({one.when_unsatisfiable}, skew {one.max_skew})"
        for one in spec.topology_spread_constraints
    ]
    if not told:
        return f"{ref} may run on any node: no node selector, affinity, spread or toleration of its own.", []
    return f"{ref} has {count(len(told), 'rule')} about where it runs: {listed(told, 4)}.", told[4:] and told


def strategy(case: Case, ref: Ref) -> Answer | None:
    """How its pods are replaced."""
    view = case.inventory.find(ref)
    if not isinstance(view, Workload):
        return None
    strategy = view.spec.strategy or view.spec.update_strategy
    if strategy is None:
        return f"{ref} names no update strategy, so the default holds: RollingUpdate.", []
    rolling = strategy.rolling_update
    parts = [f"maxSurge {rolling.max_surge}"] if rolling and rolling.max_surge is not None else []
    parts += [f"maxUnavailable {rolling.max_unavailable}"] if rolling and rolling.max_unavailable is not None else []
    parts += [f"partition {rolling.partition}"] if rolling and rolling.partition else []
    bounds = f" ({', '.join(parts)})" if parts else ""
    return f"{ref} is updated by {strategy.type or 'RollingUpdate'}{bounds}.", []


def labels(case: Case, ref: Ref) -> Answer | None:
    """Its own labels."""
    view = case.inventory.find(ref)
    if view is None:
        return None
    told = [f"{key}={value}" for key, value in sorted(view.metadata.labels.items())]
    return (f"{ref} has no labels.", []) if not told else (f"{ref} has {count(len(told), 'label')}.", told)


def quality(case: Case, ref: Ref) -> Answer | None:
    """The QoS classes of its pods."""
    classes = sorted({pod.status.qos_class for pod in case.inventory.pods_of(ref) if pod.status.qos_class})
    return (f"The pods of {ref} are of QoS class {', '.join(classes)}.", []) if classes else None


def account(case: Case, ref: Ref) -> Answer | None:
    """The service account that its pods run as."""
    spec = spec_of(case.inventory, ref)
    return (
        (f"{ref} runs as ServiceAccount {ref.namespace}/{spec.service_account_name or 'default'}.", [])
        if spec
        else None
    )
