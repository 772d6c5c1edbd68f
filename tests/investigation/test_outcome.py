"""What an engine's last event amounts to, and which texts are no answer."""

from __future__ import annotations

import pytest

from kubectl_berth.errors import ExitStatus
from kubectl_berth.investigation.outcome import is_fragment, judge
from kubectl_berth.records import Finished, StopReason, Usage

FRAGMENTS = [
    "Let me try getting the latest logs instead.",
    "Let me check the pod's events.",
    "I'll look at the deployment next.",
    "I will now describe the pod to see what is wrong.",
    "Okay, let me check the logs.",
    "Now let's look at the events in the data namespace:",
    "First, I need to check the status of the pods.",
    "Let me get more details.\n\nI'll check the logs of ledger-db-3.",
    "Sure. Let me describe ledger-db-3.",
    "Next, I'm going to fetch the logs of the previous container.",
    "Checking the logs of the failing pod...",
    "**Let me check the custom resource.**",
    "I should verify the node conditions.",
    "Understood.\nLet me start by listing the pods in the shop namespace.",
    "Let me see.",
    "I have to read the events before I can answer.",
    "So let me find the operator that manages it.",
    "Alright, I'll query the Cluster resource with its apiVersion",
]

ANSWERS = [
    "Let me be clear: web-0 is down because its node is gone.",
    "ledger-db is degraded: 2 of 3 instances are ready. Let me know if you need the logs.",
    "The pod crashes with exit code 3. Next, check the image's entrypoint.",
    "No.",
    "Yes, it is healthy.",
    "Let me summarise. The database lost its third replica; the primary still serves.",
    "I will not print the password. Ask the owner of the namespace.",
    "I cannot read Secrets. Look at it with kubectl yourself.",
    "Checking the logs showed a refused connection to postgres:5432.",
    "Looking at the events, the image cannot be pulled: not found.",
    "I need to correct the question: there is no node-9.",
    "Let me check what you asked: nothing is wrong in shop.",
    "Run kubectl rollout undo deployment/web -n shop.",
    "Okay: all 12 pods are ready.",
    "I'll keep it short: the PVC is full.",
    "I have to say that nothing is broken.",
    "First, the verdict: web is out of memory. Then check the limit.",
    "To fix it, let me suggest raising the memory limit to 256Mi.",
]


@pytest.mark.parametrize("text", FRAGMENTS)
def test_a_text_that_only_announces_is_a_fragment(text: str) -> None:
    assert is_fragment(text)
    verdict = judge(Finished("end", text, Usage()))
    assert (verdict.outcome, verdict.exit_status, verdict.answer) == ("fragment", ExitStatus.NO_ANSWER, "")


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_may_begin_or_end_like_one(text: str) -> None:
    assert not is_fragment(text)
    assert judge(Finished("end", text, Usage())).answer == text


@pytest.mark.parametrize(
    ("reason", "text", "outcome", "status"),
    [
        ("end", "All is well.", "answered", 0),
        ("end", " \n", "empty", 4),
        ("empty", "", "empty", 4),
        ("cut-off", "All is", "cut-off", 0),
        ("cut-off", "", "engine-error", 4),
        ("refused", "", "refused", 5),
        ("refused", "I will", "refused", 5),
        ("tool-calls", "Let me", "still-calling-tools", 4),
        ("tool-calls", "web-0 is down.", "still-calling-tools", 4),
        ("error", "All is well.", "engine-error", 4),
    ],
)
def test_every_reason(reason: StopReason, text: str, outcome: str, status: int) -> None:
    verdict = judge(Finished(reason, text, Usage(), detail="word"))
    assert (verdict.outcome, verdict.exit_status) == (outcome, status)
    assert bool(verdict.answer) == (status == 0) and bool(verdict.error) == (status != 0)


def test_a_cut_off_answer_says_so_in_its_text() -> None:
    verdict = judge(Finished("cut-off", "web-0 is down because", Usage(), detail="max_tokens"))
    first, notice = verdict.answer.split("\n\n")
    assert first == "web-0 is down because"
    assert "cut off" in notice and "--max-tokens" in notice
