"""Every scenario is a cluster that could be: what belongs together agrees, and the words are those of its version."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubectl_berth.errors import ReadError
from kubectl_berth.evals.faithful.events import SPOKEN
from kubectl_berth.evals.faithful.rules import RULES, oddities
from kubectl_berth.evals.faithful.world import World, condition, ident, label, ready
from tests.scenarios.world import world, worlds

SPEAKS_MUCH = ("pending-no-capacity", False)
VERSIONS = ("v1.30.3", "v1.31.4", "v1.32.6", "v1.33.5", "v1.34.2", "v1.35.3", "v1.36.2")


def shown(key: tuple[Any, ...]) -> str:
    """A world's name in the test's."""
    name, twin, *version = key
    return "-".join([name, *(["twin"] if twin else []), *version])


each = pytest.mark.parametrize("here", worlds(), ids=shown, indirect=True)


@pytest.fixture(scope="module")
def here(request: pytest.FixtureRequest) -> World:
    """The world of a test. Of module scope, so that all tests of one world run together."""
    return world(*request.param)


@pytest.mark.parametrize("here", [key for key in worlds() if not key[1]], ids=shown, indirect=True)
def test_could_be_a_cluster(here: World) -> None:
    assert list(oddities(here)) == []


@pytest.mark.nightly
@pytest.mark.parametrize("here", [key for key in worlds() if key[1]], ids=shown, indirect=True)
def test_a_twin_could_be_a_cluster(here: World) -> None:
    assert list(oddities(here)) == []


def spoken(*versions: str) -> pytest.MarkDecorator:
    """Every world in the words of these versions."""
    told = [(*key, version) for key in worlds() for version in versions]
    return pytest.mark.parametrize("here", told, ids=shown, indirect=True)


def words(here: World) -> list[str]:
    """What is odd about the words and nodes of a world for its version."""
    return [found for rule in SPOKEN for found in RULES[rule](here)]


@pytest.mark.parametrize("here", [(*SPEAKS_MUCH, version) for version in VERSIONS], ids=shown, indirect=True)
def test_words_and_nodes_are_those_of_the_version(here: World) -> None:
    assert words(here) == []


@pytest.mark.nightly
@spoken(*VERSIONS)
def test_words_and_nodes_are_those_of_every_version(here: World) -> None:
    assert words(here) == []


# --- what only the shipped ones keep to -----------------------------------------------------------------------------


@each
def test_what_is_withheld_stays_withheld(here: World) -> None:
    assert "CANARY" not in json.dumps(list(here.all()))


@each
def test_deployments_have_a_past(here: World) -> None:
    for owner in here.kind("Deployment"):
        assert len(here.owned(owner, "ReplicaSet")) > 1, ident(owner)


@each
def test_a_container_that_never_ended_has_no_previous_log(here: World) -> None:
    for pod in here.kind("Pod"):
        for entry in pod["status"].get("containerStatuses", []):
            if not entry["lastState"]:
                where = pod["metadata"]["name"], pod["metadata"]["namespace"], entry["name"]
                with pytest.raises(ReadError, match=r"previous terminated container|is forbidden"):
                    here.cluster.log(*where, previous=True)


@each
def test_custom_resources_count_their_instances(here: World) -> None:
    for cluster in here.kind("Cluster"):
        pods, status = here.owned(cluster, "Pod"), cluster["status"]
        assert status["instances"] == cluster["spec"]["instances"] == len(pods)
        assert status["readyInstances"] == sum(map(ready, pods))
        assert (condition(cluster, "Ready")["status"] == "True") is all(map(ready, pods))
        primary = [pod for pod in pods if label(pod, "cnpg.io/instanceRole") == "primary"]
        assert [pod["metadata"]["name"] for pod in primary] == [status["currentPrimary"]]
