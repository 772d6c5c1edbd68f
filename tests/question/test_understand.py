"""What questions name, on a small cluster with the traps that names set."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kubectl_berth.question.understand import Understanding, understand
from kubectl_berth.records import Ref
from tests.fakes.small_clusters import SmallCluster


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallCluster:
    cluster = SmallCluster(tmp_path_factory.mktemp("names") / "snapshot")
    cluster.namespaces("shop", "data", "finance", "test-57", "app-57", "stage")
    cluster.healthy("checkout", "shop", replicas=2)
    cluster.healthy("api", "shop", replicas=2)
    cluster.healthy("api", "finance")
    cluster.healthy("api", "stage")
    cluster.healthy("report-generator", "finance")
    cluster.healthy("ledger", "finance")
    cluster.healthy("video-streamer", "test-57")
    cluster.healthy("node-exporter", "stage")
    cluster.definition("sql.acme-data.io", "v1", "Cluster", "clusters")
    cluster.definition("sql.acme-data.io", "v1", "Backup", "backups")
    owner = cluster.add("sql.acme-data.io/v1", "Cluster", "ledger-db", "data", spec={"instances": 3}, status={})
    cluster.add("sql.acme-data.io/v1", "Backup", "ledger-db-20261004", "data", spec={}, status={})
    for number in (1, 2, 3):
        cluster.pod(f"ledger-db-{number}", "data", owner=owner, app="ledger-db", image="ghcr.io/acme/postgresql:16")
    cluster.add("batch/v1", "CronJob", "nightly-backup", "finance", spec={"schedule": "0 2 * * *"}, status={})
    cluster.healthy("sessions", "shop", image="docker.io/library/redis:7.2")
    cluster.open()
    return cluster


def asked(small: SmallCluster, text: str, namespace: str = "default", narrowed: bool = False) -> Understanding:
    return understand(text, small.open(), namespace=namespace, narrowed=narrowed)


CHECKOUT = Ref("Deployment", "shop", "checkout")
LEDGER = Ref("Cluster", "data", "ledger-db")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("why is checkout slow", CHECKOUT),
        ("Why is Checkout failing?", CHECKOUT),
        ("checkout's rollout seems stuck", CHECKOUT),
        ("why is deploy/checkout stuck?", CHECKOUT),
        ("why is shop/checkout stuck?", CHECKOUT),
        ("what is wrong with deployment.apps/checkout", CHECKOUT),
        ("what is wrong with shop/deployment/checkout", CHECKOUT),
        ("The checkout pod in the shop namespace keeps restarting.", CHECKOUT),
        ("is `checkout` ok?", CHECKOUT),
        ("checkout-5d78c9869d-x2k4q is not ready", Ref("Pod", "shop", "checkout-5d78c9869d-x2k4q")),
        ("why does checkout-5d78c9869d-zzzzz restart", CHECKOUT),
        ("the checkout service gives 503", Ref("Service", "shop", "checkout")),
        ("503 from http://checkout.shop.svc.cluster.local/", Ref("Service", "shop", "checkout")),
        ("is checkout.shop reachable", Ref("Service", "shop", "checkout")),
        ("why is the api in finance down", Ref("Deployment", "finance", "api")),
        ("why is api down in ns finance", Ref("Deployment", "finance", "api")),
        ("api -n finance broken?", Ref("Deployment", "finance", "api")),
        ("My new report generator has been Pending", Ref("Deployment", "finance", "report-generator")),
        ("report-generators crash", Ref("Deployment", "finance", "report-generator")),
        ("Is the ledger database healthy? I don't remember which operator manages it", LEDGER),
        ("why is ledger-db unhealthy", LEDGER),
        ("why is ledger down", Ref("Deployment", "finance", "ledger")),
        ("is ledger-db-3 up?", Ref("Pod", "data", "ledger-db-3")),
        ("is node-b NotReady", Ref("Node", "", "node-b")),
        ("I'm draining node-b for maintenance", Ref("Node", "", "node-b")),
        ("the nightly-backup cronjob is failing since Friday", Ref("CronJob", "finance", "nightly-backup")),
        ("is the backup job ok?", Ref("CronJob", "finance", "nightly-backup")),
        ("video-streamer crashes", Ref("Deployment", "test-57", "video-streamer")),
    ],
)  # fmt: skip
def test_the_object_asked_about_comes_first(small: SmallCluster, text: str, first: Ref) -> None:
    found = asked(small, text)
    assert found.subjects, found
    assert found.subjects[0] == first


@pytest.mark.parametrize(
    "text",
    [
        "Is anything broken in my cluster right now?",
        "everything in shop is red",
        "what is wrong in the finance namespace?",
        "shop is broken, what's wrong?",
        "nothing in shop can resolve names",
        "Can I safely remove one of the three nodes to save money?",
        "what happened at 03:10?",
    ],
)
def test_no_object_is_made_up_where_none_is_named(small: SmallCluster, text: str) -> None:
    found = asked(small, text)
    assert not [ref for ref in found.subjects if ref.kind != "Namespace"], found
    assert not found.missing


def test_namespaces_are_told_from_names(small: SmallCluster) -> None:
    assert asked(small, "everything in shop is red").namespaces == ("shop",)
    assert asked(small, "shop is broken, what's wrong?").namespaces == ("shop",)
    assert asked(small, "what fails in shop and finance?").namespaces == ("shop", "finance")
    assert asked(small, "what fails in the finance namespace").namespaces == ("finance",)
    assert asked(small, "what fails in the nosuch-place namespace").unknown_namespaces == ("nosuch-place",)


def test_a_name_in_another_namespace_is_found_there(small: SmallCluster) -> None:
    found = asked(small, "why does video-streamer in app-57 not start?")
    assert not found.subjects
    assert found.elsewhere[0] == Ref("Deployment", "test-57", "video-streamer")
    assert found.namespaces == ("app-57",)


def test_a_name_that_exists_nowhere_is_said_with_the_nearest(small: SmallCluster) -> None:
    found = asked(small, "why is the checkot deployment failing?")
    assert not found.subjects
    assert found.missing == ("checkot",)
    assert CHECKOUT in found.near
    assert asked(small, "why does payment-router crash?").missing == ("payment-router",)


def test_an_ambiguous_name_gives_every_bearer_and_the_own_namespace_first(small: SmallCluster) -> None:
    found = asked(small, "is api ok?", namespace="stage")
    deployments = [ref for ref in found.subjects if ref.kind == "Deployment"]
    assert deployments == [Ref("Deployment", space, "api") for space in ("stage", "finance", "shop")]


def test_a_slip_of_the_pen_is_told_from_a_name_that_is_not_there(small: SmallCluster) -> None:
    found = asked(small, "why does chekout fail")
    assert found.missing == ("chekout",)
    assert CHECKOUT in found.likely
    assert asked(small, "why does payment-router fail").likely == ()


def test_a_common_word_is_a_name_where_a_workload_bears_it(tmp_path: Path) -> None:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("shop", "kube-system")
    cluster.healthy("orders", "shop")
    cluster.healthy("status", "shop")
    cluster.healthy("coredns", "kube-system")
    found = understand("orders shows CreateContainerConfigError", cluster.open(), namespace="shop", narrowed=False)
    assert found.subjects[0] == Ref("Deployment", "shop", "orders")
    cluster.healthy("billing", "shop")
    found = understand("what is the status of billing?", cluster.open(), namespace="shop", narrowed=False)
    assert {ref.name for ref in found.subjects} == {"billing"}
    found = understand("nothing in shop resolves, is CoreDNS down?", cluster.open(), namespace="shop", narrowed=False)
    assert found.subjects[0] == Ref("Deployment", "kube-system", "coredns")
    assert found.namespaces == ("shop",)
    assert not found.elsewhere


def test_narrowing_confines_the_search(small: SmallCluster) -> None:
    found = asked(small, "is api ok?", namespace="finance", narrowed=True)
    assert {ref.namespace for ref in found.subjects} == {"finance"}
    assert found.namespaces == ("finance",)


def test_an_operators_object_comes_with_its_api_version(small: SmallCluster) -> None:
    found = asked(small, "why is ledger-db unhealthy")
    assert found.apis[Ref("Cluster", "data", "ledger-db")] == "sql.acme-data.io/v1"


def test_databases_are_found_by_what_they_are(small: SmallCluster) -> None:
    found = asked(small, "Are my databases highly available?")
    assert Ref("Cluster", "data", "ledger-db") in found.subjects
    assert Ref("Deployment", "shop", "sessions") in found.subjects
    assert Ref("Deployment", "shop", "checkout") not in found.subjects
    assert not [ref for ref in found.subjects if ref.kind == "Backup"]


@pytest.mark.parametrize(
    "text",
    [
        "the over-committed node pool",
        "a read-only follow-up",
        "is it crash-looping",
        "the right-sizing of v2.4.1-rc at 10:30",
    ],
)
def test_hyphenated_english_is_no_missing_name(small: SmallCluster, text: str) -> None:
    assert asked(small, text).missing == ()


@pytest.mark.parametrize(
    "word", ["mysql", "memcached", "mongodb", "rabbitmq", "mariadb", "kafka", "postgresql in shop"]
)
def test_a_product_is_no_other_of_its_kind(small: SmallCluster, word: str) -> None:
    for text in (f"is {word} ok?", f"is the {word} healthy", f"why is {word} down"):
        found = asked(small, text)
        assert found.subjects == ()
        assert found.absent == (word.split()[0],)
    assert asked(small, "is mysql ok?").kindred


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("is redis ok?", "sessions"),
        ("is the redis cache ok?", "sessions"),
        ("is the cache ok?", "sessions"),
        ("is postgres ok?", "ledger-db"),
        ("is the postgresql database ok?", "ledger-db"),
    ],
)
def test_a_product_is_known_by_its_image(small: SmallCluster, text: str, name: str) -> None:
    found = asked(small, text)
    assert [ref.name for ref in found.subjects] == [name]
    assert found.absent == ()


def test_any_software_is_known_by_its_image_or_label(tmp_path: Path) -> None:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("shop")
    cluster.healthy("search", "shop", image="docker.elastic.co/elasticsearch/elasticsearch:8.15.0")
    chart = cluster.healthy("keys", "shop")
    chart["metadata"]["labels"]["helm.sh/chart"] = "vault-0.28.1"
    for word, name in (("elasticsearch", "search"), ("vault", "keys")):
        found = understand(f"is {word} ok?", cluster.open(), namespace="default", narrowed=False)
        assert [ref.name for ref in found.subjects] == [name]


LOG = "\n".join(
    f"2026-10-05T09:{n:02d}:12.{n:03d}Z ERROR a.b.PayClient req-{n:04x}ab failed trace_id={n * 7919:016x} "
    f"pod=checkout-5d78c9869d-x2k4q upstream http://billing-v{n}.shop.svc:8080/v1 at line-{n}"
    for n in range(30)
)


def test_nothing_in_pasted_output_is_missed(small: SmallCluster) -> None:
    for joined in ("\n", " "):
        text = joined.join(("why is checkout failing? its log:", *LOG.splitlines()))
        found = asked(small, text)
        assert found.subjects[0] == CHECKOUT
        assert found.missing == ()


@pytest.mark.parametrize("word", ["2026-10-05T09:30:00Z", "4f3a9b1c2d", "d41d8cd98f00b204e9800998ecf8427e"])
def test_times_and_hashes_are_no_names(small: SmallCluster, word: str) -> None:
    assert asked(small, f"what is wrong with checkout since {word}?").missing == ()


def test_a_name_before_pasted_output_is_missed_all_the_same(small: SmallCluster) -> None:
    assert asked(small, f"why does billing-api-7 fail?\n{LOG}").missing == ("billing-api-7",)


def test_a_very_long_text_is_understood_in_little_time(small: SmallCluster) -> None:
    words = " ".join(f"w{'abcdefghij'[n % 10]}x{'klmnopqrst'[n // 10 % 10]}y" for n in range(11000))
    started = time.process_time()
    found = asked(small, f"why is checkout failing? {words} and is shop/api ok?")
    assert time.process_time() - started < 3
    assert {CHECKOUT, Ref("Deployment", "shop", "api")} <= set(found.subjects)


@pytest.mark.parametrize("word", ["cassandra", "solace", "vitess"])
def test_software_that_a_word_beside_its_kind_names_is_no_other(small: SmallCluster, word: str) -> None:
    found = asked(small, f"is the {word} database ok?")
    assert (found.subjects, found.absent) == ((), (word,))
    assert LEDGER in found.kindred


@pytest.mark.parametrize("text", ["is the main database ok?", "is our database ok?", "is the pg database ok?"])
def test_a_word_that_only_points_at_the_database_names_none(small: SmallCluster, text: str) -> None:
    found = asked(small, text)
    assert found.absent == () and LEDGER in found.subjects
