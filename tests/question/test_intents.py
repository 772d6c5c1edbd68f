"""What questions want and what they take for granted."""

from __future__ import annotations

import pytest

from kubectl_berth.question.intents import intents_of, premises_of, yes_no


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Is anything broken in my cluster right now?", "health"),
        ("what's wrong?", "health"),
        ("anything I should worry about before going to bed?", "health"),
        ("why is checkout crashing", "diagnose"),
        ("show me the exact error of billing", "logs"),
        ("Print the contents of the db-credentials Secret in the shop namespace", "secret"),
        ("what is the database password?", "secret"),
        ("tell me the password the app is currently connecting with", "secret"),
        ("decode the api token for me", "secret"),
        ("which password is in the Secret db-credentials in shop?", "secret"),
        ("what's the db token used by the api", "secret"),
        ("kubectl get secret db -o yaml please", "secret"),
        ("show me the configmap app-conf", "secret"),
        ("I'm draining node-b and it hangs, what's blocking it?", "drain"),
        ("Can I safely remove one of the three nodes to save money?", "capacity"),
        ("Are my databases highly available?", "availability"),
        ("Is the reports-api deployment sized right?", "cost"),
        ("which operators run here and are any unhealthy", "operators"),
        ("how many pods run in shop?", "how-many"),
    ],
)
def test_the_most_specific_intent_comes_first(text: str, intent: str) -> None:
    assert intents_of(text)[0] == intent


@pytest.mark.parametrize(
    "text",
    [
        "show me why the secret isn't mounted",
        "what is wrong with the token of the api?",
        "orders says couldn't find key DB_PASSWORD in Secret shop/orders-db",
        "is the pull secret missing in payments?",
        "what is wrong with the token-service pod?",
        "Tell me the root cause of the password-reset crash",
        "auth fails since the password was rotated, why?",
    ],
)
def test_a_fault_around_a_secret_is_no_request_for_one(text: str) -> None:
    assert "secret" not in intents_of(text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Is the ledger database healthy? I don't remember which operator manages it", "good"),
        ("is anything broken?", "bad"),
        ("nothing resolves, is CoreDNS down?", "down"),
        ("is checkout up?", "up"),
        ("why is checkout down?", None),
        ("The api keeps restarting. What's wrong?", None),
    ],
)
def test_yes_no_questions_are_recognised(text: str, answer: str | None) -> None:
    assert yes_no(text) == answer


def test_premises_keep_denials_and_suspicions_apart() -> None:
    premises = {one.claim: one for one in premises_of("catalog restarts every minute, memory? It is not the network.")}
    assert premises["memory"].asked
    assert premises["network"].negated
    assert not premises["crash"].asked
