"""The same kubeconfig, flags and variables given to the real kubectl and to berth.

The same server must be asked, by the same identity, or both must refuse before anything is sent.
"""

from __future__ import annotations

import base64
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from kubectl_berth.cli.options import connection_flags, source_options
from kubectl_berth.cli.sources import Source, connection_of, opener
from kubectl_berth.cli.spelling import KubectlCommand
from kubectl_berth.cluster.connection import resolve
from kubectl_berth.cluster.transport import Transport
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError
from tests.fakes.connect_proxy import ConnectProxy, tunnelling
from tests.fakes.kube_recorder import Recorder, Tls, make_tls, recording

KUBECTL = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or "kubectl"
V1 = "client.authentication.k8s.io/v1"


@click.command(cls=KubectlCommand)
@source_options
@click.option("--light", is_flag=True)
@connection_flags
@click.pass_obj
def connecting(environment: Environment, /, light: bool, **options: Any) -> None:
    """A command with the flags of every command that reads a cluster; it connects, and that is all."""
    source = Source(**options)
    source.validate()
    if light:
        access = resolve(connection_of(source), environment)
        Transport(access, environment, light=True).request("GET", "/version")
    else:
        opener(source, None, environment)().close()


@dataclass
class Ground:
    """Two TLS servers, one without TLS, a proxy, and a directory with the certificates."""

    home: Path
    tls: Tls
    one: Recorder
    two: Recorder
    plain: Recorder
    proxy: Recorder
    tunnel: ConnectProxy
    variables: dict[str, str] = field(default_factory=dict)
    flags: dict[str, Any] = field(default_factory=dict)

    def write(self, name: str, content: Any) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
        return path

    def config(self, user: dict[str, Any] | None = None, name: str = "config", **cluster: Any) -> dict[str, Any]:
        """A kubeconfig whose one context, cluster and user bear this name."""
        settings = {"server": self.one.url, "certificate-authority": str(self.tls.ca), **cluster}
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "clusters": [{"name": name, "cluster": {k: v for k, v in settings.items() if v is not None}}],
            "users": [{"name": name, "user": {"token": "t-" + name} if user is None else user}],
        }

    def use(self, *configs: Any) -> None:
        """Writes the files and lists them in KUBECONFIG."""
        paths = [str(self.write(f"file{n}", config)) for n, config in enumerate(configs)]
        self.variables["KUBECONFIG"] = ":".join(paths)

    def plugin(self, script: str, *, mode: str | None = "Never", version: str = V1, **more: Any) -> dict[str, Any]:
        """A user whose credential plugin is this shell script."""
        path = self.write("plugin.sh", f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        entry = {"apiVersion": version, "command": str(path), "interactiveMode": mode, **more}
        return {"exec": {key: value for key, value in entry.items() if value is not None}}

    def credential(self, version: str = V1, **status: str) -> str:
        """The script of a plugin that prints this ExecCredential."""
        self.write("credential.json", json.dumps({"apiVersion": version, "kind": "ExecCredential", "status": status}))
        return f"cat {self.home}/credential.json"

    def seen(self) -> list[Any]:
        """What the servers were asked since the last time, by whom."""
        found = []
        for server in ("one", "two", "plain", "proxy"):
            recorder: Recorder = getattr(self, server)
            found += [(server, r.path, r.identity(), r.server_name) for r in recorder.requests]
            recorder.requests.clear()
        found += [("tunnel", *asked) for asked in self.tunnel.asked]
        self.tunnel.asked.clear()
        return found

    def base_variables(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": "/usr/bin:/bin", **self.variables}

    def words(self) -> list[str]:
        """The flags as typed: a list repeats its flag, True stands for a flag without a value."""
        pairs = [
            (name, each)
            for name, value in self.flags.items()
            for each in (value if isinstance(value, list) else [value])
        ]
        return [f"--{name}" if value is True else f"--{name}={value}" for name, value in pairs]

    def kubectl(self) -> tuple[bool, list[Any], str]:
        done = subprocess.run(
            [KUBECTL, *self.words(), "get", "--raw", "/version"],
            env=self.base_variables(),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        return done.returncode == 0, self.seen(), done.stderr

    def berth(self, *more: str) -> tuple[bool, list[Any], str]:
        environment = Environment(
            io.StringIO(), io.StringIO(), io.StringIO(), self.base_variables(), home=Path(self.base_variables()["HOME"])
        )
        try:
            connecting.main([*self.words(), *more], "berth", standalone_mode=False, obj=environment)
        except BerthError as error:
            assert "\n" not in str(error)
            return False, self.seen(), str(error)
        return True, self.seen(), ""


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Tls:
    return make_tls(tmp_path_factory.mktemp("tls"), names=("127.0.0.1", "api.example.test"))


@pytest.fixture
def ground(tmp_path: Path, certificates: Tls, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    monkeypatch.chdir(tmp_path)
    with (
        recording(certificates, client_certificates=True) as one,
        recording(certificates, client_certificates=True) as two,
        recording() as plain,
        recording() as proxy,
        tunnelling(int(one.url.rpartition(":")[2])) as tunnel,
    ):
        proxy.script = lambda request: plain.replies["/version"]  # type: ignore[return-value]
        yield Ground(tmp_path, certificates, one, two, plain, proxy, tunnel)


def data(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


SAME: dict[str, Callable[[Ground], None]] = {}
REFUSED: dict[str, Callable[[Ground], None]] = {}

Case = Callable[[Ground], None]


def same(case: Case) -> Case:
    """Both must reach a server."""
    SAME[case.__name__] = case
    return case


def refused(case: Case) -> Case:
    """Both must refuse before a request with this kubeconfig is sent."""
    REFUSED[case.__name__] = case
    return case


@same
def token(g: Ground) -> None:
    g.use(g.config())


@same
def first_current_context_wins(g: Ground) -> None:
    g.use(g.config(name="a"), g.config(name="b", server=g.two.url))


@same
def empty_current_context_does_not_count(g: Ground) -> None:
    g.use(g.config(name="a") | {"current-context": ""}, g.config(name="b", server=g.two.url))


@same
def later_empty_current_context(g: Ground) -> None:
    g.use(g.config(name="a"), g.config(name="b", server=g.two.url) | {"current-context": ""})


@same
def first_entry_of_a_name_wins_whole(g: Ground) -> None:
    g.use(g.config(name="a"), g.config({"token": "later", "as": "eve"}, name="a", server=g.two.url))


@same
def context_cluster_and_user_in_three_files(g: Ground) -> None:
    whole = g.config(name="a")
    parts = [{key: whole[key]} for key in ("contexts", "clusters", "users")]
    g.use({"current-context": "a"}, *parts)


@same
def empty_and_missing_files_are_skipped(g: Ground) -> None:
    g.use("", "# nothing\n", g.config())
    g.variables["KUBECONFIG"] = f"{g.home}/absent::{g.variables['KUBECONFIG']}:{g.home}/file0"


@same
def kubeconfig_variable_empty(g: Ground) -> None:
    g.write(".kube/config", g.config())
    g.variables["KUBECONFIG"] = ""


@same
def tilde_is_no_home(g: Ground) -> None:
    g.write(".kube/other", g.config(server=g.two.url))
    g.variables["KUBECONFIG"] = f"~/.kube/other:{g.write('config', g.config())}"


@same
def flag_path_with_a_colon(g: Ground) -> None:
    g.flags["kubeconfig"] = str(g.write("a:b", g.config()))
    g.variables["KUBECONFIG"] = str(g.write("other", g.config(server=g.two.url)))


@same
def flag_context(g: Ground) -> None:
    g.use(g.config(name="a"), g.config(name="b", server=g.two.url))
    g.flags["context"] = "b"


@same
def relative_paths_belong_to_their_file(g: Ground) -> None:
    user = g.config({"client-certificate": "certs/client.crt", "client-key": "certs/client.key"}, name="a")
    for name in ("client.crt", "client.key"):
        g.write(f"users/certs/{name}", (g.tls.directory / name).read_text())
    g.write("clusters/pki/ca.crt", g.tls.ca.read_text())
    g.write("users/config", {"users": user["users"], "contexts": user["contexts"], "current-context": "a"})
    g.write("clusters/config", {"clusters": g.config(name="a", **{"certificate-authority": "pki/ca.crt"})["clusters"]})
    g.variables["KUBECONFIG"] = "clusters/config:users/config"


@same
def certificate_data_and_token(g: Ground) -> None:
    g.use(
        g.config(
            {
                "client-certificate-data": data(g.tls.client_certificate),
                "client-key-data": data(g.tls.client_key),
                "token": "both",
            },
            **{"certificate-authority": None, "certificate-authority-data": data(g.tls.ca)},
        )
    )


@same
def certificate_data_with_key_file(g: Ground) -> None:
    g.use(
        g.config(
            {"client-certificate-data": data(g.tls.client_certificate), "client-key": str(g.tls.client_key)},
        )
    )


@same
def data_in_several_lines(g: Ground) -> None:
    written = data(g.tls.ca)
    lines = f"{written[:40]}\r\n{written[40:]}\n"
    g.use(g.config(**{"certificate-authority": None, "certificate-authority-data": lines}))


@same
def empty_certificate_data_beside_files(g: Ground) -> None:
    files = {"client-certificate": str(g.tls.client_certificate), "client-key": str(g.tls.client_key)}
    g.use(g.config({"client-certificate-data": "", **files}))


@same
def token_file_is_trimmed_and_wins(g: Ground) -> None:
    g.use(g.config({"token": "inline", "tokenFile": str(g.write("token", "from-file\n"))}))


@same
def relative_token_file(g: Ground) -> None:
    g.write("token", " from-file \n")
    g.use(g.config({"tokenFile": "token"}))


@same
def basic_auth(g: Ground) -> None:
    g.use(g.config({"username": "jane", "password": "pä:ss"}))


@same
def impersonation(g: Ground) -> None:
    extra = {"Some/Key%x": ["a", "b"], "plain": ["c"]}
    g.use(g.config({"token": "t", "as": "bob", "as-groups": ["g1", "g2"], "as-uid": "7", "as-user-extra": extra}))


@same
def no_token_over_plain_http(g: Ground) -> None:
    g.use(g.config(server=g.plain.url, **{"certificate-authority": None}))


@same
def impersonation_over_plain_http(g: Ground) -> None:
    g.use(g.config({"token": "t", "as": "bob"}, server=g.plain.url, **{"certificate-authority": None}))


@same
def no_plugin_over_plain_http(g: Ground) -> None:
    g.use(g.config(g.plugin("exit 3"), server=g.plain.url, **{"certificate-authority": None}))


@same
def what_proves_nothing_over_plain_http(g: Ground) -> None:
    user = g.plugin("exit 3", version="client.authentication.k8s.io/v1alpha1", mode=None)
    user |= {"tokenFile": "/nowhere/token", "as": "bob"}
    g.use(g.config(user, server=g.plain.url, **{"insecure-skip-tls-verify": True}))


@same
def auth_provider_over_plain_http(g: Ground) -> None:
    g.use(g.config({"auth-provider": {"name": "gcp"}}, server=g.plain.url))


@same
def unknown_user_over_plain_http(g: Ground) -> None:
    g.use(g.config(server=g.plain.url) | {"users": []})


@same
def server_without_scheme(g: Ground) -> None:
    g.use(g.config(server=g.plain.url.removeprefix("http://"), **{"certificate-authority": None}))


@same
def server_without_scheme_with_authority(g: Ground) -> None:
    g.use(g.config(server=g.plain.url.removeprefix("http://")))


@same
def server_with_a_slash(g: Ground) -> None:
    g.use(g.config(server=g.one.url + "/"))


@same
def insecure(g: Ground) -> None:
    g.use(g.config(**{"certificate-authority": None, "insecure-skip-tls-verify": True}))


@same
def words_around_the_authority(g: Ground) -> None:
    other = g.home / "other"
    other.mkdir()
    blocks = [g.tls.ca.read_bytes().replace(b"\n", b"\r\n\r\n"), make_tls(other).ca.read_bytes()]
    path = g.home / "bundle.crt"
    path.write_bytes("Überschrift\n".encode().join([b"", *blocks]) + "größer\n".encode("latin-1"))
    g.use(g.config(**{"certificate-authority": str(path)}))


@same
def authority_not_pem_over_plain_http(g: Ground) -> None:
    g.use(g.config(server=g.plain.url, **{"certificate-authority": str(g.write("ca.crt", "nothing"))}))


@same
def tls_server_name(g: Ground) -> None:
    g.use(g.config(**{"tls-server-name": "api.example.test"}))


@same
def plugin_token(g: Ground) -> None:
    g.use(g.config(g.plugin(g.credential(token="from-plugin"))))


@same
def plugin_v1beta1(g: Ground) -> None:
    beta = "client.authentication.k8s.io/v1beta1"
    g.use(g.config(g.plugin(g.credential(beta, token="from-plugin"), mode=None, version=beta)))


@same
def plugin_token_and_certificate(g: Ground) -> None:
    pair = {
        "clientCertificateData": g.tls.client_certificate.read_text(),
        "clientKeyData": g.tls.client_key.read_text(),
    }
    g.use(g.config(g.plugin(g.credential(token="with-cert", **pair))))


@same
def plugin_relative_to_its_file(g: Ground) -> None:
    user = g.plugin(g.credential(token="from-plugin"))
    user["exec"]["command"] = "./plugin.sh"
    g.write("sub/config", g.config({"token": "never"}))
    g.use(g.config(user))


@same
def plugin_on_the_path(g: Ground) -> None:
    user = g.plugin(g.credential(token="from-path"))
    user["exec"]["command"] = "plugin.sh"
    g.variables["PATH"] = f"{g.home}:/usr/bin:/bin"
    g.use(g.config(user))


@same
def plugin_arguments_and_variables(g: Ground) -> None:
    script = """printf '{"apiVersion":"%s","kind":"ExecCredential","status":{"token":"%s-%s-%s"}}' """
    script += f'{V1} "$1" "$WORD" "$KEPT"'
    g.variables["KEPT"] = "kept"
    g.use(g.config(g.plugin(script, args=["arg", "more"], env=[{"name": "WORD", "value": "word"}])))


@same
def plugin_is_told_of_the_cluster(g: Ground) -> None:
    # what the plugin was told comes back as a token
    script = 'told=$(printf %s "$KUBERNETES_EXEC_INFO" | tr -d " \\n" | sha256sum | cut -c1-40)\n'
    script += f"""printf '{{"apiVersion":"{V1}","kind":"ExecCredential","status":{{"token":"%s"}}}}' """
    config = g.config(g.plugin(script + '"$told"', provideClusterInfo=True), **{"tls-server-name": "api.example.test"})
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x", "number": 3}}
    config["clusters"][0]["cluster"]["extensions"] = [extension]
    g.use(config)


@same
def plugin_that_prints_yaml(g: Ground) -> None:
    g.use(g.config(g.plugin(f"echo 'apiVersion: {V1}'; echo 'kind: ExecCredential'; echo 'status: {{token: yaml}}'")))


@same
def plugin_whose_token_has_expired(g: Ground) -> None:
    g.use(g.config(g.plugin(g.credential(token="old", expirationTimestamp="2020-01-01T00:00:00Z"))))


@same
def plugin_variable_with_an_equals_sign(g: Ground) -> None:
    script = f"""printf '{{"apiVersion":"{V1}","kind":"ExecCredential","status":{{"token":"%s"}}}}' "$A" """
    g.use(g.config(g.plugin(script, env=[{"name": "A=B", "value": "c"}])))


@same
def flag_certificate_keeps_the_plugin_from_running(g: Ground) -> None:
    # a certificate says who is asking: the plugin is not run
    g.use(g.config(g.plugin("exit 3", mode="Always")))
    g.flags |= {"client-certificate": str(g.tls.client_certificate), "client-key": str(g.tls.client_key)}


@same
def certificate_beside_a_plugin(g: Ground) -> None:
    files = {"client-certificate": str(g.tls.client_certificate), "client-key": str(g.tls.client_key)}
    g.use(g.config({**g.plugin(g.credential(token="never")), **files}))


@same
def token_beside_a_plugin(g: Ground) -> None:
    g.use(g.config({"token": "inline", **g.plugin("exit 3")}))


@same
def proxy_of_the_kubeconfig_whatever_no_proxy_says(g: Ground) -> None:
    g.variables["NO_PROXY"] = "*"
    g.use(g.config(server="http://10.1.2.3:6443", **{"certificate-authority": None, "proxy-url": g.proxy.url}))


@same
def proxy_tunnels_tls_with_a_password(g: Ground) -> None:
    proxy = f"http://me:p%40ss@{g.tunnel.url}"
    g.use(g.config(server="https://api.example.test:6443", **{"proxy-url": proxy}))


@same
def proxy_of_the_environment(g: Ground) -> None:
    g.variables["HTTP_PROXY"] = g.proxy.url
    g.use(g.config(server="http://10.1.2.3:6443", **{"certificate-authority": None}))


@same
def loopback_is_not_proxied(g: Ground) -> None:
    g.variables |= {"HTTPS_PROXY": g.proxy.url, "HTTP_PROXY": g.proxy.url}
    g.use(g.config())


@same
def token_file_missing_beside_a_token(g: Ground) -> None:
    g.use(g.config({"token": "inline", "tokenFile": "/nowhere/token"}))


@same
def key_missing_without_a_certificate(g: Ground) -> None:
    g.use(g.config({"token": "t", "client-key": "/nowhere/x.key"}))


@same
def dates_times_and_the_like_are_text(g: Ground) -> None:
    user = {"token": "DATE", "as": "CLOCK", "as-groups": ["TIME", "EQUALS", "MERGE"], "as-user-extra": {"KEY": ["v"]}}
    written = {"DATE": "2020-01-01", "CLOCK": "12:30:45", "TIME": "2001-12-14t21:59:43.10-05:00", "EQUALS": "="}
    text = yaml.safe_dump(g.config(user))
    for word, value in (written | {"MERGE": "<<", "KEY": "true"}).items():
        text = text.replace(word, value)
    g.use(text)


@same
def switches_of_yaml_1_1(g: Ground) -> None:
    text = yaml.safe_dump(g.config(**{"certificate-authority": None, "insecure-skip-tls-verify": "SWITCH"}))
    g.use(text.replace("SWITCH", "y"))


@same
def the_first_of_several_merges_wins(g: Ground) -> None:
    text = yaml.safe_dump(g.config({"token": "t"})).replace("token: t", "<<: [{token: a}, {token: b, as: b}, *more]")
    g.use("more: &more {<<: {as-uid: '7', as: c}, as-groups: [g]}\n" + text)


@same
def only_the_first_document_counts(g: Ground) -> None:
    g.use(yaml.safe_dump(g.config()) + "---\n" + yaml.safe_dump(g.config(server=g.two.url)))


@same
def unknown_tags_do_not_count(g: Ground) -> None:
    g.use(yaml.safe_dump(g.config({"token": "t"})).replace("token: t", "token: !mine t") + "extra: !theirs {a: [b]}\n")


@same
def json_with_a_mark_at_its_start(g: Ground) -> None:
    g.use("\ufeff" + json.dumps(g.config(), indent="\t").replace("\n", "\r\n"))


@same
def blanks_around_what_is_sent(g: Ground) -> None:
    g.use(g.config({"token": "t ", "as": " bob ", "as-groups": ["g "]}))


@same
def flag_server_and_token_without_kubeconfig(g: Ground) -> None:
    g.flags |= {"server": g.two.url, "token": "typed", "certificate-authority": "ca.crt"}
    g.write("ca.crt", g.tls.ca.read_text())


@same
def flag_server_takes_the_place_of_the_contexts(g: Ground) -> None:
    g.use(g.config(**{"tls-server-name": "other.example.test"}))
    g.flags["server"] = g.two.url


@same
def flag_server_without_current_context(g: Ground) -> None:
    g.use(g.config() | {"current-context": ""})
    g.flags |= {"server": g.one.url, "token": "typed", "insecure-skip-tls-verify": True}


@same
def flag_server_for_a_context_without_its_cluster(g: Ground) -> None:
    g.use(g.config() | {"clusters": []})
    g.flags |= {"server": g.one.url, "certificate-authority": str(g.tls.ca)}


@same
def flag_server_over_plain_http(g: Ground) -> None:
    g.use(g.config())
    g.flags |= {"server": g.plain.url, "token": "typed"}


@same
def flag_token_beside_a_token_file(g: Ground) -> None:
    g.use(g.config({"tokenFile": str(g.write("token", "from-file"))}))
    g.flags["token"] = "typed"


@same
def flag_token_leaves_the_certificate(g: Ground) -> None:
    files = {"client-certificate": str(g.tls.client_certificate), "client-key": str(g.tls.client_key)}
    g.use(g.config(files))
    g.flags["token"] = "typed"


@same
def flag_token_keeps_the_plugin_from_running(g: Ground) -> None:
    g.use(g.config(g.plugin("exit 3")))
    g.flags["token"] = "typed"


@same
def flag_token_for_an_unknown_user(g: Ground) -> None:
    g.use(g.config() | {"users": []})
    g.flags["token"] = "typed"


@same
def flag_user_and_cluster(g: Ground) -> None:
    g.use(g.config(name="a"), g.config(name="b", server=g.two.url))
    g.flags |= {"user": "b", "cluster": "b"}


@same
def flag_cluster_without_current_context(g: Ground) -> None:
    g.use(g.config(name="a") | {"current-context": ""})
    g.flags |= {"user": "a", "cluster": "a"}


@same
def flag_client_certificate(g: Ground) -> None:
    g.use(g.config({"token": "t"}))
    g.flags |= {"client-certificate": str(g.tls.client_certificate), "client-key": str(g.tls.client_key)}


@same
def flag_client_certificate_over_data(g: Ground) -> None:
    server = data(g.tls.directory / "server.crt"), data(g.tls.directory / "server.key")
    g.use(g.config({"client-certificate-data": server[0], "client-key-data": server[1]}))
    g.flags |= {"client-certificate": str(g.tls.client_certificate), "client-key": str(g.tls.client_key)}


@same
def flag_insecure_over_an_authority(g: Ground) -> None:
    other = g.home / "other"
    other.mkdir()
    g.use(g.config(**{"certificate-authority": str(make_tls(other).ca)}))
    g.flags["insecure-skip-tls-verify"] = True


@same
def flag_authority_over_insecure(g: Ground) -> None:
    g.use(g.config(**{"certificate-authority": None, "insecure-skip-tls-verify": True}))
    g.flags["certificate-authority"] = str(g.tls.ca)


@same
def flag_authority_over_data(g: Ground) -> None:
    g.use(g.config(**{"certificate-authority": None, "certificate-authority-data": data(g.tls.client_certificate)}))
    g.flags["certificate-authority"] = str(g.tls.ca)


@same
def flag_tls_server_name(g: Ground) -> None:
    g.use(g.config())
    g.flags["tls-server-name"] = "api.example.test"


@same
def flag_server_with_tls_server_name(g: Ground) -> None:
    g.use(g.config())
    g.flags |= {"server": g.two.url, "tls-server-name": "api.example.test"}


@same
def flag_proxy_url(g: Ground) -> None:
    g.use(g.config(server="http://10.1.2.3:6443", **{"certificate-authority": None}))
    g.flags["proxy-url"] = g.proxy.url


@same
def flag_as(g: Ground) -> None:
    g.use(g.config())
    g.flags |= {"as": "bob", "as-group": ["g1", "g,2"], "as-uid": "7", "as-user-extra": ["k=v", "k=w=x"]}


@same
def flag_as_over_the_kubeconfigs(g: Ground) -> None:
    extra = {"k": ["a"], "l": ["b"]}
    g.use(g.config({"token": "t", "as": "bob", "as-groups": ["g1", "g2"], "as-uid": "7", "as-user-extra": extra}))
    g.flags |= {"as": "eve"}


@same
def flag_as_group_over_the_kubeconfigs(g: Ground) -> None:
    g.use(g.config({"token": "t", "as": "bob", "as-groups": ["g1", "g2"], "as-uid": "7"}))
    g.flags |= {"as-group": ["g3"], "as-uid": "8"}


@same
def flag_as_user_extra_over_the_kubeconfigs(g: Ground) -> None:
    g.use(g.config({"token": "t", "as": "bob", "as-user-extra": {"k": ["a"], "l": ["b"]}}))
    g.flags |= {"as-user-extra": ["k=c"]}


@same
def flag_username_and_password(g: Ground) -> None:
    g.use(g.config({}))
    g.flags |= {"username": "jane", "password": "p"}


@same
def flags_that_change_nothing_here(g: Ground) -> None:
    g.use(g.config())
    g.flags |= {"cache-dir": str(g.home / "cache"), "disable-compression": True, "namespace": "shop"}


@same
def flag_switches_with_a_value(g: Ground) -> None:
    g.use(g.config(**{"certificate-authority": None}))
    g.flags |= {"insecure-skip-tls-verify": ["false", "T"], "disable-compression": "1"}


@same
def flag_switch_turned_off(g: Ground) -> None:
    g.use(g.config())
    g.flags |= {"insecure-skip-tls-verify": [True, "0"]}


@same
def flags_without_a_value(g: Ground) -> None:
    g.use(g.config(), g.config(name="b", server=g.two.url))
    names = ("context", "cluster", "user", "server", "token", "namespace", "as", "kubeconfig", "proxy-url")
    g.flags |= dict.fromkeys((*names, "tls-server-name", "certificate-authority", "request-timeout"), "")


@same
def flag_given_twice(g: Ground) -> None:
    g.use(g.config(), g.config(name="b", server=g.two.url))
    g.flags |= {"context": ["zzz", "config"], "server": ["https://127.0.0.1:9", g.two.url], "token": ["a", "b"]}


@same
def flag_username_for_an_unknown_user(g: Ground) -> None:
    g.use(g.config() | {"users": []})
    g.flags |= {"username": "jane", "password": "p"}


@same
def flag_as_beyond_ascii(g: Ground) -> None:
    g.use(g.config())
    g.flags |= {"as": "jürgen", "as-group": ["größe"], "as-user-extra": ["k=ä"]}


@same
def scheme_in_capitals(g: Ground) -> None:
    g.use(g.config(server=g.one.url.replace("https", "HTTPS")))


@same
def blanks_in_the_kubeconfig_variable(g: Ground) -> None:
    g.use(g.config(server=g.two.url))
    g.write("a b ", g.config())
    g.variables["KUBECONFIG"] = f" :a b ::{g.variables['KUBECONFIG']}:"


@same
def server_of_the_master_variable(g: Ground) -> None:
    g.variables["KUBERNETES_MASTER"] = g.one.url
    g.flags |= {"token": "typed", "certificate-authority": str(g.tls.ca)}


@same
def server_of_the_master_variable_for_a_cluster_without(g: Ground) -> None:
    g.variables["KUBERNETES_MASTER"] = g.one.url
    g.use(g.config(server=None))


@same
def server_of_the_master_variable_without_tls(g: Ground) -> None:
    g.variables["KUBERNETES_MASTER"] = g.plain.url.removeprefix("http://")


@same
def kubeconfig_before_the_master_variable(g: Ground) -> None:
    g.variables["KUBERNETES_MASTER"] = g.two.url
    g.use(g.config())


@refused
def flag_file_empty(g: Ground) -> None:
    g.use(g.config())
    g.flags["kubeconfig"] = str(g.write("empty", ""))


@refused
def kubeconfig_variable_names_missing_files_only(g: Ground) -> None:
    g.write(".kube/config", g.config())
    g.variables["KUBECONFIG"] = "/nowhere/a:/nowhere/b"


@refused
def flag_insecure_with_flag_authority(g: Ground) -> None:
    g.use(g.config())
    g.flags |= {"insecure-skip-tls-verify": True, "certificate-authority": str(g.tls.ca)}


@refused
def flag_as_group_without_as(g: Ground) -> None:
    g.use(g.config())
    g.flags["as-group"] = ["g1"]


@refused
def flag_unknown_cluster(g: Ground) -> None:
    g.use(g.config())
    g.flags |= {"cluster": "zzz", "server": g.one.url}


@refused
def flag_unknown_user(g: Ground) -> None:
    g.use(g.config())
    g.flags |= {"user": "zzz", "token": "typed"}


@refused
def flag_token_beside_basic_auth(g: Ground) -> None:
    g.use(g.config({"username": "jane", "password": "p"}))
    g.flags["token"] = "typed"


@refused
def flag_client_certificate_without_key(g: Ground) -> None:
    g.use(g.config())
    g.flags["client-certificate"] = str(g.tls.client_certificate)


@refused
def flag_server_of_an_unknown_authority(g: Ground) -> None:
    g.flags |= {"server": g.one.url, "token": "typed"}


@refused
def flag_as_without_any_cluster(g: Ground) -> None:
    g.flags["as"] = "bob"


@refused
def unknown_current_context_with_flag_server(g: Ground) -> None:
    g.use(g.config() | {"current-context": "zzz"})
    g.flags |= {"server": g.one.url, "token": "typed"}


@refused
def plugin_fails(g: Ground) -> None:
    g.use(g.config(g.plugin(g.credential(token="half") + "; echo no login >&2; exit 3")))


@refused
def plugin_missing(g: Ground) -> None:
    user = g.plugin("")
    user["exec"] |= {"command": "no-such-plugin", "installHint": "get it at\nexample.test \x1b[31m"}
    g.use(g.config(user))


@refused
def plugin_prints_no_json(g: Ground) -> None:
    g.use(g.config(g.plugin("echo login first")))


@refused
def plugin_prints_json_and_more(g: Ground) -> None:
    g.use(g.config(g.plugin(g.credential(token="x") + "; echo '{}'")))


@refused
def plugin_whose_token_expires_never(g: Ground) -> None:
    g.use(g.config(g.plugin(g.credential(token="x", expirationTimestamp="never"))))


@refused
def plugin_in_the_working_directory(g: Ground) -> None:
    user = g.plugin(g.credential(token="x"))
    user["exec"]["command"] = "plugin.sh"
    g.variables["PATH"] = ".:/usr/bin:/bin"
    g.use(g.config(user))


@refused
def plugin_without_status(g: Ground) -> None:
    g.use(g.config(g.plugin(f"""echo '{{"apiVersion":"{V1}","kind":"ExecCredential"}}'""")))


@refused
def plugin_with_an_empty_status(g: Ground) -> None:
    g.use(g.config(g.plugin(g.credential())))


@refused
def plugin_answers_in_another_version(g: Ground) -> None:
    g.use(g.config(g.plugin(g.credential("client.authentication.k8s.io/v1beta1", token="x"))))


@refused
def plugin_with_certificate_without_key(g: Ground) -> None:
    g.use(g.config(g.plugin(g.credential(clientCertificateData=g.tls.client_certificate.read_text()))))


@refused
def plugin_v1alpha1(g: Ground) -> None:
    g.use(g.config(g.plugin(g.credential(token="x"), version="client.authentication.k8s.io/v1alpha1")))


@refused
def plugin_without_interactive_mode(g: Ground) -> None:
    g.use(g.config(g.plugin(g.credential(token="x"), mode=None)))


@refused
def plugin_wants_a_terminal(g: Ground) -> None:
    g.use(g.config(g.plugin(g.credential(token="x"), mode="Always")))


@refused
def plugin_and_auth_provider(g: Ground) -> None:
    g.use(g.config({**g.plugin(g.credential(token="x")), "auth-provider": {"name": "oidc"}}))


@refused
def auth_provider(g: Ground) -> None:
    g.use(g.config({"auth-provider": {"name": "gcp", "config": {"access-token": "old"}}}))


@refused
def plugin_and_auth_provider_over_plain_http(g: Ground) -> None:
    g.use(g.config({**g.plugin("exit 3"), "auth-provider": {"name": "oidc"}}, server=g.plain.url))


@refused
def plugin_without_interactive_mode_over_plain_http(g: Ground) -> None:
    g.use(g.config(g.plugin("exit 3", mode=None), server=g.plain.url))


@refused
def token_and_password(g: Ground) -> None:
    g.use(g.config({"token": "t", "username": "u", "password": "p"}))


@refused
def token_file_and_password(g: Ground) -> None:
    g.use(g.config({"tokenFile": str(g.write("token", "t")), "username": "u", "password": "p"}))


@refused
def certificate_without_key(g: Ground) -> None:
    g.use(g.config({"client-certificate": str(g.tls.client_certificate)}))


@refused
def certificate_file_and_data(g: Ground) -> None:
    files = {"client-certificate": str(g.tls.client_certificate), "client-key": str(g.tls.client_key)}
    g.use(g.config({**files, "client-certificate-data": data(g.tls.client_certificate)}))


@refused
def certificate_with_another_key(g: Ground) -> None:
    files = {"client-certificate": str(g.tls.client_certificate)}
    g.use(g.config({**files, "client-key": str(g.tls.directory / "server.key")}))


@refused
def certificate_file_missing(g: Ground) -> None:
    g.use(g.config({"client-certificate": "/nowhere/x.crt", "client-key": "/nowhere/x.key"}))


@refused
def groups_without_a_user(g: Ground) -> None:
    g.use(g.config({"token": "t", "as-groups": ["admins"]}))


@refused
def insecure_with_authority(g: Ground) -> None:
    g.use(g.config(**{"insecure-skip-tls-verify": True}))


@refused
def authority_missing(g: Ground) -> None:
    g.use(g.config(**{"certificate-authority": "/nowhere/ca.crt"}))


@refused
def authority_not_pem(g: Ground) -> None:
    g.use(g.config(**{"certificate-authority": str(g.write("ca.crt", "nothing"))}))


@refused
def authority_empty_where_the_system_trusts_the_server(g: Ground) -> None:
    g.variables["SSL_CERT_FILE"] = str(g.tls.ca)
    g.use(g.config(**{"certificate-authority": str(g.write("ca.crt", "\n"))}))


@refused
def authority_in_der(g: Ground) -> None:
    path = g.home / "ca.der"
    path.write_bytes(base64.b64decode("".join(g.tls.ca.read_text().splitlines()[1:-1])))
    g.use(g.config(**{"certificate-authority": str(path)}))


@refused
def unknown_authority(g: Ground) -> None:
    other = g.home / "other"
    other.mkdir()
    g.use(g.config(**{"certificate-authority": str(make_tls(other).ca)}))


@refused
def wrong_tls_server_name(g: Ground) -> None:
    g.use(g.config(**{"tls-server-name": "other.example.test"}))


@refused
def unknown_context(g: Ground) -> None:
    g.use(g.config())
    g.flags["context"] = "zzz"


@refused
def unknown_cluster(g: Ground) -> None:
    g.use(g.config() | {"clusters": []})


@refused
def unknown_user(g: Ground) -> None:
    g.use(g.config() | {"users": []})


@refused
def no_credentials_at_all(g: Ground) -> None:
    g.use(g.config({}))


@refused
def no_current_context(g: Ground) -> None:
    g.use(g.config() | {"current-context": ""})


@refused
def no_kubeconfig(g: Ground) -> None:
    g.variables.pop("KUBECONFIG", None)


@refused
def flag_file_missing(g: Ground) -> None:
    g.use(g.config())
    g.flags["kubeconfig"] = str(g.home / "absent")


@refused
def cluster_without_server(g: Ground) -> None:
    g.use(g.config(server=None))


@refused
def duplicate_names(g: Ground) -> None:
    config = g.config()
    g.use(config | {"users": config["users"] * 2})


@refused
def broken_yaml(g: Ground) -> None:
    g.use("apiVersion: v1\nclusters: [\n")


@refused
def a_list(g: Ground) -> None:
    g.use("- a\n- b\n")


@refused
def a_directory(g: Ground) -> None:
    g.use(g.config())
    g.variables["KUBECONFIG"] = f"{g.home}:{g.variables['KUBECONFIG']}"


@refused
def broken_second_file(g: Ground) -> None:
    g.use(g.config(), "{")


@refused
def password_without_a_name(g: Ground) -> None:
    g.use(g.config({"password": "p"}))


@refused
def auth_provider_without_a_name(g: Ground) -> None:
    g.use(g.config({"token": "t", "auth-provider": {}}))


@refused
def extra_field_without_a_key(g: Ground) -> None:
    g.use(g.config({"token": "t", "as": "b", "as-user-extra": {None: ["x"]}}))


@refused
def proxy_with_a_blank(g: Ground) -> None:
    g.use(g.config(**{"proxy-url": f" {g.proxy.url}"}))


@refused
def token_is_a_switch(g: Ground) -> None:
    g.use(yaml.safe_dump(g.config({"token": "t"})).replace("token: t", "token: y"))


@refused
def namespace_is_a_number(g: Ground) -> None:
    config = g.config()
    config["contexts"][0]["context"]["namespace"] = "NUMBER"
    g.use(yaml.safe_dump(config).replace("NUMBER", "1e3"))


@refused
def merge_of_a_text(g: Ground) -> None:
    g.use(yaml.safe_dump(g.config({"token": "t"})).replace("token: t", "<<: token"))


@refused
def token_is_a_number(g: Ground) -> None:
    g.use(g.config({"token": 12345}))


@refused
def data_with_blanks_in_it(g: Ground) -> None:
    written = data(g.tls.ca)
    g.use(g.config(**{"certificate-authority": None, "certificate-authority-data": f"{written[:40]} {written[40:]}"}))


@refused
def preferences_are_a_text(g: Ground) -> None:
    g.use(g.config() | {"preferences": "x"})


@refused
def extensions_of_a_user_are_a_text(g: Ground) -> None:
    g.use(g.config({"token": "t", "extensions": "x"}))


@refused
def data_not_base64(g: Ground) -> None:
    g.use(g.config(**{"certificate-authority": None, "certificate-authority-data": "%%%"}))


@pytest.mark.parametrize("case", SAME)
def test_same_server_same_identity(case: str, ground: Ground) -> None:
    SAME[case](ground)
    worked, expected, words = ground.kubectl()
    assert worked, words
    assert len([request for request in expected if request[0] != "tunnel"]) == 1
    assert ground.berth() == (True, expected, "")
    # what completion reads names over
    assert ground.berth("--light") == (True, expected, "")


@pytest.mark.parametrize("case", REFUSED)
def test_both_refuse_and_send_nothing(case: str, ground: Ground) -> None:
    REFUSED[case](ground)
    worked, expected, _ = ground.kubectl()
    assert not worked
    assert expected == []
    for connection in ((), ("--light",)):
        worked, seen, words = ground.berth(*connection)
        assert not worked
        assert seen == []
        assert words
