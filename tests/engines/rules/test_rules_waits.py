"""What a container waits for by name, and where hosts of pods lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.cluster.views import Container
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.engines.rules.logs.targets import target_of
from kubectl_berth.engines.rules.logs.waits import waited_for
from kubectl_berth.tools.context import Context
from tests.fakes.small_clusters import SmallCluster, terminated, waiting


@pytest.fixture
def inventory(tmp_path: Path) -> Inventory:
    """Service dock/crane with a ready pod, dock/winch without one; Deployment yard/kiln with 0 of 1 pods ready."""
    small = SmallCluster(tmp_path / "snapshot")
    small.namespaces("dock", "yard")
    small.healthy("crane", "dock")
    small.pod("winch-1", "dock", app="winch", ready=False, state=waiting("CrashLoopBackOff"), last=terminated(1))
    small.service("winch", "dock", {"app": "winch"}, ready=[], unready=["winch-1"], port=4040)
    small.crashing("kiln", "yard")
    small.pod("boat-1", "dock", app="boat")
    return Context(small.open()).inventory()


def found(inventory: Inventory, command: str, *lines: str) -> list[tuple[str, bool]]:
    pod = inventory.pod("dock", "boat-1")
    assert pod is not None
    container = Container(name="boat", command=["sh", "-c", command])
    return [(str(target.ref), target.down) for target in waited_for(pod, container, lines, inventory)]


@pytest.mark.parametrize(
    "command",
    [
        "while ! nc -z winch 4040; do sleep 1; done",
        "until nc -zv -w 2 winch.dock 4040; do echo no; done",
        "/wait-for-it.sh -t 0 winch.dock.svc:4040 -- run",
        "until pg_isready -q -h winch -p 4040; do sleep 2; done",
        "dockerize -wait tcp://winch.dock:4040 -timeout 90s",
        "until curl -fs http://winch:4040/up; do sleep 2; done",
        "until (echo > /dev/tcp/winch/4040); do sleep 1; done",
        "until getent hosts winch; do sleep 1; done",
    ],
)
def test_a_host_in_a_command_is_what_is_waited_for(inventory: Inventory, command: str) -> None:
    assert found(inventory, command) == [("Service dock/winch", True)]


@pytest.mark.parametrize(
    "command",
    [
        "kubectl rollout status deploy/kiln -n yard",
        "kubectl wait --namespace=yard --for=condition=available deployment kiln",
    ],
)
def test_an_object_in_a_command_is_what_is_waited_for(inventory: Inventory, command: str) -> None:
    assert found(inventory, command) == [("Deployment yard/kiln", True)]


def test_a_job_that_is_not_there_is_said_so(inventory: Inventory) -> None:
    assert found(inventory, "kubectl wait --for=condition=complete job/paint") == [("None", True)]
    assert found(inventory, "run", "waiting for job paint to finish") == []


def test_what_is_up_is_told_as_up(inventory: Inventory) -> None:
    assert found(inventory, "until nc -z crane 80; do sleep 1; done") == [("Service dock/crane", False)]


@pytest.mark.parametrize("command", ["run --job nightly --deploy prod", "echo deployment kiln; exec boat", ""])
def test_a_command_that_does_not_wait_waits_for_nothing(inventory: Inventory, command: str) -> None:
    assert found(inventory, command, "INFO deployment kiln was mentioned") == []


@pytest.mark.parametrize(
    ("host", "down"),
    [
        ("winch-1.winch", True),
        ("winch-1.winch.dock:4040", True),
        ("winch-1.winch.dock.svc.cluster.local", True),
        ("crane-5d78c9869d-x2k4q.crane.dock.svc", False),
    ],
)
def test_a_host_of_one_pod_is_that_pod(inventory: Inventory, host: str, down: bool) -> None:
    target = target_of(host, "dock", inventory)
    assert target is not None and target.down is down
    assert f"is Pod dock/{host.split('.')[0]}, which is {'not ready' if down else 'ready'}" in target.words


@pytest.mark.parametrize("host", ["db.books.local", "api.example.com", "winch.example.org", "a.b.c.d.example.com"])
def test_a_host_outside_leads_nowhere(inventory: Inventory, host: str) -> None:
    assert target_of(host, "dock", inventory) is None
