"""Controllers: what they count is what is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from kubectl_berth.evals.faithful.world import Rule, World, condition, each, label, ready, selected, time
from kubectl_berth.records import Object

_REVISION = "deployment.kubernetes.io/revision"


def _differ(what: str, said: Any, there: Any) -> Iterator[str]:
    if said != there:
        yield f"{what} is {said}, there is {there}"


def replica_sets(world: World) -> Iterator[str]:
    """ReplicaSets count their pods."""

    def judge(owner: Object) -> Iterator[str]:
        # evicted pods stay for the record and count no more
        pods = [pod for pod in world.owned(owner, "Pod") if pod["status"]["phase"] != "Failed"]
        status = owner["status"]
        yield from _differ("status.replicas", status["replicas"], len(pods))
        if not (condition(owner, "ReplicaFailure") and owner["spec"]["replicas"] > len(pods)):
            yield from _differ("spec.replicas", owner["spec"]["replicas"], len(pods))
        yield from _differ("readyReplicas", status.get("readyReplicas", 0), sum(map(ready, pods)))
        yield from _differ("observedGeneration", status["observedGeneration"], owner["metadata"]["generation"])

    yield from each(world.kind("ReplicaSet"), judge)


def deployments(world: World) -> Iterator[str]:
    """Deployments count their ReplicaSets, and their conditions follow."""

    def judge(owner: Object) -> Iterator[str]:
        status, revision = owner["status"], owner["metadata"]["annotations"][_REVISION]
        sets = {obj["metadata"]["annotations"][_REVISION]: obj for obj in world.owned(owner, "ReplicaSet")}
        if revision not in sets or int(revision) != max(map(int, sets)):
            yield f"revision {revision} is not that of its newest ReplicaSet"
            return
        new = sets[revision]
        if owner["spec"]["template"]["spec"]["containers"] != new["spec"]["template"]["spec"]["containers"]:
            yield "its newest ReplicaSet has another template"
        available = sum(obj["status"].get("readyReplicas", 0) for obj in sets.values())
        for field, there in (
            ("observedGeneration", owner["metadata"]["generation"]),
            ("replicas", sum(obj["status"]["replicas"] for obj in sets.values())),
            ("updatedReplicas", new["status"]["replicas"]),
            ("readyReplicas", available),
            ("availableReplicas", available),
            ("unavailableReplicas", sum(obj["spec"]["replicas"] for obj in sets.values()) - available),
        ):
            yield from _differ(field, status.get(field, 0), there)
        enough = available >= owner["spec"]["replicas"] - _may_miss(owner)
        yield from _differ("condition Available", condition(owner, "Available")["status"], str(enough))
        yield from _progress(world, owner, new)

    yield from each(world.kind("Deployment"), judge)


def _progress(world: World, owner: Object, new: Object) -> Iterator[str]:
    progressing = condition(owner, "Progressing")
    if new["metadata"]["name"] not in progressing["message"]:
        yield "condition Progressing does not name its newest ReplicaSet"
    late = world.now - time(new["metadata"]["creationTimestamp"]) > timedelta(seconds=600)
    whole = new["spec"]["replicas"] == owner["spec"]["replicas"]
    done = whole and all(ready(pod) or _was_ready(pod) for pod in world.owned(new, "Pod"))
    # progress means pods that became available: a rollout that never did is late after its deadline
    expected = "NewReplicaSetAvailable" if done else "ProgressDeadlineExceeded" if late else "ReplicaSetUpdated"
    yield from _differ("the reason of Progressing", progressing["reason"], expected)


def _was_ready(pod: Object) -> bool:
    """Whether a pod that is not ready once was: its condition changed after its birth."""
    changed = condition(pod, "Ready").get("lastTransitionTime", "")
    return bool(changed > pod["metadata"]["creationTimestamp"])


def _may_miss(deployment: Object) -> int:
    strategy = deployment["spec"]["strategy"]
    if strategy["type"] == "Recreate":
        return 0
    most = strategy["rollingUpdate"]["maxUnavailable"]
    return int(deployment["spec"]["replicas"] * int(most[:-1]) / 100) if isinstance(most, str) else int(most)


def sets(world: World) -> Iterator[str]:
    """StatefulSets and DaemonSets count their pods."""

    def stateful(owner: Object) -> Iterator[str]:
        pods = world.owned(owner, "Pod")
        yield from _differ("replicas", owner["status"]["replicas"], len(pods))
        yield from _differ("readyReplicas", owner["status"].get("readyReplicas", 0), sum(map(ready, pods)))

    def daemon(owner: Object) -> Iterator[str]:
        pods = world.owned(owner, "Pod")
        nodes = {pod["spec"]["nodeName"] for pod in pods}
        yield from _differ("desiredNumberScheduled", owner["status"]["desiredNumberScheduled"], len(nodes))
        yield from _differ("numberReady", owner["status"]["numberReady"], sum(map(ready, pods)))

    yield from each(world.kind("StatefulSet"), stateful)
    yield from each(world.kind("DaemonSet"), daemon)


def jobs(world: World) -> Iterator[str]:
    """Jobs count their pods, and CronJobs know their last run."""

    def job(obj: Object) -> Iterator[str]:
        succeeded = sum(pod["status"]["phase"] == "Succeeded" for pod in world.owned(obj, "Pod"))
        yield from _differ("succeeded", obj["status"].get("succeeded", 0), succeeded)
        complete = condition(obj, "Complete").get("status") == "True"
        if bool(obj["status"].get("completionTime")) is not complete:
            yield "has a completionTime and is not complete, or the other way round"

    def cron(obj: Object) -> Iterator[str]:
        runs = world.owned(obj, "Job")
        last = max((run["metadata"]["creationTimestamp"] for run in runs), default=None)
        if last is not None:
            yield from _differ("lastScheduleTime", obj["status"]["lastScheduleTime"], last)
        for run in runs:
            minute = int(run["metadata"]["name"].rsplit("-", 1)[1])
            if minute * 60 != time(run["metadata"]["creationTimestamp"]).timestamp():
                yield f"Job {run['metadata']['name']} is not named after the minute it was due"

    yield from each(world.kind("Job"), job)
    yield from each(world.kind("CronJob"), cron)


def budgets(world: World) -> Iterator[str]:
    """Budgets count their pods."""

    def judge(budget: Object) -> Iterator[str]:
        labels = budget["spec"]["selector"]["matchLabels"]
        pods = selected(world.kind("Pod"), budget["metadata"]["namespace"], labels)
        status, healthy = budget["status"], sum(map(ready, pods))
        least = budget["spec"].get("minAvailable", len(pods) - budget["spec"].get("maxUnavailable", 0))
        yield from _differ("expectedPods", status["expectedPods"], len(pods))
        yield from _differ("currentHealthy", status["currentHealthy"], healthy)
        yield from _differ("desiredHealthy", status["desiredHealthy"], least)
        yield from _differ("disruptionsAllowed", status["disruptionsAllowed"], max(0, healthy - least))
        allowed = condition(budget, "DisruptionAllowed")["status"]
        yield from _differ("condition DisruptionAllowed", allowed, str(status["disruptionsAllowed"] > 0))

    yield from each(world.kind("PodDisruptionBudget"), judge)


def endpoints(world: World) -> Iterator[str]:
    """EndpointSlices hold the pods that their Service selects."""

    def judge(service: Object) -> Iterator[str]:
        name, namespace = service["metadata"]["name"], service["metadata"]["namespace"]
        selector = service["spec"].get("selector")
        if not selector:
            return
        held = [
            obj
            for obj in world.kind("EndpointSlice")
            if obj["metadata"]["namespace"] == namespace and label(obj, "kubernetes.io/service-name") == name
        ]
        if not held:
            yield "has no EndpointSlice"
            return
        pods = [pod for pod in selected(world.kind("Pod"), namespace, selector) if pod["status"].get("podIP")]
        expected = {(pod["metadata"]["uid"], pod["status"]["podIP"], ready(pod)) for pod in pods}
        found = {
            (entry["targetRef"]["uid"], entry["addresses"][0], entry["conditions"]["ready"])
            for obj in held
            for entry in obj.get("endpoints") or []
        }
        if found != expected:
            yield f"its EndpointSlice holds {len(found)} endpoints, not the {len(expected)} pods it selects"
        ports = {port.get("name", "") for port in service["spec"]["ports"]}
        if any({port["name"] for port in obj.get("ports") or []} not in (ports, set()) for obj in held):
            yield "its EndpointSlice has other ports"

    yield from each(world.kind("Service"), judge)


RULES: Mapping[str, Rule] = {
    "replica sets": replica_sets,
    "deployments": deployments,
    "stateful and daemon sets": sets,
    "jobs": jobs,
    "budgets": budgets,
    "endpoints": endpoints,
}
