"""What ends does not come back where new pods are refused, hang on a lost node or find no domain of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.rules.consequence_clusters import ask, first, stateful
from tests.engines.rules.families import alone, named
from tests.fakes.small_clusters import SmallCluster, Thing


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("dye", "rope")
    cluster.healthy("reel", "dye", replicas=2)
    return cluster


def hook(small: SmallCluster, *, policy: str = "Fail", spaces: Thing | None = None) -> None:
    """A webhook for pods whose Service has nothing behind it."""
    rules = [{"apiGroups": [""], "resources": ["pods"], "operations": ["CREATE"], "apiVersions": ["v1"]}]
    small.add("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "seal", webhooks=[
        {"name": "seal.wax.dev", "failurePolicy": policy, "namespaceSelector": spaces or {},
         "clientConfig": {"service": {"name": "wax", "namespace": "rope"}},
         "rules": rules}])  # fmt: skip
    small.service("wax", "rope", {"app": "wax"}, ready=[])
    small.deployment("wax", "rope", replicas=0)


QUESTIONS = [
    "is it safe to restart reel?",
    "can I scale reel to 5?",
    "can I drain node-a?",
    "can I delete a pod of reel?",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_webhook_that_refuses_pods_vetoes_what_ends_one(small: SmallCluster, question: str) -> None:
    hook(small)
    answer = ask(small, question)
    assert first(answer).startswith("**No") and "seal.wax.dev" in first(answer)
    assert "Mend this first" in answer


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("passed", ["Ignore", "elsewhere"])
def test_a_webhook_that_does_not_hold_for_it_vetoes_nothing(small: SmallCluster, question: str, passed: str) -> None:
    if passed == "Ignore":
        hook(small, policy="Ignore")
    else:
        hook(small, spaces={"matchLabels": {"kubernetes.io/metadata.name": "rope"}})
    assert not first(ask(small, question)).startswith("**No,")


def test_a_refusal_of_its_own_pods_vetoes_a_restart(small: SmallCluster) -> None:
    alone(small, "bobbin", "dye", ready=True)
    made = named(small, "Deployment", "bobbin")
    made["spec"]["replicas"] = 2
    owner = small.replica_set(made, "77aa", replicas=2)
    owner["status"]["replicas"] = 1
    small.event(owner, "FailedCreate", 'Error creating: pods "bobbin-77aa-q" is forbidden: error looking up service '
                'account dye/winder: serviceaccount "winder" not found')  # fmt: skip
    answer = ask(small, "is it ok to restart bobbin")
    assert first(answer).startswith("**No, not now: new pods of Deployment dye/bobbin cannot be created")
    assert "service account winder does not exist" in first(answer)
    assert first(ask(small, "is it ok to restart reel")).startswith("**Yes")


def test_more_replicas_are_counted_by_the_present_template(small: SmallCluster) -> None:
    # reel's pods ask for nothing; its new template for 3 cpu, of which each node has room for one
    template = named(small, "Deployment", "reel")["spec"]["template"]["spec"]["containers"][0]
    template["resources"] = {"requests": {"cpu": "3"}}
    assert "only 3 of the 6 fit, by requests (3 cpu each" in first(ask(small, "can I scale reel to 8?"))


def test_a_restart_of_what_hangs_on_a_lost_node_does_nothing(small: SmallCluster) -> None:
    stateful(small, "ledger", "rope")
    pod = named(small, "Pod", "ledger-0")
    pod["metadata"]["deletionTimestamp"] = "2026-10-05T09:00:00Z"
    ready = next(one for one in pod["status"]["conditions"] if one["type"] == "Ready")
    ready["status"] = "False"
    node = named(small, "Node", "node-a")
    node["status"]["conditions"] = [{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown",
                                     "lastTransitionTime": "2026-10-05T08:50:00Z"}]  # fmt: skip
    answer = first(ask(small, "can I restart ledger?"))
    assert answer.startswith("**It does nothing now, and StatefulSet rope/ledger is down already")
    assert "node-a does not report" in answer


def apart(small: SmallCluster, replicas: int) -> None:
    """A Deployment whose pods may not share a node, one on each of the first nodes."""
    small.healthy("knot", "rope", replicas=replicas)
    term = {"labelSelector": {"matchLabels": {"app": "knot"}}, "topologyKey": "kubernetes.io/hostname"}
    rule = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    pods = [one for one in small.things if one["kind"] == "Pod" and one["metadata"]["labels"]["app"] == "knot"]
    for pod, node in zip(pods, ("node-a", "node-b", "node-c"), strict=False):
        pod["spec"].update(nodeName=node, affinity=rule)
    for node in ("node-a", "node-b", "node-c"):
        named(small, "Node", node)["metadata"]["labels"]["kubernetes.io/hostname"] = node
    named(small, "Deployment", "knot")["spec"]["template"]["spec"]["affinity"] = rule


@pytest.mark.parametrize("replicas", [3, 2])
def test_a_required_rule_leaves_a_drained_pod_no_other_node(small: SmallCluster, replicas: int) -> None:
    apart(small, replicas)
    answer = first(ask(small, "is it ok to drain node-a?"))
    if replicas == 3:
        assert answer.startswith("**Only if what cannot move may stay down") and "anti-affinity" in answer
    else:
        assert "anti-affinity" not in answer


@pytest.mark.parametrize("replicas", [3, 2])
def test_a_restart_hangs_where_each_node_holds_one_and_none_may_go_first(small: SmallCluster, replicas: int) -> None:
    apart(small, replicas)
    answer = first(ask(small, "can I restart knot?"))
    assert answer.startswith("**No, not as it is: a restart" if replicas == 3 else "**Yes: ")


def test_an_old_pod_that_may_go_first_lets_a_restart_through(small: SmallCluster) -> None:
    apart(small, 3)
    named(small, "Deployment", "knot")["spec"]["strategy"]["rollingUpdate"] = {"maxSurge": 0, "maxUnavailable": 1}
    assert first(ask(small, "can I restart knot?")).startswith("**Yes: ")


# --- a node that is to go -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["is it safe to delete node node-b?", "is it safe to remove node-b"])
@pytest.mark.parametrize("lost", [True, False])
def test_a_node_that_takes_no_pods_stays_the_one_asked_about(small: SmallCluster, question: str, lost: bool) -> None:
    alone(small, "spool", "rope", ready=not lost, spec={"nodeName": "node-b"})
    node = named(small, "Node", "node-b")
    if lost:
        node["status"]["conditions"] = [{"type": "Ready", "status": "Unknown",
                                         "lastTransitionTime": "2026-10-05T08:50:00Z"}]  # fmt: skip
    else:
        node["spec"]["unschedulable"] = True
    answer = ask(small, question)
    start = "**Only once its machine is known to be off" if lost else "**Yes, by requests: Node node-b is cordoned"
    assert first(answer).startswith(start) and "rope/spool" in first(answer)
    assert "kubectl cordon" not in answer and "without node-a" not in answer


@pytest.mark.parametrize(("cpu", "told"), [("100m", False), ("1500m", True)])
def test_the_loss_after_that_is_tried_over_all_nodes(small: SmallCluster, cpu: str, told: bool) -> None:
    # each node is a pool of its own by its zone; 4 pods of 1500m fit on two nodes of 4 cpu, on one only two of them
    for number, node in enumerate(("node-a", "node-b", "node-c", "node-c")):
        named(small, "Node", node)["metadata"]["labels"]["topology.kubernetes.io/zone"] = node
        pod = alone(small, f"warp{number}", "rope", ready=True, spec={"nodeName": node})
        pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu}}
    answer = ask(small, "can we remove node node-a?")
    assert first(answer).startswith("**It would fit")
    assert ("would leave pods without a place" in answer) is told and "cpu and memory would not fit" not in answer


# --- which object, and which act ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    ["is it safe to delete one of the old reel pods?", "can I delete a reel pod?", "ok to kill one of reel's pods"],
)
def test_pods_that_are_said_are_meant_and_not_the_service_of_that_name(small: SmallCluster, question: str) -> None:
    small.service("reel", "dye", {"app": "reel"}, ready=["reel-6b8f7c9d44-0"])
    answer = first(ask(small, question))
    assert "a pod that is deleted is made again by its controller" in answer and "Service" not in answer


@pytest.mark.parametrize("question", ["what happens if reel restarts?", "what breaks when reel restarts"])
def test_what_if_it_restarts_asks_what_follows(small: SmallCluster, question: str) -> None:
    assert first(ask(small, question)).startswith("**Deployment dye/reel is restarted pod by pod")


def test_restarts_that_are_reported_are_no_what_if(small: SmallCluster) -> None:
    assert "restarted pod by pod" not in first(ask(small, "why does reel restart all the time?"))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what happens if I set maxUnavailable to 1 on reel", "With maxUnavailable 1 (now 0) an update of Deployment "
         "dye/reel keeps at least 1 of its 2 pods and has at most 3 in all"),
        ("can I set maxSurge: 100% for reel?", "With maxSurge 100% (now 1) an update of Deployment dye/reel keeps at "
         "least 2 of its 2 pods and has at most 4 in all"),
        ("what if maxSurge of reel is 0", "may neither lack a pod nor have one more: the API server refuses it"),
    ],
)  # fmt: skip
def test_a_bound_of_updates_is_told_in_present_figures(small: SmallCluster, question: str, told: str) -> None:
    assert told in first(ask(small, question))


def test_a_waiting_update_goes_on_once_an_old_pod_may_go(small: SmallCluster) -> None:
    owner = small.replica_set(named(small, "Deployment", "reel"), "9c9c", revision=2)
    small.pod("reel-9c9c-k", "dye", owner=owner, app="reel", ready=False, phase="Pending", spec={"nodeName": ""})
    answer = first(ask(small, "what happens if I set maxUnavailable to 1 on reel"))
    assert "The update that waits for a place for Pod dye/reel-9c9c-k may go on then" in answer


def test_a_disruption_budget_is_never_sized(small: SmallCluster) -> None:
    small.add("policy/v1", "PodDisruptionBudget", "reel", "dye", status={"disruptionsAllowed": 1},
              spec={"minAvailable": 1, "selector": {"matchLabels": {"app": "reel"}}})  # fmt: skip
    assert "PodDisruptionBudget dye/reel is" not in first(ask(small, "is reel sized right?"))


# --- an amount that the namespace does not allow --------------------------------------------------------------------


def bounded(small: SmallCluster, space: str) -> None:
    """A LimitRange for the containers of a namespace."""
    small.add("v1", "LimitRange", "fence", space,
              spec={"limits": [{"type": "Container", "max": {"memory": "2Gi", "cpu": "1"}}]})  # fmt: skip


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("can I raise the memory of reel to 6Gi?", "at most 2Gi of memory per container, so with 6Gi"),
        ("is it ok to set the cpu limit of reel to 1500m", "at most 1 of cpu per container, so with 1500m"),
        ("what happens if we give reel 4 GB of memory", "at most 2Gi of memory per container, so with 4G"),
    ],
)
def test_an_amount_that_a_limit_range_refuses_is_said_to_be(small: SmallCluster, question: str, told: str) -> None:
    bounded(small, "dye")
    answer = first(ask(small, question))
    assert answer.startswith("**No: LimitRange dye/fence allows ") and told in answer


@pytest.mark.parametrize("question", ["can I raise the memory of reel to 1Gi?", "should I give reel 2Gi of memory?"])
def test_an_amount_within_the_bound_is_not_refused(small: SmallCluster, question: str) -> None:
    bounded(small, "dye")
    assert "LimitRange" not in first(ask(small, question))


def test_the_bound_of_another_namespace_does_not_count(small: SmallCluster) -> None:
    bounded(small, "rope")
    assert "LimitRange" not in first(ask(small, "can I raise the memory of reel to 6Gi?"))


def test_what_is_scaled_down_could_not_be_scaled_up_again(small: SmallCluster) -> None:
    hook(small)
    answer = first(ask(small, "can I scale reel to 1?"))
    assert answer.startswith("**No, not now") and "new pods of Deployment dye/reel cannot be created" in answer
