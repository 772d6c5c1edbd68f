"""The tools, in the order in which a model is told of them."""

from __future__ import annotations

from kubectl_berth.tools.analyze_capacity import ANALYZE_CAPACITY
from kubectl_berth.tools.analyze_workload_resources import ANALYZE_WORKLOAD_RESOURCES
from kubectl_berth.tools.apply_remediation import APPLY_REMEDIATION
from kubectl_berth.tools.check_availability import CHECK_AVAILABILITY
from kubectl_berth.tools.check_disruption_budgets import CHECK_DISRUPTION_BUDGETS
from kubectl_berth.tools.cluster_health import CLUSTER_HEALTH
from kubectl_berth.tools.describe_resource import DESCRIBE_RESOURCE
from kubectl_berth.tools.get_events import GET_EVENTS
from kubectl_berth.tools.get_logs import GET_LOGS
from kubectl_berth.tools.list_pods import LIST_PODS
from kubectl_berth.tools.list_resources import LIST_RESOURCES
from kubectl_berth.tools.lookup_runbook import LOOKUP_RUNBOOK
from kubectl_berth.tools.past_incidents import RECALL_INCIDENTS, RECORD_INCIDENT
from kubectl_berth.tools.propose_remediation import PROPOSE_REMEDIATION
from kubectl_berth.tools.tool import Tool

ALL: tuple[Tool, ...] = (
    DESCRIBE_RESOURCE,
    LIST_PODS,
    GET_EVENTS,
    GET_LOGS,
    ANALYZE_WORKLOAD_RESOURCES,
    CLUSTER_HEALTH,
    ANALYZE_CAPACITY,
    CHECK_AVAILABILITY,
    CHECK_DISRUPTION_BUDGETS,
    LIST_RESOURCES,
    LOOKUP_RUNBOOK,
    RECALL_INCIDENTS,
    PROPOSE_REMEDIATION,
    RECORD_INCIDENT,
    APPLY_REMEDIATION,
)
