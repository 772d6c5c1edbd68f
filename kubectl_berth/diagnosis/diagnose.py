"""Runs every check and puts what they found in order: causes first, each with what it brings down."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kubectl_berth.diagnosis.checks.admission import check_admission
from kubectl_berth.diagnosis.checks.configuration import check_configuration
from kubectl_berth.diagnosis.checks.containers import check_containers
from kubectl_berth.diagnosis.checks.control_plane import (
    check_api_services,
    check_definitions,
    check_leases,
    check_webhooks,
)
from kubectl_berth.diagnosis.checks.deletion import check_deletions
from kubectl_berth.diagnosis.checks.evictions import check_evictions
from kubectl_berth.diagnosis.checks.images import check_images
from kubectl_berth.diagnosis.checks.jobs import check_jobs
from kubectl_berth.diagnosis.checks.memory import check_node_memory
from kubectl_berth.diagnosis.checks.mixture import check_mixtures
from kubectl_berth.diagnosis.checks.network import check_ingresses, check_network_policies, check_services
from kubectl_berth.diagnosis.checks.nodes import check_nodes, check_sandboxes
from kubectl_berth.diagnosis.checks.operators import check_custom_resources, check_operator_workloads
from kubectl_berth.diagnosis.checks.preemption import check_preemptions
from kubectl_berth.diagnosis.checks.reach import check_clients, check_hosts
from kubectl_berth.diagnosis.checks.remarks import (
    check_daemon_coverage,
    check_replica_owners,
    check_resizes,
    check_selectors,
    check_traffic_policies,
    check_variables,
)
from kubectl_berth.diagnosis.checks.rights import check_rights
from kubectl_berth.diagnosis.checks.rollouts import check_workloads
from kubectl_berth.diagnosis.checks.scaling import check_autoscalers, check_budgets
from kubectl_berth.diagnosis.checks.schedules import check_cron_jobs
from kubectl_berth.diagnosis.checks.scheduling import check_scheduling
from kubectl_berth.diagnosis.checks.storage import check_claims, check_mounts
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.link import WEIGHT, link
from kubectl_berth.records import Finding, Ref

Check = Callable[[Inventory], Iterable[Finding]]

CHECKS: tuple[Check, ...] = (
    check_nodes,
    check_node_memory,
    check_containers,
    check_images,
    check_configuration,
    check_scheduling,
    check_preemptions,
    check_evictions,
    check_sandboxes,
    check_admission,
    check_rights,
    check_claims,
    check_mounts,
    check_workloads,
    check_jobs,
    check_cron_jobs,
    check_services,
    check_mixtures,
    check_ingresses,
    check_network_policies,
    check_hosts,
    check_clients,
    check_autoscalers,
    check_budgets,
    check_deletions,
    check_api_services,
    check_leases,
    check_webhooks,
    check_definitions,
    check_custom_resources,
    check_operator_workloads,
    check_daemon_coverage,
    check_resizes,
    check_traffic_policies,
    check_variables,
    check_selectors,
    check_replica_owners,
)
"""Every check there is. Each is a pure function of the inventory."""


def diagnose(inventory: Inventory) -> list[Finding]:
    """Everything the checks find, causes before symptoms, severe before mild, in a stable order.

    A symptom names in `caused_by` the subject of the finding that explains it; a cause lists what it brings down.
    """
    found = [finding for check in CHECKS for finding in check(inventory)]
    linked = link(found, inventory)
    return sorted(linked, key=_order)


def _order(finding: Finding) -> tuple[bool, int, int, Ref, str, str]:
    effects = -len(finding.effects) if finding.cause else 0
    return (not finding.cause, WEIGHT[finding.severity], effects, finding.subject, finding.reason, finding.summary)


def related(findings: Iterable[Finding], ref: Ref, inventory: Inventory) -> list[Finding]:
    """The findings about an object, its owners and what it owns, and the causes of those, in the given order."""
    family = {ref, *(below.ref for below in inventory.descendants(ref)), *(pod.ref for pod in inventory.pods_of(ref))}
    view = inventory.find(ref)
    if view is not None:
        family.update(inventory.owners(view))
    given = list(findings)
    close = [one for one in given if one.subject in family or family & set(one.effects)]
    causes = {one.caused_by for one in close if one.caused_by}
    return [one for one in given if one in close or (one.cause and one.subject in causes)]
