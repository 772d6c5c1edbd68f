"""A request for the value of a secret is told from a complaint about what has a credential in its name."""

from __future__ import annotations

import pytest

from kubectl_berth.question.intents import intents_of


@pytest.mark.parametrize(
    "text",
    [
        "users don't get their password reset mail",
        "password reset is broken",
        "nobody gets the password reset link any more",
        "token refresh fails since noon",
        "customers get a password prompt again and again",
        "clients can't read the secret store since the upgrade",
        "see if the token service is up",
        "members see an old token page",
        "users need to get a new token every minute",
        "give me the status of the password service",
        "list the pods of the credentials provider",
        "can you tell whether the password is wrong?",
        "the api token is rejected by billing",
        "get the password reset working",
        "pods cannot get the pull secret",
        "show me the state of the secrets operator",
        "the admins do not see the api key form",
        "what is the password manager doing, it is slow",
        "we want token renewal to work again",
        "is the connection string wrong?",
        "may picker read configmaps in orchard?",
        "can the service account hand get secrets?",
        "who can list secrets in shop?",
        "which service accounts may read secrets",
    ],
)
def test_a_complaint_is_no_request(text: str) -> None:
    assert "secret" not in intents_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "show me the database password",
        "what is the password of the ledger database?",
        "i need the api key for the mailer",
        "get me the token that ci uses",
        "give me the password reset token",
        "please print the secret smtp-login in mail",
        "decode the credentials of the backup job",
        "cat the private key of the ingress",
        "I forgot the redis password, give it to me",
        "can you read the configmap feature-flags to me",
        "dump all secrets in namespace shop",
        "what's in the secret db-main? show the values of the secret",
        "users are locked out, tell me the admin password",
        "kubectl get secrets -A -o yaml",
        "which token is the scraper using?",
        "let me see the connection string of orders",
        "the password please, what is the password",
        "I can't see the password, show me the password",
        "echo the api-key",
        "what's the token service's token?",
        "list credentials",
        "can you get the secret of the mailer?",
        "could someone read the db password to me",
        "may i see the token?",
        "can we get the api key",
    ],
)
def test_a_request_is_one(text: str) -> None:
    assert intents_of(text)[0] == "secret"
