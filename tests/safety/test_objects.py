"""What the structure of an object gives away goes; references, names and sizes stay."""

from __future__ import annotations

import json

from kubectl_berth.safety.objects import prune

FAKE = "Zr8fake0Qx7"


def test_copies_of_the_object_go() -> None:
    kept = prune(
        {
            "metadata": {
                "name": "web",
                "managedFields": [{"manager": "kubectl"}],
                "annotations": {
                    "kubectl.kubernetes.io/last-applied-configuration": json.dumps({"kind": "Pod", "x": FAKE}),
                    "example.io/copy": json.dumps({"kind": "Secret", "data": FAKE}),
                    "team": "payments",
                },
            }
        }
    )
    assert FAKE not in json.dumps(kept)
    assert "managedFields" not in kept["metadata"]
    assert kept["metadata"]["annotations"]["team"] == "payments"


def test_literal_values_of_env_and_headers_go_and_references_stay() -> None:
    container = {
        "name": "app",
        "env": [
            {"name": "LEVEL", "value": FAKE},
            {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
        ],
        "args": ["--db-password", FAKE, "--port", "80", f"--token={FAKE}"],
        "livenessProbe": {
            "httpGet": {"httpHeaders": [{"name": "X-Probe", "value": FAKE}, {"name": "Host", "value": "h"}]}
        },
    }
    kept = prune({"spec": {"template": {"spec": {"containers": [container]}}}})["spec"]["template"]["spec"][
        "containers"
    ][0]
    assert kept["env"][0]["value"] == "[REDACTED:env]"
    assert kept["env"][1]["valueFrom"]["secretKeyRef"] == {"name": "db", "key": "password"}
    assert kept["args"][1] == "[REDACTED:value]" and kept["args"][2:4] == ["--port", "80"]
    assert [h["value"] for h in kept["livenessProbe"]["httpGet"]["httpHeaders"]] == ["[REDACTED:header]", "h"]


def test_a_secret_nested_in_a_custom_resource_keeps_keys_and_sizes_only() -> None:
    kept = prune(
        {"spec": {"objects": [{"apiVersion": "v1", "kind": "Secret", "data": {"a": FAKE}, "stringData": {"b": FAKE}}]}}
    )
    assert FAKE not in json.dumps(kept)
    assert kept["spec"]["objects"][0]["data"] == {"a": f"<{len(FAKE)} characters>"}


def test_values_under_sensitive_keys_go_and_references_to_secrets_stay() -> None:
    spec = {"password": FAKE, "secretName": "db", "tokenPath": "x", "secretRef": {"name": "y"}, "maxTokens": 5}
    kept = prune({"spec": spec})["spec"]
    assert kept == {
        "password": "[REDACTED:value]",
        "secretName": "db",
        "tokenPath": "x",
        "secretRef": {"name": "y"},
        "maxTokens": 5,
    }


def test_a_deep_or_huge_object_is_bounded() -> None:
    deep: dict[str, object] = {}
    for _ in range(300):
        deep = {"a": deep}
    assert "[cut" in json.dumps(prune({"spec": deep}))
    assert len(prune({"spec": {"items": list(range(100_000))}})["spec"]["items"]) == 100_000


def test_a_field_that_names_a_secret_keeps_the_name_and_one_that_holds_a_secret_does_not() -> None:
    certificates = {"serverTLSSecret": "orders-db-server", "clientSecret": "orders-db-server", "caSecret": FAKE}
    kept = prune({"status": {"certificates": certificates, "secrets": ["orders-db-app"]}})["status"]
    assert kept["certificates"]["serverTLSSecret"] == "orders-db-server"
    assert kept["certificates"]["clientSecret"] == kept["certificates"]["caSecret"] == "[REDACTED:value]"
    assert kept["secrets"] == ["orders-db-app"]
