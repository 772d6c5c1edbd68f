"""What to do about a probe that fails, by what it hears; and since when a container is not ready."""

from __future__ import annotations

import pytest

from kubectl_berth.records import Finding
from tests.diagnosis.objects import Obj, condition, event, found, one, pod, running

PROBE = {"readinessProbe": {"httpGet": {"path": "/up", "port": 7070}, "periodSeconds": 5, "failureThreshold": 3}}


def unready(heard: str, *, ports: tuple[int, ...] = (7070,), since: float = 500, lost: float = 500) -> Finding:
    container: Obj = {**PROBE, "ports": [{"containerPort": port} for port in ports]}
    broken = pod("till-1", running(ready=False, since=since), container=container)
    broken["status"]["conditions"] = [condition("Ready", "False", "ContainersNotReady", minutes=lost)]
    said = event(broken, "Unhealthy", f"Readiness probe failed: {heard}", times=40)
    return one(found(broken, said), "ReadinessProbeFails")


@pytest.mark.parametrize(
    ("heard", "remedy"),
    [
        ("dial tcp 10.1.2.3:7070: connect: connection refused", "nothing listens on port 7070"),
        ("HTTP probe failed with statuscode: 404", "the path"),
        ("HTTP probe failed with statuscode: 401", "a login"),
        ("HTTP probe failed with statuscode: 503", "says itself that it is not ready"),
        ('Get "http://10.1.2.3:7070/up": context deadline exceeded (Client.Timeout exceeded)', "cpu limit"),
        ("words nobody knows", "before touching the probe itself"),
    ],
)  # fmt: skip
def test_the_remedy_follows_from_what_the_probe_hears(heard: str, remedy: str) -> None:
    assert remedy in unready(heard).remedy


def test_a_probe_of_a_port_that_the_container_does_not_declare_gives_both_ports() -> None:
    remedy = unready("dial tcp 10.1.2.3:7070: connect: connection refused", ports=(7171,)).remedy
    assert "7171" in remedy and "listen on 7070" in remedy


def test_a_container_that_was_ready_is_told_from_one_that_never_was() -> None:
    assert "has not become ready" in unready("HTTP probe failed with statuscode: 500").summary
    lost = unready("HTTP probe failed with statuscode: 500", since=9000, lost=30)
    assert "has not been ready for 30m" in lost.summary
