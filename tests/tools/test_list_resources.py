"""list_resources: kinds and objects by a part of their name, instances with their state."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.cluster.views import parse_time
from kubectl_berth.records import Object
from kubectl_berth.tools.status_summary import counts, summary
from kubectl_berth.tools.toolbox import Toolbox
from tests.tools.objects import LEDGER, NOW, ago, definition, meta, namespace, pod, shop, toolbox

CNPG = "postgresql.cnpg.io/v1"


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    return toolbox(tmp_path, shop())


def test_a_filter_finds_the_kinds_of_an_operator(box: Toolbox) -> None:
    text = box.call("list_resources", {"filter": "postgres"}).text
    assert [line for line in text.splitlines() if line.startswith("apiVersion=")] == [
        f"apiVersion={CNPG} kind={kind} (namespaced)" for kind in ("Backup", "Cluster", "Pooler")
    ]
    assert "Cluster data/ledger-db (postgresql.cnpg.io/v1): 2/3 instances ready" in text


def test_of_many_instances_those_with_trouble_come_first(tmp_path: Path) -> None:
    backups: list[Object] = [
        {
            "apiVersion": CNPG,
            "kind": "Backup",
            "metadata": meta("Backup", f"backup-{n:02}", "data"),
            "status": {"phase": "completed"},
        }
        for n in range(20)
    ]
    lines = toolbox(tmp_path, [*shop(), *backups]).call("list_resources", {"filter": "postgres"}).text.splitlines()
    at = lines.index("Instances of these kinds:")
    assert lines[at + 1].startswith("Cluster data/ledger-db")
    assert lines[at + 11] == "and 11 more"


def test_a_filter_finds_objects_of_any_kind_by_name(box: Toolbox) -> None:
    text = box.call("list_resources", {"filter": "ledger"}).text
    assert f"Cluster data/ledger-db ({CNPG}): 2/3 instances ready" in text
    assert "Pod data/ledger-db-3: 0/1 ready, CrashLoopBackOff, 12 restarts" in text


def test_secrets_and_config_maps_are_never_among_them(tmp_path: Path) -> None:
    hidden: list[Object] = [
        {"apiVersion": "v1", "kind": kind, "metadata": {"name": "api-hidden", "namespace": "shop"}, "data": {"k": "v"}}
        for kind in ("Secret", "ConfigMap")
    ]
    box = toolbox(tmp_path, [*shop(), *hidden])
    for pattern in ("api", "hidden", "secret", "configmap", "cm", ""):
        assert "hidden" not in box.call("list_resources", {"filter": pattern}).text.replace('"hidden"', "")
    assert "kind=Secret" not in box.call("list_resources", {"apiVersion": "v1"}).text


def test_an_empty_filter_lists_the_custom_kinds(box: Toolbox) -> None:
    result = box.call("list_resources", {"filter": ""})
    assert result.fate == "ok" and f"apiVersion={CNPG} kind=Cluster" in result.text


def test_nothing_found_is_empty_and_says_what_there_is(box: Toolbox) -> None:
    result = box.call("list_resources", {"filter": "mongodb"})
    assert result.fate == "empty"
    assert "Custom kinds served here: Backup, Cluster, Pooler." in result.text


def test_a_kind_lists_its_instances_with_ready_counts_and_phase(box: Toolbox) -> None:
    result = box.call("list_resources", {"kind": "Cluster", "apiVersion": CNPG, "namespace": "data"})
    lines = result.text.splitlines()
    assert lines[1] == "1 Cluster (postgresql.cnpg.io/v1) in data:"
    assert lines[2].startswith("data/ledger-db: 2/3 instances ready, Waiting for the instances to become active")


def test_a_custom_kind_without_api_version_is_told_to_filter_first(box: Toolbox) -> None:
    error = box.call("list_resources", {"kind": "Cluster"}).error or ""
    assert "postgresql.cnpg.io/v1" in error and 'list_resources(filter: "Cluster") without a kind' in error
    unknown = box.call("list_resources", {"kind": "MongoDB"}).error or ""
    assert "Call list_resources with a filter and no kind" in unknown


def test_an_api_version_alone_lists_its_kinds(box: Toolbox) -> None:
    assert f"{CNPG} serves:" in box.call("list_resources", {"apiVersion": CNPG}).text
    assert box.call("list_resources", {"apiVersion": "nope.example/v1"}).fate == "error"


def test_built_in_kinds_need_no_api_version_and_trouble_comes_first(box: Toolbox) -> None:
    lines = box.call("list_resources", {"kind": "deployments"}).text.splitlines()
    assert lines[2].startswith("shop/api: 0/1 replicas ready")
    assert lines[3].startswith("shop/web: 2/2 replicas ready")


def test_none_in_this_namespace_says_where_there_are_some(box: Toolbox) -> None:
    result = box.call("list_resources", {"kind": "Cluster", "apiVersion": CNPG, "namespace": "shop"})
    assert result.fate == "empty" and "There are some in data." in result.text


def test_a_forbidden_kind_is_an_error_with_a_gap(tmp_path: Path) -> None:
    box = toolbox(tmp_path, shop(), unavailable=[{"resource": "clusters.postgresql.cnpg.io", "status": 403}])
    result = box.call("list_resources", {"kind": "Cluster", "apiVersion": CNPG})
    assert result.fate == "error" and "forbidden" in result.text
    assert box.gaps[0].what == "clusters.postgresql.cnpg.io in all namespaces"
    # a search says which kinds it could not look at
    assert "Not read: clusters.postgresql.cnpg.io" in box.call("list_resources", {"filter": "ledger"}).text


def test_families_of_generated_names_are_counted_with_the_sick_one_shown(tmp_path: Path) -> None:
    objects = [namespace("shop"), *(pod(f"web-5d9c8b7f6d-{c}{c}{c}22", "shop") for c in "bcdfghjk")]
    objects.append(pod("web-5d9c8b7f6d-zzz99", "shop", ready=False))
    text = toolbox(tmp_path, objects).call("list_resources", {"filter": "web"}).text
    assert "Pod shop/web-5d9c8b7f6d-zzz99: 0/1 ready" in text
    assert "Pod shop/web-...: 6 more" in text


# --- the state of any object ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({"instances": 3}, {"instances": 3, "readyInstances": 2}, [("instances", 2, 3)]),
        ({"replicas": 3}, {"replicas": 3, "readyReplicas": 1}, [("replicas", 1, 3)]),
        ({"replicas": 3}, {"replicas": 3}, [("replicas", 0, 3)]),
        ({"size": 5}, {"ready": 4, "size": 5}, [("", 4, 5)]),
        ({"replicas": 2}, {"availableReplicas": 2}, [("replicas", 2, 2)]),
        ({}, {"desiredNumberScheduled": 4, "numberReady": 3}, [("", 3, 4)]),
        ({"pxc": {"size": 3}}, {"pxc": {"ready": 1, "size": 3, "status": "initializing"}}, [("pxc", 1, 3)]),
        ({}, {"currentHealthy": 1, "desiredHealthy": 2}, [("", 1, 2)]),
        ({}, {"phase": "Bound"}, []),
        ({}, {"readyReplicas": True, "replicas": "three"}, []),
    ],
)
def test_ready_counts_from_any_usual_pair_of_fields(spec: Object, status: Object, expected: object) -> None:
    assert counts({"spec": spec, "status": status}) == expected


def test_conditions_that_tell_of_trouble_are_part_of_the_state() -> None:
    now = parse_time(NOW)
    assert now is not None
    thing = {
        "metadata": {"creationTimestamp": ago(hours=30)},
        "spec": {"paused": True},
        "status": {
            "health": {"status": "Degraded"},
            "conditions": [
                {"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "no access"},
                {"type": "Degraded", "status": "True"},
                {"type": "Stalled", "status": "False"},
                {"type": "Progressing", "status": "False"},
                {"type": "Available", "status": "True"},
            ],
        },
    }
    assert summary(thing, now) == (
        "health Degraded, Synced=False ReconcileError: no access, Degraded=True, suspended or paused, age 30h"
    )


def test_an_operator_that_nobody_knows_is_understood(tmp_path: Path) -> None:
    kind = definition("acme.example.com", "Widget", "widgets")
    widget: Object = {
        "apiVersion": "acme.example.com/v1",
        "kind": "Widget",
        "metadata": meta("Widget", "left", "shop"),
        "spec": {"members": 4},
        "status": {"readyMembers": 3, "state": "Recovering"},
    }
    box = toolbox(tmp_path, [*shop(), kind, widget])
    text = box.call("list_resources", {"kind": "widgets", "apiVersion": "acme.example.com/v1"}).text
    assert "shop/left: 3/4 members ready, state Recovering, age 120m" in text
    assert LEDGER["kind"] not in text


def test_a_kind_that_may_not_be_read_is_not_said_to_have_no_instances(tmp_path: Path) -> None:
    hidden = [{"resource": f"{name}.postgresql.cnpg.io", "status": 403} for name in ("clusters", "backups", "poolers")]
    box = toolbox(tmp_path, shop(), unavailable=hidden)
    text = box.call("list_resources", {"filter": "postgres"}).text
    assert "Whether instances of these kinds exist could not be read (forbidden)." in text
    assert "No instances" not in text
