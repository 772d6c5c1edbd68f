"""The API server's own surroundings: aggregated APIs, webhooks, leases, definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import Lease, Service, Webhook, WebhookConfiguration, age, condition, seconds_since
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import clip, count, held
from kubectl_berth.records import Finding, Ref

STALE = 300.0  # seconds: many times any lease's duration, so that no slow reading makes an alarm
CONTROLLERS = {
    "kube-scheduler": "no new pod gets a node",
    "kube-controller-manager": "replicas, endpoints and node states are no longer looked after",
}


def check_api_services(inventory: Inventory) -> Iterable[Finding]:
    """Aggregated APIs that do not answer."""
    for api in inventory.api_services:
        available = condition(api.status.conditions, "Available")
        if available is None or available.status != "False":
            continue
        service = api.spec.service
        where = f"Service {service.namespace}/{service.name}" if service else "the API server"
        yield Finding(
            "warning",
            api.ref,
            "APIServiceUnavailable",
            f"the API {api.spec.group}/{api.spec.version} does not answer: {clip(available.message, 200)}",
            (held(available, inventory.now), f"spec.service: {where}"),
            remedy="mend the pods behind its Service; while it is down, namespaces cannot be deleted either",
            disproof="condition Available=True",
        )


def check_leases(inventory: Inventory) -> Iterable[Finding]:
    """The scheduler's and the controller manager's leases, where nobody renews them while others are renewed."""
    passed = {lease.ref: seconds_since(inventory.now, lease.spec.renew_time) for lease in inventory.leases}
    fresh = [one for one in passed.values() if one is not None and one < STALE]
    for lease in inventory.leases:
        waited = passed[lease.ref]
        if lease.namespace != "kube-system" or lease.name not in CONTROLLERS or waited is None:
            continue
        if waited >= STALE and fresh:
            yield _stale(inventory, lease)


def _stale(inventory: Inventory, lease: Lease) -> Finding:
    pods = [pod for pod in inventory.pods if pod.namespace == "kube-system" and pod.name.startswith(lease.name)]
    broken = [pod for pod in pods if not pod.ready]
    since = age(inventory.now, lease.spec.renew_time)
    return Finding(
        "critical",
        lease.ref,
        "ControlPlaneLeaseStale",
        f"{lease.name} has not renewed its lease for {since}: {CONTROLLERS[lease.name]}",
        (
            f"spec.renewTime: {since} ago, holder {lease.spec.holder_identity or 'none'}",
            *[f"{pod.ref}: not ready" for pod in broken[:3]],
        ),
        caused_by=broken[0].ref if broken else None,
        remedy=f"look at the {lease.name} pods on the control plane and their logs",
        disproof="a lease renewed within seconds",
    )


def check_webhooks(inventory: Inventory) -> Iterable[Finding]:
    """Webhooks whose Service is missing or has nothing ready behind it."""
    if "services" in inventory.unread or "pods" in inventory.unread or inventory.namespace is not None:
        return
    for configuration in [*inventory.validating_webhooks, *inventory.mutating_webhooks]:
        down = [(one, why) for one in configuration.webhooks if (why := _down(inventory, one))]
        if down:
            yield from _webhook(configuration, down)


def _down(inventory: Inventory, webhook: Webhook) -> str:
    service = webhook.client_config.service
    if service is None:
        return ""
    view = inventory.find(Ref("Service", service.namespace, service.name))
    if not isinstance(view, Service):
        return f"Service {service.namespace}/{service.name} does not exist"
    if not view.spec.selector:
        return ""
    pods = [pod for pod in inventory.pods_of(view.ref) if not pod.finished]
    if any(pod.ready for pod in pods) or inventory.has_endpoints(view.ref):
        return ""
    return f"Service {service.namespace}/{service.name} has no ready pod behind it ({count(len(pods), 'pod')})"


def _webhook(configuration: WebhookConfiguration, down: list[tuple[Webhook, str]]) -> Iterator[Finding]:
    blocking = [(one, why) for one, why in down if one.failure_policy != "Ignore"]
    one, why = (blocking or down)[0]
    what = sorted({resource for hook, _ in down for rule in hook.rules for resource in rule.resources})
    yield Finding(
        "critical" if blocking else "info",
        configuration.ref,
        "WebhookBackendDown",
        f"its webhook {one.name} has nobody to answer: {why}"
        + (f"; requests for {', '.join(what[:6])} fail" if blocking else "; it is passed over (failurePolicy Ignore)"),
        (f"webhook {one.name}: failurePolicy {one.failure_policy}, timeout {one.timeout_seconds}s", why),
        remedy="bring the webhook's Service and pods back; if they cannot start because of this very webhook, let its "
        "namespaceSelector leave out their namespace",
        disproof="a ready pod behind that Service",
    )


def check_definitions(inventory: Inventory) -> Iterable[Finding]:
    """Definitions of custom resources that the API server does not accept."""
    for definition in inventory.definitions:
        for kind in ("NamesAccepted", "Established"):
            found = condition(definition.status.conditions, kind)
            if found is not None and found.status == "False" and found.reason != "Installing":
                yield Finding(
                    "warning",
                    definition.ref,
                    "DefinitionNotEstablished",
                    f"kind {definition.spec.names.kind} is not served: {clip(found.message, 200)}",
                    (held(found, inventory.now),),
                    remedy="mend the conflict that the condition names",
                    disproof=f"condition {kind}=True",
                )
                break
