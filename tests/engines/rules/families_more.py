"""More small clusters: what lies on nodes, in policies, in rollouts and schedules, and questions that mislead."""

from __future__ import annotations

from tests.engines.rules.families import DAYS_AGO, HOUR_AGO, alone, case, named, operator_object, pending, scaler
from tests.fakes.small_clusters import SmallCluster, Thing, terminated, waiting

SOON = "2026-10-05T09:20:00Z"


def of_kind(small: SmallCluster, kind: str) -> list[Thing]:
    """The objects of a kind."""
    return [thing for thing in small.things if thing["kind"] == kind]


@case(
    "can the payments pods not pull from our registry?",
    first=("regcred",),
    says=("shop",),
    never=("image does not exist",),
)
def pull_secret_missing(small: SmallCluster) -> None:
    image = "registry.acme.io/payments:1.4"
    pod = alone(
        small,
        "payments",
        "shop",
        image=image,
        phase="Pending",
        state=waiting("ImagePullBackOff", f'Back-off pulling image "{image}"'),
        spec={"imagePullSecrets": [{"name": "regcred"}]},
    )
    small.event(
        pod,
        "FailedToRetrieveImagePullSecret",
        "Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.",
    )
    small.event(
        pod,
        "Failed",
        f'Failed to pull image "{image}": failed to resolve reference: pull access denied, '
        f"repository does not exist or "
        "may require authorization: server message: insufficient_scope: authorization failed",
    )


@case("deploy of big hangs, no error", first=("still|pulling|image",), never=("failed to pull", "stuck node"))
def a_large_image_is_pulled(small: SmallCluster) -> None:
    pod = alone(small, "big", "shop", phase="Pending", state=waiting("ContainerCreating"))
    small.event(pod, "Pulling", 'Pulling image "registry.example.com/big:1"', type="Normal", count=1, last=SOON)


@case("crashes instantly, no logs to speak of: encoder", first=("exec format|architecture",), never=("OOM",))
def wrong_binary(small: SmallCluster) -> None:
    pod = small.crashing("encoder", "jobs", code=255)
    small.log("jobs", pod["metadata"]["name"], "encoder", "exec /app/server: exec format error\n", previous=True)


@case("stuck Init:CrashLoopBackOff on users", first=("migrate",), says=("already exists",), never=("image is",))
def init_container_fails(small: SmallCluster) -> None:
    pod = alone(small, "users", "shop", phase="Pending", state=waiting("PodInitializing"))
    pod["spec"]["initContainers"] = [{"name": "migrate", "image": "registry.example.com/users:1"}]
    pod["status"]["initContainerStatuses"] = [
        {
            "name": "migrate",
            "ready": False,
            "restartCount": 6,
            "image": "u",
            "imageID": "",
            "state": waiting("CrashLoopBackOff"),
            "lastState": terminated(1),
        }
    ]
    log = 'ERROR: relation "users" already exists\n'
    small.log("shop", pod["metadata"]["name"], "migrate", log, previous=True)


@case(
    "catalog restarts every minute or two, memory?",
    first=("liveness",),
    says=("startupProbe", "not memory"),
    never=("raise the memory", "remove the probe"),
)
def liveness_kills_a_slow_start(small: SmallCluster) -> None:
    pod = alone(
        small,
        "catalog",
        "shop",
        restarts=12,
        last=terminated(137),
        spec={
            "containers": [
                {
                    "name": "catalog",
                    "image": "registry.example.com/catalog:1",
                    "ports": [{"containerPort": 8080}],
                    "livenessProbe": {
                        "httpGet": {"path": "/healthz", "port": 8080},
                        "initialDelaySeconds": 10,
                        "periodSeconds": 10,
                        "failureThreshold": 3,
                    },
                }
            ]
        },
    )
    refused = (
        'Liveness probe failed: Get "http://10.244.0.9:8080/healthz": dial tcp 10.244.0.9:8080: '
        "connect: connection refused"
    )
    small.event(pod, "Unhealthy", refused, count=36)
    small.event(pod, "Killing", "Container catalog failed liveness probe, will be restarted", type="Normal", count=12)
    small.log("shop", pod["metadata"]["name"], "catalog", "INFO warming caches, about 95s\n", previous=True)


@case(
    "db refuses writes since 10 min",
    first=("No space left|full",),
    says=("pg-data|volume",),
    never=("node disk", "DiskPressure"),
)
def a_full_volume(small: SmallCluster) -> None:
    owner = small.add(
        "apps/v1",
        "StatefulSet",
        "db",
        "data",
        labels={"app": "db"},
        spec={
            "replicas": 1,
            "serviceName": "db",
            "selector": {"matchLabels": {"app": "db"}},
            "template": {
                "metadata": {"labels": {"app": "db"}},
                "spec": {"containers": [{"name": "db", "image": "postgres"}]},
            },
        },
        status={"replicas": 1, "readyReplicas": 0, "observedGeneration": 1},
    )
    small.add(
        "v1",
        "PersistentVolumeClaim",
        "pg-data",
        "data",
        spec={"volumeName": "pv-1", "resources": {"requests": {"storage": "10Gi"}}},
        status={"phase": "Bound", "capacity": {"storage": "10Gi"}},
    )
    small.pod(
        "db-0",
        "data",
        owner=owner,
        app="db",
        image="postgres:16",
        ready=False,
        restarts=4,
        state=waiting("CrashLoopBackOff"),
        last=terminated(1),
        spec={"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "pg-data"}}]},
    )
    line = 'PANIC:  could not write to file "pg_wal/xlogtemp.31": No space left on device\n'
    small.log("data", "db-0", "db", line, previous=True)


@case(
    "new replicas of api stay Pending but cpu is idle",
    first=("requests",),
    says=("3800m|3.8|reserved",),
    never=("taint",),
)
def no_cpu_left_by_requests(small: SmallCluster) -> None:
    for number, node in enumerate(("node-a", "node-b", "node-c")):
        big = small.healthy(f"big{number}", "ops")
        pod = next(one for one in of_kind(small, "Pod") if one["metadata"]["name"].startswith(f"big{number}-"))
        pod["spec"]["nodeName"] = node
        pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "3800m"}}
        del big
    message = (
        "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims "
        "found for incoming pod."
    )
    pending(
        small,
        "api",
        "shop",
        message,
        containers=[{"name": "api", "image": "a", "resources": {"requests": {"cpu": "500m"}}}],
    )


@case("replica 4 of our 3-node cluster is pending: search", first=("anti-affinity",), never=("taint", "Insufficient"))
def anti_affinity_with_too_few_nodes(small: SmallCluster) -> None:
    rule = {"labelSelector": {"matchLabels": {"app": "search"}}, "topologyKey": "kubernetes.io/hostname"}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [rule]}}
    deployment = small.deployment("search", "shop", replicas=4, ready=3)
    owner = small.replica_set(deployment, "6b8f7c9d44", replicas=4, ready=3)
    for suffix, node in (("a", "node-a"), ("b", "node-b"), ("c", "node-c")):
        small.pod(
            f"search-6b8f7c9d44-{suffix}kkkk",
            "shop",
            owner=owner,
            app="search",
            spec={"affinity": affinity, "nodeName": node},
        )
    pod = small.pod(
        "search-6b8f7c9d44-dkkkk",
        "shop",
        owner=owner,
        app="search",
        ready=False,
        phase="Pending",
        spec={"affinity": affinity},
    )
    pod["spec"]["nodeName"] = ""
    message = "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."
    pod["status"].update(
        containerStatuses=[],
        conditions=[
            {
                "type": "PodScheduled",
                "status": "False",
                "reason": "Unschedulable",
                "message": message,
                "lastTransitionTime": HOUR_AGO,
            }
        ],
    )
    small.event(pod, "FailedScheduling", message)


@case("pod pending, no events at all: odd", first=("scheduler",), says=("fancy",), never=("Insufficient", "just wait"))
def nobody_schedules_it(small: SmallCluster) -> None:
    pod = pending(small, "odd", "jobs", "", schedulerName="fancy")
    small.things.pop()
    pod["status"]["conditions"] = []


@case(
    "why can't I add a pod to shop? the quota isn't full",
    first=("requests.memory|must specify",),
    says=("mem",),
    never=("is full",),
)
def quota_wants_requests(small: SmallCluster) -> None:
    deployment = small.deployment("adder", "shop", ready=0)
    deployment["status"].update(replicas=0)
    owner = small.replica_set(deployment, "6b8f7c9d44", ready=0)
    owner["status"]["replicas"] = 0
    small.event(
        owner,
        "FailedCreate",
        'Error creating: pods "adder-x" is forbidden: failed quota: mem: must specify requests.memory for: adder',
    )
    small.add(
        "v1",
        "ResourceQuota",
        "mem",
        "shop",
        spec={"hard": {"requests.memory": "8Gi"}},
        status={"hard": {"requests.memory": "8Gi"}, "used": {"requests.memory": "2Gi"}},
    )


@case(
    "volume never created for archive",
    first=("provision|driver",),
    says=("ebs.csi.aws.com",),
    never=("class .* does not exist",),
)
def provisioner_is_not_there(small: SmallCluster) -> None:
    small.add("storage.k8s.io/v1", "StorageClass", "gp3", provisioner="ebs.csi.aws.com", reclaimPolicy="Delete")
    claim = small.add(
        "v1",
        "PersistentVolumeClaim",
        "archive",
        "data",
        status={"phase": "Pending"},
        spec={"storageClassName": "gp3", "accessModes": ["ReadWriteOnce"]},
    )
    small.event(
        claim,
        "ExternalProvisioning",
        "Waiting for a volume to be created either by the external provisioner 'ebs.csi.aws.com' or manually by the "
        "system administrator. If volume creation is delayed, please verify that the provisioner is running and "
        "correctly registered.",
        type="Normal",
        count=40,
    )


@case("node-b NotReady, kubelet alive?", first=("node-b",), says=("runtime",), never=("Kubelet stopped",))
def runtime_is_down(small: SmallCluster) -> None:
    node = named(small, "Node", "node-b")
    node["status"]["conditions"] = [
        {
            "type": "Ready",
            "status": "False",
            "reason": "KubeletNotReady",
            "message": "container runtime is down",
            "lastTransitionTime": HOUR_AGO,
            "lastHeartbeatTime": "2026-10-05T09:29:50Z",
        }
    ]


@case(
    "my pod scratcher was evicted, the node is fine", first=("500Mi|scratch",), never=("DiskPressure", "node is short")
)
def evicted_for_its_own_limit(small: SmallCluster) -> None:
    pod = alone(small, "scratcher", "jobs", phase="Failed", state=terminated(137))
    pod["status"].update(reason="Evicted", message='Usage of EmptyDir volume "scratch" exceeds the limit "500Mi". ')


@case("ContainerCreating on one node only: mailer", first=("address|IP",), never=("image",))
def no_addresses_left(small: SmallCluster) -> None:
    pod = alone(small, "mailer", "shop", phase="Pending", state=waiting("ContainerCreating"))
    small.event(
        pod,
        "FailedCreatePodSandBox",
        "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox: "
        'plugin type="aws-cni" failed (add): add cmd: failed to assign an IP address to container',
    )


@case("404 on /api only, ingress front", first=("api",), says=("8080|port",), never=("pods are down",))
def ingress_names_a_wrong_port(small: SmallCluster) -> None:
    small.healthy("api", "shop")
    small.add(
        "networking.k8s.io/v1",
        "Ingress",
        "front",
        "shop",
        spec={
            "rules": [
                {
                    "host": "a.example.com",
                    "http": {
                        "paths": [
                            {
                                "path": "/api",
                                "pathType": "Prefix",
                                "backend": {"service": {"name": "api", "port": {"number": 8080}}},
                            }
                        ]
                    },
                }
            ]
        },
        status={"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}},
    )


@case(
    "search dead since the cleanup: front says it cannot find it",
    first=("search-svc",),
    never=("DNS outage", "CoreDNS is"),
)
def the_service_was_deleted(small: SmallCluster) -> None:
    pod = small.crashing("front", "shop")
    line = "FATAL dial tcp: lookup search-svc.shop.svc.cluster.local: no such host\n"
    small.log("shop", pod["metadata"]["name"], "front", line, previous=True)


@case("worker could not resolve orders", first=("sales",), says=("orders.sales",), never=("DNS is broken",))
def a_short_name_in_another_namespace(small: SmallCluster) -> None:
    small.namespaces("sales")
    small.healthy("orders", "sales")
    pod = small.crashing("worker", "shop")
    line = "FATAL dial tcp: lookup orders on 10.96.0.10:53: no such host\n"
    small.log("shop", pod["metadata"]["name"], "worker", line, previous=True)


@case("auth fails since rotation in invoicer", first=("password authentication|authentication",), says=("restart",))
def credentials_were_rotated(small: SmallCluster) -> None:
    pod = small.crashing("invoicer", "shop")
    line = 'FATAL: password authentication failed for user "app"\n'
    small.log("shop", pod["metadata"]["name"], "invoicer", line, previous=True)


@case(
    "helm upgrade of api is blocked by something",
    first=("denied|policy",),
    says=("team label",),
    never=("webhook is down",),
)
def a_policy_denies(small: SmallCluster) -> None:
    deployment = small.deployment("api", "shop", ready=0)
    deployment["status"].update(replicas=0)
    owner = small.replica_set(deployment, "6b8f7c9d44", ready=0)
    owner["status"]["replicas"] = 0
    small.event(
        owner,
        "FailedCreate",
        'Error creating: admission webhook "validate.policy.svc-fail" denied the request: '
        "policy require-team: the team "
        "label is required",
    )


@case("hpa of web shows unknown", first=("metrics",), says=("v1beta1.metrics.k8s.io",), never=("raise max",))
def autoscaler_without_metrics(small: SmallCluster) -> None:
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
                "message": "the HPA was unable to compute the replica count: failed to get cpu "
                "utilization: unable to get "
                "metrics for resource cpu: unable to fetch metrics from resource metrics API: the server is "
                "currently unable to handle the request (get pods.metrics.k8s.io)",
            },
        ],
    )
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
                    "message": 'endpoints for service/metrics-server in "kube-system" have no addresses',
                    "lastTransitionTime": HOUR_AGO,
                }
            ]
        },
    )


@case("the rollout of pricing never finishes", first=("readiness|404|not ready",), says=("serve",), never=("capacity",))
def readiness_of_the_new_version_fails(small: SmallCluster) -> None:
    deployment = small.deployment("pricing", "shop", replicas=2, revision=4)
    deployment["status"]["conditions"].append(
        {
            "type": "Progressing",
            "status": "False",
            "reason": "ProgressDeadlineExceeded",
            "lastTransitionTime": SOON,
            "message": 'ReplicaSet "pricing-9c4b7d8f6" has timed out progressing.',
        }
    )
    old = small.replica_set(deployment, "7f8c5d6b4", replicas=2, ready=2, revision=3)
    new = small.replica_set(deployment, "9c4b7d8f6", replicas=1, ready=0, revision=4)
    names = ["pricing-7f8c5d6b4-2jq9s", "pricing-7f8c5d6b4-r5ntd"]
    for name in names:
        small.pod(name, "shop", owner=old, app="pricing")
    pod = small.pod("pricing-9c4b7d8f6-lw8xm", "shop", owner=new, app="pricing", ready=False)
    small.event(pod, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 404", count=80)
    small.service("pricing", "shop", {"app": "pricing"}, ready=names, unready=["pricing-9c4b7d8f6-lw8xm"])


@case(
    "I fixed the image yesterday and db-0 is still failing",
    first=("revision|old",),
    says=("db-0",),
    never=("just wait", "delete the claim"),
)
def an_old_pod_blocks_the_update(small: SmallCluster) -> None:
    owner = small.add(
        "apps/v1",
        "StatefulSet",
        "db",
        "data",
        labels={"app": "db"},
        spec={
            "replicas": 2,
            "serviceName": "db",
            "podManagementPolicy": "OrderedReady",
            "updateStrategy": {"type": "RollingUpdate"},
            "selector": {"matchLabels": {"app": "db"}},
            "template": {
                "metadata": {"labels": {"app": "db"}},
                "spec": {"containers": [{"name": "db", "image": "pg:16.4"}]},
            },
        },
        status={
            "replicas": 1,
            "readyReplicas": 0,
            "currentRevision": "db-7c9d",
            "updateRevision": "db-8fb2",
            "observedGeneration": 1,
        },
    )
    pod = small.pod(
        "db-0",
        "data",
        owner=owner,
        app="db",
        image="pg:16.4x",
        ready=False,
        phase="Pending",
        state=waiting("ImagePullBackOff", 'Back-off pulling image "pg:16.4x"'),
        labels={"controller-revision-hash": "db-7c9d"},
    )
    small.event(pod, "Failed", 'Failed to pull image "pg:16.4x": not found')


@case("job etl was killed at 10 min", first=("deadline|600",), never=("OOM", "backoff limit"))
def job_over_its_deadline(small: SmallCluster) -> None:
    small.add(
        "batch/v1",
        "Job",
        "etl",
        "jobs",
        spec={"activeDeadlineSeconds": 600, "template": {"spec": {"containers": [{"name": "etl", "image": "e"}]}}},
        status={
            "failed": 1,
            "startTime": "2026-10-05T09:00:00Z",
            "conditions": [
                {
                    "type": "Failed",
                    "status": "True",
                    "reason": "DeadlineExceeded",
                    "lastTransitionTime": "2026-10-05T09:10:00Z",
                    "message": "Job was active longer than specified deadline",
                }
            ],
        },
    )


@case(
    "cron report never fires",
    first=("schedule|timeZone|time zone",),
    says=("Europe/Berln",),
    never=("controller is down",),
)
def cron_job_with_an_unknown_time_zone(small: SmallCluster) -> None:
    job = small.add(
        "batch/v1",
        "CronJob",
        "report",
        "ops",
        spec={
            "schedule": "0 2 * * *",
            "timeZone": "Europe/Berln",
            "jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "r", "image": "r"}]}}}},
        },
        status={},
    )
    small.event(job, "UnknownTimeZone", 'invalid timeZone: "Europe/Berln": unknown time zone Europe/Berln')


@case(
    "can't delete topic clicks",
    first=("clicks|operator",),
    says=("finalizer",),
    never=("--type=merge", "remove the finalizer first"),
)
def a_finalizer_without_its_operator(small: SmallCluster) -> None:
    small.definition("flockmq.example.org", "v1", "Topic", "topics")
    topic = small.add("flockmq.example.org/v1", "Topic", "clicks", "data", spec={"partitions": 3}, status={})
    topic["metadata"].update(deletionTimestamp=DAYS_AGO, finalizers=["flockmq.example.org/cleanup"])


@case(
    "db says healthy but the app can't write: ledger",
    first=("operator|stale|ledger",),
    says=("crash|exit|not ready",),
    never=("is healthy and",),
)
def a_status_nobody_updates(small: SmallCluster) -> None:
    ledger = operator_object(
        small,
        "pgfleet.example.org",
        "Cluster",
        "ledger",
        {"phase": "Cluster in healthy state", "readyInstances": 1, "instances": 1},
        up=False,
    )
    small.pod(
        "ledger-1",
        "data",
        owner=ledger,
        app="ledger",
        image="postgres:16",
        ready=False,
        restarts=9,
        state=waiting("CrashLoopBackOff"),
        last=terminated(1),
    )
    small.log("data", "ledger-1", "ledger", "FATAL: data directory has wrong ownership\n", previous=True)


@case("why is KEDA not scaling web?", first=("keda|web",), says=("keda",), never=("ScaledObject shop",))
def a_thing_that_is_not_installed(small: SmallCluster) -> None:
    scaler(
        small,
        "web",
        [{"type": "AbleToScale", "status": "True"}, {"type": "ScalingActive", "status": "True"}],
        currentReplicas=2,
        desiredReplicas=2,
    )


@case("is api ok", first=("2 |Deployment",), says=("2 objects go by this name", "ops/api"))
def several_bear_the_name(small: SmallCluster) -> None:
    small.healthy("api", "ops")
    pod = small.crashing("api", "shop")
    small.log("shop", pod["metadata"]["name"], "api", "FATAL no licence\n", previous=True)


@case(
    "what happend at 03:10? web was down",
    first=("web",),
    says=("Rebooted", "node-a"),
    never=("is down now", "is not healthy"),
)
def it_is_over(small: SmallCluster) -> None:
    node = named(small, "Node", "node-a")
    small.event(node, "Rebooted", "Node node-a has been rebooted, boot id: 7", last="2026-10-05T03:10:00Z")


@case("is payments-gateway down?", first=("payments-gateway",), says=("nearest|No name",), never=("Yes, ",))
def a_name_that_exists_nowhere(small: SmallCluster) -> None:
    small.healthy("payments", "shop")


@case("it's not the database, right? api keeps crashing", first=("api",), says=("connection refused",))
def a_denial_that_is_wrong(small: SmallCluster) -> None:
    pod = small.crashing("api", "shop")
    line = "FATAL dial tcp 10.96.9.9:5432: connect: connection refused\n"
    small.log("shop", pod["metadata"]["name"], "api", line, previous=True)
    small.service("pg", "data", {"app": "pg"}, ready=[], port=5432)


@case("pods died together at 09:02, app crash?", first=("shutdown|shut down|node",), never=("OOM",))
def a_node_was_shut_down(small: SmallCluster) -> None:
    deployment = small.healthy("api", "shop")
    owner = next(one for one in of_kind(small, "ReplicaSet") if one["metadata"]["name"].startswith("api-"))
    pod = small.pod(
        "api-5d78c9869d-old11", "shop", owner=owner, app="api", ready=False, phase="Failed", state=terminated(143)
    )
    pod["status"].update(reason="Terminated", message="Pod was terminated in response to imminent node shutdown.")
    del deployment
