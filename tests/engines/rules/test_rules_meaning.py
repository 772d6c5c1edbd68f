"""Complaints in naive words: what they may be about comes first, and a cause that is named is held against the seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.engines.rules.families import alone
from tests.fakes.small_clusters import SmallCluster, Thing, waiting

EARLIER = "2026-10-05T07:00:00Z"


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("bakery", "prod", "tools")
    cluster.healthy("oven", "bakery", replicas=2)
    cluster.healthy("till", "prod", replicas=2)
    return cluster


def ask(small: SmallCluster, question: str) -> str:
    toolbox = Toolbox(Context(small.open()))
    finished = list(make_rules().run(Conversation("", "", question), toolbox, 8))[-1]
    assert isinstance(finished, Finished)
    return finished.text


def first(answer: str) -> str:
    return answer.splitlines()[0]


def refused(small: SmallCluster, name: str, space: str) -> Thing:
    return alone(small, name, space, phase="Pending", state=waiting("ErrImagePull", "manifest unknown"))


def source(small: SmallCluster, name: str = "recipes") -> None:
    small.definition("source.delivery.example.io", "v1", "GitMirror", "gitmirrors")
    bad = {"type": "Ready", "status": "False", "reason": "FetchFailed", "message": "host key changed", "lastTransitionTime": EARLIER}  # fmt: skip # noqa: E501
    small.add("source.delivery.example.io/v1", "GitMirror", name, "tools", spec={}, status={"conditions": [bad]})


# --- what a complaint may be about ------------------------------------------------------------------------------------


def test_a_symptom_in_naive_words_is_answered_with_what_is_wrong(small: SmallCluster) -> None:
    small.crashing("proofer", "bakery")
    for question in ("no bread reaches anyone anymore", "nobody can buy croissants"):
        answer = ask(small, question)
        assert first(answer).startswith("**One fault in the cluster: Pod bakery/proofer")
        assert "No word of the question names anything here: this is what is wrong now." in answer
        assert "no question about the cluster" not in answer


def test_talk_that_is_no_complaint_is_still_told_so(small: SmallCluster) -> None:
    small.crashing("proofer", "bakery")
    assert "no question about the cluster" in first(ask(small, "what's the capital of Peru"))


def test_a_namespace_is_never_called_well_above_its_own_fault(small: SmallCluster) -> None:
    small.namespaces("letter")
    small.crashing("sorter", "letter")
    answer = ask(small, "letters do not arrive")
    assert first(answer).startswith("**One fault in namespace letter: Pod letter/sorter")
    assert "looks healthy" not in answer


def test_a_change_that_does_not_arrive_is_that_of_its_delivery(small: SmallCluster) -> None:
    source(small)
    for question in ("i merged the fix and prod still runs the old version", "our commit does not show up on prod"):
        answer = ask(small, question)
        assert "GitMirror tools/recipes" in first(answer)
        assert "Namespace prod, which the question mentions, looks healthy." in answer


def test_a_place_that_is_asked_about_itself_is_judged_itself(small: SmallCluster) -> None:
    source(small)
    assert first(ask(small, "is prod ok?")).startswith("**Yes, nothing is broken: namespace prod looks healthy")
    assert first(ask(small, "nothing merged is deployed in namespace prod")).startswith("**Nothing is broken")


def test_a_complaint_that_fits_no_fault_is_not_answered_with_one(small: SmallCluster) -> None:
    small.crashing("proofer", "bakery")
    assert first(ask(small, "prod looks strange")).startswith("**Deployment prod/till looks healthy")
    small.healthy("card-reader", "prod")
    small.healthy("receipts", "prod")
    assert first(ask(small, "prod looks strange")).startswith("**Nothing is broken: namespace prod looks healthy")


def test_what_is_called_alike_is_not_left_for_a_fault_that_no_word_names(small: SmallCluster) -> None:
    source(small)
    small.healthy("menu-renderer", "bakery")
    assert first(ask(small, "rendering is slow since the release")).startswith(
        "**Deployment bakery/menu-renderer looks"
    )
    assert "GitMirror tools/recipes" in first(ask(small, "rendering of the new recipe is slow since the release"))


def test_the_log_of_the_only_workload_of_a_namespace_is_heard(small: SmallCluster) -> None:
    for pod in ("till-5d78c9869d-x2k4q", "till-5d78c9869d-m4nzp"):
        small.log("prod", pod, "till", "".join(f"ERROR sync {n}: permission denied by ledger\n" for n in range(8)))
    answer = ask(small, "prod does not sync")
    assert first(answer).startswith("**Deployment prod/till") and "permission denied by ledger" in answer


def test_of_things_called_alike_the_faulty_one_comes_first(small: SmallCluster) -> None:
    small.healthy("flour-bins", "bakery")
    small.crashing("sugar-bins", "bakery")
    assert first(ask(small, "all bins are empty")).startswith("**Deployment bakery/sugar-bins is not healthy")
    small.healthy("a-shelf", "tools")
    small.crashing("z-shelf", "tools")
    assert first(ask(small, "the shelf is not filled")).startswith("**Deployment tools/z-shelf is not healthy")


def test_a_word_that_may_be_no_name_does_not_hide_a_fault(small: SmallCluster) -> None:
    small.crashing("mixer", "bakery")
    answer = ask(small, "people in bakery say kneading job hangs")
    assert "Pod bakery/mixer" in first(answer)
    assert "Nothing that can be read is called `kneading`; this is what is wrong now." in answer
    assert first(ask(small, "people in tools say kneading job hangs")).startswith(
        "**Nothing that can be read is called"
    )


def test_words_joined_by_a_dash_are_not_always_a_name(small: SmallCluster) -> None:
    assert first(ask(small, "gift-card sales are slow")).startswith("**Nothing is broken")
    assert "is called `gift-card`." in ask(small, "gift-card sales are slow")
    small.crashing("proofer", "bakery")
    assert first(ask(small, "half-price cakes stay away")).startswith("**One fault in the cluster: Pod bakery/proofer")
    assert first(ask(small, "why does oven-door crash")).startswith("**Nothing that can be read is called `oven-door`")
    assert "is called `fee-router`" in ask(small, "is till reachable from fee-router pods")


def test_a_namespace_said_in_passing_is_no_place_to_look_for_a_name(small: SmallCluster) -> None:
    small.namespaces("scaler")
    small.healthy("lift", "scaler")
    answer = ask(small, "oven is slow, is it scaler?")
    assert first(answer).startswith("**Deployment bakery/oven") and "There is no oven" not in answer


def test_a_word_that_is_no_name_is_said_behind_the_fault_that_fits(small: SmallCluster) -> None:
    source(small)
    answer = ask(small, "why is vanilla not deployed after the merge")
    assert first(answer).startswith("**One fault in the cluster: GitMirror tools/recipes")
    assert "Nothing that can be read is called `vanilla`; this is what is wrong now." in answer


def test_a_namespace_that_is_not_there_is_said_in_the_first_line(small: SmallCluster) -> None:
    answer = ask(small, "is shop/oven ok?")
    assert first(answer) == (
        "**There is no namespace shop that can be seen; oven exists in bakery. Yes, Deployment bakery/oven looks "
        "healthy (2 of 2 ready): no fault found. Looked at too: Service bakery/oven.**"
    )


def test_which_of_a_kind_fail_is_told_with_the_rest(small: SmallCluster) -> None:
    source(small, "recipes")
    good = {"type": "Ready", "status": "True", "reason": "Fetched", "lastTransitionTime": EARLIER}
    small.add("source.delivery.example.io/v1", "GitMirror", "prices", "tools", spec={}, status={"conditions": [good]})
    line = first(ask(small, "which git mirrors are failing?"))
    assert line.startswith(
        "**1 of the 2 GitMirrors has a fault: tools/recipes; without one: tools/prices. GitMirror tools/"
    )


def test_what_a_healthy_thing_logs_and_is_at_fault_is_followed(small: SmallCluster) -> None:
    small.namespaces("rates")
    small.healthy("wheat-price", "rates")
    service = next(one for one in small.things if one["kind"] == "Service" and one["metadata"]["name"] == "wheat-price")
    service["spec"]["ports"] = [{"port": 80, "targetPort": "web"}]
    for pod in ("till-5d78c9869d-x2k4q", "till-5d78c9869d-m4nzp"):
        small.log("prod", pod, "till", "ERROR Get http://wheat-price.rates.svc.cluster.local/v1: connection refused\n")
    line = first(ask(small, "till shows old prices, errors everywhere"))
    assert line.startswith("**Deployment prod/till runs (2 of 2 ready), but Service rates/wheat-price")


def test_a_node_that_ran_out_is_not_denied_for_want_of_a_condition(small: SmallCluster) -> None:
    node = next(one for one in small.things if one["kind"] == "Node" and one["metadata"]["name"] == "node-b")
    assert first(ask(small, "are the nodes out of memory?")).startswith("**No: no node reports MemoryPressure")
    for count in (1, 2, 3):
        small.event(node, "SystemOOM", f"System OOM encountered, victim process: java, pid: 40{count}")
        del small.things[-1]["involvedObject"]["namespace"]
    assert first(ask(small, "are the nodes out of memory?")).startswith(
        "**Yes, though no node reports MemoryPressure now: Node node-b."
    )


def test_software_whose_fault_fits_is_not_called_absent_first(small: SmallCluster) -> None:
    small.add("batch/v1", "CronJob", "menu-dump", "tools", spec={"schedule": "0 2 * * *", "suspend": True}, status={})
    assert "CronJob tools/menu-dump" in first(ask(small, "did the backup get stuck"))


# --- a cause that is named --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("is oven2 stuck because of the network?", "No, it is not the network: the cause that is seen is another."),
        ("is oven2 pending due to a quota?", "No, it is not a quota: the cause that is seen is another."),
        ("oven2 hangs, is it the registry?", "Yes, by what is seen it is the image or its registry."),
        ("oven2 does not start because the image is gone?", "Yes, by what is seen it is the image or its registry."),
    ],
)
def test_the_cause_named_is_held_against_the_one_seen(small: SmallCluster, question: str, said: str) -> None:
    refused(small, "oven2", "bakery")
    line = first(ask(small, question))
    assert line.startswith(f"**{said} Deployment bakery/oven2")


@pytest.mark.parametrize(
    "question", ["is proofer down because of the database?", "is proofer crashing because of its certificate?"]
)
def test_a_cause_that_cannot_be_told_gets_neither_yes_nor_no(small: SmallCluster, question: str) -> None:
    small.crashing("proofer", "bakery")
    assert first(ask(small, question)).startswith("**Deployment bakery/proofer is not healthy")


def test_a_cause_in_the_chain_is_one_in_part(small: SmallCluster) -> None:
    small.crashing("proofer", "bakery")
    small.service("proofer", "bakery", {"app": "proofer"}, ready=[], unready=["proofer-6b8f7c9d44-q7zkd"])
    line = first(ask(small, "is a quota to blame that proofer is down?"))
    assert not line.startswith(("**Yes", "**In part"))
    refused(small, "oven2", "bakery")
    small.service("oven2", "bakery", {"app": "oven2"}, ready=[], unready=["oven2-6b8f7c9d44-q7zkd"])
    assert first(ask(small, "is a quota to blame that oven2 is down?")).startswith(
        "**No, it is not a quota: the cause that is seen is another. Deployment bakery/oven2"
    )


def test_a_suspicion_without_a_subject_is_no_verdict(small: SmallCluster) -> None:
    refused(small, "oven2", "bakery")
    assert first(ask(small, "is it dns?")).startswith("**Nothing that is seen speaks for DNS. One fault")
    assert "by what is seen it is" not in ask(small, "is it normal that oven2 has no place on a node?")


def test_the_one_that_is_well_does_not_head_the_answer(small: SmallCluster) -> None:
    refused(small, "oven2", "bakery")
    assert first(ask(small, "till is fine but oven2 hangs")).startswith("**Deployment bakery/oven2 is not healthy")


@pytest.mark.parametrize(
    "question", ["customers cannot pay", "guests can't save the menu", "payment fails for everyone"]
)
def test_what_others_cannot_pay_is_no_question_of_cost(small: SmallCluster, question: str) -> None:
    small.crashing("proofer", "bakery")
    assert first(ask(small, question)).startswith("**One fault in the cluster: Pod bakery/proofer")


def test_why_asks_for_the_cause_and_not_whether_it_is_one(small: SmallCluster) -> None:
    refused(small, "oven2", "bakery")
    assert first(ask(small, "why is oven2 stuck because of the network?")).startswith("**Deployment bakery/oven2")


# --- what is not taken for granted ------------------------------------------------------------------------------------


def test_memory_is_denied_only_where_it_was_blamed_and_nothing_speaks_for_it(small: SmallCluster) -> None:
    pod = small.crashing("proofer", "bakery")
    name = pod["metadata"]["name"]
    blamed = "proofer keeps dying, out of memory?"
    assert "not memory" not in ask(small, blamed)  # no log tells why
    small.log("bakery", name, "proofer", "FATAL cannot open database\n", previous=True)
    assert "It is not memory" in ask(small, blamed)
    assert "not memory" not in ask(small, "proofer keeps dying, its memory graph looks nice")
    small.log("bakery", name, "proofer", "FATAL worker 3: cannot allocate memory\n", previous=True)
    assert "not memory" not in ask(small, blamed)


def test_a_thing_is_no_symptom(small: SmallCluster) -> None:
    claim = small.add(
        "v1", "PersistentVolumeClaim", "dough", "bakery", spec={"volumeName": "v1"}, status={"phase": "Bound"}
    )
    assert claim
    for question in ("why does pvc dough not go away", "why is the volume of dough not bigger"):
        assert "takes for granted" not in ask(small, question)
    assert "takes for granted" in ask(small, "why does oven keep crashing")


def test_a_crash_long_over_is_told_of_a_namespace_too(small: SmallCluster) -> None:
    for pod in small.things:
        if pod["kind"] == "Pod" and pod["metadata"]["namespace"] == "prod":
            pod["status"]["containerStatuses"][0]["restartCount"] = 3
    assert "`crash` that the question takes for granted is seen now: 2 of 2 pods ready, 6 restarts in all" in ask(
        small, "why dose prod crash all the time"
    )


# --- a failover -------------------------------------------------------------------------------------------------------


def cluster_of(small: SmallCluster, **status: str) -> Thing:
    small.definition("sql.store.example.io", "v1", "Ledger", "ledgers")
    thing = small.add(
        "sql.store.example.io/v1", "Ledger", "books", "bakery", spec={"instances": 1}, status=dict(status)
    )
    small.pod("books-1", "bakery", owner=thing, app="books", image="registry.example.com/postgres:17")
    return thing


def test_a_failover_is_read_off_events(small: SmallCluster) -> None:
    thing = cluster_of(small)
    small.event(
        thing, "SwitchoverDone", "promoted books-2 in place of books-1", type="Normal", last="2026-10-05T08:50:00Z"
    )
    for question in ("failover happend??", "did we have a failover tonight", "was there a switchover of books?"):
        line = first(ask(small, question))
        assert line.startswith(
            "**A failover is on record, 40m ago: SwitchoverDone, Ledger bakery/books: `promoted books-2"
        )


def test_a_failover_is_read_off_a_status_but_not_the_first_leader(small: SmallCluster) -> None:
    thing = cluster_of(small, currentLeaderTime="2026-10-04T08:05:00Z")
    assert first(ask(small, "did books fail over?")).startswith("**No failover is on record")
    thing["status"]["currentLeaderTime"] = "2026-10-05T06:30:00Z"
    line = first(ask(small, "did books fail over?"))
    assert "a status says when its leader last changed, 3h ago: Ledger bakery/books, status.currentLeaderTime." in line


def test_whether_a_failover_would_go_well_is_another_question(small: SmallCluster) -> None:
    cluster_of(small)
    assert "on record" not in first(ask(small, "would books survive a failover?"))
