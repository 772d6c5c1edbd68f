"""kubectl berth doctor, run as a process against an API server that knows who may do what."""

from __future__ import annotations

import json
import signal
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_berth.cluster.allow_list import permit
from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.errors import Refused
from kubectl_berth.simulator.server import serve
from tests.fakes.kube_recorder import Recorder, Reply, closed_port, recording, silent, status
from tests.fakes.reviews import ACCESS, RULES, answering, rule
from tests.process import Ended, berth, snapshot, start, surroundings


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


def test_a_namespace_that_is_not_there(server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: True, [rule("", "pods", "get list watch")])
    items = [{"metadata": {"name": name}} for name in ("shop", "data")]
    server.replies["/api/v1/namespaces?limit=500"] = Reply({"kind": "NamespaceList", "metadata": {}, "items": items})
    ended = doctor(server.url, tmp_path, "-n", "shup")
    assert ended.status == 2
    assert "FAILED  namespace: there is no namespace shup; there are: shop and 1 more\n" in ended.out
    assert "rights" not in ended.out
    assert doctor(server.url, tmp_path, "-n", "shop").status != 2
    # who may not list them is not told that it is missing
    server.replies["/api/v1/namespaces?limit=500"] = status(403, "Forbidden", "no")
    assert doctor(server.url, tmp_path, "-n", "shup").status != 2


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
                "everything on everything",
                "read secrets",
                "read configmaps",
                "get into containers and nodes: nodes/proxy, pods/attach, pods/ephemeralcontainers, pods/exec, "
                "pods/portforward, pods/proxy, services/proxy",
                "change anything",
            ],
        ),
        ([rule("", "secrets", "list")], ["read secrets"]),
        ([rule("", "secrets", "get") | {"resourceNames": ["one"]}], ["read secrets of certain names"]),
        ([rule("", "services/proxy", "get")], ["get into containers and nodes: services/proxy"]),
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
    found = points(doctor(server.url, tmp_path, "-o", "json"))["more rights than needed"]
    assert found["details"]["excess"] == lines
    # what is too much keeps nothing from working
    assert found["state"] == ("note" if lines else "ok")


def test_slow_reviews_are_not_waited_for(server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: True, [], stall=30)
    started = time.monotonic()
    ended = doctor(server.url, tmp_path, "-o", "json")
    assert time.monotonic() - started < 20
    found = points(ended)
    assert ended.status == 1
    assert "pods" in found["rights"]["details"]["unknown"]
    assert found["rights"]["summary"].startswith("not known whether")
    assert found["rights"]["lines"][0].endswith("(not answered within 2 s)")
    assert found["engine"]["state"] == "ok"


def test_ctrl_c_ends_it_at_once(server: Recorder, tmp_path: Path) -> None:
    server.script = lambda request: Reply(stall=20) if request.path != "/version" else None
    doctor(server.url, tmp_path, "--request-timeout", "1ms")  # writes the kubeconfig
    process = start("doctor", env=surroundings(tmp_path, KUBECONFIG=str(tmp_path / "kubeconfig")))
    while RULES not in server.paths:
        time.sleep(0.02)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    # the server would be waited for five seconds
    assert time.monotonic() - started < 4
    assert (process.returncode, err) == (130, b"error: interrupted\n")


def test_reviews_that_are_refused_leave_the_rights_unknown(server: Recorder, tmp_path: Path) -> None:
    server.script = lambda request: status(403, "Forbidden", "no reviews here") if request.method == "POST" else None
    ended = doctor(server.url, tmp_path)
    assert ended.status == 1
    assert "(no reviews here)" in ended.out


@pytest.mark.parametrize(
    "answer", [Reply({"kind": "x"}, 201), Reply({"status": "yes"}, 201), Reply("[1]", 201), Reply("<html>", 200)]
)
def test_a_review_that_says_nothing_is_neither_a_yes_nor_a_no(answer: Reply, server: Recorder, tmp_path: Path) -> None:
    server.script = lambda request: answer if request.method == "POST" else None
    found = points(doctor(server.url, tmp_path, "-o", "json"))
    assert found["rights"]["details"]["missing"] == []
    assert "pods" in found["rights"]["details"]["unknown"]
    assert found["more rights than needed"]["summary"] == "not known"


def test_where_single_questions_are_not_answered_the_list_of_rules_is(server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: True, [rule("*", "*", "get list")])
    both = server.script
    assert both is not None
    server.script = lambda request: Reply("no such path", 404) if request.path == ACCESS else both(request)
    found = points(doctor(server.url, tmp_path, "-o", "json"))["rights"]
    assert (found["state"], found["summary"]) == ("note", "everything that the tools read in namespace shop")
    assert "pods" in found["details"]["unknown_elsewhere"]
    assert "nodes" not in found["details"]["unknown_elsewhere"]
    narrowed = points(doctor(server.url, tmp_path, "-o", "json", "-n", "shop"))["rights"]
    assert (narrowed["state"], narrowed["lines"]) == ("ok", [])
    answering(server, lambda asked: True, [rule("*", "pods", "get list")])
    fewer = server.script
    assert fewer is not None
    server.script = lambda request: Reply("no such path", 404) if request.path == ACCESS else fewer(request)
    missing = points(doctor(server.url, tmp_path, "-o", "json"))["rights"]
    assert missing["state"] == "missing"
    assert "nodes" in missing["details"]["missing"]
    assert "pods" not in missing["details"]["missing"]


def test_what_may_be_listed_and_not_read_one_by_one(server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: True, [rule("", "pods nodes", "list watch"), rule("", "nodes", "get")])
    found = points(doctor(server.url, tmp_path, "-o", "json"))["rights"]
    assert found["details"]["missing"] == ["pods one by one (get)"]


def test_rules_that_an_authorizer_keeps_to_itself_are_asked_about_one_by_one(server: Recorder, tmp_path: Path) -> None:
    # as a cloud's own authorizer answers
    words = "webhook authorizer does not support user rule resolution\x1b[31m"
    may = {"pods", "nodes"}
    answering(
        server,
        lambda asked: asked["resource"] in may and asked["verb"] in ("list", "get", "delete"),
        [rule("authorization.k8s.io", "selfsubjectaccessreviews", "create")],
        incomplete=True,
        evaluationError=words,
    )
    ended = doctor(server.url, tmp_path, "-o", "json")
    found = points(ended)
    assert found["more rights than needed"]["details"]["excess"] == [
        "get into containers and nodes: nodes/proxy",
        "change pods",
    ]
    assert found["more rights than needed"]["lines"][-1].startswith("the list may lack some: webhook authorizer")
    assert "pods" not in found["rights"]["details"]["missing"]
    assert "\\u001b" not in ended.out


def test_custom_resources_that_may_not_be_read(server: Recorder, tmp_path: Path) -> None:
    kinds = [
        {"name": plural, "kind": plural.title(), "namespaced": True, "verbs": ["get", "list"]}
        for plural in ("boats", "piers")
    ]
    group = {"name": "sea.example", "versions": [{"version": "v1"}], "preferredVersion": {"version": "v1"}}
    server.replies["/apis"] = Reply({"kind": "APIGroupList", "groups": [group]})
    server.replies["/apis/sea.example/v1"] = Reply({"kind": "APIResourceList", "resources": kinds})
    answering(server, lambda asked: True, [rule("sea.example", "boats", "get list")])
    ended = doctor(server.url, tmp_path)
    assert "custom ones that may not be read: piers.sea.example (kubectl berth rbac --custom)\n" in ended.out
    assert ended.status == 0


@pytest.mark.parametrize("dead", ["/version", "/api"])
def test_nothing_dead_is_waited_for_longer_than_a_few_seconds(dead: str, server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: True, [])
    reviews = server.script
    assert reviews is not None
    server.script = lambda request: (
        Reply(stall=30) if request.method == "GET" and request.path.startswith(dead) else reviews(request)
    )
    started = time.monotonic()
    ended = doctor(server.url, tmp_path)
    assert time.monotonic() - started < 20
    assert ended.status == (3 if dead == "/version" else 1)
    assert "no answer within 5 s; check your network or raise --request-timeout" in ended.out
    assert "budget" in ended.out


def test_a_limit_that_was_asked_for_holds(tmp_path: Path) -> None:
    with silent() as url:
        ended = doctor(url, tmp_path, "--request-timeout", "1")
    assert ended.status == 3
    assert "no answer within 1 s" in ended.out


def test_no_cluster_does_not_keep_the_rest_from_being_looked_at(tmp_path: Path) -> None:
    ended = doctor(f"http://127.0.0.1:{closed_port()}", tmp_path, "-o", "json")
    assert ended.status == 3
    found = points(ended)
    assert found["cluster"]["state"] == "failed"
    assert "refused" in found["cluster"]["summary"]
    assert {"engine", "data policy", "budget"} <= set(found)


def test_whoever_is_acted_as_is_named_as_typed(server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: True, [])
    ended = doctor(server.url, tmp_path, "--as", "jürgen", "--as-group", "ops")
    assert "          acting as jürgen, ops\n" in ended.out
    assert server.requests[0].values("impersonate-user") == ["jürgen".encode().decode("latin-1")]


def test_a_kubeconfig_that_cannot_be_used(tmp_path: Path) -> None:
    ended = doctor("http://127.0.0.1:9", tmp_path, "--context", "zzz")
    assert ended.status == 2
    assert "FAILED  kubeconfig: context 'zzz' does not exist" in ended.out


def test_no_kubeconfig_at_all(tmp_path: Path) -> None:
    ended = berth("doctor", "-o", "json", env=surroundings(tmp_path))
    assert ended.status == 3
    found = points(ended)
    assert found["kubeconfig"]["state"] == "failed"
    assert "set KUBECONFIG" in found["kubeconfig"]["summary"]
    assert {"engine", "data policy", "budget"} <= set(found)


def test_the_files_of_the_kubeconfig_are_named(server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: True, [])
    doctor(server.url, tmp_path)
    second = tmp_path / "second"
    second.write_text("apiVersion: v1\nkind: Config\n")
    listed = f"{tmp_path / 'missing'}:{tmp_path / 'kubeconfig'}:{second}"
    ended = berth("doctor", "-o", "json", env=surroundings(tmp_path, KUBECONFIG=listed))
    assert points(ended)["kubeconfig"]["details"]["files"] == [str(tmp_path / "kubeconfig"), str(second)]


@pytest.mark.parametrize(
    ("variables", "status", "state"),
    [
        ({"ANTHROPIC_API_KEY": "x"}, 6, "failed"),
        # what costs nothing is not held
        ({}, 0, "note"),
        ({"ANTHROPIC_API_KEY": "x", "AI_RESERVE_TOKENS": "100"}, 0, "ok"),
    ],
)
def test_a_budget_that_no_model_call_fits_in(
    variables: dict[str, str], status: int, state: str, server: Recorder, tmp_path: Path
) -> None:
    answering(server, lambda asked: True, [])
    ended = doctor(server.url, tmp_path, "-o", "json", AI_BUDGET_DAILY_TOKENS="5000", **variables)
    assert (ended.status, points(ended)["budget"]["state"]) == (status, state)


def test_an_engine_that_cannot_be_used(server: Recorder, tmp_path: Path) -> None:
    answering(server, lambda asked: True, [])
    ended = doctor(server.url, tmp_path, "--engine", "claude")
    assert ended.status == 4
    assert "a run would take claude, which cannot be used: ANTHROPIC_API_KEY is not set" in ended.out


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
