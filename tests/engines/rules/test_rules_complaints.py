"""Complaints about what looks well: the logs are read, and what they repeat to their end is concluded from."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.engines.rules.logs.reading import read_log
from kubectl_berth.records import Finished, ToolCalled
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.fakes.small_clusters import SmallCluster, waiting


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("ferry", "depot")
    return cluster


def ask(small: SmallCluster, question: str) -> str:
    toolbox = Toolbox(Context(small.open()))
    events = list(make_rules().run(Conversation("", "", question), toolbox, 8))
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert sum(isinstance(one, ToolCalled) for one in events) <= 5
    return finished.text


def first(text: str) -> str:
    return text.splitlines()[0]


REFUSED = '2026-10-05T09:{minute}:00Z ERROR POST /bookings status=500 err="seat map 7 has no deck"\n'
WELL = "2026-10-05T09:{minute}:10Z INFO GET /bookings status=200\n"


def bookings(small: SmallCluster, *, over: bool = False, errors: bool = True) -> None:
    small.healthy("booking", "ferry")
    log = "".join((REFUSED if errors else WELL).format(minute=minute) for minute in (10, 18, 24, 28))
    log += WELL.format(minute=29)
    log += "2026-10-05T09:29:20Z INFO deck plan recovered\n" if over else ""
    small.log("ferry", "booking-5d78c9869d-x2k4q", "booking", log)
    for name in ("harbour", "tariff", "manifest"):
        small.healthy(name, "ferry")
        small.log("ferry", f"{name}-5d78c9869d-x2k4q", name, WELL.format(minute=29) * 3)


@pytest.mark.parametrize(
    "question",
    [
        "booking returns 500 for everybody",
        "http 5xx from booking",
        "errors in ferry/booking",
        "booking is giving us 503 since nine",
        "errors in ferry",
        "why can nobody make a booking in ferry",
    ],
)
def test_what_a_log_repeats_to_its_end_is_the_answer(small: SmallCluster, question: str) -> None:
    bookings(small)
    answer = ask(small, question)
    assert "4 times, to its end" in first(answer)
    assert "seat map 7 has no deck" in first(answer)
    assert "looks healthy" not in first(answer)
    assert "Nothing like" not in answer


@pytest.mark.parametrize("fault", ["over", "none"])
def test_what_is_over_or_never_was_is_no_fault(small: SmallCluster, fault: str) -> None:
    bookings(small, over=fault == "over", errors=fault == "over")
    assert "looks healthy" in first(ask(small, "booking returns 500 for everybody"))


def test_without_a_complaint_no_fault_is_made_of_a_log(small: SmallCluster) -> None:
    bookings(small)
    assert "to its end" not in ask(small, "is booking ok?")


FULL = "2026-10-05T09:{minute}:00Z ERROR write ticket: OOM command not allowed when used memory > 'maxmemory'\n"


def tickets(small: SmallCluster, *, full: bool) -> None:
    small.healthy("tickets", "depot")
    small.healthy("wallet", "depot")
    for pod in (one for one in small.things if one["kind"] == "Pod"):
        container = pod["spec"]["containers"][0]
        if container["name"] == "tickets":
            container["env"] = [{"name": "STORE", "value": "wallet.depot.svc:6379"}]
        else:
            container["args"] = ["--maxmemory", "64mb", "--maxmemory-policy", "noeviction"]
    line = FULL if full else WELL
    small.log("depot", "tickets-5d78c9869d-x2k4q", "tickets", "".join(line.format(minute=one) for one in (20, 25, 29)))


def test_a_store_that_is_full_is_followed_to(small: SmallCluster) -> None:
    tickets(small, full=True)
    answer = ask(small, "tickets answers 500 when people buy")
    assert "the store behind it (Deployment depot/wallet, `maxmemory 64mb`) is full and refuses writes" in first(answer)
    assert "raise that bound" in answer
    assert "flush" not in answer.lower()


def test_a_store_that_has_room_is_not(small: SmallCluster) -> None:
    tickets(small, full=False)
    assert "looks healthy" in first(ask(small, "tickets answers 500 when people buy"))


@pytest.mark.parametrize(
    "line",
    [
        "ERROR set seat:9: OOM command not allowed when used memory > 'maxmemory'.",
        "error: etcdserver: mvcc: database space exceeded",
        "ERROR publish blocked by broker: memory is low",
        "SERVER_ERROR out of memory storing object",
    ],
)
def test_lines_of_a_full_store(line: str) -> None:
    assert read_log([line]).lines[0].family == "store full"


def test_a_full_heap_or_disk_is_no_full_store() -> None:
    for line in ("java.lang.OutOfMemoryError: Java heap space", "ERROR write /data/x: no space left on device"):
        assert read_log([line]).lines[0].family != "store full"


# --- operators ------------------------------------------------------------------------------------------------------

FORBIDDEN = (
    "2026-10-05T09:{minute}:00Z ERROR watch failed: crates.pack.example is forbidden: User "
    '"system:serviceaccount:depot:pack-operator" cannot list resource "crates" in API group "pack.example" at the '
    "cluster scope\n"
)


def packer(small: SmallCluster, *, forbidden: bool) -> None:
    small.healthy("pack-operator", "depot")
    small.definition("pack.example", "v1", "Crate", "crates")
    for name, status in (("red", {"phase": "Ready"}), ("blue", {})):
        small.add("pack.example/v1", "Crate", name, "ferry", spec={}, status=status)
    line = FORBIDDEN if forbidden else "2026-10-05T09:{minute}:00Z INFO Crate red is as it should be\n"
    text = "".join(line.format(minute=minute) for minute in (12, 21, 29))
    small.log("depot", "pack-operator-5d78c9869d-x2k4q", "pack-operator", text)


def test_the_operator_says_why_it_takes_up_nothing(small: SmallCluster) -> None:
    packer(small, forbidden=True)
    answer = ask(small, "crate blue is not coming up")
    assert "the log of its operator Deployment depot/pack-operator says that access is forbidden" in first(answer)
    assert "cannot list resource crates.pack.example in the whole cluster" in first(answer)


def test_an_operator_that_may_not_read_is_not_well(small: SmallCluster) -> None:
    packer(small, forbidden=True)
    answer = ask(small, "is pack-operator ok?")
    assert first(answer).startswith("**No")
    assert "access is forbidden" in first(answer)


def test_an_operator_that_may_is(small: SmallCluster) -> None:
    packer(small, forbidden=False)
    assert first(ask(small, "is pack-operator ok?")).startswith("**Yes")


@pytest.mark.parametrize("there", [False, True])
def test_a_binding_of_another_account_is_corrected_and_not_made_again(small: SmallCluster, there: bool) -> None:
    packer(small, forbidden=True)
    rbac = "rbac.authorization.k8s.io/v1"
    rules = [{"apiGroups": ["pack.example"], "resources": ["crates"], "verbs": ["list"]}]
    small.add(rbac, "ClusterRole", "pack-operator", rules=rules)
    subject = {"kind": "ServiceAccount", "name": "pack-operator", "namespace": "pack"}
    small.add(rbac, "ClusterRoleBinding", "pack-operator", subjects=[subject],
              roleRef={"kind": "ClusterRole", "name": "pack-operator"})  # fmt: skip
    if there:
        small.add("v1", "ServiceAccount", "pack-operator", "pack")
    answer = ask(small, "crate blue is not coming up")
    assert ("correct the subject of that binding" in answer) != there
    assert ("create that binding again" in answer) == there


# --- what was shipped and is not seen ---------------------------------------------------------------------------------


def tickets_held(small: SmallCluster) -> None:
    deployment = small.deployment("turnstile-core", "depot", ready=1)
    deployment["status"].update(updatedReplicas=1, replicas=2)
    old = small.replica_set(deployment, "6b8f7c9d44", revision=1)
    small.pod("turnstile-core-6b8f7c9d44-m4nzp", "depot", owner=old, app="turnstile-core")
    new = small.replica_set(deployment, "7c9d44b8f6", ready=0, revision=2)
    small.pod("turnstile-core-7c9d44b8f6-q7zkd", "depot", owner=new, app="turnstile-core", ready=False, phase="Pending",
              state=waiting("ImagePullBackOff", "Back-off pulling image: not found"))  # fmt: skip


@pytest.mark.parametrize(
    "question",
    [
        "we released the fare change at noon and passengers still see the old one",
        "the fare fix was deployed two hours ago but nobody sees it",
        "we shipped a new fare layout an hour ago and customers are still on the old version",
    ],
)
@pytest.mark.parametrize("held", [True, False])
def test_what_was_shipped_and_is_not_seen_is_a_rollout_that_hangs(
    small: SmallCluster, question: str, held: bool
) -> None:
    small.healthy("fare-page", "ferry")
    if held:
        tickets_held(small)
    else:
        small.crashing("lift", "depot")  # of one revision only: no rollout
    answer = ask(small, question)
    assert ("turnstile-core" in first(answer)) == held
    assert ("lift" in first(answer)) is False


# --- a lack of room that is only supposed -----------------------------------------------------------------------------

SUPPOSED = "tickets in turnstile come out slow, i think the nodes are full"


def test_a_fault_comes_before_the_room_that_is_supposed_to_lack(small: SmallCluster) -> None:
    tickets_held(small)
    answer = ask(small, SUPPOSED)
    assert "No, it is not a node" in first(answer)
    assert "turnstile-core" in first(answer)
    assert "image" in first(answer)
    assert "Also wrong with it" not in answer


def test_without_a_fault_the_room_is_told(small: SmallCluster) -> None:
    small.healthy("turnstile-core", "depot")
    assert "No pod waits for a node" in first(ask(small, SUPPOSED))


@pytest.mark.parametrize(
    ("line", "severe"),
    [
        ('{"level":"error","msg":"no deck"}', True),
        ('time="2026-10-05T09:25:47Z" level=err msg="no deck"', True),
        ("2026-10-05 09:25:47,101 - ferry.api - ERROR - no deck", True),
        ("E1005 09:25:47.100 7 deck.go:9] no deck", True),
        ("2026-10-05T09:25:47Z INFO 3 seats failed the check", False),
        ("2026-10-05T09:25:47Z WARN login failed for guest", False),
    ],
)
def test_how_severe_a_line_says_it_is(line: str, severe: bool) -> None:
    found = read_log([line]).lines
    assert (bool(found) and found[0].severe) == severe
