"""Paging, resource versions and the words of failures."""

from __future__ import annotations

import base64
import json

import pytest

from kubectl_berth.cluster import failures
from kubectl_berth.cluster.failures import ApiFailure
from kubectl_berth.cluster.kinds import builtin_kinds
from kubectl_berth.cluster.paging import ListOptions, list_options, page, token_after

KINDS = {(kind.group, kind.plural): kind for kind in builtin_kinds("v1.36.0")}
KEYS = ["a/1", "a/2", "b/1", "b/2", "c/1"]
NOW = 554


def token(**content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def test_pages_follow_one_another_to_the_end() -> None:
    seen: list[str] = []
    options = ListOptions(limit=2)
    remaining = []
    while True:
        found = page(KEYS, options, NOW)
        seen += found.keys
        remaining.append(found.remaining)
        if not found.token:
            break
        options = list_options(NOW, limit="2", token=found.token)
    assert seen == KEYS
    assert remaining == [3, 1, None]


def test_a_selected_list_does_not_count_what_remains() -> None:
    assert page(KEYS, ListOptions("app=web", limit=2), NOW).remaining is None


def test_the_token_is_the_servers() -> None:
    # recorded: the token after db/needs-pvc at version 554, with the slash etcd keys begin with
    recorded = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NTU0LCJzdGFydCI6Ii9kYi9uZWVkcy1wdmNcdTAwMDAifQ"
    assert list_options(NOW, token=recorded).start == "db/needs-pvc"
    assert json.loads(base64.urlsafe_b64decode(token_after("db/needs-pvc", NOW) + "==")) == {
        "v": "meta.k8s.io/v1",
        "rv": NOW,
        "start": "db/needs-pvc\0",
    }


def test_a_list_at_version_zero_is_not_paged() -> None:
    assert list_options(NOW, limit="2", resource_version="0").limit == 0


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        (
            {"token": "abc"},
            400,
            "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
        ),
        (
            {"token": token(v="x")},
            400,
            "invalid continue token: continue key is not valid: server does not recognize this encoded version x",
        ),
        ({"limit": "abc"}, 400, 'strconv.ParseInt: parsing "abc": invalid syntax'),
        (
            {"resource_version": "abc"},
            400,
            'invalid resource version: resourceVersion: Invalid value: "abc": '
            'strconv.ParseUint: parsing "abc": invalid syntax',
        ),
        (
            {"token": token_after("a/1", NOW), "resource_version": "5"},
            400,
            "specifying resource version is not allowed when using continue",
        ),
        (
            {"resource_version": "2", "match": "Exact"},
            410,
            "The resourceVersion for the provided list is too old.",
        ),
        (
            {"match": "Exact"},
            422,
            'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is '
            "forbidden unless resourceVersion is provided",
        ),
        ({"resource_version": "999"}, 504, "Timeout: Too large resource version: 999, current: 554"),
    ],
)
def test_bad_list_queries(query: dict[str, str], status: int, words: str) -> None:
    with pytest.raises(ApiFailure) as caught:
        list_options(NOW, **query)
    assert (caught.value.status, str(caught.value)) == (status, words)


def test_an_expired_token_comes_with_one_that_goes_on() -> None:
    with pytest.raises(ApiFailure) as caught:
        list_options(NOW, limit="2", token=token_after("a/2", 17))
    body = caught.value.body()
    assert (body["code"], body["reason"]) == (410, "Expired")
    assert body["message"].startswith("The provided continue parameter is too old to display a consistent list result.")
    fresh = list_options(NOW, limit="2", token=body["metadata"]["continue"])
    assert page(KEYS, fresh, NOW).keys == ["b/1", "b/2"]


def test_status_bodies_are_the_servers() -> None:
    deployments, pods = KINDS["apps", "deployments"], KINDS["", "pods"]
    assert failures.not_found(deployments, "web").body() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'deployments.apps "web" not found',
        "reason": "NotFound",
        "details": {"name": "web", "group": "apps", "kind": "deployments"},
        "code": 404,
    }
    assert failures.no_such_resource().body()["details"] == {}
    assert failures.forbidden(pods, "get", "mon", "x", "log", "agent").message == (
        'pods "x" is forbidden: User "agent" cannot get resource "pods/log" in API group "" in the namespace "mon"'
    )
    assert failures.forbidden(deployments, "list", None, user="agent").message == (
        'deployments.apps is forbidden: User "agent" cannot list resource "deployments" in API group "apps" '
        "at the cluster scope"
    )
    assert failures.no_such_path().plain and str(failures.no_such_path()) == "404 page not found\n"


@pytest.mark.parametrize(
    ("version", "plural", "served"),
    [
        ("v1.32.9", "ipaddresses", False),
        ("v1.33.0", "ipaddresses", True),
        ("v1.29.1", "validatingadmissionpolicies", False),
        ("v1.30.1", "validatingadmissionpolicies", True),
        ("v1.36.2", "mutatingadmissionpolicies", True),
        ("v1.35.2", "mutatingadmissionpolicies", False),
        ("v1.34.0-gke.100", "resourceclaims", True),
        ("v1.99.0", "resourceclaims", True),
    ],
)
def test_builtin_kinds_follow_the_version(version: str, plural: str, served: bool) -> None:
    assert (plural in {kind.plural for kind in builtin_kinds(version)}) is served


def test_the_preferred_version_comes_first() -> None:
    scalers = [kind for kind in builtin_kinds("v1.33.4") if kind.kind == "HorizontalPodAutoscaler"]
    assert [(kind.version, kind.preferred) for kind in scalers] == [("v2", True), ("v1", False)]
    assert [kind.version for kind in builtin_kinds("v1.28.0") if kind.kind == "FlowSchema"] == ["v1beta3"]
