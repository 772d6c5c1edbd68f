"""The figures that capacity, sizing, availability and budgets give on the shipped scenarios.

Expected values are those the scenarios were laid out for: requests, usage and allocatable of their nodes and pods.
"""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.scenarios.reader import load
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox

Call = tuple[str, dict[str, Any]]
CAPACITY: Call = ("analyze_capacity", {})
WORKER: Call = ("analyze_workload_resources", {"kind": "Deployment", "name": "worker", "namespace": "jobs"})
REPORTS: Call = ("analyze_workload_resources", {"kind": "deploy", "name": "reports-api", "namespace": "analytics"})


@pytest.mark.parametrize(
    ("scenario", "twin", "call", "words"),
    [
        (
            "node-removal-capacity",
            False,
            CAPACITY,
            (
                "allocatable 22Gi, reserved 18Gi (82%), used 14.7Gi (67%)",
                "(34%), used ",
                "(14%)",
                "pods: 41 of at most 87 (47%)",
                "binding constraint: memory",
                "NOT ENOUGH memory: 14.7Gi left (67% of now)",
                "NOT COVERED (not enough memory) for node-a, node-b, node-c",
            ),
        ),
        ("node-removal-capacity", True, CAPACITY, ("its pods fit on the others, for node-a, node-b, node-c",)),
        (
            "pending-no-capacity",
            False,
            CAPACITY,
            (
                "binding constraint: cpu, 96% reserved, 31% used: requests, not load, fill it",
                "analytics/report-generator-7d9b6c5f8-hk2pw asks cpu 1500m, memory 1Gi",
                "node-a: cpu reserved 96%, used 31%",
                "node-b: cpu reserved 94%, used 28%",
                "node-c: cpu reserved 97%, used 33%",
            ),
        ),
        ("oomkilled", False, WORKER, ("request 128Mi, limit 256Mi, used 251", "98% of the limit", "first step 384Mi")),
        (
            "rightsize-overprovisioned",
            False,
            REPORTS,
            (
                "request 2, limit 4, used 140m to 155m a pod",
                "640Mi used is under 40% of 4Gi",
                "container log-shipper:\n  cpu: no request, no limit",
                "1-2 weeks",
            ),
        ),
        (
            "ha-single-replica-db",
            False,
            ("check_availability", {}),
            (
                "Cluster data/ledger-db (postgresql.cnpg.io/v1): spec.instances=1, single instance",
                "cache: redis",
                "Deployment shop/api: 3 pods, no pod anti-affinity and no topology spread",
            ),
        ),
        (
            "pdb-blocks-drain",
            False,
            ("check_disruption_budgets", {}),
            (
                "1 of 2 PodDisruptionBudgets block evictions now.",
                "BLOCKS shop/api-pdb: minAvailable 2, healthy 2 of 2, needs 2, disruptionsAllowed=0",
                "node-b: shop/api-7f9c6d5b8-4xk2p (api-pdb)",
                "scale up to 3 replicas",
            ),
        ),
        (
            "pdb-blocks-drain",
            True,
            ("check_disruption_budgets", {}),
            ("0 of 2 PodDisruptionBudgets block evictions now.", "No node's drain is blocked by a budget."),
        ),
    ],
)
def test_figures(scenario: str, twin: bool, call: Call, words: tuple[str, ...]) -> None:
    result = Toolbox(Context(load(scenario, twin=twin).open())).call(*call)
    for one in words:
        assert one in result.text, result.text
    assert result.bytes < 4096
