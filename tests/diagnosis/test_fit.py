"""What the scheduler counts for a pod."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from kubectl_berth.cluster.views import Pod, decode
from kubectl_berth.diagnosis.fit import requests, reserved
from tests.diagnosis.objects import merged, pod


def _container(name: str, cpu: str, memory: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": {"cpu": cpu, "memory": memory}}, **more}


def _pod(spec: dict[str, Any], **rest: Any) -> Pod:
    return decode(merged(pod(**rest), {"spec": spec}), Pod)


def test_sidecars_count_beside_containers_and_beside_the_init_containers_after_them() -> None:
    view = _pod(
        {
            "initContainers": [
                _container("first", "50m", "900Mi"),
                _container("proxy", "100m", "100Mi", restartPolicy="Always"),
                _container("migrate", "700m", "64Mi"),
            ],
            "containers": [_container("app", "500m", "512Mi"), _container("shipper", "50m", "64Mi")],
        }
    )
    # cpu: 500+50+100 = 650m while it runs, 700+100 = 800m while migrate does; memory: 676Mi, or 900Mi for first
    assert requests(view.spec) == {"cpu": Decimal("0.8"), "memory": Decimal(900 * 2**20)}


def test_overhead_comes_on_top_and_requests_of_the_pod_take_the_place_of_its_containers() -> None:
    view = _pod(
        {
            "containers": [_container("app", "500m", "512Mi")],
            "resources": {"requests": {"cpu": "2"}},
            "overhead": {"cpu": "250m", "memory": "120Mi"},
        }
    )
    assert requests(view.spec) == {"cpu": Decimal("2.25"), "memory": Decimal(632 * 2**20)}


def test_a_limit_without_a_request_is_one() -> None:
    container = {"name": "app", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "100m"}}}
    assert requests(_pod({"containers": [container]}).spec) == {"cpu": Decimal("0.1"), "memory": Decimal(2**30)}


def test_finished_pods_hold_nothing() -> None:
    spec = {"containers": [_container("app", "500m", "512Mi")]}
    held = reserved([_pod(spec), _pod(spec, phase="Succeeded"), _pod(spec, phase="Failed")])
    assert held == {"pods": Decimal(1), "cpu": Decimal("0.5"), "memory": Decimal(512 * 2**20)}
