"""The evidence check: what is told as it was read passes, in any unit and rounding; what was invented is found."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kubectl_berth.investigation.evidence import not_in_evidence
from tests.bench.evidence_check import PUBLISHED, measure, published

QUESTION = "why is the courier deployment in the parcels namespace failing?"
BRIEF = """\
<<<cluster-data
Brief. Kubernetes v1.33.4, own namespace default, clock 2026-10-05 09:30 UTC. Looked at 4 nodes, 61 pods (58 healthy).
Named: Deployment parcels/courier: 3 desired, 1 ready, owned by nothing
cluster-data>>>"""
PODS = """\
<<<cluster-data
parcels/courier-6c9f7d5b48-h2xkq  0/1  CrashLoopBackOff  restarts 23  age 3d2h  node pool-a-07
parcels/courier-6c9f7d5b48-tz4vm  1/1  Running  restarts 0  age 3d2h  node pool-a-03
parcels/ledger-db-2  1/1  Running  restarts 1  age 41d  node pool-b-01
cluster-data>>>"""
DESCRIBED = """\
<<<cluster-data
Pod parcels/courier-6c9f7d5b48-h2xkq
container courier: image registry.example.net/parcels/courier:4.7.2, state waiting CrashLoopBackOff
last state: terminated, reason OOMKilled, exit code 137, ran from 2026-10-05T09:21:04Z to 2026-10-05T09:23:31Z
requests: cpu 250m, memory 384Mi; limits: memory 512Mi; in use: cpu 80m, memory 507Mi
container proxy: image registry.example.net/mesh/proxy:1.22.0, last state: terminated, exit code 2
liveness: http-get :8181/live every 10s; pod IP 10.42.7.19
env ROUTE_CACHE_DIR from ConfigMap courier-settings
node pool-a-07: allocatable cpu 3920m, memory 15.25Gi; reserved memory 81%
cluster-data>>>"""
LOG = """\
<<<cluster-data
2026-10-05T09:23:30Z WARN route cache grew to 498 MiB, evicting nothing
2026-10-05T09:23:31Z ERROR dial tcp 10.96.14.3:6379: connect: connection refused (cache-main.parcels.svc:6379)
cluster-data>>>"""
EVIDENCE = [QUESTION, BRIEF, PODS, DESCRIBED, LOG]

TRUE = [
    "**parcels/courier-6c9f7d5b48-h2xkq** is in CrashLoopBackOff with 23 restarts.",
    "The pod `courier-6c9f7d5b48-h2xkq` on node `pool-a-07` was OOMKilled (exit code 137).",
    "Container courier uses 507Mi of its 512Mi limit (99% of it).",
    "It uses 0.5 GiB, and asks for 0.25 cores.",
    "The ReplicaSet `courier-6c9f7d5b48` of Deployment `courier` has one ready pod.",
    "About 500 MiB are in use; requests are 250m CPU and 384 MiB.",
    "The image is registry.example.net/parcels/courier:4.7.2.",
    'The log says "dial tcp 10.96.14.3:6379: connect: connection refused".',
    "The log ends with `route cache grew to 498 MiB, evicting nothing`.",
    "`cache-main.parcels.svc:6379` refuses connections; the pod's own address is 10.42.7.19.",
    "58 of 61 pods are healthy, and the pod is 3 days old.",
    "The container ran for 2m27s, from 09:21 to 09:23.",
    "The node has 15.25Gi of memory, of which 81% is reserved, so 19% is left.",
    "The headroom is only 5 MiB (512Mi - 507Mi).",
    "In the parcels namespace nothing else fails; the proxy's version is 1.22.0.",
    "ROUTE_CACHE_DIR comes from the ConfigMap `courier-settings`.",
    "The API server is v1.33.4.",
]
ADVICE = [
    "Raise the memory limit to 768Mi: `kubectl set resources deployment/courier -n parcels --limits=memory=768Mi`.",
    "You could also use registry.example.net/parcels/courier:4.7.3 once it exists.",
    "Consider a PodDisruptionBudget named `courier-pdb` with at least 2 replicas.",
    "### Recommended fix\n1. Set requests to 600Mi and limits to 1Gi.\n2. Watch it for 24 hours.",
    "```yaml\nresources:\n  limits:\n    memory: 768Mi\n```",
    "This is a well-known, high-severity out-of-memory pattern, see step 2 and option 3.",
]
INVENTED = {
    "The pod `courier-6c9f7d5b48-9wq2n` crashes.": "courier-6c9f7d5b48-9wq2n",
    "**parcels/courier-6c9f7d5b48-zzx4k** is in CrashLoopBackOff.": "parcels/courier-6c9f7d5b48-zzx4k",
    "Pod ledger-db-5 is not ready.": "ledger-db-5",
    "It runs on node pool-a-11.": "pool-a-11",
    "Deployment `parcel-router` is broken too.": "parcel-router",
    "The `dispatch-queue` service refuses connections.": "dispatch-queue",
    "The ConfigMap `courier-config` misses a key.": "courier-config",
    "In the logistics namespace the same pod fails.": "logistics",
    "The pod is in namespace `shipping`.": "shipping",
    "Look: `kubectl get pods -n warehouse`": "warehouse",
    "**shipping/courier-6c9f7d5b48-h2xkq** is down.": "shipping/courier-6c9f7d5b48-h2xkq",
    "It restarted 47 times.": "47",
    "The restart count is 9.": "9",
    "There were 230 restarts.": "230",
    "The container has a limit of 256Mi.": "256Mi",
    "It uses 731 MiB of memory.": "731 MiB",
    "The limit is 5 GiB.": "5 GiB",
    "CPU requests are 900m.": "900m",
    "It has 6 cores.": "6 cores",
    "The node has 64% of its memory reserved.": "64%",
    "Memory stands at 37 percent.": "37 percent",
    "The pod is 12 days old.": "12 days",
    "Only 33 of the pods are healthy.": "33",
    "The image is registry.example.net/parcels/courier:4.9.0.": "registry.example.net/parcels/courier:4.9.0",
    "The image is docker.io/library/courier:4.7.2.": "docker.io/library/courier:4.7.2",
    "The container was built from registry.example.net/parcels/courier:4.7.2-debug.": (
        "registry.example.net/parcels/courier:4.7.2-debug"
    ),
    "It ended with exit code 1.": "1",
    "The container exited with code 139.": "139",
    "The last state has exit status 3.": "3",
    "The proxy is at version 1.19.4.": "1.19.4",
    "It cannot reach 10.96.200.1:5432.": "10.96.200.1:5432",
    "It cannot reach redis.parcels.svc:6379.": "redis.parcels.svc:6379",
    "The probe asks https://status.example.org/live.": "https://status.example.org/live",
    'The log says "too many open files while writing the index".': "too many open files while writing the index",
    "The last line is `panic: runtime error: index out of range`.": "panic: runtime error: index out of range",
    "```\nFATAL could not open the routing table, giving up\n```": "FATAL could not open the routing table, giving up",
    "The variable COURIER_DB_URL is not set.": "COURIER_DB_URL",
}


@pytest.mark.parametrize("answer", TRUE)
def test_what_was_read_passes(answer: str) -> None:
    assert not_in_evidence(answer, EVIDENCE) == []


@pytest.mark.parametrize("answer", ADVICE)
def test_advice_need_not_have_been_read(answer: str) -> None:
    assert not_in_evidence(answer, EVIDENCE) == []


def test_planted_inventions_are_found() -> None:
    missed = {answer: lie for answer, lie in INVENTED.items() if not_in_evidence(answer, EVIDENCE) != [lie]}
    assert len(INVENTED) >= 30
    assert missed == {}


def test_inventions_in_a_right_answer_are_the_only_ones_named() -> None:
    whole = "\n".join([*TRUE, *INVENTED, *ADVICE])
    assert not_in_evidence(whole, EVIDENCE) == list(INVENTED.values())[:20]


def test_each_thing_is_named_once() -> None:
    assert not_in_evidence("Pod ledger-db-5 fails. Pod ledger-db-5 hangs.", EVIDENCE) == ["ledger-db-5"]


@pytest.mark.parametrize(
    "piece", ["a-", "`", "*", "1,", "1-", "x/", '"', "pod ", "in the ", "a.b-", "**a ", "code ", "\n"]
)
def test_a_hostile_answer_costs_little(piece: str) -> None:
    hostile = piece * 20_000
    began = time.process_time()
    not_in_evidence(hostile, [hostile])
    assert time.process_time() - began < 3


@pytest.mark.skipif(not Path(PUBLISHED).exists(), reason="the published runs are not on this machine")
def test_the_published_answers() -> None:
    figures = measure(list(published(PUBLISHED)))
    assert figures.claims > 300
    assert figures.share < 0.05
    assert sum(figures.planted.values()) >= 30
    assert sum(figures.found.values()) >= 0.9 * sum(figures.planted.values())
