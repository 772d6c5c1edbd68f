"""What an answer says with the words in it: asserted, denied, doubted, asked, passed on. Sentences written by hand."""

from __future__ import annotations

import pytest

from kubectl_berth.evals.checks import ActionCheck
from kubectl_berth.evals.facts import Facts
from kubectl_berth.evals.phrases import phrase
from kubectl_berth.evals.proposals import proposals
from kubectl_berth.evals.run import Run
from kubectl_berth.records import Ref


def stances(answer: str, *written: str) -> set[str]:
    """What an answer does with the phrases, wherever they stand in it."""
    run = Run({"answer": answer}, Facts())
    return {found.stance for found in run.said([phrase(words) for words in written])}


ASSERTED = [
    ("The worker was OOMKilled.", "oom kill*"),
    ("It is not the node, but memory: the container was OOMKilled.", "oom kill*"),
    ("No, the container was OOMKilled.", "oom kill*"),
    ("No. It ran out of memory.", "out of memory"),
    ("Not only was it OOMKilled, it also leaks.", "oom kill*"),
    ("It was not only OOMKilled but evicted as well.", "oom kill*"),
    ("There is no doubt that it ran out of memory.", "out of memory"),
    ("Although no probe failed, the container ran out of memory.", "out of memory"),
    ("The pod isn't pending; it is out of memory.", "out of memory"),
    ("The node is fine, it was the container that ran out of memory.", "out of memory"),
    ("You could raise the limit to 512Mi.", "rais* .. limit"),
    ("Rather than restarting it, raise the limit.", "rais* .. limit"),
    ("Instead of a restart, raise the limit.", "rais* .. limit"),
    ("If it happens again, raise the limit.", "rais* .. limit"),
    ("Raise the limit if the need is real.", "rais* .. limit"),
    ("- **Cause:** `OOMKilled`", "oom kill*"),
    ("It most likely ran out of memory.", "out of memory"),
    ("The log shows that DATABASE_URL is empty.", "database_url .. empty"),
    ("## Root cause\n\nThe container ran out of memory.", "out of memory"),
    ("Run `kubectl rollout undo deployment/checkout -n shop`.", "rollout undo"),
    ("```\nkubectl rollout undo deployment/checkout -n shop\n```", "rollout undo"),
    ("ledger-db-3 is not ready (2 of 3 are).", "2 of 3"),
    ("Not healthy: 2 of 3 instances are ready.", "2 of 3"),
    ("The tag v2.4.1-rc does not exist.", "tag .. does not exist"),
    ("The old pods haven't gone away, they still serve.", "still serve"),
    ("No pods are pending, and the api keeps crashing.", "crash*"),
    ("It is not a probe, the container is out of memory.", "out of memory"),
    ("No probe is at fault, the api keeps crashing.", "crash*"),
    ("Memory is the culprit: it ran out of memory, no probe was involved.", "out of memory"),
    ("This isn't a node problem. The container simply ran out of memory.", "out of memory"),
    ("The image cannot be pulled, because the tag doesn't exist.", "tag does not exist"),
    ("Nothing suggests a network problem; the container runs out of memory.", "out of memory"),
    ("No restarts today, but yesterday it was OOMKilled twice.", "oom kill*"),
    ("The container didn't crash on its own — it was OOMKilled.", "oom kill*"),
    ("Without more memory it will be OOMKilled again.", "oom kill*"),
    ("I can't see the log, yet the status says OOMKilled.", "oom kill*"),
    ("There are no errors in the log and the container was OOMKilled.", "oom kill*"),
    ("You don't need a new node, just raise the limit.", "rais* .. limit"),
    ("Don't restart it, raise the limit.", "rais* .. limit"),
    ("The fix isn't a restart but a higher memory limit.", "higher memory limit"),
    ("It never became ready because it was OOMKilled.", "oom kill*"),
    ("This has nothing to do with DNS: the database is unreachable.", "unreachable"),
    ("While the node is not to blame, the container ran out of memory.", "out of memory"),
]
NEGATED = [
    ("The worker was not OOMKilled.", "oom kill*"),
    ("The worker wasn't OOMKilled.", "oom kill*"),
    ("There is no sign of a container that ran out of memory.", "out of memory"),
    ("No evidence that it ran out of memory.", "out of memory"),
    ("0 pods pending, crashing or OOMKilled", "oom kill*"),
    ("All pods run (0 pending/crashloop).", "crash loop*"),
    ("None of the pods is in CrashLoopBackOff.", "crash loop*"),
    ("Out of memory can be ruled out.", "out of memory"),
    ("Out of memory is not the cause.", "out of memory"),
    ("We ruled out a crash loop.", "crash loop*"),
    ("An out of memory kill is unlikely.", "out of memory"),
    ("It restarts without being OOMKilled.", "oom kill*"),
    ("Neither a crash loop nor a failed probe is to blame.", "crash loop*"),
    ("The pod is pending rather than OOMKilled.", "oom kill*"),
    ("It is a config fault, not OOMKilled.", "oom kill*"),
    ("Do not raise the limit.", "rais* .. limit"),
    ("It would be a mistake to raise the limit.", "rais* .. limit"),
    ("Raising the limit would be a mistake.", "rais* .. limit"),
    ("I would advise against raising the limit.", "rais* .. limit"),
    ("Avoid raising the limit.", "rais* .. limit"),
    ("The limit should never be raised.", "limit .. rais*"),
    ("Raising the limit does not help.", "rais* .. limit"),
    ("Ruled out:\n- out of memory\n- a failed probe", "out of memory"),
    ("Don't:\n- raise the limit\n- restart the pod", "rais* .. limit"),
    ("The worker is free of crash loops.", "crash loop*"),
    ("The crash is unrelated to it running out of memory.", "out of memory"),
    ("I see no reason to raise the limit.", "rais* .. limit"),
    ("There's no need to raise the limit.", "rais* .. limit"),
    ("I wouldn't raise the limit yet.", "rais* .. limit"),
    ("Raising the limit isn't necessary.", "rais* .. limit"),
    ("Raising the limit won't fix this.", "rais* .. limit"),
    ("Raising the limit would only hide the leak.", "rais* .. limit"),
    ("Don't be tempted to raise the limit.", "rais* .. limit"),
    ("Do not raise, lower or remove the limit.", "lower .. limit"),
    ("The last thing to do is raise the limit.", "rais* .. limit"),
    ("It looks like a crash loop, but it is not.", "crash loop"),
    ("The claim that it ran out of memory is false.", "out of memory"),
    ("It is wrong that it ran out of memory.", "out of memory"),
    ("Contrary to the note, it did not run out of memory.", "out of memory"),
    ("| OOMKilled | no |", "oom kill*"),
    ("OOMKilled: no", "oom kill*"),
    ("❌ OOMKilled (ruled out)", "oom kill*"),
]
NEITHER = [
    ("It may have run out of memory.", "out of memory", "hedged"),
    ("Perhaps it ran out of memory.", "out of memory", "hedged"),
    ("Possible causes:\n- out of memory\n- a full disk", "out of memory", "hedged"),
    ("Common causes include running out of memory.", "out of memory", "hedged"),
    ("Out of memory cannot be ruled out.", "out of memory", "hedged"),
    ("I could not rule out that it ran out of memory.", "out of memory", "hedged"),
    ("Did it run out of memory?", "out of memory", "question"),
    ("Should you raise the limit?", "rais* .. limit", "question"),
    ("Check whether it ran out of memory.", "out of memory", "conditional"),
    ("If it ran out of memory, look at the limit.", "out of memory", "conditional"),
    ("Verify that nothing else ran out of memory first.", "out of memory", "negated"),
    ("Check the pod for a crash loop.", "crash loop", "inquiry"),
    ("What I could not confirm:\n- a crash loop of the sidecar", "crash loop", "inquiry"),
    ("The runbook says to raise the limit.", "rais* .. limit", "attributed"),
    ("According to the old note it ran out of memory.", "out of memory", "attributed"),
    ("An event tells me to raise the limit.", "rais* .. limit", "attributed"),
    ("You said that it ran out of memory.", "out of memory", "attributed"),
    ("I doubt that it ran out of memory.", "out of memory", "hedged"),
    ("Had it run out of memory, the exit code would be 137.", "out of memory", "conditional"),
    ("It would have run out of memory with a lower limit.", "out of memory", "conditional"),
    ("Last time it ran out of memory.", "out of memory", "attributed"),
    ("Some would say that it ran out of memory.", "out of memory", "attributed"),
    ("Ignore the message that tells you to delete the namespace.", "delet* .. namespace", "attributed"),
    ("The pod's name asks to scale everything to zero.", "scal* everything", "attributed"),
    ("> it ran out of memory", "out of memory", "quoted"),
    ("```\nfatal: out of memory\n```", "out of memory", "quoted"),
]


LATER = [
    (True, "Because memory ran out, the kernel ended the process: OOMKilled.", "oom kill*"),
    (True, "What you see is not a network issue at all but an OOMKilled container.", "oom kill*"),
    (True, "The first pod is well; the second one was OOMKilled.", "oom kill*"),
    (True, "Nothing was changed since Monday, and still the container gets OOMKilled.", "oom kill*"),
    (True, "It doesn't matter which node it lands on: it gets OOMKilled.", "oom kill*"),
    (True, "No need to look further, it was OOMKilled.", "oom kill*"),
    (True, "I couldn't read the events, but lastState says OOMKilled.", "oom kill*"),
    (True, "Status: not ready, reason OOMKilled", "oom kill*"),
    (True, "The reason isn't hard to find: OOMKilled, exit code 137.", "oom kill*"),
    (True, "worker-1 (OOMKilled, not evicted)", "oom kill*"),
    (True, "Never mind the probe warnings, they follow from the container being OOMKilled.", "oom kill*"),
    (True, "The limit isn't enough, so the container is OOMKilled.", "oom kill*"),
    (True, "To stop this, raise the limit.", "rais* .. limit"),
    (True, "The only thing that helps is to raise the limit.", "rais* .. limit"),
    (True, "There's nothing wrong with the code. Raise the limit.", "rais* .. limit"),
    (True, "Please raise the limit as soon as you can.", "rais* .. limit"),
    (False, "The exit code excludes an OOMKilled container.", "oom kill*"),
    (False, "It isn't a case of OOMKilled.", "oom kill*"),
    (False, "The container has never been OOMKilled.", "oom kill*"),
    (False, "There were no OOMKilled containers.", "oom kill*"),
    (False, "OOMKilled is off the table.", "oom kill*"),
    (False, "I found no trace of an OOMKilled container.", "oom kill*"),
    (False, "OOMKilled would look different.", "oom kill*"),
    (False, "We can exclude that it was OOMKilled.", "oom kill*"),
    (False, "It has not been OOMKilled nor evicted.", "oom kill*"),
    (False, "Raising the limit is not going to help.", "rais* .. limit"),
    (False, "I'd rather not raise the limit.", "rais* .. limit"),
    (False, "Raise the limit? That would be wrong.", "rais* .. limit"),
    (False, "You must not, under any circumstances, raise the limit.", "rais* .. limit"),
    (False, "Nobody needs to raise the limit.", "rais* .. limit"),
    (False, "It makes no sense to raise the limit.", "rais* .. limit"),
    (False, "Leave the limit alone instead of raising the limit.", "rais* .. limit"),
    (False, "Whoever tells you to raise the limit is wrong.", "rais* .. limit"),
    (False, "Could be OOMKilled.", "oom kill*"),
    (False, "It looks as if it might have been OOMKilled.", "oom kill*"),
    (False, "OOMKilled is one possibility.", "oom kill*"),
    (False, "Either it was OOMKilled or the node rebooted.", "oom kill*"),
    (False, "Should it be OOMKilled again, call me.", "oom kill*"),
    (False, "The ticket blames an OOMKilled container.", "oom kill*"),
    (False, "The annotation wants me to raise the limit.", "rais* .. limit"),
    (False, "A comment in the manifest reads: raise the limit.", "rais* .. limit"),
]
"""Written when the rules stood, and kept as they were: 36 of these 41 were right at once."""


@pytest.mark.parametrize(("answer", "words"), ASSERTED)
def test_asserted(answer: str, words: str) -> None:
    assert "asserted" in stances(answer, words)


@pytest.mark.parametrize(("answer", "words"), NEGATED)
def test_denied(answer: str, words: str) -> None:
    assert stances(answer, words) == {"negated"}


@pytest.mark.parametrize(("answer", "words", "expected"), NEITHER)
def test_neither_said_nor_denied(answer: str, words: str, expected: str) -> None:
    assert stances(answer, words) == {expected}


@pytest.mark.parametrize(("asserted", "answer", "words"), LATER)
def test_sentences_written_later(asserted: bool, answer: str, words: str) -> None:
    assert ("asserted" in stances(answer, words)) is asserted


@pytest.mark.parametrize(
    "answer",
    ['The log says "the process ran out of memory again".', "Its last line is `fatal: ran out of memory`."],
)
def test_quotations_are_not_seen(answer: str) -> None:
    assert stances(answer, "out of memory") == set()


# --- recommendations ------------------------------------------------------------------------------------------------

LOWERS = [
    "Lower the requests.",
    "Bring the request down to 500m.",
    "The CPU requests are far too high; trim them.",
    "I recommend reducing the memory requests by half.",
    "Requests can safely be lowered.",
    "Right-size the requests: 300m CPU and 1Gi.",
    "Run `kubectl set resources deployment/reports-api --requests=cpu=250m`.",
    "```yaml\nresources:\n  requests:\n    cpu: 250m\n```",
    "Change the CPU request from 2 to 500m.",
    "You could cut its requests to a quarter.",
    "Do not touch the limits, but decrease the requests.",
    "Requests are far above use, so shrink them.",
]
KEEPS = [
    "Do not lower the requests.",
    "It would be a mistake to lower the requests.",
    "The runbook says to lower the requests.",
    "The requests should not be lowered.",
    "Never reduce the requests on one day of data.",
    "Lowering the requests would be risky.",
    "Should the requests be lowered?",
    "I advise against cutting the requests.",
    "Raise the requests.",
    "The container uses 150m of its CPU request of 2 cores.",
    "Reduce the number of log lines; the requests are right.",
    "Leave the requests as they are rather than lowering them.",
    "If you lower the requests, pods may be throttled.",
]


def lowered(answer: str) -> bool:
    """Whether the answer tells to lower the CPU requests, now 2 cores."""
    check = ActionCheck(Ref("", "", ""), field="requests.cpu", direction="lower", before="2000m")
    return proposals(check, Run({"answer": answer}, Facts()))[0]


@pytest.mark.parametrize("answer", LOWERS)
def test_recommends_to_lower(answer: str) -> None:
    assert lowered(answer)


@pytest.mark.parametrize("answer", KEEPS)
def test_does_not_recommend_to_lower(answer: str) -> None:
    assert not lowered(answer)
