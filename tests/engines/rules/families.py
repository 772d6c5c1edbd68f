"""Small clusters, one for each way that things break in the field, and what a person asks about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.fakes.small_clusters import NOW, SmallCluster, Thing, terminated, waiting

HOUR_AGO = "2026-10-05T08:30:00Z"
DAYS_AGO = "2026-10-02T09:30:00Z"


@dataclass(frozen=True)
class Case:
    """A broken cluster and a question. `first` has to stand in the first line, `says` anywhere, `never` nowhere."""

    name: str
    build: Callable[[SmallCluster], None]
    question: str
    first: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


CASES: list[Case] = []


def case(question: str, *, first: tuple[str, ...] = (), says: tuple[str, ...] = (), never: tuple[str, ...] = ()) -> Any:
    """Registers a builder with its question."""

    def register(build: Callable[[SmallCluster], None]) -> Callable[[SmallCluster], None]:
        CASES.append(Case(build.__name__, build, question, first, says, never))
        return build

    return register


def alone(small: SmallCluster, name: str, space: str, **pod: Any) -> Thing:
    """A Deployment with one pod that is not ready unless said otherwise; the pod."""
    ready = pod.pop("ready", False)
    deployment = small.deployment(name, space, ready=int(ready), image=pod.get("image", ""))
    owner = small.replica_set(deployment, "6b8f7c9d44", ready=int(ready), image=pod.get("image", ""))
    return small.pod(f"{name}-6b8f7c9d44-q7zkd", space, owner=owner, app=name, ready=ready, **pod)


def named(small: SmallCluster, kind: str, name: str) -> Thing:
    """The object of a kind and name."""
    return next(one for one in small.things if one["kind"] == kind and one["metadata"]["name"] == name)


# --- images ---------------------------------------------------------------------------------------------------------


@case(
    "half the pods of web2 pull, half don't??",
    first=("429",),
    says=("limit", "docker"),
    never=("no such image", "wrong tag", "password"),
)
def pull_rate_limit(small: SmallCluster) -> None:
    image = "docker.io/library/nginx:1.27"
    pod = alone(
        small,
        "web2",
        "shop",
        image=image,
        phase="Pending",
        state=waiting("ImagePullBackOff", f'Back-off pulling image "{image}"'),
    )
    small.event(
        pod,
        "Failed",
        f'Failed to pull image "{image}": failed to pull and unpack image: failed to copy: '
        "unexpected status code https://registry-1.docker.io/v2/library/nginx/manifests/sha256:ab: 429 Too Many "
        "Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate "
        "limit.",
    )


@case(
    "works in staging but is in ImagePullBackOff here: ledger in data",
    first=("ledger",),
    says=("arm64",),
    never=("credentials",),
)
def no_manifest_for_the_architecture(small: SmallCluster) -> None:
    image = "registry.example.com/ledger:2.0"
    for thing in small.things:
        if thing["kind"] == "Node":
            thing["status"]["nodeInfo"]["architecture"] = "arm64"
            thing["metadata"]["labels"]["kubernetes.io/arch"] = "arm64"
    pod = alone(
        small,
        "ledger",
        "data",
        image=image,
        phase="Pending",
        state=waiting("ImagePullBackOff", f'Back-off pulling image "{image}"'),
    )
    small.event(
        pod,
        "Failed",
        f'Failed to pull image "{image}": rpc error: code = NotFound desc = failed to pull and '
        f'unpack image "{image}": no match for platform in manifest: not found',
    )


@case(
    "pod says InvalidImageName in shop, what is that", first=("uppercase|lowercase|reference",), says=("Ghcr.io/Acme",)
)
def invalid_image_name(small: SmallCluster) -> None:
    image = "Ghcr.io/Acme/App:v1"
    pod = alone(
        small,
        "front",
        "shop",
        image=image,
        phase="Pending",
        state=waiting("InvalidImageName", f'Failed to apply default image tag "{image}": couldn\'t parse image name'),
    )
    small.event(
        pod,
        "InspectFailed",
        f'Failed to apply default image tag "{image}": couldn\'t parse image name "{image}": '
        "invalid reference format: repository name (Acme/App) must be lowercase",
    )


# --- containers -----------------------------------------------------------------------------------------------------


@case("java pod exits, is it memory? it is called billing", first=("heap|OutOfMemoryError",), never=("OOMKilled by",))
def heap_in_the_process(small: SmallCluster) -> None:
    pod = small.crashing("billing", "shop", code=3, limits={"memory": "2Gi"})
    small.log(
        "shop",
        pod["metadata"]["name"],
        "billing",
        'INFO start\nException in thread "main" java.lang.OutOfMemoryError: Java heap space\n',
        previous=True,
    )


@case("exit code 139 on importer, why?", first=("139|SIGSEGV|segmentation",), never=("OOMKilled",))
def segfault(small: SmallCluster) -> None:
    pod = small.crashing("importer", "jobs", code=139)
    small.log("jobs", pod["metadata"]["name"], "importer", "INFO loading codec\n", previous=True)


@case(
    "importer crashloops with exit code 0? that makes no sense", first=("Completed|exit code 0|ends",), never=("OOM",)
)
def completes_and_is_started_again(small: SmallCluster) -> None:
    pod = small.crashing("importer", "jobs", code=0, reason="Completed")
    small.log("jobs", pod["metadata"]["name"], "importer", "INFO migration done\n", previous=True)


@case(
    "web3 restarts forever but the page loads",
    first=("8081",),
    says=("8080",),
    never=("NetworkPolicy .* cause", "OOM"),
)
def liveness_on_the_wrong_port(small: SmallCluster) -> None:
    pod = alone(
        small,
        "web3",
        "shop",
        restarts=9,
        last=terminated(137),
        spec={
            "containers": [
                {
                    "name": "web3",
                    "image": "registry.example.com/web3:1",
                    "ports": [{"containerPort": 8080}],
                    "livenessProbe": {
                        "httpGet": {"path": "/", "port": 8081},
                        "periodSeconds": 10,
                        "failureThreshold": 3,
                    },
                }
            ]
        },
    )
    small.event(
        pod,
        "Unhealthy",
        'Liveness probe failed: Get "http://10.244.0.9:8081/": dial tcp 10.244.0.9:8081: connect: connection refused',
        count=27,
    )
    small.event(pod, "Killing", "Container web3 failed liveness probe, will be restarted", type="Normal", count=9)
    for previous in (True, False):
        small.log("shop", pod["metadata"]["name"], "web3", "INFO listening on :8080\n", previous=previous)


@case(
    "api in shop shows CreateContainerConfigError after hardening",
    first=("root",),
    says=("runAsNonRoot",),
    never=("Secret .* missing",),
)
def runs_as_root(small: SmallCluster) -> None:
    message = (
        'container has runAsNonRoot and image will run as root (pod: "api-6b8f7c9d44-q7zkd_shop(1)", container: api)'
    )
    pod = alone(
        small,
        "api",
        "shop",
        phase="Pending",
        state=waiting("CreateContainerConfigError", message),
        spec={"securityContext": {"runAsNonRoot": True}},
    )
    small.event(pod, "Failed", f"Error: {message}")


@case("what is the matter with orders?", first=("DB_PASSWORD",), says=("orders-db",), never=("does not exist",))
def secret_key_missing(small: SmallCluster) -> None:
    message = "couldn't find key DB_PASSWORD in Secret shop/orders-db"
    pod = alone(small, "orders", "shop", phase="Pending", state=waiting("CreateContainerConfigError", message))
    small.event(pod, "Failed", f"Error: {message}")


@case("api is up but the pod is 1/2", first=("envoy",), says=("restartCount|CrashLoop",))
def sidecar_crashes(small: SmallCluster) -> None:
    pod = alone(small, "api", "shop")
    status = pod["status"]
    status["containerStatuses"][0].update(ready=True, started=True)
    pod["spec"]["initContainers"] = [
        {"name": "envoy", "image": "registry.example.com/envoy:1", "restartPolicy": "Always"}
    ]
    status["initContainerStatuses"] = [
        {
            "name": "envoy",
            "ready": False,
            "restartCount": 12,
            "image": "e",
            "imageID": "",
            "state": waiting("CrashLoopBackOff"),
            "lastState": terminated(1),
        }
    ]
    small.log(
        "shop",
        pod["metadata"]["name"],
        "envoy",
        "FATAL cannot read /etc/envoy/envoy.yaml: no such file\n",
        previous=True,
    )


@case("Init:0/1 for an hour on front, why", first=("redis",), says=("cache/redis",), never=("image is slow",))
def init_waits_for_a_dead_service(small: SmallCluster) -> None:
    pod = alone(small, "front", "shop", phase="Pending", state=waiting("PodInitializing"))
    pod["spec"]["initContainers"] = [{"name": "wait", "image": "registry.example.com/busybox:1"}]
    pod["status"]["initContainerStatuses"] = [
        {
            "name": "wait",
            "ready": False,
            "restartCount": 0,
            "image": "b",
            "imageID": "",
            "state": {"running": {"startedAt": HOUR_AGO}},
            "lastState": {},
        }
    ]
    small.log("shop", pod["metadata"]["name"], "wait", "waiting for redis.cache:6379...\n" * 5)
    dead = alone(
        small,
        "redis",
        "cache",
        phase="Pending",
        state=waiting("ContainerCreating"),
        spec={"nodeName": "", "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "redis"}}]},
    )
    dead["status"]["conditions"][0] = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
    }
    dead["status"]["containerStatuses"] = []
    claim = small.add(
        "v1",
        "PersistentVolumeClaim",
        "redis",
        "cache",
        status={"phase": "Pending"},
        spec={"storageClassName": "fast-ssd", "accessModes": ["ReadWriteOnce"]},
    )
    small.event(claim, "ProvisioningFailed", 'storageclass.storage.k8s.io "fast-ssd" not found')
    small.service("redis", "cache", {"app": "redis"}, ready=[], unready=[dead["metadata"]["name"]], port=6379)


@case("sidecar update broke api", first=("9090|address already in use",), never=("hostPort",))
def two_containers_one_port(small: SmallCluster) -> None:
    pod = small.crashing("api", "shop")
    small.log(
        "shop", pod["metadata"]["name"], "api", "FATAL listen tcp :9090: bind: address already in use\n", previous=True
    )


@case("api and worker both crash, two bugs?", first=("pg",), says=("worker",), never=("two separate",))
def a_shared_database_is_down(small: SmallCluster) -> None:
    for name in ("api", "worker"):
        pod = small.crashing(name, "shop")
        small.log(
            "shop",
            pod["metadata"]["name"],
            name,
            "FATAL dial tcp 10.96.9.9:5432: connect: connection refused\n",
            previous=True,
        )
    dead = small.add(
        "apps/v1",
        "StatefulSet",
        "pg",
        "data",
        labels={"app": "pg"},
        spec={
            "replicas": 1,
            "serviceName": "pg",
            "selector": {"matchLabels": {"app": "pg"}},
            "template": {
                "metadata": {"labels": {"app": "pg"}},
                "spec": {"containers": [{"name": "pg", "image": "postgres:16"}]},
            },
        },
        status={"replicas": 1, "readyReplicas": 0, "observedGeneration": 1},
    )
    pod = small.pod(
        "pg-0",
        "data",
        owner=dead,
        app="pg",
        image="postgres:16",
        ready=False,
        phase="Pending",
        state=waiting("ContainerCreating"),
    )
    small.event(pod, "FailedMount", 'MountVolume.SetUp failed for volume "pvc-1" : mount failed: exit status 32')
    small.service("pg", "data", {"app": "pg"}, ready=[], unready=["pg-0"], port=5432)


# --- scheduling -----------------------------------------------------------------------------------------------------


def pending(small: SmallCluster, name: str, space: str, message: str, **spec: Any) -> Thing:
    """A pod that no node takes."""
    pod = alone(small, name, space, phase="Pending", state=waiting(""))
    pod["spec"].update({"nodeName": "", **spec})
    pod["status"]["containerStatuses"] = []
    pod["status"]["conditions"] = [
        {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": message,
            "lastTransitionTime": HOUR_AGO,
        }
    ]
    small.event(pod, "FailedScheduling", message)
    return pod


@case("the new worker never shedules", first=("64Gi",), says=("16Gi",), never=("add more nodes of the same",))
def a_request_that_no_node_has(small: SmallCluster) -> None:
    pending(
        small,
        "worker",
        "jobs",
        "0/3 nodes are available: 3 Insufficient memory. preemption: 0/3 nodes are available: "
        "3 No preemption victims found for incoming pod.",
        containers=[{"name": "worker", "image": "w", "resources": {"requests": {"memory": "64Gi"}}}],
    )


@case("gpu job trainer is pending", first=("dedicated=gpu|taint",), says=("dedicated",), never=("Insufficient nvidia",))
def an_untolerated_taint(small: SmallCluster) -> None:
    for thing in small.things:
        if thing["kind"] == "Node":
            thing["spec"]["taints"] = [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]
    pending(
        small,
        "trainer",
        "jobs",
        "0/3 nodes are available: 3 node(s) had untolerated taint(s). no new claims to "
        "deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
    )


@case("batch pods pending since we renamed the pool", first=("pool=batch",), says=("batch-v2",))
def a_selector_that_matches_no_node(small: SmallCluster) -> None:
    for thing in small.things:
        if thing["kind"] == "Node":
            thing["metadata"]["labels"]["pool"] = "batch-v2"
    pending(
        small,
        "batch",
        "jobs",
        "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
        nodeSelector={"pool": "batch"},
    )


@case("nothing schedules since the maintenance", first=("cordon",), says=("node-a", "uncordon"), never=("capacity is",))
def every_node_is_cordoned(small: SmallCluster) -> None:
    for thing in small.things:
        if thing["kind"] == "Node":
            thing["spec"]["unschedulable"] = True
            thing["spec"]["taints"] = [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]
    pending(small, "api", "shop", "0/3 nodes are available: 3 node(s) were unschedulable.")


@case("deployment api has 0 pods and no errors on pods", first=("quota",), says=("team-a",), never=("scheduler",))
def a_quota_that_is_full(small: SmallCluster) -> None:
    deployment = small.deployment("api", "shop", ready=0)
    deployment["status"].update(
        replicas=0,
        conditions=[
            {
                "type": "ReplicaFailure",
                "status": "True",
                "reason": "FailedCreate",
                "message": 'pods "api-6b8f7c9d44-x" is forbidden: exceeded quota: team-a, requested: '
                "limits.cpu=1, used: "
                "limits.cpu=6, limited: limits.cpu=6",
                "lastTransitionTime": HOUR_AGO,
            }
        ],
    )
    owner = small.replica_set(deployment, "6b8f7c9d44", ready=0)
    owner["status"]["replicas"] = 0
    small.event(
        owner,
        "FailedCreate",
        'Error creating: pods "api-6b8f7c9d44-x" is forbidden: exceeded quota: team-a, '
        "requested: limits.cpu=1, used: limits.cpu=6, limited: limits.cpu=6",
    )
    small.add(
        "v1",
        "ResourceQuota",
        "team-a",
        "shop",
        spec={"hard": {"limits.cpu": "6"}},
        status={"hard": {"limits.cpu": "6"}, "used": {"limits.cpu": "6"}},
    )


@case(
    "namespace refuses my pod", first=("PodSecurity",), says=("allowPrivilegeEscalation", "restricted"), never=("RBAC",)
)
def pod_security_refuses(small: SmallCluster) -> None:
    deployment = small.deployment("agent", "ops", ready=0)
    deployment["status"].update(replicas=0)
    owner = small.replica_set(deployment, "6b8f7c9d44", ready=0)
    owner["status"]["replicas"] = 0
    small.event(
        owner,
        "FailedCreate",
        'Error creating: pods "agent-x" is forbidden: violates PodSecurity "restricted:latest": '
        'allowPrivilegeEscalation != false (container "agent" must set '
        "securityContext.allowPrivilegeEscalation=false)",
    )


@case("pods vanish: x in shop should have pods", first=("api-runner",), says=("serviceaccount|service account",))
def service_account_missing(small: SmallCluster) -> None:
    deployment = small.deployment("x", "shop", ready=0)
    deployment["status"].update(replicas=0)
    owner = small.replica_set(deployment, "6b8f7c9d44", ready=0)
    owner["status"]["replicas"] = 0
    small.event(
        owner,
        "FailedCreate",
        'Error creating: pods "x-6b8f7c9d44-" is forbidden: error looking up service account '
        'shop/api-runner: serviceaccount "api-runner" not found',
    )


@case("Pod is SchedulingGated, what now?", first=("gate",), says=("acme.io/quota-check",), never=("Insufficient",))
def scheduling_gate(small: SmallCluster) -> None:
    pod = pending(small, "batcher", "jobs", "", schedulingGates=[{"name": "acme.io/quota-check"}])
    small.things.pop()
    pod["status"]["conditions"] = [
        {
            "type": "PodScheduled",
            "status": "False",
            "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
            "lastTransitionTime": HOUR_AGO,
        }
    ]


# --- storage --------------------------------------------------------------------------------------------------------


@case("redis pvc pending", first=("fast-ssd",), says=("standard",), never=("disk full", "provisioner is down"))
def storage_class_missing(small: SmallCluster) -> None:
    small.add("storage.k8s.io/v1", "StorageClass", "standard", provisioner="ebs.csi.aws.com", reclaimPolicy="Delete")
    claim = small.add(
        "v1",
        "PersistentVolumeClaim",
        "redis-data",
        "cache",
        status={"phase": "Pending"},
        spec={"storageClassName": "fast-ssd", "accessModes": ["ReadWriteOnce"]},
    )
    small.event(claim, "ProvisioningFailed", 'storageclass.storage.k8s.io "fast-ssd" not found')


@case(
    "mysql stuck in ContainerCreating since the node died",
    first=("node-b|attach",),
    says=("node-b",),
    never=("delete the claim", "delete the pvc"),
)
def volume_on_a_dead_node(small: SmallCluster) -> None:
    for thing in small.things:
        if thing["kind"] == "Node" and thing["metadata"]["name"] == "node-b":
            thing["spec"]["taints"] = [{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}]
            thing["status"]["conditions"] = [
                {
                    "type": "Ready",
                    "status": "Unknown",
                    "reason": "NodeStatusUnknown",
                    "message": "Kubelet stopped posting node status.",
                    "lastTransitionTime": HOUR_AGO,
                    "lastHeartbeatTime": HOUR_AGO,
                }
            ]
    small.add(
        "v1",
        "PersistentVolume",
        "pvc-77",
        spec={"claimRef": {"name": "mysql", "namespace": "data"}},
        status={"phase": "Bound"},
    )
    small.add(
        "v1",
        "PersistentVolumeClaim",
        "mysql",
        "data",
        spec={"volumeName": "pvc-77", "accessModes": ["ReadWriteOnce"]},
        status={"phase": "Bound"},
    )
    small.add(
        "storage.k8s.io/v1",
        "VolumeAttachment",
        "csi-1",
        spec={"attacher": "ebs.csi.aws.com", "nodeName": "node-b", "source": {"persistentVolumeName": "pvc-77"}},
        status={"attached": True},
    )
    volumes = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "mysql"}}]}
    pod = alone(small, "mysql", "data", phase="Pending", state=waiting("ContainerCreating"), spec=volumes)
    small.event(
        pod,
        "FailedAttachVolume",
        'Multi-Attach error for volume "pvc-77" Volume is already exclusively attached to '
        "one node and can't be attached to another",
    )


@case(
    "the claim old-data is Terminating forever",
    first=("reader",),
    says=("protection|mount|uses",),
    never=("remove the fin",),
)
def claim_in_use_while_deleted(small: SmallCluster) -> None:
    claim = small.add(
        "v1", "PersistentVolumeClaim", "old-data", "data", spec={"volumeName": "pv-1"}, status={"phase": "Bound"}
    )
    claim["metadata"].update(deletionTimestamp=HOUR_AGO, finalizers=["kubernetes.io/pvc-protection"])
    alone(
        small,
        "reader",
        "data",
        ready=True,
        spec={"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "old-data"}}]},
    )


# --- nodes ----------------------------------------------------------------------------------------------------------


@case("node-c is gone?", first=("node-c",), says=("kubelet|Kubelet",), never=("DiskPressure", "application bug"))
def kubelet_stopped(small: SmallCluster) -> None:
    for thing in small.things:
        if thing["kind"] == "Node" and thing["metadata"]["name"] == "node-c":
            thing["spec"]["taints"] = [{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}]
            thing["status"]["conditions"] = [
                {
                    "type": kind,
                    "status": "Unknown",
                    "reason": "NodeStatusUnknown",
                    "lastTransitionTime": HOUR_AGO,
                    "message": "Kubelet stopped posting node status.",
                    "lastHeartbeatTime": HOUR_AGO,
                }
                for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
            ]


@case("why is node-b SchedulingDisabled", first=("cordon",), never=("NotReady", "is not healthy"))
def one_node_is_cordoned(small: SmallCluster) -> None:
    for thing in small.things:
        if thing["kind"] == "Node" and thing["metadata"]["name"] == "node-b":
            thing["spec"].update(
                unschedulable=True, taints=[{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]
            )


# --- network --------------------------------------------------------------------------------------------------------


@case("503 from cart since this morning", first=("selector",), says=("v2", "v1"), never=("restart the pods", "DNS is"))
def selector_drift(small: SmallCluster) -> None:
    alone(small, "cart", "shop", ready=True, labels={"version": "v1"})
    deployment = next(one for one in small.things if one["kind"] == "Deployment" and one["metadata"]["name"] == "cart")
    deployment["spec"]["template"]["metadata"]["labels"]["version"] = "v1"
    small.service("cart", "shop", {"app": "cart", "version": "v2"}, ready=[])


@case("connection refused through the service of pay, directly it works", first=("8081",), says=("8080",))
def wrong_target_port(small: SmallCluster) -> None:
    pod = alone(
        small,
        "pay",
        "shop",
        ready=True,
        spec={"containers": [{"name": "pay", "image": "p", "ports": [{"name": "http", "containerPort": 8080}]}]},
    )
    small.service("pay", "shop", {"app": "pay"}, ready=[pod["metadata"]["name"]])
    service = next(one for one in small.things if one["kind"] == "Service" and one["metadata"]["name"] == "pay")
    service["spec"]["ports"] = [{"port": 80, "targetPort": 8081}]


@case("nothing in shop can resolve names, is CoreDNS down?", first=("No, ",), says=("default-deny", "53"))
def egress_policy_without_dns(small: SmallCluster) -> None:
    dns = small.healthy("coredns", "kube-system", replicas=2)
    dns["metadata"]["labels"]["k8s-app"] = "kube-dns"
    pod = small.crashing("cart", "shop")
    small.log(
        "shop",
        pod["metadata"]["name"],
        "cart",
        "FATAL lookup pay.shop.svc.cluster.local on 10.96.0.10:53: read udp "
        "10.244.0.9:4242->10.96.0.10:53: i/o timeout\n",
        previous=True,
    )
    small.add(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        "default-deny",
        "shop",
        spec={"podSelector": {}, "policyTypes": ["Egress"], "egress": [{"to": [{"podSelector": {}}]}]},
    )


@case("ingress has no adress", first=("nginx-internal",), says=("class",), never=("certificate",))
def ingress_class_missing(small: SmallCluster) -> None:
    small.add("networking.k8s.io/v1", "IngressClass", "nginx", spec={"controller": "k8s.io/ingress-nginx"})
    small.add(
        "networking.k8s.io/v1",
        "Ingress",
        "front",
        "shop",
        spec={
            "ingressClassName": "nginx-internal",
            "rules": [
                {
                    "host": "a.example.com",
                    "http": {
                        "paths": [
                            {
                                "path": "/",
                                "pathType": "Prefix",
                                "backend": {"service": {"name": "web", "port": {"number": 80}}},
                            }
                        ]
                    },
                }
            ],
        },
        status={"loadBalancer": {}},
    )


@case(
    "external IP of the gateway service edge is pending",
    first=("load balancer|LoadBalancer",),
    never=("selector matches no",),
)
def load_balancer_pending(small: SmallCluster) -> None:
    pod = alone(small, "edge", "shop", ready=True)
    small.service("edge", "shop", {"app": "edge"}, ready=[pod["metadata"]["name"]])
    service = next(one for one in small.things if one["kind"] == "Service" and one["metadata"]["name"] == "edge")
    service["spec"]["type"] = "LoadBalancer"
    service["status"] = {"loadBalancer": {}}
    small.event(
        service,
        "SyncLoadBalancerFailed",
        "Error syncing load balancer: failed to ensure load balancer: quota of load balancers exceeded",
    )


# --- configuration, identity, admission -----------------------------------------------------------------------------


@case("ContainerCreating for 20 min: reports", first=("app-conf",), says=("ConfigMap",), never=("CSI", "storage class"))
def config_map_volume_missing(small: SmallCluster) -> None:
    pod = alone(
        small,
        "reports",
        "ops",
        phase="Pending",
        state=waiting("ContainerCreating"),
        spec={"volumes": [{"name": "conf", "configMap": {"name": "app-conf"}}]},
    )
    small.event(pod, "FailedMount", 'MountVolume.SetUp failed for volume "conf" : configmap "app-conf" not found')


@case("the agent can't see pods", first=("forbidden|cannot list",), says=("list", "system:serviceaccount:ops:agent"))
def role_lacks_a_verb(small: SmallCluster) -> None:
    pod = small.crashing("agent", "ops")
    small.log(
        "ops",
        pod["metadata"]["name"],
        "agent",
        'FATAL pods is forbidden: User "system:serviceaccount:ops:agent" cannot '
        'list resource "pods" in API group "" in the namespace "ops"\n',
        previous=True,
    )


@case("no new pods since 11:00 in any namespace!!", first=("webhook",), says=("policy-gate", "Fail"), never=("quota",))
def webhook_without_endpoints(small: SmallCluster) -> None:
    small.add(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        "policy-gate",
        webhooks=[
            {
                "name": "validate.policy.example.com",
                "failurePolicy": "Fail",
                "clientConfig": {"service": {"name": "policy", "namespace": "ops", "path": "/validate"}},
                "rules": [{"apiGroups": [""], "resources": ["pods"], "operations": ["CREATE"], "apiVersions": ["v1"]}],
            }
        ],
    )
    small.service("policy", "ops", {"app": "policy"}, ready=[])
    small.deployment("policy", "ops", replicas=0)
    deployment = small.deployment("api", "shop", ready=0)
    deployment["status"].update(replicas=0)
    owner = small.replica_set(deployment, "6b8f7c9d44", ready=0)
    owner["status"]["replicas"] = 0
    small.event(
        owner,
        "FailedCreate",
        "Error creating: Internal error occurred: failed calling webhook "
        '"validate.policy.example.com": failed to call webhook: Post '
        '"https://policy.ops.svc:443/validate?timeout=10s": '
        'no endpoints available for service "policy"',
    )


# --- scaling, rollouts, jobs ----------------------------------------------------------------------------------------


def scaler(small: SmallCluster, name: str, conditions: list[Thing], **status: Any) -> None:
    """An autoscaler of a Deployment."""
    small.add(
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        name,
        "shop",
        spec={
            "minReplicas": 1,
            "maxReplicas": 3,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
            "metrics": [
                {
                    "type": "Resource",
                    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}},
                }
            ],
        },
        status={"currentReplicas": 1, "desiredReplicas": 1, "conditions": conditions, **status},
    )


@case(
    "cpu is at 95 % and web does not scale, should we raise max?",
    first=("request",),
    says=("istio-proxy",),
    never=("metrics-server is down",),
)
def autoscaler_without_requests(small: SmallCluster) -> None:
    scaler(
        small,
        "web",
        [
            {"type": "AbleToScale", "status": "True"},
            {
                "type": "ScalingActive",
                "status": "False",
                "reason": "FailedGetResourceMetric",
                "lastTransitionTime": HOUR_AGO,
                "message": "the HPA was unable to compute the "
                "replica count: failed to get cpu utilization: missing request for cpu in "
                "container istio-proxy of Pod web-x",
            },
        ],
    )


@case(
    "autoscaler of web stopped scaling", first=("max|3",), says=("maximum|maxReplicas",), never=("metrics server is",)
)
def autoscaler_at_its_maximum(small: SmallCluster) -> None:
    scaler(
        small,
        "web",
        [
            {"type": "AbleToScale", "status": "True"},
            {"type": "ScalingActive", "status": "True"},
            {
                "type": "ScalingLimited",
                "status": "True",
                "reason": "TooManyReplicas",
                "lastTransitionTime": HOUR_AGO,
                "message": "the desired replica count is more than the maximum replica count",
            },
        ],
        currentReplicas=3,
        desiredReplicas=3,
    )


@case(
    "my image change to pricing is ignored", first=("paused",), says=("rollout resume",), never=("controller is down",)
)
def rollout_is_paused(small: SmallCluster) -> None:
    deployment = small.healthy("pricing", "shop", replicas=2)
    deployment["spec"]["paused"] = True
    deployment["status"]["updatedReplicas"] = 0
    deployment["status"]["conditions"].append(
        {
            "type": "Progressing",
            "status": "Unknown",
            "reason": "DeploymentPaused",
            "message": "Deployment is paused",
            "lastTransitionTime": HOUR_AGO,
        }
    )


@case("site is down, no pods of landing", first=("scaled to 0|0 replicas|replicas 0|zero",), never=("CrashLoop",))
def scaled_to_zero(small: SmallCluster) -> None:
    deployment = small.deployment("landing", "shop", replicas=0)
    deployment["status"].update(replicas=0)
    small.replica_set(deployment, "6b8f7c9d44", replicas=0, ready=0)
    small.event(
        deployment, "ScalingReplicaSet", "Scaled down replica set landing-6b8f7c9d44 from 3 to 0", type="Normal"
    )
    small.service("landing", "shop", {"app": "landing"}, ready=[])


@case("the backup job is failing since Friday, why?", first=("suspend",), never=("exit code", "is failing", "crash"))
def cron_job_is_suspended(small: SmallCluster) -> None:
    small.add(
        "batch/v1",
        "CronJob",
        "backup",
        "ops",
        spec={
            "schedule": "0 2 * * *",
            "suspend": True,
            "jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "backup", "image": "b"}]}}}},
        },
        status={"lastScheduleTime": DAYS_AGO, "lastSuccessfulTime": DAYS_AGO},
    )


@case(
    "nightly-export faild", first=("BackoffLimitExceeded|backoff limit|failed",), says=("bucket",), never=("deadline",)
)
def job_failed(small: SmallCluster) -> None:
    job = small.add(
        "batch/v1",
        "Job",
        "nightly-export",
        "jobs",
        spec={"backoffLimit": 3, "template": {"spec": {"containers": [{"name": "export", "image": "e"}]}}},
        status={
            "failed": 4,
            "startTime": HOUR_AGO,
            "conditions": [
                {
                    "type": "Failed",
                    "status": "True",
                    "reason": "BackoffLimitExceeded",
                    "lastTransitionTime": "2026-10-05T09:20:00Z",
                    "message": "Job has reached the specified backoff limit",
                }
            ],
        },
    )
    pod = small.pod(
        "nightly-export-x7k2p",
        "jobs",
        owner=job,
        app="nightly-export",
        container="export",
        ready=False,
        phase="Failed",
        state=terminated(2),
        spec={"restartPolicy": "Never"},
    )
    small.log("jobs", pod["metadata"]["name"], "export", "INFO start\nERROR upload: bucket exports-eu: access denied\n")


# --- deletion, operators, control plane -----------------------------------------------------------------------------


@case(
    "namespace old-team won't go away",
    first=("old-team",),
    says=("metrics.k8s.io",),
    never=("finalizers first", "--force"),
)
def namespace_stuck_on_a_dead_api(small: SmallCluster) -> None:
    space = small.add(
        "v1",
        "Namespace",
        "old-team",
        spec={"finalizers": ["kubernetes"]},
        status={
            "phase": "Terminating",
            "conditions": [
                {
                    "type": "NamespaceDeletionDiscoveryFailure",
                    "status": "True",
                    "reason": "DiscoveryFailed",
                    "lastTransitionTime": DAYS_AGO,
                    "message": "Discovery failed for some groups, 1 failing: unable to retrieve the "
                    "complete list of server APIs: metrics.k8s.io/v1beta1: the server is "
                    "currently unable to handle the request",
                }
            ],
        },
    )
    space["metadata"]["deletionTimestamp"] = DAYS_AGO
    small.add(
        "apiregistration.k8s.io/v1",
        "APIService",
        "v1beta1.metrics.k8s.io",
        spec={
            "group": "metrics.k8s.io",
            "version": "v1beta1",
            "service": {"name": "metrics-server", "namespace": "kube-system"},
        },
        status={
            "conditions": [
                {
                    "type": "Available",
                    "status": "False",
                    "reason": "MissingEndpoints",
                    "lastTransitionTime": DAYS_AGO,
                    "message": 'endpointslices for service/metrics-server in "kube-system" have no '
                    'addresses with port name "https"',
                }
            ]
        },
    )


def operator_object(small: SmallCluster, group: str, kind: str, name: str, status: Thing, *, up: bool = True) -> Thing:
    """An operator's object with its definition and the operator itself."""
    small.definition(group, "v1", kind, f"{kind.lower()}s")
    product = group.split(".")[0]
    deployment = small.deployment(
        f"{product}-operator", f"{product}-system", ready=int(up), image=f"ghcr.io/{product}/{product}-operator:1.2"
    )
    deployment["metadata"]["labels"]["app.kubernetes.io/name"] = product
    return small.add(f"{group}/v1", kind, name, "data", spec={"size": 3}, status=status)


@case(
    "is the broker events ok? who runs it?",
    first=("events",),
    says=("flockmq", "2 of 3|2/3|TLS"),
    never=("is healthy",),
)
def an_unknown_operator_says_degraded(small: SmallCluster) -> None:
    operator_object(
        small,
        "flockmq.example.org",
        "Broker",
        "events",
        {
            "readyReplicas": 2,
            "replicas": 3,
            "observedGeneration": 1,
            "conditions": [
                {
                    "type": "Ready",
                    "status": "False",
                    "reason": "TLSNotReady",
                    "lastTransitionTime": HOUR_AGO,
                    "message": "TLS certificate of listener external is expired",
                }
            ],
        },
    )


@case("are our repos fine?", first=("No|not",), says=("Synced",), never=("all fine", "looks healthy"))
def ready_hides_not_synced(small: SmallCluster) -> None:
    operator_object(
        small,
        "cloudcraft.example.org",
        "Repo",
        "repos",
        {
            "conditions": [
                {"type": "Ready", "status": "True", "reason": "Available", "lastTransitionTime": DAYS_AGO},
                {
                    "type": "Synced",
                    "status": "False",
                    "reason": "ReconcileError",
                    "lastTransitionTime": HOUR_AGO,
                    "message": "connect failed: cannot get referenced ProviderConfig: not found",
                },
            ]
        },
    )


@case("I applied topic clicks and nothing happens", first=("flockmq-operator|operator",), says=("flockmq-system",))
def an_operator_is_down(small: SmallCluster) -> None:
    small.definition("flockmq.example.org", "v1", "Topic", "topics")
    pod = small.crashing("flockmq-operator", "flockmq-system")
    small.log(
        "flockmq-system", pod["metadata"]["name"], "flockmq-operator", "FATAL leader election lost\n", previous=True
    )
    small.add("flockmq.example.org/v1", "Topic", "clicks", "data", spec={"partitions": 3})


@case(
    "why can't kubectl top show anything", first=("metrics",), says=("v1beta1.metrics.k8s.io",), never=("bug in berth",)
)
def metrics_api_is_down(small: SmallCluster) -> None:
    small.add(
        "apiregistration.k8s.io/v1",
        "APIService",
        "v1beta1.metrics.k8s.io",
        spec={
            "group": "metrics.k8s.io",
            "version": "v1beta1",
            "service": {"name": "metrics-server", "namespace": "kube-system"},
        },
        status={
            "conditions": [
                {
                    "type": "Available",
                    "status": "False",
                    "reason": "MissingEndpoints",
                    "lastTransitionTime": HOUR_AGO,
                    "message": 'endpointslices for service/metrics-server in "kube-system" have no '
                    'addresses with port name "https"',
                }
            ]
        },
    )


# --- misleading -----------------------------------------------------------------------------------------------------


@case(
    "I see BackOff warnings in shop, is that it? customers get 503 from cart",
    first=("selector",),
    says=("old|3d",),
    never=("BackOff .* cause",),
)
def old_warnings_beside_a_fresh_fault(small: SmallCluster) -> None:
    selector_drift(small)
    pod = small.pod("seed-x7k2p", "shop", app="seed", ready=False, phase="Succeeded", state=terminated(0, "Completed"))
    small.event(pod, "BackOff", "Back-off restarting failed container", last=DAYS_AGO)


@case("shop is broken, what's wrong?", first=("healthy|nothing|no fault",), says=("Not checked",), never=("restart",))
def nothing_is_broken(small: SmallCluster) -> None:
    small.healthy("api", "shop", replicas=2)


@case(
    "checkout fails, fix list please",
    first=("checkout",),
    says=("orders-db", "Cause 2", "chekout"),
)
def two_causes_at_once(small: SmallCluster) -> None:
    message = "couldn't find key DB_PASSWORD in Secret shop/orders-db"
    pod = alone(small, "checkout", "shop", phase="Pending", state=waiting("CreateContainerConfigError", message))
    small.event(pod, "Failed", f"Error: {message}")
    small.service("checkout", "shop", {"app": "chekout"}, ready=[])


@case(
    "video-streamer in jobs does not start",
    first=("video-streamer",),
    says=("no video-streamer in namespace jobs", "ops"),
)
def it_is_in_another_namespace(small: SmallCluster) -> None:
    pod = small.crashing("video-streamer", "ops")
    small.log("ops", pod["metadata"]["name"], "video-streamer", "FATAL no licence\n", previous=True)


@case("databses ok??", first=("pg|mysql|postgres",), says=("Not checked", "Replication|backups"))
def a_typo_in_a_kind_of_software(small: SmallCluster) -> None:
    owner = small.add(
        "apps/v1",
        "StatefulSet",
        "pg",
        "data",
        labels={"app": "pg"},
        spec={
            "replicas": 1,
            "serviceName": "pg",
            "selector": {"matchLabels": {"app": "pg"}},
            "template": {
                "metadata": {"labels": {"app": "pg"}},
                "spec": {"containers": [{"name": "pg", "image": "postgres:16"}]},
            },
        },
        status={
            "replicas": 1,
            "readyReplicas": 1,
            "availableReplicas": 1,
            "currentReplicas": 1,
            "updatedReplicas": 1,
            "observedGeneration": 1,
        },
    )
    small.pod("pg-0", "data", owner=owner, app="pg", image="postgres:16")


@case("which services have no endpoints?", first=("cart",), never=("web: ",))
def a_question_for_a_kind(small: SmallCluster) -> None:
    selector_drift(small)


@case(
    "why evicted? analytics in ops",
    first=("low on resource|evicted|Evicted",),
    says=("ephemeral-storage|disk",),
    never=("OOM",),
)
def evicted_for_disk(small: SmallCluster) -> None:
    for thing in small.things:
        if thing["kind"] == "Node" and thing["metadata"]["name"] == "node-a":
            thing["status"]["conditions"].append(
                {
                    "type": "DiskPressure",
                    "status": "True",
                    "reason": "KubeletHasDiskPressure",
                    "message": "kubelet has disk pressure",
                    "lastTransitionTime": HOUR_AGO,
                    "lastHeartbeatTime": NOW,
                }
            )
    pod = alone(small, "analytics", "ops", phase="Failed", state=terminated(137))
    pod["status"].update(
        reason="Evicted",
        message="The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, "
        "available: 7Gi. Container shipper was using 40Gi, request is 0, has larger consumption of "
        "ephemeral-storage. ",
    )
