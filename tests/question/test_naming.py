"""Names told from words: contractions, places in words, kinds in words, and words that only stand where names do."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.question.understand import Understanding, understand
from kubectl_berth.records import Ref
from tests.fakes.small_clusters import SmallCluster


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallCluster:
    cluster = SmallCluster(tmp_path_factory.mktemp("names") / "snapshot")
    cluster.namespaces("cellar", "uk-prod", "de-prod", "stg", "letter", "kiosk-platform")
    cluster.healthy("cart", "cellar")
    cluster.healthy("wine-importer", "cellar")
    cluster.healthy("dongle", "cellar")
    for space in ("uk-prod", "de-prod", "stg"):
        cluster.healthy("tills", space)
    cluster.definition("mesh.example.io", "v1", "RoutePolicy", "routepolicies")
    cluster.definition("mesh.example.io", "v1", "SinkConnector", "sinkconnectors")
    for name in ("left", "right"):
        cluster.add("mesh.example.io/v1", "RoutePolicy", name, "cellar", spec={}, status={})
    cluster.add("mesh.example.io/v1", "SinkConnector", "orders-out", "cellar", spec={}, status={})
    cluster.healthy("route-policies", "cellar")
    cluster.open()
    return cluster


def asked(small: SmallCluster, text: str) -> Understanding:
    return understand(text, small.open(), namespace="default", narrowed=False)


@pytest.mark.parametrize(
    "text",
    [
        "cant log in, dont know since when, it doesnt say",
        "why wont it start, it isnt new and wasnt changed",
        "whats wrong, thats bad, its slow and hasnt been",
        "we havent changed it, it couldnt and wouldnt and didnt and arent",
    ],
)
def test_contractions_without_their_apostrophe_name_nothing(small: SmallCluster, text: str) -> None:
    found = asked(small, text)
    assert (found.subjects, found.missing, found.unrecognised) == ((), (), ())


def test_contractions_are_read_as_they_are_usually_written(small: SmallCluster) -> None:
    assert asked(small, "Cant reach `cant` in cant-stop, it dont work").text == (
        "Can't reach `cant` in cant-stop, it don't work"
    )
    assert asked(small, "why dose it fail").text == "why does it fail"
    assert asked(small, "it doesn’t").text == "it doesn't"


@pytest.mark.parametrize(
    ("text", "space"),
    [
        ("are the tills ok in uk prod?", "uk-prod"),
        ("why are tills down in the production uk namespace", "uk-prod"),
        ("is tills up in prod-de?", "de-prod"),
        ("uk production tills are down", "uk-prod"),
        ("is tills in staging broken?", "stg"),
        ("what is wrong with staging/tills", "stg"),
        ("what is wrong in the kiosk platform namespace", "kiosk-platform"),
    ],
)
def test_a_namespace_is_known_by_the_pieces_of_its_name(small: SmallCluster, text: str, space: str) -> None:
    found = asked(small, text)
    assert {ref.namespace for ref in found.subjects} <= {space}
    assert space in (*found.namespaces, *(ref.namespace for ref in found.subjects))


@pytest.mark.parametrize("text", ["are tills ok in production?", "tills fail in prod"])
def test_a_word_that_fits_several_namespaces_or_half_of_one_is_none_of_them(small: SmallCluster, text: str) -> None:
    assert asked(small, text).namespaces == ()


def test_a_namespace_written_before_a_slash_has_to_exist(small: SmallCluster) -> None:
    found = asked(small, "is prod/tills ok?")
    assert found.unknown_namespaces == ("prod",)
    assert found.subjects == () and {ref.name for ref in found.elsewhere} == {"tills"}
    assert asked(small, "read/write of cart is slow").unknown_namespaces == ()


@pytest.mark.parametrize(
    "text",
    [
        "would a fifth node help cart?",
        "can i restart cart without dropping sessions or leaking pods",
        "which namespaces enforce privileged pod security?",
        "the p95 of cart is bad",
        "adding another sharding job to cart",
        "show the evicted pods",
        "are the leaking pods of cart gone?",
    ],
)
def test_what_only_says_what_a_thing_is_like_is_no_missing_name(small: SmallCluster, text: str) -> None:
    found = asked(small, text)
    assert found.missing == () and found.unknown_namespaces == ()


@pytest.mark.parametrize(
    "text", ["why is the ledger service down", "is payer deployment ok", "my billing service fails"]
)
def test_a_name_before_its_kind_is_still_missed(small: SmallCluster, text: str) -> None:
    assert len(asked(small, text).missing) == 1


def test_a_word_that_may_be_a_name_or_not_is_told_apart(small: SmallCluster) -> None:
    found = asked(small, "people say sampling job hangs")
    assert (found.missing, found.doubtful) == ((), ("sampling",))


def test_two_words_of_one_verb_mean_the_same_thing(small: SmallCluster) -> None:
    assert asked(small, "importing is stuck").subjects[0] == Ref("Deployment", "cellar", "wine-importer")
    assert asked(small, "donation is stuck").subjects == ()


@pytest.mark.parametrize(
    "text", ["which route policies fail", "are the routepolicies ok?", "what about route policies"]
)
def test_a_kind_in_words_means_its_objects(small: SmallCluster, text: str) -> None:
    found = asked(small, text)
    assert {ref.kind for ref in found.subjects} == {"RoutePolicy"} and len(found.subjects) == 2
    assert found.of_kinds == ("RoutePolicy",)


def test_a_name_is_no_kind_in_words(small: SmallCluster) -> None:
    assert asked(small, "is route-policies ok?").subjects[0].kind == "Deployment"
    assert asked(small, "the connector fails").subjects == (Ref("SinkConnector", "cellar", "orders-out"),)
    assert asked(small, "orders-out connector fails").missing == ()


def test_a_word_alike_to_a_namespace_means_what_is_in_it(small: SmallCluster) -> None:
    found = asked(small, "letters do not arrive")
    assert (found.subjects, found.namespaces, found.mentioned) == ((), ("letter",), ("letter",))
    assert asked(small, "what fails in letter").mentioned == ()


def test_a_node_that_is_called_like_software_is_none(tmp_path: Path) -> None:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("vault")
    cluster.node("db-7")
    cluster.add("batch/v1", "CronJob", "my-dump", "vault", spec={"schedule": "0 3 * * *"}, status={})
    cluster.add("batch/v1", "CronJob", "sql-backup", "vault", spec={"schedule": "0 2 * * *"}, status={})
    found = understand("latest db backup is old", cluster.open(), namespace="default", narrowed=False)
    assert Ref("CronJob", "vault", "sql-backup") in found.subjects
    assert not [ref for ref in found.subjects if ref.kind == "Node"]
