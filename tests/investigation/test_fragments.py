"""Thirty texts that only announce a next step, thirty right answers that begin or end like one, and some of each kind.

No right answer may be rejected: that is worse than a fragment that gets through.
"""

from __future__ import annotations

import time

import pytest

from kubectl_berth.errors import ExitStatus
from kubectl_berth.investigation.fragments import holds_a_written_call, is_fragment
from kubectl_berth.investigation.outcome import judge
from kubectl_berth.records import Finished, Usage

FRAGMENTS = [
    "Let me try getting the latest logs instead.",
    "Let me check the pod's events.",
    "I'll look at the deployment next.",
    "I will now describe the pod to see what is wrong.",
    "Okay, let me check the logs.",
    "Now let's look at the events in the data namespace:",
    "First, I need to check the status of the pods.",
    "Let me get more details.\n\nI'll check the logs of ledger-db-3.",
    "Next, I'm going to fetch the logs of the previous container.",
    "Checking the logs of the failing pod...",
    "**Let me check the custom resource.**",
    "Understood.\nLet me start by listing the pods in the shop namespace.",
    "I have to read the events before I can answer.",
    "So let me find the operator that manages it.",
    "Since the logs are empty, let me try the previous container.",
    "The logs are not available under that name, so I'll look the pod up first.",
    "To understand why it restarts, I need to look at the previous container's logs.",
    "Before I answer, I want to verify that the volume claim is bound.",
    "That call failed. Let me try again with the full pod name.",
    "Hmm, that didn't work. I'll list the pods of the namespace instead.",
    "I don't have enough information yet. Let me gather more details about the node.",
    "I'll check the following:\n- the pod's logs\n- recent events\n- node conditions",
    "My next step is to inspect the StatefulSet that owns it.",
    "Now I should examine the PodDisruptionBudget to see whether the drain would be blocked.",
    "Let me dig deeper into the Cluster resource because the status was truncated.",
    "One moment while I fetch the events of payments-api-7c9d.",
    "I'm going to pull the metrics now; this should show whether memory is the problem.",
    'Let me query it:\n<tool_call>{"name": "get_logs", "arguments": {"name": "web-0"}}</tool_call>',
    "Would you like me to check the logs of the previous container?",
    "We need to look at the ReplicaSet next. I'll describe it.",
]

ANSWERS = [
    "Let me be clear: web-0 is down because its node is gone.",
    "Let me summarise. The database lost its third replica; the primary still serves.",
    "Let me check what you asked: nothing is wrong in shop.",
    "Let me walk you through it. checkout is down because its image tag does not exist.",
    "Let me start with the outcome: all 12 pods of shop are ready.",
    "Let me answer that directly. Yes, node-3 can be drained: no budget blocks it.",
    "Let me list what is wrong:\n- web-0 was killed for memory, limit 64Mi\n- api waits for an image that is not there",
    "Let me correct the question first. There is no node-9; the nearest is node-2, which is ready.",
    "Let me put it briefly: the volume of ledger-db-3 is full.",
    "Let me explain why ledger-db-3 is not ready: its WAL volume has no space left.",
    "I'll keep it short: the claim data-ledger-db-3 is pending.",
    "I will not print the password. Ask the owner of the namespace.",
    "I need to correct the question: payments-api does not restart, it never started.",
    "I have to say that nothing is broken.",
    "I can confirm that every pod in data is ready.",
    "I checked the events, the logs and the nodes: nothing is wrong with web.",
    "Checking the logs showed a refused connection to postgres:5432.",
    "Looking at the events, the image cannot be pulled: not found.",
    "First, the verdict: web is out of memory. Then check the limit.",
    "Now the facts. web-0 restarted 7 times with exit code 3.",
    "ledger-db is degraded: 2 of 3 instances are ready. Let me know if you need the logs.",
    "The pod crashes with exit code 3. Next, check the image's entrypoint.",
    "web-0 is killed for memory (limit 64Mi). Next step: raise the limit to 128Mi and watch the restarts.",
    "The rollout is stuck: the new ReplicaSet has no ready pod. I would look at the readiness probe first.",
    "checkout is down since 09:12: its Service selects no pod. Let me check whether other Services are affected.",
    "node-2 cannot be drained now: the budget ledger-db allows 0 disruptions. You should then check the third replica.",
    "I could not read the logs: they are withheld. To see why, run kubectl logs web-0 -n shop --previous.",
    "Nothing is wrong with ledger-db today. If it fails again, I'd start with the WAL volume.",
    "The Secret exists, as the events say, but I never read Secrets. Look at it with kubectl get secret yourself.",
    "Run kubectl rollout undo deployment/web -n shop.",
]

MORE_FRAGMENTS = [
    "Sure. Let me describe ledger-db-3.",
    "I should verify the node conditions.",
    "Let me see.",
    "Alright, I'll query the Cluster resource with its apiVersion",
    "One moment please.",
    "Next step: fetch the events of the namespace.",
    "Fetching the events now.",
    "The next thing to do is to list the nodes.",
    "I need more information about the pod.",
    "I'd like to take a closer look at the operator's logs.",
    "Trying again with a different namespace.",
    "Let me first retrieve the logs, then I'll analyze them.",
    "I’ll go ahead and describe the node.",
    "Should I look into the previous logs?",
    "As a next step, I will review the resource limits.",
    "It would be helpful to check the node's conditions.",
    "### Next step\nLet me look at the volume claim.",
    "Great! Now let me also check the services.",
    "I want to see which pods run on node-2.",
    "Here's what I'll do next:\n1. List the pods\n2. Describe the failing one\n3. Read its logs",
    '{"name": "kubectl_get", "arguments": {"kind": "Pod"}}',
    "<tool_call>\n<function=get_logs>\n<parameter=name>web-0</parameter>\n</function>\n</tool_call>",
    "Let me continue the investigation by looking at the ConfigMap reference.",
    "I'm checking the deployment's rollout status.",
    "I'll start by checking the overall health of the cluster.",
    "Let me look into that for you.",
    "I need to find out which operator manages this database first.",
    "The describe call did not work. Let me use list_resources to find the right kind.",
    "Let me fetch the events for the pod and see what happened.",
    "Now I will get the logs from the previous instance of the container to see the error message.",
    "It looks like I need to check the logs for more details.",
    "I will need to examine the node to determine whether it has enough memory.",
    "Let me check if there are any recent events related to this deployment.",
    "Okay, I see. Let me now check the PVC.",
    "To answer your question, I'll first check the pod's status.",
    "Let me try a different approach. I'll list all the resources in the namespace.",
    "Good, now I have the pod name. Let me get its logs.",
    "I should also look at the service endpoints to make sure traffic is routed.",
    "Let's dig into the operator's custom resource next.",
    "Let me run one more query to be sure.",
    "I'll use describe_resource on the StatefulSet.",
    "Hold on, let me double-check the namespace.",
    "Let me pull up the details of ledger-db-3 so that I can see why it is not ready.",
    "The output was truncated. I'll fetch the rest.",
    "Let me analyze the workload's resource usage.",
    "I am going to check whether the nodes have enough free memory.",
    "Let me also take a look at the HorizontalPodAutoscaler.",
    "Let me see if metrics are available...",
    "Let me narrow this down by checking each container separately.",
    "First I'll list the pods, then describe the unhealthy one.",
    "I think the next thing to check is the image pull secret reference.",
    "Sorry, let me retry with the right namespace.",
    "Retrieving the pod's logs...",
    "I'd need to look at the logs to be certain.",
]

MORE_ANSWERS = [
    "No.",
    "Yes, it is healthy.",
    "Healthy.",
    "7",
    "I cannot read Secrets. Look at it with kubectl yourself.",
    "Okay: all 12 pods are ready.",
    "To fix it, let me suggest raising the memory limit to 256Mi.",
    "I don't have enough evidence to say why web-0 restarts: its logs are withheld.",
    "I need more than the events to say why: the logs are withheld and the previous container is gone.",
    "The list of pods was forbidden, so I cannot say whether shop is healthy.",
    "Use kubectl describe node node-2 to see the taint: it is dedicated=gpu:NoSchedule.",
    "Check the entrypoint of registry.example/web:1, it exits with 3.",
    "Next step for you: renew the certificate, it expired on 2 October.",
    "Getting the image failed: registry.example answers 401.",
    "Starting web-0 fails since 09:20 with exit code 3.",
    "Running: 11 of 12 pods. web-0 crashes.",
    "Let me take your points one by one. The node is fine. The pod is not: it is out of memory.",
    "Let me see: three pods, two ready, and ledger-db-3 waits for its volume.",
    "The migration job is still running. Wait for it before you restart the api.",
    "Let me confirm that all 12 pods of shop are ready.",
    "If you drain node-3, ledger-db loses its quorum.",
    "We can lose one node: 41% of memory is reserved.",
    "I see no fault in shop, and all that the verdict rests on was read.",
    "This should be safe: the budget allows 1 disruption.",
    "| pod | state |\n|---|---|\n| web-0 | CrashLoopBackOff |",
    "Which of the two do you mean, data/ledger-db or shop/ledger-db?",
    "I will say it plainly: there is no backup of ledger-db.",
    "I can see that web-0 restarted 7 times.",
    "I found that the claim is bound and the pod is not scheduled: no node has 4Gi free.",
    "I'm confident that nothing is wrong: 12 of 12 pods are ready.",
    "I'm reading 7 restarts for web-0, all with exit code 3.",
    "We are looking at a full disk on node-2.",
    "You are looking at a full disk on node-2.",
    "I must stress that this deletes the volume.",
    "I should note that the logs were withheld.",
    "I want to point out that two replicas share node-1.",
    "Waiting for a volume: ledger-db-3 is Pending since 09:01.",
    "Pulling the image fails with 401.",
    "Let me get straight to the point: web is out of memory.",
    "Let me go first with the good news: the data is safe.",
    "I need to see a doctor; so does this cluster: all 3 nodes are NotReady.",
    "Let me give you the short version: the api is down because postgres refuses connections.",
    "Let me break it down:\n\n1. web-0 crashes with exit code 3\n2. its image was changed at 09:12",
    "Let me state what I know. The pod is Pending. What I do not know is why.",
    "Let me tell you what happened: node-2 ran out of disk at 08:55.",
    "Let me clarify: it is the replica that lags, not the primary.",
    "Let me point out that two of the three replicas share a node.",
    "Let me rephrase: nothing restarts, the pod was never scheduled.",
    "Let me first say that the data is safe. The primary answers and has two replicas.",
    "Let me say it this way: you have no backup.",
    "Let me show what the events say: FailedScheduling, 0/3 nodes have enough memory.",
    "The deployment is healthy. Next, I would check the ingress, which I could not read.",
    "payments fails because its ConfigMap is missing. The next step is to create it or correct the name.",
    "Rollout stuck at 1 of 3. Next step: kubectl rollout undo deployment/api -n shop.",
    "The pod is OOMKilled. To fix this, raise the limit, then verify that restarts stop.",
    "The volume is full. Then check whether the WAL archive works; I could not.",
    "Nothing is wrong. If users still see errors, check the load balancer next.",
    "Yes: node-3 can go. Before you drain it, let me remind you that ledger-db has two replicas there.",
    "The certificate expired. You will need to renew it and then restart the webhook.",
    "It waits for shards that are scaled to zero. Scale them up first, then look at the index.",
    "I don't see any problem with web. All 3 pods are ready.",
    "I would check the probe: it points to port 8081 and the container listens on 8080.",
    "I'd look at the PVC first: it is Pending since 09:01.",
    "I looked at the pod, its events and its node. It is fine.",
    "I'm not able to read the logs; they are withheld.",
    "I will answer in one line: yes.",
    "Going by the events, the image tag is wrong.",
    "Looking at usage, memory binds: 83% is reserved.",
    "Reading the log, it stops at 'connection refused'.",
    "We need to talk about the budget: it allows no disruption, so the drain will hang.",
    "I should mention that metrics are missing, so this rests on requests alone.",
]


@pytest.mark.parametrize("text", [*FRAGMENTS, *MORE_FRAGMENTS])
def test_a_text_that_only_announces_is_a_fragment(text: str) -> None:
    assert is_fragment(text)
    verdict = judge(Finished("end", text, Usage()))
    outcome = "still-calling-tools" if holds_a_written_call(text) else "fragment"
    assert (verdict.outcome, verdict.exit_status, verdict.answer) == (outcome, ExitStatus.NO_ANSWER, "")


@pytest.mark.parametrize("text", [*ANSWERS, *MORE_ANSWERS])
def test_an_answer_may_begin_or_end_like_one(text: str) -> None:
    assert not is_fragment(text)
    assert judge(Finished("end", text, Usage())).answer == text


def test_there_are_thirty_of_each() -> None:
    assert (len(FRAGMENTS), len(ANSWERS)) == (30, 30)


@pytest.mark.parametrize("piece", ["so, ", "let me ", "not, ", "a" * 50 + " ", "- logs\n", "hmm", "<tool_call>"])
def test_no_text_takes_long_to_judge(piece: str) -> None:
    began = time.process_time()
    is_fragment("Let me check:\n" + piece * (20_000 // len(piece)))
    is_fragment(piece * (1100 // len(piece)))
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    "text",
    [
        'I will look at its log.\n```json\n{"name": "get_logs", "arguments": {"name": "web-0"}}\n```',
        'get_logs(name="web-0", namespace="shop")',
        "<function=get_logs>\n<parameter=name>\nweb-0\n</parameter>\n</function>\n</tool_call>",
        "<think>I need the log before I can answer.</think>",
    ],
)
def test_a_call_however_badly_written_is_no_answer(text: str) -> None:
    assert is_fragment(text)
    assert not is_fragment(f"shop/web-0 exits with code 3 at every start.\n{text}")
