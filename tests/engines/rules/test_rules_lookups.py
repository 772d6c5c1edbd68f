"""Lookups of a whole cluster: certificates, rollouts, runs, consumers, nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.fakes.rules_answers import ask, first, holds
from tests.fakes.small_clusters import SmallCluster, Thing

METRICS = "metrics.k8s.io/v1beta1"
RBAC = "rbac.authorization.k8s.io/v1"


@pytest.fixture
def empty(tmp_path: Path) -> SmallCluster:
    return SmallCluster(tmp_path / "snapshot")


# --- certificates ---------------------------------------------------------------------------------------------------


@pytest.fixture
def certificates(empty: SmallCluster) -> SmallCluster:
    """Two of an operator that nobody knows, one of which is over, and backups that have an end of their own."""
    empty.namespaces("front", "vault")
    empty.healthy("landing", "front")
    for name, host, end in (
        ("old-tls", "old.blau.example", "2026-10-04T09:30:00Z"),
        ("new-tls", "*.rot.example", "2026-10-25T09:30:00Z"),
        ("far-tls", "far.blau.example", "2027-03-01T00:00:00Z"),
    ):
        empty.add("pki.kiefer.example/v1", "ServerCertificate", name, "front",
                  spec={"dnsNames": [host], "secretName": f"{name}-pair"},
                  status={"notAfter": end, "conditions": [{"type": "Ready", "status": "True"}]})  # fmt: skip
    empty.definition("pki.kiefer.example", "v1", "ServerCertificate", "servercertificates")
    empty.definition("keep.kiefer.example", "v1", "Copy", "copies")
    empty.add(
        "keep.kiefer.example/v1", "Copy", "monday", "vault", spec={}, status={"expiresAt": "2026-10-06T00:00:00Z"}
    )
    return empty


@pytest.mark.parametrize(
    ("question", "says", "never"),
    [
        (
            "which certificates expire next?",
            ("Expired already", "old-tls (24h ago", "new-tls, on 2026-10-25"),
            ("monday",),
        ),
        ("do any certs expire within the next 2 weeks?", ("within 14 days none of 3",), ("monday",)),
        ("list the certificates that run out in the next month", ("within 31 days 1 of 3 ends", "new-tls"), ()),
        ("is any certificate expired?", ("Yes. Expired already", "old-tls"), ()),
        (
            "when does the cert of shop.rot.example run out?",
            ("new-tls is valid until 2026-10-25T09:30:00Z",),
            ("far-tls",),
        ),
        ("until when is the tls certificate for far.blau.example valid", ("valid until 2027-03-01",), ("new-tls",)),
        ("when does the cert of other.example.org expire", ("cannot be told", "other.example.org"), ("far-tls",)),
    ],
)
def test_certificates_are_listed_by_their_end(
    certificates: SmallCluster, question: str, says: tuple[str, ...], never: tuple[str, ...]
) -> None:
    holds(certificates, question, says, never)


def test_without_an_object_that_says_it_the_end_of_certificates_is_not_known(empty: SmallCluster) -> None:
    empty.namespaces("front")
    empty.healthy("landing", "front")
    holds(empty, "which certificates expire soon?", ("cannot be told", "Secrets are never read"))


# --- rollouts -------------------------------------------------------------------------------------------------------


@pytest.fixture
def rollouts(empty: SmallCluster) -> SmallCluster:
    empty.namespaces("press", "press-test")
    done = empty.deployment("printer", "press", replicas=2, revision=7)
    empty.replica_set(done, "aaaa", replicas=0, ready=0, image="registry.example.com/printer:1.3", revision=6)
    owner = empty.replica_set(done, "bbbb", replicas=2, ready=2, image="registry.example.com/printer:1.4", revision=7)
    for end in ("x2k4q", "m4nzp"):
        empty.pod(f"printer-bbbb-{end}", "press", owner=owner, app="printer", image="registry.example.com/printer:1.4")
    half = empty.deployment("binder", "press", replicas=2, revision=3)
    half["status"] |= {"updatedReplicas": 1, "replicas": 3}
    owner = empty.replica_set(half, "cccc", replicas=2, ready=2, revision=2)
    for end in ("p2k4q", "q4nzp"):
        empty.pod(f"binder-cccc-{end}", "press", owner=owner, app="binder")
    return empty


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (
            "did the printer rollout finish?",
            ("Yes: Deployment press/printer is at revision 7", "2 of 2 pods updated, 2 ready"),
        ),
        ("has the printer deployment completed", ("Yes:", "revision 7")),
        ("was printer rolled out successfully?", ("Yes:", "revision 7")),
        ("is the rollout of binder done?", ("No: Deployment press/binder is at revision 3, 1 of 2 pods updated",)),
        ("are all rollouts finished?", ("No: 1 of 2 workloads",)),
        ("which revision ran before the current one of printer?", ("revision 7", "revision 6", "printer:1.3")),
    ],
)
def test_a_rollout_is_done_or_not(rollouts: SmallCluster, question: str, says: tuple[str, ...]) -> None:
    holds(rollouts, question, says)


def test_a_rollout_that_a_fault_holds_up_is_a_no_and_a_diagnosis(empty: SmallCluster) -> None:
    empty.namespaces("press")
    pod = empty.crashing("folder", "press")
    empty.log("press", pod["metadata"]["name"], "folder", "FATAL no paper\n", previous=True)
    answer = ask(empty, "did the folder rollout finish?")
    assert first(answer).startswith("**No: Deployment press/folder is at revision 1, 1 of 1 pod updated, 0 ready")
    assert "**Evidence**" in answer and "no paper" in answer
    assert not first(ask(empty, "why does the folder rollout not finish?")).startswith("**No:")


# --- Jobs -----------------------------------------------------------------------------------------------------------


def _job(small: SmallCluster, name: str, space: str, start: str, end: str, *, owner: Thing | None = None,
         failed: str = "") -> None:  # fmt: skip
    kind = "Failed" if failed else "Complete"
    small.add("batch/v1", "Job", name, space, owner=owner, spec={"template": {"spec": {"containers": []}}},
              status={"startTime": start, "failed": 1 if failed else 0, "succeeded": 0 if failed else 1,
                      "conditions": [{"type": kind, "status": "True", "reason": failed,
                                      "lastTransitionTime": end}]})  # fmt: skip


@pytest.fixture
def runs(empty: SmallCluster) -> SmallCluster:
    empty.namespaces("books", "mail")
    cron = empty.add("batch/v1", "CronJob", "vault-dump", "books",
                     spec={"schedule": "0 4 * * *", "timeZone": "Europe/Berlin", "jobTemplate": {}},
                     status={"lastScheduleTime": "2026-10-05T02:00:00Z",
                             "lastSuccessfulTime": "2026-10-05T02:07:00Z"})  # fmt: skip
    _job(empty, "vault-dump-1", "books", "2026-10-05T02:00:00Z", "2026-10-05T02:07:00Z", owner=cron)
    empty.add("batch/v1", "CronJob", "weekly-digest", "mail", spec={"schedule": "0 8 * * 1", "jobTemplate": {}},
              status={"lastScheduleTime": "2026-09-28T08:00:00Z",
                      "lastSuccessfulTime": "2026-09-28T08:01:00Z"})  # fmt: skip
    _job(empty, "load-rates", "books", "2026-10-04T10:00:00Z", "2026-10-04T10:05:00Z", failed="DeadlineExceeded")
    _job(empty, "send-once", "mail", "2026-10-04T11:00:00Z", "2026-10-04T11:05:00Z")
    return empty


@pytest.mark.parametrize(
    ("question", "says", "never"),
    [
        ("when did the vault dump last succeed?", ("vault-dump last succeeded 7h23m ago (2026-10-05T02:07:00Z)",), ()),
        ("did last nights vault-dump run?", ("Yes: CronJob books/vault-dump last started", "succeeded"), ()),
        ("did the weekly digest run today?", ("No: not in the last 24 hours", "weekly-digest"), ("vault",)),
        (
            "how many failed jobs are in books?",
            ("1 of the 2 Jobs in namespace books has failed", "load-rates"),
            ("send",),
        ),
        ("which jobs failed and why?", ("1 of the 3 Jobs", "load-rates"), ()),
        ("any failed jobs in mail?", ("None of the 1 Job in namespace mail",), ()),
        ("which cronjobs do we have and when do they run next?", ("2 CronJobs", "`0 4 * * *`", "`0 8 * * 1`"), ()),
        ("did all cronjobs succeed?", ("Yes: 2 of 2 CronJobs", "succeeded at the last run"), ()),
        ("which cronjobs are suspended?", ("None of the 2 CronJobs",), ("vault",)),
        ("list the cron jobs in mail", ("1 CronJob in namespace mail", "weekly-digest"), ("vault",)),
    ],
)
def test_runs_are_told_by_their_times(
    runs: SmallCluster, question: str, says: tuple[str, ...], never: tuple[str, ...]
) -> None:
    holds(runs, question, says, never)


def test_a_time_zone_is_told_with_the_schedule(runs: SmallCluster) -> None:
    answer = ask(runs, "which cronjobs do we have?")
    assert "in time zone Europe/Berlin (04:00 there is 02:00 UTC)" in answer
    assert "DeadlineExceeded" in ask(runs, "which jobs failed and why?")
    answer = ask(runs, "why didn't vault-dump run at 4 this morning?")
    assert "last started 7h30m ago (2026-10-05T02:00:00Z)" in first(answer)
    assert "looks healthy" in answer


# --- consumers and nodes --------------------------------------------------------------------------------------------


def _used(small: SmallCluster, pod: str, space: str, memory: str, cpu: str = "10m") -> None:
    small.add(METRICS, "PodMetrics", pod, space, timestamp="2026-10-05T09:29:50Z", window="15s",
              containers=[{"name": "main", "usage": {"cpu": cpu, "memory": memory}}])  # fmt: skip


@pytest.fixture
def loaded(empty: SmallCluster) -> SmallCluster:
    empty.namespaces("field", "barn")
    for name, space, node, memory, cpu in (
        ("tractor", "field", "node-a", "9Gi", "100m"),
        ("plough", "field", "node-b", "1Gi", "900m"),
        ("cow", "barn", "node-a", "2Gi", "50m"),
    ):
        deployment = empty.deployment(name, space)
        owner = empty.replica_set(deployment, "5d78c9869d")
        pod = f"{name}-5d78c9869d-x2k4q"
        made = empty.pod(pod, space, owner=owner, app=name, container="main", spec={"nodeName": node})
        made["spec"]["containers"][0]["resources"] = {"requests": {"memory": "512Mi"}}
        _used(empty, pod, space, memory, cpu)
    for node, memory in (("node-a", "12Gi"), ("node-b", "3Gi"), ("node-c", "1Gi")):
        empty.add(METRICS, "NodeMetrics", node, timestamp="2026-10-05T09:29:50Z", window="15s",
                  usage={"cpu": "1", "memory": memory})  # fmt: skip
    return empty


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (
            "what is the biggest memory consumer?",
            ("tractor-5d78c9869d-x2k4q uses the most memory in the cluster: 9Gi",),
        ),
        ("which pods use the most cpu", ("plough-5d78c9869d-x2k4q uses the most cpu", "900m")),
        ("who eats the memory on node-b?", ("plough-5d78c9869d-x2k4q uses the most memory on Node node-b: 1Gi",)),
        (
            "which pods use more memory than they request?",
            ("3 containers in the cluster use more", "tractor", "(1800%)"),
        ),
        ("top memory consumers in barn", ("cow-5d78c9869d-x2k4q uses the most memory in namespace barn: 2Gi",)),
        ("which namespace uses the most memory?", ("Namespace field uses the most memory in the cluster: 10Gi",)),
        (
            "which node has the most free memory?",
            ("Node node-c has the most memory free: 16Gi of 16Gi (100%)", "by use Node node-c: 15Gi of 16Gi (94%)"),
        ),
        ("which nodes have more than half of their memory used", ("1 of 3 nodes has more than 50%", "node-a (75%)")),
        (
            "which nodes have less than 20% memory used?",
            ("2 of 3 nodes have less than 20%", "node-b (19%)", "node-c (6%)"),
        ),
    ],
)
def test_consumers_are_ranked_by_the_figures(loaded: SmallCluster, question: str, says: tuple[str, ...]) -> None:
    holds(loaded, question, says)


def test_without_figures_requests_are_told_and_that_there_are_none(loaded: SmallCluster) -> None:
    loaded.things = [one for one in loaded.things if one["apiVersion"] != METRICS]
    holds(loaded, "what uses the most memory?", ("cannot be told", "no usage figures", "reserves the most, 512Mi"))
    holds(loaded, "which node has the most free memory?", ("by requests (there are no usage figures)", "node-c"))


def test_where_one_namespace_was_read_nothing_is_said_of_the_others(loaded: SmallCluster) -> None:
    context = Context(loaded.open(), namespace="barn", narrowed=True)
    finished = list(make_rules().run(Conversation("", "", "what uses the most memory?", ()), Toolbox(context), 8))[-1]
    assert isinstance(finished, Finished)
    assert "cow-5d78c9869d-x2k4q uses the most memory in namespace barn" in finished.text
    for question, says in (
        ("which node has the most cpu requested?", "cannot be told (only namespace barn was read)"),
        ("who holds host port 9443?", "(only namespace barn was read)"),
    ):
        context = Context(loaded.open(), namespace="barn", narrowed=True)
        finished = list(make_rules().run(Conversation("", "", question, ()), Toolbox(context), 8))[-1]
        assert isinstance(finished, Finished)
        assert says in finished.text


def test_why_memory_is_used_is_no_question_for_a_list(loaded: SmallCluster) -> None:
    assert "uses the most" not in first(ask(loaded, "why does tractor use so much memory?"))


@pytest.fixture
def nodes(empty: SmallCluster) -> SmallCluster:
    empty.namespaces("field")
    empty.healthy("tractor", "field")
    first_node, second, third = empty.things[:3]
    for node, zone, arch in (
        (first_node, "north-1", "amd64"),
        (second, "north-2", "arm64"),
        (third, "north-2", "amd64"),
    ):
        node["metadata"]["labels"] |= {"topology.kubernetes.io/zone": zone, "farm.example/pool": f"pool-{arch}"}
        node["status"]["nodeInfo"]["architecture"] = arch
    second["spec"] = {
        "unschedulable": True,
        "taints": [
            {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": "2026-10-05T07:30:00Z"}
        ],
    }
    return empty


@pytest.mark.parametrize(
    ("question", "says", "never"),
    [
        ("is any node cordoned?", ("Yes: 1 of 3 nodes is cordoned: node-b (since 120m)",), ()),
        ("which nodes are unschedulable", ("1 of 3 nodes is cordoned: node-b",), ("node-a",)),
        ("who cordoned node-b and why?", ("Node node-b is cordoned (since 120m)", "audit log"), ()),
        ("who cordoned node-a?", ("Nobody: Node node-a is not cordoned",), ()),
        ("which zones are our nodes in?", ("north-1: node-a", "north-2: node-b, node-c"), ()),
        ("which nodes are in north-2", ("2 of 3 nodes fit `north-2`: node-b, node-c",), ("node-a",)),
        ("which of our nodes are arm?", ("1 of 3 nodes fits `arm`: node-b",), ("node-a",)),
        ("are there any windows nodes", ("None of 3 nodes fit `windows`",), ()),
        ("list the nodes by pool", ("pool-amd64: node-a, node-c", "pool-arm64: node-b"), ()),
        ("since when is node-b cordoned?", ("Node node-b is cordoned (since 120m)",), ("Yes",)),
        ("which pods run on arm nodes?", ("0 pods that can be read are on node-b (arm)",), ("fits `arm`",)),
        ("which pods run in north-1?", ("1 pod that can be read is on node-a (north-1)",), ()),
        ("which workloads use host network?", ("None of the 1 workload",), ()),
        ("how many nodes are ready?", ("3 of 3 nodes are ready",), ()),
        ("which nodes are tainted?", ("1 of 3 nodes has taints: node-b",), ()),
    ],
)
def test_nodes_are_listed_by_what_they_are(
    nodes: SmallCluster, question: str, says: tuple[str, ...], never: tuple[str, ...]
) -> None:
    holds(nodes, question, says, never)
