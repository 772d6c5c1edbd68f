"""What a workload's settings say it talks to, and cannot: Services that do not exist, policies in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kubectl_berth.cluster.views import NetworkPolicy, Pod, Service
from kubectl_berth.cluster.views.network import PolicyPeer, PolicyPort
from kubectl_berth.diagnosis.checks.surroundings import services_needed, strangers, troubled
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.records import Finding, Ref


def representatives(inventory: Inventory) -> Iterator[tuple[Ref, Pod, list[Pod]]]:
    """Each workload with pods that should run, one pod of it (in trouble where there is one), and all of them."""
    groups: dict[Ref, list[Pod]] = {}
    for pod in inventory.pods:
        if not pod.finished and not pod.terminating:
            groups.setdefault(inventory.workload(pod), []).append(pod)
    for workload, pods in sorted(groups.items()):
        yield workload, min(pods, key=lambda pod: (not troubled(inventory, pod), pod.name)), pods


def check_hosts(inventory: Inventory) -> Iterable[Finding]:
    """Services that workloads name as hosts and that do not exist."""
    asked: dict[Ref, list[tuple[Ref, Pod, str, str]]] = {}
    for workload, pod, _ in representatives(inventory):
        for host, ref, where in strangers(inventory, pod, pod.spec.all_containers):
            asked.setdefault(ref, []).append((workload, pod, host, where))
    for ref, users in sorted(asked.items()):
        orphan = next(
            (one.ref for one in inventory.workloads if one.namespace == ref.namespace and _akin(one, ref)), None
        )
        if orphan is None:
            continue  # settings name much that is not used: only a workload left without its Service makes it sure
        workloads = sorted({workload for workload, _, _, _ in users})
        yield Finding(
            "warning",
            ref,
            "ServiceMissing",
            f"it does not exist, and {listed([str(one) for one in workloads])} names it as a host",
            (
                *dict.fromkeys(f"settings of {user} name {host}: {where}" for user, _, host, where in users[:3]),
                f"{orphan} runs without a Service of that name",
            ),
            effects=tuple(workloads),
            remedy="create the Service again, or correct the name in the settings (name.namespace across namespaces); "
            "DNS itself works",
            disproof="a Service of that name, or settings that are never used",
        )


def _akin(workload: object, ref: Ref) -> bool:
    """True for a workload whose name says that the missing Service was its own."""
    name = getattr(workload, "name", "")
    return bool(name) and (ref.name == name or ref.name in (f"{name}-svc", f"{name}-service"))


def check_clients(inventory: Inventory) -> Iterable[Finding]:
    """Network policies that keep a workload from a Service that its own settings name."""
    if "namespaces" in inventory.unread or not inventory.network_policies:
        return
    for workload, pod, _ in representatives(inventory):
        if pod.spec.host_network:
            continue
        for ref in services_needed(inventory, pod, pod.spec.all_containers):
            service = inventory.find(ref)
            behind = [one for one in inventory.pods_of(ref) if not one.finished and not one.spec.host_network]
            if isinstance(service, Service) and behind:
                yield from _barred(inventory, workload, pod, service, behind[0])


def _barred(inventory: Inventory, workload: Ref, client: Pod, service: Service, server: Pod) -> Iterator[Finding]:
    inward = [one for one in policies_of(inventory, server) if one.limits_ingress]
    if inward and not any(
        _admits(inventory, one, client, rule.from_) and _opens(rule.ports, service, server)
        for one in inward
        for rule in one.spec.ingress
    ):
        yield _bar(inventory, inward, workload, client, service, "lets in only " + _peers(inward, "ingress"))
    outward = [one for one in policies_of(inventory, client) if one.limits_egress]
    if outward and not any(
        _admits(inventory, one, server, rule.to) and _opens(rule.ports, service, server)
        for one in outward
        for rule in one.spec.egress
    ):
        yield _bar(inventory, outward, workload, client, service, "lets out only to " + _peers(outward, "egress"))


def policies_of(inventory: Inventory, pod: Pod) -> list[NetworkPolicy]:
    """The policies that select a pod."""
    return [
        one
        for one in inventory.network_policies
        if one.namespace == pod.namespace and one.spec.pod_selector.matches(pod.metadata.labels)
    ]


def _admits(inventory: Inventory, policy: NetworkPolicy, pod: Pod, peers: Sequence[PolicyPeer]) -> bool:
    return not peers or any(_is(inventory, policy, pod, peer) for peer in peers)


def _is(inventory: Inventory, policy: NetworkPolicy, pod: Pod, peer: PolicyPeer) -> bool:
    """True where the peer covers the pod; a range of addresses is taken to cover it."""
    if peer.ip_block is not None:
        return True
    if peer.namespace_selector is None:
        if pod.namespace != policy.namespace:
            return False
    else:
        space = inventory.find(Ref("Namespace", "", pod.namespace))
        labels = {"kubernetes.io/metadata.name": pod.namespace, **(space.metadata.labels if space else {})}
        if not peer.namespace_selector.matches(labels):
            return False
    return peer.pod_selector is None or peer.pod_selector.matches(pod.metadata.labels)


def _opens(ports: Sequence[PolicyPort], service: Service, server: Pod) -> bool:
    """True where a rule's ports cover one that the Service leads to."""
    if not ports:
        return True
    named = {port.name: port.container_port for one in server.spec.all_containers for port in one.ports if port.name}
    wanted: set[int] = set()
    for port in service.spec.ports:
        target = port.target_port if port.target_port is not None else port.port
        number = named.get(str(target), int(target) if str(target).isdigit() else None)
        if number is None:
            return True
        wanted.add(number)
    for one in ports:
        number = named.get(str(one.port), int(str(one.port)) if str(one.port).isdigit() else None)
        if one.port is None or any(
            number is not None and number <= port <= (one.end_port or number) for port in wanted
        ):
            return True
    return False


def _peers(policies: Sequence[NetworkPolicy], side: str) -> str:
    told: list[str] = []
    for policy in policies:
        for rule in policy.spec.ingress if side == "ingress" else policy.spec.egress:
            peers = rule.from_ if side == "ingress" else rule.to  # type: ignore[union-attr]
            for peer in peers:
                parts = [f"pods {peer.pod_selector}"] if peer.pod_selector is not None else []
                parts += [f"namespaces {peer.namespace_selector}"] if peer.namespace_selector is not None else []
                told.append(" in ".join(parts) or "an address range")
            ports = [str(port.port) for port in rule.ports if port.port is not None]
            told += [f"port {listed(ports)}"] if ports else []
    return listed(list(dict.fromkeys(told)), 4) or "nobody"


def _bar(
    inventory: Inventory, policies: Sequence[NetworkPolicy], workload: Ref, client: Pod, service: Service, what: str
) -> Finding:
    names = listed(sorted(one.name for one in policies))
    labels = ",".join(f"{key}={value}" for key, value in sorted(client.metadata.labels.items()) if "hash" not in key)
    return Finding(
        "warning",
        policies[0].ref,
        "PolicyBlocksClient",
        f"it keeps {workload} from {service.ref}, which its settings name: {names} {what}",
        (
            f"settings of {workload} name {service.ref}",
            f"policy {names} {what}",
            f"pods of {workload} have the labels {labels or 'none'}, in namespace {client.namespace}",
        ),
        effects=(workload,),
        remedy=f"allow these pods in the policy (their labels, their namespace {client.namespace}, the port); a policy "
        "makes connections time out, it does not refuse them",
        disproof="a network plugin that does not enforce policies, or a connection that works",
    )
