"""Containers that die, cannot start, or never get ready; and those that only look that way."""

from __future__ import annotations

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.objects import (
    ago,
    condition,
    deployment,
    ended,
    event,
    found,
    merged,
    obj,
    one,
    owned,
    pod,
    reasons,
    replica_set,
    running,
    waiting,
)

BACKOFF = "back-off 5m0s restarting failed container=app pod=web-1_shop(uid)"
PROBE = {
    "httpGet": {"path": "/healthz", "port": 8080},
    "initialDelaySeconds": 5,
    "periodSeconds": 10,
    "failureThreshold": 3,
}


def crashing(state: dict, restarts: int = 8) -> dict:
    return waiting("CrashLoopBackOff", BACKOFF, restarts=restarts, lastState=state)


def test_a_crash_names_code_restarts_and_where_settings_come_from() -> None:
    broken = pod("web-1", crashing(ended(1)), container={"envFrom": [{"configMapRef": {"name": "web-config"}}]})
    finding = one(found(broken), "CrashLoop")
    text = " ".join(finding.evidence)
    assert finding.subject == Ref("Pod", "shop", "web-1") and finding.severity == "critical"
    assert "exit code 1" in text and "restartCount 8" in text and "ConfigMap web-config" in text
    assert "--previous" in finding.remedy and "-c app" in finding.remedy


def test_the_last_words_of_a_container_are_evidence() -> None:
    broken = pod("web-1", crashing(ended(1, message="FATAL config: unknown field")))
    assert "FATAL config: unknown field" in " ".join(one(found(broken), "CrashLoop").evidence)


def test_out_of_memory_names_the_limit() -> None:
    limits = {"resources": {"limits": {"memory": "256Mi"}, "requests": {"memory": "128Mi"}}}
    finding = one(found(pod("web-1", crashing(ended(137, "OOMKilled")), container=limits)), "OOMKilled")
    assert any("memory limit 256Mi, request 128Mi" in line for line in finding.evidence)


def test_out_of_memory_counts_although_the_container_runs_again() -> None:
    assert reasons(pod("web-1", running(restarts=9, lastState=ended(137, "OOMKilled", minutes=5)))) == {"OOMKilled"}


def test_137_alone_is_no_lack_of_memory() -> None:
    finding = one(found(pod("web-1", crashing(ended(137)))), "CrashLoop")
    assert "does not prove a lack of memory" in " ".join(finding.evidence)


def test_137_of_a_lost_container_is_made_up() -> None:
    status = crashing(ended(137, "ContainerStatusUnknown", message="The container could not be located"))
    assert reasons(pod("web-1", status)) == {"ContainerStatusUnknown"}


def test_a_command_that_ends_well_is_no_crash() -> None:
    finding = one(found(pod("web-1", crashing(ended(0, "Completed")))), "CompletedButRestarted")
    assert "Job" in finding.remedy


@pytest.mark.parametrize(
    ("events", "code"),
    [
        ([("Killing", "Container app failed liveness probe, will be restarted")], 143),
        ([("Unhealthy", 'Liveness probe failed: Get "http://10.2.3.4:8080/": connect: connection refused')], 137),
    ],
)
def test_a_liveness_probe_that_kills_is_told_with_its_numbers(events: list, code: int) -> None:
    broken = pod("web-1", crashing(ended(code)), container={"livenessProbe": PROBE, "ports": [{"containerPort": 9090}]})
    said = [event(broken, reason, text, times=6, container="app") for reason, text in events]
    finding = one(found(broken, *said), "LivenessProbeKills")
    text = " ".join(finding.evidence)
    assert "initialDelaySeconds 5" in text and "after about 35s" in text
    assert "asks port 8080, the container declares 9090" in text
    assert "startupProbe" in finding.remedy


def test_liveness_failures_of_an_hour_ago_explain_no_crash_of_now() -> None:
    broken = pod("web-1", crashing(ended(1)), container={"livenessProbe": PROBE})
    old = event(broken, "Killing", "Container app failed liveness probe, will be restarted", minutes=90)
    assert reasons(broken, old) == {"CrashLoop"}


def test_an_init_container_that_fails_is_named_and_the_others_are_not_blamed() -> None:
    init = {**crashing(ended(1)), "name": "migrate"}
    held = waiting("PodInitializing")
    broken = pod("web-1", held, phase="Pending", status={"initContainerStatuses": [init]})
    findings = found(merged(broken, {"spec": {"initContainers": [{"name": "migrate", "image": "m:1"}]}}))
    assert {finding.reason for finding in findings} == {"InitContainerFails"}
    assert "migrate" in findings[0].summary


def test_a_sidecar_that_crashes_is_a_crash_not_an_init_failure() -> None:
    sidecar = {**crashing(ended(1)), "name": "envoy", "started": True}
    broken = pod("web-1", running(), status={"initContainerStatuses": [sidecar]})
    findings = found(merged(broken, {"spec": {"initContainers": [{"name": "envoy", "restartPolicy": "Always"}]}}))
    assert {finding.reason for finding in findings} == {"CrashLoop"} and "envoy" in findings[0].summary


def test_an_init_container_that_waits_for_a_dead_service_is_its_symptom() -> None:
    service = obj("v1", "Service", "redis", "cache", spec={"selector": {"app": "redis"}, "ports": [{"port": 6379}]})
    redis = deployment("redis", ready=0, metadata={"namespace": "cache", "uid": "r"})
    status = {"name": "wait", "state": {"running": {"startedAt": ago(60)}}, "ready": False}
    spec = {
        "initContainers": [{"name": "wait", "command": ["sh", "-c", "until nc -z redis.cache 6379; do sleep 1; done"]}]
    }
    stuck = pod(
        "web-1", waiting("PodInitializing"), phase="Pending", spec=spec, status={"initContainerStatuses": [status]}
    )
    findings = found(service, redis, stuck)
    assert one(findings, "InitContainerWaits").caused_by == Ref("Deployment", "cache", "redis")


def test_a_container_that_cannot_start_shows_the_runtimes_words_and_the_command() -> None:
    text = 'exec: "serv": executable file not found in $PATH: unknown'
    broken = pod("web-1", waiting("RunContainerError", text), container={"command": ["serv"]})
    finding = one(found(broken), "ContainerCannotStart")
    assert "executable file not found" in finding.evidence[0] and "command serv" in finding.evidence[1]


def test_a_start_error_behind_a_back_off_is_still_a_start_error() -> None:
    assert reasons(pod("web-1", crashing(ended(128, "StartError", message="no such file")))) == {"ContainerCannotStart"}


def test_a_hook_that_fails_is_not_the_application() -> None:
    assert reasons(pod("web-1", waiting("PostStartHookError"))) == {"PostStartHookFails"}


def test_not_ready_for_long_tells_the_probes_words() -> None:
    broken = pod("web-1", running(ready=False), container={"readinessProbe": PROBE})
    said = event(broken, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 500", times=40)
    finding = one(found(broken, said), "ReadinessProbeFails")
    assert "statuscode: 500" in " ".join(finding.evidence)


def test_a_closed_readiness_gate_is_told_apart_from_containers() -> None:
    gated = pod("web-1", running(), spec={"readinessGates": [{"conditionType": "lb.example.com/ready"}]})
    gated["status"]["conditions"] = [condition("Ready", "False", "ReadinessGatesNotReady")]
    assert "lb.example.com/ready" in one(found(gated), "ReadinessGateClosed").summary


# --- what is no fault -------------------------------------------------------------------------------------------------


def test_a_container_that_started_a_minute_ago_may_take_its_time() -> None:
    assert reasons(pod("web-1", running(ready=False, since=1), container={"readinessProbe": PROBE})) == set()


def test_a_slow_start_within_its_startup_probe_is_fine() -> None:
    patient = {"startupProbe": {**PROBE, "failureThreshold": 60}}
    assert reasons(pod("web-1", running(ready=False, since=8, started=False), container=patient)) == set()


def test_a_single_old_restart_is_history() -> None:
    assert reasons(pod("web-1", running(restarts=1, lastState=ended(1, minutes=300)))) == set()
    assert reasons(pod("web-1", running(restarts=1, lastState=ended(255, minutes=20)))) == set()


def test_a_readiness_failure_while_ready_now_is_no_fault() -> None:
    healthy = pod("web-1", running())
    assert reasons(healthy, event(healthy, "Unhealthy", "Readiness probe failed: connection refused")) == set()


def test_finished_pods_are_no_fault() -> None:
    done = pod(
        "run-1", {"name": "app", "ready": False, "restartCount": 0, "state": ended(0, "Completed")}, phase="Succeeded"
    )
    assert reasons(done) == set()


def test_events_of_an_earlier_pod_of_that_name_say_nothing() -> None:
    now = pod("db-0", crashing(ended(1)), container={"livenessProbe": PROBE})
    before = merged(now, {"metadata": {"uid": "another"}})
    said = event(before, "Killing", "Container app failed liveness probe, will be restarted")
    assert reasons(now, said) == {"CrashLoop"}


# --- many alike -------------------------------------------------------------------------------------------------------


def test_twelve_pods_with_one_crash_are_one_cause_with_its_effects() -> None:
    web = deployment(replicas=12, ready=0)
    rs = replica_set(web, "web-abc", replicas=12, ready=0)
    pods = [owned(pod(f"web-abc-{n}", crashing(ended(1))), rs) for n in range(12)]
    findings = found(web, rs, *pods)
    causes = [finding for finding in findings if finding.cause]
    assert [finding.reason for finding in causes] == ["CrashLoop"]
    assert len(causes[0].effects) == 12 and Ref("Deployment", "shop", "web") in causes[0].effects


def test_a_crash_beside_pods_that_serve_is_a_warning() -> None:
    web = deployment(replicas=2, ready=1)
    rs = replica_set(web, "web-abc", replicas=2, ready=1)
    findings = found(web, rs, owned(pod("web-abc-1", crashing(ended(1))), rs), owned(pod("web-abc-2"), rs))
    assert one(findings, "CrashLoop").severity == "warning"
