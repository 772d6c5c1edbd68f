"""The served API on the wire: status, headers and bodies as the real server sends them."""

from __future__ import annotations

import gzip
import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.errors import UsageError
from kubectl_berth.simulator.kubeconfig import write_kubeconfig
from kubectl_berth.simulator.server import RunningServer, serve
from tests.fakes.moments import custom, definition, moment, pod, waiting

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Client:
    server: RunningServer

    def __call__(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection(self.server.url.removeprefix("http://"), timeout=10)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body=body, headers=named)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    service = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": "v1beta1.metrics.k8s.io"},
        "spec": {"group": "metrics.k8s.io", "version": "v1beta1", "service": {"namespace": "kube-system", "name": "m"}},
        "status": {"conditions": [{"type": "Available", "status": "False", "reason": "MissingEndpoints"}]},
    }
    directory = moment(
        tmp_path_factory.mktemp("served") / "s",
        *(pod(f"web-{number}") for number in range(5)),
        *(pod(f"bulk-{number:03}", "bulk") for number in range(400)),
        pod("pull-0", status=waiting("ErrImagePull")),
        pod("new-0", nodeName="", status={"phase": "Pending"}),
        definition("Database", "databases"),
        custom("Database", "ledger"),
        service,
        logs={"shop/web-0/app": "one\ntwo\n"},
    )
    server = serve(open_snapshot([directory]))
    yield Client(server)
    server.close()


# --- discovery ------------------------------------------------------------------------------------------------------


def test_version_and_health(api: Client) -> None:
    version = api("/version").json
    assert (version["major"], version["minor"], version["gitVersion"]) == ("1", "36", "v1.36.3")
    for path in ("/readyz", "/livez", "/healthz"):
        assert (api(path).status, api(path).body) == (200, b"ok")


def test_the_date_is_the_snapshots(api: Client) -> None:
    assert api("/version").headers["date"] == "Mon, 05 Oct 2026 09:30:00 GMT"


def test_plain_discovery(api: Client) -> None:
    assert api("/api").json["versions"] == ["v1"]
    groups = {group["name"]: group for group in api("/apis").json["groups"]}
    assert groups["autoscaling"]["preferredVersion"] == {"groupVersion": "autoscaling/v2", "version": "v2"}
    # a dead backend stays in the list of groups
    assert groups["metrics.k8s.io"]["versions"] == [{"groupVersion": "metrics.k8s.io/v1beta1", "version": "v1beta1"}]
    assert api("/apis/metrics.k8s.io").json["kind"] == "APIGroup"
    core = {entry["name"]: entry for entry in api("/api/v1").json["resources"]}
    assert core["pods"]["shortNames"] == ["po"] and core["pods/log"]["verbs"] == ["get"]
    assert core["pods/eviction"] == {
        "name": "pods/eviction",
        "singularName": "",
        "namespaced": True,
        "group": "policy",
        "version": "v1",
        "kind": "Eviction",
        "verbs": ["create"],
    }


def test_aggregated_discovery(api: Client) -> None:
    answer = api("/apis", Accept=f"{AGGREGATED},application/json")
    assert answer.headers["content-type"] == AGGREGATED
    assert (answer.json["kind"], answer.json["apiVersion"]) == ("APIGroupDiscoveryList", "apidiscovery.k8s.io/v2")
    groups = {group["metadata"]["name"]: group for group in answer.json["items"]}
    assert groups["metrics.k8s.io"]["versions"] == [{"version": "v1beta1", "freshness": "Stale"}]
    assert groups["db.example.org"]["versions"][0]["resources"][0]["responseKind"] == {
        "group": "db.example.org",
        "version": "v1",
        "kind": "Database",
    }
    pods = next(
        r
        for r in api("/api", Accept=AGGREGATED).json["items"][0]["versions"][0]["resources"]
        if r["resource"] == "pods"
    )
    assert pods["responseKind"] == {"group": "", "version": "", "kind": "Pod"}
    assert pods["scope"] == "Namespaced" and pods["categories"] == ["all"]


# --- failures -------------------------------------------------------------------------------------------------------


def status(code: int, message: str, reason: str, **more: Any) -> dict[str, Any]:
    head = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message}
    return {**head, "reason": reason, **more, "code": code}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            "/api/v1/namespaces/shop/pods/nope",
            status(404, 'pods "nope" not found', "NotFound", details={"name": "nope", "kind": "pods"}),
        ),
        (
            "/apis/db.example.org/v1/namespaces/data/databases/nope",
            status(
                404,
                'databases.db.example.org "nope" not found',
                "NotFound",
                details={"name": "nope", "group": "db.example.org", "kind": "databases"},
            ),
        ),
        (
            "/api/v1/namespaces/shop/pods/nope/log",
            status(404, 'pods "nope" not found', "NotFound", details={"name": "nope", "kind": "pods"}),
        ),
        *(
            (path, status(404, "the server could not find the requested resource", "NotFound", details={}))
            for path in ("/api/v1/namespaces/shop/widgets", "/apis/apps/v1beta1/deployments", "/api/v1/watch/pods")
        ),
        (
            "/api/v1/namespaces/shop/pods/web-0/log?container=nope",
            status(400, "container nope is not valid for pod web-0", "BadRequest"),
        ),
        (
            "/api/v1/namespaces/shop/pods/pull-0/log",
            status(400, 'container "app" in pod "pull-0" is waiting to start: image can\'t be pulled', "BadRequest"),
        ),
        (
            "/api/v1/namespaces/shop/pods/web-0/log?tailLines=-1",
            status(
                422,
                'PodLogOptions "web-0" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
                "Invalid",
                details={
                    "name": "web-0",
                    "kind": "PodLogOptions",
                    "causes": [
                        {
                            "reason": "FieldValueInvalid",
                            "message": "Invalid value: -1: must be greater than or equal to 0",
                            "field": "tailLines",
                        }
                    ],
                },
            ),
        ),
        ("/api/v1/pods?fieldSelector=spec.nope%3D1", status(400, "field label not supported: spec.nope", "BadRequest")),
        (
            "/api/v1/pods?watch=1",
            status(
                405, 'watch is not supported on resources of kind "pods"', "MethodNotAllowed", details={"kind": "pods"}
            ),
        ),
        (
            "/api/v1/secrets?limit=1",
            status(
                403,
                'secrets is forbidden: User "viewer" cannot list resource "secrets" in API group "" '
                "at the cluster scope",
                "Forbidden",
                details={"kind": "secrets"},
            ),
        ),
    ],
)
def test_status_objects(api: Client, path: str, body: dict[str, Any]) -> None:
    answer = api(path)
    assert (answer.status, answer.json) == (body["code"], body)
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("path", "code", "text"),
    [
        ("/nope", 404, "404 page not found\n"),
        ("/openapi/v3", 404, "404 page not found\n"),
        ("/apis/nope.example.org/v1/things", 404, "404 page not found\n"),
        ("/apis/db.example.org/v2/namespaces/data/databases", 404, "404 page not found\n"),
        ("/apis/custom.metrics.k8s.io/v1beta1", 404, "404 page not found\n"),
        ("/apis/metrics.k8s.io/v1beta1", 503, "service unavailable\n"),
        ("/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods", 503, "service unavailable\n"),
    ],
)
def test_plain_text_failures(api: Client, path: str, code: int, text: str) -> None:
    answer = api(path)
    assert (answer.status, answer.body.decode()) == (code, text)
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/namespaces/shop/pods",
        "/api/v1/namespaces/shop/pods/web-0",
        "/api/v1/namespaces/shop/pods/web-0/eviction",
        "/apis/db.example.org/v1/namespaces/data/databases/ledger",
        "/version",
    ],
)
def test_every_write_is_refused(api: Client, method: str, path: str) -> None:
    answer = api(path, method, body=b"{}" if method != "OPTIONS" else None)
    assert answer.json == status(
        405, "the server does not allow this method on the requested resource", "MethodNotAllowed", details={}
    )


@pytest.mark.parametrize("plural", ["secrets", "configmaps"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PATCH"])
@pytest.mark.parametrize("name", ["", "/db", "/db/status"])
def test_secrets_and_config_maps_are_forbidden(api: Client, plural: str, method: str, name: str) -> None:
    answer = api(f"/api/v1/namespaces/shop/{plural}{name}", method)
    assert answer.status in (403, 404)
    assert answer.json["kind"] == "Status"


def test_only_json_is_spoken(api: Client) -> None:
    answer = api("/api/v1/pods", Accept="application/vnd.kubernetes.protobuf")
    assert (answer.status, answer.json["reason"]) == (406, "NotAcceptable")
    both = api("/api/v1/pods?limit=1", Accept="application/vnd.kubernetes.protobuf,application/json")
    assert both.status == 200


# --- reads ----------------------------------------------------------------------------------------------------------


def test_list_shapes(api: Client) -> None:
    pods = api("/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&limit=2").json
    assert (pods["kind"], pods["apiVersion"], pods["metadata"]["resourceVersion"]) == ("PodList", "v1", "41")
    assert [item["metadata"]["name"] for item in pods["items"]] == ["web-0", "web-1"]
    assert "kind" not in pods["items"][0] and "remainingItemCount" not in pods["metadata"]
    custom_list = api("/apis/db.example.org/v1/databases").json
    assert (custom_list["kind"], custom_list["items"][0]["kind"]) == ("DatabaseList", "Database")
    assert api("/api/v1/namespaces/nope/pods").json["items"] == []


def test_pages(api: Client) -> None:
    path = "/api/v1/namespaces/bulk/pods?limit=150"
    first = api(path).json
    assert first["metadata"]["remainingItemCount"] == 250
    second = api(f"{path}&continue={first['metadata']['continue']}").json
    third = api(f"{path}&continue={second['metadata']['continue']}").json
    seen = [item["metadata"]["name"] for found in (first, second, third) for item in found["items"]]
    assert seen == [f"bulk-{number:03}" for number in range(400)]
    assert "continue" not in third["metadata"]


def test_tables_and_partial_objects(api: Client) -> None:
    table = api("/api/v1/namespaces/shop/pods?includeObject=None&limit=1", Accept=TABLE).json
    assert [column["name"] for column in table["columnDefinitions"]][:5] == [
        "Name",
        "Ready",
        "Status",
        "Restarts",
        "Age",
    ]
    assert table["rows"][0]["object"] is None
    beside = api("/api/v1/namespaces/shop/pods", Accept=TABLE).json["rows"][0]["object"]
    assert (beside["kind"], set(beside)) == ("PartialObjectMetadata", {"kind", "apiVersion", "metadata"})
    partial = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
    listed = api("/api/v1/namespaces/shop/pods", Accept=partial).json
    assert listed["kind"] == "PartialObjectMetadataList" and "spec" not in listed["items"][0]


def test_a_pod_that_was_never_scheduled_has_no_log(api: Client) -> None:
    answer = api("/api/v1/namespaces/shop/pods/new-0/log")
    assert (answer.status, answer.body) == (204, b"")


def test_logs_are_text(api: Client) -> None:
    answer = api("/api/v1/namespaces/shop/pods/web-0/log?tailLines=1&timestamps=true")
    assert (answer.status, answer.headers["content-type"], answer.body) == (200, "text/plain", b"two\n")


def test_deprecated_kinds_come_with_a_warning(api: Client) -> None:
    assert api("/api/v1/endpoints").headers["warning"] == (
        '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"'
    )


def test_big_answers_are_compressed_where_asked(api: Client) -> None:
    answer = api("/api/v1/pods", Accept_Encoding="gzip")
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(answer.body) == api("/api/v1/pods").body
    assert "content-encoding" not in api("/version", Accept_Encoding="gzip").headers


# --- the server itself ----------------------------------------------------------------------------------------------


def test_a_connection_serves_many_requests_and_several_at_once(api: Client) -> None:
    host = api.server.url.removeprefix("http://")

    def many(results: list[int]) -> None:
        connection = http.client.HTTPConnection(host, timeout=10)
        for _ in range(20):
            connection.request("GET", "/api/v1/namespaces/shop/pods")
            answer = connection.getresponse()
            answer.read()
            results.append(answer.status)
        connection.close()

    results: list[int] = []
    threads = [threading.Thread(target=many, args=(results,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [200] * 80


def test_it_listens_on_loopback_only_and_says_when_the_port_is_taken(api: Client, tmp_path: Path) -> None:
    assert api.server.url.startswith("http://127.0.0.1:")
    port = int(api.server.url.rpartition(":")[2])
    with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{port}"):
        serve(open_snapshot([moment(tmp_path / "s")]), port)


def test_close_drops_open_connections(tmp_path: Path) -> None:
    server = serve(open_snapshot([moment(tmp_path / "s")]))
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
    connection.request("GET", "/version")
    connection.getresponse().read()
    server.close()
    with pytest.raises((http.client.HTTPException, OSError)):
        connection.request("GET", "/version")
        connection.getresponse()
    connection.close()


def test_the_kubeconfig_replaces_nothing_of_others(tmp_path: Path) -> None:
    path = tmp_path / "config"
    write_kubeconfig(path, "http://127.0.0.1:1", "a", "shop")
    write_kubeconfig(path, "http://127.0.0.1:2", "a", "shop")
    assert "http://127.0.0.1:2" in path.read_text()
    path.write_text("apiVersion: v1\nkind: Config\n")
    with pytest.raises(UsageError, match="exists and is not a kubeconfig of a served snapshot"):
        write_kubeconfig(path, "http://127.0.0.1:3", "a", "shop")
    assert path.read_text() == "apiVersion: v1\nkind: Config\n"
    with pytest.raises(UsageError, match="cannot write the kubeconfig"):
        write_kubeconfig(tmp_path / "no" / "config", "http://127.0.0.1:3", "a", "shop")
