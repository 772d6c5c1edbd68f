"""Result documents for tests."""

from __future__ import annotations

from typing import Any

from kubectl_berth.evals.checks import CheckSet
from kubectl_berth.evals.facts import Facts
from kubectl_berth.evals.schema import check_set
from kubectl_berth.evals.score import Verdict, judge
from kubectl_berth.records import Ref
from kubectl_berth.scenarios.reader import Scenario

POD = Ref("Pod", "data", "ledger-db-3")
CLUSTER = Ref("Cluster", "data", "ledger-db")
API_POD = Ref("Pod", "shop", "api-6b8f7c9d44-q7zkd")
API_SET = Ref("ReplicaSet", "shop", "api-6b8f7c9d44")
API = Ref("Deployment", "shop", "api")
FACTS = Facts(
    words=frozenset({"ledger-db-3", "ledger-db", "api-6b8f7c9d44-q7zkd", "api-6b8f7c9d44", "api", "shop", "data"}),
    refs=frozenset({POD, CLUSTER, API_POD, API_SET, API}),
    owners={POD: (CLUSTER,), API_POD: (API_SET,), API_SET: (API,)},
)


def asked(**checks: Any) -> CheckSet:
    """A check set of the checks as written in a scenario, their names with hyphens for underscores."""
    written = {name.replace("_", "-"): check for name, check in checks.items()}
    return check_set(Scenario("here", "", "", "", (), checks=written))


def run(answer: str = "The answer.", **fields: Any) -> dict[str, Any]:
    """A model's result document."""
    return {"engine": "ollama", "outcome": "answered", "answer": answer, "findings": [], "trace": [], **fields}


def call(tool: str, fate: str = "ok", **arguments: Any) -> dict[str, Any]:
    """One entry of a trace."""
    return {"n": 1, "tool": tool, "fate": fate, "arguments": arguments}


def verdict(document: dict[str, Any], *, twin: bool = False, facts: Facts = FACTS, **checks: Any) -> Verdict:
    """The verdict on a document by these checks."""
    return judge(document, asked(**checks), facts, twin=twin)


def passes(answer: str, **check: Any) -> bool:
    """Whether an answer passes one check (its kind and fields)."""
    found = verdict(run(answer), it=check)
    return next(outcome.passed for outcome in found.outcomes if outcome.name == "it")
