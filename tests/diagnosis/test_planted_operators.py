"""Faults of jobs, schedules, deletion, the control plane, operators and rights, planted in the healthy cluster."""

from __future__ import annotations

import pytest

from tests.diagnosis.planted import VERSIONS, Obj, Plants, World, assert_the_cause, metrics_down

plant = Plants()
CACHE = ("StatefulSet", "shop", "session-cache")


# --- jobs, schedules --------------------------------------------------------------------------------------------------


def last_run(w: World) -> Obj:
    job = max(w.owned(w.get("CronJob", "jobs", "nightly-report"), "Job"), key=lambda one: one["metadata"]["name"])
    job["status"] = {"startTime": w.ago(50), "failed": 3, "conditions": []}
    pod = w.owned(job, "Pod")[0]
    pod["status"]["phase"] = "Failed"
    state = {"terminated": {"exitCode": 2, "reason": "Error", "finishedAt": w.ago(30)}}
    pod["status"]["containerStatuses"][0] |= {"state": state, "ready": False}
    return job


@plant("job fails", "JobFailed", ["backoff limit", "Error 2"], ["deadline"])
def _(w: World) -> Obj:
    job = last_run(w)
    w.condition(job, "Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
    return job


@plant("job too slow", "JobDeadlineExceeded", ["600"], ["OOM", "backoff"])
def _(w: World) -> Obj:
    job = last_run(w)
    job["spec"]["activeDeadlineSeconds"] = 600
    w.condition(job, "Failed", "True", "DeadlineExceeded", "Job was active longer than specified deadline")
    return job


@plant("schedule", "CronJobScheduleInvalid", ["0 25"], ["controller is down"])
def _(w: World) -> Obj:
    cron = w.get("CronJob", "jobs", "price-sync")
    cron["spec"]["schedule"] = "0 25 * * *"
    w.event(cron, "UnparseableSchedule", 'unparseable schedule: "0 25 * * *" : end of range above maximum')
    return cron


@plant("run that hangs", "CronJobBlocked", ["price-sync-", "Forbid"], ["schedule is wrong"])
def _(w: World) -> Obj:
    cron = w.get("CronJob", "jobs", "price-sync")
    job = w.owned(cron, "Job")[0]
    job["status"] = {"active": 1, "startTime": w.ago(26 * 60)}
    cron["status"]["active"] = [{"name": job["metadata"]["name"], "uid": job["metadata"]["uid"]}]
    w.event(cron, "JobAlreadyActive", "Not starting job because prior execution is running and concurrency policy is Forbid", kind="Normal")  # fmt: skip # noqa: E501
    return cron


@plant("last run vanished", "CronJobLastRunFailed", ["did not succeed", "no Job of it is left"], ["exit code"])
def _(w: World) -> Obj:
    cron = w.get("CronJob", "jobs", "nightly-report")
    for job in w.owned(cron, "Job"):
        w.drop(job)
    cron["status"] = {"lastScheduleTime": w.ago(400), "lastSuccessfulTime": w.ago(400 + 24 * 60)}
    return cron


# --- deletion, control plane, operators -------------------------------------------------------------------------------


@plant("namespace and a dead API", "CrashLoop", ["metrics-server"], ["finalize"])
def _(w: World) -> Obj:
    pod = metrics_down(w)
    namespace = w.get("Namespace", "", "analytics")
    namespace["metadata"]["deletionTimestamp"] = w.ago(3000)
    namespace["status"] = {"phase": "Terminating"}
    text = "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: stale"  # noqa: E501
    w.condition(namespace, "NamespaceDeletionDiscoveryFailure", "True", "DiscoveryFailed", text)
    return pod


@plant("namespace with leftovers", "NamespaceStuck", ["3 resource instances", "do not force"], [])
def _(w: World) -> Obj:
    namespace = w.get("Namespace", "", "analytics")
    namespace["metadata"]["deletionTimestamp"] = w.ago(3000)
    namespace["status"] = {"phase": "Terminating"}
    text = "Some resources are remaining: kafkatopics.kafka.strimzi.io has 3 resource instances"
    w.condition(namespace, "NamespaceContentRemaining", "True", "SomeResourcesRemain", text)
    return namespace


@plant("controller manager down", "ControlPlaneLeaseStale", ["kube-controller-manager"], ["quota"])
def _(w: World) -> Obj:
    for name in ("catalog", "search", "cart"):
        deployment = w.get("Deployment", "shop", name)
        deployment["metadata"]["generation"] += 1
        deployment["spec"]["replicas"] += 2
        for one in deployment["status"]["conditions"]:
            one["lastUpdateTime"] = one["lastTransitionTime"]
    lease = w.get("Lease", "kube-system", "kube-controller-manager")
    lease["spec"]["renewTime"] = w.ago(30)
    return lease


@plant("issuer not ready", "CustomResourceDegraded", ["internal-ca", "ErrRegisterACMEAccount"], ["deleted"])
def _(w: World) -> Obj:
    issuer = next(iter(w.all("ClusterIssuer")))
    w.condition(issuer, "Ready", "False", "ErrRegisterACMEAccount", "cannot register", minutes=90)
    for certificate in w.all("Certificate"):
        w.condition(
            certificate, "Ready", "False", "DoesNotExist", "Issuing certificate as Secret does not exist", minutes=80
        )
    return issuer


@plant("operator down", "CrashLoop", ["cert-manager"], ["issuer is"])
def _(w: World) -> Obj:
    pod = w.pods("Deployment", "cert-manager", "cert-manager")[0]
    w.crashes(pod)
    return pod


@plant("operator's instance short of a pod", "CrashLoop", ["main-2"], [])
def _(w: World) -> Obj:
    cluster = w.add(
        {"apiVersion": "db.example.org/v1", "kind": "Ledger", "metadata": {"name": "main", "namespace": "data"},
         "spec": {"instances": 3}, "status": {"instances": 3, "readyInstances": 2, "phase": "Waiting for instances"}}
    )  # fmt: skip
    pod = w.pods(*CACHE)[0]
    owner = [{"apiVersion": "db.example.org/v1", "kind": "Ledger", "name": "main", "uid": cluster["metadata"]["uid"], "controller": True}]  # fmt: skip # noqa: E501
    metadata = {**pod["metadata"], "name": "main-2", "namespace": "data", "uid": "m2", "ownerReferences": owner}
    status = {**pod["status"], "containerStatuses": [dict(pod["status"]["containerStatuses"][0])],
              "conditions": [dict(one) for one in pod["status"]["conditions"]]}  # fmt: skip
    made = w.add({**pod, "metadata": metadata, "status": status})
    w.crashes(made)
    return made


@plant("role that is gone", "RoleMissing", ["ClusterRole ksm", "kube-state-metrics"], ["verb"])
def _(w: World) -> Obj:
    pod = w.pods("Deployment", "monitoring", "kube-state-metrics")[0]
    pod["spec"]["serviceAccountName"] = "ksm"
    w.crashes(pod)
    rbac = "rbac.authorization.k8s.io/v1"
    w.add({"apiVersion": rbac, "kind": "ClusterRole", "metadata": {"name": "view"}, "rules": []})
    subject = {"kind": "ServiceAccount", "name": "ksm", "namespace": "monitoring"}
    return w.add({"apiVersion": rbac, "kind": "ClusterRoleBinding", "metadata": {"name": "ksm"},
                  "roleRef": {"kind": "ClusterRole", "name": "ksm"}, "subjects": [subject]})  # fmt: skip


@plant("binding of another account", "BindingMissesAccount", ["ServiceAccount default", "agent"], ["does not exist"])
def _(w: World) -> Obj:
    pod = w.pods("Deployment", "monitoring", "kube-state-metrics")[0]
    pod["spec"]["serviceAccountName"] = "agent"
    w.crashes(pod)
    rbac = "rbac.authorization.k8s.io/v1"
    w.add({"apiVersion": rbac, "kind": "Role", "metadata": {"name": "agent", "namespace": "monitoring"}, "rules": []})
    return w.add({"apiVersion": rbac, "kind": "RoleBinding", "metadata": {"name": "agent", "namespace": "monitoring"},
                  "roleRef": {"kind": "Role", "name": "agent"},
                  "subjects": [{"kind": "ServiceAccount", "name": "default"}]})  # fmt: skip


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", plant)
def test_the_planted_fault_is_the_cause(name: str, version: str) -> None:
    assert_the_cause(plant[name], version)
