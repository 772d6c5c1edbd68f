"""Taking an inventory: each list once, several at a time; what cannot be read is a gap, never nothing."""

from __future__ import annotations

import copy
import random
import threading
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from kubectl_berth.cluster.cluster import Discovery, Kind, UsageFigures
from kubectl_berth.diagnosis.diagnose import diagnose, related
from kubectl_berth.diagnosis.inventory import inventory_of, take
from kubectl_berth.errors import ClusterUnreachable, Forbidden, ReadError, Unavailable
from kubectl_berth.records import ClusterName, Gap, Ref
from tests.diagnosis.objects import (
    NOW,
    deployment,
    ended,
    event,
    found,
    obj,
    one,
    owned,
    pod,
    replica_set,
    taken,
    waiting,
)
from tests.diagnosis.planted import World, metrics_down

KINDS = [
    Kind("", "v1", "Pod", "pods", True),
    Kind("", "v1", "Namespace", "namespaces", False),
    Kind("", "v1", "Event", "events", True),
    Kind("events.k8s.io", "v1", "Event", "events", True),
    Kind("", "v1", "Secret", "secrets", True),
    Kind("", "v1", "ConfigMap", "configmaps", True),
    Kind("apps", "v1", "Deployment", "deployments", True),
    Kind("db.example.com", "v1", "Cluster", "clusters", True),
    Kind("db.example.com", "v1beta1", "Cluster", "clusters", True, preferred=False),
    Kind("vault.example.com", "v1", "Secret", "secrets", True),
    Kind("db.example.com", "v1", "Review", "reviews", True, verbs=("create",)),
]


class Recorded:
    """A cluster that notes which lists were asked for and answers from a table."""

    def __init__(
        self, objects: list[dict[str, Any]], errors: dict[tuple[str, str | None], Exception] | None = None
    ) -> None:
        self.objects, self.errors = objects, errors or {}
        self.asked: list[tuple[str, str, str | None]] = []
        self._lock = threading.Lock()

    def name(self) -> ClusterName:
        return ClusterName("snapshot", "test", "v1.33.0", "shop")

    def now(self) -> datetime:
        return NOW

    def kinds(self) -> Discovery:
        return Discovery(KINDS, [Gap("metrics.k8s.io/v1beta1", "unavailable")])

    def list(
        self, kind: Kind, namespace: str | None = None, *, labels: str = "", fields: str = ""
    ) -> Iterator[dict[str, Any]]:
        with self._lock:
            self.asked.append((kind.api_version, kind.plural, namespace))
        error = self.errors.get((kind.plural, namespace))
        if error is not None:
            raise error
        for thing in self.objects:
            here = namespace in (None, thing["metadata"].get("namespace"))
            if thing["kind"] == kind.kind and thing["apiVersion"] == kind.api_version and here:
                yield thing

    def usage(self, namespace: str | None = None) -> UsageFigures | None:
        return None


OBJECTS = [
    obj("v1", "Namespace", "shop", ""),
    obj("v1", "Namespace", "data", ""),
    pod("web-1"),
    pod("db-1", metadata={"namespace": "data"}),
    obj("db.example.com/v1", "Cluster", "main", "data", status={"phase": "Failed"}),
]


def test_each_list_is_read_once_and_secrets_never() -> None:
    cluster = Recorded(OBJECTS)
    inventory = take(cluster)  # type: ignore[arg-type]
    assert len(cluster.asked) == len(set(cluster.asked))
    assert {(version, plural) for version, plural, _ in cluster.asked} == {
        ("v1", "pods"),
        ("v1", "namespaces"),
        ("v1", "events"),
        ("apps/v1", "deployments"),
        ("db.example.com/v1", "clusters"),
    }
    assert [one_pod.name for one_pod in inventory.pods] == ["web-1", "db-1"]
    assert inventory.custom[0].name == "main"
    assert {gap.what for gap in inventory.gaps} >= {"metrics.k8s.io/v1beta1", "usage (metrics.k8s.io)"}


def test_one_namespace_is_asked_for_alone() -> None:
    cluster = Recorded(OBJECTS)
    inventory = take(cluster, "data")  # type: ignore[arg-type]
    assert ("v1", "pods", "data") in cluster.asked and ("v1", "namespaces", None) in cluster.asked
    assert [one_pod.name for one_pod in inventory.pods] == ["db-1"]


def test_what_is_forbidden_everywhere_is_read_where_it_is_allowed() -> None:
    words = 'pods is forbidden: User "u" cannot list resource "pods" at the cluster scope'
    errors = {("pods", None): Forbidden(words), ("pods", "data"): Forbidden(words)}
    inventory = take(Recorded(OBJECTS, errors))  # type: ignore[arg-type]
    assert [one_pod.name for one_pod in inventory.pods] == ["web-1"]
    gap = next(gap for gap in inventory.gaps if gap.what.startswith("pods"))
    assert gap.why == "forbidden" and "shop alone" in gap.detail and "pods" in inventory.unread


@pytest.mark.parametrize(
    "error", [Forbidden("no"), Unavailable("the server is currently unable to handle the request")]
)
def test_a_list_that_fails_is_a_gap_beside_the_findings(error: ReadError) -> None:
    errors: dict[tuple[str, str | None], Exception] = {
        ("deployments", where): error for where in (None, "shop", "data")
    }
    inventory = take(Recorded(OBJECTS, errors))  # type: ignore[arg-type]
    assert Gap("deployments.apps", error.why, str(error)) in inventory.gaps and "deployments" in inventory.unread
    assert [finding.subject.name for finding in diagnose(inventory)] == ["main"]


def test_an_odd_object_is_a_gap_and_the_others_are_read() -> None:
    odd = obj("v1", "Pod", "odd", spec={"containers": "none"})
    inventory = take(Recorded([odd, *OBJECTS]))  # type: ignore[arg-type]
    assert len(inventory.pods) == 2
    assert any(gap.why == "odd object" and "Pod odd" in gap.detail for gap in inventory.gaps)


def test_an_unreachable_cluster_is_an_error_not_a_gap() -> None:
    errors: dict[tuple[str, str | None], Exception] = {("pods", None): ClusterUnreachable("no route")}
    with pytest.raises(ClusterUnreachable):
        take(Recorded(OBJECTS, errors))  # type: ignore[arg-type]


# --- the graph --------------------------------------------------------------------------------------------------------


def test_owners_are_followed_by_uid_to_the_top() -> None:
    cluster = obj("db.example.com/v1", "Cluster", "main")
    web = owned(deployment(), cluster)
    rs = replica_set(web, "web-1")
    inventory = taken(cluster, web, rs, owned(pod("web-1-x"), rs))
    leaf = inventory.pods[0]
    assert [str(ref) for ref in inventory.owners(leaf)] == [
        "ReplicaSet shop/web-1",
        "Deployment shop/web",
        "Cluster shop/main",
    ]
    assert inventory.workload(leaf) == Ref("Deployment", "shop", "web")
    assert [one_pod.name for one_pod in inventory.pods_of(Ref("Cluster", "shop", "main"))] == ["web-1-x"]


def test_owners_that_own_each_other_end() -> None:
    a, b = obj("x.example.com/v1", "A", "a"), obj("x.example.com/v1", "A", "b")
    inventory = taken(owned(a, b), owned(b, a))
    assert len(inventory.owners(inventory.custom[0])) == 1
    assert diagnose(inventory) == []


def test_events_are_newest_first_and_belong_to_the_object_of_that_uid() -> None:
    web = pod("web-1")
    earlier = {**web, "metadata": {**web["metadata"], "uid": "before"}}
    inventory = taken(web, event(web, "A", "old", minutes=30), event(web, "B", "new"), event(earlier, "C", "namesake"))
    assert [one_event.reason for one_event in inventory.events_of(inventory.pods[0])] == ["B", "A"]


def test_related_findings_are_those_of_the_family_and_their_causes() -> None:
    web = deployment(ready=0)
    rs = replica_set(web, "web-1", ready=0)
    broken = owned(pod("web-1-x", waiting("CrashLoopBackOff", restarts=9, lastState=ended(1))), rs)
    other = pod("other", waiting("CrashLoopBackOff", restarts=9, lastState=ended(1)))
    objects = (web, rs, broken, other)
    findings, inventory = found(*objects), taken(*objects)
    about = related(findings, Ref("Deployment", "shop", "web"), inventory)
    assert {str(finding.subject) for finding in about} == {"Pod shop/web-1-x", "Deployment shop/web"}
    assert related(findings, Ref("Pod", "shop", "web-1-x"), inventory) == about


def test_the_order_is_stable_and_causes_come_first() -> None:
    web = deployment(ready=0)
    rs = replica_set(web, "web-1", ready=0)
    broken = owned(pod("web-1-x", waiting("CrashLoopBackOff", restarts=9, lastState=ended(1))), rs)
    forward, backward = found(web, rs, broken), found(broken, rs, web)
    assert forward == backward and forward[0].cause and one(forward, "ReplicasNotReady").effects == ()


def test_roles_and_bindings_that_are_forbidden_make_one_gap() -> None:
    rbac = "rbac.authorization.k8s.io"
    kinds = [Kind(rbac, "v1", kind, f"{kind.lower()}s", True) for kind in ("Role", "RoleBinding")]
    refused = {(kind.plural, None): Forbidden("roles is forbidden") for kind in kinds}
    refused |= {(kind.plural, "shop"): Forbidden("roles is forbidden") for kind in kinds}
    cluster = Recorded([], refused)
    cluster.kinds = lambda: Discovery((*KINDS, *kinds))  # type: ignore[method-assign]
    told = [gap.what for gap in take(cluster).gaps if "role" in gap.what]
    assert told == [f"roles, rolebindings ({rbac})"]


ODD: list[Any] = [None, "", 0, -1, True, [], {}, "x", [None], {"a": None}, "2026-13-45T00:00:00Z", 10**30, {1: 2}]


def _spots(value: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*where, key)
        yield from _spots(inner, (*where, key))


@pytest.mark.parametrize("seed", range(6))
def test_odd_values_anywhere_stop_no_check(seed: int) -> None:
    world, chance = World(), random.Random(seed)
    world.crashes(world.pods("Deployment", "shop", "search")[0])
    metrics_down(world)
    world.loses("node-b")
    objects = [*world.objects, *world.planted]
    for target in chance.sample(objects, 120):
        spots = [spot for spot in _spots(target) if spot not in (("kind",), ("apiVersion",))]
        *way, last = chance.choice(spots)
        holder = target
        for key in way:
            holder = holder[key]
        holder[last] = copy.deepcopy(chance.choice(ODD))
    inventory = inventory_of(objects, world.now, usage=world.usage)
    findings = diagnose(inventory)
    assert all(one.severity in ("critical", "warning", "info") and str(one.subject) for one in findings)
    assert related(findings, findings[0].subject, inventory)
