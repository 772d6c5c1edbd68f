"""Questions whose root lies with a node, a quota, a driver or another pod: the first sentence names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.fakes.small_clusters import SmallCluster, Thing, terminated, waiting


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("shop", "jobs", "storage")
    cluster.healthy("web", "shop", replicas=2)
    return cluster


def ask(small: SmallCluster, question: str) -> str:
    finished = list(make_rules().run(Conversation("", "", question, ()), Toolbox(Context(small.open())), 8))[-1]
    assert isinstance(finished, Finished)
    return finished.text


# --- schedules --------------------------------------------------------------------------------------------------------

REFUSED = (
    'Error creating job: jobs.batch "fx-rates-29" is forbidden: exceeded quota: batch-caps, requested: '
    "count/jobs.batch=1, used: count/jobs.batch=12, limited: count/jobs.batch=12"
)


def schedule(small: SmallCluster, *, last: str) -> Thing:
    return small.add("batch/v1", "CronJob", "fx-rates", "jobs", spec={"schedule": "*/20 * * * *"},
                     status={"lastScheduleTime": last})  # fmt: skip


@pytest.mark.parametrize("question", ["why does fx-rates no longer run?", "fx-rates cron stopped, what happened"])
def test_a_schedule_that_a_quota_stops(small: SmallCluster, question: str) -> None:
    cron = schedule(small, last="2026-10-04T20:00:00Z")
    small.event(cron, "FailedCreate", REFUSED, count=40)
    head, answer = ask(small, question).splitlines()[0], ask(small, question)
    assert "batch-caps" in head and "CronJob jobs/fx-rates" in head and "healthy" not in head
    assert "ttlSecondsAfterFinished" in answer


def test_a_schedule_that_was_refused_and_runs_again_is_well(small: SmallCluster) -> None:
    cron = schedule(small, last="2026-10-05T09:20:00Z")
    small.event(cron, "FailedCreate", REFUSED, count=3, last="2026-10-05T09:00:00Z")
    assert "batch-caps" not in ask(small, "is fx-rates ok?").splitlines()[0]


# --- nodes ------------------------------------------------------------------------------------------------------------


def victim(small: SmallCluster) -> Thing:
    """Deployment shop/tax, killed within its limit when node-a ran out of memory."""
    of = small.deployment("tax", "shop")
    died = terminated(137, "OOMKilled")
    return small.pod("tax-77-x", "shop", owner=small.replica_set(of, "77"), app="tax", restarts=2, last=died,
                     limits={"memory": "4Gi"})  # fmt: skip


def test_a_container_that_its_node_killed_is_not_given_a_higher_limit(small: SmallCluster) -> None:
    there = small.node("node-a")["metadata"]
    victim(small)
    small.add("v1", "Event", "node-a.1", "default", reason="SystemOOM", type="Warning", count=1,
              message="System OOM encountered, victim process: python, pid: 77", lastTimestamp="2026-10-05T09:28:43Z",
              involvedObject={"kind": "Node", "name": "node-a", "uid": there["uid"]})  # fmt: skip
    answer = ask(small, "why was tax killed?")
    assert "node-a" in answer.splitlines()[0] and "ran out of memory" in answer.splitlines()[0]
    assert "--limits=memory" not in answer and "limit allows" not in answer


def test_a_container_at_its_own_limit_is(small: SmallCluster) -> None:
    small.node("node-a")
    victim(small)
    answer = ask(small, "why was tax killed?")
    assert "--limits=memory" in answer and "ran out of memory" not in answer


def unplaced(small: SmallCluster, name: str, message: str, **spec: object) -> None:
    of = small.deployment(name, "shop", ready=0)
    made = small.pod(f"{name}-1a-x", "shop", owner=small.replica_set(of, "1a", ready=0), app=name, ready=False,
                     phase="Pending", spec={"nodeName": "", **spec})  # fmt: skip
    placed = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    made["status"] = {"phase": "Pending", "conditions": [placed]}


@pytest.mark.parametrize("question", ["why is sipgate pending?", "sipgate does not start"])
def test_who_holds_the_host_port_is_named(small: SmallCluster, question: str) -> None:
    small.node("node-a")
    port = {"containerPort": 5060, "hostPort": 5060}
    small.pod("pbx-0", "jobs", app="pbx", spec={"containers": [{"name": "pbx", "image": "pbx:1", "ports": [port]}]})
    unplaced(small, "sipgate", "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
             containers=[{"name": "sipgate", "image": "sipgate:1", "ports": [port]}])  # fmt: skip
    answer = ask(small, question)
    assert "5060" in answer.splitlines()[0] and "Pod jobs/pbx-0" in answer.splitlines()[0]
    assert "maxSurge" not in answer and "old version" not in answer


# --- drivers and architectures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["why does maps-0 hang in ContainerCreating?", "maps does not come up"])
def test_the_daemons_that_a_taint_keeps_from_a_node_are_the_root(small: SmallCluster, question: str) -> None:
    small.node("node-a")
    small.node("node-t")["spec"]["taints"] = [{"key": "class", "value": "batch", "effect": "NoSchedule"}]
    template = {"spec": {"containers": [{"name": "csi", "image": "tier-csi:1"}]}}
    status = {"desiredNumberScheduled": 1, "currentNumberScheduled": 1, "numberReady": 1}
    daemons = small.add("apps/v1", "DaemonSet", "tier-node", "storage", spec={"template": template}, status=status)
    small.pod("tier-node-a", "storage", owner=daemons, app="tier")
    small.add("storage.k8s.io/v1", "CSINode", "node-a", spec={"drivers": [{"name": "tier.csi.example"}]})
    maps = small.add("apps/v1", "StatefulSet", "maps", "shop", spec={"replicas": 1}, status={"replicas": 1})
    pod = small.pod("maps-0", "shop", owner=maps, app="maps", ready=False, phase="Pending",
                    state=waiting("ContainerCreating"), spec={"nodeName": "node-t"})  # fmt: skip
    small.event(pod, "FailedAttachVolume", 'AttachVolume.Attach failed for volume "pvc-1" : CSINode node-t does not '
                "contain driver tier.csi.example")  # fmt: skip
    answer = ask(small, question)
    assert "DaemonSet storage/tier-node" in answer.splitlines()[0] and "class=batch" in answer.splitlines()[0]
    assert "oleration" in answer and "Recreate" not in answer


@pytest.mark.parametrize("host", [True, False])
def test_a_port_that_is_taken_is_looked_for_where_the_pod_has_its_network(small: SmallCluster, host: bool) -> None:
    spec = {"hostNetwork": host, "nodeName": "node-a"}
    port = {"ports": [{"containerPort": 9100}]}
    small.pod("meter-old", "jobs", app="meter", spec={**spec, "containers": [{"name": "m", "image": "m:1", **port}]})
    broken = small.crashing("probe", "shop")
    broken["spec"] |= {**spec, "containers": [{"name": "probe", "image": "probe:1", **port}]}
    line = "FATAL listen tcp :9100: bind: address already in use\n"
    small.log("shop", broken["metadata"]["name"], "probe", line, previous=True)
    answer = ask(small, "why does probe crash?")
    assert ("taken by Pod jobs/meter-old" in answer) is host and ("processes of the pod" in answer) is not host
