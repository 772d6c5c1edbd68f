"""Every scenario is a cluster that could be: what belongs together agrees, and the words are those of its version."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from kubectl_berth.cluster.quantities import quantity
from kubectl_berth.cluster.snapshot_files import read_layer
from kubectl_berth.errors import ReadError
from kubectl_berth.records import Object
from tests.scenarios.world import World, condition, ident, label, owners, ready, selected, time, world, worlds

EVENT_TTL = timedelta(hours=1)
BACKOFFS = {"10s": 10, "20s": 20, "40s": 40, "1m20s": 80, "2m40s": 160, "5m0s": 300}
FUTURE = {"notAfter", "renewalTime", "ledger-db-ca", "ledger-db-replication", "ledger-db-server"}
RFC3339 = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
CLUSTER_KINDS = {"Node", "PersistentVolume", "Namespace"}

VERSIONS = ("v1.30.3", "v1.31.4", "v1.32.6", "v1.33.5", "v1.34.2", "v1.35.3", "v1.36.2")


def shown(key: tuple[Any, ...]) -> str:
    """A world's name in the test's."""
    name, twin, *version = key
    return "-".join([name, *(["twin"] if twin else []), *version])


each = pytest.mark.parametrize("here", worlds(), ids=shown, indirect=True)
spoken = pytest.mark.parametrize(
    "here", [(*key, version) for key in worlds() for version in VERSIONS], ids=shown, indirect=True
)


@pytest.fixture(scope="module")
def here(request: pytest.FixtureRequest) -> World:
    """The world of a test. Of module scope, so that all tests of one world run together."""
    return world(*request.param)


def times(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every time in an object, with the field it stands in."""
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from times(entry, name)
    elif isinstance(value, list):
        for entry in value:
            yield from times(entry, key)
    elif isinstance(value, str) and RFC3339.match(value):
        yield key, value


def statuses(pod: Object) -> list[dict[str, Any]]:
    """Container statuses, init containers first."""
    return [*pod["status"].get("initContainerStatuses", []), *pod["status"].get("containerStatuses", [])]


# --- what belongs together ------------------------------------------------------------------------------------------


@each
def test_every_object_in_the_directories_is_served(here: World) -> None:
    served = {(obj["apiVersion"], ident(obj)) for obj in here.all()}
    removed = [rule for layer in here.layers for rule in read_layer(layer).about.removed]
    for layer in here.layers:
        for obj in read_layer(layer).objects:
            if obj["kind"] in ("Secret", "ConfigMap") or any(rule.means(obj) for rule in removed):
                continue
            assert (obj["apiVersion"], ident(obj)) in served, ident(obj)


@each
def test_what_a_twin_removes_was_there(here: World) -> None:
    below: list[Object] = []
    for layer in map(read_layer, here.layers):
        for rule in layer.about.removed:
            assert any(rule.means(obj) for obj in below), rule
        below.extend(layer.objects)


@each
def test_uids_are_unique(here: World) -> None:
    uids = Counter(obj["metadata"].get("uid") for obj in here.all() if "Metrics" not in obj["kind"])
    assert [uid for uid, count in uids.items() if count > 1 or not uid] == []


@each
def test_owners_exist_with_the_same_uid(here: World) -> None:
    uids = {obj["metadata"].get("uid"): obj for obj in here.all()}
    for obj in here.all():
        for ref in owners(obj):
            owner = uids.get(ref["uid"])
            assert owner is not None, f"{ident(obj)}: {ref}"
            assert (owner["kind"], owner["apiVersion"]) == (ref["kind"], ref["apiVersion"]), ident(obj)
            assert owner["metadata"]["name"] == ref["name"], ident(obj)
            assert owner["metadata"].get("namespace") in (None, obj["metadata"].get("namespace")), ident(obj)


@each
def test_namespaces_and_service_accounts_exist(here: World) -> None:
    namespaces = {obj["metadata"]["name"] for obj in here.kind("Namespace") if obj["metadata"].get("uid")}
    accounts = {(obj["metadata"]["namespace"], obj["metadata"]["name"]) for obj in here.kind("ServiceAccount")}
    for obj in here.all():
        assert obj["metadata"].get("namespace") in (None, *namespaces), ident(obj)
    for pod in here.kind("Pod"):
        account = pod["spec"]["serviceAccountName"]
        assert account == "default" or (pod["metadata"]["namespace"], account) in accounts, ident(pod)


@each
def test_no_name_gives_the_answer_away(here: World) -> None:
    telling = re.compile(r"broken|\bbad\b|faulty|oom|crash|wrong|unhealthy|missing|victim|\bfault")
    for obj in here.all():
        metadata = obj["metadata"]
        names = [metadata["name"], *(metadata.get("labels") or {}).values(), *(metadata.get("annotations") or {})]
        assert not any(telling.search(str(name).lower()) for name in names), ident(obj)


@each
def test_what_is_withheld_stays_withheld(here: World) -> None:
    assert "CANARY" not in json.dumps(list(here.all()))


# --- pods -----------------------------------------------------------------------------------------------------------


@each
def test_pods_are_named_after_their_owner(here: World) -> None:
    for pod in here.kind("Pod"):
        for ref in owners(pod):
            name = pod["metadata"]["name"]
            assert name.startswith(ref["name"]), ident(pod)
            if ref["kind"] == "ReplicaSet":
                assert label(pod, "pod-template-hash") == ref["name"].rsplit("-", 1)[1], ident(pod)
                assert pod["metadata"]["generateName"] == ref["name"] + "-", ident(pod)
            if ref["kind"] == "Job":
                assert label(pod, "batch.kubernetes.io/job-name") == ref["name"], ident(pod)
                assert label(pod, "batch.kubernetes.io/controller-uid") == ref["uid"], ident(pod)
    for kind in ("StatefulSet", "DaemonSet"):
        for owner in here.kind(kind):
            revisions = {obj["metadata"]["name"] for obj in here.owned(owner, "ControllerRevision")}
            for pod in here.owned(owner, "Pod"):
                revision = label(pod, "controller-revision-hash")
                full = revision if kind == "StatefulSet" else f"{owner['metadata']['name']}-{revision}"
                assert full in revisions, ident(pod)


@each
def test_pods_run_on_nodes_that_exist(here: World) -> None:
    nodes = {node["metadata"]["name"]: node for node in here.kind("Node")}
    addresses: Counter[str] = Counter()
    for pod in here.kind("Pod"):
        if not pod["spec"].get("nodeName"):
            assert pod["status"]["phase"] == "Pending", ident(pod)
            continue
        node = nodes[pod["spec"]["nodeName"]]
        internal = next(entry["address"] for entry in node["status"]["addresses"] if entry["type"] == "InternalIP")
        assert pod["status"]["hostIP"] == internal, ident(pod)
        if pod["spec"].get("hostNetwork"):
            assert pod["status"]["podIP"] == internal, ident(pod)
        else:
            assert pod["status"]["podIP"].startswith(node["spec"]["podCIDR"].rsplit(".", 1)[0] + "."), ident(pod)
            addresses[pod["status"]["podIP"]] += 1
    assert [address for address, count in addresses.items() if count > 1] == []


@each
def test_requests_and_pods_fit_on_the_nodes(here: World) -> None:
    for node in here.kind("Node"):
        name, room = node["metadata"]["name"], node["status"]["allocatable"]
        pods = [
            pod
            for pod in here.kind("Pod")
            if pod["spec"].get("nodeName") == name and pod["status"]["phase"] in ("Running", "Pending")
        ]
        assert len(pods) <= int(room["pods"])
        for resource in ("cpu", "memory"):
            asked = sum(
                quantity(container.get("resources", {}).get("requests", {}).get(resource, "0"))
                for pod in pods
                for container in pod["spec"]["containers"]
            )
            assert asked <= quantity(room[resource]), f"{name}: {resource}"


@each
def test_container_statuses_match_the_spec(here: World) -> None:
    for pod in here.kind("Pod"):
        spec, status = pod["spec"], pod["status"]
        for wanted, shown in (("containers", "containerStatuses"), ("initContainers", "initContainerStatuses")):
            images = {container["name"]: container["image"] for container in spec.get(wanted, [])}
            entries = status.get(shown, [])
            assert {entry["name"]: entry["image"] for entry in entries} == images or not entries, ident(pod)
        for entry in statuses(pod):
            state = entry["state"]
            assert len(state) == 1, ident(pod)
            never_ran = "waiting" in state and not entry["lastState"]
            assert bool(entry.get("containerID")) is not never_ran, ident(pod)
            assert bool(entry["imageID"]) is not never_ran, ident(pod)
            if "running" in state:
                assert entry["started"] in (True, False), ident(pod)
            elif entry["ready"]:
                assert state.get("terminated", {}).get("exitCode") == 0, ident(pod)


@each
def test_restarts_agree_with_the_last_state(here: World) -> None:
    for pod in here.kind("Pod"):
        uid, name, namespace = (pod["metadata"][key] for key in ("uid", "name", "namespace"))
        for entry in statuses(pod):
            ended = entry["lastState"].get("terminated")
            assert (entry["restartCount"] > 0) is bool(ended), ident(pod)
            if ended:
                assert time(ended["startedAt"]) <= time(ended["finishedAt"]) <= here.now, ident(pod)
                assert (ended["reason"] == "OOMKilled") <= (ended["exitCode"] == 137), ident(pod)
                running = entry["state"].get("running")
                assert not running or time(running["startedAt"]) >= time(ended["finishedAt"]), ident(pod)
            waiting = entry["state"].get("waiting", {})
            if waiting.get("reason") == "CrashLoopBackOff":
                container = entry["name"]
                words = rf"back-off (\w+) restarting failed container={container} pod={name}_{namespace}\({uid}\)"
                told = re.fullmatch(words, waiting["message"])
                assert told, waiting
                delay = timedelta(seconds=BACKOFFS[told[1]])
                assert here.now <= time(ended["finishedAt"]) + delay, ident(pod)
                least = sum(min(10 * 2**n, 300) for n in range(entry["restartCount"]))
                assert here.now - time(pod["metadata"]["creationTimestamp"]) > timedelta(seconds=least), ident(pod)


@each
def test_pod_conditions_follow_the_containers(here: World) -> None:
    for pod in here.kind("Pod"):
        if not pod["spec"].get("nodeName"):
            assert condition(pod, "PodScheduled")["status"] == "False", ident(pod)
            continue
        assert condition(pod, "PodScheduled")["status"] == "True", ident(pod)
        unready = [entry["name"] for entry in pod["status"]["containerStatuses"] if not entry["ready"]]
        for kind in ("Ready", "ContainersReady"):
            entry = condition(pod, kind)
            assert (entry["status"] == "True") is not bool(unready), ident(pod)
            if pod["status"]["phase"] == "Succeeded":
                assert entry["reason"] == "PodCompleted", ident(pod)
            elif unready:
                assert entry["reason"] == "ContainersNotReady", ident(pod)
                assert entry["message"] == f"containers with unready status: [{' '.join(unready)}]", ident(pod)


@each
def test_quality_of_service_follows_from_the_spec(here: World) -> None:
    for pod in here.kind("Pod"):
        containers = [*pod["spec"]["containers"], *pod["spec"].get("initContainers", [])]
        resources = [container.get("resources", {}) for container in containers]
        if not any(entry.get("requests") or entry.get("limits") for entry in resources):
            expected = "BestEffort"
        elif all(
            entry.get("limits", {}).get(name) and entry.get("requests", {}).get(name) == entry["limits"][name]
            for entry in resources
            for name in ("cpu", "memory")
        ):
            expected = "Guaranteed"
        else:
            expected = "Burstable"
        assert pod["status"]["qosClass"] == expected, ident(pod)


@each
def test_claims_are_bound_to_volumes_that_claim_them(here: World) -> None:
    volumes = {volume["metadata"]["name"]: volume for volume in here.kind("PersistentVolume")}
    claims = {
        (obj["metadata"]["namespace"], obj["metadata"]["name"]): obj for obj in here.kind("PersistentVolumeClaim")
    }
    for claim in claims.values():
        if claim["status"]["phase"] == "Bound":
            reference = volumes[claim["spec"]["volumeName"]]["spec"]["claimRef"]
            assert reference["uid"] == claim["metadata"]["uid"], ident(claim)
    for pod in here.kind("Pod"):
        for volume in pod["spec"].get("volumes", []):
            claimed = volume.get("persistentVolumeClaim")
            assert not claimed or (pod["metadata"]["namespace"], claimed["claimName"]) in claims, ident(pod)


@each
def test_logs_belong_to_containers_that_exist(here: World) -> None:
    pods = {(pod["metadata"]["namespace"], pod["metadata"]["name"]): pod for pod in here.kind("Pod")}
    top = here.layers[-1]
    for path in top.glob("logs/*/*/*.log"):
        namespace, name, file = path.relative_to(top / "logs").parts
        pod = pods[namespace, name]
        container = file.removesuffix(".log").removesuffix(".previous")
        entry = next(entry for entry in statuses(pod) if entry["name"] == container)
        if file.endswith(".previous.log"):
            assert entry["lastState"].get("terminated"), path
    for pod in pods.values():
        for entry in pod["status"].get("containerStatuses", []):
            if not entry["lastState"]:
                with pytest.raises(ReadError, match="previous terminated container"):
                    here.cluster.log(
                        pod["metadata"]["name"], pod["metadata"]["namespace"], entry["name"], previous=True
                    )
            if entry["state"].get("waiting", {}).get("reason") == "CrashLoopBackOff":
                where = pod["metadata"]["name"], pod["metadata"]["namespace"], entry["name"]
                assert here.cluster.log(*where, previous=True).strip(), ident(pod)


# --- controllers ----------------------------------------------------------------------------------------------------


@each
def test_replica_sets_count_their_pods(here: World) -> None:
    for owner in here.kind("ReplicaSet"):
        pods, status = here.owned(owner, "Pod"), owner["status"]
        assert status["replicas"] == len(pods) == owner["spec"]["replicas"], ident(owner)
        assert status.get("readyReplicas", 0) == sum(map(ready, pods)), ident(owner)
        assert status["observedGeneration"] == owner["metadata"]["generation"], ident(owner)


@each
def test_deployments_count_their_replica_sets(here: World) -> None:
    for owner in here.kind("Deployment"):
        status, revision = owner["status"], owner["metadata"]["annotations"]["deployment.kubernetes.io/revision"]
        sets = {
            obj["metadata"]["annotations"]["deployment.kubernetes.io/revision"]: obj
            for obj in here.owned(owner, "ReplicaSet")
        }
        new = sets[revision]
        assert len(sets) > 1 and int(revision) == max(map(int, sets)), ident(owner)
        containers = [obj["spec"]["template"]["spec"]["containers"] for obj in (owner, new)]
        assert containers[0] == containers[1], ident(owner)
        assert status["observedGeneration"] == owner["metadata"]["generation"], ident(owner)
        assert status["replicas"] == sum(obj["status"]["replicas"] for obj in sets.values()), ident(owner)
        assert status["updatedReplicas"] == new["status"]["replicas"], ident(owner)
        available = sum(obj["status"].get("readyReplicas", 0) for obj in sets.values())
        assert status.get("readyReplicas", 0) == status.get("availableReplicas", 0) == available, ident(owner)
        assert status.get("unavailableReplicas", 0) == status["replicas"] - available, ident(owner)
        enough = available >= owner["spec"]["replicas"] - _may_miss(owner)
        assert condition(owner, "Available")["status"] == str(enough), ident(owner)
        progressing = condition(owner, "Progressing")
        assert new["metadata"]["name"] in progressing["message"], ident(owner)
        late = here.now - time(new["metadata"]["creationTimestamp"]) > timedelta(seconds=600)
        whole = new["spec"]["replicas"] == owner["spec"]["replicas"]
        done = whole and all(ready(pod) or _was_ready(pod) for pod in here.owned(new, "Pod"))
        # progress means pods that became available: a rollout that never did is late after its deadline
        expected = "NewReplicaSetAvailable" if done else "ProgressDeadlineExceeded" if late else "ReplicaSetUpdated"
        assert progressing["reason"] == expected, ident(owner)


def _was_ready(pod: Object) -> bool:
    """Whether a pod that is not ready once was: its condition changed after its birth."""
    return (
        bool(condition(pod, "Ready"))
        and condition(pod, "Ready")["lastTransitionTime"] > pod["metadata"]["creationTimestamp"]
    )


def _may_miss(deployment: Object) -> int:
    strategy = deployment["spec"]["strategy"]
    if strategy["type"] == "Recreate":
        return 0
    most = strategy["rollingUpdate"]["maxUnavailable"]
    return int(deployment["spec"]["replicas"] * int(most[:-1]) / 100) if isinstance(most, str) else int(most)


@each
def test_stateful_and_daemon_sets_count_their_pods(here: World) -> None:
    for owner in here.kind("StatefulSet"):
        pods = here.owned(owner, "Pod")
        assert owner["status"]["replicas"] == len(pods), ident(owner)
        assert owner["status"]["readyReplicas"] == sum(map(ready, pods)), ident(owner)
    for owner in here.kind("DaemonSet"):
        pods = here.owned(owner, "Pod")
        assert owner["status"]["desiredNumberScheduled"] == len({pod["spec"]["nodeName"] for pod in pods}), ident(owner)
        assert owner["status"]["numberReady"] == sum(map(ready, pods)), ident(owner)


@each
def test_jobs_and_cron_jobs_agree(here: World) -> None:
    for job in here.kind("Job"):
        pods = here.owned(job, "Pod")
        succeeded = sum(pod["status"]["phase"] == "Succeeded" for pod in pods)
        assert job["status"].get("succeeded", 0) == succeeded, ident(job)
        assert bool(job["status"].get("completionTime")) is (condition(job, "Complete").get("status") == "True")
    for cron in here.kind("CronJob"):
        jobs = here.owned(cron, "Job")
        assert cron["status"]["lastScheduleTime"] == max(job["metadata"]["creationTimestamp"] for job in jobs)
        for job in jobs:
            minute = int(job["metadata"]["name"].rsplit("-", 1)[1])
            assert minute * 60 == time(job["metadata"]["creationTimestamp"]).timestamp(), ident(job)


@each
def test_budgets_count_their_pods(here: World) -> None:
    for budget in here.kind("PodDisruptionBudget"):
        labels = budget["spec"]["selector"]["matchLabels"]
        pods = selected(here.kind("Pod"), budget["metadata"]["namespace"], labels)
        status = budget["status"]
        healthy = sum(map(ready, pods))
        least = budget["spec"].get("minAvailable", len(pods) - budget["spec"].get("maxUnavailable", 0))
        assert (status["expectedPods"], status["currentHealthy"]) == (len(pods), healthy), ident(budget)
        assert status["desiredHealthy"] == least, ident(budget)
        assert status["disruptionsAllowed"] == max(0, healthy - least), ident(budget)
        allowed = condition(budget, "DisruptionAllowed")
        assert allowed["status"] == str(status["disruptionsAllowed"] > 0), ident(budget)


@each
def test_endpoint_slices_hold_the_pods_that_are_selected(here: World) -> None:
    for service in here.kind("Service"):
        namespace, selector = service["metadata"]["namespace"], service["spec"].get("selector")
        if not selector:
            continue
        held = [
            obj
            for obj in here.kind("EndpointSlice")
            if obj["metadata"]["namespace"] == namespace
            and label(obj, "kubernetes.io/service-name") == service["metadata"]["name"]
        ]
        pods = selected(here.kind("Pod"), namespace, selector)
        expected = {(pod["metadata"]["uid"], pod["status"]["podIP"], ready(pod)) for pod in pods}
        found = [
            (entry["targetRef"]["uid"], entry["addresses"][0], entry["conditions"]["ready"])
            for obj in held
            for entry in obj["endpoints"] or []
        ]
        assert held and len(found) == len(expected) and set(found) == expected, ident(service)
        # the slice of a Service that selects no pod has no ports either
        names = {port.get("name", "") for port in service["spec"]["ports"]} if pods else set()
        for obj in held:
            assert len(obj["endpoints"] or []) <= 100, ident(obj)
            assert {port["name"] for port in obj["ports"] or []} == names, ident(service)


@each
def test_custom_resources_count_their_instances(here: World) -> None:
    for cluster in here.kind("Cluster"):
        pods, status = here.owned(cluster, "Pod"), cluster["status"]
        assert status["instances"] == cluster["spec"]["instances"] == len(pods)
        assert status["readyInstances"] == sum(map(ready, pods))
        assert (condition(cluster, "Ready")["status"] == "True") is all(map(ready, pods))
        primary = [pod for pod in pods if label(pod, "cnpg.io/instanceRole") == "primary"]
        assert [pod["metadata"]["name"] for pod in primary] == [status["currentPrimary"]]


# --- time -----------------------------------------------------------------------------------------------------------


@each
def test_nothing_is_from_the_future(here: World) -> None:
    for obj in here.all():
        for key, moment in times(obj):
            assert key in FUTURE or time(moment) <= here.now, f"{ident(obj)}: {key} {moment}"


@each
def test_children_are_not_older_than_their_owners(here: World) -> None:
    uids = {obj["metadata"].get("uid"): obj for obj in here.all()}
    for obj in here.all():
        for ref in owners(obj):
            created = uids[ref["uid"]]["metadata"]["creationTimestamp"]
            assert obj["metadata"]["creationTimestamp"] >= created, ident(obj)


@each
def test_ready_nodes_have_a_fresh_lease_and_heartbeat(here: World) -> None:
    leases = {
        obj["metadata"]["name"]: obj for obj in here.kind("Lease") if obj["metadata"]["namespace"] == "kube-node-lease"
    }
    for node in here.kind("Node"):
        if condition(node, "Ready")["status"] != "True":
            continue
        age = here.now - time(leases[node["metadata"]["name"]]["spec"]["renewTime"])
        assert age < timedelta(seconds=40), ident(node)
        assert here.now - time(condition(node, "Ready")["lastHeartbeatTime"]) < timedelta(minutes=6), ident(node)


@each
def test_usage_is_fresh_and_of_running_containers(here: World) -> None:
    pods = {(pod["metadata"]["namespace"], pod["metadata"]["name"]): pod for pod in here.kind("Pod")}
    for figures in here.kind("PodMetrics"):
        pod = pods[figures["metadata"]["namespace"], figures["metadata"]["name"]]
        running = {entry["name"] for entry in pod["status"]["containerStatuses"] if "running" in entry["state"]}
        assert {entry["name"] for entry in figures["containers"]} == running, ident(pod)
        assert timedelta() < here.now - time(figures["timestamp"]) < timedelta(seconds=75), ident(pod)
    used: Counter[str] = Counter()
    for figures in here.kind("PodMetrics"):
        pod = pods[figures["metadata"]["namespace"], figures["metadata"]["name"]]
        used[pod["spec"]["nodeName"]] += sum(int(quantity(entry["usage"]["memory"])) for entry in figures["containers"])
    for figures in here.kind("NodeMetrics"):
        assert used[figures["metadata"]["name"]] < quantity(figures["usage"]["memory"]), ident(figures)


# --- events ---------------------------------------------------------------------------------------------------------


@each
def test_events_have_the_shape_of_their_reporter(here: World) -> None:
    for event in here.kind("Event"):
        scheduler = event["reportingComponent"] == "default-scheduler"
        assert (event["firstTimestamp"] is None) is (event["lastTimestamp"] is None) is scheduler, ident(event)
        assert bool(event["eventTime"]) is scheduler, ident(event)
        assert ("count" in event) is not scheduler, ident(event)
        assert event["source"] == ({} if scheduler else event["source"]) and bool(event["source"]) is not scheduler
        if scheduler:
            assert event["action"] in ("Binding", "Scheduling", "Preempting"), ident(event)
        else:
            assert event["source"]["component"] == event["reportingComponent"], ident(event)
            assert time(event["firstTimestamp"]) <= time(event["lastTimestamp"]), ident(event)
            assert (event["count"] > 1) or event["firstTimestamp"] == event["lastTimestamp"], ident(event)
        about = event["involvedObject"]
        home = "default" if about["kind"] in CLUSTER_KINDS else about["namespace"]
        assert event["metadata"]["namespace"] == home, ident(event)


@each
def test_events_are_younger_than_an_hour(here: World) -> None:
    for event in here.kind("Event"):
        series = event.get("series", {}).get("lastObservedTime")
        last = time(series or event["lastTimestamp"] or event["eventTime"])
        assert here.now - last < EVENT_TTL, ident(event)


@each
def test_events_are_about_objects_that_exist(here: World) -> None:
    uids = {obj["metadata"].get("uid"): obj for obj in here.all()}
    for event in here.kind("Event"):
        about = event["involvedObject"]
        obj = uids.get(about["uid"])
        assert obj is not None, ident(event)
        assert (obj["kind"], obj["metadata"]["name"]) == (about["kind"], about["name"]), ident(event)
        assert event["metadata"]["name"].startswith(about["name"] + "."), ident(event)
        first = event["firstTimestamp"] or event["eventTime"]
        assert time(first) >= time(obj["metadata"]["creationTimestamp"]), ident(event)
        if event["reportingComponent"] == "kubelet" and obj["kind"] == "Pod":
            assert event["source"]["host"] == obj["spec"]["nodeName"], ident(event)
            match = re.fullmatch(r"spec\.(containers|initContainers)\{(.+)\}", about.get("fieldPath", ""))
            assert match and match[2] in {entry["name"] for entry in obj["spec"][match[1]]}, ident(event)


@each
def test_back_off_is_a_warning_only_for_restarts(here: World) -> None:
    for event in here.kind("Event"):
        if event["reason"] == "BackOff":
            expected = "Normal" if event["message"].startswith("Back-off pulling image ") else "Warning"
            assert event["type"] == expected, ident(event)


# --- the words of a version -----------------------------------------------------------------------------------------

STARTS = {
    "Created": {30: r"Created container {}", 32: r"Created container: {}", 35: r"Container created"},
    "Started": {30: r"Started container {}", 35: r"Container started"},
}
SCALED = {
    30: r"Scaled up replica set \S+ to \d+( from [1-9]\d*)?|Scaled down replica set \S+ to \d+ from \d+",
    32: r"Scaled (up|down) replica set \S+ from \d+ to \d+",
}
PULLING = {30: r'Back-off pulling image "[^"]+"', 32: r'Back-off pulling image "[^"]+": ErrImagePull: .+'}
SCHEDULING = {
    30: r"(?!.*(taint\(s\)|no new claims|PersistentVolume's)).*",
    33: r"(?!.*(taint\(s\)|no new claims|volume node affinity)).*",
    34: r"(?!.*(untolerated taint \{|available: [^.]*volume node affinity)).*",
}


def wording(table: dict[int, str], minor: int) -> str:
    """The newest entry that is not newer than `minor`."""
    return table[max(since for since in table if since <= minor)]


@spoken
def test_words_are_those_of_the_version(here: World) -> None:
    minor = int(here.version.split(".")[1])
    for event in here.kind("Event"):
        reason, message = event["reason"], event["message"]
        if reason in STARTS:
            container = event["involvedObject"]["fieldPath"].split("{")[1].rstrip("}")
            assert message == wording(STARTS[reason], minor).format(container)
        elif reason == "ScalingReplicaSet":
            assert re.fullmatch(wording(SCALED, minor), message)
        elif reason == "FailedScheduling":
            assert re.fullmatch(wording(SCHEDULING, minor), message)
    for pod in here.kind("Pod"):
        for entry in statuses(pod):
            waiting = entry["state"].get("waiting", {})
            if waiting.get("reason") == "ImagePullBackOff":
                assert re.fullmatch(wording(PULLING, minor), waiting["message"], re.DOTALL)


@spoken
def test_nodes_and_proxies_are_of_the_servers_version(here: World) -> None:
    for node in here.kind("Node"):
        info = node["status"]["nodeInfo"]
        assert info["kubeletVersion"] == here.version
        # since 1.33 the kubelet no longer claims to know the proxy's version
        assert info["kubeProxyVersion"] == (here.version if int(here.version.split(".")[1]) < 33 else "")
    proxies = [pod for pod in here.kind("Pod") if label(pod, "k8s-app") == "kube-proxy"]
    images = {pod["spec"]["containers"][0]["image"] for pod in proxies}
    # where nodes do the proxy's work themselves, there is none
    assert images <= {f"registry.k8s.io/kube-proxy:{here.version}"}


# --- fields ---------------------------------------------------------------------------------------------------------


def unknown_fields(value: Any, kind: str, where: str) -> Iterator[str]:
    """The fields that the Kubernetes API of this type does not have, by the client's models."""
    import kubernetes.client.models as models

    if value is None:
        return
    if match := re.fullmatch(r"List\[(.+)\]|Dict\[str, (.+)\]", kind):
        inner = match[1] or match[2]
        entries = enumerate(value) if isinstance(value, list) else value.items()
        for key, entry in entries:
            yield from unknown_fields(entry, inner, f"{where}.{key}")
        return
    model = getattr(models, kind, None)
    if model is None or not isinstance(value, dict):
        return
    attributes = {field: attribute for attribute, field in model.attribute_map.items()}
    for field, entry in value.items():
        if field not in attributes:
            yield f"{where}.{field}"
        else:
            yield from unknown_fields(entry, model.openapi_types[attributes[field]], f"{where}.{field}")


def model_of(obj: Object) -> str | None:
    """The client's model of a built-in kind."""
    import kubernetes.client.models as models

    group, _, version = obj["apiVersion"].rpartition("/")
    if obj["apiVersion"] == "v1" and obj["kind"] == "Event":
        return "CoreV1Event"
    name = f"{version[0].upper()}{version[1:]}{obj['kind']}"
    return name if hasattr(models, name) and ("." not in group or group.endswith(".k8s.io")) else None


@each
def test_every_field_is_one_that_the_api_has(here: World) -> None:
    for obj in here.all():
        if model := model_of(obj):
            assert list(unknown_fields(obj, model, "")) == [], ident(obj)
