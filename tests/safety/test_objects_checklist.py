"""Objects as they are described: the checklist of structured redaction, by number.

Each case goes the whole way: pruned, written out as YAML, through the gate.
"""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import pytest
import yaml

from kubectl_berth.safety.gate import pass_through, truncate
from kubectl_berth.safety.objects import prune

FAKE = "hunter2" + "fake"
PLAIN = "sunflower"  # looks like any word
BLOB = base64.b64encode(b"MIIB" + b"fakecert" * 40).decode()


def told(obj: dict[str, Any], limit: int = 64 * 1024) -> str:
    return pass_through(yaml.safe_dump(prune(obj), width=10_000), limit)


def container(**fields: Any) -> dict[str, Any]:
    return {"spec": {"template": {"spec": {"containers": [{"name": "app", **fields}]}}}}


APPLIED = json.dumps({"apiVersion": "v1", "kind": "Pod", "spec": {"x": PLAIN}})
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db"}, "data": {"conf": PLAIN}}
KUBECONFIG = f"apiVersion: v1\nkind: Config\nusers:\n- name: x\n  user:\n    token: {PLAIN}\n    password: {FAKE}\n"

GONE: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "D01": ({"metadata": {"name": "web", "managedFields": [{"manager": PLAIN}]}}, [PLAIN, "managedFields"], ["web"]),
    **{
        f"D02-{number}": ({"metadata": {"annotations": {name: APPLIED, "team": "payments"}}}, [PLAIN], ["payments"])
        for number, name in enumerate(
            [
                "kubectl.kubernetes.io/last-applied-configuration",
                "objectset.rio.cattle.io/applied",
                "banzaicloud.com/last-applied",
                "openshift.io/token-secret.value",
                "example.io/last-applied-thing",
                "example.io/any",
            ]
        )
    },
    "D02-plain": ({"metadata": {"annotations": {"openshift.io/token-secret.value": PLAIN}}}, [PLAIN], []),
    **{
        f"D03-{field}": (
            {"spec": {field: [{"name": "app", "env": [{"name": "DB_PASSWORD", "value": PLAIN}]}]}},
            [PLAIN],
            ["DB_PASSWORD", "[REDACTED:env]"],
        )
        for field in ("containers", "initContainers", "ephemeralContainers")
    },
    "D03-any-name": (container(env=[{"name": "GREETING", "value": PLAIN}]), [PLAIN], ["GREETING"]),
    "D03-custom": (
        {"spec": {"podTemplate": {"spec": {"containers": [{"env": [{"name": "A", "value": PLAIN}]}]}}}},
        [PLAIN],
        [],
    ),
    "D03-mapping": ({"spec": {"values": {"env": {"GREETING": PLAIN}}}}, [PLAIN], ["GREETING"]),
    "D05-two": (container(args=["--db-password", PLAIN, "--port", "80"]), [PLAIN], ["80"]),
    "D05-one": (container(args=[f"--db-password={PLAIN}", "--port=80"]), [PLAIN], ["--port=80"]),
    "D05-shell": (container(command=["sh", "-c", f"PGPASSWORD={PLAIN} psql -h db"]), [PLAIN], ["psql -h db"]),
    "D05-mysql": (container(command=["mysql"], args=["-u", "root", "-p", PLAIN]), [PLAIN], ["mysql", "root"]),
    "D05-redis": (container(command=["redis-cli", "-a", PLAIN, "ping"]), [PLAIN], ["ping"]),
    "D06-header": (
        container(livenessProbe={"httpGet": {"httpHeaders": [{"name": "X-Probe", "value": PLAIN}]}}),
        [PLAIN],
        ["X-Probe"],
    ),
    "D06-path": (container(livenessProbe={"httpGet": {"path": "/h?token=fake0123456789"}}), ["fake0123456789"], ["/h"]),
    "D06-exec": (
        container(livenessProbe={"exec": {"command": ["redis-cli", "-a", PLAIN, "ping"]}}),
        [PLAIN],
        ["redis-cli"],
    ),
    "D06-hook": (
        container(lifecycle={"preStop": {"exec": {"command": ["sh", "-c", f"curl -u bob:{PLAIN} http://x"]}}}),
        [PLAIN],
        ["http://x"],
    ),
    "D07": (container(image=f"user:{FAKE}@registry.example/x:1"), [FAKE], ["registry.example/x:1"]),
    "D08-csi": ({"spec": {"csi": {"volumeAttributes": {"clientSecret": PLAIN, "share": "a"}}}}, [PLAIN], ["share: a"]),
    "D08-flex": ({"spec": {"flexVolume": {"options": {"password": PLAIN, "dev": "b"}}}}, [PLAIN], ["dev: b"]),
    "D08-class": ({"parameters": {"adminSecretAccessKey": PLAIN, "fstype": "ext4"}}, [PLAIN], ["ext4"]),
    "D10": (
        {"status": {"containerStatuses": [{"state": {"terminated": {"message": f"login password={FAKE} failed"}}}]}},
        [FAKE],
        ["failed"],
    ),
    "D11": (
        {
            "message": f'Post "http://10.0.0.1:8080/api/v0/ops/auth/role?can_login=true&is_superuser=true&password={PLAIN}'
            '&username=reaper": dial tcp'
        },
        [PLAIN],
        ["can_login=true", "username=reaper", "dial tcp"],
    ),
    "D12": ({"webhooks": [{"clientConfig": {"caBundle": BLOB}}]}, [BLOB[:40]], ["caBundle", "sha256", str(len(BLOB))]),
    "D13-request": (
        {"spec": {"request": BLOB}, "status": {"certificate": BLOB}},
        [BLOB[:40]],
        ["request", "certificate"],
    ),
    "D13-pem": (
        {"spec": {"tls": f"-----BEGIN CERTIFICATE-----\n{BLOB}\n-----END CERTIFICATE-----"}},
        [BLOB[:40]],
        ["<certificate"],
    ),
    "D14": (
        {"kind": "SealedSecret", "spec": {"encryptedData": {"password": BLOB}}, "x": "ENC[AES256_GCM,data:" + BLOB},
        [BLOB[:40]],
        ["password", "characters"],
    ),
    "D15-template": (
        {"kind": "ExternalSecret", "spec": {"target": {"template": {"data": {"config": PLAIN}}}}},
        [PLAIN],
        ["config"],
    ),
    "D15-fake": (
        {"kind": "SecretStore", "spec": {"provider": {"fake": {"data": [{"key": "/foo", "value": PLAIN}]}}}},
        [PLAIN],
        ["/foo"],
    ),
    "D16-parameters": (
        {"spec": {"source": {"helm": {"parameters": [{"name": "db.password", "value": PLAIN}]}}}},
        [PLAIN],
        ["db.password"],
    ),
    "D16-text": (
        {"spec": {"source": {"helm": {"values": f"auth:\n  rootPassword: {PLAIN}\n  database: shop\n"}}}},
        [PLAIN],
        ["database: shop"],
    ),
    "D16-object": ({"spec": {"values": {"auth": {"rootPassword": PLAIN, "user": "bob"}}}}, [PLAIN], ["bob"]),
    "D17-cloud-init": (
        {"spec": {"volumes": [{"cloudInitNoCloud": {"userData": PLAIN}}]}},
        [PLAIN],
        ["cloudInitNoCloud"],
    ),
    "D17-files": (
        {"spec": {"files": [{"path": "/x", "content": PLAIN}], "users": [{"name": "bob", "passwd": PLAIN}]}},
        [PLAIN],
        ["/x", "bob"],
    ),
    "D17-join": (
        {"spec": {"joinConfiguration": {"discovery": {"bootstrapToken": {"token": "abcdef." + "0123456789abcdef"}}}}},
        ["0123456789abcdef"],
        ["bootstrapToken"],
    ),
    "D18-trigger": ({"spec": {"triggers": [{"type": "GitHub", "github": {"secret": PLAIN}}]}}, [PLAIN], ["GitHub"]),
    "D18-token": ({"kind": "Thing", "status": {"token": PLAIN}}, [PLAIN], []),
    "D19-keda": (
        {"spec": {"triggers": [{"metadata": {"host": f"amqp://u:{PLAIN}@mq:5672"}}]}},
        [PLAIN],
        ["@mq:5672"],
    ),
    "D19-grafana": ({"spec": {"datasource": {"secureJsonData": {"x": PLAIN}}}}, [PLAIN], ["secureJsonData"]),
    "D19-snippet": (
        {
            "metadata": {
                "annotations": {
                    "nginx.ingress.kubernetes.io/configuration-snippet": f'proxy_set_header X-Api-Key "{FAKE}";'
                }
            }
        },
        [FAKE],
        ["proxy_set_header"],
    ),
    "D20-text": ({"spec": {"config": KUBECONFIG}}, [PLAIN, FAKE], ["kind: Config"]),
    "D20-base64": (
        {"spec": {"config": base64.b64encode(KUBECONFIG.encode()).decode()}},
        [base64.b64encode(KUBECONFIG.encode()).decode()[:40]],
        [],
    ),
    "B20-nested": (
        {"spec": {"objects": [{"apiVersion": "v1", "kind": "Secret", "stringData": {"a": PLAIN}}]}},
        [PLAIN],
        [],
    ),
    "B20-text": ({"spec": {"manifest": yaml.safe_dump(SECRET)}}, [PLAIN], ["conf"]),
    "B20-json": ({"spec": {"manifest": json.dumps(SECRET)}}, [PLAIN], ["conf"]),
    "B21": (
        {"kind": "ControllerRevision", "data": container(env=[{"name": "A", "value": PLAIN}])},
        [PLAIN],
        ["name: A"],
    ),
}


@pytest.mark.parametrize("case", GONE)
def test_what_goes_and_what_stays(case: str) -> None:
    obj, gone, kept = GONE[case]
    text = told(obj)
    assert not [part for part in gone if part in text], text
    assert not [part for part in kept if part not in text], text


STAYS: dict[str, dict[str, Any]] = {
    "D04": container(env=[{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]),
    "D06-host": container(livenessProbe={"httpGet": {"httpHeaders": [{"name": "Host", "value": "shop.example"}]}}),
    "D07": {"spec": {"imagePullSecrets": [{"name": "regcred-2"}], "image": "r.example/x@sha256:" + "9f86d081" * 8}},
    "D08": {"spec": {"csi": {"nodePublishSecretRef": {"name": "s3-creds-2"}, "driver": "s3.csi"}}},
    "D09": {"spec": {"sources": [{"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}}]}},
    "D13": {"kind": "ServiceAccount", "secrets": [{"name": "default-token-9x2lk"}]},
    "D15": {
        "kind": "ExternalSecret",
        "spec": {
            "secretStoreRef": {"name": "vault", "kind": "SecretStore"},
            "target": {"name": "shop-db"},
            "data": [{"secretKey": "password", "remoteRef": {"key": "shop/db", "property": "password"}}],
        },
    },
    "D15-vault": {"kind": "VaultStaticSecret", "spec": {"path": "shop/db", "destination": {"name": "shop-db-2"}}},
    "D16": {"spec": {"helm": {"parameters": [{"name": "image.tag", "value": "1.2.3"}]}}},
    "D19": {"spec": {"jwks": '{"keys":[{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx"}]}'}},
    "D24": {
        "kind": "Pod",
        "metadata": {
            "name": "password-reset-7d4b9c6f5d-x2x9z",
            "namespace": "secrets",
            "labels": {"token": "blue", "app": "token-service"},
        },
    },
    "B15": {
        "spec": {
            "imagePullSecrets": [{"name": "regcred"}],
            "volumes": [{"name": "tls", "secret": {"secretName": "web-tls-2026"}}],
            "containers": [{"envFrom": [{"secretRef": {"name": "shop-db-v2"}}]}],
        }
    },
}


@pytest.mark.parametrize("case", STAYS)
def test_references_and_names_stay(case: str) -> None:
    assert prune(STAYS[case]) == STAYS[case]
    if case == "D24":  # as it is told, not as YAML
        assert pass_through("labels: app=token-service,token=blue\nnamespace secrets").count("REDACTED") == 0
        return
    body = "\n".join(told(STAYS[case]).splitlines()[1:-1])
    assert yaml.safe_load(body) == STAYS[case]


def test_d18_kinds_that_hold_tokens_are_refused() -> None:
    from kubectl_berth.safety.refuse import refused_kind

    for names in (
        ("OAuthAccessToken", "oauthaccesstokens"),
        ("Token", "tokens"),
        ("ClusterRegistrationToken", "clusterregistrationtokens"),
        ("Kubeconfig", "kubeconfigs"),
    ):
        assert refused_kind(names)
    assert not refused_kind(("TokenReview", "tokenreviews")) and not refused_kind(("Pod", "pods", "po"))


def test_d25_a_secret_that_straddles_the_cut_is_gone_before_it() -> None:
    token = "gh" + "p_" + "Ab3dEfGh1jKlMn0pQrSt" * 2
    for before in range(0, 120, 3):
        text = pass_through("x" * before + f" {token} " + "tail " * 100, 300)
        assert not [length for length in range(5, len(token)) if token[:length] in text]
    assert len(truncate("ä" * 1000, 500).encode()) <= 500


@pytest.mark.parametrize("case", ["string", "depth", "width", "resource"])
def test_d27_big_objects_are_bounded(case: str) -> None:
    deep: dict[str, Any] = {}
    for _ in range(200):
        deep = {"a": deep}
    big = {
        "string": {"spec": {"text": "x" * 100_000}},
        "depth": {"spec": deep},
        "width": {"spec": {f"key{number}": f"value{number}" for number in range(50_000)}},
        "resource": {"spec": {"rules": [{"host": f"h{n}.example", "text": "y" * 500} for n in range(3_000)]}},
    }[case]
    started = time.process_time()
    assert len(json.dumps(prune(big))) < 3_000_000
    assert time.process_time() - started < 3
