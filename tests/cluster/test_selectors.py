"""Label and field selectors mean and say what the server's do."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_berth.cluster.cluster import Kind
from kubectl_berth.cluster.failures import ApiFailure
from kubectl_berth.cluster.kinds import builtin_kinds
from kubectl_berth.cluster.selectors import field_test, label_test

KINDS = {(kind.group, kind.plural): kind for kind in builtin_kinds("v1.36.0")}
CUSTOM = Kind("db.example.org", "v1", "Database", "databases", True)


def labelled(**labels: str) -> dict[str, Any]:
    return {"metadata": {"labels": labels}}


@pytest.mark.parametrize(
    ("selector", "kept"),
    [
        ("", {"web", "api", "bare"}),
        ("app=web", {"web"}),
        ("app==web", {"web"}),
        ("app!=web", {"api", "bare"}),
        ("app in (web, api)", {"web", "api"}),
        ("app notin (web)", {"api", "bare"}),
        ("app", {"web", "api"}),
        ("!app", {"bare"}),
        ("app,tier=front", {"web"}),
        ("tier=", set()),
        ("tier in (,)", set()),
        ("weight>3", {"api"}),
        ("weight<3", {"web"}),
        ("in in (x),app", set()),
        ("notin", set()),
    ],
)
def test_label_selectors(selector: str, kept: set[str]) -> None:
    objects = {
        "web": labelled(app="web", tier="front", weight="2"),
        "api": labelled(app="api", weight="10"),
        "bare": {"metadata": {"name": "bare"}},
    }
    keeps = label_test(selector)
    assert {name for name, obj in objects.items() if keeps(obj)} == kept


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("a in b", "unable to parse requirement: found 'b' expected: '('"),
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("=a", "found '=', expected: !, identifier, or 'end of string'"),
        ("a,", "found '', expected: identifier after ','"),
        (
            "app=UPPER_/bad",
            'unable to parse requirement: values[0][app]: Invalid value: "UPPER_/bad": a valid label must be an empty '
            "string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
            "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
            "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ),
    ],
)
def test_bad_label_selectors(selector: str, words: str) -> None:
    with pytest.raises(ApiFailure) as caught:
        label_test(selector)
    assert (caught.value.status, caught.value.reason, str(caught.value)) == (400, "BadRequest", words)


POD = {
    "metadata": {"name": "web-0", "namespace": "shop"},
    "spec": {"nodeName": "n1", "hostNetwork": True},
    "status": {"phase": "Running", "podIP": "10.0.0.7"},
}
EVENT = {
    "metadata": {"name": "web-0.1", "namespace": "shop"},
    "involvedObject": {"kind": "Pod", "name": "web-0", "uid": "u1"},
    "reason": "BackOff",
    "type": "Warning",
    "source": {"component": "kubelet"},
}


@pytest.mark.parametrize(
    ("resource", "obj", "selector", "kept"),
    [
        (("", "pods"), POD, "spec.nodeName=n1,status.phase!=Pending", True),
        (("", "pods"), POD, "metadata.name=web-0,metadata.namespace==shop", True),
        (("", "pods"), POD, "status.phase!=Running", False),
        (("", "pods"), POD, "spec.nodeName=", False),
        (("", "pods"), POD, "spec.hostNetwork=true", True),
        (("", "events"), EVENT, "involvedObject.kind=Pod,involvedObject.name=web-0,involvedObject.uid=u1", True),
        (("", "events"), EVENT, "type=Normal", False),
        (("", "events"), EVENT, "reason=BackOff,source=kubelet", True),
        (("", "nodes"), {"metadata": {"name": "n1"}, "spec": {}}, "spec.unschedulable=false", True),
        (("batch", "jobs"), {"metadata": {"name": "j"}, "status": {"succeeded": 1}}, "status.successful=1", True),
        (("apps", "deployments"), {"metadata": {"name": "web"}}, "metadata.name=web", True),
    ],
)
def test_field_selectors(resource: tuple[str, str], obj: dict[str, Any], selector: str, kept: bool) -> None:
    assert field_test(selector, KINDS[resource])(obj) is kept


@pytest.mark.parametrize(
    ("kind", "selector", "words"),
    [
        (KINDS["", "pods"], "spec.nope=1", "field label not supported: spec.nope"),
        (KINDS["", "pods"], "a!b", "invalid selector: 'a!b'; can't understand 'a!b'"),
        (KINDS["", "nodes"], "metadata.namespace=x", "field label not supported: metadata.namespace"),
        (CUSTOM, "status.phase=x", "field label not supported: status.phase"),
        (
            KINDS["apps", "deployments"],
            "status.replicas=1",
            '"status.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
        (KINDS["batch", "jobs"], "spec.x=1", 'field label "spec.x" not supported for batchv1.Job'),
    ],
)
def test_unsupported_fields(kind: Kind, selector: str, words: str) -> None:
    with pytest.raises(ApiFailure) as caught:
        field_test(selector, kind)
    assert (caught.value.status, str(caught.value)) == (400, words)


def test_a_definition_may_allow_more_fields() -> None:
    keeps = field_test("spec.size=big", CUSTOM, ("spec.size",))
    assert keeps({"metadata": {}, "spec": {"size": "big"}}) and not keeps({"metadata": {}, "spec": {}})
