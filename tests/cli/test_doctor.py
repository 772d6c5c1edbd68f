"""kubectl berth doctor, run as a process against an API server that knows who may do what."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_berth.cluster.allow_list import permit
from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.errors import Refused
from kubectl_berth.simulator.server import serve
from tests.fakes.kube_recorder import Recorded, Recorder, Reply, closed_port, recording, status
from tests.process import Ended, berth, snapshot, surroundings

ACCESS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
RULES = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"


def rule(groups: str, resources: str, verbs: str) -> dict[str, Any]:
    return {"apiGroups": groups.split(","), "resources": resources.split(), "verbs": verbs.split()}


def answering(
    recorder: Recorder, allowed: Callable[[dict[str, Any]], bool], rules: list[dict[str, Any]], stall: float = 0
) -> None:
    """The reviews say what `allowed` says of their attributes, and list these rules."""

    def script(request: Recorded) -> Reply | None:
        if request.method != "POST":
            return None
        asked = json.loads(request.body)
        assert asked["apiVersion"] == "authorization.k8s.io/v1"
        if request.path == ACCESS:
            assert asked["kind"] == "SelfSubjectAccessReview"
            answer: dict[str, Any] = {"allowed": allowed(asked["spec"]["resourceAttributes"])}
        else:
            assert (request.path, asked["kind"]) == (RULES, "SelfSubjectRulesReview")
            answer = {"resourceRules": rules, "nonResourceRules": [], "incomplete": False}
        return Reply({**asked, "status": answer}, 201, stall=stall)

    recorder.script = script


@pytest.fixture
def server() -> Iterator[Recorder]:
    with recording() as recorder:
        recorder.replies["/api"] = Reply({"kind": "APIVersions", "versions": ["v1"]})
        recorder.replies["/apis"] = Reply({"kind": "APIGroupList", "groups": []})
        recorder.replies["/api/v1"] = Reply({"kind": "APIResourceList", "resources": []})
        yield recorder


def doctor(url: str, home: Path, *flags: str, **variables: str) -> Ended:
    config = {
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "here", "namespace": "shop"}}],
        "clusters": [{"name": "here", "cluster": {"server": url}}],
    }
    (home / "kubeconfig").write_text(yaml.safe_dump(config))
    env = surroundings(home, KUBECONFIG=str(home / "kubeconfig"), **variables)
    return berth("doctor", *flags, env=env)


def points(ended: Ended) -> dict[str, Any]:
    document = json.loads(ended.out)
    assert document["schema"] == "berth.dev/v1/doctor"
    assert document["exit_status"] == ended.status
    assert document["ok"] is (ended.status == 0)
    return {point["name"]: point for point in document["points"]}


def test_all_in_order(server: Recorder, tmp_path: Path) -> None:
    figures = {"kind": "NodeMetricsList", "metadata": {}, "items": [{"metadata": {"name": "n"}}]}
    server.replies["/apis/metrics.k8s.io/v1beta1/nodes"] = Reply(figures)
    answering(server, lambda asked: True, [rule("", "pods", "get list watch")])
    ended = doctor(server.url, tmp_path, "-o", "json")
    assert (ended.status, ended.err) == (0, "")
    found = points(ended)
    assert {name: point["state"] for name, point in found.items()} == {
        "kubeconfig": "ok",
        "cluster": "ok",
        "rights": "ok",
        "more rights than needed": "ok",
        "kinds": "ok",
        "usage figures": "ok",
        "engine": "ok",
        "data policy": "ok",
        "budget": "ok",
    }
    assert found["kubeconfig"]["details"]["server"] == server.url
    assert found["cluster"]["details"]["version"] == "v1.33.4"
    assert found["engine"]["details"]["engine"] == "rules"


def test_nothing_but_the_two_reviews_is_posted(server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: True, [])
    doctor(server.url, tmp_path)
    posted = {request.path for request in server.requests if request.method != "GET"}
    assert posted == {ACCESS, RULES}
    for request in server.requests:
        assert "secrets" not in request.path
        assert b"secrets" not in request.body


def test_reviews_are_all_that_may_be_posted() -> None:
    permit("POST", ACCESS)
    permit("POST", RULES)
    for target in (f"{ACCESS}?dryRun=All", "/apis/authorization.k8s.io/v1/subjectaccessreviews", "/api/v1/pods"):
        with pytest.raises(Refused):
            permit("POST", target)


def test_missing_rights_are_named(server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: asked["resource"] != "nodes" and asked.get("subresource") != "log", [])
    ended = doctor(server.url, tmp_path)
    assert ended.status == 1
    assert "may not read: nodes, pods/log, nodes.metrics.k8s.io\n" in ended.out


def test_rights_in_one_namespace_alone(server: Recorder, tmp_path: Path) -> None:
    everywhere = {"nodes", "namespaces"}
    answering(
        server,
        lambda asked: asked["resource"] in everywhere or asked.get("namespace") == "shop",
        [rule("", "pods services", "get list"), rule("", "pods/log", "get"), rule("apps", "*", "list")],
    )
    found = points(doctor(server.url, tmp_path, "-o", "json"))["rights"]
    here = ["pods", "pods/log", "services", "daemonsets.apps", "deployments.apps", "replicasets.apps"]
    assert found["details"]["only_in_namespace"] == [*here, "statefulsets.apps"]
    assert "events" in found["details"]["missing"]
    assert "nodes" not in found["details"]["missing"]
    narrowed = points(doctor(server.url, tmp_path, "-o", "json", "-n", "shop"))["rights"]
    assert "events" not in narrowed["details"]["missing"]
    assert "storageclasses.storage.k8s.io" in narrowed["details"]["missing"]
    assert narrowed["details"]["namespace"] == "shop"


@pytest.mark.parametrize(
    ("rules", "lines"),
    [
        (
            [rule("*", "*", "*")],
            [
                "everything on everything (cluster-admin)",
                "read secrets",
                "read configmaps",
                "get into containers and nodes: nodes/proxy, pods/attach, pods/ephemeralcontainers, pods/exec, "
                "pods/portforward",
                "change anything",
            ],
        ),
        ([rule("", "secrets", "list")], ["read secrets"]),
        ([rule("", "pods pods/exec", "get list create")], ["get into containers and nodes: pods/exec", "change pods"]),
        ([rule("apps", "deployments", "patch")], ["change deployments.apps"]),
        ([rule("", "users", "impersonate")], ["act as somebody else (impersonate)"]),
        ([rule("authorization.k8s.io", "selfsubjectaccessreviews", "create"), rule("", "pods", "get watch")], []),
    ],
)
def test_more_rights_than_needed(
    rules: list[dict[str, Any]], lines: list[str], server: Recorder, tmp_path: Path
) -> None:
    answering(server, lambda asked: True, rules)
    ended = doctor(server.url, tmp_path, "-o", "json")
    assert points(ended)["more rights than needed"]["details"]["excess"] == lines
    # what is too much keeps nothing from working
    assert ended.status == 0


def test_slow_reviews_are_not_waited_for(server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: True, [], stall=8)
    started = time.monotonic()
    ended = doctor(server.url, tmp_path, "-o", "json")
    assert time.monotonic() - started < 7
    found = points(ended)
    assert ended.status == 1
    assert "pods" in found["rights"]["details"]["unknown"]
    assert found["engine"]["state"] == "ok"


def test_reviews_that_are_refused_leave_the_rights_unknown(server: Recorder, tmp_path: Path) -> None:
    server.script = lambda request: status(403, "Forbidden", "no reviews here") if request.method == "POST" else None
    ended = doctor(server.url, tmp_path)
    assert ended.status == 1
    assert "(no reviews here)" in ended.out


def test_no_cluster_does_not_keep_the_rest_from_being_looked_at(tmp_path: Path) -> None:
    ended = doctor(f"http://127.0.0.1:{closed_port()}", tmp_path, "-o", "json")
    assert ended.status == 3
    found = points(ended)
    assert found["cluster"]["state"] == "failed"
    assert "refused" in found["cluster"]["summary"]
    assert {"engine", "data policy", "budget"} <= set(found)


def test_a_kubeconfig_that_cannot_be_used(tmp_path: Path) -> None:
    ended = doctor("http://127.0.0.1:9", tmp_path, "--context", "zzz")
    assert ended.status == 2
    assert "FAILED  kubeconfig: context 'zzz' does not exist" in ended.out


def test_an_engine_that_cannot_be_used(server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: True, [])
    ended = doctor(server.url, tmp_path, "--engine", "claude")
    assert ended.status == 4
    assert "a run would take claude, which cannot be used: ANTHROPIC_API_KEY is not set" in ended.out


def test_engine_policy_and_budget(server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: True, [])
    key = "sk-" + "ant-" + "x" * 30
    variables = {"ANTHROPIC_API_KEY": key, "AI_BUDGET_DAILY_TOKENS": "5000", "ANTHROPIC_MODEL": "claude-x"}
    ended = doctor(server.url, tmp_path, "-o", "json", **variables)
    assert key not in ended.out + ended.err
    found = points(ended)
    assert found["engine"]["summary"] == "a run takes claude (claude-x) (auto)"
    policy = found["data policy"]
    assert policy["details"] == {"raw_diagnostics": False, "host": "api.anthropic.com", "source": "default"}
    assert found["budget"]["details"] == {"today": {"limit": 5000, "left": 5000}}
    allowed = doctor(server.url, tmp_path, AI_ALLOW_RAW_DIAGNOSTICS="true", **variables)
    assert "may go to claude on api.anthropic.com (AI_ALLOW_RAW_DIAGNOSTICS in the environment)" in allowed.out


def test_a_served_snapshot_says_what_may_be_read(tmp_path: Path) -> None:
    moment = snapshot(tmp_path / "moment")
    with (moment / "snapshot.yaml").open("a") as about:
        about.write(
            "unavailable:\n- {resource: nodes, status: 403}\n- {resource: pods/log, namespace: shop, status: 403}\n"
        )
    served = serve(open_snapshot([moment]))
    try:
        ended = doctor(served.url, tmp_path, "-o", "json")
        assert ended.status == 1
        found = points(ended)
        assert found["rights"]["details"]["missing"] == ["nodes", "pods/log"]
        assert found["more rights than needed"]["details"]["excess"] == []
        for verb, resource, part, namespace, answer in (
            ("list", "pods", "", "", True),
            ("get", "pods", "log", "shop", False),
            ("get", "pods", "log", "bank", True),
            ("list", "nodes", "", "", False),
            ("get", "secrets", "", "shop", False),
            ("delete", "pods", "", "shop", False),
            ("create", "pods", "exec", "shop", False),
        ):
            attributes = {"verb": verb, "resource": resource, "subresource": part, "namespace": namespace}
            assert _allowed(served.url, attributes) is answer, attributes
    finally:
        served.close()


def _allowed(url: str, attributes: dict[str, str]) -> bool:
    """What anybody is told who posts this review."""
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url + ACCESS, json.dumps(review).encode(), headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 201
        return bool(json.loads(answer.read())["status"]["allowed"])
