"""What a container that ends by itself leans on: settings, Services, volumes, its account, its neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from kubectl_berth.cluster.views import Container, Pod, Service, Workload, age
from kubectl_berth.diagnosis.checks.endings import architecture_lines
from kubectl_berth.diagnosis.objects import HOUR, Inventory
from kubectl_berth.diagnosis.say import listed, younger
from kubectl_berth.records import Ref

_HOST = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"
_URL = re.compile(r"[\w+.-]+://([^/?#\s\"',]+)[^\s,]*")
_WITH_PORT = re.compile(rf"(?<![\w.@/:-])({_HOST}):\d{{2,5}}(?![\w.:])")
_ADDRESS = re.compile(
    r"HOST|ADDR|UR[IL]|ENDPOINT|SERVER|BROKER|UPSTREAM|BACKEND|DSN|TARGET|PEER|SEED|CONNECT|(?<!_)SERVICE$|_SERVICE$",
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?<![\w.@/:=-])({_HOST})(?![\w@:-])")


def hosts(text: str) -> set[str]:
    """The names of hosts in a setting: those of URLs, those with a port, and the text where it is but one name.

    Whatever stands before an @ in a URL is left out. No IP addresses.
    """
    found = {part.rsplit("@", 1)[-1].rsplit(":", 1)[0].lower() for part in _URL.findall(text)}
    rest = _URL.sub(" ", text)
    found.update(_WITH_PORT.findall(rest))
    if re.fullmatch(_HOST, rest.strip()):
        found.add(rest.strip())
    return {host for host in found if re.fullmatch(_HOST, host) and not re.fullmatch(r"[\d.]+", host)}


def hosts_of(containers: Iterable[Container], *, words: bool = True) -> set[str]:
    """The hosts that containers name in commands, arguments and variables.

    `words` takes every word of a command for one: with a list of what exists at hand, that is safe. A variable whose
    value is one bare word counts where its name says that it holds an address.
    """
    found: set[str] = set()
    for container in containers:
        for text in [*container.command, *container.args]:
            found |= hosts(text)
            if words:
                found.update(word for word in _BARE.findall(text) if len(word) > 2)
        for variable in container.env:
            named = hosts(variable.value)
            found |= named if _ADDRESS.search(variable.name) else named - {variable.value.strip()}
    return found


def services_needed(inventory: Inventory, pod: Pod, containers: Iterable[Container]) -> list[Ref]:
    """The Services that the settings of these containers name ("redis", "redis.cache", in full), but its own."""
    asked = {(name, space or pod.namespace) for host in hosts_of(containers) for name, space in _readings(host)}
    return [
        service.ref
        for service in inventory.services
        if (service.name, service.namespace) in asked and not _behind(pod, service)
    ]


def _readings(host: str) -> Iterator[tuple[str, str]]:
    """The Services that a host may be: name and namespace ("" for the pod's own).

    "db", "db.data", "db.data.svc", and one pod of a headless Service: "db-0.db", "db-0.db.data.svc".
    """
    parts = [*host.split("."), "", "", ""]
    yield parts[0], parts[1]
    if parts[0].rpartition("-")[2].isdigit():
        yield parts[1], parts[2]


_COMMANDED = re.compile(
    r"\b(job|deployment|deploy|statefulset|sts|daemonset|ds|pod)s?(?:\.[a-z0-9.]+)?[/ ]"
    r"([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)"
)
_KINDS = {"job": "Job", "deployment": "Deployment", "deploy": "Deployment", "statefulset": "StatefulSet",
          "sts": "StatefulSet", "daemonset": "DaemonSet", "ds": "DaemonSet", "pod": "Pod"}  # fmt: skip


def commanded(pod: Pod, containers: Iterable[Container]) -> list[Ref]:
    """What commands wait for by kind and name in the pod's namespace: `kubectl wait job/load`, arguments `job load`."""
    found: dict[Ref, None] = {}
    for container in containers:
        for kind, name in _COMMANDED.findall(" ".join([*container.command, *container.args])):
            found[Ref(_KINDS[kind], pod.namespace, name)] = None
    return list(found)


def down(inventory: Inventory, pod: Pod, containers: Iterable[Container]) -> list[Ref]:
    """The Services among those it needs behind which nothing is ready."""
    return [
        ref
        for ref in services_needed(inventory, pod, containers)
        if not any(one.ready for one in inventory.pods_of(ref)) and not inventory.has_endpoints(ref)
    ]


def _behind(pod: Pod, service: Service) -> bool:
    labels = pod.metadata.labels
    selector = service.spec.selector
    return service.namespace == pod.namespace and bool(selector) and selector.items() <= labels.items()


def relied_on(inventory: Inventory) -> set[Ref]:
    """The Services that an Ingress, a route, a webhook, an aggregated API or a running workload's settings lead to."""
    return inventory.once(_relied_on)


def _relied_on(inventory: Inventory) -> set[Ref]:
    return set(_leading(inventory))


def _leading(inventory: Inventory) -> Iterator[Ref]:
    for ingress in inventory.ingresses:
        backends = [path.backend for rule in ingress.spec.rules if rule.http for path in rule.http.paths]
        backends += [ingress.spec.default_backend] if ingress.spec.default_backend else []
        yield from (Ref("Service", ingress.namespace, one.service.name) for one in backends if one.service)
    called = [api.spec.service for api in inventory.api_services]
    called += [
        hook.client_config.service
        for one in (*inventory.validating_webhooks, *inventory.mutating_webhooks)
        for hook in one.webhooks
    ]
    yield from (Ref("Service", one.namespace, one.name) for one in called if one)
    for resource in inventory.custom:
        yield from routed(resource.spec, resource.namespace)
    running = {inventory.workload(pod): pod for pod in inventory.pods if not pod.finished}
    for pod in running.values():
        yield from services_needed(inventory, pod, pod.spec.all_containers)


def routed(value: Any, namespace: str, depth: int = 0) -> Iterator[Ref]:
    """The Services that a route names as its backends."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    if isinstance(value, dict):
        backends = value.get("backendRefs")
        for one in backends if isinstance(backends, list) else []:
            if isinstance(one, dict) and isinstance(one.get("name"), str):
                yield Ref("Service", str(one.get("namespace") or namespace), one["name"])
    for one in inner if depth < 6 else ():
        yield from routed(one, namespace, depth + 1)


def surroundings(inventory: Inventory, pod: Pod, spec: Container) -> list[str]:
    """Sentences about what a container takes its settings from and what it may stumble over; never a value."""
    lines = [*_settings(spec), *_services(inventory, pod, spec), *_ports(pod, spec), *_changed(inventory, pod)]
    lines += architecture_lines(inventory, pod)
    return [*lines, *_storage(inventory, pod, spec), *_token(inventory, pod), *_resolver(pod)]


def _settings(spec: Container) -> Iterator[str]:
    named: set[str] = set()
    for whole in spec.env_from:
        named |= {f"ConfigMap {whole.config_map_ref.name}"} if whole.config_map_ref else set()
        named |= {f"Secret {whole.secret_ref.name}"} if whole.secret_ref else set()
    for variable in spec.env:
        source = variable.value_from
        if source and source.config_map_key_ref:
            named.add(f"ConfigMap {source.config_map_key_ref.name} (key {source.config_map_key_ref.key})")
        elif source and source.secret_key_ref:
            named.add(f"Secret {source.secret_key_ref.name} (key {source.secret_key_ref.key})")
    if named:
        yield f"container {spec.name} takes its environment from {listed(sorted(named))}"
    names = [variable.name for variable in spec.env]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        yield f"container {spec.name} sets {listed(twice)} twice: the last entry wins"


def _services(inventory: Inventory, pod: Pod, spec: Container) -> Iterator[str]:
    for ref in down(inventory, pod, [spec]):
        yield f"its settings name {ref}, " + (
            "behind which no pod is ready" if inventory.pods_of(ref) else "which has no endpoints"
        )
    for host, _, where in strangers(inventory, pod, [spec]):
        yield f"its settings name the host {host}: {where}"


def troubled(inventory: Inventory, pod: Pod) -> bool:
    """True for a pod that should run and is not ready, or that died within the hour."""
    ends = (one.last_state.terminated for one in pod.status.container_statuses)
    died = any(one is not None and one.exit_code and younger(inventory.now, one.finished_at, HOUR) for one in ends)
    return not pod.finished and (not pod.ready or died)


def strangers(inventory: Inventory, pod: Pod, containers: Iterable[Container]) -> list[tuple[str, Ref, str]]:
    """Hosts in settings that can only be Services and are none, each with the Service and what there is instead."""
    if "services" in inventory.unread or inventory.namespace is not None:
        return []
    spaces = {one.name for one in inventory.namespaces}
    found: list[tuple[str, Ref, str]] = []
    for host in sorted(hosts_of(containers, words=False)):
        parts = host.split(".")
        certain = len(parts) > 2 and parts[2] == "svc" and parts[1] in spaces
        name, space = parts[0], parts[1] if certain else pod.namespace
        there = [one.namespace for one in inventory.services if one.name == name]
        if space in there or not (certain or (len(parts) == 1 and there)):
            continue
        elsewhere = f"; there is one in {listed(sorted(there))}, reached as {name}.{there[0]}" if there else ""
        found.append((host, Ref("Service", space, name), f"namespace {space} has no Service {name}{elsewhere}"))
    return found


def _ports(pod: Pod, spec: Container) -> Iterator[str]:
    """A port that two containers of the pod declare: they share one network."""
    for port in spec.ports:
        others = [
            one.name
            for one in pod.spec.containers
            if one.name != spec.name
            and any((p.container_port, p.protocol) == (port.container_port, port.protocol) for p in one.ports)
        ]
        if others:
            yield f"containers {spec.name} and {listed(others)} both declare port {port.container_port}"


def _changed(inventory: Inventory, pod: Pod) -> Iterator[str]:
    """Since which revision the pod's image is another one."""
    revisions = _revisions(inventory, pod)
    if len(revisions) < 2:
        return
    current, before = revisions[:2]
    images = [one.image for one in current.spec.template.spec.containers]
    earlier = [one.image for one in before.spec.template.spec.containers]
    if images != earlier:
        since = age(inventory.now, current.metadata.creation_timestamp)
        yield f"image {listed(images)} since revision {current.revision}, {since} ago; before that {listed(earlier)}"


def _revisions(inventory: Inventory, pod: Pod) -> list[Workload]:
    """The ReplicaSet of a pod and those of its Deployment before it, the newest first."""
    mine = inventory.owner(pod)
    current = inventory.find(mine) if mine and mine.kind == "ReplicaSet" else None
    above = inventory.owner(current) if current is not None else None
    if not isinstance(current, Workload) or above is None:
        return []
    older = [one for one in inventory.children(above) if isinstance(one, Workload) and one.revision < current.revision]
    return [current, *sorted(older, key=lambda one: one.revision, reverse=True)]


def image_before(inventory: Inventory, pod: Pod, container: str) -> tuple[int, str] | None:
    """The last earlier revision in which a container of a Deployment's pod had another image, and that image."""
    revisions = _revisions(inventory, pod)
    images = [
        (one.revision, spec.image)
        for one in revisions
        for spec in one.spec.template.spec.all_containers
        if spec.name == container
    ]
    return next((one for one in images[1:] if one[1] != images[0][1]), None)


def _storage(inventory: Inventory, pod: Pod, spec: Container) -> Iterator[str]:
    if spec.security_context and spec.security_context.read_only_root_filesystem:
        yield f"container {spec.name}: securityContext.readOnlyRootFilesystem true, it can write to its mounts only"
    mounted = {mount.name for mount in spec.volume_mounts}
    for volume in pod.spec.volumes:
        if volume.name not in mounted or volume.persistent_volume_claim is None:
            continue
        claim = inventory.claim(pod.namespace, volume.persistent_volume_claim.claim_name)
        size = claim.status.capacity.get("storage") if claim else None
        context = pod.spec.security_context
        whose = ", no fsGroup" if not context or context.fs_group is None else ""
        yield f"it writes to claim {volume.persistent_volume_claim.claim_name} ({size or 'size unknown'}{whose})"


def _token(inventory: Inventory, pod: Pod) -> Iterator[str]:
    account = inventory.find(Ref("ServiceAccount", pod.namespace, pod.spec.service_account_name or "default"))
    own, shared = pod.spec.automount_service_account_token, getattr(account, "automount_service_account_token", None)
    if own is False or (own is None and shared is False):
        where = "spec.automountServiceAccountToken" if own is False else f"that of its {account.ref if account else ''}"
        yield f"{where} is false: the pod has no token for the API server"


def _resolver(pod: Pod) -> Iterator[str]:
    if pod.spec.dns_policy == "Default" and not pod.spec.host_network:
        yield "spec.dnsPolicy: Default: it resolves names as its node does, so names of Services do not resolve"
