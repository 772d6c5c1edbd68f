"""Snapshots that hold less than a cluster gives: what is not known is said, and never called healthy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.process import Ended, berth, surroundings

Thing = dict[str, Any]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path)


def thing(api_version: str, kind: str, name: str, namespace: str | None = "shop", **rest: Any) -> Thing:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **rest.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def moment(directory: Path, *things: Thing) -> str:
    directory.mkdir(exist_ok=True)
    (directory / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(things)}))
    return str(directory)


def running(name: str, app: str) -> Thing:
    conditions = [{"type": "Ready", "status": "True"}, {"type": "PodScheduled", "status": "True"}]
    return thing(
        "v1",
        "Pod",
        name,
        metadata={"labels": {"app": app}},
        spec={"nodeName": "one", "containers": [{"name": "c", "image": "registry.example.com/a:1"}]},
        status={
            "phase": "Running",
            "conditions": conditions,
            "containerStatuses": [{"name": "c", "ready": True, "state": {"running": {}}}],
        },
    )


def node(name: str) -> Thing:
    return thing("v1", "Node", name, None, status={"conditions": [{"type": "Ready", "status": "True"}]})


def service(name: str, app: str) -> Thing:
    return thing("v1", "Service", name, spec={"selector": {"app": app}, "ports": [{"port": 80}]})


def asked(question: str, directory: str, env: dict[str, str], *more: str) -> Ended:
    return berth("ask", question, "--snapshot", directory, "--engine", "rules", *more, env=env)


def test_objects_without_a_time_of_creation_are_not_too_young_to_judge(tmp_path: Path, env: dict[str, str]) -> None:
    directory = moment(tmp_path / "git", node("one"), running("api-0", "api"), service("api", "apo"))
    ended = berth("check", "--snapshot", directory, env=env)
    assert ended.status == 1
    assert "Service shop/api  ServiceWithoutEndpoints" in ended.out


@pytest.mark.parametrize("command", [("ask", "ok?", "--engine", "rules"), ("check",)])
def test_a_namespace_that_is_not_there_is_a_wrong_flag(
    command: tuple[str, ...], tmp_path: Path, env: dict[str, str]
) -> None:
    directory = moment(tmp_path / "git", node("one"), running("api-0", "api"))
    ended = berth(*command, "--snapshot", directory, "-n", "shpo", env=env)
    assert (ended.status, ended.out) == (2, "")
    assert re.search(r"there is no namespace shpo; .*: shop\n", ended.err)


def test_where_namespaces_may_not_be_read_one_without_objects_is_not_called_healthy(
    tmp_path: Path, env: dict[str, str]
) -> None:
    directory = moment(tmp_path / "git", node("one"), running("api-0", "api"))
    rule = {"apiVersion": "v1", "resource": "namespaces", "verbs": ["list", "get"], "status": 403}
    about = {"apiVersion": "berth.dev/v1", "kind": "Snapshot", "unavailable": [rule]}
    (tmp_path / "git" / "snapshot.yaml").write_text(json.dumps(about))
    ended = asked("ok?", directory, env, "-n", "nosuch", "-o", "json")
    told = json.loads(ended.out)
    assert "as far as it can be read" in told["answer"].splitlines()[0]
    assert "namespace nosuch" in {gap["what"] for gap in told["gaps"]}


@pytest.mark.parametrize("command", [("ask", "ok?", "--engine", "rules"), ("check",)])
def test_a_directory_without_objects_is_no_healthy_cluster(
    command: tuple[str, ...], tmp_path: Path, env: dict[str, str]
) -> None:
    directory = moment(tmp_path / "nothing")
    ended = berth(*command, "--snapshot", directory, env=env)
    assert (ended.status, ended.out) == (2, "")
    assert "holds no Kubernetes objects" in ended.err


def bare(kind: str, name: str, **rest: Any) -> Thing:
    """A workload as it stands in a repository of manifests."""
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": name}}}
    return thing("apps/v1", kind, name, spec={**spec, **rest.pop("spec", {})}, **rest)


def test_what_no_status_tells_of_is_not_called_healthy(tmp_path: Path, env: dict[str, str]) -> None:
    silent = thing("v1", "Pod", "silent-0", spec={"containers": [{"name": "c"}]}, status=None)
    sleepy = thing("v1", "Node", "two", None, status={"conditions": None})
    directory = moment(tmp_path / "git", node("one"), sleepy, silent, bare("Deployment", "web"))
    for first in (
        asked("is everything ok?", directory, env).out.splitlines()[0],
        berth("check", "--snapshot", directory, env=env).out.splitlines()[0],
    ):
        assert "Nothing is broken" not in first
        assert "No fault" in first.replace("no fault", "No fault")
        assert all(name in first for name in ("two", "shop/silent-0", "shop/web"))


def test_one_object_of_an_odd_shape_does_not_hide_the_others(tmp_path: Path, env: dict[str, str]) -> None:
    odd = bare("Deployment", "odd", spec={"replicas": [1]})
    down = bare("Deployment", "down", status={"replicas": 1, "readyReplicas": 0})
    directory = moment(tmp_path / "git", node("one"), odd, down)
    ended = berth("check", "--snapshot", directory, env=env)
    assert ended.status == 1
    assert "Deployment shop/down  ReplicasNotReady" in ended.out
    assert "Deployment odd has an odd shape" in ended.out


def test_both_commands_count_the_same_things(tmp_path: Path, env: dict[str, str]) -> None:
    done = thing("v1", "Pod", "once-0", spec={"containers": [{"name": "c"}]}, status={"phase": "Succeeded"})
    job = thing(
        "batch/v1", "Job", "once", status={"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}
    )
    cron = thing("batch/v1", "CronJob", "daily", spec={"schedule": "0 1 * * *"})
    directory = moment(tmp_path / "git", node("one"), running("api-0", "api"), done, job, cron)
    last = asked("ok?", directory, env).out.splitlines()[-1]
    assert "2 pods (1 ready, 1 finished)" in last and "1 job, 1 cron job" in last
    assert "2 pods, 1 job, 1 cron job" in berth("check", "--snapshot", directory, env=env).out


def test_a_kind_alone_is_no_object_to_check(tmp_path: Path, env: dict[str, str]) -> None:
    ended = berth("check", "pods", "--snapshot", moment(tmp_path / "git", node("one")), env=env)
    assert ended.status == 2
    assert "check takes KIND/NAME or NAME, and pods is a kind (Pod)" in ended.err


@pytest.mark.parametrize("question", ["is anything broken?", "is the cluster healthy?"])
def test_where_no_pod_may_be_read_nothing_is_called_healthy(question: str, tmp_path: Path, env: dict[str, str]) -> None:
    directory = moment(tmp_path / "git", node("one"), running("api-0", "api"))
    rule = {"apiVersion": "v1", "resource": "pods", "verbs": ["list", "get"], "status": 403}
    about = {"apiVersion": "berth.dev/v1", "kind": "Snapshot", "unavailable": [rule]}
    (tmp_path / "git" / "snapshot.yaml").write_text(json.dumps(about))
    ended = asked(question, directory, env, "-o", "json")
    first = json.loads(ended.out)["answer"].splitlines()[0]
    assert "pods could not be read" in first
    assert not re.search(r"looks healthy|nothing is broken|\bYes\b|\bNo,", first)
