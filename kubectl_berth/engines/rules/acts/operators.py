"""What hangs on an operator's object and on the definition of its kind: what it owns, makes and keeps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from kubectl_berth.cluster.views import (
    CustomResource,
    CustomResourceDefinition,
    Identified,
    PersistentVolumeClaim,
    Pod,
)
from kubectl_berth.diagnosis.checks.operators import operators_of
from kubectl_berth.diagnosis.dependents import made_secrets, referring, rolled_out_by
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.acts.ask import third
from kubectl_berth.engines.rules.acts.objects import MOST, printed, set_back, told
from kubectl_berth.engines.rules.acts.storage import claims_of
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.topic import Said
from kubectl_berth.records import Ref
from kubectl_berth.safety.shell import kubectl

_POLICY = re.compile(r"(?:creation|deletion|reclaim|removal|retention|prune|cleanup)\w*policy$|^prune$", re.IGNORECASE)
_KEEPS = re.compile(r"retain|orphan|keep|none|merge", re.IGNORECASE)


def say_custom(case: Case, view: CustomResource) -> Said:
    """What an operator's object owns, makes and keeps."""
    inventory = case.inventory
    below = inventory.descendants(view.ref)
    rolled = rolled_out_by(inventory, view)
    policies = list(_policies(view.spec))
    keeps = [words for words in policies if _KEEPS.search(words.rpartition(": ")[2])]
    secrets = made_secrets(inventory, view)
    makes = any(re.search(r"creationpolicy: *owner", words, re.IGNORECASE) for words in policies)
    claims = claims_of(case, {one.ref for one in below if isinstance(one, PersistentVolumeClaim)}
                       | {Ref("PersistentVolumeClaim", pod.namespace, name)
                          for pod in below if isinstance(pod, Pod) for name in pod.claims})  # fmt: skip
    users = referring(inventory, view)
    verdict = _custom_verdict(view, below, claims, secrets, users, makes, keeps, rolled)
    kinds = Counter(one.kind for one in below)
    lines = (
        [f"it owns {listed([count(number, kind) for kind, number in kinds.most_common(6)], 6)}, which go with it"]
        if below
        else []
    )
    for name, who in list(secrets.items())[:3]:
        lines.append(f"Secret {name}: {listed([str(one) for one in who], 3)} take{third(len(who))} settings from it")
    lines += [f"{one} comes from it (label)" for one in rolled[:MOST]]
    lines += [f"{claim.ref}: reclaim policy {policy or 'not read'}" for claim, policy in claims[:MOST]]
    lines += [f"{one} names it" for one in users[:MOST]]
    lines += [f"{words}" for words in policies[:4]]
    lines += _finalizers(case, view)
    return told(verdict, [*lines, *set_back(case, view)], _custom_ways(view, claims), _OPERATOR)


_OPERATOR = (
    "What its operator does when the object goes, in the cluster and outside (cloud resources, DNS, accounts): that "
    "stands in its manual, not in the objects.",
)


def _custom_verdict(
    view: CustomResource,
    below: Sequence[Identified],
    claims: Sequence[tuple[PersistentVolumeClaim, str]],
    secrets: dict[str, list[Ref]],
    users: Sequence[Ref],
    makes: bool,
    keeps: Sequence[str],
    rolled: Sequence[Ref],
) -> str:
    ref = view.ref
    pods = [one for one in below if isinstance(one, Pod)]
    if claims:
        return (
            f"No, not without its data: {ref} runs {count(len(pods), 'pod')} on {count(len(claims), 'claim')}, and its "
            "operator takes down with it what it made for it."
        )
    if secrets and (makes or not keeps):
        name, who = next(iter(secrets.items()))
        names = listed([str(one) for one in who], 3)
        if not makes:
            return (
                f"No: Secret {name}, which {names} take{third(len(who))} settings from, is named by {ref}: if that "
                "makes the Secret, it goes too, or is no longer kept up to date."
            )
        return (
            f"No: Secret {name} is made by it and goes with it, and {names} take{third(len(who))} settings from that "
            "Secret: what runs keeps what it has read, but the next start fails."
        )
    if users:
        names = listed([str(one) for one in users], 4)
        return f"No, not without breaking what names it: {names} need{third(len(users))} {ref}."
    if below:
        kinds = Counter(one.kind for one in below)
        what = listed([count(number, kind) for kind, number in kinds.most_common(4)], 4)
        return f"Only if what it owns may go: with {ref} go {what}, which name it as their owner."
    if rolled:
        return f"No, not without what comes from it: {listed([str(one) for one in rolled], 4)} may go with {ref}."
    kept = f" {keeps[0]} says that what it made stays." if keeps else ""
    return f"Only if what it stands for is needed no more: nothing that was read is owned by {ref} or names it.{kept}"


def _policies(value: Any, where: str = "spec", depth: int = 0) -> Iterator[str]:
    """Fields of a spec that say what becomes of what the object made."""
    if depth > 6:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str | bool) and _POLICY.search(str(key)):
                yield f"{where}.{key}: {str(inner)[:40]}"
            else:
                yield from _policies(inner, f"{where}.{key}", depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value[:20]):
            yield from _policies(inner, f"{where}[{number}]", depth + 1)


def _finalizers(case: Case, view: CustomResource) -> list[str]:
    if not view.metadata.finalizers:
        return []
    group = view.api_version.rpartition("/")[0]
    down = [one for one in operators_of(case.inventory, group, idle=True) if not one.ready]
    state = f"; {down[0].ref} does not run now, so it would hang in Terminating" if down else ""
    return [f"finalizers: {listed(view.metadata.finalizers, 3)}: its operator has to let it go{state}"]


def _custom_ways(view: CustomResource, claims: Sequence[tuple[PersistentVolumeClaim, str]]) -> list[str]:
    ways = [printed(view.ref)]
    if claims:
        ways.insert(0, "Before anything is deleted: a backup whose restore was tried, or volumes set to Retain.")
    return ways


def say_definition(case: Case, view: CustomResourceDefinition) -> Said:
    """All objects of the kind go with its definition."""
    kind, group = view.spec.names.kind, view.spec.group
    mine = [one for one in case.inventory.custom if one.kind == kind and one.api_version.rpartition("/")[0] == group]
    owned = Counter(below.kind for one in mine for below in case.inventory.descendants(one.ref))
    what = listed([count(number, name) for name, number in owned.most_common(5)], 5)
    if not mine:
        half = "; not all could be read" if "custom" in case.inventory.unread else ""
        verdict = (
            f"Only if its operator is gone too: there are no objects of kind {kind} now{half}, but its operator needs "
            "the kind."
        )
    else:
        verdict = (
            f"No: with {view.ref} all {count(len(mine), 'object')} of kind {kind} are deleted"
            f"{f', and what they own ({what})' if what else ''}."
        )
    lines = [f"{one.ref} goes with it" for one in mine[:MOST]]
    every = kubectl("get", view.name, "-A", "-o", "yaml")
    return told(verdict, lines, [f"Keep the objects before: `{every}` prints them."], _OPERATOR)


def say_finalizers(case: Case, view: Identified) -> Said:
    """What finalizers wait for: taking them off by hand leaves that undone."""
    names = view.metadata.finalizers
    if not names:
        return told(f"There is nothing to take off: {view.ref} has no finalizers.", [], [])
    users = [pod.ref for pod in case.inventory.pods
             if view.kind == "PersistentVolumeClaim" and pod.namespace == view.namespace and not pod.finished
             and view.name in pod.claims]  # fmt: skip
    waits = f"{listed([str(ref) for ref in users], 3)} that use it" if users else "what made them to clean up"
    verdict = (
        f"No: the finalizers of {view.ref} ({listed(names, 3)}) wait for {waits}; taken off by hand, what they guard "
        "is pulled away or left behind, inside the cluster or outside."
    )
    lines = [f"{ref} uses it" for ref in users[:MOST]]
    if isinstance(view, CustomResource):
        lines += _finalizers(case, view)
    return told(verdict, lines, ["Find out what it waits for, and end that: then the finalizers go by themselves."])
