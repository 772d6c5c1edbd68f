"""A directory read as a cluster."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.cluster.cluster import Cluster, Kind
from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.errors import Forbidden, NotFound, NotServed, ReadError, Refused, Unavailable, UsageError
from kubectl_berth.records import Gap
from tests.fakes.moments import custom, definition, moment, pod, waiting


def kind(cluster: Cluster, name: str, group: str | None = None) -> Kind:
    return next(k for k in cluster.kinds().kinds if k.kind == name and group in (None, k.group))


def names(cluster: Cluster, name: str, namespace: str | None = None, **selectors: str) -> list[str]:
    return [obj["metadata"]["name"] for obj in cluster.list(kind(cluster, name), namespace, **selectors)]


# --- what is read ---------------------------------------------------------------------------------------------------


def test_objects_come_in_the_servers_order_with_kind_and_version(tmp_path: Path) -> None:
    cluster = open_snapshot([moment(tmp_path / "s", pod("web-1"), pod("web-0"), pod("a", "data"), pod("z", "sho"))])
    assert names(cluster, "Pod") == ["a", "z", "web-0", "web-1"]
    assert names(cluster, "Pod", "shop") == ["web-0", "web-1"]
    assert names(cluster, "Pod", "sho") == ["z"]
    assert names(cluster, "Pod", "nowhere") == []
    first = cluster.get(kind(cluster, "Pod"), "web-0", "shop")
    assert (first["apiVersion"], first["kind"]) == ("v1", "Pod")


def test_moment_and_name(tmp_path: Path) -> None:
    directory = moment(tmp_path / "monday", pod("web-0"), namespace="shop", time="2026-10-05T11:30:00.75+02:00")
    cluster = open_snapshot([directory])
    assert cluster.now() == datetime(2026, 10, 5, 9, 30, tzinfo=UTC)
    name = cluster.name()
    assert (name.source, name.name, name.version, name.namespace) == ("snapshot", "monday", "v1.36.3", "shop")
    assert open_snapshot([directory], namespace="data").name().namespace == "data"


def test_plain_manifests_are_a_snapshot_too(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "all.yml").write_text(
        """\
# a comment, then two documents
apiVersion: v1
kind: PodList
items:
- metadata: {name: web-0, creationTimestamp: 2026-10-04T08:00:00Z, annotations: {at: 12:30:45, on: "yes"}}
  spec: {containers: [{name: app}]}
---
---
apiVersion: v1
kind: Node
metadata: {name: n1, creationTimestamp: "2026-09-01T00:00:00Z"}
status: {nodeInfo: {kubeletVersion: v1.32.6}}
"""
    )
    (tmp_path / "crontab.yaml").write_text(
        "{apiVersion: stable.example.com/v1, kind: CronTab, metadata: {name: nightly}}"
    )
    cluster = open_snapshot([tmp_path])
    assert cluster.now() == datetime(2026, 10, 4, 8, tzinfo=UTC)
    assert cluster.name().version == "v1.32.6"
    found = cluster.get(kind(cluster, "Pod"), "web-0", "default")
    assert found["metadata"]["creationTimestamp"] == "2026-10-04T08:00:00Z"
    assert found["metadata"]["annotations"]["at"] == "12:30:45"
    assert names(cluster, "CronTab") == ["nightly"]
    assert kind(cluster, "CronTab").plural == "crontabs"
    assert names(cluster, "Namespace") == ["default"]


def test_later_layers_replace_and_remove(tmp_path: Path) -> None:
    base = moment(
        tmp_path / "base",
        pod("web-0"),
        pod("web-1"),
        pod("old-1"),
        pod("old-2"),
        pod("old-1", "data"),
        logs={"shop/web-0/app": "base\n", "shop/web-1/app": "one\n"},
        unavailable=[{"resource": "pods/log", "status": 403}],
    )
    changed = pod("web-0", labels={"app": "other"})
    top = moment(
        tmp_path / "top",
        changed,
        pod("new-1"),
        logs={"shop/web-0/app": "top\n"},
        time="2026-10-06T00:00:00Z",
        unavailable=[],
        removed=[{"kind": "Pod", "namespace": "shop", "name": "old-*"}],
    )
    cluster = open_snapshot([base, top], source="scenario", name="x")
    assert names(cluster, "Pod") == ["old-1", "new-1", "web-0", "web-1"]
    assert names(cluster, "Pod", labels="app=other") == ["web-0"]
    assert cluster.now() == datetime(2026, 10, 6, tzinfo=UTC)
    assert cluster.log("web-0", "shop", "app") == "top\n"
    assert cluster.log("web-1", "shop", "app") == "one\n"


def test_events_of_both_shapes_are_one_list(tmp_path: Path) -> None:
    old = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "web-0.1", "namespace": "shop"},
        "involvedObject": {"kind": "Pod", "name": "web-0", "namespace": "shop"},
        "message": "Back-off restarting failed container",
        "reason": "BackOff",
        "count": 7,
    }
    new = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "web-0.2", "namespace": "shop"},
        "regarding": {"kind": "Pod", "name": "web-0", "namespace": "shop"},
        "note": "Successfully assigned shop/web-0 to n1",
        "reason": "Scheduled",
        "eventTime": "2026-10-05T09:00:00.000001Z",
        "reportingController": "default-scheduler",
    }
    cluster = open_snapshot([moment(tmp_path / "s", old, new)])
    core = list(cluster.list(kind(cluster, "Event", ""), "shop", fields="involvedObject.name=web-0"))
    assert [(event["reason"], event["message"]) for event in core] == [
        ("BackOff", "Back-off restarting failed container"),
        ("Scheduled", "Successfully assigned shop/web-0 to n1"),
    ]
    assert core[1]["reportingComponent"] == "default-scheduler"
    fresh = list(cluster.list(kind(cluster, "Event", "events.k8s.io"), None, fields="regarding.kind=Pod"))
    assert [(event["note"], event.get("deprecatedCount")) for event in fresh] == [
        ("Back-off restarting failed container", 7),
        ("Successfully assigned shop/web-0 to n1", None),
    ]


# --- discovery ------------------------------------------------------------------------------------------------------


def test_custom_kinds_and_their_versions(tmp_path: Path) -> None:
    both = definition("Database", "databases")
    both["spec"]["versions"] = [
        {"name": "v1beta1", "served": True},
        {"name": "v1", "served": True, "selectableFields": [{"jsonPath": ".spec.size"}]},
        {"name": "v1alpha1", "served": False},
    ]
    both["spec"]["names"]["shortNames"] = ["dbs"]
    pending = definition("Pending", "pendings")
    pending["status"] = {"conditions": [{"type": "Established", "status": "False"}]}
    small = custom("Database", "small", spec={"size": "small"})
    big = custom("Database", "big", spec={"size": "big"})
    cluster = open_snapshot([moment(tmp_path / "s", both, pending, small, big)])
    found = [k for k in cluster.kinds().kinds if k.group == "db.example.org"]
    assert [(k.version, k.kind, k.preferred, k.short_names) for k in found] == [
        ("v1", "Database", True, ("dbs",)),
        ("v1beta1", "Database", False, ("dbs",)),
    ]
    older = list(cluster.list(found[1], "data"))
    assert {obj["apiVersion"] for obj in older} == {"db.example.org/v1beta1"}
    assert names(cluster, "Database", fields="spec.size=big") == ["big"]


def test_a_dead_backend_is_a_gap(tmp_path: Path) -> None:
    service = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": "v1beta2.custom.metrics.k8s.io"},
        "spec": {"group": "custom.metrics.k8s.io", "version": "v1beta2", "service": {"name": "a", "namespace": "b"}},
        "status": {"conditions": [{"type": "Available", "status": "False", "reason": "FailedDiscoveryCheck"}]},
    }
    down = [{"resource": "metrics.k8s.io", "status": 503}]
    cluster = open_snapshot([moment(tmp_path / "s", service, unavailable=down)])
    assert cluster.kinds().gaps == (
        Gap("custom.metrics.k8s.io/v1beta2", "unavailable", "stale"),
        Gap("metrics.k8s.io/v1beta1", "unavailable", "stale"),
    )
    usage = cluster.usage()
    assert usage is not None
    assert [(gap.what, gap.why) for gap in usage.gaps] == [
        ("pods.metrics.k8s.io", "unavailable"),
        ("nodes.metrics.k8s.io", "unavailable"),
    ]


def test_usage_is_served_where_there_are_figures(tmp_path: Path) -> None:
    figures = {
        "apiVersion": "metrics.k8s.io/v1beta1",
        "kind": "PodMetrics",
        "metadata": {"name": "web-0", "namespace": "shop"},
        "containers": [{"name": "app", "usage": {"cpu": "3m", "memory": "20Mi"}}],
    }
    cluster = open_snapshot([moment(tmp_path / "s", figures)])
    usage = cluster.usage("shop")
    assert usage is not None and [entry["metadata"]["name"] for entry in usage.pods] == ["web-0"]
    assert usage.nodes == () and usage.gaps == ()
    assert open_snapshot([moment(tmp_path / "t", pod("web-0"))]).usage() is None


# --- refusals and failures ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "plural"), [("Secret", "secrets"), ("ConfigMap", "configmaps")])
def test_secrets_and_config_maps_are_never_read(tmp_path: Path, name: str, plural: str) -> None:
    canary = "canary-" + "value"
    thing = {"apiVersion": "v1", "kind": name, "metadata": {"name": "db", "namespace": "shop"}, "data": {"a": canary}}
    listed = {"apiVersion": "v1", "kind": f"{name}List", "items": [{**thing, "metadata": {"name": "second"}}]}
    odd = {**thing, "apiVersion": "odd.example.org/v1"}
    cluster = open_snapshot([moment(tmp_path / "s", thing, listed, odd)])
    asked = [
        kind(cluster, name, ""),
        Kind("odd.example.org", "v1", name, plural, True),
        Kind("odd.example.org", "v1", "Other", plural, True),
    ]
    for each in asked:
        with pytest.raises(Refused):
            cluster.list(each)
        with pytest.raises(Refused):
            cluster.get(each, "db", "shop")
    held = [obj for found in cluster.store.objects.values() for obj in found.values()]
    assert canary not in repr(held)


def failing(tmp_path: Path, *rules: dict[str, Any]) -> Cluster:
    return open_snapshot([moment(tmp_path / "s", pod("web-0"), pod("a-0", "finance"), unavailable=list(rules))])


def test_a_forbidden_namespace(tmp_path: Path) -> None:
    cluster = failing(tmp_path, {"resource": "pods", "namespace": "finance", "status": 403})
    assert names(cluster, "Pod", "shop") == ["web-0"]
    with pytest.raises(Forbidden) as caught:
        names(cluster, "Pod", "finance")
    assert str(caught.value) == (
        'pods is forbidden: User "viewer" cannot list resource "pods" in API group "" in the namespace "finance"'
    )
    with pytest.raises(Forbidden, match="at the cluster scope"):
        names(cluster, "Pod")
    with pytest.raises(Forbidden, match='pods "nope" is forbidden'):
        cluster.get(kind(cluster, "Pod"), "nope", "finance")


def test_forbidden_logs_in_the_words_given(tmp_path: Path) -> None:
    words = (
        'pods "a-0" is forbidden: User "sre" cannot get resource "pods/log" in API group "" in the namespace "finance"'
    )
    rule = {"resource": "pods/log", "namespace": "finance", "status": 403, "message": words}
    cluster = failing(tmp_path, rule)
    with pytest.raises(Forbidden) as caught:
        cluster.log("a-0", "finance", "app")
    assert str(caught.value) == words
    assert names(cluster, "Pod", "finance") == ["a-0"]


def test_what_is_not_served_and_what_is_down(tmp_path: Path) -> None:
    cluster = failing(
        tmp_path,
        {"resource": "poddisruptionbudgets", "status": 404},
        {"resource": "batch", "status": 404},
        {"resource": "nodes", "status": 503, "message": "etcdserver: request timed out"},
    )
    served = {(k.group, k.kind) for k in cluster.kinds().kinds}
    assert ("policy", "PodDisruptionBudget") not in served and ("batch", "Job") not in served
    with pytest.raises(NotServed):
        cluster.list(Kind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", True))
    with pytest.raises(Unavailable, match="etcdserver: request timed out"):
        names(cluster, "Node")


def test_an_object_that_is_not_there(tmp_path: Path) -> None:
    cluster = failing(tmp_path)
    with pytest.raises(NotFound) as caught:
        cluster.get(kind(cluster, "Deployment"), "web", "shop")
    assert str(caught.value) == 'deployments.apps "web" not found'


# --- logs -----------------------------------------------------------------------------------------------------------


def crashed(**last: Any) -> dict[str, Any]:
    return waiting("CrashLoopBackOff", lastState={"terminated": {"exitCode": 1, **last}}, restartCount=4)


@pytest.fixture
def logged(tmp_path: Path) -> Cluster:
    two = [{"name": "app"}, {"name": "proxy"}]
    return open_snapshot(
        [
            moment(
                tmp_path / "s",
                pod("web-0"),
                pod("two-0", containers=two, initContainers=[{"name": "init"}]),
                pod("pull-0", status=waiting("ErrImagePull")),
                pod("back-0", status=waiting("ImagePullBackOff")),
                pod("conf-0", status=waiting("CreateContainerConfigError")),
                pod("crash-0", status=crashed()),
                pod("none-0", status={"phase": "Pending"}),
                pod("stuck-0", nodeName="", status={"phase": "Pending"}),
                logs={
                    "shop/web-0/app": "".join(f"2026-10-05T09:2{n}:00Z line {n}\n" for n in range(10)),
                    "shop/crash-0/app.previous": "boom\n",
                    "shop/two-0/proxy": "plain\nlines\n",
                },
            )
        ]
    )


def test_log_options(logged: Cluster) -> None:
    assert logged.log("web-0", "shop", "app", tail=2).splitlines() == [
        "2026-10-05T09:28:00Z line 8",
        "2026-10-05T09:29:00Z line 9",
    ]
    assert len(logged.log("web-0", "shop", "").splitlines()) == 10
    assert len(logged.log("web-0", "shop", "app", since=180).splitlines()) == 3
    assert logged.log("two-0", "shop", "proxy", since=180) == "plain\nlines\n"
    assert logged.log("two-0", "shop", "app") == ""
    assert logged.log("stuck-0", "shop", "app") == ""


def test_a_waiting_container_shows_how_its_last_run_ended(logged: Cluster) -> None:
    assert logged.log("crash-0", "shop", "app", previous=True) == "boom\n"
    assert logged.log("crash-0", "shop", "app") == "boom\n"


@pytest.mark.parametrize(
    ("pod_name", "container", "previous", "error", "words"),
    [
        ("nope", "app", False, NotFound, 'pods "nope" not found'),
        ("web-0", "nope", False, NotFound, "container nope is not valid for pod web-0"),
        (
            "two-0",
            "",
            False,
            NotFound,
            "a container name must be specified for pod two-0, choose one of: [app proxy] "
            "or one of the init containers: [init]",
        ),
        ("web-0", "app", True, NotFound, 'previous terminated container "app" in pod "web-0" not found'),
        (
            "pull-0",
            "app",
            False,
            Unavailable,
            'container "app" in pod "pull-0" is waiting to start: image can\'t be pulled',
        ),
        (
            "back-0",
            "app",
            False,
            Unavailable,
            'container "app" in pod "back-0" is waiting to start: trying and failing to pull image',
        ),
        (
            "conf-0",
            "app",
            False,
            Unavailable,
            'container "app" in pod "conf-0" is waiting to start: CreateContainerConfigError',
        ),
        ("none-0", "app", False, Unavailable, 'container "app" in pod "none-0" is not available'),
    ],
)
def test_why_there_is_no_log(
    logged: Cluster, pod_name: str, container: str, previous: bool, error: type[ReadError], words: str
) -> None:
    with pytest.raises(error) as caught:
        logged.log(pod_name, "shop", container, previous=previous)
    assert str(caught.value) == words


def test_a_snapshot_without_logs_says_so(tmp_path: Path) -> None:
    cluster = open_snapshot([moment(tmp_path / "s", pod("web-0"))])
    with pytest.raises(NotFound, match='no log of container "app" in pod "web-0" was recorded'):
        cluster.log("web-0", "shop", "app")


def test_bad_bytes_and_long_logs(tmp_path: Path) -> None:
    directory = moment(tmp_path / "s", pod("web-0"), logs={"shop/web-0/app": ""})
    path = directory / "logs" / "shop" / "web-0" / "app.log"
    path.write_bytes(b"ok \xff\xfe end\n")
    assert open_snapshot([directory]).log("web-0", "shop", "app") == "ok \ufffd\ufffd end\n"
    path.write_bytes(b"".join(b"%03d %s\n" % (number, b"x" * 1000) for number in range(600)))
    text = open_snapshot([directory]).log("web-0", "shop", "app")
    assert len(text) <= 256 * 1024
    assert text.splitlines()[-1].startswith("599 ")


# --- broken input ---------------------------------------------------------------------------------------------------


def broken(directory: Path, name: str, text: str | bytes) -> str:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError) as caught:
        open_snapshot([directory])
    words = str(caught.value)
    assert "\n" not in words and str(path) in words
    return words.replace(str(path), "FILE")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("objects/a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a\nspec: {}\n", "FILE, line 4: not YAML"),
        ("objects/a.yaml", "kind: Pod\n---\n- 1\n", "FILE, line 1: is not a Kubernetes object: it needs apiVersion"),
        (
            "objects/a.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n- 1\n",
            "FILE, line 5: is not a Kubern",
        ),
        ("objects/a.yaml", "\n\napiVersion: v1\nkind: Pod\nspec: {}\n", "FILE, line 3: a Pod without metadata.name"),
        ("objects/a.json", '{"apiVersion": "v1",\n"kind": }', "FILE, line 2: not JSON"),
        ("objects/a.json", '{"kind": "\xff"}'.encode("latin-1"), "FILE, line 1: not JSON"),
        ("objects/a.yaml", b"a: \xff\n", "FILE, line 1: not YAML"),
        ("snapshot.yaml", "kind: Pod\n", "FILE, line 1: must be of kind Snapshot"),
        ("snapshot.yaml", "kind: Snapshot\nserverVersio: v1.33.4\n", "does not know the key serverVersio"),
        ("snapshot.yaml", "kind: Snapshot\nunavailable: [{resource: pods, status: 200}]\n", "403, 404, 500 or 503"),
        ("snapshot.yaml", "kind: Snapshot\nremoved: [{kind: Pod}]\n", "needs a kind and a name"),
        ("snapshot.yaml", "kind: Snapshot\ntime: yesterday\n", "FILE, line 1: time 'yesterday' is no RFC 3339 time"),
        ("snapshot.yaml", "- 1\n", "must hold one mapping"),
    ],
)
def test_broken_files_are_named_with_their_line(tmp_path: Path, name: str, text: str | bytes, words: str) -> None:
    assert words in broken(tmp_path, name, text)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "there is no snapshot directory"),
        (lambda path: path.write_text("x"), "there is no snapshot directory"),
    ],
)
def test_no_directory(tmp_path: Path, make: Callable[[Path], object], words: str) -> None:
    path = tmp_path / "gone"
    make(path)
    with pytest.raises(UsageError, match=words):
        open_snapshot([path])


def test_odd_objects_do_not_stop_the_rest(tmp_path: Path) -> None:
    odd: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "odd", "namespace": "shop", "labels": 3},
    }
    crd = {**definition("Database", "databases"), "spec": {"group": 1, "names": [], "versions": {"a": 1}}}
    service = {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "a"}, "spec": None}
    cluster = open_snapshot([moment(tmp_path / "s", odd, crd, service, pod("web-0"))])
    assert names(cluster, "Pod", labels="app=web") == ["web-0"]
    assert names(cluster, "Pod", fields="status.phase=Running") == ["web-0"]
    with pytest.raises(NotFound, match="a container name must be specified for pod odd"):
        cluster.log("odd", "shop", "")


@pytest.mark.parametrize(
    "content",
    ["apiVersion: v1\nkind: List\nitems: null\n", "---\n---\nnull\n", "apiVersion: v1\nkind: PodList\nitems: [null]\n"],
)
def test_a_list_or_document_of_nothing_holds_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.yaml").write_text(content)
    assert open_snapshot([tmp_path]).empty
    (tmp_path / "a.yaml").unlink()
    (tmp_path / "b.json").write_text('{"apiVersion": "v1", "kind": "List", "items": null}')
    assert open_snapshot([tmp_path]).empty
