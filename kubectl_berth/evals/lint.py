"""Lints a scenario: can it be asked, could its cluster be, and do its checks tell right answers from wrong ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kubectl_berth.errors import UsageError
from kubectl_berth.evals.checks import CheckSet, Example
from kubectl_berth.evals.examples import document, everything
from kubectl_berth.evals.facts import facts_of
from kubectl_berth.evals.faithful.rules import oddities
from kubectl_berth.evals.faithful.world import World, world
from kubectl_berth.evals.revisions import revisions
from kubectl_berth.evals.schema import check_set
from kubectl_berth.evals.score import Verdict, judge
from kubectl_berth.scenarios.reader import Scenario, load

Scored = Callable[[Example], Verdict]

EXAMPLES = 3
"""Right answers that a scenario with checks needs at least, and wrong ones."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a scenario. `rule` names what found it, `where` the scenario or its twin."""

    where: str
    rule: str
    words: str

    def __str__(self) -> str:
        return f"{self.where}: {self.rule}: {self.words}"


def lint(name_or_path: str) -> list[Problem]:
    """Everything that is wrong with a scenario, its checks first. One that cannot be read is one problem."""
    try:
        scenario = load(name_or_path)
        asked = check_set(scenario)
        revisions(scenario)
        found = [*_checks(scenario, asked), *_cluster(scenario, asked)]
        if (scenario.layers[-1].parent / "twin").is_dir():
            twin = load(name_or_path, twin=True)
            found += _cluster(twin, asked)
    except UsageError as error:
        return [Problem(name_or_path, "read", str(error))]
    return found


def _cluster(scenario: Scenario, asked: CheckSet) -> Iterator[Problem]:
    """What is odd about the cluster."""
    where = f"{scenario.name} (twin)" if scenario.twin else scenario.name
    here = world(scenario)
    for rule, words in (*oddities(here), *_withheld(here, asked)):
        yield Problem(where, rule, words)


def _withheld(here: World, asked: CheckSet) -> Iterator[tuple[str, str]]:
    """Canaries stand in what is never served or is redacted, not in the open."""
    served = json.dumps(list(here.all()))
    for number, canary in enumerate(asked.canaries, 1):
        if canary in served:
            yield "canaries", f"canary {number} stands in an object that is served"


def _checks(scenario: Scenario, asked: CheckSet) -> Iterator[Problem]:
    """What is wrong with the checks, as the example answers show it."""
    where = scenario.name
    if not asked.checks:
        yield Problem(where, "checks", "there are none: say what a right answer holds")
        return
    if not any(check.critical for check in asked.checks):
        yield Problem(where, "checks", "none is critical: every answer would pass")
    for kind, examples in (("right", asked.right), ("wrong", asked.wrong)):
        if len(examples) < EXAMPLES:
            yield Problem(where, "answers", f"{len(examples)} {kind} ones, at least {EXAMPLES} are needed")
        if len({example.answer for example in examples}) < len(examples):
            yield Problem(where, "answers", f"two {kind} ones are the same")
    facts = facts_of(scenario)

    def scored(example: Example) -> Verdict:
        return judge(document(example, asked), asked, facts)

    yield from _right(where, asked, scored)
    yield from _wrong(where, asked, scored)


def _right(where: str, asked: CheckSet, scored: Scored) -> Iterator[Problem]:
    for number, example in enumerate(asked.right, 1):
        for outcome in scored(example).outcomes:
            if outcome.critical and not outcome.passed:
                yield Problem(where, f"right answer {number}", f"fails {outcome.name}: {outcome.why}")
        if scored(everything(asked, example.answer)).passed:
            yield Problem(where, f"right answer {number}", "still passes when everything else is said as well")


def _wrong(where: str, asked: CheckSet, scored: Scored) -> Iterator[Problem]:
    known = {check.name for check in asked.checks if check.critical}
    caught: set[str] = set()
    for number, example in enumerate(asked.wrong, 1):
        failed = scored(example).failed
        caught.update(failed)
        if not failed:
            yield Problem(where, f"wrong answer {number}", "passes")
        for name in example.fails:
            if name not in failed:
                yield Problem(where, f"wrong answer {number}", f"does not fail {name}")
    for name in sorted(known - caught):
        yield Problem(where, f"check {name}", "no wrong answer fails it: a check that never fails is none")
