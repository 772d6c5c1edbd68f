"""kubectl berth doctor in a pod: the service account's files lie where a pod has them, in a mount of the test's own."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from kubectl_berth.cluster.in_cluster import SERVICE_ACCOUNT
from tests.fakes.kube_recorder import Reply, make_tls, recording
from tests.process import COMMAND, surroundings

# the nearest directory that is there is covered, in a namespace that nobody else sees
MOUNT = """
set -e
mount -t tmpfs none /var/run
mkdir -p "$ACCOUNT"
cp "$FILES/ca.crt" "$ACCOUNT/ca.crt"
printf token-of-the-pod > "$ACCOUNT/token"
printf tools > "$ACCOUNT/namespace"
exec "$@"
"""
OWN = ["unshare", "--user", "--map-root-user", "--mount", "--"]


def test_the_service_account_is_taken(tmp_path: Path) -> None:
    if shutil.which("unshare") is None or subprocess.run([*OWN, "true"], check=False).returncode:
        pytest.skip("no mount of one's own can be made here")
    with recording(make_tls(tmp_path)) as recorder:
        recorder.replies["/api"] = Reply({"kind": "APIVersions", "versions": ["v1"]})
        recorder.replies["/apis"] = Reply({"kind": "APIGroupList", "groups": []})
        recorder.replies["/api/v1"] = Reply({"kind": "APIResourceList", "resources": []})
        env = surroundings(
            tmp_path,
            KUBERNETES_SERVICE_HOST="127.0.0.1",
            KUBERNETES_SERVICE_PORT=recorder.url.rpartition(":")[2],
            ACCOUNT=str(SERVICE_ACCOUNT),
            FILES=str(tmp_path),
        )
        words = [*OWN, "sh", "-c", MOUNT, "sh", *COMMAND, "doctor", "-o", "json"]
        ended = subprocess.run(words, env=env, capture_output=True, text=True, timeout=60, check=False)
    found = {point["name"]: point for point in json.loads(ended.stdout)["points"]}
    assert found["kubeconfig"]["details"]["namespace"] == "tools"
    assert found["cluster"]["state"] == "ok"
    assert recorder.requests[0].values("authorization") == ["Bearer token-of-the-pod"]
    assert "token-of-the-pod" not in ended.stdout + ended.stderr
