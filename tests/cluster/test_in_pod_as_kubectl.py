"""In a pod, the same flags and kubeconfig given to the real kubectl and to berth: same server, same identity, or none.

The pod is a mount namespace in which a service account lies where a pod's lies.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from kubectl_berth.cli.options import connection_flags, source_options
from kubectl_berth.cli.sources import Source, connection_of
from kubectl_berth.cli.spelling import KubectlCommand
from kubectl_berth.cluster.connection import resolve
from kubectl_berth.cluster.transport import Transport
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError
from tests.fakes.kube_recorder import Recorder, Reply, Tls, make_tls, recording

KUBECTL = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or "kubectl"
UNSHARE = ["unshare", "--mount"] if os.getuid() == 0 else ["unshare", "--map-root-user", "--mount"]
MOUNT = 'mount -t tmpfs tmpfs /run && mkdir -p "$ACCOUNT" && cp "$FILES"/* "$ACCOUNT" && exec "$@"'
ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
DISCOVERY: dict[str, dict[str, Any]] = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": "v1",
        "resources": [
            {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list"]}
        ],
    },
}


def in_pod(account: Path, words: list[str], variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*UNSHARE, "sh", "-c", MOUNT, "sh", *words],
        env={**variables, "ACCOUNT": ACCOUNT, "FILES": str(account)},
        cwd=account.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.fixture(scope="module", autouse=True)
def _allowed(tmp_path_factory: pytest.TempPathFactory) -> None:
    account = tmp_path_factory.mktemp("allowed") / "account"
    account.mkdir()
    (account / "token").touch()
    if not shutil.which("unshare") or in_pod(account, ["true"], {"PATH": "/usr/bin:/bin"}).returncode:
        pytest.skip("this machine lets nobody mount anything")


@click.command(cls=KubectlCommand)
@source_options
@connection_flags
def connection(**options: Any) -> Source:
    return Source(**options)


@dataclass
class Ground:
    """A pod's own API server, another one, and the pod's files."""

    home: Path
    tls: Tls
    pod: Recorder
    other: Recorder
    variables: dict[str, str]

    def seen(self) -> list[Any]:
        found = []
        for name in ("pod", "other"):
            recorder: Recorder = getattr(self, name)
            found += [(name, request.path, request.identity()) for request in recorder.requests]
            recorder.requests.clear()
        return found

    def kubectl(self, *words: str) -> list[Any]:
        """What kubectl asked, nothing where it failed."""
        done = in_pod(self.home / "account", [KUBECTL, *words], self.variables)
        seen = self.seen()
        assert (done.returncode == 0) == bool(seen), done.stderr
        return seen

    def berth(self, *words: str) -> tuple[list[Any], str, str]:
        """What berth asked, the namespace it uses, and its complaint."""
        source: Source = connection.main(list(words), "berth", standalone_mode=False)
        home = Path(self.variables["HOME"])
        environment = Environment(io.StringIO(), io.StringIO(), io.StringIO(), self.variables, home=home)
        try:
            access = resolve(connection_of(source), environment, self.home / "account")
            Transport(access, environment).request("GET", "/version")
        except BerthError as error:
            return self.seen(), "", str(error)
        return self.seen(), access.namespace, ""

    def config(self, user: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        context = {"cluster": "c", "user": "u"}
        return {
            "current-context": "c",
            "contexts": [{"name": "c", "context": context | more.pop("context", {})}],
            "clusters": [{"name": "c", "cluster": more}],
            "users": [{"name": "u", "user": {"token": "t"} if user is None else user}],
        }

    def use(self, config: dict[str, Any]) -> None:
        path = self.home / "kubeconfig"
        path.write_text(yaml.safe_dump(config))
        self.variables["KUBECONFIG"] = str(path)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Tls:
    return make_tls(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def ground(tmp_path: Path, certificates: Tls) -> Iterator[Ground]:
    account = tmp_path / "account"
    account.mkdir()
    (account / "token").write_text("pod-token\n")
    (account / "namespace").write_text("team-a")
    shutil.copy(certificates.ca, account / "ca.crt")
    with (
        recording(certificates, client_certificates=True) as pod,
        recording(certificates, client_certificates=True) as other,
    ):
        host, _, port = pod.url.removeprefix("https://").partition(":")
        variables = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
        variables |= {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port}
        yield Ground(tmp_path, certificates, pod, other, variables)


def given(ground: Ground, words: list[str]) -> list[str]:
    places = {"OTHER": ground.other.url, "TLS": str(ground.tls.directory), "PORT": ground.other.url.rpartition(":")[2]}
    for name, value in places.items():
        words = [word.replace(name, value) for word in words]
    return words


STILL_THE_POD = [
    [],
    ["-n", "shop"],
    ["--request-timeout=0"],
    ["--token=typed"],
    ["--certificate-authority=TLS/ca.crt", "--token=typed", "-n=shop"],
    ["--insecure-skip-tls-verify", "--tls-server-name=x.test"],
    ["--insecure-skip-tls-verify", "--certificate-authority=TLS/ca.crt"],
    ["--username=jane", "--password=p"],
    ["--client-certificate=TLS/client.crt", "--client-key=TLS/client.key"],
    ["--disable-compression=false"],
    ["--as=", "--server=", "--context="],
]
NO_MORE = [
    ["--request-timeout=5s"],
    ["--as=bob"],
    ["--as=bob", "--token=typed"],
    ["--as-group=g"],
    ["--proxy-url=http://127.0.0.1:1"],
    ["--disable-compression"],
    ["--certificate-authority=/nowhere"],
    ["--client-certificate=TLS/client.crt"],
    ["--token=typed", "--username=jane", "--password=p"],
    ["--context=c"],
    ["--cluster=c"],
    ["--user=u"],
    ["--server=OTHER"],
    ["--server=OTHER", "--token=typed"],
]
ELSEWHERE = [
    ["--server=OTHER", "--token=typed", "--certificate-authority=TLS/ca.crt"],
    ["--server=OTHER", "--token=typed", "--insecure-skip-tls-verify", "--as=bob"],
]


@pytest.mark.parametrize("words", STILL_THE_POD, ids=" ".join)
def test_flags_that_leave_the_pods_own_cluster(words: list[str], ground: Ground) -> None:
    words = given(ground, words)
    expected = ground.kubectl(*words, "get", "--raw", "/version")
    assert [name for name, _, _ in expected] == ["pod"]
    assert ground.berth(*words)[::2] == (expected, "")


@pytest.mark.parametrize("words", NO_MORE, ids=" ".join)
def test_flags_with_which_nothing_is_asked(words: list[str], ground: Ground) -> None:
    words = given(ground, words)
    assert ground.kubectl(*words, "get", "--raw", "/version") == []
    seen, _, said = ground.berth(*words)
    assert seen == []
    assert said


@pytest.mark.parametrize("words", ELSEWHERE, ids=" ".join)
def test_flags_that_name_another_server(words: list[str], ground: Ground) -> None:
    words = given(ground, words)
    expected = ground.kubectl(*words, "get", "--raw", "/version")
    assert [name for name, _, _ in expected] == ["other"]
    assert ground.berth(*words)[::2] == (expected, "")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--request-timeout=5s"], "--request-timeout"),
        (["--as=bob", "--token=t"], "--as"),
        (["--as=bob", "--request-timeout=5s"], "--request-timeout and --as"),
        (["--proxy-url=http://127.0.0.1:1"], "--proxy-url"),
        (["--disable-compression"], "--disable-compression"),
    ],
)
def test_what_turned_the_pods_own_cluster_off_is_named(words: list[str], named: str, ground: Ground) -> None:
    seen, _, said = ground.berth(*words)
    assert seen == []
    assert f"the pod's own is not taken together with {named} (nor by kubectl)" in said


def test_what_of_a_kubeconfig_turned_it_off_is_named(ground: Ground) -> None:
    ground.use(ground.config({"token": "t", "as": "bob"}))
    assert ground.kubectl("get", "--raw", "/version") == []
    seen, _, said = ground.berth()
    assert seen == []
    assert "not taken together with as of user 'u' (nor" in said


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"clusters": []},
        {"clusters": [], "users": []},
        {"current-context": ""},
        {"contexts": [{"name": "c"}]},
        {"contexts": [{"name": "c", "context": {"user": "u"}}]},
        {"clusters": [{"name": "c", "cluster": {"server": "http://localhost:8080"}}]},
        {"clusters": [{"name": "c", "cluster": {"insecure-skip-tls-verify": True}}]},
    ],
    ids=str,
)
def test_a_kubeconfig_that_names_no_server_leaves_it(config: dict[str, Any], ground: Ground) -> None:
    ground.use(ground.config() | config)
    expected = ground.kubectl("get", "--raw", "/version")
    assert [name for name, _, _ in expected] == ["pod"]
    assert ground.berth()[::2] == (expected, "")


@pytest.mark.parametrize("written", ["empty", "absent", " ", ":"])
def test_files_that_say_nothing(written: str, ground: Ground) -> None:
    (ground.home / "empty").touch()
    ground.variables["KUBECONFIG"] = str(ground.home / written) if written.isalpha() else written
    expected = ground.kubectl("get", "--raw", "/version")
    assert [name for name, _, _ in expected] == ["pod"]
    assert ground.berth()[::2] == (expected, "")


@pytest.mark.parametrize("of_pod", ["", "team-b"])
@pytest.mark.parametrize("of_context", [None, "", "default", "shop"])
@pytest.mark.parametrize("server", [True, False])
@pytest.mark.parametrize("typed", ["", "data"])
def test_namespace(of_pod: str, of_context: str | None, server: bool, typed: str, ground: Ground) -> None:
    for recorder in (ground.pod, ground.other):
        recorder.replies |= {path: Reply(body) for path, body in DISCOVERY.items()}
    ground.variables |= {"POD_NAMESPACE": of_pod} if of_pod else {}
    context = {} if of_context is None else {"namespace": of_context}
    cluster: dict[str, Any] = (
        {"server": ground.other.url, "certificate-authority": str(ground.tls.ca)} if server else {}
    )
    ground.use(ground.config(context=context, **cluster))
    in_pod(ground.home / "account", [KUBECTL, "-n", typed, "get", "pods"], ground.variables)
    asked = next(path for _, path, _ in ground.seen() if path.startswith("/api/v1/namespaces/"))
    assert ground.berth("-n", typed)[1] == asked.split("/")[4]


@pytest.mark.parametrize("words", [[], ["--token=t", "--certificate-authority=TLS/ca.crt"]], ids=" ".join)
def test_a_master_over_tls_comes_before_the_pod(words: list[str], ground: Ground) -> None:
    ground.variables["KUBERNETES_MASTER"] = ground.other.url
    words = given(ground, words)
    expected = ground.kubectl(*words, "get", "--raw", "/version")
    assert [name for name, _, _ in expected] == (["other"] if words else [])
    assert ground.berth(*words)[0] == expected


def test_a_master_without_tls_comes_after_it(ground: Ground) -> None:
    ground.variables["KUBERNETES_MASTER"] = "http://127.0.0.1:1"
    expected = ground.kubectl("get", "--raw", "/version")
    assert [name for name, _, _ in expected] == ["pod"]
    assert ground.berth()[::2] == (expected, "")
