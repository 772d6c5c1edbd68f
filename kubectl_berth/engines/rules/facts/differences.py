"""What a revision changed against the one before it: image, command, ports, probes, amounts, variables, volumes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_berth.cluster.views import Workload
from kubectl_berth.cluster.views.pods import Container, PodSpec
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import ASKS, bare, only
from kubectl_berth.engines.rules.facts.attributes import PROBES, probe_of
from kubectl_berth.engines.rules.facts.lookups import Answer, revisions
from kubectl_berth.engines.rules.orders import quoted

_DIFFERS = r"differ(?:s|ent|ence|ences)?|diff|chang(?:ed?|es)|what'?s new|new"
_SIDES = (
    r"revisions?|versions?|releases?|rollouts?|deploy(?:ment|s)?|update|between|old|older|previous|earlier|last|latest|"
    r"newest|current|present|one|\d{1,5}|from|to|with|bring|brought|by"
)
_NAMED = re.compile(
    r"\b(?:revisions?|versions?|releases?|rollouts?|old|previous|last deploy\w*|latest deploy\w*)\b", re.I
)


def differences(case: Case) -> Answer | None:
    """What changed between two revisions of a Deployment; None for another question."""
    text = bare(case)
    if not re.search(rf"\b(?:{_DIFFERS})\b", text, re.IGNORECASE) or not _NAMED.search(text) or not ASKS.search(text):
        return None
    if not only(case, _DIFFERS, _SIDES, text=text):
        return None
    for ref in case.subjects:
        kept = revisions(case.inventory, ref) if ref.kind == "Deployment" else []
        if kept:
            return _between(case, kept, [int(number) for number in re.findall(r"\b\d{1,5}\b", text)])
    return None


def _between(case: Case, kept: list[Workload], numbers: list[int]) -> Answer:
    by_number = {one.revision: one for one in kept}
    asked = sorted({number for number in numbers if number in by_number})
    new = by_number[asked[-1]] if asked else kept[0]
    older = [one for one in kept if one.revision < new.revision]
    old = by_number[asked[0]] if len(asked) > 1 else older[0] if older else None
    name = case.inventory.owner(new) or new.ref
    if old is None:
        return f"Of {name} no revision before {new.revision} is kept, so what it changed is not known.", []
    told = list(changes_of(old.spec.template.spec, new.spec.template.spec))
    head = f"From revision {old.revision} to {new.revision} of {name}"
    if not told:
        return (
            f"{head} nothing changed that is read here (images, commands, ports, probes, amounts, variables, volumes).",
            [],
        )
    return f"{head}: {listed(told, 3)}.", [*told[3:], "values of variables are not compared"]


def changes_of(old: PodSpec, new: PodSpec) -> Iterator[str]:
    """Each difference between two pod templates in words."""
    before = {one.name: one for one in old.all_containers}
    after = {one.name: one for one in new.all_containers}
    for name in sorted(before.keys() - after.keys()):
        yield f"container {name} is gone"
    for name in sorted(after.keys() - before.keys()):
        yield f"container {name} is new ({after[name].image})"
    for name in sorted(before.keys() & after.keys()):
        for words in _container(before[name], after[name]):
            yield f"container {name}: {words}"
    if old.service_account_name != new.service_account_name:
        yield f"service account {old.service_account_name or 'default'} became {new.service_account_name or 'default'}"
    volumes = _added({one.name for one in old.volumes}, {one.name for one in new.volumes})
    if volumes:
        yield f"volumes {volumes}"
    if old.node_selector != new.node_selector:
        yield "the node selector changed"


def _container(old: Container, new: Container) -> Iterator[str]:
    if old.image != new.image:
        yield f"image {old.image} became {new.image}"
    one, other = " ".join([*old.command, *old.args]), " ".join([*new.command, *new.args])
    if one != other:
        yield f"command {quoted(one, 120) or 'of the image'} became {quoted(other, 120) or 'that of the image'}"
    ports = [", ".join(f"{port.container_port} ({port.name})" for port in each.ports) or "none" for each in (old, new)]
    if ports[0] != ports[1]:
        yield f"port {ports[0]} became {ports[1]}"
    for kind in PROBES:
        if probe_of(old, kind) != probe_of(new, kind):
            yield f"the {kind} probe changed"
    for side in ("requests", "limits"):
        was, now = getattr(old.resources, side), getattr(new.resources, side)
        for resource in sorted({*was, *now}):
            if was.get(resource) != now.get(resource):
                amounts = f"{was.get(resource, 'none')} became {now.get(resource, 'none')}"
                yield f"{resource} {side.removesuffix('s')} {amounts}"
    variables = _added({one.name for one in old.env}, {one.name for one in new.env})
    if variables:
        yield f"variables {variables}"


def _added(old: set[str], new: set[str]) -> str:
    gone, fresh = sorted(old - new), sorted(new - old)
    parts = [f"{listed(fresh, 6)} came"] if fresh else []
    return "; ".join([*parts, *([f"{listed(gone, 6)} went"] if gone else [])])
