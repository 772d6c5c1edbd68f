"""The same scenario told otherwise: verdicts keep, and flip where the fault is gone."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from kubectl_berth.evals.checks import FindingCheck
from kubectl_berth.evals.examples import document
from kubectl_berth.evals.facts import facts_of
from kubectl_berth.evals.faithful.world import World, world
from kubectl_berth.evals.schema import check_set
from kubectl_berth.evals.score import judge, score
from kubectl_berth.evals.variants import VARIANTS, write
from kubectl_berth.scenarios.reader import SHIPPED, load, names
from tests.evals.asked import asked

WORDINGS = ("v1.31.4", "v1.36.2")


@lru_cache(maxsize=1)
def passes(name: str) -> bool:
    scenario = load(name)
    return score(asked(scenario), scenario).passed


def keeps(name: str, variant: str, directory: Path) -> None:
    """Asserts that the rules engine's verdict and those of the example answers are the same on a variant."""
    path = write(name, VARIANTS[variant], directory)
    scenario = load(path)
    found = score(asked(scenario), scenario)
    assert found.passed is passes(name), [each for each in found.outcomes if each.critical and not each.passed]
    checks, facts = check_set(scenario), facts_of(scenario)
    for right in checks.right:
        assert judge(document(right, checks), checks, facts).failed == (), right.answer
    for wrong in checks.wrong:
        failed = judge(document(wrong, checks), checks, facts).failed
        assert failed and set(wrong.fails) <= set(failed), wrong.answer
    if (Path(path) / "twin").is_dir():
        twin = load(path, twin=True)
        assert score(asked(twin), twin).failed == ()


def flips(name: str) -> None:
    """Asserts that the twin's answer, right there, fails where the fault had to be named."""
    scenario, twin = load(name), load(name, twin=True)
    answer = asked(twin)
    assert score(answer, twin).failed == ()
    checks = check_set(scenario)
    faults = {
        check.name
        for check in checks.checks
        if check.critical and isinstance(check.rule, FindingCheck) and not check.rule.forbidden
    }
    failed = set(judge(answer, checks, facts_of(scenario)).failed)
    assert not faults or failed & faults


SOME = [
    ("oomkilled", "renamed"),
    ("service-selector-drift", "shuffled"),
    ("netpol-egress-dns", "noisy"),
    ("secret-key-missing", "shifted"),
]


@pytest.mark.parametrize(("name", "variant"), SOME)
def test_a_variant_keeps_the_verdict(name: str, variant: str, tmp_path: Path) -> None:
    keeps(name, variant, tmp_path)


def test_the_twin_flips_it() -> None:
    flips("oomkilled")


@pytest.mark.nightly
@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_keeps_the_verdict(name: str, variant: str, tmp_path: Path) -> None:
    keeps(name, variant, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("version", WORDINGS)
def test_every_wording_keeps_the_verdict(name: str, version: str) -> None:
    scenario = load(name, version=version)
    assert score(asked(scenario), scenario).passed is passes(name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in names() if (SHIPPED / name / "twin").is_dir()])
def test_every_twin_flips_it(name: str) -> None:
    flips(name)


# --- what each variant does -----------------------------------------------------------------------------------------


def told(variant: str, directory: Path) -> tuple[World, World]:
    """The world of a scenario, and that of a variant of it."""
    return world(load("oomkilled")), world(load(write("oomkilled", VARIANTS[variant], directory)))


def test_renamed_is_renamed_everywhere(tmp_path: Path) -> None:
    path = write("oomkilled", VARIANTS["renamed"], tmp_path)
    scenario = load(path)
    assert "worker" not in scenario.question and "harbor" in scenario.question
    assert scenario.checks["killed-for-memory"]["finding"]["name"] == "harbor-5f4c8d7b9-vt2xr"
    # the namespace keeps its name: jobs is a word of Kubernetes' own
    log = scenario.open().log("harbor-5f4c8d7b9-vt2xr", "jobs", "harbor", tail=5)
    assert log and "worker" not in log


def test_noise_is_two_hundred_ready_pods_with_their_owners(tmp_path: Path) -> None:
    before, after = told("noisy", tmp_path)
    assert len(after.kind("Pod")) == len(before.kind("Pod")) + 200
    assert len(after.kind("Deployment")) == len(before.kind("Deployment")) + 20
    assert {pod["metadata"]["name"] for pod in before.kind("Pod")} < {
        pod["metadata"]["name"] for pod in after.kind("Pod")
    }


def test_a_shifted_world_has_the_same_ages(tmp_path: Path) -> None:
    before, after = told("shifted", tmp_path)
    assert (after.now - before.now).days == 91
    assert after.now.strftime("%a %T") == before.now.strftime("%a %T")
    born = [obj["metadata"]["creationTimestamp"] for obj in (before.kind("Pod")[0], after.kind("Pod")[0])]
    assert born[0] != born[1]


def test_a_shuffled_world_holds_the_same(tmp_path: Path) -> None:
    before, after = told("shuffled", tmp_path)
    assert {kind: len(found) for kind, found in before.objects.items()} == {
        kind: len(found) for kind, found in after.objects.items()
    }
    orders = [
        [each["type"] for each in pod["status"]["conditions"]]
        for here in (before, after)
        for pod in sorted(here.kind("Pod"), key=lambda pod: pod["metadata"]["uid"])
    ]
    assert orders[: len(orders) // 2] != orders[len(orders) // 2 :]
