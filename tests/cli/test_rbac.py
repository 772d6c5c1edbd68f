"""The printed role against the requests that the tools make: neither holds anything that the other lacks."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_berth.cluster.connection import ConnectionOptions
from kubectl_berth.cluster.kinds import METRICS_KINDS, builtin_kinds
from kubectl_berth.cluster.live import connect
from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.environment import Environment
from kubectl_berth.investigation.brief import brief
from kubectl_berth.question.understand import understand
from kubectl_berth.simulator.kubeconfig import write_kubeconfig
from kubectl_berth.simulator.server import serve
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.registry import ALL
from kubectl_berth.tools.toolbox import Toolbox
from tests.fakes.kube_recorder import Recorded, Recorder, Reply, recording, status
from tests.process import berth, snapshot, surroundings

# the newest server: it serves every kind that the role may name
VERSION = "v1.36.0"
KINDS = (*builtin_kinds(VERSION), *METRICS_KINDS)
NEEDS_NO_RULE = re.compile(r"/version|/apis?(/[a-z0-9.]+)?(/v[0-9a-z]+)?")

Needs = set[tuple[str, str, str]]
"""API group, resource (with its subresource), verb."""


def printed(*flags: str, home: Path) -> list[dict[str, Any]]:
    done = berth("rbac", *flags, env=surroundings(home))
    assert (done.status, done.err) == (0, "")
    role = yaml.safe_load(done.out)
    assert (role["apiVersion"], role["kind"]) == ("rbac.authorization.k8s.io/v1", "ClusterRole")
    assert isinstance(role["rules"], list)
    return role["rules"]


def allowed(rules: list[dict[str, Any]]) -> Needs:
    return {
        (group, resource, verb)
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def needs(request: Recorded) -> tuple[str, str, str] | None:
    """What RBAC asks for to let the request pass; None for what everybody may."""
    path, _, query = request.path.partition("?")
    if NEEDS_NO_RULE.fullmatch(path):
        return None
    found = re.fullmatch(
        r"/(?:api|apis/(?P<group>[^/]+))/v[^/]+(?:/namespaces/[^/]+(?=/.))?/(?P<plural>[^/]+)"
        r"(?:/(?P<name>[^/]+))?(?:/(?P<sub>.+))?",
        path,
    )
    assert found, path
    resource = found["plural"] + (f"/{found['sub']}" if found["sub"] else "")
    verb = "watch" if "watch=" in query else "get" if found["name"] else "list"
    return (found["group"] or "", resource, {"GET": verb}.get(request.method, request.method))


def serving(recorder: Recorder) -> None:
    """The recorder serves every built-in kind, one object called "one" of each, in discovery of the old form."""
    groups: dict[str, list[str]] = {}
    for kind in KINDS:
        groups.setdefault(kind.group, [])
        if kind.version not in groups[kind.group]:
            groups[kind.group].append(kind.version)
    recorder.replies["/version"] = Reply({"gitVersion": VERSION})
    recorder.replies["/api"] = Reply({"kind": "APIVersions", "versions": ["v1"]})
    named = [
        {
            "name": group,
            "versions": [{"version": each} for each in versions],
            "preferredVersion": {"version": versions[0]},
        }
        for group, versions in groups.items()
        if group
    ]
    recorder.replies["/apis"] = Reply({"kind": "APIGroupList", "groups": named})
    for group, versions in groups.items():
        for version in versions:
            served = [k for k in KINDS if (k.group, k.version) == (group, version)]
            resources = [
                {"name": k.plural, "kind": k.kind, "namespaced": k.namespaced, "verbs": list(k.verbs)} for k in served
            ]
            root = f"/apis/{group}/{version}" if group else f"/api/{version}"
            recorder.replies[root] = Reply({"kind": "APIResourceList", "resources": resources})
            for kind in served:
                _objects(recorder, root, kind)


def _objects(recorder: Recorder, root: str, kind: Any) -> None:
    name = "shop" if kind.kind == "Namespace" else "one"
    inside = "/namespaces/shop" if kind.namespaced else ""
    metadata = {"name": name, "uid": kind.plural, **({"namespace": "shop"} if kind.namespaced else {})}
    thing: dict[str, Any] = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}
    if kind.kind == "Pod":
        thing["spec"] = {"containers": [{"name": "main"}]}
    several = Reply({"kind": f"{kind.kind}List", "metadata": {}, "items": [thing]})
    recorder.replies[f"{root}/{kind.plural}"] = recorder.replies[f"{root}{inside}/{kind.plural}"] = several
    recorder.replies[f"{root}{inside}/{kind.plural}/{name}"] = Reply(thing)
    if kind.kind == "Pod":
        recorder.replies[f"{root}{inside}/pods/one/log"] = Reply("a line\n", headers={"Content-Type": "text/plain"})


def calls() -> list[tuple[str, dict[str, Any]]]:
    """Every tool but describe_resource, with arguments that between them reach every kind of read."""
    pod = {"kind": "Pod", "name": "one", "namespace": "shop"}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("list_pods", {"labelSelector": "app"}),
        ("list_pods", {}),
        ("get_events", {"includeNormal": True}),
        ("get_logs", pod),
        ("get_logs", {**pod, "previous": True}),
        ("analyze_workload_resources", {"kind": "Deployment", "name": "one", "namespace": "shop"}),
        ("list_resources", {"filter": "on"}),
        ("describe_resource", {"kind": "Pod", "name": "nowhere"}),
        ("lookup_runbook", {"query": "CrashLoopBackOff"}),
        ("recall_incidents", {"query": "one"}),
        ("record_incident", {"title": "one", "rootCause": "a", "fix": "b"}),
        ("propose_remediation", {"summary": "x", "steps": ["kubectl rollout restart deployment/one -n shop"]}),
        ("apply_remediation", {"summary": "x"}),
    ]
    asked += [(name, {}) for name in ("cluster_health", "analyze_capacity", "check_availability")]
    return [*asked, ("check_disruption_budgets", {})]


@pytest.fixture
def used(tmp_path: Path) -> Needs:
    """What a run of everything that reads a cluster needs."""
    import io

    role = allowed(printed(home=tmp_path))
    with recording() as recorder:
        serving(recorder)
        config = {
            "current-context": "x",
            "contexts": [{"name": "x", "context": {"cluster": "x", "namespace": "shop"}}],
            "clusters": [{"name": "x", "cluster": {"server": recorder.url}}],
        }
        (tmp_path / "config").write_text(yaml.safe_dump(config))
        environment = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {}, home=tmp_path)
        live = connect(ConnectionOptions(kubeconfig=str(tmp_path / "config")), environment)
        for question in ("why is deployment one unhealthy", "why does one fail", "are the nodes of shop full"):
            context = Context(live, "shop")
            brief(understand(question, context.cluster, namespace=None, narrowed=False), context)
        toolbox = Toolbox(Context(live, "shop"))
        done = {name for name, _ in calls()} | {"describe_resource"}
        assert done == {tool.name for tool in ALL}
        for name, arguments in calls():
            toolbox.call(name, arguments)
        # any kind may be described; those that are read of one's own accord are what the role is for
        for kind in KINDS:
            if kind.preferred and (kind.group, kind.plural, "get") in role:
                where = {"namespace": "shop"} if kind.namespaced else {}
                name = "shop" if kind.kind == "Namespace" else "one"
                result = toolbox.call("describe_resource", {"kind": kind.kind, "name": name, **where})
                assert result.fate == "ok", (kind, result.text)
        live.close()
        return {need for need in map(needs, recorder.requests) if need}


def test_the_role_holds_what_the_tools_use_and_nothing_else(used: Needs, tmp_path: Path) -> None:
    assert {("", "pods", "list"), ("", "pods/log", "get"), ("metrics.k8s.io", "nodes", "list")} < used
    assert used == allowed(printed(home=tmp_path))


def test_check_and_snapshot_create_stay_within_it(tmp_path: Path) -> None:
    role = allowed(printed(home=tmp_path))
    with recording() as recorder:
        serving(recorder)
        write_kubeconfig(tmp_path / "kubeconfig", recorder.url, "here", "shop")
        env = surroundings(tmp_path, KUBECONFIG=str(tmp_path / "kubeconfig"))
        assert berth("check", env=env).status in (0, 1)
        assert berth("snapshot", "create", str(tmp_path / "moment"), "--logs", "all", env=env).status == 0
        asked = {need for need in map(needs, recorder.requests) if need}
    assert ("", "pods", "list") in asked
    assert asked <= role


def documents(*flags: str, home: Path) -> list[dict[str, Any]]:
    done = berth("rbac", *flags, env=surroundings(home))
    assert (done.status, done.err) == (0, "")
    return list(yaml.safe_load_all(done.out))


def test_for_one_namespace_it_is_a_role_and_what_belongs_to_none(tmp_path: Path) -> None:
    cluster, role = documents("-n", "shop", home=tmp_path)
    assert (cluster["kind"], cluster["metadata"]) == ("ClusterRole", {"name": "kubectl-berth-cluster"})
    assert (role["kind"], role["metadata"]) == ("Role", {"name": "kubectl-berth", "namespace": "shop"})
    outside, inside = allowed(cluster["rules"]), allowed(role["rules"])
    assert outside | inside == allowed(printed(home=tmp_path))
    namespaced = {(kind.group, kind.plural) for kind in KINDS if kind.namespaced}
    assert all((group, resource.partition("/")[0]) in namespaced for group, resource, _ in inside)
    assert not any((group, resource) in namespaced for group, resource, _ in outside)


def test_with_the_role_of_a_namespace_nothing_there_is_out_of_reach(tmp_path: Path) -> None:
    cluster, role = documents("-n", "shop", home=tmp_path)
    outside, inside = allowed(cluster["rules"]), allowed(role["rules"])

    def refuse(request: Recorded) -> Reply | None:
        need = needs(request)
        within = "/namespaces/shop/" in request.path
        if need is None or need in outside or (within and need in inside):
            return None
        return status(403, "Forbidden", f"{need} is forbidden")

    with recording() as recorder:
        serving(recorder)
        recorder.script = refuse
        write_kubeconfig(tmp_path / "kubeconfig", recorder.url, "here", "default")
        env = surroundings(tmp_path, KUBECONFIG=str(tmp_path / "kubeconfig"))
        checked = json.loads(berth("check", "-n", "shop", "-o", "json", env=env).out)
        created = berth("snapshot", "create", str(tmp_path / "moment"), "-n", "shop", "--logs", "all", env=env)
        asked = json.loads(berth("ask", "is anything broken in shop?", "-n", "shop", "-o", "json", env=env).out)
        # and without it there would be
        elsewhere = json.loads(berth("check", "-o", "json", env=env).out)

    def forbidden(document: dict[str, Any]) -> list[dict[str, Any]]:
        return [gap for gap in document["gaps"] if gap["why"] == "forbidden"]

    assert (checked["error"], forbidden(checked), forbidden(asked)) == (None, [], [])
    assert (created.status, "not read" in created.err) == (0, False), created.err
    assert forbidden(elsewhere) != []


def test_bindings_follow_their_roles(tmp_path: Path) -> None:
    bind = ("--bind", "user:jane", "--bind", "group:oidc:devs", "--bind", "serviceaccount:tools:berth")
    role, binding = documents(*bind, home=tmp_path)
    assert binding["kind"] == "ClusterRoleBinding"
    assert binding["roleRef"] == {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "ClusterRole",
        "name": role["metadata"]["name"],
    }
    assert [(each["kind"], each.get("namespace"), each["name"]) for each in binding["subjects"]] == [
        ("User", None, "jane"),
        ("Group", None, "oidc:devs"),
        ("ServiceAccount", "tools", "berth"),
    ]
    kinds = [each["kind"] for each in documents("-n", "shop", *bind, home=tmp_path)]
    assert kinds == ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]


@pytest.mark.parametrize(
    "flags",
    [
        ("--name", ""),
        ("--name", "a\nrules: []"),
        ("--name", "a/b"),
        ("--name", ".."),
        ("--bind", "jane"),
        ("--bind", "user:"),
        ("--bind", "serviceaccount:berth"),
        ("-n", "Not A Namespace"),
    ],
)
def test_what_can_be_no_name_is_refused(flags: tuple[str, ...], tmp_path: Path) -> None:
    done = berth("rbac", *flags, env=surroundings(tmp_path))
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("error: --")


def test_kubectl_takes_what_is_printed(tmp_path: Path) -> None:
    kubectl = shutil.which("kubectl", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if kubectl is None:
        pytest.skip("kubectl is not installed")
    text = berth("rbac", "-n", "shop", "--bind", "user:jane", env=surroundings(tmp_path)).out
    server = serve(open_snapshot([snapshot(tmp_path / "moment")]))
    try:
        write_kubeconfig(tmp_path / "kubeconfig", server.url, "here", "shop")
        words = [kubectl, "--kubeconfig", str(tmp_path / "kubeconfig"), "create", "--dry-run=client"]
        ended = subprocess.run(
            [*words, "--validate=false", "-o", "name", "-f", "-"],
            input=text,
            env=surroundings(tmp_path),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        server.close()
    api = "rbac.authorization.k8s.io"
    assert ended.stdout.splitlines() == [
        f"clusterrole.{api}/kubectl-berth-cluster",
        f"clusterrolebinding.{api}/kubectl-berth-cluster",
        f"role.{api}/kubectl-berth",
        f"rolebinding.{api}/kubectl-berth",
    ], ended.stderr


def test_nothing_in_it_writes_or_opens_secrets(tmp_path: Path) -> None:
    for group, resource, verb in allowed(printed(home=tmp_path)):
        assert verb in ("get", "list")
        assert "*" not in (group, resource)
        assert resource not in ("secrets", "configmaps", "nodes/proxy", "pods/exec")


def test_custom_resources_have_rules_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "moment").mkdir()
    # kinds that are called Secret, or bear tokens, are refused whoever defines them
    definitions = [_definition(kind) for kind in ("Boat", "Secret", "AccessToken")]
    (tmp_path / "moment" / "crd.yaml").write_text(yaml.safe_dump_all(definitions))
    plain = printed(home=tmp_path)
    more = printed("--custom", "--snapshot", str(tmp_path / "moment"), home=tmp_path)
    rule = {"apiGroups": ["harbour.example.com"], "resources": ["boats"], "verbs": ["get", "list"]}
    assert [each for each in more if each not in plain] == [rule]
    assert [each for each in more if each != rule] == plain


def _definition(kind: str) -> dict[str, Any]:
    names = {"plural": f"{kind.lower()}s", "singular": kind.lower(), "kind": kind}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names['plural']}.harbour.example.com"},
        "spec": {
            "group": "harbour.example.com",
            "scope": "Namespaced",
            "names": names,
            "versions": [{"name": "v1", "served": True, "storage": True}],
        },
    }


@pytest.mark.parametrize(
    "subject", ["user:a\nb", "group:a\x1b[31m", "serviceaccount:Bad:x", "serviceaccount:shop:X", "serviceaccount:a.b:x"]
)
def test_a_name_that_kubernetes_refuses_makes_no_binding(subject: str, tmp_path: Path) -> None:
    ended = berth("rbac", "--bind", subject, env=surroundings(tmp_path))
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert "is none of user:NAME, group:NAME and serviceaccount:NAMESPACE:NAME" in ended.err
