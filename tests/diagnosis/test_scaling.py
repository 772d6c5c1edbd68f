"""Autoscalers and budgets: what stops them, and what is rest."""

from __future__ import annotations

from typing import Any

from kubectl_berth.records import Ref
from tests.diagnosis.objects import condition, deployment, found, merged, obj, one, owned, pod, reasons, running

METRICS_DOWN = "unable to fetch metrics from resource metrics API: the server is currently unable to handle the request"


def scaler(*conditions: dict, current: int = 2, **rest: Any) -> dict:
    spec = {
        "scaleTargetRef": {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"},
        "minReplicas": 2,
        "maxReplicas": 5,
    }
    status = {"currentReplicas": current, "desiredReplicas": current, "conditions": list(conditions)}
    return merged(obj("autoscaling/v2", "HorizontalPodAutoscaler", "web", spec=spec, status=status), rest)


def test_a_dead_metrics_api_is_the_cause() -> None:
    api = obj(
        "apiregistration.k8s.io/v1", "APIService", "v1beta1.metrics.k8s.io", "",
        spec={"group": "metrics.k8s.io", "version": "v1beta1", "service": {"namespace": "kube-system", "name": "m"}},
        status={"conditions": [condition("Available", "False", "MissingEndpoints", "no addresses")]},
    )  # fmt: skip
    blind = scaler(condition("ScalingActive", "False", "FailedGetResourceMetric", METRICS_DOWN))
    findings = found(deployment(), api, blind)
    assert one(findings, "AutoscalerWithoutMetrics").caused_by == Ref("APIService", "", "v1beta1.metrics.k8s.io")


def test_a_missing_request_names_the_container() -> None:
    text = "failed to get cpu utilization: missing request for cpu in container istio-proxy of Pod web-1"
    finding = one(
        found(deployment(), scaler(condition("ScalingActive", "False", "FailedGetResourceMetric", text))),
        "AutoscalerMissingRequests",
    )
    assert "container istio-proxy" in finding.summary and "cpu request" in finding.remedy


def test_at_the_maximum_is_told_and_at_the_minimum_is_rest() -> None:
    full = condition("ScalingLimited", "True", "TooManyReplicas", "the desired replica count is more than the maximum")
    assert reasons(deployment(), scaler(full, current=5)) == {"AutoscalerAtMaximum"}
    low = condition("ScalingLimited", "True", "TooFewReplicas", "the desired replica count is less than the minimum")
    stable = condition("AbleToScale", "True", "ScaleDownStabilized")
    assert reasons(deployment(), scaler(low, stable)) == set()


def test_a_target_at_zero_disables_it() -> None:
    off = condition("ScalingActive", "False", "ScalingDisabled", "scaling is disabled since the replica count is zero")
    assert reasons(deployment(replicas=0), scaler(off)) == {"AutoscalerDisabled"}


def test_a_target_that_is_gone_and_a_target_of_another_kind() -> None:
    assert reasons(scaler()) == {"AutoscalerTargetMissing"}
    custom = scaler(spec={"scaleTargetRef": {"kind": "Rollout", "name": "web", "apiVersion": "example.com/v1"}})
    assert reasons(custom) == set()


def budget(name: str = "web", **status: Any) -> dict:
    spec = {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}}
    figures = {"disruptionsAllowed": 0, "currentHealthy": 2, "desiredHealthy": 2, "expectedPods": 2, **status}
    return obj("policy/v1", "PodDisruptionBudget", name, spec=spec, status=figures)


def test_a_strict_budget_is_a_remark_with_its_figures() -> None:
    finding = one(found(budget()), "BudgetAllowsNoDisruption")
    assert (
        finding.severity == "info" and "spec.minAvailable: 2" in finding.evidence and "do not force" in finding.remedy
    )


def test_an_operators_strict_budget_over_its_primary_is_meant_so() -> None:
    cluster = obj("db.example.com/v1", "Cluster", "main", status={"phase": "Ready"})
    assert reasons(cluster, owned(budget(), cluster)) == set()


def test_unhealthy_pods_block_a_budget() -> None:
    broken = pod("web-1", running(ready=False), metadata={"labels": {"app": "web"}})
    finding = one(found(budget(currentHealthy=1), broken), "BudgetBlockedByUnhealthyPods")
    assert finding.caused_by == Ref("Pod", "shop", "web-1") and "AlwaysAllow" in finding.remedy


def test_two_budgets_over_one_pod() -> None:
    free = {"disruptionsAllowed": 1}
    both = [budget("a", **free), budget("b", **free)]
    finding = one(found(*both, pod("web-1", metadata={"labels": {"app": "web"}})), "BudgetsOverlap")
    assert "(a, b)" in finding.summary


def test_budgets_that_allow_or_guard_nothing_are_fine() -> None:
    assert reasons(budget(disruptionsAllowed=1)) == reasons(budget(expectedPods=0, currentHealthy=0)) == set()
