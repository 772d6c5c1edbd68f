"""From what a pod lacks to the custom resource that should make it, and from there to what stops that."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.records import Ref
from tests.diagnosis.custom import custom, definition, failed, roots
from tests.diagnosis.objects import (
    Obj,
    ago,
    condition,
    deployment,
    event,
    found,
    obj,
    one,
    owned,
    pod,
    reasons,
    waiting,
)


def lacks(secret: str) -> Obj:
    return pod("till-1", waiting("CreateContainerConfigError", f'secret "{secret}" not found'))


# --- who should write a Secret ----------------------------------------------------------------------------------------

PRODUCERS = [
    ({"destination": {"name": "till-login", "create": True}, "engineRef": {"name": "north"}}, "DynamicLogin"),
    ({"outputSecret": {"name": "till-login"}, "engineRef": "north"}, "Grant"),
    ({"secretName": "till-login", "engineRef": {"name": "north"}}, "ServiceUser"),
    ({"engineRef": {"name": "north"}, "publishTo": [{"secret": "till-login"}]}, "Grant"),
]


@pytest.mark.parametrize(("spec", "kind"), PRODUCERS)
def test_a_secret_that_is_missing_leads_to_what_should_write_it_and_on_to_its_own_cause(spec: Any, kind: str) -> None:
    maker = custom(kind, "till", failed("NotIssued", "engine is not ready"), spec=spec)
    engine = custom("Engine", "north", failed("Sealed", "GET https://kv.example.org/health: 503: sealed"))
    findings = found(lacks("till-login"), maker, engine)
    assert roots(findings) == ["Engine shop/north"]
    assert one(findings, "SecretMissing").caused_by == Ref("Engine", "shop", "north")
    assert "create" not in one(findings, "SecretMissing").remedy
    assert f"{kind} shop/till" in " ".join(one(findings, "SecretMissing").evidence)


def test_the_namesake_that_is_made_for_secrets_is_the_maker() -> None:
    sealed = custom("WrappedSecret", "till-login", failed("Unwrap", "no key could decrypt it"))
    assert roots(found(lacks("till-login"), sealed)) == ["WrappedSecret shop/till-login"]


def test_a_login_called_after_what_an_operator_runs_is_written_by_that() -> None:
    store = custom("Store", "orders", failed("Setup", "disk is too small: 1Gi is below the minimum"))
    runs = owned(obj("apps/v1", "StatefulSet", "orders", spec={"replicas": 0}), store)
    assert roots(found(lacks("orders-app"), store, runs)) == ["Store shop/orders"]
    assert one(found(lacks("orders-theme"), store, runs), "SecretMissing").cause  # no login


def test_what_runs_the_pod_that_lacks_a_secret_does_not_write_it() -> None:
    rollout = custom("Rollout", "orders", failed("Timeout", "pods are not ready: timed out waiting"))
    assert roots(found(owned(lacks("orders-app"), rollout), rollout)) == ["Secret shop/orders-app"]


READERS = [
    custom("Source", "feed", failed("Fetch", "connection refused"), spec={"secretRef": {"name": "till-login"}}),
    custom("Signer", "ca", failed("Key", "bad key"), spec={"ca": {"secretName": "till-login"}}),
    custom(
        "Sink",
        "s",
        failed("Push", "timeout"),
        spec={"destination": {"s3": {"credentialsSecret": {"name": "till-login"}}}},
    ),
    custom(
        "Fleet",
        "f",
        failed("Roll", "timeout"),
        spec={"template": {"spec": {"volumes": [{"secret": {"secretName": "till-login"}}]}}},
    ),
    custom("Batch", "till-login", failed("Run", "timeout")),
    custom("WrappedSecret", "till-login", failed("Unwrap", "no key"), metadata={"namespace": "elsewhere"}),
]


@pytest.mark.parametrize("reader", READERS)
def test_what_only_reads_a_secret_or_bears_its_name_is_not_its_maker(reader: Obj) -> None:
    assert one(found(lacks("till-login"), reader), "SecretMissing").cause


def test_a_maker_that_is_well_is_looked_at_before_anything_is_made_by_hand() -> None:
    well = custom("Grant", "till", condition("Ready", "True"), spec={"outputSecretName": "till-login"})
    missing = one(found(lacks("till-login"), well), "SecretMissing")
    assert missing.cause and "Grant shop/till" in missing.remedy and not missing.remedy.startswith("create")


def test_a_signer_without_its_key_leads_to_what_should_have_made_the_key() -> None:
    signer = custom(
        "Signer", "inner", failed("NoKey", 'secret "inner-key" not found'), spec={"ca": {"secretName": "inner-key"}}
    )
    certificate = custom(
        "Certificate", "inner", failed("Denied", "policy denied the request"), spec={"secretName": "inner-key"}
    )
    findings = found(signer, certificate)
    assert roots(findings) == ["Certificate shop/inner"]


# --- names in vain, makers of autoscalers ------------------------------------------------------------------------------  # noqa: E501


def scaler(of: Obj) -> Obj:
    message = (
        "the HPA was unable to compute the replica count: unable to get external metric shop/s1-jobs/&LabelSelector"
        "{MatchLabels:map[string]string{x: y,},MatchExpressions:[]LabelSelectorRequirement{},}: unable to fetch metrics "  # noqa: E501
        "from external metrics API: rpc error: code = Unknown desc = no such metric"
    )
    bad = condition("ScalingActive", "False", "FailedGetExternalMetric", message)
    target = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
    plain = obj(
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        "auto-web",
        spec={"scaleTargetRef": target, "maxReplicas": 9},
        status={"conditions": [bad]},
    )
    return owned(plain, of)


def test_an_autoscaler_follows_from_the_object_that_made_it_and_whose_login_does_not_exist() -> None:
    elastic = custom(
        "Elastic",
        "web",
        failed("CheckFailed", "triggers do not work"),
        spec={"sources": [{"kafka": {"loginRef": {"name": "kafka-sasl"}}}]},
    )
    login = custom("SourceLogin", "kafka-sasl2")
    given = [definition("Elastic"), definition("SourceLogin"), elastic, login, scaler(elastic), deployment("web")]
    findings = found(*given)
    assert roots(findings) == ["Elastic shop/web"]
    cause = one(findings, "CustomResourceDegraded")
    assert "SourceLogin kafka-sasl, which does not exist; there is kafka-sasl2" in cause.summary
    assert "kafka-sasl2" in cause.remedy
    assert "LabelSelector" not in one(findings, "AutoscalerWithoutMetrics").summary


def test_a_metrics_api_that_is_down_stays_the_cause_for_all() -> None:
    elastic = custom("Elastic", "web", failed("CheckFailed", "triggers do not work"))
    down = condition("Available", "False", "MissingEndpoints", "no endpoints")
    service = {"namespace": "ops", "name": "metrics"}
    api = obj(
        "apiregistration.k8s.io/v1",
        "APIService",
        "v1beta1.external.metrics.k8s.io",
        "",
        spec={"group": "external.metrics.k8s.io", "version": "v1beta1", "service": service},
        status={"conditions": [down]},
    )
    findings = found(elastic, scaler(elastic), deployment("web"), api)
    assert one(findings, "AutoscalerWithoutMetrics").caused_by == Ref(
        "APIService", "", "v1beta1.external.metrics.k8s.io"
    )


def test_a_warning_tells_what_the_condition_keeps_back() -> None:
    elastic = custom("Elastic", "web", failed("CheckFailed", "triggers do not work"))
    said = event(elastic, "SourceFailed", "dial tcp 10.9.0.4:9092: connect: connection refused", times=40)
    cause = one(found(elastic, said), "CustomResourceDegraded")
    assert "connection refused" in cause.summary and "DNS" in cause.remedy


# --- reasons deep in a status ------------------------------------------------------------------------------------------  # noqa: E501

TRACE = (
    "org.example.ConnectException: task stopped\n\tat org.example.Sink.put(Sink.java:90)\n\t... 12 more\n"
    "Caused by: java.sql.SQLException: permission denied for table carts\n\tat org.example.Db.run(Db.java:7)"
)
PYTHON = 'Traceback (most recent call last):\n  File "/app/run.py", line 3, in <module>\n    main()\nOSError: no such host: lake'  # noqa: E501
DEEP = [
    (
        {"phase": "Failed", "reason": "InstallCheck", "message": "install took too much"},
        "InstallCheck: install took too much",
    ),
    (
        {"workers": {"tasks": [{"id": 0, "state": "RUNNING"}, {"id": 1, "state": "FAILED", "trace": TRACE}]}},
        "permission denied for table carts",
    ),
    ({"runs": [{"attempt": {"outcome": {"error": PYTHON}}}], "phase": "Failed"}, "no such host: lake"),
    (
        {"phase": "Failed", "shards": [{"name": "a", "lastErrorMessage": "no space left on device"}]},
        "no space left on device",
    ),
]


@pytest.mark.parametrize(("status", "words"), DEEP)
def test_a_reason_deep_in_a_status_comes_into_the_sentence(status: Any, words: str) -> None:
    bad = [condition("NotReady", "True", "Throwable", "1 task is not running")]
    cause = one(found(custom("Pipe", "carts", *bad, status=status)), "CustomResourceDegraded")
    assert words in cause.summary and "Sink.java" not in cause.summary and "Traceback" not in cause.summary


PENDING = {"state": "pending", "reason": "zone lookup failed: 403: token has no access to example.org"}


def test_a_flag_is_told_by_its_name_and_with_the_error_beside_it() -> None:
    error = {"message": "failed to take it: code = ResourceExhausted desc = 5 of 5 copies", "time": ago(30)}
    cause = one(found(custom("Copy", "a", status={"readyToUse": False, "error": error})), "CustomResourceDegraded")
    assert cause.summary.startswith("readyToUse false, ") and "ResourceExhausted" in cause.summary


def test_a_state_that_does_not_end_and_says_why_is_a_fault_and_explains_what_waits_for_it() -> None:
    record = owned(
        custom("Record", "www-2", status=PENDING),
        entry := custom("Entry", "www", failed("Pending", "waiting for Record www-2")),
    )
    findings = found(entry, record)
    assert roots(findings) == ["Record shop/www-2"]
    assert "token has no access" in one([f for f in findings if f.cause], "CustomResourceDegraded").summary


def test_a_store_that_is_named_without_a_kind_is_found_by_its_own() -> None:
    place = custom("BackupPlace", "main", status={"phase": "Unavailable", "message": "403: access denied"})
    backup = custom(
        "Backup", "night", spec={"place": "main"}, status={"phase": "Failed", "validationErrors": ["no place"]}
    )
    assert roots(found(place, backup)) == ["BackupPlace shop/main"]


def test_a_delivery_that_waits_follows_from_the_pod_it_delivered_and_no_other_does() -> None:
    labels = {"metadata": {"labels": {"stock.example.org/name": "till"}}}
    web = deployment("till", replicas=2, ready=0, **labels)
    maker = owned(obj("apps/v1", "ReplicaSet", "till-1", spec={"replicas": 2}, status={"replicas": 2}), web)
    broken = owned(pod("till-1-a", waiting("ImagePullBackOff", "not found")), maker)
    waits = custom("Release", "till", failed("HealthCheckFailed", "timeout waiting for: [Deployment/shop/till status]"))
    assert roots(found(waits, web, maker, broken)) == ["Pod shop/till-1-a"]
    faulty = custom("Release", "till", failed("UpgradeFailed", "template: x.yaml:3:4: nil pointer evaluating"))
    assert set(roots(found(faulty, web, maker, broken))) == {"Pod shop/till-1-a", "Release shop/till"}


def test_the_label_of_its_maker_does_not_turn_a_part_into_the_effect() -> None:
    service = custom("Function", "till", failed("RevisionFailed", "revision till-4 failed"))
    labelled = {"metadata": {"labels": {"stock.example.org/function": "till"}}}
    revision = owned(custom("Revision", "till-4", failed("NoImage", "401 Unauthorized"), **labelled), service)
    assert roots(found(service, revision)) == ["Revision shop/till-4"]


@pytest.mark.parametrize(
    "quiet",
    [
        custom("Record", "www", status={"state": "pending", "reason": "Waiting for the record to spread"}),
        custom("Record", "www", status={"state": "Progressing", "message": "restored 450 of 900 items"}),
        custom("Record", "www", status={"phase": "Running", "message": "waiting for the lock (timeout 30m)"}),
        custom("Record", "www", status={"phase": "Pending", "message": "the plan must be approved by a person"}),
        custom("Record", "www", status={"phase": "Pending", "message": "claim is in use by pod a"}),
        custom("Record", "www", status=PENDING, age=4),
        custom("Record", "www", status=PENDING, spec={"suspend": True}),
        custom("Record", "www", condition("Ready", "True"), status={"state": "pending", "message": PENDING["reason"]}),
        custom("Record", "www", status={"state": "valid", "reason": "the last attempt failed: 403"}),
        custom(
            "Record",
            "www",
            status={"phase": "Suspended", "message": "cannot go on until it is approved"},
            spec={"paused": True},
        ),
        custom(
            "Record",
            "www",
            status={"tasks": [{"state": "RUNNING", "trace": "permission denied earlier"}], "phase": "Running"},
        ),
    ],
)
def test_a_state_that_moves_rests_or_is_well_is_no_fault(quiet: Obj) -> None:
    assert reasons(quiet) == set()


def test_a_warning_again_and_again_about_an_object_that_says_nothing_is_a_fault() -> None:
    plan = custom("Plan", "nightly", status={"observedGeneration": 1})
    warned = event(
        plan,
        "ApplyFailed",
        'jobs.batch is forbidden: User "system:serviceaccount:ops:planner" cannot create resource "jobs" in API group "batch" in the namespace "shop"',  # noqa: E501
        times=30,
    )
    cause = one(found(plan, warned), "CustomResourceDegraded")
    assert "cannot create" in cause.summary and "ServiceAccount ops/planner the verb create on jobs" in cause.remedy


def test_a_warning_that_is_over_rare_or_not_believed_by_the_status_is_none() -> None:
    plan = custom("Plan", "nightly", status={"observedGeneration": 1})
    refused = event(plan, "ApplyFailed", "connection refused", times=30, minutes=9)
    better = event(plan, "Applied", "applied", minutes=1, kind="Normal")
    assert reasons(plan, refused, better) == set()
    assert reasons(plan, event(plan, "ApplyFailed", "connection refused", times=1)) == set()
    assert reasons(plan, event(plan, "ApplyFailed", "connection refused", times=30, minutes=40)) == set()
    assert reasons(plan, event(plan, "Slow", "it takes a while", times=30)) == set()
    assert reasons(plan, event(plan, "PolicyViolation", "image tag is not allowed", times=30)) == set()
    active = custom("Plan", "nightly", status={"phase": "Active"})
    assert reasons(active, event(active, "ApplyFailed", "connection refused", times=30)) == set()
    flagged = custom("Plan", "nightly", status={"ready": True})
    assert reasons(flagged, event(flagged, "ApplyFailed", "connection refused", times=30)) == set()
    well = custom("Plan", "nightly", condition("Ready", "True"))
    assert reasons(well, event(well, "ApplyFailed", "connection refused", times=30)) == set()
