"""The archive where the machine is not as usual: no home, nothing to write, other libraries, other authorities."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.kube_recorder import Reply, closed_port, make_tls, recording
from tests.krew.archive import bare, kubectl

ASK = ("ask", "why does the rollout of checkout hang?", "--scenario", "failing-rollout", "--engine", "rules")


def may_mount() -> bool:
    try:
        probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
        return subprocess.run(probe, capture_output=True, timeout=10, check=False).returncode == 0
    except OSError:
        return False


pytestmark = [
    pytest.mark.archive,
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform == "win32", reason="krew makes no links there"),
]
mounts = pytest.mark.skipif(not may_mount(), reason="no mount namespace may be made here")


def within(*mounted: str) -> list[str]:
    """The start of a command that runs in a mount namespace of its own, after these shell commands."""
    return ["unshare", "-rm", "sh", "-c", " && ".join([*mounted, 'exec "$@"']), "sh"]


@mounts
def test_a_temporary_directory_from_which_nothing_may_run(installed: Path, tmp_path: Path) -> None:
    place = tmp_path / "noexec"
    place.mkdir()
    before = within(f"mount -t tmpfs -o noexec none {place}")
    done = kubectl(installed, tmp_path, "berth", *ASK, before=before, TMPDIR=str(place))
    assert done.returncode == 0 and "v2.4.1-rc" in done.stdout


@mounts
def test_a_home_that_cannot_be_written(installed: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    done = kubectl(installed, home, "berth", *ASK, before=within(f"mount -t tmpfs -o ro none {home}"))
    assert done.returncode == 0 and "v2.4.1-rc" in done.stdout
    assert "Traceback" not in done.stderr
    assert list(home.iterdir()) == []


@mounts
def test_no_home_at_all(installed: Path, tmp_path: Path) -> None:
    # the account's own is covered, so that no run of a test is kept there
    before = within(f"mount -t tmpfs none {pwd.getpwuid(os.getuid()).pw_dir}")
    environment = bare(installed, tmp_path)
    del environment["HOME"]
    done = subprocess.run(
        [*before, str(installed / "kubectl-berth"), *ASK],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0 and "v2.4.1-rc" in done.stdout and "Traceback" not in done.stderr


PLUGIN = """\
#!/bin/sh
env > "$TOLD_TO"
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "t"}}'
"""


@pytest.mark.parametrize("own", [{}, {"LD_LIBRARY_PATH": "/opt/own/lib"}], ids=["none", "own"])
def test_a_credential_plugin_gets_the_libraries_of_its_own_system(
    own: dict[str, str], installed: Path, tmp_path: Path
) -> None:
    plugin = tmp_path / "plugin"
    plugin.write_text(PLUGIN)
    plugin.chmod(0o755)
    config = kubeconfig(
        tmp_path,
        f"https://127.0.0.1:{closed_port()}",
        user={
            "exec": {
                "apiVersion": "client.authentication.k8s.io/v1",
                "command": str(plugin),
                "interactiveMode": "Never",
            }
        },
    )
    told = tmp_path / "told"
    done = kubectl(installed, tmp_path, "berth", "check", KUBECONFIG=str(config), TOLD_TO=str(told), **own)
    assert done.returncode == 3
    variables = dict(line.split("=", 1) for line in told.read_text().splitlines() if "=" in line)
    assert variables.get("LD_LIBRARY_PATH") == own.get("LD_LIBRARY_PATH")
    assert [name for name in variables if name.startswith(("_PYI", "_MEI", "LD_LIBRARY_PATH_"))] == []


def kubeconfig(folder: Path, server: str, user: dict[str, object]) -> Path:
    path = folder / "kubeconfig"
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "there",
        "contexts": [{"name": "there", "context": {"cluster": "there", "user": "me"}}],
        "clusters": [{"name": "there", "cluster": {"server": server}}],
        "users": [{"name": "me", "user": user}],
    }
    path.write_text(json.dumps(content))
    return path


@mounts
@pytest.mark.skipif(sys.platform != "linux", reason="the paths are Linux's")
def test_authorities_are_found_where_the_system_keeps_them(installed: Path, tmp_path: Path) -> None:
    tls = make_tls(tmp_path)
    etc = tmp_path / "etc"
    (etc / "pki" / "tls" / "certs").mkdir(parents=True)
    (etc / "pki" / "tls" / "certs" / "ca-bundle.crt").write_bytes(tls.ca.read_bytes())
    with recording(tls) as server:
        server.replies["/api"] = Reply({"kind": "APIVersions", "versions": ["v1"]})
        config = kubeconfig(tmp_path, server.url, user={"token": "t"})
        # another distribution's /etc: what OpenSSL was built to look for is not there
        before = within(f"mount --bind {etc} /etc")
        trusted = kubectl(installed, tmp_path, "berth", "check", before=before, KUBECONFIG=str(config))
        asked = len(server.requests)
        other = kubectl(installed, tmp_path, "berth", "check", KUBECONFIG=str(config))
    assert asked and "certificate" not in trusted.stderr, trusted.stderr
    assert other.returncode == 3 and "certificate is not trusted" in other.stderr
