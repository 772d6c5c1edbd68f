"""From flags and kubeconfig to what is needed to reach a cluster: the parts that kubectl cannot be asked about."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_berth.cluster.connection import Access, ConnectionOptions, resolve
from kubectl_berth.cluster.proxy import proxy_for
from kubectl_berth.cluster.transport import Transport
from kubectl_berth.environment import Environment
from kubectl_berth.errors import ClusterUnreachable, UsageError
from tests.fakes.kube_recorder import make_tls, recording


def environment(home: Path, **variables: str) -> Environment:
    return Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables, home=home)


def kubeconfig(home: Path, namespace: str | None = None, **cluster: Any) -> str:
    context = {"cluster": "c", "user": "u"} | ({"namespace": namespace} if namespace is not None else {})
    config = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": context}],
        "clusters": [{"name": "c", "cluster": {"server": "https://api.example.test:6443", **cluster}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    }
    path = home / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    return str(path)


@pytest.mark.parametrize(
    ("flag", "of_context", "expected"),
    [(None, None, "default"), (None, "", "default"), (None, "shop", "shop"), ("data", "shop", "data")],
)
def test_namespace_of_flag_then_context_then_default(
    flag: str | None, of_context: str | None, expected: str, tmp_path: Path
) -> None:
    options = ConnectionOptions(kubeconfig=kubeconfig(tmp_path, of_context), namespace=flag)
    assert resolve(options, environment(tmp_path)).namespace == expected


def account(home: Path, **files: str) -> Path:
    for name, text in files.items():
        (home / name.replace("_", ".")).write_text(text)
    return home


def in_cluster(home: Path, **variables: str) -> Access:
    return resolve(ConnectionOptions(), environment(home / "nobody", **variables), home)


def test_in_a_pod_without_kubeconfig_its_own_service_account(tmp_path: Path) -> None:
    tls = make_tls(tmp_path)
    account(tmp_path, token="pod-token\n", namespace="team-a\n")
    with recording(tls) as server:
        host, _, port = server.url.removeprefix("https://").partition(":")
        access = in_cluster(tmp_path, KUBERNETES_SERVICE_HOST=host, KUBERNETES_SERVICE_PORT=port)
        assert (access.namespace, access.context) == ("team-a", "in-cluster")
        assert Transport(access, environment(tmp_path)).request("GET", "/version").ok
        assert server.requests[0].values("authorization") == ["Bearer pod-token"]


def test_in_a_pod_namespace_of_the_variable_and_ipv6(tmp_path: Path) -> None:
    account(tmp_path, token="t", namespace="team-a")
    variables = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443", "POD_NAMESPACE": "team-b"}
    access = in_cluster(tmp_path, **variables)
    assert (access.server, access.namespace) == ("https://[fd00::1]:443", "team-b")


@pytest.mark.parametrize("missing", ["token", "host"])
def test_no_kubeconfig_and_no_pod_is_one_line_that_says_what_to_do(missing: str, tmp_path: Path) -> None:
    if missing != "token":
        account(tmp_path, token="t")
    variables = {} if missing == "host" else {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}
    with pytest.raises(ClusterUnreachable, match="no kubeconfig found: set KUBECONFIG"):
        in_cluster(tmp_path, **variables)


def test_a_kubeconfig_wins_over_the_pod(tmp_path: Path) -> None:
    account(tmp_path, token="t")
    variables = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}
    access = in_cluster(tmp_path, KUBECONFIG=kubeconfig(tmp_path), **variables)
    assert access.server == "https://api.example.test:6443"


@pytest.mark.parametrize(
    "server",
    ["ftp://x", "https://", "https://x?y=1", "https://x#y", "https://u:p@x", "https://x:99999", "https://x\\y", "a b"],
)
def test_what_is_no_server(server: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a server's URL") as raised:
        resolve(ConnectionOptions(kubeconfig=kubeconfig(tmp_path, server=server)), environment(tmp_path))
    assert "u:p" not in str(raised.value)


def test_credentials_never_show_in_a_representation(tmp_path: Path) -> None:
    access = resolve(ConnectionOptions(kubeconfig=kubeconfig(tmp_path)), environment(tmp_path))
    assert "Bearer" not in repr(access.credentials())


SERVER = "https://api.example.test:6443"


@pytest.mark.parametrize(
    ("server", "no_proxy", "proxied"),
    [
        (SERVER, "", True),
        (SERVER, "other.test", True),
        (SERVER, "example.test", False),
        (SERVER, ".example.test", False),
        (SERVER, "api.example.test", False),
        (SERVER, ".api.example.test", True),
        (SERVER, "ample.test", True),
        (SERVER, "a, api.example.test:6443", False),
        (SERVER, "api.example.test:443", True),
        (SERVER, "*", False),
        ("https://10.1.2.3:6443", "10.0.0.0/8", False),
        ("https://10.1.2.3:6443", "11.0.0.0/8, 10.1.2.4", True),
        ("https://10.1.2.3:6443", "10.1.2.3", False),
        ("https://[fd00::1]:6443", "fd00::/16", False),
        ("https://10.1.2.3:6443", "[10.1.2.3]", True),
        ("https://[fd00::1]:6443", "fd00::1", False),
        ("https://[fd00::1]:6443", "[fd00::1]", False),
        ("https://localhost:6443", "", False),
        ("https://127.0.0.1:6443", "", False),
    ],
)
def test_proxy_of_the_environment(server: str, no_proxy: str, proxied: bool) -> None:
    variables = {"HTTPS_PROXY": "http://proxy.test:3128", "NO_PROXY": no_proxy}
    assert proxy_for(server, "", variables) == ("http://proxy.test:3128" if proxied else None)


def test_proxy_names_in_small_letters_and_without_scheme() -> None:
    assert proxy_for(SERVER, "", {"https_proxy": "proxy.test:3128"}) == "http://proxy.test:3128"
    assert proxy_for("http://10.1.1.1", "", {"https_proxy": "proxy.test:3128"}) is None


@pytest.mark.parametrize(
    "url", ["socks5://proxy.test:1080", "http://", "nonsense", " http://proxy.test", "http://[::1", "http://a\n.test"]
)
def test_a_proxy_that_cannot_be_used_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="only http and https proxies are supported"):
        proxy_for(SERVER, url, {})
