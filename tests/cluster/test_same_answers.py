"""A snapshot read from its directory and read through its served API answers alike, errors included."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.cluster.connection import ConnectionOptions
from kubectl_berth.cluster.live import connect
from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.environment import Environment
from kubectl_berth.errors import ReadError
from kubectl_berth.simulator.kubeconfig import write_kubeconfig
from kubectl_berth.simulator.server import serve
from tests.fakes.moments import custom, definition, moment, pod, waiting

EVENT = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"name": "web-0.1", "namespace": "shop"},
    "involvedObject": {"kind": "Pod", "name": "web-0", "namespace": "shop"},
    "reason": "BackOff",
    "message": "Back-off restarting failed container",
    "count": 7,
}


def outcome(read: Callable[[], Any]) -> Any:
    """What a read gave, or how it failed."""
    try:
        found = read()
        return list(found) if isinstance(found, Iterator) else found
    except ReadError as error:
        return type(error).__name__, error.status, str(error)


def rich(directory: Path, version: str) -> Path:
    return moment(
        directory,
        *(pod(f"web-{number}") for number in range(3)),
        *(pod(f"many-{number:04}", "many") for number in range(1100)),
        pod("pull-0", status=waiting("ErrImagePull")),
        pod("crash-0", status=waiting("CrashLoopBackOff", lastState={"terminated": {"exitCode": 1}})),
        pod("a-0", "finance"),
        definition("Database", "databases"),
        custom("Database", "ledger", status={"phase": "Ready"}),
        EVENT,
        logs={
            "shop/web-0/app": "".join(f"{number:05} {'x' * 900}\n" for number in range(700)),
            "shop/crash-0/app.previous": "boom\n",
        },
        version=version,
        unavailable=[
            {"resource": "metrics.k8s.io", "status": 503},
            {"resource": "pods/log", "namespace": "finance", "status": 403},
            {"resource": "nodes", "status": 503, "message": "etcdserver: request timed out"},
            {"resource": "batch", "status": 404},
        ],
    )


@pytest.fixture
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Cluster, Cluster]]:
    """The same snapshot twice: from its directory, and through its served API."""
    snapshot = open_snapshot([rich(tmp_path / "s", getattr(request, "param", "v1.36.3"))])
    server = serve(snapshot)
    kubeconfig = tmp_path / "kubeconfig"
    write_kubeconfig(kubeconfig, server.url, "served", "default")
    streams = (io.StringIO(), io.StringIO(), io.StringIO())
    live = connect(ConnectionOptions(kubeconfig=str(kubeconfig)), Environment(*streams, {}, home=tmp_path))
    yield snapshot, live
    live.close()
    server.close()


def same(pair: tuple[Cluster, Cluster], method: str, *arguments: Any, **options: Any) -> None:
    found = [outcome(partial(getattr(cluster, method), *arguments, **options)) for cluster in pair]
    assert repr(found[0]) == repr(found[1]), (method, arguments, options)


@pytest.mark.parametrize("pair", ["v1.36.3", "v1.28.0", "v1.24.0"], indirect=True)
def test_discovery_and_time_are_the_same(pair: tuple[Cluster, Cluster]) -> None:
    snapshot, live = pair
    assert (snapshot.now(), snapshot.name().version) == (live.now(), live.name().version)
    assert snapshot.kinds() == live.kinds()
    assert len(snapshot.kinds().gaps) == 1


def test_every_read_gives_the_same(pair: tuple[Cluster, Cluster]) -> None:
    for kind in pair[0].kinds().kinds:
        # what is down is asked again before it counts as down, which takes its time
        if "list" not in kind.verbs or kind.plural == "nodes":
            continue
        for namespace in (None, "shop", "nowhere"):
            same(pair, "list", kind, namespace)
        same(pair, "list", kind, labels="app in (web,a)")
        same(pair, "list", kind, labels="app in (web")
        same(pair, "list", kind, fields="metadata.name=web-1")
        same(pair, "list", kind, fields="status.phase=Running")
        same(pair, "list", kind, fields="nothing")
        for name in ("web-0", "ledger", "nope"):
            for namespace in ("shop", "data", None):
                same(pair, "get", kind, name, namespace)


@pytest.mark.parametrize("name", ["web-0", "pull-0", "crash-0", "nope"])
def test_every_log_is_the_same(pair: tuple[Cluster, Cluster], name: str) -> None:
    for container in ("app", "", "nope"):
        for options in ({}, {"previous": True}, {"tail": 3}, {"since": 60}, {"tail": 9999}):
            same(pair, "log", name, "shop", container, **options)


def test_what_cannot_be_read_fails_the_same(pair: tuple[Cluster, Cluster]) -> None:
    kinds = {kind.plural: kind for kind in pair[0].kinds().kinds if not kind.group}
    pods = kinds["pods"]
    for kind in (
        replace(pods, group="nope.example.org", plural="things"),
        replace(pods, group="apps", plural="things"),
        replace(pods, group="batch", plural="jobs"),
        replace(pods, version="v9"),
        replace(pods, group="odd.example.org", kind="Secret", plural="secrets"),
        replace(pods, group="metrics.k8s.io", version="v1beta1", plural="pods"),
        kinds["nodes"],
    ):
        same(pair, "list", kind)
        same(pair, "get", kind, "a", "b")
    for name in ("a/b", "..", "", "x?watch=1"):
        same(pair, "get", pods, name, "shop")
    same(pair, "log", "a-0", "finance", "app")
    same(pair, "usage")
