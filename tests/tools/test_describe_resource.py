"""describe_resource: the route in its fixed order, and what one description holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.tools.toolbox import Toolbox
from tests.tools.objects import (
    BACKING_OFF,
    CRASHED,
    LEDGER,
    Object,
    ago,
    definition,
    deployment,
    event,
    meta,
    namespace,
    node,
    pod,
    replica_set,
    shop,
    toolbox,
)

CNPG = "postgresql.cnpg.io/v1"


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    return toolbox(tmp_path, shop())


# --- the route ------------------------------------------------------------------------------------------------------


def test_first_secrets_and_config_maps_are_refused_whatever_the_api_version(box: Toolbox) -> None:
    for kind in ("Secret", "ConfigMap"):
        for api_version in (None, "v1", CNPG):
            result = box.call("describe_resource", {"kind": kind, "name": "api-config", "apiVersion": api_version})
            assert result.fate == "refused"
            assert "describe_resource of the pod" in result.text


def test_then_an_api_version_means_the_generic_read(box: Toolbox) -> None:
    arguments = {"kind": "Cluster", "name": "ledger-db", "namespace": "data", "apiVersion": CNPG}
    result = box.call("describe_resource", arguments)
    assert result.fate == "ok"
    assert "Cluster data/ledger-db (postgresql.cnpg.io/v1)" in result.text
    assert "2/3 instances ready" in result.text and "size: 100Gi" in result.text
    assert "Ready=False ClusterIsNotReady" in result.text
    assert "Pod data/ledger-db-3, 0/1 ready, CrashLoopBackOff, 12 restarts" in result.text


def test_then_a_built_in_kind_is_described_with_and_without_its_api_version(box: Toolbox) -> None:
    plain = box.call("describe_resource", {"kind": "Deployment", "name": "api", "namespace": "shop"})
    versioned = box.call(
        "describe_resource", {"kind": "Deployment", "name": "api", "namespace": "shop", "apiVersion": "apps/v1"}
    )
    assert plain.fate == versioned.fate == "ok"
    assert plain.text == versioned.text


def test_last_a_custom_kind_without_api_version_is_told_how_to_find_it(box: Toolbox) -> None:
    result = box.call("describe_resource", {"kind": "Cluster", "name": "ledger-db", "namespace": "data"})
    assert result.error == (
        "Cluster is no built-in kind: pass its apiVersion too. Here it is Cluster of postgresql.cnpg.io/v1. "
        'list_resources(filter: "Cluster") without a kind finds such kinds.'
    )


def test_a_kind_that_is_not_served_names_the_nearest(box: Toolbox) -> None:
    result = box.call("describe_resource", {"kind": "Deploymnt", "name": "api", "namespace": "shop"})
    assert result.fate == "error"
    assert "No kind Deploymnt is served here. Nearest: Deployment (apps/v1)" in result.text
    assert "list_resources with a filter and no kind" in result.text


def test_a_wrong_api_version_names_the_right_one(box: Toolbox) -> None:
    result = box.call("describe_resource", {"kind": "Cluster", "name": "ledger-db", "apiVersion": "example.com/v2"})
    assert result.error == (
        "Cluster is not served as example.com/v2 but as postgresql.cnpg.io/v1: pass that apiVersion."
    )


def test_a_built_in_kind_is_withheld_where_raw_diagnostics_are_and_a_custom_one_is_not(tmp_path: Path) -> None:
    box = toolbox(tmp_path, shop(), raw_allowed=False)
    for api_version in (None, "v1"):
        arguments = {"kind": "Pod", "name": "api", "namespace": "shop", "apiVersion": api_version}
        result = box.call("describe_resource", arguments)
        assert result.fate == "withheld"
        assert "AI_ALLOW_RAW_DIAGNOSTICS=true or --allow-raw-diagnostics" in result.text
        assert "kubectl describe pod api-6b8f7c9d44-q7zkd -n shop" in result.text
        assert "14 restarts" in result.text and "registry.example.com" not in result.text
        if api_version is None:
            assert [(gap.what, gap.why) for gap in box.gaps] == [
                ("description of Pod shop/api-6b8f7c9d44-q7zkd", "withheld")
            ]
    custom = {"kind": "Cluster", "name": "ledger-db", "namespace": "data", "apiVersion": CNPG}
    assert box.call("describe_resource", custom).fate == "ok"


def test_a_missing_object_is_missing_even_where_descriptions_are_withheld(tmp_path: Path) -> None:
    box = toolbox(tmp_path, shop(), raw_allowed=False)
    assert box.call("describe_resource", {"kind": "Pod", "name": "zebra", "namespace": "shop"}).fate == "error"


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["Pod", "pods", "po", "POD"])
@pytest.mark.parametrize(
    "name", ["api", "API", "api-6b8f7c9d44", "api-6b8f7c9d44-Q7ZKD", "api-*", "api-<hash>", "shop/api"]
)
def test_a_pod_is_found_by_what_people_call_it_and_said_which(tmp_path: Path, kind: str, name: str) -> None:
    box = toolbox(tmp_path, shop())
    result = box.call("describe_resource", {"kind": kind, "name": name, "namespace": "shop"})
    assert result.fate == "ok", result.text
    assert "Pod shop/api-6b8f7c9d44-q7zkd" in result.text
    assert "note: " in result.text


def test_of_several_pods_the_worst_is_taken_and_the_others_are_named(box: Toolbox) -> None:
    result = box.call("describe_resource", {"kind": "Pod", "name": "ledger-db", "namespace": "data"})
    assert "Pod data/ledger-db-3" in result.text.splitlines()[1]
    assert "it stands for 2 more: data/ledger-db-1 (Running), data/ledger-db-2 (Running)" in result.text


def test_without_a_namespace_the_only_one_is_taken(box: Toolbox) -> None:
    result = box.call("describe_resource", {"kind": "Deployment", "name": "api", "namespace": ""})
    assert "Deployment shop/api" in result.text


def test_without_a_namespace_several_are_told_apart(tmp_path: Path) -> None:
    twins = [*shop(), deployment("api", "data")]
    error = toolbox(tmp_path / "a", twins).call("describe_resource", {"kind": "Deployment", "name": "api"}).error
    assert error == "Deployment api exists in several namespaces: data, shop. Pass one as namespace."
    own = toolbox(tmp_path / "b", twins, namespace="shop").call(
        "describe_resource", {"kind": "Deployment", "name": "api"}
    )
    assert "taken from namespace shop; api exists in data too" in own.text


def test_another_namespace_another_kind_and_near_names_are_told(box: Toolbox) -> None:
    def error(kind: str, name: str, space: str) -> str:
        return box.call("describe_resource", {"kind": kind, "name": name, "namespace": space}).error or ""

    assert error("Deployment", "api", "data") == (
        "There is no Deployment api in namespace data. It exists in namespace shop: pass that one."
    )
    assert "That name belongs to Cluster data/ledger-db (apiVersion postgresql.cnpg.io/v1)" in error(
        "StatefulSet", "ledger-db", "data"
    )
    assert "Nearest: shop/api-6b8f7c9d44-q7zkd" in error("Pod", "api-6b8f7c9d44-zzzzz", "shop")
    assert error("Pod", "x", "shpo") == "There is no namespace shpo. Nearest: shop."


def test_forbidden_is_neither_not_found_nor_healthy(tmp_path: Path) -> None:
    box = toolbox(tmp_path, shop(), unavailable=[{"resource": "deployments.apps", "status": 403, "namespace": "shop"}])
    result = box.call("describe_resource", {"kind": "Deployment", "name": "api", "namespace": "shop"})
    assert result.fate == "error"
    assert "could not be read (forbidden)" in result.text and "There is no" not in result.text
    assert "forbidden" in {gap.why for gap in box.gaps}


# --- what a description holds ---------------------------------------------------------------------------------------


def test_a_pod_s_description(box: Toolbox) -> None:
    text = box.call("describe_resource", {"kind": "Pod", "name": "api-6b8f7c9d44-q7zkd", "namespace": "shop"}).text
    assert "owned by: ReplicaSet api-6b8f7c9d44 (0/1 ready) < Deployment api (0/1 ready)" in text
    assert "app: waiting, CrashLoopBackOff" in text and "before: exit 1 Error 60s ago after 60s" in text
    assert "4m ago (x57 over 60m) Warning BackOff" in text
    # names and sources of environment variables, never values; no defaults nobody set
    assert "DB_PASSWORD from Secret db (key password)" in text and "all keys of ConfigMap api-config" in text
    assert "LOG_LEVEL (literal)" in text and "debug-level-value" not in text
    for default in ("terminationMessagePath", "ClusterFirst", "restartPolicy", "managedFields"):
        assert default not in text


def test_a_rollout_shows_the_old_pods_beside_the_new(tmp_path: Path) -> None:
    checkout = deployment("checkout", "shop", 2, 2)
    checkout["status"]["conditions"] = [
        {
            "type": "Progressing",
            "status": "False",
            "reason": "ProgressDeadlineExceeded",
            "message": 'ReplicaSet "checkout-7c8d9f6b54" has timed out progressing.',
            "lastTransitionTime": ago(minutes=20),
        }
    ]
    old, new = replica_set(checkout, "5d9c8b7f6d", 2, 2), replica_set(checkout, "7c8d9f6b54", 1, 0)
    gone = replica_set(checkout, "4b5c6d7f8g", 0, 0)
    for each, revision in ((gone, "1"), (old, "3"), (new, "4")):
        each["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": revision}
    waiting = {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}}
    stuck = pod("checkout-7c8d9f6b54-x2x9z", "shop", owner=new, state=waiting, ready=False, phase="Pending")
    serving = [pod(f"checkout-5d9c8b7f6d-{end}", "shop", owner=old) for end in ("hx5kd", "zz2tq")]
    objects = [namespace("shop"), node("node-1"), checkout, old, new, gone, stuck, *serving]
    objects.append(event(stuck, "BackOff", 'Back-off pulling image "x"', kind="Normal"))
    result = toolbox(tmp_path, objects).call(
        "describe_resource", {"kind": "Deployment", "name": "checkout", "namespace": "shop"}
    )
    text = result.text
    assert "state: 2/2 ready" in text
    assert "Progressing=False ProgressDeadlineExceeded for 20m" in text
    assert text.index("ReplicaSet checkout-7c8d9f6b54: 0/1 ready, revision 4") < text.index(
        "ReplicaSet checkout-5d9c8b7f6d: 2/2 ready, revision 3"
    )
    assert "1 old ReplicaSet without pods" in text
    assert text.count("1/1 ready, Running") == 2 and "ImagePullBackOff" in text
    assert "Normal BackOff Pod shop/checkout-7c8d9f6b54-x2x9z" in text


def test_a_service_without_endpoints_says_why(tmp_path: Path) -> None:
    service: Object = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta("Service", "search", "shop"),
        "spec": {"selector": {"app": "search"}, "ports": [{"port": 9200, "targetPort": "http", "protocol": "TCP"}]},
    }
    slices: Object = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "addressType": "IPv4",
        "metadata": meta("EndpointSlice", "search-abc", "shop", labels={"kubernetes.io/service-name": "search"}),
        "endpoints": [],
        "ports": [],
    }
    result = toolbox(tmp_path, [*shop(), service, slices]).call(
        "describe_resource", {"kind": "svc", "name": "search", "namespace": "shop"}
    )
    assert "endpoints: 0 ready, 0 not ready" in result.text
    assert "no pod matches its selector app=search" in result.text


def test_odd_objects_are_described_all_the_same(tmp_path: Path) -> None:
    odd: list[Object] = [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "bare", "namespace": "shop"}},
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "odd", "namespace": "shop"},
            "spec": {"containers": "none"},
            "status": [],
        },
        {"apiVersion": CNPG, "kind": "Cluster", "metadata": {"name": "blank", "namespace": "shop"}, "status": "green"},
    ]
    box = toolbox(tmp_path, [*shop(), *odd])
    for kind, name, version in (("Deployment", "bare", None), ("Pod", "odd", None), ("Cluster", "blank", CNPG)):
        result = box.call("describe_resource", {"kind": kind, "name": name, "namespace": "shop", "apiVersion": version})
        assert result.fate == "ok", result.text
        assert f"{kind} shop/{name}" in result.text


def test_a_large_custom_resource_stays_short(tmp_path: Path) -> None:
    huge = {**LEDGER, "spec": {f"field{n}": {"a": "x" * 60, "b": "y" * 60} for n in range(2000)}}
    objects = [*(o for o in shop() if o is not LEDGER), huge]
    result = toolbox(tmp_path, objects).call(
        "describe_resource", {"kind": "Cluster", "name": "ledger-db", "namespace": "data", "apiVersion": CNPG}
    )
    assert result.fate == "ok" and result.bytes < 16 * 1024
    assert "more lines)" in result.text
    assert "readyInstances: 2" in result.text


def test_an_init_container_that_fails_is_shown(tmp_path: Path) -> None:
    sick = pod("job-x2x9z", "shop", state={"waiting": {"reason": "PodInitializing"}}, ready=False, phase="Pending")
    sick["spec"]["initContainers"] = [{"name": "migrate", "image": "registry.example.com/migrate:2"}]
    sick["status"]["initContainerStatuses"] = [
        {"name": "migrate", "ready": False, "restartCount": 5, "state": BACKING_OFF, "lastState": CRASHED}
    ]
    text = (
        toolbox(tmp_path, [namespace("shop"), node("node-1"), sick])
        .call("describe_resource", {"kind": "Pod", "name": "job-x2x9z", "namespace": "shop"})
        .text
    )
    assert "Init:CrashLoopBackOff" in text
    assert "init migrate: waiting, CrashLoopBackOff" in text


def test_a_group_that_is_down_is_named_where_a_kind_is_unknown(tmp_path: Path) -> None:
    service: Object = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": meta("APIService", "v1beta1.queue.example.com"),
        "spec": {"group": "queue.example.com", "version": "v1beta1", "service": {"name": "q", "namespace": "shop"}},
        "status": {"conditions": [{"type": "Available", "status": "False", "reason": "MissingEndpoints"}]},
    }
    box = toolbox(tmp_path, [*shop(), service, definition("other.example.com", "Thing", "things")])
    result = box.call("describe_resource", {"kind": "Queue", "name": "x"})
    assert result.fate == "error"
    assert "Not answering: queue.example.com/v1beta1" in result.text
