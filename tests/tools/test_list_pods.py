"""list_pods: unhealthy first, healthy ones summed up past the cap, nothing cut silently."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.tools.toolbox import Toolbox
from tests.tools.objects import (
    BACKING_OFF,
    CRASHED,
    RUNNING,
    Object,
    ago,
    deployment,
    namespace,
    node,
    pod,
    replica_set,
    shop,
    toolbox,
)

ALPHABET = "bcdfghjklm"
COMPLETED: Object = {"terminated": {"exitCode": 0, "reason": "Completed"}}
LONG_AGO: Object = {"terminated": {"exitCode": 1, "finishedAt": ago(hours=9)}}


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    return toolbox(tmp_path, shop())


def _text(directory: Path, objects: list[Object], **arguments: object) -> str:
    return toolbox(directory, objects).call("list_pods", arguments).text


def test_unhealthy_pods_come_first_with_what_is_wrong(box: Toolbox) -> None:
    lines = box.call("list_pods", {}).text.splitlines()
    assert lines[1] == "6 pods in all namespaces: 2 unhealthy, 4 healthy."
    assert lines[3] == (
        "shop/api-6b8f7c9d44-q7zkd, 0/1 ready, CrashLoopBackOff, 14 restarts (last 60s ago), age 120m, on node-1, "
        "of Deployment/api: app, last exit 1 Error"
    )
    assert lines[4].startswith("data/ledger-db-3, 0/1 ready, CrashLoopBackOff, 12 restarts")
    assert lines[6].startswith("data/ledger-db-1, 1/1 ready, Running, 0 restarts")


def test_of_606_pods_the_two_broken_ones_are_on_the_first_screen(tmp_path: Path) -> None:
    objects = [namespace(f"tenant-{t}") for t in "abcd"] + [namespace("zz-payments"), node("node-1")]
    for tenant in "abcd":
        web = deployment("web", f"tenant-{tenant}", 151, 151)
        owner = replica_set(web, "5d9c8b7f6d", 151, 151)
        names = [f"{ALPHABET[n // 100]}{ALPHABET[n // 10 % 10]}{ALPHABET[n % 10]}22" for n in range(151)]
        objects += [web, owner, *(pod(f"web-5d9c8b7f6d-{end}", f"tenant-{tenant}", owner=owner) for end in names)]
    for name in ("zy-writer", "zz-writer"):
        objects.append(pod(name, "zz-payments", state=BACKING_OFF, last=CRASHED, restarts=31, ready=False))
    result = toolbox(tmp_path, objects).call("list_pods", {})
    lines = result.text.splitlines()
    assert lines[1] == "606 pods in all namespaces: 2 unhealthy, 604 healthy."
    assert lines[3].startswith("zz-payments/zy-writer") and lines[4].startswith("zz-payments/zz-writer")
    assert [line for line in lines if "Deployment/web: 151 healthy" in line] == [
        f"tenant-{t} Deployment/web: 151 healthy" for t in "abcd"
    ]
    assert result.bytes < 4096


def test_many_unhealthy_pods_are_summed_up_not_dropped(tmp_path: Path) -> None:
    sick = [pod(f"w-{n}", "shop", state=BACKING_OFF, last=CRASHED, restarts=3, ready=False) for n in range(200)]
    text = _text(tmp_path, [namespace("shop"), *sick])
    assert "200 pods in all namespaces: 200 unhealthy" in text
    assert "shop no owner: 140 more unhealthy" in text


def test_only_unhealthy_leaves_the_healthy_out_but_counts_them(box: Toolbox) -> None:
    text = box.call("list_pods", {"onlyUnhealthy": True}).text
    assert "2 unhealthy, 4 healthy" in text and "web-5d9c8b7f6d" not in text


def test_selectors_and_nodes_narrow(tmp_path: Path) -> None:
    objects = [*shop(), pod("lonely", "shop", on="node-2")]
    box = toolbox(tmp_path, objects)
    assert "1 pod in all namespaces with app=api" in box.call("list_pods", {"labelSelector": "app=api"}).text
    as_mapping = box.call("list_pods", {"labelSelector": {"app": "web"}})
    assert "2 pods in all namespaces with app=web" in as_mapping.text
    assert "lonely" in box.call("list_pods", {"node": "node-2"}).text
    missing = box.call("list_pods", {"node": "node-22"})
    assert missing.fate == "error" and "There is no node node-22. Nodes: node-2" in missing.text
    broken = box.call("list_pods", {"labelSelector": "app in ("})
    assert broken.fate == "error" and "labelSelector cannot be used" in broken.text


def test_an_empty_namespace_is_empty_and_an_unknown_one_an_error(box: Toolbox) -> None:
    assert box.call("list_pods", {"namespace": "default"}).fate == "empty"
    unknown = box.call("list_pods", {"namespace": "dta"})
    assert unknown.error == "There is no namespace dta. Nearest: data."


def test_forbidden_everywhere_falls_back_to_the_own_namespace_and_says_so(tmp_path: Path) -> None:
    rules = [{"resource": "pods", "status": 403, "namespace": "data"}]
    box = toolbox(tmp_path, shop(), unavailable=rules, namespace="shop")
    result = box.call("list_pods", {})
    assert result.fate == "ok" and "shop/api-6b8f7c9d44-q7zkd" in result.text
    assert "Not read: pods in all namespaces (forbidden)" in result.text
    assert ("pods in all namespaces", "forbidden") in {(gap.what, gap.why) for gap in box.gaps}
    assert box.call("list_pods", {"namespace": "data"}).fate == "error"


@pytest.mark.parametrize(
    ("name", "changes", "status", "why"),
    [
        ("pending", {"phase": "Pending", "on": "", "ready": False, "state": {}}, "Pending", "Unschedulable: 0/3 nodes"),
        ("evicted", {"phase": "Failed", "ready": False, "state": {}}, "Evicted", "Evicted The node was low on"),
        ("unready", {"ready": False}, "Running", "app runs but is not ready"),
        (
            "oom",
            {
                "restarts": 6,
                "state": {"running": {"startedAt": ago(minutes=10)}},
                "last": {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": ago(minutes=10)}},
            },
            "Running",
            "app restarted 10m ago, last exit 137 OOMKilled",
        ),
        ("done", {"phase": "Succeeded", "ready": False, "state": COMPLETED}, "Completed", ""),
        ("old-restart", {"restarts": 2, "last": LONG_AGO}, "Running", ""),
    ],
)
def test_the_states_of_pods(tmp_path: Path, name: str, changes: Object, status: str, why: str) -> None:
    made = pod(name, "shop", **changes)
    if name == "pending":
        made["status"]["conditions"] = [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available"}
        ]
    if name == "evicted":
        made["status"] |= {"reason": "Evicted", "message": "The node was low on resource: memory. "}
    text = _text(tmp_path, [namespace("shop"), made])
    line = next(line for line in text.splitlines() if line.startswith(f"shop/{name},"))
    assert f", {status}, " in line
    assert why in line if why else "0 unhealthy" in text


def test_a_pod_that_has_just_started_is_not_yet_unhealthy(tmp_path: Path) -> None:
    young = pod("young", "shop", ready=False, state=RUNNING)
    young["metadata"]["creationTimestamp"] = ago(seconds=20)
    assert "0 unhealthy" in _text(tmp_path, [namespace("shop"), young])
