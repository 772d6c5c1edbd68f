"""A scenario read as a directory and read through its served API: the same tool results, byte for byte."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.cluster.connection import ConnectionOptions
from kubectl_berth.cluster.live import connect
from kubectl_berth.environment import Environment
from kubectl_berth.scenarios.reader import load, names
from kubectl_berth.simulator.kubeconfig import write_kubeconfig
from kubectl_berth.simulator.server import serve
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.registry import ALL
from kubectl_berth.tools.toolbox import Toolbox


def _calls(context: Context) -> list[tuple[str, dict[str, Any]]]:
    """Calls of every tool that between them reach every kind of read."""
    pods, _ = context.objects("Pod")
    deployments, _ = context.objects("Deployment")
    crashed = [
        pod["metadata"] for pod in pods if any(s["restartCount"] for s in pod["status"].get("containerStatuses", []))
    ]
    subjects = [("Pod", meta) for meta in (*crashed, pods[0]["metadata"])]
    subjects += [("Deployment", each["metadata"]) for each in deployments[:4]]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("cluster_health", {}),
        ("analyze_capacity", {}),
        ("check_availability", {}),
        ("check_disruption_budgets", {}),
        ("list_pods", {}),
        ("list_pods", {"labelSelector": "app"}),
        ("get_events", {"includeNormal": True}),
        ("list_resources", {"filter": "postgres"}),
        ("list_resources", {"filter": "api"}),
        ("list_resources", {"kind": "Node"}),
        ("list_resources", {"kind": "Cluster", "apiVersion": "postgresql.cnpg.io/v1"}),
        ("describe_resource", {"kind": "Node", "name": context.objects("Node")[0][0]["metadata"]["name"]}),
        ("describe_resource", {"kind": "Pod", "name": "no-such-pod", "namespace": "shop"}),
    ]
    for kind, meta in subjects:
        about = {"kind": kind, "name": meta["name"], "namespace": meta["namespace"]}
        calls += [("describe_resource", about), ("get_logs", about), ("get_logs", {**about, "previous": True})]
        calls += [("get_events", about), ("analyze_workload_resources", about)]
    first = deployments[0]["metadata"]
    about = {"kind": "Deployment", "name": first["name"], "namespace": first["namespace"]}
    restart = f"kubectl rollout restart deployment/{first['name']} -n {first['namespace']}"
    calls += [
        ("analyze_workload_resources", about),
        ("propose_remediation", {"summary": "Restart it.", "steps": [restart]}),
        ("lookup_runbook", {"query": "CrashLoopBackOff"}),
        ("record_incident", {"title": first["name"], "rootCause": "a cause", "fix": "a fix"}),
        ("recall_incidents", {"query": first["name"]}),
        ("apply_remediation", {"summary": "Restart it."}),
    ]
    return calls


@pytest.mark.parametrize("scenario", names())
def test_the_same_bytes_either_way(scenario: str, tmp_path: Path) -> None:
    cluster = load(scenario).open()
    server = serve(cluster)
    try:
        config = tmp_path / "config"
        write_kubeconfig(config, server.url, scenario, cluster.name().namespace)
        environment = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {}, home=tmp_path)
        live = connect(ConnectionOptions(kubeconfig=str(config)), environment)
        namespace = cluster.name().namespace
        direct, served = Toolbox(Context(cluster, namespace)), Toolbox(Context(live, namespace))
        calls = _calls(direct.context)
        assert {name for name, _ in calls} == {tool.name for tool in ALL}
        for name, arguments in calls:
            here, there = direct.call(name, arguments), served.call(name, arguments)
            assert here.text == there.text, (name, arguments)
            assert (here.fate, here.gaps, here.findings) == (there.fate, there.gaps, there.findings)
        live.close()
    finally:
        server.close()
