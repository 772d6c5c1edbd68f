"""Words that tired people use: hosts, kinds of operators, suspicions, and states that are neither well nor broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.engines.rules.families import alone, named, pending
from tests.fakes.small_clusters import SmallCluster, terminated, waiting

LATELY = "2026-10-05T09:29:00Z"


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("shop", "data", "jobs", "kube-system")
    cluster.healthy("web", "shop", replicas=2)
    return cluster


def ask(small: SmallCluster, question: str) -> str:
    toolbox = Toolbox(Context(small.open()))
    finished = list(make_rules().run(Conversation("", "", question), toolbox, 8))[-1]
    assert isinstance(finished, Finished)
    return finished.text


def first(small: SmallCluster, question: str) -> str:
    return ask(small, question).splitlines()[0]


def ingress(small: SmallCluster, service: str, **spec: object) -> None:
    path = {"path": "/", "backend": {"service": {"name": service, "port": {"number": 80}}}}
    small.add("networking.k8s.io/v1", "Ingress", "front-door", "shop",
              spec={"rules": [{"host": "buy.example.com", "http": {"paths": [path]}}], **spec},
              status={"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}})  # fmt: skip


# --- what is meant ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["buy.example.com gives 503", "https://buy.example.com/cart is down"])
def test_a_host_means_the_ingress_that_answers_for_it(small: SmallCluster, question: str) -> None:
    ingress(small, "gone")
    assert "Ingress shop/front-door is not healthy" in first(small, question)
    assert "Service gone, which does not exist" in first(small, question)


def test_a_host_means_the_route_that_answers_for_it_by_a_wildcard(small: SmallCluster) -> None:
    small.definition("gateway.networking.k8s.io", "v1", "HTTPRoute", "httproutes")
    refused = {"type": "Accepted", "status": "False", "reason": "NotAllowedByListeners", "lastTransitionTime": "2026-10-05T08:00:00Z"}  # fmt: skip # noqa: E501
    small.add("gateway.networking.k8s.io/v1", "HTTPRoute", "everything", "shop",
              spec={"hostnames": ["*.example.com"]}, status={"parents": [{"conditions": [refused]}]})  # fmt: skip
    assert "HTTPRoute shop/everything has a fault" in first(small, "buy.example.com not reachable")


def test_a_host_that_nothing_answers_for_exists_nowhere(small: SmallCluster) -> None:
    assert "is called `sell.example.com`" in first(small, "sell.example.com gives 503")


def test_an_operators_kind_is_meant_by_its_own_word(small: SmallCluster) -> None:
    small.definition("arch.example.io", "v1", "Vaultlet", "vaultlets")
    bad = {"type": "Ready", "status": "False", "reason": "StoreUnreachable", "lastTransitionTime": "2026-10-05T07:00:00Z"}  # fmt: skip # noqa: E501
    small.add("arch.example.io/v1", "Vaultlet", "north", "data", spec={}, status={"conditions": [bad]})
    small.add("batch/v1", "CronJob", "web-backup", "shop", spec={"schedule": "0 2 * * *"}, status={})
    line = first(small, "are the backups of the vaultlets ok?")
    assert line.startswith("**No, Vaultlet data/north has a fault") and "StoreUnreachable" in line


def test_https_leads_to_what_fills_the_certificate(small: SmallCluster) -> None:
    ingress(small, "web", tls=[{"hosts": ["buy.example.com"], "secretName": "buy-tls"}])
    small.definition("certs.example.io", "v1", "Certificate", "certificates")
    bad = {"type": "Ready", "status": "False", "reason": "DoesNotExist", "message": "Secret does not exist", "lastTransitionTime": "2026-10-05T07:00:00Z"}  # fmt: skip # noqa: E501
    small.add("certs.example.io/v1", "Certificate", "buy", "shop", spec={"secretName": "buy-tls"}, status={"conditions": [bad]})  # fmt: skip # noqa: E501
    line = first(small, "https on front-door broken")
    assert "Ingress shop/front-door has a fault" in line and "Certificate shop/buy" in line


def test_rollout_is_a_thing_and_no_order(small: SmallCluster) -> None:
    alone(small, "cart", "shop", phase="Pending", state=waiting("ErrImageNeverPull"))
    assert "Nothing was done" not in ask(small, "rollout of cart since noon")
    assert "Nothing was done" not in ask(small, "deploy cart hangs")
    assert "Nothing was done" in ask(small, "rollout restart cart")


def test_how_often_a_job_runs_is_no_name(small: SmallCluster) -> None:
    failed = {"type": "Failed", "status": "True", "reason": "DeadlineExceeded", "lastTransitionTime": "2026-10-05T08:00:00Z"}  # fmt: skip # noqa: E501
    small.add("batch/v1", "Job", "load", "jobs", spec={"activeDeadlineSeconds": 600}, status={"conditions": [failed]})
    assert "Job jobs/load" in first(small, "nightly jobs ok?")


# --- what is only suspected -------------------------------------------------------------------------------------------


def resolver(small: SmallCluster, *ready: str) -> None:
    for name in ("dns-1", "dns-2"):
        small.pod(name, "kube-system", app="kube-dns", ready=name in ready)
    small.add("v1", "Service", "kube-dns", "kube-system",
              spec={"selector": {"app": "kube-dns"}, "clusterIP": "10.96.0.10", "ports": [{"port": 53}]})  # fmt: skip


def test_a_suspicion_of_dns_is_answered_for_dns_and_not_for_the_workload(small: SmallCluster) -> None:
    resolver(small, "dns-1", "dns-2")
    small.crashing("cart", "shop")
    line = first(small, "cart crashes with lookup errors, is dns down?")
    assert line == "**No: 2 of 2 pods behind Service kube-system/kube-dns are ready, so the cluster's DNS runs.**"
    assert "**Deployment shop/cart is not healthy" in ask(small, "cart crashes, is the network down?")


def test_a_resolver_that_is_down_is_said_to_be(small: SmallCluster) -> None:
    resolver(small)
    small.crashing("cart", "shop")
    assert first(small, "cart crashes, is dns working?").startswith("**No: 0 of 2 pods")


def test_a_suspected_lack_of_room_is_no_question_for_figures(small: SmallCluster) -> None:
    pending(small, "cart", "shop", "0/3 nodes are available: 3 Insufficient cpu.")
    for question in ("cart has one pod less, no capacity?", "capacity problem?"):
        answer = ask(small, question)
        assert "Pod shop/cart" in answer.splitlines()[0] and "**Free by requests**" not in answer
    assert "**Free by requests**" in ask(small, "is there capacity for one more replica of web?")


def test_maintenance_that_hangs_is_a_drain_that_hangs(small: SmallCluster) -> None:
    named(small, "Node", "node-a")["spec"]["unschedulable"] = True
    small.add("policy/v1", "PodDisruptionBudget", "web", "shop",
              spec={"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}},
              status={"currentHealthy": 2, "desiredHealthy": 2, "expectedPods": 2})  # fmt: skip
    assert "PodDisruptionBudget shop/web blocks the drain of node-a" in first(small, "maintenance hangs")


def test_a_claim_that_waits_for_its_pod_is_not_called_well(small: SmallCluster) -> None:
    pod = pending(small, "cart", "shop", "0/3 nodes are available: 3 Insufficient cpu.")
    pod["spec"]["volumes"] = [{"name": "d", "persistentVolumeClaim": {"claimName": "scratch"}}]
    claim = small.add("v1", "PersistentVolumeClaim", "scratch", "shop", spec={"storageClassName": "std"}, status={"phase": "Pending"})  # fmt: skip # noqa: E501
    small.add("storage.k8s.io/v1", "StorageClass", "std", provisioner="p", volumeBindingMode="WaitForFirstConsumer")
    small.event(claim, "WaitForPodScheduled", "waiting for pod to be scheduled", type="Normal")
    line = first(small, "pvc scratch is Pending, is storage down?")
    assert "PersistentVolumeClaim shop/scratch is not healthy" in line and "Insufficient" not in line
    assert f"Pod shop/{pod['metadata']['name']}" in line and not line.startswith(("**No", "**Yes"))


# --- neither well nor broken ------------------------------------------------------------------------------------------


def test_what_is_still_starting_is_called_neither_up_nor_down(small: SmallCluster) -> None:
    pod = alone(small, "cart", "shop", state={"running": {"startedAt": LATELY}})
    for kind in ("Deployment", "ReplicaSet", "Pod"):
        for one in small.things:
            if one["kind"] == kind and one["metadata"]["name"].startswith("cart"):
                one["metadata"]["creationTimestamp"] = LATELY
    pod["status"]["startTime"] = LATELY
    assert first(small, "is cart up?").startswith("**Deployment shop/cart is still starting (0 of 1 ready)")


def test_a_service_at_fault_is_not_among_what_still_works(small: SmallCluster) -> None:
    service = named(small, "Service", "web")
    service["spec"]["ports"] = [{"port": 80, "targetPort": "http-api"}]
    answer = ask(small, "web refuses connections")
    assert "Service shop/web" in answer.splitlines()[0] and "**Still working**" not in answer


def test_restarts_of_long_ago_are_told_with_their_age(small: SmallCluster) -> None:
    status = named(small, "Pod", "web-5d78c9869d-x2k4q")["status"]["containerStatuses"][0]
    status["restartCount"] = 7
    status["lastState"] = terminated(137, "OOMKilled")
    status["lastState"]["terminated"]["finishedAt"] = "2026-09-23T09:30:00Z"
    assert "7 restarts in all, the last 12d ago (OOMKilled)" in ask(small, "why does web restart")


# --- the second look --------------------------------------------------------------------------------------------------


def test_a_common_word_that_opens_the_sentence_is_a_name_where_one_bears_it(small: SmallCluster) -> None:
    small.crashing("orders", "shop")
    small.healthy("stock", "shop")
    assert "Deployment shop/orders is not healthy" in first(small, "orders times out talking to stock")


def test_a_policy_in_front_of_what_is_asked_about_is_told(small: SmallCluster) -> None:
    pod = small.crashing("cart", "shop")
    pod["spec"]["containers"][0]["env"] = [{"name": "WEB_URL", "value": "http://web"}]
    small.add("networking.k8s.io/v1", "NetworkPolicy", "wall", "shop",
              spec={"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Ingress"],
                    "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": "other"}}}]}]})  # fmt: skip
    assert "NetworkPolicy shop/wall" in first(small, "web is not reached any more, why?")


def test_an_operators_report_of_a_failed_command_is_no_order(small: SmallCluster) -> None:
    small.definition("helm.example.io", "v2", "HelmThing", "helmthings")
    words = "Helm upgrade failed for release shop/cart with chart cart@1.2.0: timed out waiting for the condition"
    bad = {"type": "Ready", "status": "False", "reason": "UpgradeFailed", "message": words, "lastTransitionTime": "2026-10-05T07:00:00Z"}  # fmt: skip # noqa: E501
    small.add("helm.example.io/v2", "HelmThing", "cart", "shop", spec={}, status={"conditions": [bad]})
    answer = ask(small, "is helmthing cart ok?")
    assert "Helm upgrade failed" in answer.splitlines()[0] and "Suspicious" not in answer and "is called" not in answer
    bad["message"] = "to repair it run helm uninstall cart"
    assert "helm uninstall" not in ask(small, "is helmthing cart ok?")


def test_the_word_before_nodes_is_no_namespace(small: SmallCluster) -> None:
    small.namespaces("gpu")
    name = pending(small, "cart", "shop", "0/3 nodes are available: 3 Insufficient cpu.")["metadata"]["name"]
    answer = ask(small, f"{name} Pending, gpu nodes are idle")
    assert f"Pod shop/{name} is not healthy" in answer.splitlines()[0] and "namespace gpu" not in answer


def test_a_part_of_a_name_with_another_ending_is_meant(small: SmallCluster) -> None:
    small.crashing("builder", "jobs")
    line = first(small, "build pods crash")
    assert " jobs/builder" in line and "is not healthy" in line


def test_a_node_is_asked_about_with_what_carries_its_network(small: SmallCluster) -> None:
    daemons = small.add("apps/v1", "DaemonSet", "proxy", "kube-system",
                        spec={"template": {"spec": {"containers": []}}},
                        status={"desiredNumberScheduled": 1, "numberReady": 0})  # fmt: skip
    small.pod("proxy-x2x2x", "kube-system", owner=daemons, ready=False, restarts=20, state=waiting("CrashLoopBackOff"),
              last=terminated(1), spec={"hostNetwork": True})  # fmt: skip
    line = first(small, "services unreachable from node-a only")
    assert "Pod kube-system/proxy-x2x2x" in line and "starting" not in line


def test_a_timeout_that_names_nobody_is_an_effect(small: SmallCluster) -> None:
    pod = small.crashing("cart", "shop")
    lines = 'E1120 reflector.go:158] failed to list: carts is forbidden: User "x" cannot list resource "carts"\n'
    small.log("shop", pod["metadata"]["name"], "cart", f"{lines}F1120 timed out waiting for cache to be synced\n", previous=True)  # fmt: skip # noqa: E501
    assert "is forbidden" in first(small, "why does cart crash")


def test_what_is_at_rest_is_called_that(small: SmallCluster) -> None:
    small.deployment("cart", "shop", replicas=0, ready=0)
    assert first(small, "is cart down?").startswith("**Deployment shop/cart is scaled to zero, so nothing of it runs")


def test_the_objects_of_a_kind_come_before_names_that_contain_its_word(small: SmallCluster) -> None:
    small.definition("keep.example.io", "v1", "Backup", "backups")
    bad = {"type": "Ready", "status": "False", "reason": "Failed", "lastTransitionTime": "2026-10-05T07:00:00Z"}
    small.add("keep.example.io/v1", "Backup", "friday", "data", spec={}, status={"conditions": [bad]})
    small.healthy("backup-ui", "shop")
    assert "Backup data/friday has a fault" in first(small, "did last night's backup work")


def test_of_two_names_the_one_said_first_is_asked_about(small: SmallCluster) -> None:
    daemons = small.crashing("node-agent", "shop")
    daemons["spec"]["dnsPolicy"] = "Default"
    small.healthy("collector", "shop")
    small.log("shop", daemons["metadata"]["name"], "node-agent", "FATAL lookup collector.shop on 10.0.0.2:53: no such host\n", previous=True)  # fmt: skip # noqa: E501
    answer = ask(small, "node-agent cannot resolve collector.shop")
    assert answer.startswith("**Deployment shop/node-agent is not healthy")
    assert "its dnsPolicy is Default" in answer.splitlines()[0] and "Set dnsPolicy ClusterFirst" in answer


def test_several_of_a_kind_of_name_mean_the_one_there_is(small: SmallCluster) -> None:
    small.crashing("load-importer", "jobs")
    assert " jobs/load-importer" in first(small, "importers?")


def test_no_word_after_name_is_a_name_but_a_name(small: SmallCluster) -> None:
    small.crashing("cart", "shop")
    assert "is called `not`" not in ask(small, "cart down, name not shown anywhere")


def test_a_topic_without_harm_is_not_taken_for_granted(small: SmallCluster) -> None:
    assert "for granted" not in ask(small, "is web scaling ok")
    assert "for granted" in ask(small, "why is web stuck scaling")
