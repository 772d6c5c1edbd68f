"""The read-only promise as the API server sees it. Ids are those of the read-only checklist."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.records import ToolResult
from kubectl_berth.tools.registry import ALL
from kubectl_berth.tools.toolbox import MOST_IN_A_REPLY, Toolbox
from tests.fakes.kube_recorder import Reply
from tests.fakes.recorded_cluster import RecordedCluster, recorded
from tests.tools.objects import shop, write

POD = "api-6b8f7c9d44-q7zkd"


@dataclass(frozen=True)
class Call:
    name: str
    arguments: dict[str, Any]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordedCluster]:
    directory = tmp_path_factory.mktemp("wire")
    snapshot = open_snapshot([write(directory / "snapshot", shop(), {f"shop/{POD}/app.previous.log": "FATAL\n"})])
    with recorded(snapshot, directory) as found:
        yield found


@pytest.fixture
def box(cluster: RecordedCluster, monkeypatch: pytest.MonkeyPatch) -> Toolbox:
    """The tools, with discovery done and no way to start a process."""
    box = cluster.toolbox()
    box.context.cluster.kinds()

    def never(*arguments: Any, **named: Any) -> None:
        raise AssertionError(f"a process was to be started: {arguments}")

    for name in ("Popen", "run", "call", "check_output"):
        monkeypatch.setattr(subprocess, name, never)
    for name in ("system", "execv", "execve", "execvp", "posix_spawn", "fork"):
        monkeypatch.setattr(os, name, never)
    cluster.server.requests.clear()
    return box


def nothing_sent(cluster: RecordedCluster, result: ToolResult) -> None:
    assert cluster.server.requests == []
    assert result.fate in ("refused", "error")
    assert result.text.startswith("<<<cluster-data\n")
    assert len(result.text) < 1000


@pytest.mark.parametrize(
    "name", ["kubectl_delete", "bash", "exec_in_pod", "get_secret", "Describe_Resource", "list_pods\n", "", "x" * 5000]
)
def test_a05_a_tool_that_is_not_offered_does_not_run(cluster: RecordedCluster, box: Toolbox, name: str) -> None:
    result = box.call(name, {"command": "kubectl delete pod web-0", "kind": "Pod", "name": POD})
    nothing_sent(cluster, result)
    assert [entry.fate for entry in box.trace] == ["error"]


def test_a05_a_tool_that_is_disabled_does_not_run(cluster: RecordedCluster, box: Toolbox) -> None:
    few = Toolbox(box.context, tools=[tool for tool in ALL if tool.name != "get_logs"])
    nothing_sent(cluster, few.call("get_logs", {"name": POD, "namespace": "shop"}))


NO_NAMES = {
    "A06": [
        "-A",
        "--server=https://attacker.example",
        "--raw=/api/v1/secrets",
        "--kubeconfig=/x",
        "-Ashttps://attacker",
        "x; rm -rf /",
        "$(id)",
        "`id`",
        "x\n--token=y",
    ],
    "A07": [
        "..",
        ".",
        "a/../../secrets/db",
        "..%2fsecrets",
        "%2e%2e",
        "x?watch=1",
        "x#y",
        "x\\y",
        "x\x00",
        "x\r\nX-A: b",
        "a" * 254,
    ],
    "A08": ["web/exec/x", "web/attach/..", "web-0/proxy/api"],
}
NAMES = [pytest.param(name, id=f"{number}-{n}") for number, names in NO_NAMES.items() for n, name in enumerate(names)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tool", ["describe_resource", "get_logs", "analyze_workload_resources"])
def test_what_is_no_name_is_not_asked_for(cluster: RecordedCluster, box: Toolbox, tool: str, name: str) -> None:
    nothing_sent(cluster, box.call(tool, {"kind": "Pod", "name": name, "namespace": "shop"}))


@pytest.mark.parametrize("namespace", ["-A", "..", "../../kube-system", "Shop", "a b", "x%2f", "a" * 64])
@pytest.mark.parametrize("tool", ["describe_resource", "list_pods", "get_events", "check_availability"])
def test_a07_what_is_no_namespace_is_not_asked_for(
    cluster: RecordedCluster, box: Toolbox, tool: str, namespace: str
) -> None:
    nothing_sent(cluster, box.call(tool, {"kind": "Pod", "name": POD, "namespace": namespace}))


@pytest.mark.parametrize(
    "version",
    ["../api", "../../api/v1", "./v1", "apps/../../api/v1", "apps%2f..%2f..", "V1", "/v1", "v1/", "apps/v1/x"],
)
@pytest.mark.parametrize("kind", ["v1", "Pod", "pods", "secrets"])
def test_a07_what_is_no_api_version_is_not_asked_for(
    cluster: RecordedCluster, box: Toolbox, version: str, kind: str
) -> None:
    arguments = {"kind": kind, "name": "secrets", "namespace": "shop", "apiVersion": version}
    nothing_sent(cluster, box.call("describe_resource", arguments))
    nothing_sent(cluster, box.call("list_resources", arguments))


SUBRESOURCES = {
    "A08": [
        "exec",
        "attach",
        "portforward",
        "proxy",
        "ephemeralcontainers",
        "binding",
        "eviction",
        "token",
        "approval",
    ],
    "A09": ["console", "vnc", "secrets"],
}


@pytest.mark.parametrize(
    "sub", [pytest.param(s, id=f"{number}-{s}") for number, subs in SUBRESOURCES.items() for s in subs]
)
def test_no_subresource_is_reached_by_any_spelling(cluster: RecordedCluster, box: Toolbox, sub: str) -> None:
    for kind, name in (("pods", f"{POD}/{sub}"), (f"pods/{sub}", POD), ("Pod", f"{POD}/{sub}/x"), (sub, POD)):
        box.call("describe_resource", {"kind": kind, "name": name, "namespace": "shop", "subresource": sub})
        box.call("list_resources", {"kind": kind, "subresource": sub})
    box.call("get_logs", {"kind": f"pods/{sub}", "name": POD, "namespace": "shop"})
    assert cluster.wrong() == []


@pytest.mark.parametrize(
    "kind", ["logs", "metrics", "configz", "debug/pprof", "openapi/v2", "healthz", "watch", "proxy"]
)
def test_a10_a12_no_path_that_is_not_about_objects(cluster: RecordedCluster, box: Toolbox, kind: str) -> None:
    for version in (None, "v1", "apps/v1"):
        box.call("list_resources", {"kind": kind, "apiVersion": version})
        box.call("describe_resource", {"kind": kind, "name": "x", "apiVersion": version})
    assert cluster.wrong() == []


@pytest.mark.parametrize(
    "more", [{"watch": True}, {"follow": True}, {"timeoutSeconds": 99999}, {"insecureSkipTLSVerifyBackend": True}]
)
def test_a11_a_made_up_argument_changes_no_request(
    cluster: RecordedCluster, box: Toolbox, more: dict[str, Any]
) -> None:
    box.call("get_logs", {"name": POD, "namespace": "shop", "tailLines": 10**9, **more})
    logs = [path for path in cluster.server.paths if "/log?" in path]
    assert logs and cluster.wrong() == []
    assert all("limitBytes=" in path and next(iter(more)) not in path for path in logs)


def test_a14_a19_no_argument_is_an_address_a_path_a_command_or_a_context() -> None:
    names = {parameter.name.lower() for tool in ALL for parameter in tool.parameters}
    odd = ("url", "host", "server", "path", "file", "dir", "command", "kubeconfig", "context", "token", "proxy", "user")
    assert not {name for name in names for word in odd if word in name}


def test_a16_no_tool_tells_anything_of_the_kubeconfig_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    canaries = {name: f"canary{n}" + "fakevalue0" for n, name in enumerate(("token", "env", "arg", "server"))}
    monkeypatch.setenv("BERTH_TEST_API_KEY", canaries["env"])
    objects = shop()
    snapshot = open_snapshot([write(tmp_path / "snapshot", objects, {})])
    with recorded(snapshot, tmp_path, token=canaries["token"]) as cluster:
        box = cluster.toolbox()
        about = {"kind": "Deployment", "name": "api", "namespace": "shop", "query": "token kubeconfig", "title": "t"}
        about |= {"summary": "s", "steps": ["kubectl config view --raw"], "rootCause": "c", "fix": "f"}
        told = [
            box.call(tool.name, {p.name: about[p.name] for p in tool.parameters if p.name in about}).text
            for tool in ALL
        ]
    for canary in canaries.values():
        assert canary not in "\n".join(told)


def test_a18_the_calls_of_one_reply_are_admitted_one_by_one(cluster: RecordedCluster, box: Toolbox) -> None:
    calls = [Call("get_logs", {"name": POD, "namespace": "shop", "tailLines": n}) for n in range(1, 101)]
    results = box.call_all(calls, 1, 3)
    assert len(results) == 100
    assert [result.fate for result in results[MOST_IN_A_REPLY:]] == ["error"] * (100 - MOST_IN_A_REPLY)
    assert len([path for path in cluster.server.paths if "/log?" in path]) <= 2 * MOST_IN_A_REPLY


def test_a19_a_server_that_answers_nonsense_costs_the_call_and_nothing_else(
    cluster: RecordedCluster, box: Toolbox
) -> None:
    honest, nonsense = (
        cluster.server.script,
        [b"", b"<html>", b'{"kind":', b"[]", b"null", b'{"items": 7}', b"\xff\xfe"],
    )
    for body in nonsense:
        fresh = cluster.toolbox()
        fresh.context.cluster.kinds()
        cluster.server.script = lambda request, body=body: Reply(body, 200, {"Content-Type": "application/json"})
        try:
            for name in ("list_pods", "cluster_health", "analyze_capacity", "get_events"):
                result = fresh.call(name, {})
                assert result.text.startswith("<<<cluster-data\n")
                assert result.gaps, (name, body)
        finally:
            cluster.server.script = honest
