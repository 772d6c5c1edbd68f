"""get_events: every shape of event, folded, newest first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.objects import Object, ago, event, namespace, node, pod, shop, toolbox


def _scheduler(about: Object, message: str, count: int) -> Object:
    """An event of the scheduler: no timestamps but eventTime and the series."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{about['metadata']['name']}.17d0", "namespace": about["metadata"]["namespace"]},
        "involvedObject": {key: about["metadata"].get(key, "") for key in ("namespace", "name", "uid")}
        | {"kind": about["kind"]},
        "type": "Warning",
        "reason": "FailedScheduling",
        "message": message,
        "eventTime": "2026-10-05T08:30:00.123456Z",
        "firstTimestamp": None,
        "lastTimestamp": None,
        "count": None,
        "source": {},
        "series": {"count": count, "lastObservedTime": "2026-10-05T09:29:00.000000Z"},
        "reportingComponent": "default-scheduler",
    }


def test_scheduler_events_with_null_times_come_in_their_place(tmp_path: Path) -> None:
    pending = pod("report-generator", "shop", phase="Pending", on="", ready=False, state={})
    objects = [*shop(), pending, _scheduler(pending, "0/3 nodes are available: 3 Insufficient cpu.", 12)]
    lines = toolbox(tmp_path, objects).call("get_events", {"namespace": "shop"}).text.splitlines()
    assert lines[1] == "2 warning events in shop, newest first:"
    assert lines[2].startswith("60s ago (x12 over 59m) Warning FailedScheduling Pod shop/report-generator: 0/3 nodes")
    assert lines[3].startswith("4m ago (x57 over 60m) Warning BackOff Pod shop/api-6b8f7c9d44-q7zkd")


def test_a_normal_back_off_of_an_image_pull_is_no_noise(tmp_path: Path) -> None:
    stuck = pod("etl", "shop", phase="Pending", ready=False)
    objects = [*shop(), stuck, event(stuck, "BackOff", 'Back-off pulling image "etl:2026"', kind="Normal")]
    text = toolbox(tmp_path, objects).call("get_events", {"namespace": "shop"}).text
    assert 'Normal BackOff Pod shop/etl: Back-off pulling image "etl:2026"' in text
    assert "Pulled" not in text


def test_events_that_say_the_same_are_folded(tmp_path: Path) -> None:
    sick = pod("web", "shop", ready=False)
    objects = [
        *(namespace(name) for name in ("shop", "default")),
        sick,
        *(
            event(
                sick, "Unhealthy", f"Readiness probe failed: HTTP probe failed after {n}s", times=n, last=ago(minutes=n)
            )
            for n in (3, 5, 9)
        ),
    ]
    lines = toolbox(tmp_path, objects).call("get_events", {"namespace": "shop"}).text.splitlines()
    assert lines[2] == (
        "3m ago (x17 over 60m) Warning Unhealthy Pod shop/web: Readiness probe failed: HTTP probe failed after 3s"
    )
    assert len(lines) == 4


def test_node_events_in_default_are_told_in_every_namespace(tmp_path: Path) -> None:
    objects = [*shop(), event(node("node-2"), "NodeNotReady", "Node node-2 status is now: NodeNotReady", kind="Normal")]
    box = toolbox(tmp_path, objects)
    assert "Normal NodeNotReady Node node-2" in box.call("get_events", {}).text
    narrowed = box.call("get_events", {"namespace": "shop"}).text
    assert "About nodes and other cluster-scoped objects:" in narrowed
    assert "Normal NodeNotReady Node node-2" in narrowed
    about = box.call("get_events", {"kind": "Node", "name": "node-2", "namespace": "shop"}).text
    assert "Normal NodeNotReady Node node-2" in about


def test_events_of_a_workload_are_those_of_its_pods_too(tmp_path: Path) -> None:
    box = toolbox(tmp_path, shop())
    for kind, name in (("Deployment", "api"), ("Pod", "api"), ("ReplicaSet", "api-6b8f7c9d44")):
        result = box.call("get_events", {"kind": kind, "name": name, "namespace": "shop"})
        assert result.fate == "ok" and "Warning BackOff Pod shop/api-6b8f7c9d44-q7zkd" in result.text
        assert "web" not in result.text


def test_normal_events_are_shown_where_asked_for(tmp_path: Path) -> None:
    box = toolbox(tmp_path, shop())
    assert "Pulled" in box.call("get_events", {"namespace": "shop", "includeNormal": True}).text
    quiet = box.call("get_events", {"namespace": "kube-system"})
    assert quiet.fate == "empty" and "No warning events in kube-system" in quiet.text


@pytest.mark.parametrize("kind", ["Secret", "secrets", "ConfigMap", "cm"])
def test_events_about_a_secret_are_allowed_but_the_secret_is_not(tmp_path: Path, kind: str) -> None:
    secret: Object = {
        "kind": "ConfigMap" if kind in ("ConfigMap", "cm") else "Secret",
        "metadata": {"name": "db", "namespace": "shop", "uid": "u1"},
    }
    box = toolbox(tmp_path, [*shop(), event(secret, "UpdateFailed", "could not sync")])
    result = box.call("get_events", {"kind": kind, "name": "db", "namespace": "shop"})
    assert result.fate == "ok" and f"Warning UpdateFailed {secret['kind']} shop/db" in result.text
    assert box.call("get_events", {"kind": "pods,secrets"}).fate in ("error", "refused")


def test_an_unknown_object_or_namespace_is_an_error_and_not_silence(tmp_path: Path) -> None:
    box = toolbox(tmp_path, shop())
    assert box.call("get_events", {"namespace": "shpo"}).error == "There is no namespace shpo. Nearest: shop."
    assert box.call("get_events", {"kind": "Pod", "name": "zebra", "namespace": "shop"}).fate == "error"


def test_forbidden_events_are_a_gap(tmp_path: Path) -> None:
    box = toolbox(tmp_path, shop(), unavailable=[{"resource": "events", "status": 403}])
    result = box.call("get_events", {"namespace": "shop"})
    assert result.fate == "error" and "proves neither health nor absence" in result.text
    assert ("events in shop", "forbidden") in {(gap.what, gap.why) for gap in box.gaps}


@pytest.mark.parametrize(("status", "told"), [(503, True), (403, False)])
def test_a_failure_to_read_the_events_of_nodes_is_a_gap(tmp_path: Path, status: int, told: bool) -> None:
    box = toolbox(tmp_path, shop(), unavailable=[{"resource": "events", "namespace": "default", "status": status}])
    assert box.call("get_events", {"namespace": "shop"}).fate == "ok"
    assert ("events in default" in {gap.what for gap in box.gaps}) is told


def test_many_events_are_summed_up(tmp_path: Path) -> None:
    pods = [pod(f"w-{n}", "shop") for n in range(100)]
    objects = [namespace("shop"), *pods, *(event(p, "Unhealthy", "Liveness probe failed: x", times=2) for p in pods)]
    text = toolbox(tmp_path, objects).call("get_events", {}).text
    assert "100 warning events in all namespaces" in text
    assert "older: Unhealthy x140" in text
