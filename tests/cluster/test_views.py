"""Views: lenient about what is unknown or null, strict about what is odd; time as kubectl tells it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from kubectl_berth.cluster.views import Event, Node, OddObject, Pod, Workload, age, decode, duration, parse_time

NOW = datetime(2026, 10, 5, 9, 30, tzinfo=UTC)


def test_unknown_fields_and_nulls_are_skipped() -> None:
    pod = decode(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "a", "namespace": "b", "labels": None, "creationTimestamp": None, "novelty": 1},
            "spec": {"nodeName": "n", "containers": [{"name": "c", "env": None}], "volumes": None, "brandNew": {}},
            "status": None,
        },
        Pod,
    )
    assert (pod.name, pod.namespace, pod.spec.node_name, pod.spec.containers[0].name) == ("a", "b", "n", "c")
    assert pod.metadata.labels == {} and pod.status.phase == "" and not pod.ready


def test_an_odd_object_says_which_and_where() -> None:
    with pytest.raises(OddObject, match=r"Pod a has an odd shape: .*\$\.spec\.containers"):
        decode({"kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": 3}}, Pod)


def test_desired_counts_as_each_kind_means_them() -> None:
    absent = decode({"kind": "Deployment", "metadata": {"name": "a"}, "spec": {}}, Workload)
    daemon = decode({"kind": "DaemonSet", "status": {"desiredNumberScheduled": 3, "numberReady": 2}}, Workload)
    assert (absent.desired, daemon.desired, daemon.ready) == (1, 3, 2)


def test_an_event_of_the_scheduler_has_its_times_in_the_series() -> None:
    event = decode(
        {
            "involvedObject": {"kind": "Pod", "namespace": "s", "name": "p"},
            "firstTimestamp": None,
            "lastTimestamp": None,
            "eventTime": "2026-10-05T09:00:00.123456Z",
            "series": {"count": 7, "lastObservedTime": "2026-10-05T09:25:00.000001Z"},
            "metadata": {"creationTimestamp": "2026-10-05T09:00:00Z"},
        },
        Event,
    )
    assert event.last_seen == datetime(2026, 10, 5, 9, 25, 0, 1, tzinfo=UTC)
    assert event.times == 7 and str(event.about_ref) == "Pod s/p"


def test_an_event_of_the_other_api_names_its_object_too() -> None:
    event = decode({"regarding": {"kind": "Node", "name": "n"}, "note": "two\n words", "reason": "R"}, Event)
    assert str(event.about_ref) == "Node n" and event.text == "two words"


def test_a_node_without_conditions_is_not_ready() -> None:
    assert decode({"kind": "Node", "metadata": {"name": "n"}}, Node).ready is False


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"), (119, "119s"), (120, "2m"), (125, "2m5s"), (599, "9m59s"), (605, "10m"), (10_740, "179m"),
        (3 * 3600, "3h"), (3 * 3600 + 90, "3h1m"), (9 * 3600, "9h"), (47 * 3600, "47h"), (48 * 3600, "2d"),
        (75 * 3600, "3d3h"), (9 * 86400, "9d"), (800 * 86400, "2y70d"), (-5, "<invalid>"),
    ],
)  # fmt: skip
def test_durations_read_as_in_kubectl(seconds: int, text: str) -> None:
    assert duration(seconds) == text


def test_ages_and_odd_times() -> None:
    assert age(NOW, "2026-10-05T09:26:00Z") == "4m"
    assert age(NOW, NOW - timedelta(hours=26)) == "26h"
    assert age(NOW, None) == age(NOW, "yesterday") == "<unknown>"
    assert parse_time("2026-10-05T11:30:00.5+02:00") == NOW + timedelta(seconds=0.5)
