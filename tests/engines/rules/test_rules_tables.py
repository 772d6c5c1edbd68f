"""Lists of a kind with their columns, pods by place, image and age, and what a revision changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.rules_answers import ask, first, holds
from tests.fakes.small_clusters import SmallCluster


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("dock", "yard")
    cluster.healthy("crane", "dock", replicas=2, image="registry.example.com/crane:3.1.0")
    cluster.healthy("winch", "yard", image="registry.example.com/winch:0.9")
    cluster.deployment("ferry", "yard", replicas=0)
    for name, phase, size in (("cargo", "Bound", "30Gi"), ("spare", "Bound", "5Gi")):
        cluster.add("v1", "PersistentVolumeClaim", name, "dock", spec={"storageClassName": "slow"},
                    status={"phase": phase, "capacity": {"storage": size}})  # fmt: skip
    holder = cluster.pod("holder", "dock", app="holder", spec={"nodeName": "node-b"})
    holder["metadata"]["creationTimestamp"] = "2026-09-01T00:00:00Z"
    holder["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "cargo"}}]
    cluster.add("storage.k8s.io/v1", "StorageClass", "slow", provisioner="disk.example",
                annotations={"storageclass.kubernetes.io/is-default-class": "true"})  # fmt: skip
    cluster.add("storage.k8s.io/v1", "StorageClass", "fast", provisioner="ssd.example", allowVolumeExpansion=True)
    cluster.add("v1", "Service", "quay", "dock",
                spec={"type": "LoadBalancer", "ports": [{"port": 443, "nodePort": 30443}]},
                status={"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}})  # fmt: skip
    cluster.add("autoscaling/v2", "HorizontalPodAutoscaler", "crane-scaler", "dock",
                spec={"scaleTargetRef": {"kind": "Deployment", "name": "crane"}, "minReplicas": 2, "maxReplicas": 9,
                      "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {
                          "type": "Utilization", "averageUtilization": 60}}}]},
                status={"currentReplicas": 2, "desiredReplicas": 2})  # fmt: skip
    cluster.add("v1", "ResourceQuota", "cap", "yard", status={"hard": {"pods": "10"}, "used": {"pods": "4"}})
    return cluster


@pytest.mark.parametrize(
    ("question", "says", "never"),
    [
        ("how big are our pvcs?", ("2 PersistentVolumeClaims", "dock/cargo: 30Gi, Bound", "used by holder"), ()),
        ("which pvcs are not used by any pod?", ("1 of the 2 PersistentVolumeClaims", "dock/spare: 5Gi"), ("cargo",)),
        ("which pvcs are not bound", ("None of the 2 PersistentVolumeClaims",), ()),
        ("which storage class is the default?", ("1 of the 2 StorageClasses is the default", "slow"), ("fast",)),
        ("which services are of type loadbalancer?", ("1 of the 3 Services", "dock/quay", "outside at 192.0.2.7"), ()),
        ("list all hpas with min and max", ("2 to 9 of Deployment dock/crane", "cpu at 60% of the requests"), ()),
        ("what metric does the crane autoscaler use?", ("crane-scaler",), ()),
        ("how full are the quotas in yard?", ("yard/cap: pods 4 of 10 (40%)",), ()),
        ("which deployments are scaled to zero?", ("1 of the 3 Deployments", "yard/ferry"), ("crane",)),
    ],
)
def test_a_kind_is_listed_with_its_columns(
    small: SmallCluster, question: str, says: tuple[str, ...], never: tuple[str, ...]
) -> None:
    holds(small, question, says, never)


@pytest.mark.parametrize(
    ("question", "says", "never"),
    [
        ("how many pods run on each node?", ("node-a: 3 (3 ready); node-b: 1 (1 ready); node-c: 0",), ()),
        (
            "which pod is the oldest?",
            ("The oldest pod that can be read is Pod dock/holder, made 34d ago, on node-b",),
            (),
        ),
        ("which pods run on the same node as winch?", ("2 other pods run on node-a", "crane"), ("holder",)),
        ("which images do we run in yard?", ("1 image runs in namespace yard",), ("crane",)),
        ("which pods use the image registry.example.com/crane:3.1.0?", ("Deployment dock/crane (2 pods)",), ("winch",)),
        ("who runs crane:9.9.9?", ("No pod that can be read runs `crane:9.9.9`",), ()),
        ("how many cpus do we have in total?", ("The 3 nodes can give pods cpu 12",), ()),
        ("which namespace is winch in?", ("Deployment yard/winch lies in namespace yard (1 of 1 ready)",), ()),
    ],
)
def test_pods_are_told_by_place_image_and_age(
    small: SmallCluster, question: str, says: tuple[str, ...], never: tuple[str, ...]
) -> None:
    holds(small, question, says, never)


def test_what_a_revision_changed_is_told(small: SmallCluster) -> None:
    deployment = small.deployment("pilot", "yard", revision=5)
    old = small.replica_set(deployment, "aaaa", replicas=0, ready=0, image="registry.example.com/pilot:1", revision=4)
    new = small.replica_set(deployment, "bbbb", image="registry.example.com/pilot:2", revision=5)
    small.pod("pilot-bbbb-x2k4q", "yard", owner=new, app="pilot")
    for one, memory, names in ((old, "64Mi", ("PORT",)), (new, "32Mi", ("PORT", "DEPTH"))):
        one["spec"]["template"]["spec"]["containers"][0] |= {
            "resources": {"limits": {"memory": memory}},
            "env": [{"name": name, "value": "1"} for name in names],
        }
    answer = ask(small, "what changed between revision 4 and 5 of pilot?")
    assert "From revision 4 to 5 of Deployment yard/pilot" in first(answer)
    assert "image registry.example.com/pilot:1 became registry.example.com/pilot:2" in first(answer)
    assert "memory limit 64Mi became 32Mi" in first(answer) and "DEPTH came" in first(answer)
    holds(small, "what is new in the last release of pilot", ("From revision 4 to 5",))
    holds(small, "what changed in the last revision of crane?", ("no revision before 1 is kept",))


def test_secrets_and_maps_are_told_by_name(small: SmallCluster) -> None:
    for one in small.things:
        for part in (one.get("spec", {}), one.get("spec", {}).get("template", {}).get("spec", {})):
            for box in part.get("containers", []) if one["metadata"]["name"].startswith("winch") else []:
                box["envFrom"] = [{"secretRef": {"name": "rope"}}, {"configMapRef": {"name": "knots"}}]
    holds(small, "which configmaps does winch use?", ("takes from ConfigMap knots",), ("rope",))


def test_what_is_set_is_told_of_the_workload_not_of_the_operators_object(small: SmallCluster) -> None:
    small.definition("scale.example.org", "v1", "Elastic", "elastics")
    small.add("scale.example.org/v1", "Elastic", "crane", "dock", spec={}, status={})
    holds(small, "what is the max of the autoscaler of crane?", ("Deployment dock/crane between 2 and 9",), ("No: no",))


def test_a_cronjob_is_told_by_its_runs(small: SmallCluster) -> None:
    cron = small.add("batch/v1", "CronJob", "hull-scan", "dock", spec={"schedule": "0 3 * * *", "jobTemplate": {}},
                     status={"lastScheduleTime": "2026-10-05T03:00:00Z"})  # fmt: skip
    for number, end, kind in (("1", "2026-10-04T03:12:00Z", "Complete"), ("2", "2026-10-05T03:04:00Z", "Failed")):
        small.add("batch/v1", "Job", f"hull-scan-{number}", "dock", owner=cron, spec={},
                  status={"startTime": end.replace(":12:", ":00:").replace(":04:", ":00:"),
                          "conditions": [{"type": kind, "status": "True", "lastTransitionTime": end}]})  # fmt: skip
    holds(small, "how long does the hull scan take?", ("took 12m (Job dock/hull-scan-1)",))
    holds(small, "how often did hull-scan fail?", ("1 of the 2 ended runs", "failed"))
    holds(small, "is hull-scan suspended?", ("No: CronJob dock/hull-scan is not suspended",))
