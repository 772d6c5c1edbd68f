"""Whether more pods fit, whether one more node helps, what a lost node strands, and what a new request brings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engines.rules.consequence_clusters import ask, claim, first, stateful
from tests.engines.rules.families import alone, named
from tests.fakes.small_clusters import NOW, SmallCluster, Thing, terminated


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")  # three nodes of 4 cpu, 16Gi
    cluster.namespaces("mill", "vault")
    return cluster


def asking(small: SmallCluster, name: str, space: str, node: str, **requests: str) -> Thing:
    """A Deployment with one pod on a node, which asks for that much."""
    pod = alone(small, name, space, ready=True, spec={"nodeName": node})
    pod["spec"]["containers"][0]["resources"] = {"requests": requests}
    return pod


def uses(small: SmallCluster, pod: Thing, **usage: str) -> None:
    """What the pod's container uses now."""
    metadata, container = pod["metadata"], pod["spec"]["containers"][0]["name"]
    small.add("metrics.k8s.io/v1beta1", "PodMetrics", metadata["name"], metadata["namespace"], timestamp=NOW,
              window="30s", containers=[{"name": container, "usage": usage}])  # fmt: skip


def scaler(small: SmallCluster, name: str, space: str, most: int, **spec: Any) -> None:
    """An autoscaler of a Deployment."""
    target = {"kind": "Deployment", "name": name, "apiVersion": "apps/v1"}
    small.add("autoscaling/v2", "HorizontalPodAutoscaler", name, space, status={"currentReplicas": 1},
              spec={"minReplicas": 1, "maxReplicas": most, "scaleTargetRef": target, **spec})  # fmt: skip


# --- more pods ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "would 5 more replicas of loom fit on our nodes?",
        "can I scale loom to 6?",
        "is there room for five more loom pods",
    ],
)
def test_as_many_as_were_asked_for_are_counted(small: SmallCluster, question: str) -> None:
    # free: node-a 2500m of 4 cpu (loom itself), node-b 1 cpu, node-c 4 cpu: one, none and two pods of 1500m
    asking(small, "loom", "mill", "node-a", cpu="1500m")
    asking(small, "big", "vault", "node-b", cpu="3")
    answer = ask(small, question)
    assert first(answer).startswith("**No: only 3 of the 5 fit, by requests (1500m cpu each)")
    assert "node-a 1, node-c 2" in first(answer) and "Pending" in first(answer)


def test_where_they_fit_the_most_is_said_and_the_autoscalers_bound(small: SmallCluster) -> None:
    asking(small, "loom", "mill", "node-a", cpu="1500m")
    scaler(small, "loom", "mill", 2)
    answer = first(ask(small, "would two more replicas of loom fit?"))
    assert answer.startswith("**Yes: 2 more pods of Deployment mill/loom fit")
    assert "up to 5 do (node-a 1, node-b 2, node-c 2)" in answer
    assert "maxReplicas has to go up to 3" in answer


def test_how_many_fit_and_twice_as_many(small: SmallCluster) -> None:
    asking(small, "loom", "mill", "node-a", cpu="1500m")  # 1 + 2 + 2 more fit
    answer = first(ask(small, "how many more loom pods fit on the cluster?"))
    assert answer.startswith("**Yes: 5 more pods") and "up to 5 do" in answer
    assert "one more pod of Deployment mill/loom fits" in first(ask(small, "can we double the replicas of loom?"))


def test_a_quota_counts_before_the_nodes(small: SmallCluster) -> None:
    asking(small, "loom", "mill", "node-a", cpu="500m")
    small.add("v1", "ResourceQuota", "team", "mill", spec={"hard": {"requests.cpu": "2"}},
              status={"hard": {"requests.cpu": "2"}, "used": {"requests.cpu": "500m"}})  # fmt: skip
    answer = first(ask(small, "would 4 more loom replicas fit?"))
    assert "only 3 of the 4 fit" in answer and "ResourceQuota mill/team leaves no more (requests.cpu)" in answer


def keep_apart(pod: Thing, app: str, key: str = "kubernetes.io/hostname") -> None:
    """Has the pod keep away from others of its label."""
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    rule = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    pod["spec"]["affinity"] = {"podAntiAffinity": rule}


def test_a_rule_that_keeps_them_apart_bounds_the_number(small: SmallCluster) -> None:
    keep_apart(asking(small, "loom", "mill", "node-a", cpu="100m"), "loom")
    answer = first(ask(small, "would 3 more replicas of loom fit?"))
    assert "only 2 of the 3 fit" in answer and "anti-affinity by kubernetes.io/hostname" in answer


def test_tainted_nodes_do_not_count(small: SmallCluster) -> None:
    asking(small, "loom", "mill", "node-a", cpu="3")
    for node in ("node-b", "node-c"):
        named(small, "Node", node)["spec"]["taints"] = [{"key": "lab", "value": "x", "effect": "NoSchedule"}]
    assert "No node has room for one more pod" in first(ask(small, "is there room for another replica of loom?"))


# --- one more node --------------------------------------------------------------------------------------------------


def waiting_pod(small: SmallCluster, name: str, space: str, owner: Thing, **spec: Any) -> Thing:
    """A pod without a node."""
    return small.pod(name, space, owner=owner, app=name.split("-")[0], ready=False, phase="Pending",
                     spec={"nodeName": "", **spec})  # fmt: skip


@pytest.mark.parametrize("question", ["would adding a fourth node help shuttle?", "does another node help?"])
def test_a_node_helps_against_anti_affinity_and_there_is_a_cheaper_way(small: SmallCluster, question: str) -> None:
    deployment = small.deployment("shuttle", "mill", replicas=3)
    old = small.replica_set(deployment, "6b8f7c9d44", replicas=3, ready=3)
    new = small.replica_set(deployment, "7c9d8e5f66", ready=0, revision=2)
    for node in ("a", "b", "c"):
        keep_apart(small.pod(f"shuttle-6b8f7c9d44-{node}", "mill", owner=old, app="shuttle",
                             spec={"nodeName": f"node-{node}"}), "shuttle")  # fmt: skip
    keep_apart(waiting_pod(small, "shuttle-7c9d8e5f66-zzzzz", "mill", new), "shuttle")
    answer = first(ask(small, question))
    assert answer.startswith("**Yes, by what can be read: one more node")
    assert "each of the 3 nodes" in answer and "maxUnavailable 1" in answer
    assert "`fourth`" not in answer


def test_a_node_like_the_others_does_not_help_against_a_taint_or_size(small: SmallCluster) -> None:
    owner = small.replica_set(small.deployment("huge", "mill", ready=0), "6b8f7c9d44", ready=0)
    pod = waiting_pod(small, "huge-6b8f7c9d44-aaaaa", "mill", owner)
    pod["spec"]["containers"][0]["resources"] = {"requests": {"memory": "40Gi"}}
    assert "only a larger one would do" in first(ask(small, "would one more node help huge?"))
    pod["spec"]["containers"][0]["resources"] = {"requests": {"memory": "1Gi"}}
    for node in ("node-a", "node-b", "node-c"):
        named(small, "Node", node)["spec"]["taints"] = [{"key": "lab", "value": "x", "effect": "NoSchedule"}]
    assert first(ask(small, "would one more node help huge?")).startswith("**No: one more node like those")


def test_where_nothing_waits_a_node_lets_nothing_in(small: SmallCluster) -> None:
    asking(small, "loom", "mill", "node-a", cpu="100m")
    assert first(ask(small, "would another node help loom?")).startswith("**No: no pod of Deployment mill/loom waits")


# --- a lost node ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["what happens if node node-a dies?", "if node-a goes down, what is affected?"])
def test_what_lies_on_a_lost_node_stays_down_and_is_lost(small: SmallCluster, question: str) -> None:
    stateful(small, "archive", "vault", template="disk")
    rule = {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-a"]}
    claim(small, "disk-archive-0", "vault",
          nodeAffinity={"required": {"nodeSelectorTerms": [{"matchExpressions": [rule]}]}})  # fmt: skip
    asking(small, "loom", "mill", "node-a", cpu="100m")
    answer = ask(small, question)
    assert "StatefulSet vault/archive goes down and stays down" in first(answer)
    assert "with the disk its data are lost" in first(answer)
    assert "Down until made again elsewhere: Deployment mill/loom." in first(answer)


def test_what_asks_for_labels_of_the_lost_node_alone_stays_down(small: SmallCluster) -> None:
    named(small, "Node", "node-b")["metadata"]["labels"]["disk"] = "fast"
    pod = asking(small, "press", "mill", "node-b", cpu="100m")
    pod["spec"]["nodeSelector"] = {"disk": "fast"}
    answer = first(ask(small, "what happens if node-b dies?"))
    assert "Deployment mill/press goes down and stays down" in answer and "data are lost" not in answer


# --- requests and limits --------------------------------------------------------------------------------------------


def test_only_the_resource_asked_about_is_sized_with_its_figure_first(small: SmallCluster) -> None:
    pod = asking(small, "loom", "mill", "node-a", cpu="100m", memory="256Mi")
    uses(small, pod, cpu="180m", memory="400Mi")
    answer = ask(small, "what memory request should I set for loom?")
    assert "from 256Mi to 608Mi" in first(answer) and "cpu" not in first(answer)
    assert "--requests=memory=608Mi`" in answer and "not memory" not in answer
    answer = ask(small, "which cpu request should loom have?")
    assert "from 100m to 360m" in first(answer) and "--requests=cpu=360m`" in answer


def test_a_limit_that_is_far_away_is_told_with_its_figures(small: SmallCluster) -> None:
    pod = asking(small, "loom", "mill", "node-a", cpu="2", memory="2Gi")
    pod["spec"]["containers"][0]["resources"]["limits"] = {"memory": "4Gi"}
    uses(small, pod, cpu="100m", memory="400Mi")
    answer = first(ask(small, "is the memory limit of loom high enough?"))
    assert "uses 400Mi of its memory limit of 4Gi (10%)" in answer and "between 40%" not in answer


def test_a_request_that_leaves_pods_pending_is_not_proposed(small: SmallCluster) -> None:
    deployment = small.deployment("loom", "mill", replicas=3)
    owner = small.replica_set(deployment, "6b8f7c9d44", replicas=3, ready=3)
    for node in ("a", "b", "c"):
        pod = small.pod(f"loom-6b8f7c9d44-{node}", "mill", owner=owner, app="loom", spec={"nodeName": f"node-{node}"})
        pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
        uses(small, pod, cpu="1900m", memory="100Mi")
    named(small, "Node", "node-c")["status"]["allocatable"]["cpu"] = "2"
    answer = ask(small, "what cpu request should I set for loom?")  # 3800m would fit on two nodes of 4, not on one of 2
    assert "only 2 of the 3 pods" in first(answer) and "Pending" in first(answer)
    assert "kubectl set resources" not in answer


def test_a_new_cpu_request_shifts_the_autoscaler(small: SmallCluster) -> None:
    pod = asking(small, "loom", "mill", "node-a", cpu="200m")
    uses(small, pod, cpu="300m", memory="100Mi")
    metric = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
    }
    scaler(small, "loom", "mill", 4, metrics=[metric])
    answer = first(ask(small, "what cpu request should loom get?"))
    assert "HorizontalPodAutoscaler mill/loom goes by cpu" in answer and "from 150% now to 50%" in answer
    assert "HorizontalPodAutoscaler" not in first(ask(small, "what memory request should loom get?"))


def victim(small: SmallCluster, *, killed_at: str) -> None:
    pod = alone(small, "quoter", "mill", ready=True, restarts=1, last=terminated(137, "OOMKilled"),
                limits={"memory": "2Gi"})  # fmt: skip
    pod["status"]["containerStatuses"][0]["lastState"]["terminated"]["finishedAt"] = killed_at
    uses(small, pod, cpu="50m", memory="300Mi")
    uses(small, alone(small, "glutton", "vault", ready=True), cpu="1", memory="12Gi")
    small.event(named(small, "Node", "node-a"), "SystemOOM", "System OOM encountered, victim process: java, pid: 77",
                count=1, last="2026-10-05T09:20:00Z")  # fmt: skip
    small.things[-1]["involvedObject"].pop("namespace")


@pytest.mark.parametrize(
    "question", ["quoter was OOMKilled, should i raise its limit?", "should we increase the memory limit of quoter?"]
)
def test_a_kill_by_the_node_is_not_mended_by_a_higher_limit(small: SmallCluster, question: str) -> None:
    victim(small, killed_at="2026-10-05T09:20:00Z")
    answer = ask(small, question)
    assert first(answer).startswith("**No: its own limit did not kill it")
    assert "300Mi of its limit of 2Gi" in first(answer) and "glutton" in first(answer)
    assert "--limits" not in answer


def test_a_kill_at_its_own_limit_is_mended_there(small: SmallCluster) -> None:
    victim(small, killed_at="2026-10-05T07:00:00Z")  # hours before the node was short
    assert "Raise the memory limit of container quoter from 2Gi" in first(ask(small, "should I raise quoter's limit?"))


# --- leave for a drain ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["is it ok to drain node-a tonight?", "can I reboot node-a?"])
def test_a_drain_is_given_leave_with_what_it_brings(small: SmallCluster, question: str) -> None:
    asking(small, "loom", "mill", "node-a", cpu="100m")
    named(small, "Node", "node-b")["spec"]["unschedulable"] = True
    answer = ask(small, question)
    assert first(answer).startswith("**Yes, with an interruption: no disruption budget blocks")
    assert "only node-c takes pods now, not node-b (cordoned)" in first(answer)
    assert "Down while it moves" in answer and "Deployment mill/loom" in answer


def test_a_volume_that_lies_on_the_node_alone_does_not_move(small: SmallCluster) -> None:
    stateful(small, "archive", "vault", template="disk")
    rule = {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-a"]}
    claim(small, "disk-archive-0", "vault",
          nodeAffinity={"required": {"nodeSelectorTerms": [{"matchExpressions": [rule]}]}})  # fmt: skip
    answer = first(ask(small, "is it safe to drain node-a?"))
    assert answer.startswith("**Only if what cannot move may stay down")
    assert "vault/archive-0 would stay Pending, since its volume disk-archive-0" in answer
