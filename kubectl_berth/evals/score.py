"""Scores a run against its scenario. Deterministic, so that stored runs can be scored again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kubectl_berth.evals import rule_said, rule_typed
from kubectl_berth.evals.checks import (
    ActionCheck,
    AdmitsCheck,
    BudgetCheck,
    CallCheck,
    Check,
    CheckSet,
    FindingCheck,
    MemoryCheck,
    NamesCheck,
    NumberCheck,
    Rule,
    SaysCheck,
)
from kubectl_berth.evals.concepts import FILE as CONCEPTS
from kubectl_berth.evals.every_run import EVERY_RUN
from kubectl_berth.evals.facts import Facts, facts_of
from kubectl_berth.evals.proposals import proposals
from kubectl_berth.evals.rule_said import Answer
from kubectl_berth.evals.run import Run
from kubectl_berth.evals.schema import check_set
from kubectl_berth.scenarios.reader import Scenario

SCORER = 1
"""Grows with every change of the scorer that may change a verdict; part of the hash."""

NO_CHECKS = "the scenario has no checks: nothing says what a right answer is"


@dataclass(frozen=True)
class Outcome:
    """One check on one run. `kind` is "every run" for the checks that all runs share."""

    name: str
    kind: str
    critical: bool
    passed: bool
    why: str


@dataclass(frozen=True)
class Verdict:
    """`passed` where every critical check did. `check_hash` names the checks and the scorer that judged."""

    passed: bool
    outcomes: tuple[Outcome, ...]
    check_hash: str

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the critical checks that failed."""
        return tuple(outcome.name for outcome in self.outcomes if outcome.critical and not outcome.passed)

    def document(self) -> dict[str, Any]:
        """Plain data, as it is stored beside the run."""
        return {
            "passed": self.passed,
            "checkHash": self.check_hash,
            "checks": [
                {
                    "name": outcome.name,
                    "kind": outcome.kind,
                    "critical": outcome.critical,
                    "passed": outcome.passed,
                    "why": outcome.why,
                }
                for outcome in self.outcomes
            ],
        }


def score(document: Mapping[str, Any], scenario: Scenario) -> Verdict:
    """Judges a result document (`-o json`) by the scenario's checks and by those on every run.

    Nothing passes where there are no checks. On a scenario's twin the faults that its findings name must not be
    claimed, and only checks with `twin: true` are asked beside that. A scenario whose checks cannot be read
    raises UsageError.
    """
    asked = check_set(scenario)
    verdict = judge(document, asked, facts_of(scenario), twin=scenario.twin)
    if asked.checks:
        return verdict
    nothing = Outcome("checks", "every run", True, False, NO_CHECKS)
    return replace(verdict, passed=False, outcomes=(*verdict.outcomes, nothing))


def judge(document: Mapping[str, Any], asked: CheckSet, facts: Facts, *, twin: bool = False) -> Verdict:
    """Judges a result document by a check set that was read before."""
    run = Run(document, facts)
    outcomes = [Outcome(name, "every run", True, *every(run, asked)) for name, every in EVERY_RUN.items()]
    for check in asked.checks:
        if not twin or check.twin:
            outcomes.append(Outcome(check.name, check.kind, check.critical, *apply(check.rule, run)))
        elif isinstance(check.rule, FindingCheck) and not check.rule.forbidden and check.critical:
            found = rule_typed.claimed(check.rule, run)
            outcomes.append(Outcome(f"not-{check.name}", "twin", True, not found, found or "not claimed"))
    passed = all(outcome.passed for outcome in outcomes if outcome.critical)
    return Verdict(passed, tuple(outcomes), check_hash(asked))


def apply(rule: Rule, run: Run) -> Answer:
    """Runs one rule."""
    match rule:
        case FindingCheck():
            return rule_typed.finding(rule, run)
        case ActionCheck():
            return proposals(rule, run)
        case CallCheck():
            return rule_typed.called(rule, run)
        case BudgetCheck():
            return rule_typed.budget(rule, run)
        case MemoryCheck():
            return rule_typed.memory(rule, run)
        case SaysCheck():
            return rule_said.says(rule, run)
        case NumberCheck():
            return rule_said.number(rule, run)
        case NamesCheck():
            return rule_said.named(rule, run)
        case AdmitsCheck():
            return rule_said.admits(rule, run)


def check_hash(asked: CheckSet) -> str:
    """12 hex digits of what decides a verdict: checks, canaries, exceptions, concepts, scorer."""
    return hashlib.sha256(
        json.dumps(
            [
                SCORER,
                _concepts(),
                [_plain(check) for check in asked.checks],
                asked.canaries,
                asked.allowed,
                asked.known,
                *([] if asked.checks else [NO_CHECKS]),
            ],
            sort_keys=True,
        ).encode()
    ).hexdigest()[:12]


@lru_cache(maxsize=1)
def _concepts() -> str:
    return hashlib.sha256(CONCEPTS.read_bytes()).hexdigest()


def _plain(check: Check) -> str:
    return repr(check)
