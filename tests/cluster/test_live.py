"""The live cluster against a server on loopback that records what it is asked."""

from __future__ import annotations

import io
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubectl_berth.cluster.cluster import Kind
from kubectl_berth.cluster.connection import ConnectionOptions
from kubectl_berth.cluster.live import LiveCluster, connect
from kubectl_berth.environment import Environment
from kubectl_berth.errors import (
    ClusterUnreachable,
    Forbidden,
    NotFound,
    NotServed,
    ReadError,
    Refused,
    Unavailable,
    UsageError,
)
from kubectl_berth.records import Gap
from tests.fakes.kube_recorder import (
    VERSION,
    Recorded,
    Recorder,
    Reply,
    closed_port,
    make_tls,
    recording,
    silent,
    status,
    trickling,
)

PODS = Kind("", "v1", "Pod", "pods", True, "pod", ("po",))
NODES = Kind("", "v1", "Node", "nodes", False, "node", ("no",))
SECRETS = Kind("", "v1", "Secret", "secrets", True, "secret")
PLAIN = {"Content-Type": "text/plain; charset=utf-8"}


@dataclass
class Ground:
    """One server and a way to connect to it."""

    server: Recorder
    home: Path

    def connect(self, url: str = "", timeout: float | None = None, **options: Any) -> LiveCluster:
        config = {
            "current-context": "prod",
            "contexts": [{"name": "prod", "context": {"cluster": "c", "user": "jane", "namespace": "shop"}}],
            "clusters": [{"name": "c", "cluster": {"server": url or self.server.url}}],
            "users": [{"name": "jane", "user": {"token": "t"}}],
        }
        path = self.home / "config"
        path.write_text(yaml.safe_dump(config))
        streams = (io.StringIO(), io.StringIO(), io.StringIO())
        environment = Environment(*streams, {"KUBECONFIG": str(path)}, home=self.home)
        return connect(ConnectionOptions(request_timeout=timeout, **options), environment)

    def asked(self) -> list[str]:
        """The targets since the last time, without the first contact."""
        found = [request.path for request in self.server.requests if request.path != "/version"]
        self.server.requests.clear()
        return found


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    with recording() as server:
        yield Ground(server, tmp_path)


def page(*names: str, token: str = "", kind: str = "PodList") -> Reply:
    items = [{"metadata": {"name": name, "namespace": "shop"}} for name in names]
    return Reply({"kind": kind, "apiVersion": "v1", "metadata": {"continue": token}, "items": items})


def names(objects: Iterator[dict[str, Any]]) -> list[str]:
    return [entry["metadata"]["name"] for entry in objects]


# --- first contact --------------------------------------------------------------------------------------------------


def test_name_version_namespace_and_the_servers_own_time(ground: Ground) -> None:
    cluster = ground.connect()
    name = cluster.name()
    assert (name.source, name.name, name.version, name.namespace) == ("context", "prod", "v1.33.4", "shop")
    assert cluster.now() == datetime(2026, 10, 5, 9, 30, tzinfo=UTC)
    assert ground.connect(namespace="data").name().namespace == "data"


def test_a_server_that_keeps_its_version_to_itself(ground: Ground) -> None:
    ground.server.replies["/version"] = status(403, "Forbidden", "no")
    assert ground.connect().name().version == ""


UNREACHABLE: dict[str, tuple[Callable[[Ground], Any], str]] = {
    "refused": (lambda g: g.connect(f"http://127.0.0.1:{closed_port()}"), "connection refused"),
    "name": (lambda g: g.connect("http://no-such-host.invalid:6443"), "no address found for no-such-host.invalid"),
    "not-https": (lambda g: g.connect(g.server.url.replace("http:", "https:")), "does not speak TLS"),
}


@pytest.mark.parametrize("case", UNREACHABLE)
def test_unreachable_is_one_line_with_context_server_and_cause(case: str, ground: Ground) -> None:
    attempt, words = UNREACHABLE[case]
    started = time.monotonic()
    with pytest.raises(ClusterUnreachable) as caught:
        attempt(ground)
    assert time.monotonic() - started < 10
    assert "cluster of context 'prod' at http" in str(caught.value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_silent_server_costs_one_timeout_and_one_connection(ground: Ground) -> None:
    with silent() as url:
        started = time.monotonic()
        with pytest.raises(ClusterUnreachable, match="no answer within 4 s"):
            ground.connect(url, timeout=4)
        assert time.monotonic() - started < 8


@pytest.mark.nightly
def test_the_limit_that_was_met_is_the_one_that_is_told(ground: Ground) -> None:
    # without --request-timeout a server may be silent for less long than a whole request may take
    with silent() as url, pytest.raises(ClusterUnreachable, match="no answer within 15 s"):
        ground.connect(url)


def test_a_dripping_server_ends_at_the_deadline(ground: Ground) -> None:
    ground.server.replies["/version"] = Reply(VERSION.body, drip=0.5)
    started = time.monotonic()
    with pytest.raises(ClusterUnreachable, match="no answer within 1 s"):
        ground.connect(timeout=1)
    assert time.monotonic() - started < 10


def test_headers_that_trickle_end_at_the_deadline_too(ground: Ground) -> None:
    with trickling(0.1) as url:
        started = time.monotonic()
        with pytest.raises(ClusterUnreachable, match="no answer within 1 s"):
            ground.connect(url, timeout=1)
        assert time.monotonic() - started < 15


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (
            status(401, "Unauthorized", "Unauthorized"),
            r"requests without credentials \(none.*were refused \(401 Unauthorized\)",
        ),
        (
            Reply("<html>login</html>", 200, {"Content-Type": "text/html"}),
            r"not answer as a Kubernetes API \(text/html",
        ),
        (Reply(b"", 200), "did not answer as a Kubernetes API"),
        (Reply("404 page not found\n", 404, PLAIN), "404 page not found"),
        (Reply("", 302, {"Location": "/login"}), "redirects elsewhere"),
        (Reply("down\n", 503, PLAIN), "down"),
        (Reply(VERSION.body, cut=10), "broke off"),
    ],
    ids=["401", "html", "empty", "404", "redirect", "503", "cut"],
)
def test_a_first_answer_that_is_none_is_unreachable(reply: Reply, words: str, ground: Ground) -> None:
    ground.server.replies["/version"] = reply
    with pytest.raises(ClusterUnreachable, match=words) as caught:
        ground.connect()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("names_", "expired", "own_authority", "words"),
    [
        (("127.0.0.1",), True, True, "certificate has expired"),
        (("api.example.test",), False, True, "is for another name"),
        (("127.0.0.1",), False, False, "is not trusted"),
    ],
    ids=["expired", "name", "authority"],
)
def test_certificates_that_do_not_hold(
    names_: tuple[str, ...], expired: bool, own_authority: bool, words: str, tmp_path: Path
) -> None:
    tls = make_tls(tmp_path, names=names_, expired=expired)
    with recording(tls) as server:
        cluster = {"server": server.url} | ({"certificate-authority": str(tls.ca)} if own_authority else {})
        connect_with(tmp_path, cluster, {"token": "t"}, words)
        assert server.requests == []


def connect_with(home: Path, cluster: dict[str, Any], user: dict[str, Any], words: str) -> None:
    config = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
    }
    (home / "kubeconfig").write_text(yaml.safe_dump(config))
    environment = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {}, home=home)
    with pytest.raises(ClusterUnreachable, match=words):
        connect(ConnectionOptions(kubeconfig=str(home / "kubeconfig")), environment)


# --- credentials that end -------------------------------------------------------------------------------------------


def test_expired_credentials_are_renewed_once_and_then_said(tmp_path: Path) -> None:
    tls = make_tls(tmp_path)
    counter = tmp_path / "runs"
    plugin = tmp_path / "plugin"
    plugin.write_text(
        f"""#!/bin/sh
echo run >> {counter}
printf '{{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{{"token":"t%s"}}}}' \
$(wc -l < {counter})
"""
    )
    plugin.chmod(0o755)
    user = {
        "exec": {
            "command": str(plugin),
            "apiVersion": "client.authentication.k8s.io/v1",
            "interactiveMode": "Never",
        }
    }
    with recording(tls) as server:
        valid = {"Bearer t1"}

        def script(request: Recorded) -> Reply | None:
            ok = request.values("authorization")[0] in valid
            return None if ok else status(401, "Unauthorized", "Unauthorized")

        server.script = script
        server.replies["/api/v1/nodes"] = page("n1", kind="NodeList")
        config = {
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": server.url, "certificate-authority": str(tls.ca)}}],
            "users": [{"name": "u", "user": user}],
        }
        (tmp_path / "kubeconfig").write_text(yaml.safe_dump(config))
        environment = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {"PATH": "/usr/bin:/bin"}, home=tmp_path)
        cluster = connect(ConnectionOptions(kubeconfig=str(tmp_path / "kubeconfig")), environment)
        assert names(cluster.list(NODES)) == ["n1"]
        valid.clear()
        valid.add("Bearer t2")
        assert names(cluster.list(NODES)) == ["n1"]
        valid.clear()
        with pytest.raises(Unavailable, match=r"credentials of user 'u' were refused \(401"):
            cluster.list(NODES)
        assert counter.read_text() == "run\n" * 3


def test_key_from_data_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import base64
    import tempfile

    tls = make_tls(tmp_path)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    data = {
        "client-certificate-data": base64.b64encode(tls.client_certificate.read_bytes()).decode(),
        "client-key-data": base64.b64encode(tls.client_key.read_bytes()).decode(),
    }
    with recording(tls, client_certificates=True) as server:
        server.replies["/version"] = status(401, "Unauthorized", "Unauthorized")
        connect_with(tmp_path, {"server": server.url, "certificate-authority": str(tls.ca)}, data, "401")
        assert server.requests[0].client == "jane"
    assert list(scratch.iterdir()) == []


def test_where_nothing_can_be_written_a_key_in_a_file_is_used_and_one_from_data_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import base64
    import tempfile

    tls = make_tls(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    files = {"client-certificate": str(tls.client_certificate), "client-key": str(tls.client_key)}
    inline = {"client-key-data": base64.b64encode(tls.client_key.read_bytes()).decode()}
    with recording(tls, client_certificates=True) as server:
        server.replies["/version"] = status(401, "Unauthorized", "Unauthorized")
        cluster = {"server": server.url, "certificate-authority": str(tls.ca)}
        connect_with(tmp_path, cluster, files, "401")
        assert server.requests[0].client == "jane"
        with pytest.raises(UsageError, match=r"the client certificate and key of user .* cannot be used"):
            connect_with(tmp_path, cluster, {"client-certificate": files["client-certificate"], **inline}, "401")


# --- lists ----------------------------------------------------------------------------------------------------------


def test_list_in_pages_of_500_with_apiversion_and_kind(ground: Ground) -> None:
    cluster = ground.connect()
    ground.server.replies["/api/v1/namespaces/shop/pods"] = [page("a", "b", token="t/1="), page("c")]
    found = list(cluster.list(PODS, "shop", labels="app in (a,b)", fields="status.phase!=Running"))
    assert [(o["apiVersion"], o["kind"], o["metadata"]["name"]) for o in found] == [("v1", "Pod", n) for n in "abc"]
    asked = "/api/v1/namespaces/shop/pods?labelSelector=app%20in%20%28a%2Cb%29&fieldSelector=status.phase%21%3DRunning"
    assert ground.asked() == [f"{asked}&limit=500", f"{asked}&limit=500&continue=t%2F1%3D"]


def test_pages_are_read_as_they_are_wanted(ground: Ground) -> None:
    cluster = ground.connect()
    ground.server.replies["/api/v1/pods"] = [page("a", token="t"), page("b")]
    found = cluster.list(PODS)
    assert next(found)["metadata"]["name"] == "a"
    assert len(ground.asked()) == 1


def test_errors_come_at_the_call_not_at_the_first_object(ground: Ground) -> None:
    ground.server.replies["/api/v1/pods"] = status(403, "Forbidden", "pods is forbidden: no", details={"kind": "pods"})
    with pytest.raises(Forbidden, match="pods is forbidden: no"):
        ground.connect().list(PODS)


def test_expired_token_goes_on_where_the_server_says(ground: Ground) -> None:
    cluster = ground.connect()
    gone = status(410, "Expired", "too old", metadata={"continue": "later"})
    ground.server.replies["/api/v1/pods"] = [page("a", token="t"), gone, page("b")]
    assert names(cluster.list(PODS)) == ["a", "b"]
    assert ground.asked()[-1] == "/api/v1/pods?limit=500&continue=later"


def test_expired_token_without_another_starts_again_and_repeats_nothing(ground: Ground) -> None:
    cluster = ground.connect()
    gone = status(410, "Expired", "too old")
    ground.server.replies["/api/v1/pods"] = [page("a", token="t"), gone, page("a", "b", token="u"), page("c")]
    assert names(cluster.list(PODS)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("replies", "words"),
    [
        (
            [page("a", token="t"), status(410, "Expired", "too old"), page("a", token="u"), status(410, "", "again")],
            "after 1",
        ),
        ([page("a", token="t"), Reply("down\n", 503, PLAIN)], "down"),
        ([page("a", token="t"), page("b", token="t")], "in circles"),
        ([page("a", token="t"), Reply({"kind": "Pod"})], "is no list"),
        ([page("a", token="t"), Reply({"kind": "PodList", "items": {}})], "is no list"),
        ([page("a", token="t"), Reply(page("b").body, cut=20)], "broke off"),
    ],
    ids=["gone-twice", "down", "circle", "no-list", "items", "cut"],
)
def test_a_list_that_breaks_off_is_an_error_never_a_short_list(
    replies: list[Reply], words: str, ground: Ground
) -> None:
    cluster = ground.connect()
    ground.server.replies["/api/v1/pods"] = replies
    found = cluster.list(PODS)
    with pytest.raises(Unavailable, match=words):
        names(found)


@pytest.mark.parametrize("items", [None, [], [None, 7, "x"]])
def test_odd_items(items: Any, ground: Ground) -> None:
    ground.server.replies["/api/v1/pods"] = Reply({"kind": "PodList", "metadata": None, "items": items})
    assert list(ground.connect().list(PODS)) == []


def test_b19_secrets_in_a_mixed_list_go_no_further(ground: Ground) -> None:
    items = [{"kind": "Secret", "metadata": {"name": "s"}}, {"kind": "Pod", "metadata": {"name": "p"}}]
    ground.server.replies["/api/v1/pods"] = Reply({"kind": "List", "items": items})
    assert names(ground.connect().list(PODS)) == ["p"]


def test_a_page_too_big_is_asked_for_in_smaller_pages(ground: Ground) -> None:
    cluster = ground.connect()
    big = page(*("x" * 50 + str(n) for n in range(100)))
    ground.server.replies["/api/v1/pods?limit=500"] = big
    ground.server.replies["/api/v1/pods?limit=50"] = page("a")
    request = cluster._transport.request
    cluster._transport.request = lambda *a, **k: request(*a, **{"most_bytes": 4000, **k})  # type: ignore[method-assign]
    assert names(cluster.list(PODS)) == ["a"]
    assert ground.asked() == ["/api/v1/pods?limit=500", "/api/v1/pods?limit=50"]


# --- single objects and errors --------------------------------------------------------------------------------------


def test_get_in_the_namespace_in_use(ground: Ground) -> None:
    ground.server.replies["/api/v1/namespaces/shop/pods/web-0"] = Reply({"metadata": {"name": "web-0"}})
    assert ground.connect().get(PODS, "web-0") == {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-0"}}


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        (
            status(404, "NotFound", 'pods "x" not found', details={"name": "x", "kind": "pods"}),
            NotFound,
            'pods "x" not found',
        ),
        (
            status(404, "NotFound", "the server could not find the requested resource", details={}),
            NotServed,
            "the server could not find the requested resource",
        ),
        (Reply("404 page not found\n", 404, PLAIN), NotServed, "404 page not found"),
        (status(403, "Forbidden", 'pods "x" is forbidden'), Forbidden, 'pods "x" is forbidden'),
        (status(500, "InternalError", "boom\nbang"), Unavailable, "boom bang"),
        (status(504, "Timeout", "slow"), Unavailable, "slow"),
        (Reply("service unavailable\n", 503, PLAIN), Unavailable, "service unavailable"),
        (status(400, "BadRequest", "unable to parse requirement"), ReadError, "unable to parse requirement"),
        (Reply("<html>", 200, {"Content-Type": "text/html"}), Unavailable, r"Kubernetes API \(text/html"),
        (Reply("<html>", 500, {"Content-Type": "text/html"}), Unavailable, "answered with status 500"),
    ],
)
def test_errors_in_the_servers_own_words(reply: Reply, error: type[ReadError], words: str, ground: Ground) -> None:
    ground.server.replies["/api/v1/namespaces/shop/pods/x"] = reply
    with pytest.raises(error, match=words) as caught:
        ground.connect().get(PODS, "x")
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)


def test_a_throttled_read_waits_and_goes_on(ground: Ground) -> None:
    cluster = ground.connect()
    busy = Reply("Too many requests, please try again later.\n", 429, {**PLAIN, "Retry-After": "1"})
    ground.server.replies["/api/v1/nodes"] = [busy, page("n1", kind="NodeList")]
    started = time.monotonic()
    assert names(cluster.list(NODES)) == ["n1"]
    assert time.monotonic() - started >= 1


def test_a_server_that_stays_busy_is_left_alone_in_time(ground: Ground) -> None:
    cluster = ground.connect(timeout=20)
    busy = Reply("Too many requests, please try again later.\n", 429, {**PLAIN, "Retry-After": "30"})
    ground.server.replies["/api/v1/nodes"] = busy
    started = time.monotonic()
    with pytest.raises(Unavailable, match=r"throttling \(429\)"):
        cluster.list(NODES)
    assert time.monotonic() - started < 10
    assert len(ground.asked()) == 1


def test_a_server_that_fell_silent_is_not_waited_for_again_and_again(ground: Ground) -> None:
    cluster = ground.connect(timeout=3)
    ground.server.script = lambda request: Reply(stall=30) if request.path.startswith("/api/v1/nodes") else None

    def waited(_: int) -> float:
        started = time.monotonic()
        with pytest.raises(Unavailable, match="no answer within"):
            cluster.get(NODES, "n1")
        return time.monotonic() - started

    with ThreadPoolExecutor(4) as pool:
        assert min(pool.map(waited, range(4))) >= 3
        assert min(pool.map(waited, range(4))) < 3
    # an answer, and there is patience again
    ground.server.replies["/api/v1/namespaces/shop/pods/x"] = Reply({"kind": "Pod", "metadata": {"name": "x"}})
    cluster.get(PODS, "x")
    with pytest.raises(Unavailable, match="no answer within 3 s"):
        cluster.get(NODES, "n1")


def test_a_passing_failure_is_tried_once_more(ground: Ground) -> None:
    cluster = ground.connect()
    ground.server.replies["/api/v1/nodes"] = [Reply("", 502), page("n1", kind="NodeList")]
    assert names(cluster.list(NODES)) == ["n1"]
    ground.server.replies["/api/v1/nodes"] = Reply("", 502)
    ground.asked()
    with pytest.raises(Unavailable):
        cluster.list(NODES)
    assert len(ground.asked()) == 2


def test_an_idle_connection_that_the_server_gave_up_is_no_failure(ground: Ground) -> None:
    cluster = ground.connect()
    ground.server.replies["/api/v1/nodes"] = [Reply(page("n").body, cut=5), page("n1", kind="NodeList")]
    assert names(cluster.list(NODES)) == ["n1"]


def test_d22_a_server_that_sends_the_token_back_tells_nobody(tmp_path: Path) -> None:
    token = "zq0vw" + "-token-of-jane"
    tls = make_tls(tmp_path)
    with recording(tls) as server:
        config = {
            "current-context": "prod",
            "contexts": [{"name": "prod", "context": {"cluster": "c", "user": "jane"}}],
            "clusters": [{"name": "c", "cluster": {"server": server.url, "certificate-authority": str(tls.ca)}}],
            "users": [{"name": "jane", "user": {"token": token}}],
        }
        path = tmp_path / "config"
        path.write_text(yaml.safe_dump(config))
        streams = (io.StringIO(), io.StringIO(), io.StringIO())
        environment = Environment(*streams, {"KUBECONFIG": str(path)}, home=tmp_path)
        seen = {"kind": "Pod", "metadata": {"name": "x", "annotations": {"seen": f"Bearer {token}"}}}
        server.replies["/api/v1/namespaces/shop/pods/x"] = Reply(seen)
        found = json.dumps(connect(ConnectionOptions(), environment).get(PODS, "x", "shop"))
        assert server.requests[-1].values("authorization") == [f"Bearer {token}"]
    assert token not in found and "[REDACTED:own-key]" in found


def test_a13_redirects_are_not_followed(ground: Ground) -> None:
    with recording() as other:
        ground.server.replies["/api/v1/nodes"] = Reply("", 307, {"Location": f"{other.url}/api/v1/nodes"})
        with pytest.raises(Unavailable, match="does not follow"):
            ground.connect().list(NODES)
        assert other.requests == []


def test_gzip_is_asked_for_and_a_bomb_is_not_inflated_whole(ground: Ground) -> None:
    cluster = ground.connect()
    assert ground.server.requests[0].values("accept-encoding") == ["gzip"]
    ground.server.replies["/api/v1/namespaces/shop/pods/x"] = Reply(b" " * (97 * 1024 * 1024))
    with pytest.raises(Unavailable, match="bigger than berth reads"):
        cluster.get(PODS, "x")


# --- what is never asked --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        SECRETS,
        Kind("", "v1", "ConfigMap", "configmaps", True),
        Kind("secrets.example.test", "v1", "Secret", "vaultsecrets", True),
        Kind("example.test", "v1", "Foo", "secrets", True),
        Kind("example.test", "v1", "Foo", "foos", True, "foo", ("secret",)),
        Kind("example.test", "v1", "Pod", "configmaps", True),
    ],
    ids=["secrets", "configmaps", "B08", "B09-plural", "B09-short", "B10"],
)
def test_secrets_and_configmaps_are_refused_by_any_name(kind: Kind, ground: Ground) -> None:
    cluster = ground.connect()
    for read in (lambda: cluster.list(kind), lambda: cluster.list(kind, "shop"), lambda: cluster.get(kind, "db")):
        with pytest.raises(Refused):
            read()
    assert ground.asked() == []


def test_a_secret_that_comes_all_the_same_is_withheld(ground: Ground) -> None:
    ground.server.replies["/api/v1/namespaces/shop/pods/x"] = Reply({"kind": "Secret", "data": {"k": "dg=="}})
    with pytest.raises(Refused):
        ground.connect().get(PODS, "x")


ARGUMENTS = st.text(max_size=20) | st.sampled_from(
    [
        "..",
        "../..",
        "pods/../../secrets",
        "%2e%2e",
        "x?watch=1",
        "x/exec",
        "-A",
        "--server=https://evil.example.test",
        "a#b",
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.builds(Kind, ARGUMENTS, ARGUMENTS | st.just("v1"), ARGUMENTS, ARGUMENTS | st.just("pods"), st.booleans()),
    ARGUMENTS,
    ARGUMENTS | st.none(),
    ARGUMENTS,
)
def test_a01_whatever_is_asked_only_reads_of_one_resource_arrive(
    ground: Ground, kind: Kind, name: str, namespace: str | None, container: str
) -> None:
    cluster = ground.connect()
    for read in (
        lambda: list(cluster.list(kind, namespace, labels=name, fields=container)),
        lambda: cluster.get(kind, name, namespace),
        lambda: cluster.log(name, namespace or "", container),
    ):
        with suppress(ReadError):
            read()
    shape = re.compile(
        r"/(api|apis/[a-z0-9.-]+)/v[0-9a-z]+(/namespaces/[a-z0-9-]+)?/[a-z0-9-]+(/[A-Za-z0-9._:@~+=,-]+(/log)?)?(\?.*)?"
    )
    for request in ground.server.requests:
        assert request.method == "GET"
        assert request.path == "/version" or shape.fullmatch(request.path), request.path
        assert ".." not in request.path.partition("?")[0]
        assert "secrets" not in request.path.partition("?")[0]
    ground.server.requests.clear()
    cluster.close()


def test_a14_the_environment_of_the_process_changes_nothing(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    with recording() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.setenv("KUBECONFIG", "/nowhere")
        ground.connect()
        assert proxy.requests == []


# --- logs -----------------------------------------------------------------------------------------------------------

LOG = "/api/v1/namespaces/shop/pods/web-0/log"


def test_log_is_bounded_and_bad_bytes_are_replaced(ground: Ground) -> None:
    cluster = ground.connect()
    ground.server.replies[LOG] = Reply(b"ok\n\xff\xfebad\n", 200, PLAIN)
    assert cluster.log("web-0", "shop", "web") == "ok\n\ufffd\ufffdbad\n"
    cluster.log("web-0", "shop", "web", previous=True, tail=20, since=60, timestamps=True)
    cluster.log("web-0", "shop", "", tail=100000)
    assert ground.asked() == [
        f"{LOG}?limitBytes=262144&container=web&tailLines=500",
        f"{LOG}?limitBytes=262144&container=web&previous=true&sinceSeconds=60&timestamps=true&tailLines=20",
        f"{LOG}?limitBytes=262144&tailLines=500",
    ]


def test_a_server_that_sends_more_is_cut_off(ground: Ground) -> None:
    cluster = ground.connect()
    ground.server.replies[LOG] = Reply(b"x" * 30_000_000, 200, PLAIN)
    assert len(cluster.log("web-0", "shop", "web", tail=1)) == 262144


def test_long_lines_do_not_cost_the_newest_ones(ground: Ground) -> None:
    cluster = ground.connect()
    lines = [b"%05d " % n + b"x" * 1000 + b"\n" for n in range(500)]

    def script(request: Recorded) -> Reply | None:
        if not request.path.startswith(LOG):
            return None
        tail = int(request.path.rpartition("tailLines=")[2])
        return Reply(b"".join(lines[-tail:])[:262144], 200, PLAIN)

    ground.server.script = script
    assert cluster.log("web-0", "shop", "web").endswith(lines[-1].decode())


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        (status(400, "BadRequest", "container nope is not valid for pod web-0"), NotFound, "nope is not valid"),
        (
            status(400, "BadRequest", 'container "web" in pod "web-0" is waiting to start: ContainerCreating'),
            Unavailable,
            "waiting to start: ContainerCreating",
        ),
        (
            status(400, "BadRequest", 'previous terminated container "web" in pod "web-0" not found'),
            NotFound,
            "previous terminated",
        ),
        (
            status(404, "NotFound", 'pods "web-0" not found', details={"name": "web-0", "kind": "pods"}),
            NotFound,
            'pods "web-0" not found',
        ),
        (
            status(500, "", 'Get "https://10.0.0.1:10250/containerLogs/shop": dial tcp: connect: connection refused'),
            Unavailable,
            "dial tcp",
        ),
        (status(403, "Forbidden", 'pods "web-0" is forbidden: cannot get "pods/log"'), Forbidden, "pods/log"),
    ],
)
def test_log_failures_in_the_servers_own_words(
    reply: Reply, error: type[ReadError], words: str, ground: Ground
) -> None:
    cluster = ground.connect()
    ground.server.replies[LOG] = reply
    with pytest.raises(error, match=words):
        cluster.log("web-0", "shop", "web")
    assert len(ground.asked()) == 1


def test_a_pod_that_was_never_scheduled_has_an_empty_log(ground: Ground) -> None:
    ground.server.replies[LOG] = Reply(b"", 204)
    assert ground.connect().log("web-0", "shop", "web") == ""


# --- usage ----------------------------------------------------------------------------------------------------------


def test_usage_not_served_unavailable_forbidden_and_there(ground: Ground) -> None:
    cluster = ground.connect()
    assert cluster.usage() is None
    root = "/apis/metrics.k8s.io/v1beta1"
    ground.server.replies[f"{root}/pods"] = Reply("service unavailable\n", 503, PLAIN)
    ground.server.replies[f"{root}/nodes"] = page("n1", kind="NodeMetricsList")
    found = cluster.usage()
    assert found is not None
    assert found.gaps == (Gap("pods.metrics.k8s.io", "unavailable", "service unavailable"),)
    assert [node["kind"] for node in found.nodes] == ["NodeMetrics"]
    ground.server.replies[f"{root}/namespaces/shop/pods"] = page("web-0", kind="PodMetricsList")
    narrowed = cluster.usage("shop")
    assert narrowed is not None
    assert names(iter(narrowed.pods)) == ["web-0"]


# --- discovery ------------------------------------------------------------------------------------------------------


def resource(plural: str, kind: str, scope: str = "Namespaced", **more: Any) -> dict[str, Any]:
    # the API server leaves group and version of the answer empty where they are the resource's own
    answer = {"group": "", "version": "", "kind": kind}
    return {"resource": plural, "responseKind": answer, "scope": scope, "verbs": ["get", "list"], **more}


def aggregated(*groups: tuple[str, list[dict[str, Any]]]) -> Reply:
    items = [{"metadata": {"name": name} if name else {}, "versions": versions} for name, versions in groups]
    body = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}
    return Reply(body)


def test_aggregated_discovery_in_two_requests_with_stale_groups_as_gaps(ground: Ground) -> None:
    pods = resource("pods", "Pod", singularResource="pod", shortNames=["po"], categories=["all"])
    core = [{"version": "v1", "resources": [pods], "freshness": "Current"}]
    scalers = [resource("horizontalpodautoscalers", "HorizontalPodAutoscaler", shortNames=["hpa"])]
    ground.server.replies["/api"] = aggregated(("", core))
    ground.server.replies["/apis"] = aggregated(
        ("autoscaling", [{"version": v, "resources": scalers, "freshness": "Current"} for v in ("v2", "v1")]),
        ("metrics.k8s.io", [{"version": "v1beta1", "freshness": "Stale"}]),
    )
    cluster = ground.connect()
    found = cluster.kinds()
    assert found.kinds[0] == Kind("", "v1", "Pod", "pods", True, "pod", ("po",), ("all",), ("get", "list"))
    assert [(k.api_version, k.preferred) for k in found.kinds[1:]] == [
        ("autoscaling/v2", True),
        ("autoscaling/v1", False),
    ]
    assert found.gaps == (Gap("metrics.k8s.io/v1beta1", "unavailable", "stale"),)
    assert cluster.kinds() is found
    assert sorted(ground.asked()) == ["/api", "/apis"]


def test_plain_discovery_group_by_group(ground: Ground) -> None:
    def listed(*resources: dict[str, Any]) -> Reply:
        return Reply({"kind": "APIResourceList", "resources": list(resources)})

    pods = {"name": "pods", "kind": "Pod", "namespaced": True, "singularName": "pod", "verbs": ["get"]}
    things = {"name": "things", "kind": "Thing", "namespaced": False, "verbs": ["list"]}
    groups = [
        {
            "name": "example.test",
            "versions": [{"version": "v1alpha1"}, {"version": "v1"}],
            "preferredVersion": {"version": "v1"},
        },
        {"name": "metrics.k8s.io", "versions": [{"version": "v1beta1"}], "preferredVersion": {"version": "v1beta1"}},
    ]
    ground.server.replies |= {
        "/api": Reply({"kind": "APIVersions", "versions": ["v1"]}),
        "/apis": Reply({"kind": "APIGroupList", "groups": groups}),
        "/api/v1": listed(pods, {"name": "pods/exec", "kind": "PodExecOptions", "namespaced": True, "verbs": ["get"]}),
        "/apis/example.test/v1": listed(things),
        "/apis/example.test/v1alpha1": listed(things),
        "/apis/metrics.k8s.io/v1beta1": Reply("service unavailable\n", 503, PLAIN),
    }
    found = ground.connect().kinds()
    assert [(k.api_version, k.plural, k.namespaced, k.preferred) for k in found.kinds] == [
        ("v1", "pods", True, True),
        ("example.test/v1", "things", False, True),
        ("example.test/v1alpha1", "things", False, False),
    ]
    assert found.gaps == (Gap("metrics.k8s.io/v1beta1", "unavailable", "service unavailable"),)


def test_discovery_forbidden_in_part_and_whole(ground: Ground) -> None:
    cluster = ground.connect()
    forbidden = status(403, "Forbidden", 'forbidden: User "x" cannot get path "/apis"', details={})
    ground.server.replies["/apis"] = forbidden
    ground.server.replies["/api"] = forbidden
    with pytest.raises(Forbidden):
        cluster.kinds()
    ground.server.replies["/api"] = aggregated(("", [{"version": "v1", "resources": [resource("pods", "Pod")]}]))
    found = cluster.kinds()
    assert [kind.plural for kind in found.kinds] == ["pods"]
    assert found.gaps == (Gap("discovery of /apis", "forbidden", 'forbidden: User "x" cannot get path "/apis"'),)


# --- threads and the end --------------------------------------------------------------------------------------------


def test_many_threads_read_at_once(ground: Ground) -> None:
    cluster = ground.connect()
    ground.server.replies["/api/v1/pods"] = Reply(json.dumps(page(*(f"p{n}" for n in range(200))).body))
    results: list[int] = []

    def read() -> None:
        results.append(len(names(cluster.list(PODS))))

    threads = [threading.Thread(target=read) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [200] * 16


@pytest.mark.parametrize("reply", [Reply(b"", stall=20), Reply(b"x" * 100, drip=1)], ids=["headers", "body"])
def test_close_ends_what_is_under_way(reply: Reply, ground: Ground) -> None:
    cluster = ground.connect()
    ground.server.replies["/api/v1/nodes"] = reply
    caught: list[Exception] = []

    def read() -> None:
        try:
            cluster.list(NODES)
        except Unavailable as error:
            caught.append(error)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    until = time.monotonic() + 30
    while not any(path.startswith("/api/v1/nodes") for path in ground.server.paths) and time.monotonic() < until:
        time.sleep(0.01)
    # the answer takes twenty seconds and more
    time.sleep(0.2)
    cluster.close()
    thread.join(10)
    assert not thread.is_alive()
    assert "was closed" in str(caught[0])
    with pytest.raises(Unavailable, match="was closed"):
        cluster.list(NODES)


def test_bad_namespace_of_the_command_line(ground: Ground) -> None:
    with pytest.raises(UsageError, match="'Shop' is not the name of a namespace"):
        ground.connect(namespace="Shop")
