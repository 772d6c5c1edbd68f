"""Faults of pods, planted in the healthy cluster: each is found as the one cause, in the words of two versions."""

from __future__ import annotations

import pytest

from tests.diagnosis.planted import VERSIONS, Obj, Plants, World, assert_the_cause

plant = Plants()
CATALOG = ("Deployment", "shop", "catalog")
SEARCH = ("Deployment", "shop", "search")


def first(w: World, workload: tuple[str, str, str] = SEARCH) -> Obj:
    return w.pods(*workload)[0]


def pulls(w: World, pod: Obj, tail: str) -> Obj:
    image = pod["spec"]["containers"][0]["image"]
    name = w.waits(w.young(pod), "ImagePullBackOff", f'Back-off pulling image "{image}": ErrImagePull: {tail}')
    w.event(pod, "Failed", f'Failed to pull image "{image}": {tail}', container=name)
    w.event(pod, "Failed", "Error: ErrImagePull", container=name)
    w.event(pod, "BackOff", f'Back-off pulling image "{image}"', container=name, kind="Normal")
    return pod


@plant("tag", "ImageNotFound", ["shop/search", "no such image or tag"], ["credential", "cannot reach"])
def _(w: World) -> Obj:
    words = "rpc error: code = NotFound desc = failed to pull and unpack image: failed to resolve reference: not found"
    return pulls(w, first(w), words)


@plant(
    "pull secret", "ImageAccessDenied", ["regcred does not exist in namespace shop", "create"], ["no such image or tag"]
)
def _(w: World) -> Obj:
    pod = first(w)
    pod["spec"]["imagePullSecrets"] = [{"name": "regcred"}]
    words = "pull access denied, repository does not exist or may require authorization: server message: "
    w.event(pod, "FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.")  # fmt: skip # noqa: E501
    return pulls(w, pod, words + "insufficient_scope: authorization failed")


@plant("rate limit", "ImageRateLimited", ["429"], ["no such image"])
def _(w: World) -> Obj:
    words = "unexpected status code https://registry-1.docker.io/v2/x: 429 Too Many Requests - Server message: "
    return pulls(w, first(w), words + "toomanyrequests: You have reached your unauthenticated pull rate limit")


@plant("platform", "ImageWrongArchitecture", ["architecture arm64", "node-c"], ["no such image or tag"])
def _(w: World) -> Obj:
    w.get("Node", "", "node-c")["status"]["nodeInfo"]["architecture"] = "arm64"
    return pulls(w, first(w), "no match for platform in manifest: not found")


@plant("name", "InvalidImageName", ["Shop/Search"], ["credential"])
def _(w: World) -> Obj:
    pod = first(w)
    pod["spec"]["containers"][0]["image"] = "registry.example.com/Shop/Search:1"
    words = 'Failed to apply default image tag "registry.example.com/Shop/Search:1": couldn\'t parse image name'
    w.event(pod, "InspectFailed", words + ": invalid reference format: repository name must be lowercase")
    w.waits(w.young(pod), "InvalidImageName", words)
    return pod


@plant("never pulled", "ImageNeverPulled", ["imagePullPolicy is Never"], ["the registry"])
def _(w: World) -> Obj:
    pod = first(w)
    text = 'Container image "x" is not present with pull policy of Never'
    w.event(pod, "ErrImageNeverPull", text, container=w.waits(w.young(pod), "ErrImageNeverPull", text))
    return pod


@plant("registry from one node", "NodeCannotPull", ["node-c"], [])
def _(w: World) -> Obj:
    for workload in (SEARCH, CATALOG, ("Deployment", "analytics", "exporter")):
        pod = next(one for one in w.pods(*workload) if one["spec"]["nodeName"] == "node-c")
        pulls(w, pod, "dial tcp: lookup registry.example.com on 10.0.0.2:53: no such host")
    return w.get("Node", "", "node-c")


@plant("exception at start", "CrashLoop", ["code 1", r"logs search\S* .*--previous"], ["OOM", "memory"])
def _(w: World) -> Obj:
    pod = first(w)
    w.crashes(pod)
    return pod


@plant("wrong binary", "ContainerCannotStart", ['exec: "serv"', "not found"], ["image cannot be pulled"])
def _(w: World) -> Obj:
    pod = first(w)
    pod["spec"]["containers"][0]["command"] = ["serv"]
    text = 'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "serv": executable file not found in $PATH: unknown'  # noqa: E501
    last = {"exitCode": 128, "reason": "StartError", "message": text, "finishedAt": w.ago(3)}
    w.waits(pod, "RunContainerError", text, restarts=6, last=last)
    return pod


@plant("wrong binary, in back-off", "ContainerCannotStart", ['exec: "serv"'], ["--previous"])
def _(w: World) -> Obj:
    pod = first(w)
    w.crashes(pod, 128, "StartError")
    pod["status"]["containerStatuses"][0]["lastState"]["terminated"]["message"] = 'exec: "serv": not found'
    return pod


@plant("memory", "OOMKilled", ["memory limit 256Mi|memory limit", "raise the memory limit"], ["liveness", "lower"])
def _(w: World) -> Obj:
    pod = first(w)
    w.crashes(pod, 137, "OOMKilled")
    return pod


@plant("slow start", "LivenessProbeKills", ["initialDelaySeconds 10", "periodSeconds 15", "startupProbe"], ["OOM", "memory"])  # fmt: skip # noqa: E501
def _(w: World) -> Obj:
    pod = first(w, CATALOG)
    name = w.crashes(pod, 137, "Error", ran=1)
    text = 'Liveness probe failed: Get "http://10.2.3.4:8080/healthz": dial tcp 10.2.3.4:8080: connect: connection refused'  # fmt: skip # noqa: E501
    w.event(pod, "Unhealthy", text, container=name, times=20)
    w.event(pod, "Killing", f"Container {name} failed liveness probe, will be restarted", container=name, kind="Normal")
    return pod


@plant("probe port", "LivenessProbeKills", ["8081", "8080"], ["NetworkPolicy", "memory"])
def _(w: World) -> Obj:
    pod = first(w, CATALOG)
    name = str(pod["spec"]["containers"][0]["name"])
    pod["spec"]["containers"][0]["livenessProbe"]["httpGet"]["port"] = 8081
    w.crashes(pod, 143)
    text = 'Liveness probe failed: Get "http://10.2.3.4:8081/healthz": dial tcp 10.2.3.4:8081: connect: connection refused'  # fmt: skip # noqa: E501
    w.event(pod, "Unhealthy", text, container=name, times=20)
    w.event(pod, "Killing", f"Container {name} failed liveness probe, will be restarted", container=name, kind="Normal")
    return pod


@plant("batch in a Deployment", "CompletedButRestarted", ["exit code 0", "Job"], ["fails"])
def _(w: World) -> Obj:
    pod = first(w)
    w.crashes(pod, 0, "Completed")
    return pod


@plant("segfault", "CrashLoop", ["SIGSEGV", "139"], ["OOM", "more memory than"])
def _(w: World) -> Obj:
    pod = first(w)
    w.crashes(pod, 139)
    return pod


@plant("start hook", "PostStartHookFails", ["postStart"], ["memory"])
def _(w: World) -> Obj:
    pod = first(w)
    pod["spec"]["containers"][0]["lifecycle"] = {"postStart": {"exec": {"command": ["false"]}}}
    name = w.crashes(pod, 137)
    w.event(pod, "FailedPostStartHook", "PostStartHook failed", container=name)
    return pod


def with_init(pod: Obj, state: Obj, **more: object) -> None:
    pod["spec"]["initContainers"] = [{"name": "migrate", "image": "migrate:1", **more}]
    status = {"name": "migrate", "ready": False, "restartCount": 7, "image": "migrate:1", **state}
    pod["status"] |= {"phase": "Pending", "initContainerStatuses": [status]}
    pod["status"]["containerStatuses"][0] |= {"ready": False, "state": {"waiting": {"reason": "PodInitializing"}}}


@plant(
    "init container", "InitContainerFails", ["init container migrate", "have not started"], ["container search exits"]
)
def _(w: World) -> Obj:
    pod = w.young(first(w))
    last = {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": w.ago(2)}}
    with_init(pod, {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": last})
    w.unready(pod)
    return pod


@plant("sidecar", "CrashLoop", ["container envoy"], ["container search exits"])
def _(w: World) -> Obj:
    pod = first(w)
    last = {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": w.ago(2)}}
    held = copy_of(pod["status"])
    with_init(pod, {}, restartPolicy="Always")
    pod["spec"]["initContainers"][0]["name"] = "envoy"
    pod["status"] |= {**held, "initContainerStatuses": [
        {"name": "envoy", "ready": False, "started": True, "restartCount": 8, "lastState": last,
         "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}  # fmt: skip
    w.unready(pod)
    return pod


def copy_of(obj: Obj) -> Obj:
    return {**obj, "containerStatuses": [dict(one) for one in obj["containerStatuses"]]}


@plant("init waits for a service whose pod pends", "InsufficientResources", ["cpu"], ["init container"])
def _(w: World) -> Obj:
    cache = w.pods("StatefulSet", "shop", "session-cache")[0]
    cache["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1500m"
    w.pends(cache, "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.")  # fmt: skip # noqa: E501
    pod = w.young(first(w))
    command = ["sh", "-c", "until nc -z session-cache.shop 6379; do sleep 2; done"]
    with_init(pod, {"state": {"running": {"startedAt": w.ago(20)}}, "restartCount": 0}, command=command)
    w.unready(pod)
    return cache


@plant("root user", "RunAsNonRootConflict", ["runAsUser"], ["Secret", "ConfigMap"])
def _(w: World) -> Obj:
    pod = first(w)
    text = 'container has runAsNonRoot and image will run as root (pod: "search", container: search)'
    w.waits(w.young(pod), "CreateContainerConfigError", text)
    return pod


@plant(
    "priority",
    "Preempts",
    ["nightly-report", "priority 1000", "priority 0", "search"],
    ["memory", "evicted it to save"],
)
def _(w: World) -> Obj:
    winner = w.pods_of_job("jobs", "nightly-report-29852760")[0]
    winner["spec"]["priority"] = 1000
    winner["status"] |= {"phase": "Running"}
    pod = first(w)
    pod["spec"]["priority"] = 0
    pod["status"]["phase"] = "Failed"
    w.unready(pod, 4)
    words = "default-scheduler: preempting to accommodate a higher priority pod"
    w.condition(pod, "DisruptionTarget", "True", "PreemptionByScheduler", words, minutes=4)
    w.event(pod, "Preempted", f"Preempted by pod {winner['metadata']['uid']} on node node-c", minutes=4, times=1)
    return w.get("CronJob", "jobs", "nightly-report")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", plant)
def test_the_planted_fault_is_the_cause(name: str, version: str) -> None:
    assert_the_cause(plant[name], version)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_cluster_without_a_fault_has_none(version: str) -> None:
    assert World().findings(version) == []
