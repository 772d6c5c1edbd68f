"""What a container's settings say it leans on: names of hosts only, never what stands beside them."""

from __future__ import annotations

import pytest

from kubectl_berth.diagnosis.checks.surroundings import hosts
from tests.diagnosis.objects import Obj, ago, ended, found, merged, node, obj, one, owned, pod, waiting
from tests.diagnosis.planted import words_of

WORD = "s3cr" + "et"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("redis", {"redis"}),
        ("redis.cache.svc:6379", {"redis.cache.svc"}),
        (f"postgres://user:{WORD}@pg.data:5432/app?sslmode=off", {"pg.data"}),
        ("http://api", {"api"}),
        ("kafka-0.kafka:9092,kafka-1.kafka:9092", {"kafka-0.kafka", "kafka-1.kafka"}),
        ("10.0.0.1:53", set()),
        ("12:30:45", set()),
        ("a plain sentence", set()),
        (f"{WORD}@x", set()),
        ("", set()),
    ],
)
def test_hosts_are_read_from_settings(text: str, expected: set[str]) -> None:
    assert hosts(text) == expected


def crashing(**container: object) -> Obj:
    return pod("web-1", waiting("CrashLoopBackOff", restarts=5, lastState=ended(1)), container=container)


def told(*objects: Obj) -> str:
    return words_of(one(found(*objects), "CrashLoop"))


def test_no_value_of_a_variable_is_ever_told() -> None:
    env = [{"name": "DB_URL", "value": f"postgres://user:{WORD}@pg:5432"}, {"name": "TOKEN", "value": WORD}]
    service = obj("v1", "Service", "pg", spec={"selector": {"app": "pg"}, "ports": [{"port": 5432}]})
    text = "".join(words_of(finding) for finding in found(crashing(env=env), service))
    assert "Service shop/pg" in text and WORD not in text


def test_two_containers_on_one_port() -> None:
    statuses = [
        waiting("CrashLoopBackOff", restarts=5, lastState=ended(1)),
        {**waiting(""), "name": "proxy", "ready": True},
    ]
    both = pod("web-1", *statuses)
    for container in both["spec"]["containers"]:
        container["ports"] = [{"containerPort": 9090}]
    assert "both declare port 9090" in told(both)


def test_what_a_container_may_not_write_and_what_it_writes_to() -> None:
    mount = [{"name": "data", "mountPath": "/data"}]
    strict = crashing(securityContext={"readOnlyRootFilesystem": True}, volumeMounts=mount)
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data-0"}}]
    claim = obj("v1", "PersistentVolumeClaim", "data-0", status={"phase": "Bound", "capacity": {"storage": "8Gi"}})
    text = told(merged(strict, {"spec": {"volumes": volumes}}), claim)
    assert "readOnlyRootFilesystem" in text and "data-0 (8Gi, no fsGroup)" in text


def test_a_pod_without_a_token_and_one_that_resolves_like_its_node() -> None:
    assert "no token" in told(merged(crashing(), {"spec": {"automountServiceAccountToken": False}}))
    account = obj("v1", "ServiceAccount", "bot", automountServiceAccountToken=False)
    assert "ServiceAccount shop/bot" in told(merged(crashing(), {"spec": {"serviceAccountName": "bot"}}), account)
    assert "dnsPolicy: Default" in told(merged(crashing(), {"spec": {"dnsPolicy": "Default"}}))


def test_the_revision_since_which_the_image_is_another() -> None:
    from tests.diagnosis.objects import deployment, replica_set

    web = deployment("web", ready=0)
    new = merged(
        replica_set(web, "web-b", revision=7, image="app:2", ready=0), {"metadata": {"creationTimestamp": ago(30)}}
    )
    old = replica_set(web, "web-a", revision=6, image="app:1", replicas=0)
    assert "app:2 since revision 7, 30m ago; before that app:1" in told(web, new, old, owned(crashing(), new))


def test_a_name_of_another_namespace_is_told_with_its_way() -> None:
    there = obj("v1", "Service", "orders", "sales", spec={"ports": [{"port": 80}]})
    text = told(crashing(env=[{"name": "ORDERS_URL", "value": "http://orders"}]), there)
    assert "no Service orders; there is one in sales, reached as orders.sales" in text


def test_a_probe_that_times_out_at_the_cpu_limit() -> None:
    from kubectl_berth.cluster.cluster import UsageFigures
    from kubectl_berth.diagnosis.diagnose import diagnose
    from kubectl_berth.diagnosis.inventory import inventory_of
    from tests.diagnosis.objects import NOW, event, running

    probe = {"httpGet": {"port": 80}, "periodSeconds": 10}
    slow = pod(
        "web-1", running(ready=False), container={"readinessProbe": probe, "resources": {"limits": {"cpu": "500m"}}}
    )
    late = event(
        slow, "Unhealthy", 'Readiness probe failed: Get "http://x": context deadline exceeded', container="app"
    )
    for used, expected in (("495m", True), ("200m", False)):
        figures = {
            "metadata": {"name": "web-1", "namespace": "shop"},
            "containers": [{"name": "app", "usage": {"cpu": used}}],
        }
        findings = diagnose(inventory_of([slow, late, node()], NOW, usage=UsageFigures([figures])))
        assert ("throttled" in words_of(one(findings, "ReadinessProbeFails"))) is expected


def test_what_needs_a_service_that_is_down_is_told_at_once() -> None:
    from tests.diagnosis.objects import reasons, running

    probe = {"httpGet": {"port": 80}, "periodSeconds": 10, "failureThreshold": 3}
    env = [{"name": "DB_HOST", "value": "db"}]
    young = pod("web-1", running(ready=False, since=1), container={"readinessProbe": probe, "env": env})
    service = obj("v1", "Service", "db", spec={"selector": {"app": "db"}, "ports": [{"port": 1}]})
    serving = pod("db-0", metadata={"labels": {"app": "db"}})
    assert "ReadinessProbeFails" in reasons(young, service)
    assert "ReadinessProbeFails" not in reasons(young, service, serving)


def test_a_pod_that_names_its_own_service_is_not_its_victim() -> None:
    env = [{"name": "PEERS_URL", "value": "http://web:80"}]
    alone = merged(crashing(env=env), {"metadata": {"labels": {"app": "web"}}})
    service = obj("v1", "Service", "web", spec={"selector": {"app": "web"}, "ports": [{"port": 80}]})
    findings = found(alone, service)
    assert "its settings name" not in words_of(one(findings, "CrashLoop"))
    assert one(findings, "CrashLoop").cause and not one(findings, "ServiceEndpointsNotReady").cause


@pytest.mark.parametrize(("name", "needed"), [("DB_HOST", True), ("OTEL_SERVICE_NAME", False), ("TEAM", False)])
def test_one_bare_word_is_a_host_where_the_variable_says_so(name: str, needed: bool) -> None:
    service = obj("v1", "Service", "db", spec={"selector": {"app": "db"}, "ports": [{"port": 1}]})
    text = told(crashing(env=[{"name": name, "value": "db"}]), service)
    assert ("Service shop/db" in text) is needed


def test_one_pod_of_a_headless_service_names_it() -> None:
    service = obj("v1", "Service", "db", spec={"selector": {"app": "db"}, "clusterIP": "None"})
    assert "Service shop/db" in told(crashing(args=["--peer=x", "db-0.db.shop.svc:5432"]), service)
