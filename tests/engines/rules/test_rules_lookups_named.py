"""Lookups by the plain words of a question: places that are objects, creation times, bounds, ended pods, rights."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.rules_answers import ask, first
from tests.fakes.small_clusters import SmallCluster

RBAC = "rbac.authorization.k8s.io/v1"


@pytest.fixture
def empty(tmp_path: Path) -> SmallCluster:
    small = SmallCluster(tmp_path / "snapshot")
    small.namespaces("harbor-ops", "pier")
    return small


def test_in_an_object_is_no_namespace(empty: SmallCluster) -> None:
    empty.healthy("crane-feed", "pier", replicas=2, image="registry.example.com/crane-feed:4.2")
    assert "pier/crane-feed runs registry.example.com/crane-feed:4.2" in first(
        ask(empty, "which image runs in crane-feed")
    )
    assert "2 exist now, 2 ready" in first(ask(empty, "how many pods run in crane-feed"))
    assert "There is no namespace crane-food" in first(ask(empty, "which pods run in crane-food"))


def test_any_kind_has_a_day_on_which_it_was_made(empty: SmallCluster) -> None:
    empty.healthy("crane-feed", "pier")
    empty.add("networking.k8s.io/v1", "NetworkPolicy", "pier-fence", "pier",
              spec={"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{}]})  # fmt: skip
    for question in ("when was pier-fence put in place", "when was the networkpolicy pier-fence created?",
                     "since when does pier-fence exist"):  # fmt: skip
        assert "NetworkPolicy pier/pier-fence was created 25h ago (2026-10-04T08:00:00Z)" in first(ask(empty, question))
    assert "Deployment pier/crane-feed was created 25h ago" in first(ask(empty, "since when does crane-feed exist?"))


def test_how_much_one_container_may_take(empty: SmallCluster) -> None:
    empty.add("v1", "LimitRange", "berth-bounds", "pier",
              spec={"limits": [{"type": "Container", "max": {"memory": "768Mi"}, "min": {"cpu": "20m"}}]})  # fmt: skip
    for question in (
        "how much memory can a container in pier take at most?",
        "what does the limit range in pier allow",
    ):
        assert "768Mi" in first(ask(empty, question))
    assert "No LimitRange in namespace pier bounds the memory of a single pod" in first(
        ask(empty, "how much memory can one pod in pier get at most")
    )


def test_ended_pods_are_listed_in_a_healthy_cluster(empty: SmallCluster) -> None:
    empty.healthy("crane-feed", "pier")
    assert first(ask(empty, "were any pods evicted?")).startswith("**No: no pod that can be read was evicted")
    gone = empty.pod("crane-feed-old", "pier", ready=False, phase="Failed")
    gone["status"].update(reason="Evicted", message="The node was low on resource: ephemeral-storage.")
    gone["status"]["containerStatuses"] = []
    gone["metadata"]["creationTimestamp"] = gone["status"]["startTime"] = "2026-09-20T08:00:00Z"
    assert "1 pod that can be read was evicted: Pod pier/crane-feed-old (Evicted" in first(
        ask(empty, "which pods were evicted?")
    )
    assert first(ask(empty, "were any pods in pier evicted?")).startswith("**Yes: 1 pod in namespace pier was evicted")


def test_failing_pods_are_diagnosed_not_listed(empty: SmallCluster) -> None:
    empty.crashing("winch", "pier")
    assert "winch" in first(ask(empty, "are there failed pods?"))
    assert "**Evidence**" in ask(empty, "are there failed pods?")


def test_the_rights_of_the_account_behind_a_name(empty: SmallCluster) -> None:
    deployment = empty.healthy("buoy-manager", "harbor-ops")
    for one in empty.things:
        for spec in (one.get("spec", {}), one.get("spec", {}).get("template", {}).get("spec", {})):
            if "containers" in spec:
                spec["serviceAccountName"] = "buoy-manager"
    assert deployment
    empty.add(RBAC, "ClusterRole", "buoys", rules=[{"apiGroups": ["sea.example"], "resources": ["buoys"],
                                                   "verbs": ["list", "watch"]}])  # fmt: skip
    empty.add(RBAC, "ClusterRoleBinding", "buoys", roleRef={"kind": "ClusterRole", "name": "buoys"},
                        subjects=[{"kind": "ServiceAccount", "name": "buoy-manager",
                         "namespace": "harbor"}])  # fmt: skip
    question = "may the service account of buoy-manager list buoys?"
    answer = ask(empty, question)
    assert first(answer).startswith("**No: no rule bound to ServiceAccount harbor-ops/buoy-manager")
    assert "names ServiceAccount harbor/buoy-manager, which is another one" in answer


def test_the_rights_are_given_where_the_binding_fits(empty: SmallCluster) -> None:
    empty.healthy("buoy-manager", "harbor-ops")
    for one in empty.things:
        for spec in (one.get("spec", {}), one.get("spec", {}).get("template", {}).get("spec", {})):
            if "containers" in spec:
                spec["serviceAccountName"] = "buoy-manager"
    empty.add(RBAC, "ClusterRole", "buoys", rules=[{"apiGroups": [""], "resources": ["buoys"], "verbs": ["list"]}])
    empty.add(RBAC, "ClusterRoleBinding", "buoys", roleRef={"kind": "ClusterRole", "name": "buoys"},
              subjects=[{"kind": "ServiceAccount", "name": "buoy-manager", "namespace": "harbor-ops"}])  # fmt: skip
    assert first(ask(empty, "can the service account of buoy-manager list buoys?")).startswith("**Yes:")


def test_a_log_is_read_however_it_is_asked_for(empty: SmallCluster) -> None:
    empty.healthy("crane-feed", "pier")
    pod = next(one for one in empty.things if one["kind"] == "Pod")
    box = pod["spec"]["containers"][0]["name"]
    empty.log("pier", pod["metadata"]["name"], box, "INFO tide is in\nINFO tide is out\n")
    for question in (
        "logs of crane-feed",
        "the logs for crane-feed please",
        "crane-feed logs",
        "can i see the logs of crane-feed?",
    ):
        assert "INFO tide is out" in ask(empty, question)


def test_a_version_that_did_not_go_out_is_a_no(empty: SmallCluster) -> None:
    owner = empty.deployment("crane-feed", "pier", replicas=3, ready=2)
    owner["status"]["updatedReplicas"] = 1
    assert first(ask(empty, "did the new version go out?")).startswith("**No: ")


def test_a_rollout_that_hangs_is_a_no_and_no_list_of_what_changed(empty: SmallCluster) -> None:
    owner = empty.deployment("crane-feed", "pier", replicas=3, ready=2)
    owner["status"].update(updatedReplicas=1, observedGeneration=1)
    owner["status"]["conditions"] = [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded",
                                      "lastTransitionTime": "2026-10-05T09:00:00Z"}]  # fmt: skip
    assert first(ask(empty, "did the new version of crane-feed go out?")).startswith("**No: Deployment pier/crane-feed")


def test_what_is_seen_in_an_application_is_no_wish_for_its_log(empty: SmallCluster) -> None:
    empty.healthy("crane-feed", "pier")
    assert "There is no log of" not in ask(empty, "people see errors in crane-feed")
