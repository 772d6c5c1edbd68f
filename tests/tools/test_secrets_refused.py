"""Secrets and ConfigMaps are refused by any name, and no request for one is sent. Ids are those of the checklist.

Raw diagnostics allowed or not makes no difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.tools.toolbox import Toolbox
from tests.fakes.kube_recorder import Recorded, Reply, status
from tests.fakes.recorded_cluster import RecordedCluster, recorded
from tests.tools.objects import event, meta, namespace, node, shop, write

POD = "api-6b8f7c9d44-q7zkd"
CANARY = "canary" + "value00"
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": meta("Secret", "db", "shop"),
    "type": "kubernetes.io/service-account-token",
    "stringData": {"token": CANARY},
}
CONFIG = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": meta("ConfigMap", "api-config", "shop"),
    "data": {"password": CANARY},
}


def definition(group: str, kind: str, plural: str, *short: str) -> dict[str, Any]:
    """A CustomResourceDefinition with one served version."""
    names = {"kind": kind, "plural": plural, "singular": kind.lower(), "shortNames": list(short)}
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [{"name": "v1", "served": True}]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": meta("CustomResourceDefinition", f"{plural}.{group}"),
        "spec": spec,
    }


CUSTOM = [
    definition("secrets.hashicorp.example", "Secret", "vaultsecrets"),
    definition("plural.example", "Foo", "secrets"),
    definition("short.example", "Bar", "bars", "secret"),
    definition("posing.example", "Pod", "configmaps", "po"),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordedCluster]:
    directory: Path = tmp_path_factory.mktemp("secrets")
    objects = shop()
    sick = next(thing for thing in objects if thing["metadata"]["name"] == POD)
    about = {**event(sick, "FailedMount", 'secret "db" not found'), "metadata": meta("Event", "db.1", "shop")}
    about["involvedObject"] = {"kind": "Secret", "namespace": "shop", "name": "db", "apiVersion": "v1"}
    snapshot = open_snapshot([write(directory / "snapshot", [*objects, *CUSTOM, SECRET, CONFIG, about], {})])
    with recorded(snapshot, directory) as found:
        yield found


@pytest.fixture(params=[True, False], ids=["raw", "no-raw"])
def box(cluster: RecordedCluster, request: pytest.FixtureRequest) -> Toolbox:
    box = cluster.toolbox(raw_allowed=request.param)
    box.context.cluster.kinds()
    cluster.server.requests.clear()
    return box


def refused(cluster: RecordedCluster, box: Toolbox, tool: str, arguments: dict[str, Any]) -> str:
    result = box.call(tool, arguments)
    assert result.fate == "refused", result.text
    assert cluster.server.requests == []
    assert CANARY not in result.text and len(result.text) < 700
    return result.text


KINDS = {
    "B01": ["Secret", "secret", "secrets", "Secrets", "SECRET", "sEcReT"],
    "B02": ["SecretList", "secretlist"],
    "B03": ["ConfigMap", "configmap", "configmaps", "cm", "CM", "ConfigMapList"],
    "B04": ["secret/db", "secrets/db", "secrets.v1.", "secrets.v1./db", "secret.", "v1/secrets", "core/v1/secrets"],
    "B05": ["secret,pod", "pods,secrets", "pod secret", ["pods", "secrets"]],
    "B06": [
        " secret",
        "secret ",
        "\tsecret\n",
        "sec\u200bret",
        "sec\u00adret",
        "\ufeffsecret",
        "\u017fecret",
        "\uff33\uff45\uff43\uff52\uff45\uff54",
        "s\u0435cret",
        "secret\x00",
    ],
}
CASES = [pytest.param(kind, id=f"{number}-{n}") for number, kinds in KINDS.items() for n, kind in enumerate(kinds)]


@pytest.mark.parametrize("kind", CASES)
def test_every_spelling_is_refused_by_every_tool_that_reads(cluster: RecordedCluster, box: Toolbox, kind: Any) -> None:
    about = {"kind": kind, "name": "db", "namespace": "shop"}
    for tool in ("describe_resource", "get_logs", "analyze_workload_resources"):
        refused(cluster, box, tool, about)
    refused(cluster, box, "list_resources", {"kind": kind})
    refused(cluster, box, "list_resources", {"kind": kind, "namespace": "shop"})


VERSIONS = [
    "",
    None,
    "V1",
    " v1",
    "v1 ",
    "/v1",
    "v1/",
    "core/v1",
    "v2",
    "apps/v1",
    "example.com/v1",
    "v1beta1",
    7,
    ["v1"],
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["Secret", "configmaps"])
def test_b07_whatever_the_api_version_says(cluster: RecordedCluster, box: Toolbox, kind: str, version: Any) -> None:
    about = {"kind": kind, "name": "db", "namespace": "shop", "apiVersion": version}
    text = refused(cluster, box, "describe_resource", about)
    assert "not found" not in text.lower()
    refused(cluster, box, "list_resources", {"kind": kind, "apiVersion": version})


@pytest.mark.parametrize(
    ("kind", "version"),
    [
        pytest.param("Secret", "secrets.hashicorp.example/v1", id="B08"),
        pytest.param("vaultsecrets", "secrets.hashicorp.example/v1", id="B08-plural"),
        pytest.param("Foo", "plural.example/v1", id="B09-plural"),
        pytest.param("Bar", "short.example/v1", id="B09-short"),
        pytest.param("Pod", "posing.example/v1", id="B10"),
    ],
)
def test_custom_kinds_that_go_by_the_name(cluster: RecordedCluster, box: Toolbox, kind: str, version: str) -> None:
    about = {"kind": kind, "name": "db", "namespace": "shop", "apiVersion": version}
    for tool, arguments in (("describe_resource", about), ("list_resources", {"kind": kind, "apiVersion": version})):
        result = box.call(tool, arguments)
        assert result.fate == "refused", result.text
        assert cluster.wrong() == []


@pytest.mark.parametrize("word", ["all", "api", "*", "everything", "secret", "db", "config"])
def test_b11_no_category_and_no_search_reaches_them(cluster: RecordedCluster, box: Toolbox, word: str) -> None:
    for arguments in ({"kind": word}, {"filter": word}):
        result = box.call("list_resources", arguments)
        assert CANARY not in result.text
        assert "Secret shop/db" not in result.text and "ConfigMap shop" not in result.text
    assert cluster.wrong() == []


@pytest.mark.parametrize(
    "more",
    [
        {"name": ""},
        {"namespace": None},
        {"labelSelector": "a=b"},
        {"fieldSelector": "metadata.name=db"},
        {"fieldSelector": "type=kubernetes.io/dockerconfigjson", "limit": 1},
        {"as": "Table"},
        {"as": "PartialObjectMetadata"},
        {"subresource": "status"},
    ],
    ids=[
        "B12-no-name",
        "B12-everywhere",
        "B12-labels",
        "B12-field",
        "B12-type",
        "B13-table",
        "B13-metadata",
        "B13-sub",
    ],
)
def test_lists_and_views_are_refused_too(cluster: RecordedCluster, box: Toolbox, more: dict[str, Any]) -> None:
    refused(cluster, box, "list_resources", {"kind": "Secret", **more})


def test_b14_b15_b16_events_about_one_and_references_to_one_are_given(cluster: RecordedCluster) -> None:
    box = cluster.toolbox()
    told = box.call("get_events", {"kind": "Secret", "name": "db", "namespace": "shop", "includeNormal": True})
    assert told.fate == "ok" and 'secret "db" not found' in told.text
    described = box.call("describe_resource", {"kind": "Pod", "name": POD, "namespace": "shop"}).text
    assert "DB_PASSWORD" in described and "db" in described and "api-config" in described
    assert CANARY not in told.text + described
    assert cluster.wrong() == []


def test_b17_a_release_of_helm_is_never_read_nor_shown(cluster: RecordedCluster, box: Toolbox) -> None:
    import base64
    import gzip

    release = json.dumps({"name": "web", "config": {"password": CANARY}, "chart": "x" * 400})
    once = base64.b64encode(gzip.compress(release.encode(), mtime=0))
    from kubectl_berth.safety.redact import redact

    for packed in (once.decode(), base64.b64encode(once).decode()):
        assert packed[:60] not in redact(f"release: {packed} end")
        assert redact(f"release: {packed} end").endswith(" end")
    for kind in ("Secret", "ConfigMap"):
        refused(cluster, box, "describe_resource", {"kind": kind, "name": "sh.helm.release.v1.web.v12"})


@pytest.mark.parametrize(
    ("name", "space"),
    [("cluster-info", "kube-public"), ("kubeadm-config", "kube-system"), ("aws-auth", "kube-system")],
)
def test_b18_well_known_configmaps(cluster: RecordedCluster, box: Toolbox, name: str, space: str) -> None:
    refused(cluster, box, "describe_resource", {"kind": "ConfigMap", "name": name, "namespace": space})
    refused(cluster, box, "describe_resource", {"kind": "cm", "name": "kube-root-ca.crt"})


def test_b22_the_refusal_says_why_and_repeats_little(cluster: RecordedCluster, box: Toolbox) -> None:
    hostile = "Secret " + "x\u202e\x1b[2J" * 100
    text = refused(cluster, box, "describe_resource", {"kind": hostile, "name": "db"})
    assert "berth never reads Secrets or ConfigMaps" in text
    assert "\x1b" not in text and "\u202e" not in text


def test_b23_many_tries_are_each_refused_and_counted(cluster: RecordedCluster, box: Toolbox) -> None:
    kinds = [kind for kinds in KINDS.values() for kind in kinds if isinstance(kind, str)][:20]
    for kind in kinds:
        refused(cluster, box, "describe_resource", {"kind": kind, "name": "db", "namespace": "shop"})
    assert [entry.fate for entry in box.trace] == ["refused"] * 20


@pytest.mark.parametrize("kind", ["Secret", "ConfigMap"])
def test_b25_b26_b27_allowing_raw_diagnostics_opens_neither(cluster: RecordedCluster, kind: str) -> None:
    box = cluster.toolbox(raw_allowed=True)
    box.context.cluster.kinds()
    cluster.server.requests.clear()
    for tool in ("describe_resource", "list_resources"):
        refused(cluster, box, tool, {"kind": kind, "name": "db", "namespace": "shop", "apiVersion": "v1"})


def test_b30_where_discovery_is_down_nothing_is_guessed(tmp_path: Path) -> None:
    snapshot = open_snapshot([write(tmp_path / "snapshot", [namespace("shop"), node("n1"), SECRET], {})])
    with recorded(snapshot, tmp_path) as cluster:
        honest = cluster.server.script

        def without_discovery(request: Recorded) -> Reply | None:
            if request.path.partition("?")[0] in ("/api", "/apis") or request.path in ("/api/v1", "/apis/apps/v1"):
                return status(503, "ServiceUnavailable", "no discovery")
            return honest(request) if honest else None

        cluster.server.script = without_discovery
        box = cluster.toolbox()
        for kind in ("secrets", "foos", "vaultsecrets"):
            for tool in ("describe_resource", "list_resources"):
                result = box.call(
                    tool, {"kind": kind, "name": "db", "namespace": "shop", "apiVersion": "example.com/v1"}
                )
                assert result.fate in ("refused", "error"), result.text
        assert not [path for path in cluster.server.paths if "secret" in path or "/foos" in path]
        assert cluster.wrong() == []
