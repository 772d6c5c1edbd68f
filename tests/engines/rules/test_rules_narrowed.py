"""Answers of a run that read one namespace only: of the others nothing is known, and nothing may be called well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished, GapFound
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.fakes.small_clusters import SmallCluster


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("shop", "jobs", "kube-system")
    cluster.healthy("web", "shop", replicas=2)
    cluster.crashing("worker", "jobs")
    cluster.healthy("coredns", "kube-system")
    return cluster


def narrow(small: SmallCluster, question: str, **context: Any) -> tuple[str, list[str]]:
    """The answer of a run with -n shop, and what its gaps are about."""
    toolbox = Toolbox(Context(small.open(), **{"namespace": "shop", "narrowed": True, **context}))
    events = list(make_rules().run(Conversation("", "", question, ()), toolbox, 8))
    assert isinstance(events[-1], Finished)
    return events[-1].text, [event.gap.what for event in events if isinstance(event, GapFound)]


@pytest.mark.parametrize(
    "question",
    [
        "is jobs ok?",
        "is everything fine in jobs?",
        "why is worker in jobs crashing?",
        "why is jobs/worker crashing?",
        "is web in jobs ok?",
        "what is wrong in namespace jobs?",
    ],
)
def test_of_a_namespace_that_was_not_read_nothing_is_known(small: SmallCluster, question: str) -> None:
    answer, gaps = narrow(small, question)
    first = answer.splitlines()[0]
    assert first.startswith("**Only namespace shop was read: of namespace jobs nothing is known.")
    assert "without `-n shop`" in first
    assert gaps == ["other namespaces"]
    assert "healthy" not in answer and "Yes" not in answer and "nothing is broken" not in answer


@pytest.mark.parametrize(
    ("question", "unseen"),
    [
        ("is the cluster healthy?", "of the rest of the cluster nothing is known"),
        ("is DNS working?", "the cluster's DNS runs in another"),
        ("is node-a ok?", "the pods of other namespaces on node-a were not seen"),
        ("can web reach jobs?", "of namespace jobs nothing is known"),
    ],
)
def test_what_lies_beyond_is_said_first_and_is_no_yes(small: SmallCluster, question: str, unseen: str) -> None:
    answer, gaps = narrow(small, question)
    assert answer.startswith("**Only namespace shop was read: ")
    assert unseen in answer.splitlines()[0]
    assert "**Yes" not in answer
    assert gaps == ["other namespaces"]


def test_a_question_that_stays_inside_is_answered(small: SmallCluster) -> None:
    answer, gaps = narrow(small, "is web ok?")
    assert answer.startswith("**Yes, Deployment shop/web looks healthy (2 of 2 ready)")
    assert not gaps
    answer, _ = narrow(small, "is anything broken?")
    assert answer.startswith("**No, nothing is broken: namespace shop looks healthy, and nothing else was read.**")


def test_pods_on_a_node_are_those_of_the_namespace(small: SmallCluster) -> None:
    answer, _ = narrow(small, "is node-a ok?")
    assert "2 of 2 pods of namespace shop ready" in answer


def test_what_is_known_of_the_namespace_itself_is_told(small: SmallCluster) -> None:
    jobs = next(one for one in small.things if one["kind"] == "Namespace" and one["metadata"]["name"] == "jobs")
    jobs["metadata"] |= {"deletionTimestamp": "2026-10-05T08:00:00Z"}
    jobs["status"] = {
        "phase": "Terminating",
        "conditions": [
            {"type": "NamespaceContentRemaining", "status": "True", "reason": "SomeResourcesRemain",
             "message": "Some resources are remaining: pods. has 2 resource instances",
             "lastTransitionTime": "2026-10-05T08:00:10Z"},
        ],
    }  # fmt: skip
    answer, _ = narrow(small, "why is namespace jobs stuck in Terminating?")
    assert answer.startswith("**Only namespace shop was read")
    assert "Namespace jobs" in answer.split("\n\n")[1]


def test_a_drain_that_one_namespace_does_not_hold_up_may_be_held_up_by_another(small: SmallCluster) -> None:
    answer, _ = narrow(small, "can I drain node-a?")
    assert "Whether a drain of node-a gets through cannot be told" in answer
    assert "may be evicted" not in answer


def test_what_goes_down_with_a_node_is_said_of_the_namespace_alone(small: SmallCluster) -> None:
    answer, _ = narrow(small, "what goes down if node-a dies?")
    assert "Only namespace shop was read" in answer.splitlines()[0]
    assert "of namespace shop would be down" in answer


def test_a_namespace_that_does_not_exist_is_not_one_that_was_not_read(small: SmallCluster) -> None:
    answer, _ = narrow(small, "is everything ok in namespace nosuch?")
    assert answer.startswith("**There is no namespace nosuch that can be seen")


def test_a_name_that_is_not_in_the_namespace_may_be_elsewhere(small: SmallCluster) -> None:
    for question in ("is ledger-db ok?", "is ledger ok?"):
        answer, _ = narrow(small, question)
        assert "ledger" in answer.splitlines()[0]
        assert "nly namespace shop was read" in answer.splitlines()[0]


def test_the_others_that_were_named_are_not_among_what_is_judged(small: SmallCluster) -> None:
    small.crashing("api", "shop")
    answer, _ = narrow(small, "what is wrong in jobs and shop?")
    assert answer.split("\n\n")[1].startswith("**One fault in namespace shop: ")


def test_namespaces_are_known_from_anywhere(small: SmallCluster) -> None:
    answer, gaps = narrow(small, "which namespaces are there?")
    assert answer.startswith("**There are 3 namespaces: jobs, kube-system, shop.**")
    assert not gaps


def test_no_change_is_said_of_the_namespace_alone(small: SmallCluster) -> None:
    answer, _ = narrow(small, "what changed in the last 10 minutes?")
    assert answer.startswith("**No change is on record in that time in namespace shop")


@pytest.mark.parametrize("question", ["are my jobs ok?", "is web losing data?", "are the jobs fine?"])
def test_a_common_word_names_no_namespace(small: SmallCluster, question: str) -> None:
    small.namespaces("data")
    answer, gaps = narrow(small, question)
    assert "nothing is known" not in answer and "jobs, shop" not in answer
    assert not gaps


def test_what_reaches_into_another_namespace_gets_no_yes_beside_a_fault(small: SmallCluster) -> None:
    pod = next(one for one in small.things if one["kind"] == "Pod" and one["metadata"]["name"].startswith("web-"))
    pod["status"]["containerStatuses"][0].update(ready=False, restartCount=9,
                                                 state={"waiting": {"reason": "CrashLoopBackOff"}})  # fmt: skip
    answer, _ = narrow(small, "is web reachable from jobs?")
    assert answer.startswith("**Only namespace shop was read")
    assert "**Yes" not in answer and "**No, " not in answer


@pytest.fixture
def well(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "well")
    cluster.namespaces("shop")
    cluster.healthy("web", "shop", replicas=2)
    return cluster


def head_of(cluster: SmallCluster, question: str) -> str:
    toolbox = Toolbox(Context(cluster.open()))
    finished = list(make_rules().run(Conversation("", "", question, ()), toolbox, 8))[-1]
    assert isinstance(finished, Finished)
    return finished.text.splitlines()[0]


@pytest.mark.parametrize("resource", ["nodes", "pods", "deployments"])
def test_without_what_matters_nobody_is_told_that_all_is_well(well: SmallCluster, resource: str) -> None:
    assert "Yes" in head_of(well, "is everything healthy?")
    well.unavailable.append({"resource": f"{resource}.apps" if resource == "deployments" else resource, "status": 403})
    head = head_of(well, "is everything healthy?")
    assert "cannot be told" in head and f"{resource} could not be read" in head
    assert "Yes" not in head
    # nodes tell nothing of one namespace
    inside = head_of(well, "is everything healthy in namespace shop?")
    assert ("cannot be told" in inside) == (resource != "nodes")


def test_of_a_workload_whose_pods_cannot_be_read_no_health_is_told(well: SmallCluster) -> None:
    well.unavailable.append({"resource": "pods", "status": 503})
    head = head_of(well, "is web in shop ok?")
    assert "cannot be told" in head and "Yes" not in head and "2 of 2 ready" in head


def test_a_namespace_that_a_snapshot_lacks_is_told_of_whatever_it_is_called(tmp_path: Path) -> None:
    small = SmallCluster(tmp_path / "alone", namespace="jobs")
    small.namespaces("jobs")
    small.crashing("worker", "jobs")
    for question in ("is the data namespace healthy?", "is anything wrong in namespace data?"):
        toolbox = Toolbox(Context(small.open(), namespace="jobs", narrowed=True))
        finished = list(make_rules().run(Conversation("", "", question, ()), toolbox, 8))[-1]
        assert isinstance(finished, Finished)
        assert "of namespace data nothing is known" in finished.text.splitlines()[0]
